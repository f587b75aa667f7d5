// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/shapes/infer.h"
#include "core/report/chip_json.h"
#include "core/report/geometry_table.h"
#include "core/report/hwx_json.h"
#include "core/report/hwx_survey.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The documents of commands that ask chips and hardware containers: their top-level keys.
namespace kernscope::report {

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
