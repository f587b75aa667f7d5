// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/patch/patch.h"
#include "sample_bundles.h"

/// Edits planned and applied on the sample bundle.
namespace kernscope::test {

/// "set w[0]=1" and so on, as in a script.
inline Result<std::vector<AppliedEdit>> plan(const BundlePtr &bundle, const std::string &script,
                                             double tolerance = 0)
{
    const auto edits = parseEditScript(script, "script");
    if (!edits)
        return tl::unexpected(edits.error());
    return planEdits(bundle, *edits, tolerance);
}

inline BundlePtr applyAll(BundlePtr bundle, const std::vector<AppliedEdit> &edits)
{
    for (const AppliedEdit &edit : edits)
        bundle = *applyEdit(bundle, edit);
    return bundle;
}

inline BundlePtr sample(const char *name)
{
    return *sampleBundle(name).open();
}

} // namespace kernscope::test
