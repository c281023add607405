#!/usr/bin/env bash
# How long several processes take that load one file by --part, with kills on the way: a simulation from rates that you measure, not a
# measurement. Each process finds its part, loads it chunk by chunk, and is started again when it is killed; then it finds its part again,
# reads what is committed again, and continues. The server takes what it can from all of them.
#
#   bench/scale.sh [--bytes N] [--rows N] [--processes N] [--load MB/s] [--server MB/s] [--read MB/s] [--chunk BYTES]
#                  [--hours-between-kills N] [--no-multiline] [--seed N]
#
#   --bytes, --rows          of the file   (1e12, 1e10)
#   --processes              each has a part   (16)
#   --load                   what one process loads in a second where nothing else is in its way   (20)
#   --server                 what the server takes from all of them in a second   (80)
#   --read                   what one process reads in a second to find its part, and of what is committed   (150)
#   --chunk                  bytes of input in a transaction   (4194304)
#   --hours-between-kills    of one process, in the mean; 0: nobody is killed   (4)
#   --no-multiline           a part is found at once
set -euo pipefail

usage() { sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2; }

declare -A is=(
  [bytes]=1e12 [rows]=1e10 [processes]=16 [load]=20 [server]=80 [read]=150 [chunk]=4194304 [hours-between-kills]=4 [seed]=1
)
multiline=1
while (($#)); do
  case $1 in
    --no-multiline) multiline=0; shift ;;
    --*) [[ ${is[${1#--}]:-} && ${2:-} =~ ^[0-9.]+(e[0-9]+)?$ ]] || usage; is[${1#--}]=$2; shift 2 ;;
    *) usage ;;
  esac
done

awk -v bytes="${is[bytes]}" -v rows="${is[rows]}" -v n="${is[processes]}" -v each="${is[load]}" -v server="${is[server]}" \
  -v reading="${is[read]}" -v chunk="${is[chunk]}" -v between="${is[hours-between-kills]}" -v seed="${is[seed]}" \
  -v multiline="$multiline" -v ledger_bytes=370 '
  # What one process has done: how far it has come with finding its part, with reading again, and with loading. All in bytes.
  function start(i) { found[i] = again[i] = 0; committed[i] = int(loaded[i] / chunk) * chunk; loaded[i] = committed[i] }

  BEGIN {
    srand(seed)
    mega = 1000000
    step = 10
    part = bytes / n
    left = n
    for (i = 1; i <= n; i++) {
      # Where its first record begins, and where that of the next part does.
      prefix[i] = multiline ? part * (i < n ? i : n - 1) : 0
      loaded[i] = 0
      start(i)
    }

    while (left > 0) {
      seconds += step
      busy = 0
      for (i = 1; i <= n; i++) busy += !done[i] && found[i] >= prefix[i] && again[i] >= committed[i]
      rate = busy > 0 && server / busy < each ? server / busy : each
      for (i = 1; i <= n; i++) {
        if (done[i]) continue
        if (between > 0 && rand() < step / (between * 3600)) { kills++; start(i); continue }
        if (found[i] < prefix[i]) { found[i] += reading * mega * step; finding += step; continue }
        if (again[i] < committed[i]) { again[i] += reading * mega * step; rereading += step; continue }
        loaded[i] += rate * mega * step
        if (loaded[i] >= part) { done[i] = 1; left--; last = seconds; if (!first) first = seconds }
      }
    }

    chunks = int(bytes / chunk) + n
    printf "%d processes, %.0f GB, %.0f million rows%s\n", n, bytes / 1e9, rows / 1e6, multiline ? "" : ", --no-multiline"
    printf "all loaded after   %8.1f h   (the first part after %.1f h)\n", last / 3600, first / 3600
    printf "the server alone   %8.1f h\n", bytes / server / mega / 3600
    printf "finding parts      %8.1f h   of a process, in the mean\n", finding / n / 3600
    printf "reading again      %8.1f h   of a process, in the mean; %d kills\n", rereading / n / 3600, kills
    printf "rows a second      %8.0f\n", rows / last
    printf "chunks             %8d     about %.0f MB in the ledger\n", chunks, chunks * ledger_bytes / mega
  }'
