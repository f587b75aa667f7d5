// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/audit/structures.h"

#include "core/base/text.h"

#include <array>
#include <cmath>

#include <fmt/format.h>

namespace kernscope::audit {

namespace {

constexpr std::array<std::string_view, 28> kKindNames{"non-finite",
                                                      "rows-zeroed",
                                                      "block-scale",
                                                      "other-rows",
                                                      "other-elements",
                                                      "scales-shifted",
                                                      "scale-missing",
                                                      "zero-point-sign",
                                                      "rows-scaled",
                                                      "scaled",
                                                      "batch-norm-gain-missing",
                                                      "batch-norm-fold",
                                                      "nibbles-swapped",
                                                      "codes-unpacked",
                                                      "mask-shifted",
                                                      "table-permuted",
                                                      "group-order",
                                                      "transposed",
                                                      "flipped",
                                                      "channel-order",
                                                      "clipped",
                                                      "swapped",
                                                      "repeated",
                                                      "other-tensor",
                                                      "other-values",
                                                      "unrelated",
                                                      "not-compressed",
                                                      "above-best"};
static_assert(static_cast<std::size_t>(Kind::AboveBest) + 1 == kKindNames.size());

} // namespace

std::string_view kindName(Kind kind)
{
    return kKindNames[static_cast<std::size_t>(kind)];
}

std::string_view pairedByName(PairedBy how)
{
    constexpr std::array<std::string_view, 5> kNames{"name", "values", "structure", "order",
                                                     "remainder"};
    return kNames[static_cast<std::size_t>(how)];
}

std::vector<Rows> rowRuns(std::span<const std::uint64_t> rows)
{
    std::vector<Rows> runs;
    for (const std::uint64_t row : rows) {
        if (!runs.empty() && runs.back().end >= row)
            runs.back().end = std::max(runs.back().end, row + 1);
        else
            runs.push_back({row, row + 1});
    }
    return runs;
}

std::string timesText(double least, double most)
{
    return most - least < 0.02 * std::abs(most) ? fmt::format("{:.3g}", most)
                                                : fmt::format("{:.3g} to {:.3g}", least, most);
}

std::string rowsText(std::span<const Rows> rows)
{
    constexpr std::size_t kShown = 4;
    std::string text;
    for (std::size_t i = 0; i < std::min(kShown, rows.size()); ++i)
        text += (i > 0 ? ", " : "") + (rows[i].end == rows[i].first + 1
                                           ? fmt::format("row {}", grouped(rows[i].first))
                                           : fmt::format("rows {} to {}", grouped(rows[i].first),
                                                         grouped(rows[i].end - 1)));
    if (rows.size() > kShown)
        text += fmt::format(" and {} more", counted(rows.size() - kShown, "run"));
    return text;
}

} // namespace kernscope::audit
