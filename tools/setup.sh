#!/bin/sh
# Makes sure that the system has what `make setup` cannot get from PyPI or Maven Central: a JDK 17 to 21 (on which Debian's
# Gradle runs), Gradle, and a Python >= 3.11 that can make a virtual environment; of these the Python alone, if that is $1. As root
# on Debian it installs them; otherwise it says what to install.
set -eu
cd "$(dirname "$0")/.."
. tools/find.sh

missing=""
if [ "${1:-}" != python ]; then
    [ -n "$(find_jdk)" ] || missing="$missing openjdk-17-jdk-headless"
    command -v gradle >/dev/null 2>&1 || missing="$missing gradle"
fi
python=$(find_python)
if [ -z "$python" ]; then
    missing="$missing python3 python3-venv"
elif [ ! -x .venv/bin/python ] && ! "$python" -c 'import ensurepip, venv' >/dev/null 2>&1; then
    missing="$missing python3-venv"
fi
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "setup: installing$missing (apt)"
    log=$(mktemp)
    if ! { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing; } \
            >"$log" 2>&1; then
        tail -n 30 "$log" >&2
        echo "setup: apt could not install$missing; its last words are above, all of them in $log" >&2
        exit 1
    fi
    rm -f "$log"
    if [ -z "$(find_python)" ]; then
        echo "setup: no Python >= 3.11 here even after apt (found: $(python3 --version 2>/dev/null)); install Python 3.11 or newer" >&2
        exit 1
    fi
    exit 0
fi

{
    echo "setup: missing:"
    for package in $missing; do
        case $package in
            *jdk*) echo "  a JDK, 17 to 21, for Gradle        Debian, Ubuntu: apt install openjdk-17-jdk-headless"
                   echo "                                     (GRADLE_JDK=folder names another, for a Gradle that runs on it)" ;;
            gradle) echo "  Gradle                             Debian, Ubuntu: apt install gradle" ;;
            python3) echo "  Python, version 3.11 or newer      found: $(python3 --version 2>/dev/null || echo none)" ;;
            python3-venv) echo "  Python's venv module               Debian, Ubuntu: apt install python3-venv" ;;
        esac
    done
    echo "Install these (or run make as root on Debian, which does it), then run make again."
} >&2
exit 1
