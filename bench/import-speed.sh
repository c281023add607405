#!/usr/bin/env bash
# How long `bulkload import` takes, start included, as a share of what the server's own client takes for one
# LOAD DATA LOCAL INFILE of the same rows: interleaved pairs on one machine, in alternating order, TRUNCATE before each run.
#
#   bench/import-speed.sh [OPTION...] [-- ARGUMENT...]
#
#   --server mariadb|mysql|all   all
#   --pairs N                    5, after one that doesn't count
#   --rows N                     1000000
#   --strategy NAME              auto
#   --format FORMAT              csv: what bulkload reads (csv, tsv, mysql, jsonl, gz)
#   --baseline-format FORMAT     mysql: what the client reads (mysql, csv; it loads csv's NULLs wrongly, with warnings)
#   --shuffle                    bulkload's rows in random order; the client's stay in order: ratios can be compared
#   --no-auto-increment          a table without AUTO_INCREMENT
#   --tls                        both encrypted, instead of neither
#   --delay-ms N                 a share of its own time instead, by a route with this round trip time, against loopback
#   --against ARGUMENTS          a share of what bulkload itself takes with these arguments added, such as --no-ledger
#   --clients N                  instead of bulkload, so many of the server's own clients at once, each with its part of the mysql file: what server and machine have to give
#   ARGUMENT                     for bulkload
#
# BULKLOAD_PROGRAM names a program to use instead of publishing one.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

servers=all pairs=5 rows=$default_rows strategy=auto format=csv baseline_format=mysql shuffle='' auto_increment='' delay='' against=() clients=''
while (($#)); do
  case $1 in
    --server) servers=${2:?}; shift 2 ;;
    --pairs) pairs=${2:?}; shift 2 ;;
    --rows) rows=${2:?}; shift 2 ;;
    --strategy) strategy=${2:?}; shift 2 ;;
    --format) format=${2:?}; shift 2 ;;
    --baseline-format) baseline_format=${2:?}; shift 2 ;;
    --shuffle) shuffle=--shuffle; shift ;;
    --no-auto-increment) auto_increment=--no-auto-increment; shift ;;
    --tls) tls=on; shift ;;
    --delay-ms) delay=${2:?}; shift 2 ;;
    --clients) clients=${2:?}; shift 2 ;;
    --against) read -ra against <<<"${2:?}"; shift 2 ;;
    --) shift; break ;;
    *) usage ;;
  esac
done
case $baseline_format in
  mysql) baseline_fields='' ;;
  csv) baseline_fields="FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '\"' ESCAPED BY '' IGNORE 1 LINES" ;;
  *) usage ;;
esac

[[ -z $clients ]] || [[ $baseline_format == mysql && -z $delay && ${#against[@]} == 0 ]] || usage

database=bulkload_bench
baseline_name=${against[0]:-${delay:+loopback}}
baseline_name=${baseline_name:-client}
candidate_name=${clients:+one of $clients}
candidate_name=${candidate_name:-bulkload}
work=$(mktemp -d)
trap 'stop_relay; rm -rf "$work"' EXIT

run_baseline() {
  if [[ -n $delay ]] || ((${#against[@]} > 0)); then
    relay_port='' run_candidate "$@" "${against[@]}"
    return
  fi
  load_by_client "$baseline_file"
}

load_by_client() { client "$database" --execute="LOAD DATA LOCAL INFILE '$1' INTO TABLE $table CHARACTER SET utf8mb4 $baseline_fields"; }

run_candidate() {
  if [[ -n $clients ]]; then
    run_clients
  else
    import_rows "$candidate_file" "${format/gz/csv}" "$database" "$strategy" "$@"
  fi
}

# Only the last one's processor time and memory are measured.
run_clients() {
  local part pids=()
  for part in "${parts[@]::clients-1}"; do
    (timed=() && load_by_client "$part") &
    pids+=($!)
  done
  load_by_client "${parts[-1]}"
  for pid in "${pids[@]}"; do wait "$pid"; done
}

fastest() { awk '{ print $1 }' "$work/$1" | sort -g | head -n 1; }

print_result() {
  local numbers
  echo "pair  baseline_s  candidate_s  ratio"
  paste -d ' ' "$work/baseline" "$work/candidate" | awk '{ printf "%4d %11.3f %12.3f %6.3f\n", NR, $1, $4, $4 / $1 }'
  read -ra numbers < <(paste -d ' ' "$work/baseline" "$work/candidate" | awk '{ print $4 / $1 }' | median)
  # The fastest runs are those that others on the machine have disturbed least.
  printf 'ratio: median %.3f (%.3f to %.3f); of the fastest runs %.3f\n' "${numbers[@]}" \
    "$(awk -v candidate="$(fastest candidate)" -v baseline="$(fastest baseline)" 'BEGIN { print candidate / baseline }')"
  printf '%-9s wall %.3f s, client CPU %.2f s, client memory %.0f MiB (medians)\n' \
    "$baseline_name" "$(column baseline 1)" "$(column baseline 2)" "$(column baseline 3)" \
    "$candidate_name" "$(column candidate 1)" "$(column candidate 2)" "$(column candidate 3)"
}

take_turn
need time time
find_program
[[ -z $delay ]] || build_benchmarks
make_data_set "$rows"
baseline_file=$(data_file "$baseline_format") candidate_file=$(data_file "$format")
if [[ -n $shuffle ]]; then
  make_data_set "$rows" --shuffle
  candidate_file=$(data_file "$format")
fi
start_servers "$servers"
if [[ -n $clients ]]; then
  split -n "l/$clients" "$baseline_file" "$work/part."
  parts=("$work"/part.*)
fi
# So that neither is the first to read its file from the disk.
cat "$baseline_file" "$candidate_file" >/dev/null

for name in $(names_of "$servers"); do
  use_server "$name"
  printf '%s %s, %s rows, %s%s, strategy %s, TLS %s, %s cores, load %s; client: %s\n' "$server" "$server_version" "$rows" "$format" \
    "${shuffle:+ shuffled}${auto_increment:+, no AUTO_INCREMENT}${clients:+, $clients clients}${delay:+, by a route of $delay ms against loopback}" "$strategy" "${tls:-off}" "$(nproc)" "$(cut -d ' ' -f 1 /proc/loadavg)" "$baseline_format"
  make_table "$database" $auto_increment
  if [[ -n $delay ]]; then start_relay "$delay"; fi
  measure_loads 0 "$rows" "$@"
  rm -f "$work/baseline" "$work/candidate"
  for ((pair = 1; pair <= pairs; pair++)); do measure_loads "$pair" "$rows" "$@"; done
  print_result
  stop_relay
done
