// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/hwx/container.h"
#include "core/report/structure_table.h"
#include "core/target/rules.h"
#include "synthetic.h"
#include "tests/test_program.h"
#include "tests/widgets/compare/compare_tools.h"
#include "tests/widgets/compare/pair_bundles.h"
#include "tests/widgets/sample_session.h"
#include "widgets/common/outcome_words.h"
#include "widgets/compare/compare_dock.h"
#include "widgets/compare/compare_pages.h"
#include "widgets/compare/comparison_outcome.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QComboBox>
#include <QLineEdit>
#include <QMenu>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>

#include <algorithm>
#include <initializer_list>

using namespace kernscope;
using namespace kernscope::ui;
using kernscope::test::actionOf;
using kernscope::test::cellText;
using kernscope::test::denseBundle;
using kernscope::test::MadeBundle;
using kernscope::test::openSample;
using kernscope::test::showDock;

namespace {

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

/// The pages beside the values, the column of outcomes on a chip, and that of functions.
class TestCompareStructure : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void operations();
    void equalPrograms();
    void filesAndSections();
    void sameLengths();
    void symbols();
    void chip();
    void functions();
    void thirdBuild();
};

void TestCompareStructure::operations()
{
    Session session;
    CompareDock dock(session);
    session.setBundle(
        programOf({"tensor<fp16, [1, 4]> p = relu(x = x)[name = string(\"p\")]",
                   "tensor<fp16, [1, 4]> y = add(x = p, y = x)[name = string(\"y\")]"}));
    session.setOther(
        programOf({"tensor<fp16, [1, 4]> p = tanh(x = x)[name = string(\"p\")]",
                   "tensor<fp16, [1, 4]> y = add(x = p, y = x)[name = string(\"y\")]"}));
    QVERIFY(showDock(dock));
    QAbstractItemModelTester tester(dock.program()->table()->model());
    actionOf(dock, QStringLiteral("Program"))->trigger();
    QVERIFY(dock.program()->isVisible() && !dock.table()->isVisible());
    QCOMPARE(column(*dock.program()->table(), 0), QStringList{QStringLiteral("changed")});
    QCOMPARE(column(*dock.program()->table(), 3), QStringList{QStringLiteral("p")});
    QCOMPARE(column(*dock.program()->table(), 4), QStringList{QStringLiteral("relu > tanh")});
    QVERIFY(dock.program()->note().startsWith(QStringLiteral("1 difference")));
    Q_EMIT dock.program()->table()->activated(dock.program()->table()->model()->index(0, 0));
    QVERIFY(session.place().bytes);
    QCOMPARE(session.place().file, session.bundle()->programFile());
    dock.program()->filter()->setText(QStringLiteral("conv"));
    QCOMPARE(dock.program()->table()->model()->rowCount(), 0);
    actionOf(dock, QStringLiteral("Values"))->trigger();
    QVERIFY(!dock.program()->isVisible() && dock.table()->isVisible());
}

void TestCompareStructure::equalPrograms()
{
    Session session;
    CompareDock dock(session);
    session.setBundle(openSample("sample-dense.mlmodelc"));
    session.setOther(openSample("sample-dense.mlmodelc"));
    QVERIFY(showDock(dock));
    dock.showPage(CompareDock::Page::Program);
    QCOMPARE(dock.program()->table()->model()->rowCount(), 0);
    QVERIFY(dock.program()->note().contains(QStringLiteral("equal")));
    dock.showPage(CompareDock::Page::Structure);
    QVERIFY(settled(dock));
    QCOMPARE(dock.structure()->table()->model()->rowCount(), 0);
    QVERIFY(dock.structure()->note().contains(QStringLiteral("the same")));
}

void TestCompareStructure::filesAndSections()
{
    Session session;
    CompareDock dock(session);
    session.setBundle(openSample("sample-dense.mlmodelc"));
    session.setOther(openSample("sample-sparse.mlmodelc"));
    QVERIFY(showDock(dock));
    QAbstractItemModelTester tester(dock.structure()->table()->model());
    dock.showPage(CompareDock::Page::Structure);
    QVERIFY(settled(dock));
    Progress progress;
    const auto rows = report::structureRows(session.bundle(), session.other(), {}, progress);
    QVERIFY(!rows.empty());
    QCOMPARE(dock.structure()->table()->model()->rowCount(), static_cast<int>(rows.size()));
    QVERIFY(column(*dock.structure()->table(), 0).contains(QStringLiteral("file")));
    QVERIFY(column(*dock.structure()->table(), 0).contains(QStringLiteral("section")));
    for (const report::StructureFacts &row : rows)
        QVERIFY(row.a != row.b || !row.different.empty());
    // The other way round everything stands on the other side.
    const auto mirrored = report::structureRows(session.other(), session.bundle(), {}, progress);
    QCOMPARE(mirrored.size(), rows.size());
    for (const report::StructureFacts &row : rows)
        QVERIFY(std::any_of(mirrored.begin(), mirrored.end(), [&](const auto &other) {
            return other.kind == row.kind && other.a == row.b && other.b == row.a &&
                   other.firstA == row.firstB && other.firstB == row.firstA &&
                   (other.name == row.name || other.detail == "in B: " + row.name);
        }));
}

/// A file of the same length is there as soon as a byte of it differs, with where the first is.
void TestCompareStructure::sameLengths()
{
    const BundlePtr a = denseBundle({{"w", "[4]", {1, 2, 3, 4}}});
    const BundlePtr b = denseBundle({{"w", "[4]", {1, 2, 5, 4}}});
    Progress progress;
    const auto rows = report::structureRows(a, b, {}, progress);
    QCOMPARE(rows.size(), std::size_t(2));
    const Weight &weight = a->weights()[0];
    const std::uint64_t data = weight.operands()[0].place->dataOffset.value;
    for (const report::StructureFacts &row : rows) {
        QVERIFY(row.a == row.b && !row.a.empty());
        QCOMPARE(row.different, std::string("1 byte changed"));
        QCOMPARE(row.firstA, std::optional<std::uint64_t>(data + 5));
        QCOMPARE(row.firstB, row.firstA);
    }
    QCOMPARE(int(rows[0].kind), int(report::StructureFacts::Kind::File));
    QCOMPARE(int(rows[1].kind), int(report::StructureFacts::Kind::Section));
    QVERIFY(report::structureRows(a, a, {}, progress).empty());
}

/// Symbols go by their names: one that is inserted moves the numbers of others, which is no change
/// of theirs.
void TestCompareStructure::symbols()
{
    const auto opened = [](const test::Bytes &bytes) {
        OpenOptions options;
        options.memory = {{"made.hwx", bytes}};
        return *Bundle::open("made.hwx", options);
    };
    const BundlePtr a = opened(test::syntheticH13(8)), b = opened(test::syntheticH18g());
    QVERIFY(!a->hardware()->symbols.empty());
    QVERIFY(report::symbolRows(*a, *a).empty());
    const auto rows = report::symbolRows(*a, *b), back = report::symbolRows(*b, *a);
    QVERIFY(!rows.empty());
    QCOMPARE(back.size(), rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        QVERIFY(rows[i].a != rows[i].b && !rows[i].name.empty());
        QVERIFY(rows[i].a == back[i].b && rows[i].b == back[i].a && rows[i].name == back[i].name);
    }
    const BundlePtr dense = denseBundle({{"w", "[4]", {1, 2, 3, 4}}});
    QVERIFY(report::symbolRows(*a, *dense).empty());
}

/// What the assessment says of every weight on the chip, and of the other chip when it is chosen.
void TestCompareStructure::chip()
{
    Session session;
    CompareDock dock(session);
    session.setBundle(openSample("sample-dense.mlmodelc"));
    session.setOther(openSample("sample-palette.mlmodelc"));
    QVERIFY(showDock(dock));
    QVERIFY(settled(dock));
    const ComparisonOutcome expected(session.bundle(), session.other(), {});
    QSignalSpy chosen(&dock, &CompareDock::chipChosen);
    for (const char *name : {"H13", "M5"}) {
        const target::Target *chip = target::findTarget(name)->target;
        QVERIFY(chip);
        dock.chipBox()->setCurrentIndex(static_cast<int>(chip->index));
        QCOMPARE(&dock.chip(), chip);
        QCOMPARE(dock.model()
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

void TestCompareStructure::functions()
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
    Session session;
    CompareDock dock(session);
    session.setBundle(denseBundle({{"w", "[2, 2]", {1, 2, 3, 4}}}));
    session.setOther(denseBundle({{"w", "[2, 2]", {1, 2, 3, 5}}}));
    QVERIFY(showDock(dock));
    QVERIFY(dock.table()->isColumnHidden(dock.model().columnOf("function")));
    QVERIFY(!dock.model().rows().front().function.empty());
}

void TestCompareStructure::thirdBuild()
{
    Session session;
    CompareDock dock(session);
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

KERNSCOPE_TEST(TestCompareStructure, QApplication)
#include "tst_compare_structure.moc"
