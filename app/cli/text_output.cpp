// SPDX-License-Identifier: GPL-3.0-or-later

#include "app/cli/command.h"
#include "core/base/platform.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kernscope::cli {

namespace {

struct Said {
    std::FILE *stream;
    std::string text;
    ::off_t at = 0;
    std::size_t bytes = 0; ///< not in `text` but in g_spill, there
};

std::vector<Said> g_said;
/// Of more than this the rest lies in a file without a name, where the system has room for one.
constexpr ::off_t kMostKept = ::off_t{8} << 20;
::off_t g_kept = 0;
std::FILE *g_spill = nullptr;
bool g_reserved = false;
bool g_wide = false;
std::vector<std::string> g_columns; ///< of --columns
std::vector<std::string> g_titles;  ///< of all tables while there are g_columns

/// A child that becomes the pager once the first byte comes.
struct Pager {
    pid_t process = -1;
    int pipe = -1;
} g_pager;

[[noreturn]] void becomePager(int pipe)
{
    pollfd waiting{pipe, POLLIN, 0};
    while (::poll(&waiting, 1, -1) < 0 && errno == EINTR) {
    }
    if ((waiting.revents & POLLIN) == 0)
        ::_exit(0); // nothing was long enough
    const char *wanted = std::getenv("PAGER");
    ::setenv("LESS", "FRX", 0);
    ::dup2(pipe, STDIN_FILENO);
    ::execl("/bin/sh", "sh", "-c", wanted && *wanted ? wanted : "less", nullptr);
    ::_exit(127);
}

/// True where the pager has shown it.
bool page(std::string_view text)
{
    winsize size = {};
    const Pager pager = std::exchange(g_pager, {});
    if (pager.pipe < 0)
        return false;
    const bool isLong = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 &&
                        std::ranges::count(text, '\n') >= size.ws_row;
    std::signal(SIGPIPE, SIG_IGN); // a pager that is left early
    if (isLong)
        std::signal(SIGINT, SIG_IGN); // is the pager's from now on
    while (isLong && !text.empty()) {
        const ssize_t count = ::write(pager.pipe, text.data(), text.size());
        if (count < 0 && errno != EINTR)
            break;
        text.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    }
    ::close(pager.pipe);
    int status = 0;
    while (::waitpid(pager.process, &status, 0) < 0 && errno == EINTR) {
    }
    constexpr int kNotFound = 127;
    return isLong && !(WIFEXITED(status) && WEXITSTATUS(status) == kNotFound);
}

bool coloursOn(int descriptor)
{
    const char *noColor = std::getenv("NO_COLOR");
    const char *term = std::getenv("TERM");
    return (!noColor || *noColor == '\0') && isatty(descriptor) == 1 && term &&
           std::string_view(term) != "dumb";
}

std::string_view escapeOf(Style style)
{
    switch (style) {
    case Style::Plain: return "";
    case Style::Bold: return "\x1b[1m";
    case Style::Dim: return "\x1b[2m";
    case Style::Good: return "\x1b[32m";
    case Style::Warning: return "\x1b[33m";
    case Style::Bad: return "\x1b[31m";
    }
    return "";
}

std::string styledFor(int descriptor, Style style, std::string_view text)
{
    if (style == Style::Plain || !coloursOn(descriptor))
        return std::string(text);
    return fmt::format("{}{}\x1b[0m", escapeOf(style), text);
}

/// Names reach the output by many ways: none of them is trusted to have made its text safe.
std::string safe(int descriptor, std::string_view text)
{
    if (!coloursOn(descriptor))
        return printableLines(text);
    std::string shown;
    while (!text.empty()) {
        const std::size_t escape = std::min(text.find('\x1b'), text.size());
        shown += printableLines(text.substr(0, escape));
        text.remove_prefix(escape);
        std::string_view style;
        for (const std::string_view known :
             {"\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[32m", "\x1b[33m"}) {
            if (text.starts_with(known))
                style = known;
        }
        shown += style;
        if (style.empty() && !text.empty())
            shown += printable(text.substr(0, 1));
        text.remove_prefix(std::max(style.size(), std::min<std::size_t>(text.size(), 1)));
    }
    return shown;
}

/// Columns that a text takes on a terminal: without styles, a character a column.
std::size_t columnsOf(std::string_view text)
{
    std::size_t columns = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\x1b')
            i = std::min(text.find('m', i), text.size() - 1);
        else if (text[i] != '\n' && (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80)
            ++columns;
    }
    return columns;
}

/// Where the lines after the first of a long one begin: below its second column where that lies in
/// the first half, else a little to the right of where the first begins.
std::size_t hangingColumn(std::string_view line, std::size_t width)
{
    const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t gap = line.find("  ", begin);
    const std::size_t second = std::min(line.find_first_not_of(' ', gap), line.size());
    if (gap != line.npos && columnsOf(line.substr(0, second)) <= width / 2)
        return columnsOf(line.substr(0, second));
    return begin == 0 || begin >= 8 ? begin : begin + 2;
}

/// Broken at spaces. Commands to be copied stay whole, and so does a word.
void wrapLine(std::string_view line, std::size_t width, std::string &text)
{
    const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
    if (columnsOf(line) <= width || line.substr(begin).starts_with("kernscope-cli ")) {
        text += line;
        return;
    }
    const std::size_t hang = hangingColumn(line, width);
    std::size_t at = 0, column = 0;
    while (at < line.size()) { // a word with the spaces before it
        const std::size_t word = std::min(line.find_first_not_of(' ', at), line.size());
        const std::size_t end = std::min(line.find(' ', word), line.size());
        const std::string_view some = line.substr(at, end - at);
        if (word > begin && column > hang && column + columnsOf(some) > width) {
            text.append("\n").append(hang, ' ').append(line.substr(word, end - word));
            column = hang + columnsOf(line.substr(word, end - word));
        } else {
            text += some;
            column += columnsOf(some);
        }
        at = end;
    }
}

} // namespace

std::string styled(Style style, std::string_view text)
{
    return styledFor(STDOUT_FILENO, style, text);
}

std::string heading(std::string_view text)
{
    return "\n" + styled(Style::Bold, text) + "\n";
}

std::string Table::text(std::size_t lineWidth) const
{
    if (!g_columns.empty()) {
        for (const Column &column : columns())
            g_titles.push_back(column.header);
    }
    std::vector<std::string> leftOut;
    const auto fitting = selected(g_columns).value_or(*this).fitted(lineWidth, leftOut);
    std::string whole;
    for (const std::string &line : fitting.lines(lineWidth))
        whole += (whole.empty() ? styled(Style::Bold, line) : line) + "\n";
    if (leftOut.empty())
        return whole;
    std::string note = fmt::format("  --wide shows {}", fmt::join(leftOut, ", "));
    if (note.size() > lineWidth)
        note = "  --wide shows " + counted(leftOut.size(), "more column");
    whole += styled(Style::Dim, note) + "\n";
    return whole;
}

std::size_t terminalWidth()
{
    winsize size = {};
    struct stat output = {};
    // A pipe of somebody who looks at a terminal: of less, most often.
    const bool isPipe = ::fstat(STDOUT_FILENO, &output) == 0 && S_ISFIFO(output.st_mode);
    const int terminal = isPipe ? STDERR_FILENO : STDOUT_FILENO;
    if (g_wide || isatty(terminal) != 1 || ::ioctl(terminal, TIOCGWINSZ, &size) != 0)
        return 0;
    return size.ws_col;
}

std::string wrapped(std::string_view text, std::size_t width)
{
    std::string whole;
    for (std::size_t end = 0; !text.empty(); text.remove_prefix(end)) {
        end = std::min(text.find('\n'), text.size() - 1) + 1;
        wrapLine(text.substr(0, end), width, whole);
    }
    return whole;
}

void showWide()
{
    g_wide = true;
}

void showColumns(std::vector<std::string> titles)
{
    g_columns = std::move(titles);
}

std::optional<Error> unknownColumn()
{
    std::vector<std::string> known;
    for (const std::string &title : g_titles) {
        known.push_back(title);
        known.push_back(title.substr(0, title.rfind(' ')));
    }
    for (const std::string &title : g_columns) {
        if (known.empty() || std::ranges::find(known, title) != known.end())
            continue;
        const std::string nearest = nearestWord(title, known);
        std::string all = fmt::format("{}", fmt::join(g_titles, ", "));
        return usageError("--columns", std::move(all), title,
                          "No table of this answer has such a column" +
                              (nearest.empty() ? "" : "; the nearest is " + nearest));
    }
    return std::nullopt;
}

void reserveOutput()
{
    while (!takeStandardOutput())
        ::pause(); // another thread answers for the command and ends the process
    g_reserved = true;
}

void print(std::string text)
{
    const std::size_t width = terminalWidth();
    printWhole(width > 0 ? wrapped(text, width) : std::move(text));
}

void printWhole(std::string text)
{
    if (g_reserved)
        return;
    constexpr std::size_t kSmall = 65536; // a table comes line by line, a document at once
    const auto plain = [](char c) { return (c >= ' ' && c < 0x7F) || c == '\n' || c == '\t'; };
    if (!std::ranges::all_of(text, plain))
        text = safe(STDOUT_FILENO, text);
    const bool goesOn = !g_said.empty() && g_said.back().stream == stdout;
    if (goesOn && g_said.back().bytes == 0 && text.size() < kSmall) {
        g_said.back().text += text;
        return;
    }
    const ::off_t at = std::exchange(g_kept, g_kept + static_cast<::off_t>(text.size()));
    if (g_kept > kMostKept && g_pager.pipe < 0 && !g_spill)
        g_spill = std::tmpfile();
    if (g_spill && ::pwrite(::fileno(g_spill), text.data(), text.size(), at) == std::ssize(text))
        g_said.push_back({stdout, {}, at, text.size()});
    else
        g_said.push_back({stdout, std::move(text)});
}

void note(const Context &context, std::string_view text)
{
    if (!context.quiet)
        complain(text);
}

void complain(std::string_view text)
{
    g_said.push_back({stderr, safe(STDERR_FILENO, text) + "\n"});
}

void discardOutput()
{
    g_said.clear();
}

void beginPager()
{
    int ends[2];
    if (isatty(STDOUT_FILENO) != 1 || isatty(STDIN_FILENO) != 1 || platform::openPipe(ends) != 0)
        return;
    g_pager = {::fork(), ends[1]};
    if (g_pager.process == 0) {
        ::close(ends[1]);
        becomePager(ends[0]);
    }
    ::close(ends[0]);
    if (g_pager.process < 0)
        ::close(std::exchange(g_pager.pipe, -1));
}

bool writeOutput()
{
    bool written = true;
    std::vector<Said> all = std::exchange(g_said, {});
    std::string text;
    for (const Said &said : all)
        text += g_pager.pipe >= 0 && said.stream == stdout ? said.text : "";
    if (g_pager.pipe >= 0 && page(text))
        std::erase_if(all, [](const Said &said) { return said.stream == stdout; });
    for (const Said &said : all) {
        // Another thread answers for the command and ends the process.
        while (said.stream == stdout && !takeStandardOutput())
            ::pause();
        std::size_t count = std::fwrite(said.text.data(), 1, said.text.size(), said.stream);
        char block[4096]; // no memory may be asked for: a part of a document is written already
        for (::ssize_t got = 1; count < said.bytes && got > 0;) {
            got = ::pread(::fileno(g_spill), block, std::min(sizeof block, said.bytes - count),
                          said.at + static_cast<::off_t>(count));
            count += got > 0 ? std::fwrite(block, 1, static_cast<std::size_t>(got), stdout) : 0;
        }
        written = written && (said.stream != stdout || count == said.text.size() + said.bytes);
        if (said.stream == stdout)
            written = std::fflush(stdout) == 0 && written;
    }
    return written;
}

void printDiagnostics(const Context &context, const Diagnostics &diagnostics)
{
    for (const Diagnostic &diagnostic : withJournals(diagnostics)) {
        const bool error = diagnostic.severity == Severity::Error;
        // A rule that matches nothing holds without a check: that must not pass in silence.
        if (context.quiet && !error && !diagnostic.error.code.ends_with(".rule_unused"))
            continue;
        const Style style = error                                      ? Style::Bad
                            : diagnostic.severity == Severity::Warning ? Style::Warning
                                                                       : Style::Dim;
        complain(fmt::format("{}: {} [{}]",
                             styledFor(STDERR_FILENO, style, severityName(diagnostic.severity)),
                             printable(describe(diagnostic.error)), diagnostic.error.code));
    }
}

ProgressLine::ProgressLine(const Context &context, std::string label) : m_label(std::move(label))
{
    if (!context.quiet && isatty(STDERR_FILENO) == 1)
        try {
            m_thread = std::thread([this, &context] { run(context.progress); });
        } catch (const std::system_error &) { // no thread is left: no line
        }
}

ProgressLine::~ProgressLine()
{
    if (!m_thread.joinable())
        return;
    {
        const std::lock_guard lock(m_mutex);
        m_done = true;
    }
    m_wake.notify_one();
    m_thread.join();
}

void ProgressLine::run(const Progress &progress)
{
    using namespace std::chrono_literals;
    blockSignals();
    bool shown = false;
    std::unique_lock lock(m_mutex);
    // Work that ends at once should not flash a line.
    for (auto pause = 400ms; !m_wake.wait_for(lock, pause, [this] { return m_done; });
         pause = 100ms) {
        const std::string line =
            fmt::format("\r{} {:3.0f} %\x1b[K", m_label, progress.fraction() * 100);
        std::fwrite(line.data(), 1, line.size(), stderr);
        shown = true;
    }
    if (shown)
        std::fputs("\r\x1b[K", stderr);
}

} // namespace kernscope::cli
