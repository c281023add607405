#!/usr/bin/env bash
# The most memory that `bulkload import -` holds while 2 GB of CSV come through a pipe.
#
#   bench/memory.sh [--rows N] [--server mariadb|mysql] [--strategy NAME] [--limit MIB] [--against-client] [-- ARGUMENT...]
#
#   --rows       26000000: about 2 GB; the server's table takes about 3 GB more, until it is dropped at the end
#   --server     mariadb
#   --strategy   auto
#   --limit      120; beyond it the exit code is 1
#   --against-client  also how long the server's own client takes for the same pipe, before it
#   ARGUMENT     for bulkload
#
# BULKLOAD_PROGRAM names a program to use instead of publishing one.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

rows=26000000 name=mariadb strategy=auto limit=120 against_client=''
while (($#)); do
  case $1 in
    --rows) rows=${2:?}; shift 2 ;;
    --server) name=${2:?}; shift 2 ;;
    --strategy) strategy=${2:?}; shift 2 ;;
    --limit) limit=${2:?}; shift 2 ;;
    --against-client) against_client=on; shift ;;
    --) shift; break ;;
    *) usage ;;
  esac
done

database=bulkload_memory
work=$(mktemp -d)
cleanup() {
  rm -rf "$work"
  # The disk space back, however this ends.
  [[ -z ${server:-} ]] || client --execute="DROP DATABASE IF EXISTS $database"
}
trap cleanup EXIT

take_turn
need time time
find_program
build_dataset
make_data_set 1000 # for its table.sql
start_servers "$name"
use_server "$name"
make_table "$database"

check_count() {
  local found
  found=$(count_rows "$database")
  [[ $found == "$rows" ]] || die "$found rows in the table, of $rows"
}

if [[ -n $against_client ]]; then
  start=$EPOCHREALTIME
  dataset --rows "$rows" --stdout csv | client "$database" --execute="LOAD DATA LOCAL INFILE '/dev/stdin' INTO TABLE $table CHARACTER SET utf8mb4
    FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '\"' ESCAPED BY '' IGNORE 1 LINES"
  printf 'the client: %.0f s\n' "$(seconds_since "$start")"
  check_count
  client "$database" --execute="TRUNCATE TABLE $table"
fi

start=$EPOCHREALTIME
dataset --rows "$rows" --stdout csv | tee >(wc -c >"$work/bytes") | with_time "$work/time" import_rows - csv "$database" "$strategy" "$@" >"$work/output" 2>&1 ||
  { cat "$work/output" >&2; die "the import failed"; }
seconds=$(seconds_since "$start")
check_count

awk -v server="$server $server_version" -v rows="$rows" -v bytes="$(cat "$work/bytes")" -v seconds="$seconds" -v limit="$limit" '{
  mib = $3 / 1024
  printf "%s: %d rows, %.2f GB of CSV through a pipe in %.0f s: at most %.1f MiB resident (limit %d), CPU %.1f s\n",
    server, rows, bytes / 1e9, seconds, mib, limit, $1 + $2
  exit mib > limit
}' "$work/time"
