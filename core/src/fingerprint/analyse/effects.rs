//! Functions that do more than compute, so that a SELECT calling them is no plain read.

/// Whether calling the function changes something, takes a lock or waits. `name` is in lower case; `qualifier` is what stands
/// before its dot.
///
/// Functions that users define may do anything, and are taken for harmless: nothing in the text tells them apart. Waiting
/// (`pg_sleep`, `sleep`, `benchmark`) counts, because it is all such a statement is there for.
pub(super) fn has_effect(qualifier: &[u8], name: &[u8]) -> bool {
    NAMES.binary_search(&name).is_ok()
        || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        // Oracle's supplied packages: dbms_lock.request, utl_file.put_line.
        || qualifier.starts_with(b"dbms_")
        || qualifier.starts_with(b"utl_")
}

const PREFIXES: [&[u8]; 14] = [
    b"dblink",
    b"lo_",
    b"pg_advisory_",
    b"pg_backup_",
    b"pg_copy_",
    b"pg_create_",
    b"pg_drop_",
    b"pg_logical_",
    b"pg_replication_",
    b"pg_sleep",
    b"pg_start_",
    b"pg_stat_reset",
    b"pg_stop_",
    b"pg_try_advisory_",
];

/// Sorted, for the binary search.
const NAMES: [&[u8]; 33] = [
    b"benchmark",
    b"get_lock",
    b"load_extension",
    b"lowrite",
    b"master_pos_wait",
    b"nextval",
    b"openquery",
    b"openrowset",
    b"pg_cancel_backend",
    b"pg_current_xact_id",
    b"pg_export_snapshot",
    b"pg_file_write",
    b"pg_log_backend_memory_contexts",
    b"pg_notify",
    b"pg_promote",
    b"pg_reload_conf",
    b"pg_rotate_logfile",
    b"pg_switch_wal",
    b"pg_terminate_backend",
    b"pg_wal_replay_pause",
    b"pg_wal_replay_resume",
    b"release_all_locks",
    b"release_lock",
    b"service_get_write_locks",
    b"set_config",
    b"setval",
    b"sleep",
    b"source_pos_wait",
    b"sys_exec",
    b"txid_current",
    b"wait_for_executed_gtid_set",
    b"wait_until_sql_thread_after_gtids",
    b"writefile",
];
