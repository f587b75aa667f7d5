// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/format/kernel_format.h"
#include "core/format/legality.h"
#include "widgets/common/text_filter.h"

#include <QAbstractTableModel>

#include <optional>
#include <vector>

namespace kernscope::ui {

/// The kernel-format enum, a row each, and whether the chosen chip's descriptor can encode a
/// weight in it: the rule that refuses, not a bare no.
class FormatsModel final : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column : int {
        Code,
        Name,
        Kind,
        Bits,
        Underlying,
        Register,
        TypeNumber,
        Since,
        Legal,
        Known,
        ColumnCount
    };

    explicit FormatsModel(QObject *parent = nullptr);

    /// What the weights are to be encoded for.
    void setUse(const format::FormatUse &use);
    const format::FormatUse &use() const { return m_use; }
    /// Keeps rows in whose texts every word occurs.
    void setFilter(const QString &words);

    const format::KernelFormatRow &rowAt(int row) const;
    const format::Legality &legalityAt(int row) const;

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

private:
    void judge();
    void chooseRows();
    void orderRows();
    QString text(std::size_t entry, int column) const;
    QVariant sortKey(std::size_t entry, int column) const;

    format::FormatUse m_use;
    std::vector<format::Legality> m_legality; ///< one a row of the enum
    std::vector<std::size_t> m_rows;
    TextFilter m_filter;
    int m_sortColumn = -1;
    Qt::SortOrder m_sortOrder = Qt::AscendingOrder;
};

/// "refused: odd index width", "legal", "legal, one rule unknown".
QString legalityWords(const format::Legality &legality);

} // namespace kernscope::ui
