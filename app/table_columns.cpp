// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/table_columns.h"

#include "app/dock_set.h"
#include "app/settings.h"
#include "widgets/common/absent_columns.h"
#include "widgets/common/dock.h"
#include "widgets/models/weight_grid_model.h"

#include <QAbstractItemView>
#include <QAction>
#include <QApplication>
#include <QHeaderView>
#include <QMenu>
#include <QStringList>
#include <QTableView>
#include <QTreeView>

#include <algorithm>
#include <vector>

namespace kernscope::app {

namespace {

/// Property of a header: what its columns are kept by.
constexpr char kKey[] = "kernscopeColumns";

QHeaderView *columnHeader(QAbstractItemView *view)
{
    if (auto *table = qobject_cast<QTableView *>(view))
        return table->horizontalHeader();
    auto *tree = qobject_cast<QTreeView *>(view);
    return tree ? tree->header() : nullptr;
}

/// Sums below a table and the grid of values have columns that are not their own to choose.
bool hasOwnColumns(const QAbstractItemView &view)
{
    return view.focusPolicy() != Qt::NoFocus &&
           !qobject_cast<const ui::WeightGridModel *>(view.model());
}

} // namespace

TableColumns::TableColumns(const DockSet &docks, Settings &settings, QObject *parent)
    : QObject(parent), m_docks(docks), m_settings(settings)
{
    for (const DockSet::Entry &entry : docks.entries()) {
        for (auto *view : entry.dock->findChildren<QAbstractItemView *>())
            adopt(entry.dock->id(), view);
    }
}

void TableColumns::adopt(const QString &dock, QAbstractItemView *view)
{
    QHeaderView *header = columnHeader(view);
    if (!header || !view->model() || !hasOwnColumns(*view) || header->isHidden())
        return;
    header->setProperty(kKey, QString(dock + QLatin1Char('/') + view->accessibleName()));
    header->setSectionsMovable(true);
    header->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(header, &QWidget::customContextMenuRequested, this, [this, header, view](QPoint at) {
        auto *menu = new QMenu(header);
        menu->setAttribute(Qt::WA_DeleteOnClose);
        fillMenu(menu, view);
        menu->popup(header->mapToGlobal(at));
    });
    connect(header, &QHeaderView::sectionMoved, this, [this, header] { keep(header); });
    // Some tables get their columns with their first content.
    connect(header, &QHeaderView::sectionCountChanged, this, [this, header] { bringBack(header); });
    bringBack(header);
}

QAbstractItemView *TableColumns::current() const
{
    const auto chosen = [](QAbstractItemView *view) {
        QHeaderView *header = view ? columnHeader(view) : nullptr;
        return header && header->property(kKey).isValid();
    };
    auto *focused = qobject_cast<QAbstractItemView *>(QApplication::focusWidget());
    if (chosen(focused))
        return focused;
    const ui::Dock *dock = m_docks.focused();
    QAbstractItemView *only = nullptr;
    for (auto *view :
         dock ? dock->findChildren<QAbstractItemView *>() : QList<QAbstractItemView *>()) {
        if (!view->isVisible() || !chosen(view))
            continue;
        if (only)
            return nullptr;
        only = view;
    }
    return only;
}

void TableColumns::fillMenu(QMenu *menu, QAbstractItemView *view)
{
    QHeaderView *header = view ? columnHeader(view) : nullptr;
    if (!header || !view->model())
        return;
    const QAbstractItemModel &model = *view->model();
    int shown = header->count() - header->hiddenSectionCount();
    for (int visual = 0; visual < header->count(); ++visual) {
        const int column = header->logicalIndex(visual);
        QString title = model.headerData(column, Qt::Horizontal).toString();
        if (title.isEmpty())
            title = tr("Column %1").arg(column + 1);
        QAction *action = menu->addAction(title.replace(QLatin1Char('&'), QLatin1String("&&")));
        action->setCheckable(true);
        action->setChecked(!header->isSectionHidden(column));
        action->setToolTip(model.headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString());
        // One stays, or there would be no header to bring the others back by.
        action->setEnabled(!action->isChecked() || shown > 1);
        connect(action, &QAction::toggled, header, [this, header, column](bool on) {
            header->setSectionHidden(column, !on);
            keep(header);
        });
    }
    menu->addSeparator();
    connect(menu->addAction(tr("&All Columns in Their First Order")), &QAction::triggered, header,
            [this, header] {
                for (int column = 0; column < header->count(); ++column) {
                    header->setSectionHidden(column, false);
                    header->moveSection(header->visualIndex(column), column);
                }
                keep(header);
            });
    menu->setToolTipsVisible(true);
}

QString TableColumns::stateOf(const QHeaderView &header)
{
    QStringList words;
    const QVariantList absent = header.property(ui::kAbsentColumns).toList();
    for (int visual = 0; visual < header.count(); ++visual) {
        const int column = header.logicalIndex(visual);
        const bool chosenAway = header.isSectionHidden(column) && !absent.contains(column);
        words += (chosenAway ? QStringLiteral("-") : QString()) + QString::number(column);
    }
    return words.join(QLatin1Char(' '));
}

bool TableColumns::restore(QHeaderView &header, const QString &state)
{
    const QStringList words = state.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    if (words.size() != header.count())
        return false;
    std::vector<int> order;
    std::vector<bool> hidden, seen(static_cast<std::size_t>(header.count()), false);
    for (const QString &word : words) {
        const bool hides = word.startsWith(QLatin1Char('-'));
        bool number = false;
        const int column = word.mid(hides ? 1 : 0).toInt(&number);
        if (!number || column < 0 || column >= header.count() ||
            seen[static_cast<std::size_t>(column)])
            return false;
        seen[static_cast<std::size_t>(column)] = true;
        order.push_back(column);
        hidden.push_back(hides);
    }
    if (std::find(hidden.begin(), hidden.end(), false) == hidden.end())
        return false;
    for (int visual = 0; visual < header.count(); ++visual) {
        const auto at = static_cast<std::size_t>(visual);
        header.moveSection(header.visualIndex(order[at]), visual);
        header.setSectionHidden(order[at], hidden[at]);
    }
    return true;
}

void TableColumns::keep(QHeaderView *header)
{
    if (m_restoring)
        return;
    const QString state = stateOf(*header);
    QStringList first;
    for (int column = 0; column < header->count(); ++column)
        first += QString::number(column);
    m_settings.setTableColumns(header->property(kKey).toString(),
                               state == first.join(QLatin1Char(' ')) ? QString() : state);
}

void TableColumns::bringBack(QHeaderView *header)
{
    const QString state = m_settings.tableColumns(header->property(kKey).toString());
    if (state.isEmpty() || header->count() == 0)
        return;
    m_restoring = true;
    restore(*header, state);
    m_restoring = false;
}

} // namespace kernscope::app

#include "moc_table_columns.cpp"
