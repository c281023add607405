#!/usr/bin/env bash
# How long ways take that make a full table exactly a file, start included, as shares of `bulkload import --verify checksum` into an empty
# table: --full-refresh, --truncate, and TRUNCATE with LOAD DATA LOCAL INFILE by the server's own client. Rounds on one machine; in each,
# every way has its turn, and each round begins with the next one. All rows are equal before and after.
#
#   bench/refresh.sh [OPTION...]
#
#   --server mariadb|mysql|all   all
#   --rounds N                   3, after one that doesn't count
#   --rows N                     1000000
#
# And the time of the exchange itself. BULKLOAD_PROGRAM names a program to use instead of
# publishing one.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

servers=all rounds=3 rows=$default_rows
while (($#)); do
  case $1 in
    --server) servers=${2:?}; shift 2 ;;
    --rounds) rounds=${2:?}; shift 2 ;;
    --rows) rows=${2:?}; shift 2 ;;
    *) usage ;;
  esac
done

database=bulkload_bench
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

run_import() { import_rows "$file" csv "$database" auto --verify checksum; }
run_refresh() { import_rows "$file" csv "$database" auto --full-refresh --report "$work/report.json" --overwrite; }
run_truncate() { import_rows "$file" csv "$database" auto --truncate --allow-database "$database"; }
run_client() {
  client "$database" --execute="TRUNCATE TABLE $table; LOAD DATA LOCAL INFILE '$data/$table.mysql.txt' INTO TABLE $table CHARACTER SET utf8mb4"
}

# measure import|refresh|truncate|client: adds its seconds to a file of that name.
measure() {
  local start
  [[ $1 != import ]] || client "$database" --execute="TRUNCATE TABLE $table"
  start=$EPOCHREALTIME
  "run_$1" >"$work/output" 2>&1 || { cat "$work/output" >&2; die "$server: $1 failed"; }
  seconds_since "$start" >>"$work/$1"
  echo >>"$work/$1"
  [[ $(count_rows "$database") == "$rows" ]] || die "$server: $1 left other rows than $rows"
  [[ $1 != refresh ]] || jq -r .refresh.exchangeSeconds "$work/report.json" >>"$work/exchange"
}

take_turn
need jq jq
find_program
make_data_set "$rows"
file=$(data_file csv)
start_servers "$servers"
cat "$file" "$data/$table.mysql.txt" >/dev/null
ways=(import refresh truncate client)

for name in $(names_of "$servers"); do
  use_server "$name"
  printf '%s %s, %s rows, %s cores, load %s\n' "$server" "$server_version" "$rows" "$(nproc)" "$(cut -d ' ' -f 1 /proc/loadavg)"
  make_table "$database"
  rm -f "$work"/*
  for ((round = 0; round <= rounds; round++)); do
    for ((i = 0; i < ${#ways[@]}; i++)); do measure "${ways[(round + i) % ${#ways[@]}]}"; done
    ((round > 0)) || rm -f "$work"/*
  done
  for way in "${ways[@]}"; do
    read -ra ratio < <(paste -d ' ' "$work/import" "$work/$way" | awk '{ print $2 / $1 }' | median)
    printf '%-9s %.2f s, ratio %.3f (%.3f to %.3f)\n' "$way" "$(column "$way" 1)" "${ratio[@]}"
  done
  printf 'exchange  %s s (median, least, most)\n' "$(median <"$work/exchange")"
done
