// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle.h"
#include "core/codec/decode/decoder.h"
#include "core/numeric/element_type.h"

#include <QString>

#include <functional>
#include <mutex>

namespace kernscope::ui {

/// How the elements of a tensor lie in rows and columns.
///
/// Rows are one axis (axis 0 unless told). Every other axis is either held at one index or part of
/// the columns, which run over those axes row-major. A tensor of one axis, or with a single one
/// longer than 1, is wrapped into lines of a power of two, about as many as a line is long; a
/// scalar is one cell.
class SliceMap
{
public:
    SliceMap() = default;
    /// The whole tensor. The product of the extents fits 64 bits (checked when it was opened).
    explicit SliceMap(Shape shape);
    /// `held[axis]`: the index that an axis is held at; empty: all of it. An index out of range
    /// counts as the last one; held[rowAxis] does not count.
    SliceMap(Shape shape, std::size_t rowAxis, std::vector<std::optional<std::uint64_t>> held);

    /// A part of a larger tensor that lies in it along one axis, from index `first` on: cells lie
    /// as those of a tensor of the part's shape, elements and indices are those of the larger one.
    static SliceMap part(const Shape &whole, std::size_t axis, std::uint64_t first,
                         std::uint64_t count);

    /// Of a part: its own extents.
    const Shape &shape() const { return m_shape; }
    std::size_t rowAxis() const { return m_rowAxis; }
    const std::vector<std::optional<std::uint64_t>> &held() const { return m_held; }
    std::uint64_t rows() const { return m_rows; }
    std::uint64_t cols() const { return m_cols; }
    bool wrapped() const { return m_flat && !m_shape.empty(); }
    bool whole() const; ///< no axis is held: every element has a cell

    /// Row-major element of a cell; nothing past the end of a wrapped tensor.
    std::optional<std::uint64_t> element(std::uint64_t row, std::uint64_t col) const;
    /// The cell of an element; nothing where the slice leaves it out.
    std::optional<std::pair<std::uint64_t, std::uint64_t>> cell(std::uint64_t element) const;
    /// A slice like this one that holds the element: held axes move to its indices.
    SliceMap containing(std::uint64_t element) const;

    /// Cells from (row, col) on to the right, at most `limit`, whose elements follow each other in
    /// memory; 0 outside.
    std::uint64_t run(std::uint64_t row, std::uint64_t col, std::uint64_t limit) const;

    /// Indices of an element along the axes.
    std::vector<std::uint64_t> indices(std::uint64_t element) const;
    /// "[3, 0, 1, 1]"
    QString indexText(std::uint64_t element) const;
    /// Heading of a column: its indices along the column axes longer than one ("0,1,1"); of a
    /// wrapped one: "+3".
    QString columnText(std::uint64_t col) const;
    /// Heading of a row: its index; of a wrapped one: the first element.
    QString rowText(std::uint64_t row) const;

    friend bool operator==(const SliceMap &, const SliceMap &) = default;

private:
    /// Where the elements of a part lie in the larger tensor: runs of `run`, `stride` apart.
    struct Within {
        Shape shape; ///< of the larger tensor
        std::uint64_t start = 0, run = 1, stride = 1;
        friend bool operator==(const Within &, const Within &) = default;
    };
    std::optional<std::uint64_t> own(std::uint64_t row, std::uint64_t col) const;
    static std::vector<std::uint64_t> indicesIn(const Shape &shape, std::uint64_t element);

    std::optional<Within> m_within;
    Shape m_shape, m_strides;
    std::size_t m_rowAxis = 0;
    bool m_flat = true; ///< one axis counts: wrapped into lines
    std::vector<std::optional<std::uint64_t>> m_held;
    std::vector<std::size_t> m_colAxes;
    std::uint64_t m_rows = 0, m_cols = 0, m_base = 0, m_elements = 0;
    std::uint64_t m_chunk = 1; ///< columns whose elements follow each other
};

/// Reads elements of one weight of one bundle by cells of a slice, on any thread. The decoder is
/// made on first use (a codebook may be large) and kept. Immutable otherwise.
class WeightReader
{
public:
    WeightReader(BundlePtr bundle, std::size_t weight, SliceMap map);

    const BundlePtr &bundle() const { return m_bundle; }
    const Weight &weight() const { return m_bundle->weights()[m_weight]; }
    std::size_t weightIndex() const { return m_weight; }
    const SliceMap &map() const { return m_map; }

    /// The decoder; null where the weight is unsound (fault() then says why). Call with the
    /// bundle's files held (BundleReadLock).
    const codec::Decoder *decoder() const;
    Error fault() const;

    /// Values of `out.size()` cells of one row from `col` on, zero past the end of a wrapped
    /// tensor. The cells must lie in the row.
    void values(const codec::Decoder &decoder, std::uint64_t row, std::uint64_t col,
                std::span<float> out) const;
    /// The same for codes (Decoder::codes); kNotStored past the end.
    void codes(const codec::Decoder &decoder, std::uint64_t row, std::uint64_t col,
               std::span<std::int64_t> out) const;
    /// Whether each cell is kept: the mask's bit, or of a weight without one whether it decodes to
    /// something other than zero.
    void kept(const codec::Decoder &decoder, std::uint64_t row, std::uint64_t col,
              std::span<std::uint8_t> out) const;
    bool masked() const { return weight().has(codec::PartRole::Mask); }

private:
    template <class Read>
    void byRuns(std::uint64_t row, std::uint64_t col, std::uint64_t count, Read read) const;
    template <class T, class Decode>
    void gather(std::uint64_t row, std::uint64_t col, std::span<T> out, Decode decode) const;

    BundlePtr m_bundle;
    std::size_t m_weight = 0;
    SliceMap m_map;
    mutable std::once_flag m_once;
    mutable Result<codec::Decoder> m_decoder = tl::unexpected(Error{});
};
using WeightReaderPtr = std::shared_ptr<const WeightReader>;

/// The first element of a weight whose value is one of those wanted; nothing where none is, where
/// the weight is unsound and where it was cancelled. Takes the bundle's lock.
std::optional<std::uint64_t> firstElement(const Bundle &bundle, std::size_t weight,
                                          const std::function<bool(float)> &wanted,
                                          Progress &progress);

} // namespace kernscope::ui
