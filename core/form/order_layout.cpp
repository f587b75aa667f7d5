// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/form/order_layout.h"

#include <algorithm>
#include <typeinfo>

namespace kernscope::codec {

LayoutNotes::LayoutNotes(std::span<const ByteRange> pieces) : m_pieces(pieces)
{
    std::uint64_t before = 0;
    for (const ByteRange &piece : pieces) {
        m_before.push_back(before);
        before += piece.bytes.value;
    }
}

void LayoutNotes::add(std::span<const std::uint64_t> numbers)
{
    add(numbers.size());
    m_numbers.insert(m_numbers.end(), numbers.begin(), numbers.end());
}

void LayoutNotes::add(const ElementOrder *order)
{
    if (!order)
        return;
    add(typeid(*order).hash_code());
    order->note(*this);
}

void LayoutNotes::addRun(std::uint64_t first, std::uint64_t bytes)
{
    if (m_pieces.empty())
        return add(first);
    if (bytes == 0)
        return add(UINT64_MAX); // of none: it lies nowhere
    const auto behind =
        std::upper_bound(m_pieces.begin(), m_pieces.end(), first,
                         [](std::uint64_t at, const ByteRange &p) { return at < p.offset.value; });
    if (behind == m_pieces.begin()) {
        m_whole = false;
        return;
    }
    const auto piece = static_cast<std::size_t>(behind - m_pieces.begin()) - 1;
    add(m_before[piece] + (first - m_pieces[piece].offset.value));
    // Pieces may touch: the run then goes on in the next one.
    std::uint64_t end = m_pieces[piece].end();
    for (std::size_t i = piece + 1; i < m_pieces.size() && m_pieces[i].offset.value == end; ++i)
        end = m_pieces[i].end();
    m_whole = m_whole && first <= end && bytes <= end - first;
}

void LayoutNotes::addPiecesIn(std::uint64_t first, std::uint64_t bytes)
{
    for (std::size_t i = 0; i < m_pieces.size(); ++i) {
        const ByteRange &piece = m_pieces[i];
        if (piece.offset.value < first || piece.offset.value - first >= bytes)
            continue;
        m_whole = m_whole && piece.bytes.value <= bytes - (piece.offset.value - first);
        add(piece.offset.value - first);
        add(piece.bytes.value);
        add(m_before[i]);
    }
    add(UINT64_MAX); // the end of the list
}

std::optional<std::vector<std::uint64_t>> LayoutNotes::take()
{
    return m_whole ? std::optional(std::move(m_numbers)) : std::nullopt;
}

} // namespace kernscope::codec
