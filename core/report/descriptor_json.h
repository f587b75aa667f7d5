// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/descriptor/format_word.h"
#include "core/descriptor/image_v10.h"
#include "core/report/json.h"
#include "core/target/target.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

/// Answers of `descriptor` to what was asked of it.
namespace kernscope::report {

/// The lanes of a format word, in the order in which they are written.
inline constexpr std::array<descriptor::FormatLane, 3> kFormatLanes{descriptor::FormatLane::Source1,
                                                                    descriptor::FormatLane::Source2,
                                                                    descriptor::FormatLane::Output};

/// What an E4M3 source does beyond its range, and where that is said.
struct OverflowChoice {
    std::string lane; ///< "source1"
    bool saturates = false;
    std::uint32_t offset = 0, bits = 0;
};
/// `word`: `{"value","formats","overflow":{LANE:{"mode","offset","bits"}},"contested"}`
void addEncodedWord(Json &answer, std::uint32_t version, std::uint32_t word,
                    const std::vector<std::string> &formats,
                    const std::vector<OverflowChoice> &overflow);
/// `word`: `{"value","lanes":{LANE:FORMAT},"contested"}`
void addDecodedWord(Json &answer, std::uint32_t version, std::uint32_t word);
/// `ordering`: `{"l2_barrier","forward_barrier","signal_mask","wait_mask"}`
void addOrdering(Json &answer, const descriptor::OrderingBits &bits);
/// Everything of `descriptor`: the image and format word of a version, and what was worked out, by
/// key; null where nothing was asked.
Json descriptorJson(const target::Target &target, std::uint32_t version, const Json &worked);

} // namespace kernscope::report
