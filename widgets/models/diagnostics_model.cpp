// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/diagnostics_model.h"

#include "widgets/models/theme.h"

namespace kernscope::ui {

void DiagnosticsModel::setRows(Source source, const Diagnostics &rows)
{
    const auto from = [source](const Entry &entry) { return entry.source == source; };
    if (rows.empty() && std::none_of(m_entries.begin(), m_entries.end(), from))
        return;
    replaceRows(false, [&] {
        m_entries.erase(std::remove_if(m_entries.begin(), m_entries.end(), from), m_entries.end());
        for (const Diagnostic &row : rows)
            m_entries.push_back({source, row});
    });
}

void DiagnosticsModel::addRow(Source source, const Diagnostic &row)
{
    replaceRows(false, [&] { m_entries.push_back({source, row}); });
}

void DiagnosticsModel::setShown(Severity severity, bool shown)
{
    bool &now = m_shown[static_cast<std::size_t>(severity)];
    if (std::exchange(now, shown) == shown)
        return;
    chooseAnew();
}

std::size_t DiagnosticsModel::countOf(Severity severity) const
{
    return static_cast<std::size_t>(
        std::count_if(m_entries.begin(), m_entries.end(), [severity](const Entry &entry) {
            return entry.diagnostic.severity == severity;
        }));
}

std::string DiagnosticsModel::originOf(std::size_t row, std::size_t) const
{
    return describe(m_entries[row].diagnostic.error);
}

QVariant DiagnosticsModel::lookOf(std::size_t row, int column, int role) const
{
    return role == Qt::DecorationRole && keyOf(column) == "severity"
               ? QVariant(severityIcon(m_entries[row].diagnostic.severity))
               : QVariant();
}

QString placeText(const Error &error)
{
    QString text = fromUtf8(error.file);
    if (error.offset)
        text += u'+' + hexNumber(error.offset->value);
    return text;
}

} // namespace kernscope::ui

#include "moc_diagnostics_model.cpp"
