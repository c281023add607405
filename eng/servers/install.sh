# shellcheck shell=bash
# Gets the programs: MariaDB as a package of this machine's Debian, MySQL out of Debian's sid suite into a cache folder.
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

# The newest complete tree in the cache that is new enough.
mysql_tree() {
    local marker tree best
    best=$(
        for marker in "$cache"/mysql-*/.complete; do
            [[ -e $marker ]] || continue
            tree=${marker%/.complete}
            printf '%s\n' "${tree##*/mysql-}"
        done | sort -V | tail -n 1
    )
    [[ -n $best ]] && at_least "$best" "$mysql_oldest" && printf '%s\n' "$cache/mysql-$best"
}

at_least() { printf '%s\n%s\n' "$2" "$1" | sort -VC; }

# Sets mysqld to the command that runs the tree's server: with its own loader and libraries, for sid's are newer than the machine's.
mysqld_of() {
    local tree=$1 loader libraries
    for loader in "$tree"/usr/lib*/ld-linux-*.so.*; do break; done
    for libraries in "$tree"/usr/lib/*-linux-gnu; do break; done
    mysqld=("$loader" --library-path "$libraries:$libraries/mysql/private" "$tree/usr/sbin/mysqld")
}

install_mysql() {
    install_client
    mysql_tree >/dev/null && return
    has apt-get || die "MySQL $mysql_oldest or newer is missing, and without apt-get it cannot be taken from Debian"
    # Nobody else is here: we hold the lock.
    rm -rf "$cache"/download.*
    local work
    work=$(mktemp -d "$cache/download.XXXXXX")
    write_apt_configuration "$work" sid "$(dpkg --print-architecture)"
    download_mysql "$work"
    extract_mysql "$work"
    rm -rf "$work"
}

download_mysql() {
    local work=$1 start=$SECONDS
    say "fetching the package list of Debian sid"
    quietly own_apt_get "$work" update || die "cannot read Debian's sid suite"
    say "fetched the package list in $((SECONDS - start)) s; downloading mysql-server-core and what it needs"
    start=$SECONDS
    quietly own_apt_get "$work" --download-only install mysql-server-core mysql-client-core || die "cannot download MySQL"
    say "downloaded MySQL in $((SECONDS - start)) s"
}

extract_mysql() {
    local work=$1 start=$SECONDS package version
    for package in "$work"/cache/archives/*.deb; do
        dpkg-deb -x "$package" "$work/tree"
    done
    mysqld_of "$work/tree"
    version=$("${mysqld[@]}" --no-defaults --version | sed -n 's/.* Ver \([0-9.]*\).*/\1/p') || true
    [[ -n $version ]] || die "the mysqld taken from Debian's sid does not run on this machine"
    at_least "$version" "$mysql_oldest" || die "Debian's sid has MySQL $version, older than $mysql_oldest"
    rm -rf "$cache/mysql-$version"
    mv "$work/tree" "$cache/mysql-$version"
    touch "$cache/mysql-$version/.complete"
    say "extracted MySQL $version in $((SECONDS - start)) s"
}
