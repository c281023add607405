#!/usr/bin/env bash
# Builds everything and runs the tests; those that need servers get a private MariaDB and MySQL on loopback.
#
#   ./test.sh               all
#   ./test.sh unit          without servers: a minute
#   ./test.sh quick         the same, and half of the command-line cases on MariaDB: two minutes
#   ./test.sh integration   with servers
#   ./test.sh packages      what a release has, installed and run: Linux x64 and root only, three minutes
#   ./test.sh clusters      crashes, failovers and conflicts on clusters, and other engines and routers: ten minutes, 2 GiB of memory
#
# What is missing is installed (eng/servers.sh says how); servers started here are stopped at the end. The last line is
# "N passed, N failed, N skipped". Where a server cannot be had its tests are skipped; with CI=true that is a failure.
# With BULKLOAD_CHECK_FORMAT=1 the format of the code is checked beside the integration tests.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")"
# shellcheck source=eng/sdk.sh
. eng/sdk.sh
exec </dev/null

servers=(mariadb mysql)
chosen=()
packages='' clusters=''
case "$#:${1:-all}" in
  0:all)
    projects=(BulkLoad.Tests BulkLoad.IntegrationTests)
    packages=1
    clusters=1
    ;;
  1:unit) projects=(BulkLoad.Tests) ;;
  1:quick)
    projects=(BulkLoad.Tests BulkLoad.IntegrationTests)
    servers=(mariadb)
    # Each case has a database and a folder of its own.
    chosen=(-class '*.MariaDbCaseTests' -parallelMode all)
    export BULKLOAD_TEST_CASES=half
    ;;
  1:integration) projects=(BulkLoad.IntegrationTests) ;;
  1:packages)
    projects=(BulkLoad.IntegrationTests)
    chosen=(-namespace BulkLoad.IntegrationTests.Packages)
    ;;
  1:clusters)
    projects=(BulkLoad.IntegrationTests)
    # The tests start their own.
    servers=()
    chosen=(-namespace BulkLoad.IntegrationTests.Clusters)
    ;;
  *) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2 ;;
esac

# A release is made by builds: not beside tests, nor beside the format check. Clusters take the whole machine.
if ((${#chosen[@]} == 0)); then
  chosen=(-namespace- BulkLoad.IntegrationTests.Packages -namespace- BulkLoad.IntegrationTests.Clusters)
fi
options=(-noColor)
if [[ ${CI:-} == true ]]; then options+=(-failSkips); fi
results=$(mktemp -d)
beside=()

clean_up() {
  local server
  if ((${#beside[@]} > 0)); then
    kill "${beside[@]}" 2>/dev/null || true
    wait "${beside[@]}" 2>/dev/null || true
  fi
  beside=()
  for server in "${servers[@]}"; do
    if [[ -e $results/$server.ours ]]; then eng/servers.sh stop "$server" || true; fi
  done
  rm -rf "$results"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Leaves what names each server in a file, and another for each that has to be stopped. They do not wait for the disk: that loses nothing
# unless the machine goes down, which no test has it do.
start_servers() {
  local server
  export BULKLOAD_SERVERS_SETTINGS=${BULKLOAD_SERVERS_SETTINGS:-innodb_flush_method=nosync}
  for server in "${servers[@]}"; do
    eng/servers.sh where "$server" >/dev/null 2>&1 || touch "$results/$server.ours"
    if ! eng/servers.sh start "$server" >"$results/$server.env"; then
      rm "$results/$server.env"
      echo "test.sh: there is no $server" >&2
    fi
  done
}

take_servers() {
  local file
  set -a
  for file in "$results"/*.env; do
    # shellcheck source=/dev/null
    if [[ -e $file ]]; then . "$file"; fi
  done
  set +a
}

# The program as users get it: compiled to native code, which is more than the build checks.
publish() { eng/publish.sh artifacts/publish/bulkload >"$results/publish.log" 2>&1; }

check_format() { nice -n 10 dotnet format BulkLoad.sln --no-restore --verify-no-changes >"$results/format.log" 2>&1; }

# count ATTRIBUTE FILE: what the runner counted, 0 where it did not come that far.
count() {
  local number
  number=$(sed -n "s/.*<assembly [^>]*\b$1=\"\([0-9]*\)\".*/\1/p" "$2" 2>/dev/null | head -n 1)
  echo "${number:-0}"
}

need_sdk
has_servers=''
if [[ " ${projects[*]} " == *Integration* ]]; then
  has_servers=1
  start_servers &
  starting=$!
  beside+=("$starting")
fi

echo '$ dotnet build BulkLoad.sln -warnaserror'
if ! dotnet build BulkLoad.sln -warnaserror --nologo --verbosity quiet; then
  echo "test.sh: the build failed" >&2
  echo "0 passed, 0 failed, 0 skipped"
  exit 1
fi
if [[ $has_servers ]]; then
  publish &
  publishing=$!
  beside+=("$publishing")
fi

# What the integration tests need, and takes as long as all other tests.
await_program_and_servers() {
  local is_published=0
  echo '$ eng/publish.sh'
  wait "$publishing" || is_published=1
  cat "$results/publish.log"
  if ((is_published != 0)); then
    echo "test.sh: publishing failed" >&2
    echo "0 passed, 0 failed, 0 skipped"
    exit 1
  fi
  export BULKLOAD_TEST_PROGRAM=$PWD/artifacts/publish/bulkload/bulkload
  wait "$starting"
  take_servers
}

passed=0 failed=0 skipped=0 status=0

# run_tests PROJECT OPTIONS...: runs what the options choose of it, and adds its counts.
run_tests() {
  local program=artifacts/bin/$1/debug/$1.dll report=$results/report.xml run=0 ran
  shift
  rm -f "$report"
  echo "\$ dotnet $program $*"
  dotnet "$program" "$@" -xml "$report" || run=$?
  ran=$(($(count passed "$report") + $(count failed "$report")))
  if ((run != 0)); then status=1; fi
  if ((ran == 0)); then
    echo "test.sh: no test ran" >&2
    status=1
  fi
  passed=$((passed + $(count passed "$report")))
  failed=$((failed + $(count failed "$report") + $(count errors "$report")))
  skipped=$((skipped + $(count skipped "$report")))
}

for project in "${projects[@]}"; do
  arguments=("${options[@]}")
  if [[ $project == *Integration* ]]; then
    arguments+=("${chosen[@]}")
    await_program_and_servers
    if [[ ${BULKLOAD_CHECK_FORMAT:-} ]]; then
      # Not beside a build or a publication, which write what it reads.
      check_format &
      formatting=$!
      beside+=("$formatting")
    fi
  fi
  run_tests "$project" "${arguments[@]}"
done

if [[ ${formatting:-} ]]; then
  echo '$ dotnet format --verify-no-changes'
  is_formatted=0
  wait "$formatting" || is_formatted=1
  cat "$results/format.log"
  if ((is_formatted != 0)); then
    echo 'the format check failed: run dotnet format' >&2
    status=1
  fi
fi

if [[ $packages ]]; then run_tests BulkLoad.IntegrationTests "${options[@]}" -namespace BulkLoad.IntegrationTests.Packages; fi
if [[ $clusters ]]; then run_tests BulkLoad.IntegrationTests "${options[@]}" -namespace BulkLoad.IntegrationTests.Clusters; fi

clean_up
echo "$passed passed, $failed failed, $skipped skipped"
((failed == 0)) || status=1
exit "$status"
