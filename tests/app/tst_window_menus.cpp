// SPDX-License-Identifier: GPL-3.0-or-later
#include "main_window_fixture.h"
#include "tests/test_program.h"
#include "widgets/common/dock.h"
#include "widgets/common/file_dialogs.h"
#include "widgets/models/table_text.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QLineEdit>
#include <QMenu>
#include <QTableView>
#include <QTimer>

#include <algorithm>

using namespace kernscope;
using app::Layout;

/// What the menus of the window do for whatever holds the keyboard.
class TestWindowMenus : public test::MainWindowTest
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }
    void savedCopiesSetTheFolder();
    void tablesOutOfViewAreExported();
    void everyDockCopies();
    void copyIsOfTheFocus();
    void visitedPlacesAreListed();
};

/// The next dialog begins where the copy was written.
void TestWindowMenus::savedCopiesSetTheFolder()
{
    QVERIFY(m_window->open({test::writeSample(m_folder->path(), QStringLiteral("dense"))}));
    QVERIFY(QDir(m_folder->path()).mkdir(QStringLiteral("copies")));
    const QString copies = m_folder->filePath(QStringLiteral("copies"));
    QCOMPARE(ui::dialogFolder(&**m_window), m_folder->path());
    action(QStringLiteral("Save As\u2026"))->trigger();
    auto *dialog = (*m_window)->findChild<QFileDialog *>();
    QVERIFY(dialog);
    Q_EMIT dialog->fileSelected(copies + QStringLiteral("/copy.mlmodelc"));
    dialog->close();
    QVERIFY(m_window->settle());
    QVERIFY(QFileInfo::exists(copies + QStringLiteral("/copy.mlmodelc")));
    QCOMPARE(ui::dialogFolder(&**m_window), copies);
}

/// A table behind a tab, which has read nothing yet, comes into view and is written.
void TestWindowMenus::tablesOutOfViewAreExported()
{
    QVERIFY(m_window->open({test::writeSample(m_folder->path(), QStringLiteral("dense"))}));
    ui::Dock *dock = (*m_window)->docks().dock(QStringLiteral("layout"));
    QVERIFY(!dock->onView());
    const QString path = m_folder->filePath(QStringLiteral("sections.tsv"));
    QTimer answer;
    QStringList asked;
    connect(&answer, &QTimer::timeout, this, [&] {
        if (auto *dialog = qobject_cast<QFileDialog *>(QApplication::activeModalWidget())) {
            asked += dialog->windowTitle();
            answer.stop();
            dialog->findChild<QLineEdit *>()->setText(path); // selectFile() leaves what has focus
            QMetaObject::invokeMethod(dialog, "accept");
        }
    });
    answer.start(20);
    action(QStringLiteral("Export Table of Sections\u2026"))->trigger();
    QTRY_COMPARE(asked.size(), 1);
    QVERIFY(dock->onView());
    QFile file(path);
    QTRY_VERIFY(file.exists());
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY(file.readAll().count('\n') > 10);
}

/// Ctrl+C is named in the menu of every dock, where Edit > Copy in This Dock finds it too.
void TestWindowMenus::everyDockCopies()
{
    // Pictures, plots and texts, whose numbers are copied elsewhere or whose view has the key.
    const QStringList noRows{QStringLiteral("overview"),  QStringLiteral("inspector"),
                             QStringLiteral("mask"),      QStringLiteral("pair"),
                             QStringLiteral("roofline"),  QStringLiteral("timeline"),
                             QStringLiteral("reduction"), QStringLiteral("help")};
    QStringList without;
    for (const app::DockSet::Entry &entry : (*m_window)->docks().entries()) {
        const bool copies = std::any_of(
            entry.menuActions.begin(), entry.menuActions.end(), [](const QAction *action) {
                return action->shortcut() == QKeySequence(QKeySequence::Copy);
            });
        if (!copies && !noRows.contains(entry.dock->id()))
            without += entry.dock->id();
    }
    QVERIFY2(without.isEmpty(), qPrintable(without.join(QLatin1Char(' '))));
}

/// Edit > Copy in This Dock does what Ctrl+C does where the keyboard is.
void TestWindowMenus::copyIsOfTheFocus()
{
    QVERIFY(m_window->open({test::writeSample(m_folder->path(), QStringLiteral("dense"))}));
    (*m_window)->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&**m_window));
    (*m_window)->showLayout(Layout::Patch);
    (*m_window)->session().goToWeight(0);
    QVERIFY(m_window->settle());
    QAction *copy = nullptr;
    for (QAction *found : (*m_window)->findChildren<QAction *>())
        if (found->text().startsWith(QStringLiteral("&Copy in This Dock")))
            copy = found;
    QVERIFY(copy);
    app::DockSet::reveal((*m_window)->docks().dock(QStringLiteral("weight")));
    QGuiApplication::clipboard()->clear();
    copy->trigger();
    const auto *grid =
        (*m_window)->docks().dock(QStringLiteral("weight"))->findChild<QTableView *>();
    QVERIFY(grid && grid->currentIndex().isValid());
    const QString value = grid->currentIndex().data(ui::CopyRole).toString();
    QVERIFY(!value.isEmpty());
    QCOMPARE(QGuiApplication::clipboard()->text().trimmed(), value);
    // A line that holds a selection: not the table beside it.
    ui::Dock *bundle = (*m_window)->docks().dock(QStringLiteral("bundle"));
    auto *filter = bundle->findChild<QLineEdit *>();
    filter->setText(QStringLiteral("form:dense"));
    filter->setFocus();
    filter->selectAll();
    copy->trigger();
    QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("form:dense"));
}

/// Go > Visited Places: the list of the back and forward buttons, by keyboard.
void TestWindowMenus::visitedPlacesAreListed()
{
    QVERIFY(m_window->open({test::writeSample(m_folder->path(), QStringLiteral("dense"))}));
    auto &session = (*m_window)->session();
    session.goToWeight(0);
    session.goToWeight(1);
    session.goToWeight(2);
    session.goBack();
    QCOMPARE(session.place().weight, std::size_t{1});
    QMenu *visited = nullptr;
    for (QMenu *menu : (*m_window)->findChildren<QMenu *>())
        if (menu->title() == QLatin1String("&Visited Places"))
            visited = menu;
    QVERIFY(visited);
    Q_EMIT visited->aboutToShow();
    const auto places = visited->actions();
    QCOMPARE(places.size(), 4);
    const auto name = [&session](std::size_t weight) {
        return QString::fromStdString(session.bundle()->weights()[weight].name);
    };
    for (int i = 0; i < 3; ++i)
        QCOMPARE(places[i]->text(), name(static_cast<std::size_t>(2 - i)));
    QVERIFY(places[1]->isChecked() && !places[0]->isChecked());
    QCOMPARE(places[3]->text(), QStringLiteral("Overview"));
    places[0]->trigger();
    QCOMPARE(session.place().weight, std::size_t{2});
    ui::Dock *overview = (*m_window)->docks().dock(QStringLiteral("overview"));
    QVERIFY(m_window->settle());
    QVERIFY(!overview->onView());
    places[3]->trigger(); // as Alt+Left from the first weight that was chosen
    QVERIFY(session.place() == ui::Place());
    QVERIFY(m_window->settle());
    QVERIFY(overview->onView());
}

KERNSCOPE_TEST(TestWindowMenus, QApplication)
#include "tst_window_menus.moc"
