#!/usr/bin/env bash
# The batch-method matrix: insert, update and delete of 100, 1,000 and 10,000 rows of a small table, in autocommit and in one transaction, by
# every method through the driver core: a literal statement a row, prepared, pipelined, sets, multi-statement text, bulk execute
# (MariaDB), LOAD DATA and staged. Says rows/s and the speed-up over a literal statement a row, and checks the table each time. Then
# 100,000 and 1,000,000 pipelined updates in one job, with the pace of each tenth.
#
#   bench/matrix.sh [OPTION...]
#
#   --server mariadb|mysql|all   all
#   --rows LIST                  100,1000,10000
#   --repeats N                  3: the median counts
#   --job-rows LIST              100000,1000000; '' for none
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

servers=all rows=100,1000,10000 repeats=3 job_rows=100000,1000000
while (($#)); do
  case $1 in
    --server) servers=${2:?}; shift 2 ;;
    --rows) rows=${2:?}; shift 2 ;;
    --repeats) repeats=${2:?}; shift 2 ;;
    --job-rows) job_rows=${2?}; shift 2 ;;
    *) usage ;;
  esac
done

take_turn
build_benchmarks
find_program
start_servers "$servers"

for name in $(names_of "$servers"); do
  use_server "$name"
  printf '%s %s, innodb_flush_log_at_trx_commit=%s, %s cores, load %s\n' "$server" "$server_version" \
    "$(client --execute='SELECT @@innodb_flush_log_at_trx_commit')" "$(nproc)" "$(cut -d ' ' -f 1 /proc/loadavg)"
  client --execute='CREATE DATABASE IF NOT EXISTS bulkload_matrix CHARACTER SET utf8mb4'
  "$program" bench strategies --no-defaults --ssl-mode=disabled --get-server-public-key -h "$server_host" -P "$server_port" -u "$server_user" \
    -D bulkload_matrix --rows 0 --batch-rows "$rows" --repeat "$repeats" --run-time 2h
  [[ -z $job_rows ]] || "$benchmarks" pipelined-job --host "$server_host" --port "$server_port" \
    --user "$server_user" --database bulkload_matrix --rows "$job_rows"
  echo
done
