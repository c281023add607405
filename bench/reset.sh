#!/usr/bin/env bash
# How long `bulkload seed reset` takes: of samples/chinook after 20 random changes and after none; of half a million rows over 20 tables
# after changes in 5 of them and after none; beside loading a dump again, and emptying and importing; and an xunit suite of 200 small tests that write, each with the tables as seeded: by
# `seed reset --serve`, by a dump that the server's own client loads before each, and by a transaction that is rolled back.
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
database=bulkload_reset_test suite=app_test tables=20 rows=25000
TIMEFORMAT=%R

take_turn
find_program
run_dotnet build "$bench/SeedSuite" --nologo --verbosity quiet >&2
bin=$(mktemp -d)
ln -s "$program" "$bin/bulkload"
PATH=$bin:$PATH
work=$(mktemp -d)
trap 'rm -rf "$work" "$bin"' EXIT
RANDOM=1

run() { run_on "$database" "$@"; }
run_suite() { run_on "$suite" "$@"; }
run_on() {
  local to=$1
  shift
  "$program" "$@" --no-defaults --ssl-mode=disabled --get-server-public-key -h "$server_host" -P "$server_port" -u "$server_user" -D "$to"
}

changes() {
  local i
  for ((i = 0; i < $1; i++)); do
    case $((RANDOM % 4)) in
      0) echo "UPDATE tracks SET name = CONCAT(name, '!') WHERE track_id = $((1 + RANDOM % 3500));" ;;
      1) echo "INSERT INTO playlists (playlist_id, name) VALUES ($((1000 + RANDOM)), 'new') ON DUPLICATE KEY UPDATE name = 'again';" ;;
      2) echo "DELETE FROM invoice_lines WHERE invoice_line_id = $((1 + RANDOM % 2240));" ;;
      3) echo "UPDATE customers SET city = 'elsewhere' WHERE customer_id = $((1 + RANDOM % 60));" ;;
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
  rm -f "$work"/{touched,looked,large,large_looked,dumped,emptied}
  client --execute="DROP DATABASE IF EXISTS $database; DROP DATABASE IF EXISTS ${database}_bulkload; CREATE DATABASE $database"
  run seed "$root/samples/chinook" --schema "$root/samples/chinook/schema.sql" --for-reset --quiet
  client_dump=$work/dump.sql
  client --execute="DROP DATABASE IF EXISTS $suite; DROP DATABASE IF EXISTS ${suite}_bulkload; CREATE DATABASE $suite"
  run_suite seed "$root/samples/chinook" --schema "$root/samples/chinook/schema.sql" --for-reset --quiet
  mariadb-dump --no-defaults --protocol=tcp --host="$server_host" --port="$server_port" --user="$server_user" --skip-ssl --no-tablespaces "$suite" >"$client_dump" 2>"$work/errors" || die "$(cat "$work/errors")"
  serving
  for ((i = 0; i < runs; i++)); do
    client "$database" < <(changes 20)
    reset_into touched
    reset_into looked
  done
  tell touched "$name $server_version: samples/chinook, reset after 20 changes"
  tell looked "$name $server_version: samples/chinook, reset after no change"

  end_serving
  for ((i = 0; i < runs; i++)); do
    { time client "$database" <"$client_dump"; } 2>>"$work/dumped"
    { time run seed "$root/samples/chinook" --mode truncate --quiet; } 2>>"$work/emptied"
  done
  for way in dumped emptied; do
    awk '{ print 1000 * $1 }' "$work/$way" >"$work/${way}_ms"
  done
  tell dumped_ms "$name $server_version: samples/chinook, the dump loaded again"
  tell emptied_ms "$name $server_version: samples/chinook, emptied and imported again (seed --mode truncate)"

  # A test suite as a user would write it; each way once before it is measured.
  export SUITE_CONNECTION="Server=$server_host;Port=$server_port;User ID=$server_user;Password=$MYSQL_PWD;Database=$suite;SslMode=None;AllowPublicKeyRetrieval=True"
  export SUITE_DUMP="mariadb --no-defaults --protocol=tcp --host=$server_host --port=$server_port --user=$server_user --skip-ssl $suite <$client_dump"
  export BULKLOAD_URL="mysql://$server_user@$server_host:$server_port/?ssl-mode=disabled&get-server-public-key=true"
  for way in reset rollback dump; do
    [[ $way == dump ]] || SUITE_MODE=$way "$root/artifacts/bin/SeedSuite/debug/SeedSuite" >"$work/suite" || { cat "$work/suite" >&2; die "$name: the suite failed by $way"; }
    for ((i = 0; i < 3; i++)); do
      { time SUITE_MODE=$way "$root/artifacts/bin/SeedSuite/debug/SeedSuite" >"$work/suite"; } 2>>"$work/suite_$way"
      grep -q 'Total: 200, Errors: 0, Failed: 0' "$work/suite" || { cat "$work/suite" >&2; die "$name: the suite failed by $way"; }
      [[ $way != dump ]] || break
    done
    awk '{ print 1000 * $1 }' "$work/suite_$way" >"$work/suite_ms"
    tell suite_ms "$name $server_version: a suite of 200 tests, $way"
    client --execute="DROP DATABASE $suite; CREATE DATABASE $suite"
    client "$suite" <"$client_dump"
    run_suite seed "$root/samples/chinook" --mode sync --for-reset --quiet
  done
  unset BULKLOAD_URL
  rm -f "$work"/suite*

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
  client --execute="DROP DATABASE $database; DROP DATABASE ${database}_bulkload; DROP DATABASE $suite; DROP DATABASE ${suite}_bulkload"
done
