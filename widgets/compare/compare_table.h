// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/compare/compare_model.h"

#include <QStyledItemDelegate>

class QTableView;

namespace kernscope::ui {

/// The relative error of a pair as its number over a bar, whose length is the share of the
/// largest one of all pairs: which weight suffers most is seen at once.
class ErrorBarDelegate final : public QStyledItemDelegate
{
    Q_OBJECT

public:
    explicit ErrorBarDelegate(const CompareModel &model, QObject *parent = nullptr);

    void paint(QPainter *painter, const QStyleOptionViewItem &option,
               const QModelIndex &index) const override;
    /// 0 to 1; nothing where no figure is there. What is not finite fills the bar.
    std::optional<double> share(const QModelIndex &index) const;

private:
    double largest() const;

    const CompareModel &m_model;
    mutable std::optional<double> m_largest; ///< of all rows; found when it is asked for
};

/// The table of pairs: where it is narrow the names give way, where it is wide the verdict has
/// room. Limits and functions are hidden at first.
QTableView *makeCompareTable(CompareModel &model, QWidget *parent);

} // namespace kernscope::ui
