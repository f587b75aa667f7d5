// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "core/bundle/bundle_fwd.h"
#include "core/patch/edit/edit.h"
#include "core/patch/reencode/reencode.h"

/// Core AI packages with other operations in their module.
namespace kernscope::patch {

/// reencodeWeights() of a Core AI package: the operation that makes a weight gives way to those of
/// the form, constants and blobs that nothing reads any more are gone, main.hash is that of the new
/// module. Operations have the latest version that the library of the package knows (its asset's
/// `version`); where it knows none, the earliest one, and the version is raised to its date
/// (coreai_since.csv).
Result<BundlePtr> reencodeModule(const Bundle &bundle, std::span<const Reencoding> weights);

/// A bundle in which what edits change belongs to nothing else.
struct OwnConstants {
    BundlePtr bundle;  ///< in memory; null where nothing had to be done
    Diagnostics notes; ///< what got bytes of its own, and who shared them
    /// Edits of masks that are made in it already, by their numbers, and the values before.
    std::vector<std::pair<std::size_t, std::string>> before;
};

/// Constants share attributes and blobs by their bytes, whatever they are; one element may stand
/// for all; and types say how many values a sparse weight stores. Gives the parts that `edits`
/// change bytes of their own, in a module of another length, and makes there the edits of masks
/// that change the number. Errors: those of findWeight and of Editor::changeMask,
/// "encode.program", "encode.size", "encode.form" (a mask that keeps nothing).
Result<OwnConstants> withOwnConstants(const Bundle &bundle, const std::vector<Edit> &edits,
                                      double tolerance = 0);

} // namespace kernscope::patch
