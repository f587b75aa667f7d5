// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/encode/code_rounder.h"

#include "core/codec/decode/decoder.h"
#include "core/codec/decode/grid_map.h"
#include "core/codec/edit/stored_code.h"
#include "core/codec/encode/kmeans.h"
#include "core/codec/microscaled/quantize.h"
#include "core/numeric/bitpack.h"
#include "core/numeric/convert.h"
#include "core/numeric/half.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

namespace kernscope::codec {

namespace {

template <class Weight>
auto roundedPart(Weight &weight, PartRole role) -> decltype(weight.parts.data())
{
    for (auto &part : weight.parts) {
        if (part.role == role)
            return &part;
    }
    return nullptr;
}

/// The mask of a weight; one that keeps everything where it has none.
class Kept
{
public:
    explicit Kept(const EncodedWeight &weight)
    {
        if (const EncodedPart *mask = roundedPart(weight, PartRole::Mask))
            m_mask = mask->bytes;
    }

    bool all() const { return m_mask.empty(); }
    bool operator()(std::size_t position) const
    {
        return m_mask.empty() ||
               ((std::to_integer<unsigned>(m_mask[position / 8]) >> (position % 8)) & 1u) != 0;
    }
    /// The codes that are stored, in order.
    template <class Code>
    std::vector<Code> of(const std::vector<Code> &codes) const
    {
        std::vector<Code> kept;
        for (std::size_t i = 0; i < codes.size(); ++i) {
            if ((*this)(i))
                kept.push_back(codes[i]);
        }
        return kept;
    }

private:
    std::vector<std::byte> m_mask;
};

std::size_t elementsOf(const EncodedWeight &weight)
{
    return elementCount(weight.shape).value_or(ElementCount()).value;
}

/// The codes of all elements, or of those that are kept.
template <class Weight>
auto roundedCodes(Weight &weight) -> decltype(weight.parts.data())
{
    auto *data = roundedPart(weight, PartRole::Data);
    return data != nullptr ? data : roundedPart(weight, PartRole::NonzeroData);
}

/// Integer codes with scales.
class ScaleRounder : public CodeRounder
{
public:
    ScaleRounder(const EncodedWeight &weight, bool symmetric)
        : m_kept(weight), m_codes(elementsOf(weight))
    {
        const EncodedPart &data = *roundedCodes(weight);
        const EncodedPart &scale = *roundedPart(weight, PartRole::Scale);
        const EncodedPart *zero = roundedPart(weight, PartRole::ZeroPoint);
        if (zero == nullptr)
            zero = roundedPart(weight, PartRole::Offset);
        Shape cells(weight.shape.size(), 1);
        if (weight.scaling == Scaling::Kind::Blockwise)
            cells = scale.shape;
        else if (!scale.shape.empty())
            cells[weight.axis] = scale.shape[0];
        m_map = GridMap(weight.shape, cells);
        const std::size_t count = scale.bytes.size() / 2;
        for (std::size_t i = 0; i < count; ++i) {
            const auto half = loadCode(scale.bytes, ElementType::Fp16, i);
            m_grids.push_back({halfToFloat(static_cast<std::uint16_t>(half)),
                               zero == nullptr ? 0 : loadCode(zero->bytes, zero->type, i)});
        }
        m_low = smallestCode(data.type) + (symmetric ? 1 : 0);
        m_high = largestCode(data.type);
    }

    void round(std::size_t position, std::span<const double> targets,
               std::span<double> results) override
    {
        results[0] = 0;
        if (!m_kept(position))
            return;
        const QuantGrid &grid = m_grids[m_map.cellOf(position)];
        const std::int64_t code = grid.codeOf(static_cast<float>(targets[0]), m_low, m_high);
        m_codes[position] = static_cast<std::uint8_t>(code & 0xff);
        const float product = grid.scale * static_cast<float>(code - grid.zero);
        results[0] = static_cast<double>(halfToFloat(floatToHalf(product)));
    }

    void finish(EncodedWeight &weight) const override
    {
        EncodedPart &data = *roundedCodes(weight);
        const std::vector<std::uint8_t> codes = m_kept.all() ? m_codes : m_kept.of(m_codes);
        const unsigned width = bitWidth(data.type);
        if (width < 8)
            packCodes(codes, width, 0, data.bytes);
        else
            std::transform(codes.begin(), codes.end(), data.bytes.begin(),
                           [](std::uint8_t code) { return std::byte{code}; });
    }

private:
    Kept m_kept;
    GridMap m_map;
    std::vector<QuantGrid> m_grids;
    std::int64_t m_low = 0;
    std::int64_t m_high = 0;
    std::vector<std::uint8_t> m_codes;
};

/// Indices into codebooks along axis 0, of single values or vectors.
class BookRounder : public CodeRounder
{
public:
    BookRounder(const EncodedWeight &weight, const Decoder &decoder)
        : m_kept(weight), m_vector(weight.vector), m_entries(weight.entries),
          m_books(decoder.codebookValues().begin(), decoder.codebookValues().end())
    {
        const std::size_t rows = weight.shape.empty() ? 1 : weight.shape[0];
        const std::size_t groups = weight.grid.empty() ? 1 : weight.grid[0];
        m_row = elementsOf(weight) / rows;
        m_group = rows / groups * m_row;
        m_codes.resize(elementsOf(weight) / m_vector);
        if (const EncodedPart *scale = roundedPart(weight, PartRole::Scale))
            scaleBooks(*scale);
    }

    std::size_t vector() const override { return m_vector; }

    void round(std::size_t position, std::span<const double> targets,
               std::span<double> results) override
    {
        std::fill(results.begin(), results.end(), 0.0);
        if (!m_kept(position))
            return;
        const std::size_t length = m_entries * m_vector;
        const std::size_t number = position / m_group;
        const auto book = std::span<const float>(m_books).subspan(number * length, length);
        const std::size_t at =
            m_vector == 1 ? nearestValue(book, targets[0]) : nearestVector(number, targets);
        m_codes[position / m_row / m_vector * m_row + position % m_row] =
            static_cast<std::uint8_t>(at);
        for (std::size_t v = 0; v < m_vector; ++v)
            results[v] = static_cast<double>(book[at * m_vector + v]);
    }

    void finish(EncodedWeight &weight) const override
    {
        EncodedPart &indices = *roundedPart(weight, PartRole::Indices);
        packCodes(m_kept.all() ? m_codes : m_kept.of(m_codes), bitWidth(indices.type), 0,
                  indices.bytes);
    }

private:
    /// Entries as they decode: one scale a codebook, rounded to fp16.
    void scaleBooks(const EncodedPart &scale)
    {
        const std::size_t length = m_entries * m_vector;
        for (std::size_t i = 0; i < m_books.size(); ++i) {
            const auto half = loadCode(scale.bytes, ElementType::Fp16, i / length);
            m_books[i] = halfToFloat(
                floatToHalf(m_books[i] * halfToFloat(static_cast<std::uint16_t>(half))));
        }
    }

    /// Of ascending entries; of equally near ones the lower, of equal ones the first.
    static std::size_t nearestValue(std::span<const float> book, double target)
    {
        const auto value = static_cast<float>(target);
        auto at = std::lower_bound(book.begin(), book.end(), value);
        if (at == book.end() || (at != book.begin() && value - *(at - 1) <= *at - value))
            at = std::lower_bound(book.begin(), at, *(at - 1));
        return static_cast<std::size_t>(at - book.begin());
    }

    std::size_t nearestVector(std::size_t number, std::span<const double> targets)
    {
        const std::size_t length = m_entries * m_vector;
        for (std::size_t at = m_tables.size() * length; at < m_books.size(); at += length)
            m_tables.emplace_back(std::span<const float>(m_books).subspan(at, length), m_vector);
        constexpr std::size_t kLongest = 5;
        std::array<float, kLongest> point{};
        std::transform(targets.begin(), targets.end(), point.begin(),
                       [](double target) { return static_cast<float>(target); });
        return m_tables[number].of(std::span<const float>(point).first(targets.size()));
    }

    Kept m_kept;
    std::size_t m_vector;
    std::size_t m_entries;
    std::size_t m_row = 1;   ///< elements of a row of axis 0
    std::size_t m_group = 1; ///< elements of a codebook
    std::vector<float> m_books;
    std::vector<NearestCentre> m_tables; ///< of vectors, by codebook
    std::vector<std::uint8_t> m_codes;
};

/// Survivors stored as fp16.
class HalfRounder : public CodeRounder
{
public:
    explicit HalfRounder(const EncodedWeight &weight) : m_kept(weight), m_halves(elementsOf(weight))
    {
    }

    void round(std::size_t position, std::span<const double> targets,
               std::span<double> results) override
    {
        results[0] = 0;
        if (!m_kept(position))
            return;
        std::uint16_t half = doubleToHalf(targets[0]);
        if ((half & 0x7fffu) == kHalfInfinity && std::isfinite(targets[0]))
            --half; // the largest number
        if ((half & 0x7fffu) == 0)
            half |= 1u; // a survivor is no zero
        m_halves[position] = half;
        results[0] = static_cast<double>(halfToFloat(half));
    }

    void finish(EncodedWeight &weight) const override
    {
        EncodedPart &data = *roundedPart(weight, PartRole::NonzeroData);
        const std::vector<std::uint16_t> halves = m_kept.of(m_halves);
        const auto bytes = std::as_bytes(std::span(halves));
        std::copy(bytes.begin(), bytes.end(), data.bytes.begin());
    }

private:
    Kept m_kept;
    std::vector<std::uint16_t> m_halves;
};

} // namespace

std::unique_ptr<CodeRounder> makeRounder(const EncodedWeight &weight, bool symmetric)
{
    const auto decoder = Decoder::make(weight.encoding());
    if (!decoder || elementsOf(weight) == 0)
        return nullptr;
    if (roundedPart(weight, PartRole::Indices) != nullptr)
        return std::make_unique<BookRounder>(weight, *decoder);
    if (weight.scaling)
        return std::make_unique<ScaleRounder>(weight, symmetric);
    if (roundedPart(weight, PartRole::Mask) != nullptr)
        return std::make_unique<HalfRounder>(weight);
    return nullptr;
}

} // namespace kernscope::codec
