#!/usr/bin/env bash
# An archive for each platform: the program, man pages, scripts for completion, the licences.
# Called by eng/release.sh, which sets VERSION, OUT, WORK, PROGRAMS, PLATFORMS, SOURCE_DATE_EPOCH.
set -euo pipefail
for platform in $PLATFORMS; do
  name=bulkload-$VERSION-$platform
  folder=$WORK/archives/$name
  mkdir -p "$folder/man/man1" "$folder/completion"
  cp "$PROGRAMS/$platform"/bulkload* README.md LICENSE CHANGELOG.md "$OUT/THIRD-PARTY-NOTICES.txt" "$folder/"
  cp "$WORK/man"/*.1 "$folder/man/man1/"
  cp src/BulkLoad.Cli/Completion/Scripts/bulkload.* "$folder/completion/"
  find "$folder" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
  find "$folder" -type f ! -name bulkload -exec chmod 644 {} +
  if [[ $platform == win-* ]]; then
    (cd "$WORK/archives" && find "$name" -type f | sort | zip -qX -@ "$OUT/$name.zip")
  else
    tar -C "$WORK/archives" --sort=name --owner=0 --group=0 --numeric-owner --format=ustar -cf - "$name" | gzip -9n >"$OUT/$name.tar.gz"
  fi
done
