// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/descriptor/image_v10.h"
#include "core/format/contested.h"
#include "core/report/column.h"
#include "core/report/engine_json.h"

#include <string>
#include <vector>

/// Register groups, fields, streams and lanes of descriptors, as `descriptor` and `formats` list
/// them.
namespace kernscope::report {

const TableOf<descriptor::ImageGroup> &imageGroupTable();
const TableOf<descriptor::ImageField> &imageFieldTable();
/// Those of the record "field", and of "reloc": the registers that a loader fills in.
std::vector<descriptor::ImageField> imageFieldsOf(std::string_view record);
const TableOf<descriptor::ImageField> &relocationRegisterTable();

/// A stream of coefficients with what its relocation register is for.
struct ImageStreamFacts {
    descriptor::ImageStream stream;
    std::string role;
};
std::vector<ImageStreamFacts> imageStreamRows();
const TableOf<ImageStreamFacts> &imageStreamTable();

/// The code of each format in each lane.
const TableOf<LaneCode> &laneCodeTable();
/// Pairs of types that the array multiplies two at a time.
const TableOf<DoubleMacPair> &doubleMacTable();

/// Table 7.5: what an element type is for in a weight.
const TableOf<format::WeightElementRole> &elementRoleTable();
/// Table 36.1: the two fp8 formats field by field.
const TableOf<format::Fp8Format> &fp8FormatTable();
/// What sources say of the engine and quote of its compiler, a sentence each.
const TableOf<format::EngineNote> &engineNoteTable();

} // namespace kernscope::report
