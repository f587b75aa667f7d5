// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "core/base/progress.h"
#include "core/report/column.h"

#include <condition_variable>
#include <mutex>
#include <thread>

/// Text for people: aligned columns, units, colour only on a terminal and without NO_COLOR.
namespace kernscope::cli {

struct Context;

enum class Style { Plain, Bold, Dim, Good, Warning, Bad };
/// The text in that style where standard output is a terminal that shows it, else as it is.
std::string styled(Style style, std::string_view text);
using kernscope::printable;

using report::bytesText;
using report::counted;
using report::grouped;
using report::percentText;

/// A line in bold after an empty one.
std::string heading(std::string_view text);

/// --wide: tables have all columns on a terminal too, however long the lines get.
void showWide();
/// --columns: tables that have one of these show them alone, in this order.
void showColumns(std::vector<std::string> titles);
/// The first of showColumns() that no printed table has, as wrong use; call once all is printed.
std::optional<Error> unknownColumn();
/// Columns in the terminal that standard output is, or that standard error is where standard output
/// is a pipe; 0 where there is none, or after showWide().
std::size_t terminalWidth();
/// The text with lines of more than `width` columns broken at spaces, to go on below their second
/// column.
std::string wrapped(std::string_view text, std::size_t width);

/// A table for standard output: the header in bold, as wide as a terminal has room for. Columns
/// that have none are named below it.
class Table : public report::TextTable
{
public:
    using TextTable::TextTable;
    Table(report::TextTable table) : TextTable(std::move(table)) {}
    /// Every line is ended by a newline.
    std::string text() const { return text(terminalWidth()); }
    /// The same for a line of `lineWidth` columns; 0 for no limit.
    std::string text(std::size_t lineWidth) const;
};
/// A table as standard output shows it.
inline std::string terminalText(report::TextTable table)
{
    return Table(std::move(table)).text();
}
/// The same of declared columns.
template <class Row, class Rows>
std::string tableText(const report::TableOf<Row> &table, const Rows &rows,
                      const report::Titles &titles = {})
{
    return terminalText(report::textTable(table, rows, titles));
}
/// That table below its title; nothing where it has no row.
template <class Row, class Rows>
std::string titledTable(std::string_view title, const report::TableOf<Row> &table, const Rows &rows,
                        const report::Titles &titles = {})
{
    return std::empty(rows) ? std::string() : heading(title) + tableText(table, rows, titles);
}

/// What a command says is kept until it has ended, for only then it is known that the files it read
/// stayed the same. Whatever could drive a terminal is shown as printable() has it, the styles of
/// styled() aside. To standard output, no line longer than a terminal is wide:
void print(std::string text);
/// The same for documents, whose lines are theirs.
void printWhole(std::string text);
/// A line to standard error, unless --quiet.
void note(const Context &context, std::string_view text);
/// A line to standard error, always.
void complain(std::string_view text);
/// Forgets what was said: it was made of bytes that were not the same all the time.
void discardOutput();
/// Where standard output is a terminal, what a screen has no room for goes through $PAGER ("less"
/// unless set; "cat" for none). It is started here, for a command soon gives up the right to.
/// Call once, before there is a thread.
void beginPager();
/// Writes what was said, in order. False where standard output could not take all of it.
bool writeOutput();

/// The diagnostics, one a line, on standard error: errors always, the rest unless --quiet.
void printDiagnostics(const Context &context, const Diagnostics &diagnostics);

/// Shows how far context.progress is, on standard error, as long as it lives. Does nothing with
/// --quiet or where standard error is no terminal.
class ProgressLine
{
public:
    ProgressLine(const Context &context, std::string label);
    ~ProgressLine();
    ProgressLine(const ProgressLine &) = delete;
    ProgressLine &operator=(const ProgressLine &) = delete;

private:
    void run(const Progress &progress);

    std::string m_label;
    std::mutex m_mutex;
    std::condition_variable m_wake;
    bool m_done = false;
    std::thread m_thread;
};

} // namespace kernscope::cli
