// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/bundle_findings.h"
#include "core/bundle/shapes/infer.h"
#include "core/report/chip_table.h"
#include "core/report/decision_table.h"
#include "core/report/geometry_table.h"
#include "core/report/hwx_json.h"
#include "core/report/placement_table.h"
#include "core/report/register_table.h"
#include "core/report/tensor_export.h"

/// Documents of commands that say little beside what they wrote or worked out.
namespace kernscope::report {

/// The values of a weight that `decode` wrote.
struct DecodedFile {
    std::string_view output, type; ///< file; "fp16" or "fp32"
    Shape shape;                   ///< of the values written
    std::uint64_t elements = 0, bytes = 0;
};
/// Everything of `decode`.
Json decodeJson(const Weight &weight, const DecodedFile &written);

/// Everything of `decode` into a file of tensors.
Json decodeJson(const Bundle &bundle, const TensorExport &written, std::string_view output);

/// One thing that an installed program must be able to do.
struct SelftestStep {
    std::string name;
    bool passed = false;
    std::string detail; ///< figures, or why it failed
};
/// Everything of `selftest`.
Json selftestJson(const std::vector<SelftestStep> &steps);

/// Everything of `calibrate`; `target` null: of every chip.
Json calibrateJson(const target::Target *target, std::span<const roofline::CalibrationRow> rows,
                   std::span<const roofline::PublishedFigure> figures,
                   std::span<const PlacedLayer> estimated);

/// Everything of `activation`: each of activationJson(), and how the functions were evaluated.
Json activationTablesJson(std::vector<Json> tables, std::string_view arithmetic,
                          std::string_view tail);

/// Adds to patchJson() how `patch` was asked; `output` is empty where no copy was written.
void addPatchRun(Json &document, std::string_view mode, std::string_view output, double tolerance);

/// Keeps those of `weights` that were selected, and says by which terms.
void keepWeights(Json &document, std::string_view where, const std::vector<bool> &selected);

/// Adds `findings`: what is worth a look.
void addFindings(Json &document, const Bundle &bundle, const std::vector<Finding> &findings);

/// Adds `report`: the file that the report of the bundle was written to.
void addReportFile(Json &document, std::string_view path);

/// Adds bundle, tolerance, the program's times and `choices`, each of choiceJson().
void addChoices(Json &document, const Bundle &bundle, double tolerance,
                const roofline::ProgramTime &program, std::vector<Json> choices);

// The documents of commands that ask chips and hardware containers: their top-level keys.

/// The head of an answer by one chip: document() and `target`, null where `target` is (of every
/// chip).
Json chipDocument(std::string_view command, const target::Target *target,
                  const target::TargetChoice &choice, const target::NamedTarget *named);
/// `shapes`, where shapes were bound. `described`: to the model's own defaults.
void addBoundShapes(Json &document, const std::optional<shapes::Summary> &shapes, bool described);

/// `prediction_error`: how far predicted times were from the measured ones of the chip.
void addPredictionError(Json &document, const target::Target &target);

/// `unplaced` and `bundle` of `geometry`.
void addUnplaced(Json &document, const Bundle &bundle, const std::vector<UnplacedWeight> &unplaced);
/// `operations` of `geometry`: what judgedJson() gave for each.
void addOperations(Json &document, std::vector<Json> operations);
/// `bundle`, ceilings, layers and what is in no layer: the rest of `roofline`.
void addRooflineOf(Json &document, const Bundle &bundle, const roofline::Roofs &roofs,
                   const roofline::NetworkAssessment &network, std::uint64_t batch);

/// Everything of `targets`. `details`: the first of the chips with all that is known of it.
Json targetsDocument(std::span<const target::Target *const> targets, bool details);

/// Everything of `hwx`, of `hwx --survey` and of `hwx --load-at`.
Json hwxDocument(const hwx::Container &container, std::span<const std::byte> bytes,
                 const std::string &file, const HwxJsonOptions &options);
Json hwxSurveyDocument(const HwxSurvey &survey);
Json hwxLoadDocument(const hwx::Container &container, const hwx::LoadPlan &plan, bool strip,
                     const std::vector<hwx::Slot> &places,
                     const std::vector<hwx::LoadedSlot> &loaded);

} // namespace kernscope::report
