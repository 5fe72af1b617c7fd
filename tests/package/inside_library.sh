#!/usr/bin/env bash
# Inside the copy: the installed library, as another program finds it. The example is built with CMake and with
# pkg-config; the surface program calls every entry point; both keep history between stock peers.
set -euo pipefail
# shellcheck source=tests/package/inside_lib.sh
. /inside_lib.sh
loopback_up
dpkg --no-triggers -i /libdurability-dev.deb >$logs/dpkg 2>&1 || fail "libdurability-dev cannot be installed"
[ ! -e /usr/sbin/durabilityd ] || fail "the library brings the daemon"

# Nothing of the source tree: the examples as installed, with what they are installed with.
cp -r /usr/share/doc/libdurability-dev/examples /example
cp -r /package/surface /surface
for program in example surface; do
    cmake -S /$program -B /$program-build -DCMAKE_BUILD_TYPE=Debug >$logs/cmake 2>&1 || fail "CMake does not find the library"
    cmake --build /$program-build >$logs/build 2>&1 || fail "the $program program does not build"
done
[ "$(pkg-config --modversion durability)" = "$(dpkg-query -W -f '${Version}' libdurability-dev | cut -d- -f1)" ] ||
    fail "pkg-config knows another version"
# shellcheck disable=SC2046
c++ -std=c++20 /example/main.cpp $(pkg-config --cflags --libs durability) -o /example-pkg-config >$logs/pkg-config 2>&1 ||
    fail "the example does not build with pkg-config"
if cmake -S /example -B /refused -Ddurability_DIR=/nowhere -DCMAKE_PREFIX_PATH=/nowhere \
    -DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF -DCMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH=OFF >$logs/refused 2>&1; then
    fail "the example is configured without the library: it was built against something else"
fi

mkdir -p /work/calls
/surface-build/durability_surface calls /work/calls >$logs/calls 2>&1 || fail "the entry points are not as they should be"
/example-build/durability_example /nonexistent.yaml a b >$logs/usage 2>&1 && fail "a configuration that is not there is accepted"
says usage /nonexistent.yaml || fail "a configuration that is not there is not named"

if [ ! -x /peer ]; then
    echo "not tried: the library between stock peers, which are not built"
    exit 0
fi
mkdir -p /work/example
cat >/work/example/config.yaml <<'YAML'
store: { directory: /work/example/state, runtime_directory: /work/example/run }
YAML
for example in /example-build/durability_example /example-pkg-config; do
    rm -rf /work/example/state /work/example/run
    $example /work/example/config.yaml latched "$UNKEYED_TYPE" >$logs/example 2>&1 &
    pid=$!
    await 30 says example 'serving latched' || fail "the example does not serve"
    publish_and_die latched transient_local 10
    late_reader latched transient_local 10
    kill $pid
    wait $pid || fail "the example does not end with 0 when it is asked to"
    says example event=ServedFromDiscovery || fail "the example prints no events"
done

mkdir -p /work/discovered
mkfifo /work/input
/surface-build/durability_surface discovered /work/discovered found </work/input >$logs/discovered 2>&1 &
pid=$!
exec 8>/work/input
await 30 says discovered STARTED || fail "the service does not start"
publish_and_die found transient_local 10
says discovered 'DISCOVERED .* TRANSIENT_LOCAL' || fail "serve_discovered() does not serve what a writer announces"
late_reader found transient_local 10
exec 8>&-
wait $pid || fail "the program does not end well"
