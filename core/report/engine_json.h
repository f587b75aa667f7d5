// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/collective.h"
#include "core/descriptor/format_word.h"
#include "core/descriptor/image_v10.h"
#include "core/format/contested.h"
#include "core/report/json.h"
#include "core/target/floors.h"
#include "core/target/hal.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// What is known of the engine and of a chip apart from any file: the bytes of its table, the
/// collective layer, the descriptor. A command or a dock shows these as they are.
namespace kernscope::report {

/// `[{"topic","subject","reading","taken","source","confidence","note"}]`
Json readingsJson(std::span<const format::Reading> readings);

/// What a chip's table holds in a field. The core count is the one that the chip is listed with.
struct HalShown {
    std::string text = "unknown";
    std::optional<std::int64_t> number;
    std::string scope; ///< what it was read for; empty where it is not known
    std::string source;
    format::Confidence confidence = format::Confidence::Documented;
};
HalShown halShown(const target::Target &target, const target::HalField &field);

/// Tables 36.4 to 36.7 and the sequence of chapter 36, with the bytes and gates of a chip.
Json collectiveJson(const target::Target &target);

/// Tables 20.7, 20.8, 25.4 and the ordering bits, of the version-10 image.
Json imageJson();
/// Readings of the integers' codes in the format word of a version; empty where none disagree.
Json contestedCodesJson(std::uint32_t version);
/// Table 36.3: where a version keeps its formats, and what each lane holds or answers.
Json formatWordJson(std::uint32_t version);

/// One code of one lane: the bits, or why it has none.
struct LaneCode {
    std::uint32_t code = 0; ///< TensorFormat
    std::string name;       ///< "e4m3"
    descriptor::FormatLane lane = descriptor::FormatLane::Source1;
    std::optional<std::uint32_t> bits;
    descriptor::LaneRefusal refusal = {}; ///< where it has none
    std::string contested = {};           ///< the reading that is not taken
};
/// Every tensor format in every lane of a version, by lane.
std::vector<LaneCode> laneCodes(std::uint32_t version);

/// A pair of an activation's and a weight's type, and whether the array multiplies two at a time
/// (chapter 36: both of one byte, both integers or both floats).
struct DoubleMacPair {
    std::string activation, kernel;
    bool eligible = false;
};
/// Every pair of the one-byte types and fp16.
std::vector<DoubleMacPair> doubleMacPairs();

/// The fold predicate of chapter 36 for codes 0 to 16, those without a name included:
/// `[{"code","name","folds"}]`
Json foldPredicateJson();

} // namespace kernscope::report
