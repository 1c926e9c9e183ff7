#!/bin/sh
# How the library is installed: install.sh BUILT, the directory that cargo has built it in. For a package, into a place of another
# system's naming, over an older version, by a user whose files nobody else may read, and where something is missing.
set -eu
built=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "install: $1" >&2
    exit 1
}
install_c() {
    cargo run --quiet --locked --package xtask -- install-c --built "$built" "$@"
}
asked() {
    PKG_CONFIG_LIBDIR=$1/pkgconfig pkg-config "$2" sqlthrottle | sed 's/ *$//'
}
# is WHAT EXPECTED FOUND
is() {
    [ "$2" = "$3" ] || fail "$1: $3, not $2"
}

# For a package: all is in front of the place it is for, and says that place.
multiarch=$("${CC:-cc}" -print-multiarch)
libdir=/usr/lib${multiarch:+/$multiarch}
(umask 077 && install_c --prefix /usr --libdir "$libdir" --destdir "$work/package")
cd "$work/package"
version=$(asked ".$libdir" --modversion)
find . ! -type d | sort >"$work/found"
sort >"$work/expected" <<END
./usr/include/sqlthrottle.h
.$libdir/cmake/sqlthrottle/sqlthrottle-config-version.cmake
.$libdir/cmake/sqlthrottle/sqlthrottle-config.cmake
.$libdir/libsqlthrottle.a
.$libdir/libsqlthrottle.so
.$libdir/libsqlthrottle.so.0
.$libdir/libsqlthrottle.so.$version
.$libdir/pkgconfig/sqlthrottle.pc
END
diff "$work/expected" "$work/found" || fail "of the files, those at < were expected and those at > are there"
is "the prefix of a package" /usr "$(asked ".$libdir" --variable=prefix)"
is "the libraries of a package" "$libdir" "$(asked ".$libdir" --variable=libdir)"
grep -rlF "$work" . | grep . && fail "the files above name the place in front of their own"
is "files that others may not read" "" "$(find . -type f ! -perm -a=r)"
cd "$here/../../.."

# Into a place of another naming, some of it outside the prefix, all of it with a space: a consumer finds what it needs.
place="$work/another place"
install_c --prefix "$place/opt" --libdir "lib${multiarch:+/$multiarch}" --includedir "$place/headers"
sh "$here/consumer.sh" "$place/opt"

# Over an older version, which stays for who has it open; its links are taken over.
old=$work/old
mkdir -p "$old/lib"
echo old >"$old/lib/libsqlthrottle.so.0.0.9"
echo older >"$old/lib/libsqlthrottle.so.$version"
ln -s libsqlthrottle.so.0.0.9 "$old/lib/libsqlthrottle.so.0"
ln -s libsqlthrottle.so.0 "$old/lib/libsqlthrottle.so"
echo interrupted >"$old/lib/libsqlthrottle.a.new"
exec 3<"$old/lib/libsqlthrottle.so.$version"
install_c --prefix "$old"
is "the library that a program has open" older "$(cat <&3)"
is "the link that programs follow" "libsqlthrottle.so.$version" "$(readlink "$old/lib/libsqlthrottle.so.0")"
is "the link that linkers follow" libsqlthrottle.so.0 "$(readlink "$old/lib/libsqlthrottle.so")"
is "the older library" old "$(cat "$old/lib/libsqlthrottle.so.0.0.9")"
is "what is left behind" "" "$(find "$old" -name '*.new')"

# Removed again, nothing is left of it but what others have put there.
echo mine >"$old/lib/libother.a"
make --silent uninstall-c PREFIX="$old" LIBDIR=lib INCLUDEDIR=include DESTDIR=
is "what is left of it" "$old/lib/libother.a" "$(find "$old" ! -type d)"

# From a place where nothing was built: an error, and nothing is installed.
built=$work/nothing
if install_c --prefix "$work/none" 2>"$work/said"; then fail "has installed what was never built"; fi
grep -q 'libsqlthrottle_c' "$work/said" || fail "does not say what is missing: $(cat "$work/said")"
is "what is installed of nothing" "" "$(find "$work/none" -type f 2>/dev/null)"
echo "install: packages, other places, older versions, and what is missing"
