// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/hwx/container.h"
#include "core/format/catalogue.h"

namespace kernscope::hwx {

/// Why a word holds an address.
enum class SlotKind : std::uint8_t {
    Relocation,    ///< a relocation record names it: the loader adds the target
    AddressPacket, ///< an address packet names a BAR: the loader adds that buffer
    Aperture,      ///< version 7: the engine adds the aperture that the header names
    Register,      ///< a base address register that nothing names a target of
};
/// "relocation", "address packet", "aperture", "register"
std::string_view slotKindName(SlotKind kind);

enum class TargetKind : std::uint8_t { Unknown, Section, Symbol, Aperture, Bar };
/// "unknown", "section", "symbol", "aperture", "BAR"
std::string_view targetKindName(TargetKind kind);

struct SlotTarget {
    TargetKind kind = TargetKind::Unknown;
    std::uint32_t index = 0;              ///< ordinal, symbol, aperture or BAR
    std::string name;                     ///< "__TEXT,__const", "image", "BAR 28"
    std::optional<std::uint64_t> address; ///< in the file's own address space, where it is known
};

/// One or two words of a text section that are left for the loader.
struct Slot {
    SlotKind kind = SlotKind::Register;
    std::uint32_t section = 0; ///< ordinal of the text section
    std::optional<std::size_t> task;
    std::uint64_t textOffset = 0; ///< of its first word
    FileOffset place;
    unsigned words = 1;        ///< 2: low word, then high word
    std::uint32_t address = 0; ///< register, byte address; 0 with an empty name where none
    std::string registerName;  ///< "KernelDMASrc CoeffBaseAddr[0]"
    std::string role;          ///< "coefficients of lane 0", "source 1", "destination", …
    SlotTarget target;
    std::uint64_t stored = 0; ///< its words as the file has them: an offset in the target
    format::Confidence confidence = format::Confidence::Documented;

    ByteRange range() const { return {place, ByteCount(4ULL * words)}; }
};

/// Every slot of every text section, by place. Reads each task once.
std::vector<Slot> relocationSlots(const Container &container, std::span<const std::byte> bytes);

/// Limits of a device address: 42 bits, 64-byte alignment (chapter 20 and td-v10-groups.csv).
inline constexpr unsigned kDeviceAddressBits = 42;
inline constexpr std::uint64_t kDeviceAddressAlign = 64;
/// Errors: "slot.range", "slot.alignment".
Result<void> checkDeviceAddress(std::uint64_t address);

/// Where a program is loaded: the device address that the image's lowest segment gets.
struct LoadPlan {
    std::uint64_t base = 0;
};

/// What the loader would write into a slot.
struct LoadedSlot {
    std::size_t slot = 0;                       ///< index
    std::optional<std::uint64_t> deviceAddress; ///< that the engine will use
    std::array<std::uint32_t, 2> before{}, after{};
    std::optional<Error> fault; ///< why nothing is written: "slot.target", "slot.range", …

    bool changes() const { return before != after; }
};

/// What the loader would write everywhere: for records and address packets target plus stored
/// offset; nothing for apertures, whose sum the engine makes itself. A slot of one word holds 32
/// bits; a pc-relative record of one word stays relative to its target's aperture, so that it
/// keeps its value. That last rule is read from real files, no loader was seen (Assumed).
std::vector<LoadedSlot> computeLoad(const Container &container, const std::vector<Slot> &places,
                                    const LoadPlan &plan);
/// The reverse of computeLoad() for an image that was loaded by the same plan: takes every target
/// away again. Slots are those of the loaded bytes. Errors per slot: "slot.range" where the words
/// are below their target's address.
std::vector<LoadedSlot> computeStrip(const Container &container, const std::vector<Slot> &places,
                                     const LoadPlan &plan);

/// Lowest virtual address of a segment with an address: what LoadPlan::base stands for.
std::uint64_t imageStart(const Container &container);

} // namespace kernscope::hwx
