// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/difference_tiles.h"

#include "core/bundle/bundle.h"
#include "widgets/models/table_text.h"
#include "widgets/models/theme.h"
#include "widgets/weight/tile_lines.h"

#include <cmath>

namespace kernscope::ui {

namespace {

KeptState keptState(std::uint8_t a, std::uint8_t b)
{
    if (a != 0)
        return b != 0 ? KeptState::Both : KeptState::OnlyA;
    return b != 0 ? KeptState::OnlyB : KeptState::Neither;
}

/// The larger of two differences; what is no number is more than any, and of two that are equally
/// far from zero the positive one counts, so that the order in which they come does not matter.
float largerDifference(float x, float y)
{
    if (std::isnan(x) || std::isnan(y))
        return std::isnan(x) ? x : y;
    return std::abs(x) == std::abs(y) ? std::max(x, y) : std::abs(x) > std::abs(y) ? x : y;
}

Box largestOf(const Box &upperLeft, const Box &upperRight, const Box &lowerLeft,
              const Box &lowerRight)
{
    Box most = upperLeft;
    for (const Box *box : {&upperRight, &lowerLeft, &lowerRight}) {
        most.sum = largerDifference(most.sum, box->sum);
        most.count += box->count;
    }
    return most;
}

QRgb countedColor(const std::array<QRgb, 4> &colors, const std::array<std::uint32_t, 4> &counts)
{
    std::uint64_t red = 0, green = 0, blue = 0, total = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        red += static_cast<std::uint64_t>(qRed(colors[i])) * counts[i];
        green += static_cast<std::uint64_t>(qGreen(colors[i])) * counts[i];
        blue += static_cast<std::uint64_t>(qBlue(colors[i])) * counts[i];
        total += counts[i];
    }
    if (total == 0)
        return colors[3];
    const auto share = [total](std::uint64_t sum) { return static_cast<int>(sum / total); };
    return qRgb(share(red), share(green), share(blue));
}

} // namespace

QColor keptColor(KeptState state, bool dark)
{
    // What both keep is grey, so that what only one keeps stands out.
    switch (state) {
    case KeptState::Both: return dark ? QColor(0x6B, 0x75, 0x80) : QColor(0x9A, 0xA4, 0xAE);
    case KeptState::OnlyA: return theme::color(Token::DiffLess, dark);
    case KeptState::OnlyB: return theme::color(Token::DiffMore, dark);
    case KeptState::Neither: break;
    }
    return theme::color(Token::DiffEqual, dark);
}

CellShape keptShape(KeptState state)
{
    switch (state) {
    case KeptState::Both: return CellShape::Square;
    case KeptState::OnlyA: return CellShape::Down;
    case KeptState::OnlyB: return CellShape::Up;
    case KeptState::Neither: break;
    }
    return CellShape::Dot;
}

QString keptText(KeptState state)
{
    switch (state) {
    case KeptState::Both: return Words::tr("kept in both");
    case KeptState::OnlyA: return Words::tr("only in A");
    case KeptState::OnlyB: return Words::tr("only in B");
    case KeptState::Neither: break;
    }
    return Words::tr("in neither");
}

ColorScale::Swatches keptSwatches(bool dark)
{
    ColorScale::Swatches swatches;
    for (const KeptState state : kKeptStates)
        swatches.push_back({keptColor(state, dark), keptShape(state), keptText(state)});
    return swatches;
}

Tile PairTiles::render(const TileKey &key, Progress &progress) const
{
    const BundleReadLock lock(*m_a->bundle(), *m_b->bundle());
    const codec::Decoder *a = m_a->decoder(), *b = m_b->decoder();
    if (!a || !b || progress.cancelled())
        return {};
    progress.setTotal(static_cast<std::uint64_t>(tileSize(key).height()));
    return key.level == 0 ? renderCells({*a, *b}, key, progress)
                          : renderBoxes({*a, *b}, key, progress);
}

DifferenceTiles::DifferenceTiles(WeightReaderPtr a, WeightReaderPtr b, bool dark, double range,
                                 DifferenceMeasure measure, PicturePyramid pyramid)
    : PairTiles(std::move(a), std::move(b)), m_pyramid(std::move(pyramid)), m_range(range),
      m_measure(measure)
{
    m_pyramid.combine = &largestOf;
    m_notFinite = theme::color(Token::OutRefused, dark).rgb();
    const double half = static_cast<double>(m_colors.size() / 2);
    for (std::size_t i = 0; i < m_colors.size(); ++i)
        m_colors[i] = theme::diverging((static_cast<double>(i) - half) / half, dark).rgb();
}

float DifferenceTiles::differenceOf(float a, float b) const
{
    if (a == b || (std::isnan(a) && std::isnan(b)))
        return 0.0f;
    return m_measure == DifferenceMeasure::Relative ? (b - a) / std::abs(a) : b - a;
}

bool DifferenceTiles::notFinite(double difference) const
{
    return m_measure == DifferenceMeasure::Relative ? std::isnan(difference)
                                                    : !std::isfinite(difference);
}

QRgb DifferenceTiles::colorOf(double difference) const
{
    if (notFinite(difference))
        return m_notFinite;
    const double half = static_cast<double>(m_colors.size() / 2);
    const double at = std::clamp(difference / m_range, -1.0, 1.0);
    return m_colors[static_cast<std::size_t>(std::lround(at * half + half))];
}

QRgb DifferenceTiles::merged(std::span<const QRgb> pixels) const
{
    const QRgb equal = m_colors[m_colors.size() / 2];
    const auto distance = [equal](QRgb pixel) {
        const int red = qRed(pixel) - qRed(equal), green = qGreen(pixel) - qGreen(equal),
                  blue = qBlue(pixel) - qBlue(equal);
        return red * red + green * green + blue * blue;
    };
    QRgb most = equal;
    for (const QRgb pixel : pixels) {
        if (pixel == m_notFinite)
            return pixel;
        if (qAlpha(pixel) == 255 && distance(pixel) > distance(most))
            most = pixel;
    }
    return most;
}

QString DifferenceTiles::cellText(const Tile &tile, std::size_t index) const
{
    if (index >= tile.values.size() || tile.values[index] == 0.0f)
        return {};
    const auto difference = static_cast<double>(tile.values[index]);
    if (m_measure == DifferenceMeasure::Absolute || !std::isfinite(difference))
        return QString::number(difference, 'g', 3);
    return QString::number(100 * difference, 'g', 3) + QLatin1Char('%');
}

Tile DifferenceTiles::renderCells(const Decoders &decoders, const TileKey &key,
                                  Progress &progress) const
{
    std::vector<float> ofB;
    return cellsBy(*this, key, progress, true, [&](std::uint64_t row, const CellLine &line) {
        readDifferences(decoders, row, key.firstCol(), line.values, ofB);
        for (std::size_t x = 0; x < line.pixels.size(); ++x) {
            const bool inside = readerA().map().element(row, key.firstCol() + x).has_value();
            if (notFinite(static_cast<double>(line.values[x])))
                line.marks[x].shape = CellShape::Cross;
            line.pixels[x] =
                inside ? colorOf(static_cast<double>(line.values[x])) : qRgba(0, 0, 0, 0);
        }
    });
}

Tile DifferenceTiles::renderBoxes(const Decoders &decoders, const TileKey &key,
                                  Progress &progress) const
{
    const BoxTilePtr boxes = m_pyramid.tile(
        *this, key, [&](const TileKey &wanted) { return readBoxes(decoders, wanted, progress); });
    return boxes ? paintedBoxes(
                       boxes->size, std::span(boxes->boxes),
                       [this](const Box &box) { return colorOf(static_cast<double>(box.sum)); })
                 : Tile();
}

void DifferenceTiles::readDifferences(const Decoders &decoders, std::uint64_t row,
                                      std::uint64_t col, std::span<float> out,
                                      std::vector<float> &ofB) const
{
    ofB.resize(out.size());
    readerA().values(decoders.a, row, col, out);
    readerB().values(decoders.b, row, col, ofB);
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = differenceOf(out[i], ofB[i]);
}

BoxTilePtr DifferenceTiles::readBoxes(const Decoders &decoders, const TileKey &key,
                                      Progress &progress) const
{
    std::vector<float> ofB;
    auto boxes = boxesFrom<float, Box>(
        *this, key, progress,
        [&](std::uint64_t row, std::uint64_t col, std::span<float> out) {
            readDifferences(decoders, row, col, out, ofB);
        },
        [](Box &box, float difference) {
            ++box.count;
            box.sum = largerDifference(box.sum, difference);
        });
    return boxes ? std::make_shared<const BoxTile>(BoxTile{tileSize(key), std::move(*boxes)})
                 : nullptr;
}

KeptTiles::KeptTiles(WeightReaderPtr a, WeightReaderPtr b, bool dark)
    : PairTiles(std::move(a), std::move(b))
{
    for (const KeptState state : kKeptStates)
        m_colors[static_cast<std::size_t>(state)] = keptColor(state, dark).rgb();
}

void KeptTiles::readStates(const Decoders &decoders, std::uint64_t row, std::uint64_t col,
                           std::span<std::uint8_t> out, std::vector<std::uint8_t> &ofB) const
{
    ofB.resize(out.size());
    readerA().kept(decoders.a, row, col, out);
    readerB().kept(decoders.b, row, col, ofB);
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = static_cast<std::uint8_t>(keptState(out[i], ofB[i]));
}

Tile KeptTiles::renderCells(const Decoders &decoders, const TileKey &key, Progress &progress) const
{
    std::vector<std::uint8_t> states(static_cast<std::size_t>(tileSize(key).width())), ofB;
    return cellsBy(*this, key, progress, false, [&](std::uint64_t row, const CellLine &line) {
        readStates(decoders, row, key.firstCol(), states, ofB);
        for (std::size_t x = 0; x < states.size(); ++x) {
            const bool inside = readerA().map().element(row, key.firstCol() + x).has_value();
            line.pixels[x] = inside ? m_colors[states[x]] : qRgba(0, 0, 0, 0);
            if (inside)
                line.marks[x].shape = keptShape(KeptState{states[x]});
        }
    });
}

Tile KeptTiles::renderBoxes(const Decoders &decoders, const TileKey &key, Progress &progress) const
{
    using Counts = std::array<std::uint32_t, 4>;
    std::vector<std::uint8_t> ofB;
    const auto counts = boxesFrom<std::uint8_t, Counts>(
        *this, key, progress,
        [&](std::uint64_t row, std::uint64_t col, std::span<std::uint8_t> out) {
            readStates(decoders, row, col, out, ofB);
        },
        [](Counts &box, std::uint8_t state) { ++box[state]; });
    return counts ? paintedBoxes(tileSize(key), std::span(*counts),
                                 [this](const Counts &box) { return countedColor(m_colors, box); })
                  : Tile();
}

} // namespace kernscope::ui
