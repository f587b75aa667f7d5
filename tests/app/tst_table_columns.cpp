// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/table_columns.h"
#include "tests/app/window_fixture.h"
#include "tests/test_program.h"
#include "widgets/common/absent_columns.h"

#include <QAction>
#include <QHeaderView>
#include <QMenu>
#include <QStandardItemModel>
#include <QTableView>
#include <QTreeView>

using namespace kernscope;
using app::TableColumns;

/// Columns of tables are chosen, ordered and hidden, and stay so.
class TestTableColumns : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void statesGoBackAndForth();
    void badStatesChangeNothing_data();
    void badStatesChangeNothing();
    void everyTableOfTheDocks();
    void choicesAreKept();
    void oneColumnStays();
    void sumsFollowTheirTable();

private:
    static QTableView *sections(test::TestWindow &window)
    {
        return window->docks().dock(QStringLiteral("layout"))->findChild<QTableView *>();
    }
};

void TestTableColumns::statesGoBackAndForth()
{
    QStandardItemModel model(2, 4);
    QTableView view;
    view.setModel(&model);
    QHeaderView &header = *view.horizontalHeader();
    QCOMPARE(TableColumns::stateOf(header), QStringLiteral("0 1 2 3"));
    QVERIFY(TableColumns::restore(header, QStringLiteral("2 -0 3 1")));
    QCOMPARE(header.visualIndex(2), 0);
    QVERIFY(header.isSectionHidden(0));
    QCOMPARE(TableColumns::stateOf(header), QStringLiteral("2 -0 3 1"));
    // What a table hides because no row has it is no choice of the user.
    header.setProperty(ui::kAbsentColumns, QVariantList{0});
    QCOMPARE(TableColumns::stateOf(header), QStringLiteral("2 0 3 1"));
    header.setProperty(ui::kAbsentColumns, QVariantList());
    QVERIFY(TableColumns::restore(header, QStringLiteral("0 1 2 3")));
    QCOMPARE(header.hiddenSectionCount(), 0);
    QCOMPARE(header.visualIndex(2), 2);
}

void TestTableColumns::badStatesChangeNothing_data()
{
    QTest::addColumn<QString>("state");
    QTest::newRow("too few") << "0 1";
    QTest::newRow("too many") << "0 1 2 3";
    QTest::newRow("twice") << "0 1 1";
    QTest::newRow("beyond") << "0 1 3";
    QTest::newRow("no number") << "0 1 x";
    QTest::newRow("none shown") << "-0 -1 -2";
    QTest::newRow("empty") << "";
}

void TestTableColumns::badStatesChangeNothing()
{
    QFETCH(QString, state);
    QStandardItemModel model(1, 3);
    QTreeView view;
    view.setModel(&model);
    QVERIFY(!TableColumns::restore(*view.header(), state));
    QCOMPARE(TableColumns::stateOf(*view.header()), QStringLiteral("0 1 2"));
}

/// Each has the menu at its header, but for the values of a weight and sums.
void TestTableColumns::everyTableOfTheDocks()
{
    test::TestWindow window;
    int tables = 0;
    for (const auto &entry : window->docks().entries()) {
        for (auto *view : entry.dock->findChildren<QTableView *>()) {
            const bool own = view->focusPolicy() != Qt::NoFocus &&
                             !view->horizontalHeader()->isHidden() &&
                             view->accessibleName() != QLatin1String("Values of the slice");
            if (!view->model())
                continue;
            QVERIFY2((view->horizontalHeader()->contextMenuPolicy() == Qt::CustomContextMenu) ==
                         own,
                     qPrintable(entry.dock->id() + QLatin1Char(' ') + view->accessibleName()));
            tables += own ? 1 : 0;
        }
    }
    QVERIFY2(tables > 12, qPrintable(QString::number(tables)));
}

void TestTableColumns::choicesAreKept()
{
    QTemporaryDir folder;
    test::TestWindow window;
    const QString path = test::writeSample(folder.path(), QStringLiteral("sparse"));
    QVERIFY(window.open({path}));
    app::DockSet::reveal(window->docks().dock(QStringLiteral("layout")));
    QVERIFY(window.settle());
    QTableView *table = sections(window);
    const QString first = TableColumns::stateOf(*table->horizontalHeader());
    QVERIFY(first.startsWith(QStringLiteral("0 1 2 3 4 5")));
    table->setFocus();
    auto *columns = window->findChild<TableColumns *>();
    QVERIFY(columns);
    QCOMPARE(columns->current(), table);
    QMenu menu;
    columns->fillMenu(&menu, table);
    QAction *kind = nullptr;
    for (QAction *action : menu.actions()) {
        if (action->text() == table->model()->headerData(1, Qt::Horizontal).toString())
            kind = action;
    }
    QVERIFY(kind && kind->isChecked());
    kind->trigger();
    QVERIFY(table->isColumnHidden(1));
    table->horizontalHeader()->moveSection(3, 0);
    window.restart();
    QVERIFY(window.open({path}));
    table = sections(window);
    QVERIFY(table->isColumnHidden(1));
    QCOMPARE(table->horizontalHeader()->visualIndex(3), 0);
    // All back, and the next start knows nothing of it.
    QMenu back;
    window->findChild<TableColumns *>()->fillMenu(&back, table);
    back.actions().constLast()->trigger();
    QCOMPARE(TableColumns::stateOf(*table->horizontalHeader()), first);
    window.restart();
    QCOMPARE(TableColumns::stateOf(*sections(window)->horizontalHeader()), first);
}

void TestTableColumns::oneColumnStays()
{
    test::TestWindow window;
    QTableView *table = sections(window);
    for (int column = 1; column < table->model()->columnCount(); ++column)
        table->setColumnHidden(column, true);
    QMenu menu;
    window->findChild<TableColumns *>()->fillMenu(&menu, table);
    QVERIFY(!menu.actions().constFirst()->isEnabled());
    QVERIFY(menu.actions().at(1)->isEnabled());
}

void TestTableColumns::sumsFollowTheirTable()
{
    QTemporaryDir folder;
    test::TestWindow window;
    QVERIFY(window.open({test::writeSample(folder.path(), QStringLiteral("sparse"))}));
    app::DockSet::reveal(window->docks().dock(QStringLiteral("stream")));
    QVERIFY(window.settle());
    QTableView *table = nullptr, *sums = nullptr;
    for (auto *view :
         window->docks().dock(QStringLiteral("stream"))->findChildren<QTableView *>()) {
        if (view->accessibleName() == QLatin1String("Weights by chips"))
            table = view;
        if (view->accessibleName() == QLatin1String("Sums of the weights shown"))
            sums = view;
    }
    QVERIFY(table && sums);
    table->setColumnHidden(1, true);
    QVERIFY(sums->isColumnHidden(1));
    table->horizontalHeader()->moveSection(4, 3);
    QCOMPARE(sums->horizontalHeader()->logicalIndex(3), 4);
    table->setColumnHidden(1, false);
    QVERIFY(!sums->isColumnHidden(1));
    QCOMPARE(sums->columnWidth(1), table->columnWidth(1));
}

KERNSCOPE_TEST(TestTableColumns, QApplication)
#include "tst_table_columns.moc"
