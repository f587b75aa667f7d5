// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/weight_reader.h"

#include <algorithm>
#include <array>

namespace kernscope::ui {

namespace {

/// Elements apart up to which a whole stretch is decoded to pick a few from it.
constexpr std::uint64_t kNearStride = 16;
constexpr std::uint64_t kStretch = 1024;

} // namespace

WeightReader::WeightReader(BundlePtr bundle, std::size_t weight, SliceMap map)
    : m_bundle(std::move(bundle)), m_weight(weight), m_map(std::move(map))
{
}

const codec::Decoder *WeightReader::decoder() const
{
    std::call_once(m_once, [this] { m_decoder = m_bundle->decoder(m_weight); });
    return m_decoder ? &*m_decoder : nullptr;
}

Error WeightReader::fault() const
{
    decoder();
    return m_decoder ? Error{} : m_decoder.error();
}

/// Calls read(element, at, count, stride) for stretches of cells whose elements lie `stride` apart.
template <class Read>
void WeightReader::byRuns(std::uint64_t row, std::uint64_t col, std::uint64_t count,
                          Read read) const
{
    for (std::uint64_t at = 0; at < count;) {
        const std::uint64_t length = m_map.run(row, col + at, count - at);
        if (length == 0)
            return;
        const std::uint64_t first = *m_map.element(row, col + at);
        std::uint64_t cells = length, stride = 1;
        if (length == 1 && at + 1 < count) {
            const auto next = m_map.element(row, col + at + 1);
            stride = next && *next > first ? *next - first : kNearStride + 1;
            while (stride <= kNearStride && at + cells < count && cells * stride < kStretch &&
                   m_map.element(row, col + at + cells) == first + cells * stride)
                ++cells;
        }
        read(first, at, cells, stride);
        at += cells;
    }
}

void WeightReader::values(const codec::Decoder &decoder, std::uint64_t row, std::uint64_t col,
                          std::span<float> out) const
{
    std::fill(out.begin(), out.end(), 0.0f);
    byRuns(row, col, out.size(),
           [&](std::uint64_t first, std::uint64_t at, std::uint64_t cells, std::uint64_t stride) {
               if (stride == 1 || cells == 1) {
                   decoder.decodeFloat(first, out.subspan(at, cells));
                   return;
               }
               std::array<float, kStretch + kNearStride> stretch;
               const std::uint64_t span = (cells - 1) * stride + 1;
               decoder.decodeFloat(first, std::span(stretch).first(span));
               for (std::uint64_t i = 0; i < cells; ++i)
                   out[at + i] = stretch[i * stride];
           });
}

void WeightReader::codes(const codec::Decoder &decoder, std::uint64_t row, std::uint64_t col,
                         std::span<std::int64_t> out) const
{
    std::fill(out.begin(), out.end(), codec::Decoder::kNotStored);
    byRuns(row, col, out.size(),
           [&](std::uint64_t first, std::uint64_t at, std::uint64_t cells, std::uint64_t stride) {
               if (stride == 1 || cells == 1) {
                   decoder.codes(first, out.subspan(at, cells));
                   return;
               }
               std::array<std::int64_t, kStretch + kNearStride> stretch;
               const std::uint64_t span = (cells - 1) * stride + 1;
               decoder.codes(first, std::span(stretch).first(span));
               for (std::uint64_t i = 0; i < cells; ++i)
                   out[at + i] = stretch[i * stride];
           });
}

void WeightReader::kept(const codec::Decoder &decoder, std::uint64_t row, std::uint64_t col,
                        std::span<std::uint8_t> out) const
{
    if (masked()) {
        for (std::size_t i = 0; i < out.size(); ++i) {
            const auto element = m_map.element(row, col + i);
            out[i] = element && decoder.stored(*element) ? 1 : 0;
        }
        return;
    }
    std::array<float, kStretch> piece;
    for (std::size_t at = 0; at < out.size(); at += kStretch) {
        const std::size_t count = std::min<std::size_t>(kStretch, out.size() - at);
        values(decoder, row, col + at, std::span(piece).first(count));
        for (std::size_t i = 0; i < count; ++i)
            out[at + i] = piece[i] != 0.0f ? 1 : 0; // NaN counts as something
    }
}

} // namespace kernscope::ui
