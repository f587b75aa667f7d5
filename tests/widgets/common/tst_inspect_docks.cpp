// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/overlaid_file.h"
#include "tests/test_program.h"
#include "tests/widgets/sample_bundles.h"
#include "widgets/bytes/hex_dock.h"
#include "widgets/bytes/layout_dock.h"
#include "widgets/bytes/section_strip.h"
#include "widgets/common/diagnostics_dock.h"
#include "widgets/models/bundle_tree_model.h"
#include "widgets/models/diagnostics_model.h"
#include "widgets/models/section_model.h"
#include "widgets/models/table_text.h"
#include "widgets/models/task_manager.h"
#include "widgets/models/theme.h"
#include "widgets/overview/bundle_dock.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <QTreeView>

using namespace kernscope;
using namespace kernscope::ui;
using test::shown;

namespace {

QAction *actionNamed(const QList<QAction *> &actions, const QString &text)
{
    for (QAction *action : actions) {
        if (action->text() == text)
            return action;
    }
    return nullptr;
}

/// The sample's sparse weight and its mask.
std::size_t sparseWeight(const Bundle &bundle)
{
    return test::weightWith(bundle, codec::PartRole::Mask);
}

} // namespace

class TestInspectDocks : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { theme::apply(false); }
    void docksSayWhatTheyNeed();
    void actionsDoNotClash();
    void treeDrivesTheSession();
    void treeFollowsTheSession();
    void treeFilterKeepsTheSession();
    void treeCountsZeros();
    void treeCopiesRows();
    void stripAndTableFollowEachOther();
    void layoutOpensTheFileOfASection();
    void diagnosticsJump();
    void diagnosticsCheckPayloads();
    void diagnosticsTakeRowsWithoutABundle();
};

void TestInspectDocks::docksSayWhatTheyNeed()
{
    Session session;
    BundleDock bundle(session);
    LayoutDock layout(session);
    HexDock hex(session);
    DiagnosticsDock diagnostics(session);
    for (Dock *dock : std::initializer_list<Dock *>{&bundle, &layout, &hex, &diagnostics}) {
        QVERIFY(shown(*dock));
        QVERIFY(!dock->showsContent());
        const auto labels = dock->findChildren<QLabel *>();
        QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel *label) {
            return label->isVisible() && label->text().contains(QStringLiteral("Open a bundle"));
        }));
    }
    session.setBundle(test::sampleBundle("sparse"));
    for (Dock *dock : std::initializer_list<Dock *>{&bundle, &layout, &hex, &diagnostics}) {
        QTRY_VERIFY(!dock->busy());
        QCOMPARE(dock->showsContent(), dock != &diagnostics); // a sound bundle: nothing to list
    }
    session.setBundle(nullptr);
    for (Dock *dock : std::initializer_list<Dock *>{&bundle, &layout, &hex, &diagnostics}) {
        QTRY_VERIFY(!dock->busy());
        QVERIFY(!dock->showsContent());
    }
}

void TestInspectDocks::actionsDoNotClash()
{
    Session session;
    BundleDock bundle(session);
    LayoutDock layout(session);
    HexDock hex(session);
    DiagnosticsDock diagnostics(session);
    for (const QList<QAction *> &actions : {bundle.menuActions(), layout.menuActions(),
                                            hex.menuActions(), diagnostics.menuActions()}) {
        QVERIFY(!actions.isEmpty());
        QList<QKeySequence> taken;
        for (const QAction *action : actions) {
            QVERIFY(action->isSeparator() || !action->text().isEmpty());
            if (action->shortcut().isEmpty())
                continue;
            QCOMPARE(action->shortcutContext(), Qt::WidgetWithChildrenShortcut);
            QVERIFY2(!taken.contains(action->shortcut()), qPrintable(action->text()));
            taken += action->shortcut();
        }
    }
}

void TestInspectDocks::treeDrivesTheSession()
{
    Session session;
    BundleDock dock(session);
    session.setBundle(test::sampleBundle("sparse"));
    QVERIFY(shown(dock));
    auto *tree = dock.findChild<QTreeView *>();
    auto *model = qobject_cast<BundleTreeModel *>(tree->model());
    QSignalSpy raised(&dock, &BundleDock::raiseRequested);
    const std::size_t weight = sparseWeight(*session.bundle());
    const QRect row = tree->visualRect(model->indexOfWeight(weight));
    QVERIFY(!row.isEmpty());
    QTest::mouseClick(tree->viewport(), Qt::LeftButton, {}, row.center());
    QCOMPARE(session.place().weight, weight);
    QVERIFY(session.place().section != kNoIndex);
    tree->setFocus();
    QTest::keyClick(tree, Qt::Key_Down);
    QCOMPARE(session.place().weight, weight + 1);
    QTest::keyClick(tree, Qt::Key_Return);
    QCOMPARE(raised.size(), 1);
    QCOMPARE(raised.first().first().toString(), QStringLiteral("weight"));
    const std::size_t file = test::weightFile(*session.bundle());
    tree->expandAll();
    tree->setCurrentIndex(model->indexOfFile(file));
    QCOMPARE(session.place().file, file);
    QVERIFY(session.place().bytes && session.place().bytes->offset == FileOffset(0));
}

void TestInspectDocks::treeFollowsTheSession()
{
    Session session;
    BundleDock dock(session);
    session.setBundle(test::sampleBundle("dense"));
    QVERIFY(shown(dock));
    auto *tree = dock.findChild<QTreeView *>();
    auto *model = qobject_cast<BundleTreeModel *>(tree->model());
    QAbstractItemModelTester tester(model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    for (std::size_t weight = 0; weight < session.bundle()->weights().size(); ++weight) {
        session.goToWeight(weight);
        QCOMPARE(model->nodeAt(tree->currentIndex()).index, weight);
        QCOMPARE(session.place().weight, weight);
    }
    session.goBack();
    QCOMPARE(model->nodeAt(tree->currentIndex()).index, session.place().weight);
    // Another bundle starts anew.
    session.setBundle(test::sampleBundle("palette"));
    QTRY_COMPARE(model->bundle(), session.bundle());
    QVERIFY(session.place().weight == kNoIndex);
}

void TestInspectDocks::treeFilterKeepsTheSession()
{
    Session session;
    BundleDock dock(session);
    session.setBundle(test::sampleBundle("dense"));
    QVERIFY(shown(dock));
    auto *tree = dock.findChild<QTreeView *>();
    auto *filter = dock.findChild<QLineEdit *>();
    auto *model = qobject_cast<BundleTreeModel *>(tree->model());
    session.goToWeight(1);
    const Place before = session.place();
    tree->setFocus();
    QTest::keyClick(tree, Qt::Key_F, Qt::ControlModifier);
    QTRY_VERIFY(filter->hasFocus());
    QTest::keyClicks(filter, QStringLiteral("zzz nothing"));
    QCOMPARE(model->shownWeights(), std::size_t{0});
    QCOMPARE(session.place(), before);
    QTest::keyClick(filter, Qt::Key_Escape);
    QVERIFY(filter->text().isEmpty());
    QCOMPARE(session.place(), before);
    QCOMPARE(model->nodeAt(tree->currentIndex()).index, std::size_t{1});
    QTest::keyClick(filter, Qt::Key_Down);
    QVERIFY(tree->hasFocus());
}

void TestInspectDocks::treeCountsZeros()
{
    Session session;
    BundleDock dock(session);
    session.setBundle(test::sampleBundle("sparse"));
    QVERIFY(shown(dock));
    auto *model = qobject_cast<BundleTreeModel *>(dock.findChild<QTreeView *>()->model());
    const std::size_t weight = sparseWeight(*session.bundle());
    QTRY_VERIFY(model->zeroFraction(weight));
    QVERIFY(*model->zeroFraction(weight) > 0);
    const auto *kept = session.bundle()->weights()[weight].operand(codec::PartRole::NonzeroData);
    const OperandPlace &values = *kept->place;
    const double before = *model->zeroFraction(weight);
    session.tasks().quiesce();
    const std::vector<std::byte> zero(bitWidth(kept->type) / 8);
    QVERIFY(session.bundle()->files()[values.file].file->write(values.dataOffset, zero));
    session.updateBundle(session.bundle());
    QTRY_VERIFY(*model->zeroFraction(weight) > before);
}

void TestInspectDocks::treeCopiesRows()
{
    Session session;
    BundleDock dock(session);
    session.setBundle(test::sampleBundle("dense"));
    QVERIFY(shown(dock));
    auto *tree = dock.findChild<QTreeView *>();
    session.goToWeight(0);
    tree->setFocus();
    QTest::keyClick(tree, Qt::Key_C, Qt::ControlModifier);
    const QStringList cells = QGuiApplication::clipboard()->text().split(u'\t');
    const auto *model = static_cast<const BundleTreeModel *>(tree->model());
    QCOMPARE(cells.size(), model->columnCount());
    const Weight &weight = model->bundle()->weights()[0];
    QCOMPARE(cells[model->columnOf("name")], fromUtf8(weight.name));
    QCOMPARE(cells[model->columnOf("stored_bytes")], QString::number(weight.storedBytes.value));
}

void TestInspectDocks::stripAndTableFollowEachOther()
{
    Session session;
    LayoutDock dock(session);
    session.setBundle(test::sampleBundle("sparse"));
    QVERIFY(shown(dock));
    auto *strip = dock.findChild<SectionStrip *>();
    auto *table = dock.findChild<QTableView *>();
    auto *model = qobject_cast<SectionModel *>(table->model());
    QAbstractItemModelTester tester(model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    strip->setFocus();
    QTest::keyClick(strip, Qt::Key_Home);
    QTest::keyClick(strip, Qt::Key_Right);
    QCOMPARE(session.place().section, strip->current());
    QCOMPARE(model->sectionAt(table->currentIndex().row()), strip->current());
    const int row = table->currentIndex().row() + 1;
    table->scrollTo(model->index(row, 0));
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                      table->visualRect(model->index(row, 0)).center());
    QCOMPARE(session.place().section, model->sectionAt(row));
    QCOMPARE(strip->current(), model->sectionAt(row));
    QSignalSpy raised(&dock, &LayoutDock::raiseRequested);
    table->setFocus();
    QTest::keyClick(table, Qt::Key_Return);
    QCOMPARE(raised.size(), 1);
    QCOMPARE(raised.first().first().toString(), QStringLiteral("hex"));
}

void TestInspectDocks::layoutOpensTheFileOfASection()
{
    Session session;
    LayoutDock dock(session);
    session.setBundle(test::sampleBundle("dense"));
    QVERIFY(shown(dock));
    auto *strip = dock.findChild<SectionStrip *>();
    auto *files = dock.findChild<QComboBox *>();
    QCOMPARE(static_cast<std::size_t>(files->count()), session.bundle()->files().size());
    for (std::size_t file = 0; file < session.bundle()->files().size(); ++file) {
        const auto sections = session.bundle()->sectionsOf(file);
        session.goToSection(sections.first);
        QCOMPARE(strip->file(), file);
        QCOMPARE(files->currentIndex(), static_cast<int>(file));
        QCOMPARE(strip->current(), sections.first);
    }
}

void TestInspectDocks::diagnosticsJump()
{
    Session session;
    DiagnosticsDock dock(session);
    session.setBundle(test::sampleBundle("dense"));
    QVERIFY(shown(dock));
    auto *table = dock.findChild<QTableView *>();
    auto *model = qobject_cast<DiagnosticsModel *>(table->model());
    QAbstractItemModelTester tester(model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    const std::size_t file = test::weightFile(*session.bundle());
    Diagnostic row;
    row.severity = Severity::Warning;
    row.error.code = "blob.padding";
    row.error.file = session.bundle()->files()[file].path;
    row.error.offset = FileOffset(64);
    row.error.length = ByteCount(8);
    QSignalSpy counts(&dock, &DiagnosticsDock::countsChanged);
    dock.addRow(row);
    QCOMPARE(counts.size(), 1);
    QCOMPARE(dock.countOf(Severity::Warning), std::size_t{1});
    QSignalSpy raised(&dock, &DiagnosticsDock::raiseRequested);
    table->setCurrentIndex(model->index(model->rowCount() - 1, 0));
    table->setFocus();
    QTest::keyClick(table, Qt::Key_Return);
    QCOMPARE(raised.size(), 1);
    QCOMPARE(session.place().file, file);
    QCOMPARE(session.place().bytes.value_or(ByteRange{}),
             (ByteRange{FileOffset(64), ByteCount(8)}));
    for (QToolButton *button : dock.findChildren<QToolButton *>()) {
        if (button->text().contains(QStringLiteral("warning")))
            button->click();
    }
    QCOMPARE(model->rowCount(), 0);
    QVERIFY(actionNamed(dock.menuActions(), QStringLiteral("Copy Rows")));
}

void TestInspectDocks::diagnosticsCheckPayloads()
{
    Session session;
    DiagnosticsDock dock(session);
    session.setBundle(test::sampleBundle("sparse"));
    QVERIFY(shown(dock));
    QTRY_VERIFY(!dock.busy());
    const std::size_t before = dock.countOf(Severity::Error) + dock.countOf(Severity::Warning);
    QCOMPARE(before, std::size_t{0});
    // One more bit in the mask than there are values.
    const Weight &weight = session.bundle()->weights()[sparseWeight(*session.bundle())];
    const OperandPlace &mask = *weight.operand(codec::PartRole::Mask)->place;
    session.tasks().quiesce();
    OverlaidFile &file = *session.bundle()->files()[mask.file].file;
    const std::byte now = file.bytes()[mask.dataOffset.value] ^ std::byte{1};
    QVERIFY(file.write(mask.dataOffset, std::span(&now, 1)));
    session.updateBundle(session.bundle());
    QTRY_VERIFY(dock.countOf(Severity::Error) + dock.countOf(Severity::Warning) > 0);
}

void TestInspectDocks::diagnosticsTakeRowsWithoutABundle()
{
    Session session;
    DiagnosticsDock dock(session);
    QVERIFY(shown(dock));
    Diagnostic row;
    row.error.code = "io.open";
    row.error.file = "no/such.mlmodelc";
    row.error.message = "No such file";
    dock.addRow(row);
    QVERIFY(dock.showsContent());
    QCOMPARE(dock.countOf(Severity::Error), std::size_t{1});
    auto *table = dock.findChild<QTableView *>();
    table->setCurrentIndex(table->model()->index(0, 0));
    table->setFocus();
    QTest::keyClick(table, Qt::Key_Return);
    QVERIFY(!session.bundle());
}

KERNSCOPE_TEST(TestInspectDocks, QApplication)
#include "tst_inspect_docks.moc"
