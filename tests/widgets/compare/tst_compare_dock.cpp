// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/compare/compare_tools.h"
#include "tests/widgets/compare/pair_bundles.h"
#include "widgets/common/controls.h"
#include "widgets/common/labels.h"
#include "widgets/compare/compare_copies.h"
#include "widgets/compare/compare_pages.h"
#include "widgets/compare/hand_pairs.h"
#include "widgets/compare/pair_dock.h"
#include "widgets/compare/pair_plots.h"
#include "widgets/compare/scatter_plot.h"
#include "widgets/compare/verdict_strip.h"
#include "widgets/models/words.h"

using namespace kernscope::ui;
using kernscope::codec::PartRole;

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

/// Weights of two bundles in pairs, and what is said of them.
class TestCompareDock : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { theme::apply(false); }

    /// A part of a size is another size: names go, then the ratio, then lines begin.
    void sizesAreNeverCut()
    {
        auto [session, dock] = test::Alone<CompareDock>();
        QVERIFY(showDock(dock, session, openSample("dense"), openSample("sparse")));
        for (const int width : {1200, 700, 500, 400, 300}) {
            dock.resize(width, 600);
            QVERIFY(settle(dock));
            int seen = 0;
            for (const QLabel *label : dock.findChildren<QLabel *>()) {
                if (!label->accessibleName().startsWith("Bundle "_L1))
                    continue;
                ++seen;
                const auto whole = [label] {
                    return label->width() >= label->minimumSizeHint().width() &&
                           label->geometry().right() < label->parentWidget()->width();
                };
                QVERIFY2(QTest::qWaitFor(whole, 2000),
                         qPrintable(u"%1: %2 from %3, needs %4"_s.arg(width)
                                        .arg(label->width())
                                        .arg(label->x())
                                        .arg(label->minimumSizeHint().width())));
            }
            QCOMPARE(seen, 2);
        }
    }

    /// The words of a button give way before names do, and all stands in one line.
    void namesOfBundlesGetTheRoomFirst()
    {
        const auto called = [](const QString &name) {
            OpenOptions options;
            options.memory = test::sampleOf("dense").files;
            return Bundle::open(name.toStdString(), options).value_or(nullptr);
        };
        auto [session, dock] = test::Alone<CompareDock>();
        QVERIFY(showDock(dock, session, called(u"a_network_of_many_words.v6.0.0.mlmodelc"_s),
                         called(u"the_same_one_with_a_palette.4bit.mlmodelc"_s)));
        const auto *header = VERIFIED(dock.findChild<CompareHeader *>());
        const QToolButton *third = header->thirdButton();
        for (int width = 850; width <= 1400; width += 50) {
            dock.resize(width, 600);
            QVERIFY(settle(dock));
            bool cut = false;
            for (const QLabel *label : dock.findChildren<QLabel *>()) {
                if (!label->accessibleName().startsWith("Bundle "_L1))
                    continue;
                cut |= label->text().contains(QChar(0x2026));
            }
            QTRY_COMPARE(header->findChild<Segmented *>()->y(), third->y());
            QVERIFY2(!cut || third->text() == u"+"_s, qPrintable(QString::number(width)));
        }
        QVERIFY(third->text().size() > 1);
    }

    /// Under the order of a column the worst are not first.
    void worstFirstIsTickedWhereItHolds()
    {
        auto [session, dock] = test::Alone<CompareDock>();
        QVERIFY(showDock(dock, session, openSample("dense"), openSample("sparse")));
        QAction *worst = VERIFIED(test::actionOf(dock, u"Worst First"_s));
        QVERIFY(worst->isChecked() && dock.model().ordersBySeverity());
        QHeaderView *header = dock.table()->horizontalHeader();
        for (const bool again : {true, false}) {
            header->setSortIndicator(dock.model().columnOf("weight"), Qt::AscendingOrder);
            QVERIFY(!worst->isChecked() && !dock.model().ordersBySeverity());
            if (again)
                worst->trigger();
            else
                header->setSortIndicator(-1, Qt::AscendingOrder);
            QVERIFY(worst->isChecked() && dock.model().ordersBySeverity());
            QCOMPARE(header->sortIndicatorSection(), -1);
        }
        worst->trigger();
        QVERIFY(!worst->isChecked() && !dock.model().ordersBySeverity());
    }

    void messages()
    {
        auto [session, dock] = test::Alone<CompareDock>();
        QVERIFY(showDock(dock));
        QVERIFY(!dock.showsContent());
        QVERIFY(says(dock, u"Open a bundle to begin"_s));
        session.setBundle(leftBundle());
        QVERIFY(settle(dock));
        QVERIFY(says(dock, u"Choose the other side of the comparison, or drop a bundle here."_s));
        session.setOther(rightBundle());
        QVERIFY(QTest::qWaitFor([&] { return dock.showsContent() && !dock.busy(); }, 20000));
        session.setOther(nullptr);
        QVERIFY(QTest::qWaitFor([&] { return !dock.showsContent(); }, 5000));
    }

    /// At first the worst pair is shown; a pair that was chosen stays, also after another.
    void worstIsProposed()
    {
        const auto left = [] {
            return denseBundle({{"same", "[4]", {1, 2, 3, 4}},
                                {"near", "[4]", {1, 2, 3, 4}},
                                {"far", "[4]", {1, 2, 3, 4}}});
        };
        const BundlePtr right = denseBundle({{"same", "[4]", {1, 2, 3, 4}},
                                             {"near", "[4]", {1, 2, 3, 4.5F}},
                                             {"far", "[4]", {1, 2, 3, 400}}});
        auto [session, dock] = test::Alone<CompareDock>();
        QVERIFY(showDock(dock, session, left(), right, {1300, 800}));
        QTRY_VERIFY(!dock.busy());
        QTRY_COMPARE(dock.model().rows()[dock.shownRow()].nameA, std::string("far"));
        QCOMPARE(dock.table()->currentIndex().row(), 0);
        QCOMPARE(session.place().weight, kNoIndex); // it was not gone to
        const std::size_t equal = rowOf(dock.model(), false, 0);
        dock.table()->setCurrentIndex(
            dock.table()->model()->index(dock.model().shownRow(equal), 0));
        QCOMPARE(session.place().weight, 0U);
        session.setBundle(left());
        QTRY_VERIFY(!dock.busy());
        QVERIFY(settle(dock));
        QCOMPARE(dock.model().rows()[dock.shownRow()].nameA, "same");
    }

    /// As wide as a window of 1280 pixels leaves it: names give way, so that verdicts are read
    /// whole. A width that the user sets stays.
    void verdictsAreInSight()
    {
        auto [session, dock] = test::Alone<CompareDock>();
        QVERIFY(showDock(dock, session, openSample("dense"), openSample("sparse"), {980, 700}));
        QTRY_VERIFY(!dock.busy());
        QVERIFY(settle(dock));
        QTableView &table = *dock.table();
        (void)table.grab(); // columns grow for their numbers when they are painted
        QCoreApplication::processEvents();
        const int verdict = dock.model().columnOf("verdict"),
                  names = dock.model().columnOf("weight");
        const QString words = QChar(0x25D1) + u" within one step"_s;
        QVERIFY2(table.columnViewportPosition(verdict) +
                         table.fontMetrics().horizontalAdvance(words) +
                         table.fontMetrics().height() / 2 <=
                     table.viewport()->width(),
                 qPrintable(QString::number(table.columnViewportPosition(verdict))));
        // What is shown of the names tells them apart.
        QSet<QString> shown;
        for (int row = 0; row < dock.model().rowCount(); ++row) {
            const QModelIndex cell = dock.model().index(row, names);
            const QString brief = cell.data(kShortNameRole).toString();
            QVERIFY(!brief.isEmpty());
            const int room = table.columnWidth(names) - table.fontMetrics().height() / 2;
            shown << elidedName(table.fontMetrics(), brief, room);
        }
        QCOMPARE(shown.size(), dock.model().rowCount());
        const int narrow = table.columnWidth(names);
        dock.resize(1500, 700);
        QTRY_VERIFY(table.columnWidth(names) > narrow);
        table.setColumnWidth(names, 120);
        dock.resize(1000, 700);
        QCoreApplication::processEvents();
        QCOMPARE(table.columnWidth(names), 120);
    }

    void denseAgainstSparse()
    {
        auto [session, dock] = test::Alone<CompareDock>();
        QAbstractItemModelTester tester(dock.table()->model());
        QVERIFY(showDock(dock, session, openSample("dense"), openSample("sparse"), {1300, 800}));
        QVERIFY(dock.showsContent());
        const std::size_t sparse = test::weightWith(*session.other(), PartRole::Mask);
        const std::size_t row = rowOf(dock.model(), false, sparse);
        const int shown = dock.model().shownRow(row);
        QVERIFY(shown >= 0);
        QVERIFY(cellText(dock, shown, "verdict").contains(u"kept values exact"_s));
        QCOMPARE(cellText(dock, shown, "changed"), u"0"_s);
        QVERIFY(dock.model().rows()[row].pair.values->zeroed > 0);
        QVERIFY(says(dock, u"sample-dense.mlmodelc"_s));
        QVERIFY(says(dock, u"program: = same"_s));
    }

    void denseAgainstPalette()
    {
        auto [session, dock] = test::Alone<CompareDock>();
        QVERIFY(showDock(dock, session, openSample("dense"), openSample("palette"), {1300, 800}));
        const std::size_t palette = test::weightWith(*session.other(), PartRole::Indices);
        const std::size_t row = rowOf(dock.model(), false, palette);
        // A click tells the others even where the row was selected before.
        const QModelIndex cell = dock.model().index(dock.model().shownRow(row), 0);
        QTest::mouseClick(dock.table()->viewport(), Qt::LeftButton, {},
                          dock.table()->visualRect(cell).center());
        QVERIFY(settle(dock));
        QCOMPARE(dock.shownRow(), row);
        QCOMPARE(session.place().weight, dock.model().rows()[row].pair.a);
        const auto &values = dock.model().rows()[row].pair.values;
        QVERIFY(values && values->changed > 0);
        // The same numbers in the plot's table and in the figures.
        QCOMPARE(dock.figures()->ulpPlot()->cellData(0, 2, Qt::DisplayRole).toULongLong(),
                 values->ulpHistogram[0]);
        QVERIFY(dock.figures()->table()->rowCount() > 15);
        QVERIFY(dock.figures()->scatterPlot()->pointCount() > 0);
    }

    /// What it all comes to: said once every value is compared, and the largest error leads there.
    void verdictStrip()
    {
        auto [session, dock] = test::Alone<CompareDock>();
        QVERIFY(showDock(dock, session, leftBundle(), rightBundle(), {1300, 800}));
        const auto pill = [&](const QString &part) -> VerdictPill * {
            for (VerdictPill *one : dock.verdictStrip()->pills()) {
                if (one->text().contains(part))
                    return one;
            }
            return nullptr;
        };
        QTRY_VERIFY(pill(u"0 of 1 pair re-encoded"_s));
        QVERIFY(pill(u"1.000 of the bytes"_s));
        QVERIFY(pill(u"\u2260 beyond fp16 rounding"_s));
        VerdictPill *largest = pill(u"relative error"_s);
        QVERIFY(largest && largest->focusPolicy() != Qt::NoFocus);
        QCOMPARE(largest->text(), u"relative error 0.4623"_s);
        largest->click();
        QCOMPARE(session.place().element, std::optional<std::uint64_t>(3));
        // Every chip is told of, as the one assessment says it; a row for those that do the same.
        const PairChipsTable &chips = *dock.findChild<PairChipsTable *>();
        const QStringList lines = chips.copied().split(QLatin1Char('\n'));
        QCOMPARE(lines.size(), qsizetype(allTargets().size()) + 1);
        const DecisionTable before(*session.bundle(), allTargets());
        for (std::size_t chip = 0; chip < before.columns(); ++chip) {
            const QString wanted = fromUtf8(before.target(chip).name) + QLatin1Char('\t') +
                                   outcomeLabel(before.verdict(0, chip).outcome) +
                                   QLatin1Char('\t');
            QVERIFY2(std::ranges::any_of(
                         lines, [&wanted](const QString &line) { return line.startsWith(wanted); }),
                     qPrintable(wanted));
        }
        QVERIFY(chips.rowCount() > 0 && chips.rowCount() < lines.size() - 1);
        QCOMPARE(chips.horizontalScrollBar()->maximum(), 0); // nothing beyond the edge
        // Both lines of a cell are whole, in a panel as wide as the layout makes it.
        const QFontMetrics metrics = chips.fontMetrics();
        for (const int column : {1, 2}) {
            const QStringList words = chips.item(0, column)->text().split(QLatin1Char('\n'));
            QCOMPARE(words.size(), 2);
            for (const QString &word : words)
                QVERIFY2(metrics.horizontalAdvance(word) < theme::em(&chips, 6), qPrintable(word));
        }
        QCOMPARE(chips.textElideMode(), Qt::ElideNone);
        // The bars say which is worst.
        const auto *bars = VERIFIED(qobject_cast<const ErrorBarDelegate *>(
            dock.table()->itemDelegateForColumn(dock.model().columnOf("relative_rmse"))));
        QCOMPARE(bars->share(dock.model().index(0, dock.model().columnOf("relative_rmse"))),
                 std::optional(1.0));
        session.setOther(session.bundle());
        QTRY_VERIFY(pill(u"= no value differs"_s));
        QVERIFY(!pill(u"relative error"_s));
    }

    /// Of all chips the row tells that one in full which answers are for unless another is named.
    void defaultChipLeads()
    {
        auto [session, dock] = test::Alone<CompareDock>();
        QVERIFY(showDock(dock, session, openSample("dense"), openSample("sparse"), {1300, 800}));
        const QString name = QString::fromStdString(target::defaultTarget().name);
        const auto told = [&] {
            QStringList all;
            for (const VerdictPill *one : dock.verdictStrip()->pills())
                all += one->text();
            return all;
        };
        QTRY_VERIFY2(told().filter(u"dense"_s).size() == 1, qPrintable(told().join(u'|')));
        const QString chips = told().filter(u"dense"_s).front();
        QVERIFY2(chips.startsWith(name) && chips.contains(u"1 streams, "_s) &&
                     chips.contains(u"2 fold, "_s),
                 qPrintable(chips));
    }

    void onlyInOne()
    {
        auto [session, dock] = test::Alone<CompareDock>();
        QVERIFY(showDock(dock, session,
                         denseBundle({{"w", "[1, 2]", {1, 2}}, {"extra", "[2, 2]", {1, 2, 3, 4}}}),
                         denseBundle({{"w", "[1, 2]", {1, 2}}}), {1300, 800}));
        session.goToWeight(1);
        QVERIFY(settle(dock));
        QVERIFY(says(dock, u"B does not have this weight."_s));
        QVERIFY(dock.pictures()->viewA()->isVisible());
        QVERIFY(!dock.pictures()->viewB()->isVisible());
        QVERIFY(!dock.pictures()->viewDifference()->isVisible());
        QCOMPARE(dock.figures()->scatterPlot()->pointCount(), 0);
        QCOMPARE(dock.figures()->ulpPlot()->pointCount(), 0);
    }

    void shapesDiffer()
    {
        auto [session, dock] = test::Alone<CompareDock>();
        QVERIFY(showDock(dock, session, denseBundle({{"w", "[2, 2]", {1, 2, 3, 4}}}),
                         denseBundle({{"w", "[1, 3]", {1, 2, 3}}}), {1300, 800}));
        QVERIFY(dock.pictures()->viewA()->isVisible() && dock.pictures()->viewB()->isVisible());
        QVERIFY(!dock.pictures()->viewDifference()->isVisible());
        QVERIFY(says(dock, u"[2, 2]"_s));
        QVERIFY(says(dock, u"cannot be set side by side"_s));
    }

    void swapSides()
    {
        auto [session, dock] = test::Alone<CompareDock>();
        QVERIFY(showDock(dock, session, leftBundle(), rightBundle(), {1300, 800}));
        QCOMPARE(cellText(dock, 0, "zeroed_share"), u"12.5 %"_s);
        QCOMPARE(cellText(dock, 0, "revived"), u"1"_s);
        QSignalSpy swapped(&dock, &CompareDock::swappedChanged);
        actionOf(dock, u"Swap Sides"_s)->trigger();
        QVERIFY(QTest::qWaitFor([&] { return !dock.busy(); }, 20000));
        QCOMPARE(swapped.count(), 1);
        QVERIFY(dock.swapped());
        TileView &view = *dock.pictures()->viewDifference();
        QCOMPARE(colorAt(view, {1, 1}), theme::color(Token::DiffLess, false));
        QCOMPARE(colorAt(view, {1, 2}), theme::color(Token::DiffMore, false));
        // The document is still what the others are told about.
        QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, view.cellRect({1, 3}).center());
        QCOMPARE(session.place().weight, 0U);
        QCOMPARE(session.place().element, std::optional<std::uint64_t>(7));
    }

    void filterAndDifferences()
    {
        auto [session, dock] = test::Alone<CompareDock>();
        QVERIFY(showDock(
            dock, session, denseBundle({{"same", "[1, 2]", {1, 2}}, {"other", "[1, 2]", {1, 2}}}),
            denseBundle({{"same", "[1, 2]", {1, 2}}, {"other", "[1, 2]", {1, 3}}}), {1300, 800}));
        session.goToWeight(1);
        QVERIFY(settle(dock));
        actionOf(dock, u"Differences Only"_s)->trigger();
        QCOMPARE(dock.model().rowCount(), 1);
        QCOMPARE(dock.table()->currentIndex().row(), 0);
        actionOf(dock, u"Differences Only"_s)->trigger();
        auto *filter = VERIFIED(dock.findChild<QLineEdit *>());
        QTest::keyClicks(filter, u"sam"_s);
        QCOMPARE(dock.model().rowCount(), 1);
        QCOMPARE(session.place().weight,
                 1U); // a filter does not move the common position
        QTest::keyClick(filter, Qt::Key_Escape);
        QCOMPARE(dock.model().rowCount(), 2);
    }

    void editsShowAtOnce()
    {
        auto [session, dock] = test::Alone<CompareDock>();
        QVERIFY(showDock(dock, session, leftBundle(), leftBundle(), {1300, 800}));
        QCOMPARE(cellText(dock, 0, "verdict"), u"= identical"_s);
        dock.pictures()->viewDifference()->zoomIn();
        const ViewState state = dock.pictures()->viewDifference()->viewState();

        session.tasks().quiesce();
        const OperandPlace &part = *session.bundle()->weights()[0].operands().front().place;
        const auto &file = session.bundle()->files()[part.file].file;
        QVERIFY(file->write(FileOffset(part.dataOffset.value + 4), test::halves({2.5f})));
        session.updateBundle(*session.bundle()->reread());
        QVERIFY(QTest::qWaitFor([&] { return !dock.busy(); }, 20000));
        QCOMPARE(cellText(dock, 0, "verdict"), u"~ 1 value differs"_s);
        QCOMPARE(dock.pictures()->viewDifference()->viewState(), state);
        dock.pictures()->viewDifference()->fit();
        QVERIFY(settle(dock));
        QCOMPARE(colorAt(*dock.pictures()->viewDifference(), {0, 2}),
                 theme::color(Token::DiffLess, false)); // B minus A
    }

    void sampleIsBounded()
    {
        std::vector<float> values(300 * 200);
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = float(i % 97) / 64.0f;
        const auto a = denseBundle({{"w", "[300, 200]", values}});
        Progress progress;
        const auto sample = VERIFIED(samplePair(*a, *a, {0, 0}, progress));
        QVERIFY(!sample->whole);
        QCOMPARE(sample->a.size(), std::size_t{PairSample::kMost});
        QVERIFY(std::ranges::is_sorted(sample->elements));
        QVERIFY(sample->elements.back() > values.size() * 9 / 10);
        for (std::size_t i = 0; i < sample->a.size(); ++i)
            QCOMPARE(sample->a[i], values[sample->elements[i]]);
        QCOMPARE(sample->differenceRange, 0.0); // nothing differs
        progress.cancel();
        QVERIFY(!samplePair(*a, *a, {0, 0}, progress));
    }

    void themesAndNames()
    {
        auto [session, dock] = test::Alone<CompareDock>();
        QVERIFY(showDock(dock, session, leftBundle(), rightBundle(), {1300, 800}));
        for (const auto *view : dock.findChildren<QAbstractScrollArea *>()) {
            if (view->isVisible() && view->focusPolicy() != Qt::NoFocus)
                QVERIFY2(!view->accessibleName().isEmpty(), view->metaObject()->className());
        }
        for (const QAction *action : dock.menuActions())
            QVERIFY(!action->text().isEmpty());
        dock.setPalette(theme::palette(true)); // what a change of theme comes down to
        QVERIFY(settle(dock));
        QCOMPARE(colorAt(*dock.pictures()->viewDifference(), {1, 1}),
                 theme::color(Token::DiffMore, true));
    }

    // What the Compare dock is made of, each part without the dock.
    /// The sample first, then the places; another pair in between leaves out what was asked before.
    void shownPair()
    {
        OnePair pair;
        TaskManager tasks;
        ShownPair shown(tasks);
        QStringList order;
        connect(&shown, &ShownPair::sampled, this,
                [&](const PairSubject &, const Result<PairSample> &sample) {
                    QVERIFY(sample && sample->whole);
                    order << u"sample"_s;
                });
        connect(&shown, &ShownPair::found, this,
                [&](const PairSubject &, const Result<WorstPlaces> &places, double range) {
                    QVERIFY(places && range > 0);
                    QCOMPARE(places->worstElements.front().element, 5U);
                    order << u"places"_s;
                });
        shown.look(pair.subject());
        shown.look(pair.subject());
        QVERIFY(shown.working());
        QTRY_COMPARE(order, (QStringList{u"sample"_s, u"places"_s}));
        QVERIFY(!shown.working());
    }

    void shownPairIsCut()
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

    void handPairs()
    {
        OnePair pair;
        QWidget window;
        HandPairs hand(pair.session, pair.model, &window);
        QSignalSpy changed(&hand, &HandPairs::choicesChanged),
            chosen(&hand, &HandPairs::pairsChosen);
        QVERIFY(!hand.actions()[0]->isEnabled() && !hand.actions()[2]->isEnabled());
        hand.setRow(pair.model.rowOfNames("left", {}));
        QVERIFY(hand.actions()[0]->isEnabled() && !hand.actions()[1]->isEnabled());
        hand.setRow(pair.model.rowOfNames("w", "w"));
        hand.actions()[1]->trigger(); // taken apart
        QCOMPARE(chosen.count(), 1);
        const auto has = [&](PairChoice choice) {
            const auto all = hand.resolved(pair.a, pair.b);
            return std::ranges::find(all, choice) != all.end();
        };
        QVERIFY(has({0, kNoIndex}) && has({kNoIndex, 0}));
        // Rows that a person lays on each other.
        Q_EMIT pair.model.rowDropped(0, 1);
        QVERIFY(has({1, 0}) && !has({kNoIndex, 0}));
        hand.setChoices({});
        QCOMPARE(chosen.count(), 2);
        QCOMPARE(changed.count(), 3);
    }

    void copies()
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
        QTRY_COMPARE(wanted.size(), 1U);
        // Another pair: none that can be copied.
        copies.setSubject({pair.a, pair.b, {1, kNoIndex}, {}});
        QVERIFY(!copies.weightAction()->isEnabled());
    }

    void pages()
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
    void pictureTitles()
    {
        TaskManager tasks;
        PictureRow row(nullptr);
        PicturePane *pane = row.addPane(tasks, u"Picture of A"_s, u"A"_s);
        pane->setTitle(u"dense-fp16 [2, 2]"_s);
        bool side = false;
        for (const QLabel *label : pane->findChildren<QLabel *>()) {
            QVERIFY2(!label->text().contains(QLatin1Char('<')), qPrintable(label->text()));
            side = side || (label->text() == u"A"_s && label->font().bold());
        }
        QVERIFY(side);
    }
};

KERNSCOPE_TEST(TestCompareDock, QApplication)
#include "tst_compare_dock.moc"
