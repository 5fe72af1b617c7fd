# Sourced by tools/run, tools/test and tools/demo. Needs nothing but a Debian 12 base system.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '%s\n' "$*" >&2; }
die() {
    say "$(basename "$0"): $*"
    exit 1
}

# Runs a command as root: directly, or with sudo where that is needed.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        die "needs root for: $* (run it as root, or install sudo)"
    fi
}

# Names in tools/packages that serve any of the given purposes.
packages_for() {
    local purposes=" $* " name purpose
    while read -r name purpose; do
        case $name in '' | '#'*) continue ;; esac
        [[ $purposes == *" $purpose "* ]] && printf '%s\n' "$name"
    done <"$root/tools/packages"
    return 0
}

is_installed() {
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# Installs what is missing for the given purposes and says what that is. Does nothing the second time.
install_packages() {
    local missing=() name
    command -v dpkg-query >/dev/null || die "this is not a Debian system; needed are: $(packages_for "$@" | xargs)"
    while read -r name; do
        is_installed "$name" || missing+=("$name")
    done < <(packages_for "$@")
    [ ${#missing[@]} -eq 0 ] && return
    say "Installing with apt-get: ${missing[*]}"
    as_root apt-get -q -o DPkg::Lock::Timeout=300 update </dev/null >&2
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 \
        install --no-install-recommends "${missing[@]}" </dev/null >&2
}

# configure PRESET [cmake arguments]
configure() {
    local preset=$1
    shift
    local launcher=()
    command -v ccache >/dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
    (cd "$root" && cmake --preset "$preset" "${launcher[@]}" "$@" </dev/null)
}

# build PRESET [ninja targets]
build() {
    local preset=$1
    shift
    local targets=()
    [ $# -gt 0 ] && targets=(--target "$@")
    (cd "$root" && cmake --build --preset "$preset" "${targets[@]}" </dev/null)
}

# Runs a command, says nothing while all is well, shows its output when it fails.
quietly() {
    local log status=0
    log=$(mktemp)
    "$@" >"$log" 2>&1 || status=$?
    [ "$status" -eq 0 ] || cat "$log" >&2
    rm -f "$log"
    return "$status"
}
