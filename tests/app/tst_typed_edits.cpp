// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/little_endian.h"
#include "main_window_fixture.h"
#include "synthetic.h"
#include "widgets/bytes/hex_view.h"
#include "widgets/common/table_text.h"
#include "widgets/hardware/tasks_dock.h"
#include "widgets/weight/weight_grid_view.h"

#include <QClipboard>
#include <QDialogButtonBox>
#include <QGuiApplication>
#include <QInputDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QTableView>
#include <QTreeView>
#include <QUndoStack>

using namespace kernscope;
using app::Layout;

/// Bytes, registers and cells changed by hand: typed digits, a number in a dialog, pasted rows.
class TestTypedEdits : public test::MainWindowTest
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }
    void digitsChangeAByte();
    void whatBreaksIsAskedFirst();
    void weightsBytesAreRefused();
    void aFieldIsChangedByValue();
    void rowsArePasted();
    void selectedCellsAreComputed();

private:
    ui::HexView *hexAt(std::uint64_t offset);
    static QString answerTo(QInputDialog &dialog, const QString &typed);
    std::size_t patches() { return (*m_window)->session().patches().size(); }
};

/// The first two words that the dialog says of a text; it can be accepted where it says none.
QString TestTypedEdits::answerTo(QInputDialog &dialog, const QString &typed)
{
    dialog.setTextValue(typed);
    const auto *answer = dialog.findChild<QLabel *>(QStringLiteral("typedAnswer"));
    const auto *buttons = dialog.findChild<QDialogButtonBox *>();
    if (!answer || !buttons)
        return QStringLiteral("no answer");
    if (buttons->button(QDialogButtonBox::Ok)->isEnabled() != answer->text().isEmpty())
        return QStringLiteral("can be accepted and cannot");
    return answer->text().section(QLatin1Char(' '), 1, 2);
}

ui::HexView *TestTypedEdits::hexAt(std::uint64_t offset)
{
    auto *dock = (*m_window)->docks().dock(QStringLiteral("hex"));
    dock->show();
    dock->raise();
    auto *view = dock->findChild<ui::HexView *>();
    if (!m_window->settle() || view == nullptr)
        return nullptr;
    view->select({FileOffset(offset), ByteCount(1)});
    return view;
}

void TestTypedEdits::digitsChangeAByte()
{
    QVERIFY(m_window->open({test::writeSample(m_folder->path(), QStringLiteral("dense"))}));
    ui::HexView *view = hexAt(0x20);
    QVERIFY(view);
    QTest::keyClicks(view, QStringLiteral("a5")); // locked: nothing
    QVERIFY(m_window->settle());
    QCOMPARE(patches(), std::size_t{0});
    (*m_window)->session().setPatchingEnabled(true);
    view->select({FileOffset(0x20), ByteCount(1)});
    QSignalSpy said(&(*m_window)->session(), &ui::Session::statusMessage);
    QTest::keyClicks(view, QStringLiteral("a5"));
    QTRY_COMPARE(patches(), std::size_t{1});
    // The digit that is missing is asked for until it is typed.
    QVERIFY(said.size() > 1 && said.first().first().toString().contains(QStringLiteral("0x20")));
    QVERIFY(!said.last().first().toString().contains(QStringLiteral("digit")));
    QCOMPARE(std::to_integer<int>(view->bytes()[0x20]), 0xa5);
    QCOMPARE(view->cursor(), std::uint64_t{0x21});
    (*m_window)->session().undoStack().undo();
    QVERIFY(m_window->settle());
    QCOMPARE(std::to_integer<int>(view->bytes()[0x20]), 0);
}

void TestTypedEdits::whatBreaksIsAskedFirst()
{
    QVERIFY(m_window->open({test::writeSample(m_folder->path(), QStringLiteral("dense"))}));
    (*m_window)->session().setPatchingEnabled(true);
    ui::HexView *view = hexAt(0x40); // the sentinel of the first record
    QVERIFY(view);
    for (const bool anyway : {false, true}) {
        view->select({FileOffset(0x40), ByteCount(1)});
        QTest::keyClicks(view, QStringLiteral("00"));
        QMessageBox *box = nullptr;
        QTRY_VERIFY((box = (*m_window)->findChild<QMessageBox *>()) != nullptr);
        QVERIFY(!box->informativeText().isEmpty());
        QCOMPARE(patches(), std::size_t{0});
        const auto role = anyway ? QMessageBox::AcceptRole : QMessageBox::RejectRole;
        for (QAbstractButton *button : box->buttons()) {
            if (box->buttonRole(button) == role)
                button->click();
        }
        QTRY_VERIFY((*m_window)->findChild<QMessageBox *>() == nullptr);
        QTRY_COMPARE(patches(), std::size_t{anyway ? 1U : 0U});
    }
    (*m_window)->session().undoStack().undo();
}

void TestTypedEdits::weightsBytesAreRefused()
{
    QVERIFY(m_window->open({test::writeSample(m_folder->path(), QStringLiteral("dense"))}));
    (*m_window)->session().setPatchingEnabled(true);
    ui::HexView *view = hexAt(0x80);
    QVERIFY(view);
    QTest::keyClicks(view, QStringLiteral("00"));
    QVERIFY(m_window->settle());
    QCOMPARE(patches(), std::size_t{0});
    QTRY_COMPARE((*m_window)->notices().texts().size(), 1);
}

void TestTypedEdits::aFieldIsChangedByValue()
{
    const test::Bytes bytes = test::syntheticH13();
    QFile file(m_folder->filePath(QStringLiteral("synthetic.hwx")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(reinterpret_cast<const char *>(bytes.data()), qint64(bytes.size()));
    file.close();
    QVERIFY(m_window->open({file.fileName()}));
    (*m_window)->layouts().show(Layout::Hardware);
    QVERIFY(m_window->settle());
    auto *dock = qobject_cast<ui::TasksDock *>((*m_window)->docks().dock(QStringLiteral("tasks")));
    QVERIFY(dock);
    dock->raise();
    QVERIFY(m_window->settle());
    QTreeView &tree = dock->registerView();
    const QModelIndex header = dock->registers().index(0, 0);
    const QModelIndex word = dock->registers().index(2, 0, header);
    QVERIFY(word.isValid());
    tree.setCurrentIndex(dock->registers().index(0, 0, word));
    const QString name = tree.currentIndex().data(ui::CopyRole).toString();
    const auto ask = [dock] {
        for (QAction *action : dock->menuActions()) {
            if (action->shortcut() == QKeySequence(Qt::Key_F2))
                action->trigger();
        }
        return dock->findChild<QInputDialog *>();
    };
    QVERIFY(!ask()); // locked: nothing is asked that cannot be done
    (*m_window)->session().setPatchingEnabled(true);
    auto *dialog = ask();
    QVERIFY(dialog);
    QVERIFY(dialog->labelText().contains(QLatin1String("Header[2]")));
    for (const auto *button : dialog->findChildren<QPushButton *>())
        QVERIFY(button->icon().isNull());
    QCOMPARE(answerTo(*dialog, QStringLiteral("5x")), QStringLiteral("Character 1:"));
    QCOMPARE(answerTo(*dialog, QStringLiteral("0x5")), QString());
    dialog->accept();
    QTRY_COMPARE(patches(), std::size_t{1});
    QCOMPARE((*m_window)->session().patches().front().edit->newText, std::string("5"));
    // One goes on at the same field.
    QVERIFY(m_window->settle());
    const QModelIndex now = tree.currentIndex();
    QCOMPARE(now.data(ui::CopyRole).toString(), name);
    QCOMPARE(now.parent().data(ui::CopyRole).toString(), QStringLiteral("Header[2]"));
    QVERIFY(tree.isExpanded(now.parent()) &&
            tree.selectionModel()->isRowSelected(now.row(), now.parent()));
    (*m_window)->session().undoStack().undo();
    // A number that has more bits than the field: of a register nothing is said about forms.
    dialog = ask();
    QVERIFY(dialog);
    dialog->setTextValue(QStringLiteral("0x100000000"));
    dialog->accept();
    QTRY_COMPARE((*m_window)->notices().texts().size(), 1);
    const QString why = (*m_window)->notices().texts().constFirst();
    QVERIFY2(why.contains(QStringLiteral("fewer bits")) && !why.contains(QStringLiteral(" form ")),
             qPrintable(why));
}

void TestTypedEdits::rowsArePasted()
{
    QVERIFY(m_window->open({test::writeSample(m_folder->path(), QStringLiteral("dense"))}));
    auto &session = (*m_window)->session();
    session.goToWeight(0);
    auto *dock = (*m_window)->docks().dock(QStringLiteral("weight"));
    dock->raise();
    QVERIFY(m_window->settle());
    auto *grid = dock->findChild<ui::WeightGridView *>();
    QVERIFY(grid);
    grid->table().setCurrentIndex(grid->model().index(1, 1));
    QGuiApplication::clipboard()->setText(QStringLiteral("0.5\t0x3800 0.25\n\t-2\n"));
    grid->paste(); // locked
    QCOMPARE(patches(), std::size_t{0});
    session.setPatchingEnabled(true);
    grid->paste();
    QTRY_COMPARE(patches(), std::size_t{3});
    QCOMPARE(session.undoStack().count(), 1);
    float value = 0;
    const auto element = grid->model().elementAt(grid->model().index(2, 2));
    session.bundle()->decoder(0)->decodeFloat(*element, std::span(&value, 1));
    QCOMPARE(value, -2.0F);
    session.undoStack().undo();
    // All of it or nothing: what is no number, not finite, or beyond the weight is named.
    QSignalSpy said(&session, &ui::Session::statusMessage);
    const auto refused = [&](const QString &text, const QString &why, int row = 1) {
        grid->table().setCurrentIndex(grid->model().index(row, 1));
        QGuiApplication::clipboard()->setText(text);
        said.clear();
        grid->paste();
        return said.size() == 1 && said.first().first().toString().contains(why) &&
               session.undoStack().index() == 0;
    };
    QVERIFY(refused(QStringLiteral("0.5\nx 1,5"), QStringLiteral("1,5")));
    QVERIFY(refused(QStringLiteral("0.5\tnan"), QStringLiteral("nan")));
    QVERIFY(refused(QStringLiteral("0.5\n0.5"), QStringLiteral("beyond"),
                    grid->model().rowCount() - 1));
    QVERIFY(refused(QStringLiteral("words"), QStringLiteral("words")));
    QVERIFY(refused(QString(), QStringLiteral("no numbers")));
}

void TestTypedEdits::selectedCellsAreComputed()
{
    QVERIFY(m_window->open({test::writeSample(m_folder->path(), QStringLiteral("dense"))}));
    auto &session = (*m_window)->session();
    session.goToWeight(0);
    session.setPatchingEnabled(true);
    auto *dock = (*m_window)->docks().dock(QStringLiteral("weight"));
    dock->raise();
    QVERIFY(m_window->settle());
    auto *grid = dock->findChild<ui::WeightGridView *>();
    grid->table().setCurrentIndex(grid->model().index(0, 0));
    float before = 0, after = 0;
    session.bundle()->decoder(0)->decodeFloat(0, std::span(&before, 1));
    for (QAction *action : grid->actions()) {
        if (action->text().startsWith(QLatin1String("Change Selected")))
            action->trigger();
    }
    auto *dialog = dock->findChild<QInputDialog *>();
    QVERIFY(dialog);
    // What cannot be read is said while it can still be put right, with the place in what was
    // typed.
    QCOMPARE(answerTo(*dialog, QStringLiteral("-w*")), QStringLiteral("Character 4:"));
    QCOMPARE(answerTo(*dialog, QStringLiteral("-w*2")), QString());
    dialog->accept();
    QTRY_COMPARE(patches(), std::size_t{1});
    session.bundle()->decoder(0)->decodeFloat(0, std::span(&after, 1));
    QCOMPARE(after, -2 * before);
    session.undoStack().undo();
}

QTEST_MAIN(TestTypedEdits)
#include "tst_typed_edits.moc"
