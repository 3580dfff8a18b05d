#!/bin/sh
# Makes build/despina-lines.jar against the engine's jar alone.
set -e
cd "$(dirname "$0")"
rm -rf build
mkdir -p build/classes/META-INF/services
javac -Xlint:all -Werror --release 17 -cp "$(despina jar)" -d build/classes src/com/acme/*.java
echo com.acme.LinesConnector > build/classes/META-INF/services/io.despina.connect.Connector
jar --create --file build/despina-lines.jar -C build/classes .
