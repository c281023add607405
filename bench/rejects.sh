#!/usr/bin/env bash
# What bad records cost: how long `bulkload import` takes for a file with some, as a share of what it takes for the same file
# without, into the same table: interleaved pairs, TRUNCATE before each run. Each run must reject exactly the bad records.
#
#   bench/rejects.sh [OPTION...]
#
#   --server mariadb|mysql|all   all
#   --strategy NAME|all          all
#   --fault NAME|all             all: few-fields (reader), not-an-integer (rule), and what only the server finds: duplicate-key,
#                                foreign-key, check-constraint, trigger-signal
#   --count N                    1: bad records, spread evenly
#   --pairs N                    5, after one that doesn't count
#   --rows N                     1000000
#
# BULKLOAD_PROGRAM names a program to use instead of publishing one.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

servers=all strategies=all faults=all count=1 pairs=5 rows=$default_rows
while (($#)); do
  case $1 in
    --server) servers=${2:?}; shift 2 ;;
    --strategy) strategies=${2:?}; shift 2 ;;
    --fault) faults=${2:?}; shift 2 ;;
    --count) count=${2:?}; shift 2 ;;
    --pairs) pairs=${2:?}; shift 2 ;;
    --rows) rows=${2:?}; shift 2 ;;
    *) usage ;;
  esac
done
[[ $strategies != all ]] || strategies='load-data multi-row-insert'
[[ $faults != all ]] || faults='few-fields not-an-integer duplicate-key foreign-key check-constraint trigger-signal'

database=bulkload_bench
# An age that no row of the data set has.
readonly odd_age=777777
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# spoil FAULT <clean >bad: changes the first plain line (no quotes, an age) at or behind each of $count places.
spoil() {
  awk -F, -v OFS=, -v fault="$1" -v every=$((rows / count)) -v count="$count" -v odd="$odd_age" '
    NR == 1 { print; next }
    NR == 2 { first = $1 }
    done < count && NR > every * done + every / 2 && NF == 6 && !/"/ && $1 ~ /^[0-9]+$/ && $3 ~ /^[0-9]+$/ && NR > 2 {
      done++
      if (fault == "few-fields") { print $1, $2; next }
      if (fault == "not-an-integer") $3 = "x17"
      else if (fault == "duplicate-key") $1 = first
      else $3 = odd
    }
    { print }
    END { if (done != count) exit 1 }'
}

# prepare_table FAULT: the table with what makes the server refuse that fault, for both files.
prepare_table() {
  client "$database" --execute="DROP TABLE IF EXISTS $table; DROP TABLE IF EXISTS bench_ages"
  make_table "$database"
  case $1 in
    foreign-key)
      client "$database" --execute="CREATE TABLE bench_ages (age INT PRIMARY KEY)"
      cut -f 3 "$(data_file mysql)" | grep -E '^-?[0-9]+$' | sort -un >"$work/ages"
      client "$database" --execute="LOAD DATA LOCAL INFILE '$work/ages' INTO TABLE bench_ages;
        ALTER TABLE $table ADD FOREIGN KEY (age) REFERENCES bench_ages (age)"
      ;;
    check-constraint) client "$database" --execute="ALTER TABLE $table ADD CHECK (age <> $odd_age)" ;;
    trigger-signal)
      client "$database" --delimiter=// --execute="CREATE TRIGGER bench_signal BEFORE INSERT ON $table FOR EACH ROW
        IF NEW.age = $odd_age THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'odd age'; END IF"
      ;;
  esac
}

# measure clean|bad FILE REJECTS: one run; adds its seconds to the file of that name.
measure() {
  local start seconds found status=0
  client "$database" --execute="SET foreign_key_checks = 0; TRUNCATE TABLE $table"
  start=$EPOCHREALTIME
  import_rows "$2" csv "$database" "$strategy" --max-rejects "$count" --reject-file "$work/bad.csv" --overwrite --quiet >"$work/output" 2>&1 || status=$?
  seconds=$(seconds_since "$start")
  found=$(count_rows "$database")
  [[ $status == $(($3 ? 3 : 0)) && $found == $((rows - $3)) ]] || { cat "$work/output" >&2; die "$server: exit $status, $found rows of $rows, $3 of them bad"; }
  echo "$seconds" >>"$work/$1"
}

take_turn
find_program
make_data_set "$rows"
start_servers "$servers"
clean=$(data_file csv)
for name in $(names_of "$servers"); do
  use_server "$name"
  client --execute="CREATE DATABASE IF NOT EXISTS $database"
  for fault in $faults; do
    prepare_table "$fault"
    spoil "$fault" <"$clean" >"$work/spoiled.csv" || die "the data set has too few plain lines for $count faults"
    for strategy in $strategies; do
      rm -f "$work/clean" "$work/bad"
      for ((pair = 0; pair <= pairs; pair++)); do
        measure clean "$clean" 0
        measure bad "$work/spoiled.csv" "$count"
        ((pair)) || rm -f "$work/clean" "$work/bad"
      done
      read -ra numbers < <(paste -d ' ' "$work/clean" "$work/bad" | awk '{ print $2 / $1 }' | median)
      printf '%-8s %-17s %-17s %5d bad of %d: %.3f times the clean run (%.3f to %.3f); %s s\n' "$server" "$strategy" "$fault" "$count" "$rows" \
        "${numbers[@]}" "$(median <"$work/bad" | cut -d ' ' -f 1)"
    done
  done
  client "$database" --execute="DROP TABLE IF EXISTS $table; DROP TABLE IF EXISTS bench_ages"
done
