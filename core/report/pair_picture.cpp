// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/pair_picture.h"

#include "core/base/overlaid_file.h"
#include "core/bundle/pair_read_lock.h"
#include "core/compare/pair_reader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>

#include <zlib.h>

namespace kernscope::report {

namespace {

constexpr std::uint64_t kRun = 65536;
/// Share of the cells with a larger magnitude than that of the full colour: one in this number.
constexpr std::size_t kBeyond = 200;
constexpr std::uint8_t kZeroIndex = 127, kNotFinite = 255;

/// Rows and columns of a weight's elements, in their order.
struct Extents {
    std::uint64_t rows = 1, columns = 1;
};

Extents extentsOf(const Shape &shape, std::uint64_t elements)
{
    if (elements == 0)
        return {0, 0};
    const std::uint64_t outer = shape.empty() ? 1 : shape.front();
    if (shape.size() > 1 && outer > 1 && outer < elements && elements % outer == 0)
        return {outer, elements / outer};
    // A vector is wrapped, so that it is not one line.
    const auto columns =
        static_cast<std::uint64_t>(std::ceil(std::sqrt(2.0 * static_cast<double>(elements))));
    return {(elements + columns - 1) / columns, columns};
}

/// What falls into each cell.
class PictureCells
{
public:
    PictureCells(Extents extents)
        : m_extents(extents),
          m_width(std::min<std::uint64_t>(extents.columns, PairPicture::kMostColumns)),
          m_height(std::min<std::uint64_t>(extents.rows, PairPicture::kMostRows)),
          m_count(m_width * m_height), m_a(m_count.size()), m_b(m_count.size()),
          m_difference(m_count.size())
    {
    }

    bool binned() const { return m_width < m_extents.columns || m_height < m_extents.rows; }

    void add(std::uint64_t first, std::span<const double> a, std::span<const double> b)
    {
        std::uint64_t row = first / m_extents.columns, column = first % m_extents.columns;
        for (std::size_t i = 0; i < a.size(); ++i) {
            const std::size_t cell =
                row * m_height / m_extents.rows * m_width + column * m_width / m_extents.columns;
            ++m_count[cell];
            m_a[cell] += a[i];
            m_b[cell] += b[i];
            // Written so that what is not a number wins.
            const double difference = b[i] - a[i];
            if (!(std::abs(difference) <= std::abs(m_difference[cell])) && a[i] != b[i])
                m_difference[cell] = difference;
            if (++column == m_extents.columns) {
                column = 0;
                ++row;
            }
        }
    }

    PairPicture finish()
    {
        for (std::size_t i = 0; i < m_count.size(); ++i) {
            const double count = std::max<double>(1, static_cast<double>(m_count[i]));
            m_a[i] /= count;
            m_b[i] /= count;
        }
        PairPicture picture;
        picture.binned = binned();
        picture.valueRange = std::max(usual(m_a), usual(m_b));
        picture.differenceRange = usual(m_difference);
        picture.a = coloured(m_a, picture.valueRange);
        picture.b = coloured(m_b, picture.valueRange);
        picture.difference = coloured(m_difference, picture.differenceRange);
        return picture;
    }

private:
    /// The magnitude that all but a few cells keep: a weight's largest values are far from the
    /// others, and would leave them white. Of few cells that are not zero the largest.
    static double usual(const std::vector<double> &values)
    {
        std::vector<double> found;
        for (const double value : values) {
            if (std::isfinite(value) && value != 0)
                found.push_back(std::abs(value));
        }
        if (found.empty())
            return 0;
        const auto at = found.end() - 1 - static_cast<std::ptrdiff_t>(found.size() / kBeyond);
        std::nth_element(found.begin(), at, found.end());
        return *at;
    }

    IndexedPicture coloured(const std::vector<double> &values, double range) const
    {
        IndexedPicture picture{m_width, m_height, {}};
        picture.pixels.reserve(values.size());
        for (const double value : values) {
            if (!std::isfinite(value)) {
                picture.pixels.push_back(kNotFinite);
                continue;
            }
            double share = range > 0 ? std::clamp(value / range, -1.0, 1.0) : 0;
            // The square root keeps small differences visible beside large ones.
            share = std::copysign(std::sqrt(std::abs(share)), share);
            int index = kZeroIndex + static_cast<int>(std::lround(share * kZeroIndex));
            if (value != 0 && index == kZeroIndex)
                index += value > 0 ? 1 : -1;
            picture.pixels.push_back(static_cast<std::uint8_t>(std::clamp(index, 0, 254)));
        }
        return picture;
    }

    Extents m_extents;
    std::size_t m_width, m_height;
    std::vector<std::uint64_t> m_count;
    std::vector<double> m_a, m_b, m_difference;
};

} // namespace

Result<PairPicture> pairPicture(const Bundle &a, const Bundle &b, const PairSides &sides,
                                Progress *progress)
{
    const PairReadLock lock(a, b);
    const auto reader = diff::PairReader::make(a, b, sides);
    if (!reader)
        return tl::unexpected(reader.error());
    PictureCells cells(extentsOf(comparedWeight(a, b, sides).shape, reader->elements()));
    std::vector<double> valuesA(kRun), valuesB(kRun);
    for (std::uint64_t first = 0; first < reader->elements(); first += kRun) {
        const auto count = static_cast<std::size_t>(std::min(kRun, reader->elements() - first));
        const std::span<double> runA = std::span(valuesA).first(count),
                                runB = std::span(valuesB).first(count);
        reader->readDoubles(first, runA, runB);
        cells.add(first, runA, runB);
        if (progress != nullptr && !progress->advance(count))
            return tl::unexpected(cancelledError("The picture was cancelled"));
    }
    return cells.finish();
}

namespace {

using PngBytes = std::vector<std::byte>;

void putBig32(PngBytes &to, std::uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        to.push_back(static_cast<std::byte>(value >> shift));
}

void putChunk(PngBytes &to, std::string_view name, std::span<const std::byte> content)
{
    putBig32(to, static_cast<std::uint32_t>(content.size()));
    const std::size_t from = to.size();
    for (const char c : name)
        to.push_back(static_cast<std::byte>(c));
    to.insert(to.end(), content.begin(), content.end());
    const auto sum = crc32(0, reinterpret_cast<const Bytef *>(to.data() + from),
                           static_cast<uInt>(to.size() - from));
    putBig32(to, static_cast<std::uint32_t>(sum));
}

/// Blue over white to orange; black for what is not finite.
PngBytes colourTable()
{
    constexpr std::array<double, 3> kLess{33, 102, 172}, kMore{179, 88, 6};
    PngBytes table;
    for (int index = 0; index < 255; ++index) {
        const double share = std::abs(index - 127) / 127.0;
        const auto &end = index < 127 ? kLess : kMore;
        for (const double channel : end)
            table.push_back(static_cast<std::byte>(std::lround(255 + (channel - 255) * share)));
    }
    table.insert(table.end(), 3, std::byte{0});
    return table;
}

} // namespace

std::vector<std::byte> pngOf(const IndexedPicture &picture)
{
    PngBytes lines; // each after its filter byte
    lines.reserve((picture.width + 1) * picture.height);
    for (std::size_t row = 0; row < picture.height; ++row) {
        lines.push_back(std::byte{0});
        for (std::size_t column = 0; column < picture.width; ++column)
            lines.push_back(static_cast<std::byte>(picture.pixels[row * picture.width + column]));
    }
    uLongf packedBytes = compressBound(static_cast<uLong>(lines.size()));
    PngBytes packed(packedBytes);
    compress2(reinterpret_cast<Bytef *>(packed.data()), &packedBytes,
              reinterpret_cast<const Bytef *>(lines.data()), static_cast<uLong>(lines.size()), 9);
    packed.resize(packedBytes);

    PngBytes png;
    for (const unsigned byte : {0x89U, 0x50U, 0x4EU, 0x47U, 0x0DU, 0x0AU, 0x1AU, 0x0AU})
        png.push_back(static_cast<std::byte>(byte));
    PngBytes header;
    putBig32(header, static_cast<std::uint32_t>(picture.width));
    putBig32(header, static_cast<std::uint32_t>(picture.height));
    for (const unsigned byte : {8U, 3U, 0U, 0U, 0U}) // 8 bits, indexed, deflate, no filter choice
        header.push_back(static_cast<std::byte>(byte));
    putChunk(png, "IHDR", header);
    putChunk(png, "PLTE", colourTable());
    putChunk(png, "IDAT", packed);
    putChunk(png, "IEND", {});
    return png;
}

std::string dataUrl(std::span<const std::byte> png)
{
    static constexpr std::string_view kDigits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string url = "data:image/png;base64,";
    for (std::size_t i = 0; i < png.size(); i += 3) {
        std::uint32_t three = 0;
        for (std::size_t k = 0; k < 3; ++k)
            three =
                three << 8 | (i + k < png.size() ? std::to_integer<std::uint32_t>(png[i + k]) : 0);
        for (std::size_t k = 0; k < 4; ++k)
            url += i + k > png.size() ? '=' : kDigits[three >> (18 - 6 * k) & 63];
    }
    return url;
}

} // namespace kernscope::report
