# Sourced by the scripts here: where Python and the JDK are. Prints a path, or nothing.

# The first Python >= 3.11: $PYTHON, then python3.11 … python3.14, then python3.
find_python() {
    for candidate in ${PYTHON:-} python3.11 python3.12 python3.13 python3.14 python3; do
        path=$(command -v "$candidate" 2>/dev/null) || continue
        if "$path" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
            echo "$path"
            return
        fi
    done
}

# The major version of the JDK in folder $1, or 0 where there is no compiler.
jdk_version() {
    [ -x "$1/bin/javac" ] || { echo 0; return; }
    version=$("$1/bin/javac" -version 2>&1 | sed -n 's/^javac \([0-9]*\).*/\1/p')
    echo "${version:-0}"
}

# A JDK that compiles for us and that Debian's Gradle 4.4 runs on: the folder of the oldest one that is 17 to 21.
# Another Gradle is known by GRADLE_JDK=folder.
find_jdk() {
    if [ -n "${GRADLE_JDK:-}" ]; then
        echo "$GRADLE_JDK"
        return
    fi
    javac=$(command -v javac 2>/dev/null || true)
    for home in "${JAVA_HOME:-/none}" /usr/lib/jvm/java-17-openjdk-* /usr/lib/jvm/*17* \
            ${javac:+"$(dirname "$(dirname "$(readlink -f "$javac")")")"} /usr/lib/jvm/*; do
        version=$(jdk_version "$home")
        if [ "$version" -ge 17 ] && [ "$version" -le 21 ]; then
            echo "$home"
            return
        fi
    done
}
