#!/bin/sh
# Prints the homes of the JDKs to test with, a line each: the oldest that the tests run on, from 17 up, and the newest.
set -eu
for release in /usr/lib/jvm/*/release; do
    home=$(dirname "$release")
    version=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$release")
    if [ -x "$home/bin/javac" ] && [ "${version:-0}" -ge 17 ]; then
        echo "$version $home"
    fi
done | sort -n -u -k 1,1 | sed -n '1p;$p' | sort -u | cut -d ' ' -f 2
