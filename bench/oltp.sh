#!/usr/bin/env bash
# `bulkload bench oltp` beside sysbench, with the same tables, sessions, time and distribution of ids: transactions a second, 95th percentile and the client's
# processor time for 1,000 transactions. Interleaved pairs in alternating order, tables made anew for each workload. bulkload warms up for a second
# before it measures, sysbench does not.
#
#   bench/oltp.sh [OPTION...]
#
#   --server mariadb|mysql|all   all
#   --workload LIST              read-write,read-only,write-only,point-select,insert,update-index,update-non-index,delete
#   --threads LIST               4
#   --time SECONDS               10
#   --table-size N               100000
#   --pairs N                    3
#
# BULKLOAD_PROGRAM names a program to use instead of publishing one.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

servers=all workloads=read-write,read-only,write-only,point-select,insert,update-index,update-non-index,delete threads=4 seconds=10 size=100000 pairs=3
while (($#)); do
  case $1 in
    --server) servers=${2:?}; shift 2 ;;
    --workload) workloads=${2:?}; shift 2 ;;
    --threads) threads=${2:?}; shift 2 ;;
    --time) seconds=${2:?}; shift 2 ;;
    --table-size) size=${2:?}; shift 2 ;;
    --pairs) pairs=${2:?}; shift 2 ;;
    *) usage ;;
  esac
done

database=bulkload_oltp
work=$(mktemp -d)
cleanup() {
  rm -rf "$work"
  [[ -z ${server:-} ]] || client --execute="DROP DATABASE IF EXISTS $database"
}
trap cleanup EXIT

# run_sysbench COMMAND [OPTION...]. The password is in a file that nobody else can read.
run_sysbench() {
  (umask 077 && printf 'mysql-password=%s\n' "$MYSQL_PWD" >"$work/login")
  "${timed[@]}" sysbench --config-file="$work/login" --db-driver=mysql --mysql-host="$server_host" --mysql-port="$server_port" --mysql-user="$server_user" \
    --mysql-db="$database" --mysql-ssl=off --tables=1 --table-size="$size" --rand-type=uniform "oltp_${workload//-/_}" "$@"
}

run_bulkload() {
  "${timed[@]}" "$program" bench oltp "$1" --no-defaults --ssl-mode=disabled --get-server-public-key -h "$server_host" -P "$server_port" -u "$server_user" -D "$database" \
    --table-size "$size" --max-size 8Gi --progress never "${@:2}"
}

# measure_sysbench, measure_bulkload: one run; each adds "transactions-a-second percentile-ms CPU-seconds-of-1000" to its file.
measure_sysbench() {
  with_time "$work/time" run_sysbench --threads="$sessions" --time="$seconds" --percentile=95 --report-interval=0 run >"$work/output" 2>&1 || { cat "$work/output" >&2; die "sysbench failed"; }
  awk '/transactions:/ { gsub(/[()]/, ""); rate = $3 } /95th percentile:/ { late = $3 } END { print rate, late }' "$work/output" | add_cpu "$seconds" >>"$work/sysbench"
}

measure_bulkload() {
  with_time "$work/time" run_bulkload run --workload "$workload" --threads "$sessions" --time "${seconds}s" --percentile 95 --csv "$work/figures.csv" --overwrite --quiet >"$work/output" 2>&1 ||
    { cat "$work/output" >&2; die "bulkload bench oltp failed"; }
  awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $at["per_second_median"], $at["latencyPercentileMs"] }' "$work/figures.csv" | add_cpu "$((seconds + 1))" >>"$work/bulkload"
}

# add_cpu SECONDS: that the run has taken with its warm-up.
add_cpu() { awk -v seconds="$1" 'NR == FNR { cpu = $1 + $2; next } { print $1, $2, cpu / ($1 * seconds) * 1000 }' "$work/time" -; }

# ratio N: of column N, bulkload over sysbench: median, lowest, highest.
ratio() { paste -d ' ' "$work/sysbench" "$work/bulkload" | awk -v n="$1" '{ print $(n + 3) / $n }' | median; }

take_turn
need time time
need sysbench sysbench
find_program
start_servers "$servers"
for name in $(names_of "$servers"); do
  use_server "$name"
  client --execute="DROP DATABASE IF EXISTS $database; CREATE DATABASE $database"
  printf '%s %s, %s rows, %s s, %s cores; load %s\n' "$server" "$server_version" "$size" "$seconds" "$(nproc)" "$(cut -d ' ' -f 1 /proc/loadavg)"
  for workload in ${workloads//,/ }; do
    for sessions in ${threads//,/ }; do
      run_sysbench prepare >"$work/output" 2>&1 || { cat "$work/output" >&2; die "sysbench cannot prepare its tables"; }
      run_bulkload prepare --quiet >"$work/output" 2>&1 || { cat "$work/output" >&2; die "bulkload cannot prepare its tables"; }
      rm -f "$work/sysbench" "$work/bulkload"
      for ((pair = 1; pair <= pairs; pair++)); do
        if ((pair % 2)); then measure_sysbench; measure_bulkload; else measure_bulkload; measure_sysbench; fi
      done
      run_sysbench cleanup >/dev/null
      run_bulkload cleanup --quiet >/dev/null
      read -ra rate < <(ratio 1)
      read -ra cpu < <(ratio 3)
      printf '%-17s %2d sessions: %.0f transactions a second, sysbench %.0f: %.3f times (%.3f to %.3f); 95th percentile %.2f ms, sysbench %.2f; client CPU %.3f times (%.3f to %.3f)\n' \
        "$workload" "$sessions" "$(column bulkload 1)" "$(column sysbench 1)" "${rate[@]}" "$(column bulkload 2)" "$(column sysbench 2)" "${cpu[@]}"
    done
  done
  client --execute="DROP DATABASE $database"
done
