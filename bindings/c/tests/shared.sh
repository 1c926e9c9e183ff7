#!/bin/sh
# How the shared library of an installation loads: shared.sh PREFIX. By the name that its links have, with no other libraries than the
# system's, and with nothing that hardened systems refuse. Prints its size and the oldest glibc that it runs with.
set -eu
library=$1/lib/libsqlthrottle.so
most_bytes=6000000
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "$library: $1" >&2
    exit 1
}

readelf --wide --dynamic "$library" >"$work/dynamic"
entries() {
    sed -n "s/.*($1).*\[\(.*\)\]$/\1/p" "$work/dynamic"
}

# Programs look for the name, and find the library where that is one of its links.
soname=$(entries SONAME)
[ -n "$soname" ] || fail "has no SONAME"
[ "$(readlink "$library")" = "$soname" ] || fail "is called $soname, and the link for linkers is to $(readlink "$library")"
[ -e "$1/lib/$soname" ] || fail "is called $soname, and nothing is there of that name"

for needed in $(entries NEEDED); do
    case $needed in
    libc.so.6 | libm.so.6 | libgcc_s.so.1 | ld-linux*.so.*) ;;
    *) fail "needs $needed" ;;
    esac
done

# The last error of a thread is dropped when the thread ends, which may be after dlclose().
grep -q 'NODELETE' "$work/dynamic" || fail "can be unloaded"
if grep -q 'TEXTREL' "$work/dynamic"; then fail "is changed where its code is when it is loaded"; fi
readelf --wide --program-headers "$library" >"$work/segments"
grep -q 'GNU_RELRO' "$work/segments" || fail "leaves its tables of addresses writable"
grep 'GNU_STACK' "$work/segments" | grep -q ' RW ' || fail "asks for a stack that code can run on"
if grep 'LOAD' "$work/segments" | grep -q 'RWE'; then fail "has memory that is both written and run"; fi

strip -o "$work/stripped" "$library"
bytes=$(wc -c <"$work/stripped")
[ "$bytes" -lt "$most_bytes" ] || fail "is of $bytes bytes when stripped, and may be of less than $most_bytes"

glibc=$(readelf --wide --version-info "$library" | grep -o 'GLIBC_[0-9.]*' | sort -u -t _ -k 2 -V | tail -n 1)
echo "shared: $soname, $bytes bytes when stripped, glibc ${glibc#GLIBC_} or later"
