// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/test_program.h"
#include "tests/widgets/compare/compare_tools.h"
#include "tests/widgets/compare/pair_bundles.h"
#include "tests/widgets/sample_session.h"
#include "widgets/common/panel_section.h"
#include "widgets/compare/channel_plot.h"
#include "widgets/compare/pair_dock.h"
#include "widgets/compare/pair_figures.h"
#include "widgets/compare/pair_sections.h"
#include "widgets/compare/places_dock.h"
#include "widgets/compare/scatter_plot.h"
#include "widgets/compare/ulp_plot.h"

#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

using namespace kernscope;
using namespace kernscope::ui;
using kernscope::test::actionOf;
using kernscope::test::denseBundle;
using kernscope::test::kThreeChanged;
using kernscope::test::kThreeChannels;
using kernscope::test::openSample;
using kernscope::test::settle;
using kernscope::test::showDock;

namespace {

/// The inspector beside the dock whose pair it shows.
struct Docks {
    Session session;
    CompareDock compare{session};
    PairDock pair{session};

    Docks() { pair.inspect(compare); }
    bool show()
    {
        return showDock(compare, 900, 800) && showDock(pair, 300, 800) && settle(compare) &&
               settle(pair);
    }
    const PairFigures &figures() const { return *compare.figures(); }
    bool sees(const QWidget *widget) const { return widget->isVisibleTo(&pair); }
};

} // namespace

/// One inspector for the pair that the Compare dock shows.
class TestPairDock : public QObject
{
    Q_OBJECT

private slots:
    void sections();
    void withoutValues();
    void clicking();
    void codebooks();
    void pinned();
    void behindAnotherDock();
};

void TestPairDock::sections()
{
    Docks docks;
    QVERIFY(docks.show());
    QVERIFY(!docks.pair.showsContent()); // says how to begin
    docks.session.setBundle(denseBundle({{"w", "[3, 4]", kThreeChannels}}));
    docks.session.setOther(denseBundle({{"w", "[3, 4]", kThreeChanged}}));
    QVERIFY(settle(docks.compare));
    QTRY_VERIFY(docks.pair.showsContent());
    const PairFigures &figures = docks.figures();
    QTRY_COMPARE(figures.facts()->valueAt(2), QStringLiteral("3.000"));
    QCOMPARE(figures.facts()->valueAt(5), QStringLiteral("8"));
    QCOMPARE(figures.facts()->valueAt(6), QStringLiteral("2"));
    QCOMPARE(figures.facts()->valueAt(7), QStringLiteral("1"));
    QCOMPARE(figures.facts()->valueAt(8), QStringLiteral("1"));
    QVERIFY2(figures.verdict()->text().contains(QStringLiteral("8 equal, 2 changed")),
             qPrintable(figures.verdict()->text()));
    QVERIFY(figures.verdict()->text().contains(QStringLiteral("A pair: ")));
    QTRY_COMPARE(figures.channelPlot()->pointCount(), 2);
    QVERIFY(figures.channelPlot()->worstFirst());
    for (const QWidget *plot : std::initializer_list<const QWidget *>{
             figures.channelPlot(), figures.ulpPlot(), figures.scatterPlot()})
        QVERIFY(docks.sees(plot));
    // No section without content: no cell is picked.
    QVERIFY(!docks.sees(figures.elementTable()));
}

/// Of weights of different shapes there are no figures, and the verdict says why.
void TestPairDock::withoutValues()
{
    Docks docks;
    docks.session.setBundle(denseBundle({{"w", "[3, 4]", kThreeChannels}}));
    docks.session.setOther(denseBundle({{"v", "[5]", {100, 2, 3, 4, 5}}}));
    QVERIFY(docks.show());
    QTRY_VERIFY(docks.figures().verdict()->text().contains(QStringLiteral("shapes differ")));
    QVERIFY(!docks.sees(docks.figures().facts()));
    QVERIFY(!docks.sees(docks.figures().ulpPlot()));
    QVERIFY(!docks.sees(docks.figures().channelPlot()));
    QVERIFY(!docks.sees(docks.figures().scatterPlot()));
    // The one section that is left is as tall as what is in it.
    for (const auto *section : docks.figures().findChildren<PanelSection *>()) {
        int parts = 0;
        for (const QWidget *child :
             section->findChildren<QWidget *>(QString(), Qt::FindDirectChildrenOnly))
            parts += child->isVisibleTo(section) ? child->height() : 0;
        if (docks.sees(section))
            QVERIFY2(section->height() < parts + 60,
                     qPrintable(QString::number(section->height())));
    }
}

/// A bar of the channels goes to the worst element of its channel; the element has its section.
void TestPairDock::clicking()
{
    Docks docks;
    docks.session.setBundle(denseBundle({{"w", "[3, 4]", kThreeChannels}}));
    docks.session.setOther(denseBundle({{"w", "[3, 4]", kThreeChanged}}));
    QVERIFY(docks.show());
    ChannelPlot *plot = docks.figures().channelPlot();
    QTRY_COMPARE(plot->pointCount(), 2);
    Q_EMIT plot->currentPointChanged(0);
    QCOMPARE(docks.session.place().element, std::optional<std::uint64_t>(5));
    QTRY_VERIFY(docks.sees(docks.figures().elementTable()));
    QTRY_VERIFY(docks.figures().elementTable()->model()->rowCount() > 3);
}

/// Two palettes have a link to their codebooks, and a codebook that can be copied.
void TestPairDock::codebooks()
{
    Docks docks;
    docks.session.setBundle(openSample("sample-palette.mlmodelc"));
    docks.session.setOther(openSample("sample-palette.mlmodelc"));
    QVERIFY(docks.show());
    QSignalSpy raised(&docks.pair, &PairDock::raiseRequested);
    QToolButton *link = nullptr;
    const auto find = [&] {
        for (auto *button : docks.pair.findChildren<QToolButton *>()) {
            if (button->text() == QStringLiteral("Codebooks\u2026") && docks.sees(button))
                link = button;
        }
        return link != nullptr;
    };
    QTRY_VERIFY(find());
    link->click();
    QCOMPARE(raised.size(), 1);
    QCOMPARE(raised[0][0].toString(), QStringLiteral("codebooks"));
    QAction *copy = actionOf(docks.compare, QStringLiteral("Copy Codebook"));
    QVERIFY(copy && !copy->isEnabled());
    docks.session.setPatchingEnabled(true);
    QTRY_VERIFY(copy->isEnabled());
}

/// One pin for both: the figures are those of the dock's pair.
void TestPairDock::pinned()
{
    Docks docks;
    QVERIFY(docks.show());
    docks.pair.setPinned(true);
    QVERIFY(docks.compare.pinned());
    docks.compare.setPinned(false);
    QVERIFY(!docks.pair.pinned());
}

/// With another dock in front of Compare the inspector goes on following.
void TestPairDock::behindAnotherDock()
{
    Docks docks;
    docks.session.setBundle(
        denseBundle({{"v", "[3, 4]", kThreeChannels}, {"w", "[3, 4]", kThreeChanged}}));
    docks.session.setOther(
        denseBundle({{"v", "[3, 4]", kThreeChannels}, {"w", "[3, 4]", kThreeChannels}}));
    QVERIFY(docks.show());
    docks.session.goToWeight(0);
    QTRY_VERIFY(docks.figures().verdict()->text().contains(QStringLiteral("identical")));
    docks.compare.hide();
    docks.session.goToWeight(1);
    QTRY_VERIFY2(docks.figures().verdict()->text().contains(QStringLiteral("4 values differ")),
                 qPrintable(docks.figures().verdict()->text()));
}

KERNSCOPE_TEST(TestPairDock, QApplication)
#include "tst_pair_dock.moc"
