#!/bin/sh
# What the JVM sees of the native library: symbols.sh SOURCES JAR. The native methods that the Java sources declare and nothing else, so
# that none is missed until it is called, and the library collides with no other.
set -eu
sources=$1
jar=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

package=com/jd/sword/sqlthrottle
for file in "$sources/$package"/Native*.java; do
    class=$(basename "$file" .java)
    sed -n "s/^ *\(private \)\{0,1\}\(static \)\{0,1\}native [a-z]*\(\[\]\)\{0,1\} \([A-Za-z]*\)(.*/Java_com_jd_sword_sqlthrottle_${class}_\4/p" "$file"
done | sort >"$work/declared"

(cd "$work" && unzip -q "$jar" 'META-INF/native/*')
for library in "$work"/META-INF/native/linux-*/*.so; do
    nm --dynamic --defined-only --format=posix "$library" | cut -d ' ' -f 1 | sort >"$work/seen"
    if ! diff "$work/declared" "$work/seen"; then
        echo "$library: not the native methods of the sources, which are those at <" >&2
        exit 1
    fi
done
echo "symbols: $(wc -l <"$work/declared") native methods and nothing else"
