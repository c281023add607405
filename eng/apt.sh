# shellcheck shell=bash
# Debian packages of other suites and architectures, downloaded without touching the machine's own package state. Sourced; the script has `die`.

apt_folder=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)

own_apt_get() {
    local work=$1
    shift
    apt-get -y -c "$work/apt.conf" "$@"
}

# write_apt_configuration FOLDER SUITE ARCHITECTURE: an apt of its own: nothing of the machine's package state is read or written, only its proxy and such settings apply.
write_apt_configuration() {
    local work=$1 suite=$2 architecture=$3 source
    source=$(debian_source)
    [[ -n $source ]] || die "packages of Debian's $suite suite are needed, but this machine's apt has no Debian source to take them from"
    mkdir -p "$work"/{sources.d,state/lists/partial,cache/archives/partial,tree}
    : >"$work/status"
    # Targets and Languages: package lists only, neither icons nor translations.
    cat >"$work/sources.d/own.sources" <<END
Types: deb
Suites: $suite
Components: main
Architectures: $architecture
Targets: Packages
Languages: none
$source
END
    # The machine's hooks are cleared: those of container images delete /var/cache/apt/archives while another apt may be using it.
    cat >"$work/apt.conf" <<END
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear DPkg::Pre-Install-Pkgs;
#clear DPkg::Post-Invoke;
APT::Architecture "$architecture";
APT::Architectures { "$architecture"; };
APT::Default-Release "";
APT::Install-Recommends "false";
APT::Sandbox::User "root";
Acquire::Retries "3";
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "$work/sources.d";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "$work/no-preferences.d";
Dir::State "$work/state";
Dir::State::status "$work/status";
Dir::Cache "$work/cache";
END
}

# Where this machine gets Debian from, as the fields URIs and Signed-By of a source.
debian_source() {
    local codename file found
    # shellcheck source=/dev/null
    codename=$(. /etc/os-release 2>/dev/null && [[ ${ID:-} == debian ]] && printf '%s' "${VERSION_CODENAME:-sid}") || return 0
    for file in /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list /etc/apt/sources.list.d/*; do
        [[ -r $file && ($file == *.list || $file == *.sources) ]] || continue
        found=$(awk -v codename="$codename" -f "$apt_folder/servers/debian-source.awk" "$file")
        if [[ -n $found ]]; then printf '%s\n' "$found"; return; fi
    done
}
