// SPDX-License-Identifier: GPL-3.0-or-later
// Which rows the bundle's tree has beside its weights, and where they lead.
#include "core/container/hwx/container.h"
#include "synthetic.h"
#include "tests/test_program.h"
#include "tests/widgets/hardware/hardware_fixture.h"
#include "tests/widgets/sample_session.h"
#include "widgets/models/bundle_tree_model.h"
#include "widgets/overview/bundle_dock.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>
#include <QTreeView>

using namespace kernscope;
using namespace kernscope::ui;
using namespace kernscope::test;
using Kind = BundleTreeModel::Node::Kind;

class TestNavigatorRows : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void programLeadsToItsText();
    void containersHaveTasksSectionsAndSymbols();
    void symbolsLeadToTheirEntry();
};

void TestNavigatorRows::programLeadsToItsText()
{
    Session session;
    BundleDock dock(session);
    const BundlePtr bundle = openSample("sample-sparse.mlmodelc");
    session.setBundle(bundle);
    QVERIFY(showDock(dock, 270, 700));
    auto *tree = dock.findChild<QTreeView *>();
    auto &model = *qobject_cast<BundleTreeModel *>(tree->model());
    const QAbstractItemModelTester tester(&model);
    QCOMPARE(model.index(0, 0).data().toString(), QStringLiteral("Overview"));
    const QModelIndex program = model.indexOfProgram();
    QVERIFY(program.isValid() && model.rowCount(program) == 0);
    QCOMPARE(program.siblingAtColumn(model.columnOf("form")).data().toString(),
             QStringLiteral("model.mil"));
    tree->setCurrentIndex(program);
    QCOMPARE(session.place().file, bundle->programFile());
    QSignalSpy raised(&dock, &BundleDock::raiseRequested);
    Q_EMIT tree->activated(program);
    QCOMPARE(raised.size(), 1);
    QCOMPARE(raised[0][0].toString(), QStringLiteral("program"));
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
    model.setFilter(QStringLiteral("conv"));
    QVERIFY(!model.indexOfProgram().isValid());
}

void TestNavigatorRows::containersHaveTasksSectionsAndSymbols()
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
        if (index.isValid())
            QCOMPARE(model.nodeAt(index.parent()).kind,
                     section.kind == SectionKind::Program ? Kind::TaskGroup : Kind::SectionGroup);
    }
    QCOMPARE(model.rowCount(model.index(2, 0, top)),
             static_cast<int>(bundle->hardware()->symbols.size()));
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

void TestNavigatorRows::symbolsLeadToTheirEntry()
{
    Session session;
    BundleDock dock(session);
    const BundlePtr bundle = bundleOf(syntheticH13());
    session.setBundle(bundle);
    QVERIFY(showDock(dock, 300, 700));
    auto *tree = dock.findChild<QTreeView *>();
    const auto &model = *qobject_cast<BundleTreeModel *>(tree->model());
    const QModelIndex symbols = model.index(2, 0, model.index(0, 0));
    const QModelIndex second = model.index(1, 0, symbols);
    QCOMPARE(model.nodeAt(second), (BundleTreeModel::Node{Kind::Symbol, 1}));
    tree->setCurrentIndex(second);
    QVERIFY(session.place().bytes);
    QCOMPARE(session.place().bytes->offset.value,
             std::uint64_t(bundle->hardware()->symbolTable->symbolOffset) + 16);
    QCOMPARE(session.place().bytes->bytes.value, std::uint64_t(16));
    session.updateBundle(bundle);
    QVERIFY(settle(dock));
    QCOMPARE(model.nodeAt(tree->currentIndex()), (BundleTreeModel::Node{Kind::Symbol, 1}));
}

KERNSCOPE_TEST(TestNavigatorRows, QApplication)
#include "tst_navigator_rows.moc"
