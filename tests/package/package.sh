#!/usr/bin/env bash
# The Debian packages of a build: what is in them, what lintian says, and their life on a machine: new, disabled,
# upgraded, removed, purged, without and with a running systemd (below); the library as other programs find it
# (inside_library.sh); the unit's command line, and an upgrade with the store of an older build (inside_upgrade.sh). The
# machine is a copy of this one that vanishes: an overlay in a private mount and network namespace, with a systemctl
# that only notes what it is told.
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
for program in cpack dpkg-architecture dpkg-deb dpkg-shlibdeps file ip lintian perl pkg-config readelf setpriv; do
    command -v $program >/dev/null || skip "$program is not installed (tools/packages says with which package)"
done
here=$(dirname "$(realpath "$0")")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# pack FOLDER [SETTINGS]: the packages of this build.
pack() {
    (cd "$build" && cpack -B "$scratch/$1" "${@:2}") >"$scratch/log" 2>&1 || {
        cat "$scratch/log"
        exit 1
    }
}
pack out
package=$(echo "$scratch"/out/durabilityd_*.deb)
library=$(echo "$scratch"/out/libdurability-dev_*.deb)
status=0

# Every file, with its mode; directories are those of the files and conf.d.
contents() { dpkg-deb -c "$1" | awk '$1 !~ /^d/ || $6 ~ /conf\.d/ { print $1, $2, substr($6, 2) }' | sort -k3; }
# holds PACKAGE: exactly the files named on its input.
holds() {
    sort -k3 >"$scratch/wanted"
    contents "$1" >"$scratch/files"
    diff "$scratch/wanted" "$scratch/files" || {
        echo "$(basename "$1") (>) does not hold what it should (<)"
        status=1
    }
}
holds "$package" <<'FILES'
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
triplet=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
build_type=$(sed -n 's/^CMAKE_BUILD_TYPE:[A-Z]*=//p' "$build/CMakeCache.txt" | tr '[:upper:]' '[:lower:]')
holds "$library" <<FILES
-rw-r--r-- root/root /usr/include/durability/config.hpp
-rw-r--r-- root/root /usr/include/durability/contract.hpp
-rw-r--r-- root/root /usr/include/durability/error.hpp
-rw-r--r-- root/root /usr/include/durability/event.hpp
-rw-r--r-- root/root /usr/include/durability/load_config.hpp
-rw-r--r-- root/root /usr/include/durability/service.hpp
-rw-r--r-- root/root /usr/include/durability/version.hpp
-rw-r--r-- root/root /usr/lib/$triplet/cmake/durability/durabilityConfig.cmake
-rw-r--r-- root/root /usr/lib/$triplet/cmake/durability/durabilityConfigVersion.cmake
-rw-r--r-- root/root /usr/lib/$triplet/cmake/durability/durabilityTargets-$build_type.cmake
-rw-r--r-- root/root /usr/lib/$triplet/cmake/durability/durabilityTargets.cmake
-rw-r--r-- root/root /usr/lib/$triplet/libdurability.a
-rw-r--r-- root/root /usr/lib/$triplet/pkgconfig/durability.pc
-rw-r--r-- root/root /usr/share/doc/libdurability-dev/changelog.Debian.gz
-rw-r--r-- root/root /usr/share/doc/libdurability-dev/changelog.gz
-rw-r--r-- root/root /usr/share/doc/libdurability-dev/copyright
-rw-r--r-- root/root /usr/share/doc/libdurability-dev/examples/CMakeLists.txt
-rw-r--r-- root/root /usr/share/doc/libdurability-dev/examples/main.cpp
FILES
[ "$(dpkg-deb -I "$package" conffiles)" = /etc/durabilityd/durabilityd.yaml ] || {
    echo "conffiles: $(dpkg-deb -I "$package" conffiles)"
    status=1
}
# Warnings depend on the flags of the build; tools/package has none of them.
# The library goes without the archive, which lintian reads for minutes; all that it could say is looked for here.
bare=$scratch/bare
dpkg-deb -R "$library" "$bare"
readelf -SW "$bare/usr/lib/$triplet/libdurability.a" >"$scratch/sections"
if grep -q '\.debug_' "$scratch/sections"; then
    echo "libdurability.a holds debug symbols"
    status=1
fi
rm "$bare/usr/lib/$triplet/libdurability.a"
sed -i '/libdurability\.a$/d' "$bare/DEBIAN/md5sums"
dpkg-deb --root-owner-group -b "$bare" "$scratch/$(basename "$library")" >/dev/null
lintian --allow-root --fail-on error "$package" "$scratch/$(basename "$library")" >"$scratch/lintian" || {
    cat "$scratch/lintian"
    status=1
}
rm -rf "$bare" "$scratch/sections"

[ "$(id -u)" -eq 0 ] || skip "what the package does when it is installed: only root can try"
# The copy: this machine below, a tmpfs above, for each of the three anew.
cat >"$scratch/enter" <<'ENTER'
set -e
copy=$1 files=$2
shift 2
mount -t tmpfs -o size=1g tmpfs "$copy"
mkdir "$copy/upper" "$copy/work" "$copy/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$copy/upper,workdir=$copy/work" "$copy/root" || exit 42
mount -t proc proc "$copy/root/proc"
mount -t tmpfs tmpfs "$copy/root/run"
mount -t tmpfs tmpfs "$copy/root/tmp"
mount --rbind /dev "$copy/root/dev"
cp -r "$files/." "$copy/root/"
cat >"$copy/root/usr/local/bin/systemctl" <<'SYSTEMCTL'
#!/bin/sh
# What only reads or changes files is left to the real one; the service is always active.
case "$*" in
    *--root=*) exec /usr/bin/systemctl "$@" ;;
    *is-enabled*) exec /usr/bin/systemctl --root=/ is-enabled durabilityd.service ;;
esac
echo "$*" >>/told
SYSTEMCTL
chmod +x "$copy/root/usr/local/bin/systemctl"
exec chroot "$copy/root" /bin/bash "$@"
ENTER
# inside COMMAND...: in a copy of its own that has the packages, the scripts and, where it is built, a stock peer.
mkdir "$scratch/copy" "$scratch/given"
pack older -D CPACK_PACKAGE_VERSION=0.0.9 -D CPACK_COMPONENTS_ALL=daemon
cp "$package" "$scratch/given/new.deb"
cp "$library" "$scratch/given/libdurability-dev.deb"
cp "$scratch"/older/durabilityd_*.deb "$scratch/given/previous.deb"
cp -r "$here" "$scratch/given/package"
cp "$here/inside_lib.sh" "$scratch/given/"
[ ! -x "$build/bin/peer_cyclone" ] || cp "$build/bin/peer_cyclone" "$scratch/given/peer"
NEW_VERSION=$(dpkg-deb -f "$package" Version)
export NEW_VERSION UNKEYED_TYPE=peers::Unkeyed
inside() {
    local result=0
    echo "--- $(basename "$1")"
    unshare -m -n -p -f --kill-child --propagation private bash "$scratch/enter" "$scratch/copy" "$scratch/given" "$@" ||
        result=$?
    [ $result -ne 42 ] || skip "what the packages do when they are installed: no overlay can be mounted here"
    [ $result -eq 0 ] || status=1
}
inside /package/package.sh --inside /new.deb
inside /package/inside_library.sh
inside /package/inside_upgrade.sh
exit $status
