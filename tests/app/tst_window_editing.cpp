// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/palette_list.h"
#include "app/status_line.h"
#include "main_window_fixture.h"
#include "tests/test_program.h"
#include "widgets/compare/limits_bar.h"

#include <QDialogButtonBox>
#include <QLineEdit>
#include <QMessageBox>
#include <QTableView>
#include <QToolButton>
#include <QUndoStack>

using namespace kernscope;
using test::bytesOf;

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
class TestWindowEditing : public test::MainWindowTest
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }
    void locksAndUnlocks();
    void titleShowsChanges();
    void asksBeforeClosing_data();
    void asksBeforeClosing();
    void saveShowsWhatItWrites();
    void namesForScreenReaders();
    void undoKeysWhileTyping();
    void menuKeysWhileTyping();
    void themes();
    void statusLineKeepsItsPlace();
};

void TestWindowEditing::locksAndUnlocks()
{
    QVERIFY(m_window->open({test::writeSample(m_folder->path(), QStringLiteral("dense"))}));
    auto &session = (*m_window)->session();
    session.requestEdits({test::setEdit(*session.bundle(), 0, 0, 0.5)}, {});
    QCOMPARE((*m_window)->notices().texts().size(), 1);
    QVERIFY(!(*m_window)->document().modified());
    (*m_window)->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&**m_window));
    QTest::keyClick(&**m_window, Qt::Key_E, Qt::ControlModifier);
    QVERIFY(session.patchingEnabled());
    QVERIFY((*m_window)->notices().texts().isEmpty());
    QTest::keyClick(&**m_window, Qt::Key_E, Qt::ControlModifier);
    QVERIFY(!session.patchingEnabled());
}

void TestWindowEditing::titleShowsChanges()
{
    QVERIFY(m_window->open({test::writeSample(m_folder->path(), QStringLiteral("dense"))}));
    QVERIFY(!action(QStringLiteral("Save\u2026"))->isEnabled());
    patch();
    QVERIFY((*m_window)->isWindowModified());
    QVERIFY(action(QStringLiteral("Save\u2026"))->isEnabled());
    (*m_window)->session().undoStack().undo();
    QVERIFY(!(*m_window)->isWindowModified());
    (*m_window)->session().undoStack().redo();
    QVERIFY((*m_window)->isWindowModified());
    (*m_window)->session().undoStack().undo();
}

void TestWindowEditing::asksBeforeClosing_data()
{
    QTest::addColumn<int>("answer");
    QTest::addColumn<bool>("closes");
    QTest::addColumn<bool>("writes");
    QTest::newRow("cancel") << int(QMessageBox::Cancel) << false << false;
    QTest::newRow("discard") << int(QMessageBox::Discard) << true << false;
    QTest::newRow("save") << int(QMessageBox::Save) << true << true;
}

void TestWindowEditing::asksBeforeClosing()
{
    QFETCH(int, answer);
    QFETCH(bool, closes);
    QFETCH(bool, writes);
    const QString path = test::writeSample(m_folder->path(), QStringLiteral("dense"));
    m_window->settings().setKeepBackup(false);
    const test::FileBytes before = bytesOf(path);
    QVERIFY(m_window->open({path}));
    patch();
    (*m_window)->close();
    QVERIFY((*m_window)->isVisible());
    auto *question = qobject_cast<QMessageBox *>(test::dialog());
    QVERIFY(question);
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
    QCOMPARE(bytesOf(path) != before, writes);
    if (!closes)
        (*m_window)->session().undoStack().undo();
}

void TestWindowEditing::saveShowsWhatItWrites()
{
    const QString path = test::writeSample(m_folder->path(), QStringLiteral("palette"));
    const test::FileBytes before = bytesOf(path);
    QVERIFY(m_window->open({path}));
    patch();
    (*m_window)->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&**m_window));
    QTest::keyClick(&**m_window, Qt::Key_S, Qt::ControlModifier);
    auto *save = test::dialog();
    QVERIFY(save);
    auto *table = save->findChild<QTableView *>();
    QVERIFY(table);
    // The name of the file is whole.
    QVERIFY(static_cast<QAbstractItemView *>(table)->sizeHintForColumn(0) <= table->columnWidth(0));
    QCOMPARE(static_cast<std::size_t>(table->model()->rowCount()),
             (*m_window)->document().pendingRanges().size());
    QVERIFY(bytesOf(path) == before);
    QTest::keyClick(save, Qt::Key_Return);
    QTRY_VERIFY(!(*m_window)->document().modified());
    QVERIFY(bytesOf(path) != before);
    QVERIFY((*m_window)->statusLine().message().contains(QStringLiteral("verified")));
}

void TestWindowEditing::namesForScreenReaders()
{
    QVERIFY(m_window->open({test::writeSample(m_folder->path(), QStringLiteral("sparse"))}));
    QStringList nameless;
    for (const QWidget *widget : (*m_window)->findChildren<QWidget *>()) {
        const bool takesFocus = widget->focusPolicy() != Qt::NoFocus && widget->isVisible();
        const bool inner = widget->objectName().startsWith(QLatin1String("qt_"));
        const bool named = !widget->accessibleName().isEmpty() || !widget->toolTip().isEmpty() ||
                           !widget->property("text").toString().isEmpty();
        if (takesFocus && !inner && !named && !widget->focusProxy())
            nameless << QString::fromLatin1(widget->metaObject()->className());
    }
    nameless.removeAll(QStringLiteral("QTabBar"));
    QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join(QLatin1Char(' '))));
}

/// A line of text has the keys of undo while its letters are newer than the document's last step;
/// else they are the document's.
/// Lines of text have Ctrl+E and Ctrl+K for themselves on X11.
void TestWindowEditing::menuKeysWhileTyping()
{
    QVERIFY(m_window->open({test::writeSample(m_folder->path(), QStringLiteral("dense"))}));
    GreedyLine line(&**m_window);
    for (const int letter : {Qt::Key_E, Qt::Key_K, Qt::Key_C}) {
        QKeyEvent wanted(QEvent::ShortcutOverride, letter, Qt::ControlModifier);
        wanted.ignore();
        QCoreApplication::sendEvent(&line, &wanted);
        QCOMPARE(wanted.isAccepted(), letter == Qt::Key_C);
    }
}

void TestWindowEditing::undoKeysWhileTyping()
{
    QVERIFY(m_window->open({test::writeSample(m_folder->path(), QStringLiteral("dense")),
                            test::writeSample(m_folder->path(), QStringLiteral("sparse"))}));
    auto *bar = (*m_window)->findChild<ui::LimitsBar *>();
    QVERIFY(bar);
    auto *line = bar->findChild<QLineEdit *>();
    QVERIFY(line);
    action(QStringLiteral("Limits"))->trigger();
    patch();
    QUndoStack &stack = (*m_window)->session().undoStack();
    QTRY_COMPARE(stack.index(), 1);
    (*m_window)->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&**m_window));
    QTRY_VERIFY(line->isVisible());
    line->setFocus();
    QTest::keyClick(line, Qt::Key_Z, Qt::ControlModifier);
    QTRY_COMPARE(stack.index(), 0);
    QTest::keyClick(line, Qt::Key_Y, Qt::ControlModifier);
    QTRY_COMPARE(stack.index(), 1);
    QTest::keyClicks(line, QStringLiteral("5"));
    QTest::keyClick(line, Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(line->text(), QString());
    // A step of the document after the letters; copying them and Enter change neither.
    QTest::keyClicks(line, QStringLiteral("7"));
    stack.undo();
    stack.redo();
    QTest::keyClick(line, Qt::Key_C, Qt::ControlModifier);
    QTest::keyClick(line, Qt::Key_Return);
    QTest::keyClick(line, Qt::Key_Z, Qt::ControlModifier);
    QTRY_COMPARE(stack.index(), 0);
    QCOMPARE(line->text(), QStringLiteral("7"));
    stack.redo();
    line->clear();
    QCOMPARE(stack.index(), 1);
    // A step of the document after the letters is undone first.
    QTest::keyClicks(line, QStringLiteral("7"));
    auto &session = (*m_window)->session();
    const auto element = test::storedElement(*session.bundle(), 1);
    session.requestEdits({test::setEdit(*session.bundle(), 1, element, 0.25)}, {});
    QTRY_COMPARE(stack.index(), 2);
    QTest::keyClick(line, Qt::Key_Z, Qt::ControlModifier);
    QTRY_COMPARE(stack.index(), 1);
    QCOMPARE(line->text(), QStringLiteral("7"));
    (*m_window)->session().undoStack().undo();
}

void TestWindowEditing::themes()
{
    QVERIFY(m_window->open({test::writeSample(m_folder->path(), QStringLiteral("sparse"))}));
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

void TestWindowEditing::statusLineKeepsItsPlace()
{
    QVERIFY(m_window->open({test::writeSample(m_folder->path(), QStringLiteral("dense"))}));
    const QSize window = (*m_window)->size();
    const int height = (*m_window)->statusLine().height();
    (*m_window)->statusLine().showMessage(QString(4000, QLatin1Char('x')));
    std::atomic<bool> stop{false};
    (*m_window)->session().tasks().start(
        &**m_window, QString(300, QLatin1Char('y')),
        [&stop](Progress &progress) {
            while (!stop && !progress.cancelled())
                QThread::msleep(5);
            return true;
        },
        [](bool) {});
    const QList<QToolButton *> buttons = (*m_window)->statusLine().findChildren<QToolButton *>();
    const auto cancel = std::find_if(buttons.begin(), buttons.end(), [](const QToolButton *button) {
        return button->text() == QLatin1String("Cancel");
    });
    QVERIFY(cancel != buttons.end());
    QTRY_VERIFY((*cancel)->isVisible());
    QCOMPARE((*m_window)->size(), window);
    QCOMPARE((*m_window)->statusLine().height(), height);
    QTest::mouseClick(*cancel, Qt::LeftButton);
    QTRY_VERIFY((*m_window)->session().tasks().idle());
    stop = true;
}

KERNSCOPE_TEST(TestWindowEditing, QApplication)
#include "tst_window_editing.moc"
