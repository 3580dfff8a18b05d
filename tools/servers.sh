#!/bin/sh
# Installs the servers that tests of connectors start, brokers and databases of Debian, and the browser for the service's page, as
# root there. Each test starts its own on a
# free port of loopback, and skips, in words, where its server is not installed. Nothing else needs them.
set -eu

missing=""
command -v mosquitto >/dev/null 2>&1 || [ -x /usr/sbin/mosquitto ] || missing="$missing mosquitto"
ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || missing="$missing postgresql"
command -v nats-server >/dev/null 2>&1 || [ -x /usr/sbin/nats-server ] || missing="$missing nats-server"
command -v redis-server >/dev/null 2>&1 || missing="$missing redis-server"
command -v influxd >/dev/null 2>&1 || missing="$missing influxdb"
command -v chromium >/dev/null 2>&1 || command -v google-chrome >/dev/null 2>&1 || missing="$missing chromium"
[ -n "$missing" ] || exit 0

if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
    echo "servers: missing$missing. Their tests are skipped; Debian, Ubuntu: apt install$missing" >&2
    exit 0
fi
echo "servers: installing$missing (apt)"
log=$(mktemp)
# lists that setup has fetched need not be fetched again
find /var/lib/apt/lists -name '*_Packages*' -mmin -60 2>/dev/null | grep -q . || apt-get update >"$log" 2>&1 || true
# no cluster of its own, which would run
if [ "${missing#*postgresql}" != "$missing" ] && [ ! -e /etc/postgresql-common/createcluster.conf ]; then
    mkdir -p /etc/postgresql-common
    echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.conf
fi
if ! DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        -o Dpkg::Options::=--force-confold $missing >>"$log" 2>&1; then
    tail -n 10 "$log" >&2
    echo "servers: apt could not install$missing; their tests are skipped" >&2
fi
