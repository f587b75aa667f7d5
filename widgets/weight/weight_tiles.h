// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "widgets/common/box_pyramid.h"
#include "widgets/models/weight_reader.h"

#include <QObject>
#include <QWidget>

#include <array>
#include <atomic>
#include <functional>

class QPainter;

namespace kernscope::ui {

enum class ValueColors : std::uint8_t {
    Signed,    ///< diverging about zero
    Magnitude, ///< sequential, 0 to the range
};

/// What pictures of one weight share. Levels above 0 are drawn from the boxes of a pyramid.
class WeightTiles : public TileSource
{
public:
    std::uint64_t rows() const override { return m_reader->map().rows(); }
    std::uint64_t cols() const override { return m_reader->map().cols(); }
    Tile render(const TileKey &key, Progress &progress) const override;

    const WeightReader &reader() const { return *m_reader; }

protected:
    /// `pyramid`: of this reader's cells.
    WeightTiles(WeightReaderPtr reader, bool dark, PicturePyramid pyramid)
        : m_reader(std::move(reader)), m_pyramid(std::move(pyramid)), m_dark(dark)
    {
    }
    virtual void prepare(const codec::Decoder &) const {}
    virtual Tile renderCells(const codec::Decoder &decoder, const TileKey &key,
                             Progress &progress) const = 0;
    virtual BoxTilePtr readBoxes(const codec::Decoder &decoder, const TileKey &key,
                                 Progress &progress) const = 0;
    virtual QRgb boxColor(const Box &box) const = 0;
    bool dark() const { return m_dark; }

private:
    WeightReaderPtr m_reader;
    PicturePyramid m_pyramid;
    bool m_dark;
};

/// Heat map. Far out a pixel has the root mean square of its cells, with the sign of their sum.
class ValueTiles : public WeightTiles
{
public:
    /// Whether there are values to give colours to.
    enum class Only : std::uint8_t { Values, Zeros, NoNumbers };

    /// `range`: the value of the full colour; 0: the 99.5th percentile of the magnitudes, from a
    /// sample taken when the first tile is drawn.
    ValueTiles(WeightReaderPtr reader, ValueColors colors, bool dark, double range = 0,
               PicturePyramid pyramid = {});

    QString cellText(const Tile &tile, std::size_t index) const override;
    /// The same of colours, those of the values: their mean would be pale.
    QRgb merged(std::span<const QRgb> pixels) const override;

    ValueColors colors() const { return m_colors; }
    /// The value of the full colour; 0 until it is known.
    double range() const { return m_range.load(std::memory_order_relaxed); }
    /// The same where it is of values that are there, else 0: what others are drawn in beside it.
    double rangeForOthers() const { return only() == Only::Values ? range() : 0; }
    /// Of the whole weight, not of the slice; Values until the range is known, and for a weight
    /// that is too large to read for this.
    Only only() const { return m_only.load(std::memory_order_relaxed); }
    /// Whether a cell or a dot that was drawn so far has one.
    bool showsNotFinite() const { return m_showsNotFinite.load(std::memory_order_relaxed); }

protected:
    void prepare(const codec::Decoder &decoder) const override;
    Tile renderCells(const codec::Decoder &decoder, const TileKey &key,
                     Progress &progress) const override;
    BoxTilePtr readBoxes(const codec::Decoder &decoder, const TileKey &key,
                         Progress &progress) const override;
    QRgb boxColor(const Box &box) const override;

private:
    QRgb notFinite() const;
    QRgb colorOf(double value) const;
    void findRange(const codec::Decoder &decoder) const;

    ValueColors m_colors;
    mutable std::once_flag m_once;
    mutable std::atomic<double> m_range;
    mutable std::atomic<Only> m_only{Only::Values};
    mutable std::atomic<bool> m_showsNotFinite{false};
    QRgb m_notFinite = 0;                        ///< NaN and infinity: no place between two ends
    std::array<QRgb, 511> m_colorsOf{};          ///< full negative … full positive
    std::vector<std::pair<QRgb, int>> m_stepsOf; ///< from a colour to its steps from 0, by colour
};

/// Which cells are kept: by colour and shape near, by density in shades far out. Of a weight
/// without a mask: which cells do not decode to zero.
class MaskTiles : public WeightTiles
{
public:
    MaskTiles(WeightReaderPtr reader, bool dark, PicturePyramid pyramid = {})
        : WeightTiles(std::move(reader), dark, std::move(pyramid))
    {
    }

    /// No text: the shape says it.
    QString cellText(const Tile &, std::size_t) const override { return {}; }
    /// Colour of a box by the share of it that is kept, 0 to 1.
    static QRgb shade(double density, bool dark);

protected:
    Tile renderCells(const codec::Decoder &decoder, const TileKey &key,
                     Progress &progress) const override;
    BoxTilePtr readBoxes(const codec::Decoder &decoder, const TileKey &key,
                         Progress &progress) const override;
    QRgb boxColor(const Box &box) const override;

private:
    Box rankedBox(const codec::Decoder &decoder, const BoxSampler &sampler, int x, int y,
                  const TileKey &key) const;
};

/// What the colours of a picture mean: a scale from one end to the other, or swatches with the
/// shape that goes with each colour and a word. Its words are its accessible description.
class ColorScale : public QWidget
{
    Q_OBJECT

public:
    struct Swatch {
        QColor color;
        CellShape shape;
        QString text;
    };
    using Swatches = std::vector<Swatch>;

    explicit ColorScale(QWidget *parent = nullptr);

    /// `range` 0: not known yet. Where there is nothing but zeros or no number at all, it says so
    /// instead of a range that no value has.
    void showValues(ValueColors colors, double range,
                    ValueTiles::Only only = ValueTiles::Only::Values, bool notFinite = false);
    /// From -range in blue to +range in orange; `percent`: of the value in A, written so.
    void showDifference(double range, bool percent = false);
    void showDensity();
    /// Asked for anew where the theme changes.
    void showSwatches(std::function<Swatches(bool dark)> swatches, const QString &tip = {});
    void clear() { showSwatches(nullptr); }
    QString text() const { return accessibleDescription(); }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    using Colors = std::function<QColor(double position, bool dark)>;
    void showScale(const QString &low, const QString &high, Colors colors);
    void say(const QString &words, const QString &tip);
    void paintScale(QPainter &painter, bool dark) const;
    void paintSwatches(QPainter &painter, const Swatches &swatches, int x) const;
    int swatchWidth() const;
    int textWidth(bool roomy) const;

    QString m_low, m_high; ///< at the ends
    Colors m_colors;       ///< none: swatches only
    std::function<Swatches(bool dark)> m_swatches;
};

class Session;

/// The session's coarse tiles: one pyramid for each slice of a weight and what is drawn of it, so
/// that its views share them. An edit or another bundle begins anew; tasks that still run for the
/// old bytes fill the old one, which no view uses any more.
class WeightPyramids final : public QObject
{
    Q_OBJECT

public:
    enum class Kind : std::uint8_t {
        Values,             ///< the decoded values
        Kept,               ///< 1 where a cell is kept, else 0
        Difference,         ///< of the values of two weights
        RelativeDifference, ///< that over the size of the first
    };
    /// A slice of a weight.
    struct Slice {
        const Bundle *bundle = nullptr; ///< compared only
        std::size_t weight = kNoIndex;
        SliceMap map = {};
        friend bool operator==(const Slice &, const Slice &) = default;
    };

    static WeightPyramids &of(Session &session);
    PicturePyramid pyramid(const Bundle *bundle, std::size_t weight, const SliceMap &map,
                           Kind kind);
    /// Of two slices with the same cells.
    PicturePyramid pyramidOfPair(const Slice &a, const Slice &b, Kind kind);
    const BoxStore &store() const { return *m_store; }

private:
    explicit WeightPyramids(Session &session);

    struct Picture {
        Slice a, b; ///< of a single weight no b
        Kind kind = Kind::Values;
        std::uint64_t number = 0;
    };
    std::shared_ptr<BoxStore> m_store;
    std::vector<Picture> m_pictures; ///< of the current bytes
    std::uint64_t m_next = 1;
};

} // namespace kernscope::ui
