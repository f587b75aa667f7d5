// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/compare/compare_tools.h"
#include "tests/widgets/compare/pair_bundles.h"
#include "widgets/compare/builds_dock.h"

using namespace kernscope::ui;

namespace {

QString buildCell(const BuildsDock &dock, int row, int column)
{
    return dock.model().index(row, column).data().toString();
}

void choose(BuildsDock &dock, MatrixFigure figure)
{
    dock.figure()->setCurrentIndex(int(figure));
}

/// A safetensors file of one tensor "w" of four fp32 numbers.
bool write(const QString &path, const std::vector<float> &values)
{
    return put(path, safetensors(R"({"w":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}})",
                                 asArray(std::as_bytes(std::span(values)))));
}

} // namespace

/// Several builds at once: weights down, builds across, one figure at choice.
class TestBuilds : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void messages()
    {
        auto [session, dock] = test::Alone<BuildsDock>();
        QVERIFY(showDock(dock));
        QVERIFY(!dock.showsContent());
        session.setBundle(openSample("dense"));
        QVERIFY(settle(dock));
        QVERIFY(!dock.showsContent());
        dock.addBuild(openSample("sparse"));
        QVERIFY(settle(dock));
        QVERIFY(dock.showsContent());
    }

    /// The samples: what each cell says is what a comparison of two says.
    void threeBuilds()
    {
        auto [session, dock] = test::Alone<BuildsDock>();
        const BundlePtr base = openSample("dense"), sparse = openSample("sparse"),
                        palette = openSample("palette");
        session.setBundle(palette);
        session.setOther(sparse);
        dock.addBuild(palette);
        session.setBundle(base); // added ones are of a base
        dock.addBuild(palette);
        QVERIFY(showDock(dock));
        QAbstractItemModelTester tester(const_cast<MatrixModel *>(&dock.model()));
        QCOMPARE(dock.model().columnCount(), 4);
        QCOMPARE(dock.model().rowCount(), int(base->weights().size()));
        QCOMPARE(dock.model().headerData(3, Qt::Horizontal, Qt::DisplayRole).toString(),
                 u"sample-palette"_s);
        choose(dock, MatrixFigure::Verdict);
        int column = 2;
        for (const BundlePtr &build : {sparse, palette}) {
            DiffOptions options;
            options.values = true;
            const auto difference = compareBundles(*base, *build, options);
            for (const ComparedPair &pair : difference->weights)
                QCOMPARE(buildCell(dock, int(pair.a), column),
                         QString::fromStdString(verdict(pair, *base, *build)));
            ++column;
        }
    }

    void figures()
    {
        auto [session, dock] = test::Alone<BuildsDock>();
        QVERIFY(
            showDock(dock, session,
                     denseBundle({{"x", "[4]", {1, 2, 3, 4}}, {"y", "[4]", {1, 1, 1, 1}}}, false),
                     denseBundle({{"x", "[4]", {1, 2, 0, 4}}, {"y", "[4]", {1, 1, 1, 1}}}, false)));
        dock.addBuild(denseBundle({{"x", "[4]", {1, 2.5f, 3, 4}}}, false));
        QVERIFY(settle(dock));
        const auto row = [&](int number) {
            return QStringList{buildCell(dock, number, 1), buildCell(dock, number, 2),
                               buildCell(dock, number, 3)};
        };
        choose(dock, MatrixFigure::Bytes);
        QCOMPARE(row(0), (test::texts({"8", "8", "8"})));
        choose(dock, MatrixFigure::MaxAbs);
        QCOMPARE(row(0), (test::texts({"\u2013", "3", "0.5"})));
        QCOMPARE(row(1), (test::texts({"\u2013", "0", "only in the first"})));
        choose(dock, MatrixFigure::Zeroed);
        QCOMPARE(row(0), (test::texts({"\u2013", "25.0 %", "0.0 %"})));
        choose(dock, MatrixFigure::Ratio);
        QCOMPARE(row(0), (test::texts({"1.000", "1.000", "1.000"})));
        QVERIFY(!dock.chip()->isEnabled());
        choose(dock, MatrixFigure::Outcome);
        QVERIFY(dock.chip()->isEnabled() && dock.chip()->count() > 1);
        QVERIFY2(!buildCell(dock, 0, 1).isEmpty() && buildCell(dock, 0, 1) == buildCell(dock, 0, 2),
                 qPrintable(buildCell(dock, 0, 1)));
        // Sorting by a build; what has no number stays last.
        choose(dock, MatrixFigure::MaxAbs);
        dock.table()->sortByColumn(3, Qt::DescendingOrder);
        QCOMPARE(buildCell(dock, 0, 0), u"x"_s);
        dock.table()->sortByColumn(3, Qt::AscendingOrder);
        QCOMPARE(buildCell(dock, 0, 0), u"x"_s);
    }

    /// A row is a place, and a picture of each build; the element follows.
    void places()
    {
        auto [session, dock] = test::Alone<BuildsDock>();
        session.setBundle(
            denseBundle({{"x", "[2, 2]", {1, 2, 3, 4}}, {"y", "[2, 2]", {1, 1, 1, 2}}}, false));
        session.setOther(denseBundle({{"y", "[2, 2]", {1, 1, 1, 3}}}, false));
        QVERIFY(showDock(dock, 1200, 800));
        session.goToElement(1, 3, nullptr);
        QVERIFY(settle(dock));
        QCOMPARE(dock.model().weightAt(dock.table()->currentIndex().row()), 1U);
        for (const std::size_t side : {std::size_t(0), std::size_t(1)}) {
            QVERIFY(dock.pictures()->view(side)->isVisible());
            QCOMPARE(dock.pictures()->view(side)->currentCell(), (std::optional(Cell{1, 1})));
        }
        QVERIFY(!dock.pictures()->view(2)->isVisible());
        dock.table()->setCurrentIndex(dock.model().index(0, 0));
        QVERIFY(settle(dock));
        QCOMPARE(session.place().weight, 0U);
        QVERIFY(!dock.pictures()->view(1)->isVisible()); // the other build has no x
        Q_EMIT dock.pictures()->elementPicked(2);
        QCOMPARE(session.place().element, std::optional<std::uint64_t>(2));
    }

    /// Until somebody chooses a weight, the one that Compare shows is shown here as well.
    void beginsAtTheProposal()
    {
        auto [session, dock] = test::Alone<BuildsDock>();
        session.setBundle(openSample("dense"));
        session.setOther(openSample("sparse"));
        dock.propose(2);
        QVERIFY(showDock(dock));
        const auto *table = dock.findChild<QTableView *>();
        const auto shown = [&] { return dock.model().weightAt(table->currentIndex().row()); };
        QCOMPARE(shown(), 2U);
        dock.propose(1);
        QCOMPARE(shown(), 1U);
        QCOMPARE(session.place().weight, kNoIndex);
        session.goToWeight(3);
        QTRY_COMPARE(shown(), 3U);
        dock.propose(1);
        QCOMPARE(shown(), 3U);
    }

    void addedAreForgotten()
    {
        auto [session, dock] = test::Alone<BuildsDock>();
        session.setBundle(denseBundle({{"x", "[4]", {1, 2, 3, 4}}}, false));
        dock.addBuild(denseBundle({{"x", "[4]", {1, 2, 3, 5}}}, false));
        QVERIFY(showDock(dock));
        QVERIFY(dock.showsContent());
        VERIFIED(test::actionOf(dock, u"Remove"_s))->trigger();
        QVERIFY(settle(dock));
        QVERIFY(dock.added().empty() && !dock.showsContent());
        for (std::size_t i = 0; i < BuildsDock::kMostBuilds + 3; ++i)
            dock.addBuild(session.bundle());
        QCOMPARE(dock.added().size(), BuildsDock::kMostBuilds - 1);
        // The same file, opened again: they stay. Another one has others.
        session.setBundle(denseBundle({{"x", "[4]", {1, 2, 3, 6}}}, false));
        QVERIFY(settle(dock));
        QCOMPARE(dock.added().size(), BuildsDock::kMostBuilds - 1);
        session.setBundle(openSample("dense"));
        QVERIFY(settle(dock));
        QVERIFY(dock.added().empty());
    }

    /// Rows of the bundles of before must not be there while, or after, others are compared: a row
    /// that is picked would go to another weight.
    void rowsOfOtherBundlesGo()
    {
        auto [session, dock] = test::Alone<BuildsDock>();
        const BundlePtr first =
            denseBundle({{"x", "[4]", {1, 2, 3, 4}}, {"y", "[4]", {1, 1, 1, 1}}}, false);
        const BundlePtr second =
            denseBundle({{"y", "[4]", {1, 1, 1, 2}}, {"x", "[4]", {1, 2, 3, 5}}}, false);
        QVERIFY(showDock(dock, session, first, second));
        QCOMPARE(dock.model().rowCount(), 2);
        int rows = -1;
        auto started = connect(&session.tasks(), &TaskManager::changed, &dock, [&] {
            if (rows < 0)
                rows = dock.model().rowCount();
        });
        session.setBundle(second);
        session.setOther(first);
        dock.table()->selectRow(0); // before the dock noticed: goes nowhere
        QCOMPARE(session.place().weight, kNoIndex);
        QVERIFY(settle(dock));
        QCOMPARE(rows, 0);
        QCOMPARE(buildCell(dock, 0, 0), u"y"_s);
        // The same names with other values: the rows may stay until the new ones are there.
        rows = -1;
        session.setBundle(
            denseBundle({{"y", "[4]", {1, 1, 1, 3}}, {"x", "[4]", {1, 2, 3, 5}}}, false));
        QVERIFY(settle(dock));
        QCOMPARE(rows, 2);
        disconnect(started);
        // Another build beside the same document, and that is cancelled.
        test::cancelTasks(session);
        session.setOther(denseBundle({{"z", "[4]", {1, 2, 3, 5}}}, false));
        QVERIFY(settle(dock));
        QTRY_VERIFY(session.tasks().idle());
        QCOMPARE(dock.model().rowCount(), 0);
        QVERIFY(!dock.pictures()->view(0)->isVisible());
    }

    /// A comparison that was cancelled says so, and can be made again.
    void cancelled()
    {
        auto [session, dock] = test::Alone<BuildsDock>();
        session.setBundle(denseBundle({{"x", "[4]", {1, 2, 3, 4}}}, false));
        session.setOther(denseBundle({{"x", "[4]", {1, 2, 3, 5}}}, false));
        const auto cutting = test::cancelTasks(session);
        QVERIFY(showDock(dock));
        QAction *again = VERIFIED(test::actionOf(dock, u"Compare Builds Again"_s));
        QTRY_VERIFY(again->isEnabled());
        QVERIFY(!dock.showsContent());
        QVERIFY(test::says(dock, u"cancelled"_s));
        disconnect(cutting);
        again->trigger();
        QVERIFY(settle(dock));
        QVERIFY(dock.showsContent() && !again->isEnabled());
        QCOMPARE(dock.model().rowCount(), 1);
        QVERIFY(test::says(dock, u"1 weight, 2 builds"_s));
    }

    /// A move of the cursor elsewhere, an edit and the range of the colours leave the zoom alone.
    void picturesKeepTheirView()
    {
        auto [session, dock] = test::Alone<BuildsDock>();
        const std::vector<float> values(64, 1.5f);
        QVERIFY(showDock(
            dock, session, denseBundle({{"x", "[8, 8]", values}, {"y", "[8, 8]", values}}, false),
            denseBundle({{"x", "[8, 8]", values}, {"y", "[8, 8]", values}}, false), {2400, 800}));
        session.goToElement(0, 3 * 8 + 3);
        QVERIFY(settle(dock));
        TileView &first = const_cast<TileView &>(*dock.pictures()->view(0));
        TileView &second = const_cast<TileView &>(*dock.pictures()->view(1));
        const ViewState whole = first.viewState();
        first.zoomIn(); // the cell below stays in sight
        second.setViewState(first.viewState());
        const ViewState near = first.viewState();
        QVERIFY(!(near == whole));
        session.goToElement(0, 4 * 8 + 3);
        QVERIFY(settle(dock));
        QVERIFY(first.viewState() == near && second.viewState() == near);
        QCOMPARE(first.currentCell(), (std::optional(Cell{4, 3})));
        session.updateBundle(session.bundle());
        QVERIFY(settle(dock));
        QTRY_VERIFY(session.tasks().idle());
        QVERIFY(first.viewState() == near && second.viewState() == near);

        ViewState elsewhere; // where the cell is out of sight
        elsewhere.scale = 4 * near.scale;
        elsewhere.centreCol = elsewhere.centreRow = 1.5;
        first.setViewState(elsewhere);
        second.setViewState(elsewhere);
        session.updateBundle(session.bundle());
        QVERIFY(settle(dock));
        QTRY_VERIFY(session.tasks().idle());
        QVERIFY(first.viewState() == elsewhere && second.viewState() == elsewhere);
        session.goToWeight(1);
        QVERIFY(settle(dock));
        QVERIFY(first.viewState() == whole);
    }

    /// What a person set is there after an edit.
    void widthsAndScrollStay()
    {
        auto [session, dock] = test::Alone<BuildsDock>();
        std::vector<test::MadeWeight> many;
        for (int i = 0; i < 200; ++i)
            many.push_back({"w" + std::to_string(i), "[2]", {1, float(i)}});
        QVERIFY(showDock(dock, session, denseBundle(many, false), denseBundle(many, false)));
        QHeaderView *header = dock.table()->horizontalHeader();
        header->resizeSection(1, 77);
        QScrollBar *bar = dock.table()->verticalScrollBar();
        QVERIFY(bar->maximum() > 100);
        bar->setValue(90);
        session.updateBundle(session.bundle());
        QVERIFY(settle(dock));
        QCOMPARE(header->sectionSize(1), 77);
        QCOMPARE(bar->value(), 90);
        choose(dock, MatrixFigure::Rmse);
        QCOMPARE(bar->value(), 90);
        dock.addBuild(session.bundle()); // another number of columns
        QVERIFY(settle(dock));
        QVERIFY(header->sectionSize(1) != 77);
    }

    /// Names of builds are not cut while there is room.
    void namesHaveRoom()
    {
        auto [session, dock] = test::Alone<BuildsDock>();
        session.setBundle(openSample("dense"));
        session.setOther(*VERIFIED(Bundle::open("network_unified_palette_4bit.mlmodelc",
                                                {.memory = test::sampleOf("sparse").files})));
        QVERIFY(showDock(dock, 1400, 600));
        const QHeaderView *header = dock.table()->horizontalHeader();
        QVERIFY2(
            header->sectionSize(2) >= header->sectionSizeHint(2),
            qPrintable(u"%1 of %2"_s.arg(header->sectionSize(2)).arg(header->sectionSizeHint(2))));
    }

    /// What is copied or exported are figures that another program reads.
    void copiesPlainFigures()
    {
        auto [session, dock] = test::Alone<BuildsDock>();
        const std::vector<float> ones(2048, 1.0f);
        std::vector<float> others = ones;
        others[7] = 0;
        QVERIFY(showDock(dock, session,
                         denseBundle({{"x", "[2048]", ones}, {"y", "[2]", {1, 2}}}, false),
                         denseBundle({{"x", "[2048]", others}}, false)));
        const auto plain = [&](int row, int column) {
            return dock.model().index(row, column).data(CopyRole).toString();
        };
        choose(dock, MatrixFigure::Bytes);
        QCOMPARE(buildCell(dock, 0, 1), u"4,096"_s);
        QCOMPARE(plain(0, 1), u"4096"_s);
        choose(dock, MatrixFigure::Zeroed);
        QCOMPARE(plain(0, 2).toDouble(), 1.0 / 2048);
        choose(dock, MatrixFigure::Snr);
        QVERIFY2(plain(0, 2).toDouble() > 10, qPrintable(plain(0, 2)));
        QCOMPARE(plain(0, 1), QString());
        QCOMPARE(plain(1, 2), QString());
        choose(dock, MatrixFigure::Outcome);
        const QString outcome = buildCell(dock, 0, 1);
        QVERIFY(outcome.contains(QLatin1Char(' ')));
        QCOMPARE(plain(0, 1), outcome.section(QLatin1Char(' '), 1));
        choose(dock, MatrixFigure::Verdict);
        QCOMPARE(plain(0, 2), buildCell(dock, 0, 2));
        QCOMPARE(plain(0, 0), u"x"_s);
    }

    /// Several at once, as from the command line, and an edit meanwhile: none is lost.
    void addedAtOnce()
    {
        QTemporaryDir folder;
        auto [session, dock] = test::Alone<BuildsDock>();
        session.setBundle(denseBundle({{"w", "[4]", {1, 2, 3, 4}}}, false));
        QStringList wanted, added;
        for (const QString &name : {u"c.safetensors"_s, u"a.safetensors"_s, u"b.safetensors"_s}) {
            QVERIFY(write(folder.filePath(name), {1, 2, 3, 5}));
            dock.add(folder.filePath(name));
            wanted << name;
        }
        session.tasks().quiesce();
        session.updateBundle(session.bundle());
        QVERIFY(showDock(dock));
        QTRY_COMPARE(dock.added().size(), 3U);
        for (const BundlePtr &bundle : dock.added())
            added << QString::fromStdString(bundle->name());
        QCOMPARE(added, wanted);
        // A person who cancels the opening hears which builds are missing.
        QSignalSpy said(&session, &Session::statusMessage);
        dock.add(folder.filePath(u"c.safetensors"_s));
        dock.add(folder.filePath(u"a.safetensors"_s));
        session.tasks().cancelAll();
        QTRY_COMPARE(said.size(), 2);
        QVERIFY(said.back().front().toString().contains(u"a.safetensors was not opened"_s));
        // Those of another document are not added to this one.
        dock.add(folder.filePath(u"b.safetensors"_s));
        session.setBundle(openSample("dense"));
        QVERIFY(settle(dock));
        QTRY_VERIFY(session.tasks().idle());
        QVERIFY(dock.added().empty());
    }

    // Builds that were added and whose files other programs change.
    void reopened()
    {
        QTemporaryDir folder;
        const QString path = folder.filePath(u"third.safetensors"_s);
        QVERIFY(write(path, {1, 2, 3, 4}));
        auto [session, dock] = test::Alone<BuildsDock>();
        session.setBundle(denseBundle({{"w", "[4]", {1, 2, 3, 4}}}, false));
        const BundlePtr before = *Bundle::open(path.toStdString());
        QSignalSpy changed(&dock, &BuildsDock::addedChanged);
        dock.addBuild(before);
        QCOMPARE(changed.size(), 1);
        QVERIFY(showDock(dock));
        // Replaced, as most programs write; what is mapped stays the old file.
        QVERIFY(QFile::remove(path) && write(path, {1, 2, 3, 9}));
        dock.reopen(before);
        QVERIFY(QTest::qWaitFor([&] { return changed.size() == 2 && !dock.busy(); }, 20000));
        QCOMPARE(dock.added().size(), 1U);
        QVERIFY(dock.added().front() != before);
        const auto &buildCell = dock.model().matrix()->rows.front().cells.back();
        QVERIFY(buildCell.values);
        QCOMPARE(buildCell.values->maxAbs, 5.0);
        dock.reopen(before); // which are forgotten
        QVERIFY(QTest::qWaitFor([&] { return !dock.busy(); }, 20000));
        QCOMPARE(changed.size(), 2);
    }

    void removed()
    {
        QTemporaryDir folder;
        const QString path = folder.filePath(u"third.safetensors"_s);
        QVERIFY(write(path, {1, 2, 3, 4}));
        auto [session, dock] = test::Alone<BuildsDock>();
        session.setBundle(denseBundle({{"w", "[4]", {1, 2, 3, 4}}}, false));
        const BundlePtr build = *Bundle::open(path.toStdString());
        dock.addBuild(build);
        QVERIFY(showDock(dock));
        QSignalSpy changed(&dock, &BuildsDock::addedChanged);
        QSignalSpy said(&session, &Session::statusMessage);
        QVERIFY(QFile::remove(path));
        dock.reopen(build);
        QVERIFY(QTest::qWaitFor([&] { return changed.size() == 1; }, 20000));
        QVERIFY(dock.added().empty());
        QVERIFY(said.front().front().toString().contains(u"third.safetensors"_s));
    }
};

KERNSCOPE_TEST(TestBuilds, QApplication)
#include "tst_builds.moc"
