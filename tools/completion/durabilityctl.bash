# bash completion for durabilityctl(1)
# shellcheck shell=bash

# Commands and options are those that the program names in its own help, so this file does not age with them.
_durabilityctl_help() { timeout 2 "$@" --help 2>/dev/null </dev/null; }

# What the daemon, or the store that is named on the line, tells; nothing when it does not answer at once.
_durabilityctl_ask() { timeout 1 "$@" 2>/dev/null </dev/null; }

# Names of topics that begin with what is typed. Only what the daemon or the store knows: a name may hold what a shell
# would expand.
_durabilityctl_topics() {
    local name
    while read -r name; do
        [[ $name == "$cur"* ]] && COMPREPLY+=("$(printf '%q' "$name")")
    done < <(_durabilityctl_ask "$@" --names)
    __ltrim_colon_completions "$cur"
}

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
            --writer | --instance | --related | --payload | --since | --event | --topic | --format)
                # A word of its own in COMP_WORDS where "=" stands between.
                [[ ${words[i + 1]-} == = ]] && ((i++))
                ((i++))
                ;;
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
            mapfile -t COMPREPLY < <(compgen -W "$(
                _durabilityctl_ask "$program" writers ${topic:+"$topic"} "${where[@]}" --names
            )" -- "$cur")
            __ltrim_colon_completions "$cur"
            return
            ;;
        --instance)
            [[ -n $topic ]] && mapfile -t COMPREPLY < <(compgen -W "$(
                _durabilityctl_ask "$program" instances "$topic" "${where[@]}" --names
            )" -- "$cur")
            return
            ;;
        --format)
            mapfile -t COMPREPLY < <(compgen -W "openmetrics prometheus" -- "$cur")
            return
            ;;
        --topic)
            _durabilityctl_topics "$program" topics "${where[@]}"
            return
            ;;
        --event)
            mapfile -t COMPREPLY < <(compgen -W "$(_durabilityctl_help "$program" events | sed -n '/^Events:/,/^$/s/^  //p')" -- "$cur")
            return
            ;;
        --domain | -d | --since) return ;;
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
        [[ $usage == *TOPIC* ]] && _durabilityctl_topics "$program" topics "${where[@]}"
    fi
}
complete -F _durabilityctl durabilityctl
