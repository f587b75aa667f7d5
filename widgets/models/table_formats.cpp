// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/table_formats.h"

#include "widgets/models/key_role.h"
#include "widgets/models/table_text.h"

#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <cmath>

namespace kernscope::ui {

namespace {

QString cellText(const QModelIndex &row, int column)
{
    const QModelIndex cell = row.siblingAtColumn(column);
    const QVariant copy = cell.data(CopyRole);
    return (copy.isValid() ? copy : cell.data(Qt::DisplayRole)).toString();
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

QString asLines(const std::vector<QModelIndex> &rows, const std::vector<WrittenColumn> &columns,
                bool markdown)
{
    QStringList titles, rule;
    for (const WrittenColumn &column : columns) {
        titles += oneLine(column.title, markdown);
        rule += column.number ? QStringLiteral("---:") : QStringLiteral("---");
    }
    QString text = lineOf(titles, markdown);
    if (markdown)
        text += lineOf(rule, true);
    for (const QModelIndex &row : rows) {
        QStringList cells;
        for (const WrittenColumn &column : columns)
            cells += oneLine(cellText(row, column.logical), markdown);
        text += lineOf(cells, markdown);
    }
    return text;
}

QString asJson(const std::vector<QModelIndex> &rows, const std::vector<WrittenColumn> &columns)
{
    QJsonArray list;
    for (const QModelIndex &row : rows) {
        QJsonObject object;
        for (const WrittenColumn &column : columns) {
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

void appendRowsBelow(std::vector<QModelIndex> &rows, const QAbstractItemModel &model,
                     const QModelIndex &parent)
{
    for (int i = 0; i < model.rowCount(parent); ++i) {
        const QModelIndex row = model.index(i, 0, parent);
        if (!row.data(GroupRowRole).toBool())
            rows.push_back(row);
        appendRowsBelow(rows, model, row);
    }
}

} // namespace

WrittenColumn writtenColumn(const QAbstractItemModel &model, int logical, const QModelIndex &row)
{
    const QString title = model.headerData(logical, Qt::Horizontal).toString();
    const QVariant key = model.headerData(logical, Qt::Horizontal, KeyRole);
    const auto alignment =
        row.siblingAtColumn(logical).data(Qt::TextAlignmentRole).value<Qt::Alignment>();
    return {logical, title, key.isValid() ? key.toString() : title,
            alignment.testFlag(Qt::AlignRight)};
}

QString rowsAs(const std::vector<QModelIndex> &rows, const std::vector<WrittenColumn> &columns,
               TableFormat format)
{
    return format == TableFormat::Json ? asJson(rows, columns)
                                       : asLines(rows, columns, format == TableFormat::Markdown);
}

QString tableAs(const QAbstractItemModel &model, TableFormat format)
{
    if (format == TableFormat::CommaSeparated)
        return tableAsCsv(model);
    std::vector<QModelIndex> rows;
    appendRowsBelow(rows, model, {});
    std::vector<WrittenColumn> columns;
    for (int i = 0; i < model.columnCount(); ++i)
        columns.push_back(writtenColumn(model, i, rows.empty() ? QModelIndex() : rows.front()));
    return rowsAs(rows, columns, format);
}

std::optional<TableFormat> tableFormatOf(const QString &path)
{
    const QString suffix = QFileInfo(path).suffix().toLower();
    if (suffix.isEmpty() || suffix == QLatin1String("csv"))
        return TableFormat::CommaSeparated;
    if (suffix == QLatin1String("tsv") || suffix == QLatin1String("txt"))
        return TableFormat::TabSeparated;
    if (suffix == QLatin1String("md"))
        return TableFormat::Markdown;
    if (suffix == QLatin1String("json"))
        return TableFormat::Json;
    return std::nullopt;
}

} // namespace kernscope::ui
