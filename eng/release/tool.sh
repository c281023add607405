#!/usr/bin/env bash
# The .NET tool BulkLoad.Cli: a package for each platform that is natively compiled, one for any other that has the runtime, and
# the one that leads to them. Called by eng/release.sh, which sets OUT, PLATFORMS, SOURCE_DATE_EPOCH.
set -euo pipefail
# shellcheck source=../need.sh
. eng/need.sh
# shellcheck source=../compiler.sh
. eng/compiler.sh

# pack OPTIONS...
pack() { dotnet pack src/BulkLoad.Cli -c Release -o "$OUT/nuget" --nologo -p:AsTool=true -p:RunAnalyzers=false -p:ContinuousIntegrationBuild=true "$@"; }

for platform in $PLATFORMS; do
  case $platform in
    linux-x64 | linux-arm64)
      find_compiler "$platform"
      pack -r "$platform" "${compiler[@]}"
      ;;
  esac
done
pack -r any -p:PublishAot=false
# With PublishAot and no platform it is the one that leads to the others.
pack -p:PublishAot=true
