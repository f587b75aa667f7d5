// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/format/catalogue.h"

#include <cstddef>

/// The version-10 descriptor image of chapter 20 (resources/tables/descriptor_v10.csv).
namespace kernscope::descriptor {

/// The source of this image and the sources that disagree; shown with every image.
std::string_view imageV10Note();

/// One of the image's seven register groups.
struct ImageGroup {
    std::string id, name;              ///< "G0", "kernel and common"
    std::uint32_t structOffset = 0;    ///< bytes, in the compiler's object
    std::uint32_t imageOffset = 0;     ///< the same without the 8-byte lead
    std::uint32_t registers = 0;       ///< how many
    std::optional<std::uint32_t> base; ///< raw byte address of the first; none for the dimensions
    std::string contents, reading;     ///< the chapter's words; the meaning by the register maps
    format::Confidence confidence = format::Confidence::Assumed;

    /// Raw byte addresses that the register maps give it: [first, end).
    std::uint32_t firstAddress() const { return base.value_or(0); }
    std::uint32_t endAddress() const { return firstAddress() + 4 * registers; }
};
std::span<const ImageGroup> imageGroups();
/// Group of a raw byte address; null outside of all seven.
const ImageGroup *imageGroupOfAddress(std::uint32_t address);

/// A field of the image, or a relocation or stream register of it.
struct ImageField {
    std::string record, group, name; ///< record: "field", "reloc", "kernel_stream", …
    std::optional<std::uint32_t> structOffset, wordAddress, byteAddress;
    std::string bits, contents, source;
    format::Confidence confidence = format::Confidence::Assumed;
};
std::span<const ImageField> imageFields();

/// The four kernel-coefficient streams of table 25.4.
struct ImageStream {
    std::string name;                         ///< "bias", "post-scale", …
    std::uint32_t enable = 0, baseOffset = 0; ///< byte addresses
    std::uint32_t relocation = 0;             ///< word address
};
std::vector<ImageStream> imageStreams();

/// Bits that order tasks (chapter 36), at fixed places of this image only.
struct OrderingBits {
    bool l2Barrier = false;                     ///< bit 23 at +0x134
    bool forwardBarrier = false;                ///< bit 30 at +0x134
    std::uint32_t signalMask = 0, waitMask = 0; ///< 26 bits at +0x10 and +0x18
    friend bool operator==(const OrderingBits &, const OrderingBits &) = default;
};
/// From an image's bytes (offsets count from the object's start); nothing where it is too short.
std::optional<OrderingBits> readOrderingBits(std::span<const std::byte> object);

} // namespace kernscope::descriptor
