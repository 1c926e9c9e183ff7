#!/bin/sh
# A program of somebody else's, built against an installation and run: consumer.sh PREFIX. In C99 and in C++17, linked with the shared
# library and with the static one, by pkg-config and by CMake.
set -eu
prefix=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The program moves away from the repository, so that it finds nothing there.
cp -R "$here/consumer/." "$work"
cp "$work/consumer.c" "$work/consumer.cpp"
cd "$work"

# pkg-config has the paths that were installed to, and looks nowhere else.
PKG_CONFIG_LIBDIR=$(dirname "$(find "$prefix" -name sqlthrottle.pc)")
export PKG_CONFIG_LIBDIR
lib=$(dirname "$PKG_CONFIG_LIBDIR")
version=$(pkg-config --modversion sqlthrottle)

# build PROGRAM PKG-CONFIG-OPTIONS: in both languages. What pkg-config says is for a shell to read, with its quotes.
build() {
    program=$1
    shift
    flags="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -DEXPECTED_VERSION='\"$version\"'"
    linked=$(pkg-config "$@" --cflags --libs sqlthrottle)
    eval "${CC:-cc} -std=c99 -Wstrict-prototypes $flags -o $program-c consumer.c $linked"
    eval "${CXX:-c++} -std=c++17 $flags -o $program-cpp consumer.cpp $linked"
}

# loads PROGRAM: whether it looks for the shared library when it starts.
loads() {
    readelf --dynamic "$1" | grep -q 'NEEDED.*libsqlthrottle'
}

build shared
for program in shared-c shared-cpp; do
    loads ./$program
    LD_LIBRARY_PATH=$lib ./$program
done

# Where both are, linkers take the shared library: a place with the static one alone is what --static is for.
mkdir alone
cp "$lib/libsqlthrottle.a" alone
build static --static --define-variable=libdir="$work/alone"
for program in static-c static-cpp; do
    if loads ./$program; then
        echo "$program: was to be linked with the static library" >&2
        exit 1
    fi
    ./$program
done

# All that the static library needs is said: nothing comes from what a C compiler links by itself.
eval "${CC:-cc} -std=c99 $flags -nodefaultlibs -o said consumer.c $linked"
./said

# A package for CMake goes where its prefix goes, whatever that is called.
cp -R "$prefix" "$work/another place"
cmake -S . -B built -DCMAKE_PREFIX_PATH="$work/another place" -DEXPECTED_VERSION="$version" >cmake.log || { cat cmake.log; exit 1; }
cmake --build built >cmake.log || { cat cmake.log; exit 1; }
for program in built/shared-* built/static-*; do
    "$program"
done
loads built/shared-c
if loads built/static-c; then
    echo "sqlthrottle::static: is linked with the shared library" >&2
    exit 1
fi
echo "consumer: C99 and C++17, shared and static, by pkg-config and CMake: $version in $prefix"
