// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/encode/form_encoder.h"
#include "core/codec/encode/sparse_builder.h"
#include "core/codec/microscaled/quantize.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::codec {

namespace {

/// Makes the halves of whole runs of groups, and adds what is left of them.
class PatternEncoder
{
public:
    PatternEncoder(std::span<const float> values, const Shape &shape, const SparsePattern &pattern)
        : m_values(values), m_keep(pattern.keep),
          m_builder(shape, values.size() / pattern.of * pattern.keep)
    {
        for (std::size_t i = pattern.axis + 1; i < shape.size(); ++i)
            m_inner *= shape[i];
    }

    /// The next `count` groups of `of` for each index behind the axis; `of` is within its extent.
    void add(std::size_t of, std::size_t count)
    {
        const std::size_t unit = of * m_inner;
        const std::size_t atOnce = std::max<std::size_t>(SparseBuilder::kRun / unit, 1);
        for (std::size_t done = 0; done < count; done += atOnce)
            addRun(of, std::min(atOnce, count - done) * unit);
    }

    EncodedWeight take() { return m_builder.take(); }

private:
    void addRun(std::size_t of, std::size_t count)
    {
        const auto values = m_values.subspan(m_done, count);
        const std::size_t keep = std::min(m_keep, of);
        m_done += count;
        if (m_inner == 1 && hasGroupKernel(of) && m_builder.addGroups(values, of, keep))
            return;
        constexpr std::size_t kSpare = 16; // zeroInColumns wants that much behind
        if (m_halves.size() < count + kSpare)
            m_halves.resize(count + kSpare);
        const auto run = std::span(m_halves).first(count);
        if (m_inner == 1) {
            zeroInGroups(values, of, keep, run);
        } else {
            for (std::size_t at = 0; at < count; at += of * m_inner)
                zeroInColumns(values.subspan(at, of * m_inner), m_inner, keep,
                              run.subspan(at, of * m_inner));
        }
        m_builder.addNonzero(run);
    }

    std::span<const float> m_values;
    std::size_t m_keep;
    std::size_t m_inner = 1;
    std::size_t m_done = 0;
    std::vector<std::uint16_t> m_halves;
    SparseBuilder m_builder;
};

} // namespace

Result<EncodedWeight> encodeSparsePattern(std::span<const float> values, const Shape &shape,
                                          const SparsePattern &pattern)
{
    TRY(checkValues(values, shape));
    if (pattern.of == 0 || pattern.keep > pattern.of)
        return tl::unexpected(badArgument("pattern", "n:m with n <= m",
                                          fmt::format("{}:{}", pattern.keep, pattern.of),
                                          "The pattern keeps more than there are"));
    if (pattern.axis >= shape.size())
        return tl::unexpected(badArgument("axis", fmt::format("below {}", shape.size()),
                                          fmt::format("{}", pattern.axis),
                                          "The shape has no such axis"));
    PatternEncoder encoder(values, shape, pattern);
    if (values.empty())
        return encoder.take();
    const std::uint64_t extent = shape[pattern.axis];
    const std::uint64_t whole = extent / pattern.of;
    const std::uint64_t rest = extent % pattern.of;
    std::uint64_t outer = 1;
    for (std::size_t i = 0; i < pattern.axis; ++i)
        outer *= shape[i];
    if (rest == 0) {
        encoder.add(pattern.of, whole * outer);
        return encoder.take();
    }
    for (std::uint64_t i = 0; i < outer; ++i) {
        if (whole != 0)
            encoder.add(pattern.of, whole);
        encoder.add(rest, 1);
    }
    return encoder.take();
}

} // namespace kernscope::codec
