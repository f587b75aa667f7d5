// SPDX-License-Identifier: GPL-3.0-or-later
// The plot of a plan's front: small errors are told apart, an error of 0 has a place, and a time
// that is not known is said to be unknown.
#include "tests/test_program.h"
#include "widgets/chips/front_plot.h"
#include "widgets/models/table_text.h"

#include <QTest>

using namespace kernscope;
using namespace kernscope::ui;

namespace {

plan::FrontPoint pointOf(std::uint64_t stored, double error, std::optional<double> time)
{
    plan::FrontPoint point;
    point.totals.stored = stored;
    point.totals.error = point.totals.largestError = error;
    point.totals.programs.resize(1);
    point.totals.programs[0].engineTimeS = time;
    return point;
}

} // namespace

class TestFrontPlot : public QObject
{
    Q_OBJECT

private slots:
    void smallErrorsAreToldApart();
    void exactPlansHaveAPlace();
    void unknownTimesAreNotNone();
};

void TestFrontPlot::smallErrorsAreToldApart()
{
    FrontPlot plot;
    plot.resize(500, 400);
    plot.setFront(FrontPlot::Axis::Stored, {pointOf(1000, 0.6, 1e-6), pointOf(5000, 0.008, 2e-6),
                                            pointOf(5200, 0.002, 2e-6)});
    plot.show();
    QVERIFY(QTest::qWaitForWindowExposed(&plot));
    const int high = plot.positionOf(0).y(), middle = plot.positionOf(1).y(),
              low = plot.positionOf(2).y();
    QVERIFY(high < middle && middle < low);
    QVERIFY2(low - middle > 30, qPrintable(QString::number(low - middle)));
    QVERIFY(plot.rect().contains(plot.positionOf(0)) && plot.rect().contains(plot.positionOf(2)));
}

/// Not below what is drawn, and below every plan that has an error.
void TestFrontPlot::exactPlansHaveAPlace()
{
    FrontPlot plot;
    plot.resize(500, 400);
    plot.setFront(FrontPlot::Axis::Stored, {pointOf(1000, 0.01, 1e-6), pointOf(9000, 0, 1e-6)});
    plot.setPlan(pointOf(5000, 1e-5, 1e-6).totals);
    plot.show();
    QVERIFY(QTest::qWaitForWindowExposed(&plot));
    QVERIFY(plot.rect().contains(plot.positionOf(1)));
    QVERIFY(plot.positionOf(1).y() > plot.positionOf(0).y());
    plot.setFront(FrontPlot::Axis::Stored, {pointOf(9000, 0, 1e-6)});
    QVERIFY(plot.rect().contains(plot.positionOf(0)));
}

void TestFrontPlot::unknownTimesAreNotNone()
{
    FrontPlot plot;
    const std::vector<plan::FrontPoint> points{pointOf(1000, 0.01, {}), pointOf(2000, 0, 3e-6)};
    plot.setFront(FrontPlot::Axis::Stored, points);
    QCOMPARE(plot.pointCount(), 2);
    QVERIFY2(plot.pointText(0).endsWith(QStringLiteral("unknown time")),
             qPrintable(plot.pointText(0)));
    QVERIFY(!plot.cellData(0, 3, SortRole).isValid());
    QCOMPARE(plot.cellData(1, 3, SortRole).toDouble(), 3e-6);
    plot.setFront(FrontPlot::Axis::Time, points);
    QCOMPARE(plot.pointCount(), 1);
    QCOMPARE(plot.cellData(0, 2, SortRole).toULongLong(), 2000ULL);
}

KERNSCOPE_TEST(TestFrontPlot, QApplication)
#include "tst_front_plot.moc"
