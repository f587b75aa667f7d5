// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/compare_table.h"

#include "widgets/common/alike_names.h"
#include "widgets/common/design.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/theme.h"

#include <QCoreApplication>
#include <QEvent>
#include <QHeaderView>
#include <QPainter>
#include <QTableView>
#include <QTimer>

#include <algorithm>
#include <cmath>

namespace kernscope::ui {

namespace {

constexpr double kLastColumn = 8; // in ems, before it takes what is left

/// Where a window is narrow the column of names leaves room for those up to the verdict; where it
/// is wide the verdict has room for its longest words, and no column stands at the edge in part.
/// Until the user sets the width of either.
class NamesGiveWay final : public QObject
{
public:
    NamesGiveWay(QTableView *table, const CompareModel &model)
        : QObject(table), m_table(table), m_names(model.columnOf("weight")),
          m_verdict(model.columnOf("verdict")), m_next(model.columnOf("cosine")),
          m_usualName(table->columnWidth(m_names)), m_usualVerdict(table->columnWidth(m_verdict))
    {
        table->viewport()->installEventFilter(this);
        connect(table->horizontalHeader(), &QHeaderView::sectionResized, this, [this](int column) {
            if ((column == m_names || column == m_verdict) && !m_fitting)
                m_userSized = true;
            else if (!m_fitting)
                QTimer::singleShot(0, this, &NamesGiveWay::fit);
        });
    }

protected:
    bool eventFilter(QObject *watched, QEvent *event) override
    {
        if (event->type() == QEvent::Resize || event->type() == QEvent::Show)
            fit();
        return QObject::eventFilter(watched, event);
    }

private:
    static constexpr double kLeastName = 9.5, kMostName = 26, kMostVerdict = 15; // in ems

    void fit()
    {
        if (m_userSized)
            return;
        int others = 0;
        for (int column = m_names + 1; column < m_verdict; ++column)
            others += m_table->columnWidth(column); // 0 where it is hidden
        m_fitting = true;
        const int least = std::min(m_usualName, theme::em(m_table, kLeastName));
        const int room = m_table->viewport()->width() - others;
        const int verdict = std::clamp(room - m_usualName, m_usualVerdict,
                                       std::max(m_usualVerdict, theme::em(m_table, kMostVerdict)));
        int name = room - verdict;
        if (name >= m_usualName + m_table->columnWidth(m_next)) {
            // Where every column has its room, long names have what is left.
            for (int column = m_verdict + 1; column < m_table->model()->columnCount() - 1; ++column)
                name -= m_table->columnWidth(column);
            name -= theme::em(m_table, kLastColumn);
            name = std::clamp(name, m_usualName, theme::em(m_table, kMostName));
        }
        m_table->setColumnWidth(m_verdict, verdict);
        m_table->setColumnWidth(m_names, std::max(least, name));
        m_fitting = false;
    }

    QTableView *m_table;
    const int m_names, m_verdict, m_next; ///< columns
    int m_usualName, m_usualVerdict;      ///< widths that they have where there is room
    bool m_fitting = false, m_userSized = false;
};

} // namespace

ErrorBarDelegate::ErrorBarDelegate(const CompareModel &model, QObject *parent)
    : QStyledItemDelegate(parent), m_model(model)
{
    const auto forget = [this] { m_largest.reset(); };
    connect(&model, &QAbstractItemModel::dataChanged, this, forget);
    connect(&model, &QAbstractItemModel::modelReset, this, forget);
}

double ErrorBarDelegate::largest() const
{
    if (!m_largest) {
        m_largest = 0;
        for (const report::PairRow &row : m_model.rows()) {
            if (row.pair.values && std::isfinite(row.pair.values->relativeRmse))
                m_largest = std::max(*m_largest, row.pair.values->relativeRmse);
        }
    }
    return *m_largest;
}

std::optional<double> ErrorBarDelegate::share(const QModelIndex &index) const
{
    const std::size_t number = m_model.rowAt(index.row());
    if (number >= m_model.rows().size() || !m_model.rows()[number].pair.values)
        return std::nullopt;
    const ValueDifference &values = *m_model.rows()[number].pair.values;
    if (!std::isfinite(values.relativeRmse))
        return 1;
    return largest() > 0 ? values.relativeRmse / largest() : 0;
}

void ErrorBarDelegate::paint(QPainter *painter, const QStyleOptionViewItem &option,
                             const QModelIndex &index) const
{
    QStyledItemDelegate::paint(painter, option, index);
    const auto part = share(index);
    if (!part)
        return;
    const int height = std::max(3, option.rect.height() / 6);
    const QRect track(option.rect.left() + 3, option.rect.bottom() + 1 - height,
                      std::max(0, option.rect.width() - 6), height);
    painter->fillRect(track, design::track(option.palette));
    const int filled = static_cast<int>(std::lround(*part * track.width()));
    if (*part > 0)
        painter->fillRect(QRect(track.left(), track.top(), std::max(1, filled), height),
                          theme::color(Token::DiffMore, theme::isDark(option.palette)));
}

QTableView *makeCompareTable(CompareModel &model, QWidget *parent)
{
    auto *table = new QTableView(parent);
    table->setAccessibleName(
        QCoreApplication::translate("kernscope::CompareTable", "Weights of both bundles in pairs"));
    table->setModel(&model);
    table->setDragEnabled(true);
    table->setAcceptDrops(true);
    table->setDragDropMode(QAbstractItemView::DragDrop);
    table->setDefaultDropAction(Qt::LinkAction);
    table->setDragDropOverwriteMode(true);
    prepareTable(table);
    table->setMinimumHeight(theme::em(table, 4));
    table->setColumnHidden(model.columnOf("limits"), true);
    table->setItemDelegateForColumn(model.columnOf("relative_rmse"),
                                    new ErrorBarDelegate(model, table));
    setColumnWidths(table->horizontalHeader(),
                    {15,  6, 6,   6,   4.8, 6.4, 4.4, 5.2, 4.4, 6, 12,         14,
                     5.2, 5, 5.5, 5.5, 5.5, 5.5, 5,   6.2, 5.2, 5, kLastColumn});
    table->horizontalHeader()->setStretchLastSection(true);
    new NamesGiveWay(table, model);
    new AlikeNames(table, model.columnOf("weight"));
    return table;
}

} // namespace kernscope::ui

#include "moc_compare_table.cpp"
