# shellcheck shell=bash
# Gets the programs: MariaDB as a package of this machine's Debian; its engines, and MySQL and its router out of Debian's sid suite, into
# cache folders.
# Sourced by ../servers.sh, which sets the shared variables.
# shellcheck disable=SC2154

# shellcheck source=../apt.sh
. "$here/apt.sh"

readonly mysql_oldest=9.7
readonly policy=/usr/sbin/policy-rc.d policy_saved=/usr/sbin/policy-rc.d.saved-by-bulkload

has() { command -v "$1" >/dev/null; }

as_root() {
    # A daemon started on the way must not inherit, and so keep, our lock.
    if ((EUID == 0)); then "$@" {lock_fd}>&-; return; fi
    sudo -n "$@" {lock_fd}>&-
}

# So that what is missing is named at once, instead of some command that failed on the way.
need_apt_and_root() {
    has apt-get || die "missing: $*; there is no apt-get to install it with, so install it by hand"
    ((EUID == 0)) || { has sudo && sudo -n true 2>/dev/null; } ||
        die "missing: $*; installing needs root (or sudo without a password): apt-get install $*"
}

# Runs a command whose output matters only when it fails. In a subshell, so that a `die` in it is shown as well.
quietly() {
    local log status=0
    log=$(mktemp)
    ("$@") >"$log" 2>&1 || status=$?
    ((status == 0)) || tail -n 40 "$log" >&2
    rm -f "$log"
    return "$status"
}

install_mariadb() {
    if has mariadbd && has mariadb-install-db && has mariadb; then return; fi
    # The package's scripts move a data folder away that they don't know.
    if [[ -n $(ls -A /var/lib/mysql 2>/dev/null) ]]; then
        die "/var/lib/mysql holds data of another server, which installing the package mariadb-server might touch; install MariaDB 10.11 by hand"
    fi
    need_apt_and_root mariadb-server
    trap 'release_services' EXIT
    hold_services
    install_packages mariadb-server
    release_services
    trap - EXIT
    keep_service_off
}

install_client() {
    has mariadb || install_packages mariadb-client
}

install_packages() {
    need_apt_and_root "$@"
    say "installing $*"
    local start=$SECONDS
    # The package lists may be absent (fresh containers) or stale.
    if ! quietly apt_get install "$@" 2>/dev/null; then
        quietly apt_get update || die "apt-get update failed"
        quietly apt_get install "$@" || die "could not install $*"
    fi
    say "installed $* in $((SECONDS - start)) s"
}

# --no-remove: MariaDB's packages would otherwise throw out an installed MySQL.
apt_get() {
    local command=$1
    shift
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -y -o DPkg::Lock::Timeout=600 --no-remove --no-install-recommends "$command" "$@"
}

# invoke-rc.d and deb-systemd-invoke ask this file before they start a service that has just been installed.
hold_services() {
    release_services
    if [[ -x $policy ]]; then
        local answer=0
        "$policy" mariadb start >/dev/null 2>&1 || answer=$?
        ((answer == 101)) && return
    fi
    if [[ -e $policy || -L $policy ]]; then as_root mv "$policy" "$policy_saved"; fi
    as_root tee "$policy" >/dev/null <<END
#!/bin/sh
# bulkload eng/servers.sh: temporary, while mariadb-server is being installed
for word; do case \$word in mariadb* | mysql*) exit 101 ;; esac; done
[ -x "$policy_saved" ] && exec "$policy_saved" "\$@"
exit 0
END
    as_root chmod 755 "$policy"
}

# Also repairs what a killed run has left.
release_services() {
    if grep -qs '^# bulkload eng/servers.sh' "$policy"; then as_root rm -f "$policy"; fi
    if [[ -e $policy_saved || -L $policy_saved ]]; then as_root mv "$policy_saved" "$policy"; fi
}

# Installed for us, so it shall not come up at the next boot either.
keep_service_off() {
    if has systemctl; then
        quietly as_root systemctl disable mariadb.service || true
    elif has update-rc.d; then
        quietly as_root update-rc.d mariadb disable || true
    fi
}

# tree_of NAME: the newest complete tree in the cache that is new enough.
tree_of() {
    local marker tree best
    best=$(
        for marker in "$cache/$1"-[0-9]*/.complete; do
            [[ -e $marker ]] || continue
            tree=${marker%/.complete}
            printf '%s\n' "${tree##*-}"
        done | sort -V | tail -n 1
    )
    [[ -n $best ]] && at_least "$best" "$mysql_oldest" && printf '%s\n' "$cache/$1-$best"
}

at_least() { printf '%s\n%s\n' "$2" "$1" | sort -VC; }

# program_of TREE PATH: sets program to the command that runs it: with its own loader and libraries, for sid's are newer than the machine's.
program_of() {
    local tree=$1 loader libraries
    for loader in "$tree"/usr/lib*/ld-linux-*.so.*; do break; done
    for libraries in "$tree"/usr/lib/*-linux-gnu; do break; done
    program=("$loader" --library-path "$libraries:$libraries/mysql/private:$tree/usr/lib/mysql-router" "$tree/$2")
}

install_mysql() {
    install_client
    tree_of mysql >/dev/null || take_from_sid mysql usr/sbin/mysqld mysql-server-core mysql-client-core
}

install_router() {
    tree_of router >/dev/null || take_from_sid router usr/bin/mysqlrouter mysql-router
}

# take_from_sid NAME PROGRAM PACKAGE...: makes the tree NAME of packages and what they need; PROGRAM, a path in it, tells its version.
take_from_sid() {
    local name=$1 path=$2 options=() work start version
    shift 2
    # Else it would read the settings of this machine's server.
    if [[ $name == mysql ]]; then options=(--no-defaults); fi
    has apt-get || die "$* of $mysql_oldest or newer is missing, and without apt-get it cannot be taken from Debian"
    make_download_folder
    write_apt_configuration "$work" sid "$(dpkg --print-architecture)"
    start=$SECONDS
    say "fetching the package list of Debian sid"
    quietly own_apt_get "$work" update || die "cannot read Debian's sid suite"
    say "fetched the package list in $((SECONDS - start)) s; downloading $* and what is needed for it"
    start=$SECONDS
    quietly own_apt_get "$work" --download-only install "$@" || die "cannot download $*"
    say "downloaded $* in $((SECONDS - start)) s"
    start=$SECONDS
    extract_packages "$work"
    program_of "$work/tree" "$path"
    version=$("${program[@]}" "${options[@]}" --version | sed -n 's/.* Ver \([0-9.]*\).*/\1/p') || true
    [[ -n $version ]] || die "the ${path##*/} taken from Debian's sid does not run on this machine"
    at_least "$version" "$mysql_oldest" || die "Debian's sid has ${path##*/} $version, older than $mysql_oldest"
    keep_tree "$work" "$name-$version"
    say "extracted ${path##*/} $version in $((SECONDS - start)) s"
}

# Sets work. Nobody else is here: we hold the lock.
make_download_folder() {
    rm -rf "$cache"/download.*
    work=$(mktemp -d "$cache/download.XXXXXX")
}

extract_packages() {
    local package
    for package in "$1"/cache/archives/*.deb; do
        dpkg-deb -x "$package" "$1/tree"
    done
}

# keep_tree WORK NAME
keep_tree() {
    rm -rf "${cache:?}/$2"
    mv "$1/tree" "$cache/$2"
    touch "$cache/$2/.complete"
    rm -rf "$1"
}

# Plugins are built for one version of Debian's server.
engines_version() {
    dpkg-query -W -f '${Version}' mariadb-server 2>/dev/null || die "engines are taken from Debian, for its own mariadb-server alone"
}

# Without the colon in the version, which parts folders of libraries.
engines_tree() {
    local version
    version=$(engines_version) || return
    printf '%s\n' "$cache/engines-${version#*:}"
}

# Storage engines of MariaDB, with the libraries that this machine lacks. As packages they would be loaded by the machine's own server, too.
install_engines() {
    local tree version work name start=$SECONDS packages=()
    install_mariadb
    tree=$(engines_tree)
    [[ -e $tree/.complete ]] && return
    version=$(engines_version) || return
    for name in mroonga rocksdb spider; do packages+=("mariadb-plugin-$name=$version"); done
    make_download_folder
    mkdir -p "$work"/{cache/archives/partial,tree}
    say "downloading ${packages[*]}"
    # The package lists may be absent or stale.
    quietly download_only "$work" "${packages[@]}" 2>/dev/null ||
        { need_apt_and_root "${packages[@]}" && quietly apt_get update && quietly download_only "$work" "${packages[@]}"; } ||
        die "cannot download ${packages[*]}"
    extract_packages "$work"
    keep_tree "$work" "${tree##*/}"
    say "took MariaDB's engines in $((SECONDS - start)) s"
}

# download_only WORK PACKAGE...: of this machine's own suite, without a lock on its packages.
download_only() {
    local options=(-o Debug::NoLocking=1 -o APT::Sandbox::User=root -o "Dir::Cache::archives=$1/cache/archives" --no-install-recommends)
    shift
    apt-get -y "${options[@]}" --download-only install "$@"
}
