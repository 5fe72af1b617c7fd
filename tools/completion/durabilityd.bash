# bash completion for durabilityd(8)
# shellcheck shell=bash

# _init_completion sets all four.
# shellcheck disable=SC2034
_durabilityd() {
    local cur prev words cword
    _init_completion || return
    case $prev in
        --config | -c)
            _filedir yaml
            return
            ;;
        --state-dir | --runtime-dir)
            _filedir -d
            return
            ;;
        --interface | -i)
            mapfile -t COMPREPLY < <(compgen -W "$(ls /sys/class/net 2>/dev/null)" -- "$cur")
            return
            ;;
        --log-level)
            mapfile -t COMPREPLY < <(compgen -W "error warning info debug trace" -- "$cur")
            return
            ;;
        --domain | -d | --peer) return ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "--config --state-dir --runtime-dir --domain --interface --peer --check-config --quiet --log-level --help --version" -- "$cur")
}
complete -F _durabilityd durabilityd
