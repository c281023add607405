#!/usr/bin/env bash
# The count of rows and a SHA-256 over all columns of a table, by the server's own client:
# the same on both servers for the same rows, whatever order they were loaded in.
#
#   bench/checksum.sh mariadb|mysql DATABASE TABLE
#
# The table needs a primary key. JSON columns can be compared on one server only.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

(($# == 3)) || usage
names_of "$1" >/dev/null
start_servers "$1"
use_server "$1"
checksum "$2" "$3"
