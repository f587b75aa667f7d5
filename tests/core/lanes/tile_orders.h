// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/form/order_layout.h"
#include "tests/test_program.h"

/// Random orders of elements, with tiles and without.
namespace kernscope::test {

using namespace kernscope::codec;

using Random = std::mt19937_64;
using OrderPtr = std::shared_ptr<const ElementOrder>;

/// Records of some channels each, which interleave in them; every record begins somewhere.
class Records : public ElementOrder
{
public:
    Records(std::uint64_t steps, unsigned width, std::uint64_t align, Random &random)
        : m_steps(steps), m_width(width)
    {
        std::uint64_t bit = 0;
        for (std::uint64_t i = 0; i < 1 + random() % 4; ++i) {
            bit += random() % 5 * align;
            bit = (bit + align - 1) / align * align;
            m_firsts.push_back(m_channels);
            m_lanes.push_back(1 + random() % 20);
            m_bits.push_back(bit);
            m_channels += m_lanes.back();
            bit += m_lanes.back() * steps * width;
        }
        m_extent = (bit + 7) / 8;
        for (std::uint64_t channel = 0; channel < m_channels; ++channel)
            m_tables.push_back(random() % tables());
    }

    void positions(std::uint64_t first, std::span<std::uint64_t> out) const override
    {
        for (std::size_t i = 0; i < out.size(); ++i) {
            const std::uint64_t channel = (first + i) / m_steps, step = (first + i) % m_steps;
            const std::size_t record = recordOf(channel);
            out[i] =
                m_bits[record] + (step * m_lanes[record] + channel - m_firsts[record]) * m_width;
        }
    }
    std::uint64_t elements() const override { return m_channels * m_steps; }
    std::uint64_t extent() const override { return m_extent; }
    std::uint64_t table(std::uint64_t element) const override
    {
        return m_tables[element / m_steps];
    }
    std::uint64_t tables() const override { return 3; }

    std::optional<OrderTile> tile(std::uint64_t first, std::uint64_t count) const
    {
        const std::uint64_t channel = first / m_steps;
        const std::size_t record = recordOf(channel);
        auto tile = shapeAt(first, count, m_steps, m_firsts[record] + m_lanes[record] - channel);
        positions(first, std::span(&tile.bit, 1));
        tile.rowBits = m_width;
        tile.columnBits = m_width * m_lanes[record];
        return tile;
    }

private:
    std::size_t recordOf(std::uint64_t channel) const
    {
        return std::size_t(std::upper_bound(m_firsts.begin(), m_firsts.end(), channel) -
                           m_firsts.begin() - 1);
    }

    std::uint64_t m_steps, m_channels = 0, m_extent = 0;
    unsigned m_width;
    std::vector<std::uint64_t> m_firsts, m_lanes, m_bits, m_tables;
};

class TiledRecords final : public Records
{
public:
    using Records::Records;
    std::optional<OrderTile> tileAt(std::uint64_t first, std::uint64_t count) const override
    {
        return tile(first, count);
    }
};

/// Steps of a record: whole lines of the result half of the times.
inline std::uint64_t someSteps(std::uint64_t most, Random &random)
{
    return random() % 2 == 0 ? 1 + random() % most : 32 * (1 + random() % (most / 32));
}

/// Another order, of which the places are asked one by one.
class OneByOne final : public ElementOrder
{
public:
    explicit OneByOne(OrderPtr order) : m_order(std::move(order)) {}
    void positions(std::uint64_t first, std::span<std::uint64_t> out) const override
    {
        for (std::size_t i = 0; i < out.size(); ++i)
            m_order->positions(first + i, out.subspan(i, 1));
    }
    std::uint64_t elements() const override { return m_order->elements(); }
    std::uint64_t extent() const override { return m_order->extent(); }
    std::uint64_t table(std::uint64_t element) const override { return m_order->table(element); }
    std::uint64_t tables() const override { return m_order->tables(); }
    bool skipsZeros() const override { return m_order->skipsZeros(); }

private:
    OrderPtr m_order;
};

} // namespace kernscope::test
