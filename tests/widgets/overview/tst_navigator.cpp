// SPDX-License-Identifier: GPL-3.0-or-later
// The bundle's tree: its columns, what it has beside weights, how it goes with the selection, and
// names of many weights, which a task shortens.
#include "core/container/hwx/container.h"
#include "made_bundle.h"
#include "tests/core/bundle/second_function.h"
#include "tests/widgets/hardware/hardware_fixture.h"
#include "tests/widgets/sample_session.h"
#include "widgets/common/labels.h"
#include "widgets/models/patch_list_model.h"
#include "widgets/overview/bundle_dock.h"
#include "widgets/overview/overview_dock.h"
#include "widgets/weight/bundle_facts.h"

using namespace kernscope::ui;
using Kind = BundleTreeModel::Node::Kind;

namespace {

BundlePtr manyNames(std::size_t count)
{
    test::MadeBundle made;
    for (std::size_t i = 0; i < count; ++i)
        made.weight("network_encoder_block_" + std::to_string(i), "[4]", test::Bytes(8));
    return made.open().value_or(nullptr);
}

/// The dock over a bundle, shown.
struct Shown {
    explicit Shown(BundlePtr bundle, QSize size = {290, 500})
        : ready(showDock(dock, session, std::move(bundle), size))
    {
    }
    Session session;
    BundleDock dock{session};
    QTreeView *tree = dock.findChild<QTreeView *>();
    BundleTreeModel &model = *qobject_cast<BundleTreeModel *>(tree->model());
    const bool ready;
};

} // namespace

class TestNavigator : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QApplication::setStyle(new QuietStyle); } // as in the window

    /// Nothing but files: their form and bytes are whole, and no column of weights is on view.
    void columnsWithoutWeights()
    {
        const auto bundle = MadeBundle().open();
        QVERIFY(bundle && (*bundle)->weights().empty());
        auto [session, dock, tree, model, ready] = Shown(*bundle);
        QVERIFY(ready);
        tree->expandAll();
        for (const char *key : {"form", "stored_bytes"}) {
            const int column = model.columnOf(key);
            QCOMPARE(cutCell(*tree, column), QString());
            QVERIFY(tree->columnViewportPosition(column) + tree->columnWidth(column) <=
                    tree->viewport()->width());
        }
        for (const char *key : {"ratio", "zero_fraction"})
            QVERIFY(tree->columnViewportPosition(model.columnOf(key)) >= tree->viewport()->width());
    }

    /// The words of files behind a closed arrow are measured as well.
    void openingFilesMovesNoColumn()
    {
        auto [session, dock, tree, model, ready] = Shown(openSample("sparse"));
        QVERIFY(ready);
        for (const int width : {290, 600}) {
            dock.resize(width, 500);
            QTest::qWait(0);
            tree->collapse(model.indexOfFile(0).parent());
            const int column = model.columnOf(width > 400 ? "form" : "stored_bytes");
            QVERIFY(!tree->isColumnHidden(column));
            const int before = tree->columnWidth(column);
            tree->expandAll();
            QTest::qWait(0);
            QCOMPARE(tree->columnWidth(column), before);
            QCOMPARE(cutCell(*tree, column), QString());
        }
    }

    /// Its name is not cut after an edit either, which may change tables and with them the rows.
    void theBundleTakesItsRow()
    {
        auto [session, dock, tree, model, ready] = Shown(openSample("sparse"));
        QVERIFY(ready);
        QVERIFY(tree->isFirstColumnSpanned(0, {}));
        const auto again = VERIFIED(session.bundle()->reread());
        session.updateBundle(*again);
        QTRY_VERIFY(session.tasks().idle());
        QVERIFY(tree->isFirstColumnSpanned(0, {}));
    }

    /// Parts of a weight all begin with its name: what is shown of them tells them apart.
    void partsOfOneWeightDiffer()
    {
        const Bytes file = syntheticH13();
        const auto bundle = VERIFIED(Bundle::open("made.hwx", {.memory = {{"made.hwx", file}}}));
        auto [session, dock, tree, model, ready] = Shown(*bundle, {290, 700});
        QVERIFY(ready);
        tree->expandAll();
        int parts = 0;
        for (QModelIndex index = tree->indexBelow(tree->model()->index(0, 0)); index.isValid();
             index = tree->indexBelow(index)) {
            const QString brief = index.data(kShortNameRole).toString();
            const QString owner = QString::fromStdString((*bundle)->weights().front().name);
            if (index.data().toString().startsWith(owner + u' ')) {
                QVERIFY2(brief.startsWith(QChar(0x2026)) && !brief.contains(owner),
                         qPrintable(brief));
                ++parts;
            }
        }
        QVERIFY(parts > 0);
    }

    /// The mark of a changed weight has its room before it is there, in a dock of every width.
    void marksShortenNoNames()
    {
        const BundlePtr bundle = openSample("sparse");
        auto [session, dock, tree, model, ready] = Shown(bundle);
        QVERIFY(ready);
        const int names = model.columnOf("name");
        const auto layoutAt = [&](int width) {
            dock.resize(width + 1, 500);
            QTest::qWait(0);
            dock.resize(width, 500);
            QTest::qWait(0);
            return tree->columnWidth(names);
        };
        std::map<int, int> before;
        for (int width = 180; width < 420; width += 4)
            before[width] = layoutAt(width);
        session.tasks().quiesce();
        for (const Weight &weight : bundle->weights()) {
            for (const codec::Operand &operand : weight.operands()) {
                if (!operand.place)
                    continue;
                QVERIFY(turnByte(*bundle, operand.place->file, operand.place->dataOffset));
            }
        }
        session.updateBundle(bundle);
        for (const auto &[width, layout] : before)
            QVERIFY2(layoutAt(width) == layout, qPrintable(QString::number(width)));
    }

    void narrowDockShowsAllFigures_data()
    {
        addColumns<QString, int>();
        for (const char *build : {"dense", "sparse", "palette"}) {
            for (const int width : {240, 270, 300})
                QTest::addRow("%s, %d", build, width) << QString::fromLatin1(build) << width;
        }
    }

    /// Two columns hold name, form, bytes, ratio and zeros; nothing is beyond the edge or cut.
    void narrowDockShowsAllFigures()
    {
        const auto [build, width] = fetched<QString, int>();
        auto [session, dock, tree, model, ready] =
            Shown(openSample(build.toStdString()), {width, 700});
        QVERIFY(ready);
        QTRY_VERIFY(session.tasks().idle());
        const auto *header = tree->findChild<NavigatorHeader *>();
        QVERIFY(header && header->twoLines());
        const int names = model.columnOf("name"), bytes = model.columnOf("stored_bytes");
        QCOMPARE(header->length(), tree->viewport()->width());
        QCOMPARE(header->hiddenSectionCount(), header->count() - 2);
        const QFontMetrics small(TwoLineRows::smallFont(tree->font()));
        const int gap = TwoLineRows::gap(tree);
        const auto *rows =
            VERIFIED(qobject_cast<TwoLineRows *>(tree->itemDelegateForColumn(names)));
        for (std::size_t i = 0; i < model.bundle()->weights().size(); ++i) {
            const QModelIndex row = model.indexOfWeight(i);
            const auto wide = [&](const char *key) {
                return small.horizontalAdvance(
                    row.siblingAtColumn(model.columnOf(key)).data().toString());
            };
            QVERIFY(wide("ratio") <= TwoLineRows::ratioWidth(small));
            QVERIFY(wide("zero_fraction") <= TwoLineRows::zerosWidth(small));
            QVERIFY(TwoLineRows::ratioWidth(small) + TwoLineRows::zerosWidth(small) + 2 * gap <=
                    tree->columnWidth(bytes));
            QVERIFY(tree->fontMetrics().horizontalAdvance(
                        row.siblingAtColumn(bytes).data().toString()) +
                        gap <=
                    tree->columnWidth(bytes));
            const QString form = row.siblingAtColumn(model.columnOf("form")).data().toString();
            QVERIFY2(small.horizontalAdvance(form) + tree->iconSize().width() +
                             3 * tree->indentation() <=
                         tree->columnWidth(names),
                     qPrintable(form));
            // A name loses what it shares with others and nothing else.
            const QString brief = row.data(kShortNameRole).toString();
            if (width >= 270)
                QVERIFY2(tree->fontMetrics().horizontalAdvance(brief) <= rows->nameRoom(row),
                         qPrintable(brief));
        }
        for (const char *key : {"name", "form", "stored_bytes", "ratio", "zero_fraction"}) {
            const QRect title = header->titleRect(model.columnOf(key));
            QVERIFY2(header->viewport()->rect().contains(title) && !title.isEmpty(), key);
        }
        QVERIFY(header->titleRect(model.columnOf("ratio")).right() <
                header->titleRect(model.columnOf("zero_fraction")).left());
    }

    /// The zeros stand in the lower half of the row at its right edge, and come when counted.
    void secondLineIsPainted()
    {
        auto [session, dock, tree, model, ready] = Shown(openSample("sparse"), {270, 700});
        QVERIFY(ready);
        QTRY_VERIFY(session.tasks().idle());
        const QModelIndex row = model.indexOfWeight(0, model.columnOf("stored_bytes"));
        const auto inkAt = [&](const QRect &lower) {
            const QImage picture = tree->viewport()->grab(lower).toImage();
            int count = 0;
            for (int y = 0; y < picture.height(); ++y) {
                for (int x = 0; x < picture.width(); ++x)
                    count += picture.pixelColor(x, y).lightness() < 160 ? 1 : 0;
            }
            return count;
        };
        const auto ink = [&] {
            const QRect cell = tree->visualRect(row);
            return inkAt({cell.right() - TwoLineRows::zerosWidth(QFontMetrics(tree->font())),
                          cell.center().y() + 1, TwoLineRows::zerosWidth(tree->fontMetrics()),
                          cell.height() / 2});
        };
        const int counted = ink();
        model.setZeroFractions({{0, std::nan("")}});
        const int unknown = ink();
        QVERIFY2(counted > 2 * unknown, qPrintable(u"%1, %2"_s.arg(counted).arg(unknown)));
        // What is no weight has two lines as well: "8 weights" below the name of a function.
        const QRect group = tree->visualRect(model.indexOfWeight(0).parent());
        QVERIFY(inkAt({group.left(), group.center().y() + 2, group.width(), group.height() / 2}) >
                20);
        // Rows of one height: the view does not measure each of 50,000.
        QVERIFY(tree->uniformRowHeights());
        QCOMPARE(tree->visualRect(model.indexOfWeight(0).parent()).height(),
                 tree->visualRect(row).height());
    }

    /// A click on a title of the second line sorts by it, the third takes that back.
    void secondLineSorts()
    {
        auto [session, dock, tree, model, ready] = Shown(openSample("sparse"), {270, 700});
        QVERIFY(ready);
        QTRY_VERIFY(session.tasks().idle());
        auto *header = tree->findChild<NavigatorHeader *>();
        const int zeros = model.columnOf("zero_fraction");
        const QModelIndex group = model.indexOfWeight(0).parent();
        const auto shares = [&] {
            QList<double> list;
            for (int row = 0; row < model.rowCount(group); ++row)
                list += *model.zeroFraction(model.nodeAt(model.index(row, 0, group)).index);
            return list;
        };
        const QList<double> first = shares();
        QList<double> sorted = first;
        std::sort(sorted.rbegin(), sorted.rend()); // of figures the largest first
        QVERIFY(first != sorted);
        const QPoint at = header->titleRect(zeros).center();
        QTest::mouseClick(header->viewport(), Qt::LeftButton, {}, at);
        QCOMPARE(shares(), sorted);
        QTest::mouseClick(header->viewport(), Qt::LeftButton, {}, at);
        std::ranges::reverse(sorted);
        QCOMPARE(shares(), sorted);
        QTest::mouseClick(header->viewport(), Qt::LeftButton, {}, at);
        QCOMPARE(shares(), first);
    }

    /// With room for all of them the figures are columns, and rows have one line.
    void wideDockHasColumns()
    {
        auto [session, dock, tree, model, ready] = Shown(openSample("sparse"), {700, 700});
        QVERIFY(ready);
        QTRY_VERIFY(session.tasks().idle());
        const auto *header = tree->findChild<NavigatorHeader *>();
        const int high = tree->visualRect(model.indexOfWeight(0)).height();
        QVERIFY(!header->twoLines());
        // As narrow as one line stays as well: no figure is beyond the edge.
        for (int width = 700; !header->twoLines(); width -= 20) {
            for (const char *key : {"name", "form", "stored_bytes", "ratio", "zero_fraction"}) {
                const int column = model.columnOf(key);
                QVERIFY(!tree->isColumnHidden(column));
                QTRY_VERIFY2(tree->columnViewportPosition(column) + tree->columnWidth(column) <=
                                 tree->viewport()->width(),
                             qPrintable(u"%1 at %2"_s.arg(QLatin1String(key)).arg(width)));
                if (width == 700 || QLatin1String(key) != QLatin1String("name"))
                    QTRY_COMPARE(cutCell(*tree, column), QString());
            }
            dock.resize(width - 20, 700);
            QTest::qWait(0);
        }
        dock.resize(270, 700);
        QTRY_VERIFY(header->twoLines());
        QVERIFY(tree->visualRect(model.indexOfWeight(0)).height() > high);
        dock.resize(700, 700);
        QTRY_VERIFY(!header->twoLines());
        QCOMPARE(tree->visualRect(model.indexOfWeight(0)).height(), high);
    }

    /// Who shows one of the columns below wants columns; who has hidden one keeps them.
    void chosenColumnsStayColumns()
    {
        auto [session, dock, tree, model, ready] = Shown(openSample("sparse"), {270, 700});
        QVERIFY(ready);
        auto *header = tree->findChild<NavigatorHeader *>();
        QVERIFY(header->twoLines());
        header->setSectionHidden(model.columnOf("form"), false);
        QTRY_VERIFY(!header->twoLines());
        QCOMPARE(header->hiddenSectionCount(), 0);
        header->setSectionHidden(model.columnOf("ratio"), true);
        for (QAction *action : dock.menuActions()) {
            if (action->isCheckable())
                action->setChecked(true);
        }
        QVERIFY(!header->twoLines() && tree->isColumnHidden(model.columnOf("ratio")));
    }

    void treeDrivesTheSession()
    {
        auto [session, dock, tree, model, ready] = Shown(openSample("sparse"));
        QVERIFY(ready);
        QSignalSpy raised(&dock, &BundleDock::raiseRequested);
        const std::size_t weight = weightWith(*session.bundle(), codec::PartRole::Mask);
        const QRect row = tree->visualRect(model.indexOfWeight(weight));
        QVERIFY(!row.isEmpty());
        QTest::mouseClick(tree->viewport(), Qt::LeftButton, {}, row.center());
        QCOMPARE(session.place().weight, weight);
        QVERIFY(session.place().section != kNoIndex);
        tree->setFocus();
        QTest::keyClick(tree, Qt::Key_Down);
        QCOMPARE(session.place().weight, weight + 1);
        QTest::keyClick(tree, Qt::Key_Return);
        QCOMPARE(raised.size(), 1);
        QCOMPARE(raised.first().first().toString(), u"weight"_s);
        const std::size_t file = weightFile(*session.bundle());
        tree->expandAll();
        tree->setCurrentIndex(model.indexOfFile(file));
        QCOMPARE(session.place().file, file);
        QVERIFY(session.place().bytes && session.place().bytes->offset == FileOffset(0));
    }

    void treeFollowsTheSession()
    {
        auto [session, dock, tree, model, ready] = Shown(openSample("dense"));
        QVERIFY(ready);
        QAbstractItemModelTester tester(&model);
        for (std::size_t weight = 0; weight < session.bundle()->weights().size(); ++weight) {
            session.goToWeight(weight);
            QCOMPARE(model.nodeAt(tree->currentIndex()).index, weight);
            QCOMPARE(session.place().weight, weight);
        }
        session.goBack();
        QCOMPARE(model.nodeAt(tree->currentIndex()).index, session.place().weight);
        // Another bundle starts anew.
        session.setBundle(openSample("palette"));
        QTRY_COMPARE(model.bundle(), session.bundle());
        QVERIFY(session.place().weight == kNoIndex);
    }

    void treeFilterKeepsTheSession()
    {
        auto [session, dock, tree, model, ready] = Shown(openSample("dense"));
        QVERIFY(ready);
        auto *filter = dock.findChild<QLineEdit *>();
        session.goToWeight(1);
        const Place before = session.place();
        tree->setFocus();
        QTest::keyClick(tree, Qt::Key_F, Qt::ControlModifier);
        QTRY_VERIFY(filter->hasFocus());
        QTest::keyClicks(filter, u"zzz nothing"_s);
        QCOMPARE(model.shownWeights(), 0U);
        QCOMPARE(session.place(), before);
        QTest::keyClick(filter, Qt::Key_Escape);
        QVERIFY(filter->text().isEmpty());
        QCOMPARE(session.place(), before);
        QCOMPARE(model.nodeAt(tree->currentIndex()).index, 1U);
        QTest::keyClick(filter, Qt::Key_Down);
        QVERIFY(tree->hasFocus());
    }

    void treeCountsZeros()
    {
        auto [session, dock, tree, model, ready] = Shown(openSample("sparse"));
        QVERIFY(ready);
        const std::size_t weight = weightWith(*session.bundle(), codec::PartRole::Mask);
        QTRY_VERIFY(model.zeroFraction(weight));
        QVERIFY(*model.zeroFraction(weight) > 0);
        const auto *kept =
            session.bundle()->weights()[weight].operand(codec::PartRole::NonzeroData);
        const OperandPlace &values = *kept->place;
        const double before = *model.zeroFraction(weight);
        session.tasks().quiesce();
        const std::vector<std::byte> zero(bitWidth(kept->type) / 8);
        QVERIFY(session.bundle()->files()[values.file].file->write(values.dataOffset, zero));
        session.updateBundle(session.bundle());
        QTRY_VERIFY(*model.zeroFraction(weight) > before);
    }

    void treeCopiesRows()
    {
        auto [session, dock, tree, model, ready] = Shown(openSample("dense"));
        QVERIFY(ready);
        session.goToWeight(0);
        tree->setFocus();
        QTest::keyClick(tree, Qt::Key_C, Qt::ControlModifier);
        const QStringList cells = QGuiApplication::clipboard()->text().split(u'\t');
        QCOMPARE(cells.size(), model.columnCount());
        const Weight &weight = model.bundle()->weights()[0];
        QCOMPARE(cells[model.columnOf("name")], fromUtf8(weight.name));
        QCOMPARE(cells[model.columnOf("stored_bytes")], QString::number(weight.storedBytes.value));
    }

    void programLeadsToItsText()
    {
        const BundlePtr bundle = openSample("sparse");
        auto [session, dock, tree, model, ready] = Shown(bundle, {270, 700});
        QVERIFY(ready);
        const QAbstractItemModelTester tester(&model);
        QCOMPARE(model.index(0, 0).data().toString(), u"Overview"_s);
        const QModelIndex program = model.indexOfProgram();
        QVERIFY(program.isValid() && model.rowCount(program) == 0);
        QCOMPARE(program.siblingAtColumn(model.columnOf("form")).data().toString(), u"model.mil"_s);
        tree->setCurrentIndex(program);
        QCOMPARE(session.place().file, bundle->programFile());
        QSignalSpy raised(&dock, &BundleDock::raiseRequested);
        Q_EMIT tree->activated(program);
        QCOMPARE(raised.size(), 1);
        QCOMPARE(raised[0][0].toString(), u"program"_s);
        // An edit elsewhere leaves the chosen row, another place does not.
        session.updateBundle(bundle);
        QVERIFY(settle(dock));
        QCOMPARE(model.nodeAt(tree->currentIndex()).kind, Kind::Program);
        session.goToWeight(0);
        QTRY_COMPARE(model.nodeAt(tree->currentIndex()).kind, Kind::Weight);
        // Back to the program: its own row, not that of its file.
        session.goBack();
        QTRY_COMPARE(model.nodeAt(tree->currentIndex()).kind, Kind::Program);
        // It has no rows that a filter could find.
        model.setFilter(u"conv"_s);
        QVERIFY(!model.indexOfProgram().isValid());
    }

    void containersHaveTasksSectionsAndSymbols()
    {
        BundleTreeModel model;
        const QAbstractItemModelTester tester(&model);
        const BundlePtr bundle = bundleOf(syntheticH13());
        model.setBundle(bundle);
        QVERIFY(!model.indexOfProgram().isValid());
        const QModelIndex top = model.index(0, 0);
        std::vector<Kind> kinds;
        for (int row = 0; row < model.rowCount(top); ++row)
            kinds.push_back(model.nodeAt(model.index(row, 0, top)).kind);
        const std::vector<Kind> wanted{Kind::TaskGroup, Kind::SectionGroup, Kind::SymbolGroup,
                                       Kind::Function, Kind::FileGroup};
        QVERIFY(kinds == wanted);
        for (std::size_t i = 0; i < bundle->sections().size(); ++i) {
            const Section &section = bundle->sections()[i];
            const QModelIndex index = model.indexOfPart(i);
            QCOMPARE(index.isValid(), section.kind != SectionKind::Padding);
            if (!index.isValid())
                continue;
            QCOMPARE(model.nodeAt(index.parent()).kind,
                     section.kind == SectionKind::Program ? Kind::TaskGroup : Kind::SectionGroup);
            QCOMPARE(index.data().toString(), fromUtf8(bundle->nameOf(section)));
            QCOMPARE(
                index.siblingAtColumn(model.columnOf("stored_bytes")).data(SortRole).toULongLong(),
                section.range.bytes.value);
        }
        QCOMPARE(model.rowCount(model.index(2, 0, top)), int(bundle->hardware()->symbols.size()));
        // Each group is sorted and filtered by its names.
        model.sort(model.columnOf("name"), Qt::DescendingOrder);
        const QModelIndex symbols = model.index(2, 0, top);
        QVERIFY(model.index(0, 0, symbols).data().toString() >=
                model.index(1, 0, symbols).data().toString());
        const QString name = model.index(0, 0, symbols).data().toString();
        model.setFilter(name);
        QVERIFY(model.rowCount(top) > 0);
        bool found = false;
        for (int row = 0; row < model.rowCount(top); ++row) {
            const QModelIndex group = model.index(row, 0, top);
            QVERIFY(model.rowCount(group) > 0);
            found |= model.nodeAt(group).kind == Kind::SymbolGroup &&
                     model.index(0, 0, group).data().toString().contains(name);
        }
        QVERIFY(found);
    }

    void symbolsLeadToTheirEntry()
    {
        const BundlePtr bundle = bundleOf(syntheticH13());
        auto [session, dock, tree, model, ready] = Shown(bundle, {300, 700});
        QVERIFY(ready);
        const QModelIndex symbols = model.index(2, 0, model.index(0, 0));
        const QModelIndex second = model.index(1, 0, symbols);
        QCOMPARE(model.nodeAt(second), (BundleTreeModel::Node{Kind::Symbol, 1}));
        tree->setCurrentIndex(second);
        QVERIFY(session.place().bytes);
        QCOMPARE(session.place().bytes->offset.value,
                 std::uint64_t(bundle->hardware()->symbolTable->symbolOffset) + 16);
        QCOMPARE(session.place().bytes->bytes.value, 16U);
        session.updateBundle(bundle);
        QVERIFY(settle(dock));
        QCOMPARE(model.nodeAt(tree->currentIndex()), (BundleTreeModel::Node{Kind::Symbol, 1}));
        // A part as well; where it has no room its number and its own name stay.
        const auto &sections = bundle->sections();
        const auto header = std::ranges::find_if(sections, [&](const Section &section) {
            return bundle->nameOf(section).starts_with("task 1:");
        });
        QVERIFY(header != sections.end());
        const auto at = std::size_t(header - sections.begin());
        QCOMPARE(model.indexOfPart(at).data(kShortNameRole).toString(),
                 u"1 "_s + fromUtf8(bundle->nameOf(*header)).mid(8));
        tree->setCurrentIndex(model.indexOfPart(at));
        QCOMPARE(session.place().section, at);
        QCOMPARE(session.place().bytes.value_or(ByteRange{}).offset, header->range.offset);
        session.goToSection(0);
        QTRY_COMPARE(model.nodeAt(tree->currentIndex()), (BundleTreeModel::Node{Kind::Part, 0}));
    }

    void fewAreShortAtOnce()
    {
        Session session;
        WeightNames &names = WeightNames::of(session);
        session.setBundle(manyNames(20));
        QVERIFY(!names.working());
        QCOMPARE(names.namesInFunctions().size(), 20);
        QVERIFY(names.nameOf(7).size() < u"network_encoder_block_7"_s.size());
        QCOMPARE(&WeightNames::of(session), &names);
    }

    void manyComeLater()
    {
        auto [session, dock, tree, model, ready] = Shown(nullptr);
        WeightNames &names = WeightNames::of(session);
        const std::size_t count = WeightNames::kMostAtOnce + 500;
        session.setBundle(manyNames(count));
        QVERIFY(names.working());
        QCOMPARE(names.nameOf(7), u"network_encoder_block_7"_s);
        QTRY_VERIFY(!names.working());
        QTRY_VERIFY(!dock.busy());
        QCOMPARE(names.namesInFunctions().size(), qsizetype(count));
        QVERIFY(names.nameOf(7) != u"network_encoder_block_7"_s);
        QVERIFY(names.nameOf(7).endsWith(u"block_7"_s));
        // The tree asks for the whole name and for the short one.
        QCOMPARE(model.indexOfWeight(7).data().toString(), u"network_encoder_block_7"_s);
    }

    void anotherBundleForgetsThem()
    {
        Session session;
        WeightNames &names = WeightNames::of(session);
        session.setBundle(manyNames(WeightNames::kMostAtOnce + 1));
        session.setBundle(manyNames(3));
        QVERIFY(!names.working());
        QCOMPARE(names.namesInFunctions().size(), 3);
        QTRY_VERIFY(session.tasks().idle());
        QCoreApplication::processEvents(); // what the first task still delivers is dropped
        QCOMPARE(names.namesInFunctions().size(), 3);
        session.setBundle(nullptr);
        QVERIFY(names.namesInFunctions().isEmpty());
        QCOMPARE(names.nameOf(0), QString());
    }

    /// Letter by letter, with letters taken back, the rows are those of the filter typed at once.
    void typingFiltersAsTheWholeWordsDo()
    {
        const BundlePtr bundle = manyNames(300);
        BundleTreeModel typed;
        typed.setBundle(bundle);
        const auto check = [&](const QString &words) {
            typed.setFilter(words);
            BundleTreeModel fresh;
            fresh.setBundle(bundle);
            fresh.setFilter(words);
            if (!fresh.filterFault().isEmpty())
                return; // such terms leave the rows as they were
            QVERIFY2(typed.shownWeights() == fresh.shownWeights(), qPrintable(words));
            for (std::size_t i = 0; i < bundle->weights().size(); ++i)
                QCOMPARE(typed.indexOfWeight(i).row(), fresh.indexOfWeight(i).row());
        };
        for (const char *words :
             {"block_1", "block_12 encoder", "-block_1", "block_2 -block_21", "name:block_1",
              "block elements>3 name:_7", "bytes>1 bytes>10", "form:dense 4", "e>1", "-", "--1"}) {
            const QString whole = QString::fromLatin1(words);
            for (qsizetype length = 1; length <= whole.size(); ++length)
                check(whole.left(length));
            for (qsizetype length = whole.size() - 1; length >= 0; --length)
                check(whole.left(length));
        }
    }

    /// "w has the values of w" says nothing: where two functions have weights of one name, it is
    /// told which of them is meant.
    void functionsTellNamesApart()
    {
        OpenOptions options;
        options.memory = sampleOf("dense").files;
        test::addSecondFunction(options.memory);
        const auto opened = VERIFIED(Bundle::open("two.mlmodelc", options));
        Session session;
        WeightNames &names = WeightNames::of(session);
        session.setBundle(*opened);
        QStringList seen;
        for (std::size_t i = 0; i < (*opened)->weights().size(); ++i)
            seen += names.nameOf(i);
        QCOMPARE(seen.removeDuplicates(), qsizetype(0));
        QVERIFY(
            !names.namesInFunctions()[0].contains(QLatin1Char('/'))); // there the rows above say it
        // Both functions read the same blobs: the legend counts them twice, and says so.
        QVERIFY(sharedBytesText(sumUpBundle(**opened)).contains(u"shared"_s));
        QVERIFY(sharedBytesText(sumUpBundle(*manyNames(3))).isEmpty());
        // So does the inspector of the bundle.
        BundleFacts facts(session);
        const auto says = [&facts](const QString &text) {
            const auto labels = facts.findChildren<QLabel *>();
            return std::ranges::any_of(labels, [&text](const QLabel *label) {
                return label->text() == text || label->accessibleName() == text;
            });
        };
        facts.setBundle(*opened);
        const auto again = sharedBytes(sumUpForms(**opened), (*opened)->totals());
        QCOMPARE(again, (*opened)->totals().storedBytes.value); // each of two functions reads all
        QVERIFY(says(u"-%1 B"_s.arg(groupedNumber(again))));
        facts.setBundle(manyNames(3));
        QVERIFY(!says(u"-0 B"_s));
    }

    /// What completers list is read from the bundle that is open.
    void completedNamesAreThoseOfTheBundle()
    {
        Session session;
        WeightNameModel model(session);
        const QAbstractItemModelTester tester(&model);
        QCOMPARE(model.rowCount(), 0);
        for (const int count : {20, 20, 7}) {
            const BundlePtr bundle = manyNames(count);
            session.setBundle(bundle);
            QCOMPARE(model.rowCount(), count);
            for (int row = 0; row < count; ++row)
                QCOMPARE(model.index(row).data().toString().toStdString(),
                         bundle->weights()[std::size_t(row)].findableName());
        }
        session.setBundle(nullptr);
        QCOMPARE(model.rowCount(), 0);
    }

private:
    /// The first cell of a column on view whose text has not the room that it takes; empty: none.
    static QString cutCell(const QTreeView &tree, int column)
    {
        // The bundle itself takes its whole row for its name.
        for (QModelIndex index = tree.indexBelow(tree.model()->index(0, 0)); index.isValid();
             index = tree.indexBelow(index)) {
            const QModelIndex cell = index.siblingAtColumn(column);
            if (static_cast<const QAbstractItemView &>(tree).sizeHintForIndex(cell).width() >
                tree.columnWidth(column))
                return u"%1: %2 of %3"_s.arg(cell.data().toString())
                    .arg(tree.columnWidth(column))
                    .arg(static_cast<const QAbstractItemView &>(tree)
                             .sizeHintForIndex(cell)
                             .width());
        }
        return {};
    }
};

KERNSCOPE_TEST(TestNavigator, QApplication)
#include "tst_navigator.moc"
