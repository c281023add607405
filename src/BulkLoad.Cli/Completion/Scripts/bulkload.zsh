#compdef bulkload
# Completion of bulkload for zsh: a file named _bulkload in a folder of fpath, or source <(bulkload completion zsh) behind compinit.

_bulkload() {
  local line
  local -a typed answers names shown
  typed=("${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}")

  # What may be a password is not passed on, since others can see it in the list of processes.
  integer i
  for (( i = 1; i <= ${#typed}; i++ )); do
    case ${typed[i]} in
      -p?*|--password=*) typed[i]=-p ;;
      *://*) typed[i]=x:// ;;
      *) continue ;;
    esac
    (( i < ${#typed} )) || return 1
  done

  answers=("${(@f)$(${(Q)words[1]} complete -- "${typed[@]}" 2>/dev/null)}")
  (( ${#answers} > 0 )) || return 1

  for line in "${(@)answers[2,-1]}"; do
    names+=("${line%%$'\t'*}")
    if [[ $line == *$'\t'* ]]; then
      shown+=("${line%%$'\t'*}  -- ${line#*$'\t'}")
    else
      shown+=("$line")
    fi
  done

  local -a how
  [[ ${answers[1]} == :open ]] && how=(-S '')
  (( ${#names} > 0 )) && compadd "${how[@]}" -l -d shown -a names

  [[ ${answers[1]} == :files || ${answers[1]} == :folders ]] || return 0
  [[ $PREFIX == --*=* ]] && compset -P '*='
  if [[ ${answers[1]} == :folders ]]; then
    _files -/
  else
    _files
  fi
}

if [[ ${funcstack[1]} == _bulkload ]]; then
  _bulkload "$@"
else
  compdef _bulkload bulkload
fi
