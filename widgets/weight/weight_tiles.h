// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/box_pyramid.h"
#include "widgets/common/box_sampler.h"
#include "widgets/models/tile_source.h"
#include "widgets/models/weight_reader.h"

#include <array>
#include <atomic>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace kernscope::ui {

enum class ValueColors : std::uint8_t {
    Signed,    ///< diverging about zero
    Magnitude, ///< sequential, 0 to the range
};

/// Heat map. Far out a pixel has the root mean square of its cells, with the sign of their sum.
class ValueTiles : public TileSource
{
public:
    /// Whether there are values to give colours to.
    enum class Only : std::uint8_t { Values, Zeros, NoNumbers };

    /// `range`: the value of the full colour; 0: the 99.5th percentile of the magnitudes, from a
    /// sample taken when the first tile is drawn.
    /// `pyramid`: of this reader's cells, for levels above 0.
    ValueTiles(WeightReaderPtr reader, ValueColors colors, bool dark, double range = 0,
               PicturePyramid pyramid = {});

    std::uint64_t rows() const override { return m_reader->map().rows(); }
    std::uint64_t cols() const override { return m_reader->map().cols(); }
    Tile render(const TileKey &key, Progress &progress) const override;
    QString cellText(const Tile &tile, std::size_t index) const override;
    /// The same of colours: those of the values, of which the mean would be pale.
    QRgb merged(std::span<const QRgb> pixels) const override;

    const WeightReader &reader() const { return *m_reader; }
    ValueColors colors() const { return m_colors; }
    /// The value of the full colour; 0 until it is known.
    double range() const { return m_range.load(std::memory_order_relaxed); }
    /// Of the whole weight, not of the slice; Values until the range is known, and for a weight
    /// that is too large to read for this.
    Only only() const { return m_only.load(std::memory_order_relaxed); }

private:
    QRgb colorOf(double value) const;
    void findRange(const codec::Decoder &decoder) const;
    Tile renderCells(const codec::Decoder &decoder, const TileKey &key, Progress &progress) const;
    Tile renderBoxes(const codec::Decoder &decoder, const TileKey &key, Progress &progress) const;
    BoxTilePtr readBoxes(const codec::Decoder &decoder, const TileKey &key,
                         Progress &progress) const;

    WeightReaderPtr m_reader;
    PicturePyramid m_pyramid;
    ValueColors m_colors;
    bool m_dark;
    mutable std::once_flag m_once;
    mutable std::atomic<double> m_range;
    mutable std::atomic<Only> m_only{Only::Values};
    std::array<QRgb, 511> m_colorsOf{};          ///< full negative … full positive
    std::vector<std::pair<QRgb, int>> m_stepsOf; ///< from a colour to its steps from 0, by colour
};

/// Which cells are kept: by colour and shape near, by density in shades far out. Of a weight
/// without a mask: which cells do not decode to zero.
class MaskTiles : public TileSource
{
public:
    MaskTiles(WeightReaderPtr reader, bool dark, PicturePyramid pyramid = {});

    std::uint64_t rows() const override { return m_reader->map().rows(); }
    std::uint64_t cols() const override { return m_reader->map().cols(); }
    Tile render(const TileKey &key, Progress &progress) const override;
    /// No text: the shape says it.
    QString cellText(const Tile &tile, std::size_t index) const override;

    const WeightReader &reader() const { return *m_reader; }
    /// Colour of a box of which so much is kept, 0 to 1.
    static QRgb shade(double density, bool dark);

private:
    Tile renderCells(const codec::Decoder &decoder, const TileKey &key, Progress &progress) const;
    Tile renderBoxes(const codec::Decoder &decoder, const TileKey &key, Progress &progress) const;
    BoxTilePtr readBoxes(const codec::Decoder &decoder, const TileKey &key,
                         Progress &progress) const;
    Box rankedBox(const codec::Decoder &decoder, const BoxSampler &sampler, int x, int y,
                  const TileKey &key) const;

    WeightReaderPtr m_reader;
    PicturePyramid m_pyramid;
    bool m_dark;
};

} // namespace kernscope::ui
