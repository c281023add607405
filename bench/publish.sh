#!/usr/bin/env bash
# Publishes bulkload as users get it: one file with its own runtime, compiled ahead and trimmed (src/BulkLoad.Cli.csproj says how).
#
#   bench/publish.sh [FOLDER]      (artifacts/publish/bulkload)
#
# RUNTIME_ID chooses another platform than this machine's.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

if (($# > 1)) || [[ ${1:-} == -* ]]; then usage; fi
folder=${1:-$root/artifacts/publish/bulkload}
case $(uname -m) in
  aarch64 | arm64) platform=linux-arm64 ;;
  *) platform=linux-x64 ;;
esac
run_dotnet publish "$root/src/BulkLoad.Cli" -c Release -r "${RUNTIME_ID:-$platform}" -o "$folder" --verbosity quiet --nologo
printf '%s: %s bytes\n' "$folder/bulkload" "$(stat -c %s "$folder/bulkload")"
