// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/difference_tiles.h"

#include "core/bundle/pair_read_lock.h"
#include "widgets/models/theme.h"

#include <QCoreApplication>

#include <cmath>

namespace kernscope::ui {

namespace {

struct StateWords {
    Q_DECLARE_TR_FUNCTIONS(kernscope::KeptState)
};

KeptState keptState(std::uint8_t a, std::uint8_t b)
{
    if (a != 0)
        return b != 0 ? KeptState::Both : KeptState::OnlyA;
    return b != 0 ? KeptState::OnlyB : KeptState::Neither;
}

/// Calls add(x, cellsOfA, cellsOfB) for the cells that stand for each box of line `y` of a tile.
/// `read(side, row, col, out)` reads cells of one side.
template <class T, class Read, class Add>
void samplePairs(const TileKey &key, QSize size, std::uint64_t rows, std::uint64_t cols, int y,
                 Read read, Add add)
{
    const BoxSampler sampler(key, rows, cols);
    const std::uint64_t side = std::uint64_t{1} << key.level;
    std::vector<T> a, b;
    for (std::uint64_t k = 0; k < sampler.rowsPerBox(); ++k) {
        const std::uint64_t row = sampler.row(y, k);
        if (row >= rows)
            break;
        const auto readBoth = [&](std::uint64_t col, std::uint64_t count) {
            a.resize(count);
            b.resize(count);
            read(0, row, col, std::span(a));
            read(1, row, col, std::span(b));
        };
        if (sampler.exact()) {
            const std::uint64_t count = std::min<std::uint64_t>(
                static_cast<std::uint64_t>(size.width()) * side, cols - key.firstCol());
            readBoth(key.firstCol(), count);
            for (int x = 0; x < size.width(); ++x) {
                const std::uint64_t at = static_cast<std::uint64_t>(x) * side;
                const std::uint64_t piece = std::min(side, count - at);
                add(x, std::span<const T>(a).subspan(at, piece),
                    std::span<const T>(b).subspan(at, piece));
            }
            continue;
        }
        for (int x = 0; x < size.width(); ++x) {
            const std::uint64_t col = sampler.col(x, y, k);
            readBoth(col, std::min(sampler.run(), cols - col));
            add(x, std::span<const T>(a), std::span<const T>(b));
        }
    }
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
    case KeptState::Both: return StateWords::tr("kept in both");
    case KeptState::OnlyA: return StateWords::tr("only in A");
    case KeptState::OnlyB: return StateWords::tr("only in B");
    case KeptState::Neither: break;
    }
    return StateWords::tr("in neither");
}

Tile PairTiles::render(const TileKey &key, Progress &progress) const
{
    const PairReadLock lock(*m_a->bundle(), *m_b->bundle());
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

QRgb DifferenceTiles::colorOf(double difference) const
{
    const double half = static_cast<double>(m_colors.size() / 2);
    const double at = std::isnan(difference) ? 1.0 : std::clamp(difference / m_range, -1.0, 1.0);
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
    const QSize size = tileSize(key);
    const auto width = static_cast<std::size_t>(size.width());
    Tile tile{QImage(size, QImage::Format_ARGB32_Premultiplied), std::vector<float>(sizeOf(size)),
              std::vector<CellMark>(sizeOf(size))};
    std::vector<float> a(width), b(width);
    for (int y = 0; y < size.height(); ++y) {
        if (!progress.advance(1))
            return {};
        const std::uint64_t row = key.firstRow() + static_cast<std::uint64_t>(y);
        readerA().values(decoders.a, row, key.firstCol(), a);
        readerB().values(decoders.b, row, key.firstCol(), b);
        QRgb *line = lineOf(tile.image, y);
        for (std::size_t x = 0; x < width; ++x) {
            const std::size_t at = static_cast<std::size_t>(y) * width + x;
            const bool inside = readerA().map().element(row, key.firstCol() + x).has_value();
            const float difference = differenceOf(a[x], b[x]);
            tile.values[at] = difference;
            if (std::isnan(difference))
                tile.marks[at].shape = CellShape::Cross;
            line[x] = inside ? colorOf(static_cast<double>(difference)) : qRgba(0, 0, 0, 0);
        }
    }
    return tile;
}

Tile DifferenceTiles::renderBoxes(const Decoders &decoders, const TileKey &key,
                                  Progress &progress) const
{
    const BoxTilePtr boxes = m_pyramid.tile(
        *this, key, [&](const TileKey &wanted) { return readBoxes(decoders, wanted, progress); });
    if (!boxes)
        return {};
    Tile tile{QImage(boxes->size, QImage::Format_ARGB32_Premultiplied), {}, {}};
    const auto width = static_cast<std::size_t>(boxes->size.width());
    for (int y = 0; y < boxes->size.height(); ++y) {
        QRgb *line = lineOf(tile.image, y);
        for (std::size_t x = 0; x < width; ++x)
            line[x] = colorOf(
                static_cast<double>(boxes->boxes[static_cast<std::size_t>(y) * width + x].sum));
    }
    return tile;
}

BoxTilePtr DifferenceTiles::readBoxes(const Decoders &decoders, const TileKey &key,
                                      Progress &progress) const
{
    auto tile = std::make_shared<BoxTile>();
    tile->size = tileSize(key);
    const auto width = static_cast<std::size_t>(tile->size.width());
    tile->boxes.resize(sizeOf(tile->size));
    for (int y = 0; y < tile->size.height(); ++y) {
        if (!progress.advance(1))
            return nullptr;
        Box *line = tile->boxes.data() + static_cast<std::size_t>(y) * width;
        samplePairs<float>(
            key, tile->size, rows(), cols(), y,
            [&](int side, std::uint64_t row, std::uint64_t col, std::span<float> out) {
                side == 0 ? readerA().values(decoders.a, row, col, out)
                          : readerB().values(decoders.b, row, col, out);
            },
            [&](int x, std::span<const float> a, std::span<const float> b) {
                Box &box = line[x];
                box.count += static_cast<std::uint32_t>(a.size());
                for (std::size_t i = 0; i < a.size(); ++i)
                    box.sum = largerDifference(box.sum, differenceOf(a[i], b[i]));
            });
    }
    return tile;
}

KeptTiles::KeptTiles(WeightReaderPtr a, WeightReaderPtr b, bool dark)
    : PairTiles(std::move(a), std::move(b))
{
    for (const KeptState state : kKeptStates)
        m_colors[static_cast<std::size_t>(state)] = keptColor(state, dark).rgb();
}

QString KeptTiles::cellText(const Tile &, std::size_t) const
{
    return {};
}

Tile KeptTiles::renderCells(const Decoders &decoders, const TileKey &key, Progress &progress) const
{
    const QSize size = tileSize(key);
    const auto width = static_cast<std::size_t>(size.width());
    Tile tile{
        QImage(size, QImage::Format_ARGB32_Premultiplied), {}, std::vector<CellMark>(sizeOf(size))};
    std::vector<std::uint8_t> a(width), b(width);
    for (int y = 0; y < size.height(); ++y) {
        if (!progress.advance(1))
            return {};
        const std::uint64_t row = key.firstRow() + static_cast<std::uint64_t>(y);
        readerA().kept(decoders.a, row, key.firstCol(), a);
        readerB().kept(decoders.b, row, key.firstCol(), b);
        QRgb *line = lineOf(tile.image, y);
        for (std::size_t x = 0; x < width; ++x) {
            if (!readerA().map().element(row, key.firstCol() + x)) {
                line[x] = qRgba(0, 0, 0, 0);
                continue;
            }
            const KeptState state = keptState(a[x], b[x]);
            tile.marks[static_cast<std::size_t>(y) * width + x].shape = keptShape(state);
            line[x] = m_colors[static_cast<std::size_t>(state)];
        }
    }
    return tile;
}

Tile KeptTiles::renderBoxes(const Decoders &decoders, const TileKey &key, Progress &progress) const
{
    const QSize size = tileSize(key);
    Tile tile{QImage(size, QImage::Format_ARGB32_Premultiplied), {}, {}};
    std::vector<std::array<std::uint32_t, 4>> counts;
    for (int y = 0; y < size.height(); ++y) {
        if (!progress.advance(1))
            return {};
        counts.assign(static_cast<std::size_t>(size.width()), {});
        samplePairs<std::uint8_t>(
            key, size, rows(), cols(), y,
            [&](int side, std::uint64_t row, std::uint64_t col, std::span<std::uint8_t> out) {
                side == 0 ? readerA().kept(decoders.a, row, col, out)
                          : readerB().kept(decoders.b, row, col, out);
            },
            [&](int x, std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) {
                auto &box = counts[static_cast<std::size_t>(x)];
                for (std::size_t i = 0; i < a.size(); ++i)
                    ++box[static_cast<std::size_t>(keptState(a[i], b[i]))];
            });
        QRgb *line = lineOf(tile.image, y);
        for (std::size_t x = 0; x < counts.size(); ++x)
            line[x] = countedColor(m_colors, counts[x]);
    }
    return tile;
}

} // namespace kernscope::ui
