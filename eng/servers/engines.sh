# shellcheck shell=bash
# Servers with other storage engines, and MySQL Router. Sourced by ../servers.sh, behind clusters.sh, whose start_cluster calls these.
# shellcheck disable=SC2154

start_rocksdb() {
    select_server "$1"
    launch_with_engines rocksdb mroonga
}

# The shards know nothing of the head.
start_spider() {
    local name
    for name in "${@:2}"; do
        select_server "$name"
        launch_node
    done
    select_server "$1"
    launch_with_engines spider
}

# Not in the settings, since the server that makes the data folder would load them, too.
launch_with_engines() {
    local tree name options=()
    tree=$(engines_tree)
    for name in "$@"; do options+=(--plugin-load-add="ha_$name.so"); done
    LD_LIBRARY_PATH=$(echo "$tree"/usr/lib/*-linux-gnu) launch_node --plugin-dir="$tree/usr/lib/mysql/plugin" "${options[@]}"
}

start_router() {
    local name
    select_server "$1"
    launch_node
    for name in "${@:2}"; do
        select_server "$name"
        launch_router
    done
}

launch_router() {
    local deadline=$((SECONDS + ready_seconds))
    server_pid >/dev/null && return
    program_of "$(tree_of router)" usr/bin/mysqlrouter
    rm -f "$dir/server.pid"
    touch "$dir/initialized"
    run "${program[@]}" --config="$dir/my.cnf"
    until server_pid >/dev/null && is_listening "$port"; do
        kill -0 "$launched_pid" 2>/dev/null && ((SECONDS < deadline)) || fail_to_start
        sleep 0.2
    done
}

# Each router has one way to the server: all that is TLS passes through; no TLS; TLS that ends here, and connections that clients share.
router_settings() {
    local own_tls="client_ssl_cert=$tls/server-cert.pem client_ssl_key=$tls/server-key.pem" ways
    ways=(
        'client_ssl_mode=PASSTHROUGH server_ssl_mode=AS_CLIENT'
        'client_ssl_mode=DISABLED server_ssl_mode=DISABLED'
        "client_ssl_mode=REQUIRED server_ssl_mode=REQUIRED connection_sharing=1 $own_tls"
    )
    cat <<END
[DEFAULT]
plugin_folder=$(tree_of router)/usr/lib/mysqlrouter/plugin
runtime_folder=$dir/tmp
data_folder=$dir/tmp
logging_folder=
pid_file=$dir/server.pid
[logger]
level=WARNING
[connection_pool]
max_idle_server_connections=20
[routing:bulkload]
bind_address=127.0.0.1
bind_port=$port
destinations=127.0.0.1:$(state_behind port)
routing_strategy=first-available
protocol=classic
${ways[$(number_of) - 2]// /$'\n'}
END
}

# state_behind NAME: of the router's server.
state_behind() {
    (
        select_server "$(cluster_of)-1"
        echo "${!1}"
    )
}
