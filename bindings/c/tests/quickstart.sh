#!/bin/sh
# The program of docs/c.md, built against an installation as that says, prints what that says: quickstart.sh PREFIX.
set -eu
prefix=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

PKG_CONFIG_PATH=$prefix/lib/pkgconfig
export PKG_CONFIG_PATH
cp "$here/../examples/quickstart/"* "$work"
sed -n '/^\$ \.\/main$/,/^```$/p' "$here/../../../docs/c.md" | sed '1d; $d' >"$work/expected"
[ -s "$work/expected" ] || { echo "docs/c.md does not say what the program prints" >&2; exit 1; }

cd "$work"
# shellcheck disable=SC2046 # Several options.
"${CC:-cc}" -std=c99 -Wall -Wextra -Wpedantic -Werror main.c -o main $(pkg-config --cflags --libs sqlthrottle) -Wl,-rpath,"$prefix/lib"
./main >said
diff expected said || { echo "the program of docs/c.md was to print what is at <, and printed what is at >" >&2; exit 1; }
echo "quickstart: as docs/c.md says"
