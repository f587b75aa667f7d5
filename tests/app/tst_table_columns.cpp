// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/edit_menu.h"
#include "app/settings.h"
#include "app/view_menu.h"
#include "tests/app/window_fixture.h"
#include "widgets/common/table_tools.h"

using namespace kernscope::app;
using app::TableColumns;
using ui::TableFormat;

/// Columns of tables are chosen, ordered and hidden, and stay so.
class TestTableColumns : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_file = m_folder->filePath(u"s.ini"_s);
    }

    void statesGoBackAndForth()
    {
        QStandardItemModel model(2, 4);
        QTableView view;
        view.setModel(&model);
        QHeaderView &header = *view.horizontalHeader();
        QCOMPARE(TableColumns::stateOf(header), u"0 1 2 3"_s);
        QVERIFY(TableColumns::restore(header, u"2 -0 3 1"_s));
        QCOMPARE(header.visualIndex(2), 0);
        QVERIFY(header.isSectionHidden(0));
        QCOMPARE(TableColumns::stateOf(header), u"2 -0 3 1"_s);
        // What a table hides because no row has it is no choice of the user.
        header.setProperty(ui::kAbsentColumns, QVariantList{0});
        QCOMPARE(TableColumns::stateOf(header), u"2 0 3 1"_s);
        header.setProperty(ui::kAbsentColumns, QVariantList());
        QVERIFY(TableColumns::restore(header, u"0 1 2 3"_s));
        QCOMPARE(header.hiddenSectionCount(), 0);
        QCOMPARE(header.visualIndex(2), 2);
    }

    void badStatesChangeNothing_data()
    {
        QTest::addColumn<QString>("state");
        addRow("too few", "0 1");
        addRow("too many", "0 1 2 3");
        addRow("twice", "0 1 1");
        addRow("beyond", "0 1 3");
        addRow("no number", "0 1 x");
        addRow("none shown", "-0 -1 -2");
        addRow("empty", "");
    }

    void badStatesChangeNothing()
    {
        QFETCH(QString, state);
        QStandardItemModel model(1, 3);
        QTreeView view;
        view.setModel(&model);
        QVERIFY(!TableColumns::restore(*view.header(), state));
        QCOMPARE(TableColumns::stateOf(*view.header()), u"0 1 2"_s);
    }

    /// Each has the menu at its header, but for the values of a weight and sums.
    void everyTableOfTheDocks()
    {
        TestWindow window;
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

    void choicesAreKept()
    {
        TestWindow window;
        const QString path = writeSample(m_folder->path(), u"sparse"_s);
        QVERIFY(window.open({path}));
        app::DockSet::reveal(window->docks().dock(u"layout"_s));
        QVERIFY(window.settle());
        QTableView *table = sections(window);
        const QString first = TableColumns::stateOf(*table->horizontalHeader());
        QVERIFY(first.startsWith(u"0 1 2 3 4 5"_s));
        table->setFocus();
        auto *columns = VERIFIED(window->findChild<TableColumns *>());
        QCOMPARE(columns->current(), table);
        QMenu menu;
        columns->fillMenu(&menu, table);
        const auto actions = menu.actions();
        const QString kindOf = table->model()->headerData(1, Qt::Horizontal).toString();
        const auto kind = std::ranges::find(actions, kindOf, &QAction::text);
        QVERIFY(kind != actions.end() && (*kind)->isChecked());
        (*kind)->trigger();
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

    void oneColumnStays()
    {
        TestWindow window;
        QTableView *table = sections(window);
        for (int column = 1; column < table->model()->columnCount(); ++column)
            table->setColumnHidden(column, true);
        QMenu menu;
        window->findChild<TableColumns *>()->fillMenu(&menu, table);
        QVERIFY(!menu.actions().constFirst()->isEnabled());
        QVERIFY(menu.actions().at(1)->isEnabled());
    }

    void sumsFollowTheirTable()
    {
        TestWindow window;
        QVERIFY(window.open({writeSample(m_folder->path(), u"sparse"_s)}));
        app::DockSet::reveal(window->docks().dock(u"stream"_s));
        QVERIFY(window.settle());
        QTableView *table = nullptr, *sums = nullptr;
        for (auto *view : window->docks().dock(u"stream"_s)->findChildren<QTableView *>()) {
            if (view->accessibleName() == QLatin1String("Weights by chips"))
                table = view;
            if (view->accessibleName() == QLatin1String("Sums of all weights"))
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

    // Selected rows as text for a spreadsheet, a report, a script.
    void formats()
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
                 u"Name\tBytes\tNote\nw0\t1000\ta|b c\nw2\t3000\ta|b c\n"_s);
        QCOMPARE(app::copiedTable(view, TableFormat::Markdown),
                 QStringLiteral("| Name | Bytes | Note |\n| --- | ---: | --- |\n"
                                "| w0 | 1000 | a\\|b c |\n| w2 | 3000 | a\\|b c |\n"));
        const QJsonArray rows =
            QJsonDocument::fromJson(app::copiedTable(view, TableFormat::Json).toUtf8()).array();
        QCOMPARE(rows.size(), 2);
        QCOMPARE(rows[1].toObject()[u"Name"_s].toString(), u"w2"_s);
        QVERIFY(rows[1].toObject()[u"Bytes"_s].isDouble());
        QCOMPARE(rows[1].toObject()[u"Bytes"_s].toInt(), 3000);
        QCOMPARE(rows[1].toObject()[u"Note"_s].toString(), u"a|b\tc"_s);
    }

    void asTheViewShowsIt()
    {
        QStandardItemModel model;
        fill(model);
        model.item(0)->appendRow(
            {new QStandardItem(u"below"_s), new QStandardItem(u"7"_s), new QStandardItem()});
        QTreeView view;
        view.setModel(&model);
        view.header()->moveSection(1, 0);
        view.header()->hideSection(2);
        view.expandAll();
        view.setSelectionMode(QAbstractItemView::ExtendedSelection);
        view.selectAll();
        QCOMPARE(app::copiedTable(view, TableFormat::TabSeparated),
                 u"Bytes\tName\n1000\tw0\n7\tbelow\n2000\tw1\n3000\tw2\n"_s);
    }

    void nothingSelected()
    {
        QTableView empty;
        QCOMPARE(app::copiedTable(empty, TableFormat::Json), QString());
        QStandardItemModel model;
        fill(model);
        empty.setModel(&model);
        QCOMPARE(app::copiedTable(empty, TableFormat::Markdown), QString());
    }

    void fromTheMenu()
    {
        TestWindow window;
        QVERIFY(window.open({writeSample(m_folder->path(), u"sparse"_s)}));
        window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&*window));
        window->session().goToWeight(0);
        QVERIFY(window.settle());
        auto *tree = window->docks().dock(u"bundle"_s)->findChild<QTreeView *>();
        tree->setFocus();
        QTest::keyClick(tree, Qt::Key_M, Qt::ControlModifier | Qt::ShiftModifier);
        const QString text = QGuiApplication::clipboard()->text();
        QVERIFY2(text.startsWith(u"| Name |"_s), qPrintable(text));
        QVERIFY(
            text.contains(QString::fromStdString(window->session().bundle()->weights()[0].name)));
    }

    /// Kept for two files whichever of them is opened first.
    void pairsByHand()
    {
        Settings settings(m_file);
        const QString a = u"a"_s, b = u"b"_s;
        QVERIFY(settings.pairsByHand(a, b).isEmpty());
        const QStringList names{u"x"_s, u"y"_s, u"z"_s, {}};
        settings.setPairsByHand(a, b, names);
        QCOMPARE(settings.pairsByHand(a, b), names);
        QCOMPARE(settings.pairsByHand(b, a), (QStringList{u"y"_s, u"x"_s, {}, u"z"_s}));
        QVERIFY(settings.pairsByHand(a, a).isEmpty());
        for (int i = 0; i < Settings::kMaxPairings; ++i)
            settings.setPairsByHand(QString::number(i), b, names);
        QVERIFY(settings.pairsByHand(a, b).isEmpty()); // the oldest
        settings.setPairsByHand(u"3"_s, b, {});
        QVERIFY(settings.pairsByHand(u"3"_s, b).isEmpty());
        QCOMPARE(settings.pairsByHand(u"4"_s, b), names);
    }

    void keepsRecent()
    {
        {
            Settings settings(m_file);
            QVERIFY(settings.recent().isEmpty());
            for (int i = 0; i < Settings::kMaxRecent + 3; ++i)
                settings.addRecent({u"bundle%1"_s.arg(i), {}});
            settings.addRecent({u"bundle5"_s, {}});
            settings.addRecent({u"a"_s, u"b"_s});
            settings.sync();
        }
        Settings settings(m_file);
        const auto recent = settings.recent();
        QCOMPARE(recent.size(), Settings::kMaxRecent);
        QVERIFY(recent[0] == (Settings::Recent{u"a"_s, u"b"_s}));
        QVERIFY(recent[1] == (Settings::Recent{u"bundle5"_s, {}}));
        QCOMPARE(recent.count(Settings::Recent{u"bundle5"_s, {}}), 1);
        settings.removeRecent(recent[0]);
        QCOMPARE(settings.recent()[0].path, u"bundle5"_s);
        settings.clearRecent();
        QVERIFY(settings.recent().isEmpty());
    }

    void keepsLayouts()
    {
        Settings settings(m_file);
        const QStringList docks{u"hex"_s, u"bundle"_s};
        settings.setLayoutState(u"inspect"_s, docks, "state");
        QCOMPARE(settings.layoutState(u"inspect"_s, docks), QByteArray("state"));
        QVERIFY(settings.layoutState(u"compare"_s, docks).isEmpty());
        // A build with another dock cannot use it.
        QVERIFY(settings.layoutState(u"inspect"_s, docks + QStringList{u"new"_s}).isEmpty());
        settings.forgetLayout(u"inspect"_s);
        QVERIFY(settings.layoutState(u"inspect"_s, docks).isEmpty());
    }

    void migratesStepByStep()
    {
        QSettings store(m_file, QSettings::IniFormat);
        store.setValue(u"trail"_s, QString()); // without a number: version 1
        const std::array<SettingsStep, 2> steps{
            [](QSettings &s) { s.setValue(u"trail"_s, s.value(u"trail"_s).toString() + u'1'); },
            [](QSettings &s) { s.setValue(u"trail"_s, s.value(u"trail"_s).toString() + u'2'); },
        };
        QCOMPARE(migrateSettings(store, steps), SettingsState::Ready);
        QCOMPARE(store.value(u"trail"_s).toString(), u"12"_s);
        QCOMPARE(store.value(u"version"_s).toInt(), 3);
    }

    void stepsAreTakenOnce()
    {
        QSettings store(m_file, QSettings::IniFormat);
        store.setValue(u"count"_s, 0);
        const std::array<SettingsStep, 1> steps{
            [](QSettings &s) { s.setValue(u"count"_s, s.value(u"count"_s).toInt() + 1); }};
        migrateSettings(store, steps);
        migrateSettings(store, steps);
        QCOMPARE(store.value(u"count"_s).toInt(), 1);
        // A new file has nothing to migrate.
        QSettings fresh(m_folder->filePath(u"f.ini"_s), QSettings::IniFormat);
        migrateSettings(fresh, steps);
        QVERIFY(!fresh.contains(u"count"_s));
        QCOMPARE(fresh.value(u"version"_s).toInt(), 2);
    }

    /// Backups were stored as wanted by every save, whether anybody had chosen them or not.
    void backupsAreOffByDefault()
    {
        QVERIFY(!Settings(m_file).get(Settings::kKeepBackup));
        {
            QSettings old(m_file, QSettings::IniFormat);
            old.clear();
            old.setValue(u"version"_s, 1);
            old.setValue(u"save/keepBackup"_s, true);
        }
        Settings settings(m_file);
        QVERIFY(!settings.get(Settings::kKeepBackup));
        settings.set(Settings::kKeepBackup, true);
        settings.sync();
        QVERIFY(Settings(m_file).get(Settings::kKeepBackup));
    }

    void leavesNewerFilesAlone()
    {
        {
            QSettings newer(m_file, QSettings::IniFormat);
            newer.setValue(u"version"_s, 999);
            newer.setValue(u"appearance/theme"_s, u"dark"_s);
        }
        {
            Settings settings(m_file);
            QCOMPARE(settings.theme(), ThemeChoice::System);
            settings.setTheme(ThemeChoice::Light);
            settings.sync();
        }
        QSettings newer(m_file, QSettings::IniFormat);
        QCOMPARE(newer.value(u"version"_s).toInt(), 999);
        QCOMPARE(newer.value(u"appearance/theme"_s).toString(), u"dark"_s);
        QCOMPARE(Settings(m_file).theme(), ThemeChoice::Light); // kept beside it
    }

    void clampsFontStep()
    {
        Settings settings(m_file);
        settings.setFontStep(1000);
        QCOMPARE(settings.fontStep(), 12);
        settings.setFontStep(-1000);
        QCOMPARE(settings.fontStep(), -4);
    }

    /// `--theme dark` once made dark the default of every later start.
    void themeOfARunIsNotKept()
    {
        {
            Settings settings(m_file);
            settings.setTheme(ThemeChoice::Light);
            settings.overrideTheme(ThemeChoice::Dark);
            QCOMPARE(settings.theme(), ThemeChoice::Dark);
            settings.sync();
        }
        QCOMPARE(Settings(m_file).theme(), ThemeChoice::Light);
        Settings settings(m_file);
        settings.overrideTheme(ThemeChoice::Dark);
        settings.setTheme(ThemeChoice::System); // chosen in the menu
        QCOMPARE(settings.theme(), ThemeChoice::System);
    }

private:
    static QTableView *sections(TestWindow &window)
    {
        return window->docks().dock(u"layout"_s)->findChild<QTableView *>();
    }

    static void fill(QStandardItemModel &model)
    {
        model.setHorizontalHeaderLabels({u"Name"_s, u"Bytes"_s, u"Note"_s});
        for (int row = 0; row < 3; ++row) {
            auto *bytes = new QStandardItem(u"%1,000"_s.arg(row + 1));
            bytes->setData(QString::number(1000 * (row + 1)), ui::CopyRole);
            bytes->setData(QVariant::fromValue(Qt::Alignment(Qt::AlignRight | Qt::AlignVCenter)),
                           Qt::TextAlignmentRole);
            model.appendRow(
                {new QStandardItem(u"w%1"_s.arg(row)), bytes, new QStandardItem(u"a|b\tc"_s)});
        }
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_file; ///< of settings
};

KERNSCOPE_TEST(TestTableColumns, QApplication)
#include "tst_table_columns.moc"
