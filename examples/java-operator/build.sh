#!/bin/sh
# Compiles the operators against the engine's jar and nothing else, tests it, and packs it into build/changes.jar.
set -eu
cd "$(dirname "$0")"
ENGINE=$(despina jar)
rm -rf build
mkdir -p build/classes build/tests
javac --release 17 -Xlint:all,-path -Werror -cp "$ENGINE" -d build/classes $(find src/main -name '*.java')
javac --release 17 -Xlint:all,-path -Werror -cp "build/classes:$ENGINE" -d build/tests $(find src/test -name '*.java')
java -cp "build/tests:build/classes:$ENGINE" com.acme.ChangesTest
jar --create --file build/changes.jar -C build/classes .
