// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/encode/codebook_cache.h"

#include "core/codec/encode/optimal_centres.h"

#include <algorithm>
#include <utility>

namespace kernscope::codec {

namespace {

bool sameMasses(std::span<const MassedValue> a, std::span<const MassedValue> b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const MassedValue &x, const MassedValue &y) {
                          return x.value == y.value && x.mass == y.mass;
                      });
}

} // namespace

CodebookCache::CodebookCache(std::size_t mostBytes) : m_mostBytes(mostBytes) {}

CodebookCache::~CodebookCache() = default;

std::vector<float> CodebookCache::centres(std::span<const WeightedValue> values,
                                          std::size_t clusters)
{
    return centresOf(countedMasses(values), false, clusters);
}

std::vector<float> CodebookCache::halfCentres(std::span<const MassedValue> values,
                                              std::size_t clusters)
{
    return centresOf({values.begin(), values.end()}, true, clusters);
}

std::vector<float> CodebookCache::centresOf(std::vector<MassedValue> values, bool half,
                                            std::size_t clusters)
{
    const RunCentre centre = half ? RunCentre::Half : RunCentre::Mean;
    auto known = std::find_if(m_known.begin(), m_known.end(), [&](const OptimalCentres &other) {
        return other.centre() == centre && sameMasses(other.values(), values);
    });
    if (known == m_known.end())
        known = m_known.emplace(m_known.end(), std::move(values), centre);
    else
        m_bytes -= known->bytes();
    auto found = known->of(clusters);
    m_bytes += known->bytes();
    // The codebooks of groups are asked for in turn: what was kept first serves the next turn too.
    if (m_bytes > m_mostBytes) {
        m_bytes -= known->bytes();
        m_known.erase(known);
    }
    return found;
}

} // namespace kernscope::codec
