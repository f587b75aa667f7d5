// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/report_pages.h"

namespace kernscope::ui {

void putFiguresOnPages(QString &html)
{
    constexpr int kAcross = 3, kDown = 3;
    const QLatin1String begin("<figure>"), end("</figure>");
    const QLatin1String newPage(" style=\"page-break-before:always\"");
    qsizetype at = html.indexOf(begin), last = at;
    const qsizetype first = at;
    if (at < 0)
        return;
    QString pages;
    for (int count = 0; at >= 0; ++count) {
        const qsizetype stop = html.indexOf(end, at);
        if (stop < 0)
            return;
        last = stop + end.size();
        if (count % (kAcross * kDown) == 0)
            pages += count == 0 ? QStringLiteral("<table><tr>")
                                : QStringLiteral("</tr></table><table%1><tr>").arg(newPage);
        else if (count % kAcross == 0)
            pages += QStringLiteral("</tr><tr>");
        pages += QStringLiteral("<td width=\"33%\">") +
                 html.mid(at + begin.size(), stop - at - begin.size()) + QStringLiteral("</td>");
        at = html.indexOf(begin, last);
    }
    pages += QStringLiteral("</tr></table>");
    pages.replace(QLatin1String("<figcaption>"), QLatin1String("<br>"));
    pages.remove(QLatin1String("</figcaption>"));
    html.replace(first, last - first, pages);
    if (const qsizetype title = html.lastIndexOf(QLatin1String("<h2>"), first); title >= 0)
        html.insert(title + 3, newPage);
}

} // namespace kernscope::ui
