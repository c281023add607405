#!/usr/bin/env bash
# Runs the smallest case tests, on both servers, with the program for linux-arm64, emulated by qemu-user. The last line is the tests' count.
#
#   eng/test-arm64.sh [CASES]      (50)
#
# Needs what eng/publish.sh and eng/servers.sh need, and installs qemu-user. The libraries for arm64 are downloaded from Debian.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
# shellcheck source=sdk.sh
. eng/sdk.sh
# shellcheck source=need.sh
. eng/need.sh
# shellcheck source=apt.sh
. eng/apt.sh
exec </dev/null

if (($# > 1)) || [[ ! ${1:-50} =~ ^[1-9][0-9]*$ ]]; then
  sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" >&2
  exit 2
fi
die() { echo "test-arm64.sh: $*" >&2; exit 1; }

folder=$PWD/artifacts/arm64
libraries=$folder/root

# The C library, and OpenSSL for TLS and passwords.
get_libraries() {
  [[ -e $libraries/.complete ]] && return
  local work package suite
  suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-sid}")
  work=$(mktemp -d)
  rm -rf "$libraries"
  mkdir -p "$libraries"
  write_apt_configuration "$work" "$suite" arm64
  { own_apt_get "$work" update && own_apt_get "$work" --download-only install libc6 libssl3; } >"$work/log" 2>&1 || { cat "$work/log" >&2; die "cannot download the libraries for arm64"; }
  for package in "$work"/cache/archives/*.deb; do
    dpkg-deb -x "$package" "$libraries"
  done
  rm -rf "$work"
  touch "$libraries/.complete"
}

need_sdk
need qemu-aarch64 qemu-user
RUNTIME_ID=linux-arm64 eng/publish.sh "$folder/publish"
get_libraries
program=$folder/bulkload
printf '#!/bin/sh\nexec qemu-aarch64 -L %q %q "$@"\n' "$libraries" "$folder/publish/bulkload" >"$program"
chmod +x "$program"
"$program" --version

dotnet build tests/BulkLoad.IntegrationTests --nologo --verbosity quiet
ours=()
for server in mariadb mysql; do
  eng/servers.sh where "$server" >/dev/null 2>&1 || ours+=("$server")
done
stop_ours() { for server in "${ours[@]}"; do eng/servers.sh stop "$server"; done; }
trap stop_ours EXIT
assignments=$(eng/servers.sh start)
set -a
eval "$assignments"
set +a
report=$folder/report.xml
status=0
BULKLOAD_TEST_PROGRAM=$program BULKLOAD_TEST_CASES=${1:-50} \
  dotnet artifacts/bin/BulkLoad.IntegrationTests/debug/BulkLoad.IntegrationTests.dll -noColor -class '*CaseTests' -xml "$report" || status=$?
sed -n 's/.*<assembly [^>]*\bpassed="\([0-9]*\)"[^>]*\bfailed="\([0-9]*\)".*/\1 passed, \2 failed/p' "$report" | head -n 1
exit "$status"
