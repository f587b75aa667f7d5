// SPDX-License-Identifier: GPL-3.0-or-later
// Roofline and timeline of networks with so many layers that a task places them.
#include "core/assessment/weight_facts.h"
#include "made_bundle.h"
#include "tests/test_program.h"
#include "widgets/chips/chip_network.h"
#include "widgets/chips/roofline_dock.h"
#include "widgets/chips/roofline_plot.h"
#include "widgets/chips/timeline_dock.h"

#include <QTest>
#include <qcustomplot.h>

#include <algorithm>
#include <string>

using namespace kernscope;
using namespace kernscope::ui;

namespace {

/// Of `layers` linear operations; every third weight is twice as wide and meets two rows.
BundlePtr manyLayers(int layers)
{
    test::MadeBundle made;
    made.parameters = "tensor<fp16, [1, 8]> x, tensor<fp16, [2, 16]> z";
    for (int i = 0; i < layers; ++i) {
        const bool third = i % 3 == 0;
        const std::uint64_t width = third ? 16 : 8;
        const std::string shape = "[8, " + std::to_string(width) + "]";
        const std::string name = "layer_" + std::to_string(i);
        made.constant("tensor<fp16, " + shape + ">", name,
                      made.blob(ElementType::Fp16, shape, test::Bytes(16 * width)));
        made.line("tensor<fp16, [" + std::string(third ? "2" : "1") + ", 8]> y" +
                  std::to_string(i) + " = linear(weight = " + name + ", x = " +
                  (third ? "z" : "x") + ")[name = string(\"op_" + std::to_string(i) + "\")]");
    }
    const auto bundle = made.open();
    return bundle ? *bundle : nullptr;
}

bool showWhole(Dock &dock)
{
    dock.resize(1000, 600);
    dock.show();
    return QTest::qWaitFor([&dock] { return dock.isVisible() && !dock.busy(); }, 30'000);
}

} // namespace

class TestManyLayers : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void rooflineHasEveryLayer();
    void rooflineNamesFewOfMany();
    void timelineDrawsTheHighest();
    void cancelledPlacingIsSaid();
    void rooflineGivesLayersBack();
    void timelineGivesLayersBack();
    void fewHiddenDocksKeepTheirs();
    void hiddenDocksLetGoOfClosedBundles();
};

/// The figures are those of the whole assessment, though only a part of it is kept.
void TestManyLayers::rooflineHasEveryLayer()
{
    Session session;
    const BundlePtr bundle = manyLayers(static_cast<int>(kMostPlacedAtOnce) + 20);
    QVERIFY(bundle);
    session.setBundle(bundle);
    RooflineDock dock(session);
    QVERIFY(showWhole(dock));
    QVERIFY(dock.showsContent());
    const RooflinePlot &plot = dock.plot();
    QCOMPARE(plot.pointCount(), static_cast<int>(kMostPlacedAtOnce) + 20);
    const auto roofs = roofline::roofsOf(ChipState::of(session).target());
    QVERIFY(roofs);
    decision::Judge judge;
    const auto network =
        roofline::assessNetwork(layersOf(*bundle, weightForms(*bundle)), *roofs, judge);
    QVERIFY(network);
    for (const roofline::Placement &placed : network->placements) {
        const int point = plot.points().ofWeight(placed.layer.weight);
        QVERIFY(point >= 0);
        const roofline::Placement &shown = plot.points().placementOf(point);
        QVERIFY(plot.points().layerOf(point).layer(*bundle) == placed.layer);
        QCOMPARE(shown.stored().timeS.value_or(-1), placed.stored().timeS.value_or(-1));
        QCOMPARE(shown.trail[shown.dense].form, placed.trail[placed.dense].form);
        const roofline::Assessment *best = shown.bestForm(), *expected = placed.bestForm();
        QVERIFY(best != nullptr && expected != nullptr);
        QCOMPARE(best->form, expected->form);
        QCOMPARE(best->timeS.value_or(-1), expected->timeS.value_or(-1));
    }
}

/// Layers at one place are counted; their words name some of them.
void TestManyLayers::rooflineNamesFewOfMany()
{
    Session session;
    session.setBundle(manyLayers(900));
    RooflineDock dock(session);
    QVERIFY(showWhole(dock));
    const RooflinePlot &plot = dock.plot();
    QCOMPARE(plot.pointCount(), 900);
    std::vector<int> counts;
    for (const std::size_t weight : {std::size_t{0}, std::size_t{1}}) {
        const int point = plot.points().ofWeight(weight);
        const std::vector<int> here = plot.points().coinciding(point);
        QVERIFY(std::is_sorted(here.begin(), here.end()));
        QVERIFY(std::find(here.begin(), here.end(), point) != here.end());
        counts.push_back(static_cast<int>(here.size()));
        const QString text = plot.pointText(point);
        QVERIFY(text.contains(QStringLiteral("of %1 that lie here").arg(here.size())));
        QVERIFY(text.size() < 1000);
    }
    QCOMPARE(counts, (std::vector<int>{300, 600}));
    QTRY_VERIFY(!plot.labels().shown().filter(QStringLiteral("299 more")).isEmpty() ||
                !plot.labels().shown().filter(QStringLiteral("599 more")).isEmpty());
}

void TestManyLayers::timelineDrawsTheHighest()
{
    constexpr int kLayers = 3000;
    Session session;
    session.setBundle(manyLayers(kLayers));
    TimelineDock dock(session);
    QVERIFY(showWhole(dock));
    QVERIFY(dock.showsContent());
    TimelinePlot &plot = dock.plot();
    QCOMPARE(plot.pointCount(), kLayers);
    double highest = 0, drawn = 0;
    for (int i = 0; i < kLayers; ++i)
        highest = std::max(
            {highest, plot.layer(i).computeS.value_or(0), plot.layer(i).memoryS.value_or(0)});
    auto *picture = plot.findChild<QCustomPlot *>();
    int bars = 0;
    for (int i = 0; i < picture->plottableCount(); ++i) {
        const auto *series = qobject_cast<QCPBars *>(picture->plottable(i));
        if (!series)
            continue;
        bars += series->data()->size();
        for (const QCPBarsData &bar : *series->data())
            drawn = std::max(drawn, bar.value);
    }
    QVERIFY(highest > 0);
    QCOMPARE(drawn, highest);
    QVERIFY(bars < 2 * kLayers);
    const auto ticker = picture->xAxis->ticker().dynamicCast<QCPAxisTickerText>();
    QVERIFY(ticker);
    QVERIFY(ticker->ticks().size() > 2);
    QVERIFY(ticker->ticks().size() <= 21);
    QCOMPARE(ticker->ticks().firstKey(), 0.0);
}

void TestManyLayers::cancelledPlacingIsSaid()
{
    Session session;
    session.setBundle(manyLayers(600));
    TimelineDock timeline(session);
    RooflineDock roofline(session);
    timeline.show();
    roofline.show();
    // Whether the task has ended by then or not, the dock says something and waits for nothing.
    QVERIFY(QTest::qWaitFor([&] { return session.tasks().running() > 1; }, 5000));
    session.tasks().cancelAll();
    Q_EMIT session.tasks().changed();
    QTRY_VERIFY(!timeline.busy());
    QTRY_VERIFY(!roofline.busy());
    // The chip's next question places them after all.
    ChipState::of(session).setChoice({});
    QTRY_VERIFY(timeline.showsContent());
    QTRY_VERIFY(roofline.showsContent());
    QCOMPARE(timeline.plot().pointCount(), 600);
    QCOMPARE(roofline.plot().pointCount(), 600);
}

/// Out of view it holds no layers of a large network. Seen again, the same part is drawn.
void TestManyLayers::rooflineGivesLayersBack()
{
    Session session;
    session.setBundle(manyLayers(RooflineDock::kReleasedFrom));
    session.goToWeight(7);
    RooflineDock dock(session);
    dock.hiddenRelease().setDelay(20);
    QVERIFY(showWhole(dock));
    RooflinePlot &plot = dock.plot();
    QCOMPARE(plot.pointCount(), RooflineDock::kReleasedFrom);
    plot.zoom(0.5);
    const RooflineView view = plot.view();
    const QString facts = dock.facts().text(), words = dock.pointWords().text();
    const QString table = plot.csv();
    dock.hide();
    QTRY_COMPARE(plot.pointCount(), 0);
    QVERIFY(showWhole(dock));
    QVERIFY(dock.showsContent());
    QCOMPARE(plot.pointCount(), RooflineDock::kReleasedFrom);
    QCOMPARE(plot.view().left, view.left);
    QCOMPARE(plot.view().right, view.right);
    QCOMPARE(plot.view().low, view.low);
    QCOMPARE(plot.view().high, view.high);
    QCOMPARE(dock.facts().text(), facts);
    QCOMPARE(dock.pointWords().text(), words);
    QCOMPARE(plot.csv(), table);
    QCOMPARE(plot.points().layerOf(plot.currentPoint()).weight, std::size_t{7});
    // Somebody went elsewhere meanwhile: it follows.
    dock.hide();
    QTRY_COMPARE(plot.pointCount(), 0);
    session.goToWeight(9);
    QVERIFY(showWhole(dock));
    QTRY_VERIFY(plot.currentPoint() >= 0 && plot.points().layerOf(plot.currentPoint()).weight == 9);
    // Fewer are kept.
    session.setBundle(manyLayers(50));
    QTRY_COMPARE(plot.pointCount(), 50);
    dock.hide();
    QTest::qWait(100);
    QCOMPARE(plot.pointCount(), 50);
}

void TestManyLayers::timelineGivesLayersBack()
{
    Session session;
    session.setBundle(manyLayers(TimelineDock::kReleasedFrom));
    session.goToWeight(7);
    TimelineDock dock(session);
    dock.hiddenRelease().setDelay(20);
    QVERIFY(showWhole(dock));
    TimelinePlot &plot = dock.plot();
    const QString facts = dock.facts().text(), table = plot.csv();
    const QStringList lines = plot.lineTexts();
    const int current = plot.currentPoint();
    QCOMPARE(plot.pointCount(), TimelineDock::kReleasedFrom);
    dock.hide();
    QTRY_COMPARE(plot.pointCount(), 0);
    QVERIFY(showWhole(dock));
    QVERIFY(dock.showsContent());
    QCOMPARE(dock.facts().text(), facts);
    QCOMPARE(plot.csv(), table);
    QCOMPARE(plot.lineTexts(), lines);
    QCOMPARE(plot.currentPoint(), current);
}

/// Of several docks out of view the last two keep what they hold for a while; those that went
/// before them give it back at once.
void TestManyLayers::fewHiddenDocksKeepTheirs()
{
    Session session;
    session.setBundle(manyLayers(RooflineDock::kReleasedFrom));
    RooflineDock first(session), second(session);
    TimelineDock third(session);
    for (Dock *dock :
         {static_cast<Dock *>(&first), static_cast<Dock *>(&second), static_cast<Dock *>(&third)})
        QVERIFY(showWhole(*dock));
    first.hide();
    second.hide();
    QTest::qWait(50);
    QCOMPARE(first.plot().pointCount(), RooflineDock::kReleasedFrom);
    // One comes back into view: the others are few again.
    QVERIFY(showWhole(first));
    third.hide();
    QTest::qWait(50);
    QCOMPARE(second.plot().pointCount(), RooflineDock::kReleasedFrom);
    first.hide();
    QTRY_COMPARE(second.plot().pointCount(), 0);
    QCOMPARE(first.plot().pointCount(), RooflineDock::kReleasedFrom);
    QCOMPARE(third.plot().pointCount(), RooflineDock::kReleasedFrom);
}

/// A dock keeps the bundle for the names of its layers, but not beyond that bundle's time.
void TestManyLayers::hiddenDocksLetGoOfClosedBundles()
{
    Session session;
    BundlePtr bundle = manyLayers(RooflineDock::kReleasedFrom);
    const std::weak_ptr<const Bundle> watched = bundle;
    session.setBundle(bundle);
    RooflineDock roofline(session);
    TimelineDock timeline(session);
    QVERIFY(showWhole(roofline) && showWhole(timeline));
    QVERIFY(!roofline.plot().csv().isEmpty() && !timeline.plot().csv().isEmpty());
    roofline.hide();
    timeline.hide();
    bundle = manyLayers(60);
    session.setBundle(bundle);
    QTRY_VERIFY(watched.expired());
    QCOMPARE(roofline.plot().pointCount(), 0);
    QVERIFY(showWhole(roofline) && showWhole(timeline));
    QTRY_COMPARE(roofline.plot().pointCount(), 60);
    QTRY_COMPARE(timeline.plot().pointCount(), 60);
    // Closed while their tasks run: what these would bring is of no document.
    session.setBundle(manyLayers(RooflineDock::kReleasedFrom));
    QTRY_VERIFY(!session.tasks().idle());
    session.setBundle(nullptr);
    QTRY_VERIFY(session.tasks().idle());
    QCOMPARE(roofline.plot().pointCount(), 0);
    QCOMPARE(timeline.plot().pointCount(), 0);
    QVERIFY(!roofline.plot().points().bundle() && !timeline.plot().bundle());
}

KERNSCOPE_TEST(TestManyLayers, QApplication)
#include "tst_many_layers.moc"
