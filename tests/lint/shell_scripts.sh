#!/usr/bin/env bash
# Every shell script of the tree through shellcheck.
set -euo pipefail
cd "$1"
mapfile -t scripts < <(grep -rlE '^#!.*\b(ba)?sh\b|^# shellcheck shell=' --exclude-dir=build --exclude-dir=.git --exclude-dir=var . | sort)
[ ${#scripts[@]} -ge 5 ] || { echo "found only ${#scripts[@]} scripts"; exit 1; }
shellcheck -x "${scripts[@]}"
