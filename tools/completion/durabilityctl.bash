# bash completion for durabilityctl(1)
# shellcheck shell=bash

_durabilityctl() {
    local cur prev words cword
    _init_completion || return
    local commands="status topics writers readers events dump verify repair purge compact stop"
    case $prev in
        --socket)
            _filedir sock
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
        --domain | -d | --writer | --instance) return ;;
    esac
    local command='' word
    for word in "${words[@]:1:cword-1}"; do
        [[ " $commands " == *" $word "* ]] && command=$word
    done
    if [[ $cur == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "--socket --state-dir --json --names --domain --payload --writer --instance --progress --dry-run --goodbye --help --version" -- "$cur")
    elif [[ -z $command ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$cur")
    elif [[ $command == @(writers|readers|dump|purge|compact) ]]; then
        # Names of the running daemon; nothing when it does not answer at once.
        mapfile -t COMPREPLY < <(compgen -W "$(timeout 1 durabilityctl topics --names 2>/dev/null)" -- "$cur")
    fi
}
complete -F _durabilityctl durabilityctl
