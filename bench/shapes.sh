#!/usr/bin/env bash
# How long `bulkload import` takes with tables of many kinds, start included, as a share of what the server's own client takes for one LOAD DATA LOCAL INFILE
# of the same rows: interleaved pairs in alternating order, TRUNCATE before each run. Each run must leave every row in the table.
#
#   bench/shapes.sh [OPTION...]
#
#   --server mariadb|mysql|all   all
#   --shape NAME|all             all: unique-index (a secondary one, in random order), foreign-key, columns (60 of many types), blobs (of 1 MB), myisam, few (10 rows)
#   --pairs N                    5, after one that doesn't count
#   --rows N                     1000000; a fifth of that with 60 columns, one of 4,000 with blobs
#
# BULKLOAD_PROGRAM names a program to use instead of publishing one.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

servers=all shapes=all pairs=5 rows=$default_rows
while (($#)); do
  case $1 in
    --server) servers=${2:?}; shift 2 ;;
    --shape) shapes=${2:?}; shift 2 ;;
    --pairs) pairs=${2:?}; shift 2 ;;
    --rows) rows=${2:?}; shift 2 ;;
    *) usage ;;
  esac
done
[[ $shapes != all ]] || shapes='unique-index foreign-key columns blobs myisam few'

database=bulkload_bench
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# write_rows SHAPE: $work/SHAPE.csv with a header, and $work/SHAPE.txt as LOAD DATA reads it; values have neither commas nor tabs nor quotes.
write_rows() {
  case $1 in
    unique-index | foreign-key | myisam)
      awk -v n="$rows" 'BEGIN {
        print "id,code,parent,name,score,created"
        for (i = 1; i <= n; i++) printf "%d,%d,%d,user %d of many,%.3f,2026-%02d-%02d %02d:%02d:00\n", i, i * 7919 % 1000000007, i * 31 % 1000, i, i / 7, i % 12 + 1, i % 28 + 1, i % 24, i % 60
      }' ;;
    columns)
      awk -v n="$((rows / 5))" 'BEGIN {
        printf "id"; for (c = 1; c < 60; c++) printf ",c%d", c; print ""
        for (i = 1; i <= n; i++) {
          printf "%d", i
          for (c = 1; c < 60; c++) {
            k = c % 5
            if (k == 0) printf ",%d", i * c % 100000
            else if (k == 1) printf ",text %d", i + c
            else if (k == 2) printf ",%d.%02d", i % 10000, c
            else if (k == 3) printf ",2026-%02d-%02d", i % 12 + 1, (i + c) % 28 + 1
            else printf ",%d.5", i + c
          }
          print ""
        }
      }' ;;
    blobs)
      awk -v n="$((rows / 4000))" 'BEGIN {
        print "id,content"
        for (k = 0; k < 1000000; k += 50) block = block "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN"
        for (i = 1; i <= n; i++) printf "%d,%s\n", i, block
      }' ;;
    few) awk 'BEGIN { print "id,name"; for (i = 1; i <= 10; i++) printf "%d,user %d\n", i, i }' ;;
  esac >"$work/$1.csv"
  tail -n +2 "$work/$1.csv" | tr , '\t' >"$work/$1.txt"
}

# prepare_table SHAPE
prepare_table() {
  local columns='id BIGINT PRIMARY KEY, code BIGINT NOT NULL, parent INT NOT NULL, name VARCHAR(64) NOT NULL, score DOUBLE, created DATETIME'
  client --execute="CREATE DATABASE IF NOT EXISTS $database"
  client "$database" --execute="DROP TABLE IF EXISTS $table; DROP TABLE IF EXISTS bench_parents"
  case $1 in
    unique-index) client "$database" --execute="CREATE TABLE $table ($columns, UNIQUE KEY (code))" ;;
    foreign-key)
      seq 0 999 >"$work/parents"
      client "$database" --execute="CREATE TABLE bench_parents (id INT PRIMARY KEY); LOAD DATA LOCAL INFILE '$work/parents' INTO TABLE bench_parents;
        CREATE TABLE $table ($columns, FOREIGN KEY (parent) REFERENCES bench_parents (id))" ;;
    myisam) client "$database" --execute="CREATE TABLE $table ($columns, KEY (parent)) ENGINE=MyISAM" ;;
    columns)
      client "$database" --execute="CREATE TABLE $table (id BIGINT PRIMARY KEY$(for ((c = 1; c < 60; c++)); do
        types=(INT 'VARCHAR(40)' 'DECIMAL(12,2)' DATE DOUBLE)
        printf ', c%d %s' "$c" "${types[c % 5]}"
      done))" ;;
    blobs) client "$database" --execute="CREATE TABLE $table (id INT PRIMARY KEY, content LONGBLOB)" ;;
    few) client "$database" --execute="CREATE TABLE $table (id INT PRIMARY KEY, name VARCHAR(64))" ;;
    *) die "unknown shape '$1'" ;;
  esac
}

run_baseline() { client "$database" --execute="LOAD DATA LOCAL INFILE '$work/$shape.txt' INTO TABLE $table"; }

run_candidate() {
  local more=()
  [[ $shape != myisam ]] || more=(--no-ledger)
  [[ $shape != blobs ]] || more=(--binary raw)
  import_rows "$work/$shape.csv" csv "$database" auto --quiet "${more[@]}"
}

take_turn
need time time
find_program
start_servers "$servers"
for shape in $shapes; do
  write_rows "$shape"
  expected=$(wc -l <"$work/$shape.txt")
  for name in $(names_of "$servers"); do
    use_server "$name"
    prepare_table "$shape"
    for ((pair = 0; pair <= pairs; pair++)); do
      measure_loads "$pair" "$expected"
      ((pair)) || rm -f "$work/baseline" "$work/candidate"
    done
    read -ra numbers < <(paste -d ' ' "$work/baseline" "$work/candidate" | awk '{ print $4 / $1 }' | median)
    printf '%-12s %-8s %8d rows: %.3f times the client (%.3f to %.3f); client %.3f s, bulkload %.3f s with %.2f s of CPU and %.0f MiB\n' "$shape" "$server" "$expected" "${numbers[@]}" \
      "$(column baseline 1)" "$(column candidate 1)" "$(column candidate 2)" "$(column candidate 3)"
    rm -f "$work/baseline" "$work/candidate"
    client "$database" --execute="DROP TABLE IF EXISTS $table; DROP TABLE IF EXISTS bench_parents"
  done
  rm -f "$work/$shape".*
done
