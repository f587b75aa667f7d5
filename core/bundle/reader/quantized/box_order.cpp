// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/reader/quantized/box_order.h"

#include "core/form/order_layout.h"
#include "core/form/order_tiles.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::quantized {

namespace {

using codec::kMxGroup;

/// An index along one side of a matrix is cut in two: its number within a box, and that of the box.
struct Side {
    std::uint64_t extent = 0;  ///< of the matrix
    std::uint64_t box = 1;     ///< indices in a box
    std::uint64_t inner = 0;   ///< bits from one index to the next within a box
    std::uint64_t between = 0; ///< bits from one box to the next

    std::uint64_t bitOf(std::uint64_t index) const
    {
        return index / box * between + index % box * inner;
    }
    std::uint64_t boxes() const { return (extent + box - 1) / box; }
};

/// Elements of a matrix that lies in boxes, each a whole rectangle; those at the edges are padded.
class BoxOrder final : public codec::ElementOrder,
                       public codec::NotedOrder,
                       public codec::TiledOrder
{
public:
    BoxOrder(Side rows, Side columns, unsigned width)
        : m_rows(rows), m_columns(columns), m_width(width)
    {
    }

    void positions(std::uint64_t first, std::span<std::uint64_t> out) const override
    {
        std::uint64_t row = first / m_columns.extent, column = first % m_columns.extent;
        for (std::uint64_t &position : out) {
            position = m_rows.bitOf(row) + m_columns.bitOf(column);
            if (++column == m_columns.extent) {
                column = 0;
                ++row;
            }
        }
    }
    /// The part of a row that lies in one box.
    std::optional<codec::OrderTile> tileAt(std::uint64_t first, std::uint64_t count) const override
    {
        const std::uint64_t column = first % m_columns.extent;
        codec::OrderTile tile;
        tile.columns =
            std::min({count, m_columns.extent - column, m_columns.box - column % m_columns.box});
        tile.bit = m_rows.bitOf(first / m_columns.extent) + m_columns.bitOf(column);
        tile.columnBits = m_columns.inner;
        return tile;
    }
    std::uint64_t elements() const override { return m_rows.extent * m_columns.extent; }
    std::uint64_t extent() const override
    {
        return m_rows.boxes() * m_rows.box * m_columns.boxes() * m_columns.box * m_width / 8;
    }
    bool note(codec::LayoutNotes &notes) const override
    {
        notes.begin(codec::LayoutNotes::Kind::Boxes);
        notes.add(m_width);
        for (const Side &side : {m_rows, m_columns}) {
            notes.add(side.extent);
            notes.add(side.box);
            notes.add(side.inner);
            notes.add(side.between);
        }
        return true;
    }
    /// The four parts of both indices are the digits of the place, the widest step first.
    std::optional<std::uint64_t> elementAt(std::uint64_t bit) const override
    {
        struct Digit {
            std::uint64_t step, count;
            std::uint64_t *index;
            std::uint64_t worth; ///< what one of it adds to its index
        };
        std::uint64_t row = 0, column = 0;
        std::array<Digit, 4> digits{
            Digit{m_rows.between, m_rows.boxes(), &row, m_rows.box},
            Digit{m_rows.inner, m_rows.box, &row, 1},
            Digit{m_columns.between, m_columns.boxes(), &column, m_columns.box},
            Digit{m_columns.inner, m_columns.box, &column, 1},
        };
        std::sort(digits.begin(), digits.end(),
                  [](const Digit &a, const Digit &b) { return a.step > b.step; });
        for (const Digit &digit : digits) {
            if (digit.count == 1)
                continue; // its step says nothing
            if (bit / digit.step >= digit.count)
                return std::nullopt;
            *digit.index += bit / digit.step * digit.worth;
            bit %= digit.step;
        }
        if (bit >= m_width || row >= m_rows.extent || column >= m_columns.extent)
            return std::nullopt; // past the end, or padding
        return row * m_columns.extent + column;
    }

private:
    Side m_rows, m_columns;
    unsigned m_width;
};

using OrderResult = Result<std::shared_ptr<const codec::ElementOrder>>;

OrderResult noLayout(std::string_view field, std::string_view layout, std::string expected,
                     std::string found)
{
    return tl::unexpected(
        manifestFault(std::string(field), std::move(expected), std::move(found),
                      fmt::format("The shape of the matrix has no {} layout", layout)));
}

/// The order, where the padded matrix is no more bits than can be counted.
OrderResult boxOrder(const Side &rows, const Side &columns, unsigned width)
{
    const auto perRow = checkedMultiply(columns.boxes(), columns.box * width);
    const auto padded = checkedMultiply(rows.boxes(), rows.box);
    if (!perRow || !padded || !checkedMultiply(*perRow, *padded))
        return noLayout("rows", "boxed", "at most 2^64 bits",
                        fmt::format("{} x {}", rows.extent, columns.extent));
    return std::make_shared<BoxOrder>(rows, columns, width);
}

/// Boxes of 16 lines by two groups, row-major inside and outside; `lines` is the side that has 16.
void layZz(Side &lines, Side &groups)
{
    lines.box = 16;
    lines.inner = 2 * 8;
    groups.box = 2;
    groups.inner = 8;
    groups.between = lines.box * lines.inner;
    lines.between = groups.boxes() * groups.between;
}

OrderResult zzOrder(Side rows, Side columns, bool across)
{
    const std::uint64_t groups = across ? columns.extent : rows.extent;
    if (groups % 2 != 0)
        return noLayout("exponent_layout", "ZZ", "an even number of groups",
                        fmt::format("{} groups", groups));
    if (!across && columns.extent % 16 != 0)
        return noLayout("exponent_layout", "ZZ", "N mod 16 = 0",
                        fmt::format("N = {}", columns.extent));
    across ? layZz(rows, columns) : layZz(columns, rows);
    return boxOrder(rows, columns, 8);
}

} // namespace

Result<std::shared_ptr<const codec::ElementOrder>> dataOrder(const Description &matrix)
{
    if (matrix.layout == "nd")
        return nullptr;
    constexpr std::uint64_t kBoxRows = 16, kBoxBits = 32 * 8;
    const unsigned width = matrix.format == "mxfp8" ? 8 : 4;
    if (matrix.columnsStored * width % 8 != 0)
        return noLayout("columns_stored", "NZ", "rows of whole bytes",
                        fmt::format("{} numbers of {} bits", matrix.columnsStored, width));
    Side rows{matrix.rows, kBoxRows, kBoxBits, kBoxRows * kBoxBits};
    Side columns{matrix.columnsStored, kBoxBits / width, width, 0};
    columns.between = rows.boxes() * rows.between; // wraps only where boxOrder() refuses
    return boxOrder(rows, columns, width);
}

Result<std::shared_ptr<const codec::ElementOrder>> exponentOrder(const Description &matrix)
{
    if (matrix.exponents == "nd")
        return nullptr;
    const bool across = matrix.axis == 1;
    Side rows{across ? matrix.rows : matrix.rows / kMxGroup};
    Side columns{across ? matrix.columnsStored / kMxGroup : matrix.columnsStored};
    if (matrix.exponents == "zz")
        return zzOrder(rows, columns, across);
    if (across)
        return noLayout("exponent_layout", "interleaved", "groups along the rows (axis 0)",
                        "groups along the columns (axis 1)");
    rows.box = 2;
    rows.inner = 8;
    rows.between = 2 * 8 * columns.extent;
    columns.inner = 2 * 8;
    columns.between = 2 * 8; // boxes of one column
    return boxOrder(rows, columns, 8);
}

} // namespace kernscope::quantized
