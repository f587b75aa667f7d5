// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/edit/carried_values.h"

#include <array>
#include <cstring>

#include <fmt/format.h>

namespace kernscope::patch {

void carryValue(Edit &edit, std::uint64_t element, float value)
{
    if (edit.indices.empty() || edit.indices.back().stop != element)
        edit.indices.push_back(IndexRange{element, element, false, false});
    ++edit.indices.back().stop;
    std::array<std::byte, sizeof value> raw{};
    std::memcpy(raw.data(), &value, sizeof value);
    edit.bytes.insert(edit.bytes.end(), raw.begin(), raw.end());
}

bool carriesValues(const Edit &edit)
{
    return edit.kind == Edit::Kind::FromNpy && !edit.bytes.empty();
}

std::uint64_t carriedCount(const Edit &edit)
{
    return carriesValues(edit) ? edit.bytes.size() / sizeof(float) : 0;
}

void readCarried(const Edit &edit, std::uint64_t first, std::span<double> out)
{
    for (std::size_t i = 0; i < out.size(); ++i) {
        float value = 0;
        std::memcpy(&value, edit.bytes.data() + (first + i) * sizeof value, sizeof value);
        out[i] = static_cast<double>(value);
    }
}

std::string carriedScript(const Edit &edit)
{
    std::string text;
    std::uint64_t at = 0;
    for (const IndexRange &run : edit.indices) {
        for (std::uint64_t element = run.start; element < run.stop; ++element, ++at) {
            double value = 0;
            readCarried(edit, at, std::span(&value, 1));
            text += fmt::format("{} {}[{}]={}\n", editKindName(Edit::Kind::Set), edit.weight,
                                element, value);
        }
    }
    return text;
}

} // namespace kernscope::patch
