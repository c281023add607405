#!/usr/bin/env bash
# Makes everything of a release, in one folder, with SHA256SUMS beside it: twice from the same commit it is the same bytes.
#
#   eng/release.sh VERSION [FOLDER]      (artifacts/release)
#
# VERSION is that of Directory.Build.props: to release another one, change it there. The checkout has to be clean.
#
#   SAME_AS=FOLDER    another release of this commit: ends with 1, and names the files, where one of them differs
#   PLATFORMS=...     some of linux-x64 linux-arm64 linux-musl-x64 osx-arm64 osx-x64 win-x64 only: a trial, not a release
#   PROGRAMS=FOLDER   has the programs already, in a folder for each platform: they are not compiled again
#   REPOSITORY=URL    where the packages say that they come from (https://github.com/YOU/bulkload: nothing is published yet);
#                     the archives are expected at URL/releases/download/vVERSION/
#   ALLOW_CHANGES=1   takes what is not committed: a trial, not a release
#
# Installs what is missing by apt-get: compilers, zip, rpm, jq, npm.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
# shellcheck source=sdk.sh
. eng/sdk.sh
# shellcheck source=need.sh
. eng/need.sh

if (($# < 1 || $# > 2)) || [[ $1 == -* ]]; then
  sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" >&2
  exit 2
fi
die() { echo "release.sh: $*" >&2; exit 1; }

VERSION=$1
OUT=$(realpath -m -- "${2:-artifacts/release}")
in_props=$(sed -n 's/.*<Version>\(.*\)<\/Version>.*/\1/p' Directory.Build.props)
[[ $VERSION == "$in_props" ]] || die "Directory.Build.props has version $in_props, not $VERSION"
if [[ ! ${ALLOW_CHANGES:-} && $(git status --porcelain) ]]; then die "the checkout has changes: $(git status --porcelain | head -n 3 | tr '\n' ' ')"; fi
read -ra platforms <<<"${PLATFORMS:-linux-x64 linux-arm64 linux-musl-x64 osx-arm64 osx-x64 win-x64}"

# Every date in a package is that of the commit; names sort and messages read alike everywhere; files are readable by all.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export VERSION OUT SOURCE_DATE_EPOCH LC_ALL=C TZ=UTC
umask 022
WORK=$(mktemp -d)
export REPOSITORY=${REPOSITORY:-https://github.com/YOU/bulkload}
export WORK PLATFORMS="${platforms[*]}"
trap 'rm -rf "$WORK"' EXIT

need_sdk
need zip zip
need rpmbuild rpm
need jq jq
need npm npm

rm -rf "$OUT"
mkdir -p "$OUT" "$WORK/man"

# step WORDS COMMAND...: runs it, and shows what it says only where it fails.
step() {
  printf '%s\n' "$1"
  "${@:2}" >"$WORK/log" 2>&1 || { tail -n 40 "$WORK/log" >&2; die "failed: $1"; }
}

export PROGRAMS=${PROGRAMS:-}
if [[ ! $PROGRAMS ]]; then
  PROGRAMS=$WORK/programs
  for platform in "${platforms[@]}"; do
    step "$platform: compiling" env RUNTIME_ID="$platform" eng/publish.sh "$PROGRAMS/$platform"
  done
fi
PROGRAMS=$(realpath -- "$PROGRAMS")
step 'man pages' env BULKLOAD_MAN_PAGES="$WORK/man" dotnet run --project tests/BulkLoad.Tests -- -noColor -class '*ManPageTests'
step 'list of packages, notices of third parties' eng/release/packages.sh
step 'archives' eng/release/archives.sh
step 'deb and rpm' eng/release/linux.sh
step 'npm' eng/release/npm.sh
step '.NET tool' eng/release/tool.sh
step 'library' eng/release/library.sh
step 'container, Homebrew, Scoop' eng/release/manifests.sh

cd "$OUT"
find . -type f ! -name SHA256SUMS -printf '%P\0' | sort -z | xargs -0 sha256sum >SHA256SUMS
find . -type f -printf '%P\t%s\n' | sort | awk -F '\t' '{ printf "%12d  %s\n", $2, $1 }'

if [[ ${SAME_AS:-} ]]; then
  # Each line is a sum and a file; a line that is in one of the two lists only is of a file that differs or is missing.
  differing=$(sort SHA256SUMS "$SAME_AS/SHA256SUMS" | uniq -u | awk '{ print $2 }' | sort -u)
  [[ ! $differing ]] || { printf 'differs from %s: %s\n' "$SAME_AS" "$differing" >&2; exit 1; }
  echo "the same bytes as $SAME_AS"
fi
