// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/text_filter.h"
#include "widgets/common/theme.h"

#include <QAbstractTableModel>
#include <QStringList>

#include <optional>
#include <vector>

namespace kernscope::ui {

/// A cell of a table of facts. Colour never stands alone: the text says what it means.
struct FactCell {
    QString text;
    QVariant sort = {};              ///< the number itself; the text where there is none
    QString tip = {};                ///< where it comes from
    std::optional<Token> token = {}; ///< ground, as an outcome has it
    bool strong = false;             ///< bold
};

/// Rows of facts that a dock has worked out, filtered as one types.
class FactTableModel final : public QAbstractTableModel
{
    Q_OBJECT

public:
    using Row = std::vector<FactCell>;

    /// Headers and what each column means, for the header's tooltips.
    explicit FactTableModel(QStringList headers, QStringList meanings = {},
                            QObject *parent = nullptr);

    void setRows(std::vector<Row> rows);
    void setFilter(const QString &words);
    /// Index of a shown row in what setRows was given.
    std::size_t sourceRow(int row) const { return m_shown[static_cast<std::size_t>(row)]; }

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;
    void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

private:
    void select();

    QStringList m_headers, m_meanings;
    std::vector<Row> m_rows;
    std::vector<std::size_t> m_shown;
    TextFilter m_filter;
    int m_sortColumn = -1;
    Qt::SortOrder m_order = Qt::AscendingOrder;
};

} // namespace kernscope::ui
