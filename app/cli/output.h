// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/sha256.h"
#include "core/patch/patch.h"
#include "core/report/column.h"

#include <condition_variable>
#include <mutex>
#include <thread>

namespace CLI {
class App;
class Option;
} // namespace CLI

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

// What commands write: whole or not there, by the rules of checkOutput(). Stopped by a signal they
// fail with "task.cancelled" and leave nothing.

// Ctrl-C (SIGINT), SIGTERM and SIGHUP: a command stops within half a second, leaves every file as
// it was or says what was saved, and exits with 4.
//
// The signal cancels context.progress, which long work looks at. Work that does not look is ended
// by a thread that waits for a quarter of a second; but not inside of a WritingScope, whose work
// looks at the progress itself and removes what it began.

/// Catches the signals and starts the thread. Call once, before anything else.
void beginInterrupt(Context &context);
/// Ends the thread. Returns `exitCode`, or 4 where a signal came.
int endInterrupt(const Context &context, int exitCode);
bool interrupted();

/// As long as it lives, the process is not ended from outside: files are being written.
class WritingScope
{
public:
    WritingScope();
    ~WritingScope();
    WritingScope(const WritingScope &) = delete;
    WritingScope &operator=(const WritingScope &) = delete;
};

/// To be called inside of a WritingScope: this output is in its place, whatever comes now.
void noteWritten(const std::string &path);
/// "Stopped; nothing was written", or what was.
std::string stoppedText();

/// Standard output belongs to the command from its first byte on: false where the thread that ends
/// it has begun to write there.
bool takeStandardOutput();

/// Keeps the signals away from the calling thread, so that the main one gets them.
void blockSignals();

/// The rules for a command that reads these files and folders: --force replaces.
OutputRules outputRules(const Context &context, std::vector<std::filesystem::path> inputs);
/// The same for one that reads a bundle: its folder and every file of it.
OutputRules outputRules(const Context &context, const Bundle &bundle);

/// As addOutput(), of a command whose output may be "-", standard output, which --json then cannot
/// have.
CLI::Option *addStreamOutput(CLI::App &command, Context &context, std::string &output,
                             const std::string &help, const std::string &type);
/// The check of "-" for an option that names an output. Throws UsageFailure.
void checkStream(const Context &context, const std::string &option, const std::string &output,
                 bool streams);
/// Standard output is taken by the bytes of an output: print() says nothing from now on.
void reserveOutput();

/// A format of an output and what names of such files end in: {".md", "markdown"}.
using OutputEnding = std::pair<std::string_view, std::string_view>;
/// The format of an output, one rule for every command: that of --format, else
/// the one that the name ends in, in letters of either case; of "-", standard output, the first of
/// the list. Errors: "cli.usage".
Result<std::string> outputFormat(const std::string &path, const std::string &asked,
                                 std::span<const OutputEnding> endings,
                                 std::string_view option = "--output");

class OutputFile
{
public:
    /// "-" is standard output: print() then says nothing more. Errors: those of checkOutput,
    /// "io.write".
    static Result<OutputFile> create(const std::filesystem::path &path, const OutputRules &rules);

    /// Errors: "io.write", "task.cancelled".
    Result<void> write(std::span<const std::byte> bytes);
    /// Flushes to the disk, checks the length and puts the file in its place. Errors: "io.exists",
    /// "io.write", "task.cancelled", and "io.changed" where what the command reads was changed
    /// meanwhile.
    Result<void> commit();
    std::uint64_t bytesWritten() const { return m_bytes; }

private:
    explicit OutputFile(std::optional<OutputPlace> place, std::string name);
    Error failure(int number) const;
    int descriptor() const;

    std::unique_ptr<WritingScope> m_scope; ///< ends after the place has removed its file
    std::optional<OutputPlace> m_place;    ///< none: standard output
    std::string m_name;                    ///< as it was given
    Sha256 m_written;                      ///< of all the bytes: they are read back
    std::uint64_t m_bytes = 0, m_flushed = 0;
};

/// A whole file at once. Errors: those of OutputFile.
Result<void> writeFile(const std::filesystem::path &path, std::span<const std::byte> bytes,
                       const OutputRules &rules);

/// A copy of a bundle, as saveCopy() makes it; `origin` is the folder that one in memory was made
/// from. Errors: those of saveCopy.
Result<SaveReport> writeCopy(Context &context, const Bundle &bundle,
                             const std::filesystem::path &path,
                             const std::filesystem::path &origin = {});

using FileContent = std::pair<std::string, std::span<const std::byte>>;
/// A new folder with these files, at once. Errors: those of OutputFile.
Result<void> writeFolder(const std::filesystem::path &path, std::span<const FileContent> files,
                         const OutputRules &rules);

} // namespace kernscope::cli
