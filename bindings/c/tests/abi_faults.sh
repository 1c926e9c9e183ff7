#!/bin/sh
# What the check of the binary interface is for: abi_faults.sh HEADER BASELINE. Breaks the header in known ways, and expects of each that
# abi.sh sees it.
set -eu
header=$1
baseline=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# caught FAULT SED-SCRIPT
caught() {
    sed "$2" "$header" >"$work/faulty.h"
    if cmp -s "$header" "$work/faulty.h"; then
        echo "abi faults: $1: the header has not what it would change" >&2
        exit 1
    fi
    if sh "$here/abi.sh" check "$work/faulty.h" "$baseline" >"$work/said" 2>&1; then
        echo "abi faults: $1: NOT caught" >&2
        exit 1
    fi
    # A header that does not compile is no fault of this kind.
    if ! grep -q 'the interface is no longer' "$work/said"; then
        cat "$work/said" >&2
        exit 1
    fi
    faults=$((faults + 1))
}
faults=0
caught "a field of another type" 's/^  uint32_t max_count;/  uint64_t max_count;/'
caught "a field of another sign" 's/^  uint64_t retry_after_ns;/  int64_t retry_after_ns;/'
caught "fields in another order" 's/^  uint64_t ticket;/  uint64_t swapped;/; s/^  uint64_t permit;/  uint64_t ticket;/; s/swapped;/permit;/'
caught "a field taken away" '/^  uint64_t delay_ns;/d'
caught "a field added" 's/^  char custom\[.*/&  uint64_t added;/'
caught "an enumerator of another value" 's/SQLTHROTTLE_DIALECT_SQLITE = 4,/SQLTHROTTLE_DIALECT_SQLITE = 14,/'
caught "an enumerator taken away" '/SQLTHROTTLE_DIALECT_ORACLE = 6,/d'
caught "a shorter array" 's/^\(#define SQLTHROTTLE_RULE_NAME_SIZE\) .*/\1 128/'
caught "a parameter of another type" 's/^void sqlthrottle_string_free(char/void sqlthrottle_string_free(const char/'
caught "a function taken away" '/^void sqlthrottle_prepared_free(/d'
caught "a function added" 's/^void sqlthrottle_prepared_free(.*/& void sqlthrottle_added(void);/'
echo "abi faults: $faults caught"
