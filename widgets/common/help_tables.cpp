// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/help_tables.h"

#include <QRegularExpression>
#include <QStringList>

#include <utility>

namespace kernscope::ui {

namespace {

constexpr double kColumn = 11;       ///< em that a column of words needs
constexpr qsizetype kFewColumns = 2; ///< a table of so many is read in any panel

/// The cells of a row "| a | b\|c |".
QStringList cellsOf(const QString &line)
{
    QStringList cells;
    QString cell;
    for (qsizetype i = 0; i < line.size(); ++i) {
        const QChar letter = line[i];
        if (letter == QLatin1Char('\\') && i + 1 < line.size() && line[i + 1] == QLatin1Char('|'))
            cell += line[++i];
        else if (letter == QLatin1Char('|'))
            cells += std::exchange(cell, QString()).trimmed();
        else
            cell += letter;
    }
    cells += cell.trimmed();
    cells.removeFirst(); // before the first bar, and after the last
    if (!cells.isEmpty() && cells.constLast().isEmpty())
        cells.removeLast();
    return cells;
}

bool isRow(const QString &line)
{
    return line.startsWith(QLatin1Char('|'));
}

QString itemOf(const QStringList &titles, const QStringList &cells)
{
    const auto titled = [&titles](qsizetype at, const QString &cell) {
        return at < titles.size() && !titles[at].isEmpty()
                   ? QStringLiteral("*%1:* %2").arg(titles[at], cell)
                   : cell;
    };
    QString name = cells.value(0);
    QString item = QStringLiteral("- **%1**").arg(name.remove(QLatin1String("**")));
    for (qsizetype at = 1; at < cells.size(); ++at) {
        if (!cells[at].isEmpty())
            item += QLatin1String("  \n  ") + titled(at, cells[at]); // a line of its own
    }
    return item;
}

} // namespace

QString narrowTables(const QString &markdown, double ems)
{
    static const QRegularExpression rule(QStringLiteral("^\\|[ :|-]+$"));
    const QStringList lines = markdown.split(QLatin1Char('\n'));
    QStringList narrow;
    for (qsizetype i = 0; i < lines.size(); ++i) {
        const bool table =
            isRow(lines[i]) && i + 1 < lines.size() && rule.match(lines[i + 1]).hasMatch();
        const QStringList titles = table ? cellsOf(lines[i]) : QStringList();
        if (titles.size() <= kFewColumns || ems >= kColumn * static_cast<double>(titles.size())) {
            narrow += lines[i];
            continue;
        }
        for (i += 2; i < lines.size() && isRow(lines[i]); ++i)
            narrow += itemOf(titles, cellsOf(lines[i]));
        --i;
    }
    return narrow.join(QLatin1Char('\n'));
}

} // namespace kernscope::ui
