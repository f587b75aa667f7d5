// SPDX-License-Identifier: GPL-3.0-or-later
// Checks and tables of the palette step.
#include "core/codec/decode/decoder_make.h"
#include "core/numeric/convert.h"

#include <bit>

#include <fmt/format.h>

namespace kernscope::codec {

EncodingMaker::Step EncodingMaker::palette()
{
    if (!encoding().palette)
        return {};
    PaletteState &palette = m_state->palette.emplace();
    auto lut = resolve(encoding().palette->lut, PartRole::Lut);
    if (!lut)
        return tl::unexpected(lut.error());
    palette.lut = std::move(*lut);
    palette.entries = encoding().palette->entries;
    palette.vector = encoding().palette->vector;
    Shape indexShape;
    if (auto step = paletteShape(palette, indexShape); !step)
        return step;
    if (auto step = paletteIndices(palette); !step)
        return step;
    paletteTables(palette);
    return {};
}

EncodingMaker::Step EncodingMaker::paletteShape(PaletteState &palette, Shape &indexShape)
{
    const Palette &given = *encoding().palette;
    indexShape = encoding().shape;
    if (palette.vector == 0)
        return tl::unexpected(makeFault("codec.codebook", "lut", "vectors of 1 or more", "0",
                                        "The codebook's vectors are empty"));
    if (palette.vector > 1) {
        const std::uint64_t axis = given.vectorAxis;
        if (axis >= indexShape.size() || indexShape[axis] % palette.vector != 0)
            return tl::unexpected(
                makeFault("codec.shape", "vector_axis",
                          fmt::format("an axis with a multiple of {} elements", palette.vector),
                          fmt::format("axis {} of {}", axis, shapeText(indexShape)),
                          "The codebook's vectors do not fit the decoded shape"));
        palette.axisExtent = indexShape[axis];
        indexShape[axis] /= palette.vector;
        for (std::size_t i = axis + 1; i < indexShape.size(); ++i)
            palette.inner *= indexShape[i];
    }
    m_state->indexElements = m_state->elements / palette.vector;
    Shape grid = given.grid;
    if (grid.empty())
        grid.assign(indexShape.size(), 1);
    if (m_state->payload.order && m_state->elements > 0)
        return orderedBooks(palette);
    bool divides = grid.size() == indexShape.size();
    for (std::size_t i = 0; divides && i < grid.size(); ++i)
        divides = grid[i] != 0 && indexShape[i] % grid[i] == 0;
    if (!divides)
        return tl::unexpected(makeFault(
            "codec.codebook", "lut", fmt::format("extents that divide {}", shapeText(indexShape)),
            shapeText(grid), "The codebooks do not divide the index tensor"));
    const auto codebooks = elementCount(grid);
    const auto lutElements = elementCount(palette.lut.shape);
    const auto perBook = checkedMultiply(palette.entries, palette.vector);
    const auto needed =
        perBook && codebooks ? checkedMultiply(*perBook, codebooks->value) : std::nullopt;
    if (!needed || *needed != lutElements->value || palette.entries == 0)
        return tl::unexpected(makeFault(
            "codec.codebook", "lut",
            fmt::format("{} codebooks of {} entries of {} values", codebooks ? codebooks->value : 0,
                        palette.entries, palette.vector),
            shapeText(palette.lut.shape), "The codebook's shape contradicts its parts"));
    palette.codebooks = codebooks->value;
    if (m_state->elements > 0)
        palette.grid = GridMap(indexShape, grid);
    return {};
}

/// The order says which codebook serves an element: they need not divide the tensor.
EncodingMaker::Step EncodingMaker::orderedBooks(PaletteState &palette)
{
    const std::uint64_t lut = elementCount(palette.lut.shape)->value;
    const std::uint64_t books = palette.entries == 0 ? 0 : lut / palette.entries;
    if (books == 0 || lut % palette.entries != 0 || m_state->payload.order->tables() > books)
        return tl::unexpected(makeFault(
            "codec.codebook", "lut",
            fmt::format("{} codebooks of {} entries", m_state->payload.order->tables(),
                        palette.entries),
            shapeText(palette.lut.shape), "The codebooks are not those that the indices ask for"));
    palette.codebooks = books;
    palette.grid = GridMap(encoding().shape, Shape(encoding().shape.size(), 1));
    return {};
}

EncodingMaker::Step EncodingMaker::paletteIndices(PaletteState &palette)
{
    Operand &indices = m_state->payload;
    const std::uint64_t k = palette.entries;
    const bool flatBytes = indices.type == ElementType::Uint8 && indices.shape.size() <= 1;
    switch (indices.type) {
    case ElementType::Uint1:
    case ElementType::Uint2:
    case ElementType::Uint3:
    case ElementType::Uint4:
    case ElementType::Uint5:
    case ElementType::Uint6:
    case ElementType::Uint7:
    case ElementType::Uint8: palette.width = bitWidth(indices.type); break;
    default:
        return tl::unexpected(makeFault("codec.type", "indices", "uint1 to uint8",
                                        std::string(elementTypeName(indices.type)),
                                        "The indices have an element type that palettes lack"));
    }
    if (k == std::uint64_t{1} << palette.width)
        return {};
    const auto width = static_cast<unsigned>(std::countr_zero(k));
    const bool legal = std::has_single_bit(k) && (width <= 4 || width == 6) && width > 0;
    const std::uint64_t count = m_state->indexElements;
    const std::uint64_t bytes = count / 8 * width + (count % 8 * width + 7) / 8;
    // iOS 16 packs narrow indices into a flat run of bytes and leaves their width to K.
    if (flatBytes && legal && !encoding().mask &&
        (m_state->payloadElements == bytes || m_state->payloadElements != count)) {
        if (m_state->payloadElements != bytes)
            return tl::unexpected(makeFault("codec.length", "indices",
                                            fmt::format("{} bytes for {} indices", bytes, count),
                                            fmt::format("{} bytes", m_state->payloadElements),
                                            "The packed indices do not fit the decoded shape"));
        palette.width = width;
        m_state->payloadElements = count;
        return {};
    }
    return tl::unexpected(makeFault(
        "codec.codebook", "lut", fmt::format("{} entries", std::uint64_t{1} << palette.width),
        fmt::format("{} entries", k), "The codebook does not have one entry for every index"));
}

void EncodingMaker::paletteTables(PaletteState &palette)
{
    const Operand &lut = palette.lut;
    const bool half = lut.type == ElementType::Fp16;
    if (half && palette.vector == 1)
        return; // looked up where it lies
    const std::uint64_t perBook = palette.entries * palette.vector;
    std::vector<float> book(perBook);
    std::vector<std::uint16_t> bookHalves(perBook);
    palette.halves.resize(perBook * palette.codebooks);
    if (!half)
        palette.floats.resize(perBook * palette.codebooks);
    if (palette.vector > 1 && palette.inner == 1) {
        palette.vectors.resize(perBook * palette.codebooks);
        convertToHalf(lut.bytes, lut.type, 0, palette.vectors);
    }
    for (std::uint64_t g = 0; g < palette.codebooks; ++g) {
        convertToHalf(lut.bytes, lut.type, g * perBook, bookHalves);
        if (!half)
            convertToFloat(lut.bytes, lut.type, g * perBook, book);
        for (std::uint64_t k = 0; k < palette.entries; ++k) {
            for (std::uint64_t v = 0; v < palette.vector; ++v) {
                const std::uint64_t to = g * perBook + v * palette.entries + k;
                palette.halves[to] = bookHalves[k * palette.vector + v];
                if (!half)
                    palette.floats[to] = book[k * palette.vector + v];
            }
        }
    }
}

} // namespace kernscope::codec
