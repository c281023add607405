#!/usr/bin/env bash
# How long `bulkload seed reset` takes: of samples/chinook after 20 random changes and after none; of half a million rows over 20 tables
# after changes in 5 of them and after none; and 200 small tests that write, each with the tables as seeded: by `seed reset --serve`, by a
# dump that the server's own client loads before each, and by a transaction that is rolled back.
#
#   bench/reset.sh [--runs N] [--server mariadb|mysql|all]     (21 runs, all)
#
# BULKLOAD_PROGRAM names a program to use instead of publishing one.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

runs=21 servers=all
while (($#)); do
  case $1 in
    --runs) runs=${2:?} ;;
    --server) servers=${2:?} ;;
    *) usage ;;
  esac
  shift 2
done
names=$(names_of "$servers")
database=bulkload_reset_test tests=200 tables=20 rows=25000
TIMEFORMAT=%R

take_turn
find_program
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
RANDOM=1

run() {
  "$program" "$@" --no-defaults --ssl-mode=disabled --get-server-public-key -h "$server_host" -P "$server_port" -u "$server_user" -D "$database"
}

changes() {
  local i
  for ((i = 0; i < $1; i++)); do
    case $((RANDOM % 4)) in
      0) echo "UPDATE tracks SET name = CONCAT(name, '!') WHERE id = $((1 + RANDOM % 3500));" ;;
      1) echo "INSERT INTO playlists (id, name) VALUES ($((1000 + RANDOM)), 'new') ON DUPLICATE KEY UPDATE name = 'again';" ;;
      2) echo "DELETE FROM invoice_lines WHERE id = $((1 + RANDOM % 2240));" ;;
      3) echo "UPDATE customers SET city = 'elsewhere' WHERE id = $((1 + RANDOM % 60));" ;;
    esac
  done
}

# reset_into FILE: one reset by the program that serves; its own milliseconds.
reset_into() {
  local answer
  echo reset >&"${serve[1]}"
  read -r answer <&"${serve[0]}"
  [[ $answer == '{"ok":true,'* ]] || die "$answer"
  sed 's/.*"ms":\([0-9.]*\).*/\1/' <<<"$answer" >>"$work/$1"
}

# tell FILE WHAT: milliseconds
tell() {
  local middle low high
  read -r middle low high < <(median <"$work/$1")
  awk -v what="$2" -v m="$middle" -v low="$low" -v high="$high" 'BEGIN { printf "%-72s %8.1f ms (%.1f to %.1f)\n", what, m, low, high }'
}

serving() {
  coproc serve { run seed reset --serve; }
}

end_serving() {
  local pid=$serve_PID
  exec {serve[1]}>&-
  wait "$pid"
}

start_servers "$servers"
for name in $names; do
  use_server "$name"
  rm -f "$work"/{touched,looked,large,large_looked}
  client --execute="DROP DATABASE IF EXISTS $database; DROP DATABASE IF EXISTS ${database}_bulkload; CREATE DATABASE $database"
  run seed "$root/samples/chinook" --schema "$root/samples/chinook/schema.sql" --for-reset --quiet
  client_dump=$work/dump.sql
  mariadb-dump --no-defaults --protocol=tcp --host="$server_host" --port="$server_port" --user="$server_user" --skip-ssl --no-tablespaces "$database" >"$client_dump" 2>"$work/errors" || die "$(cat "$work/errors")"
  serving
  for ((i = 0; i < runs; i++)); do
    client "$database" < <(changes 20)
    reset_into touched
    reset_into looked
  done
  tell touched "$name $server_version: samples/chinook, reset after 20 changes"
  tell looked "$name $server_version: samples/chinook, reset after no change"

  mkfifo "$work/sql"
  client "$database" --unbuffered <"$work/sql" >"$work/answers" & client_pid=$!
  exec 8>"$work/sql"
  small_test() { { changes 5; echo "SELECT 'done';"; } >&8; until [[ $(wc -l <"$work/answers") -ge $1 ]]; do sleep 0.0005; done; }
  count=0
  by_reset() { for ((i = 0; i < tests; i++)); do small_test $((++count)); reset_into serve_ms; done; }
  by_rollback() { for ((i = 0; i < tests; i++)); do echo 'START TRANSACTION;' >&8; small_test $((++count)); echo 'ROLLBACK;' >&8; done; }
  by_dump() { for ((i = 0; i < tests / 10; i++)); do small_test $((++count)); client "$database" <"$client_dump"; done; }
  reset_time=$({ time by_reset; } 2>&1)
  count=$tests
  rollback_time=$({ time by_rollback; } 2>&1)
  count=$((2 * tests))
  dump_time=$({ time by_dump; } 2>&1)
  exec 8>&-
  wait "$client_pid"
  rm "$work/sql" "$work/answers"
  end_serving
  awk -v name="$name" -v t="$tests" -v a="$reset_time" -v b="$rollback_time" -v c="$dump_time" 'BEGIN {
    printf "%s: %d small tests: seed reset --serve %.2f s, rolled back %.2f s, dump before each %.1f s (of %d, times 10)\n", name, t, a, b, 10 * c, t / 10 }'

  client --execute="DROP DATABASE $database; DROP DATABASE ${database}_bulkload; CREATE DATABASE $database"
  for ((i = 0; i < tables; i++)); do
    echo "CREATE TABLE t$i (id INT PRIMARY KEY, name VARCHAR(60) NOT NULL, amount DECIMAL(10,2), made DATETIME);"
    echo "INSERT INTO t$i WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $rows) SELECT i, CONCAT('name ', i), i / 3, '2024-01-01' FROM n;"
  done >"$work/large.sql"
  client "$database" --init-command="SET SESSION $([[ $name == mysql ]] && echo cte_max_recursion_depth || echo max_recursive_iterations)=1000000" <"$work/large.sql"
  mkdir -p "$work/none"
  echo 'id,name,amount,made' >"$work/none/t0.csv"
  run seed "$work/none" --for-reset --quiet
  sleep 2
  serving
  for ((i = 0; i < runs; i++)); do
    reset_into large_looked
    client "$database" --execute="$(for t in 1 4 7 11 19; do echo "UPDATE t$t SET name = 'x' WHERE id = $((1 + RANDOM % rows)); DELETE FROM t$t WHERE id = $((1 + RANDOM % rows));"; done)"
    reset_into large
  done
  end_serving
  tell large "$name $server_version: 500,000 rows in 20 tables, reset after changes in 5"
  tell large_looked "$name $server_version: 500,000 rows in 20 tables, reset after no change"
  client --execute="DROP DATABASE $database; DROP DATABASE ${database}_bulkload"
done
