#!/usr/bin/env bash
# Completion of both programs, as bash calls it: a line goes in, COMPREPLY comes out.
#   completion.sh SOURCE_DIRECTORY DURABILITYCTL DURABILITYD
# Status 77, with a message, where bash-completion is not installed.
set -uo pipefail
export LC_ALL=C.UTF-8
source_directory=$1 durabilityctl=$2 durabilityd=$3
library=/usr/share/bash-completion/bash_completion
[ -f $library ] || {
    echo "SKIPPED: $library is not installed (package bash-completion)"
    exit 77
}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# A tool that knows topics, writers and instances without a daemon, and leaves everything else to the program.
# It notes how it was asked.
mkdir "$scratch/bin" "$scratch/store"
cat >"$scratch/bin/durabilityctl" <<TOOL
#!/bin/bash
case "\$*" in
    *--help*) exec "$durabilityctl" "\$@" ;;
    *hangs*) exec sleep 60 ;;
esac
echo "\$*" >>"$scratch/asked"
case \$1 in
    topics) printf '%s\n' rt/map rt/map_updates rt/tf_static 'odd\$(touch $scratch/run)' a::b ;;
    writers) printf '%s\n' 0110aa00000000000000bbcc:00000102 0210aa00000000000000bbcc:00000102 ;;
    instances) echo 00112233445566778899aabbccddeeff ;;
esac
echo "a remark that must not reach the terminal" >&2
TOOL
ln -s "$durabilityd" "$scratch/bin/durabilityd"
chmod +x "$scratch/bin/durabilityctl"
PATH=$scratch/bin:$PATH

set +u
# shellcheck source=/dev/null
. $library
# shellcheck source=tools/completion/durabilityctl.bash
. "$source_directory/tools/completion/durabilityctl.bash"
# shellcheck source=tools/completion/durabilityd.bash
. "$source_directory/tools/completion/durabilityd.bash"
cd "$scratch/store" || exit 1
: >robot.yaml
: >robot.txt
mkdir inner

status=0
# completed LINE: what bash would offer at its end, sorted, in one line; what was written to the terminal too.
completed() {
    # What bash sets before it calls the function; words are split as readline does.
    COMP_LINE=$1
    COMP_POINT=${#1}
    COMP_TYPE=9
    COMP_KEY=9
    local spaced=${1//:/ : } word
    spaced=${spaced//=/ = }
    read -ra COMP_WORDS <<<"$spaced"
    [[ $1 == *' ' ]] && COMP_WORDS+=('')
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    COMPREPLY=()
    word=${COMP_WORDS[0]}
    "_$word" "$word" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}" >"$scratch/terminal" 2>&1
    printf '%s\n' "${COMPREPLY[@]}" | sort | xargs -d '\n' | sed 's/ *$//'
    cat "$scratch/terminal"
}

# expect LINE WORDS
expect() {
    local got
    got=$(completed "$1")
    [ "$got" = "$2" ] || {
        printf '%s\n  offers: %s\n  wanted: %s\n' "'$1'" "$got" "$2"
        status=1
    }
}

verbs=$("$durabilityctl" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\).*/\1/p' | sort | xargs)
[ "$(wc -w <<<"$verbs")" -ge 10 ] || { echo "found only the commands: $verbs"; status=1; }
expect "durabilityctl " "$verbs"
expect "durabilityctl ver" "verify"
expect "durabilityctl nothing" ""
for verb in $verbs; do
    options=$("$durabilityctl" "$verb" --help | grep -oE '^  --[a-z-]+' | tr -d ' ')
    expect "durabilityctl $verb -" "$(printf '%s\n' "$options" --help --version | sed '/^$/d' | sort | xargs)"
done
expect "durabilityctl stop --g" "--goodbye"
expect "durabilityctl --json --sock" "--socket"

expect "durabilityctl explain rt/m" "rt/map rt/map_updates"
expect "durabilityctl writers --json rt/t" "rt/tf_static"
expect "durabilityctl dump a:" ":b"
expect "durabilityctl explain odd" "odd\\\$\\(touch\\ $scratch/run\\)"
[ ! -e "$scratch/run" ] || { echo "a topic's name was run as a command"; status=1; }
expect "durabilityctl explain rt/map rt/" ""
expect "durabilityctl verify rt/" ""
expect "durabilityctl status rt/" ""

: >"$scratch/asked"
expect "durabilityctl purge --state-dir inner -d 7 rt/tf" "rt/tf_static"
[ "$(cat "$scratch/asked")" = "topics --state-dir inner -d 7 --names" ] || {
    echo "asked with: $(cat "$scratch/asked")"
    status=1
}
: >"$scratch/asked"
expect "durabilityctl purge --state-dir=inner rt/tf" "rt/tf_static"
[ "$(cat "$scratch/asked")" = "topics --state-dir=inner --names" ] || {
    echo "asked with: $(cat "$scratch/asked")"
    status=1
}

expect "durabilityctl purge rt/map --writer 02" "0210aa00000000000000bbcc:00000102"
expect "durabilityctl purge rt/map --instance 00" "00112233445566778899aabbccddeeff"
expect "durabilityctl purge --instance 00" ""
expect "durabilityctl dump rt/map --payload " "hex none"
expect "durabilityctl dump rt/map --payload=n" "none"
expect "durabilityctl topics --domain " ""
expect "durabilityctl show rt/t" "rt/tf_static"
expect "durabilityctl events --topic rt/t" "rt/tf_static"
expect "durabilityctl events --event Store" "StoreDegraded StoreRecovered"
expect "durabilityctl events --event=StoreR" "StoreRecovered"
expect "durabilityctl events --since " ""
expect "durabilityctl events --topic=rt/map --fol" "--follow"
expect "durabilityctl metrics --format " "openmetrics prometheus"
expect "durabilityctl status --w" "--watch"
expect "durabilityctl to" "top topics"
expect "durabilityctl topics --state-dir in" "inner"

# A daemon that does not answer holds nobody up for long.
begun=$SECONDS
expect "durabilityctl explain --socket hangs rt/" ""
[ $((SECONDS - begun)) -le 20 ] || { echo "a daemon that does not answer was waited for"; status=1; }

options=$("$durabilityd" --help | grep -oE -- '--[a-z-]+' | sort -u | xargs)
[ "$(wc -w <<<"$options")" -ge 10 ] || { echo "found only the options: $options"; status=1; }
expect "durabilityd -" "$options"
expect "durabilityd --ch" "--check-config"
expect "durabilityd --config rob" "robot.yaml"
expect "durabilityd -c ro" "robot.yaml"
expect "durabilityd --state-dir i" "inner"
expect "durabilityd --interface l" "lo"
expect "durabilityd --log-level d" "debug"
expect "durabilityd --peer " ""
exit $status
