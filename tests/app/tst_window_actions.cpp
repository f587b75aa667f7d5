// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/export_menu.h"
#include "app/go_to_box.h"
#include "app/status_line.h"
#include "main_window_fixture.h"
#include "widgets/chips/chip_state.h"
#include "widgets/common/file_dialogs.h"
#include "widgets/common/help_dock.h"
#include "widgets/compare/builds_dock.h"
#include "widgets/models/table_text.h"
#include "widgets/patch/patches_dock.h"

using app::Layout;

namespace {

void collect(const QList<QAction *> &actions, QList<QAction *> &all)
{
    for (QAction *action : actions) {
        if (action->isSeparator())
            continue;
        all << action;
        if (QMenu *menu = action->menu())
            collect(menu->actions(), all);
    }
}

/// The widgets in which an action's shortcuts work; none: in the whole window.
QWidgetList scopesOf(const QAction &action)
{
    QWidgetList scopes;
    if (action.shortcutContext() == Qt::WindowShortcut ||
        action.shortcutContext() == Qt::ApplicationShortcut)
        return scopes;
    for (QObject *object : action.associatedObjects()) {
        auto *widget = qobject_cast<QWidget *>(object);
        if (widget && !qobject_cast<QMenu *>(widget) && !qobject_cast<QAbstractButton *>(widget))
            scopes << widget;
    }
    return scopes;
}

/// Whether there is a widget in which both work.
bool inForceTogether(const QWidgetList &one, const QWidgetList &other)
{
    if (one.isEmpty() || other.isEmpty())
        return true;
    for (const QWidget *a : one) {
        for (const QWidget *b : other) {
            if (a == b || a->isAncestorOf(b) || b->isAncestorOf(a))
                return true;
        }
    }
    return false;
}

} // namespace

/// Menus, shortcuts, and finding one's way.
class TestWindowActions : public MainWindowTest
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }

    void everyDockByShortcut()
    {
        QVERIFY(m_window->open({sample(u"sparse"_s)}));
        QVERIFY(activate());
        for (const auto &entry : docks().entries()) {
            QVERIFY2(!entry.show->shortcut().isEmpty(), qPrintable(entry.dock->id()));
            entry.dock->hide();
            QTest::keySequence(&**m_window, entry.show->shortcut());
            QVERIFY2(entry.dock->isVisible(), qPrintable(entry.dock->id()));
            QVERIFY2(docks().focused() == entry.dock, qPrintable(entry.dock->id()));
            QTest::keySequence(&**m_window, entry.show->shortcut());
            if (entry.dock->isVisible()) // who searches again wants to type
                QCOMPARE(entry.dock->id(), u"search"_s);
        }
    }

    void everyActionInAMenu()
    {
        QList<QAction *> inMenus;
        collect((*m_window)->menuBar()->actions(), inMenus);
        for (const auto &entry : docks().entries()) {
            QVERIFY(inMenus.contains(entry.show));
            QSet<QString> texts;
            for (QAction *own : entry.menuActions) {
                if (own->isSeparator())
                    continue;
                QVERIFY2(inMenus.contains(own), qPrintable(own->text()));
                QVERIFY2(!own->text().isEmpty() && !texts.contains(own->text()),
                         qPrintable(entry.dock->id() + u' ' + own->text()));
                texts += own->text();
                // Keys of these work in them alone; those to a difference work from every dock.
                if (QStringList{u"bundle"_s, u"layout"_s, u"hex"_s, u"diagnostics"_s}.contains(
                        entry.dock->id()) &&
                    !own->shortcut().isEmpty())
                    QCOMPARE(own->shortcutContext(), Qt::WidgetWithChildrenShortcut);
            }
        }
    }

    /// Of two actions that have one key wherever the keyboard is, neither works.
    void shortcutsAreUnique()
    {
        struct Known {
            const QAction *action = nullptr;
            QWidgetList scopes;
        };
        QHash<QKeySequence, std::vector<Known>> seen;
        QStringList faults;
        for (const QAction *one : (*m_window)->findChildren<QAction *>()) {
            const QWidgetList scopes = scopesOf(*one);
            if (one->associatedObjects().isEmpty())
                continue; // belongs to nothing yet
            for (const QKeySequence &key : one->shortcuts()) {
                for (const Known &other : seen[key]) {
                    if (inForceTogether(scopes, other.scopes))
                        faults << u"%1: %2 and %3"_s.arg(key.toString(), other.action->text(),
                                                         one->text());
                }
                seen[key].push_back({one, scopes});
            }
        }
        QVERIFY2(faults.isEmpty(), qPrintable(faults.join(QLatin1Char('\n'))));
        // Taken by the desktops: Ctrl+Alt with T opens a terminal.
        QVERIFY(!seen.contains(QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_T)));
    }

    /// Alt with a letter opens one menu, and is no shortcut as well.
    void menusHaveLettersOfTheirOwn()
    {
        QHash<QKeySequence, QString> seen;
        for (const QAction *action : (*m_window)->findChildren<QAction *>()) {
            for (const QKeySequence &key : action->shortcuts())
                seen.insert(key, action->text());
        }
        for (const QAction *menu : (*m_window)->menuBar()->actions()) {
            const QKeySequence key = QKeySequence::mnemonic(menu->text());
            QVERIFY2(!key.isEmpty(), qPrintable(menu->text()));
            QVERIFY2(!seen.contains(key), qPrintable(u"%1: %2 and %3"_s.arg(
                                              key.toString(), seen.value(key), menu->text())));
            seen.insert(key, menu->text());
        }
    }

    /// An offset without a file, while no file is chosen, is one of the weight file; where it is
    /// past the end that is said, also with the list of hits on view.
    void goesToOffsets()
    {
        QVERIFY(m_window->open({sample(u"dense"_s)}));
        QVERIFY(activate());
        session().goTo({});
        auto *box = (*m_window)->findChild<app::GoToBox *>();
        const auto type = [&](const QString &text) {
            box->setFocus();
            box->clear();
            QTest::keyClicks(box, text);
            QTest::keyClick(box, Qt::Key_Return);
        };
        type(u"0x1f40"_s);
        QVERIFY(session().place().bytes);
        QCOMPARE(session().place().bytes->offset.value, std::uint64_t{0x1f40});
        QVERIFY(session().bundle()->files()[session().place().file].role == SectionKind::Data);
        type(u"0x7fffffff"_s);
        QCOMPARE(session().place().bytes->offset.value, std::uint64_t{0x1f40});
        const auto said = [this] { return (*m_window)->statusLine().message(); };
        QVERIFY2(said().contains(u"ends before"_s), qPrintable(said()));
        QVERIFY(!box->hits().isVisible());
        type(u"there is no such weight"_s);
        QVERIFY2(said().startsWith(u"Nothing fits"_s), qPrintable(said()));
    }

    void backAndForward()
    {
        QVERIFY(m_window->open({sample(u"dense"_s)}));
        QVERIFY(!action(u"Back"_s)->isEnabled());
        for (const std::size_t weight : {0, 1, 2})
            session().goToWeight(weight);
        QVERIFY(activate());
        for (const auto &[key, weight] :
             {std::pair(Qt::Key_Left, 1u), {Qt::Key_Left, 0}, {Qt::Key_Right, 1}}) {
            press(key, Qt::AltModifier);
            QCOMPARE(session().place().weight, std::size_t{weight});
        }
    }

    void paletteFindsEverything()
    {
        QVERIFY(m_window->open({sample(u"dense"_s)}));
        auto *box = (*m_window)->findChild<app::GoToBox *>();
        QVERIFY(activate());
        const auto type = [&](const QString &text) {
            press(Qt::Key_K, Qt::ControlModifier);
            box->clear();
            QTest::keyClicks(box, text);
        };
        type(u"reset lay"_s);
        QVERIFY(box->hits().isVisible());
        QCOMPARE(box->hits().hits().at(0).text, u"Reset Layout"_s);
        // Of several actions with one name the path takes all the room that the name leaves.
        type(u"export data"_s);
        app::PaletteList &list = box->hits();
        const QRect first = list.visualRect(list.hits().index(1, 0));
        const QImage picture = list.viewport()->grab(first).toImage();
        int ink = 0;
        for (int x = first.width() * 2 / 5; x < first.width() / 2; ++x) {
            for (int y = 0; y < picture.height(); ++y)
                ink += picture.pixel(x, y) != picture.pixel(0, 0);
        }
        QVERIFY(ink > 0);
        // A part of a weight's name, chosen with the arrow key.
        const std::string name = session().bundle()->weights()[1].name;
        type(QString::fromStdString(name).mid(1));
        QTest::keyClick(box, Qt::Key_Down);
        QCOMPARE(box->hits().hits().at(0).kind, app::PaletteIndex::Kind::Weight);
        QTest::keyClick(box, Qt::Key_Return);
        QCOMPARE(session().place().weight, std::size_t{1});
        QVERIFY(!box->hits().isVisible());
        // A place: what was asked for is done, and the line is free for the next question.
        type(QString::fromStdString(name) + u"[0]"_s);
        QTest::keyClick(box, Qt::Key_Return);
        QCOMPARE(session().place().element, std::optional<std::uint64_t>(0));
        QCOMPARE(box->text(), QString());
        // A workspace by name, with Enter alone.
        type(u"Performance"_s);
        QTest::keyClick(box, Qt::Key_Return);
        QCOMPARE(layouts().current(), Layout::Performance);
        // A kind of edit, which no menu lists.
        type(u"new edit: fill"_s);
        QTest::keyClick(box, Qt::Key_Return);
        QVERIFY(docks().patches()->isVisible());
        auto *line = VERIFIED(qobject_cast<QLineEdit *>(QApplication::focusWidget()));
        QCOMPARE(line->placeholderText(), u"weight[0:4,:]=0"_s);
        // A chip and a help page.
        type(u"H17s"_s);
        QCOMPARE(box->hits().hits().at(0).kind, app::PaletteIndex::Kind::Chip);
        type(u"M1"_s);
        QCOMPARE(box->hits().hits().at(0).text, u"M1"_s);
        QVERIFY(box->hits().hits().at(0).note.contains(u"H13"_s));
        type(u"roofline"_s);
        bool help = false;
        for (int row = 0; row < box->hits().hits().rowCount(); ++row)
            help |= box->hits().hits().at(row).kind == app::PaletteIndex::Kind::Help;
        QVERIFY(help);
        QTest::keyClick(box, Qt::Key_Escape);
        QVERIFY(!box->hits().isVisible());
    }

    /// Painting on the mask within the inspector: its dock of its own is hidden, and does nothing.
    void paletteFindsWhatTheInspectorDoes()
    {
        QVERIFY(m_window->open({sample(u"sparse"_s)}));
        QVERIFY(activate());
        for (std::size_t i = 0; i < session().bundle()->weights().size(); ++i) {
            if (session().bundle()->weights()[i].has(codec::PartRole::Mask))
                session().goToWeight(i);
        }
        session().setPatchingEnabled(true);
        QVERIFY(m_window->settle());
        QVERIFY(dock(u"mask"_s)->isHidden());
        auto *box = (*m_window)->findChild<app::GoToBox *>();
        press(Qt::Key_K, Qt::ControlModifier);
        QTest::keyClicks(box, u"paint by dragging"_s);
        QVERIFY(box->hits().isVisible());
        QCOMPARE(box->hits().hits().rowCount(), 1);
        QTest::keyClick(box, Qt::Key_Return);
        QVERIFY(box->text().isEmpty());
        auto *inspector = dock(u"inspector"_s);
        bool painting = false;
        for (const QAction *action : inspector->findChildren<QAction *>())
            painting |= action->text() == QLatin1String("Paint by Dragging") && action->isChecked();
        QVERIFY(painting);
    }

    void linksOpenTheirPlace()
    {
        const QString path = sample(u"dense"_s);
        QVERIFY(m_window->open({path}));
        session().goToElement(1, 3);
        action(u"Copy Link to This Place"_s)->trigger();
        const QString link = QGuiApplication::clipboard()->text();
        QVERIFY(link.startsWith(u"kernscope "_s));
        QString target = link.mid(10);
        target.remove(QLatin1Char('\''));
        QVERIFY(m_window->open({path}));
        QVERIFY(session().place() == ui::Place());
        QVERIFY(m_window->open({target}));
        QCOMPARE(session().place().weight, std::size_t{1});
        QCOMPARE(session().place().element.value(), std::uint64_t{3});
        // A place that is not there is said, and the file is open all the same.
        QVERIFY(m_window->open({path + u"#no such weight"_s}));
        QVERIFY(session().place() == ui::Place());
    }

    void stepsThroughWeights()
    {
        QVERIFY(m_window->open({sample(u"dense"_s)}));
        action(u"Next Weight"_s)->trigger();
        QCOMPARE(session().place().weight, std::size_t{0});
        action(u"Next Weight"_s)->trigger();
        QCOMPARE(session().place().weight, std::size_t{1});
        for (std::size_t i = 0; i < session().bundle()->weights().size() + 3; ++i)
            action(u"Next Weight"_s)->trigger();
        QCOMPARE(session().place().weight, session().bundle()->weights().size() - 1);
        action(u"Previous Weight"_s)->trigger();
        QCOMPARE(session().place().weight, session().bundle()->weights().size() - 2);
    }

    void helpOfTheFocusedDock()
    {
        QVERIFY(m_window->open({sample(u"sparse"_s)}));
        QVERIFY(activate());
        for (const char *id : {"bundle", "hex", "weight"}) {
            app::DockSet::reveal(dock(QString::fromLatin1(id)));
            press(Qt::Key_F1);
            QVERIFY(docks().help()->isVisible());
            QCOMPARE(docks().help()->page(), QString::fromLatin1(id));
        }
        // Nothing has the focus, as in a window that was clicked beside its docks: what the
        // workspace is about.
        (*m_window)->showLayout(Layout::Performance);
        QVERIFY(m_window->settle());
        if (QWidget *focus = QApplication::focusWidget())
            focus->clearFocus();
        (*m_window)->setFocus();
        press(Qt::Key_F1);
        QCOMPARE(docks().help()->page(), u"stream"_s);
        QVERIFY(docks().help()->page() != QLatin1String("index"));
    }

    void everyDockHasHelp()
    {
        for (const QString &id : docks().ids())
            QVERIFY2(id == QLatin1String("help") || ui::HelpDock::hasPage(id), qPrintable(id));
    }

    /// Neither of the two bundles, nor a build that was added; asked from any dock.
    void exportsDoNotReplaceWhatIsOpen()
    {
        QStringList paths;
        for (const char *name : {"dense", "sparse", "palette"})
            paths += sample(QString::fromLatin1(name));
        QVERIFY(m_window->open({paths[0], paths[1]}));
        auto *builds = VERIFIED(qobject_cast<ui::BuildsDock *>(docks().dock(u"builds"_s)));
        const auto third = VERIFIED(Bundle::open(paths[2].toStdString()));
        builds->addBuild(*third);
        const QWidget *dock = docks().dock(u"weight"_s);
        for (const QString &path : paths) {
            QVERIFY2(!ui::outputRefusal(dock, path + u"/model.mil"_s).isEmpty(), qPrintable(path));
            QVERIFY2(!ui::outputRefusal(dock, path + u"/new.csv"_s).isEmpty(), qPrintable(path));
        }
        QCOMPARE(ui::outputRefusal(dock, m_folder->filePath(u"new.csv"_s)), QString());
    }

    /// What the window quantises and builds reads back, and its ways there and back give the same
    /// bytes; nothing replaces what is there.
    void makesBesideTheBundle()
    {
        const QString path = sample(u"palette"_s);
        const auto bundle = VERIFIED(Bundle::open(path.toStdString()));
        const auto weights = plan::sectionWeights(**bundle);
        QVERIFY(!weights.empty());
        quantized::QuantizeOptions mx;
        mx.format = "mxfp8";
        mx.source = "fp16";
        mx.tiles = true;
        const auto made =
            VERIFIED(app::quantizeWeight(**bundle, weights.front(), mx, at("a.mxfp8")));
        QVERIFY(made->figures.relative < 0.1);
        QVERIFY(!app::quantizeWeight(**bundle, weights.front(), mx, at("a.mxfp8"))); // it is there
        const auto folder = Bundle::open(at("a.mxfp8").string());
        QVERIFY(folder && (*folder)->weights().size() == 1);
        QVERIFY(app::relayoutTo(at("a.mxfp8"), {"nz", {}}, at("b.mxfp8")));
        QVERIFY(app::relayoutTo(at("b.mxfp8"), {"nd", {}}, at("c.mxfp8")));
        const auto bytes = [&](const char *name) {
            return contentOf(m_folder->filePath(QString::fromLatin1(name)));
        };
        QVERIFY(!bytes("a.mxfp8/data.bin").isEmpty());
        QCOMPARE(bytes("a.mxfp8/data.bin"), bytes("c.mxfp8/data.bin"));
        const target::Target &m1 = *target::findTarget("M1")->target;
        const target::Target &m3 = *target::findTarget("M3")->target;
        const target::Target &m6 = *target::findTarget("M6")->target;
        QVERIFY(app::buildSectionTo(**bundle, weights, {}, m6, at("built.ksec")));
        const auto narrow = app::buildSectionTo(**bundle, weights, {}, m3, at("no.ksec"));
        QVERIFY(!narrow && narrow.error().code == "section.legality"); // the 2 bits of `depthwise`
        plan::SectionOptions wide;
        wide.form = "palette";
        wide.bits = 6; // no encoder of the M1 has it
        const auto refused = app::buildSectionTo(**bundle, weights, wide, m1, at("no.ksec"));
        QVERIFY(!refused && refused.error().code == "section.legality");
        const auto section = Bundle::open(at("built.ksec").string());
        QVERIFY(section && (*section)->section());
        QVERIFY(app::relocateTo(**section, section::LoadAddresses{0x40000, {}, {}}, at("at.ksec")));
        QVERIFY(bytes("at.ksec") != bytes("built.ksec"));
        const auto resolved = Bundle::open(at("at.ksec").string());
        QVERIFY(resolved && app::relocateTo(**resolved, std::nullopt, at("back.ksec")));
        QCOMPARE(bytes("back.ksec"), bytes("built.ksec"));
        QVERIFY(!app::relocateTo(**bundle, std::nullopt, at("none.ksec"))); // no section is open
    }

    // What the menus of the window do for whatever holds the keyboard.
    /// The next dialog begins where the copy was written.
    void savedCopiesSetTheFolder()
    {
        QVERIFY(m_window->open({sample(u"dense"_s)}));
        QVERIFY(QDir(m_folder->path()).mkdir(u"copies"_s));
        const QString copies = m_folder->filePath(u"copies"_s);
        QCOMPARE(ui::dialogFolder(&**m_window), m_folder->path());
        action(u"Save As\u2026"_s)->trigger();
        auto *dialog = VERIFIED((*m_window)->findChild<QFileDialog *>());
        Q_EMIT dialog->fileSelected(copies + u"/copy.mlmodelc"_s);
        dialog->close();
        QVERIFY(m_window->settle());
        QVERIFY(QFileInfo::exists(copies + u"/copy.mlmodelc"_s));
        QCOMPARE(ui::dialogFolder(&**m_window), copies);
    }

    /// A table behind a tab, which has read nothing yet, comes into view and is written.
    void tablesOutOfViewAreExported()
    {
        QVERIFY(m_window->open({sample(u"dense"_s)}));
        ui::Dock *dock = this->dock(u"layout"_s);
        QVERIFY(!dock->onView());
        const QString path = m_folder->filePath(u"sections.tsv"_s);
        QTimer answer;
        QStringList asked;
        connect(&answer, &QTimer::timeout, this, [&] {
            if (auto *dialog = qobject_cast<QFileDialog *>(QApplication::activeModalWidget())) {
                asked += dialog->windowTitle();
                answer.stop();
                dialog->findChild<QLineEdit *>()->setText(
                    path); // selectFile() leaves what has focus
                QMetaObject::invokeMethod(dialog, "accept");
            }
        });
        answer.start(20);
        action(u"Export Table of Sections\u2026"_s)->trigger();
        QTRY_COMPARE(asked.size(), 1);
        QVERIFY(dock->onView());
        QTRY_VERIFY(contentOf(path).count('\n') > 10);
    }

    /// Ctrl+C is named in the menu of every dock, where Edit > Copy in This Dock finds it too.
    void everyDockCopies()
    {
        // Pictures, plots and texts, whose numbers are copied elsewhere or whose view has the key.
        const QStringList noRows{u"overview"_s, u"inspector"_s, u"mask"_s,      u"pair"_s,
                                 u"roofline"_s, u"timeline"_s,  u"reduction"_s, u"help"_s};
        QStringList without;
        for (const app::DockSet::Entry &entry : docks().entries()) {
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
    void copyIsOfTheFocus()
    {
        QVERIFY(m_window->open({sample(u"dense"_s)}));
        QVERIFY(activate());
        (*m_window)->showLayout(Layout::Patch);
        QVERIFY(goToWeight(0));
        QAction *copy = VERIFIED(action(u"Copy in This Dock"_s, false));
        app::DockSet::reveal(dock(u"weight"_s));
        QGuiApplication::clipboard()->clear();
        copy->trigger();
        const auto *grid = dock(u"weight"_s)->findChild<QTableView *>();
        QVERIFY(grid && grid->currentIndex().isValid());
        const QString value = grid->currentIndex().data(ui::CopyRole).toString();
        QVERIFY(!value.isEmpty());
        QCOMPARE(QGuiApplication::clipboard()->text().trimmed(), value);
        // A line that holds a selection: not the table beside it.
        ui::Dock *bundle = dock(u"bundle"_s);
        auto *filter = bundle->findChild<QLineEdit *>();
        filter->setText(u"form:dense"_s);
        filter->setFocus();
        filter->selectAll();
        copy->trigger();
        QCOMPARE(QGuiApplication::clipboard()->text(), u"form:dense"_s);
    }

    /// Go > Visited Places: the list of the back and forward buttons, by keyboard.
    void visitedPlacesAreListed()
    {
        QVERIFY(m_window->open({sample(u"dense"_s)}));
        for (const std::size_t weight : {0, 1, 2})
            session().goToWeight(weight);
        session().goBack();
        QCOMPARE(session().place().weight, std::size_t{1});
        QMenu *visited = nullptr;
        for (QMenu *menu : (*m_window)->findChildren<QMenu *>())
            if (menu->title() == QLatin1String("&Visited Places"))
                visited = menu;
        QVERIFY(visited);
        Q_EMIT visited->aboutToShow();
        const auto places = visited->actions();
        QCOMPARE(places.size(), 4);
        const auto name = [this](std::size_t weight) {
            return QString::fromStdString(session().bundle()->weights()[weight].name);
        };
        for (int i = 0; i < 3; ++i)
            QCOMPARE(places[i]->text(), name(static_cast<std::size_t>(2 - i)));
        QVERIFY(places[1]->isChecked() && !places[0]->isChecked());
        QCOMPARE(places[3]->text(), u"Overview"_s);
        places[0]->trigger();
        QCOMPARE(session().place().weight, std::size_t{2});
        ui::Dock *overview = dock(u"overview"_s);
        QVERIFY(m_window->settle());
        QVERIFY(!overview->onView());
        places[3]->trigger(); // as Alt+Left from the first weight that was chosen
        QVERIFY(session().place() == ui::Place());
        QVERIFY(m_window->settle());
        QVERIFY(overview->onView());
    }

private:
    std::filesystem::path at(const char *name) const
    {
        return m_folder->filePath(QString::fromLatin1(name)).toStdString();
    }
};

KERNSCOPE_TEST(TestWindowActions, QApplication)
#include "tst_window_actions.moc"
