// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/collective.h"
#include "core/descriptor/format_word.h"
#include "core/descriptor/image_v10.h"
#include "core/report/json.h"

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

// Register groups, fields, streams and lanes of descriptors, as `descriptor` and `formats` list
// them.

extern const TableOf<descriptor::ImageGroup> imageGroupTable;
extern const TableOf<descriptor::ImageField> imageFieldTable;
/// Those of the record "field", and of "reloc": the registers that a loader fills in.
std::vector<descriptor::ImageField> imageFieldsOf(std::string_view record);
extern const TableOf<descriptor::ImageField> relocationRegisterTable;

/// A stream of coefficients with what its relocation register is for.
struct ImageStreamFacts {
    descriptor::ImageStream stream;
    std::string role;
};
std::vector<ImageStreamFacts> imageStreamRows();
extern const TableOf<ImageStreamFacts> imageStreamTable;

/// The code of each format in each lane.
extern const TableOf<LaneCode> laneCodeTable;
/// Pairs of types that the array multiplies two at a time.
extern const TableOf<DoubleMacPair> doubleMacTable;

/// Table 7.5: what an element type is for in a weight.
extern const TableOf<format::WeightElementRole> elementRoleTable;
/// Table 36.1: the two fp8 formats field by field.
extern const TableOf<format::Fp8Format> fp8FormatTable;
/// What sources say of the engine and quote of its compiler, a sentence each.
extern const TableOf<format::EngineNote> engineNoteTable;

// Answers of `descriptor` to what was asked of it.

/// The lanes of a format word, in the order in which they are written.
inline constexpr std::array<descriptor::FormatLane, 3> kFormatLanes{descriptor::FormatLane::Source1,
                                                                    descriptor::FormatLane::Source2,
                                                                    descriptor::FormatLane::Output};

/// What an E4M3 source does beyond its range, and the source of that.
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
