// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/edit_menu.h"
#include "app/settings.h"
#include "app/view_menu.h"
#include "tests/app/window_fixture.h"
#include "tests/test_program.h"
#include "widgets/common/table_tools.h"
#include "widgets/models/table_text.h"

#include <QAction>
#include <QClipboard>
#include <QFile>
#include <QHeaderView>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMenu>
#include <QStandardItemModel>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeView>

using namespace kernscope::app;
using namespace kernscope;
using app::TableColumns;
using ui::TableFormat;

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

    // Selected rows as text for a spreadsheet, a report, a script.
    void formats();
    void asTheViewShowsIt();
    void nothingSelected();
    void fromTheMenu();

    void pairsByHand();
    void keepsRecent();
    void keepsLayouts();
    void migratesStepByStep();
    void stepsAreTakenOnce();
    void backupsAreOffByDefault();
    void leavesNewerFilesAlone();
    void clampsFontStep();
    void themeOfARunIsNotKept();

private:
    static QTableView *sections(test::TestWindow &window)
    {
        return window->docks().dock(QStringLiteral("layout"))->findChild<QTableView *>();
    }
    static void fill(QStandardItemModel &model);
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

void TestTableColumns::fill(QStandardItemModel &model)
{
    model.setHorizontalHeaderLabels(
        {QStringLiteral("Name"), QStringLiteral("Bytes"), QStringLiteral("Note")});
    for (int row = 0; row < 3; ++row) {
        auto *bytes = new QStandardItem(QStringLiteral("%1,000").arg(row + 1));
        bytes->setData(QString::number(1000 * (row + 1)), ui::CopyRole);
        bytes->setData(QVariant::fromValue(Qt::Alignment(Qt::AlignRight | Qt::AlignVCenter)),
                       Qt::TextAlignmentRole);
        model.appendRow({new QStandardItem(QStringLiteral("w%1").arg(row)), bytes,
                         new QStandardItem(QStringLiteral("a|b\tc"))});
    }
}

void TestTableColumns::formats()
{
    QStandardItemModel model;
    fill(model);
    QTableView view;
    view.setModel(&model);
    view.setSelectionBehavior(QAbstractItemView::SelectRows);
    view.selectRow(2);
    view.selectionModel()->select(model.index(0, 0),
                                  QItemSelectionModel::Select | QItemSelectionModel::Rows);
    QCOMPARE(app::copiedTable(view, TableFormat::TabSeparated),
             QStringLiteral("Name\tBytes\tNote\nw0\t1000\ta|b c\nw2\t3000\ta|b c\n"));
    QCOMPARE(app::copiedTable(view, TableFormat::Markdown),
             QStringLiteral("| Name | Bytes | Note |\n| --- | ---: | --- |\n"
                            "| w0 | 1000 | a\\|b c |\n| w2 | 3000 | a\\|b c |\n"));
    const QJsonArray rows =
        QJsonDocument::fromJson(app::copiedTable(view, TableFormat::Json).toUtf8()).array();
    QCOMPARE(rows.size(), 2);
    QCOMPARE(rows[1].toObject()[QStringLiteral("Name")].toString(), QStringLiteral("w2"));
    QVERIFY(rows[1].toObject()[QStringLiteral("Bytes")].isDouble());
    QCOMPARE(rows[1].toObject()[QStringLiteral("Bytes")].toInt(), 3000);
    QCOMPARE(rows[1].toObject()[QStringLiteral("Note")].toString(), QStringLiteral("a|b\tc"));
}

void TestTableColumns::asTheViewShowsIt()
{
    QStandardItemModel model;
    fill(model);
    model.item(0)->appendRow({new QStandardItem(QStringLiteral("below")),
                              new QStandardItem(QStringLiteral("7")), new QStandardItem()});
    QTreeView view;
    view.setModel(&model);
    view.header()->moveSection(1, 0);
    view.header()->hideSection(2);
    view.expandAll();
    view.setSelectionMode(QAbstractItemView::ExtendedSelection);
    view.selectAll();
    QCOMPARE(app::copiedTable(view, TableFormat::TabSeparated),
             QStringLiteral("Bytes\tName\n1000\tw0\n7\tbelow\n2000\tw1\n3000\tw2\n"));
}

void TestTableColumns::nothingSelected()
{
    QTableView empty;
    QCOMPARE(app::copiedTable(empty, TableFormat::Json), QString());
    QStandardItemModel model;
    fill(model);
    empty.setModel(&model);
    QCOMPARE(app::copiedTable(empty, TableFormat::Markdown), QString());
}

void TestTableColumns::fromTheMenu()
{
    test::TestWindow window;
    QTemporaryDir folder;
    QVERIFY(QTest::qWaitForWindowExposed(&*window));
    QVERIFY(window.open({test::writeSample(folder.path(), QStringLiteral("sparse"))}));
    window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&*window));
    window->session().goToWeight(0);
    QVERIFY(window.settle());
    auto *tree = window->docks().dock(QStringLiteral("bundle"))->findChild<QTreeView *>();
    tree->setFocus();
    QTest::keyClick(tree, Qt::Key_M, Qt::ControlModifier | Qt::ShiftModifier);
    const QString text = QGuiApplication::clipboard()->text();
    QVERIFY2(text.startsWith(QStringLiteral("| Name |")), qPrintable(text));
    QVERIFY(text.contains(QString::fromStdString(window->session().bundle()->weights()[0].name)));
}

void TestTableColumns::keepsRecent()
{
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("s.ini"));
    {
        Settings settings(file);
        QVERIFY(settings.recent().isEmpty());
        for (int i = 0; i < Settings::kMaxRecent + 3; ++i)
            settings.addRecent({QStringLiteral("bundle%1").arg(i), {}});
        settings.addRecent({QStringLiteral("bundle5"), {}});
        settings.addRecent({QStringLiteral("a"), QStringLiteral("b")});
        settings.sync();
    }
    Settings settings(file);
    const auto recent = settings.recent();
    QCOMPARE(recent.size(), Settings::kMaxRecent);
    QCOMPARE(recent[0].path, QStringLiteral("a"));
    QCOMPARE(recent[0].other, QStringLiteral("b"));
    QCOMPARE(recent[1].path, QStringLiteral("bundle5"));
    QVERIFY(recent[1].other.isEmpty());
    QCOMPARE(recent.count(Settings::Recent{QStringLiteral("bundle5"), {}}), 1);
    settings.removeRecent(recent[0]);
    QCOMPARE(settings.recent()[0].path, QStringLiteral("bundle5"));
    settings.clearRecent();
    QVERIFY(settings.recent().isEmpty());
}

void TestTableColumns::keepsLayouts()
{
    const QTemporaryDir folder;
    Settings settings(folder.filePath(QStringLiteral("s.ini")));
    const QStringList docks{QStringLiteral("hex"), QStringLiteral("bundle")};
    settings.setLayoutState(QStringLiteral("inspect"), docks, "state");
    QCOMPARE(settings.layoutState(QStringLiteral("inspect"), docks), QByteArray("state"));
    QVERIFY(settings.layoutState(QStringLiteral("compare"), docks).isEmpty());
    // A build with another dock cannot use it.
    QVERIFY(
        settings.layoutState(QStringLiteral("inspect"), docks + QStringList{QStringLiteral("new")})
            .isEmpty());
    settings.forgetLayout(QStringLiteral("inspect"));
    QVERIFY(settings.layoutState(QStringLiteral("inspect"), docks).isEmpty());
}

void TestTableColumns::migratesStepByStep()
{
    const QTemporaryDir folder;
    QSettings store(folder.filePath(QStringLiteral("s.ini")), QSettings::IniFormat);
    store.setValue(QStringLiteral("trail"), QString()); // without a number: version 1
    const std::array<SettingsStep, 2> steps{
        [](QSettings &s) {
            s.setValue(QStringLiteral("trail"), s.value(QStringLiteral("trail")).toString() + u'1');
        },
        [](QSettings &s) {
            s.setValue(QStringLiteral("trail"), s.value(QStringLiteral("trail")).toString() + u'2');
        },
    };
    QCOMPARE(migrateSettings(store, steps), SettingsState::Ready);
    QCOMPARE(store.value(QStringLiteral("trail")).toString(), QStringLiteral("12"));
    QCOMPARE(store.value(QStringLiteral("version")).toInt(), 3);
}

void TestTableColumns::stepsAreTakenOnce()
{
    const QTemporaryDir folder;
    QSettings store(folder.filePath(QStringLiteral("s.ini")), QSettings::IniFormat);
    store.setValue(QStringLiteral("count"), 0);
    const std::array<SettingsStep, 1> steps{[](QSettings &s) {
        s.setValue(QStringLiteral("count"), s.value(QStringLiteral("count")).toInt() + 1);
    }};
    migrateSettings(store, steps);
    migrateSettings(store, steps);
    QCOMPARE(store.value(QStringLiteral("count")).toInt(), 1);
    // A new file has nothing to migrate.
    QSettings fresh(folder.filePath(QStringLiteral("f.ini")), QSettings::IniFormat);
    migrateSettings(fresh, steps);
    QVERIFY(!fresh.contains(QStringLiteral("count")));
    QCOMPARE(fresh.value(QStringLiteral("version")).toInt(), 2);
}

/// Backups were stored as wanted by every save, whether anybody had chosen them or not.
void TestTableColumns::backupsAreOffByDefault()
{
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("s.ini"));
    QVERIFY(!Settings(file).keepBackup());
    {
        QSettings old(file, QSettings::IniFormat);
        old.clear();
        old.setValue(QStringLiteral("version"), 1);
        old.setValue(QStringLiteral("save/keepBackup"), true);
    }
    Settings settings(file);
    QVERIFY(!settings.keepBackup());
    settings.setKeepBackup(true);
    settings.sync();
    QVERIFY(Settings(file).keepBackup());
}

void TestTableColumns::leavesNewerFilesAlone()
{
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("s.ini"));
    {
        QSettings newer(file, QSettings::IniFormat);
        newer.setValue(QStringLiteral("version"), 999);
        newer.setValue(QStringLiteral("appearance/theme"), QStringLiteral("dark"));
    }
    {
        Settings settings(file);
        QCOMPARE(settings.theme(), ThemeChoice::System);
        settings.setTheme(ThemeChoice::Light);
        settings.sync();
    }
    QSettings newer(file, QSettings::IniFormat);
    QCOMPARE(newer.value(QStringLiteral("version")).toInt(), 999);
    QCOMPARE(newer.value(QStringLiteral("appearance/theme")).toString(), QStringLiteral("dark"));
    QCOMPARE(Settings(file).theme(), ThemeChoice::Light); // kept beside it
}

/// `--theme dark` once made dark the default of every later start.
void TestTableColumns::themeOfARunIsNotKept()
{
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("s.ini"));
    {
        Settings settings(file);
        settings.setTheme(ThemeChoice::Light);
        settings.overrideTheme(ThemeChoice::Dark);
        QCOMPARE(settings.theme(), ThemeChoice::Dark);
        settings.sync();
    }
    QCOMPARE(Settings(file).theme(), ThemeChoice::Light);
    Settings settings(file);
    settings.overrideTheme(ThemeChoice::Dark);
    settings.setTheme(ThemeChoice::System); // chosen in the menu
    QCOMPARE(settings.theme(), ThemeChoice::System);
}

void TestTableColumns::clampsFontStep()
{
    const QTemporaryDir folder;
    Settings settings(folder.filePath(QStringLiteral("s.ini")));
    settings.setFontStep(1000);
    QCOMPARE(settings.fontStep(), 12);
    settings.setFontStep(-1000);
    QCOMPARE(settings.fontStep(), -4);
}

/// Kept for two files whichever of them is opened first.
void TestTableColumns::pairsByHand()
{
    QTemporaryDir folder;
    Settings settings(folder.filePath(QStringLiteral("pairs.ini")));
    const QString a = QStringLiteral("a"), b = QStringLiteral("b");
    QVERIFY(settings.pairsByHand(a, b).isEmpty());
    const QStringList names{QStringLiteral("x"), QStringLiteral("y"), QStringLiteral("z"), {}};
    settings.setPairsByHand(a, b, names);
    QCOMPARE(settings.pairsByHand(a, b), names);
    QCOMPARE(settings.pairsByHand(b, a),
             (QStringList{QStringLiteral("y"), QStringLiteral("x"), {}, QStringLiteral("z")}));
    QVERIFY(settings.pairsByHand(a, a).isEmpty());
    for (int i = 0; i < Settings::kMaxPairings; ++i)
        settings.setPairsByHand(QString::number(i), b, names);
    QVERIFY(settings.pairsByHand(a, b).isEmpty()); // the oldest
    settings.setPairsByHand(QStringLiteral("3"), b, {});
    QVERIFY(settings.pairsByHand(QStringLiteral("3"), b).isEmpty());
    QCOMPARE(settings.pairsByHand(QStringLiteral("4"), b), names);
}

KERNSCOPE_TEST(TestTableColumns, QApplication)
#include "tst_table_columns.moc"
