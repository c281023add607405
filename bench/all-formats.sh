#!/usr/bin/env bash
# Loads one data set in every format, by every strategy, on both servers, and compares the whole table each time with
# the one that the server's own client loads.
#
#   bench/all-formats.sh [--rows N] [--server mariadb|mysql|all] [--strategies NAME,...] [-- ARGUMENT...]
#
#   --rows         1000000
#   --server       all
#   --strategies   load-data,multi-row-insert
#   ARGUMENT       for each bulkload
#
# Ends with `all equal`, or with exit 1. BULKLOAD_PROGRAM names a program to use instead of publishing one.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

rows=$default_rows servers=all strategies=load-data,multi-row-insert
while (($#)); do
  case $1 in
    --rows) rows=${2:?}; shift 2 ;;
    --server) servers=${2:?}; shift 2 ;;
    --strategies) strategies=${2:?}; shift 2 ;;
    --) shift; break ;;
    *) usage ;;
  esac
done

failures=0 expected='' errors=$(mktemp)
trap 'rm -f "$errors"' EXIT

print_row() { printf '%-8s %-18s %-6s %8s %9s  %-12s %s\n' "$@"; }

# run_case STRATEGY FORMAT [MORE...]: `pipe` is CSV through standard input.
run_case() {
  local strategy=$1 format=$2 verdict=equal start found status=0
  shift 2
  make_table bulkload_bench
  start=$EPOCHREALTIME
  # A pipe is not a file: it cannot be read twice, nor is its length known.
  # shellcheck disable=SC2002
  case $format in
    pipe) cat "$(data_file csv)" | import_rows - csv bulkload_bench "$strategy" "$@" ;;
    gz) import_rows "$(data_file gz)" csv bulkload_bench "$strategy" "$@" ;;
    *) import_rows "$(data_file "$format")" "$format" bulkload_bench "$strategy" "$@" ;;
  esac >"$errors" 2>&1 || status=$?
  local seconds
  seconds=$(seconds_since "$start")
  found=$(checksum bulkload_bench "$table")
  [[ $found == "$expected" ]] || verdict=DIFFERS
  ((status == 0)) || verdict="EXIT $status"
  print_row "$server" "$strategy" "$format" "$seconds" "${found% *}" "${found: -12}" "$verdict"
  if [[ $verdict != equal ]]; then
    failures=$((failures + 1))
    tail -n 20 "$errors" >&2
  fi
}

take_turn
make_data_set "$rows"
find_program
start_servers "$servers"

print_row server strategy format seconds rows checksum verdict
for name in $(names_of "$servers"); do
  use_server "$name"
  make_table bulkload_expected
  start=$EPOCHREALTIME
  load_expected bulkload_expected
  seconds=$(seconds_since "$start")
  found=$(checksum bulkload_expected "$table")
  # Both servers must agree on what is expected, too.
  expected=${expected:-$found}
  verdict=expected
  [[ $found == "$expected" && ${found% *} == "$rows" ]] || { verdict=DIFFERS; failures=$((failures + 1)); }
  print_row "$server" "its own client" mysql "$seconds" "${found% *}" "${found: -12}" "$verdict"
  for strategy in ${strategies//,/ }; do
    for format in csv tsv mysql jsonl gz pipe; do
      run_case "$strategy" "$format" "$@"
    done
  done
done

((failures == 0)) || die "$failures differ"
echo "all equal"
