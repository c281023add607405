#!/usr/bin/env bash
# Private MariaDB and MySQL servers on loopback, for the tests, the benchmarks and the quickstart.
#
#   eng/servers.sh install [mariadb|mysql|all]   install what is missing
#   eng/servers.sh start   [mariadb|mysql|all]   install, start what is not running, wait until ready; prints what `where` prints
#   eng/servers.sh stop    [mariadb|mysql|all]   orderly shutdown, waits for the end
#   eng/servers.sh where   [mariadb|mysql|all]   shell assignments BULKLOAD_TEST_*; exit 1 if one asked for is not running
#   eng/servers.sh status  [mariadb|mysql|all]   one line each, for people
#   eng/servers.sh destroy [mariadb|mysql|all]   stop and delete the data
#   eng/servers.sh kill NODE                     kill -9; `start` of its cluster brings it back
#
# In place of a server all but install take a cluster, of up to 1 GiB a node, and start none where another one runs:
#   galera          three nodes of MariaDB: galera-1 to galera-3
#   group           three members of MySQL's Group Replication, single-primary: group-1 to group-3
#   pair-mariadb, pair-mysql      a primary and its replica: pair-mariadb-1 and -2
#   rocksdb         a MariaDB with the engines MyRocks and Mroonga: rocksdb-1
#   spider          a MariaDB with the engine Spider, and two for its shards: spider-1, and spider-2 and -3
#   router          a MySQL, router-1, and three MySQL Routers in front of it: router-2 passes TLS through, router-3 has no TLS,
#                   router-4 ends TLS and has connections that clients share
#
# Assignments go to stdout and everything else to stderr, hence:  set -a; eval "$(eng/servers.sh start)"; set +a
# All commands may be repeated, and called at the same time.
#
#   BULKLOAD_SERVERS_DIR          where the data lives   ($XDG_CACHE_HOME/bulkload/servers)
#   BULKLOAD_SERVERS_NAME         which set of servers   (test); sets are independent of each other
#   BULKLOAD_INNODB_BUFFER_POOL   used when a server is started   (512M)
#   BULKLOAD_SERVERS_SETTINGS     more lines of settings, used when a server is started
# shellcheck source-path=SCRIPTDIR
set -euo pipefail
umask 022

# The clients would read these, and talk to a server that is not ours.
unset MYSQL_HOST MYSQL_TCP_PORT MYSQL_UNIX_PORT MYSQL_PWD MYSQL_HOME MYSQL_TEST_LOGIN_FILE
export LC_ALL=C
# Ordinary users of Debian have no sbin in their path; mariadbd lives there.
PATH=$PATH:/usr/sbin:/sbin

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
cache=$(realpath -m -- "${XDG_CACHE_HOME:-${HOME:?}/.cache}")/bulkload
set_name=${BULKLOAD_SERVERS_NAME:-test}
# One spelling of each path: a running server is recognised by the path in its command line.
set_dir=$(realpath -m -- "${BULKLOAD_SERVERS_DIR:-$cache/servers}")/$set_name
tls=$set_dir/tls

# shellcheck source=servers/install.sh
. "$here/servers/install.sh"
# shellcheck source=servers/tls.sh
. "$here/servers/tls.sh"
# shellcheck source=servers/server.sh
. "$here/servers/server.sh"
# shellcheck source=servers/clusters.sh
. "$here/servers/clusters.sh"
# shellcheck source=servers/engines.sh
. "$here/servers/engines.sh"

say() { printf 'servers: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

usage() {
    sed -n '2,/^# shellcheck /{/^# shellcheck /d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}" >&2
    exit 2
}

# One lock for all sets: they share the caches, and must not choose the same port.
lock() {
    mkdir -p "$cache"
    exec {lock_fd}>"$cache/servers.lock"
    flock -n "$lock_fd" && return
    say "waiting for another servers.sh to finish"
    flock "$lock_fd"
}

emit() { printf 'BULKLOAD_TEST_%s=%q\n' "$1" "$2"; }

where_all() {
    local name running=0
    for name in "$@"; do
        select_server "$name"
        if where_server; then
            running=$((running + 1))
        else
            say "$name of the set \"$set_name\" is not running: eng/servers.sh start $name"
        fi
    done
    ((running == 0)) || where_common
    ((running == $#))
}

where_common() {
    emit TLS_CA "$tls/ca.pem"
    emit TLS_CLIENT_CERT "$tls/client-cert.pem"
    emit TLS_CLIENT_KEY "$tls/client-key.pem"
    emit TLS_OTHER_CA "$tls/other-ca.pem"
    emit CLIENT mariadb
}

for_each() {
    local action=$1 name
    shift
    for name in "$@"; do
        select_server "$name"
        "$action"
    done
}

start_all() {
    make_set_folder
    if ! has_tls; then
        make_tls
        for_each reload_tls mariadb mysql
    fi
    for_each start_server "$@"
    where_all "$@"
}

make_set_folder() {
    [[ -d $set_dir ]] && return
    mkdir -p "${set_dir%/*}"
    # root needs no password over the socket, so nobody else may get there.
    mkdir -m 700 "$set_dir"
}

destroy_all() {
    for_each destroy_server "$@"
    if compgen -G "$set_dir/*/state" >/dev/null; then return; fi
    rm -rf "$tls" "$set_dir/galera-bin"
    rmdir "$set_dir" 2>/dev/null || true
}

main() {
    [[ $set_name =~ ^[A-Za-z0-9_-]+$ ]] || die "BULKLOAD_SERVERS_NAME may only have letters, digits, - and _"
    # mariadb-install-db, a script, would fill another folder.
    [[ ! $set_dir =~ [[:space:]\"\'\\#] ]] || die "the servers' folder may have no blanks, quotes, backslashes or # in its path: $set_dir"
    (($# == 1 || $# == 2)) || usage
    local what=${2:-all}
    local -a names
    case $what in
        mariadb | mysql) names=("$what") ;;
        all) names=(mariadb mysql) ;;
        galera | group | pair-mariadb | pair-mysql | rocksdb | spider | router) read -ra names <<<"$(nodes_of "$what")" ;;
        galera-[123] | group-[123] | pair-mariadb-[12] | pair-mysql-[12] | rocksdb-1 | spider-[123] | router-[1-4])
            [[ $1 == kill ]] || usage
            kill_node "$what"
            return
            ;;
        *) usage ;;
    esac
    case $1 in
        where) where_all "${names[@]}" ;;
        status) for_each status_of_server "${names[@]}" ;;
        install) lock; for_each install_server "${names[@]}" ;;
        start)
            lock
            case $what in
                mariadb | mysql | all) start_all "${names[@]}" ;;
                *) start_cluster "$what" "${names[@]}" ;;
            esac
            ;;
        stop) lock; for_each stop_server "${names[@]}" ;;
        destroy) lock; destroy_all "${names[@]}" ;;
        *) usage ;;
    esac
}

main "$@"
