// SPDX-License-Identifier: GPL-3.0-or-later
#include "patches_fixture.h"
#include "tests/test_program.h"
#include "widgets/models/patch_list_model.h"

#include <QLineEdit>
#include <QScrollBar>
#include <QUndoStack>

#include <random>

using namespace kernscope;

/// Single patches switched off and on, and their notes.
class TestPatchSwitches : public test::PatchesTest
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openPatches(); }
    void switchesOne();
    void ticksOfTheLast();
    void laterEditsArePlannedAnew();
    void randomSwitches();
    void notesStay();
    void theRowStays();
    void notesAreWrittenInView();
};

void TestPatchSwitches::switchesOne()
{
    auto &session = (*m_window)->session();
    QUndoStack &stack = session.undoStack();
    for (std::uint64_t element = 0; element < 3; ++element)
        session.requestEdits({test::setEdit(*session.bundle(), 1, element * 9, 9)}, {});
    QVERIFY(m_window->settle());
    const int rows = table().model()->rowCount();
    QCOMPARE(rows, stack.count());
    QVERIFY(rows > 2);
    tick(0, false);
    QCOMPARE(table().model()->rowCount(), rows);
    QVERIFY(session.patches()[0].off && !session.patches()[0].active);
    for (int row = 1; row < rows; ++row)
        QVERIFY(session.patches()[std::size_t(row)].active);
    verifyAsPlanned();
    // One step back, and forward again.
    stack.undo();
    QVERIFY(session.patches()[0].active);
    verifyAsPlanned();
    stack.redo();
    QVERIFY(session.patches()[0].off);
    verifyAsPlanned();
    // The last one as well, then the first on again.
    tick(rows - 1, false);
    QVERIFY(session.patches()[0].off && session.patches().back().off);
    verifyAsPlanned();
    tick(0, true);
    QVERIFY(session.patches()[0].active && session.patches().back().off);
    verifyAsPlanned();
    stack.setIndex(0);
    QVERIFY(!(*m_window)->document().modified());
}

/// A list that jumps to its end under the mouse makes the next click switch another edit.
void TestPatchSwitches::theRowStays()
{
    auto &session = (*m_window)->session();
    for (std::uint64_t element = 0; element < 40; ++element)
        session.requestEdits({test::setEdit(*session.bundle(), 1, element * 9, 9)}, {});
    QVERIFY(m_window->settle());
    table().scrollToTop();
    for (const bool on : {false, true}) {
        // The first: in a low list the second is in sight only in part, and Qt scrolls to it.
        const QRect cell = table().visualRect(table().model()->index(0, 0));
        QTest::mouseClick(table().viewport(), Qt::LeftButton, {},
                          {cell.left() + cell.height() / 2, cell.center().y()});
        QTRY_COMPARE((*m_window)->document().busy(), app::Document::Busy::Idle);
        QVERIFY(m_window->settle());
        QCOMPARE(session.patches()[0].active, on);
        QCOMPARE(table().currentIndex().row(), 0);
        QCOMPARE(table().verticalScrollBar()->value(), 0);
    }
}

/// F2 writes the note where it is seen, however narrow the list is.
void TestPatchSwitches::notesAreWrittenInView()
{
    auto &session = (*m_window)->session();
    session.requestEdits({test::setEdit(*session.bundle(), 1, 9, 9)}, {});
    QVERIFY(m_window->settle());
    table().setFixedWidth(200);
    table().horizontalScrollBar()->setValue(0);
    table().setFocus();
    QTest::keyClick(&table(), Qt::Key_F2);
    const auto *editor = table().viewport()->findChild<QLineEdit *>();
    QVERIFY(editor);
    QVERIFY(table().viewport()->rect().contains(editor->geometry().center()));
}

/// The last edit is undone, and what is undone is redone.
void TestPatchSwitches::ticksOfTheLast()
{
    auto &session = (*m_window)->session();
    for (std::uint64_t element = 0; element < 3; ++element)
        session.requestEdits({test::setEdit(*session.bundle(), 1, element * 9, 9)}, {});
    QVERIFY(m_window->settle());
    const int rows = table().model()->rowCount();
    tick(rows - 1, false);
    QCOMPARE(session.undoStack().index(), rows - 1);
    QCOMPARE(session.undoStack().count(), rows);
    session.undoStack().setIndex(0);
    QVERIFY(m_window->settle());
    tick(rows - 1, true);
    QCOMPARE(session.undoStack().index(), rows);
}

/// A later edit that took the entry of an earlier one takes another without it.
void TestPatchSwitches::laterEditsArePlannedAnew()
{
    auto &session = (*m_window)->session();
    const auto weight = test::weightWith(*session.bundle(), codec::PartRole::Lut);
    const std::string name = session.bundle()->weights()[weight].name;
    const auto entry = parseEdit(Edit::Kind::Codebook, name + "[0][3]=7");
    const auto value = parseEdit(Edit::Kind::Set, name + "[0]=7");
    QVERIFY(entry && value);
    session.requestEdits({*entry}, {});
    session.requestEdits({*value}, {});
    QVERIFY(m_window->settle());
    QCOMPARE(session.patches().size(), std::size_t{2});
    QCOMPARE(session.patches()[1].edit->stored, 7.0);
    tick(0, false);
    QCOMPARE(session.patches().size(), std::size_t{2});
    QVERIFY(session.patches()[0].off);
    QVERIFY(session.patches()[1].active);
    QVERIFY(session.patches()[1].edit->stored < 7.0);
    verifyAsPlanned();
    tick(0, true);
    QCOMPARE(session.patches()[1].edit->stored, 7.0);
    verifyAsPlanned();
}

void TestPatchSwitches::randomSwitches()
{
    auto &session = (*m_window)->session();
    std::mt19937 random(4711);
    for (int round = 0; round < 40; ++round) {
        const std::size_t rows = session.patches().size();
        const auto action = random() % 5;
        if (action < 2 || rows == 0) {
            const auto weight = random() % session.bundle()->weights().size();
            const auto elements = session.bundle()->weights()[weight].elements.value;
            session.requestEdits({test::setEdit(*session.bundle(), weight, random() % elements,
                                                int(random() % 19) - 9)},
                                 {});
        } else if (action < 4) {
            const int row = int(random() % rows);
            tick(row, !session.patches()[std::size_t(row)].active);
        } else if (random() % 2) {
            session.undoStack().undo();
        } else {
            session.undoStack().redo();
        }
        QVERIFY(m_window->settle());
        verifyAsPlanned();
        if (QTest::currentTestFailed())
            return;
    }
    session.undoStack().setIndex(0);
    QVERIFY(!(*m_window)->document().modified());
}

void TestPatchSwitches::notesStay()
{
    auto &session = (*m_window)->session();
    session.requestEdits({test::setEdit(*session.bundle(), 1, 0, 9)}, {});
    session.requestEdits({test::setEdit(*session.bundle(), 2, 0, 9)}, {});
    QVERIFY(m_window->settle());
    table().setFocus();
    table().selectRow(1);
    QTest::keyClick(&table(), Qt::Key_F2);
    auto *editor = table().findChild<QLineEdit *>();
    QVERIFY(editor);
    QTest::keyClicks(editor, QStringLiteral("dead channel"));
    QTest::keyClick(editor, Qt::Key_Return);
    QTRY_COMPARE(session.patches()[1].note, "dead channel");
    tick(0, false);
    QCOMPARE(session.patches()[1].note, "dead channel");
    const QString script = ui::patchScript(session.patches());
    QVERIFY(script.startsWith(QStringLiteral("# note: dead channel\nset ")));
    const auto edits = parseEditScript(script.toStdString(), "script");
    QVERIFY(edits);
    QCOMPARE(edits->size(), std::size_t{1});
    QCOMPARE(edits->front().note, "dead channel");
    // Of the same cell again: one step, with the note.
    session.requestEdits({test::setEdit(*session.bundle(), 3, 0, 9)}, {});
    (*m_window)->document().setEditNote(2, QStringLiteral("mine"));
    session.requestEdits({test::setEdit(*session.bundle(), 3, 0, -9)}, {});
    QCOMPARE(session.patches().size(), std::size_t{3});
    QCOMPARE(session.patches()[2].note, "mine");
}

KERNSCOPE_TEST(TestPatchSwitches, QApplication)
#include "tst_patch_switches.moc"
