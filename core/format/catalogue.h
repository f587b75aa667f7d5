// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The numberings of element types that compilers and files use. They are five different ones and
/// are never mixed: each has a strong type. Rows come from resources/tables.
namespace kernscope::format {

/// How well a fact is known; the window shows it beside the fact.
enum class Confidence : std::uint8_t { Verified, Documented, Contested, Assumed };
std::string_view confidenceName(Confidence confidence);
/// Assumed for a word that is not one.
Confidence confidenceFromName(std::string_view name);

/// A number of one numbering; numbers of different numberings do not compare or convert.
template <class Tag>
struct CatalogueNumber {
    std::uint32_t value = 0;
    constexpr CatalogueNumber() = default;
    constexpr explicit CatalogueNumber(std::uint32_t v) : value(v) {}
    friend constexpr auto operator<=>(CatalogueNumber, CatalogueNumber) = default;
};

using KernelFormat =
    CatalogueNumber<struct KernelFormatTag>; ///< weight storage, 1 to 31 (chapter 25)
using TypeNumber =
    CatalogueNumber<struct TypeNumberTag>; ///< descriptor and symbol catalogue, 1 to 23
using TensorFormat = CatalogueNumber<struct TensorFormatTag>; ///< activations and DMA (table 36.2)
using SerializationType =
    CatalogueNumber<struct SerializationTag>;         ///< operation attributes, 0 to 10
using BlobType = CatalogueNumber<struct BlobTypeTag>; ///< dtype of weight.bin, 1 to 17

/// One row of a numbering.
struct CatalogueRow {
    std::uint32_t code = 0;
    std::string name;
    std::optional<unsigned> bits; ///< of one element; empty where it has none or is not known
    /// Tensor formats: byte of the hardware-abstraction table that CheckValidDMAFormat asks.
    std::optional<std::uint32_t> capabilityByte;
    /// Element catalogue: one of the types that a weight section's descriptor is written with.
    bool inKernelUnit = false;
    std::string sinceCompiler; ///< element catalogue: first compiler whose files have it
    Confidence confidence = Confidence::Assumed;
    std::string source, note;
};

/// The embedded rows, in the order of their codes.
std::span<const CatalogueRow> elementCatalogue();   ///< codes are TypeNumber
std::span<const CatalogueRow> tensorFormats();      ///< codes are TensorFormat
std::span<const CatalogueRow> serializationTypes(); ///< codes are SerializationType
std::span<const CatalogueRow> blobTypes();          ///< codes are BlobType

/// The row of a code; null where there is none.
const CatalogueRow *find(TypeNumber number);
const CatalogueRow *find(TensorFormat format);
const CatalogueRow *find(SerializationType type);
const CatalogueRow *find(BlobType type);

/// Whether the DMA engine converts the format to fp16 (dmaConvertibleToFp16(), code_sets.h).
bool isDmaConvertibleToFp16(TensorFormat format);

} // namespace kernscope::format
