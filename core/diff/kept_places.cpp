// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diff/kept_places.h"

#include "core/bundle/bundle.h"
#include "core/bundle/code_path.h"
#include "core/diff/byte_alignment.h"
#include "core/diff/element_widths.h"

namespace kernscope {

namespace {

/// The values of a weight as a section stores them.
struct StoredValues {
    std::uint64_t bytes = 0; ///< of one
    bool kept = false;       ///< those that a mask keeps
};

/// Nothing for a section of anything else, values in an order of their own, and parts of bytes.
std::optional<StoredValues> storedValues(const Bundle &bundle, std::size_t index)
{
    const Section &section = bundle.sections()[index];
    if (section.weight >= bundle.weights().size() || section.kind == SectionKind::Metadata ||
        section.kind == SectionKind::Padding)
        return std::nullopt;
    const Weight &weight = bundle.weights()[section.weight];
    if (!weight.form.encoding() || section.operand >= weight.operands().size() || weight.fault)
        return std::nullopt;
    const codec::Encoding &encoding = *weight.form.encoding();
    const codec::Operand &operand = weight.operands()[section.operand];
    const auto *payload = std::get_if<codec::Operand>(&encoding.payload);
    const std::uint64_t bits = entryBits(encoding, operand);
    if (payload != &operand || operand.order || bits == 0 || bits % 8 != 0 ||
        (encoding.palette && encoding.palette->vector != 1))
        return std::nullopt;
    const StoredValues values{bits / 8, encoding.mask.has_value()};
    const auto entries = elementCount(operand.shape);
    if (!values.kept && (!entries || *entries != weight.elements))
        return std::nullopt;
    if (values.kept && encoding.mask->order)
        return std::nullopt;
    return values;
}

} // namespace

const codec::Decoder *KeptPlaces::decoder() const
{
    std::call_once(m_once, [this] {
        if (auto made = m_bundle->decoder(m_weight))
            m_decoder = *std::move(made);
    });
    return m_decoder ? &*m_decoder : nullptr;
}

std::uint64_t KeptPlaces::elements() const
{
    return m_bundle->weights()[m_weight].elements.value;
}

std::uint64_t KeptPlaces::keptBefore(std::uint64_t element) const
{
    const codec::Decoder *made = decoder();
    return made ? made->rank(element) : 0;
}

std::uint64_t KeptPlaces::elementOf(std::uint64_t kept) const
{
    // The first element with more than `kept` values up to and with it.
    std::uint64_t low = 0, high = elements();
    while (low < high) {
        const std::uint64_t middle = low + (high - low) / 2;
        if (keptBefore(middle + 1) > kept)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

KeptSides findKeptSides(const BundlePtr &a, const BundlePtr &b, const ByteAlignment &alignment)
{
    KeptSides found;
    for (const AlignedSection &section : alignment.sections()) {
        if (section.a == kNoIndex || section.b == kNoIndex || section.segments != 1)
            continue;
        const auto ofA = storedValues(*a, section.a), ofB = storedValues(*b, section.b);
        if (!ofA || !ofB || ofA->kept == ofB->kept)
            continue;
        const std::size_t weightA = a->sections()[section.a].weight;
        const std::size_t weightB = b->sections()[section.b].weight;
        if (alignment.partner(true, weightA) != weightB ||
            a->weights()[weightA].elements != b->weights()[weightB].elements)
            continue;
        found[section.firstSegment] = {ofA->kept, ofA->bytes, ofB->bytes,
                                       ofA->kept ? std::make_shared<const KeptPlaces>(a, weightA)
                                                 : std::make_shared<const KeptPlaces>(b, weightB)};
    }
    return found;
}

} // namespace kernscope
