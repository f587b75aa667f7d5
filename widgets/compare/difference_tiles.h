// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/weight/weight_tiles.h"

#include <QColor>

namespace kernscope::ui {

/// Which sides keep an element: by the mask's bit, or, of a weight without one, where it does not
/// decode to zero.
enum class KeptState : std::uint8_t { Both, OnlyA, OnlyB, Neither };
inline constexpr std::array<KeptState, 4> kKeptStates{KeptState::Both, KeptState::OnlyA,
                                                      KeptState::OnlyB, KeptState::Neither};

QColor keptColor(KeptState state, bool dark);
CellShape keptShape(KeptState state);         ///< goes with the colour in cells that are big enough
QString keptText(KeptState state);            ///< "kept in both", translated
ColorScale::Swatches keptSwatches(bool dark); ///< of all states

/// What both kinds of difference pictures share: two readers whose slices have the same cells.
class PairTiles : public TileSource
{
public:
    PairTiles(WeightReaderPtr a, WeightReaderPtr b) : m_a(std::move(a)), m_b(std::move(b)) {}

    std::uint64_t rows() const override { return m_a->map().rows(); }
    std::uint64_t cols() const override { return m_a->map().cols(); }
    Tile render(const TileKey &key, Progress &progress) const override;

    const WeightReader &readerA() const { return *m_a; }
    const WeightReader &readerB() const { return *m_b; }

protected:
    struct Decoders {
        const codec::Decoder &a, &b;
    };
    virtual Tile renderCells(const Decoders &decoders, const TileKey &key,
                             Progress &progress) const = 0;
    virtual Tile renderBoxes(const Decoders &decoders, const TileKey &key,
                             Progress &progress) const = 0;

private:
    WeightReaderPtr m_a, m_b;
};

/// What the cells of a difference picture are.
enum class DifferenceMeasure : std::uint8_t {
    Absolute, ///< B - A
    Relative, ///< (B - A) / |A|; infinite where A has a zero and B none
};

/// B minus A, or that over the size of A, blue to orange about zero. Far out a pixel has the
/// largest difference of its cells, so that a single changed value is not averaged away.
class DifferenceTiles : public PairTiles
{
public:
    /// `range`: the difference of the full colour, above 0. `pyramid`: of these differences, for
    /// levels above 0.
    DifferenceTiles(WeightReaderPtr a, WeightReaderPtr b, bool dark, double range,
                    DifferenceMeasure measure = DifferenceMeasure::Absolute,
                    PicturePyramid pyramid = {});

    /// The difference; empty where there is none.
    QString cellText(const Tile &tile, std::size_t index) const override;
    /// The largest difference: the pixel farthest from the colour of equal cells.
    QRgb merged(std::span<const QRgb> pixels) const override;
    double range() const { return m_range; }

protected:
    Tile renderCells(const Decoders &decoders, const TileKey &key,
                     Progress &progress) const override;
    Tile renderBoxes(const Decoders &decoders, const TileKey &key,
                     Progress &progress) const override;

private:
    QRgb colorOf(double difference) const;
    /// Whether one of the values is not: relative to zero every difference is infinite.
    bool notFinite(double difference) const;
    /// Of two values as it is shown: NaN where just one of them is not a number.
    float differenceOf(float a, float b) const;
    /// `ofB` is room for B's values.
    void readDifferences(const Decoders &decoders, std::uint64_t row, std::uint64_t col,
                         std::span<float> out, std::vector<float> &ofB) const;
    /// Boxes whose sum is the largest difference of their cells.
    BoxTilePtr readBoxes(const Decoders &decoders, const TileKey &key, Progress &progress) const;

    PicturePyramid m_pyramid;
    double m_range;
    DifferenceMeasure m_measure;
    QRgb m_notFinite = 0;
    std::array<QRgb, 511> m_colors{}; ///< full negative … full positive
};

/// Kept in both, only in A, only in B, in neither: by colour and shape near, by mixed shares far
/// out.
class KeptTiles : public PairTiles
{
public:
    KeptTiles(WeightReaderPtr a, WeightReaderPtr b, bool dark);

    /// No text: the shape says it.
    QString cellText(const Tile &, std::size_t) const override { return {}; }

protected:
    Tile renderCells(const Decoders &decoders, const TileKey &key,
                     Progress &progress) const override;
    Tile renderBoxes(const Decoders &decoders, const TileKey &key,
                     Progress &progress) const override;

private:
    void readStates(const Decoders &decoders, std::uint64_t row, std::uint64_t col,
                    std::span<std::uint8_t> out, std::vector<std::uint8_t> &ofB) const;

    std::array<QRgb, 4> m_colors{};
};

} // namespace kernscope::ui
