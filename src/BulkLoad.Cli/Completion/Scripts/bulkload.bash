# Completion of bulkload for bash 4.4 and newer: source <(bulkload completion bash)

_bulkload() {
  local program=$1 rest=${COMP_LINE:0:COMP_POINT} prefix='' i piece line text
  local -a typed=() answers=()

  # Bash also splits words at = and :, so what was typed without a blank in between is put together again.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    piece=${COMP_WORDS[i]}
    if ((i == 0)) || [[ $rest == [[:space:]]* ]]; then
      rest=${rest#"${rest%%[![:space:]]*}"}
      typed+=('')
    fi
    if ((i == COMP_CWORD)); then
      piece=$rest
    fi
    rest=${rest#"$piece"}
    typed[${#typed[@]} - 1]+=${piece//[\\\'\"]/}
  done

  # What may be a password is not passed on, since others can see it in the list of processes.
  for ((i = 1; i < ${#typed[@]}; i++)); do
    case ${typed[i]} in
      -p?* | --password=*) typed[i]=-p ;;
      *://*) typed[i]=x:// ;;
      *) continue ;;
    esac
    ((i < ${#typed[@]} - 1)) || return 0
  done

  [[ $program == '~/'* ]] && program=$HOME/${program:2}
  type -P -- "$program" >/dev/null || program=bulkload
  mapfile -t answers < <("$program" complete -- "${typed[@]:1}" 2>/dev/null)
  ((${#answers[@]} > 0)) || return 0

  # Bash replaces only what is behind the last = or :.
  text=${typed[${#typed[@]} - 1]}
  if [[ $COMP_WORDBREAKS == *=* && $text == *=* ]]; then
    prefix=${text%"${text##*=}"}
  fi
  if [[ $COMP_WORDBREAKS == *:* && ${text#"$prefix"} == *:* ]]; then
    prefix=${text%"${text##*:}"}
  fi

  COMPREPLY=()
  for line in "${answers[@]:1}"; do
    text=${line%%$'\t'*}
    text=${text:${#prefix}}
    if [[ $text == *[^[:alnum:]_@%+=:,./-]* ]]; then
      printf -v text '%q' "$text"
    fi
    COMPREPLY+=("$text")
  done

  text=${typed[${#typed[@]} - 1]}
  text=${text:${#prefix}}
  case ${answers[0]} in
    :files)
      compopt -o filenames
      mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$text")
      ;;
    :folders)
      compopt -o filenames
      mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "$text")
      ;;
    :open)
      compopt -o nospace
      ;;
  esac
}

complete -F _bulkload bulkload
