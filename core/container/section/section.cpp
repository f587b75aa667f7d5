// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/section/section.h"

#include "core/base/error_builder.h"
#include "core/base/little_endian.h"
#include "core/format/table_rows.h"
#include "core/numeric/bitpack.h"

#include <cstring>

#include <fmt/format.h>

namespace kernscope::section {

std::vector<std::string_view> unitFlagNames(std::uint32_t flags)
{
    static constexpr std::array<std::string_view, 6> kNames{
        "replicated", "shared", "vector palette", "mutable", "sparse", "asymmetric"};
    std::vector<std::string_view> names;
    for (std::size_t bit = 0; bit < kNames.size(); ++bit) {
        if ((flags >> bit & 1U) != 0)
            names.push_back(kNames[bit]);
    }
    return names;
}

std::span<const RecordSlot> recordSlots()
{
    static const auto slots =
        tables::loadRows<RecordSlot>("section_slots", {{"word", &RecordSlot::word},
                                                       {"name", &RecordSlot::name},
                                                       {"enable", &RecordSlot::enable},
                                                       {"base", &RecordSlot::base},
                                                       {"relocation", &RecordSlot::relocation}});
    return slots;
}

std::uint64_t Unit::channels() const
{
    std::uint64_t sum = 0;
    for (const GroupRecord &record : records)
        sum += record.channels();
    return sum;
}

bool isSection(std::span<const std::byte> bytes)
{
    return bytes.size() >= 4 && std::memcmp(bytes.data(), "KSEC", 4) == 0;
}

Diagnostics verifySection(const WeightSection &section, std::span<const std::byte> bytes,
                          const std::string &file)
{
    Diagnostics diagnostics;
    for (const Unit &unit : section.units) {
        if (unit.fault || !unit.sparse() || !unit.has(Kind::Weights))
            continue;
        const ByteRange range = unit.range(Kind::Weights);
        const std::uint64_t elements = unit.channels() * unit.steps();
        const std::uint64_t maskBytes = (elements + 7) / 8;
        const std::uint64_t kept =
            countBits(bytes.subspan(range.offset.value, maskBytes), 0, elements);
        if (2 * kept == range.bytes.value - maskBytes)
            continue;
        diagnostics.push_back(
            {Severity::Error,
             ErrorBuilder("section.mask")
                 .file(file)
                 .at(range.offset)
                 .length(ByteCount(maskBytes))
                 .field(unit.name)
                 .expected(fmt::format("{} set bits", (range.bytes.value - maskBytes) / 2))
                 .found(fmt::format("{}", kept))
                 .message("The mask does not match its values")});
    }
    return diagnostics;
}

} // namespace kernscope::section
