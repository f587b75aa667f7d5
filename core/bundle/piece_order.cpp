// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/piece_order.h"

#include <algorithm>

namespace kernscope {

namespace {

class PieceOrder final : public codec::ElementOrder
{
public:
    PieceOrder(const std::vector<ByteRange> &pieces, unsigned width)
        : m_pieces(pieces), m_width(width)
    {
        for (const ByteRange &piece : pieces) {
            m_first.push_back(m_elements);
            m_elements += piece.bytes.value * 8 / width;
            m_extent = std::max(m_extent, piece.end());
        }
    }

    void positions(std::uint64_t first, std::span<std::uint64_t> out) const override
    {
        auto piece = static_cast<std::size_t>(
            std::upper_bound(m_first.begin(), m_first.end(), first) - m_first.begin() - 1);
        for (std::size_t i = 0; i < out.size(); ++i) {
            while (piece + 1 < m_first.size() && m_first[piece + 1] <= first + i)
                ++piece;
            out[i] = 8 * m_pieces[piece].offset.value + (first + i - m_first[piece]) * m_width;
        }
    }
    /// What is left of the piece.
    std::optional<codec::OrderTile> tileAt(std::uint64_t first, std::uint64_t count) const override
    {
        const auto piece = static_cast<std::size_t>(
            std::upper_bound(m_first.begin(), m_first.end(), first) - m_first.begin() - 1);
        const std::uint64_t within = first - m_first[piece];
        codec::OrderTile tile;
        tile.columns = std::min(m_pieces[piece].bytes.value * 8 / m_width - within, count);
        tile.bit = 8 * m_pieces[piece].offset.value + within * m_width;
        tile.rowBits = tile.columnBits = m_width;
        return tile;
    }
    std::optional<std::uint64_t> elementAt(std::uint64_t bit) const override
    {
        const FileOffset byte(bit / 8);
        for (std::size_t i = 0; i < m_pieces.size(); ++i) {
            const std::uint64_t within = bit - 8 * m_pieces[i].offset.value;
            if (m_pieces[i].contains(byte) &&
                within / m_width < m_pieces[i].bytes.value * 8 / m_width)
                return m_first[i] + within / m_width;
        }
        return std::nullopt;
    }
    std::uint64_t elements() const override { return m_elements; }
    std::uint64_t extent() const override { return m_extent; }
    void note(codec::LayoutNotes &notes) const override
    {
        notes.add(m_width);
        for (const ByteRange &piece : m_pieces) {
            notes.add(piece.bytes.value);
            notes.addRun(piece.offset.value, piece.bytes.value);
        }
    }

private:
    std::vector<ByteRange> m_pieces;
    std::vector<std::uint64_t> m_first;
    unsigned m_width;
    std::uint64_t m_elements = 0, m_extent = 0;
};

} // namespace

std::shared_ptr<const codec::ElementOrder> pieceOrder(const std::vector<ByteRange> &pieces,
                                                      unsigned width)
{
    return std::make_shared<PieceOrder>(pieces, width);
}

} // namespace kernscope
