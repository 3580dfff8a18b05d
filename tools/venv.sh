#!/bin/sh
# Makes the virtual environment $1 and installs the package into it, editable, with what its tests need.
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
echo "setup: installing Python packages into $venv (the first time takes minutes: pyspark is large)"
log=$(mktemp)
# Python compiles what it imports, once; to compile all twenty thousand modules takes pip half a minute.
if ! "$venv/bin/python" -m pip install -q --disable-pip-version-check --no-compile -e '.[dev]' >"$log" 2>&1; then
    cat "$log" >&2
    echo "setup: pip could not install the packages; its words are above" >&2
    rm -f "$log"
    exit 1
fi
rm -f "$log"
