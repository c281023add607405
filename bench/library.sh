#!/usr/bin/env bash
# How long a load of objects takes in a .NET process that is warm: by the library, and by MySqlConnector and linq2db in the ways that their
# users write; beside the program's import of the same rows as CSV. In turn, of even rounds in the other order. Says too how many bytes a
# row are allocated beyond the objects, and where the table differs from the one that the server's own client makes.
#
#   bench/library.sh [OPTION...]
#
#   --server mariadb|mysql|all   all
#   --rounds N                   5, after two that don't count
#   --rows N                     1000000
#   --own                        without the other libraries
#
# BULKLOAD_PROGRAM names a program to use instead of publishing one.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

servers=all rounds=5 rows=$default_rows own=''
while (($#)); do
  case $1 in
    --server) servers=${2:?}; shift 2 ;;
    --rounds) rounds=${2:?}; shift 2 ;;
    --rows) rows=${2:?}; shift 2 ;;
    --own) own=on; shift ;;
    *) usage ;;
  esac
done

database=bulkload_bench
readonly warm_rounds=2
ways=(import BulkLoad/objects BulkLoad/rejects BulkLoad/stream)
[[ -n $own ]] || ways+=(MySqlConnector/bulk-copy linq2db/provider linq2db/rows)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The build has a folder of its own: other benchmarks are built without the libraries.
build_loads() {
  local output folder=$root/artifacts/peers
  output=$(run_dotnet build -c Release --nologo -p:Peers=MySqlConnector+linq2db -p:ArtifactsPath="$folder" "$bench/BulkLoad.Benchmarks" 2>&1) \
    || die "$output"
  loads=$folder/bin/BulkLoad.Benchmarks/release/BulkLoad.Benchmarks
}

# measure WAY: one run into the empty table; adds "seconds CPU-seconds bytes-a-row" to its file. A library that fails is left out from then on.
measure() {
  local way=$1 file=$work/${1/\//.} start found seconds cpu bytes
  [[ ! -e $file.failed ]] || return 0
  client "$database" --execute="SET foreign_key_checks = 0; TRUNCATE TABLE $table"
  if [[ $way == import ]]; then
    start=$EPOCHREALTIME
    with_time "$work/time" import_rows "$(data_file csv)" csv "$database" auto --no-ledger >"$work/output" 2>&1 \
      || { cat "$work/output" >&2; die "$server: the import failed"; }
    seconds=$(seconds_since "$start")
    awk -v seconds="$seconds" '{ print seconds, $1 + $2, 0 }' "$work/time" >>"$file"
    return
  fi
  [[ -n ${loader_PID:-} ]] || start_loader
  echo "$way" >&"${loader[1]}"
  if ! read -r found seconds cpu bytes <&"${loader[0]}" || [[ $found != "$rows" ]]; then
    [[ $way != BulkLoad/* ]] || { cat "$work/loader" >&2; die "$server: $way failed"; }
    echo "${found:+$found rows; }$(awk '/^Unhandled exception|^ *---> / { reason = $0 } END { print reason }' "$work/loader")" >"$file.failed"
    return
  fi
  echo "$seconds $cpu $bytes" >>"$file"
}

start_loader() {
  coproc loader { "$loads" library --host "$server_host" --port "$server_port" --user "$server_user" --database "$database" \
    --table "$table" --file "$(data_file jsonl)" 9>&- 2>"$work/loader"; }
}

stop_loader() {
  [[ -n ${loader_PID:-} ]] || return 0
  local pid=$loader_PID
  eval "exec ${loader[1]}>&-"
  wait "$pid" || true
}

# compare WAY: whether the table is the expected one now.
compare() {
  [[ ! -e $work/${1/\//.}.failed ]] || return 0
  if [[ $(checksum "$database" "$table") == "$expected_sum" ]]; then echo 'as expected'; else echo DIFFERS; fi >"$work/${1/\//.}.contents"
}

print_result() {
  local way file base
  base=$(column import 1)
  printf '%-28s %10s %8s %22s %8s %12s  %s\n' way seconds ratio '(lowest to highest)' CPU_s bytes/row contents
  for way in "${ways[@]}"; do
    file=${way/\//.}
    if [[ -e $work/$file.failed ]]; then
      printf '%-28s FAILED: %s\n' "$way" "$(cat "$work/$file.failed")"
      continue
    fi
    # The ratio is that of the rounds: what disturbs one of them disturbs all of its ways.
    paste -d ' ' "$work/$file" "$work/import" | awk '{ print $1 / $4 }' | median | {
      read -r ratio low high
      printf '%-28s %10.3f %8.3f %22s %8.2f %12.1f  %s\n' "$way" "$(column "$file" 1)" "$ratio" \
        "($(printf '%.3f to %.3f' "$low" "$high"))" "$(column "$file" 2)" "$(column "$file" 3)" "$(cat "$work/$file.contents")"
    }
  done
}

take_turn
need time time
find_program
build_loads
make_data_set "$rows"
start_servers "$servers"
# So that nobody is the first to read it from the disk.
cat "$(data_file csv)" >/dev/null

for name in $(names_of "$servers"); do
  use_server "$name"
  make_table "$database"
  load_expected "$database"
  expected_sum=$(checksum "$database" "$table")
  find "$work" -mindepth 1 -delete
  for ((round = 1; round <= warm_rounds; round++)); do
    for way in "${ways[@]}"; do
      measure "$way"
      ((round > 1)) || compare "$way"
      rm -f "$work/${way/\//.}"
    done
  done
  printf '%s %s, %s rows, %s rounds, %s cores, load %s\n' "$server" "$server_version" "$rows" "$rounds" "$(nproc)" \
    "$(cut -d ' ' -f 1 /proc/loadavg)"
  for ((round = 1; round <= rounds; round++)); do
    order=("${ways[@]}")
    ((round % 2)) || mapfile -t order < <(printf '%s\n' "${ways[@]}" | tac)
    for way in "${order[@]}"; do measure "$way"; done
  done
  stop_loader
  print_result
  echo
done
