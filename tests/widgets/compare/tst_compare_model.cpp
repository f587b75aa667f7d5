// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/compare/compare_tools.h"
#include "tests/widgets/compare/pair_bundles.h"
#include "widgets/compare/compare_runner.h"
#include "widgets/compare/places_dock.h"

using namespace kernscope::ui;

namespace {

QString text(const CompareModel &model, int row, std::string_view key)
{
    return model.index(row, model.columnOf(key)).data().toString();
}

std::vector<report::PairRow> pairedRows(const Bundle &a, const Bundle &b)
{
    const PairedWeights paired = pairWeights(a, b);
    return report::pairRows(a, b, paired.pairs, paired.onlyA, paired.onlyB);
}

/// The names of A in the order shown.
QString shownNames(const CompareModel &model)
{
    QStringList list;
    for (int row = 0; row < model.rowCount(); ++row)
        list.append(text(model, row, "weight"));
    return list.join(u' ');
}

/// A model whose rows a runner compares.
struct Comparison {
    TaskManager tasks;
    CompareModel model;
    QAbstractItemModelTester tester{&model};
    CompareRunner runner{tasks, model};

    /// Runs to its end.
    bool compare(const BundlePtr &a, const BundlePtr &b)
    {
        QSignalSpy finished(&runner, &CompareRunner::finished);
        runner.start(a, b);
        return finished.wait(20000) && !runner.stopped();
    }
};

void overwrite(const BundlePtr &bundle, std::size_t weight, std::uint64_t at, std::uint8_t byte)
{
    const OperandPlace &part = *bundle->weights()[weight].operands().front().place;
    const std::array content{static_cast<std::byte>(byte)};
    const auto done = VERIFIED(
        bundle->files()[part.file].file->write(FileOffset(part.dataOffset.value + at), content));
}

constexpr std::size_t kRows = 8, kCols = 4, kFirst = 3;

std::vector<float> someValues()
{
    std::vector<float> values(kRows * kCols);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = float((i * 37) % 101) / 16;
    return values;
}

/// "qk" of 8 rows.
BundlePtr wholeBundle()
{
    return denseBundle({{"qk", "[8, 4]", someValues()}}, false);
}

/// Its first 3 rows "q", and the others "k", the fourth element of which differs by 1.
BundlePtr partsBundle()
{
    const std::vector<float> all = someValues();
    const auto cut = all.begin() + kFirst * kCols;
    std::vector<float> second(cut, all.end());
    second[3] += 1;
    return denseBundle({{"q", "[3, 4]", {all.begin(), cut}}, {"k", "[5, 4]", second}}, false);
}

/// Palettes of four bits with one codebook, of these codes, read by nothing.
BundlePtr palettes(const std::vector<std::pair<std::string, std::vector<unsigned>>> &weights,
                   bool descending)
{
    MadeBundle made;
    std::vector<float> book(16);
    std::iota(book.begin(), book.end(), 1.0f);
    if (descending)
        std::ranges::reverse(book);
    for (const auto &[name, codes] : weights) {
        Bytes packed;
        for (std::size_t i = 0; i < codes.size(); i += 2)
            packed.push_back(static_cast<std::byte>(codes[i] | codes[i + 1] << 4));
        const std::string shape = "[" + std::to_string(codes.size() / kCols) + ", 4]";
        made.line("tensor<fp16, " + shape + "> " + name + " = constexpr_lut_to_dense(indices = " +
                  made.blob(ElementType::Uint4, shape, packed) +
                  ", lut = " + made.blob(ElementType::Fp16, "[1, 1, 16, 1]", halves(book)) +
                  ")[name = string(\"" + name + "\")]");
    }
    return *made.open();
}

} // namespace

class TestCompareModel : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void emptyModel()
    {
        CompareModel model;
        QAbstractItemModelTester tester(&model);
        QCOMPARE(model.rowCount(), 0);
        QCOMPARE(model.columnCount(), pairColumns().count());
        QCOMPARE(model.rowAt(0), kNoIndex);
        model.sort(model.columnOf("max_abs"), Qt::DescendingOrder);
        model.setFilter(u"x"_s);
    }

    void rowsAtOnce()
    {
        const auto a = openSample("dense"), b = openSample("sparse");
        CompareModel model;
        QAbstractItemModelTester tester(&model);
        model.setRows(pairedRows(*a, *b));
        QCOMPARE(model.rowCount(), int(a->weights().size()));
        for (int row = 0; row < model.rowCount(); ++row) {
            QCOMPARE(model.rows()[model.rowAt(row)].state, report::PairState::Waiting);
            QCOMPARE(text(model, row, "max_abs"), u"\u2026"_s);
            QVERIFY(text(model, row, "verdict").contains(u"comparing"_s));
            QVERIFY(!text(model, row, "stored_ratio").isEmpty());
        }
    }

    void figures_data()
    {
        const auto row =
            addColumns<std::vector<float>, QString, QString, QString, QString, QString, QString>();
        const std::vector<float> a{1, -2, 0, 4, 5, 6, 7, 8};
        row("same", a, "8", "0", "0.0 %", "0", "0", "= identical");
        row("pruned", std::vector<float>{1, 0, 0, 4, 5, 0, 7, 8}, "6", "0", "25.0 %", "0", "6", "");
        row("one revived", std::vector<float>{1, -2, 0.5f, 4, 5, 6, 7, 8}, "7", "0", "0.0 %", "1",
            "0.5", "\u2260 1 value differs");
        row("changed", std::vector<float>{1, -2, 0, 4, 5, 6, 7, 8.03125f}, "7", "1", "0.0 %", "0",
            "0.03125", "~ 1 value differs");
        row("not finite", std::vector<float>{1, -2, 0, 4, NAN, 6, 7, 8}, "7", "1", "0.0 %", "0",
            "not finite", "\u221E not finite (1 value in B)");
        row("doubled", std::vector<float>{2, -4, 0, 8, 10, 12, 14, 16}, "1", "7", "0.0 %", "0", "8",
            "\u2260 scaled by 2");
    }

    void figures()
    {
        const auto [b, equal, changed, zeroed, revived, maxAbs, verdict] =
            fetched<std::vector<float>, QString, QString, QString, QString, QString, QString>();
        const auto left = denseBundle({{"w", "[2, 4]", {1, -2, 0, 4, 5, 6, 7, 8}}});
        const auto right = denseBundle({{"w", "[2, 4]", b}});
        Comparison comparison;
        CompareModel &model = comparison.model;
        CompareRunner &runner = comparison.runner;
        QVERIFY(comparison.compare(left, right));
        QCOMPARE(model.rowCount(), 1);
        QCOMPARE(text(model, 0, "equal"), equal);
        QCOMPARE(text(model, 0, "changed"), changed);
        QCOMPARE(text(model, 0, "zeroed_share"), zeroed);
        QCOMPARE(text(model, 0, "revived"), revived);
        QCOMPARE(text(model, 0, "max_abs"), maxAbs);
        if (!verdict.isEmpty())
            QCOMPARE(text(model, 0, "verdict"), verdict);
        QVERIFY(runner.files() != nullptr);
        QVERIFY(runner.files()->program.equal);
    }

    void oneSidedAndShapes()
    {
        const auto a = denseBundle({{"w", "[2, 2]", {1, 2, 3, 4}}, {"extra", "[1, 2]", {5, 6}}});
        const auto b = denseBundle({{"w", "[1, 3]", {1, 2, 3}}});
        Comparison comparison;
        CompareModel &model = comparison.model;
        QVERIFY(comparison.compare(a, b));
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(text(model, 0, "verdict"), u"\u25A1 shapes differ"_s);
        QVERIFY(model.index(0, model.columnOf("verdict"))
                    .data(Qt::ToolTipRole)
                    .toString()
                    .contains(u"[2, 2]"_s));
        QCOMPARE(text(model, 1, "verdict"), u"\u25C0 only in A"_s);
        QCOMPARE(text(model, 1, "form_b"), u"\u2013"_s);
        QCOMPARE(text(model, 1, "stored_b"), u"\u2013"_s);
        QCOMPARE(rowOf(model, true, 1), 1U);
        QCOMPARE(rowOf(model, false, 7), kNoIndex);

        QVERIFY(comparison.compare(b, a));
        QCOMPARE(text(model, 1, "verdict"), u"\u25B6 only in B"_s);
        QCOMPARE(model.rowOfNames({}, "extra"), 1U);
    }

    void sortsByNumber()
    {
        const auto a = denseBundle({{"w0", "[1, 2]", {1, 2}},
                                    {"w1", "[1, 2]", {1, 2}},
                                    {"w2", "[1, 2]", {1, 2}},
                                    {"w3", "[1, 2]", {1, 2}}});
        const auto b = denseBundle({{"w0", "[1, 2]", {1, 2.5f}},
                                    {"w1", "[1, 2]", {1, 12}},
                                    {"w2", "[1, 3]", {1, 2, 3}},
                                    {"w3", "[1, 2]", {1, 6}}});
        Comparison comparison;
        CompareModel &model = comparison.model;
        QVERIFY(comparison.compare(a, b));
        const auto names = [&model] { return shownNames(model); };
        model.sort(model.columnOf("max_abs"), Qt::AscendingOrder);
        QCOMPARE(names(), u"w0 w3 w1 w2"_s); // 0.5, 4, 10; what has no number is last
        model.sort(model.columnOf("max_abs"), Qt::DescendingOrder);
        QCOMPARE(names(), u"w1 w3 w0 w2"_s);
        model.sort(model.columnOf("weight"), Qt::DescendingOrder);
        QCOMPARE(names(), u"w3 w2 w1 w0"_s);
        model.setWorstFirst(false);
        model.sort(-1, Qt::AscendingOrder);
        QCOMPARE(names(), u"w0 w1 w2 w3"_s);
        QCOMPARE(model.shownRow(2), 2);
    }

    /// What cannot be compared, what has no partner, the largest relative errors, what is not
    /// compared yet, what is the same: while the values come in as well as afterwards.
    void worstFirst()
    {
        const auto a =
            denseBundle({{"same", "[1, 2]", {1, 2}},
                         {"small", "[1, 2]", {100, 200}}, // by more, and by a smaller part
                         {"large", "[1, 2]", {1, 2}},
                         {"shape", "[1, 2]", {1, 2}},
                         {"inf", "[1, 2]", {1, 2}},
                         {"gone", "[1, 2]", {1, 2}}},
                        false);
        const auto b = denseBundle({{"same", "[1, 2]", {1, 2}},
                                    {"small", "[1, 2]", {100, 240}},
                                    {"large", "[1, 2]", {1, 12}},
                                    {"shape", "[1, 3]", {7, 8, 9}},
                                    {"inf", "[1, 2]", {1, INFINITY}}},
                                   false);
        Comparison comparison;
        CompareModel &model = comparison.model;
        QVERIFY(model.worstFirst() && model.ordersBySeverity());
        std::vector<report::PairRow> rows = pairedRows(*a, *b);
        model.setRows(rows);
        QCOMPARE(shownNames(model), u"shape gone same small large inf"_s);
        const QPersistentModelIndex kept(model.index(3, 0)); // "small"
        QSignalSpy reset(&model, &QAbstractItemModel::modelReset);

        // One pair after the other: nothing moves before it is asked for.
        Difference whole = *compareBundles(*a, *b, {.values = true});
        const auto tell = [&](const std::string &name) {
            const std::size_t row = model.rowOfNames(name, {});
            model.setPair(row, report::pairRow(*a, *b, whole.weights[row]));
        };
        tell("large");
        QCOMPARE(shownNames(model), u"shape gone same small large inf"_s);
        model.arrange();
        QCOMPARE(shownNames(model), u"shape gone large same small inf"_s);
        tell("same");
        tell("inf");
        model.arrange();
        QCOMPARE(shownNames(model), u"shape gone inf large small same"_s);
        QCOMPARE(kept.data().toString(), u"small"_s);
        QCOMPARE(reset.count(), 0);

        // A column that a person chose stays until all is there.
        model.sort(model.columnOf("weight"), Qt::AscendingOrder);
        tell("small");
        model.arrange();
        QCOMPARE(shownNames(model), u"gone inf large same shape small"_s);
        model.sort(-1, Qt::AscendingOrder);
        QCOMPARE(shownNames(model), u"shape gone inf large small same"_s);
        model.setWorstFirst(false);
        QCOMPARE(shownNames(model), u"same small large shape inf gone"_s);
        model.arrange();
        QCOMPARE(shownNames(model), u"same small large shape inf gone"_s);
    }

    void filters()
    {
        const auto a = openSample("dense"), b = openSample("palette");
        CompareModel model;
        QAbstractItemModelTester tester(&model);
        model.setRows(pairedRows(*a, *b));
        const int all = model.rowCount();
        model.setFilter(u"PALETTE"_s);
        QVERIFY(model.rowCount() > 0 && model.rowCount() < all);
        for (int row = 0; row < model.rowCount(); ++row)
            QVERIFY(text(model, row, "form_b").contains(u"palette"_s));
        model.setFilter(u"palette nothing-has-this"_s);
        QCOMPARE(model.rowCount(), 0);
        model.setFilter({});
        QCOMPARE(model.rowCount(), all);
    }

    void differencesOnly()
    {
        const auto a = denseBundle({{"same", "[1, 2]", {1, 2}}, {"other", "[1, 2]", {1, 2}}});
        const auto b = denseBundle({{"same", "[1, 2]", {1, 2}}, {"other", "[1, 2]", {1, 3}}});
        Comparison comparison;
        CompareModel &model = comparison.model;
        model.setDifferencesOnly(true);
        QVERIFY(comparison.compare(a, b));
        model.updateOrder();
        QCOMPARE(model.rowCount(), 1);
        QCOMPARE(text(model, 0, "weight"), u"other"_s);
        QCOMPARE(model.shownRow(0), -1);
        model.setDifferencesOnly(false);
        QCOMPARE(model.rowCount(), 2);
    }

    void copyAndCsv()
    {
        const auto a = denseBundle({{"w", "[1, 2]", {1, 2}}});
        const auto b = denseBundle({{"w", "[1, 2]", {1, 0}}});
        Comparison comparison;
        CompareModel &model = comparison.model;
        QVERIFY(comparison.compare(a, b));
        QItemSelectionModel selection(&model);
        selection.select(model.index(0, 0),
                         QItemSelectionModel::Select | QItemSelectionModel::Rows);
        const QStringList cells = selectionAsTsv(selection).split(u'\t');
        QCOMPARE(cells.size(), pairColumns().count());
        QCOMPARE(cells[model.columnOf("weight")], u"w"_s);
        QCOMPARE(cells[model.columnOf("zeroed_share")], u"0.5"_s);
        QCOMPARE(cells[model.columnOf("stored_a")], u"4"_s);
        const QStringList lines = tableAsCsv(model).split(u'\n');
        QCOMPARE(lines.size(), 3);
        QVERIFY(lines[0].startsWith(u"weight,function,form_a,form_b,"_s));
        QVERIFY(lines[1].startsWith(u"w,main,dense-fp16,dense-fp16,1,0.894427"_s));
    }

    void headersExplain()
    {
        CompareModel model;
        for (int i = 0; i < model.columnCount(); ++i) {
            const QString title = model.headerData(i, Qt::Horizontal, Qt::DisplayRole).toString();
            const QString help = model.headerData(i, Qt::Horizontal, Qt::ToolTipRole).toString();
            QVERIFY(!title.isEmpty());
            QVERIFY2(help.size() > title.size(), qPrintable(title));
            QCOMPARE(
                model.headerData(i, Qt::Horizontal, Qt::InitialSortOrderRole).toInt(),
                int(pairColumns().facts(i).number() ? Qt::DescendingOrder : Qt::AscendingOrder));
        }
    }

    void selectionSurvivesSorting()
    {
        const auto a = openSample("dense"), b = openSample("sparse");
        CompareModel model;
        QAbstractItemModelTester tester(&model);
        model.setRows(pairedRows(*a, *b));
        const QPersistentModelIndex kept(model.index(1, 0));
        const QString name = kept.data().toString();
        model.sort(model.columnOf("stored_a"), Qt::DescendingOrder);
        QCOMPARE(kept.data().toString(), name);
        model.sort(model.columnOf("weight"), Qt::DescendingOrder);
        QCOMPARE(kept.data().toString(), name);
    }

    void onlyEditedPairsAreReadAgain()
    {
        const auto a = denseBundle({{"w0", "[1, 2]", {1, 2}}, {"w1", "[1, 2]", {1, 2}}});
        const auto b = denseBundle({{"w0", "[1, 2]", {1, 2}}, {"w1", "[1, 2]", {1, 2}}});
        Comparison comparison;
        CompareModel &model = comparison.model;
        CompareRunner &runner = comparison.runner;
        QVERIFY(comparison.compare(a, b));
        const QPersistentModelIndex kept(model.index(1, 0));
        overwrite(a, 1, 1, 0x40); // 1.0 becomes 2.0

        QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
        std::vector<report::PairState> first;
        connect(&runner, &CompareRunner::rowsReady, &model, [&] {
            for (const report::PairRow &row : model.rows())
                first.push_back(row.state);
        });
        QVERIFY(comparison.compare(a, b));
        QCOMPARE(first.size(), 2U);
        QCOMPARE(first[0], report::PairState::Compared); // remembered
        QCOMPARE(first[1], report::PairState::Waiting);
        QCOMPARE(reset.count(), 0); // the same pairs: nothing jumps
        QVERIFY(kept.isValid());
        QCOMPARE(text(model, 0, "changed"), u"0"_s);
        QCOMPARE(text(model, 1, "changed"), u"1"_s);
    }

    void fingerprints()
    {
        const auto bundle = denseBundle({{"w0", "[1, 2]", {1, 2}}, {"w1", "[1, 2]", {3, 4}}});
        const auto before = weightFingerprints(*bundle);
        QCOMPARE(before.size(), 2U);
        overwrite(bundle, 0, 1, 0x44);
        const auto edited = weightFingerprints(*bundle);
        QVERIFY(edited[0] != before[0]);
        QCOMPARE(edited[1], before[1]);
        overwrite(bundle, 0, 1, 0x48); // the same bytes, another value
        QVERIFY(weightFingerprints(*bundle)[0] != edited[0]);
        overwrite(bundle, 0, 1, 0x3c); // as it was
        QCOMPARE(weightFingerprints(*bundle), before);
    }

    void cancelledThenContinued()
    {
        const auto a = openSample("dense"), b = openSample("sparse");
        Comparison comparison;
        CompareModel &model = comparison.model;
        CompareRunner &runner = comparison.runner;
        QSignalSpy finished(&runner, &CompareRunner::finished);
        runner.start(a, b);
        comparison.tasks.cancelAll();
        QVERIFY(finished.wait(20000));
        QVERIFY(runner.stopped());
        QVERIFY(!runner.running());
        for (const report::PairRow &row : model.rows())
            QVERIFY(row.state != report::PairState::Waiting);
        QVERIFY(comparison.compare(a, b));
        QCOMPARE(model.rowCount(), int(a->weights().size()));
        for (const report::PairRow &row : model.rows())
            QCOMPARE(row.state, report::PairState::Compared);
    }

    // Weights that are split or merged, shown as plain pairs are.
    void splitRows()
    {
        auto [session, dock] = test::Alone<CompareDock>();
        QVERIFY(showDock(dock, session, wholeBundle(), partsBundle()));
        QAbstractItemModelTester tester(const_cast<CompareModel *>(&dock.model()));
        const auto &rows = dock.model().rows();
        QCOMPARE(rows.size(), 2U);
        const auto text = [&](std::size_t row, std::string_view key) { // by its stable number
            const int shown = dock.model().shownRow(row);
            return dock.model().index(shown, dock.model().columnOf(key)).data().toString();
        };
        QVERIFY(rows[0].pair.slice && rows[1].pair.slice);
        QCOMPARE(rows[0].state, report::PairState::Compared);
        QCOMPARE(dock.model().rowAt(0), 1U); // the part that differs is worse
        QVERIFY(text(0, "verdict").endsWith(u"split, same values"_s));
        QVERIFY(text(1, "verdict").contains(u"1 value differs"_s));
        QCOMPARE(text(1, "changes"), u"split: part 2 of 2, 3 to 7 of axis 0 of the whole"_s);
        QCOMPARE(rows[1].pair.values->worst->element, 3U);
        QCOMPARE(rows[1].elements, 20U);
        QVERIFY(!actionOf(dock, u"Take the Pair Apart"_s)->isEnabled());
    }

    void pictures_data() { test::addEach<const char *>({"split", "merged"}); }

    /// The part and its place in the whole lie cell beside cell; places are those of the document.
    void pictures()
    {
        const bool merged = std::get<0>(test::fetched<QString>()) == u"merged"_s;
        auto [session, dock] = test::Alone<CompareDock>();
        QVERIFY(showDock(dock, session, merged ? partsBundle() : wholeBundle(),
                         merged ? wholeBundle() : partsBundle(), {1300, 800}));
        const auto &rows = dock.model().rows();
        QCOMPARE(rows.size(), 2U);
        const std::size_t second = rows[0].pair.slice->number == 1 ? 0 : 1;
        // Row 4 of the whole is the second row of "k".
        session.goToElement(merged ? rows[second].pair.a : 0, merged ? 5 : 4 * kCols + 1);
        QVERIFY(QTest::qWaitFor([&] { return !dock.busy(); }, 20000));
        QCOMPARE(dock.shownRow(), second);
        PairPictures *pictures = dock.pictures();
        QVERIFY(pictures->subject().comparable());
        QCOMPARE(pictures->element(), std::optional<std::uint64_t>(5));
        for (TileView *view : {pictures->viewA(), pictures->viewB(), pictures->viewDifference()}) {
            QVERIFY(view->source());
            QCOMPARE(view->source()->rows(), 5U);
            QCOMPARE(view->source()->cols(), 4U);
            QCOMPARE(view->currentCell(), std::optional(Cell{1, 1}));
        }
        QVERIFY2(pictures->readout().contains(u"equal"_s), qPrintable(pictures->readout()));
        // The largest difference is in the first row of the part, which is row 3 of the whole.
        actionOf(dock, u"Go to Largest Difference"_s)->trigger();
        QVERIFY(QTest::qWaitFor([&] { return !dock.busy(); }, 20000));
        QCOMPARE(pictures->viewA()->currentCell(), std::optional(Cell{0, 3}));
        QCOMPARE(session.place().element,
                 std::optional<std::uint64_t>(merged ? 3 : kFirst * kCols + 3));
        QVERIFY(pictures->readout().contains(u"\u0394"_s));
        // Another part of the same weight is another row.
        if (!merged) {
            session.goToElement(0, 0);
            QVERIFY(QTest::qWaitFor([&] { return !dock.busy(); }, 20000));
            QCOMPARE(dock.shownRow(), 1 - second);
            QCOMPARE(pictures->viewB()->source()->rows(), 3U);
        }
    }

    void channelsAndElements()
    {
        auto [session, dock] = test::Alone<CompareDock>();
        PlacesDock places(session);
        connect(&dock, &CompareDock::placesChanged, &places, &PlacesDock::setPlaces);
        QVERIFY(showDock(dock, session, wholeBundle(), partsBundle()));
        QVERIFY(showDock(places, 900, 300));
        session.goToElement(0, 4 * kCols);
        QVERIFY(QTest::qWaitFor([&] { return !dock.busy() && !places.busy(); }, 20000));
        QVERIFY(places.showsContent());
        QCOMPARE(places.channels()->model()->rowCount(), 1);
        QCOMPARE(places.elements()->model()->rowCount(), 1);
        QCOMPARE(places.elements()->model()->index(0, 0).data().toString(), u"[0,3]"_s);
        Q_EMIT places.elements()->activated(places.elements()->model()->index(0, 0));
        QCOMPARE(session.place().element, std::optional<std::uint64_t>(kFirst * kCols + 3));
        session.goToElement(0, 0);
        QVERIFY(QTest::qWaitFor([&] { return !dock.busy() && !places.busy(); }, 20000));
        QVERIFY(!places.showsContent()); // no element of the other part differs
    }

    /// The same values in the other order of entries.
    void codebooks()
    {
        std::vector<unsigned> codes(kRows * kCols);
        for (std::size_t i = 0; i < codes.size(); ++i)
            codes[i] = unsigned((i * 7 + i / 5) % 16);
        std::vector<unsigned> turned;
        for (const unsigned code : codes)
            turned.push_back(15 - code);
        const auto cut = turned.begin() + 4 * kCols;
        auto [session, dock] = test::Alone<CompareDock>();
        CodebooksDock books(session);
        connect(&dock, &CompareDock::placesChanged, &books, &CodebooksDock::setPlaces);
        QVERIFY(
            showDock(dock, session, palettes({{"qk", codes}}, false),
                     palettes({{"q", {turned.begin(), cut}}, {"k", {cut, turned.end()}}}, true)));
        QVERIFY(showDock(books, 900, 300));
        QCOMPARE(dock.model().rows().size(), 2U);
        QVERIFY(dock.model().rows()[1].pair.slice);
        session.goToElement(0, 5 * kCols);
        QVERIFY(QTest::qWaitFor([&] { return !dock.busy() && !books.busy(); }, 20000));
        QVERIFY(books.showsContent());
        const auto match = VERIFIED(
            matchCodebooks(*session.bundle(), *session.other(), dock.model().rows()[1].pair));
        QCOMPARE(match->count(EntryChange::Changed), 0U);
        QVERIFY(match->count(EntryChange::Moved) > 4);
        const std::uint64_t uses = std::accumulate(
            match->entries.begin(), match->entries.end(), std::uint64_t(0),
            [](std::uint64_t sum, const EntryMatch &entry) { return sum + entry.usesA; });
        QCOMPARE(uses, std::uint64_t(4 * kCols)); // elements of the part alone
    }
};

KERNSCOPE_TEST(TestCompareModel, QApplication)
#include "tst_compare_model.moc"
