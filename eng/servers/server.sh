# shellcheck shell=bash
# One server: its folder, settings, start and stop. Sourced by ../servers.sh, which sets the shared variables.
# select_server chooses the server that all other functions here work on.
# shellcheck disable=SC2154

# Known to everybody on purpose: the servers hold test data and listen on loopback only.
readonly test_user=bulkload test_password='bulk-load+Pass/1'
readonly ready_seconds=120 stop_seconds=300

select_server() {
    server=$1
    case $server in
        mariadb | galera-* | pair-mariadb-* | rocksdb-* | spider-*) kind=mariadb ;;
        router-[2-4]) kind=router ;;
        *) kind=mysql ;;
    esac
    dir=$set_dir/$server
    port='' peer_port='' socket='' buffer_pool=''
    # Our own notes: port, socket, buffer_pool of the last start.
    # shellcheck source=/dev/null
    if [[ -r $dir/state ]]; then . "$dir/state"; fi
}

save_state() {
    printf '%s=%q\n' port "$port" peer_port "$peer_port" socket "$socket" buffer_pool "$buffer_pool" >"$dir/state.new"
    mv "$dir/state.new" "$dir/state"
}

# Prints the process id.
server_pid() {
    local pid
    pid=$(cat "$dir/server.pid" 2>/dev/null) || return 1
    [[ -n $pid ]] && is_ours "$pid" && printf '%s\n' "$pid"
}

# A pid file may be stale and its number in use again, so the command line decides.
is_ours() { grep -zqsxF -e "--defaults-file=$dir/my.cnf" -e "--config=$dir/my.cnf" "/proc/$1/cmdline"; }

admin_query() {
    mariadb --no-defaults --protocol=socket --socket="$socket" --user=root --skip-password --skip-ssl \
        --batch --skip-column-names --connect-timeout=5 --execute="$1"
}

where_server() {
    local pid version prefix=${server^^}
    prefix=${prefix//-/_}
    pid=$(server_pid) || return 1
    if [[ $kind == router ]]; then socket=$(state_behind socket); fi
    version=$(admin_query 'SELECT VERSION()' 2>/dev/null) || return 1
    emit "${prefix}_HOST" 127.0.0.1
    emit "${prefix}_PORT" "$port"
    emit "${prefix}_SOCKET" "$socket"
    emit "${prefix}_USER" "$test_user"
    emit "${prefix}_PASSWORD" "$test_password"
    emit "${prefix}_ADMIN_USER" root
    emit "${prefix}_VERSION" "${version%%-*}"
    emit "${prefix}_PID" "$pid"
    [[ $kind == router ]] || emit "${prefix}_DATADIR" "$dir/data"
}

status_of_server() {
    local pid
    if pid=$(server_pid); then
        printf '%-14s running  pid %s  127.0.0.1:%s  %s\n' "$server" "$pid" "$port" "$dir"
    elif [[ -e $dir/initialized ]]; then
        printf '%-14s stopped  %s\n' "$server" "$dir"
    else
        printf '%-14s absent\n' "$server"
    fi
}

install_server() { "install_$kind"; }

start_server() {
    if server_pid >/dev/null; then
        if [[ ${BULKLOAD_INNODB_BUFFER_POOL:-$buffer_pool} != "$buffer_pool" ]]; then
            say "$server runs with a buffer pool of $buffer_pool; stop it first to change that"
        fi
        wait_until_ready "$(server_pid)" || fail_to_start
        return
    fi
    install_server
    make_folder
    buffer_pool=${BULKLOAD_INNODB_BUFFER_POOL:-512M}
    choose_socket
    choose_port "${port:-$(first_port)}"
    save_state
    write_configuration
    [[ -e $dir/initialized ]] || initialize
    launch_on_free_port
}

make_folder() {
    if [[ ! -e $dir/state ]]; then
        mkdir -p "$dir"
        rmdir "$dir" 2>/dev/null || die "$dir exists, but was not made by this script"
        mkdir "$dir"
        save_state
    fi
    mkdir -p "$dir/tmp" "$dir/files"
    chmod 700 "$dir/files"
}

# A socket's path is limited to 107 bytes by the kernel, and to fewer by some clients.
choose_socket() {
    local near=$dir/$server.sock
    if ((${#near} < 100)); then socket=$near; return; fi
    if [[ -n $socket && -O ${socket%/*} ]]; then return; fi
    socket=$(mktemp -d "/tmp/bulkload.XXXXXX")/$server.sock
}

first_port() { if [[ $kind == mariadb ]]; then echo 33061; else echo 33071; fi; }

choose_port() {
    local candidate
    for ((candidate = $1; candidate < $1 + 500; candidate++)); do
        if ! is_listening "$candidate"; then port=$candidate; return; fi
    done
    die "no free port from $1 on"
}

is_listening() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

write_configuration() {
    if [[ $kind == router ]]; then router_settings >"$dir/my.cnf"; return; fi
    { common_settings; "${kind}_settings"; node_settings; printf '%s\n' "${BULKLOAD_SERVERS_SETTINGS:-}"; } >"$dir/my.cnf"
    # What is copied has accounts in it, and what a node adds by itself parts it from the others.
    if ! copies; then "${kind}_accounts" >"$dir/accounts.sql"; fi
}

# Without name resolution, root@localhost means the socket only.
# An own tmpdir: the caller's TMPDIR may be gone before the server is.
# secure-file-priv: the password is public, the server may run as root.
common_settings() {
    cat <<END
[mysqld]
datadir="$dir/data"
socket="$socket"
pid-file="$dir/server.pid"
log-error="$dir/error.log"
tmpdir="$dir/tmp"
secure-file-priv="$dir/files"
port=$port
bind-address=127.0.0.1
skip-name-resolve
max_connections=200
max_allowed_packet=64M
local-infile=1
character-set-server=utf8mb4
skip-log-bin
innodb_buffer_pool_size=$buffer_pool
innodb_flush_log_at_trx_commit=1
ssl-ca="$tls/ca.pem"
ssl-cert="$tls/server-cert.pem"
ssl-key="$tls/server-key.pem"
END
    # Both refuse to run as root unless told to.
    ((EUID != 0)) || echo user=root
}

# The big redo logs keep checkpoints from stalling bulk loads.
mariadb_settings() {
    echo innodb_log_file_size=512M
}

mysql_settings() {
    local tree plugin
    tree=$(tree_of mysql)
    cat <<END
basedir="$tree/usr"
lc-messages-dir="$tree/usr/share/mysql"
character-sets-dir="$tree/usr/share/mysql/charsets"
plugin-dir="$tree/usr/lib/mysql/plugin"
mysqlx=OFF
performance_schema=OFF
innodb_redo_log_capacity=512M
END
    # Named like the server's plugins, the client's are in the same folder, and refused with an error; 9.7 has mysql_native_password only for clients.
    for plugin in auth_socket mysql_native_password; do
        if grep -qs _mysql_plugin_interface_version_ "$tree/usr/lib/mysql/plugin/$plugin.so"; then echo "plugin-load-add=$plugin.so"; fi
    done
}

# For localhost too: an anonymous account there would otherwise take over the connections that come through the socket.
mariadb_accounts() {
    local host
    for host in % localhost; do
        echo "CREATE USER IF NOT EXISTS '$test_user'@'$host' IDENTIFIED VIA mysql_native_password USING PASSWORD('$test_password');"
        echo "GRANT ALL PRIVILEGES ON *.* TO '$test_user'@'$host' WITH GRANT OPTION;"
    done
    echo "DROP USER IF EXISTS 'root'@'127.0.0.1', 'root'@'::1', ''@'localhost';"
}

mysql_accounts() {
    local host
    for host in % localhost; do
        echo "CREATE USER IF NOT EXISTS '$test_user'@'$host' IDENTIFIED WITH caching_sha2_password BY '$test_password';"
        echo "GRANT ALL PRIVILEGES ON *.* TO '$test_user'@'$host' WITH GRANT OPTION;"
    done
}

# The marker is written last, so that an interrupted one is done again.
initialize() {
    local start=$SECONDS
    rm -rf "$dir/data"
    : >"$dir/error.log"
    "initialize_$kind" </dev/null >>"$dir/error.log" 2>&1 || fail_to_start
    touch "$dir/initialized"
    say "made the data folder of $server in $((SECONDS - start)) s"
}

initialize_mariadb() {
    mariadb-install-db --defaults-file="$dir/my.cnf" --datadir="$dir/data" --auth-root-authentication-method=normal --skip-test-db --skip-name-resolve
}

initialize_mysql() {
    program_of "$(tree_of mysql)" usr/sbin/mysqld
    "${program[@]}" --defaults-file="$dir/my.cnf" --initialize-insecure
}

# A port without a listener may still be taken, by another's outgoing connection or in the moment before we bind it.
launch_on_free_port() {
    local attempts=5 start=$SECONDS
    while ((attempts-- > 0)); do
        launch
        if wait_until_ready "$launched_pid"; then
            say "started $server on port $port in $((SECONDS - start)) s"
            return
        fi
        grep -qi 'address already in use' "$dir/error.log" || break
        choose_port $((port + 1))
        save_state
        write_configuration
    done
    fail_to_start
}

# init-file: the accounts are there before the first connection is let in.
# launch [OPTION...]
launch() {
    local -a command=(mariadbd) options=("$@")
    if [[ -e $dir/accounts.sql ]]; then options+=(--init-file="$dir/accounts.sql"); fi
    if [[ $kind == mysql ]]; then
        program_of "$(tree_of mysql)" usr/sbin/mysqld
        command=("${program[@]}")
    fi
    # Left by a server that was killed; MySQL takes the number in a stale lock file for a living server.
    rm -f "$socket" "$socket.lock" "$dir/server.pid"
    run "${command[@]}" --defaults-file="$dir/my.cnf" "${options[@]}"
}

# run WORD...: in the background, with a new error log.
run() {
    if [[ -e $dir/error.log ]]; then mv -f "$dir/error.log" "$dir/error.log.1"; fi
    (
        close_inherited_files
        exec setsid "$@" </dev/null >>"$dir/error.log" 2>&1
    ) &
    launched_pid=$!
}

# Whoever reads our output through a pipe waits until the last holder of its other end is gone; and the lock is one of these files.
close_inherited_files() {
    local fd
    for fd in /proc/self/fd/*; do
        fd=${fd##*/}
        # 255 is bash's own, and closed by exec.
        if ((fd > 2 && fd != 255)); then eval "exec $fd>&-"; fi
    done
}

wait_until_ready() {
    local pid=$1 deadline=$((SECONDS + ready_seconds))
    until server_pid >/dev/null && admin_query 'DO 0' 2>/dev/null; do
        kill -0 "$pid" 2>/dev/null || return 1
        ((SECONDS < deadline)) || return 1
        sleep 0.2
    done
}

# A node that waits for its cluster has no pid file yet, by which it could be stopped later.
fail_to_start() {
    if [[ ${launched_pid:-} ]] && is_ours "$launched_pid"; then kill -KILL "$launched_pid"; fi
    say "$server did not start; the end of $dir/error.log:"
    tail -n 40 "$dir/error.log" >&2 || true
    exit 1
}

reload_tls() {
    server_pid >/dev/null || return 0
    if [[ $kind == mariadb ]]; then admin_query 'FLUSH SSL'; else admin_query 'ALTER INSTANCE RELOAD TLS'; fi
}

# SIGTERM is an orderly shutdown for both, whatever the tests have done to the accounts; SIGCONT in case they have stopped the process.
stop_server() {
    local pid deadline=$((SECONDS + stop_seconds))
    pid=$(server_pid) || return 0
    kill -TERM "$pid"
    kill -CONT "$pid"
    # Not until the pid file is gone: that happens before the data files are closed.
    while is_ours "$pid"; do
        ((SECONDS < deadline)) || die "$server (process $pid) is still shutting down after $stop_seconds s"
        sleep 0.2
    done
    say "stopped $server"
}

destroy_server() {
    stop_server
    [[ -e $dir/state ]] || return 0
    if [[ $socket != "$dir"/* ]]; then rm -rf "${socket%/*}"; fi
    rm -rf "$dir"
}
