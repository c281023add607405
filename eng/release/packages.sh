#!/usr/bin/env bash
# The list of all packages that the program is made of, with licences (CycloneDX), and the notices that these ask for.
# Called by eng/release.sh, which sets VERSION, OUT, WORK, PLATFORMS.
set -euo pipefail
packages=${NUGET_PACKAGES:-$HOME/.nuget/packages}
list=$OUT/bulkload-$VERSION.cdx.json

# The time and a random number of its own would make each list another one.
dotnet tool restore
dotnet restore src/BulkLoad.Cli
dotnet tool run dotnet-CycloneDX src/BulkLoad.Cli/BulkLoad.Cli.csproj --recursive --disable-package-restore --no-serial-number \
  --base-intermediate-output-path "$PWD/artifacts/obj/BulkLoad.Cli" --set-name bulkload --set-version "$VERSION" --spec-version 1.6 \
  --output-format Json --output "$WORK" --filename packages.json

# The runtime is no package of the project: it is in the program all the same, natively compiled or as it is.
runtime=$(sed -n 's/.*<RuntimeFrameworkVersion[^>]*>\(.*\)<\/RuntimeFrameworkVersion>.*/\1/p' src/BulkLoad.Cli/BulkLoad.Cli.csproj)
names=()
for platform in $PLATFORMS; do
  case $platform in
    linux-x64 | linux-arm64) names+=("runtime.$platform.Microsoft.DotNet.ILCompiler" "Microsoft.NETCore.App.Runtime.NativeAOT.$platform") ;;
    *) names+=("Microsoft.NETCore.App.Runtime.$platform") ;;
  esac
done
jq --arg version "$runtime" --arg names "${names[*]}" '
  del(.metadata.timestamp)
  | .components |= (map(select(.name | test("ILCompiler|ILLink") | not)) + [$names | split(" ")[] | {
      type: "library", "bom-ref": "pkg:nuget/\(.)@\($version)", name: ., version: $version, scope: "required",
      licenses: [{ license: { id: "MIT" } }], copyright: "Copyright (c) .NET Foundation and Contributors", purl: "pkg:nuget/\(.)@\($version)" }]
      | sort_by(.name | ascii_downcase))' "$WORK/packages.json" >"$list"

# notice NAME VERSION LICENCE COPYRIGHT: its heading, and the licence and notices that lie in its package: the same text once only.
declare -A shown
notice() {
  local folder=$packages/${1,,}/$2 file sum
  printf '\n%s\n%s %s (%s)\n' "$(printf '=%.0s' {1..80})" "$1" "$2" "$3"
  if [[ $4 ]]; then printf '%s\n' "$4"; fi
  for file in "$folder"/LICENSE* "$folder"/license* "$folder"/THIRD-PARTY-NOTICES*; do
    [[ -f $file ]] || continue
    sum=$(tr -d '\r' <"$file" | sha256sum)
    if [[ ${shown[$sum]:-} ]]; then
      printf '%s: as of %s\n' "$(basename "$file")" "${shown[$sum]}"
    else
      shown[$sum]="$1 $2"
      printf '\n'
      tr -d '\r' <"$file"
    fi
  done
}

{
  printf 'bulkload %s is made of these packages too. The texts of the licences\nMIT and Apache-2.0 are at the end.\n' "$VERSION"
  while IFS=$'\t' read -r name version licence copyright; do
    notice "$name" "$version" "$licence" "$copyright"
  done < <(jq -r '.components[] | [.name, .version, ([.licenses[]?.license | .id // .name] | join(" or ")), .copyright // ""] | @tsv' "$list")
  for file in eng/release/licences/*.txt; do
    printf '\n%s\n%s\n\n' "$(printf '=%.0s' {1..80})" "$(basename "$file" .txt)"
    cat "$file"
  done
} >"$OUT/THIRD-PARTY-NOTICES.txt"
