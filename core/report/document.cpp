// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/document.h"

#include <fmt/format.h>

namespace kernscope::report {

namespace {

constexpr std::string_view kPageStyle = R"(
body{font:14px/1.45 system-ui,sans-serif;margin:2em auto;max-width:90em;padding:0 1em;color:#20242a;background:#fff}
h1{font-size:1.5em;margin:1.2em 0 .3em}h2{font-size:1.15em;margin:1.6em 0 .4em}h3{font-size:1em;margin:1.2em 0 .3em}
.wide{overflow-x:auto}table{border-collapse:collapse}
th,td{padding:.25em .7em;border-bottom:1px solid #d0d4d8;text-align:left;vertical-align:top;white-space:nowrap}
th{border-bottom:2px solid #8a94a0}.n{text-align:right;font-variant-numeric:tabular-nums}
.holds{color:#0b5a2b;font-weight:600}.fails{color:#9c1f0f;font-weight:600}
figure{display:inline-block;margin:0 1.2em 1em 0;vertical-align:top}figcaption{color:#555e68;font-size:.9em}
img{image-rendering:pixelated;border:1px solid #8a94a0;display:block;width:288px;height:144px}
@media(prefers-color-scheme:dark){body{color:#e4e7ea;background:#1b1e22}th,td{border-color:#3a4046}
figcaption{color:#a9b2bc}.holds{color:#7fd69b}.fails{color:#ff9a86}}
)";

/// Length of the UTF-8 sequence that begins there; 0 where none does that XML can hold.
std::size_t sequenceLength(std::string_view text)
{
    const auto [value, bytes] = utf8LetterAt(text);
    const bool control =
        (value < 0x20 && value != '\t' && value != '\n') || (value >= 0x80 && value < 0xA0);
    return control || value == 0xFFFE || value == 0xFFFF ? 0 : bytes;
}

/// The parts of a page.
struct Html {
    std::string text;

    void operator()(const Document::Heading &heading)
    {
        text += fmt::format("<h{0}>{1}</h{0}>\n", heading.level, escapedMarkup(heading.text));
    }
    void operator()(const Document::Sentence &sentence)
    {
        const std::string_view tone = sentence.tone == Document::Tone::Holds   ? " class=\"holds\""
                                      : sentence.tone == Document::Tone::Fails ? " class=\"fails\""
                                                                               : "";
        const std::string lead =
            sentence.lead.empty() ? "" : "<b>" + escapedMarkup(sentence.lead) + "</b>";
        text += fmt::format("<p{}>{}{}</p>\n", tone, lead, escapedMarkup(sentence.text));
    }
    void operator()(const Document::Items &items)
    {
        text += "<ul>";
        for (const std::string &item : items.texts)
            text += "<li>" + escapedMarkup(item) + "</li>";
        text += "</ul>\n";
    }
    void operator()(const TextTable &table)
    {
        const auto cell = [&](std::string_view tag, std::size_t column, std::string_view content) {
            const bool number = table.columns()[column].align == TextTable::Align::Right;
            text += fmt::format("<{0}{1}>{2}</{0}>", tag, number ? " class=\"n\"" : "",
                                escapedMarkup(content));
        };
        text += "<div class=\"wide\"><table><thead><tr>";
        for (std::size_t i = 0; i < table.columns().size(); ++i)
            cell("th", i, table.columns()[i].header);
        text += "</tr></thead><tbody>\n";
        for (const auto &row : table.rows()) {
            text += "<tr>";
            for (std::size_t i = 0; i < row.size(); ++i)
                cell("td", i, row[i]);
            text += "</tr>\n";
        }
        text += "</tbody></table></div>\n";
    }
    void operator()(const Document::Picture &picture)
    {
        text += "<figure>";
        text += picture.image.starts_with("<svg")
                    ? picture.image
                    : fmt::format("<img width=\"288\" height=\"144\" alt=\"{}\" src=\"{}\">",
                                  escapedMarkup(picture.name), picture.image);
        for (std::size_t i = 0; i < picture.caption.size(); ++i)
            text += (i == 0 ? "<figcaption>" : "<br>") + escapedMarkup(picture.caption[i]);
        text += picture.caption.empty() ? "</figure>\n" : "</figcaption></figure>\n";
    }
};

std::string escapedMarkdown(std::string_view text)
{
    std::string result;
    for (const char c : text) {
        if (std::string_view("|\\`<>*_[]#~").find(c) != std::string_view::npos)
            result += '\\';
        result += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
    }
    return result;
}

/// The parts of a text, an empty line between them.
struct Markdown {
    std::string text;

    void begin() { text += text.empty() ? "" : "\n"; }
    void line(const std::vector<std::string> &cells)
    {
        text += "|";
        for (const std::string &cell : cells)
            text += " " + escapedMarkdown(cell) + " |";
        text += "\n";
    }
    void operator()(const Document::Heading &heading)
    {
        begin();
        text += std::string(static_cast<std::size_t>(heading.level), '#') + " " +
                escapedMarkdown(heading.text) + "\n";
    }
    void operator()(const Document::Sentence &sentence)
    {
        begin();
        text += (sentence.lead.empty() ? "" : "**" + escapedMarkdown(sentence.lead) + "**") +
                escapedMarkdown(sentence.text) + "\n";
    }
    void operator()(const Document::Items &items)
    {
        begin();
        for (const std::string &item : items.texts)
            text += "- " + escapedMarkdown(item) + "\n";
    }
    void operator()(const TextTable &table)
    {
        begin();
        std::vector<std::string> headers;
        std::string rule = "|";
        for (const TextTable::Column &column : table.columns()) {
            headers.push_back(column.header);
            rule += column.align == TextTable::Align::Right ? "---:|" : "---|";
        }
        line(headers);
        text += rule + "\n";
        for (const auto &row : table.rows())
            line(row);
    }
    void operator()(const Document::Picture &) {}
};

} // namespace

std::string htmlText(const Document &document)
{
    Html html;
    html.text = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
        "content=\"width=device-width\"><title>{}</title><style>{}</style></head><body>\n",
        escapedMarkup(document.title), kPageStyle);
    for (const Document::Part &part : document.parts)
        std::visit(html, part);
    return html.text + "</body></html>\n";
}

std::string markdownText(const Document &document)
{
    Markdown markdown;
    for (const Document::Part &part : document.parts)
        std::visit(markdown, part);
    return markdown.text;
}

std::string csvText(const TextTable &table)
{
    std::vector<std::string> headers;
    for (const TextTable::Column &column : table.columns())
        headers.push_back(column.header);
    std::string text = csvLine(std::move(headers));
    for (const auto &row : table.rows())
        text += csvLine(row);
    return text;
}

std::string escapedMarkup(std::string_view text)
{
    std::string result;
    while (!text.empty()) {
        const std::size_t length = sequenceLength(text);
        switch (length == 1 ? text.front() : '\0') {
        case '&': result += "&amp;"; break;
        case '<': result += "&lt;"; break;
        case '>': result += "&gt;"; break;
        case '"': result += "&quot;"; break;
        case '\'': result += "&#39;"; break;
        default: result += length == 0 ? std::string_view("\uFFFD") : text.substr(0, length); break;
        }
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return result;
}

} // namespace kernscope::report
