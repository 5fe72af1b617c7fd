#!/usr/bin/env bash
# The kinds of events and their message ids: daemon/message_ids.cpp, durabilityd-events(7) and the catalog of the
# journal name the same ones. The catalog is also read by journalctl, where that is installed.
set -euo pipefail
cd "$1"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
catalog=systemd/durabilityd.catalog
status=0
wrong() {
    printf '%s\n' "$*"
    status=1
}

# "Name id" a line, from each of the three.
sed -nE 's/.*\{EventKind::([A-Za-z]+), "([0-9a-f]{32})"\}.*/\1 \2/p' daemon/message_ids.cpp | sort >"$scratch/ids"
awk '/^\.It Sy / { name = $3 }
     /^Message id: / { sub(/\.$/, "", $3); print name, $3 }' man/durabilityd-events.7 | sort >"$scratch/manual"
awk '/^# [A-Za-z]+$/ { name = $2 }
     /^-- / { print name, $2; name = "unnamed" }' $catalog | sort >"$scratch/catalog"
count=$(wc -l <"$scratch/ids")
[ "$count" -ge 20 ] || wrong "found only $count kinds of events in daemon/message_ids.cpp"
for other in manual catalog; do
    differs=$(diff "$scratch/ids" "$scratch/$other") || wrong "message_ids.cpp (<) and the $other (>) differ:
$differs"
done
twice=$(cut -d' ' -f2 "$scratch/ids" | sort | uniq -d)
[ -z "$twice" ] || wrong "used for two kinds: $twice"

# A whole entry: three lines of header, then what happened, what it means, what to do.
awk '
    function check() {
        if (id != "" && (subject != 1 || defined != 1 || manual != 1 || paragraphs != 3)) {
            printf "%s of %s: Subject, Defined-By, Documentation and three paragraphs are wanted\n", id, FILENAME
            bad = 1
        }
    }
    /^#/ { next }
    /^-- / { check(); id = $2; subject = defined = manual = paragraphs = 0; header = 1; blank = 0; next }
    /^$/ { header = 0; blank = 1; next }
    header && /^Subject: ./ { ++subject }
    header && /^Defined-By: durabilityd$/ { ++defined }
    header && /^Documentation: man:durabilityd-events\(7\)$/ { ++manual }
    !header && blank { ++paragraphs; blank = 0 }
    END { check(); exit bad }
' $catalog || status=1

if command -v journalctl >/dev/null; then
    mkdir -p "$scratch/root/usr/lib/systemd/catalog" "$scratch/root/var/lib/systemd/catalog"
    cp $catalog "$scratch/root/usr/lib/systemd/catalog/"
    journalctl --root="$scratch/root" --update-catalog
    read_back=$(journalctl --root="$scratch/root" --no-pager --list-catalog | grep -cE '^[0-9a-f]{32} ' || true)
    [ "$read_back" -eq "$count" ] || wrong "journalctl reads $read_back entries of the catalog, not $count"
else
    echo "journalctl is not installed: how it reads the catalog is not checked"
fi
exit $status
