// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chips/front_plot.h"

#include "widgets/common/plot_canvas.h"
#include "widgets/models/words.h"

#include <cmath>

namespace kernscope::ui {

namespace {

constexpr double kLeastError = 0.01; ///< where no plan has one

/// Powers of ten; the lowest stands for 0, which has no place on a logarithmic axis.
class ErrorTicker final : public QCPAxisTickerLog
{
public:
    double foot = 0;

protected:
    QString getTickLabel(double tick, const QLocale &, QChar, int) override
    {
        return tick < foot * 1.5 ? QStringLiteral("0") : QString::number(tick, 'g', 3);
    }
    QVector<double> createSubTickVector(int count, const QVector<double> &ticks) override
    {
        QVector<double> minor = QCPAxisTickerLog::createSubTickVector(count, ticks);
        minor.removeIf([this](double tick) { return tick < foot * 10; });
        return minor;
    }
};

} // namespace

FrontPlot::FrontPlot(QWidget *parent) : PlotWidget(tr("Front of plans"), parent)
{
    plot().yAxis->setLabel(tr("Error of the network"));
    plot().yAxis->setScaleType(QCPAxis::stLogarithmic);
    m_front = addMarks(tr("plans of least error"), QCPScatterStyle::ssCircle);
    m_front->setLineStyle(QCPGraph::lsLine);
    m_otherMark = addMarks(tr("the build beside"), QCPScatterStyle::ssTriangle);
    m_planMark = addMarks(tr("the plan that is shown"), QCPScatterStyle::ssDiamond);
    showLegend();
    setColumns(report::frontTable, [this](int number) { // the window shows none of the subject
        return report::FrontRow{{}, &point(number), nullptr};
    });
}

QCPGraph *FrontPlot::addMarks(const QString &name, int shape)
{
    QCPGraph *graph = plot().addGraph();
    graph->setName(name);
    graph->setLineStyle(QCPGraph::lsNone);
    graph->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ScatterShape(shape), 7));
    return graph;
}

std::optional<double> FrontPlot::costOf(const plan::PlanTotals &totals) const
{
    return m_axis == Axis::Stored ? std::optional(static_cast<double>(totals.stored))
                                  : plan::slowest(totals);
}

/// A decade below the least error that is not 0.
void FrontPlot::setFoot()
{
    double least = kLeastError;
    bool any = false;
    const auto take = [&](const plan::PlanTotals &totals) {
        if (totals.error > 0)
            least = std::exchange(any, true) ? std::min(least, totals.error) : totals.error;
    };
    for (const plan::FrontPoint &point : m_points)
        take(point.totals);
    for (const auto &totals : {m_plan, m_other}) {
        if (totals)
            take(*totals);
    }
    m_foot = std::pow(10.0, std::floor(std::log10(least)) - 1);
    auto ticker = QSharedPointer<ErrorTicker>::create();
    ticker->foot = m_foot;
    plot().yAxis->setTicker(ticker);
}

void FrontPlot::setFront(Axis axis, std::vector<plan::FrontPoint> points, const QString &chips)
{
    beginData();
    m_axis = axis;
    m_points = std::move(points);
    std::erase_if(m_points,
                  [this](const plan::FrontPoint &point) { return !costOf(point.totals); });
    plot().xAxis->setTicker(axis == Axis::Stored ? countTicker()
                                                 : quantityTicker(QStringLiteral("s")));
    plot().xAxis->setLabel(axis == Axis::Stored ? tr("Stored bytes")
                           : chips.isEmpty()    ? tr("Time on the slowest chip")
                                                : tr("Time on %1").arg(chips));
    draw();
    endData();
}

void FrontPlot::setPlan(const std::optional<plan::PlanTotals> &totals)
{
    beginData();
    m_plan = totals;
    draw();
    endData();
}

void FrontPlot::setOther(const QString &name, const std::optional<plan::PlanTotals> &totals)
{
    beginData();
    m_otherName = name;
    m_other = totals;
    draw();
    endData();
}

void FrontPlot::draw()
{
    setFoot();
    // Of less than two decades the axis would label what lies between two powers of ten.
    double mostX = 0, mostY = 100 * m_foot;
    const auto fill = [&](QCPGraph *graph, const std::vector<const plan::PlanTotals *> &all) {
        QVector<double> x, y;
        for (const plan::PlanTotals *totals : all) {
            const auto cost = costOf(*totals);
            if (!cost)
                continue;
            x << *cost;
            y << heightOf(totals->error);
            mostX = std::max(mostX, x.back());
            mostY = std::max(mostY, y.back());
        }
        graph->setData(x, y, true);
    };
    std::vector<const plan::PlanTotals *> front;
    for (const plan::FrontPoint &point : m_points)
        front.push_back(&point.totals);
    fill(m_front, front);
    const auto one = [](const std::optional<plan::PlanTotals> &totals) {
        std::vector<const plan::PlanTotals *> all;
        if (totals)
            all.push_back(&*totals);
        return all;
    };
    fill(m_planMark, one(m_plan));
    fill(m_otherMark, one(m_other));
    m_otherMark->removeFromLegend();
    if (m_other) {
        m_otherMark->setName(
            fontMetrics().elidedText(m_otherName, Qt::ElideMiddle, theme::em(this, 11)));
        m_otherMark->addToLegend();
    }
    plot().xAxis->setRange(0, mostX > 0 ? mostX * 1.05 : 1);
    // Marks at the foot are seen whole.
    plot().yAxis->setRange(m_foot / 1.3, mostY * 1.5);
}

QPoint FrontPlot::positionOf(int number) const
{
    const plan::PlanTotals &totals = point(number).totals;
    return QPointF(plot().xAxis->coordToPixel(keyOf(number)),
                   plot().yAxis->coordToPixel(heightOf(totals.error)))
        .toPoint();
}

double FrontPlot::keyOf(int number) const
{
    return costOf(point(number).totals).value_or(0); // known of every point that is kept
}

int FrontPlot::pointAt(double key) const
{
    int best = -1;
    for (int i = 0; i < pointCount(); ++i) {
        if (best < 0 || std::abs(keyOf(i) - key) < std::abs(keyOf(best) - key))
            best = i;
    }
    return best;
}

std::optional<int> FrontPlot::nearest(const QPoint &position) const
{
    const int reach = theme::em(this, 1);
    int best = reach * reach, found = -1;
    for (int i = 0; i < pointCount(); ++i) {
        const QPoint off = positionOf(i) - position;
        const int square = QPoint::dotProduct(off, off);
        if (square < best) {
            best = square;
            found = i;
        }
    }
    return found;
}

QString FrontPlot::pointText(int number) const
{
    const plan::PlanTotals &totals = point(number).totals;
    const auto time = plan::slowest(totals);
    return tr("Plan %1 of %2: error of the network %3, largest of a layer %4, %5 stored, %6")
        .arg(number + 1)
        .arg(pointCount())
        .arg(totals.error, 0, 'g', 4)
        .arg(totals.largestError, 0, 'g', 4)
        .arg(totals.unread == 0 ? bytesWord(totals.stored) : tr("unknown bytes"),
             time ? siWord(*time, QStringLiteral("s")) : tr("unknown time"));
}

void FrontPlot::applyColors(bool dark)
{
    const auto paint = [&](QCPGraph *graph, Token token, double size) {
        const QColor color = theme::color(token, dark);
        graph->setPen(QPen(color, 1.6));
        QCPScatterStyle style(graph->scatterStyle().shape(), QPen(color, 1.6), color, size);
        graph->setScatterStyle(style);
    };
    paint(m_front, Token::KindData, 6);
    paint(m_otherMark, Token::KindValues, 10);
    paint(m_planMark, Token::MarkChanged, 11);
}

} // namespace kernscope::ui

#include "moc_front_plot.cpp"
