#!/usr/bin/env bash
# How long a check without keys takes, which reads and judges all and sends nothing: on all cores, and on one. Medians of interleaved runs
# of the whole program.
#
#   bench/reading.sh [--rows N] [--runs N] [--base PROGRAM]     (1,000,000 rows, 9 runs)
#
# --base names another program that is measured beside it. BULKLOAD_PROGRAM names a program to use instead of publishing one.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

rows=$default_rows runs=9 base=
while (($#)); do
  case $1 in
    --rows) rows=${2:?} ;;
    --runs) runs=${2:?} ;;
    --base) base=${2:?} ;;
    *) usage ;;
  esac
  shift 2
done

take_turn
find_program
make_data_set "$rows"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
start_servers mariadb
use_server mariadb
client --execute="DROP DATABASE IF EXISTS bulkload_reading"
make_table bulkload_reading
client bulkload_reading --execute="ALTER TABLE $table MODIFY id BIGINT NOT NULL, DROP PRIMARY KEY"

# timed_check NAME COMMAND...: adds "seconds CPU-seconds MiB" of a check by that program to the file of that name.
timed_check() {
  local file=$work/$1 start seconds
  shift
  start=$EPOCHREALTIME
  "$(type -P time)" -o "$work/time" -f '%U %S %M' "$@" check "$(data_file csv)" --table "$table" --no-defaults --ssl-mode=disabled \
    --get-server-public-key -h "$server_host" -P "$server_port" -u "$server_user" -D bulkload_reading >"$work/output" 2>&1 \
    || { cat "$work/output" >&2; die "failed: $*"; }
  seconds=$(seconds_since "$start")
  awk -v seconds="$seconds" '{ print seconds, $1 + $2, $3 / 1024 }' "$work/time" >>"$file"
}

# tell NAME WHAT
tell() {
  local seconds low high
  read -r seconds low high < <(awk '{ print $1 }' "$work/$1" | median)
  printf '%-24s %.3f s (%.3f to %.3f), CPU %.3f s, %.0f MiB\n' "$2" "$seconds" "$low" "$high" "$(column "$1" 2)" "$(column "$1" 3)"
}

for ((run = 0; run < runs; run++)); do
  [[ -z $base ]] || timed_check base "$base"
  timed_check all "$program"
  timed_check one taskset -c 0 "$program"
done
[[ -z $base ]] || tell base 'the other program'
tell all "$(nproc) cores"
tell one 'one core'
awk -v all="$(column all 1)" -v one="$(column one 1)" 'BEGIN { printf "%.2f times as fast\n", one / all }'
client --execute='DROP DATABASE bulkload_reading'
