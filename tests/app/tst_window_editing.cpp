// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command_palette.h"
#include "app/status_line.h"
#include "main_window_fixture.h"
#include "widgets/common/controls.h"
#include "widgets/common/dock.h"
#include "widgets/compare/verdict_strip.h"

using app::Layout;

namespace {

/// Wants every key, as a line does of the keys that its platform has for editing.
class GreedyLine final : public QLineEdit
{
public:
    using QLineEdit::QLineEdit;

protected:
    bool event(QEvent *event) override
    {
        if (event->type() == QEvent::ShortcutOverride) {
            event->accept();
            return true;
        }
        return QLineEdit::event(event);
    }
};

} // namespace

/// Changes, saving them, and what the frame says.
class TestWindowEditing : public MainWindowTest
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }

    void locksAndUnlocks()
    {
        QVERIFY(m_window->open({sample(u"dense"_s)}));
        edit(0, 0, 0.5);
        QCOMPARE(notices().texts().size(), 1);
        QVERIFY(!document().modified());
        QVERIFY(activate());
        press(Qt::Key_E, Qt::ControlModifier);
        QVERIFY(session().patchingEnabled());
        QVERIFY(notices().texts().isEmpty());
        press(Qt::Key_E, Qt::ControlModifier);
        QVERIFY(!session().patchingEnabled());
    }

    void titleShowsChanges()
    {
        QVERIFY(m_window->open({sample(u"dense"_s)}));
        QVERIFY(!action(u"Save\u2026"_s)->isEnabled());
        patch();
        QVERIFY((*m_window)->isWindowModified());
        QVERIFY(action(u"Save\u2026"_s)->isEnabled());
        session().undoStack().undo();
        QVERIFY(!(*m_window)->isWindowModified());
        session().undoStack().redo();
        QVERIFY((*m_window)->isWindowModified());
        session().undoStack().undo();
    }

    void asksBeforeClosing_data()
    {
        addColumns<int, bool, bool>();
        addRow("cancel", int(QMessageBox::Cancel), false, false);
        addRow("discard", int(QMessageBox::Discard), true, false);
        addRow("save", int(QMessageBox::Save), true, true);
    }

    void asksBeforeClosing()
    {
        const auto [answer, closes, writes] = fetched<int, bool, bool>();
        const QString path = sample(u"dense"_s);
        m_window->settings().set(app::Settings::kKeepBackup, false);
        const FileBytes before = filesBelow(path);
        QVERIFY(m_window->open({path}));
        patch();
        (*m_window)->close();
        QVERIFY((*m_window)->isVisible());
        auto *question = VERIFIED(qobject_cast<QMessageBox *>(test::dialog()));
        QTest::mouseClick(question->button(static_cast<QMessageBox::StandardButton>(answer)),
                          Qt::LeftButton);
        if (writes) {
            QTRY_VERIFY(QApplication::activeModalWidget() &&
                        QApplication::activeModalWidget() != question);
            auto *buttons = QApplication::activeModalWidget()->findChild<QDialogButtonBox *>();
            QTest::mouseClick(buttons->button(QDialogButtonBox::Save), Qt::LeftButton);
        }
        if (closes)
            QTRY_VERIFY(!(*m_window)->isVisible());
        else
            QVERIFY((*m_window)->isVisible());
        QCOMPARE(filesBelow(path) != before, writes);
        if (!closes)
            session().undoStack().undo();
    }

    void saveShowsWhatItWrites()
    {
        const QString path = sample(u"palette"_s);
        const FileBytes before = filesBelow(path);
        QVERIFY(m_window->open({path}));
        patch();
        QVERIFY(activate());
        press(Qt::Key_S, Qt::ControlModifier);
        auto *save = VERIFIED(test::dialog());
        auto *table = VERIFIED(save->findChild<QTableView *>());
        // The name of the file is whole.
        QVERIFY(static_cast<QAbstractItemView *>(table)->sizeHintForColumn(0) <=
                table->columnWidth(0));
        QCOMPARE(static_cast<std::size_t>(table->model()->rowCount()),
                 document().pendingRanges().size());
        // The bytes of before and those that take their place.
        const WrittenRange range = document().pendingRanges().front();
        const std::size_t number = session().bundle()->fileByPath(range.file).value();
        const auto &file = *session().bundle()->files()[number].file;
        const auto word = [](std::byte value) {
            return u"%1"_s.arg(std::to_integer<uint>(value), 2, 16, QLatin1Char('0'));
        };
        const auto text = [table](int column) {
            return table->model()->index(0, column).data().toString();
        };
        QCOMPARE(text(0), QString::fromStdString(range.file));
        QVERIFY(text(3).startsWith(word(file.diskByte(range.range.offset))));
        QVERIFY(text(4).startsWith(word(file.bytes()[range.range.offset.value])));
        QVERIFY(text(3) != text(4));
        QVERIFY(filesBelow(path) == before);
        QTest::keyClick(save, Qt::Key_Return);
        QTRY_VERIFY(!document().modified());
        QVERIFY(filesBelow(path) != before);
        QVERIFY((*m_window)->statusLine().message().contains(u"verified"_s));
        session().undoStack().undo();
        QTRY_VERIFY(document().modified());
        QCOMPARE((*m_window)->statusLine().message(), QString()); // it is no longer as saved
    }

    void namesForScreenReaders()
    {
        QVERIFY(m_window->open({sample(u"sparse"_s)}));
        QStringList nameless;
        for (const QWidget *widget : (*m_window)->findChildren<QWidget *>()) {
            const bool takesFocus = widget->focusPolicy() != Qt::NoFocus && widget->isVisible();
            const bool inner = widget->objectName().startsWith(QLatin1String("qt_"));
            const bool named = !widget->accessibleName().isEmpty() ||
                               !widget->toolTip().isEmpty() ||
                               !widget->property("text").toString().isEmpty();
            if (takesFocus && !inner && !named && !widget->focusProxy())
                nameless << QString::fromLatin1(widget->metaObject()->className());
        }
        nameless.removeAll(u"QTabBar"_s);
        QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join(QLatin1Char(' '))));
    }

    void undoKeysWhileTyping()
    {
        QVERIFY(m_window->open({sample(u"dense"_s), sample(u"sparse"_s)}));
        auto *bar = VERIFIED((*m_window)->findChild<ui::LimitsBar *>());
        auto *line = VERIFIED(bar->findChild<QLineEdit *>());
        action(u"Limits"_s)->trigger();
        patch();
        QUndoStack &stack = session().undoStack();
        QTRY_COMPARE(stack.index(), 1);
        QVERIFY(activate());
        QTRY_VERIFY(line->isVisible());
        line->setFocus();
        QTest::keyClick(line, Qt::Key_Z, Qt::ControlModifier);
        QTRY_COMPARE(stack.index(), 0);
        QTest::keyClick(line, Qt::Key_Y, Qt::ControlModifier);
        QTRY_COMPARE(stack.index(), 1);
        QTest::keyClicks(line, u"5"_s);
        QTest::keyClick(line, Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(line->text(), QString());
        // A step of the document after the letters; copying them and Enter change neither.
        QTest::keyClicks(line, u"7"_s);
        stack.undo();
        stack.redo();
        QTest::keyClick(line, Qt::Key_C, Qt::ControlModifier);
        QTest::keyClick(line, Qt::Key_Return);
        QTest::keyClick(line, Qt::Key_Z, Qt::ControlModifier);
        QTRY_COMPARE(stack.index(), 0);
        QCOMPARE(line->text(), u"7"_s);
        stack.redo();
        line->clear();
        QCOMPARE(stack.index(), 1);
        // A step of the document after the letters is undone first.
        QTest::keyClicks(line, u"7"_s);
        const auto element = storedElement(*session().bundle(), 1);
        edit(1, element, 0.25);
        QTRY_COMPARE(stack.index(), 2);
        QTest::keyClick(line, Qt::Key_Z, Qt::ControlModifier);
        QTRY_COMPARE(stack.index(), 1);
        QCOMPARE(line->text(), u"7"_s);
        session().undoStack().undo();
    }

    /// A line of text has the keys of undo while its letters are newer than the document's last
    /// step; else they are the document's. Lines of text have Ctrl+E and Ctrl+K for themselves on
    /// X11.
    void menuKeysWhileTyping()
    {
        QVERIFY(m_window->open({sample(u"dense"_s)}));
        GreedyLine line(&**m_window);
        for (const int letter : {Qt::Key_E, Qt::Key_K, Qt::Key_C}) {
            QKeyEvent wanted(QEvent::ShortcutOverride, letter, Qt::ControlModifier);
            wanted.ignore();
            QCoreApplication::sendEvent(&line, &wanted);
            QCOMPARE(wanted.isAccepted(), letter == Qt::Key_C);
        }
    }

    void themes()
    {
        QVERIFY(m_window->open({sample(u"sparse"_s)}));
        (*m_window)->theme().choose(app::ThemeChoice::Dark);
        QVERIFY(QApplication::palette().color(QPalette::Window).lightness() < 128);
        QCOMPARE(m_window->settings().theme(), app::ThemeChoice::Dark);
        (*m_window)->theme().choose(app::ThemeChoice::Light);
        QVERIFY(QApplication::palette().color(QPalette::Window).lightness() > 128);
        const qreal size = QApplication::font().pointSizeF();
        const auto views = (*m_window)->findChildren<QWidget *>();
        QHash<const QWidget *, qreal> sizes;
        for (const auto *view : views)
            sizes[view] = view->font().pointSizeF();
        (*m_window)->theme().changeFont(2);
        QCOMPARE(QApplication::font().pointSizeF(), size + 2);
        // Bytes, titles and captions as well, which have fonts of their own.
        for (const auto *view : views) {
            if (view->isVisible())
                QTRY_VERIFY2(view->font().pointSizeF() > sizes[view] * 1.1,
                             view->metaObject()->className());
        }
        (*m_window)->theme().changeFont(0);
        QCOMPARE(QApplication::font().pointSizeF(), size);
        for (const auto *view : views) {
            if (view->isVisible())
                QTRY_COMPARE(view->font().pointSizeF(), sizes[view]);
        }
    }

    void statusLineKeepsItsPlace()
    {
        QVERIFY(m_window->open({sample(u"dense"_s)}));
        const QSize window = (*m_window)->size();
        const int height = (*m_window)->statusLine().height();
        (*m_window)->statusLine().showMessage(QString(4000, QLatin1Char('x')));
        QTRY_VERIFY(session().tasks().idle());
        const auto *message = (*m_window)->statusLine().findChild<QLabel *>(u"statusMessage"_s);
        QVERIFY(message);
        QTRY_VERIFY(message->geometry().right() > (*m_window)->statusLine().width() * 4 / 5);
        std::atomic<bool> stop{false};
        session().tasks().start(
            &**m_window, QString(300, QLatin1Char('y')),
            [&stop](Progress &progress) {
                while (!stop && !progress.cancelled())
                    QThread::msleep(5);
                return true;
            },
            [](bool) {});
        const QList<QToolButton *> buttons =
            (*m_window)->statusLine().findChildren<QToolButton *>();
        const auto cancel =
            std::find_if(buttons.begin(), buttons.end(), [](const QToolButton *button) {
                return button->text() == QLatin1String("Cancel");
            });
        QVERIFY(cancel != buttons.end());
        QTRY_VERIFY((*cancel)->isVisible());
        QTRY_VERIFY(message->geometry().right() < (*cancel)->x());
        QCOMPARE((*m_window)->size(), window);
        QCOMPARE((*m_window)->statusLine().height(), height);
        QTest::mouseClick(*cancel, Qt::LeftButton);
        QTRY_VERIFY(session().tasks().idle());
        stop = true;
    }

    // The window without a mouse: Tab comes everywhere and nowhere stays.
    /// Once a bundle is open its weights are one key away; so it is for every bundle after it.
    void openingBeginsInTheNavigator()
    {
        QVERIFY(activate());
        QVERIFY(m_window->open({sample(u"sparse"_s)}));
        QTRY_COMPARE(keyboardAt(), u"bundle"_s);
        QVERIFY(session().place().weight == kNoIndex);
        for (int i = 0; i < 3; ++i) // the bundle, its function, the first weight
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_Down);
        QVERIFY(m_window->settle());
        QTRY_VERIFY(session().place().weight != kNoIndex);

        app::DockSet::reveal(dock(u"hex"_s));
        QVERIFY(m_window->open({sample(u"dense"_s)}));
        QTRY_COMPARE(keyboardAt(), u"bundle"_s);
    }

    /// Compare has no navigator.
    void comparingBeginsInTheTable()
    {
        QVERIFY(activate());
        const QString a = sample(u"dense"_s);
        const QString b = sample(u"sparse"_s);
        QVERIFY(m_window->open({a, b}));
        QTRY_COMPARE(keyboardAt(), u"compare"_s);

        QVERIFY(m_window->open({a}));
        QTRY_COMPARE(keyboardAt(), u"bundle"_s);
        document().openOther(b); // as the dialog does
        QVERIFY(m_window->settle());
        QTRY_COMPARE(keyboardAt(), u"compare"_s);
    }

    void reloadKeepsTheKeyboard()
    {
        QVERIFY(activate());
        QVERIFY(m_window->open({sample(u"sparse"_s)}));
        QTRY_COMPARE(keyboardAt(), u"bundle"_s);
        app::DockSet::reveal(dock(u"hex"_s));
        document().reload();
        QVERIFY(m_window->settleLong());
        QCOMPARE(keyboardAt(), u"hex"_s);
    }

    /// Tab goes as one reads: from the box above to the list below.
    void filtersComeBeforeWhatTheyFilter()
    {
        QStringList wrong;
        for (const auto &entry : docks().entries()) {
            for (QLineEdit *box : entry.dock->findChildren<QLineEdit *>()) {
                if (!box->accessibleName().startsWith(u"Filter"_s))
                    continue;
                const auto isList = [](const QWidget *widget) {
                    return qobject_cast<const QAbstractItemView *>(widget) != nullptr ||
                           widget->inherits("QTabBar");
                };
                const QWidget *next = box->nextInFocusChain(); // buttons may stand beside the box
                while (!isList(next) && entry.dock->isAncestorOf(next))
                    next = next->nextInFocusChain();
                if (!entry.dock->isAncestorOf(next))
                    wrong += entry.dock->id() + u' ' + box->accessibleName();
            }
        }
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
    }

    /// Ctrl+Shift+F goes back to what is searched for, from the places found too, and never closes.
    void searchIsAskedAgain()
    {
        QVERIFY(activate());
        QVERIFY(m_window->open({sample(u"sparse"_s)}));
        QTRY_COMPARE(keyboardAt(), u"bundle"_s);
        const auto press = [] {
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_F,
                            Qt::ControlModifier | Qt::ShiftModifier);
        };
        press();
        auto *line = VERIFIED(qobject_cast<QLineEdit *>(QApplication::focusWidget()));
        QTest::keyClicks(line, u"ef be"_s);
        QTest::keyClick(line, Qt::Key_Return);
        QVERIFY(m_window->settle());
        ui::Dock *search = dock(u"search"_s);
        search->findChild<QAbstractItemView *>()->setFocus();
        for (int i = 0; i < 2; ++i) {
            press();
            QVERIFY(search->onView());
            QCOMPARE(QApplication::focusWidget(), static_cast<QWidget *>(line));
            QCOMPARE(line->selectedText(), u"ef be"_s);
        }
    }

    void tabComesEverywhere()
    {
        QVERIFY(m_window->open({sample(u"dense"_s), sample(u"sparse"_s)}));
        QVERIFY(activate());
        for (const Layout layout : app::kLayouts) {
            layouts().show(layout);
            QVERIFY(goToWeight(0));
            for (const bool back : {false, true}) {
                const QString fault = afterTabs(back);
                QVERIFY2(fault.isEmpty(), qPrintable(app::layoutId(layout) + u": "_s + fault));
            }
        }
    }

    /// Where the keyboard is can be seen: what has the focus looks otherwise once it has left.
    void everyTabStopIsSeen()
    {
        constexpr int kMostSteps = 600;
        QVERIFY(m_window->open({sample(u"dense"_s), sample(u"sparse"_s)}));
        QVERIFY(activate());
        (*m_window)->setAttribute(Qt::WA_KeyboardFocusChange); // as a key of the platform does
        const auto picture = [this](const QWidget *widget) {
            app::MainWindow &window = **m_window;
            const QRect all(widget->mapTo(&window, QPoint(-3, -3)), widget->size() + QSize(6, 6));
            return window.grab(all & window.rect()).toImage();
        };
        QStringList unseen;
        for (const Layout layout : app::kLayouts) {
            layouts().show(layout);
            QVERIFY(goToWeight(0));
            QWidget *start = VERIFIED(QApplication::focusWidget());
            QWidget *now = start;
            int steps = 0;
            do {
                QVERIFY(m_window->settle());
                const QImage with = picture(now);
                QTest::keyClick(now, Qt::Key_Tab);
                QWidget *next = VERIFIED(QApplication::focusWidget());
                QVERIFY(m_window->settle());
                if (next != now && picture(now) == with)
                    unseen << app::layoutId(layout) + u": "_s + nameOf(now);
                now = next;
            } while (now != start && ++steps < kMostSteps);
        }
        QVERIFY2(unseen.isEmpty(), qPrintable(unseen.join(u", "_s)));
    }

    /// Ctrl+1 to Ctrl+5: the keyboard goes on in the dock that the workspace is about, and stays
    /// where it is in a dock that both workspaces show.
    void shortcutsLeadIntoTheWorkspace()
    {
        const QString a = sample(u"dense"_s);
        const QString b = sample(u"sparse"_s);
        QVERIFY(m_window->open({a, b}));
        QVERIFY(activate());
        session().goToWeight(0); // which Inspect then shows, and not the overview
        QVERIFY(m_window->settle());
        app::DockSet::reveal(dock(u"compare"_s));
        QVERIFY(dockOf(QApplication::focusWidget()));
        const std::initializer_list<std::pair<Qt::Key, const char *>> keys{{Qt::Key_4, "stream"},
                                                                           {Qt::Key_2, "compare"},
                                                                           {Qt::Key_3, "weight"},
                                                                           {Qt::Key_1, "weight"}};
        for (const auto &[key, id] : keys) {
            QTest::keyClick(QApplication::focusWidget(), key, Qt::ControlModifier);
            QVERIFY(m_window->settle());
            const ui::Dock *dock = dockOf(QApplication::focusWidget());
            QVERIFY2(
                dock && dock->onView() && dock->id() == QLatin1String(id),
                qPrintable(u"%1, not %2"_s.arg(dock ? dock->id() : QString(), QLatin1String(id))));
        }
    }

    /// A dock that goes away with the keyboard in it leaves it to a table, which chooses no weight.
    void workspacesChooseNoWeight()
    {
        QVERIFY(m_window->open({sample(u"sparse"_s)}));
        QVERIFY(activate());
        for (const Qt::Key key : {Qt::Key_1, Qt::Key_2, Qt::Key_5}) {
            (*m_window)->showLayout(Layout::Performance);
            QVERIFY(m_window->settle());
            dock(u"roofline"_s)->setFocus(Qt::ShortcutFocusReason);
            QTest::keyClick(QApplication::focusWidget(), key, Qt::ControlModifier);
            QVERIFY(m_window->settle());
            QVERIFY(layouts().current() != Layout::Performance);
            QVERIFY(session().place() == ui::Place());
        }
    }

    /// The switch of the workspaces is one stop of Tab; arrows choose the next workspace and stay
    /// in it.
    void arrowsChooseTheWorkspace()
    {
        QVERIFY(m_window->open({sample(u"sparse"_s)}));
        QVERIFY(activate());
        auto *workspaces = (*m_window)->findChild<QToolBar *>()->findChild<ui::Segmented *>();
        const auto buttons = workspaces->findChildren<QToolButton *>();
        QCOMPARE(buttons.size(), 5);
        const auto stops = [&buttons] {
            QStringList words;
            for (const QToolButton *one : buttons)
                words +=
                    one->focusPolicy() & Qt::TabFocus ? QStringList(one->text()) : QStringList();
            return words;
        };
        QCOMPARE(stops(), QStringList{u"Inspect"_s});
        buttons[0]->setFocus();
        for (const Layout layout : {Layout::Compare, Layout::Patch, Layout::Performance}) {
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_Right);
            QVERIFY(m_window->settle());
            QCOMPARE(layouts().current(), layout);
            QCOMPARE(QApplication::focusWidget(), static_cast<QWidget *>(buttons[int(layout)]));
            QCOMPARE(stops(), QStringList{buttons[int(layout)]->text()});
        }
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Home);
        QCOMPARE(layouts().current(), Layout::Inspect);
    }

private:
    /// What is wrong on the way of Tab, which begins in the first dock on view.
    QString afterTabs(bool back)
    {
        constexpr int kMostSteps = 600, kMostHeld = 40;
        QSet<QString> missed;
        ui::Dock *first = nullptr;
        for (const auto &entry : docks().entries()) {
            if (entry.dock->onView() && entry.dock->showsContent()) {
                missed << entry.dock->id();
                first = first ? first : entry.dock;
            }
        }
        if (!first)
            return u"no dock"_s;
        app::DockSet::reveal(first);
        QWidget *const start = QApplication::focusWidget();
        QWidget *now = start;
        for (int steps = 0, held = 0; now && steps < kMostSteps; ++steps) {
            if (const ui::Dock *dock = dockOf(now))
                missed.remove(dock->id());
            QTest::keyClick(now, back ? Qt::Key_Backtab : Qt::Key_Tab,
                            back ? Qt::ShiftModifier : Qt::NoModifier);
            QWidget *next = QApplication::focusWidget();
            // A text goes from link to link, a comparison from side to side: not for ever.
            held = next == now ? held + 1 : 0;
            if (!next || held == kMostHeld)
                return u"held by "_s + nameOf(now);
            const ui::Dock *dock = dockOf(next);
            if (!next->isVisible() || (dock && !dock->onView()))
                return u"not on view: "_s + nameOf(next);
            if (next == start)
                return QStringList(missed.values()).join(QLatin1Char(' '));
            now = next;
        }
        return u"Tab never comes back to where it began"_s;
    }

    /// "QLineEdit (Filter) of search"
    static QString nameOf(QWidget *widget)
    {
        const ui::Dock *dock = dockOf(widget);
        return u"%1 (%2) of %3"_s.arg(QString::fromLatin1(widget->metaObject()->className()),
                                      widget->accessibleName(), dock ? dock->id() : QString());
    }

    /// The dock in which the keyboard is, by its id.
    static QString keyboardAt()
    {
        const ui::Dock *dock = dockOf(QApplication::focusWidget());
        return dock && dock->onView() ? dock->id() : QString();
    }

    static ui::Dock *dockOf(QWidget *widget)
    {
        for (; widget; widget = widget->parentWidget()) {
            if (auto *dock = qobject_cast<ui::Dock *>(widget))
                return dock;
        }
        return nullptr;
    }
};

KERNSCOPE_TEST(TestWindowEditing, QApplication)
#include "tst_window_editing.moc"
