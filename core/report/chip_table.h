// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/calibrate.h"
#include "core/assessment/weight_facts.h"
#include "core/report/engine_json.h"

/// What is known of a chip beside its row: `targets --bytes` and the Targets dock.
namespace kernscope::report {

/// A field of a chip's hardware-abstraction table, or another fact of the chip; of two chips where
/// they are set beside each other.
struct TargetFact {
    std::string table;  ///< layout of the field, "chip" or "build"
    std::string offset; ///< empty where it has none
    std::string name, note;
    std::optional<bool> byte; ///< a capability byte, not a scalar; empty: no field of the table
    HalShown value;
    std::optional<HalShown> other; ///< of the second chip
};
/// Fields in the order of halFields(), those whose value is not known included.
std::vector<TargetFact> halRows(const target::Target &target,
                                const target::Target *other = nullptr);
extern const TableOf<TargetFact> targetFactTable;

/// MinimumFamily: which operations a chip reaches.
struct FloorFacts {
    const target::FamilyFloor *floor = nullptr;
    std::optional<bool> reached;
};
std::vector<FloorFacts> floorRows(const target::Target &target);
extern const TableOf<FloorFacts> floorTable;

/// A fact beside the table that holds for the chip: a clock, a memory, a rule.
struct PlacedFact {
    std::string place, name, value, source;
    format::Confidence confidence = format::Confidence::Documented;
    std::optional<std::string> note; ///< of rules
};
std::vector<PlacedFact> placedFacts(const target::Target &target);
extern const TableOf<PlacedFact> placedFactTable;

/// The chips, as `targets` lists them. Rows point into the embedded table.
using ChipFacts = const target::Target *;
extern const TableOf<ChipFacts> chipTable;

/// What each chip does with the weights of a bundle, in figures: as `decide` for all chips and the
/// report of `inspect` list them.
extern const TableOf<TargetTotals> targetTotalsTable;

/// A contested figure: value, source, confidence.
Json figureJson(const target::ChosenFigure &figure);
/// The head of an answer by one chip: document() and `target`, its name, what it was asked for by
/// and what else the name may mean; null where `target` is (of every chip).
Json chipDocument(std::string_view command, const target::Target *target,
                  const target::TargetChoice &choice, const target::NamedTarget *named);
/// `prediction_error`: how far predicted times were from the measured ones of the chip.
void addPredictionError(Json &document, const target::Target &target);
/// Everything of `targets`. `details`: the first of the chips with all that is known of it.
Json targetsDocument(std::span<const target::Target *const> targets, bool details);

// Published measurements beside what is predicted for them: `calibrate` and its dock.

extern const TableOf<roofline::CalibrationRow> calibrationTable;
/// Figures that are no time of a layer.
extern const TableOf<roofline::PublishedFigure> publishedFigureTable;

} // namespace kernscope::report
