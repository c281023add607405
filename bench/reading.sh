#!/usr/bin/env bash
# How long a check without keys takes, which reads and judges all and sends nothing: on all cores, and on one. Medians of interleaved runs
# of the whole program.
#
#   bench/reading.sh [OPTION...]
#
#   --rows N[,N...]    1000000; of several, how the time grows: the exponent of the rows
#   --runs N           9
#   --base PROGRAM     another program that is measured beside it, on all cores and on one
#   --duckdb           DuckDB's reader too: a query that needs all values, in a process that is there already; on all cores and on one
#
# BULKLOAD_PROGRAM names a program to use instead of publishing one.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

counts=$default_rows runs=9 base='' duckdb=''
while (($#)); do
  case $1 in
    --rows) counts=${2:?}; shift 2 ;;
    --runs) runs=${2:?}; shift 2 ;;
    --base) base=${2:?}; shift 2 ;;
    --duckdb) duckdb=on; shift ;;
    *) usage ;;
  esac
done

# timed_check NAME COMMAND...: adds "seconds CPU-seconds MiB" of a check by that program to the file of that name.
timed_check() {
  local file=$work/$1 start seconds
  shift
  start=$EPOCHREALTIME
  "$(type -P time)" -o "$work/time" -f '%U %S %M' "$@" check "$input" --table "$table" --no-defaults --ssl-mode=disabled \
    --get-server-public-key -h "$server_host" -P "$server_port" -u "$server_user" -D bulkload_reading >"$work/output" 2>&1 \
    || { cat "$work/output" >&2; die "failed: $*"; }
  seconds=$(seconds_since "$start")
  awk -v seconds="$seconds" '{ print seconds, $1 + $2, $3 / 1024 }' "$work/time" >>"$file"
}

# timed_query NAME THREADS: adds "seconds CPU-seconds" of a query by DuckDB.
timed_query() {
  local found seconds cpu
  echo "$2" >&"${reader[1]}"
  read -r found seconds cpu <&"${reader[0]}"
  [[ $found == "$rows" ]] || die "DuckDB read $found rows of $rows"
  echo "$seconds $cpu 0" >>"$work/$1"
}

# tell NAME WHAT
tell() {
  local seconds low high
  read -r seconds low high < <(awk '{ print $1 }' "$work/$1" | median)
  printf '%-24s %.3f s (%.3f to %.3f), CPU %.3f s, %.0f MiB\n' "$2" "$seconds" "$low" "$high" "$(column "$1" 2)" "$(column "$1" 3)"
}

# ratio NAME OTHER WHAT
ratio() { awk -v a="$(column "$1" 1)" -v b="$(column "$2" 1)" -v what="$3" 'BEGIN { printf "%.2f %s\n", a / b, what }'; }

# A build of its own: other benchmarks are built without DuckDB.
build_reader() {
  local output folder=$root/artifacts/peers
  output=$(run_dotnet build -c Release --nologo -p:Peers=DuckDB.NET.Data.Full -p:ArtifactsPath="$folder" "$bench/BulkLoad.Benchmarks" 2>&1) \
    || die "$output"
  reader_program=$folder/bin/BulkLoad.Benchmarks/release/BulkLoad.Benchmarks
}

measure() {
  local run
  input=$(data_file csv)
  cat "$input" >/dev/null
  rm -f "$work"/{all,one,base,base-one,duckdb,duckdb-one}
  if [[ -n $duckdb ]]; then
    coproc reader { "$reader_program" duckdb-read "$input" 9>&-; }
    timed_query warm "$(nproc)"
  fi
  for ((run = 0; run < runs; run++)); do
    [[ -z $base ]] || timed_check base "$base"
    timed_check all "$program"
    [[ -z $duckdb ]] || timed_query duckdb "$(nproc)"
    [[ -z $base ]] || timed_check base-one taskset -c 0 "$base"
    timed_check one taskset -c 0 "$program"
    [[ -z $duckdb ]] || timed_query duckdb-one 1
  done
  printf '%s rows, %s cores, load %s\n' "$rows" "$(nproc)" "$(cut -d ' ' -f 1 /proc/loadavg)"
  tell all 'all cores'
  tell one 'one core'
  ratio one all 'times as fast on all cores as on one'
  if [[ -n $base ]]; then
    tell base 'the other program'
    tell base-one 'the other, one core'
    ratio all base 'of its time on all cores'
    ratio one base-one 'of its time on one'
  fi
  if [[ -n $duckdb ]]; then
    tell duckdb 'DuckDB, all cores'
    tell duckdb-one 'DuckDB, one thread'
    ratio all duckdb "of DuckDB's time on all cores"
    ratio one duckdb-one 'of it on one'
    eval "exec ${reader[1]}>&-"
    wait "$reader_PID" || true
  fi
  echo "$rows $(column all 1) $(column one 1)" >>"$work/growth"
}

take_turn
need time time
find_program
[[ -z $duckdb ]] || build_reader
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
start_servers mariadb
use_server mariadb
client --execute="DROP DATABASE IF EXISTS bulkload_reading"
for rows in ${counts//,/ }; do
  # Large ones in one format alone.
  formats=()
  [[ $rows == "$default_rows" ]] || formats=(--formats csv)
  make_data_set "$rows" "${formats[@]}"
  make_table bulkload_reading
  client bulkload_reading --execute="ALTER TABLE $table MODIFY id BIGINT NOT NULL, DROP PRIMARY KEY"
  measure
done
if [[ $counts == *,* ]]; then
  # The slope of the least squares between the logarithms.
  awk '{ x = log($1); n++; sx += x; sxx += x * x; for (i = 2; i <= 3; i++) { y = log($i); sy[i] += y; sxy[i] += x * y } }
    END { for (i = 2; i <= 3; i++) printf "%s: the time grows with the rows to the power of %.3f\n", i == 2 ? "all cores" : "one core",
      (n * sxy[i] - sx * sy[i]) / (n * sxx - sx * sx) }' "$work/growth"
fi
client --execute='DROP DATABASE bulkload_reading'
