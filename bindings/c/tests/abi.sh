#!/bin/sh
# The binary interface: abi.sh check|write HEADER BASELINE. What a compiled program relies on: the functions with their parameters, and
# every type of the header down to the last field and enumerator.
#
# Read from the header by a compiler and not from the library: a release has no types in it, and what Rust's debug information says of them
# changes with the compiler. That the library has the functions of the header is what symbols.sh checks.
set -eu
action=$1
header=$2
baseline=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Every declaration is made a definition, and what defines them all a library. In C++, where the parameters are of the enumerations;
# by GCC, which describes types too that no function uses.
mkdir "$work/include"
cp "$header" "$work/include/sqlthrottle.h"
sed '/^ \*/!s/);$/) { __builtin_trap(); }/' "$header" >"$work/functions.cpp"
g++ -std=c++17 -g -O0 -fno-eliminate-unused-debug-types -fPIC -shared -o "$work/libsqlthrottle.so" "$work/functions.cpp"
abidw --load-all-types --no-corpus-path --no-comp-dir-path --no-show-locs --type-id-style hash \
    --out-file "$work/interface.abi" "$work/libsqlthrottle.so"

if [ "$action" = write ]; then
    mkdir -p "$(dirname "$baseline")"
    cp "$work/interface.abi" "$baseline"
    exit
fi

# Any difference is one to think about, and so is one that breaks nothing: what was added today must be missed tomorrow.
if ! abidiff --non-reachable-types --harmless --no-architecture "$baseline" "$work/interface.abi"; then
    echo "abi: the interface is no longer that of $(basename "$baseline"); bindings/c/c.mk says what to do" >&2
    exit 1
fi
echo "abi: as in $(basename "$baseline")"
