// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"

#include <QAbstractTableModel>

#include <array>
#include <cstdint>
#include <vector>

namespace kernscope::ui {

/// Faults that were found, a row each: what is wrong, how grave it is, and where.
class DiagnosticsModel final : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column : int {
        SeverityColumn,
        Code,
        PlaceColumn,
        Field,
        Message,
        Expected,
        Found,
        ColumnCount
    };

    /// Where rows come from; each source is replaced as a whole.
    enum class Source : std::uint8_t {
        Tables,   ///< found while the bundle was opened
        Payloads, ///< found by reading every payload
        Other,    ///< added one by one: what could not be opened
    };

    explicit DiagnosticsModel(QObject *parent = nullptr);

    void setRows(Source source, const Diagnostics &rows);
    void addRow(Source source, const Diagnostic &row);

    /// Keeps rows of these severities whose code, place or message holds every word.
    void setShown(Severity severity, bool shown);
    bool shown(Severity severity) const { return m_shown[static_cast<std::size_t>(severity)]; }
    void setFilter(const QString &words);

    std::size_t countOf(Severity severity) const; ///< of all rows, filtered away or not
    std::size_t count() const { return m_entries.size(); }
    const Diagnostic &diagnosticAt(int row) const
    {
        return m_entries[m_rows[static_cast<std::size_t>(row)]].diagnostic;
    }

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

private:
    struct Entry {
        Source source = Source::Tables;
        Diagnostic diagnostic;
    };
    void chooseRows();
    void orderRows();

    std::vector<Entry> m_entries;
    std::vector<std::uint32_t> m_rows;
    std::array<bool, 3> m_shown{true, true, true};
    QString m_filter;
    int m_sortColumn = -1; ///< -1: as found
    Qt::SortOrder m_sortOrder = Qt::AscendingOrder;
};

/// "weights/weight.bin+0x40": where a fault lies.
QString placeText(const Error &error);

} // namespace kernscope::ui
