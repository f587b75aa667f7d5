// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/mil/faults.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace kernscope::mil {

ErrorBuilder Faults::make(std::string_view code, std::uint64_t offset, std::uint64_t length) const
{
    ErrorBuilder error(code);
    error.file(m_fileName).at(FileOffset(offset));
    if (length > 0)
        error.length(ByteCount(length));
    return error;
}

void Faults::add(Severity severity, Error error)
{
    std::size_t &kept = m_kept[static_cast<std::size_t>(severity)];
    if (kept >= kMaxPerSeverity) {
        ++m_dropped;
        return;
    }
    ++kept;
    m_diagnostics.push_back({severity, std::move(error)});
}

Faults::Mark Faults::mark() const
{
    return {m_diagnostics.size(), m_dropped, {m_kept[0], m_kept[1], m_kept[2]}};
}

void Faults::rollBack(const Mark &mark)
{
    m_diagnostics.resize(std::min(mark.count, m_diagnostics.size()));
    m_dropped = mark.dropped;
    std::copy(std::begin(mark.kept), std::end(mark.kept), std::begin(m_kept));
}

Diagnostics Faults::take()
{
    if (m_dropped > 0) {
        m_diagnostics.push_back(
            {Severity::Note, ErrorBuilder("mil.more")
                                 .file(m_fileName)
                                 .found(fmt::format("{}", m_dropped))
                                 .message("More faults of this file are not listed.")});
    }
    return std::move(m_diagnostics);
}

} // namespace kernscope::mil
