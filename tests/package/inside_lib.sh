# Sourced by what package.sh runs inside the copy of the machine.
# shellcheck shell=bash

export DEBIAN_FRONTEND=noninteractive PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
logs=/logs
mkdir -p $logs

fail() {
    echo "$*"
    for log in "$logs"/*; do
        [ -f "$log" ] && sed "s|^|  $(basename "$log"): |" "$log" | tail -40
    done
    exit 1
}

# A network of our own, with multicast, of loopback alone.
loopback_up() {
    ip link set lo up multicast on
    ip route add 224.0.0.0/4 dev lo
}

# await SECONDS COMMAND...: until it succeeds.
await() {
    local left=$((10 * $1))
    shift
    until "$@"; do
        [ $((left -= 1)) -gt 0 ] || return 1
        sleep 0.1
    done
}
says() { grep -q -- "$2" "$logs/$1" 2>/dev/null; }

# notified FILE COMMAND...: becomes it, with a notify socket; what comes over that goes to FILE, a line for each
# message. To be run in the background.
notified() {
    local file=$1
    shift
    exec perl -MIO::Socket::UNIX -MSocket -e '
        my ($file, @command) = @ARGV;
        my $path = "/run/notify.$$";
        my $socket = IO::Socket::UNIX->new(Type => SOCK_DGRAM, Local => $path) or die "$path: $!";
        chmod 0666, $path;
        $ENV{NOTIFY_SOCKET} = $path;
        my $child = fork() // die "fork: $!";
        if (!$child) { exec(@command) or die "$command[0]: $!" }
        $SIG{TERM} = sub { kill "TERM", $child };
        open(my $out, ">", $file) or die "$file: $!";
        $out->autoflush(1);
        if (!(my $reader = fork())) {
            while (defined $socket->recv(my $said, 4096)) { print $out "$said\n" }
            exit 0;
        } else {
            my $gone;
            do { $gone = waitpid($child, 0) } while ($gone != $child);
            my $status = $?;
            kill "KILL", $reader;
            exit($status & 127 ? 128 + ($status & 127) : $status >> 8);
        }' "$file" "$@"
}

# The command line of the unit, as its user, with the directories that systemd makes for it.
unit=/lib/systemd/system/durabilityd.service
start_unit() {
    local name=$1 command
    command=$(sed -n 's/^ExecStart=//p' $unit)
    [ -n "$command" ] || fail "no ExecStart in $unit"
    install -d -o durabilityd -g durabilityd -m 750 /var/lib/durabilityd
    install -d -o durabilityd -g durabilityd -m 755 /run/durabilityd
    : >"$logs/$name.notify"
    # shellcheck disable=SC2086
    notified "$logs/$name.notify" setpriv --reuid durabilityd --regid durabilityd --clear-groups $command \
        >"$logs/$name" 2>&1 &
    unit_pid=$!
    await 60 says "$name.notify" '^READY=1' || fail "the unit's command line does not say READY=1"
}
stop_unit() {
    local name=$1 status=0
    kill "$unit_pid"
    wait "$unit_pid" || status=$?
    [ $status -eq 0 ] || fail "the daemon ended with $status"
    says "$name.notify" '^STOPPING=1' || fail "the service manager was not told that the daemon stops"
}

# A stock publisher that is killed once its samples are the service's to keep.
#   publish_and_die TOPIC DURABILITY COUNT
publish_and_die() {
    local orders
    orders=$(mktemp -u)
    mkfifo "$orders"
    /peer pub --domain 0 --topic "$1" --durability "$2" --reliability reliable --count "$3" --timeout 60 \
        <"$orders" >"$logs/publisher" 2>&1 &
    local publisher=$!
    exec 9>"$orders"
    echo wait_acks >&9
    await 60 says publisher ACKED || fail "the publisher's samples were not acknowledged"
    kill -KILL $publisher
    wait $publisher 2>/dev/null || true
    exec 9>&-
    rm -f "$orders"
}
#   late_reader TOPIC DURABILITY COUNT
late_reader() {
    /peer sub --domain 0 --topic "$1" --durability "$2" --reliability reliable --expect "$3" --timeout 40 \
        </dev/null >"$logs/reader" 2>&1 || fail "a late reader of $1 did not get what it is owed"
}
