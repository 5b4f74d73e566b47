#!/bin/sh
# Java (for Spark), Chromium (for the web pages), Pango (for PDF) and a PostgreSQL server: used when there, installed when we
# may, else done without.
# The tests that need what is missing are skipped and say so. Never fails.

wanted=""
command -v java >/dev/null || [ -x "${JAVA_HOME:-/nowhere}/bin/java" ] || wanted="$wanted openjdk-17-jre-headless"
command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null ||
    wanted="$wanted chromium"
PATH="$PATH:/sbin:/usr/sbin" ldconfig -p 2>/dev/null | grep -q libpangoft2 ||
    wanted="$wanted libpangoft2-1.0-0 libharfbuzz-subset0"
command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || wanted="$wanted postgresql"
[ -n "$wanted" ] || exit 0

if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "not installed, so some tests will be skipped:$wanted" >&2
    exit 0
fi

log=$(mktemp)
export DEBIAN_FRONTEND=noninteractive
apt-get -qq update >"$log" 2>&1
for package in $wanted; do
    echo "apt-get install $package"
    apt-get -qq install --yes --no-install-recommends "$package" >>"$log" 2>&1 || {
        tail -n 3 "$log" >&2
        echo "could not install $package: the tests that need it will be skipped" >&2
    }
done
rm -f "$log"
