// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/weight/weight_tiles.h"

#include "core/compare/element_changes.h"
#include "widgets/common/labels.h"
#include "widgets/common/qt.h"
#include "widgets/common/tile_painter.h"
#include "widgets/models/session.h"
#include "widgets/models/theme.h"
#include "widgets/weight/tile_lines.h"

namespace kernscope::ui {

ColorScale::ColorScale(QWidget *parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setAccessibleName(tr("Colours of the picture"));
}

void ColorScale::showValues(ValueColors colors, double range, ValueTiles::Only only, bool notFinite)
{
    const bool aboutZero = colors == ValueColors::Signed;
    const Colors map = [aboutZero](double at, bool dark) {
        return aboutZero ? theme::diverging(2 * at - 1, dark) : theme::sequential(at);
    };
    if (only == ValueTiles::Only::Zeros)
        return showSwatches(
            [map, zero = aboutZero ? 0.5 : 0.0, word = tr("all 0")](bool dark) {
                return Swatches{{map(zero, dark), CellShape::Fill, word}};
            },
            tr("Every value is 0: the whole picture has the colour of 0."));
    if (only == ValueTiles::Only::NoNumbers)
        return showSwatches(
            [word = tr("no finite value")](bool dark) {
                return Swatches{{theme::color(Token::OutRefused, dark), CellShape::Cross, word}};
            },
            tr("Every value is NaN or infinite: there is no number to give a colour to."));
    const auto end = [range](double sign, const QString &unknown) {
        return range > 0 ? QString::number(sign * range, 'g', 3) : unknown;
    };
    showScale(aboutZero ? end(-1, u"-"_s) : u"0"_s, end(1, u"+"_s), map);
    if (notFinite)
        m_swatches = [word = tr("NaN, inf")](bool dark) {
            return Swatches{{theme::color(Token::OutRefused, dark), CellShape::Cross, word}};
        };
    say(tr("from %1 to %2").arg(m_low, m_high) + (notFinite ? tr("; NaN, inf") : QString()),
        tr("Full colour at a magnitude of %1, the 99.5th percentile; larger values look the "
           "same. Zoomed out, a dot is the root mean square of its cells. NaN and infinite values "
           "are dark red, and so is a dot that has one.")
            .arg(m_high));
}

void ColorScale::showDifference(double range, bool percent)
{
    const QString number = percent ? tr("%1 %").arg(QString::number(100 * range, 'g', 3))
                                   : QString::number(range, 'g', 3);
    showScale(QLatin1Char('-') + number, QLatin1Char('+') + number,
              [](double at, bool dark) { return theme::diverging(2 * at - 1, dark); });
    say(tr("blue %1 to orange %2").arg(m_low, m_high), {});
}

void ColorScale::showDensity()
{
    showScale(u"0 %"_s, u"100 %"_s,
              [](double at, bool dark) { return QColor(MaskTiles::shade(at, dark)); });
    say(tr("shades from nothing kept to all kept"),
        tr("Zoomed out, a dot's shade is the share of its cells that are kept. Zoomed in, "
           "\u25A0 is kept and \u00B7 is left out."));
}

void ColorScale::showScale(const QString &low, const QString &high, Colors colors)
{
    m_low = low;
    m_high = high;
    m_colors = std::move(colors);
    m_swatches = nullptr;
}

void ColorScale::showSwatches(std::function<Swatches(bool dark)> swatches, const QString &tip)
{
    m_colors = nullptr;
    m_swatches = std::move(swatches);
    QStringList words;
    for (const Swatch &swatch : m_swatches ? m_swatches(false) : Swatches())
        words.append(swatch.text);
    say(words.join(u", "_s), tip);
}

void ColorScale::say(const QString &words, const QString &tip)
{
    setAccessibleDescription(words);
    setToolTip(tip.isEmpty() ? words : tip);
    updateGeometry();
    update();
}

QSize ColorScale::sizeHint() const
{
    return {std::max(theme::em(this, 12), theme::em(this, 4) + 2 * textWidth(true)) + swatchWidth(),
            theme::em(this, 1.4)};
}

QSize ColorScale::minimumSizeHint() const
{
    return {theme::em(this, 5), theme::em(this, 1.4)};
}

/// Of the swatch beside a scale.
int ColorScale::swatchWidth() const
{
    return m_colors && m_swatches
               ? theme::em(this, 2) +
                     fontMetrics().horizontalAdvance(m_swatches(false).front().text)
               : 0;
}

/// Of the texts at the ends, which are never cut, and of what may stand there next, with room.
int ColorScale::textWidth(bool roomy) const
{
    const QFontMetrics metrics = fontMetrics();
    return std::max({metrics.horizontalAdvance(roomy ? u"-0.0000"_s : QString()),
                     metrics.horizontalAdvance(m_low), metrics.horizontalAdvance(m_high)});
}

namespace {

/// The scale and the swatches run from left to right in any window, and so do their words.
constexpr int kNearEnd = Qt::AlignLeft | Qt::AlignAbsolute | Qt::AlignVCenter;
constexpr int kFarEnd = Qt::AlignRight | Qt::AlignAbsolute | Qt::AlignVCenter;

} // namespace

void ColorScale::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const bool dark = theme::isDark(palette());
    if (m_colors)
        paintScale(painter, dark);
    if (m_swatches)
        paintSwatches(painter, m_swatches(dark), m_colors ? width() - swatchWidth() : 0);
}

void ColorScale::paintScale(QPainter &painter, bool dark) const
{
    const int gap = theme::em(this, 0.3), side = textWidth(width() >= sizeHint().width());
    const int room = width() - 2 * (side + gap) - swatchWidth();
    const QRect bar(side + gap, height() / 4, std::min(room, theme::em(this, 10)), height() / 2);
    if (bar.width() < theme::em(this, 1))
        return;
    painter.setPen(palette().color(QPalette::WindowText));
    painter.drawText(QRect(0, 0, side, height()), kFarEnd, readFromLeft(m_low, layoutDirection()));
    painter.drawText(QRect(bar.right() + gap, 0, side, height()), kNearEnd,
                     readFromLeft(m_high, layoutDirection()));
    for (int x = bar.left(); x <= bar.right(); ++x)
        painter.fillRect(x, bar.top(), 1, bar.height(),
                         m_colors(static_cast<double>(x - bar.left()) / (bar.width() - 1), dark));
    painter.setPen(palette().color(QPalette::Mid));
    painter.drawRect(bar.adjusted(0, 0, -1, -1));
}

void ColorScale::paintSwatches(QPainter &painter, const Swatches &swatches, int x) const
{
    const QFontMetrics metrics(font());
    const int gap = theme::em(this, 0.3);
    const int side = theme::em(this, 0.9);
    // Words give way to the room there is; the tooltip has them in full.
    const int most = (width() - x) / static_cast<int>(swatches.size()) - side - 2 * gap;
    int wanted = 0;
    for (const Swatch &swatch : swatches)
        wanted += side + 3 * gap + metrics.horizontalAdvance(swatch.text);
    painter.setRenderHint(QPainter::Antialiasing);
    const bool whole = wanted <= width() - x;
    for (const Swatch &swatch : swatches) {
        const QRectF box(x + 0.5, (height() - side) / 2 + 0.5, side, side);
        painter.setPen(QPen(palette().color(QPalette::Mid), 1));
        painter.setBrush(swatch.color);
        painter.drawRect(box);
        paintCellShape(painter, swatch.shape, box.center(), box.width() / 5,
                       inkOn(swatch.color.rgb()), palette().color(QPalette::PlaceholderText));
        const QString text =
            whole ? swatch.text : metrics.elidedText(swatch.text, Qt::ElideRight, most);
        painter.setPen(palette().color(QPalette::WindowText));
        const int left = x + side + gap;
        painter.drawText(QRect(left, 0, width() - left, height()), kNearEnd,
                         readFromLeft(text, layoutDirection()));
        x = left + metrics.horizontalAdvance(text) + 2 * gap;
    }
}

namespace {

/// Slices that are told apart; older ones are forgotten, and their tiles go as they age.
constexpr std::size_t kMostPictures = 64;

} // namespace

WeightPyramids &WeightPyramids::of(Session &session)
{
    if (auto *own = session.findChild<WeightPyramids *>(QString(), Qt::FindDirectChildrenOnly))
        return *own;
    return *new WeightPyramids(session);
}

WeightPyramids::WeightPyramids(Session &session)
    : QObject(&session), m_store(std::make_shared<BoxStore>())
{
    const auto forget = [this] { m_pictures.clear(); };
    connect(&session, &Session::bundleChanged, this, forget);
    connect(&session, &Session::otherChanged, this, forget);
    connect(&session, &Session::bytesChanged, this, forget);
}

PicturePyramid WeightPyramids::pyramid(const Bundle *bundle, std::size_t weight,
                                       const SliceMap &map, Kind kind)
{
    return pyramidOfPair({bundle, weight, map}, {}, kind);
}

PicturePyramid WeightPyramids::pyramidOfPair(const Slice &a, const Slice &b, Kind kind)
{
    for (const Picture &known : m_pictures) {
        if (known.kind == kind && known.a == a && known.b == b)
            return {m_store, known.number};
    }
    if (m_pictures.size() >= kMostPictures)
        m_pictures.erase(m_pictures.begin());
    m_pictures.push_back({a, b, kind, m_next++});
    return {m_store, m_pictures.back().number};
}

namespace {

/// Boxes of one line `y` of a tile of an exact level, by `read(row, col, out)` of cells. They are
/// put together two by two from single cells on, as the pyramid puts tiles together.
template <class T, class Read, class Cell>
void exactLine(const TileKey &key, std::uint64_t rows, std::uint64_t cols, int y,
               std::vector<T> &cells, std::vector<Box> &boxes, Read read, Cell boxOf)
{
    const std::uint64_t side = std::uint64_t{1} << key.level;
    const std::uint64_t first = key.firstRow() + static_cast<std::uint64_t>(y) * side;
    std::size_t high = std::min(side, rows - first);
    std::size_t wide = std::min<std::uint64_t>(kTileSide * side, cols - key.firstCol());
    boxes.resize(high * wide);
    cells.resize(wide);
    for (std::size_t k = 0; k < high; ++k) {
        read(first + k, key.firstCol(), std::span(cells));
        for (std::size_t x = 0; x < wide; ++x)
            boxes[k * wide + x] = boxOf(cells[x]);
    }
    for (int level = 0; level < key.level; ++level) {
        combineBoxes(boxes, high, wide);
        high = (high + 1) / 2;
        wide = (wide + 1) / 2;
    }
}

/// The boxes of a tile, line by line; null where it was cancelled.
template <class T, class Read, class Cell>
BoxTilePtr boxesBy(const TileSource &source, const TileKey &key, Progress &progress, Read read,
                   Cell boxOf)
{
    auto tile = std::make_shared<BoxTile>();
    tile->size = source.tileSize(key);
    if (key.level > PicturePyramid::kExactLevel) {
        auto boxes =
            boxesFrom<T, Box>(source, key, progress, read, [&boxOf](Box &box, const T &cell) {
                box = combined(box, boxOf(cell), {}, {});
            });
        if (!boxes)
            return nullptr;
        tile->boxes = std::move(*boxes);
        return tile;
    }
    tile->boxes.reserve(sizeOf(tile->size));
    std::vector<T> cells;
    std::vector<Box> boxes;
    for (int y = 0; y < tile->size.height(); ++y) {
        if (!progress.advance(1))
            return nullptr;
        exactLine<T>(key, source.rows(), source.cols(), y, cells, boxes, read, boxOf);
        tile->boxes.insert(tile->boxes.end(), boxes.begin(), boxes.end());
    }
    return tile;
}

} // namespace

Tile WeightTiles::render(const TileKey &key, Progress &progress) const
{
    const BundleReadLock lock(*m_reader->bundle());
    const codec::Decoder *decoder = m_reader->decoder();
    if (!decoder || progress.cancelled())
        return {};
    prepare(*decoder);
    progress.setTotal(static_cast<std::uint64_t>(tileSize(key).height()));
    if (key.level == 0)
        return renderCells(*decoder, key, progress);
    const BoxTilePtr boxes = m_pyramid.tile(
        *this, key, [&](const TileKey &wanted) { return readBoxes(*decoder, wanted, progress); });
    return boxes ? paintedBoxes(boxes->size, std::span(boxes->boxes),
                                [this](const Box &box) { return boxColor(box); })
                 : Tile();
}

ValueTiles::ValueTiles(WeightReaderPtr reader, ValueColors colors, bool dark, double range,
                       PicturePyramid pyramid)
    : WeightTiles(std::move(reader), dark, std::move(pyramid)), m_colors(colors), m_range(range)
{
    m_notFinite = theme::color(Token::OutRefused, dark).rgb();
    const double half = static_cast<double>(m_colorsOf.size() / 2);
    for (std::size_t i = 0; i < m_colorsOf.size(); ++i) {
        const double at = (static_cast<double>(i) - half) / half;
        m_colorsOf[i] = (m_colors == ValueColors::Signed ? theme::diverging(at, dark)
                                                         : theme::sequential(std::abs(at)))
                            .rgb();
        m_stepsOf.emplace_back(m_colorsOf[i],
                               static_cast<int>(i) - static_cast<int>(m_colorsOf.size() / 2));
    }
    std::sort(m_stepsOf.begin(), m_stepsOf.end());
}

QRgb ValueTiles::merged(std::span<const QRgb> pixels) const
{
    std::int64_t sum = 0, squares = 0, known = 0;
    for (const QRgb pixel : pixels) {
        if (pixel == m_notFinite)
            return pixel;
        if (qAlpha(pixel) == 0) { // left out: a zero
            ++known;
            continue;
        }
        const auto at = std::lower_bound(m_stepsOf.begin(), m_stepsOf.end(),
                                         std::pair(pixel, std::numeric_limits<int>::min()));
        if (at == m_stepsOf.end() || at->first != pixel)
            continue;
        ++known;
        sum += at->second;
        squares += std::int64_t{at->second} * at->second;
    }
    if (known == 0)
        return TileSource::merged(pixels);
    const double rms = std::sqrt(static_cast<double>(squares) / static_cast<double>(known));
    const long steps = std::min<long>(std::lround(rms), static_cast<long>(m_colorsOf.size() / 2));
    return m_colorsOf[static_cast<std::size_t>(static_cast<long>(m_colorsOf.size() / 2) +
                                               (sum < 0 ? -steps : steps))];
}

QRgb ValueTiles::notFinite() const
{
    m_showsNotFinite.store(true, std::memory_order_relaxed);
    return m_notFinite;
}

QRgb ValueTiles::colorOf(double value) const
{
    if (!std::isfinite(value))
        return notFinite();
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
    const bool whole = elements <= kRun * kRuns; // what is only sampled may hold others
    const std::uint64_t run = whole ? elements : kRun;
    const std::uint64_t runs = run == 0 ? 0 : std::clamp<std::uint64_t>(elements / run, 1, kRuns);
    std::vector<float> seen(run), magnitudes;
    bool allFinite = true, noneFinite = true;
    for (std::uint64_t i = 0; i < runs; ++i) {
        // Evenly spread, without a product that could wrap.
        const std::uint64_t first = std::min((elements / runs) * i, elements - run);
        decoder.decodeFloat(first, seen);
        for (const float value : seen) {
            (std::isfinite(value) ? noneFinite : allFinite) = false;
            if (std::isfinite(value) && value != 0.0f)
                magnitudes.push_back(std::abs(value));
        }
    }
    if (magnitudes.empty()) {
        if (whole && allFinite != noneFinite)
            m_only.store(allFinite ? Only::Zeros : Only::NoNumbers, std::memory_order_relaxed);
        m_range.store(1, std::memory_order_relaxed);
        return;
    }
    const auto at = magnitudes.begin() +
                    static_cast<std::ptrdiff_t>(0.995 * static_cast<double>(magnitudes.size() - 1));
    std::nth_element(magnitudes.begin(), at, magnitudes.end());
    m_range.store(static_cast<double>(*at), std::memory_order_relaxed);
}

void ValueTiles::prepare(const codec::Decoder &decoder) const
{
    std::call_once(m_once, [&] { findRange(decoder); });
}

Tile ValueTiles::renderCells(const codec::Decoder &decoder, const TileKey &key,
                             Progress &progress) const
{
    std::vector<std::uint8_t> kept(static_cast<std::size_t>(tileSize(key).width()), 1);
    const ElementChanges changes(*reader().bundle(), reader().weightIndex(), decoder);
    return cellsBy(*this, key, progress, true, [&](std::uint64_t row, const CellLine &line) {
        reader().values(decoder, row, key.firstCol(), line.values);
        if (reader().masked())
            reader().kept(decoder, row, key.firstCol(), kept);
        for (std::size_t x = 0; x < kept.size(); ++x) {
            const auto element = reader().map().element(row, key.firstCol() + x);
            const bool inside = element.has_value();
            CellMark &mark = line.marks[x];
            mark.changed = inside && changes.changed(*element);
            if (!inside || !kept[x])
                mark.shape = inside ? CellShape::Dot : CellShape::Fill;
            else if (!std::isfinite(line.values[x]))
                mark.shape = CellShape::Cross;
            line.pixels[x] = inside && kept[x] ? colorOf(static_cast<double>(line.values[x]))
                                               : qRgba(0, 0, 0, 0);
        }
    });
}

QRgb ValueTiles::boxColor(const Box &box) const
{
    if (box.count == 0)
        return colorOf(0);
    if (box.notFinite > 0)
        return notFinite();
    const double rms = std::sqrt(static_cast<double>(box.squares) / box.count);
    return colorOf(box.sum < 0 ? -rms : rms);
}

BoxTilePtr ValueTiles::readBoxes(const codec::Decoder &decoder, const TileKey &key,
                                 Progress &progress) const
{
    return boxesBy<float>(
        *this, key, progress,
        [&](std::uint64_t row, std::uint64_t col, std::span<float> out) {
            reader().values(decoder, row, col, out);
        },
        [](float cell) { return Box::of(cell); });
}

QRgb MaskTiles::shade(double density, bool dark)
{
    // Blue ink on the ground: lightness is monotone in the density in both themes.
    const QColor none = theme::color(Token::DiffEqual, dark);
    const QColor all = dark ? QColor(0xB8, 0xD8, 0xF5) : QColor(0x14, 0x3A, 0x66);
    return theme::mix(none, all, std::clamp(density, 0.0, 1.0)).rgb();
}

Tile MaskTiles::renderCells(const codec::Decoder &decoder, const TileKey &key,
                            Progress &progress) const
{
    const QRgb full = shade(1, dark()), none = shade(0, dark());
    std::vector<std::uint8_t> kept(static_cast<std::size_t>(tileSize(key).width()));
    const ElementChanges changes(*reader().bundle(), reader().weightIndex(), decoder);
    return cellsBy(*this, key, progress, false, [&](std::uint64_t row, const CellLine &line) {
        reader().kept(decoder, row, key.firstCol(), kept);
        for (std::size_t x = 0; x < kept.size(); ++x) {
            const auto element = reader().map().element(row, key.firstCol() + x);
            line.pixels[x] = !element ? qRgba(0, 0, 0, 0) : kept[x] ? full : none;
            if (element)
                line.marks[x] = {kept[x] ? CellShape::Square : CellShape::Dot,
                                 changes.changed(*element)};
        }
    });
}

QRgb MaskTiles::boxColor(const Box &box) const
{
    return shade(box.count == 0 ? 0 : static_cast<double>(box.sum) / box.count, dark());
}

/// Whole lines of a box cost two look-ups in the directory of the mask, however long.
Box MaskTiles::rankedBox(const codec::Decoder &decoder, const BoxSampler &sampler, int x, int y,
                         const TileKey &key) const
{
    const std::uint64_t side = std::uint64_t{1} << key.level;
    const std::uint64_t first = key.firstCol() + static_cast<std::uint64_t>(x) * side;
    const std::uint64_t width = std::min(side, cols() - first);
    Box box;
    for (std::uint64_t k = 0; k < sampler.rowsPerBox(); ++k) {
        const std::uint64_t row = sampler.row(y, k);
        if (row >= rows())
            break;
        const std::uint64_t run = reader().map().run(row, first, width);
        if (run == 0)
            continue;
        const std::uint64_t element = *reader().map().element(row, first);
        const auto kept = static_cast<float>(decoder.rank(element + run) - decoder.rank(element));
        box = combined(box, {kept, kept, static_cast<std::uint32_t>(run), 0}, {}, {});
    }
    return box;
}

BoxTilePtr MaskTiles::readBoxes(const codec::Decoder &decoder, const TileKey &key,
                                Progress &progress) const
{
    const bool ranked = reader().masked() && reader().map().run(0, 0, cols()) == cols();
    if (!ranked) {
        return boxesBy<std::uint8_t>(
            *this, key, progress,
            [&](std::uint64_t row, std::uint64_t col, std::span<std::uint8_t> out) {
                reader().kept(decoder, row, col, out);
            },
            [](std::uint8_t kept) { return Box::of(kept ? 1.0f : 0.0f); });
    }
    const BoxSampler sampler(key, rows(), cols());
    auto tile = std::make_shared<BoxTile>();
    tile->size = tileSize(key);
    tile->boxes.reserve(sizeOf(tile->size));
    for (int y = 0; y < tile->size.height(); ++y) {
        if (!progress.advance(1))
            return nullptr;
        for (int x = 0; x < tile->size.width(); ++x)
            tile->boxes.push_back(rankedBox(decoder, sampler, x, y, key));
    }
    return tile;
}

} // namespace kernscope::ui

#include "moc_weight_tiles.cpp"
