#!/usr/bin/env bash
# Builds everything and runs the tests; those that need servers get a private MariaDB and MySQL on loopback.
#
#   ./test.sh               all
#   ./test.sh unit          without servers, seconds
#   ./test.sh integration   with servers
#
# What is missing is installed (eng/servers.sh says how); servers started here are stopped at the end. The last line is
# "N passed, N failed, N skipped". Where a server cannot be had its tests are skipped; with CI=true that is a failure.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")"
# shellcheck source=eng/sdk.sh
. eng/sdk.sh
exec </dev/null

case "$#:${1:-all}" in
  0:all) projects=(BulkLoad.Tests BulkLoad.IntegrationTests) ;;
  1:unit) projects=(BulkLoad.Tests) ;;
  1:integration) projects=(BulkLoad.IntegrationTests) ;;
  *) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2 ;;
esac

options=(-noColor)
if [[ ${CI:-} == true ]]; then options+=(-failSkips); fi
results=$(mktemp -d)
started=()

clean_up() {
  for server in "${started[@]}"; do eng/servers.sh stop "$server" || true; done
  started=()
  rm -rf "$results"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

start_servers() {
  local server assignments
  for server in mariadb mysql; do
    eng/servers.sh where "$server" >/dev/null 2>&1 || started+=("$server")
    if assignments=$(eng/servers.sh start "$server"); then
      set -a
      eval "$assignments"
      set +a
    else
      echo "test.sh: there is no $server" >&2
    fi
  done
}

# count ATTRIBUTE FILE: what the runner counted, 0 where it did not come that far.
count() {
  local number
  number=$(sed -n "s/.*<assembly [^>]*\b$1=\"\([0-9]*\)\".*/\1/p" "$2" 2>/dev/null | head -n 1)
  echo "${number:-0}"
}

need_sdk
echo '$ dotnet build BulkLoad.sln -warnaserror'
if ! dotnet build BulkLoad.sln -warnaserror --nologo --verbosity quiet; then
  echo "test.sh: the build failed" >&2
  echo "0 passed, 0 failed, 0 skipped"
  exit 1
fi
if [[ " ${projects[*]} " == *Integration* ]]; then
  # The program as users get it: compiled ahead and trimmed, which is more than the build checks.
  echo '$ bench/publish.sh'
  if ! bench/publish.sh artifacts/publish/bulkload; then
    echo "test.sh: publishing failed" >&2
    echo "0 passed, 0 failed, 0 skipped"
    exit 1
  fi
  export BULKLOAD_TEST_PROGRAM=$PWD/artifacts/publish/bulkload/bulkload
  start_servers
fi

passed=0 failed=0 skipped=0 status=0
for project in "${projects[@]}"; do
  program=artifacts/bin/$project/debug/$project.dll report=$results/$project.xml
  echo "\$ dotnet $program ${options[*]}"
  run=0
  dotnet "$program" "${options[@]}" -xml "$report" || run=$?
  ran=$(($(count passed "$report") + $(count failed "$report")))
  if ((run != 0)); then status=1; fi
  if ((ran == 0)); then
    echo "test.sh: no test of $project ran" >&2
    status=1
  fi
  passed=$((passed + $(count passed "$report")))
  failed=$((failed + $(count failed "$report") + $(count errors "$report")))
  skipped=$((skipped + $(count skipped "$report")))
done

clean_up
echo "$passed passed, $failed failed, $skipped skipped"
((failed == 0)) || status=1
exit "$status"
