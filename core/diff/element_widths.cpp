// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diff/element_widths.h"

#include "core/bundle/bundle.h"
#include "core/bundle/code_path.h"

#include <numeric>

namespace kernscope::diff {

namespace {

/// The operand that a section holds the bytes of, with its encoding; null for a record, padding and
/// what belongs to no weight.
struct StoredPart {
    const codec::Encoding *encoding = nullptr;
    const codec::Operand *operand = nullptr;
};

StoredPart partOf(const Bundle &bundle, std::size_t index)
{
    const Section &section = bundle.sections()[index];
    if (section.weight >= bundle.weights().size() || section.kind == SectionKind::Metadata ||
        section.kind == SectionKind::Padding)
        return {};
    const Weight &weight = bundle.weights()[section.weight];
    if (!weight.form.encoding() || section.operand >= weight.operands().size())
        return {};
    return {weight.form.encoding().get(), &weight.operands()[section.operand]};
}

} // namespace

bool storesElements(const Weight &weight, const codec::Operand &operand)
{
    const auto &encoding = weight.form.encoding();
    return encoding && codec::storedOperand(storingEncoding(*encoding).payload) == &operand;
}

void setWidths(const Bundle &a, std::size_t sectionA, const Bundle &b, std::size_t sectionB,
               AlignedSegment &segment)
{
    const StoredPart partA = partOf(a, sectionA), partB = partOf(b, sectionB);
    if (!partA.operand || !partB.operand)
        return;
    const std::uint64_t widthA = entryBits(*partA.encoding, *partA.operand);
    const std::uint64_t widthB = entryBits(*partB.encoding, *partB.operand);
    const bool kept = partA.operand->role == codec::PartRole::NonzeroData;
    const bool sameRole = kept == (partB.operand->role == codec::PartRole::NonzeroData);
    if (widthA == 0 || widthB == 0 || (widthA == widthB && sameRole))
        return;
    segment.otherwise = true;
    if (!sameRole)
        return; // kept values are fewer: they do not lie in the rows of all values
    const auto entriesA = elementCount(partA.operand->shape),
               entriesB = elementCount(partB.operand->shape);
    if (partA.operand->order || partB.operand->order || !entriesA || !entriesB ||
        *entriesA != *entriesB)
        return;
    const std::uint64_t common = std::gcd(widthA, widthB);
    segment.unitA = static_cast<std::uint32_t>(widthA / common);
    segment.unitB = static_cast<std::uint32_t>(widthB / common);
}

} // namespace kernscope::diff
