// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/target/target.h"

#include <span>
#include <string>

namespace kernscope::decision {

/// A row of resources/tables/geometry_facts.csv: tables 20.2, 20.5 and 20.6 and their like.
struct GeometryFact {
    std::string fact, target; ///< "*": all
    double value = 0;
    std::string unit, source, note;
    format::Confidence confidence = format::Confidence::Documented;
};

std::span<const GeometryFact> geometryFacts();
/// The fact for a target: its own, or that of all. Nothing where it is not known; figures that
/// were measured on one target are not lent to another.
const GeometryFact *geometryFact(const target::Target &target, std::string_view fact);

} // namespace kernscope::decision
