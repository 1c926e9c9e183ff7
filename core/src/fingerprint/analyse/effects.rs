//! Functions that do more than compute, so that a SELECT calling them is no plain read.

/// Whether calling the function changes something, takes a lock or waits. `name` is in lower case; `qualifier` is what stands
/// before its dot.
///
/// Functions that users define may do anything, and are taken for harmless: nothing in the text tells them apart. Waiting
/// (`pg_sleep`, `sleep`, `benchmark`) counts, because it is all such a statement is there for; and so does running a text
/// that is handed over (`query_to_xml`, `ts_stat`, `crosstab`), because nobody has read that.
pub(super) fn has_effect(qualifier: &[u8], name: &[u8]) -> bool {
    NAMES.binary_search(&name).is_ok()
        || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        // Oracle's supplied packages: dbms_lock.request, utl_file.put_line.
        || qualifier.starts_with(b"dbms_")
        || qualifier.starts_with(b"utl_")
        // U&"\006eextval": a name that is not written as it reads could be any.
        || name.contains(&b'\\')
}

/// Whether the function changes something only where it is given an argument: MySQL's `last_insert_id(5)`.
pub(super) fn has_effect_by_argument(name: &[u8]) -> bool {
    name == b"last_insert_id"
}

const PREFIXES: [&[u8]; 26] = [
    b"asynchronous_connection_failover_",
    b"audit_log_",
    b"autoprewarm_",
    b"crosstab",
    b"dblink",
    b"group_replication_",
    b"keyring_key_",
    b"lo_",
    b"mysql_firewall_",
    b"pg_advisory_",
    b"pg_backup_",
    b"pg_clear_",
    b"pg_copy_",
    b"pg_create_",
    b"pg_drop_",
    b"pg_file_",
    b"pg_logical_",
    b"pg_replication_",
    b"pg_restore_",
    b"pg_sleep",
    b"pg_start_",
    b"pg_stat_reset",
    b"pg_stat_statements_reset",
    b"pg_stop_",
    b"pg_try_advisory_",
    b"version_tokens_",
];

/// Sorted, for the binary search.
const NAMES: [&[u8]; 62] = [
    b"benchmark",
    b"brin_desummarize_range",
    b"brin_summarize_new_values",
    b"brin_summarize_range",
    b"connectby",
    b"cursor_to_xml",
    b"cursor_to_xmlschema",
    b"edit",
    b"get_lock",
    b"gin_clean_pending_list",
    b"load_extension",
    b"loread",
    b"lowrite",
    b"master_pos_wait",
    b"nextval",
    b"opendatasource",
    b"openquery",
    b"openrowset",
    b"pg_cancel_backend",
    b"pg_current_xact_id",
    b"pg_export_snapshot",
    b"pg_extension_config_dump",
    b"pg_import_system_collations",
    b"pg_log_backend_memory_contexts",
    b"pg_log_standby_snapshot",
    b"pg_notify",
    b"pg_prewarm",
    b"pg_promote",
    b"pg_reload_conf",
    b"pg_rotate_logfile",
    b"pg_switch_wal",
    b"pg_switch_xlog",
    b"pg_sync_replication_slots",
    b"pg_terminate_backend",
    b"pg_truncate_visibility_map",
    b"pg_wal_replay_pause",
    b"pg_wal_replay_resume",
    b"pg_wal_replay_wait",
    b"query_to_xml",
    b"query_to_xml_and_xmlschema",
    b"query_to_xmlschema",
    b"release_all_locks",
    b"release_lock",
    b"service_get_read_locks",
    b"service_get_write_locks",
    b"service_release_locks",
    b"set_config",
    b"set_firewall_mode",
    b"set_limit",
    b"setseed",
    b"setval",
    b"sleep",
    b"source_pos_wait",
    b"sys_eval",
    b"sys_exec",
    b"sys_set",
    b"ts_stat",
    b"txid_current",
    b"wait_for_executed_gtid_set",
    b"wait_until_sql_thread_after_gtids",
    b"writefile",
    b"xpath_table",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_none_is_there_twice() {
        assert!(NAMES.is_sorted_by(|a, b| a < b));
        assert!(PREFIXES.is_sorted_by(|a, b| a < b));
        assert!(!NAMES.iter().any(|name| PREFIXES.iter().any(|prefix| name.starts_with(prefix))));
    }
}
