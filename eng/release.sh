#!/usr/bin/env bash
# Makes the archives of a release, one for each platform, with man pages and scripts for completion, and SHA256SUMS beside them.
#
#   eng/release.sh [FOLDER]      (artifacts/release)
#
# PLATFORMS names some of them only. A platform whose packages cannot be restored is left out; the output says why.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
# shellcheck source=need.sh
. eng/need.sh

if (($# > 1)) || [[ ${1:-} == -* ]]; then
  sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" >&2
  exit 2
fi
folder=$(realpath -m -- "${1:-artifacts/release}")
version=$(sed -n 's/.*<Version>\(.*\)<\/Version>.*/\1/p' Directory.Build.props)
read -ra platforms <<<"${PLATFORMS:-linux-x64 linux-arm64 linux-musl-x64 osx-arm64 osx-x64 win-x64}"
log=$(mktemp)
pages=$(mktemp -d)
trap 'rm -rf "$log" "$pages"' EXIT
BULKLOAD_MAN_PAGES=$pages dotnet run --project tests/BulkLoad.Tests -- -noColor -class '*ManPageTests' >"$log" 2>&1 || {
  tail -n 20 "$log" >&2
  exit 1
}

rm -rf "$folder"
mkdir -p "$folder"
made=0
for platform in "${platforms[@]}"; do
  name=bulkload-$version-$platform
  if ! RUNTIME_ID=$platform eng/publish.sh "$folder/$name" >"$log" 2>&1; then
    rm -rf "${folder:?}/$name"
    printf '%s: left out: %s\n' "$platform" "$(grep -m 1 -E 'error|cannot|missing' "$log" || tail -n 1 "$log")"
    continue
  fi
  cp README.md LICENSE CHANGELOG.md "$folder/$name/"
  mkdir -p "$folder/$name/man/man1" "$folder/$name/completion"
  cp "$pages"/*.1 "$folder/$name/man/man1/"
  cp src/BulkLoad.Cli/Completion/Scripts/bulkload.* "$folder/$name/completion/"
  if [[ $platform == win-* ]]; then
    need zip zip
    archive=$name.zip
    (cd "$folder" && zip -qr "$archive" "$name")
  else
    archive=$name.tar.gz
    tar -C "$folder" --owner=0 --group=0 --numeric-owner -czf "$folder/$archive" "$name"
  fi
  rm -rf "${folder:?}/$name"
  printf '%s: %s bytes\n' "$archive" "$(stat -c %s "$folder/$archive")"
  made=$((made + 1))
done
((made > 0)) || exit 1
(cd "$folder" && sha256sum bulkload-* >SHA256SUMS)
