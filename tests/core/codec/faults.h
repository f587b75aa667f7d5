// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/form/encoding.h"
#include "tests/test_program.h"

/// Sound weights of each form, and the ways to spoil them that a decoder must refuse.
namespace kernscope::codec::test {

inline constexpr std::uint64_t kHuge = std::uint64_t{1} << 63;

struct Fault {
    const char *name;
    const char *code;
    const char *field;
    void (*spoil)(Encoding &);
};

inline Operand &payload(Encoding &encoding)
{
    return std::get<Operand>(encoding.payload);
}

inline Operand &lut(Encoding &encoding)
{
    return std::get<Operand>(encoding.palette->lut);
}

inline Operand &scale(Encoding &encoding)
{
    return std::get<Operand>(encoding.scaling->scale);
}

/// Bytes enough for every sound operand below.
inline const std::vector<std::byte> kBytes(4096, std::byte{0x11});

inline Encoding dense()
{
    Encoding encoding;
    encoding.shape = {4, 6};
    encoding.payload =
        Operand{PartRole::Data, ElementType::Fp16, {4, 6}, std::span(kBytes).first(48)};
    return encoding;
}

inline Encoding palette()
{
    Encoding encoding = dense();
    encoding.payload =
        Operand{PartRole::Indices, ElementType::Uint4, {4, 6}, std::span(kBytes).first(12)};
    encoding.palette = Palette{
        Operand{PartRole::Lut, ElementType::Fp16, {2, 1, 16, 1}, std::span(kBytes).first(64)},
        {2, 1},
        16,
        1,
        0};
    return encoding;
}

inline Encoding sparse()
{
    Encoding encoding = dense();
    encoding.mask = Operand{PartRole::Mask, ElementType::Uint1, {4, 6}, std::span(kBytes).first(3)};
    encoding.payload =
        Operand{PartRole::NonzeroData, ElementType::Fp16, {6}, std::span(kBytes).first(12)};
    return encoding;
}

inline Encoding blockwise()
{
    Encoding encoding = dense();
    encoding.payload =
        Operand{PartRole::Data, ElementType::Int8, {4, 6}, std::span(kBytes).first(24)};
    Scaling scaling;
    scaling.kind = Scaling::Kind::Blockwise;
    scaling.scale =
        Operand{PartRole::Scale, ElementType::Fp16, {4, 2}, std::span(kBytes).first(16)};
    scaling.offset =
        Operand{PartRole::Offset, ElementType::Int8, {4, 2}, std::span(kBytes).first(8)};
    encoding.scaling = scaling;
    return encoding;
}

inline Encoding affine()
{
    Encoding encoding = blockwise();
    encoding.scaling->kind = Scaling::Kind::Affine;
    encoding.scaling->scale =
        Operand{PartRole::Scale, ElementType::Fp16, {4}, std::span(kBytes).first(8)};
    encoding.scaling->offset =
        Operand{PartRole::ZeroPoint, ElementType::Int8, {}, std::span(kBytes).first(1)};
    return encoding;
}

inline const Fault kDenseFaults[] = {
    {"shape overflows", "codec.shape", "output",
     [](Encoding &e) {
         e.shape = {kHuge, kHuge};
     }},
    {"bits overflow", "codec.shape", "output", [](Encoding &e) { e.shape = {kHuge}; }},
    {"operand overflows", "codec.shape", "data",
     [](Encoding &e) {
         payload(e).shape = {kHuge, 3};
     }},
    {"operand bits overflow", "codec.shape", "data",
     [](Encoding &e) { payload(e).shape = {kHuge}; }},
    {"huge and short", "codec.length", "data",
     [](Encoding &e) { e.shape = payload(e).shape = {std::uint64_t{1} << 50}; }},
    {"one byte short", "codec.length", "data",
     [](Encoding &e) { payload(e).bytes = payload(e).bytes.first(47); }},
    {"other element count", "codec.shape", "data", [](Encoding &e) { payload(e).shape = {23}; }},
    {"strings", "codec.type", "data", [](Encoding &e) { payload(e).type = ElementType::String; }},
    {"unknown output", "codec.type", "output", [](Encoding &e) { e.type = ElementType::Unknown; }},
    {"other type", "codec.type", "data", [](Encoding &e) { e.type = ElementType::Fp32; }},
};

inline const Fault kPaletteFaults[] = {
    {"too few entries", "codec.codebook", "lut",
     [](Encoding &e) {
         e.palette->entries = 8;
         lut(e).shape = {2, 1, 8, 1};
     }},
    {"entries contradict", "codec.codebook", "lut", [](Encoding &e) { e.palette->entries = 15; }},
    {"entries overflow", "codec.codebook", "lut", [](Encoding &e) { e.palette->entries = kHuge; }},
    {"no entries", "codec.codebook", "lut",
     [](Encoding &e) {
         e.palette->entries = 0;
         lut(e).shape = {0};
     }},
    {"vector of nothing", "codec.codebook", "lut", [](Encoding &e) { e.palette->vector = 0; }},
    {"vector does not fit", "codec.shape", "vector_axis",
     [](Encoding &e) { e.palette->vector = 5; }},
    {"vector axis", "codec.shape", "vector_axis",
     [](Encoding &e) {
         e.palette->vector = 2;
         e.palette->vectorAxis = 7;
     }},
    {"huge vector", "codec.shape", "vector_axis", [](Encoding &e) { e.palette->vector = kHuge; }},
    {"grid does not divide", "codec.codebook", "lut",
     [](Encoding &e) {
         e.palette->grid = {3, 1};
     }},
    {"grid of nothing", "codec.codebook", "lut",
     [](Encoding &e) {
         e.palette->grid = {0, 1};
     }},
    {"grid of other rank", "codec.codebook", "lut", [](Encoding &e) { e.palette->grid = {2}; }},
    {"indices of int8", "codec.type", "indices",
     [](Encoding &e) {
         payload(e).type = ElementType::Int8;
         payload(e).bytes = kBytes;
     }},
    {"short indices", "codec.length", "indices",
     [](Encoding &e) { payload(e).bytes = payload(e).bytes.first(11); }},
    {"packed, too short", "codec.length", "indices",
     [](Encoding &e) {
         payload(e).type = ElementType::Uint8;
         payload(e).shape = {11};
     }},
    {"full bytes for 16 entries", "codec.codebook", "lut",
     [](Encoding &e) {
         payload(e).type = ElementType::Uint8;
         payload(e).bytes = std::span(kBytes).first(24);
     }},
    {"short codebook", "codec.length", "lut",
     [](Encoding &e) { lut(e).bytes = lut(e).bytes.first(63); }},
    {"other output type", "codec.type", "lut", [](Encoding &e) { e.type = ElementType::Int8; }},
    {"indices of another op", "codec.type", "data",
     [](Encoding &e) { e.payload = std::make_shared<const Encoding>(dense()); }},
    {"missing codebook", "codec.type", "lut",
     [](Encoding &e) { e.palette->lut = std::shared_ptr<const Encoding>(); }},
};

inline const Fault kSparseFaults[] = {
    {"mask of int8", "codec.type", "mask",
     [](Encoding &e) {
         e.mask->type = ElementType::Int8;
         e.mask->bytes = kBytes;
     }},
    {"mask of other shape", "codec.shape", "mask", [](Encoding &e) { e.mask->shape = {23}; }},
    {"short mask", "codec.length", "mask",
     [](Encoding &e) { e.mask->bytes = e.mask->bytes.first(2); }},
    {"short packed mask", "codec.length", "mask",
     [](Encoding &e) {
         e.mask->type = ElementType::Uint8;
         e.mask->shape = {2};
     }},
    {"short survivors", "codec.length", "nonzero_data",
     [](Encoding &e) { payload(e).shape = {7}; }},
};

inline const Fault kBlockwiseFaults[] = {
    {"scales do not divide", "codec.scale", "scale",
     [](Encoding &e) {
         scale(e).shape = {2, 4};
     }},
    {"scales of nothing", "codec.scale", "scale",
     [](Encoding &e) {
         scale(e).shape = {0, 2};
     }},
    {"scales of other rank", "codec.scale", "scale", [](Encoding &e) { scale(e).shape = {4}; }},
    {"scales of int8", "codec.type", "scale",
     [](Encoding &e) { scale(e).type = ElementType::Int8; }},
    {"short scales", "codec.length", "scale",
     [](Encoding &e) { scale(e).bytes = scale(e).bytes.first(3); }},
    {"other offsets", "codec.scale", "offset",
     [](Encoding &e) {
         std::get<Operand>(*e.scaling->offset).shape = {4, 1};
     }},
    {"other output type", "codec.type", "scale", [](Encoding &e) { e.type = ElementType::Fp32; }},
};

inline const Fault kAffineFaults[] = {
    {"scales of other length", "codec.scale", "scale", [](Encoding &e) { scale(e).shape = {3}; }},
    {"zero points of other length", "codec.scale", "zero_point",
     [](Encoding &e) {
         e.scaling->offset =
             Operand{PartRole::ZeroPoint, ElementType::Int8, {3}, std::span(kBytes).first(3)};
     }},
    {"axis outside", "codec.scale", "scale", [](Encoding &e) { e.scaling->axis = 2; }},
    {"scales overflow", "codec.shape", "scale",
     [](Encoding &e) {
         scale(e).shape = {kHuge, kHuge};
     }},
};

} // namespace kernscope::codec::test
