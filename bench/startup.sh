#!/usr/bin/env bash
# How long the published program takes from start to end: `bulkload --version`, and an import of ten rows, ledger and all,
# beside the server's own client doing LOAD DATA LOCAL INFILE of the same rows. By TCP without TLS; medians of interleaved runs.
#
#   bench/startup.sh [--runs N] [--server mariadb|mysql|all]     (21 runs, all)
#
# BULKLOAD_PROGRAM names a program to use instead of publishing one.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

runs=21 servers=all
while (($#)); do
  case $1 in
    --runs) runs=${2:?} ;;
    --server) servers=${2:?} ;;
    *) usage ;;
  esac
  shift 2
done
names=$(names_of "$servers")
TIMEFORMAT='%R %U %S'

take_turn
find_program
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# timed_into NAME COMMAND...: adds "seconds CPU-seconds" to the file of that name; a command that fails ends the script.
timed_into() {
  local file=$work/$1
  shift
  { time "$@" >"$work/output" 2>&1 || touch "$work/failed"; } 2>"$work/time"
  [[ ! -e $work/failed ]] || { cat "$work/output" >&2; die "failed: $*"; }
  awk '{ print $1, $2 + $3 }' "$work/time" >>"$file"
}

# tell NAME WHAT
tell() {
  local seconds low high cpu
  read -r seconds low high < <(awk '{ print $1 }' "$work/$1" | median)
  cpu=$(column "$1" 2)
  awk -v what="$2" -v s="$seconds" -v low="$low" -v high="$high" -v cpu="$cpu" \
    'BEGIN { printf "%-44s %5.1f ms (%.1f to %.1f), CPU %.1f ms\n", what, 1000 * s, 1000 * low, 1000 * high, 1000 * cpu }'
}

run_import() {
  "$program" import "$1" --table ten --no-defaults --ssl-mode=disabled --get-server-public-key \
    -h "$server_host" -P "$server_port" -u "$server_user" -D bulkload_startup
}

run_client() {
  client bulkload_startup --execute="LOAD DATA LOCAL INFILE '$1' INTO TABLE ten_by_client FIELDS TERMINATED BY ',' IGNORE 1 LINES"
}

for ((run = 0; run < runs + 3; run++)); do
  timed_into version "$program" --version
  ((run != 2)) || rm "$work/version"
done
tell version 'bulkload --version'

start_servers "$servers"
for name in $names; do
  use_server "$name"
  columns='(id INT PRIMARY KEY, name VARCHAR(40), born DATE)'
  client --execute="DROP DATABASE IF EXISTS bulkload_startup; CREATE DATABASE bulkload_startup;
    CREATE TABLE bulkload_startup.ten $columns; CREATE TABLE bulkload_startup.ten_by_client $columns"
  rm -f "$work/import" "$work/client"
  for ((run = 0; run < runs + 3; run++)); do
    awk -v run="$run" 'BEGIN { print "id,name,born"; for (i = 10 * run; i < 10 * run + 10; i++) printf "%d,name of %d,2024-01-%02d\n", i, i, 1 + i % 28 }' >"$work/ten.csv"
    timed_into import run_import "$work/ten.csv"
    timed_into client run_client "$work/ten.csv"
    ((run != 2)) || rm "$work/import" "$work/client"
  done
  rows=$(client bulkload_startup --execute='SELECT (SELECT COUNT(*) FROM ten) + (SELECT COUNT(*) FROM ten_by_client)')
  ((rows == 20 * (runs + 3))) || die "$name: $rows rows are there"
  client --execute='DROP DATABASE bulkload_startup'
  tell import "$name $server_version: bulkload import of ten rows"
  tell client "$name $server_version: its client's LOAD DATA"
done
