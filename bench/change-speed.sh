#!/usr/bin/env bash
# How long `bulkload delete` or `bulkload update` of 100,000 of 1,000,000 rows takes, start included, as a share of what the server's own
# client takes for a temporary table, LOAD DATA LOCAL INFILE into it, and one statement that joins it: interleaved pairs on one machine,
# in alternating order. The rows are every tenth, by the primary key; before each run of a delete they are put back.
#
#   bench/change-speed.sh delete|update [OPTION...] [-- ARGUMENT...]
#
#   --server mariadb|mysql|all   all
#   --pairs N                    5, after one that doesn't count
#   --strategy NAME              auto
#   --delay-ms N                 a share of its own time instead, by a route with this round trip time, against loopback
#   --shuffle                    bulkload's keys in random order; the client's stay in order
#   --against-sorted             with --shuffle: a share of its own time with the keys in order
#   --against-rows               a share of what one prepared statement a row takes, each waiting for its answer, in one transaction (its start not counted)
#   ARGUMENT                     for bulkload
#
# BULKLOAD_PROGRAM names a program to use instead of publishing one.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

(($#)) || usage
command=$1
shift
[[ $command == delete || $command == update ]] || usage
servers=all pairs=5 strategy=auto shuffle='' delay='' is_own='' by_row=''
while (($#)); do
  case $1 in
    --server) servers=${2:?}; shift 2 ;;
    --pairs) pairs=${2:?}; shift 2 ;;
    --strategy) strategy=${2:?}; shift 2 ;;
    --delay-ms) delay=${2:?}; shift 2 ;;
    --shuffle) shuffle=on; shift ;;
    --against-sorted) is_own=on; shift ;;
    --against-rows) by_row=on; shift ;;
    --) shift; break ;;
    *) usage ;;
  esac
done

readonly database=bulkload_bench step=10
work=$(mktemp -d)
trap 'stop_relay; rm -rf "$work"' EXIT
changed=$((default_rows / step)) round=0

# The keys, and for an update what becomes of two columns, other values each time.
write_input() {
  round=$((round + 1))
  awk -v rows="$default_rows" -v step="$step" -v round="$round" -v command="$command" \
    'BEGIN { for (id = step; id <= rows; id += step) print command == "delete" ? id : id "\t" (id + round) % 90 "\tname " round " of " id }' >"$work/keys"
  sorted=$work/keys
  [[ -z $shuffle ]] || shuf --random-source=<(yes "$seed") "$work/keys" -o "$work/shuffled"
  input=${shuffle:+$work/shuffled}
  input=${input:-$work/keys}
  if [[ $command == update ]]; then
    for keys in "$sorted" "$input"; do
      { printf 'id\tage\tname\n'; cat "$keys"; } >"$keys.tsv"
    done
  fi
}

run_baseline() {
  if [[ -n $by_row ]]; then
    "${timed[@]}" "$benchmarks" row-by-row --host "$server_host" --port "$server_port" --user "$server_user" --database "$database" --table "$table" --command "$command" --file "$sorted"
  elif [[ -n $delay || -n $is_own ]]; then
    run_program "$server_port" "${is_own:+$sorted}" "$@"
  elif [[ $command == delete ]]; then
    client "$database" --execute="SET autocommit=0; CREATE TEMPORARY TABLE staged (id BIGINT PRIMARY KEY) ENGINE=InnoDB;
      LOAD DATA LOCAL INFILE '$sorted' INTO TABLE staged; DELETE t FROM $table t JOIN staged USING (id); COMMIT"
  else
    client "$database" --execute="SET autocommit=0; CREATE TEMPORARY TABLE staged (id BIGINT PRIMARY KEY, age INT, name VARCHAR(64)) ENGINE=InnoDB;
      LOAD DATA LOCAL INFILE '$sorted' INTO TABLE staged CHARACTER SET utf8mb4; UPDATE $table t JOIN staged s USING (id) SET t.age = s.age, t.name = s.name; COMMIT"
  fi
}

run_candidate() { run_program "${relay_port:-$server_port}" "$input" "$@"; }

# run_program PORT KEYS [ARGUMENT...]: KEYS is a file, or empty for that of the candidate.
run_program() {
  local port=$1 keys=${2:-$input} what
  what=(--ids "$keys" --yes)
  [[ $command == delete ]] || what=("$keys.tsv")
  shift 2
  "${timed[@]}" "$program" "$command" "${what[@]}" --table "$table" --strategy "$strategy" --reload \
    -h "$server_host" -P "$port" -u "$server_user" -D "$database" --no-defaults --ssl-mode=disabled --get-server-public-key "$@"
}

# measure baseline|candidate [ARGUMENT...]: one run; adds "seconds CPU-seconds MiB" to its file.
measure() {
  local what=$1 start seconds found
  shift
  write_input
  if [[ $command == delete ]]; then
    client "$database" --execute="INSERT IGNORE INTO $table SELECT * FROM ${table}_all WHERE id % $step = 0"
  fi
  start=$EPOCHREALTIME
  with_time "$work/time" "run_$what" "$@" >"$work/output" 2>&1 || { cat "$work/output" >&2; die "$server: the run of the $what failed"; }
  seconds=$(seconds_since "$start")
  [[ -z $by_row || $what != baseline ]] || seconds=$(tail -n 1 "$work/output")
  if [[ $command == delete ]]; then
    found=$((default_rows - $(count_rows "$database")))
  else
    found=$(client "$database" --execute="SELECT COUNT(*) FROM $table WHERE name = CONCAT('name $round of ', id) AND age = (id + $round) % 90")
  fi
  [[ $found == "$changed" ]] || { cat "$work/output" >&2; die "$server: the $what changed $found rows of $changed"; }
  awk -v seconds="$seconds" '{ print seconds, $1 + $2, $3 / 1024 }' "$work/time" >>"$work/$what"
}

take_turn
need time time
find_program
make_data_set "$default_rows"
[[ -z $delay$by_row ]] || build_benchmarks
start_servers "$servers"

for name in $(names_of "$servers"); do
  use_server "$name"
  make_table "$database"
  if [[ -n $delay ]]; then start_relay "$delay"; fi
  load_expected "$database"
  client "$database" --execute="DROP TABLE IF EXISTS ${table}_all; CREATE TABLE ${table}_all LIKE $table; INSERT INTO ${table}_all SELECT * FROM $table"
  printf '%s %s, %s of %s of %s rows%s%s, strategy %s, %s cores, load %s\n' "$server" "$server_version" "$command" "$changed" "$default_rows" \
    "${shuffle:+, shuffled}" "${delay:+, by a route of $delay ms against loopback}" "$strategy" "$(nproc)" "$(cut -d ' ' -f 1 /proc/loadavg)"
  rm -f "$work/baseline" "$work/candidate"
  for ((pair = 0; pair <= pairs; pair++)); do
    if ((pair % 2)); then
      measure baseline "$@"
      measure candidate "$@"
    else
      measure candidate "$@"
      measure baseline "$@"
    fi
    ((pair)) || rm -f "$work/baseline" "$work/candidate"
  done
  read -ra numbers < <(paste -d ' ' "$work/baseline" "$work/candidate" | awk '{ print $4 / $1 }' | median)
  printf 'ratio: median %.3f (%.3f to %.3f)\n' "${numbers[@]}"
  for what in baseline candidate; do
    awk -v what="$what" '{ s += $1; c += $2; if ($3 > m) m = $3 } END { printf "%-9s wall %.3f s, CPU %.2f s (means), memory %.0f MiB at most\n", what, s / NR, c / NR, m }' "$work/$what"
  done
  client "$database" --execute="DROP TABLE ${table}_all"
  stop_relay
done
