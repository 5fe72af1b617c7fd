#!/usr/bin/env bash
# Every manual page: valid mdoc, references to each other that exist. mandoc's remarks about pages that
# are not installed on the machine are left out.
set -euo pipefail
cd "$1/man"
status=0
for page in *.[1-8]; do
    remarks=$(mandoc -T lint -W style "$page" 2>/dev/null | grep -v 'referenced manual not found' || true)
    if [ -n "$remarks" ]; then
        printf '%s\n' "$remarks"
        status=1
    fi
    while read -r name section; do
        case $name in durability*) [ -f "$name.$section" ] || { echo "$page: $name($section) does not exist"; status=1; } ;; esac
    done < <(sed -n 's/^\.Xr \([^ ]*\) \([0-9]\).*/\1 \2/p' "$page")
done
exit $status
