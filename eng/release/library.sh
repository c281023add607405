#!/usr/bin/env bash
# The package BulkLoad: the library with its documentation, sources' addresses and symbols in it, and the generator. Called by
# eng/release.sh, which sets OUT, REPOSITORY, SOURCE_DATE_EPOCH.
set -euo pipefail
dotnet pack src/BulkLoad.Core -c Release -o "$OUT/nuget" --nologo -p:RunAnalyzers=false -p:ContinuousIntegrationBuild=true \
  -p:RepositoryUrl="$REPOSITORY" -p:RepositoryType=git
