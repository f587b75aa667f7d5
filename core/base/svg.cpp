// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/svg.h"

#include "core/base/text.h"

#include <fmt/format.h>

namespace kernscope::svg {

namespace {

std::string opened(std::string_view name, Attributes attributes)
{
    std::string text = fmt::format("<{}", name);
    for (const Attribute &attribute : attributes) {
        if (!attribute.value.empty())
            text += fmt::format(" {}=\"{}\"", attribute.name, attribute.value);
    }
    return text;
}

} // namespace

Attribute::Attribute(std::string_view given, int number)
    : name(given), value(fmt::to_string(number))
{
}

Attribute::Attribute(std::string_view given, double length)
    : name(given), value(fmt::format("{:.1f}", length))
{
}

std::string element(std::string_view name, Attributes attributes)
{
    return opened(name, attributes) + "/>";
}

std::string element(std::string_view name, Attributes attributes, std::string_view content)
{
    return fmt::format("{}>{}</{}>", opened(name, attributes), content, name);
}

/// XML 1.0 has no U+FFFE and U+FFFF; printable() writes out the rest that it does not have.
std::string escaped(std::string_view raw)
{
    const std::string text = printable(raw);
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        switch (text[i]) {
        case '&': out += "&amp;"; break;
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '"': out += "&quot;"; break;
        default:
            if (text.compare(i, 2, "\xEF\xBF") == 0 && i + 2 < text.size() &&
                (text[i + 2] == '\xBE' || text[i + 2] == '\xBF')) {
                out += text[i + 2] == '\xBE' ? "\\ufffe" : "\\uffff";
                i += 2;
            } else {
                out += text[i];
            }
        }
    }
    return out;
}

} // namespace kernscope::svg
