#!/bin/sh
# Makes the virtual environment $1 and installs PySpark into it, if that is $2, or the package, editable, with what its tests need.
set -eu
cd "$(dirname "$0")/.."
. tools/find.sh
venv=$1
python=$(find_python)
[ -n "$python" ] || { echo "setup: Python 3.11 or newer is needed; found: $(python3 --version 2>/dev/null)" >&2; exit 1; }
if [ -x "$venv/bin/python" ] && ! "$venv/bin/python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    rm -rf "$venv"
fi
[ -x "$venv/bin/python" ] || { echo "setup: making $venv with $python"; "$python" -m venv "$venv"; }
if [ "${2:-}" = pyspark ]; then
    set -- "$(sed -n 's/^ *"\(pyspark==[^"]*\)".*/\1/p' pyproject.toml)"
    echo "setup: installing $1 into $venv (the first time takes minutes: it is large)"
else
    set -- -e '.[dev]'
    echo "setup: installing Python packages into $venv"
fi
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
# PySpark comes as its source. pip makes a wheel of it and unpacks that at once: to compress all jars between takes it as long as
# all else.
printf '[bdist_wheel]\ncompression = stored\n' >"$made/wheels.cfg"
export DIST_EXTRA_CONFIG="$made/wheels.cfg"
# Python compiles what it imports, once; to compile all twenty thousand modules takes pip half a minute.
if ! "$venv/bin/python" -m pip install -q --disable-pip-version-check --no-compile "$@" >"$made/log" 2>&1; then
    cat "$made/log" >&2
    echo "setup: pip could not install the packages; its words are above" >&2
    exit 1
fi
