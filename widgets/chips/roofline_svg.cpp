// SPDX-License-Identifier: GPL-3.0-or-later
// The roofline as a drawing of lines and shapes, for papers: the ranges that the screen shows.
#include "widgets/chips/chip_words.h"
#include "widgets/chips/label_placer.h"
#include "widgets/chips/roofline_plot.h"
#include "widgets/common/table_text.h"

#include <qcustomplot.h>

#include <cmath>

namespace kernscope::ui {

namespace {

/// Of a letter in a drawing that is set in another program's font: on the wide side.
constexpr double kLetter = 6.2, kLineHeight = 13;
constexpr double kLeft = 90, kTop = 30, kRight = 30, kBottom = 60;

} // namespace

/// Maps the plot's ranges to the page.
struct RooflinePage {
    QCPRange x, y;
    QSize size;

    double across(double key) const
    {
        const double share = std::log(key / x.lower) / std::log(x.upper / x.lower);
        return kLeft + share * (size.width() - kLeft - kRight);
    }
    double down(double level) const
    {
        const double share = std::log(level / y.lower) / std::log(y.upper / y.lower);
        return size.height() - kBottom - share * (size.height() - kTop - kBottom);
    }
};

namespace {

QString number(double value)
{
    return QString::number(value, 'f', 2);
}

QString line(double x1, double y1, double x2, double y2, const QString &style)
{
    return QStringLiteral("<line x1=\"%1\" y1=\"%2\" x2=\"%3\" y2=\"%4\" %5/>\n")
        .arg(number(x1), number(y1), number(x2), number(y2), style);
}

QString words(double x, double y, const QString &text, const QString &anchor)
{
    return QStringLiteral("<text x=\"%1\" y=\"%2\" text-anchor=\"%3\">%4</text>\n")
        .arg(number(x), number(y), anchor, text.toHtmlEscaped());
}

/// Words in the middle of a spot, turned as it is.
QString turnedWords(const LabelPlacer::Spot &spot, const QString &text)
{
    return QStringLiteral("<text transform=\"translate(%1 %2) rotate(%3)\" dy=\"4\" "
                          "text-anchor=\"middle\" font-size=\"11\">%4</text>\n")
        .arg(number(spot.centre.x()), number(spot.centre.y()), number(spot.degrees),
             text.toHtmlEscaped());
}

QString axes(const RooflinePage &page)
{
    QString text;
    for (double tick = std::pow(10, std::ceil(std::log10(page.x.lower))); tick <= page.x.upper;
         tick *= 10) {
        const double x = page.across(tick);
        text += line(x, kTop, x, page.size.height() - kBottom, QStringLiteral("stroke=\"#ddd\""));
        text += words(x, page.size.height() - kBottom + 18, QString::number(tick, 'g', 3),
                      QStringLiteral("middle"));
    }
    for (double tick = std::pow(10, std::ceil(std::log10(page.y.lower))); tick <= page.y.upper;
         tick *= 10) {
        const double y = page.down(tick);
        text += line(kLeft, y, page.size.width() - kRight, y, QStringLiteral("stroke=\"#ddd\""));
        text += words(kLeft - 6, y + 4, QString::number(tick, 'g', 3), QStringLiteral("end"));
    }
    return text;
}

QString shape(int kind, double x, double y, double r, bool hollow)
{
    static const std::array<const char *, 5> kColors{"#8A94A0", "#0072B2", "#009E73", "#D55E00",
                                                     "#CC79A7"};
    const QString color = QString::fromUtf8(kColors[std::size_t(kind)]);
    const QString fill = QStringLiteral("fill=\"%1\" stroke=\"%2\"")
                             .arg(hollow ? QStringLiteral("white") : color, color);
    const auto polygon = [&](std::initializer_list<QPointF> corners) {
        QString points;
        for (const QPointF &corner : corners)
            points += number(x + r * corner.x()) + QLatin1Char(',') + number(y + r * corner.y()) +
                      QLatin1Char(' ');
        return QStringLiteral("<polygon points=\"%1\" %2/>\n").arg(points.trimmed(), fill);
    };
    switch (kind) {
    case 1: return polygon({{-1, -1}, {1, -1}, {1, 1}, {-1, 1}});
    case 2: return polygon({{0, -1}, {1, 0}, {0, 1}, {-1, 0}});
    case 3: return polygon({{0, -1}, {1, 1}, {-1, 1}});
    case 4: return polygon({{0, 1}, {1, -1}, {-1, -1}});
    default:
        return QStringLiteral("<circle cx=\"%1\" cy=\"%2\" r=\"%3\" %4/>\n")
            .arg(number(x), number(y), number(r), fill);
    }
}

} // namespace

QString RooflinePlot::svg(const QSize &size) const
{
    const RooflinePage page{plot().xAxis->range(), plot().yAxis->range(), size};
    QString text = QStringLiteral("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%1\" "
                                  "height=\"%2\" font-family=\"sans-serif\" font-size=\"12\">\n"
                                  "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
                                  "<clipPath id=\"area\"><rect x=\"%3\" y=\"%4\" width=\"%5\" "
                                  "height=\"%6\"/></clipPath>\n")
                       .arg(size.width())
                       .arg(size.height())
                       .arg(kLeft)
                       .arg(kTop)
                       .arg(size.width() - kLeft - kRight)
                       .arg(size.height() - kTop - kBottom);
    text += axes(page) + QStringLiteral("<g clip-path=\"url(#area)\">\n") + svgRoofs(page) +
            svgPoints(page) + QStringLiteral("</g>\n") + svgNames(page);
    if (m_given.ridge && m_given.compute)
        text += words(page.across(*m_given.ridge), page.down(m_given.compute->value) - 22,
                      ridgeLabel(), QStringLiteral("middle"));
    text += words(size.width() / 2.0, size.height() - 14, plot().xAxis->label(),
                  QStringLiteral("middle"));
    text += words(kLeft, kTop - 10, plot().yAxis->label(), QStringLiteral("start"));
    return text + QStringLiteral("</svg>\n");
}

QString RooflinePlot::svgRoofs(const RooflinePage &page) const
{
    QString text;
    for (const Roof &roof : m_roofs) {
        const QCPGraphDataContainer &ends = *roof.graph->data();
        const QString style =
            QStringLiteral("stroke=\"%1\" stroke-width=\"%2\"")
                .arg(roof.chosen ? QStringLiteral("black") : QStringLiteral("#999"))
                .arg(roof.chosen ? 2 : 1);
        // Where there is no room for its name, a viewer shows it under the pointer.
        text += QStringLiteral("<g><title>%1</title>").arg(roof.label->text().toHtmlEscaped()) +
                line(page.across(ends.at(0)->key), page.down(ends.at(0)->value),
                     page.across(ends.at(1)->key), page.down(ends.at(1)->value), style) +
                QStringLiteral("</g>\n");
    }
    return text;
}

QString RooflinePlot::svgPoints(const RooflinePage &page) const
{
    QString text;
    for (int i = 0; i < pointCount(); ++i) {
        const roofline::Placement &placed = placementOf(i);
        const roofline::Assessment &dense = placed.trail[placed.dense];
        const double x = page.across(keyOf(i)), y = page.down(levelOf(i));
        if (placed.dense != 0 && dense.intensity && dense.attainable)
            text += line(page.across(*dense.intensity), page.down(*dense.attainable), x, y,
                         QStringLiteral("stroke=\"#888\""));
        const double radius = 3.0 + 2.0 * sizeClass(placed.stored().timeS.value_or(0));
        text += shape(shapeOfForm(placed.stored().form), x, y, radius, placed.estimated);
    }
    return text;
}

/// The names of the roofs and the line of the dispatch floor: those that must be seen take their
/// room first.
QString RooflinePlot::svgNames(const RooflinePage &page) const
{
    QString text;
    const double right = page.size.width() - kRight;
    LabelPlacer placer(QRectF(QPointF(kLeft, kTop), QPointF(right, page.size.height() - kBottom)));
    const auto nameLine = [&](const QCPGraphData &from, const QCPGraphData &to, const QString &name,
                              bool must) {
        const QLineF along(page.across(from.key), page.down(from.value), page.across(to.key),
                           page.down(to.value));
        const QSizeF room(kLetter * static_cast<double>(name.size()), kLineHeight);
        if (const auto spot = placer.along(along, room, must))
            text += turnedWords(*spot, name);
    };
    const auto nameRoofs = [&](bool chosen) {
        for (const Roof &roof : m_roofs) {
            if (roof.chosen == chosen)
                nameLine(*roof.graph->data()->at(0), *roof.graph->data()->at(1), roof.label->text(),
                         chosen);
        }
    };
    nameRoofs(true);
    if (m_floorRate) {
        const QCPGraphData from(page.x.lower, *m_floorRate), to(page.x.upper, *m_floorRate);
        text += line(kLeft, page.down(*m_floorRate), right, page.down(*m_floorRate),
                     QStringLiteral("stroke=\"#D55E00\" stroke-dasharray=\"6 4\""));
        nameLine(from, to, m_floorText->text(), true);
    }
    nameRoofs(false);
    return text;
}

} // namespace kernscope::ui
