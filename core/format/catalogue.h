// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"

#include <compare>
#include <span>

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

// Sets of codes that compilers test with a mask (resources/tables/code_sets.csv).

struct CodeSet {
    std::string name;
    std::uint32_t firstCode = 0; ///< that bit 0 of the mask stands for
    std::uint32_t mask = 0;
    std::string guard; ///< as its source writes it
    Confidence confidence = Confidence::Assumed;
    std::string source, note;

    bool has(std::uint32_t code) const
    {
        return code >= firstCode && code - firstCode < 32 && (mask >> (code - firstCode) & 1U) != 0;
    }
};

/// Of kernel formats.
const CodeSet &paletteFormats();
const CodeSet &unityFormats();
/// That ZinSetFormat admits (contested, C10).
const CodeSet &nativeKernelFormats();

/// Of tensor formats: those that the DMA engine converts to fp16.
const CodeSet &dmaConvertibleToFp16();

/// One reading of what sources disagree on (resources/tables/contested.csv). Where the program
/// follows one of several, it shows the others beside it.
struct Reading {
    std::string topic;   ///< "activation_segments": the readings of one topic belong together
    std::string subject; ///< a target's name, "engine" or "tquant"
    std::string text;
    bool taken = false; ///< the one that this program follows; exactly one of a topic
    std::string source, note;
    Confidence confidence = Confidence::Contested;
};
std::span<const Reading> readings();
/// In the table's order; empty for a topic that is not contested.
std::vector<Reading> readingsOf(std::string_view topic);
/// Of every topic about a subject.
std::vector<Reading> readingsAbout(std::string_view subject);

/// What an element type is for in a weight (chapter 7, table 7.5).
struct WeightElementRole {
    std::string name; ///< as the numberings have it: "fp16"
    std::string width, role, source;
    Confidence confidence = Confidence::Documented;
};
std::span<const WeightElementRole> weightElementRoles();

/// What a source says of the engine or its compiler in a sentence, or a text of the compiler that a
/// source quotes (resources/tables/engine_notes.csv).
struct EngineNote {
    std::string topic; ///< "fp8", "datapath", "ordering", "collective"
    std::string what, text;
    bool quoted = false; ///< the compiler's own words
    std::string source;
    Confidence confidence = Confidence::Documented;
};
/// Those of a topic; of all for an empty one.
std::vector<EngineNote> engineNotes(std::string_view topic = {});

/// An fp8 format field by field (chapter 36, table 36.1).
struct Fp8Format {
    std::string name;
    unsigned sign = 0, exponent = 0, mantissa = 0, bias = 0, largest = 0;
    std::string role, gate, registers, onM5, source;
    Confidence confidence = Confidence::Documented;
};
std::span<const Fp8Format> fp8Formats();

/// Where a system may keep what it compiled of a file before it was changed
/// (resources/tables/stale_caches.csv).
struct StaleCache {
    std::string kinds; ///< of bundles, as bundleKindName() has them, separated by spaces
    std::string place, what, clear, source;
    Confidence confidence = Confidence::Assumed;
};
/// The rows of a kind of bundle.
std::vector<StaleCache> staleCaches(std::string_view kind);

} // namespace kernscope::format
