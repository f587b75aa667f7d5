// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/bundle.h"
#include "core/patch/patch.h"
#include "core/patch/plan/recorder.h"

#include <utility>

namespace kernscope {

namespace {

Result<BundlePtr> lay(const BundlePtr &bundle, const AppliedEdit &edit, bool forward)
{
    if (auto written = patch::writeEdits(*bundle, edit.bytes, forward); !written)
        return tl::unexpected(std::move(written.error()));
    if (!edit.tables)
        return bundle;
    auto reread = bundle->reread();
    if (reread)
        return std::move(*reread);
    // The bundle stays as it was.
    if (auto undone = patch::writeEdits(*bundle, edit.bytes, !forward); !undone)
        return tl::unexpected(std::move(undone.error()));
    return tl::unexpected(std::move(reread.error()));
}

} // namespace

Result<BundlePtr> applyEdit(const BundlePtr &bundle, const AppliedEdit &edit)
{
    return lay(bundle, edit, true);
}

Result<BundlePtr> revertEdit(const BundlePtr &bundle, const AppliedEdit &edit)
{
    return lay(bundle, edit, false);
}

} // namespace kernscope
