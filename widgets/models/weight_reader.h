// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle.h"
#include "core/bundle/weight.h"
#include "core/codec/decode/decoder.h"
#include "widgets/models/slice_map.h"

#include <memory>
#include <mutex>
#include <span>

namespace kernscope::ui {

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

    BundlePtr m_bundle;
    std::size_t m_weight = 0;
    SliceMap m_map;
    mutable std::once_flag m_once;
    mutable Result<codec::Decoder> m_decoder = tl::unexpected(Error{});
};
using WeightReaderPtr = std::shared_ptr<const WeightReader>;

} // namespace kernscope::ui
