// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/table_text.h"

#include "core/base/text.h"
#include "core/report/column.h"
#include "widgets/models/key_role.h"

#include <QItemSelectionModel>
#include <QLocale>
#include <QSaveFile>
#include <QStringList>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

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

} // namespace kernscope::ui
