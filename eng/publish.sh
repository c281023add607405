#!/usr/bin/env bash
# Publishes bulkload as users get it: one file that needs no runtime.
#
#   eng/publish.sh [FOLDER]      (artifacts/publish/bulkload)
#
# RUNTIME_ID chooses another platform than this machine's. linux-x64 and linux-arm64 are compiled to native code, linux-arm64 on
# x64 by Debian's cross compiler; linux-musl-x64, osx-arm64, osx-x64 and win-x64 contain the runtime, trimmed.
# What the linker needs is installed by apt-get where it is missing.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
# shellcheck source=sdk.sh
. eng/sdk.sh
# shellcheck source=need.sh
. eng/need.sh

if (($# > 1)) || [[ ${1:-} == -* ]]; then
  sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" >&2
  exit 2
fi
case $(uname -m) in
  aarch64 | arm64) own=linux-arm64 ;;
  *) own=linux-x64 ;;
esac
platform=${RUNTIME_ID:-$own}
folder=$(realpath -m -- "${1:-artifacts/publish/bulkload}")
options=()

need_sdk
case $own:$platform in
  linux-x64:linux-x64 | linux-arm64:linux-arm64)
    need cc gcc libc6-dev
    command -v clang >/dev/null || options+=(-p:CppCompilerAndLinker=cc)
    ;;
  linux-x64:linux-arm64)
    need clang clang
    need aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu libc6-dev-arm64-cross
    options+=(-p:CppCompilerAndLinker=clang -p:ObjCopyName=aarch64-linux-gnu-objcopy)
    ;;
  *:linux-arm64 | *:linux-x64)
    echo "publish.sh: $platform cannot be compiled on $own" >&2
    exit 2
    ;;
esac

rm -rf "$folder"
# The code is analyzed where all of it is built.
dotnet publish src/BulkLoad.Cli -c Release -r "$platform" -o "$folder" --verbosity quiet --nologo -p:RunAnalyzers=false "${options[@]}"
program=$folder/bulkload
[[ -e $program ]] || program=$program.exe
printf '%s: %s bytes\n' "$program" "$(stat -c %s "$program")"
