// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/aside.h"
#include "core/patch/edit/script_origin.h"
#include "widgets/patch/edit_line.h"
#include "widgets/patch/edit_preview.h"
#include "widgets/patch/patch_list_model.h"
#include "widgets/patch/patches_dock.h"
#include "window_fixture.h"

#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QTableView>
#include <QUndoStack>

#include <limits>
#include <random>

using namespace kernscope;

class TestPatchesDock : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void modelHolds();
    void addsByKeys();
    void answersWhileTyping();
    void answersFaults_data();
    void answersFaults();
    void refusesLocked();
    void switchesOne();
    void ticksOfTheLast();
    void laterEditsArePlannedAnew();
    void randomSwitches();
    void notesStay();
    void exportsForAnotherCopy();
    void jumps();
    void showsBytes();
    void copiesCommandLine();
    void beginsWithTheSelectedCell();
    void namesTheFunction();
    void quotesForTheShell();
    void scriptMakesTheSameBytes();

private:
    ui::PatchesDock &dock() { return *(*m_window)->docks().patches(); }
    ui::EditLine &line() { return *dock().findChild<ui::EditLine *>(); }
    QTableView &table() { return *dock().findChild<QTableView *>(); }
    QString weightName(std::size_t index)
    {
        return QString::fromStdString((*m_window)->session().bundle()->weights()[index].name);
    }
    void type(const QString &text);
    void tick(int row, bool on);
    void verifyAsPlanned();

    std::unique_ptr<test::TestWindow> m_window;
    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_path;
};

void TestPatchesDock::init()
{
    m_window.reset();
    m_folder = std::make_unique<QTemporaryDir>();
    m_window = std::make_unique<test::TestWindow>();
    m_path = test::writeSample(m_folder->path(), QStringLiteral("palette"));
    QVERIFY(m_window->open({m_path}));
    (*m_window)->layouts().show(app::Layout::Patch);
    (*m_window)->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&**m_window));
    (*m_window)->session().setPatchingEnabled(true);
    QVERIFY(m_window->settle());
}

void TestPatchesDock::type(const QString &text)
{
    line().lineEdit()->setFocus();
    line().lineEdit()->clear();
    QTest::keyClicks(line().lineEdit(), text);
}

void TestPatchesDock::modelHolds()
{
    ui::PatchListModel model;
    const QAbstractItemModelTester tester(&model);
    QCOMPARE(model.rowCount(), 0);
    AppliedEdit edit;
    edit.edit.weight = "w";
    edit.edit.indices = {IndexRange{3, 4, false, true}};
    edit.oldText = "1";
    edit.newText = "2";
    edit.bytes = {{0, FileOffset(16), {std::byte{1}}, {std::byte{2}}}};
    const auto shared = std::make_shared<const AppliedEdit>(edit);
    model.setPatches((*m_window)->session().bundle(), {{shared, 0, true}, {shared, 1, false}});
    QCOMPARE(model.rowCount(), 2);
    QCOMPARE(model.index(0, model.columnOf("active")).data(Qt::CheckStateRole).toInt(),
             int(Qt::Checked));
    QCOMPARE(model.index(1, model.columnOf("active")).data(Qt::CheckStateRole).toInt(),
             int(Qt::Unchecked));
    QCOMPARE(model.index(0, model.columnOf("new")).data().toString(), QStringLiteral("2"));
    QCOMPARE(model.index(0, model.columnOf("bytes")).data().toString(), QStringLiteral("1"));
    for (int column = 0; column < model.columnCount(); ++column)
        QVERIFY(!model.headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString().isEmpty());
    QSignalSpy wanted(&model, &ui::PatchListModel::switchWanted);
    QVERIFY(model.setData(model.index(1, 0), Qt::Checked, Qt::CheckStateRole));
    QCOMPARE(wanted.takeFirst(), (QVariantList{QVariant::fromValue(std::size_t{1}), true}));
    QVERIFY(model.setData(model.index(0, 0), Qt::Unchecked, Qt::CheckStateRole));
    QCOMPARE(wanted.takeFirst(), (QVariantList{QVariant::fromValue(std::size_t{0}), false}));
    model.setPatches(nullptr, {});
    QCOMPARE(model.rowCount(), 0);
}

void TestPatchesDock::addsByKeys()
{
    type(weightName(0) + QStringLiteral("[5]=0.25"));
    QTest::keyClick(line().lineEdit(), Qt::Key_Return);
    QVERIFY((*m_window)->document().modified());
    QVERIFY(m_window->settle());
    QCOMPARE(table().model()->rowCount(), 1);
    QVERIFY(line().lineEdit()->text().isEmpty());
    (*m_window)->session().undoStack().undo();
    QVERIFY(!(*m_window)->document().modified());
}

void TestPatchesDock::answersWhileTyping()
{
    const auto weight = test::weightWith(*(*m_window)->session().bundle(), codec::PartRole::Lut);
    QVERIFY(weight != kNoIndex);
    type(weightName(weight) + QStringLiteral("[0]=0.12345"));
    QTRY_VERIFY(line().answer().contains(QStringLiteral("0.12345")));
    QVERIFY(line().answer().contains(QStringLiteral("entry")));
    QVERIFY(!(*m_window)->document().modified());
}

void TestPatchesDock::answersFaults_data()
{
    QTest::addColumn<QString>("text");
    QTest::newRow("no value") << "%1[0]";
    QTest::newRow("no weight") << "nothing[0]=1";
    QTest::newRow("past the end") << "%1[99999999]=1";
    QTest::newRow("too many axes") << "%1[0,0,0,0,0,0,0]=1";
    QTest::newRow("no number") << "%1[0]=abc";
}

void TestPatchesDock::answersFaults()
{
    QFETCH(QString, text);
    if (text.contains(QLatin1String("%1")))
        text = text.arg(weightName(0));
    type(text);
    QTRY_VERIFY(line().answer().startsWith(QStringLiteral("\u2715")));
    QTest::keyClick(line().lineEdit(), Qt::Key_Return);
    QVERIFY(line().answer().startsWith(QStringLiteral("\u2715")));
    QVERIFY(!(*m_window)->document().modified());
    QCOMPARE(line().lineEdit()->text(), text); // to be mended
}

void TestPatchesDock::refusesLocked()
{
    (*m_window)->session().setPatchingEnabled(false);
    type(weightName(0) + QStringLiteral("[5]=0.25"));
    QTest::keyClick(line().lineEdit(), Qt::Key_Return);
    QVERIFY(!(*m_window)->document().modified());
    QVERIFY(line().answer().startsWith(QStringLiteral("\u2715")));
    QCOMPARE((*m_window)->notices().texts().size(), 1);
}

/// The bytes that planning the active edits on the file as it is on disk makes.
void TestPatchesDock::verifyAsPlanned()
{
    const ui::Session &session = (*m_window)->session();
    const auto fresh = Bundle::open(m_path.toStdString());
    QVERIFY(fresh);
    std::vector<Edit> edits;
    for (const ui::PatchEntry &entry : session.patches()) {
        if (entry.active)
            edits.push_back(entry.edit->edit);
    }
    BundlePtr planned = *fresh;
    if (!edits.empty()) {
        auto made = planOnFork(*fresh, edits, std::numeric_limits<double>::infinity());
        QVERIFY2(made, made ? "" : describe(made.error()).c_str());
        planned = made->bundle;
    }
    const auto &files = session.bundle()->files();
    QCOMPARE(files.size(), planned->files().size());
    for (std::size_t i = 0; i < files.size(); ++i) {
        const auto ours = files[i].file->bytes(), theirs = planned->files()[i].file->bytes();
        QVERIFY2(std::equal(ours.begin(), ours.end(), theirs.begin(), theirs.end()),
                 files[i].path.c_str());
    }
}

void TestPatchesDock::tick(int row, bool on)
{
    table().model()->setData(table().model()->index(row, 0), on ? Qt::Checked : Qt::Unchecked,
                             Qt::CheckStateRole);
    QTRY_COMPARE((*m_window)->document().busy(), app::Document::Busy::Idle);
    QVERIFY(m_window->settle());
}

void TestPatchesDock::switchesOne()
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

/// The last edit is undone, and what is undone is redone.
void TestPatchesDock::ticksOfTheLast()
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
void TestPatchesDock::laterEditsArePlannedAnew()
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

void TestPatchesDock::randomSwitches()
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

void TestPatchesDock::notesStay()
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

/// What is exported makes the same bundle of the file on disk, and refuses another.
void TestPatchesDock::exportsForAnotherCopy()
{
    auto &session = (*m_window)->session();
    session.requestEdits({test::setEdit(*session.bundle(), 1, 7, 0.3337)}, {});
    session.requestEdits({test::setEdit(*session.bundle(), 0, 7, 0.3337)}, {});
    QVERIFY(m_window->settle());
    const QString path = m_folder->filePath(QStringLiteral("made.kpatch"));
    dock().exportTo(path);
    QVERIFY(m_window->settle());
    QTRY_VERIFY(QFile::exists(path));
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const std::string text = file.readAll().toStdString();
    const patch::ScriptOrigin origin = patch::scriptOrigin(text);
    QCOMPARE(origin.base.size(), std::size_t{64});
    const auto fresh = Bundle::open(m_path.toStdString());
    QVERIFY(fresh);
    QVERIFY(patch::checkBase(origin, **fresh, "made.kpatch"));
    QVERIFY(!patch::checkBase(origin, *session.bundle(), "made.kpatch"));
    const auto edits = parseEditScript(text, "made.kpatch");
    QVERIFY(edits);
    const auto planned = planOnFork(*fresh, *edits, 0);
    QVERIFY(planned);
    QVERIFY(patch::checkResult(origin, *planned->bundle, "made.kpatch"));
}

void TestPatchesDock::jumps()
{
    auto &session = (*m_window)->session();
    session.requestEdits({test::setEdit(*session.bundle(), 1, 7, 9)}, {});
    QVERIFY(m_window->settle());
    session.goToWeight(0);
    table().setFocus();
    table().selectRow(0);
    QTest::keyClick(&table(), Qt::Key_Return);
    QCOMPARE(session.place().weight, std::size_t{1});
    QCOMPARE(session.place().element.value(), std::uint64_t{7});
    QVERIFY(session.place().bytes);
    session.undoStack().undo();
}

void TestPatchesDock::showsBytes()
{
    auto &session = (*m_window)->session();
    session.requestEdits({test::setEdit(*session.bundle(), 1, 7, 9)}, {});
    QVERIFY(m_window->settle());
    const auto *bytes = dock().findChild<QPlainTextEdit *>();
    QVERIFY(bytes->toPlainText().contains(QStringLiteral("weight.bin+0x")));
    session.undoStack().undo();
}

void TestPatchesDock::copiesCommandLine()
{
    auto &session = (*m_window)->session();
    session.requestEdits({test::setEdit(*session.bundle(), 1, 7, 9)}, {});
    QVERIFY(m_window->settle());
    for (QAction *action : dock().menuActions()) {
        if (action->text().contains(QStringLiteral("Command Line")))
            action->trigger();
    }
    const QString text = QGuiApplication::clipboard()->text();
    QVERIFY(text.startsWith(QStringLiteral("kernscope-cli patch '%1' --set '").arg(m_path)));
    QVERIFY(text.endsWith(QStringLiteral("--in-place")));
    session.undoStack().undo();
}

void TestPatchesDock::beginsWithTheSelectedCell()
{
    auto &session = (*m_window)->session();
    session.goToElement(1, 0);
    dock().beginEdit();
    const QString text = line().lineEdit()->text();
    QVERIFY(text.startsWith(weightName(1) + QLatin1Char('[')));
    QVERIFY(text.endsWith(QLatin1Char('=')));
    QVERIFY(line().lineEdit()->hasFocus());
    QVERIFY(parseEdit(Edit::Kind::Set, (text + QStringLiteral("1")).toStdString()));
}

/// A weight whose name another function has as well is meant by its address.
void TestPatchesDock::namesTheFunction()
{
    app::MemoryBundle bundle;
    for (const sample::SampleBundle &made : sample::bundles()) {
        if (made.name == "sample-dense.mlmodelc")
            bundle = {made.name, made.files};
    }
    for (auto &[path, content] : bundle.files) {
        if (path != "model.mil")
            continue;
        std::string text(reinterpret_cast<const char *>(content.data()), content.size());
        const auto begin = text.find("func main"), end = text.rfind('}');
        std::string copy = text.substr(begin, end - begin);
        copy.replace(0, std::string_view("func main").size(), "func second");
        text.insert(end, copy);
        const auto bytes = std::as_bytes(std::span(text));
        content.assign(bytes.begin(), bytes.end());
    }
    (*m_window)->document().openMemory(std::move(bundle));
    QVERIFY(m_window->settle());
    ui::Session &session = (*m_window)->session();
    const std::size_t last = session.bundle()->weights().size() - 1;
    QVERIFY(session.bundle()->weights()[last].sharesName);
    session.setPatchingEnabled(true);
    session.goToElement(last, 0);
    dock().beginEdit();
    QVERIFY(line().lineEdit()->text().startsWith(QStringLiteral("second/")));
    QTest::keyClicks(line().lineEdit(), QStringLiteral("0.5"));
    QTest::keyClick(line().lineEdit(), Qt::Key_Return);
    QVERIFY(m_window->settle());
    QCOMPARE(session.patches().size(), std::size_t{1});
}

void TestPatchesDock::quotesForTheShell()
{
    QCOMPARE(ui::patchCommandLine(QStringLiteral("a b's"), {}),
             QStringLiteral("kernscope-cli patch 'a b'\\''s' --in-place"));
}

/// What is copied holds without a tolerance, though the values asked for are not held.
void TestPatchesDock::scriptMakesTheSameBytes()
{
    auto &session = (*m_window)->session();
    for (std::size_t weight = 0; weight < session.bundle()->weights().size(); ++weight)
        session.requestEdits({test::setEdit(*session.bundle(), weight, 2, 0.3337)}, {});
    QVERIFY(session.patches().size() > 1);
    const QString script = ui::patchScript(session.patches());
    const auto edits = parseEditScript(script.toStdString(), "script");
    QVERIFY(edits);
    QCOMPARE(edits->size(), session.patches().size());
    const std::vector<ui::PatchEntry> made = session.patches();
    session.undoStack().setIndex(0);
    const auto planned = planEdits(session.bundle(), *edits, 0);
    QVERIFY2(planned, planned ? "" : describe(planned.error()).c_str());
    for (std::size_t i = 0; i < made.size(); ++i) {
        QCOMPARE((*planned)[i].bytes.size(), made[i].edit->bytes.size());
        for (std::size_t run = 0; run < made[i].edit->bytes.size(); ++run) {
            QVERIFY((*planned)[i].bytes[run].offset == made[i].edit->bytes[run].offset);
            QVERIFY((*planned)[i].bytes[run].after == made[i].edit->bytes[run].after);
        }
    }
}

QTEST_MAIN(TestPatchesDock)
#include "tst_patches_dock.moc"
