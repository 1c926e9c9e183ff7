#!/bin/sh
# Two static libraries that are written in Rust in one program: two_archives.sh PREFIX. All of both is linked, so that whatever they have
# twice is seen, in whichever order they are given.
set -eu
prefix=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

PKG_CONFIG_LIBDIR=$prefix/lib/pkgconfig
export PKG_CONFIG_LIBDIR
libs=$(pkg-config --static --libs-only-l sqlthrottle | sed 's/-lsqlthrottle//')
ours=$prefix/lib/libsqlthrottle.a
other=$work/libother.a

"${RUSTC:-rustc}" --edition 2024 --crate-type staticlib -C opt-level=1 -o "$other" "$here/two_archives/other.rs"

# linked FIRST SECOND
linked() {
    # shellcheck disable=SC2086 # Several libraries.
    "${CC:-cc}" -std=c99 -Wall -Wextra -Wpedantic -Werror -I"$prefix/include" -o "$work/program" "$here/two_archives/program.c" \
        -Wl,--whole-archive "$1" "$2" -Wl,--no-whole-archive $libs
    "$work/program" 2>/dev/null
}
linked "$ours" "$other"
linked "$other" "$ours"
echo "two archives: no symbol twice"
