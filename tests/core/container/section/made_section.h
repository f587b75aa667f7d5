// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle.h"
#include "core/codec/encode/encoder.h"
#include "core/container/section/builder.h"
#include "tests/test_program.h"

/// Sections of one weight, for the tests of sections.
namespace kernscope::section::made_sections {

inline std::vector<float> someValues(std::uint64_t count, unsigned seed, bool withZeros)
{
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    std::vector<float> values(count);
    for (float &value : values)
        value = withZeros && random() % 3 == 0 ? 0.0f : normal(random);
    return values;
}

struct Made {
    codec::EncodedWeight encoded;
    std::optional<codec::Decoder> decoder;
    std::vector<std::byte> bytes;
};

inline lanes::WeightExtents geometryOf(const Shape &shape)
{
    lanes::WeightExtents geometry;
    geometry.outputs = shape[0];
    geometry.inputs = shape[1];
    geometry.height = shape[2];
    geometry.width = shape[3];
    return geometry;
}

/// A section of one weight "w" in the named form.
inline std::unique_ptr<Made> make(const QString &form, const Shape &shape, std::uint64_t mostLanes,
                                  bool bias, unsigned cores = 16)
{
    auto made = std::make_unique<Made>();
    const auto values = someValues(elementCount(shape)->value, 7, form == u"sparse");
    Result<codec::EncodedWeight> encoded;
    codec::PaletteOptions palette;
    palette.bits = 4;
    if (form == u"palette6")
        palette.bits = 6;
    if (form == u"books")
        palette.groups = shape[0] / 4;
    if (form == u"vector")
        palette.vector = 2;
    if (form == u"dense")
        encoded = codec::encodeDense(values, shape, ElementType::Fp16);
    else if (form == u"affine")
        encoded = codec::encodeAffine(values, shape, {});
    else if (form == u"sparse")
        encoded = codec::encodeSparse(values, shape, 0.0f);
    else
        encoded = codec::encodePalette(values, shape, palette);
    if (!encoded)
        return nullptr;
    made->encoded = std::move(*encoded);
    made->decoder = *codec::Decoder::make(made->encoded.encoding());
    BuildWeight weight;
    weight.name = "w";
    weight.decoder = &*made->decoder;
    weight.geometry = geometryOf(shape);
    weight.mostLanes = mostLanes;
    for (std::uint64_t i = 0; bias && i < shape[0]; ++i)
        weight.bias.push_back(std::uint16_t(0x3c00 + i));
    BuildTarget target;
    target.name = "H13";
    target.cores = cores;
    auto bytes = buildSection(target, {weight});
    if (!bytes)
        return nullptr;
    made->bytes = std::move(*bytes);
    return made;
}

inline std::vector<std::uint16_t> halvesOf(const codec::Decoder &decoder)
{
    std::vector<std::uint16_t> halves(decoder.elements().value);
    decoder.decodeHalf(0, halves);
    return halves;
}

inline BundlePtr openMade(const std::vector<std::byte> &bytes)
{
    return Bundle::open("w.ksec", {.memory = {{"w.ksec", bytes}}}).value_or(nullptr);
}

/// Code of the first fault that reading finds; empty where it finds none.
inline std::string firstCode(const std::vector<std::byte> &bytes)
{
    const auto section = readSection(bytes, "x");
    if (!section)
        return section.error().code;
    return section->diagnostics.empty() ? std::string() : section->diagnostics.front().error.code;
}

} // namespace kernscope::section::made_sections
