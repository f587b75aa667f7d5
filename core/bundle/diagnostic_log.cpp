// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/diagnostic_log.h"

#include "core/base/error_builder.h"

#include <fmt/format.h>

namespace kernscope {

void DiagnosticLog::add(Severity severity, Error error)
{
    if (m_rows.size() >= kMaxRows) {
        ++m_leftOut;
        m_leftOutError = m_leftOutError || severity == Severity::Error;
        return;
    }
    std::string key =
        fmt::format("{}\n{}\n{}\n{}\n{}\n{}", severityName(severity), error.code, error.file,
                    error.offset ? fmt::format("{}", error.offset->value) : std::string("-"),
                    error.field, error.found);
    if (m_seen.insert(std::move(key)).second)
        m_rows.push_back({severity, std::move(error)});
}

void DiagnosticLog::add(Diagnostics diagnostics)
{
    for (Diagnostic &diagnostic : diagnostics)
        add(diagnostic.severity, std::move(diagnostic.error));
}

Diagnostics DiagnosticLog::take()
{
    if (m_leftOut > 0) {
        m_rows.push_back({m_leftOutError ? Severity::Error : Severity::Note,
                          ErrorBuilder("bundle.diagnostics")
                              .found(fmt::format("{} more", m_leftOut))
                              .message("There are more faults than are listed here.")});
        m_leftOut = 0;
    }
    m_seen.clear();
    return std::exchange(m_rows, {});
}

} // namespace kernscope
