// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/section/layout.h"
#include "core/container/section/section.h"
#include "core/form/order_layout.h"
#include "tests/fuzz/fuzz_check.h"

#include <algorithm>
#include <vector>

using namespace kernscope;

namespace {

/// Every position of an order lies in the file.
void checkOrder(const codec::ElementOrder &order, unsigned bits, std::span<const std::byte> file)
{
    constexpr std::uint64_t kMost = 4096;
    fuzz::require(order.extent() <= file.size());
    std::vector<std::uint64_t> positions(std::min(order.elements(), kMost));
    order.positions(order.elements() - positions.size(), positions);
    for (const std::uint64_t position : positions)
        fuzz::require(position == codec::ElementOrder::kAbsent ||
                      position + bits <= 8 * file.size());
}

void checkGroup(const section::WeightSection &section, const section::UnitGroup &group,
                std::span<const std::byte> file)
{
    using section::Kind;
    const section::Unit &first = section.units[group.units.front()];
    section::recordPlaces(section, group);
    const auto order = section::coefficientOrder(section, group, true);
    const auto bound = order->bound(file);
    if (!bound)
        return;
    const codec::ElementOrder &coefficients = *bound ? **bound : *order;
    checkOrder(coefficients, first.entry(Kind::Weights).bitDepth, file);
    if (const auto mask = coefficients.mask())
        checkOrder(*mask, 1, file);
    for (const Kind kind : {Kind::Scale, Kind::Bias}) {
        if (first.has(kind))
            checkOrder(*section::channelOrder(section, group, kind), 16, file);
    }
    if (first.has(Kind::Pal))
        checkOrder(
            *section::paletteOrder(section, group, section::samePalettes(section, group, file))
                 .order,
            8, file);
}

} // namespace

/// Any bytes are read or refused; what is read is written back as it was, and no number of a sound
/// group lies outside of the file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const auto bytes = fuzz::bytesOf(data, size);
    auto section = section::readSection(bytes, "fuzz.ksec");
    if (!section)
        return 0;
    section::verifySection(*section, bytes, "fuzz.ksec");
    section::listing(*section);
    for (const section::UnitGroup &group : section->groups) {
        if (!group.fault)
            checkGroup(*section, group, bytes);
    }
    if (hasErrors(section->diagnostics))
        return 0;
    const auto written = section::writeSection(*section, bytes);
    fuzz::require(written.has_value() &&
                  std::equal(written->begin(), written->end(), bytes.begin(), bytes.end()));
    section::LoadAddresses addresses;
    addresses.base = 0x10000;
    if (section::relocate(*section, addresses))
        section::strip(*section);
    return 0;
}
