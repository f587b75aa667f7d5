// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/test_program.h"
#include "tests/widgets/compare/pair_bundles.h"
#include "widgets/compare/compare_copies.h"
#include "widgets/compare/compare_pages.h"
#include "widgets/compare/hand_pairs.h"
#include "widgets/compare/shown_pair.h"

#include <QAction>
#include <QApplication>
#include <QLabel>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QWidget>

#include <algorithm>

using namespace kernscope;
using namespace kernscope::ui;
using kernscope::test::denseBundle;
using kernscope::test::kThreeChanged;
using kernscope::test::kThreeChannels;

namespace {

std::vector<report::PairRow> rowsOf(const BundlePtr &a, const BundlePtr &b)
{
    const PairedWeights paired = pairWeights(*a, *b);
    return report::pairRows(*a, *b, paired.pairs, paired.onlyA, paired.onlyB);
}

/// Two bundles of one pair, with the rows of their comparison.
struct OnePair {
    Session session;
    CompareModel model;
    BundlePtr a = denseBundle({{"w", "[3, 4]", kThreeChannels}, {"left", "[2]", {1, 2}}}, false);
    BundlePtr b = denseBundle({{"w", "[3, 4]", kThreeChanged}}, false);

    OnePair()
    {
        session.setBundle(a);
        session.setOther(b);
        model.setRows(rowsOf(a, b));
    }
    PairSubject subject() const { return {a, b, model.rows()[0].pair, {}}; }
};

} // namespace

/// What the Compare dock is made of, each part without the dock.
class TestCompareControllers : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void shownPair();
    void shownPairIsCut();
    void handPairs();
    void copies();
    void pages();
    void pictureTitles();
};

/// The sample first, then the places; another pair in between leaves out what was asked before.
void TestCompareControllers::shownPair()
{
    OnePair pair;
    TaskManager tasks;
    ShownPair shown(tasks);
    QStringList order;
    connect(&shown, &ShownPair::sampled, this,
            [&](const PairSubject &, const Result<PairSample> &sample) {
                QVERIFY(sample && sample->whole);
                order << QStringLiteral("sample");
            });
    connect(&shown, &ShownPair::found, this,
            [&](const PairSubject &, const Result<WorstPlaces> &places, double range) {
                QVERIFY(places && range > 0);
                QCOMPARE(places->worstElements.front().element, std::uint64_t(5));
                order << QStringLiteral("places");
            });
    shown.look(pair.subject());
    shown.look(pair.subject());
    QVERIFY(shown.working());
    QTRY_COMPARE(order, (QStringList{QStringLiteral("sample"), QStringLiteral("places")}));
    QVERIFY(!shown.working());
}

void TestCompareControllers::shownPairIsCut()
{
    OnePair pair;
    TaskManager tasks;
    ShownPair shown(tasks);
    bool pictures = false;
    int cuts = 0, samples = 0;
    connect(&shown, &ShownPair::cut, this, [&](const PairSubject &, bool sampling) {
        pictures = sampling;
        ++cuts;
    });
    connect(&shown, &ShownPair::sampled, this, [&] { ++samples; });
    shown.look(pair.subject());
    tasks.cancelAll();
    QTRY_COMPARE(cuts, 1);
    QVERIFY(pictures && samples == 0);
    // What its owner takes back is not said.
    shown.look(pair.subject());
    shown.cancel();
    QTest::qWait(0);
    QCOMPARE(cuts, 1);
}

void TestCompareControllers::handPairs()
{
    OnePair pair;
    QWidget window;
    HandPairs hand(pair.session, pair.model, &window);
    QSignalSpy changed(&hand, &HandPairs::choicesChanged), chosen(&hand, &HandPairs::pairsChosen);
    QVERIFY(!hand.actions()[0]->isEnabled() && !hand.actions()[2]->isEnabled());
    hand.setRow(pair.model.rowOfNames("left", {}));
    QVERIFY(hand.actions()[0]->isEnabled() && !hand.actions()[1]->isEnabled());
    hand.setRow(pair.model.rowOfNames("w", "w"));
    hand.actions()[1]->trigger(); // taken apart
    QCOMPARE(chosen.count(), 1);
    const auto has = [&](PairChoice choice) {
        const auto all = hand.resolved(pair.a, pair.b);
        return std::find(all.begin(), all.end(), choice) != all.end();
    };
    QVERIFY(has({0, kNoIndex}) && has({kNoIndex, 0}));
    // Rows that a person lays on each other.
    Q_EMIT pair.model.rowDropped(0, 1);
    QVERIFY(has({1, 0}) && !has({kNoIndex, 0}));
    hand.setChoices({});
    QCOMPARE(chosen.count(), 2);
    QCOMPARE(changed.count(), 3);
}

void TestCompareControllers::copies()
{
    OnePair pair;
    std::optional<std::uint64_t> element;
    CompareCopies copies(pair.session, pair.model, [&] { return element; });
    copies.setBundles(pair.a, pair.b, false);
    copies.setSubject(pair.subject());
    QVERIFY(!copies.weightAction()->isEnabled()); // locked
    pair.session.setPatchingEnabled(true);
    QVERIFY(copies.weightAction()->isEnabled());
    QVERIFY(!copies.actions()[2]->isEnabled()); // no codebooks
    std::vector<Edit> wanted;
    connect(&pair.session, &Session::editsRequested, this,
            [&](const std::vector<Edit> &edits) { wanted = edits; });
    QSignalSpy said(&pair.session, &Session::statusMessage);
    copies.actions()[0]->trigger();
    QCOMPARE(said.count(), 1); // which element?
    element = 5;
    copies.actions()[0]->trigger();
    QTRY_COMPARE(wanted.size(), std::size_t(1));
    // Another pair: none that can be copied.
    copies.setSubject({pair.a, pair.b, {1, kNoIndex}, {}});
    QVERIFY(!copies.weightAction()->isEnabled());
}

void TestCompareControllers::pages()
{
    OnePair pair;
    ComparePages pages(pair.session);
    auto *values = new QWidget;
    pages.setValues(values);
    QCOMPARE(pages.currentWidget(), values);
    QSignalSpy shown(&pages, &ComparePages::pageShown);
    pages.setBundles(pair.a, pair.b, {}, false);
    pages.showPage(ComparePages::Page::Structure);
    QTRY_VERIFY(!pages.working());
    QVERIFY(pages.structure()->table()->model()->rowCount() > 0);
    QCOMPARE(shown.count(), 1);
    QVERIFY(pages.actions()[2]->isChecked());
}

/// The side stands in bold before the title, and no markup is to be read.
void TestCompareControllers::pictureTitles()
{
    TaskManager tasks;
    PictureRow row(nullptr);
    PicturePane *pane = row.addPane(tasks, QStringLiteral("Picture of A"), QStringLiteral("A"));
    pane->setTitle(QStringLiteral("dense-fp16 [2, 2]"));
    bool side = false;
    for (const QLabel *label : pane->findChildren<QLabel *>()) {
        QVERIFY2(!label->text().contains(QLatin1Char('<')), qPrintable(label->text()));
        side = side || (label->text() == QStringLiteral("A") && label->font().bold());
    }
    QVERIFY(side);
}

KERNSCOPE_TEST(TestCompareControllers, QApplication)
#include "tst_compare_controllers.moc"
