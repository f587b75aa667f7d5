// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <list>
#include <span>
#include <vector>

namespace kernscope::codec {

class OptimalCentres;
struct MassedValue;
struct WeightedValue;

/// Work on codebooks of single values that later encodings of the same values need again: in
/// another index width, or with another mask. One thread at a time. Encoders give the same result
/// with it and without.
class CodebookCache
{
public:
    /// Work beyond so many bytes is not kept.
    explicit CodebookCache(std::size_t mostBytes = std::size_t{64} << 20);
    ~CodebookCache();
    CodebookCache(const CodebookCache &) = delete;
    CodebookCache &operator=(const CodebookCache &) = delete;

    /// As optimalCentres and optimalHalfCentres answer.
    std::vector<float> centres(std::span<const WeightedValue> values, std::size_t clusters);
    std::vector<float> halfCentres(std::span<const MassedValue> values, std::size_t clusters);

private:
    std::vector<float> centresOf(std::vector<MassedValue> values, bool half, std::size_t clusters);

    std::size_t m_mostBytes;
    std::size_t m_bytes = 0;
    std::list<OptimalCentres> m_known;
};

} // namespace kernscope::codec
