# shellcheck shell=bash
# What the scripts of this folder share. Sourced after `set -euo pipefail`.

bench=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname -- "$bench")
export LC_ALL=C
# shellcheck source=../eng/need.sh
. "$root/eng/need.sh"

# A set of its own: the tests fill and throttle theirs, and measurements want a buffer pool that holds the whole table.
export BULKLOAD_SERVERS_NAME=${BULKLOAD_SERVERS_NAME:-bench}
export BULKLOAD_INNODB_BUFFER_POOL=${BULKLOAD_INNODB_BUFFER_POOL:-2G}

readonly seed=20261 table=bench_users
readonly data_root=${BULKLOAD_BENCH_DATA:-${TMPDIR:-/tmp}/bulkload-data}
readonly default_rows=1000000

say() { printf '%s: %s\n' "$(basename -- "$0")" "$*" >&2; }
die() { say "$*"; exit 1; }

# The comment at the head of the script is its help.
usage() {
  sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" >&2
  exit 2
}

# One measurement at a time: two would disturb each other, and share tables and data sets.
take_turn() {
  mkdir -p "$data_root"
  exec 9>"$data_root/lock"
  flock -n 9 && return
  say "waiting for another measurement to end"
  flock 9
}

# The compiler's servers outlive the script, and must not inherit its lock.
run_dotnet() { dotnet "$@" 9>&-; }

# start_servers mariadb|mysql|all: they stay up, for the next script.
start_servers() {
  local assignments
  assignments=$("$root/eng/servers.sh" start "$1")
  eval "$assignments"
}

# names_of mariadb|mysql|all
names_of() {
  case $1 in
    mariadb | mysql) echo "$1" ;;
    all) echo mariadb mysql ;;
    *) die "unknown server '$1': mariadb, mysql or all" ;;
  esac
}

# use_server mariadb|mysql: chooses the server for all functions below.
use_server() {
  local prefix=BULKLOAD_TEST_${1^^} name
  for name in host port user version; do
    local variable=${prefix}_${name^^}
    printf -v "server_$name" %s "${!variable}"
  done
  server=$1
  local password=${prefix}_PASSWORD
  # Not an argument: those are for everybody to read.
  export MYSQL_PWD=${!password}
}

tls='' timed=()

# The server's own client over TCP; MariaDB's talks to both.
client() {
  local ssl=--skip-ssl
  [[ -z $tls ]] || ssl=--ssl
  "${timed[@]}" mariadb --no-defaults --protocol=tcp --host="$server_host" --port="$server_port" --user="$server_user" "$ssl" \
    --local-infile=1 --batch --skip-column-names "$@"
}

# Sets program, to the bulkload in BULKLOAD_PROGRAM or to one published now: an old one would give old numbers.
find_program() {
  program=${BULKLOAD_PROGRAM:-}
  if [[ -z $program ]]; then
    program=$root/artifacts/publish/bulkload/bulkload
    "$root/eng/publish.sh" "${program%/*}" 9>&- >&2
  fi
  [[ -x $program ]] || die "no program at $program"
}

# import_rows FILE|- FORMAT DATABASE STRATEGY [MORE...]: the one place that knows bulkload's command line. By the relay, if one is started.
import_rows() {
  local file=$1 format=$2 database=$3 strategy=$4 options=(--no-defaults --ssl-mode=disabled --get-server-public-key)
  shift 4
  [[ -z $tls ]] || options=(--no-defaults --ssl-mode=required)
  # Without a ledger there is nothing to do again, and a full refresh does everything in any case.
  [[ " $* " == *' --no-ledger '* || " $* " == *' --full-refresh '* ]] || options+=(--reload)
  "${timed[@]}" "$program" import "$file" --format "$format" --table "$table" --strategy "$strategy" \
    -h "$server_host" -P "${relay_port:-$server_port}" -u "$server_user" -D "$database" "${options[@]}" "$@"
}

# with_time FILE COMMAND...: FILE gets the user seconds, system seconds and KiB of memory of the program that client or import_rows starts.
with_time() {
  local timed=("$(type -P time)" -o "$1" -f '%U %S %M')
  shift
  "$@"
}

# make_data_set ROWS [--shuffle] [--formats LIST]: sets data to its folder, filled anew if the rows or the generator have changed.
make_data_set() {
  local rows=$1 stamp
  shift
  data=$data_root
  [[ $rows == "$default_rows" ]] || data+=/rows-$rows
  [[ $* != *--shuffle* ]] || data+=/shuffled
  stamp="$rows $seed $* $(cat "$bench"/BulkLoad.DataSet/*.cs | sha256sum)"
  [[ $(cat "$data/stamp" 2>/dev/null) == "$stamp" ]] && return
  say "writing $rows rows to $data"
  mkdir -p "$data"
  rm -f "$data/stamp"
  build_dataset
  dataset --rows "$rows" --table "$table" --out "$data" "$@"
  printf '%s\n' "$stamp" >"$data/stamp"
}

build_dataset() {
  local output
  output=$(run_dotnet build -c Release --nologo "$root/bench/BulkLoad.DataSet" 2>&1) || die "$output"
}

dataset() { "$root/artifacts/bin/BulkLoad.DataSet/release/dataset" --seed "$seed" "$@"; }

# data_file FORMAT: the file in $data.
data_file() {
  case $1 in
    csv | tsv | jsonl) echo "$data/$table.$1" ;;
    mysql) echo "$data/$table.mysql.txt" ;;
    gz) echo "$data/$table.csv.gz" ;;
    *) die "unknown format '$1': csv, tsv, mysql, jsonl or gz" ;;
  esac
}

# make_table DATABASE [--no-auto-increment]
make_table() {
  client --execute="CREATE DATABASE IF NOT EXISTS $1"
  if [[ ${2:-} == --no-auto-increment ]]; then
    sed 's/ AUTO_INCREMENT//' "$data/table.sql"
  else
    cat "$data/table.sql"
  fi | client "$1"
}

# load_expected DATABASE: fills the table by the server's own client, which must have nothing to say about it.
load_expected() {
  local warnings
  warnings=$(cd "$data" && client "$1" <load-expected.sql)
  [[ $warnings == 0 ]] || die "$server: the expected table was loaded with $warnings warnings"
}

count_rows() { client "$1" --execute="SELECT COUNT(*) FROM $table"; }

# checksum DATABASE TABLE: "ROWS SHA256", the same on both servers for the same rows whatever order they came in.
# In the client: the servers share no function for it (MySQL 9.7 has no MD5), and their expressions write a DOUBLE
# differently (1.5e-9 or 0.0000000015), while their result sets have the same shortest text that is read back exactly.
checksum() {
  local columns key rows sum
  columns=$(client --execute="
    SELECT IF(CHARACTER_SET_NAME IS NOT NULL OR DATA_TYPE LIKE '%binary' OR DATA_TYPE LIKE '%blob' OR DATA_TYPE = 'bit',
      CONCAT('HEX(\`', COLUMN_NAME, '\`)'), CONCAT('\`', COLUMN_NAME, '\`'))
    FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = '$1' AND TABLE_NAME = '$2' ORDER BY ORDINAL_POSITION" | paste -sd ,)
  [[ -n $columns ]] || die "$server: no table $1.$2"
  key=$(client --execute="
    SELECT CONCAT('\`', COLUMN_NAME, '\`') FROM information_schema.STATISTICS
    WHERE TABLE_SCHEMA = '$1' AND TABLE_NAME = '$2' AND INDEX_NAME = 'PRIMARY' ORDER BY SEQ_IN_INDEX" | paste -sd ,)
  [[ -n $key ]] || die "$server: $1.$2 has no primary key to put its rows in order"
  rows=$(client "$1" --execute="SELECT COUNT(*) FROM \`$2\`")
  sum=$(client --quick "$1" --execute="SELECT $columns FROM \`$2\` ORDER BY $key" | sha256sum)
  printf '%s %s\n' "$rows" "${sum%% *}"
}

# seconds_since EPOCHREALTIME
seconds_since() { awk -v from="$1" -v to="$EPOCHREALTIME" 'BEGIN { printf "%.3f", to - from }'; }

# One number a line in; median, minimum and maximum out.
median() {
  sort -g | awk '{ n[NR] = $1 } END { print (n[int((NR + 1) / 2)] + n[int(NR / 2) + 1]) / 2, n[1], n[NR] }'
}

# column FILE N: the median of a column of the measurements in $work.
column() { awk -v n="$2" '{ print $n }' "$work/$1" | median | cut -d ' ' -f 1; }

# measure_loads PAIR EXPECTED [ARGUMENT...]: runs run_baseline and run_candidate, of odd pairs in this order, of even ones in the other.
measure_loads() {
  if (($1 % 2)); then
    measure_load baseline "${@:2}"
    measure_load candidate "${@:2}"
  else
    measure_load candidate "${@:2}"
    measure_load baseline "${@:2}"
  fi
}

# measure_load baseline|candidate EXPECTED [ARGUMENT...]: one run into the empty table, which must have so many rows then; adds "seconds CPU-seconds MiB" to its file in $work.
measure_load() {
  local what=$1 expected=$2 start seconds found
  shift 2
  client "$database" --execute="SET foreign_key_checks = 0; TRUNCATE TABLE $table"
  start=$EPOCHREALTIME
  with_time "$work/time" "run_$what" "$@" >"$work/output" 2>&1 || { cat "$work/output" >&2; die "$server: the run of the $what failed"; }
  seconds=$(seconds_since "$start")
  found=$(count_rows "$database")
  [[ $found == "$expected" ]] || { cat "$work/output" >&2; die "$server: the $what loaded $found rows of $expected"; }
  awk -v seconds="$seconds" '{ print seconds, $1 + $2, $3 / 1024 }' "$work/time" >>"$work/$what"
}

build_benchmarks() {
  local output
  output=$(run_dotnet build -c Release --nologo "$bench/BulkLoad.Benchmarks" 2>&1) || die "$output"
  benchmarks=$root/artifacts/bin/BulkLoad.Benchmarks/release/BulkLoad.Benchmarks
}

relay_pid='' relay_port=''

# start_relay MS|swallow: sets relay_port, a port that leads to the server by a route of that round trip, or without the rows of LOAD DATA.
start_relay() {
  local file options=(--delay-ms "$1")
  [[ $1 != swallow ]] || options=(--swallow)
  file=$(mktemp)
  "$benchmarks" relay --port "$server_port" "${options[@]}" >"$file" 9>&- &
  relay_pid=$!
  until relay_port=$(grep . "$file"); do
    kill -0 "$relay_pid" 2>/dev/null || die "the relay did not start"
    sleep 0.1
  done
  rm -f "$file"
}

stop_relay() {
  [[ -z $relay_pid ]] || kill "$relay_pid"
  relay_pid='' relay_port=''
}
