// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/hwx/container.h"
#include "synthetic.h"
#include "tests/widgets/compare/compare_tools.h"
#include "tests/widgets/compare/pair_bundles.h"
#include "widgets/compare/hand_pairs.h"
#include "widgets/compare/places_dock.h"
#include "widgets/compare/verdict_strip.h"
#include "widgets/models/words.h"

using namespace kernscope::ui;

namespace {

const std::vector<float> kOne{1, 2, 3, 4}, kTwo{5, 6, 7, 8}, kThree{9, -2, 4, 1};

/// "x-y hand": names of both sides and why, row by row in their stable order.
QStringList pairsOf(const CompareDock &dock)
{
    QStringList list;
    for (const report::PairRow &row : dock.model().rows()) {
        list << (row.onA() && row.onB()
                     ? u"%1-%2 %3"_s.arg(fromUtf8(row.nameA), fromUtf8(row.nameB),
                                         QString::fromUtf8(pairingName(row.pair.pairing).data()))
                     : u"%1 %2"_s.arg(QString::fromUtf8(row.onA() ? "A" : "B"),
                                      fromUtf8(row.name())));
    }
    return list;
}

std::size_t rowOf(const CompareDock &dock, const char *text)
{
    const auto &rows = dock.model().rows();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].name() == text)
            return i;
    }
    return kNoIndex;
}

/// What dragging a row with the mouse ends in.
void drag(CompareDock &dock, std::size_t from, std::size_t onto)
{
    auto &model = const_cast<CompareModel &>(dock.model());
    const QModelIndex source = model.index(model.shownRow(from), 0);
    const std::unique_ptr<QMimeData> data(model.mimeData({source}));
    const QModelIndex target = model.index(model.shownRow(onto), 3);
    QVERIFY(model.canDropMimeData(data.get(), Qt::LinkAction, -1, -1, target));
    model.dropMimeData(data.get(), Qt::LinkAction, -1, -1, target);
}

/// Two weights of one name, and one on either side that nothing pairs.
struct Named {
    Session session;
    CompareDock dock{session};

    Named()
    {
        session.setBundle(denseBundle({{"x", "[2, 2]", kOne}, {"left", "[4]", kTwo}}, false));
        session.setOther(
            denseBundle({{"x", "[2, 2]", kOne}, {"right", "[1, 2, 2]", kThree}}, false));
    }
};

BundlePtr programOf(std::initializer_list<const char *> lines)
{
    MadeBundle made;
    for (const char *line : lines)
        made.line(line);
    made.result = "y";
    return *made.open();
}

bool settled(CompareDock &dock)
{
    return QTest::qWaitFor([&] { return !dock.busy(); }, 20000);
}

QStringList column(const QTableView &table, int number)
{
    QStringList cells;
    for (int row = 0; row < table.model()->rowCount(); ++row)
        cells << table.model()->index(row, number).data().toString();
    return cells;
}

} // namespace

/// Pairs by hand, and values taken over within limits.
class TestComparePairs : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void dragged()
    {
        Named named;
        QVERIFY(showDock(named.dock));
        QAbstractItemModelTester tester(const_cast<CompareModel *>(&named.dock.model()));
        QCOMPARE(pairsOf(named.dock), (test::texts({"x-x name", "A left", "B right"})));
        QSignalSpy chosen(&named.dock.pairs(), &HandPairs::pairsChosen);
        QVERIFY(named.dock.table()->dragEnabled() && named.dock.table()->acceptDrops());
        drag(named.dock, rowOf(named.dock, "right"), rowOf(named.dock, "left"));
        QVERIFY(settle(named.dock));
        QCOMPARE(pairsOf(named.dock), (test::texts({"x-x name", "left-right hand"})));
        QCOMPARE(chosen.size(), 1);
        QVERIFY(named.dock.model().rows()[1].reason.find("by hand") != std::string::npos);
        QCOMPARE(named.dock.pairs().choices().names(), (test::texts({"left", "right"})));
        // The pair is what is shown now.
        QCOMPARE(named.dock.shownRow(), 1U);
    }

    /// Of two pairs A of the one that is dragged and B of the other; swapping keeps who is whose.
    void draggedPairs()
    {
        auto [session, dock] = test::Alone<CompareDock>();
        QVERIFY(showDock(dock, session,
                         denseBundle({{"x", "[4]", kOne}, {"y", "[4]", kTwo}}, false),
                         denseBundle({{"x", "[4]", kOne}, {"y", "[4]", kTwo}}, false)));
        drag(dock, 0, 1);
        QVERIFY(settle(dock));
        QCOMPARE(pairsOf(dock), (test::texts({"x-y hand", "y-x shape"})));
        dock.setSwapped(true);
        QVERIFY(settle(dock));
        QCOMPARE(pairsOf(dock), (test::texts({"x-y shape", "y-x hand"})));
    }

    /// What is seen is what is paired, in whatever order the rows stand and whatever is hidden.
    void draggedWhereSortedAndFiltered()
    {
        auto [session, dock] = test::Alone<CompareDock>();
        session.setBundle(denseBundle({{"a1", "[4]", kOne},
                                       {"b2", "[4]", kTwo},
                                       {"hidden", "[4]", kThree},
                                       {"c3", "[4]", {1, 1, 2, 3}}},
                                      false));
        session.setOther(denseBundle({{"c3", "[4]", {1, 1, 2, 3}},
                                      {"hidden", "[4]", kThree},
                                      {"b2", "[4]", kTwo},
                                      {"a1", "[4]", kOne}},
                                     false));
        QVERIFY(showDock(dock));
        auto &model = const_cast<CompareModel &>(dock.model());
        QAbstractItemModelTester tester(&model);
        for (const Qt::SortOrder order : {Qt::DescendingOrder, Qt::AscendingOrder}) {
            dock.table()->sortByColumn(dock.model().columnOf("weight"), order);
            const bool falls = order == Qt::DescendingOrder;
            const auto nameAt = [&](int row) {
                return model.index(row, dock.model().columnOf("weight")).data().toString();
            };
            QCOMPARE(nameAt(0), falls ? u"hidden"_s : u"a1"_s);
            model.setFilter(falls ? u"b2"_s : u"a1"_s);
            QCOMPARE(model.rowCount(), 1);
            const std::unique_ptr<QMimeData> picked(model.mimeData({model.index(0, 0)}));
            model.setFilter(u"c3"_s);
            QCOMPARE(nameAt(0), u"c3"_s);
            model.dropMimeData(picked.get(), Qt::LinkAction, -1, -1, model.index(0, 0));
            QVERIFY(settle(dock));
            model.setFilter(QString());
            const QStringList names = dock.pairs().choices().names();
            QCOMPARE(names, (falls ? test::texts({"b2", "c3"}) : test::texts({"a1", "c3"})));
            dock.pairs().setChoices({});
            QVERIFY(settle(dock));
        }
    }

    void chosenFromAList()
    {
        Named named;
        QVERIFY(showDock(named.dock));
        named.session.goToWeight(1);
        QVERIFY(settle(named.dock));
        QAction *pair = actionOf(named.dock, u"Pair with"_s);
        QVERIFY(pair && pair->isEnabled() && !pair->shortcut().isEmpty());
        pair->trigger();
        auto *dialog = VERIFIED(named.dock.window()->findChild<PairDialog *>());
        QCOMPARE(dialog->list()->count(), 2);
        dialog->filter()->setText(u"RIG 2"_s);
        QVERIFY(dialog->list()->currentItem()->text().startsWith(u"right"_s));
        dialog->accept();
        QVERIFY(settle(named.dock));
        QCOMPARE(pairsOf(named.dock), (test::texts({"x-x name", "left-right hand"})));
    }

    void takenApart()
    {
        Named named;
        QVERIFY(showDock(named.dock));
        named.session.goToWeight(0);
        QVERIFY(settle(named.dock));
        QAction *apart = actionOf(named.dock, u"Take the Pair Apart"_s);
        QAction *forget = actionOf(named.dock, u"Forget Pairs"_s);
        QVERIFY(apart && apart->isEnabled() && forget && !forget->isEnabled());
        apart->trigger();
        QVERIFY(settle(named.dock));
        QCOMPARE(pairsOf(named.dock), (test::texts({"A x", "A left", "B x", "B right"})));
        QVERIFY(forget->isEnabled());
        forget->trigger();
        QVERIFY(settle(named.dock));
        QCOMPARE(pairsOf(named.dock), (test::texts({"x-x name", "A left", "B right"})));
    }

    /// Names of other files mean nothing; they are told again.
    void forgottenWithTheFiles()
    {
        Named named;
        QVERIFY(showDock(named.dock));
        const PairChoices kept =
            PairChoices::fromNames(test::texts({"left", "right", "gone", "right2", "", ""}));
        QCOMPARE(kept.names(), (test::texts({"left", "right", "gone", "right2"})));
        named.dock.pairs().setChoices(kept);
        QVERIFY(settle(named.dock));
        QCOMPARE(pairsOf(named.dock), (test::texts({"x-x name", "left-right hand"})));
        QSignalSpy chosen(&named.dock.pairs(), &HandPairs::pairsChosen);
        named.session.setOther(
            denseBundle({{"x", "[2, 2]", kOne}, {"right", "[1, 2, 2]", kThree}}, false));
        QVERIFY(settle(named.dock));
        QVERIFY(named.dock.pairs().choices().empty() && chosen.isEmpty());
        QCOMPARE(pairsOf(named.dock), (test::texts({"x-x name", "A left", "B right"})));
    }

    /// Of several selected rows it is not clear which one is meant; a row of another program means
    /// nothing here.
    void severalRowsAreNotDragged()
    {
        Named named;
        QVERIFY(showDock(named.dock));
        auto &model = const_cast<CompareModel &>(named.dock.model());
        const std::unique_ptr<QMimeData> both(
            model.mimeData({model.index(0, 0), model.index(1, 0)}));
        QVERIFY(!both);
        const std::unique_ptr<QMimeData> one(
            model.mimeData({model.index(2, 0), model.index(2, 1)}));
        QVERIFY(one);
        const QModelIndex target = model.index(1, 0);
        QVERIFY(model.canDropMimeData(one.get(), Qt::LinkAction, -1, -1, target));
        const QString kind = model.mimeTypes().front();
        for (const QByteArray &data : {"2"_ba, "1"_ba + one->data(kind)}) {
            QMimeData foreign;
            foreign.setData(kind, data);
            QVERIFY(!model.canDropMimeData(&foreign, Qt::LinkAction, -1, -1, target));
            QSignalSpy dropped(&model, &CompareModel::rowDropped);
            model.dropMimeData(&foreign, Qt::LinkAction, -1, -1, target);
            QVERIFY(dropped.isEmpty());
        }
    }

    /// Where what a pair needs was cancelled, its pictures are not those of the pair before, and
    /// the places say why there are none; picking the pair again makes them.
    void cancelledPairs()
    {
        auto [session, dock] = test::Alone<CompareDock>();
        PlacesDock places(session);
        connect(&dock, &CompareDock::placesChanged, &places, &PlacesDock::setPlaces);
        session.setBundle(denseBundle(
            {{"x", "[2, 2]", kOne}, {"y", "[4, 3]", std::vector<float>(12, 2)}}, false));
        session.setOther(denseBundle(
            {{"x", "[2, 2]", kTwo}, {"y", "[4, 3]", std::vector<float>(12, 3)}}, false));
        QVERIFY(showDock(dock, 1300, 800) && showDock(places, 1300, 300));
        session.goToWeight(0);
        QVERIFY(QTest::qWaitFor([&] { return !dock.busy() && !places.busy(); }, 20000));
        QVERIFY(places.showsContent() && dock.pictures()->viewA()->isVisible());
        const auto cutting = test::cancelTasks(session);
        session.goToWeight(1);
        QCOMPARE(dock.shownRow(), 1U);
        Q_EMIT dock.pictures()->elementPicked(3); // of x, which its pictures still show
        QVERIFY(!session.place().element);
        QTRY_VERIFY(session.tasks().idle());
        QTRY_VERIFY(!dock.pictures()->viewDifference()->isVisible());
        QVERIFY(!places.showsContent());
        QTRY_VERIFY(test::says(places, u"cancelled"_s));
        disconnect(cutting);
        Q_EMIT dock.table()->clicked(dock.model().index(dock.model().shownRow(1), 0));
        QVERIFY(QTest::qWaitFor([&] { return !dock.busy() && !places.busy(); }, 20000));
        QVERIFY(places.showsContent() && dock.pictures()->viewDifference()->isVisible());
    }

    /// Elements of every pair that keep the limits, as one request; none of a pair beyond a limit
    /// of all its values.
    void acceptWithinLimits()
    {
        auto [session, dock] = test::Alone<CompareDock>();
        session.setBundle(
            denseBundle({{"x", "[4]", kOne}, {"y", "[4]", kTwo}, {"z", "[4]", kThree}}, false));
        session.setOther(denseBundle({{"x", "[4]", {1.25f, 2, 3, 9}},
                                      {"y", "[4]", {5.5f, 6, 7, 8}},
                                      {"z", "[4]", {-9, 2, -4, -1.25f}}},
                                     false));
        QVERIFY(showDock(dock));
        QAction *accept = actionOf(dock, u"Accept All"_s);
        QVERIFY(accept && !accept->isEnabled());
        session.setPatchingEnabled(true);
        QVERIFY(!accept->isEnabled()); // there is no limit yet
        actionOf(dock, u"Limits"_s)->trigger();
        dock.limits()->field(0)->setText(u"0.5"_s);
        QVERIFY(accept->isEnabled());
        QSignalSpy wanted(&session, &Session::editsRequested);
        const auto accepted = [&] {
            wanted.clear();
            accept->trigger();
            std::vector<std::string> texts;
            if (settle(dock) && wanted.size() == 1) {
                for (const Edit &edit : wanted.front().front().value<std::vector<Edit>>())
                    texts.push_back(editText(edit));
            }
            return texts;
        };
        QCOMPARE(accepted(), (std::vector<std::string>{"x[0]=1.25", "y[0]=5.5"}));
        QVERIFY(wanted.front()[1].toString().contains(u"2 elements of 2 weights"_s));
        dock.limits()->field(0)->setText(u"0.3"_s);
        QCOMPARE(accepted(), (std::vector<std::string>{"x[0]=1.25"}));
        QVERIFY(wanted.front()[1].toString().contains(u"Accept 1 element of 1 weight "_s));
        // Everything is near enough, but z points the other way.
        dock.limits()->field(0)->setText(u"100"_s);
        dock.limits()->field(3)->setText(u"0"_s);
        QCOMPARE(accepted(), (std::vector<std::string>{"x[0]=1.25", "x[3]=9", "y[0]=5.5"}));
        // A limit of the whole alone takes every element of the pairs that keep it.
        dock.limits()->field(0)->clear();
        QCOMPARE(accepted().size(), 3U);
    }

    // The pages beside the values, the column of outcomes on a chip, and that of functions.
    void operations()
    {
        auto [session, dock] = test::Alone<CompareDock>();
        session.setBundle(
            programOf({"tensor<fp16, [1, 4]> p = relu(x = x)[name = string(\"p\")]",
                       "tensor<fp16, [1, 4]> y = add(x = p, y = x)[name = string(\"y\")]"}));
        session.setOther(
            programOf({"tensor<fp16, [1, 4]> p = tanh(x = x)[name = string(\"p\")]",
                       "tensor<fp16, [1, 4]> y = add(x = p, y = x)[name = string(\"y\")]"}));
        QVERIFY(showDock(dock));
        QAbstractItemModelTester tester(dock.program()->table()->model());
        actionOf(dock, u"Program"_s)->trigger();
        QVERIFY(dock.program()->isVisible() && !dock.table()->isVisible());
        QCOMPARE(column(*dock.program()->table(), 0), QStringList{u"changed"_s});
        QCOMPARE(column(*dock.program()->table(), 3), QStringList{u"p"_s});
        QCOMPARE(column(*dock.program()->table(), 4), QStringList{u"relu > tanh"_s});
        QVERIFY(dock.program()->note().startsWith(u"1 difference"_s));
        Q_EMIT dock.program()->table()->activated(dock.program()->table()->model()->index(0, 0));
        QVERIFY(session.place().bytes);
        QCOMPARE(session.place().file, session.bundle()->programFile());
        dock.program()->filter()->setText(u"conv"_s);
        QCOMPARE(dock.program()->table()->model()->rowCount(), 0);
        actionOf(dock, u"Values"_s)->trigger();
        QVERIFY(!dock.program()->isVisible() && dock.table()->isVisible());
    }

    void equalPrograms()
    {
        auto [session, dock] = test::Alone<CompareDock>();
        QVERIFY(showDock(dock, session, openSample("dense"), openSample("dense")));
        dock.showPage(CompareDock::Page::Program);
        QCOMPARE(dock.program()->table()->model()->rowCount(), 0);
        QVERIFY(dock.program()->note().contains(u"equal"_s));
        dock.showPage(CompareDock::Page::Structure);
        QVERIFY(settled(dock));
        QCOMPARE(dock.structure()->table()->model()->rowCount(), 0);
        QVERIFY(dock.structure()->note().contains(u"the same"_s));
    }

    void filesAndSections()
    {
        auto [session, dock] = test::Alone<CompareDock>();
        QVERIFY(showDock(dock, session, openSample("dense"), openSample("sparse")));
        QAbstractItemModelTester tester(dock.structure()->table()->model());
        dock.showPage(CompareDock::Page::Structure);
        QVERIFY(settled(dock));
        Progress progress;
        const auto rows = report::structureRows(session.bundle(), session.other(), {}, progress);
        QVERIFY(!rows.empty());
        QCOMPARE(dock.structure()->table()->model()->rowCount(), int(rows.size()));
        QVERIFY(column(*dock.structure()->table(), 0).contains(u"file"_s));
        QVERIFY(column(*dock.structure()->table(), 0).contains(u"section"_s));
        for (const report::StructureFacts &row : rows)
            QVERIFY(row.a != row.b || !row.different.empty());
        // The other way round everything stands on the other side.
        const auto mirrored =
            report::structureRows(session.other(), session.bundle(), {}, progress);
        QCOMPARE(mirrored.size(), rows.size());
        for (const report::StructureFacts &row : rows)
            QVERIFY(std::ranges::any_of(mirrored, [&](const auto &other) {
                return other.kind == row.kind && other.a == row.b && other.b == row.a &&
                       other.firstA == row.firstB && other.firstB == row.firstA &&
                       (other.name == row.name || other.detail == "in B: " + row.name);
            }));
    }

    /// A file of the same length is there as soon as a byte of it differs, with where the first is.
    void sameLengths()
    {
        const BundlePtr a = denseBundle({{"w", "[4]", {1, 2, 3, 4}}});
        const BundlePtr b = denseBundle({{"w", "[4]", {1, 2, 5, 4}}});
        Progress progress;
        const auto rows = report::structureRows(a, b, {}, progress);
        QCOMPARE(rows.size(), 2U);
        const Weight &weight = a->weights()[0];
        const std::uint64_t data = weight.operands()[0].place->dataOffset.value;
        for (const report::StructureFacts &row : rows) {
            QVERIFY(row.a == row.b && !row.a.empty());
            QCOMPARE(row.different, "1 byte changed");
            QCOMPARE(row.firstA, std::optional<std::uint64_t>(data + 5));
            QCOMPARE(row.firstB, row.firstA);
        }
        QCOMPARE(int(rows[0].kind), int(report::StructureFacts::Kind::File));
        QCOMPARE(int(rows[1].kind), int(report::StructureFacts::Kind::Section));
        QVERIFY(report::structureRows(a, a, {}, progress).empty());
    }

    /// Symbols go by their names: one that is inserted moves the numbers of others, which is no
    /// change of theirs.
    void symbols()
    {
        const auto opened = [](const test::Bytes &bytes) {
            return *Bundle::open("made.hwx", {.memory = {{"made.hwx", bytes}}});
        };
        const BundlePtr a = opened(test::syntheticH13(8)), b = opened(test::syntheticH18g());
        QVERIFY(!a->hardware()->symbols.empty());
        QVERIFY(report::symbolRows(*a, *a).empty());
        const auto rows = report::symbolRows(*a, *b), back = report::symbolRows(*b, *a);
        QVERIFY(!rows.empty());
        QCOMPARE(back.size(), rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) {
            QVERIFY(rows[i].a != rows[i].b && !rows[i].name.empty());
            QVERIFY(rows[i].a == back[i].b && rows[i].b == back[i].a &&
                    rows[i].name == back[i].name);
        }
        const BundlePtr dense = denseBundle({{"w", "[4]", {1, 2, 3, 4}}});
        QVERIFY(report::symbolRows(*a, *dense).empty());
        // Another name at the same place is no symbol more.
        test::Bytes bytes = test::syntheticH13(8);
        const std::string name = a->hardware()->symbols.front().name + '\0';
        const auto letters = std::as_bytes(std::span(name));
        const auto at = std::search(bytes.begin(), bytes.end(), letters.begin(), letters.end());
        QVERIFY(at != bytes.end());
        *at = std::byte{'Z'};
        const auto renamed = report::symbolRows(*a, *opened(bytes));
        QCOMPARE(renamed.size(), 1U);
        QVERIFY(renamed[0].a == renamed[0].b && !renamed[0].a.empty());
        QCOMPARE(renamed[0].detail, "in B: Z" + a->hardware()->symbols.front().name.substr(1));
    }

    /// What the assessment says of every weight on the chip, and of another that is chosen.
    void chip()
    {
        auto [session, dock] = test::Alone<CompareDock>();
        QVERIFY(showDock(dock, session, openSample("dense"), openSample("palette")));
        QVERIFY(settled(dock));
        const ComparisonOutcome expected(session.bundle(), session.other(), {});
        QSignalSpy chosen(&dock, &CompareDock::chipChosen);
        for (const char *name : {"H13", "M5"}) {
            const target::Target *chip = VERIFIED(target::findTarget(name)->target);
            dock.chipBox()->setCurrentIndex(int(chip->index));
            QCOMPARE(&dock.chip(), chip);
            QCOMPARE(
                dock.model()
                    .headerData(dock.model().columnOf("outcome"), Qt::Horizontal, Qt::DisplayRole)
                    .toString(),
                QString::fromStdString(chip->name));
            for (int shown = 0; shown < dock.model().rowCount(); ++shown) {
                const report::PairRow &row = dock.model().rows()[dock.model().rowAt(shown)];
                const auto &verdict =
                    expected.after.verdict(row.pair.b, expected.after.columnOf(*chip));
                QCOMPARE(cellText(dock, shown, "outcome"), outcomeLabel(verdict.outcome));
            }
        }
        QCOMPARE(chosen.size(), 1); // the first one was chosen already
    }

    void functions()
    {
        const auto bundle = [](const std::string &second) {
            std::vector<report::PairRow> rows(2);
            rows[0].function = "main";
            rows[1].function = second;
            return rows;
        };
        QVERIFY(!severalFunctions(bundle("main")));
        QVERIFY(severalFunctions(bundle("decode")));
        QVERIFY(!severalFunctions({}));
        auto [session, dock] = test::Alone<CompareDock>();
        QVERIFY(showDock(dock, session, denseBundle({{"w", "[2, 2]", {1, 2, 3, 4}}}),
                         denseBundle({{"w", "[2, 2]", {1, 2, 3, 5}}})));
        QVERIFY(dock.table()->isColumnHidden(dock.model().columnOf("function")));
        QVERIFY(!dock.model().rows().front().function.empty());
    }

    void thirdBuild()
    {
        auto [session, dock] = test::Alone<CompareDock>();
        QSignalSpy wanted(&dock, &CompareDock::thirdBuildWanted);
        const auto menus = dock.findChildren<QMenu *>();
        QStringList texts;
        for (const QMenu *menu : menus) {
            for (QAction *action : menu->actions()) {
                texts << action->text();
                action->trigger();
            }
        }
        QCOMPARE(texts.size(), 2);
        QCOMPARE(wanted.size(), 2);
        QCOMPARE(wanted[0][0].toBool(), false);
        QCOMPARE(wanted[1][0].toBool(), true);
    }
};

KERNSCOPE_TEST(TestComparePairs, QApplication)
#include "tst_compare_pairs.moc"
