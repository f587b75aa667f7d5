// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/alike_names.h"

#include "widgets/common/elided_name.h"

#include <QHeaderView>
#include <QStyle>
#include <QTableView>
#include <QTimer>

#include <algorithm>

namespace kernscope::ui {

namespace {

constexpr int kMostMeasured = 100; ///< rows: a key must not wait for more

} // namespace

AlikeNames::AlikeNames(QTableView *view, int column)
    : QObject(view), m_view(view), m_soon(new QTimer(this)), m_column(column)
{
    m_soon->setSingleShot(true);
    m_soon->setInterval(0);
    connect(m_soon, &QTimer::timeout, this, &AlikeNames::decide);
    const auto later = [this] { m_soon->start(); };
    connect(view->horizontalHeader(), &QHeaderView::sectionResized, this, [this](int resized) {
        if (resized == m_column)
            m_soon->start();
    });
    const QAbstractItemModel *model = view->model();
    connect(model, &QAbstractItemModel::modelReset, this, later);
    connect(model, &QAbstractItemModel::rowsInserted, this, later);
    connect(model, &QAbstractItemModel::rowsRemoved, this, later);
    connect(model, &QAbstractItemModel::layoutChanged, this, later);
    m_soon->start();
}

void AlikeNames::decide()
{
    const QAbstractItemModel *model = m_view->model();
    const int margin = m_view->style()->pixelMetric(QStyle::PM_FocusFrameHMargin) + 1;
    const int room = m_view->columnWidth(m_column) - 2 * margin - 1; // and the line of the grid
    bool cut = false;
    for (int row = 0; row < std::min(model->rowCount(), kMostMeasured) && !cut; ++row) {
        const QString name = model->index(row, m_column).data().toString();
        cut = m_view->fontMetrics().horizontalAdvance(name) > room;
    }
    if (m_view->property(kAlwaysShort).toBool() == cut)
        return;
    m_view->setProperty(kAlwaysShort, cut);
    m_view->viewport()->update();
}

} // namespace kernscope::ui

#include "moc_alike_names.cpp"
