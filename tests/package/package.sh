#!/usr/bin/env bash
# The Debian package of a build: what is in it, what lintian says, and its life on a machine: new, disabled,
# upgraded, removed, purged, without and with a running systemd. The machine is a copy of this one that vanishes: an
# overlay in a private mount namespace, with a systemctl that only notes what it is told.
#   package.sh BUILD_DIRECTORY
# Status 77, with a message, where something that it needs is missing.
set -euo pipefail

# The part inside the copy: ROOT and the package are there.
if [ "${1:-}" = --inside ]; then
    package=$2
    export DEBIAN_FRONTEND=noninteractive PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
    told=/told
    fail() {
        echo "$*"
        sed 's/^/  dpkg: /' /dpkg.log
        sed 's/^/  systemctl: /' $told
        exit 1
    }
    # dpkg_does ARGUMENTS: notes what it says, and begins a new list of what systemctl is told.
    dpkg_does() {
        : >$told
        # Without the triggers of others: the manual pages of the whole machine would be indexed each time.
        dpkg --force-confold --no-triggers "$@" >/dpkg.log 2>&1 || fail "dpkg $* failed"
    }
    told_to() { grep -qE "(^| )$1( |\$)" $told; }
    rm -f /usr/sbin/policy-rc.d
    rm -rf /run/systemd/system /etc/durabilityd /var/lib/durabilityd
    wants=/etc/systemd/system/multi-user.target.wants/durabilityd.service

    # An image that is being built: no systemd runs.
    dpkg_does -i "$package"
    getent passwd durabilityd | grep -q ':/var/lib/durabilityd:/usr/sbin/nologin$' || fail "no user durabilityd"
    [ -L $wants ] || fail "not enabled when new"
    [ ! -s $told ] || fail "systemctl was called although no systemd runs"
    /usr/sbin/durabilityd --check-config --quiet || fail "the configuration as installed is refused"
    /usr/bin/durabilityctl --version >/dev/null || fail "durabilityctl does not run"
    journalctl --no-pager --list-catalog >/catalog 2>&1 || fail "journalctl has no catalog"
    grep -q durabilityd /catalog || fail "the catalog was not taken in"

    # A machine that runs: upgrade with changed configuration and state, once enabled, once disabled.
    mkdir -p /run/systemd/system
    echo '# ours' >>/etc/durabilityd/durabilityd.yaml
    echo 'topics: []' >/etc/durabilityd/conf.d/robot.yaml
    mkdir /var/lib/durabilityd
    echo history >/var/lib/durabilityd/log
    dpkg_does -i "$package"
    told_to daemon-reload || fail "no daemon-reload at an upgrade"
    told_to restart || fail "not restarted at an upgrade"
    if told_to stop; then fail "stopped at an upgrade, for as long as it takes"; fi
    grep -q '^# ours' /etc/durabilityd/durabilityd.yaml || fail "the changed configuration was overwritten"
    [ "$(cat /var/lib/durabilityd/log)" = history ] || fail "the state did not survive an upgrade"
    rm $wants
    dpkg_does -i "$package"
    [ ! -e $wants ] || fail "enabled again by an upgrade, although it had been disabled"

    dpkg_does -r durabilityd
    told_to stop || fail "not stopped when removed"
    told_to daemon-reload || fail "no daemon-reload when removed"
    [ ! -e /usr/sbin/durabilityd ] || fail "still there after it was removed"
    [ -e /etc/durabilityd/durabilityd.yaml ] || fail "the configuration went with the package"
    [ -e /var/lib/durabilityd/log ] || fail "the state went with the package"
    dpkg_does -i "$package"
    told_to start || told_to restart || fail "not started when it came back"
    dpkg_does -r durabilityd
    dpkg_does -P durabilityd
    [ ! -e /etc/durabilityd ] || fail "configuration left after a purge"
    [ "$(cat /var/lib/durabilityd/log)" = history ] || fail "a purge removed what was recorded"
    grep -q '/var/lib/durabilityd' /dpkg.log || fail "a purge does not say that the state is left"
    [ -z "$(find /var/lib/systemd/deb-systemd-helper-enabled -name '*durabilityd*' 2>/dev/null)" ] ||
        fail "a purge leaves the service registered"

    # New again, where systemd runs.
    dpkg_does -i "$package"
    [ -L $wants ] || fail "not enabled when new"
    told_to start || fail "not started when new"
    exit 0
fi

build=$1
skip() {
    echo "SKIPPED: $*"
    exit 77
}
for program in cpack dpkg-deb dpkg-shlibdeps file lintian; do
    command -v $program >/dev/null || skip "$program is not installed (tools/packages says with which package)"
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
(cd "$build" && cpack -B "$scratch/out") >"$scratch/log" 2>&1 || {
    cat "$scratch/log"
    exit 1
}
package=$(echo "$scratch"/out/*.deb)
status=0

# Every file, with its mode; directories are those of the files and conf.d.
dpkg-deb -c "$package" | awk '$1 !~ /^d/ || $6 ~ /conf\.d/ { print $1, $2, substr($6, 2) }' | sort -k3 >"$scratch/files"
sort -k3 >"$scratch/wanted" <<'FILES'
drwxr-xr-x root/root /etc/durabilityd/conf.d/
-rw-r--r-- root/root /etc/durabilityd/durabilityd.yaml
-rwxr-xr-x root/root /usr/bin/durabilityctl
-rw-r--r-- root/root /usr/lib/systemd/catalog/durabilityd.catalog
-rw-r--r-- root/root /usr/lib/systemd/system/durabilityd.service
-rw-r--r-- root/root /usr/lib/sysusers.d/durabilityd.conf
-rwxr-xr-x root/root /usr/sbin/durabilityd
-rw-r--r-- root/root /usr/share/bash-completion/completions/durabilityctl
-rw-r--r-- root/root /usr/share/bash-completion/completions/durabilityd
-rw-r--r-- root/root /usr/share/doc/durabilityd/README.md
-rw-r--r-- root/root /usr/share/doc/durabilityd/changelog.Debian.gz
-rw-r--r-- root/root /usr/share/doc/durabilityd/changelog.gz
-rw-r--r-- root/root /usr/share/doc/durabilityd/copyright
-rw-r--r-- root/root /usr/share/doc/durabilityd/examples/fleet.yaml
-rw-r--r-- root/root /usr/share/doc/durabilityd/examples/minimal.yaml
-rw-r--r-- root/root /usr/share/doc/durabilityd/examples/metrics.conf
-rw-r--r-- root/root /usr/share/doc/durabilityd/examples/realtime.conf
-rw-r--r-- root/root /usr/share/doc/durabilityd/examples/ros-domain.conf
-rw-r--r-- root/root /usr/share/doc/durabilityd/examples/ros2-latched.yaml
-rw-r--r-- root/root /usr/share/doc/durabilityd/examples/ros2-map.yaml
-rw-r--r-- root/root /usr/share/doc/durabilityd/examples/ros2-robot_description.yaml
-rw-r--r-- root/root /usr/share/doc/durabilityd/examples/ros2-tf_static.yaml
-rw-r--r-- root/root /usr/share/doc/durabilityd/examples/ros2.yaml
-rw-r--r-- root/root /usr/share/man/man1/durabilityctl.1.gz
-rw-r--r-- root/root /usr/share/man/man5/durabilityd.yaml.5.gz
-rw-r--r-- root/root /usr/share/man/man7/durabilityd-events.7.gz
-rw-r--r-- root/root /usr/share/man/man8/durabilityd.8.gz
FILES
diff "$scratch/wanted" "$scratch/files" || {
    echo "the package (>) does not hold what it should (<)"
    status=1
}
[ "$(dpkg-deb -I "$package" conffiles)" = /etc/durabilityd/durabilityd.yaml ] || {
    echo "conffiles: $(dpkg-deb -I "$package" conffiles)"
    status=1
}
# Warnings depend on the flags of the build; tools/package has none of them.
lintian --allow-root --fail-on error "$package" >"$scratch/lintian" || {
    cat "$scratch/lintian"
    status=1
}

[ "$(id -u)" -eq 0 ] || skip "what the package does when it is installed: only root can try"
# The copy: this machine below, a tmpfs above.
mkdir "$scratch/copy"
cat >"$scratch/enter" <<'ENTER'
set -e
mount -t tmpfs -o size=512m tmpfs "$1"
mkdir "$1/upper" "$1/work" "$1/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root" || exit 42
mount -t proc proc "$1/root/proc"
mount -t tmpfs tmpfs "$1/root/run"
mount --rbind /dev "$1/root/dev"
cp "$2" "$1/root/durabilityd.deb"
cp "$3" "$1/root/package.sh"
cat >"$1/root/usr/local/bin/systemctl" <<'SYSTEMCTL'
#!/bin/sh
# What only reads or changes files is left to the real one; the service is always active.
case "$*" in
    *--root=*) exec /usr/bin/systemctl "$@" ;;
    *is-enabled*) exec /usr/bin/systemctl --root=/ is-enabled durabilityd.service ;;
esac
echo "$*" >>/told
SYSTEMCTL
chmod +x "$1/root/usr/local/bin/systemctl"
chroot "$1/root" /bin/bash /package.sh --inside /durabilityd.deb
ENTER
result=0
unshare -m --propagation private bash "$scratch/enter" "$scratch/copy" "$package" "$(realpath "$0")" || result=$?
[ $result -ne 42 ] || skip "what the package does when it is installed: no overlay can be mounted here"
[ $result -eq 0 ] || status=1
exit $status
