#!/usr/bin/env bash
# How long a seed of half a million rows over 20 tables with foreign keys takes, as a share of 20 imports one after the other, written
# by hand in the right order; and, of samples/chinook, a first seed, a second one that has nothing to do, and --mode sync after one change.
#
#   bench/seed.sh [--pairs N] [--server mariadb|mysql|all]     (7 pairs, all)
#
# BULKLOAD_PROGRAM names a program to use instead of publishing one.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

pairs=7 servers=all
while (($#)); do
  case $1 in
    --pairs) pairs=${2:?} ;;
    --server) servers=${2:?} ;;
    *) usage ;;
  esac
  shift 2
done
names=$(names_of "$servers")
tables=20 rows=25000 database=bulkload_seed_test
TIMEFORMAT=%R

take_turn
find_program
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# timed_into NAME COMMAND...: adds its seconds to the file of that name; a command that fails ends the script.
timed_into() {
  local file=$work/$1
  shift
  { time "$@" >"$work/output" 2>&1 || touch "$work/failed"; } 2>"$work/time"
  [[ ! -e $work/failed ]] || { cat "$work/output" >&2; die "failed: $*"; }
  cat "$work/time" >>"$file"
}

# Each table but the first four refers to two before it.
mkdir "$work/data" "$work/shop"
for ((i = 0; i < tables; i++)); do
  name=$(printf 't%02d' "$i")
  order[i]=$name
  keys='' columns=''
  if ((i >= 4)); then
    one=${order[i / 2]} two=${order[i - 3]}
    columns=", a INT NOT NULL, b INT NULL" keys=", FOREIGN KEY (a) REFERENCES $one (id), FOREIGN KEY (b) REFERENCES $two (id)"
  fi
  echo "CREATE TABLE $name (id INT PRIMARY KEY, name VARCHAR(60) NOT NULL, amount DECIMAL(10,2), made DATETIME$columns$keys);" >>"$work/schema.sql"
  awk -v rows="$rows" -v i="$i" 'BEGIN { srand(i); print "id,name,amount,made" (i >= 4 ? ",a,b" : "")
    for (r = 1; r <= rows; r++) { printf "%d,name %d of table %d,%.2f,2024-%02d-%02d 10:00:00", r, r, i, rand() * 10000, 1 + r % 12, 1 + r % 28
      if (i >= 4) printf ",%d,%d", 1 + int(rand() * rows), 1 + int(rand() * rows); print "" } }' >"$work/data/$name.csv"
done
cp "$root"/samples/chinook/* "$work/shop/"

run() {
  "$program" "$@" --no-defaults --ssl-mode=disabled --get-server-public-key -h "$server_host" -P "$server_port" -u "$server_user" -D "$database"
}

by_hand() {
  local name
  for name in "${order[@]}"; do
    run import "$work/data/$name.csv"
  done
}

fresh() { client --execute="DROP DATABASE IF EXISTS $database; CREATE DATABASE $database"; [[ -z ${1:-} ]] || client "$database" <"$1"; }

# tell NAME WHAT
tell() {
  local seconds low high
  read -r seconds low high < <(median <"$work/$1")
  awk -v what="$2" -v s="$seconds" -v low="$low" -v high="$high" 'BEGIN { printf "%-64s %8.0f ms (%.0f to %.0f)\n", what, 1000 * s, 1000 * low, 1000 * high }'
}

start_servers "$servers"
for name in $names; do
  use_server "$name"
  rm -f "$work"/{seed,hand,ratio,first,again,change}
  for ((pair = 0; pair < pairs + 1; pair++)); do
    fresh "$work/schema.sql"
    timed_into hand by_hand
    fresh "$work/schema.sql"
    timed_into seed run seed "$work/data"
    sums=$(client "$database" --execute="$(printf 'SELECT COUNT(*) FROM %s;' "${order[@]}")" | sort -u)
    [[ $sums == "$rows" ]] || die "$name: not all rows are there: $sums"
    ((pair != 0)) || rm "$work/seed" "$work/hand"
  done
  paste "$work/seed" "$work/hand" | awk '{ print $1 / $2 }' >"$work/ratio"
  tell hand "$name $server_version: 20 imports by hand"
  tell seed "$name $server_version: bulkload seed of the same"
  median <"$work/ratio" | awk -v name="$name" '{ printf "%-64s %8.2f (%.2f to %.2f)\n", name ": seed to imports by hand", $1, $2, $3 }'

  fresh
  for ((pair = 0; pair < pairs + 1; pair++)); do
    fresh
    cp "$root"/samples/chinook/* "$work/shop/"
    timed_into first run seed "$work/shop" --schema "$work/shop/schema.sql"
    timed_into again run seed "$work/shop"
    sed -i "2s/\$/ /" "$work/shop/artists.csv"
    timed_into change run seed "$work/shop" --mode sync
    ((pair != 0)) || rm "$work/first" "$work/again" "$work/change"
  done
  client --execute="DROP DATABASE $database"
  tell first "$name $server_version: samples/chinook, first seed"
  tell again "$name $server_version: samples/chinook, second seed, nothing to do"
  tell change "$name $server_version: samples/chinook, --mode sync, one value changed"
done
