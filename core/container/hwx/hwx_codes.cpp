// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/hwx/hwx_codes.h"

#include "core/format/table_rows.h"

namespace kernscope::hwx {

namespace {

const std::vector<HwxCode> &codes()
{
    static const auto rows = tables::loadRows<HwxCode>(
        "hwx_codes",
        {{"kind", &HwxCode::kind}, {"code", &HwxCode::code}, {"name", &HwxCode::name}});
    return rows;
}

} // namespace

std::string_view codeName(std::string_view kind, std::uint32_t code)
{
    for (const HwxCode &row : codes()) {
        if (row.code == code && row.kind == kind)
            return row.name;
    }
    return {};
}

std::vector<std::string_view> bitNames(std::string_view kind, std::uint32_t bits)
{
    std::vector<std::string_view> names;
    for (const HwxCode &row : codes()) {
        if ((bits & row.code) != 0 && row.kind == kind)
            names.push_back(row.name);
    }
    return names;
}

} // namespace kernscope::hwx
