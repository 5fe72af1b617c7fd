#!/usr/bin/env bash
# What a reader stumbles over in any file: trailing blanks, tabs in C++, promises in comments.
set -euo pipefail
cd "$1"
status=0
report() {
    if [ -n "$2" ]; then
        printf '%s:\n%s\n' "$1" "$2"
        status=1
    fi
}
dirs=(lib daemon tools tests config man)
report "trailing blanks" "$(grep -rnIE '[[:blank:]]+$' "${dirs[@]}" --include='*.[ch]pp' --include='*.cmake' --include='*.yaml' --include='*.md' --include='*.sh' --include='*.[1-8]' || true)"
report "tabs" "$(grep -rnIP '\t' lib daemon tools tests --include='*.[ch]pp' || true)"
report "unfinished work" "$(grep -rnIwE 'TODO|FIXME|XXX|HACK' lib daemon tools --include='*.[ch]pp' --include='*.sh' || true)"
report "headers without #pragma once" "$(grep -rL '#pragma once' lib daemon tools --include='*.hpp' || true)"
exit $status
