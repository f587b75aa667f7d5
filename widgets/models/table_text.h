// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"

#include <QAbstractItemModel>
#include <QCoreApplication>
#include <QString>
#include <QVariant>

#include <limits>

class QItemSelectionModel;
/// Every field in which a number is typed reads it by the parser that edits are read with: the text
/// is the number that was meant, or it is refused and stays as it was typed.

namespace kernscope::ui {

/// Translates the texts of functions that belong to no class with a tr() of its own.
struct Words {
    Q_DECLARE_TR_FUNCTIONS(kernscope::Words)
};

/// Roles that every table of the window has beside Qt's own.
enum TableRole : int {
    SortRole = Qt::UserRole + 1, ///< the number itself, by which a column sorts
    CopyRole,                    ///< text for the clipboard and files: numbers without separators
};

/// "1,234,567", whatever the system's language: the same digits as the command line's.
QString groupedNumber(std::uint64_t number);
/// Without the marks between groups of three digits; a comma elsewhere stays.
QString withoutGroups(QString number);
/// A column's title: its first letter is a capital one.
QString headerTitle(QString title);
/// "0x0002b080": at least `digits` lower-case digits.
QString hexNumber(std::uint64_t number, int digits = 1);
/// Three places: "0.479"; a dash where the ratio is not a number.
QString ratioText(double ratio);
/// One place and a sign: "58.3 %", of a fraction 0 to 1.
QString percentText(double fraction);

/// Text of a file (a name, a path, a message that quotes one) as it is shown: what would drive or
/// hide other text is written out, see kernscope::printable.
QString fromUtf8(std::string_view text);
/// The same with line feeds and tabs left in place: listings.
QString linesFromUtf8(std::string_view text);
/// As it is: for what is read back by a program (command lines, scripts, a typed name).
QString rawFromUtf8(std::string_view text);
/// A text that holds paths or names already, made safe to show.
QString shown(const QString &text);

/// Title of a column, and what its values are.
struct HeaderText {
    QString title, tip;
    /// For headerData(): the title to show, the tip as a tool tip, nothing for other roles.
    QVariant data(int role) const;
};

/// The selected cells, row by row in the order of the view, tab-separated, a line a row. Cells of
/// rows that are selected only in part stay empty.
QString selectionAsTsv(const QItemSelectionModel &selection);
/// The whole of a table with its header, comma-separated and quoted as RFC 4180 says; the rows of a
/// tree follow the row that they hang below.
QString tableAsCsv(const QAbstractItemModel &model);
/// One line of "a,b,c" with what needs it quoted.
QString csvLine(const QStringList &cells);
/// Writes UTF-8 through a temporary file. The message of what went wrong; empty where all is well.
QString writeTextFile(const QString &path, const QString &text);

/// What tables are copied and exported as.
enum class TableFormat : std::uint8_t { CommaSeparated, TabSeparated, Markdown, Json };

/// A column as it is written: in JSON under `key`, elsewhere under `title`.
struct WrittenColumn {
    int logical = 0;
    QString title, key;  ///< `key`: the command line's where the column has one
    bool number = false; ///< right-aligned, as numbers are
};
/// The column of that number; whether it holds numbers is told by a row.
WrittenColumn writtenColumn(const QAbstractItemModel &model, int logical, const QModelIndex &row);

/// Rows as tab-separated text, Markdown or JSON (an array of objects by key), with the titles.
/// Numbers are without separators (CopyRole); in JSON they are numbers.
QString rowsAs(const std::vector<QModelIndex> &rows, const std::vector<WrittenColumn> &columns,
               TableFormat format);
/// The whole of a table; the rows of a tree follow the row that they hang below.
QString tableAs(const QAbstractItemModel &model, TableFormat format);
/// By the ending of a file's name: .csv or none, .tsv or .txt, .md, .json; nothing for any other,
/// whose programs would not read a table.
std::optional<TableFormat> tableFormatOf(const QString &path);

/// "0.5", "-0x1.8p-3", "nan", "-inf"; an integer is decimal, or hexadecimal with 0x. Errors:
/// "patch.syntax", which names the character that belongs to no number.
Result<double> typedNumber(const QString &text);
Result<qint64> typedInteger(const QString &text);

/// What a field takes.
struct NumberRule {
    bool integer = false;
    bool empty = false; ///< nothing as well
    double least = -std::numeric_limits<double>::infinity();
    double most = std::numeric_limits<double>::infinity();

    /// Why a text is not taken; empty where it is.
    QString fault(const QString &text) const;
};

/// Role of a cell in which a number is typed: bool, whether it is an integer.
inline constexpr int kNumberRole = Qt::UserRole + 41;

} // namespace kernscope::ui
