// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/patch/cell_edits.h"

#include "core/bundle/bundle.h"
#include "core/codec/edit/editor.h"

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

std::vector<Edit> rangeEdits(const Weight &weight, std::span<const std::uint64_t> elements,
                             const Edit &edit)
{
    const std::size_t axes = weight.shape.size();
    std::vector<IndexRange> box(axes);
    for (IndexRange &range : box)
        range = {UINT64_MAX, 0, false, false};
    for (std::uint64_t element : elements) {
        for (std::size_t axis = axes; axis-- > 0;) {
            const std::uint64_t index = element % weight.shape[axis];
            element /= weight.shape[axis];
            box[axis].start = std::min(box[axis].start, index);
            box[axis].stop = std::max(box[axis].stop, index + 1);
        }
    }
    std::uint64_t held = 1;
    for (std::size_t axis = 0; axis < axes; ++axis) {
        IndexRange &range = box[axis];
        held *= range.stop - range.start;
        range.single = range.stop - range.start == 1;
        range.all = !range.single && range.stop - range.start == weight.shape[axis];
        if (range.all)
            range.start = range.stop = 0;
    }
    std::vector<Edit> edits;
    if (held == elements.size()) {
        edits.push_back(edit);
        edits.back().weight = weight.findableName();
        edits.back().indices = axes == 0 ? std::vector{single(0)} : std::move(box);
        return edits;
    }
    for (const std::uint64_t element : elements) {
        edits.push_back(elementEdit(weight, element, edit.kind, edit.value));
        edits.back().expression = edit.expression;
    }
    return edits;
}

Result<Edit> codeEdit(const Bundle &bundle, std::size_t weight, std::uint64_t element,
                      std::int64_t code)
{
    const auto decoder = bundle.decoder(weight);
    if (!decoder)
        return tl::unexpected(decoder.error());
    const auto place = codec::Editor(*decoder).storedPlace(element);
    if (!place)
        return tl::unexpected(place.error());
    Edit edit;
    edit.kind = Edit::Kind::SetStored;
    edit.weight = bundle.weights()[weight].findableName();
    edit.part = place->role;
    edit.indices = {single(place->index)};
    edit.stored = code;
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
