# bash completion for durabilityctl(1)
# shellcheck shell=bash

# Commands and options are those that the program names in its own help, so this file does not age with them.
_durabilityctl_help() { timeout 2 "$@" --help 2>/dev/null </dev/null; }

# What the daemon, or the store that is named on the line, tells; nothing when it does not answer at once.
_durabilityctl_ask() { timeout 1 "$@" 2>/dev/null </dev/null; }

# Values of a field in the JSON that is read.
_durabilityctl_values() { grep -oE "\"$1\": ?\"[0-9a-f:]+\"" | cut -d'"' -f4 | sort -u; }

# _init_completion sets more than is used.
# shellcheck disable=SC2034
_durabilityctl() {
    local cur prev words cword split
    _init_completion -s -n : || return
    local program=$1 command='' topic='' where=() usage i
    for ((i = 1; i < cword; i++)); do
        case ${words[i]} in
            --socket | --state-dir | --domain | -d)
                # A value is quoted or escaped as it was typed.
                [[ ${words[i + 1]-} == = ]] && ((i++))
                ((i + 1 < cword)) && where+=("${words[i]}" "$(dequote "${words[i + 1]}" 2>/dev/null)")
                ((i++))
                ;;
            --socket=* | --state-dir=* | --domain=*) where+=("$(dequote "${words[i]}" 2>/dev/null)") ;;
            --writer | --instance | --related | --payload) ((i++)) ;;
            -*) ;;
            *) if [[ -z $command ]]; then command=${words[i]}; else topic=${words[i]}; fi ;;
        esac
    done
    case $prev in
        --socket)
            _filedir
            return
            ;;
        --state-dir)
            _filedir -d
            return
            ;;
        --payload)
            mapfile -t COMPREPLY < <(compgen -W "hex none" -- "$cur")
            return
            ;;
        --writer | --related)
            mapfile -t COMPREPLY < <(compgen -W "$(_durabilityctl_ask "$program" writers ${topic:+"$topic"} "${where[@]}" --json |
                _durabilityctl_values guid)" -- "$cur")
            __ltrim_colon_completions "$cur"
            return
            ;;
        --instance)
            [[ -n $topic ]] && mapfile -t COMPREPLY < <(compgen -W "$(
                _durabilityctl_ask "$program" instances "$topic" "${where[@]}" --json | _durabilityctl_values key_hash
            )" -- "$cur")
            return
            ;;
        --domain | -d) return ;;
    esac
    $split && return
    if [[ $cur == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(
            _durabilityctl_help "$program" ${command:+"$command"} | grep -oE '^  --[a-z-]+'
        ) --help --version" -- "$cur")
    elif [[ -z $command ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(
            _durabilityctl_help "$program" | sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p'
        )" -- "$cur")
    elif [[ -z $topic ]]; then
        usage=$(_durabilityctl_help "$program" "$command" | head -n 1)
        # Only what the daemon or the store knows: a name may hold what a shell would expand.
        [[ $usage == *TOPIC* ]] && while read -r topic; do
            [[ $topic == "$cur"* ]] && COMPREPLY+=("$(printf '%q' "$topic")")
        done < <(_durabilityctl_ask "$program" topics --names "${where[@]}")
        __ltrim_colon_completions "$cur"
    fi
}
complete -F _durabilityctl durabilityctl
