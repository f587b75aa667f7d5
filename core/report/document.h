// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/column.h"

namespace kernscope::report {

/// A report for people: headings, sentences, lists, tables and pictures, in that order, without
/// notation. htmlText() and markdownText() write it; callers add printable() texts; TextTable
/// makes its cells printable.
struct Document {
    enum class Tone : std::uint8_t { Plain, Holds, Fails };
    struct Heading {
        int level = 2; ///< 1 to 3
        std::string text;
    };
    struct Sentence {
        std::string text;
        Tone tone = Tone::Plain;
        std::string lead = {}; ///< in bold before it
    };
    struct Items {
        std::vector<std::string> texts;
    };
    /// In HTML alone.
    struct Picture {
        std::string image; ///< an SVG element, or the URL of an image
        std::string name;  ///< what it shows
        std::vector<std::string> caption = {};
    };
    using Part = std::variant<Heading, Sentence, Items, TextTable, Picture>;

    std::string title;
    std::vector<Part> parts = {};

    void add(Part part) { parts.push_back(std::move(part)); }
    void addHeading(std::string text, int level = 2) { add(Heading{level, std::move(text)}); }
    void addText(std::string text) { add(Sentence{std::move(text)}); }
    /// A declared table under its heading.
    template <class Row, class Rows>
    void addTable(std::string heading, const TableOf<Row> &table, const Rows &rows,
                  Shown where = kTerminal)
    {
        addHeading(std::move(heading));
        add(textTable(table, rows, {}, where));
    }
};

/// One page that needs no other file, light or dark as the browser is.
std::string htmlText(const Document &document);
std::string markdownText(const Document &document);
/// A header and a line a row, as RFC 4180 has it.
std::string csvText(const TextTable &table);

/// For XML and HTML, in text and in attributes. What neither can hold (control characters, bytes
/// that are no UTF-8) becomes U+FFFD.
std::string escapedMarkup(std::string_view text);

} // namespace kernscope::report
