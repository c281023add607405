#!/usr/bin/env bash
# Makes a folder with the smallest Debian 12 in it, for chroot: no .NET, no client of a server.
#
#   eng/debian-root.sh FOLDER
#
# Needs root; debootstrap is installed by apt-get where it is missing. The packages are kept for the next time. apt in it has
# the machine's own sources and proxy.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
# shellcheck source=need.sh
. eng/need.sh
# shellcheck source=apt.sh
. eng/apt.sh
die() { echo "debian-root.sh: $*" >&2; exit 1; }

(($# == 1)) || { sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2; }
((EUID == 0)) || die "chroot needs root"
need debootstrap debootstrap
source=$(debian_source | sed -n 's/^URIs: *\([^ ]*\).*/\1/p' | head -n 1)
[[ $source ]] || die "this machine's apt has no Debian source"
folder=$(realpath -m -- "$1")
kept=${XDG_CACHE_HOME:-$HOME/.cache}/bulkload/debootstrap
mkdir -p "$kept" "$folder"
debootstrap --variant=minbase --include=ca-certificates --cache-dir="$kept" bookworm "$folder" "$source" >"$folder.log" 2>&1 || { tail "$folder.log" >&2; die "debootstrap failed"; }
rm "$folder.log" "$folder/etc/apt/sources.list"
cp -r /etc/apt/sources.list /etc/apt/sources.list.d /etc/apt/apt.conf.d "$folder/etc/apt/" 2>/dev/null || true
cp /etc/hosts /etc/resolv.conf "$folder/etc/"
