// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/section/section.h"
#include "core/form/order_layout.h"

namespace kernscope::section {

/// The table of a unit's six sections: where it begins within the unit, and the bytes of an entry.
inline constexpr std::uint64_t kEntriesAt = 0x80, kEntryBytes = 32;

/// Gathers the units of each weight by name and works out which core has which channels. Groups
/// that do not fit together get a fault and a row ("section.group").
void groupUnits(WeightSection &section, const std::string &file);

/// What one record holds.
struct RecordPlace {
    std::size_t unit = 0;           ///< index into WeightSection::units
    std::size_t record = 0;         ///< within the unit; also its chunk
    std::uint64_t firstChannel = 0; ///< its channels are consecutive
    std::uint64_t channels = 0;
    std::uint64_t codebook = 0; ///< within the core's palette; palettes only
    ByteRange range;            ///< of its coefficients in the file; sparse: empty
};
/// Records of a sound group, by chunk and then core.
std::vector<RecordPlace> recordPlaces(const WeightSection &section, const UnitGroup &group);

/// Orders of a sound group's operands over the bytes of the whole file.
using OrderPtr = std::shared_ptr<const codec::ElementOrder>;
/// Coefficients [O, I, D, H, W]: numbers, indices, or the survivors of the masks.
/// `palettesOfCores`: each core has codebooks of its own.
OrderPtr coefficientOrder(const WeightSection &section, const UnitGroup &group,
                          bool palettesOfCores);
/// One fp16 number an output channel: Kind::Scale or Kind::Bias.
OrderPtr channelOrder(const WeightSection &section, const UnitGroup &group, Kind kind);
/// Codebooks as [codebooks x v, entries, 1]: vectors are split into tables of single values.
/// `same`: all cores have the same bytes, so those of core 0 with copies; else core by core.
struct PaletteOrder {
    OrderPtr order;
    std::uint64_t tables = 0, entries = 0;
};
PaletteOrder paletteOrder(const WeightSection &section, const UnitGroup &group, bool same);
/// True where every core's palette has the same bytes.
bool samePalettes(const WeightSection &section, const UnitGroup &group,
                  std::span<const std::byte> bytes);

/// A range of bytes with a number of the caller's.
struct PlacedRange {
    std::uint64_t offset = 0, bytes = 0; ///< their sum does not pass 2^64
    std::uint64_t number = 0;
};
/// `number` begins within `holder`, which begins no later.
struct Overlap {
    std::uint64_t holder = 0, number = 0;
    friend bool operator==(const Overlap &, const Overlap &) = default;
};
/// Every range that begins before an earlier one has ended, also where others lie in between; of
/// those that it could be set against, the one that reaches furthest. Ranges without bytes overlap
/// nothing. In the order of their offsets.
std::vector<Overlap> overlapsOf(std::vector<PlacedRange> ranges);

} // namespace kernscope::section
