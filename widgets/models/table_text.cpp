// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/table_text.h"

#include "core/patch/edit/edit_parser.h"
#include "widgets/models/row_table_model.h"

#include <QFileInfo>
#include <QItemSelectionModel>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLocale>
#include <QRegularExpression>
#include <QSaveFile>
#include <QStringList>

#include <algorithm>
#include <cmath>

namespace kernscope::ui {

namespace {

QString copyText(const QModelIndex &index)
{
    const QVariant copy = index.data(CopyRole);
    QString text = (copy.isValid() ? copy : index.data(Qt::DisplayRole)).toString();
    // A cell is one cell wherever it is pasted.
    for (QChar &c : text) {
        if (c == u'\t' || c == u'\n' || c == u'\r')
            c = u' ';
    }
    return text;
}

/// Row numbers from the root down: the order in which a tree shows its rows.
std::vector<int> pathOf(QModelIndex index)
{
    std::vector<int> path;
    for (; index.isValid(); index = index.parent())
        path.push_back(index.row());
    std::reverse(path.begin(), path.end());
    return path;
}

void appendRows(QString &text, const QAbstractItemModel &model, const QModelIndex &parent)
{
    for (int row = 0; row < model.rowCount(parent); ++row) {
        QStringList line;
        for (int column = 0; column < model.columnCount(parent); ++column)
            line += copyText(model.index(row, column, parent));
        if (!model.index(row, 0, parent).data(GroupRowRole).toBool())
            text += csvLine(line) + u'\n';
        appendRows(text, model, model.index(row, 0, parent));
    }
}

} // namespace

QString headerTitle(QString title)
{
    if (!title.isEmpty())
        title[0] = title[0].toUpper();
    return title;
}

QString groupedNumber(std::uint64_t number)
{
    static const QLocale english(QLocale::English, QLocale::UnitedStates);
    return english.toString(static_cast<qulonglong>(number));
}

QString withoutGroups(QString number)
{
    static const QRegularExpression groups(QStringLiteral("^[+-]?[0-9]{1,3}([, ][0-9]{3})+$"));
    return groups.match(number).hasMatch() ? number.remove(u',').remove(u' ') : number;
}

QString hexNumber(std::uint64_t number, int digits)
{
    return QStringLiteral("0x") +
           QString::number(static_cast<qulonglong>(number), 16).rightJustified(digits, u'0');
}

QString ratioText(double ratio)
{
    return std::isfinite(ratio) ? QString::number(ratio, 'f', 3) : QStringLiteral("\u2013");
}

QString percentText(double fraction)
{
    return std::isfinite(fraction)
               ? QString::number(100.0 * fraction, 'f', 1) + QStringLiteral(" %")
               : QStringLiteral("\u2013");
}

QString fromUtf8(std::string_view text)
{
    return QString::fromStdString(printable(text));
}

QString linesFromUtf8(std::string_view text)
{
    return QString::fromStdString(printableLines(text));
}

QString rawFromUtf8(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QString shown(const QString &text)
{
    return linesFromUtf8(text.toUtf8().toStdString());
}

QVariant HeaderText::data(int role) const
{
    if (role == Qt::DisplayRole)
        return title;
    return role == Qt::ToolTipRole ? QVariant(tip) : QVariant();
}

QString selectionAsTsv(const QItemSelectionModel &selection)
{
    std::map<std::vector<int>, std::map<int, QString>> rows;
    int first = INT_MAX, last = -1;
    const QModelIndexList cells = selection.selectedIndexes();
    for (const QModelIndex &cell : cells) {
        rows[pathOf(cell)][cell.column()] = copyText(cell);
        first = std::min(first, cell.column());
        last = std::max(last, cell.column());
    }
    QStringList lines;
    for (const auto &[path, texts] : rows) {
        QStringList line;
        for (int column = first; column <= last; ++column) {
            const auto at = texts.find(column);
            line += at == texts.end() ? QString() : at->second;
        }
        lines += line.join(u'\t');
    }
    return lines.join(u'\n');
}

QString csvLine(const QStringList &cells)
{
    std::vector<std::string> texts;
    for (const QString &cell : cells)
        texts.push_back(cell.toStdString());
    const std::string line = report::csvLine(std::move(texts));
    return QString::fromUtf8(line.data(), static_cast<qsizetype>(line.size()) - 1);
}

QString tableAsCsv(const QAbstractItemModel &model)
{
    QString text;
    QStringList line;
    for (int column = 0; column < model.columnCount(); ++column) {
        const QVariant key = model.headerData(column, Qt::Horizontal, KeyRole);
        line += (key.isValid() ? key : model.headerData(column, Qt::Horizontal)).toString();
    }
    text += csvLine(line) + u'\n';
    appendRows(text, model, {});
    return text;
}

QString writeTextFile(const QString &path, const QString &text)
{
    QSaveFile file(path);
    if (file.open(QIODevice::WriteOnly)) {
        file.write(text.toUtf8());
        if (file.commit())
            return {};
    }
    return file.errorString();
}

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

namespace {

template <class Number>
Result<Number> typed(const QString &text, Result<Number> (*parse)(const patch::Piece &))
{
    const std::string bytes = text.trimmed().toStdString();
    return parse({bytes, 0});
}

} // namespace

Result<double> typedNumber(const QString &text)
{
    return typed<double>(text, patch::parseNumber);
}

Result<qint64> typedInteger(const QString &text)
{
    const auto parse = [](const patch::Piece &piece) { return patch::parseInteger(piece); };
    return typed<std::int64_t>(text, parse).map([](std::int64_t number) {
        return static_cast<qint64>(number);
    });
}

QString NumberRule::fault(const QString &text) const
{
    if (text.trimmed().isEmpty())
        return empty ? QString() : Words::tr("A number is missing");
    const Result<double> number =
        integer ? typedInteger(text).map([](qint64 whole) { return static_cast<double>(whole); })
                : typedNumber(text);
    if (!number) {
        Error error = number.error();
        error.offset.reset(); // the character is named
        return fromUtf8(describe(error));
    }
    const bool bounded = std::isfinite(least) || std::isfinite(most);
    if (!bounded || (*number >= least && *number <= most))
        return {};
    constexpr double kAny = std::numeric_limits<float>::max();
    if (least < -kAny)
        return Words::tr("Not a finite number");
    return most < kAny ? Words::tr("Not from %1 to %2").arg(least, 0, 'g', 12).arg(most, 0, 'g', 12)
                       : Words::tr("Not a number from %1 on").arg(least, 0, 'g', 12);
}

} // namespace kernscope::ui
