// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/form/operand_place.h"
#include "core/format/catalogue.h"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

/// Faults of frameworks, compilers and chips that others reported, by what a bundle must have for
/// them (resources/tables/known_faults.csv).
namespace kernscope {

/// A row of the table. Nothing is claimed without its source.
struct KnownFault {
    std::string id;        ///< "palette-scale-2688"
    std::string scope;     ///< what the pattern is about: "weight", "operation", "program",
                           ///< "compiled" (what a Mac compiled)
    std::string pattern;   ///< "form=lut table=int8 outputs>65024": all terms must hold
    std::string framework; ///< "Core AI 0.4.0"; empty: not told
    std::string chips, systems;
    std::string effect;     ///< what happens then
    std::string seen;       ///< "file": the pattern is the fault; "pattern": it may happen;
                            ///< "checkpoint": only the values of the checkpoint tell (audit)
    bool contested = false; ///< reports disagree
    std::string source;
    format::Confidence confidence = format::Confidence::Assumed;

    /// Whether reports disagree, or one alone says so and it was not seen again.
    bool disputed() const { return contested || confidence == format::Confidence::Contested; }
    /// "macOS 27, M6": where it was seen; empty where it is not told.
    std::string where() const;
    /// "rows from 65,024 on are dead on the GPU (macOS 27; contested; SOURCE) [ID]"
    std::string text() const;
};
std::span<const KnownFault> knownFaults();

/// A row whose pattern a bundle has.
struct KnownFaultMatch {
    std::size_t fault = 0;         ///< index into knownFaults()
    std::size_t weight = kNoIndex; ///< the first one; of the scope "weight"
    std::string operation;         ///< name of the first one; of the scope "operation"
    std::uint64_t count = 0;       ///< weights or operations; of a program 1
};
/// In the order of the table; rows that only a checkpoint tells are left out, and weights that are
/// skipped. Only packages of Core ML and Core AI have such faults. Reads tables and zero points.
std::vector<KnownFaultMatch> matchKnownFaults(const Bundle &bundle,
                                              const std::function<bool(const Weight &)> &skip = {});
/// The row of a weight whose values are such: "divided", "subnormal". Nothing where none is of its
/// framework and form.
std::optional<KnownFaultMatch> matchKnownFault(const Bundle &bundle, std::size_t weight,
                                               std::string_view values);
/// The row that a fact of a compiled package has, such as "package version" 7.1.2; or null.
const KnownFault *knownFaultOf(std::string_view what, std::string_view value);
/// "head_weight: rows from 65,024 on are dead on the GPU (macOS 27; 1 report, contested)".
std::string knownFaultText(const Bundle &bundle, const KnownFaultMatch &match);

} // namespace kernscope
