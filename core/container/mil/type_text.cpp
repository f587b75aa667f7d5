// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/mil/type_text.h"

#include "core/format/table_rows.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace kernscope::mil {

std::string shortened(std::string_view text)
{
    constexpr std::size_t kLimit = 1000; // also keeps nested types from being copied over and over
    if (text.size() <= kLimit)
        return std::string(text);
    return fmt::format("{}...", text.substr(0, kLimit));
}

std::string typeText(const ValueType &type)
{
    if (type.kind != ValueType::Kind::Tensor)
        return type.text.empty() ? std::string("unknown") : type.text;
    const std::string_view element =
        type.text.empty() ? elementTypeName(type.element) : std::string_view(type.text);
    if (type.dims.empty())
        return std::string(element);
    std::string text = "tensor<" + std::string(element) + ", [";
    for (std::size_t i = 0; i < type.dims.size() && text.size() < 1000; ++i) {
        text += i == 0 ? "" : ", ";
        text += type.dims[i] < 0 ? "?" : std::to_string(type.dims[i]);
    }
    return text + "]>";
}

namespace {

/// A row of resources/tables/program_types.csv.
struct ProgramTypeRow {
    std::uint32_t code = 0;
    std::string name;
    ElementType type = ElementType::Unknown; ///< of that name
};

const std::vector<ProgramTypeRow> &programTypeRows()
{
    static const auto rows = [] {
        auto loaded = tables::loadRows<ProgramTypeRow>(
            "program_types", {{"code", &ProgramTypeRow::code}, {"name", &ProgramTypeRow::name}});
        for (ProgramTypeRow &row : loaded)
            row.type = elementTypeFromName(row.name);
        return loaded;
    }();
    return rows;
}

} // namespace

ElementType programType(std::uint64_t code)
{
    const auto &rows = programTypeRows();
    const auto row = std::find_if(rows.begin(), rows.end(),
                                  [code](const ProgramTypeRow &one) { return one.code == code; });
    return row == rows.end() ? ElementType::Unknown : row->type;
}

std::uint64_t programTypeCode(ElementType type)
{
    const auto &rows = programTypeRows();
    const auto row = std::find_if(rows.begin(), rows.end(),
                                  [type](const ProgramTypeRow &one) { return one.type == type; });
    return row == rows.end() || type == ElementType::Unknown ? 0 : row->code;
}

} // namespace kernscope::mil
