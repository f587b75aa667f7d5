// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/column.h"

#include <string>
#include <string_view>
#include <vector>

/// The tables of facts about formats and chips as they are embedded, each row with its source.
namespace kernscope::report {

struct EmbeddedFact {
    std::string table; ///< "hwx_codes"
    std::string cells; ///< "kind=section_type; code=0x0; name=regular"; empty cells are left out
    std::string confidence, source, note;
};
/// The rows of one table, or of all for an empty name.
std::vector<EmbeddedFact> embeddedFactRows(std::string_view table = {});
const TableOf<EmbeddedFact> &embeddedFactTable();
/// `formats --facts`: {"facts":[…]}
Json embeddedFactsJson(std::string_view table);

} // namespace kernscope::report
