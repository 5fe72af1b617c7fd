# bash completion for durabilityd(8)
# shellcheck shell=bash

# _init_completion sets more than is used.
# shellcheck disable=SC2034
_durabilityd() {
    local cur prev words cword split
    _init_completion -s || return
    case $prev in
        --config | -c)
            _filedir '@(yaml|yml)'
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
    $split && return
    # Options are those that the program names in its own help.
    mapfile -t COMPREPLY < <(compgen -W "$(timeout 2 "$1" --help 2>/dev/null </dev/null | grep -oE '^  (-. \[ )?--[a-z-]+' |
        grep -oE -- '--.*')" -- "$cur")
}
complete -F _durabilityd durabilityd
