#!/usr/bin/env bash
# Publishes bulkload as users get it: one file with its own runtime, compiled ahead and trimmed (src/BulkLoad.Cli.csproj says how).
#
#   bench/publish.sh [FOLDER]      (artifacts/publish/bulkload)
#
# RUNTIME_ID chooses another platform than linux-x64.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

if (($# > 1)) || [[ ${1:-} == -* ]]; then usage; fi
folder=${1:-$root/artifacts/publish/bulkload}
run_dotnet publish "$root/src/BulkLoad.Cli" -c Release -r "${RUNTIME_ID:-linux-x64}" -o "$folder" --verbosity quiet --nologo
printf '%s: %s bytes\n' "$folder/bulkload" "$(stat -c %s "$folder/bulkload")"
