// SPDX-License-Identifier: GPL-3.0-or-later
// The columns of the bundle's tree: what they say is whole, and those without content take no room.
#include "core/base/overlaid_file.h"
#include "made_bundle.h"
#include "synthetic.h"
#include "tests/widgets/sample_session.h"
#include "widgets/common/elided_name.h"
#include "widgets/common/short_names.h"
#include "widgets/common/task_manager.h"
#include "widgets/overview/bundle_dock.h"
#include "widgets/overview/bundle_tree_model.h"

#include <QHeaderView>
#include <QTreeView>

#include <map>
#include <utility>

using namespace kernscope;
using namespace kernscope::ui;
using namespace kernscope::test;

class TestNavigator : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void columnsWithoutWeights();
    void openingFilesMovesNoColumn();
    void theBundleTakesItsRow();
    void partsOfOneWeightDiffer();
    void marksShortenNoNames();

private:
    static QString cutCell(const QTreeView &tree, int column);
};

/// The first cell of a column on view whose text has not the room that it takes; empty: none.
QString TestNavigator::cutCell(const QTreeView &tree, int column)
{
    // The bundle itself takes its whole row for its name.
    for (QModelIndex index = tree.indexBelow(tree.model()->index(0, 0)); index.isValid();
         index = tree.indexBelow(index)) {
        const QModelIndex cell = index.siblingAtColumn(column);
        if (static_cast<const QAbstractItemView &>(tree).sizeHintForIndex(cell).width() >
            tree.columnWidth(column))
            return cell.data().toString();
    }
    return {};
}

/// Nothing but files: their form and bytes are whole, and no column of weights is on view.
void TestNavigator::columnsWithoutWeights()
{
    const auto bundle = MadeBundle().open();
    QVERIFY(bundle && (*bundle)->weights().empty());
    Session session;
    BundleDock dock(session);
    session.setBundle(*bundle);
    QVERIFY(showDock(dock, 290, 500));
    auto *tree = dock.findChild<QTreeView *>();
    const auto &model = *qobject_cast<const BundleTreeModel *>(tree->model());
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
void TestNavigator::openingFilesMovesNoColumn()
{
    Session session;
    BundleDock dock(session);
    session.setBundle(openSample("sample-sparse.mlmodelc"));
    QVERIFY(showDock(dock, 290, 500));
    auto *tree = dock.findChild<QTreeView *>();
    const int form = qobject_cast<const BundleTreeModel *>(tree->model())->columnOf("form");
    const int before = tree->columnWidth(form);
    tree->expandAll();
    QTest::qWait(0);
    QCOMPARE(tree->columnWidth(form), before);
    QCOMPARE(cutCell(*tree, form), QString());
}

/// Its name is not cut after an edit either, which may change tables and with them the rows.
void TestNavigator::theBundleTakesItsRow()
{
    Session session;
    BundleDock dock(session);
    session.setBundle(openSample("sample-sparse.mlmodelc"));
    QVERIFY(showDock(dock, 290, 500));
    const auto *tree = dock.findChild<QTreeView *>();
    QVERIFY(tree->isFirstColumnSpanned(0, {}));
    const auto again = session.bundle()->reread();
    QVERIFY(again);
    session.updateBundle(*again);
    QTRY_VERIFY(session.tasks().idle());
    QVERIFY(tree->isFirstColumnSpanned(0, {}));
}

/// The mark of a changed weight has its room before it is there, in a dock of every width.
void TestNavigator::marksShortenNoNames()
{
    Session session;
    BundleDock dock(session);
    const BundlePtr bundle = openSample("sample-sparse.mlmodelc");
    session.setBundle(bundle);
    QVERIFY(showDock(dock, 290, 500));
    const auto *tree = dock.findChild<QTreeView *>();
    const int names = qobject_cast<const BundleTreeModel *>(tree->model())->columnOf("name");
    const auto layoutAt = [&](int width) {
        dock.resize(width + 1, 500);
        QTest::qWait(0);
        dock.resize(width, 500);
        QTest::qWait(0);
        return std::pair(tree->property(kAlwaysShort).toBool(), tree->columnWidth(names));
    };
    std::map<int, std::pair<bool, int>> before;
    for (int width = 180; width < 420; width += 4)
        before[width] = layoutAt(width);
    QVERIFY(before[180].first && !before[416].first); // names are shortened in the narrow one
    session.tasks().quiesce();
    for (const Weight &weight : bundle->weights()) {
        for (const codec::Operand &operand : weight.operands()) {
            if (!operand.place)
                continue;
            OverlaidFile &file = *bundle->files()[operand.place->file].file;
            const FileOffset at = operand.place->dataOffset;
            const std::byte now = ~file.bytes()[at.value];
            QVERIFY(file.write(at, std::span(&now, 1)));
        }
    }
    session.updateBundle(bundle);
    for (const auto &[width, layout] : before)
        QVERIFY2(layoutAt(width) == layout, qPrintable(QString::number(width)));
}

/// Parts of a weight all begin with its name: what is shown of them tells them apart.
void TestNavigator::partsOfOneWeightDiffer()
{
    const Bytes file = syntheticH13();
    OpenOptions options;
    options.memory = {{"made.hwx", file}};
    const auto bundle = Bundle::open("made.hwx", options);
    QVERIFY(bundle);
    Session session;
    BundleDock dock(session);
    session.setBundle(*bundle);
    QVERIFY(showDock(dock, 290, 700));
    auto *tree = dock.findChild<QTreeView *>();
    tree->expandAll();
    int parts = 0;
    for (QModelIndex index = tree->indexBelow(tree->model()->index(0, 0)); index.isValid();
         index = tree->indexBelow(index)) {
        const QString brief = index.data(kShortNameRole).toString();
        const QString owner = QString::fromStdString((*bundle)->weights().front().name);
        if (index.data().toString().startsWith(owner + u' ')) {
            QVERIFY2(brief.startsWith(QChar(0x2026)) && !brief.contains(owner), qPrintable(brief));
            ++parts;
        }
    }
    QVERIFY(parts > 0);
}

QTEST_MAIN(TestNavigator)
#include "tst_navigator.moc"
