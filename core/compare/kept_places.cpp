// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/kept_places.h"

#include "core/bundle/bundle.h"
#include "core/bundle/code_path.h"
#include "core/compare/byte_alignment.h"
#include "core/numeric/bitpack.h"

#include <algorithm>
#include <utility>

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
    if (values.kept && (encoding.mask->order || encoding.mask->place == nullptr))
        return std::nullopt;
    return values;
}

constexpr std::uint64_t kStep = 4096;     ///< bits between two numbers that are kept
constexpr std::uint64_t kTold = 1U << 20; ///< and between two looks at the progress; whole steps

/// Of fewer elements a mask is read in less time than a row is painted in, and most are never
/// looked at.
constexpr std::uint64_t kLargeMask = std::uint64_t{1} << 22;

} // namespace

KeptPlaces::KeptPlaces(BundlePtr bundle, std::size_t weight)
    : m_bundle(std::move(bundle)), m_weight(weight),
      m_elements(m_bundle->weights()[weight].elements.value)
{
}

/// Of a damaged file it may have fewer bits than there are elements: those are left out.
std::span<const std::byte> KeptPlaces::mask() const
{
    return m_bundle->operandBytes(*m_bundle->weights()[m_weight].form.encoding()->mask);
}

bool KeptPlaces::count(Progress &progress) const
{
    const std::lock_guard lock(m_mutex);
    if (counted())
        return true;
    const auto bytes = mask();
    const std::uint64_t bits = std::min<std::uint64_t>(m_elements, 8 * bytes.size());
    std::vector<std::uint64_t> before;
    before.reserve(m_elements / kStep + 1);
    std::uint64_t total = 0;
    for (std::uint64_t at = 0; at < m_elements; at += kStep) {
        if (at % kTold == 0 && !progress.advance(std::min(kTold, m_elements - at)))
            return false;
        before.push_back(total);
        if (at < bits)
            total += countBits(bytes, at, std::min(kStep, bits - at));
    }
    before.push_back(total); // where the last step is a whole one
    m_before = std::move(before);
    m_counted.store(true, std::memory_order_release);
    return true;
}

std::uint64_t KeptPlaces::keptBefore(std::uint64_t element) const
{
    if (!counted()) {
        Progress alone; // nobody cancels it
        count(alone);
    }
    const auto bytes = mask();
    const std::uint64_t end = std::min({element, m_elements, std::uint64_t{8} * bytes.size()});
    const std::uint64_t start = end / kStep * kStep;
    return m_before[end / kStep] + countBits(bytes, start, end - start);
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

bool countLargeMasks(const KeptSides &sides, Progress &progress)
{
    std::vector<const KeptPlaces *> large;
    std::uint64_t total = 0;
    for (const auto &[segment, side] : sides) {
        if (side.places->elements() < kLargeMask)
            continue;
        large.push_back(side.places.get());
        total += side.places->elements(); // which the tables of a bundle bound
    }
    progress.setTotal(total);
    return std::all_of(large.begin(), large.end(),
                       [&](const KeptPlaces *places) { return places->count(progress); });
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
