// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/edit/script_text.h"

#include "core/base/overlaid_file.h"
#include "core/base/text.h"
#include "core/bundle/pair_read_lock.h"
#include "core/patch/aside.h"
#include "core/patch/edit/carried_values.h"
#include "core/patch/edit/script_origin.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

namespace kernscope::patch {

namespace {

bool holdsOneValue(Edit::Kind kind)
{
    return kind == Edit::Kind::Set || kind == Edit::Kind::Keep || kind == Edit::Kind::Codebook ||
           kind == Edit::Kind::Scale;
}

} // namespace

Edit heldEdit(const AppliedEdit &applied)
{
    Edit edit = applied.edit;
    if (holdsOneValue(edit.kind))
        edit.value = applied.stored;
    return edit;
}

double largestMiss(std::span<const std::shared_ptr<const AppliedEdit>> edits)
{
    double largest = 0;
    for (const auto &edit : edits) {
        const Edit::Kind kind = edit->edit.kind;
        if (kind == Edit::Kind::Fill || kind == Edit::Kind::FromNpy || kind == Edit::Kind::Compute)
            largest = std::max(largest, std::abs(edit->asked - edit->stored));
    }
    return largest;
}

std::string scriptText(std::span<const Edit> edits)
{
    std::string text;
    for (const Edit &edit : edits) {
        if (!edit.note.empty())
            text += fmt::format("{}{}\n", kNoteMark, printable(edit.note));
        text += carriesValues(edit)
                    ? carriedScript(edit)
                    : fmt::format("{} {}\n", editKindName(edit.kind), editText(edit));
    }
    return text;
}

Result<std::string> editScript(const BundlePtr &edited,
                               std::span<const std::shared_ptr<const AppliedEdit>> edits,
                               std::span<const Edit> lines, Progress *progress)
{
    std::vector<EditStep> back;
    for (std::size_t i = edits.size(); i > 0; --i)
        back.push_back({edits[i - 1], false});
    const auto before = forkWithSteps(edited, back, progress);
    if (!before)
        return tl::unexpected(before.error());
    std::vector<std::size_t> weights(edited->weights().size());
    std::iota(weights.begin(), weights.end(), std::size_t{0});
    const PairReadLock lock(*edited, **before);
    const auto base = bundleDigest(**before);
    const auto result = weightsDigest(*edited, weights);
    if (!base || !result)
        return tl::unexpected(base ? result.error() : base.error());
    if (progress != nullptr && progress->cancelled())
        return tl::unexpected(cancelledError("Writing the script was cancelled"));
    std::string text = fmt::format("# {} of {}. Apply them by kernscope-cli patch --script.\n",
                                   counted(lines.size(), "edit"), printable(edited->name())) +
                       originText({*base, *result});
    if (const double miss = largestMiss(edits); miss > 0)
        text += fmt::format("# The forms hold the nearest values: apply with --tolerance {}\n",
                            std::nextafter(miss, std::numeric_limits<double>::infinity()));
    return text + "\n" + scriptText(lines);
}

} // namespace kernscope::patch
