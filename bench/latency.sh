#!/usr/bin/env bash
# What a distant server costs: everything goes through a relay that delays bytes as a route of that round trip would. Through it
# - statements a row with a round trip each against the same ones in a pipeline, by the driver core (the matrix, in one transaction);
# - `bulkload import` of 1,000,000 rows by each strategy, and
# - `bulkload update` and `bulkload delete` of 100,000 of 1,000,000 rows by the planner's choice, as a share of what they take without the delay,
#   start included: interleaved pairs.
#
#   bench/latency.sh [OPTION...]
#
#   --server mariadb|mysql|all   all
#   --delay-ms N                 10
#   --rows N                     500, of the matrix
#   --pairs N                    5, after one that doesn't count
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

servers=all delay=10 rows=500 pairs=5
while (($#)); do
  case $1 in
    --server) servers=${2:?}; shift 2 ;;
    --delay-ms) delay=${2:?}; shift 2 ;;
    --rows) rows=${2:?}; shift 2 ;;
    --pairs) pairs=${2:?}; shift 2 ;;
    *) usage ;;
  esac
done

build_benchmarks
find_program
export BULKLOAD_PROGRAM=$program
start_servers "$servers"

for name in $(names_of "$servers"); do
  use_server "$name"
  printf '%s %s, a round trip of %s ms, %s cores, load %s\n' "$server" "$server_version" "$delay" "$(nproc)" "$(cut -d ' ' -f 1 /proc/loadavg)"
  (
    take_turn
    trap stop_relay EXIT
    start_relay "$delay"
    client --execute='CREATE DATABASE IF NOT EXISTS bulkload_matrix CHARACTER SET utf8mb4'
    "$program" bench strategies --no-defaults --ssl-mode=disabled --get-server-public-key -h 127.0.0.1 -P "$relay_port" -u "$server_user" \
      -D bulkload_matrix --rows 0 --batch-rows "$rows" --repeat 1 --run-time 2h |
      grep -E -A 4 'one transaction$' | grep -v '^--'
  )
  strategies='load-data multi-row-insert bulk-execute'
  [[ $name == mariadb ]] || strategies=${strategies% *}
  for strategy in $strategies; do
    "$bench/import-speed.sh" --server "$name" --strategy "$strategy" --pairs "$pairs" --delay-ms "$delay"
  done
  for command in update delete; do
    "$bench/change-speed.sh" "$command" --server "$name" --pairs "$pairs" --delay-ms "$delay"
  done
  echo
done
