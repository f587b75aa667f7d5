// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/compare/compare_tools.h"
#include "tests/widgets/compare/pair_bundles.h"
#include "widgets/compare/hand_pairs.h"
#include "widgets/compare/pair_dock.h"
#include "widgets/compare/pair_plots.h"
#include "widgets/compare/places_dock.h"
#include "widgets/compare/scatter_plot.h"
#include "widgets/compare/verdict_strip.h"
#include "widgets/models/matrix_model.h"

#include <qcustomplot.h>

using namespace kernscope::ui;

namespace {

/// Both docks over one session, joined as the window joins them.
struct PlacesDocks {
    Session session;
    CompareDock compare{session};
    PlacesDock places{session};

    explicit PlacesDocks(const std::vector<float> &a = kThreeChannels,
                         const std::vector<float> &b = kThreeChanged,
                         const std::string &shape = "[3, 4]")
    {
        QObject::connect(&compare, &CompareDock::placesChanged, &places, &PlacesDock::setPlaces);
        session.setBundle(denseBundle({{"w", shape, a}}));
        session.setOther(denseBundle({{"w", shape, b}}));
    }
    bool show()
    {
        return showDock(compare, 1300, 800) && showDock(places, 1300, 300) && settle(compare) &&
               settle(places);
    }
};

int columnOf(const QTableView &table, std::string_view key)
{
    return static_cast<const RowTableModel *>(table.model())->columnOf(key);
}

QString cell(const QTableView &table, int row, std::string_view key)
{
    return table.model()->index(row, columnOf(table, key)).data().toString();
}

} // namespace

class TestComparePlaces : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void codebooks()
    {
        auto [session, compare] = test::Alone<CompareDock>();
        CodebooksDock books(session);
        connect(&compare, &CompareDock::placesChanged, &books, &CodebooksDock::setPlaces);
        QVERIFY(showDock(books, 900, 300));
        QVERIFY(!books.showsContent());
        session.setBundle(openSample("palette"));
        session.setOther(openSample("palette"));
        QVERIFY(showDock(compare));
        const std::size_t weight = test::weightWith(*session.bundle(), codec::PartRole::Lut);
        QVERIFY(weight != kNoIndex);
        session.goToWeight(weight);
        QVERIFY(QTest::qWaitFor([&] { return !compare.busy() && !books.busy(); }, 20000));
        QVERIFY(books.showsContent());
        QAbstractItemModelTester tester(const_cast<CodebookPairModel *>(&books.model()));
        const auto decoder = *session.bundle()->decoder(weight);
        const auto uses = decoder.codebookUse();
        QVERIFY(std::size_t(books.model().rowCount()) >= uses.size());
        std::uint64_t total = 0;
        for (int row = 0; row < books.model().rowCount(); ++row) {
            const auto change =
                books.model().index(row, books.model().columnOf("change")).data(SortRole).toInt();
            QVERIFY(change == int(EntryChange::Same) || change == int(EntryChange::Unused));
            const QVariant used =
                books.model().index(row, books.model().columnOf("uses_a")).data(SortRole);
            total += std::isnan(used.toDouble()) ? 0 : used.toULongLong();
        }
        QCOMPARE(total, session.bundle()->weights()[weight].elements.value);
        // Going to an entry is going to an element that takes it.
        Q_EMIT books.table()->activated(books.model().index(0, 0));
        QVERIFY(session.place().element.has_value() || uses[0] == 0);
        // A pair without codebooks says so.
        for (std::size_t i = 0; i < session.bundle()->weights().size(); ++i) {
            if (session.bundle()->weights()[i].has(codec::PartRole::Lut))
                continue;
            session.goToWeight(i);
            QVERIFY(QTest::qWaitFor([&] { return !compare.busy() && !books.busy(); }, 20000));
            QVERIFY(!books.showsContent());
            break;
        }
    }

    /// Entries of the bundles of before, and those of another pair while its own are matched, are
    /// not shown: Enter would go to an element of another weight. No Compare dock tells of it, as
    /// where that is closed.
    void codebooksOfOtherBundlesGo()
    {
        auto [session, books] = test::Alone<CodebooksDock>();
        QVERIFY(showDock(books, 900, 300));
        session.setBundle(openSample("palette"));
        session.setOther(openSample("palette"));
        std::vector<std::size_t> weights;
        for (std::size_t i = 0; i < session.bundle()->weights().size(); ++i) {
            if (session.bundle()->weights()[i].has(codec::PartRole::Lut))
                weights.push_back(i);
        }
        QVERIFY(weights.size() > 1);
        const auto places = [&](std::size_t weight) {
            return PairPlaces{
                {session.bundle(), session.other(), {weight, weight}, {}}, false, {}, {}};
        };
        books.setPlaces(places(weights[0]));
        QVERIFY(settle(books));
        QVERIFY(books.showsContent() && books.model().rowCount() > 0);
        // Another pair: nothing of the one before while it is matched.
        int rows = -1;
        const auto started = connect(&session.tasks(), &TaskManager::changed, &books, [&] {
            if (rows < 0)
                rows = books.model().rowCount();
        });
        books.setPlaces(places(weights[1]));
        Q_EMIT books.table()->activated(books.model().index(0, 0));
        QVERIFY(session.place().weight != weights[1]);
        QVERIFY(settle(books));
        QCOMPARE(rows, 0);
        QVERIFY(books.showsContent());
        disconnect(started);
        // The same two bundles read again: the pair stays.
        session.updateBundle(openSample("palette"));
        QVERIFY(settle(books));
        QVERIFY(books.showsContent());
        // Other ones.
        session.setBundle(openSample("sparse"));
        QVERIFY(settle(books));
        QVERIFY(!books.showsContent());
        QCOMPARE(books.model().rowCount(), 0);
        session.setBundle(openSample("palette"));
        books.setPlaces(places(weights[0]));
        QVERIFY(settle(books));
        QVERIFY(books.showsContent());
        session.setOther(openSample("dense"));
        QVERIFY(settle(books));
        QVERIFY(!books.showsContent());
    }

    void codebooksCancelled()
    {
        auto [session, books] = test::Alone<CodebooksDock>();
        QVERIFY(showDock(books, 900, 300));
        session.setBundle(openSample("palette"));
        session.setOther(openSample("palette"));
        const std::size_t weight = test::weightWith(*session.bundle(), codec::PartRole::Lut);
        const auto cutting = test::cancelTasks(session);
        books.setPlaces({{session.bundle(), session.other(), {weight, weight}, {}}, false, {}, {}});
        QAction *again = VERIFIED(test::actionOf(books, u"Match Codebooks Again"_s));
        QTRY_VERIFY(again->isEnabled());
        QVERIFY(!books.showsContent());
        disconnect(cutting);
        again->trigger();
        QVERIFY(settle(books));
        QVERIFY(books.showsContent() && !again->isEnabled());
    }

    /// The enumerations of columns count what the declarations have for the window, in their order.
    void columnsAreDeclared()
    {
        const auto &figures = report::matrixTable.windowOrder;
        QCOMPARE(figures.size(), std::size_t(MatrixFigure::Outcome));
        QCOMPARE(figures[std::size_t(MatrixFigure::Snr)], std::string_view("snr_db"));
        QCOMPARE(figures[std::size_t(MatrixFigure::Verdict)], std::string_view("verdict"));
    }

    void tables()
    {
        PlacesDocks docks;
        QAbstractItemModelTester channels(docks.places.channels()->model());
        QAbstractItemModelTester elements(docks.places.elements()->model());
        QVERIFY(docks.show());
        const QTableView &channel = *docks.places.channels(), &element = *docks.places.elements();
        QCOMPARE(channel.model()->rowCount(), 2);
        QCOMPARE(cell(channel, 0, "channel"), u"1"_s);
        QCOMPARE(cell(channel, 0, "max_abs"), u"3"_s);
        QCOMPARE(cell(channel, 0, "changed"), u"1"_s);
        QCOMPARE(cell(channel, 1, "channel"), u"2"_s);
        QCOMPARE(cell(channel, 1, "changed"), u"1"_s);
        QCOMPARE(cell(channel, 1, "zeroed"), u"1"_s);
        QCOMPARE(cell(channel, 1, "revived"), u"1"_s);
        QCOMPARE(element.model()->rowCount(), 4);
        QCOMPARE(cell(element, 0, "index"), u"[1,1]"_s);
        QCOMPARE(cell(element, 0, "difference"), u"3"_s);
        QCOMPARE(cell(element, 0, "relative"), u"0.5"_s);
        QCOMPARE(cell(element, 2, "index"), u"[2,3]"_s);
        QCOMPARE(cell(element, 2, "relative"), u"inf"_s);
        QCOMPARE(element.model()->index(0, columnOf(element, "index")).data(CopyRole).toString(),
                 u"[1,1]"_s);
        for (const QAction *action : docks.places.menuActions())
            QVERIFY(!action->text().isEmpty());
    }

    /// Nine digits and a sign fit their columns: a number that is cut reads as another one.
    void numbersAreWhole()
    {
        std::vector<float> a, b;
        for (int i = 0; i < 24; ++i) {
            a.push_back(-0.00012207f * float(i + 3) / 7);
            b.push_back(a.back() * (1 + 0.3f * float(i % 5)));
        }
        PlacesDocks docks(a, b, "[4, 6]");
        QVERIFY(docks.show());
        for (const QTableView *table : {docks.places.elements(), docks.places.channels()}) {
            const QAbstractItemView *view = table;
            QVERIFY(table->model()->rowCount() > 2);
            for (int column = 0; column < table->model()->columnCount(); ++column)
                QVERIFY2(table->columnWidth(column) >= view->sizeHintForColumn(column),
                         qPrintable(table->model()->headerData(column, Qt::Horizontal).toString()));
        }
    }

    void sorting()
    {
        PlacesDocks docks;
        QVERIFY(docks.show());
        QAbstractItemModel &model = *docks.places.elements()->model();
        const int inB = columnOf(*docks.places.elements(), "b");
        model.sort(inB, Qt::AscendingOrder);
        double before = -100;
        for (int row = 0; row < model.rowCount(); ++row) {
            const double value = model.index(row, inB).data(SortRole).toDouble();
            QVERIFY(value >= before);
            before = value;
        }
        QCOMPARE(cell(*docks.places.elements(), 0, "index"), u"[2,2]"_s);
        model.sort(-1, Qt::AscendingOrder);
        QCOMPARE(cell(*docks.places.elements(), 0, "index"), u"[1,1]"_s);
    }

    /// Enter on an element, and on a channel its worst element: every dock follows.
    void enterGoesThere()
    {
        PlacesDocks docks;
        QVERIFY(docks.show());
        QTableView *elements = docks.places.elements(), *channels = docks.places.channels();
        elements->setCurrentIndex(elements->model()->index(1, 0));
        QTest::keyClick(elements, Qt::Key_Return);
        QCOMPARE(docks.session.place().element, std::optional<std::uint64_t>(9));
        QVERIFY(settle(docks.compare));
        QCOMPARE(docks.compare.pictures()->element(), std::optional<std::uint64_t>(9));
        QVERIFY2(docks.compare.pictures()->readout().contains(u"zeroed"_s),
                 qPrintable(docks.compare.pictures()->readout()));
        const ScatterPlot *scatter = docks.compare.figures()->scatterPlot();
        QVERIFY(scatter->currentPoint() >= 0);
        QCOMPARE(scatter->elementOf(scatter->currentPoint()), 9U);
        channels->setCurrentIndex(channels->model()->index(0, 0));
        QTest::keyClick(channels, Qt::Key_Return);
        QCOMPARE(docks.session.place().element, std::optional<std::uint64_t>(5));
        // And it follows: the element that is picked elsewhere is marked here.
        docks.session.goToElement(0, 11, nullptr);
        QCOMPARE(elements->currentIndex().row(), 2);
        QCOMPARE(channels->currentIndex().row(), 1);
        QCOMPARE(docks.places.strip()->channelOf(docks.places.strip()->currentPoint()), 2U);
    }

    /// One click, or an arrow key, is enough; several rows that are selected to be copied stay
    /// selected, and a table that merely gets the focus goes nowhere.
    void choosingGoesThere()
    {
        PlacesDocks docks;
        QVERIFY(docks.show());
        QTableView *elements = docks.places.elements(), *channels = docks.places.channels();
        docks.places.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&docks.places));
        elements->setFocus(Qt::TabFocusReason);
        QVERIFY(!docks.session.place().element);
        const auto click = [](QTableView *table, int row, Qt::KeyboardModifiers keys = {}) {
            QTest::mouseClick(table->viewport(), Qt::LeftButton, keys,
                              table->visualRect(table->model()->index(row, 1)).center());
        };
        click(elements, 1);
        QCOMPARE(docks.session.place().element, std::optional<std::uint64_t>(9));
        QCOMPARE(docks.places.strip()->channelOf(docks.places.strip()->currentPoint()), 2U);
        QCOMPARE(channels->currentIndex().row(), 1);
        QTest::keyClick(elements, Qt::Key_Up);
        QCOMPARE(docks.session.place().element, std::optional<std::uint64_t>(5));
        QCOMPARE(elements->currentIndex().row(), 0);
        click(elements, 2, Qt::ShiftModifier);
        QCOMPARE(elements->selectionModel()->selectedRows().size(), 3);
        click(channels, 1);
        QCOMPARE(docks.session.place().element, std::optional<std::uint64_t>(9));
        click(channels, 0);
        QCOMPARE(docks.session.place().element, std::optional<std::uint64_t>(5));
        QCOMPARE(elements->selectionModel()->selectedRows().size(), 1);
    }

    /// With the document as B the same element is gone to.
    void swapped()
    {
        PlacesDocks docks;
        QVERIFY(docks.show());
        docks.compare.setSwapped(true);
        QVERIFY(settle(docks.compare) && settle(docks.places));
        QCOMPARE(cell(*docks.places.elements(), 0, "a"), u"9"_s);
        QTableView *elements = docks.places.elements();
        elements->setCurrentIndex(elements->model()->index(0, 0));
        QTest::keyClick(elements, Qt::Key_Return);
        QCOMPARE(docks.session.place().weight, 0U);
        QCOMPARE(docks.session.place().element, std::optional<std::uint64_t>(5));
    }

    void nothingDiffers()
    {
        PlacesDocks docks(kThreeChannels, kThreeChannels);
        QVERIFY(docks.show());
        QVERIFY(!docks.places.showsContent());
        QCOMPARE(docks.places.elements()->model()->rowCount(), 0);
        docks.session.setOther(nullptr);
        QVERIFY(settle(docks.compare) && settle(docks.places));
        QVERIFY(!docks.places.showsContent());
    }

    /// What has no place in the picture is said under it, above all where nothing has one.
    void scatterSaysWhatIsNotFinite()
    {
        std::vector<float> a(12, 1.0f), b(12, std::numeric_limits<float>::quiet_NaN());
        const auto shown = [&a, &b] {
            PlacesDocks docks(a, b, "[3, 4]");
            return docks.show() ? docks.compare.figures()
                                      ->scatterPlot()
                                      ->findChild<QCustomPlot *>()
                                      ->xAxis->label()
                                : QString();
        };
        QCOMPARE(shown(), u"A: none is finite on both sides"_s);
        b[0] = 2;
        QCOMPARE(shown(), u"A (all 1), 11 not finite"_s);
    }

    /// More elements than any sample: every one of them is in a bin.
    void scatterHasAllElements()
    {
        std::vector<float> a(300 * 200), b(a.size());
        for (std::size_t i = 0; i < a.size(); ++i) {
            a[i] = float(i % 97) / 64.0f;
            b[i] = i % 5 == 0 ? 0.0f : a[i];
        }
        b[59999] = -1.25f; // the last element, all alone
        PlacesDocks docks(a, b, "[300, 200]");
        QVERIFY(docks.show());
        const ScatterPlot &scatter = *docks.compare.figures()->scatterPlot();
        std::uint64_t counted = 0;
        for (int point = 0; point < scatter.pointCount(); ++point)
            counted += scatter.cellData(point, 4, Qt::DisplayRole).toULongLong();
        const auto zeros =
            std::uint64_t(std::ranges::count_if(a, [](float value) { return value == 0.0f; }));
        QCOMPARE(counted, std::uint64_t(a.size()) - zeros);
        const int alone = scatter.pointOf(double(a[59999]), -1.25);
        QVERIFY(alone >= 0);
        QCOMPARE(scatter.elementOf(alone), 59999U);
        QCOMPARE(scatter.cellData(alone, 4, Qt::DisplayRole).toULongLong(), qulonglong{1});
        QCOMPARE(scatter.pointOf(100, 100), -1);
        // A point that is picked goes to its element.
        Q_EMIT docks.compare.figures()->scatterPlot()->currentPointChanged(alone);
        QCOMPARE(docks.session.place().element, std::optional<std::uint64_t>(59999));
    }

    /// A value five times as large as nearly all others is in the picture, of equal weights as
    /// well; what lies beyond the bins is counted with where they end.
    void scatterShowsWhatIsFarOut()
    {
        std::vector<float> a(300 * 200);
        for (std::size_t i = 0; i < a.size(); ++i)
            a[i] = float(i % 97) / 64.0f;
        a[100] = 7;
        const auto shown = [](const std::vector<float> &values) {
            PlacesDocks docks(values, values, "[300, 200]");
            if (!docks.show())
                return std::pair(QString(), 0.0);
            const QCustomPlot &plot =
                *docks.compare.figures()->scatterPlot()->findChild<QCustomPlot *>();
            return std::pair(plot.xAxis->label(), plot.xAxis->range().upper);
        };
        const auto whole = shown(a);
        QVERIFY(whole.second > 7);
        QVERIFY2(!whole.first.contains(u"beyond"_s), qPrintable(whole.first));
        a[100] = 1000;
        const auto cut = shown(a);
        QVERIFY(cut.second < 1000);
        QVERIFY2(cut.first.contains(u", 1 beyond \u00B1"_s), qPrintable(cut.first));
    }

    /// An outlier that only one side has stands at the edge, where a click goes to it.
    void scatterMarksWhatIsBeyond()
    {
        std::vector<float> a(300 * 200);
        for (std::size_t i = 0; i < a.size(); ++i)
            a[i] = float(i % 97) / 64.0f;
        std::vector<float> b = a;
        b[59999] = -1000;
        PlacesDocks docks(a, b, "[300, 200]");
        QVERIFY(docks.show());
        ScatterPlot &scatter = *docks.compare.figures()->scatterPlot();
        const int far = scatter.pointOf(double(a[59999]), -1000);
        QVERIFY(far >= 0);
        QVERIFY2(scatter.pointText(far).startsWith(u"element 59999: A"_s) &&
                     scatter.pointText(far).contains(u"B -1000"_s),
                 qPrintable(scatter.pointText(far)));
        QCOMPARE(scatter.cellData(far, 2, Qt::DisplayRole).toDouble(), -1000.0);
        const auto *plot = scatter.findChild<QCustomPlot *>();
        QVERIFY(plot->yAxis->range().lower > -1000);
        Q_EMIT scatter.currentPointChanged(far);
        QCOMPARE(docks.session.place().element, std::optional<std::uint64_t>(59999));
    }

    void histograms()
    {
        PlacesDocks docks;
        QVERIFY(docks.show());
        const HistogramPairPlot &plot = *docks.compare.findChild<HistogramPairPlot *>();
        QVERIFY(plot.pointCount() > 0);
        std::uint64_t a = 0, b = 0;
        qlonglong difference = 0;
        for (int point = 0; point < plot.pointCount(); ++point) {
            QVERIFY(plot.cellData(point, 0, Qt::DisplayRole).toDouble() <
                    plot.cellData(point, 1, Qt::DisplayRole).toDouble());
            QVERIFY(!plot.pointText(point).isEmpty());
            a += plot.cellData(point, 2, Qt::DisplayRole).toULongLong();
            b += plot.cellData(point, 3, Qt::DisplayRole).toULongLong();
            difference += plot.cellData(point, 4, Qt::DisplayRole).toLongLong();
        }
        QCOMPARE(a, 12U);
        QCOMPARE(b, 12U);
        QCOMPARE(difference, 0);
    }

    /// Of fp32 there are 33 bins: their labels do not touch each other, whatever the width.
    void stepsAreLabelledApart()
    {
        UlpPlot plot;
        ValueDifference difference;
        difference.ulpType = ElementType::Fp32;
        difference.ulpHistogram.assign(33, 5);
        plot.setDifference(difference);
        plot.setVisible(true);
        auto *canvas = VERIFIED(plot.findChild<QCustomPlot *>());
        for (int width = 260; width < 900; width += 40) {
            plot.resize(width, 200);
            canvas->replot();
            const QFontMetrics metrics(canvas->xAxis->tickLabelFont());
            double end = 0;
            for (const double tick : canvas->xAxis->tickVector()) {
                const QString text = canvas->xAxis->tickVectorLabels().value(
                    canvas->xAxis->tickVector().indexOf(tick));
                const double half = metrics.horizontalAdvance(text) / 2.0;
                const double middle = canvas->xAxis->coordToPixel(tick);
                QVERIFY2(middle - half > end, qPrintable(text));
                end = middle + half;
            }
            QVERIFY(canvas->xAxis->tickVector().size() > 3);
        }
    }

    void strip()
    {
        PlacesDocks docks;
        QVERIFY(docks.show());
        ChannelPlot &strip = *docks.places.strip();
        QCOMPARE(strip.pointCount(), 2);
        QCOMPARE(strip.channelOf(0), 1U);
        strip.setWorstFirst(true);
        QCOMPARE(strip.channelOf(1), 2U);
        QCOMPARE(strip.pointOfChannel(2), 1);
        QCOMPARE(strip.pointOfChannel(0), -1);
        Q_EMIT strip.currentPointChanged(0);
        QCOMPARE(docks.session.place().element, std::optional<std::uint64_t>(5));
    }

    /// Two pairs, of which one exceeds what is typed; what is half typed is no limit.
    void limits()
    {
        auto [session, dock] = test::Alone<CompareDock>();
        session.setBundle(
            denseBundle({{"w", "[3, 4]", kThreeChannels}, {"v", "[3, 4]", kThreeChannels}}));
        session.setOther(
            denseBundle({{"w", "[3, 4]", kThreeChanged}, {"v", "[3, 4]", kThreeChannels}}));
        QVERIFY(showDock(dock, 1300, 800));
        const int column = dock.model().columnOf("limits");
        const auto text = [&](int row) {
            return dock.model().index(row, column).data().toString();
        };
        VERIFIED(test::actionOf(dock, u"Limits"_s))->trigger();
        QVERIFY(dock.limits()->isVisible());
        QVERIFY(!dock.table()->isColumnHidden(column));
        QVERIFY(!dock.model().rows()[0].holds);
        dock.limits()->field(0)->setText(u"0.5"_s);
        QCOMPARE(dock.model().rows()[0].holds, std::optional(false));
        QCOMPARE(dock.model().rows()[1].holds, std::optional(true));
        QCOMPARE(text(0), u"\u2717 max_abs 3 (0.5)"_s);
        QCOMPARE(text(1), u"\u2713 holds"_s);
        QCOMPARE(dock.limits()->verdict(), u"\u2717 1 of 2 do not hold"_s);
        dock.limits()->field(0)->setText(u"3"_s);
        QCOMPARE(dock.limits()->verdict(), u"\u2713 2 hold"_s);
        // What appears where A has zero has no ratio.
        dock.limits()->field(1)->setText(u"1000"_s);
        QCOMPARE(text(0), u"\u2717 max_rel infinite (1000)"_s);
        dock.limits()->field(1)->clear();
        dock.limits()->field(0)->setText(u"1e-"_s);
        QVERIFY(!dock.limits()->limits().any());
        QVERIFY(!dock.model().rows()[0].holds);
    }

    /// Only what differs, only where patching is allowed, in the one that is the document.
    void copyAcross()
    {
        PlacesDocks docks;
        QVERIFY(docks.show());
        QAction *element = VERIFIED(test::actionOf(docks.compare, u"Copy Element"_s));
        QAction *channel = VERIFIED(test::actionOf(docks.compare, u"Copy Channel"_s));
        QAction *weight = VERIFIED(test::actionOf(docks.compare, u"Copy Weight"_s));
        QVERIFY(!element->isEnabled() && !weight->isEnabled());
        docks.session.setPatchingEnabled(true);
        QVERIFY(element->isEnabled() && weight->isEnabled());
        QSignalSpy wanted(&docks.session, &Session::editsRequested);
        const auto editsOf = [&](QAction *each) {
            wanted.clear();
            each->trigger();
            if (!settle(docks.compare) || wanted.size() != 1)
                return std::vector<std::string>();
            std::vector<std::string> texts;
            for (const Edit &edit : wanted.front().front().value<std::vector<Edit>>())
                texts.push_back(editText(edit));
            return texts;
        };
        docks.session.goToElement(0, 9, nullptr);
        QVERIFY(settle(docks.compare));
        QCOMPARE(editsOf(element), (std::vector<std::string>{"w[9]=0"}));
        QCOMPARE(editsOf(channel), (std::vector<std::string>{"w[9]=0", "w[10]=-3.5", "w[11]=2"}));
        QCOMPARE(editsOf(weight).size(), 4U);
        // The other way round A is the other one, and its values are those that are given.
        docks.compare.setSwapped(true);
        QVERIFY(settle(docks.compare));
        docks.session.goToElement(0, 9, nullptr);
        QVERIFY(settle(docks.compare));
        QCOMPARE(editsOf(element), (std::vector<std::string>{"w[9]=0"}));
    }
};

KERNSCOPE_TEST(TestComparePlaces, QApplication)
#include "tst_compare_places.moc"
