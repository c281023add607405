#!/usr/bin/env bash
# Publishes bulkload as users get it: one file that needs no runtime.
#
#   eng/publish.sh [FOLDER]      (artifacts/publish/bulkload)
#
# RUNTIME_ID chooses another platform than this machine's. linux-x64 and linux-arm64 are compiled to native code, linux-arm64 on
# x64 by Debian's cross compiler; linux-musl-x64, osx-arm64, osx-x64 and win-x64 contain the runtime, trimmed.
# What the linker needs is installed by apt-get where it is missing.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
# shellcheck source=sdk.sh
. eng/sdk.sh
# shellcheck source=need.sh
. eng/need.sh
# shellcheck source=compiler.sh
. eng/compiler.sh

if (($# > 1)) || [[ ${1:-} == -* ]]; then
  sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" >&2
  exit 2
fi
platform=${RUNTIME_ID:-$own_platform}
folder=$(realpath -m -- "${1:-artifacts/publish/bulkload}")

need_sdk
find_compiler "$platform"
rm -rf "$folder"
# The code is analyzed where all of it is built. ContinuousIntegrationBuild: no path of this machine comes into the program.
dotnet publish src/BulkLoad.Cli -c Release -r "$platform" -o "$folder" --verbosity quiet --nologo -p:RunAnalyzers=false \
  -p:ContinuousIntegrationBuild=true "${compiler[@]}"
program=$folder/bulkload
[[ -e $program ]] || program=$program.exe
printf '%s: %s bytes\n' "$program" "$(stat -c %s "$program")"
