// SPDX-License-Identifier: GPL-3.0-or-later
// Decoders of what does not lie row by row: vectors of codebooks, and the slices of engines.
#include "tests/bench/cases.h"

#include "core/lanes/lane_order.h"
#include "tests/core/lanes/encode_slices.h"

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <random>
#include <utility>

#include <fmt/format.h>

namespace kernscope::bench {

namespace {

using codec::Encoding;
using codec::Operand;
using codec::PartRole;

constexpr std::uint64_t kInputs = 2048; ///< steps of a weight in slices

[[noreturn]] void stop(const std::string &name, const Error &error)
{
    fmt::print(stderr, "{}: {}\n", name, describe(error));
    std::abort();
}

/// Halves of ordinary size, of which `zeros` of ten are 0.
std::vector<std::uint16_t> someWeights(std::size_t count, unsigned zeros)
{
    std::mt19937 random(3);
    std::vector<std::uint16_t> weights(count);
    for (std::uint16_t &weight : weights) {
        const auto bits = std::uint32_t(random());
        weight =
            (bits >> 16) % 10 < zeros ? std::uint16_t{0} : std::uint16_t((bits & 0x9fff) | 0x2001);
    }
    return weights;
}

Case vectorCase(unsigned bits, std::uint64_t vector, std::uint64_t axis,
                std::span<std::uint16_t> out)
{
    constexpr std::uint64_t kColumns = 8192;
    std::vector<Buffer> parts;
    const auto part = [&](std::size_t bytes) {
        const auto buffer = std::make_shared<HugeBuffer<std::byte>>(bytes);
        std::mt19937 random(4);
        for (std::byte &byte : buffer->span())
            byte = static_cast<std::byte>(random() & 0x3f); // as halves: small and finite
        parts.push_back(buffer);
        return buffer->bytes();
    };
    Encoding encoding;
    encoding.shape = {out.size() / kColumns, kColumns};
    Shape indexShape = encoding.shape;
    indexShape[axis] /= vector;
    encoding.payload = Operand{PartRole::Indices, elementTypeFromName(fmt::format("uint{}", bits)),
                               indexShape, part(out.size() / vector * bits / 8)};
    codec::Palette palette;
    palette.grid = {1, 1};
    palette.entries = std::uint64_t{1} << bits;
    palette.vector = vector;
    palette.vectorAxis = axis;
    palette.lut = Operand{PartRole::Lut,
                          ElementType::Fp16,
                          {1, 1, palette.entries, vector},
                          part(2 * vector * palette.entries)};
    encoding.palette = palette;
    return decoderCase(
        fmt::format("palette {}-bit, vectors of {} along axis {}", bits, vector, axis), 0, encoding,
        std::move(parts), out);
}

/// Slices of sixteen engines, one after the other in one buffer.
lanes::SlicePlaces lay(const std::vector<lanes::Slice> &slices, Buffer &laid)
{
    lanes::SlicePlaces places;
    std::size_t total = 0;
    for (const lanes::Slice &slice : slices) {
        places.starts.push_back(total);
        places.lengths.push_back(slice.size());
        total += slice.size();
    }
    laid = std::make_shared<HugeBuffer<std::byte>>(total);
    for (std::size_t i = 0; i < slices.size(); ++i)
        std::ranges::copy(slices[i], laid->data() + places.starts[i]);
    return places;
}

Case slicesCase(std::optional<lanes::SparseForm> form, std::span<std::uint16_t> out)
{
    const std::string name =
        form ? "slices that leave zeros out, 60 % zeros" : "fp16 in slices of sixteen engines";
    lanes::WeightExtents geometry;
    geometry.inputs = kInputs;
    geometry.outputs = out.size() / kInputs;
    lanes::DealOptions options;
    options.cap = form ? 8 : 16;
    const auto layout = lanes::SliceLayout::make(geometry, lanes::Law::Dense, options);
    if (!layout)
        stop(name, layout.error());
    const auto weights = someWeights(out.size(), form ? 6 : 0);
    const auto slices = form ? lanes::encodeSparse(*form, *layout, weights, {})
                             : lanes::encodeSlices(*layout, weights, {});
    if (!slices)
        stop(name, slices.error());
    Buffer laid;
    auto places = lay(*slices, laid);
    auto order = form ? lanes::sparseOrder(*form, *layout, std::move(places))
                      : lanes::weightOrder(*layout, std::move(places));
    if (!order)
        stop(name, order.error());
    Encoding encoding;
    encoding.shape = {geometry.outputs, geometry.inputs};
    encoding.payload =
        Operand{PartRole::Data, ElementType::Fp16, encoding.shape, laid->bytes(), *order};
    return decoderCase(name, 0, encoding, {laid}, out);
}

} // namespace

std::vector<Case> orderCases(std::span<std::uint16_t> out)
{
    std::vector<Case> cases;
    for (const unsigned bits : {4u, 6u, 8u}) {
        for (const std::uint64_t vector : {2u, 4u}) {
            for (const std::uint64_t axis : {0u, 1u})
                cases.push_back(vectorCase(bits, vector, axis, out));
        }
    }
    cases.push_back(slicesCase(std::nullopt, out));
    cases.push_back(slicesCase(lanes::SparseForm::H13, out));
    return cases;
}

} // namespace kernscope::bench
