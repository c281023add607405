# shellcheck shell=bash
# Clusters: servers of one set that belong together. Sourced by ../servers.sh, behind server.sh, of which each node is a server.
# shellcheck disable=SC2154

readonly cluster_name=bulkload copier=follower copier_password=secret-7
readonly clusters='galera group pair-mariadb pair-mysql rocksdb spider router'
readonly join_seconds=120 members=performance_schema.replication_group_members

# nodes_of CLUSTER
nodes_of() {
    case $1 in
        rocksdb) echo "$1-1" ;;
        galera | group | spider) echo "$1-1 $1-2 $1-3" ;;
        router) echo "$1-1 $1-2 $1-3 $1-4" ;;
        *) echo "$1-1 $1-2" ;;
    esac
}

cluster_of() { echo "${server%-*}"; }

# Whether the selected server is a node that copies from others.
copies() { [[ $server == galera-* || $server == group-* || $server == pair-* ]]; }

number_of() { echo "${server##*-}"; }

# start_cluster CLUSTER NODE...
start_cluster() {
    local cluster=$1 name
    shift
    require_alone "$cluster"
    make_set_folder
    has_tls || make_tls
    case $cluster in
        galera) install_galera ;;
        rocksdb | spider) install_engines ;;
    esac
    for name in "$@"; do
        select_server "$name"
        prepare_node
    done
    # Each node's settings name the ports of all.
    for name in "$@"; do
        select_server "$name"
        server_pid >/dev/null || write_configuration
        [[ $kind == router || -e $dir/initialized ]] || initialize
    done
    "start_${cluster//-*/}" "$@"
    where_all "$@"
}

# Most clusters take 2 to 3 GiB.
require_alone() {
    local cluster
    for cluster in $clusters; do
        [[ $cluster == "$1" ]] && continue
        # shellcheck disable=SC2046
        if any_runs $(nodes_of "$cluster"); then die "$cluster runs; stop it first: eng/servers.sh stop $cluster"; fi
    done
}

install_galera() {
    if [[ ! -e $(galera_library) ]]; then install_packages galera-4; fi
    has rsync || install_packages rsync
    has lsof || install_packages lsof
}

galera_library() { echo /usr/lib/galera/libgalera_smm.so; }

# Chooses ports once; those of a node that has run before stay its own.
prepare_node() {
    server_pid >/dev/null && return
    install_server
    make_folder
    buffer_pool=${BULKLOAD_INNODB_BUFFER_POOL:-128M}
    choose_socket
    # Above 32767 the kernel takes ports for outgoing connections, and another node's port must still be free when that one starts.
    if [[ ! $peer_port ]]; then
        choose_port "$(first_cluster_port)"
        peer_port=$((port + 100))
    fi
    save_state
}

first_cluster_port() {
    local number
    number=$(number_of)
    case $(cluster_of) in
        galera) echo $((24100 + number * 10)) ;;
        group) echo $((24140 + number * 10)) ;;
        pair-mariadb) echo $((24180 + number * 10)) ;;
        pair-mysql) echo $((24210 + number * 10)) ;;
        rocksdb) echo $((24400 + number * 10)) ;;
        spider) echo $((24420 + number * 10)) ;;
        *) echo $((24460 + number * 10)) ;;
    esac
}

# peers_of PREFIX: the cluster's addresses of nodes for each other, with commas.
peers_of() {
    local name list=''
    for name in $(nodes_of "$(cluster_of)"); do
        list+=${list:+,}$1$(
            select_server "$name"
            echo "127.0.0.1:$peer_port"
        )
    done
    echo "$list"
}

# Settings that a node has in its cluster; a server by itself has none.
node_settings() {
    copies || return 0
    echo "server-id=$(number_of)"
    case $(cluster_of) in
        galera) galera_settings ;;
        group) pair_settings; group_settings ;;
        *) pair_settings ;;
    esac
}

galera_settings() {
    cat <<END
binlog-format=ROW
innodb-autoinc-lock-mode=2
wsrep-on=ON
wsrep-provider=$(galera_library)
wsrep-cluster-name=$cluster_name
wsrep-cluster-address=gcomm://$(peers_of '')
wsrep-node-name=$server
wsrep-node-address=127.0.0.1:$peer_port
wsrep-node-incoming-address=127.0.0.1:$port
wsrep-sst-method=rsync_bulkload
wsrep-sst-receive-address=127.0.0.1:$((peer_port + 2))
wsrep-provider-options="$(provider_options)"
[sst]
ssl-mode=DISABLED
[mysqld]
END
}

provider_options() {
    local IFS=';' options=(
        "gmcast.listen_addr=tcp://127.0.0.1:$peer_port" "ist.recv_addr=127.0.0.1:$((peer_port + 1))" gcache.size=128M
        evs.keepalive_period=PT0.5S evs.inactive_check_period=PT0.5S evs.suspect_timeout=PT2S evs.inactive_timeout=PT5S
        evs.install_timeout=PT5S
    )
    echo "${options[*]}"
}

pair_settings() {
    cat <<END
log-bin=binlog
relay-log=relay
report-host=127.0.0.1
report-port=$port
END
    if [[ $kind == mariadb ]]; then echo log-slave-updates; return; fi
    cat <<END
gtid-mode=ON
enforce-gtid-consistency=ON
performance_schema=ON
END
}

group_settings() {
    cat <<END
plugin-load-add=group_replication.so
loose-group-replication-group-name=aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa
loose-group-replication-start-on-boot=OFF
loose-group-replication-local-address=127.0.0.1:$peer_port
loose-group-replication-group-seeds=$(peers_of '')
loose-group-replication-ip-allowlist=127.0.0.1/8
loose-group-replication-recovery-get-public-key=ON
loose-group-replication-member-expel-timeout=0
loose-group-replication-unreachable-majority-timeout=10
loose-group-replication-autorejoin-tries=0
loose-group-replication-message-cache-size=134217728
END
}

# launch_node [OPTION...]: does nothing where it runs.
launch_node() {
    server_pid >/dev/null && return
    launch "$@"
    wait_until_ready "$launched_pid" || fail_to_start
}

make_accounts() { "${kind}_accounts" | mariadb --no-defaults --protocol=socket --socket="$socket" --user=root --skip-password --skip-ssl; }

# wait_for WHAT QUERY ANSWER
wait_for() {
    local deadline=$((SECONDS + join_seconds))
    until [[ $(admin_query "$2" 2>/dev/null) == "$3" ]]; do
        if ((SECONDS >= deadline)) || ! server_pid >/dev/null; then
            say "$server is not $1"
            fail_to_start
        fi
        sleep 0.2
    done
}

# As root, rsync's daemon would become nobody, who cannot enter this folder: a method of our own, found by its name in the path.
make_sst_method() {
    local bin=$set_dir/galera-bin stay=()
    if ((EUID == 0)); then stay=(-e 's/^use chroot = no$/use chroot = no\nuid = 0\ngid = 0/'); fi
    mkdir -p "$bin"
    cp /usr/bin/wsrep_sst_common "$bin/"
    sed "${stay[@]}" -e '' /usr/bin/wsrep_sst_rsync >"$bin/wsrep_sst_rsync_bulkload"
    chmod +x "$bin/wsrep_sst_rsync_bulkload"
    PATH=$bin:$PATH
}

start_galera() {
    local name first
    make_sst_method
    if ! any_runs "$@"; then
        first=$(most_advanced "$@")
        select_server "$first"
        if [[ -e $dir/data/grastate.dat ]]; then sed -i 's/safe_to_bootstrap: 0/safe_to_bootstrap: 1/' "$dir/data/grastate.dat"; fi
        # Left by a crash: it would wait for the nodes that were there before it.
        rm -f "$dir/data/gvwstate.dat"
        launch_node --wsrep-new-cluster
        make_accounts
    else
        await_view "$(galera_query CLUSTER_SIZE)" "$@"
        if ! has_status Primary "$@"; then
            # The others were killed, and the rest is no majority.
            has_status non-Primary "$@" || die "no node of galera answers"
            admin_query "SET GLOBAL wsrep_provider_options='pc.bootstrap=1'"
        fi
    fi
    for name in "$@"; do
        select_server "$name"
        launch_galera_node
        wait_for Synced "$(galera_query LOCAL_STATE_COMMENT)" Synced
    done
}

# await_view QUERY NODE...: nodes that run notice within seconds that another one was killed, and only then say whether they are a majority.
# QUERY counts the nodes that one of them sees.
await_view() {
    local name query=$1 running=0 deadline=$((SECONDS + 15)) seen
    shift
    for name in "$@"; do
        select_server "$name"
        if server_pid >/dev/null; then running=$((running + 1)); fi
    done
    for name in "$@"; do
        select_server "$name"
        server_pid >/dev/null || continue
        until { seen=$(admin_query "$query" 2>/dev/null) && ((seen <= running)); } || ((SECONDS >= deadline)); do sleep 0.2; done
    done
}

# has_status STATUS NODE...: selects a node that has it.
has_status() {
    local name status=$1
    shift
    for name in "$@"; do
        select_server "$name"
        server_pid >/dev/null || continue
        if [[ $(admin_query "$(galera_query CLUSTER_STATUS)" 2>/dev/null) == "$status" ]]; then return; fi
    done
    return 1
}

galera_query() { echo "SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME='WSREP_$1'"; }

# After a crash only InnoDB knows the position; a node that says it gets what it lacks, instead of a copy of everything.
launch_galera_node() {
    local position
    if server_pid >/dev/null; then return; fi
    if grep -qs '^seqno: *-1' "$dir/data/grastate.dat"; then position=$(recovered_position); fi
    launch_node ${position:+--wsrep-start-position="$position"}
}

recovered_position() {
    mariadbd --defaults-file="$dir/my.cnf" --wsrep-sst-method=skip --log-error="$dir/recovery.log" --wsrep-recover >/dev/null 2>&1 || true
    sed -n 's/.*Recovered position: *\([^ ]*\).*/\1/p' "$dir/recovery.log" | tail -n 1
    rm -f "$dir/recovery.log"
}

any_runs() {
    local name
    for name in "$@"; do
        select_server "$name"
        if server_pid >/dev/null; then return; fi
    done
    return 1
}

# The node that left last holds everything; where all were killed, the one that has committed most.
most_advanced() {
    local name best=$1 top=-2 seqno position
    for name in "$@"; do
        select_server "$name"
        [[ -e $dir/data/grastate.dat ]] || continue
        if grep -q '^safe_to_bootstrap: 1' "$dir/data/grastate.dat"; then echo "$name"; return; fi
        seqno=$(awk '/^seqno:/ { print $2 }' "$dir/data/grastate.dat")
        if ((seqno < 0)); then
            position=$(recovered_position)
            seqno=${position##*:}
        fi
        if ((${seqno:--1} > top)); then best=$name top=${seqno:--1}; fi
    done
    echo "$best"
}

start_group() {
    local name first=''
    await_view "SELECT COUNT(*) FROM $members WHERE MEMBER_STATE <> 'UNREACHABLE'" "$@"
    for name in "$@"; do
        select_server "$name"
        launch_node
        # Before it joins, and not in its log: else it would have what the group has not.
        if [[ $(admin_query "SELECT COUNT(*) FROM mysql.user WHERE user = '$copier'") == 0 ]]; then
            {
                echo 'SET sql_log_bin=0;'
                mysql_accounts
                echo "CREATE USER '$copier'@'%' IDENTIFIED BY '$copier_password';"
                echo "GRANT REPLICATION SLAVE, BACKUP_ADMIN, CONNECTION_ADMIN, GROUP_REPLICATION_STREAM ON *.* TO '$copier'@'%';"
            } | mariadb --no-defaults --protocol=socket --socket="$socket" --user=root --skip-password --skip-ssl
            admin_query 'RESET BINARY LOGS AND GTIDS'
        fi
    done
    if ! has_majority "$@"; then
        first=$(most_executed "$@")
        for name in "$@"; do
            select_server "$name"
            [[ $(member_state) == OFFLINE ]] || admin_query 'STOP GROUP_REPLICATION'
        done
    fi
    for name in $first "$@"; do
        select_server "$name"
        [[ $(member_state) == ONLINE ]] || join_group
    done
}

# Reads first, which has the member begin a group.
join_group() {
    [[ $(member_state) == OFFLINE ]] || admin_query 'STOP GROUP_REPLICATION'
    admin_query "CHANGE REPLICATION SOURCE TO SOURCE_USER='$copier', SOURCE_PASSWORD='$copier_password'
        FOR CHANNEL 'group_replication_recovery'"
    if [[ $server == "$first" ]]; then admin_query 'SET GLOBAL group_replication_bootstrap_group=ON'; fi
    start_replication
    admin_query 'SET GLOBAL group_replication_bootstrap_group=OFF'
    wait_for ONLINE "$(member_query)" ONLINE
}

# A group that has just lost a member may refuse one that joins.
start_replication() {
    local deadline=$((SECONDS + join_seconds))
    until quietly admin_query 'START GROUP_REPLICATION'; do
        if ((SECONDS >= deadline)) || ! server_pid >/dev/null; then fail_to_start; fi
        sleep 1
    done
}

member_query() { echo "SELECT MEMBER_STATE FROM $members WHERE MEMBER_ID = @@server_uuid"; }

# OFFLINE where the server has never been in a group.
member_state() {
    local state
    state=$(admin_query "$(member_query)")
    echo "${state:-OFFLINE}"
}

# A member that has lost the others calls itself online for a while.
has_majority() {
    local name
    for name in "$@"; do
        select_server "$name"
        [[ $(member_state) == ONLINE ]] || continue
        if [[ $(admin_query "SELECT SUM(MEMBER_STATE = 'UNREACHABLE') * 2 < COUNT(*) FROM $members") == 1 ]]; then return; fi
    done
    return 1
}

most_executed() {
    local name best='' most=''
    for name in "$@"; do
        select_server "$name"
        if [[ ! $best || $(admin_query "SELECT GTID_SUBSET('$most', @@gtid_executed)") == 1 ]]; then
            best=$name
            most=$(admin_query "SELECT REPLACE(@@gtid_executed, '\\n', '')")
        fi
    done
    echo "$best"
}

start_pair() {
    local name source_port
    for name in "$@"; do
        select_server "$name"
        launch_node
        if [[ ! -e $dir/accounts ]]; then
            make_accounts
            if [[ $kind == mariadb ]]; then admin_query 'RESET MASTER'; else admin_query 'RESET BINARY LOGS AND GTIDS'; fi
            touch "$dir/accounts"
        fi
    done
    select_server "$1"
    source_port=$port
    admin_query "CREATE USER IF NOT EXISTS '$copier'@'%' IDENTIFIED BY '$copier_password'"
    admin_query "GRANT REPLICATION SLAVE ON *.* TO '$copier'@'%'"
    select_server "$2"
    if [[ ! -e $dir/follows ]]; then
        "follow_$kind" "$source_port"
        touch "$dir/follows"
    fi
    admin_query 'SET GLOBAL read_only=1'
}

follow_mariadb() {
    admin_query "CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT=$1, MASTER_USER='$copier', MASTER_PASSWORD='$copier_password',
        MASTER_USE_GTID=slave_pos; START SLAVE"
}

follow_mysql() {
    admin_query "CHANGE REPLICATION SOURCE TO SOURCE_HOST='127.0.0.1', SOURCE_PORT=$1, SOURCE_USER='$copier',
        SOURCE_PASSWORD='$copier_password', SOURCE_AUTO_POSITION=1, GET_SOURCE_PUBLIC_KEY=1; START REPLICA"
}

# kill_node NODE: as a crash does, and waits until it is gone.
kill_node() {
    local pid
    select_server "$1"
    pid=$(server_pid) || die "$1 does not run"
    kill -KILL "$pid"
    while is_ours "$pid"; do sleep 0.1; done
    say "killed $1"
}
