// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/weight/weight_tiles.h"

#include "core/diff/element_changes.h"
#include "widgets/common/theme.h"

#include <algorithm>
#include <cmath>

namespace kernscope::ui {

namespace {

/// Calls add(x, cells) with what `read(row, col, out)` gives for the sampled cells of every box of
/// line `y`. Near (exact) whole lines are read at once.
template <class T, class Read, class Add>
void sampleLine(const BoxSampler &sampler, const TileKey &key, QSize size, std::uint64_t rows,
                std::uint64_t cols, int y, std::vector<T> &buffer, Read read, Add add)
{
    const std::uint64_t side = std::uint64_t{1} << key.level;
    for (std::uint64_t k = 0; k < sampler.rowsPerBox(); ++k) {
        const std::uint64_t row = sampler.row(y, k);
        if (row >= rows)
            break;
        if (sampler.exact()) {
            const std::uint64_t count = std::min<std::uint64_t>(
                static_cast<std::uint64_t>(size.width()) * side, cols - key.firstCol());
            buffer.resize(count);
            read(row, key.firstCol(), std::span(buffer));
            for (int x = 0; x < size.width(); ++x) {
                const std::uint64_t at = static_cast<std::uint64_t>(x) * side;
                add(x, std::span<const T>(buffer).subspan(at, std::min(side, count - at)));
            }
            continue;
        }
        buffer.resize(sampler.run());
        for (int x = 0; x < size.width(); ++x) {
            const std::uint64_t col = sampler.col(x, y, k);
            const auto piece =
                std::span(buffer).first(std::min<std::uint64_t>(buffer.size(), cols - col));
            read(row, col, piece);
            add(x, std::span<const T>(piece));
        }
    }
}

QRgb mixedColor(const QColor &a, const QColor &b, double t)
{
    const auto channel = [t](int x, int y) {
        return static_cast<int>(std::lround(x + (y - x) * t));
    };
    return qRgb(channel(a.red(), b.red()), channel(a.green(), b.green()),
                channel(a.blue(), b.blue()));
}

} // namespace

ValueTiles::ValueTiles(WeightReaderPtr reader, ValueColors colors, bool dark, double range)
    : m_reader(std::move(reader)), m_colors(colors), m_dark(dark), m_range(range)
{
    const double half = static_cast<double>(m_colorsOf.size() / 2);
    for (std::size_t i = 0; i < m_colorsOf.size(); ++i) {
        const double at = (static_cast<double>(i) - half) / half;
        m_colorsOf[i] = (m_colors == ValueColors::Signed ? theme::diverging(at, m_dark)
                                                         : theme::sequential(std::abs(at)))
                            .rgb();
    }
}

QRgb ValueTiles::colorOf(double value) const
{
    const double at = std::clamp(value / range(), -1.0, 1.0);
    const double half = static_cast<double>(m_colorsOf.size() / 2);
    return m_colorsOf[static_cast<std::size_t>(std::lround(at * half + half))];
}

QString ValueTiles::cellText(const Tile &tile, std::size_t index) const
{
    if (index < tile.marks.size() && tile.marks[index].shape == CellShape::Dot)
        return {};
    return TileSource::cellText(tile, index);
}

void ValueTiles::findRange(const codec::Decoder &decoder) const
{
    if (range() > 0)
        return;
    constexpr std::uint64_t kRun = 64, kRuns = 1024;
    const std::uint64_t elements = decoder.elements().value;
    const std::uint64_t run = std::min(kRun, elements);
    const std::uint64_t runs = run == 0 ? 0 : std::clamp<std::uint64_t>(elements / run, 1, kRuns);
    std::vector<float> seen(run), magnitudes;
    for (std::uint64_t i = 0; i < runs; ++i) {
        // Evenly spread, without a product that could wrap.
        const std::uint64_t first = std::min((elements / runs) * i, elements - run);
        decoder.decodeFloat(first, seen);
        for (const float value : seen) {
            if (std::isfinite(value) && value != 0.0f)
                magnitudes.push_back(std::abs(value));
        }
    }
    if (magnitudes.empty()) {
        m_range.store(1, std::memory_order_relaxed);
        return;
    }
    const auto at = magnitudes.begin() +
                    static_cast<std::ptrdiff_t>(0.995 * static_cast<double>(magnitudes.size() - 1));
    std::nth_element(magnitudes.begin(), at, magnitudes.end());
    m_range.store(static_cast<double>(*at), std::memory_order_relaxed);
}

Tile ValueTiles::render(const TileKey &key, Progress &progress) const
{
    const BundleReadLock lock(*m_reader->bundle());
    const codec::Decoder *decoder = m_reader->decoder();
    if (!decoder || progress.cancelled())
        return {};
    std::call_once(m_once, [&] { findRange(*decoder); });
    progress.setTotal(static_cast<std::uint64_t>(tileSize(key).height()));
    return key.level == 0 ? renderCells(*decoder, key, progress)
                          : renderBoxes(*decoder, key, progress);
}

Tile ValueTiles::renderCells(const codec::Decoder &decoder, const TileKey &key,
                             Progress &progress) const
{
    const QSize size = tileSize(key);
    const auto width = static_cast<std::size_t>(size.width());
    Tile tile{QImage(size, QImage::Format_ARGB32_Premultiplied), std::vector<float>(sizeOf(size)),
              std::vector<CellMark>(sizeOf(size))};
    std::vector<std::uint8_t> kept(width, 1);
    const ElementChanges changes(*m_reader->bundle(), m_reader->weightIndex(), decoder);
    for (int y = 0; y < size.height(); ++y) {
        if (!progress.advance(1))
            return {};
        const std::uint64_t row = key.firstRow() + static_cast<std::uint64_t>(y);
        const std::size_t first = static_cast<std::size_t>(y) * width;
        const auto values = std::span(tile.values).subspan(first, width);
        m_reader->values(decoder, row, key.firstCol(), values);
        if (m_reader->masked())
            m_reader->kept(decoder, row, key.firstCol(), kept);
        QRgb *line = lineOf(tile.image, y);
        for (std::size_t x = 0; x < width; ++x) {
            const auto element = m_reader->map().element(row, key.firstCol() + x);
            const bool inside = element.has_value();
            CellMark &mark = tile.marks[first + x];
            mark.changed = inside && changes.changed(*element);
            if (!inside || !kept[x])
                mark.shape = inside ? CellShape::Dot : CellShape::Fill;
            else if (std::isnan(values[x]))
                mark.shape = CellShape::Cross;
            line[x] =
                inside && kept[x] ? colorOf(static_cast<double>(values[x])) : qRgba(0, 0, 0, 0);
        }
    }
    return tile;
}

Tile ValueTiles::renderBoxes(const codec::Decoder &decoder, const TileKey &key,
                             Progress &progress) const
{
    const QSize size = tileSize(key);
    const BoxSampler sampler(key, rows(), cols());
    Tile tile{QImage(size, QImage::Format_ARGB32_Premultiplied), {}, {}};
    struct Sum {
        double squares = 0, sum = 0;
        std::uint64_t count = 0;
    };
    std::vector<Sum> sums;
    std::vector<float> buffer;
    for (int y = 0; y < size.height(); ++y) {
        if (!progress.advance(1))
            return {};
        sums.assign(static_cast<std::size_t>(size.width()), {});
        sampleLine(
            sampler, key, size, rows(), cols(), y, buffer,
            [&](std::uint64_t row, std::uint64_t col, std::span<float> out) {
                m_reader->values(decoder, row, col, out);
            },
            [&](int x, std::span<const float> cells) {
                Sum &sum = sums[static_cast<std::size_t>(x)];
                for (const float cell : cells) {
                    const double value = std::isfinite(cell) ? static_cast<double>(cell) : range();
                    sum.squares += value * value;
                    sum.sum += value;
                    ++sum.count;
                }
            });
        QRgb *line = lineOf(tile.image, y);
        for (std::size_t x = 0; x < sums.size(); ++x) {
            const Sum &sum = sums[x];
            const double rms =
                sum.count == 0 ? 0 : std::sqrt(sum.squares / static_cast<double>(sum.count));
            line[x] = colorOf(sum.sum < 0 ? -rms : rms);
        }
    }
    return tile;
}

MaskTiles::MaskTiles(WeightReaderPtr reader, bool dark) : m_reader(std::move(reader)), m_dark(dark)
{
}

QRgb MaskTiles::shade(double density, bool dark)
{
    // Blue ink on the ground: lightness is monotone in the density in both themes.
    const QColor none = theme::color(Token::DiffEqual, dark);
    const QColor all = dark ? QColor(0xB8, 0xD8, 0xF5) : QColor(0x14, 0x3A, 0x66);
    return mixedColor(none, all, std::clamp(density, 0.0, 1.0));
}

QString MaskTiles::cellText(const Tile &, std::size_t) const
{
    return {};
}

Tile MaskTiles::render(const TileKey &key, Progress &progress) const
{
    const BundleReadLock lock(*m_reader->bundle());
    const codec::Decoder *decoder = m_reader->decoder();
    if (!decoder || progress.cancelled())
        return {};
    progress.setTotal(static_cast<std::uint64_t>(tileSize(key).height()));
    return key.level == 0 ? renderCells(*decoder, key, progress)
                          : renderBoxes(*decoder, key, progress);
}

Tile MaskTiles::renderCells(const codec::Decoder &decoder, const TileKey &key,
                            Progress &progress) const
{
    const QSize size = tileSize(key);
    const auto width = static_cast<std::size_t>(size.width());
    Tile tile{
        QImage(size, QImage::Format_ARGB32_Premultiplied), {}, std::vector<CellMark>(sizeOf(size))};
    const QRgb full = shade(1, m_dark), none = shade(0, m_dark);
    std::vector<std::uint8_t> kept(width);
    const ElementChanges changes(*m_reader->bundle(), m_reader->weightIndex(), decoder);
    for (int y = 0; y < size.height(); ++y) {
        if (!progress.advance(1))
            return {};
        const std::uint64_t row = key.firstRow() + static_cast<std::uint64_t>(y);
        m_reader->kept(decoder, row, key.firstCol(), kept);
        QRgb *line = lineOf(tile.image, y);
        for (std::size_t x = 0; x < width; ++x) {
            const auto element = m_reader->map().element(row, key.firstCol() + x);
            line[x] = !element ? qRgba(0, 0, 0, 0) : kept[x] ? full : none;
            if (!element)
                continue;
            CellMark &mark = tile.marks[static_cast<std::size_t>(y) * width + x];
            mark.shape = kept[x] ? CellShape::Square : CellShape::Dot;
            mark.changed = changes.changed(*element);
        }
    }
    return tile;
}

double MaskTiles::boxDensity(const codec::Decoder &decoder, const BoxSampler &sampler, int x, int y,
                             const TileKey &key) const
{
    const std::uint64_t side = std::uint64_t{1} << key.level;
    const std::uint64_t first = key.firstCol() + static_cast<std::uint64_t>(x) * side;
    const std::uint64_t width = std::min(side, cols() - first);
    std::uint64_t kept = 0, seen = 0;
    for (std::uint64_t k = 0; k < sampler.rowsPerBox(); ++k) {
        const std::uint64_t row = sampler.row(y, k);
        if (row >= rows())
            break;
        // Whole lines of a box cost two look-ups in the directory of the mask, however long.
        const std::uint64_t run = m_reader->map().run(row, first, width);
        if (run == 0)
            continue;
        const std::uint64_t element = *m_reader->map().element(row, first);
        kept += decoder.rank(element + run) - decoder.rank(element);
        seen += run;
    }
    return seen == 0 ? 0 : static_cast<double>(kept) / static_cast<double>(seen);
}

Tile MaskTiles::renderBoxes(const codec::Decoder &decoder, const TileKey &key,
                            Progress &progress) const
{
    const QSize size = tileSize(key);
    const BoxSampler sampler(key, rows(), cols());
    Tile tile{QImage(size, QImage::Format_ARGB32_Premultiplied), {}, {}};
    const bool ranked = m_reader->masked() && m_reader->map().run(0, 0, cols()) == cols();
    std::vector<std::uint8_t> buffer;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> counts;
    for (int y = 0; y < size.height(); ++y) {
        if (!progress.advance(1))
            return {};
        QRgb *line = lineOf(tile.image, y);
        if (ranked) {
            for (int x = 0; x < size.width(); ++x)
                line[x] = shade(boxDensity(decoder, sampler, x, y, key), m_dark);
            continue;
        }
        counts.assign(static_cast<std::size_t>(size.width()), {});
        sampleLine(
            sampler, key, size, rows(), cols(), y, buffer,
            [&](std::uint64_t row, std::uint64_t col, std::span<std::uint8_t> out) {
                m_reader->kept(decoder, row, col, out);
            },
            [&](int x, std::span<const std::uint8_t> cells) {
                auto &[kept, seen] = counts[static_cast<std::size_t>(x)];
                kept += static_cast<std::uint64_t>(std::count(cells.begin(), cells.end(), 1));
                seen += cells.size();
            });
        for (std::size_t x = 0; x < counts.size(); ++x) {
            const auto &[kept, seen] = counts[x];
            line[x] = shade(seen == 0 ? 0 : static_cast<double>(kept) / static_cast<double>(seen),
                            m_dark);
        }
    }
    return tile;
}

} // namespace kernscope::ui
