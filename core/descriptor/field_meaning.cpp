// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/descriptor/register_map.h"
#include "core/format/tables.h"
#include "core/numeric/half.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::descriptor {

namespace {

struct Meaning {
    std::vector<std::string> versions, fields; ///< no versions: every one
    std::string block;                         ///< empty: every one
    std::string kind, values;
};

std::vector<std::string> split(std::string_view text, char by)
{
    std::vector<std::string> parts;
    while (!text.empty()) {
        const auto end = std::min(text.find(by), text.size());
        if (end > 0)
            parts.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return parts;
}

const std::vector<Meaning> &meanings()
{
    static const auto rows = [] {
        std::vector<Meaning> all;
        const auto csv = tables::load("field_meanings");
        for (std::size_t row = 0; csv && row < csv->rows(); ++row) {
            all.push_back(
                {split(csv->cell(row, "versions"), ' '), split(csv->cell(row, "fields"), ' '),
                 std::string(csv->cell(row, "block")), std::string(csv->cell(row, "kind")),
                 std::string(csv->cell(row, "values"))});
        }
        return all;
    }();
    return rows;
}

bool holds(const std::vector<std::string> &list, std::string_view wanted)
{
    return std::find(list.begin(), list.end(), wanted) != list.end();
}

std::string valueNameOf(const std::string &values, std::uint32_t value)
{
    for (const std::string &pair : split(values, '|')) {
        const auto equals = pair.find('=');
        if (equals != std::string::npos &&
            parseInteger(std::string_view(pair).substr(0, equals)) == std::int64_t(value))
            return pair.substr(equals + 1);
    }
    return {};
}

std::string meant(const Meaning &meaning, const BitField &field, std::uint32_t value)
{
    const unsigned width = field.high - field.low + 1;
    if (meaning.kind == "bytes")
        return field.low == 0 ? std::string()
                              : fmt::format("{:#x} bytes", std::uint64_t(value) << field.low);
    if (meaning.kind == "names")
        return valueNameOf(meaning.values, value);
    if (meaning.kind == "half" && width == 16)
        return fmt::format("{}", halfToFloat(static_cast<std::uint16_t>(value)));
    if (meaning.kind == "log2" && value < 32)
        return fmt::format("{} {}", std::uint64_t(1) << value, meaning.values);
    if (meaning.kind == "unit")
        return fmt::format("{} {}", value, meaning.values);
    if (meaning.kind == "signed" && width < 32) {
        const bool negative = (value >> (width - 1)) != 0;
        return fmt::format("{}", std::int64_t(value) - (negative ? std::int64_t(1) << width : 0));
    }
    return {};
}

} // namespace

std::string decodedField(const Register &reg, const BitField &field, std::uint32_t value,
                         std::uint32_t version)
{
    for (const Meaning &meaning : meanings()) {
        if (!meaning.versions.empty() && !holds(meaning.versions, fmt::to_string(version)))
            continue;
        if ((meaning.block.empty() || meaning.block == reg.block) &&
            holds(meaning.fields, field.name))
            return meant(meaning, field, value);
    }
    return {};
}

} // namespace kernscope::descriptor
