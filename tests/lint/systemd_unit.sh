#!/usr/bin/env bash
# The unit, alone and with each drop-in of systemd/examples, all that is commented in it included: systemd reads
# it without a remark, and the sandbox stays as tight as it is. Status 77, with a message, where systemd-analyze is not installed.
set -euo pipefail
cd "$1"
command -v systemd-analyze >/dev/null || {
    echo "SKIPPED: systemd-analyze is not installed (package systemd)"
    exit 77
}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
status=0

# check UNIT_DIRECTORY WHAT: the program itself need not be installed for this.
check() {
    local unit=$1/durabilityd.service remarks
    sed -i 's|^ExecStart=/usr/sbin/durabilityd|ExecStart=/bin/true|; s|^ExecReload=/usr/bin/durabilityctl|ExecReload=/bin/true|' \
        "$unit" "$1"/durabilityd.service.d/*.conf
    remarks=$(SYSTEMD_UNIT_PATH=$1: systemd-analyze verify --man=no "$unit" 2>&1 | grep -F durabilityd || true)
    [ -z "$remarks" ] || {
        printf '%s:\n%s\n' "$2" "$remarks"
        status=1
    }
    # In tenths: 1.5 is the limit.
    SYSTEMD_UNIT_PATH=$1: systemd-analyze security --offline=true --threshold=15 --no-pager "$unit" >"$scratch/exposure" 2>&1 || {
        printf '%s: exposed more than 1.5\n' "$2"
        grep -E 'Overall|✗' "$scratch/exposure" || cat "$scratch/exposure"
        status=1
    }
    printf '%s: %s\n' "$2" "$(grep -oE 'Overall exposure level.*: [0-9.]+' "$scratch/exposure" || echo 'no exposure known')"
}

prepare() {
    mkdir -p "$scratch/$1/durabilityd.service.d"
    cp systemd/durabilityd.service "$scratch/$1/"
    printf '[Service]\n' >"$scratch/$1/durabilityd.service.d/empty.conf"
}
for setting in WatchdogSec=30 'ExecReload=/usr/bin/durabilityctl reload' Type=notify; do
    grep -qxF "$setting" systemd/durabilityd.service || {
        printf 'durabilityd.service: no %s\n' "$setting"
        status=1
    }
done
prepare alone
check "$scratch/alone" "durabilityd.service"
examples=0
for example in systemd/examples/*.conf; do
    name=$(basename "$example" .conf)
    prepare "$name"
    sed -E 's/^#([A-Z][A-Za-z]*=)/\1/' "$example" >"$scratch/$name/durabilityd.service.d/$name.conf"
    check "$scratch/$name" "with $example"
    examples=$((examples + 1))
done
[ "$examples" -ge 2 ] || {
    echo "found only $examples drop-ins"
    status=1
}

if command -v systemd-sysusers >/dev/null; then
    mkdir -p "$scratch/root/etc"
    systemd-sysusers --root="$scratch/root" "$PWD/systemd/durabilityd.sysusers.conf" >/dev/null 2>"$scratch/remarks" ||
        status=1
    if ! grep -q '^durabilityd:.*:/var/lib/durabilityd:/usr/sbin/nologin$' "$scratch/root/etc/passwd" ||
        ! grep -q '^durabilityd:' "$scratch/root/etc/group"; then
        echo "systemd-sysusers makes no user and group durabilityd:"
        cat "$scratch/remarks" "$scratch/root/etc/passwd" || true
        status=1
    fi
fi
exit $status
