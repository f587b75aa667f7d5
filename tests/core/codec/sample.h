// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/form/encoding.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <random>
#include <string>
#include <vector>

/// Random weights of every form, and the plainest decoder of them, for the tests of the codec.
namespace kernscope::codec::test {

/// What kind of weight to make.
struct Form {
    std::string name;
    ElementType payload = ElementType::Fp16;
    bool mask = false;
    bool packedMask = false;    ///< iOS 16: uint8 bytes
    unsigned bits = 0;          ///< palette index width; 0: no palette
    bool packedIndices = false; ///< iOS 16: flat uint8 bytes, lut of rank 1
    ElementType lut = ElementType::Fp16;
    std::uint64_t vector = 1;
    std::uint64_t vectorAxis = 0;
    bool grouped = false; ///< several codebooks along random axes
    std::optional<Scaling::Kind> scaling;
    ElementType scale = ElementType::Fp16;
    ElementType offset = ElementType::Unknown; ///< Unknown: none
    bool addsOffset = false;                   ///< the offset is a bias of the product
    bool oneScale = false;
    bool oneOffset = false;
    bool lutScaled = false;    ///< the codebook is the result of a blockwise op
    bool scaleCoded = false;   ///< the scales are the result of a blockwise op
    bool payloadCoded = false; ///< the payload is the result of a blockwise op
};

/// Every form and combination that the tests walk through.
std::vector<Form> allForms();

/// A weight with the bytes that its encoding views.
struct Sample {
    Encoding encoding;
    std::deque<std::vector<std::byte>> storage;
    std::string text; ///< shape and parts, for messages

    Sample() = default;
    Sample(Sample &&) = default;
    Sample &operator=(Sample &&) = default;

    /// The bytes behind a span of this sample, to be changed.
    std::vector<std::byte> &bytesBehind(std::span<const std::byte> view);
};

Sample makeSample(const Form &form, std::mt19937_64 &random);
std::vector<std::byte> randomBytes(std::uint64_t count, std::mt19937_64 &random);

/// Decoded value of one element (T as double), straight from the formulas of
/// resources/formats/programs.md, section 4, element by element and without any code of the
/// decoder.
double referenceValue(const Encoding &encoding, std::uint64_t element);
/// The same as canonical fp16 bits (section 8).
std::uint16_t referenceHalf(const Encoding &encoding, std::uint64_t element);
/// Set bits of the mask before an element of the mask's tensor.
std::uint64_t referenceRank(const Operand &mask, std::uint64_t element);
/// Code `index` of a packed run: two's complement or plain integer, or bits.
std::int64_t referenceCode(std::span<const std::byte> bytes, ElementType type, std::uint64_t index);
/// Width of one index of a palette (iOS 16 leaves it to the number of entries).
unsigned referenceIndexWidth(const Encoding &encoding);

} // namespace kernscope::codec::test
