#!/usr/bin/env bash
# deb and rpm for amd64 and arm64, of the natively compiled programs.
# Called by eng/release.sh, which sets VERSION, OUT, WORK, PROGRAMS, PLATFORMS, REPOSITORY, SOURCE_DATE_EPOCH.
set -euo pipefail
summary='bulk loader for MySQL and MariaDB'

# What the program is, laid out as both kinds of package want it.
lay_out() {
  local platform=$1 root=$2
  install -D -m 755 "$PROGRAMS/$platform/bulkload" "$root/usr/bin/bulkload"
  install -d "$root/usr/share/man/man1" "$root/usr/share/doc/bulkload"
  for page in "$WORK/man"/*.1; do gzip -9n <"$page" >"$root/usr/share/man/man1/$(basename "$page").gz"; done
  install -D -m 644 src/BulkLoad.Cli/Completion/Scripts/bulkload.bash "$root/usr/share/bash-completion/completions/bulkload"
  install -D -m 644 src/BulkLoad.Cli/Completion/Scripts/bulkload.zsh "$root/usr/share/zsh/$3/_bulkload"
  install -D -m 644 src/BulkLoad.Cli/Completion/Scripts/bulkload.fish "$root/usr/share/fish/vendor_completions.d/bulkload.fish"
  install -m 644 README.md CHANGELOG.md "$OUT/THIRD-PARTY-NOTICES.txt" "$root/usr/share/doc/bulkload/"
}

# The C library that the program asks for; OpenSSL is opened when a connection wants TLS or a password's digest.
needed_libc() { objdump -T "$1" | grep -o 'GLIBC_[0-9.]*' | sed 's/GLIBC_//' | sort -uV | tail -n 1; }

deb() {
  local platform=$1 architecture=$2 root=$WORK/deb-$1
  lay_out "$platform" "$root" vendor-completions
  install -m 644 LICENSE "$root/usr/share/doc/bulkload/copyright"
  mkdir "$root/DEBIAN"
  cat >"$root/DEBIAN/control" <<END
Package: bulkload
Version: $VERSION
Architecture: $architecture
Maintainer: the bulkload authors <$REPOSITORY/issues>
Installed-Size: $(du -sk --apparent-size "$root/usr" | cut -f 1)
Depends: libc6 (>= $(needed_libc "$root/usr/bin/bulkload")), libssl3 | libssl3t64
Recommends: ca-certificates
Section: database
Priority: optional
Homepage: $REPOSITORY
Description: $summary
 Loads CSV, TSV and JSON files into MySQL and MariaDB, updates and deletes rows by key.
 As fast as LOAD DATA, and no value is changed or dropped silently.
END
  (cd "$root" && find usr -type f | sort | xargs md5sum >DEBIAN/md5sums)
  dpkg-deb --root-owner-group -Zxz --build "$root" "$OUT/bulkload_${VERSION}_$architecture.deb"
}

# rpm makes the dependencies on the C library by itself, from the program.
rpm_package() {
  local platform=$1 architecture=$2 root=$WORK/rpm-$1
  lay_out "$platform" "$root" site-functions
  install -D -m 644 LICENSE "$root/usr/share/licenses/bulkload/LICENSE"
  cat >"$WORK/bulkload.spec" <<END
Name: bulkload
Version: $VERSION
Release: 1
Summary: $summary
License: MIT
URL: $REPOSITORY
Requires: libssl.so.3()(64bit)
Recommends: ca-certificates
%description
Loads CSV, TSV and JSON files into MySQL and MariaDB, updates and deletes rows by key.
As fast as LOAD DATA, and no value is changed or dropped silently.
%files
%license /usr/share/licenses/bulkload/LICENSE
%doc /usr/share/doc/bulkload
/usr/bin/bulkload
/usr/share/man/man1/*
/usr/share/bash-completion/completions/bulkload
/usr/share/zsh/site-functions/_bulkload
/usr/share/fish/vendor_completions.d/bulkload.fish
%changelog
END
  find "$root" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
  # The program is built and stripped already: nothing is to be done to it.
  rpmbuild -bb --target "$architecture-linux" --buildroot "$root" --define "_topdir $WORK/rpm" --define "_rpmdir $WORK/rpms" \
    --define '_buildhost localhost' --define 'use_source_date_epoch_as_buildtime 1' --define 'clamp_mtime_to_source_date_epoch 1' \
    --define 'debug_package %{nil}' --define '__os_install_post %{nil}' --define '_build_id_links none' \
    --define '_binary_payload w9.xzdio' --define '__strip /bin/true' --define 'clean %{nil}' "$WORK/bulkload.spec"
  cp "$WORK/rpms/$architecture/bulkload-$VERSION-1.$architecture.rpm" "$OUT/"
}

for platform in $PLATFORMS; do
  case $platform in
    linux-x64) deb "$platform" amd64; rpm_package "$platform" x86_64 ;;
    linux-arm64) deb "$platform" arm64; rpm_package "$platform" aarch64 ;;
  esac
done
