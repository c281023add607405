#!/usr/bin/env bash
# From nothing to rows in tables, on a private server that is stopped at the end: the .NET SDK 10 is needed, MariaDB is
# installed by apt where it is missing (as a program only: no service stays on).
#
#   ./quickstart.sh
#   BULKLOAD_KEEP=1 ./quickstart.sh      leaves the server running, to play with
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")"
# shellcheck source=eng/sdk.sh
. eng/sdk.sh
export BULKLOAD_SERVERS_NAME=quickstart BULKLOAD_INNODB_BUFFER_POOL=${BULKLOAD_INNODB_BUFFER_POOL:-128M}
unset MYSQL_HOST MYSQL_TCP_PORT MYSQL_UNIX_PORT MYSQL_PWD

work=$(mktemp -d)
is_ours=''

clean_up() {
  # Nothing may keep the server from being stopped, not even an output that nobody reads any more.
  set +e
  trap '' PIPE
  if [[ $is_ours && -z ${BULKLOAD_KEEP:-} ]]; then
    printf '\n$ BULKLOAD_SERVERS_NAME=quickstart eng/servers.sh stop mariadb\n'
    eng/servers.sh stop mariadb || true
  fi
  rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'exit 141' PIPE

step() { printf '\n--- %s\n' "$*"; }

# Shows a command as you would type it, then runs it.
run() {
  printf '\n$ %s\n' "$1"
  eval "$1"
}

# shows STATUS PATTERN COMMAND: the same, and ends this script where the command ends otherwise, or shows no such line.
shows() {
  local status=0
  printf '\n$ %s\n' "$3"
  (set +e; eval "$3") 2>&1 | tee "$work/shown" || status=${PIPESTATUS[0]}
  if ((status != $1)) || ! grep -Eq -- "$2" "$work/shown"; then
    printf "quickstart.sh: this should have ended with %s and shown '%s'; it has ended with %s\n" "$1" "$2" "$status" >&2
    exit 1
  fi
}

# The server's own client.
sql() {
  mariadb --no-defaults --socket="$BULKLOAD_TEST_MARIADB_SOCKET" --user=root --default-character-set=utf8mb4 --table "$@"
}

start_server() {
  local assignments
  eng/servers.sh where mariadb >/dev/null 2>&1 || is_ours=1
  printf '\n$ BULKLOAD_SERVERS_NAME=quickstart eng/servers.sh start mariadb\n'
  if ! assignments=$(eng/servers.sh start mariadb); then
    echo "There is no MariaDB here and none could be installed. Install MariaDB 10.11 or newer, or try bulkload on a server of yours: README.md says how." >&2
    exit 1
  fi
  eval "$assignments"
}

need_sdk

step "A private MariaDB, on loopback only"
start_server

step "The program"
echo "(the first time it is compiled, which takes about a minute; the program to keep is made by eng/publish.sh)"
run 'dotnet build src/BulkLoad.Cli -c Release --nologo --verbosity minimal -p:RunAnalyzers=false'
run "export PATH=\$PWD/artifacts/bin/BulkLoad.Cli/release:\$PATH"
run "export BULKLOAD_URL='mysql://bulkload:bulk-load%2BPass%2F1@127.0.0.1:$BULKLOAD_TEST_MARIADB_PORT/shop'"

step "Tables (sql is the server's own client)"
run "sql -e 'DROP DATABASE IF EXISTS shop; CREATE DATABASE shop'"
run 'sql shop < samples/table.sql'

step "What would be done, and why"
shows 0 '^import into shop\.people' 'bulkload import samples/people.csv --plan'

step "Doing it: the table is named after the file, the columns by its header"
shows 0 '24 rows inserted' 'bulkload import samples/people.csv'
shows 0 '30 rows inserted' 'bulkload import samples/orders.tsv'
shows 0 'rows inserted' 'bulkload import samples/events.jsonl'

step "The same again: nothing is loaded twice"
shows 0 '^nothing to do' 'bulkload import samples/people.csv'

step "What is in the tables"
shows 0 '\| *6 \|' "sql shop -e 'SELECT id, name, email, born, newsletter, note FROM people LIMIT 6'"
shows 0 'A-2024003' "sql shop -e 'SELECT order_no, placed_at, status, extras, total, comment FROM orders LIMIT 3'"
shows 0 '\| *3 \|' "sql shop -e 'SELECT id, at, kind, details FROM events LIMIT 3'"
shows 0 '\| *24 \| *30 \|' "sql shop -e 'SELECT (SELECT COUNT(*) FROM people) people, (SELECT COUNT(*) FROM orders) orders, (SELECT COUNT(*) FROM events) events'"

step "A line that does not fit: refused, with its place, and nothing half done"
run "sed 's/^A-2024/A-2025/; s/2024-01-15/2024-02-30/' samples/orders.tsv > $work/more.tsv"
shows 4 'more\.tsv:4: .*2024-02-30' "bulkload import $work/more.tsv --table orders"
shows 0 '\| *30 \|' "sql shop -e 'SELECT COUNT(*) FROM orders'"

step "That is all. Next: README.md, and 'bulkload import --help'"
if [[ ${BULKLOAD_KEEP:-} ]]; then
  cat <<END

The server stays. To go on:
  export PATH=$PWD/artifacts/bin/BulkLoad.Cli/release:\$PATH
  export BULKLOAD_URL='$BULKLOAD_URL'
To stop it:
  BULKLOAD_SERVERS_NAME=quickstart eng/servers.sh stop mariadb
END
fi
