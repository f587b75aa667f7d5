// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/edit/find_weight.h"

#include "core/base/error_builder.h"
#include "core/base/text.h"
#include "core/bundle/bundle.h"

#include <bit>
#include <set>

#include <fmt/format.h>

namespace kernscope::patch {

namespace {

constexpr std::size_t kMostNames = 4096; ///< that are compared

template <class Matches>
std::vector<std::size_t> all(const Bundle &bundle, const Matches &matches)
{
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < bundle.weights().size(); ++i) {
        if (matches(bundle.weights()[i]))
            found.push_back(i);
    }
    return found;
}

Error unknown(const Bundle &bundle, std::string_view name)
{
    std::vector<std::pair<std::size_t, std::string_view>> near;
    const std::size_t count = std::min(bundle.weights().size(), kMostNames);
    for (std::size_t i = 0; i < count; ++i) {
        const std::string_view other = bundle.weights()[i].name;
        // A name that was cut short is nearer than one with other letters.
        const bool begins = !name.empty() && other.starts_with(name);
        near.emplace_back(begins ? 0 : wordDistance(name, baseName(other)), other);
    }
    std::ranges::stable_sort(near, [](const auto &a, const auto &b) { return a.first < b.first; });
    std::string nearest;
    for (std::size_t i = 0; i < std::min<std::size_t>(3, near.size()); ++i)
        nearest += fmt::format("{}{}", i == 0 ? "" : ", ", near[i].second);
    return valueError("patch.weight", {}, nearest, name, "The bundle has no weight of that name");
}

Error ambiguous(const Bundle &bundle, const std::vector<std::size_t> &found, std::string_view name)
{
    constexpr std::size_t kMostCandidates = 16;
    std::string candidates;
    for (std::size_t i = 0; i < std::min(found.size(), kMostCandidates); ++i)
        candidates += fmt::format("{}{}", i == 0 ? "" : ", ", bundle.weights()[found[i]].address());
    if (found.size() > kMostCandidates)
        candidates += fmt::format(" and {} more", found.size() - kMostCandidates);
    return valueError("patch.weight", {}, candidates, name, "Several weights could be meant");
}

/// NAME, FUNCTION/NAME, MODEL/NAME or MODEL/FUNCTION/NAME; of nested pipelines the model may begin
/// with any of its steps.
bool isAddress(const Weight &weight, std::string_view name)
{
    if (!name.ends_with(weight.name))
        return false;
    if (name.size() == weight.name.size())
        return true;
    std::string_view before = name.substr(0, name.size() - weight.name.size());
    if (!before.ends_with('/'))
        return false;
    before.remove_suffix(1);
    const auto endsPath = [](std::string_view path, std::string_view end) {
        return path.ends_with(end) &&
               (path.size() == end.size() || path[path.size() - end.size() - 1] == '/');
    };
    if (endsPath(weight.model, before))
        return !before.empty();
    if (weight.function.empty() || !before.ends_with(weight.function))
        return false;
    before.remove_suffix(weight.function.size());
    if (before.empty())
        return true;
    return before.ends_with('/') && before.size() > 1 &&
           endsPath(weight.model, before.substr(0, before.size() - 1));
}

tl::unexpected<Error> indexError(std::string expected, std::string found)
{
    return refused("patch.index", {}, expected, found, "The weight has no such element");
}

/// Bits of one code of a part: of a palette's indices and of a mask not those of the bytes that
/// the older form declares.
unsigned codeWidth(const codec::Encoding &encoding, codec::PartRole role, ElementType type)
{
    if (role == codec::PartRole::Mask)
        return 1;
    const bool payload = role == codec::PartRole::Indices || role == codec::PartRole::Data ||
                         role == codec::PartRole::NonzeroData;
    if (payload && encoding.palette && encoding.palette->entries > 1)
        return static_cast<unsigned>(std::bit_width(encoding.palette->entries - 1));
    return bitWidth(type);
}

} // namespace

Result<std::size_t> findWeight(const Bundle &bundle, std::string_view name)
{
    const auto exact = all(bundle, [&](const Weight &w) { return w.address() == name; });
    const auto qualified = all(bundle, [&](const Weight &w) { return isAddress(w, name); });
    const auto base = all(bundle, [&](const Weight &w) { return baseName(w.name) == name; });
    const auto made = all(bundle, [&](const Weight &w) { return w.opName() == name; });
    for (const auto &found : {exact, qualified, base, made}) {
        if (found.size() > 1)
            return tl::unexpected(ambiguous(bundle, found, name));
        if (found.size() == 1)
            return found.front();
    }
    return tl::unexpected(unknown(bundle, name));
}

Result<std::vector<std::size_t>> findWeights(const Bundle &bundle,
                                             std::span<const std::string> names)
{
    std::set<std::size_t> found;
    for (const std::string &name : names) {
        auto one = findWeight(bundle, name);
        if (one) {
            found.insert(*one);
            continue;
        }
        bool any = false;
        const bool pattern = isPattern(name);
        for (std::size_t i = 0; pattern && i < bundle.weights().size(); ++i) {
            const Weight &weight = bundle.weights()[i];
            if (!matchesPattern(name, weight.name) && !matchesPattern(name, weight.address()))
                continue;
            found.insert(i);
            any = true;
        }
        if (!any) {
            ErrorBuilder error(std::move(one.error()));
            if (pattern)
                error.message("No weight of the bundle has a name like this pattern");
            return error.unexpected();
        }
    }
    return std::vector<std::size_t>(found.begin(), found.end());
}

ElementSelection ElementSelection::whole(std::uint64_t elements)
{
    ElementSelection selection;
    selection.m_axes.push_back({0, elements, 1, 0});
    selection.m_elements = elements;
    return selection;
}

Result<ElementSelection> ElementSelection::make(std::span<const IndexRange> indices,
                                                const Shape &shape)
{
    const auto elements = elementCount(shape);
    if (!elements || elements->value == 0)
        return indexError("a weight with elements", shapeText(shape));
    const bool flat = indices.size() == 1;
    if (!flat && indices.size() > shape.size()) {
        return indexError(fmt::format("1 or {} indices for {}", shape.size(), shapeText(shape)),
                          fmt::format("{} indices", indices.size()));
    }
    const Shape extents = flat ? Shape{elements->value} : shape;
    ElementSelection selection;
    selection.m_elements = 1;
    std::uint64_t stride = elements->value;
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
        const std::uint64_t extent = extents[axis];
        stride /= extent;
        IndexRange range;
        range.all = axis >= indices.size() || indices[axis].all;
        if (!range.all)
            range = indices[axis];
        const bool open = range.all || range.stop == IndexRange::kToEnd;
        const std::uint64_t stop = range.single && !range.all ? range.start + 1
                                   : open                     ? extent
                                                              : range.stop;
        if (range.start >= stop || stop > extent) {
            return indexError(fmt::format("0 to {} on axis {}", extent - 1, axis),
                              range.single ? fmt::format("{}", range.start)
                                           : fmt::format("{}:{}", range.start, stop));
        }
        selection.m_axes.push_back({range.start, stop - range.start, stride, 0});
        selection.m_elements *= stop - range.start;
    }
    return selection;
}

ElementSelection::Run ElementSelection::next()
{
    if (m_done)
        return {};
    Run run;
    for (const Axis &axis : m_axes)
        run.first += (axis.start + axis.at) * axis.stride;
    run.count = m_axes.back().count;
    m_done = true;
    for (std::size_t i = m_axes.size() - 1; i-- > 0;) {
        Axis &axis = m_axes[i];
        if (++axis.at < axis.count) {
            m_done = false;
            break;
        }
        axis.at = 0;
    }
    return run;
}

std::optional<StoredPart> storedPart(const codec::Encoding &encoding, codec::PartRole role)
{
    const codec::Operand *operand = codec::ownOperand(encoding, role);
    if (operand == nullptr)
        return std::nullopt;
    return StoredPart{operand, codeWidth(encoding, role, operand->type)};
}

} // namespace kernscope::patch
