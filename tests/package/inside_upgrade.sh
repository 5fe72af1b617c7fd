#!/usr/bin/env bash
# Inside the copy: the unit's command line, and an upgrade from an older package with a store that an older build has
# written.
set -euo pipefail
# shellcheck source=tests/package/inside_lib.sh
. /inside_lib.sh
loopback_up
rm -rf /run/systemd/system /etc/durabilityd /var/lib/durabilityd /run/durabilityd
dpkg --force-confold --no-triggers -i /previous.deb >$logs/dpkg 2>&1 || fail "the older package cannot be installed"

# What the older build has left: ten samples of topic "kept", offered TRANSIENT_LOCAL (store-format-1.hex says how it
# was made).
mkdir -p /var/lib/durabilityd
sed '/^#/d' /package/store-format-1.hex | perl -ne 'chomp; print pack("H*", $_)' | tar -xzC /var/lib/durabilityd
chown -R durabilityd:durabilityd /var/lib/durabilityd
mkdir -p /etc/durabilityd/conf.d
cat >/etc/durabilityd/conf.d/robot.yaml <<'YAML'
topics:
  - topic: "*"
    serve: transient_local
    storage: disk
    contract: { history: keep_all }
YAML
echo '# ours' >>/etc/durabilityd/durabilityd.yaml

start_unit first
durabilityctl status >$logs/status 2>&1 || fail "durabilityctl does not reach the daemon"
durabilityctl topics >$logs/topics 2>&1 || fail "durabilityctl topics"
grep -q ' kept ' $logs/topics || fail "the store of an older build was not taken over"
[ ! -x /peer ] || publish_and_die fresh transient_local 7
stop_unit first

dpkg --force-confold --no-triggers -i /new.deb >$logs/dpkg 2>&1 || fail "the upgrade fails"
[ "$(dpkg-query -W -f '${Version}' durabilityd)" = "$NEW_VERSION" ] || fail "not the new version"
grep -q '^# ours' /etc/durabilityd/durabilityd.yaml || fail "the upgrade took the configuration"
start_unit second
durabilityctl topics >$logs/topics 2>&1 || fail "durabilityctl topics"
grep -q ' kept ' $logs/topics || fail "the upgrade lost what was kept"
if [ -x /peer ]; then
    late_reader kept transient_local 10
    late_reader fresh transient_local 7
else
    echo "not tried: late readers after an upgrade; no stock peers are built"
fi
durabilityctl verify --state-dir /var/lib/durabilityd >$logs/verify 2>&1 || fail "the store is damaged after the upgrade"
stop_unit second

dpkg --no-triggers -r durabilityd >$logs/dpkg 2>&1 || fail "it cannot be removed"
[ -d /var/lib/durabilityd/0 ] || fail "removing took the state"
dpkg --no-triggers -P durabilityd >$logs/dpkg 2>&1 || fail "it cannot be purged"
[ ! -e /etc/durabilityd ] || fail "purging left the configuration"
[ -d /var/lib/durabilityd/0 ] || fail "purging took what was recorded"
grep -q /var/lib/durabilityd $logs/dpkg || fail "purging does not say that the state is left"
