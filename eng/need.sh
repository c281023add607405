# shellcheck shell=bash
# Installs small tools by the system's package manager. Sourced.

# need PROGRAM PACKAGE...: installs the packages where the program is missing.
need() {
  command -v "$1" >/dev/null && return
  need_package "${@:2}" || {
    echo "$(basename -- "$0"): $1 is missing and could not be installed (${*:2})" >&2
    exit 1
  }
}

# need_package PACKAGE...: installs by apt-get, whose package lists may be absent or old.
need_package() {
  local as_root=()
  ((EUID == 0)) || as_root=(sudo -n)
  echo "$(basename -- "$0"): installing $*" >&2
  local install=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=600 "$@")
  "${install[@]}" >/dev/null 2>&1 || { "${as_root[@]}" apt-get update >/dev/null && "${install[@]}" >/dev/null; }
}
