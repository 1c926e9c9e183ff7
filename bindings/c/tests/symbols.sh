#!/bin/sh
# What linkers see of an installed library: symbols.sh PREFIX. The functions of the header and nothing else, in either form of it,
# so that it collides with no other library and no program comes to rely on what may change.
set -eu
prefix=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

sh "$here/functions.sh" "$prefix/include/sqlthrottle.h" >"$work/header"

# are_the_functions FILE NM-OPTIONS: lines of nm that are no symbols are names of members, and end with a colon.
are_the_functions() {
    file=$prefix/lib/$1
    shift
    nm "$@" --defined-only --format=posix "$file" | grep -v ':$' | cut -d ' ' -f 1 | sort >"$work/seen"
    if ! diff "$work/header" "$work/seen"; then
        echo "$file: not the functions of the header, which are those at <" >&2
        exit 1
    fi
}
are_the_functions libsqlthrottle.so --dynamic
are_the_functions libsqlthrottle.a --extern-only
echo "symbols: $(wc -l <"$work/header") functions and nothing else, shared and static"
