#!/bin/sh
# Prints the functions that a header declares, sorted: functions.sh HEADER. A declaration begins a line, and no comment does.
set -eu
sed -n 's/^[a-z][a-z_0-9 *]*[ *]\(sqlthrottle_[a-z_0-9]*\)(.*/\1/p' "$1" | sort
