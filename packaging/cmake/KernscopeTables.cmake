# SPDX-License-Identifier: GPL-3.0-or-later
# Embeds the tables of facts: every file of TABLES (separated by '|') becomes a string that
# core/format/tables.h finds by name.
#   cmake -DOUT=tables.cpp "-DTABLES=a.csv|b.csv" -P KernscopeTables.cmake
string(REPLACE "|" ";" paths "${TABLES}")
set(rows "")
foreach(path IN LISTS paths)
    get_filename_component(name "${path}" NAME_WE)
    file(READ "${path}" content)
    string(APPEND rows "    {\"${name}\", R\"table(${content})table\"},\n")
endforeach()
file(WRITE "${OUT}" "// Made from resources/tables by packaging/cmake/KernscopeTables.cmake.\n\
#include \"core/format/tables.h\"\n\nnamespace kernscope::tables {\n\nnamespace {\n\n\
struct Row {\n    std::string_view name, text;\n};\nconstexpr Row kRows[] = {\n${rows}};\n\n\
} // namespace\n\nstd::string_view text(std::string_view name)\n{\n\
    for (const Row &row : kRows) {\n        if (row.name == name)\n            return row.text;\n    }\n\
    return {};\n}\n\n} // namespace kernscope::tables\n")
