#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Finds names that stand in two sources of one target though each source means its own: in unnamed
# namespaces, of static functions, of macros. Sources of a target are compiled together in batches
# that differ between versions of CMake, where such names meet.
#   packaging/names.sh [TREE]
# A target is the folder whose CMakeLists.txt makes one, with the folders below that make none; the
# tests of all containers are one. It reads lines as .clang-format lays them out: what a namespace holds begins in the first column.
# Sources that Highway compiles once per instruction set stay out of batches, and of this.
set -euo pipefail
cd "${1:-$(dirname "${BASH_SOURCE[0]}")/..}"

for folder in app core widgets tests; do [ ! -d "$folder" ] || folders+=("$folder"); done
targets=$(find "${folders[@]}" -name CMakeLists.txt -exec grep -lE \
    '^ *(add_library|add_executable|kernscope_core_library|kernscope_test|pybind11_add_module)\(' {} + |
    sed 's|/[^/]*$||; s|^\(tests/core/container\)/.*|\1|' | sort -u | tr '\n' ' ')
find "${folders[@]}" -name '*.cpp' -not -path 'tests/bench/*' -not -path 'tests/fuzz/*' -not -path 'tests/simulator/*' | sort | tr '\n' '\0' | xargs -0 awk -v targets="$targets" '
function told(name,    i, target) {
    if (name == "" || name ~ /^(auto|bool|operator|requires|static_assert|struct|void|__.*)$/)
        return
    target = ""
    for (i = 1; i <= count; ++i)
        if (index(FILENAME, folders[i] "/") == 1 && length(folders[i]) > length(target))
            target = folders[i]
    if (!((target, name) in first)) {
        first[target, name] = FILENAME
        line[target, name] = FNR
    } else if (first[target, name] != FILENAME) {
        printf "%s:%d: %s stands in %s:%d too\n", FILENAME, FNR, name, first[target, name],
            line[target, name]
        doubles = 1
    }
}
function enumerators(text,    i, n, parts) {
    n = split(text, parts, ",")
    for (i = 1; i <= n; ++i) {
        sub(/=.*/, "", parts[i])
        gsub(/[^A-Za-z0-9_]/, "", parts[i])
        told(parts[i])
    }
}
BEGIN { count = split(targets, folders, " ") }
FNR == 1 { unnamed = listing = alone = 0; raw = "" }
/^#define HWY_/ { alone = 1 }
alone { next }
raw != "" { if (index($0, raw)) raw = ""; next }
match($0, /R"[a-z]*\(/) {
    raw = ")" substr($0, RSTART + 2, RLENGTH - 3) "\""
    if (index(substr($0, RSTART), raw))
        raw = ""
}
/^#[ \t]*define[ \t]/ { sub(/^#[ \t]*define[ \t]+/, ""); sub(/[^A-Za-z0-9_].*/, ""); told($0); next }
/^namespace \{/ { unnamed = 1; next }
/^\} \/\/ namespace$/ { unnamed = 0; next }
{ sub(/\/\/.*/, "") }
listing && /^ / { enumerators($0); next }
/^\}/ { listing = 0 }
!/^[A-Za-z_\[]/ || (!unnamed && !/^static /) { next }
/^(namespace|friend|Q_|using namespace) ?/ || /^using [A-Za-z_:]+;/ { next }
{
    while (gsub(/<[^<>]*>/, "")) {}
    gsub(/\[\[[^]]*\]\]|(alignas|decltype)\([^)]*\)/, "")
    if (/^ *enum / && !/^ *enum (class|struct) /) {
        text = $0
        listing = sub(/^[^{]*\{/, "", text) && !sub(/\}.*/, "", text)
        if (text != $0)
            enumerators(text)
    }
    if (/^ *(struct|class|union|enum) /) {
        sub(/ final/, "")
        sub(/ *[:;{].*/, "")
        sub(/.* /, "")
        told($0)
        next
    }
    if (!match($0, /[(={;[]/))
        next
    text = substr($0, 1, RSTART - 1)
    rest = substr($0, RSTART)
    sub(/[ \t]+$/, "", text)
    sub(/.*[ *&]/, "", text)
    if (text !~ /^[A-Za-z0-9_]+$/)
        next # a member of a class, or an operator
    told(text)
    if (rest ~ /^=/) { # "int a = 1, b = 2;"
        while (gsub(/\([^()]*\)|\{[^{}]*\}/, "", rest)) {}
        while (match(rest, /, *[A-Za-z0-9_]+ *=/)) {
            text = substr(rest, RSTART, RLENGTH)
            rest = substr(rest, RSTART + RLENGTH)
            gsub(/[^A-Za-z0-9_]/, "", text)
            told(text)
        }
    }
}
END { exit doubles }'
