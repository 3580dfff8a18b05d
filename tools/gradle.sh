#!/bin/sh
# Runs Gradle on a JDK it can run on, silent unless something fails.
set -eu
cd "$(dirname "$0")/.."
. tools/find.sh
JAVA_HOME=$(find_jdk)
export JAVA_HOME
[ -n "$JAVA_HOME" ] || { echo "no JDK 17 to 21 for Gradle: run make setup" >&2; exit 1; }
command -v gradle >/dev/null 2>&1 || { echo "no Gradle: run make setup" >&2; exit 1; }
# Java's quick compiler runs Gradle and javac: they end before the code of the better one has paid for its making.
quick="-Xmx1g -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m"
# Its standard error is shown only if it fails: Debian's Gradle 4.4 begins with Java's version and warnings about closed modules.
errors=$(mktemp)
trap 'rm -f "$errors"' EXIT
gradle -q --console=plain "-Dorg.gradle.jvmargs=$quick" "$@" 2>"$errors" || { cat "$errors" >&2; exit 1; }
