// SPDX-License-Identifier: GPL-3.0-or-later
// The columns of the bundle's tree: what they say is whole, and those without content take no room.
#include "core/base/overlaid_file.h"
#include "made_bundle.h"
#include "synthetic.h"
#include "tests/test_program.h"
#include "tests/widgets/sample_session.h"
#include "widgets/common/elided_name.h"
#include "widgets/common/quiet_style.h"
#include "widgets/models/bundle_tree_model.h"
#include "widgets/models/short_names.h"
#include "widgets/models/task_manager.h"
#include "widgets/overview/bundle_dock.h"
#include "widgets/overview/navigator_header.h"
#include "widgets/overview/two_line_rows.h"

#include <QAction>
#include <QApplication>
#include <QHeaderView>
#include <QTreeView>

#include <algorithm>
#include <map>
#include <utility>

using namespace kernscope;
using namespace kernscope::ui;
using namespace kernscope::test;

class TestNavigator : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QApplication::setStyle(new QuietStyle); } // as in the window
    void columnsWithoutWeights();
    void openingFilesMovesNoColumn();
    void theBundleTakesItsRow();
    void partsOfOneWeightDiffer();
    void marksShortenNoNames();
    void narrowDockShowsAllFigures_data();
    void narrowDockShowsAllFigures();
    void secondLineIsPainted();
    void secondLineSorts();
    void wideDockHasColumns();
    void chosenColumnsStayColumns();

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
            return QStringLiteral("%1: %2 of %3")
                .arg(cell.data().toString())
                .arg(tree.columnWidth(column))
                .arg(static_cast<const QAbstractItemView &>(tree).sizeHintForIndex(cell).width());
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
    const auto &model = *qobject_cast<const BundleTreeModel *>(tree->model());
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

void TestNavigator::narrowDockShowsAllFigures_data()
{
    QTest::addColumn<QString>("build");
    QTest::addColumn<int>("width");
    for (const char *build : {"dense", "sparse", "palette"}) {
        for (const int width : {240, 270, 300})
            QTest::addRow("%s, %d", build, width) << QString::fromLatin1(build) << width;
    }
}

/// Two columns hold name, form, bytes, ratio and zeros; nothing is beyond the edge or cut.
void TestNavigator::narrowDockShowsAllFigures()
{
    QFETCH(QString, build);
    QFETCH(int, width);
    Session session;
    BundleDock dock(session);
    session.setBundle(openSample("sample-" + build.toStdString() + ".mlmodelc"));
    QVERIFY(showDock(dock, width, 700));
    QTRY_VERIFY(session.tasks().idle());
    const auto *tree = dock.findChild<QTreeView *>();
    const auto &model = *qobject_cast<const BundleTreeModel *>(tree->model());
    const auto *header = tree->findChild<NavigatorHeader *>();
    QVERIFY(header && header->twoLines());
    const int names = model.columnOf("name"), bytes = model.columnOf("stored_bytes");
    QCOMPARE(header->length(), tree->viewport()->width());
    QCOMPARE(header->hiddenSectionCount(), header->count() - 2);
    const QFontMetrics small(TwoLineRows::smallFont(tree->font()));
    const int gap = TwoLineRows::gap(tree);
    const auto *rows = qobject_cast<TwoLineRows *>(tree->itemDelegateForColumn(names));
    QVERIFY(rows);
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
        QVERIFY(
            tree->fontMetrics().horizontalAdvance(row.siblingAtColumn(bytes).data().toString()) +
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

/// The zeros stand in the lower half of the row at its right edge, and come when they are counted.
void TestNavigator::secondLineIsPainted()
{
    Session session;
    BundleDock dock(session);
    session.setBundle(openSample("sample-sparse.mlmodelc"));
    QVERIFY(showDock(dock, 270, 700));
    QTRY_VERIFY(session.tasks().idle());
    auto *tree = dock.findChild<QTreeView *>();
    auto &model = *qobject_cast<BundleTreeModel *>(tree->model());
    const QModelIndex row = model.indexOfWeight(0, model.columnOf("stored_bytes"));
    const auto ink = [&] {
        const QRect cell = tree->visualRect(row);
        const QRect lower(cell.right() - TwoLineRows::zerosWidth(QFontMetrics(tree->font())),
                          cell.center().y() + 1, TwoLineRows::zerosWidth(tree->fontMetrics()),
                          cell.height() / 2);
        const QImage picture = tree->viewport()->grab(lower).toImage();
        int count = 0;
        for (int y = 0; y < picture.height(); ++y) {
            for (int x = 0; x < picture.width(); ++x)
                count += picture.pixelColor(x, y).lightness() < 160 ? 1 : 0;
        }
        return count;
    };
    const int counted = ink();
    model.forgetZeroFraction(0);
    const int unknown = ink();
    QVERIFY2(counted > 2 * unknown, qPrintable(QStringLiteral("%1, %2").arg(counted).arg(unknown)));
    // Rows of one height: the view does not measure each of 50,000.
    QVERIFY(tree->uniformRowHeights());
    QCOMPARE(tree->visualRect(model.indexOfWeight(0).parent()).height(),
             tree->visualRect(row).height());
}

/// A click on a title of the second line sorts by it, the third takes that back.
void TestNavigator::secondLineSorts()
{
    Session session;
    BundleDock dock(session);
    session.setBundle(openSample("sample-sparse.mlmodelc"));
    QVERIFY(showDock(dock, 270, 700));
    QTRY_VERIFY(session.tasks().idle());
    auto *tree = dock.findChild<QTreeView *>();
    const auto &model = *qobject_cast<const BundleTreeModel *>(tree->model());
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
    std::sort(sorted.begin(), sorted.end());
    QVERIFY(first != sorted);
    const QPoint at = header->titleRect(zeros).center();
    QTest::mouseClick(header->viewport(), Qt::LeftButton, {}, at);
    QCOMPARE(shares(), sorted);
    QTest::mouseClick(header->viewport(), Qt::LeftButton, {}, at);
    std::reverse(sorted.begin(), sorted.end());
    QCOMPARE(shares(), sorted);
    QTest::mouseClick(header->viewport(), Qt::LeftButton, {}, at);
    QCOMPARE(shares(), first);
}

/// With room for all of them the figures are columns, and rows have one line.
void TestNavigator::wideDockHasColumns()
{
    Session session;
    BundleDock dock(session);
    session.setBundle(openSample("sample-sparse.mlmodelc"));
    QVERIFY(showDock(dock, 700, 700));
    QTRY_VERIFY(session.tasks().idle());
    auto *tree = dock.findChild<QTreeView *>();
    const auto &model = *qobject_cast<const BundleTreeModel *>(tree->model());
    const auto *header = tree->findChild<NavigatorHeader *>();
    const int high = tree->visualRect(model.indexOfWeight(0)).height();
    QVERIFY(!header->twoLines());
    for (const char *key : {"name", "form", "stored_bytes", "ratio", "zero_fraction"}) {
        const int column = model.columnOf(key);
        QVERIFY(!tree->isColumnHidden(column));
        QVERIFY2(tree->columnViewportPosition(column) + tree->columnWidth(column) <=
                     tree->viewport()->width(),
                 key);
        QCOMPARE(cutCell(*tree, column), QString());
    }
    dock.resize(270, 700);
    QTRY_VERIFY(header->twoLines());
    QVERIFY(tree->visualRect(model.indexOfWeight(0)).height() > high);
    dock.resize(700, 700);
    QTRY_VERIFY(!header->twoLines());
    QCOMPARE(tree->visualRect(model.indexOfWeight(0)).height(), high);
}

/// Who shows one of the columns below wants columns; who has hidden one keeps them.
void TestNavigator::chosenColumnsStayColumns()
{
    Session session;
    BundleDock dock(session);
    session.setBundle(openSample("sample-sparse.mlmodelc"));
    QVERIFY(showDock(dock, 270, 700));
    auto *tree = dock.findChild<QTreeView *>();
    const auto &model = *qobject_cast<const BundleTreeModel *>(tree->model());
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

KERNSCOPE_TEST(TestNavigator, QApplication)
#include "tst_navigator.moc"
