#!/bin/sh
# The header alone: header.sh HEADER. It compiles by itself and without a warning in every language it is for, and leaves out no
# function of the sources. That it is what would be written anew is checked by `xtask header --check`.
set -eu
header=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Included twice, as it is by way of other headers.
printf '#include "%s"\n#include "%s"\n' "$header" "$header" >"$work/alone.c"
compiles() {
    "$@" -Wall -Wextra -Wpedantic -Wundef -Werror -fsyntax-only "$work/alone.c"
}
for standard in c99 c11 c17; do
    compiles "${CC:-cc}" -std=$standard -Wstrict-prototypes
done
for standard in c++11 c++17 c++20; do
    compiles "${CXX:-c++}" -x c++ -std=$standard
done

grep -rhoE 'pub (unsafe )?extern "C" fn [a-z_0-9]+' "$here/../src" | sed 's/.* //' | sort >"$work/sources"
sh "$here/functions.sh" "$header" >"$work/header"
if ! diff "$work/sources" "$work/header"; then
    echo "the sources export the functions at <, the header declares those at >" >&2
    exit 1
fi
echo "header: $(wc -l <"$work/header") functions, as in the sources"
