// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "core/bundle/bundle_fwd.h"

/// A script of edits may say what it was made for, in comment lines at its top:
///
///     # base sha256:<64 hexadecimal digits>     of every file of the bundle
///     # result sha256:<64 hexadecimal digits>   of the stored bytes of every weight, once edited
namespace kernscope::patch {

/// That a script of edits has at most.
inline constexpr std::uint64_t kMostScriptBytes = std::uint64_t{1} << 28;

struct ScriptOrigin {
    std::string base, result; ///< digits; empty where the script does not say
};

/// Of the comment lines before the first edit.
ScriptOrigin scriptOrigin(std::string_view script);
/// The lines that scriptOrigin() reads.
std::string originText(const ScriptOrigin &origin);

/// SHA-256 of the files' contents with their paths (of a bundle of one file without: a copy may be
/// called otherwise). Reads all of it. Hold the files for reading. Errors: "io.hash".
Result<std::string> bundleDigest(const Bundle &bundle);
/// SHA-256 of the parts of these weights, one after another. Errors: "io.hash".
Result<std::string> weightsDigest(const Bundle &bundle, const std::vector<std::size_t> &weights);

/// Error "patch.base" where the script was made for another bundle than this one.
Result<void> checkBase(const ScriptOrigin &origin, const Bundle &bundle, const std::string &script);
/// Error "patch.result" where the edited bundle is not what the script was made of.
Result<void> checkResult(const ScriptOrigin &origin, const Bundle &edited,
                         const std::string &script);

} // namespace kernscope::patch
