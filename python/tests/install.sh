#!/bin/sh
# Installs the wheel, and the sdist, each into an empty environment, and uses what is there: python/tests/install.sh PYTHON DIST
set -eu
python=$1
dist=$2
# Of the sdist it is asked whether it is whole, and so it is built as quickly as can be, with what cargo has built for the tests.
CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}
MATURIN_PEP517_ARGS='--profile dev'
export CARGO_TARGET_DIR MATURIN_PEP517_ARGS
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

use='
import sqlthrottle
throttle = sqlthrottle.Throttle("default_threshold: 1")
assert throttle.check("select 1").allowed and not throttle.check("select 2").allowed
'
for package in "$dist"/*.whl "$dist"/*.tar.gz; do
    rm -rf "$work/venv"
    "$python" -m venv "$work/venv"
    "$work/venv/bin/python" -m pip install --quiet "$package"
    # From elsewhere: the sources are not to be in the way.
    (cd "$work" && venv/bin/python -W error -c "$use" && venv/bin/sqlthrottle --version && venv/bin/python -m sqlthrottle --version)
    echo "installed and used: $(basename "$package")"
done
