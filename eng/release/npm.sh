#!/usr/bin/env bash
# npm's packages: one a platform, and one that has them as optional dependencies, so that npm installs the right one.
# Called by eng/release.sh, which sets VERSION, OUT, WORK, PROGRAMS, PLATFORMS.
set -euo pipefail
mkdir -p "$OUT/npm"

# pack FOLDER: npm gives all files one date of its own.
pack() { npm pack "$1" --pack-destination "$OUT/npm" --silent --ignore-scripts; }

dependencies='{}'
for platform in $PLATFORMS; do
  libc='{}'
  case $platform in
    linux-musl-*) system=linux processor=${platform##*-} name=@bulkload/linux-$processor-musl libc='{"libc": ["musl"]}' ;;
    linux-*) system=linux processor=${platform##*-} name=@bulkload/$platform libc='{"libc": ["glibc"]}' ;;
    osx-*) system=darwin processor=${platform##*-} name=@bulkload/darwin-$processor ;;
    win-*) system=win32 processor=${platform##*-} name=@bulkload/win32-$processor ;;
  esac
  folder=$WORK/npm/$platform
  mkdir -p "$folder/bin"
  cp "$PROGRAMS/$platform"/bulkload* "$folder/bin/"
  chmod 755 "$folder/bin"/*
  cp LICENSE "$OUT/THIRD-PARTY-NOTICES.txt" "$folder/"
  jq -n --arg name "$name" --arg version "$VERSION" --arg system "$system" --arg processor "$processor" --argjson libc "$libc" '{
    $name, $version, description: "The program of the package bulkload for \($system), \($processor)", license: "MIT",
    os: [$system], cpu: [$processor] } + $libc + { preferUnplugged: true, files: ["bin", "THIRD-PARTY-NOTICES.txt"] }' >"$folder/package.json"
  dependencies=$(jq -n --argjson all "$dependencies" --arg name "$name" --arg version "$VERSION" '$all + { ($name): $version }')
  pack "$folder"
done

folder=$WORK/npm/bulkload
mkdir -p "$folder"
install -m 755 eng/release/npm/bulkload.js "$folder/bulkload.js"
cp README.md LICENSE "$folder/"
jq -n --arg version "$VERSION" --argjson dependencies "$dependencies" '{
  name: "bulkload", $version, description: "Loads CSV, TSV and JSON files into MySQL and MariaDB, fast, with nothing lost or changed silently",
  keywords: ["mysql", "mariadb", "csv", "import", "seed", "bulk", "load data"], license: "MIT", bin: { bulkload: "bulkload.js" },
  files: ["bulkload.js"], engines: { node: ">=18" }, optionalDependencies: $dependencies }' >"$folder/package.json"
pack "$folder"
