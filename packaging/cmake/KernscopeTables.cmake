# SPDX-License-Identifier: GPL-3.0-or-later
# Embeds the tables of facts: every file of TABLES (separated by '|') becomes a string that
# core/format/table_rows.h finds by name.
#   cmake -DOUT=tables.cpp "-DTABLES=a.csv|b.csv" -P KernscopeTables.cmake
string(REPLACE "|" ";" paths "${TABLES}")
set(rows "")
set(names "")
foreach(path IN LISTS paths)
    get_filename_component(name "${path}" NAME_WE)
    file(READ "${path}" content)
    string(APPEND names "    \"${name}\"sv,\n")
    string(APPEND rows "    {\"${name}\", R\"table(${content})table\"sv},\n")
endforeach()
file(WRITE "${OUT}" "// Made from resources/tables by packaging/cmake/KernscopeTables.cmake.\n\
#include \"core/format/table_rows.h\"\n\n\
#if defined(__clang__) // which names the least length that the standard asks for\n\
#pragma clang diagnostic ignored \"-Woverlength-strings\"\n#endif\n\n\
namespace kernscope::tables {\n\nnamespace {\n\n\
using namespace std::string_view_literals; // whose lengths need no counting\n\n\
struct Row {\n    std::string_view name, text;\n};\nconstexpr Row kRows[] = {\n${rows}};\n\n\
} // namespace\n\nstd::string_view text(std::string_view name)\n{\n\
    for (const Row &row : kRows) {\n        if (row.name == name)\n            return row.text;\n    }\n\
    return {};\n}\n\nstd::span<const std::string_view> names()\n{\n\
    static constexpr std::string_view kNames[] = {\n${names}    };\n    return kNames;\n}\n\n\
} // namespace kernscope::tables\n")
