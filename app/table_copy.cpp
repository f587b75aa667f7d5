// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/table_copy.h"

#include "widgets/common/key_role.h"
#include "widgets/common/table_text.h"

#include <QAbstractItemView>
#include <QHeaderView>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTableView>
#include <QTreeView>

#include <algorithm>
#include <cmath>
#include <vector>

namespace kernscope::app {

namespace {

struct Column {
    int logical = 0;
    QString title, key;  ///< `key`: of JSON, the command line's where the column has one
    bool number = false; ///< right-aligned, as numbers are
};

const QHeaderView *headerOf(const QAbstractItemView &view)
{
    if (const auto *table = qobject_cast<const QTableView *>(&view))
        return table->horizontalHeader();
    const auto *tree = qobject_cast<const QTreeView *>(&view);
    return tree ? tree->header() : nullptr;
}

/// One index a selected row, from the top down; the rows of a tree by the path that leads to them.
std::vector<QModelIndex> selectedRows(const QAbstractItemView &view)
{
    const auto path = [](QModelIndex index) {
        std::vector<int> rows;
        for (; index.isValid(); index = index.parent())
            rows.insert(rows.begin(), index.row());
        return rows;
    };
    std::vector<std::pair<std::vector<int>, QModelIndex>> found;
    for (const QModelIndex &index : view.selectionModel()->selectedIndexes())
        found.emplace_back(path(index), index.siblingAtColumn(0));
    std::sort(found.begin(), found.end(),
              [](const auto &a, const auto &b) { return a.first < b.first; });
    std::vector<QModelIndex> rows;
    for (const auto &[at, index] : found) {
        if (rows.empty() || rows.back() != index)
            rows.push_back(index);
    }
    return rows;
}

QString cellText(const QModelIndex &row, int column)
{
    const QModelIndex cell = row.siblingAtColumn(column);
    const QVariant copy = cell.data(ui::CopyRole);
    return (copy.isValid() ? copy : cell.data(Qt::DisplayRole)).toString();
}

std::vector<Column> columnsOf(const QAbstractItemView &view, const QModelIndex &row)
{
    const QAbstractItemModel &model = *view.model();
    const QHeaderView *header = headerOf(view);
    std::vector<Column> columns;
    for (int visual = 0; visual < model.columnCount(row.parent()); ++visual) {
        const int logical = header ? header->logicalIndex(visual) : visual;
        if (header && header->isSectionHidden(logical))
            continue;
        const QString title = model.headerData(logical, Qt::Horizontal).toString();
        const QVariant key = model.headerData(logical, Qt::Horizontal, ui::KeyRole);
        Column column{logical, title, key.isValid() ? key.toString() : title, false};
        const auto alignment =
            row.siblingAtColumn(logical).data(Qt::TextAlignmentRole).value<Qt::Alignment>();
        column.number = alignment.testFlag(Qt::AlignRight);
        columns.push_back(column);
    }
    return columns;
}

QString oneLine(QString text, bool markdown)
{
    text.replace(u'\t', u' ').replace(u'\n', u' ');
    if (markdown)
        text.replace(u'\\', QStringLiteral("\\\\")).replace(u'|', QStringLiteral("\\|"));
    return text;
}

QString lineOf(const QStringList &cells, bool markdown)
{
    return markdown
               ? QStringLiteral("| ") + cells.join(QStringLiteral(" | ")) + QStringLiteral(" |\n")
               : cells.join(u'\t') + u'\n';
}

QString asLines(const std::vector<QModelIndex> &rows, const std::vector<Column> &columns,
                bool markdown)
{
    QStringList titles, rule;
    for (const Column &column : columns) {
        titles += oneLine(column.title, markdown);
        rule += column.number ? QStringLiteral("---:") : QStringLiteral("---");
    }
    QString text = lineOf(titles, markdown);
    if (markdown)
        text += lineOf(rule, true);
    for (const QModelIndex &row : rows) {
        QStringList cells;
        for (const Column &column : columns)
            cells += oneLine(cellText(row, column.logical), markdown);
        text += lineOf(cells, markdown);
    }
    return text;
}

QString asJson(const std::vector<QModelIndex> &rows, const std::vector<Column> &columns)
{
    QJsonArray list;
    for (const QModelIndex &row : rows) {
        QJsonObject object;
        for (const Column &column : columns) {
            const QString text = cellText(row, column.logical);
            bool number = false;
            const double value = column.number ? text.toDouble(&number) : 0;
            // Beyond 2^53 a number of JSON would lose digits.
            number = number && std::abs(value) < 9007199254740992.0;
            object.insert(column.key, number ? QJsonValue(value) : QJsonValue(text));
        }
        list.append(object);
    }
    return QString::fromUtf8(QJsonDocument(list).toJson());
}

} // namespace

QString copiedTable(const QAbstractItemView &view, TableFormat format)
{
    if (!view.model() || !view.selectionModel())
        return {};
    const std::vector<QModelIndex> rows = selectedRows(view);
    if (rows.empty())
        return {};
    const std::vector<Column> columns = columnsOf(view, rows.front());
    return format == TableFormat::Json ? asJson(rows, columns)
                                       : asLines(rows, columns, format == TableFormat::Markdown);
}

} // namespace kernscope::app
