#!/usr/bin/env bash
# How long the published program takes to start and end: `bulkload --version`, 20 times after 3 that don't count.
#
#   bench/startup.sh [ARGUMENT...]     other arguments for bulkload than --version
#
# BULKLOAD_PROGRAM names a program to use instead of publishing one.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

take_turn
need hyperfine hyperfine
find_program
(($#)) || set -- --version
result=$(mktemp)
trap 'rm -f "$result"' EXIT
# Without a shell: its own start would be measured and subtracted.
hyperfine -N --warmup 3 --runs 20 --style none --export-csv "$result" "$(printf '%q ' "$program" "$@")" >&2
# command,mean,stddev,median,user,system,min,max; a comma in the command would only add fields before these.
awk -F, 'NR == 2 { printf "mean %.1f ms, median %.1f ms, min %.1f ms, max %.1f ms, CPU %.1f ms\n",
  1000 * $(NF - 6), 1000 * $(NF - 4), 1000 * $(NF - 1), 1000 * $NF, 1000 * ($(NF - 3) + $(NF - 2)) }' "$result"
