// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/encode/sparse_builder.h"

#include "core/base/memory.h"
#include "core/codec/microscaled/quantize.h"

namespace kernscope::codec {

SparseBuilder::SparseBuilder(const Shape &shape, std::size_t survivors)
    : m_mask(makePart(PartRole::Mask, ElementType::Uint1, shape).bytes)
{
    m_weight.shape = shape;
    reserveLarge(m_data, 2 * survivors);
}

std::span<const std::uint16_t> SparseBuilder::addLarge(std::span<const float> values,
                                                       float threshold)
{
    bringNear();
    append(keepLarge(values, threshold, nextMask(values.size()), m_kept));
    return std::span(m_kept).first(m_before);
}

SparseBuilder::Near SparseBuilder::addLarge(std::span<const float> values, float threshold,
                                            float limit)
{
    bringNear();
    m_near.resize(kRun);
    const KeptCounts counts =
        keepLarge(values, threshold, limit, nextMask(values.size()), m_kept, m_near);
    append(counts.kept);
    return {std::span(m_kept).first(counts.kept), std::span(m_near).first(counts.near)};
}

bool SparseBuilder::addGroups(std::span<const float> values, std::size_t of, std::size_t keep)
{
    if (m_waitingCount != 0 || values.size() % 8 != 0 || values.size() > kRun)
        return false;
    bringNear();
    append(keepInGroups(values, of, keep, nextMask(values.size()), m_kept));
    return true;
}

void SparseBuilder::addNonzero(std::span<const std::uint16_t> halves)
{
    while (!halves.empty()) {
        if (m_waitingCount == 0 && halves.size() >= kRun) {
            bringNear();
            append(keepNonzero(halves.first(kRun), nextMask(kRun), m_kept));
            halves = halves.subspan(kRun);
            continue;
        }
        const std::size_t count = std::min(halves.size(), kRun - m_waitingCount);
        std::copy_n(halves.begin(), count, m_waiting.begin() + m_waitingCount);
        m_waitingCount += count;
        halves = halves.subspan(count);
        if (m_waitingCount == kRun)
            flush();
    }
}

EncodedWeight SparseBuilder::take()
{
    flush();
    EncodedPart mask;
    mask.role = PartRole::Mask;
    mask.type = ElementType::Uint1;
    mask.shape = m_weight.shape;
    mask.bytes = std::move(m_mask);
    EncodedPart data;
    data.role = PartRole::NonzeroData;
    data.type = ElementType::Fp16;
    data.shape = {m_data.size() / 2};
    data.bytes = std::move(m_data);
    m_weight.parts.push_back(std::move(mask)); // a list of initial values would copy them
    m_weight.parts.push_back(std::move(data));
    return std::move(m_weight);
}

std::span<std::byte> SparseBuilder::nextMask(std::size_t values)
{
    const auto mask = std::span(m_mask).subspan(m_done / 8);
    m_done += values;
    return mask;
}

/// Fetches the room for the next survivors, as far as it is reserved, while they are found: it
/// would be read before it is written.
void SparseBuilder::bringNear()
{
    constexpr std::size_t kLine = 64;
    const std::size_t end = std::min(m_data.size() + 2 * m_before, m_data.capacity());
    for (std::size_t at = m_data.size(); at < end; at += kLine)
        __builtin_prefetch(m_data.data() + at, 1);
}

void SparseBuilder::append(std::size_t count)
{
    m_before = count;
    const auto bytes = std::as_bytes(std::span<const std::uint16_t>(m_kept).first(count));
    m_data.insert(m_data.end(), bytes.begin(), bytes.end());
}

void SparseBuilder::flush()
{
    const auto halves = std::span<const std::uint16_t>(m_waiting).first(m_waitingCount);
    append(keepNonzero(halves, nextMask(halves.size()), m_kept));
    m_waitingCount = 0;
}

} // namespace kernscope::codec
