// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/text_output.h"

#include "app/cli/command.h"
#include "app/cli/interrupt.h"
#include "app/cli/journal_notes.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include <sys/ioctl.h>
#include <unistd.h>

#include <fmt/format.h>

namespace kernscope::cli {

namespace {

struct Said {
    std::FILE *stream;
    std::string text;
};
std::vector<Said> g_said;

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

/// Code points, near enough to columns for names.
std::size_t widthOf(std::string_view text)
{
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    }));
}

constexpr std::size_t kShortestName = 12;

/// The first `count` code points; from the end where `last`.
std::string_view someOf(std::string_view text, std::size_t count, bool last)
{
    std::size_t skip = last ? widthOf(text) - count : count;
    std::size_t at = 0;
    while (at < text.size() && skip > 0) {
        do
            ++at;
        while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80);
        --skip;
    }
    return last ? text.substr(at) : text.substr(0, at);
}

/// With an ellipsis for the middle where it is longer: names differ at their ends.
std::string shortened(const std::string &text, std::size_t width)
{
    if (widthOf(text) <= width)
        return text;
    const std::size_t first = (width - 1) / 2;
    return fmt::format("{}…{}", someOf(text, first, false), someOf(text, width - 1 - first, true));
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

} // namespace

std::string styled(Style style, std::string_view text)
{
    return styledFor(STDOUT_FILENO, style, text);
}

std::string grouped(std::uint64_t number)
{
    std::string digits = fmt::format("{}", number);
    for (std::size_t at = digits.size(); at > 3;) {
        at -= 3;
        digits.insert(at, 1, ',');
    }
    return digits;
}

std::string bytesText(std::uint64_t bytes)
{
    static constexpr std::string_view kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    std::string text = grouped(bytes) + " B";
    if (bytes < 1024)
        return text;
    double figure = static_cast<double>(bytes) / 1024;
    std::size_t unit = 0;
    for (; figure >= 1024 && unit + 1 < std::size(kUnits); ++unit)
        figure /= 1024;
    return fmt::format("{} ({:.1f} {})", text, figure, kUnits[unit]);
}

std::string percentText(double fraction)
{
    return fmt::format("{:.1f} %", fraction * 100);
}

std::string heading(std::string_view text)
{
    return "\n" + styled(Style::Bold, text) + "\n";
}

Table::Table(std::vector<Column> columns) : m_columns(std::move(columns)) {}

void Table::add(std::vector<std::string> cells)
{
    cells.resize(m_columns.size());
    for (std::string &cell : cells)
        cell = printable(cell);
    m_rows.push_back(std::move(cells));
}

/// As wide as the widest cell; of names less, from the widest column on, until the line fits.
std::vector<std::size_t> Table::widths(std::size_t lineWidth) const
{
    std::vector<std::size_t> widths;
    std::size_t whole = 0;
    for (std::size_t i = 0; i < m_columns.size(); ++i) {
        std::size_t width = widthOf(m_columns[i].header);
        for (const auto &row : m_rows)
            width = std::max(width, widthOf(row[i]));
        widths.push_back(width);
        whole += width + 2;
    }
    while (lineWidth != 0 && whole > lineWidth) {
        std::size_t widest = m_columns.size();
        for (std::size_t i = 0; i < m_columns.size(); ++i) {
            const std::size_t least = std::max(kShortestName, widthOf(m_columns[i].header));
            if (m_columns[i].align == Align::Name && widths[i] > least &&
                (widest == m_columns.size() || widths[i] > widths[widest]))
                widest = i;
        }
        if (widest == m_columns.size())
            break;
        --widths[widest];
        --whole;
    }
    return widths;
}

std::string Table::text(std::size_t lineWidth) const
{
    const std::vector<std::size_t> widths = this->widths(lineWidth);
    const auto line = [&](const auto &cellOf) {
        std::string text = " ";
        for (std::size_t i = 0; i < m_columns.size(); ++i) {
            const std::string cell = shortened(cellOf(i), widths[i]);
            const std::string blank(widths[i] - widthOf(cell), ' ');
            text += ' ';
            text += m_columns[i].align == Align::Right ? blank + cell : cell + blank;
            text += i + 1 < m_columns.size() ? " " : "";
        }
        text.erase(text.find_last_not_of(' ') + 1);
        return text;
    };
    std::string whole =
        styled(Style::Bold,
               line([this](std::size_t i) -> const std::string & { return m_columns[i].header; })) +
        "\n";
    for (const auto &row : m_rows)
        whole += line([&row](std::size_t i) -> const std::string & { return row[i]; }) + "\n";
    return whole;
}

std::size_t terminalWidth()
{
    winsize size = {};
    if (isatty(STDOUT_FILENO) != 1 || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
        return 0;
    return size.ws_col;
}

void print(std::string text)
{
    constexpr std::size_t kSmall = 65536; // a table comes line by line, a document at once
    text = safe(STDOUT_FILENO, text);
    if (!g_said.empty() && g_said.back().stream == stdout && text.size() < kSmall)
        g_said.back().text += text;
    else
        g_said.push_back({stdout, std::move(text)});
}

void note(const Session &session, std::string_view text)
{
    if (!session.quiet)
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

bool writeOutput()
{
    bool written = true;
    for (const Said &said : std::exchange(g_said, {})) {
        // Another thread answers for the command and ends the process.
        while (said.stream == stdout && !takeStandardOutput())
            ::pause();
        const std::size_t count = std::fwrite(said.text.data(), 1, said.text.size(), said.stream);
        written = written && (said.stream != stdout || count == said.text.size());
        if (said.stream == stdout)
            written = std::fflush(stdout) == 0 && written;
    }
    return written;
}

void printDiagnostics(const Session &session, const Diagnostics &diagnostics)
{
    Diagnostics rows = unsaidJournals(diagnostics);
    rows.insert(rows.end(), diagnostics.begin(), diagnostics.end());
    for (const Diagnostic &diagnostic : rows) {
        const bool error = diagnostic.severity == Severity::Error;
        if (session.quiet && !error)
            continue;
        const Style style = error                                      ? Style::Bad
                            : diagnostic.severity == Severity::Warning ? Style::Warning
                                                                       : Style::Dim;
        complain(fmt::format("{}: {} [{}]",
                             styledFor(STDERR_FILENO, style, severityName(diagnostic.severity)),
                             printable(describe(diagnostic.error)), diagnostic.error.code));
    }
}

} // namespace kernscope::cli
