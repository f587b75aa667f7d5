// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/html_page.h"

#include "core/base/printable.h"
#include "core/report/difference_rows.h"

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

} // namespace

std::string htmlHead(std::string_view title)
{
    return fmt::format("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta "
                       "name=\"viewport\" content=\"width=device-width\"><title>{}</title><style>{}"
                       "</style></head><body>\n",
                       escapedMarkup(title), kPageStyle);
}

std::string_view htmlEnd()
{
    return "</body></html>\n";
}

std::string htmlCell(std::string_view tag, bool number, std::string_view text)
{
    return fmt::format("<{0}{1}>{2}</{0}>", tag, number ? " class=\"n\"" : "",
                       escapedMarkup(printable(text)));
}

} // namespace kernscope::report
