// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/diagnostics_model.h"

#include "widgets/common/icons.h"
#include "widgets/common/table_text.h"
#include "widgets/common/text_filter.h"

#include <algorithm>

namespace kernscope::ui {

DiagnosticsModel::DiagnosticsModel(QObject *parent) : QAbstractTableModel(parent) {}

void DiagnosticsModel::setRows(Source source, const Diagnostics &rows)
{
    const auto from = [source](const Entry &entry) { return entry.source == source; };
    if (rows.empty() && std::none_of(m_entries.begin(), m_entries.end(), from))
        return;
    beginResetModel();
    m_entries.erase(std::remove_if(m_entries.begin(), m_entries.end(), from), m_entries.end());
    for (const Diagnostic &row : rows)
        m_entries.push_back({source, row});
    chooseRows();
    endResetModel();
}

void DiagnosticsModel::addRow(Source source, const Diagnostic &row)
{
    beginResetModel();
    m_entries.push_back({source, row});
    chooseRows();
    endResetModel();
}

void DiagnosticsModel::setShown(Severity severity, bool shown)
{
    bool &now = m_shown[static_cast<std::size_t>(severity)];
    if (now == shown)
        return;
    beginResetModel();
    now = shown;
    chooseRows();
    endResetModel();
}

void DiagnosticsModel::setFilter(const QString &words)
{
    if (words == m_filter)
        return;
    beginResetModel();
    m_filter = words;
    chooseRows();
    endResetModel();
}

void DiagnosticsModel::chooseRows()
{
    const TextFilter filter(m_filter);
    m_rows.clear();
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
        const Diagnostic &row = m_entries[i].diagnostic;
        const bool kept = shown(row.severity) &&
                          (filter.empty() || filter.passes({row.error.code, row.error.file,
                                                            row.error.field, row.error.message}));
        if (kept)
            m_rows.push_back(static_cast<std::uint32_t>(i));
    }
    orderRows();
}

void DiagnosticsModel::orderRows()
{
    const auto order = [this](auto lessThan) {
        const bool descending = m_sortOrder == Qt::DescendingOrder;
        std::stable_sort(m_rows.begin(), m_rows.end(), [&](std::uint32_t a, std::uint32_t b) {
            const Diagnostic &x = m_entries[a].diagnostic, &y = m_entries[b].diagnostic;
            return descending ? lessThan(y, x) : lessThan(x, y);
        });
    };
    using Row = const Diagnostic &;
    std::sort(m_rows.begin(), m_rows.end());
    switch (m_sortColumn) {
    case SeverityColumn: order([](Row a, Row b) { return a.severity < b.severity; }); break;
    case Code: order([](Row a, Row b) { return a.error.code < b.error.code; }); break;
    case PlaceColumn:
        order([](Row a, Row b) {
            return std::tie(a.error.file, a.error.offset) < std::tie(b.error.file, b.error.offset);
        });
        break;
    case Field: order([](Row a, Row b) { return a.error.field < b.error.field; }); break;
    case Message: order([](Row a, Row b) { return a.error.message < b.error.message; }); break;
    case Expected: order([](Row a, Row b) { return a.error.expected < b.error.expected; }); break;
    case Found: order([](Row a, Row b) { return a.error.found < b.error.found; }); break;
    default: break;
    }
}

void DiagnosticsModel::sort(int column, Qt::SortOrder order)
{
    Q_EMIT layoutAboutToBeChanged({}, QAbstractItemModel::VerticalSortHint);
    const QModelIndexList before = persistentIndexList();
    const std::vector<std::uint32_t> rows = m_rows;
    m_sortColumn = column;
    m_sortOrder = order;
    orderRows();
    for (const QModelIndex &at : before) {
        const auto entry = rows[static_cast<std::size_t>(at.row())];
        const auto now = std::find(m_rows.begin(), m_rows.end(), entry) - m_rows.begin();
        changePersistentIndex(at, index(static_cast<int>(now), at.column()));
    }
    Q_EMIT layoutChanged({}, QAbstractItemModel::VerticalSortHint);
}

std::size_t DiagnosticsModel::countOf(Severity severity) const
{
    return static_cast<std::size_t>(
        std::count_if(m_entries.begin(), m_entries.end(), [severity](const Entry &entry) {
            return entry.diagnostic.severity == severity;
        }));
}

int DiagnosticsModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int DiagnosticsModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant DiagnosticsModel::data(const QModelIndex &at, int role) const
{
    if (!at.isValid() || at.row() >= rowCount())
        return {};
    const Diagnostic &row = diagnosticAt(at.row());
    if (role == Qt::DecorationRole && at.column() == SeverityColumn)
        return severityIcon(row.severity);
    if (role == Qt::ToolTipRole)
        return fromUtf8(describe(row.error));
    if (role == SortRole && at.column() == SeverityColumn)
        return static_cast<int>(row.severity);
    if (role != Qt::DisplayRole && role != SortRole && role != CopyRole)
        return {};
    switch (at.column()) {
    case SeverityColumn: return severityWord(row.severity);
    case Code: return fromUtf8(row.error.code);
    case PlaceColumn: return placeText(row.error);
    case Field: return fromUtf8(row.error.field);
    case Message: return fromUtf8(row.error.message.empty() ? row.error.code : row.error.message);
    case Expected: return fromUtf8(row.error.expected);
    case Found: return fromUtf8(row.error.found);
    default: return {};
    }
}

QVariant DiagnosticsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(Qt::Alignment(Qt::AlignLeft | Qt::AlignVCenter));
    const auto header = [section]() -> HeaderText {
        switch (section) {
        case SeverityColumn:
            return {tr("Severity"),
                    tr("Error: something cannot be read. Warning: it can, with doubt.")};
        case Code:
            return {tr("Code"), tr("Stable name of the fault, the same on the command line")};
        case PlaceColumn: return {tr("Place"), tr("File and offset; Enter goes there")};
        case Field: return {tr("Field"), tr("Field or operand that is meant")};
        case Message: return {tr("Message"), tr("What is wrong")};
        case Expected: return {tr("Expected"), tr("What should stand there")};
        case Found: return {tr("Found"), tr("What stands there")};
        default: return {};
        }
    }();
    return header.data(role);
}

QString placeText(const Error &error)
{
    QString text = fromUtf8(error.file);
    if (error.offset)
        text += u'+' + hexNumber(error.offset->value);
    return text;
}

} // namespace kernscope::ui
