#!/usr/bin/env bash
# How many MB of CSV a second an import takes by load-data if the server costs nothing: a relay swallows the rows, and answers for the
# server that all were taken. All else goes to the server. Medians of interleaved runs of the whole program, without a ledger.
#
#   bench/throughput.sh [--server mariadb|mysql|all] [--rows N] [--runs N] [--base PROGRAM] [-- ARGUMENT...]   (all, 1000000, 9)
#
# --base names another program that is measured beside it. ARGUMENTs are for both. BULKLOAD_PROGRAM names a program to use instead of
# publishing one.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

servers=all rows=$default_rows runs=9 base=''
while (($#)); do
  case $1 in
    --server) servers=${2:?}; shift 2 ;;
    --rows) rows=${2:?}; shift 2 ;;
    --runs) runs=${2:?}; shift 2 ;;
    --base) base=${2:?}; shift 2 ;;
    --) shift; break ;;
    *) usage ;;
  esac
done

database=bulkload_bench
work=$(mktemp -d)
trap 'stop_relay; rm -rf "$work"' EXIT

# timed_import NAME PROGRAM [ARGUMENT...]: adds "seconds CPU-seconds MiB" to the file of that name.
timed_import() {
  local name=$1 program=$2 start seconds
  shift 2
  start=$EPOCHREALTIME
  with_time "$work/time" import_rows "$input" csv "$database" load-data --no-ledger "$@" >"$work/output" 2>&1 \
    || { cat "$work/output" >&2; die "$server: the import failed"; }
  seconds=$(seconds_since "$start")
  [[ $(head -n 1 "$work/output" | cut -d ' ' -f 1 | tr -d ,) == "$rows" ]] \
    || { cat "$work/output" >&2; die "$server: not all rows were taken"; }
  awk -v seconds="$seconds" '{ print seconds, $1 + $2, $3 / 1024 }' "$work/time" >>"$work/$name"
}

# tell NAME WHAT
tell() {
  local numbers
  read -ra numbers < <(awk '{ print $1 }' "$work/$1" | median)
  awk -v what="$2" -v bytes="$(stat -c %s "$input")" -v s="${numbers[0]}" -v low="${numbers[1]}" -v high="${numbers[2]}" \
    -v cpu="$(column "$1" 2)" -v memory="$(column "$1" 3)" \
    'BEGIN { printf "%-18s %.0f MB/s: %.3f s (%.3f to %.3f), CPU %.3f s, %.0f MiB\n", what, bytes / s / 1e6, s, low, high, cpu, memory }'
}

take_turn
need time time
find_program
build_benchmarks
make_data_set "$rows"
input=$(data_file csv)
cat "$input" >/dev/null
start_servers "$servers"
for name in $(names_of "$servers"); do
  use_server "$name"
  make_table "$database" --no-auto-increment
  start_relay swallow
  timed_import warm "$program" "$@"
  rm -f "$work"/{this,base}
  for ((run = 0; run < runs; run++)); do
    [[ -z $base ]] || timed_import base "$base" "$@"
    timed_import this "$program" "$@"
  done
  stop_relay
  printf '%s %s, %s rows, %s cores, load %s\n' "$server" "$server_version" "$rows" "$(nproc)" "$(cut -d ' ' -f 1 /proc/loadavg)"
  tell this bulkload
  [[ -z $base ]] || tell base 'the other program'
done
