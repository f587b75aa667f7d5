// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/patch/cell_edits.h"

#include "core/bundle/bundle.h"

#include <algorithm>

namespace kernscope::ui {

namespace {

IndexRange single(std::uint64_t index)
{
    IndexRange range;
    range.start = index;
    return range;
}

} // namespace

Edit elementEdit(const Weight &weight, std::uint64_t element, Edit::Kind kind, double value)
{
    Edit edit;
    edit.kind = kind;
    edit.weight = weight.findableName();
    edit.value = value;
    for (auto extent = weight.shape.rbegin(); extent != weight.shape.rend(); ++extent) {
        edit.indices.push_back(single(element % *extent));
        element /= *extent;
    }
    if (edit.indices.empty()) // a scalar has one element and no axis
        edit.indices.push_back(single(0));
    std::reverse(edit.indices.begin(), edit.indices.end());
    return edit;
}

Edit codebookEdit(const Weight &weight, std::uint64_t codebook, std::uint64_t entry,
                  std::uint64_t lane, bool vector, double value)
{
    Edit edit;
    edit.kind = Edit::Kind::Codebook;
    edit.weight = weight.findableName();
    edit.value = value;
    edit.indices = {single(codebook), single(entry)};
    if (vector)
        edit.indices.push_back(single(lane));
    return edit;
}

} // namespace kernscope::ui
