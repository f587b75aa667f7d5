// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/section/section.h"

#include "core/base/little_endian.h"
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
    static constexpr std::array kSlots{
        RecordSlot{2, "input tile"},
        RecordSlot{3, "output tile"},
        RecordSlot{4, "coefficients 0"},
        RecordSlot{5, "coefficients 1"},
        RecordSlot{6, "coefficients 2"},
        RecordSlot{7, "coefficients 3"},
        RecordSlot{8, "bias", 0x5548, 0x554c, 0x1554},
        RecordSlot{9, "post-scale", 0x5558, 0x555c, 0x1558},
        RecordSlot{10, "palette", 0x5568, 0x556c, 0x155c},
        RecordSlot{11, "activation", 0x5578, 0x557c, 0x1560},
    };
    return kSlots;
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
        Diagnostic row;
        row.error.code = "section.mask";
        row.error.file = file;
        row.error.offset = range.offset;
        row.error.length = ByteCount(maskBytes);
        row.error.field = unit.name;
        row.error.expected = fmt::format("{} set bits", (range.bytes.value - maskBytes) / 2);
        row.error.found = fmt::format("{}", kept);
        row.error.message = "The mask does not match its values";
        diagnostics.push_back(std::move(row));
    }
    return diagnostics;
}

} // namespace kernscope::section
