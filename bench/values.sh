#!/usr/bin/env bash
# How much CPU values cost that are written otherwise: `bulkload check`, and `bulkload import`, of rows with a date, a time and a number
# as Germans write them (--date-format and others), as a share of the same rows in the standard form. User CPU of the program,
# interleaved pairs in alternating order.
#
#   bench/values.sh [--pairs N] [--rows N] [--server mariadb|mysql|all] [--command check|import]     (7, 1000000, mariadb, check)
#
# BULKLOAD_PROGRAM names a program to use instead of publishing one.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

pairs=7 rows=$default_rows servers=mariadb command=check
while (($#)); do
  case $1 in
    --pairs) pairs=${2:?} ;;
    --rows) rows=${2:?} ;;
    --server) servers=${2:?} ;;
    --command) command=${2:?} ;;
    *) usage ;;
  esac
  shift 2
done
names=$(names_of "$servers")
need time time

take_turn
find_program
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

say "writing $rows rows"
awk -v rows="$rows" -v seed="$seed" -v standard="$work/standard.csv" -v german="$work/german.csv" '
  function thousands(digits,   text) {
    for (text = ""; length(digits) > 3; digits = substr(digits, 1, length(digits) - 3)) text = "." substr(digits, length(digits) - 2) text
    return digits text
  }
  BEGIN {
    srand(seed)
    print "id;born;seen;amount" >standard
    print "id;born;seen;amount" >german
    for (id = 1; id <= rows; id++) {
      y = 1970 + int(68 * rand()); m = 1 + int(12 * rand()); d = 1 + int(28 * rand())
      Y = 1970 + int(68 * rand()); M = 1 + int(12 * rand()); D = 1 + int(28 * rand())
      clock = sprintf("%02d:%02d:%02d", 24 * rand(), 60 * rand(), 60 * rand())
      sign = rand() < 0.25 ? "-" : ""
      whole = int(10 ^ int(2 + 6 * rand()) * rand()); cents = sprintf("%02d", 100 * rand())
      printf "%d;%d-%02d-%02d;%d-%02d-%02d %s;%s%d.%s\n", id, y, m, d, Y, M, D, clock, sign, whole, cents >standard
      printf "%d;%02d.%02d.%d;%02d.%02d.%d %s;%s%s,%s\n", id, d, m, y, D, M, Y, clock, sign, thousands(whole), cents >german
    }
  }'

# run standard|german: adds its user seconds to the file of that name.
run() {
  local formats=()
  [[ $1 == standard ]] || formats=(--date-format dd.MM.yyyy --datetime-format 'dd.MM.yyyy HH:mm:ss' --decimal , --thousands .)
  [[ $command == check ]] || client bulkload_values --execute='TRUNCATE valued'
  local ways=()
  [[ $command == check ]] || ways=(--no-ledger)
  with_time "$work/time" run_program "$1" "${formats[@]}" "${ways[@]}" >"$work/output" || { cat "$work/output" >&2; die 'failed'; }
  awk '{ print $1 }' "$work/time" >>"$work/$1"
}

run_program() {
  local file=$work/$1.csv
  shift
  "${timed[@]}" "$program" "$command" "$file" --table valued --delimiter ';' --no-defaults --ssl-mode=disabled --get-server-public-key \
    -h "$server_host" -P "$server_port" -u "$server_user" -D bulkload_values "$@"
}

start_servers "$servers"
for name in $names; do
  use_server "$name"
  client --execute='DROP DATABASE IF EXISTS bulkload_values; CREATE DATABASE bulkload_values;
    CREATE TABLE bulkload_values.valued (id INT PRIMARY KEY, born DATE NOT NULL, seen DATETIME NOT NULL, amount DECIMAL(14,2) NOT NULL)'
  rm -f "$work/standard" "$work/german"
  for ((pair = 0; pair <= pairs; pair++)); do
    if ((pair % 2)); then run standard; run german; else run german; run standard; fi
    ((pair != 0)) || rm "$work/standard" "$work/german"
  done
  client --execute='DROP DATABASE bulkload_values'
  read -r ratio low high < <(paste "$work/german" "$work/standard" | awk '{ print $1 / $2 }' | median)
  read -r standard _ < <(median <"$work/standard")
  read -r german _ < <(median <"$work/german")
  printf '%s %s: %s of %s rows: user CPU %.2f s with formats, %.2f s in the standard form: %.3f (%.3f to %.3f)\n' \
    "$name" "$server_version" "$command" "$rows" "$german" "$standard" "$ratio" "$low" "$high"
done
