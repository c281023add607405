#!/usr/bin/env bash
# What other installers read, with the sums of the archives: Homebrew's formula, Scoop's manifest; and the Containerfile.
# Called by eng/release.sh, which sets VERSION, OUT, PLATFORMS, REPOSITORY.
set -euo pipefail
cp eng/release/Containerfile "$OUT/"
downloads=$REPOSITORY/releases/download/v$VERSION

sum() { sha256sum "$OUT/$1" | cut -d ' ' -f 1; }

# of SYSTEM PLATFORM: a block of the formula; nothing where a trial leaves that platform out.
of() {
  local archive=bulkload-$VERSION-$2.tar.gz
  [[ -e $OUT/$archive ]] || return 0
  printf '    on_%s do\n      url "%s/%s"\n      sha256 "%s"\n    end\n' "$1" "$downloads" "$archive" "$(sum "$archive")"
}

cat >"$OUT/bulkload.rb" <<END
# frozen_string_literal: true

class Bulkload < Formula
  desc "Bulk loader for MySQL and MariaDB"
  homepage "$REPOSITORY"
  version "$VERSION"
  license "MIT"

  on_macos do
$(of arm osx-arm64; of intel osx-x64)
  end
  on_linux do
    depends_on "openssl@3"
$(of arm linux-arm64; of intel linux-x64)
  end

  def install
    bin.install "bulkload"
    man1.install Dir["man/man1/*.1"]
    bash_completion.install "completion/bulkload.bash" => "bulkload"
    zsh_completion.install "completion/bulkload.zsh" => "_bulkload"
    fish_completion.install "completion/bulkload.fish"
  end

  test do
    (testpath/"data/people.csv").write("id,name\n1,Ann\n")
    (testpath/"schema.sql").write("CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(20));")
    assert_match "bulkload #{version}", shell_output("#{bin}/bulkload --version")
    assert_match "1 record", shell_output("#{bin}/bulkload check data --schema schema.sql")
  end
end
END

archive=bulkload-$VERSION-win-x64
if [[ -e $OUT/$archive.zip ]]; then
  jq -n --arg version "$VERSION" --arg homepage "$REPOSITORY" --arg downloads "$downloads" --arg archive "$archive" --arg hash "$(sum "$archive.zip")" '{
    $version, description: "Bulk loader for MySQL and MariaDB", $homepage, license: "MIT", bin: "bulkload.exe",
    architecture: { "64bit": { url: "\($downloads)/\($archive).zip", $hash, extract_dir: $archive } } }' >"$OUT/bulkload.json"
fi
