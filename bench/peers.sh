#!/usr/bin/env bash
# How long the same job takes by bulkload and by other drivers for .NET in the ways that their users write, start included:
# an import of a CSV file, a delete and an update of every tenth row by its id. In turn, of even rounds in the other order.
# Says too where the table differs from the one that the server's own client makes.
#
#   bench/peers.sh [OPTION...] [-- ARGUMENT...]
#
#   --server mariadb|mysql|all           all
#   --command import|delete|update|all   all
#   --rounds N                           3, after one that doesn't count
#   --rows N                             1000000
#   ARGUMENT                             for bulkload
#
# BULKLOAD_PROGRAM names a program to use instead of publishing one.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

servers=all commands=all rounds=3 rows=$default_rows
while (($#)); do
  case $1 in
    --server) servers=${2:?}; shift 2 ;;
    --command) commands=${2:?}; shift 2 ;;
    --rounds) rounds=${2:?}; shift 2 ;;
    --rows) rows=${2:?}; shift 2 ;;
    --) shift; break ;;
    *) usage ;;
  esac
done
case $commands in
  import | delete | update) ;;
  all) commands='import delete update' ;;
  *) usage ;;
esac

readonly database=bulkload_bench step=10 expected=bench_users_expected
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
changed=$((rows / step)) runs=0

# The build has a folder of its own: other benchmarks are built without the drivers.
build_peers() {
  local output folder=$root/artifacts/peers
  local options=(-c Release --nologo -p:Peers=MySqlConnector+MySql.Data -p:ArtifactsPath="$folder")
  output=$(run_dotnet build "${options[@]}" "$bench/BulkLoad.Benchmarks" 2>&1) || die "$output"
  peers=$folder/bin/BulkLoad.Benchmarks/release/BulkLoad.Benchmarks
}

# ways_of COMMAND: one a line; a driver and its way with a slash between them.
ways_of() {
  echo bulkload
  case $1 in
    import) printf '%s\n' MySqlConnector/{bulk-loader,bulk-copy,inserts} MySql.Data/{bulk-loader,inserts} ;;
    delete) printf '%s\n' {MySqlConnector,MySql.Data}/in-list ;;
    update) printf '%s\n' MySqlConnector/{staged,batch} MySql.Data/staged ;;
  esac
}

# The table before a run, and the file that the run reads; an update writes other values each time.
prepare() {
  runs=$((runs + 1)) input=$work/input
  case $command in
    import)
      input=$(data_file csv)
      client "$database" --execute="SET foreign_key_checks = 0; TRUNCATE TABLE $table"
      ;;
    delete)
      client "$database" --execute="INSERT IGNORE INTO $table SELECT * FROM $expected WHERE id % $step = 0"
      awk -v rows="$rows" -v step="$step" 'BEGIN { for (id = step; id <= rows; id += step) print id }' >"$input"
      ;;
    update)
      awk -v rows="$rows" -v step="$step" -v run="$runs" \
        'BEGIN { print "id\tage\tname"; for (id = step; id <= rows; id += step) print id "\t" (id + run) % 90 "\tname " run " of " id }' \
        >"$input"
      ;;
  esac
}

# run_way WAY [ARGUMENT...]
run_way() {
  local way=$1 what=(--ids "$input" --yes)
  shift
  if [[ $way != bulkload ]]; then
    "${timed[@]}" "$peers" peer-job --driver "${way%/*}" --way "${way#*/}" --command "$command" --file "$input" \
      --host "$server_host" --port "$server_port" --user "$server_user" --database "$database" --table "$table"
  elif [[ $command == import ]]; then
    import_rows "$input" csv "$database" auto "$@"
  else
    [[ $command == delete ]] || what=("$input" --format tsv)
    "${timed[@]}" "$program" "$command" "${what[@]}" --table "$table" --reload \
      -h "$server_host" -P "$server_port" -u "$server_user" -D "$database" --no-defaults --ssl-mode=disabled --get-server-public-key "$@"
  fi
}

count_done() {
  case $command in
    import) count_rows "$database" ;;
    delete) echo $((rows - $(count_rows "$database"))) ;;
    update) client "$database" --execute="SELECT COUNT(*) FROM $table
      WHERE name = CONCAT('name $runs of ', id) AND age = (id + $runs) % 90" ;;
  esac
}

# measure WAY [ARGUMENT...]: one run; adds "seconds CPU-seconds MiB" to its file. A driver that fails is left out from then on.
measure() {
  local way=$1 file=$work/${1/\//.} start seconds found due=$changed
  [[ ! -e $file.failed ]] || return 0
  [[ $command != import ]] || due=$rows
  prepare
  start=$EPOCHREALTIME
  if ! with_time "$work/time" run_way "$@" >"$work/output" 2>&1; then
    [[ $way != bulkload ]] || { cat "$work/output" >&2; die "$server: bulkload failed"; }
    # The innermost exception says why.
    awk '/^Unhandled exception|^ *---> / { reason = $0 } END { print reason ? reason : $0 }' "$work/output" >"$file.failed"
    return
  fi
  seconds=$(seconds_since "$start")
  found=$(count_done)
  if [[ $found != "$due" ]]; then
    [[ $way != bulkload ]] || { cat "$work/output" >&2; die "$server: bulkload did $found rows of $due"; }
    printf '%s rows of %s; it said: %s\n' "$found" "$due" "$(tail -n 1 "$work/output")" >"$file.failed"
    return
  fi
  awk -v seconds="$seconds" '{ print seconds, $1 + $2, $3 / 1024 }' "$work/time" >>"$file"
}

# compare WAY: what of the table differs from the expected one.
compare() {
  local file=$work/${1/\//.} column found differences=()
  if [[ $command != import ]]; then
    echo 'every row checked' >"$file.contents"
    return
  fi
  if [[ $(checksum "$database" "$table") == "$expected_sum" ]]; then
    echo 'as expected' >"$file.contents"
    return
  fi
  for column in name age email score created; do
    found=$(client "$database" --execute="SELECT COUNT(*) FROM $table t JOIN $expected e USING (id)
      WHERE NOT CAST(t.$column AS BINARY) <=> CAST(e.$column AS BINARY)")
    [[ $found == 0 ]] || differences+=("$column in $found rows")
  done
  found=$(printf '%s, ' "${differences[@]:-other ids}")
  printf 'DIFFERS: %s; it said: %s\n' "${found%, }" "$(tail -n 1 "$work/output")" >"$file.contents"
}

print_result() {
  local way file base
  base=$(column bulkload 1)
  printf '%-28s %10s %8s %8s %8s  %s\n' way seconds ratio CPU_s MiB contents
  for way in "${ways[@]}"; do
    file=${way/\//.}
    if [[ -e $work/$file.failed ]]; then
      printf '%-28s FAILED: %s\n' "$way" "$(cat "$work/$file.failed")"
      continue
    fi
    awk -v way="$way" -v seconds="$(column "$file" 1)" -v base="$base" -v cpu="$(column "$file" 2)" -v memory="$(column "$file" 3)" \
      '{ printf "%-28s %10.3f %8.2f %8.2f %8.0f  %s\n", way, seconds, seconds / base, cpu, memory, $0 }' "$work/$file.contents"
  done
}

take_turn
need time time
find_program
build_peers
make_data_set "$rows"
start_servers "$servers"
# So that nobody is the first to read it from the disk.
cat "$(data_file csv)" >/dev/null

for name in $(names_of "$servers"); do
  use_server "$name"
  make_table "$database"
  load_expected "$database"
  client "$database" --execute="DROP TABLE IF EXISTS $expected; CREATE TABLE $expected LIKE $table;
    INSERT INTO $expected SELECT * FROM $table"
  expected_sum=$(checksum "$database" "$expected")
  for command in $commands; do
    # A delete or an update begins with the whole table, whatever was done to it before.
    [[ $command == import ]] ||
      client "$database" --execute="SET foreign_key_checks = 0; TRUNCATE TABLE $table; INSERT INTO $table SELECT * FROM $expected"
    printf '%s %s, %s of %s rows, %s rounds, %s cores, load %s\n' "$server" "$server_version" "$command" \
      "$([[ $command == import ]] && echo "$rows" || echo "$changed of $rows")" "$rounds" "$(nproc)" "$(cut -d ' ' -f 1 /proc/loadavg)"
    mapfile -t ways < <(ways_of "$command")
    find "$work" -mindepth 1 -delete
    for way in "${ways[@]}"; do
      measure "$way" "$@"
      [[ -e $work/${way/\//.}.failed ]] || { compare "$way"; rm -f "$work/${way/\//.}"; }
    done
    for ((round = 1; round <= rounds; round++)); do
      order=("${ways[@]}")
      ((round % 2)) || mapfile -t order < <(printf '%s\n' "${ways[@]}" | tac)
      for way in "${order[@]}"; do measure "$way" "$@"; done
    done
    print_result
    echo
  done
  client "$database" --execute="DROP TABLE $expected"
done
