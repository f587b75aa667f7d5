// SPDX-License-Identifier: GPL-3.0-or-later
// Edits that were not saved when their window was killed.
#include "app/edit_journal.h"
#include "tests/app/document_fixture.h"
#include "tests/test_program.h"
#include "widgets/models/task_manager.h"

#include <climits>
#include <fstream>

#include <signal.h>

using app::Document;
using app::EditJournal;

namespace {

bool idle(const Document &document)
{
    return QTest::qWaitFor([&] { return document.busy() == Document::Busy::Idle; }, 20000);
}

/// What the process that is killed does: edits, one of them switched off, one undone; it says so
/// and waits.
int edit(const QString &path, const QString &state)
{
    ui::Session session;
    Document document(session);
    document.keepEditsIn(state);
    document.open(path);
    if (!idle(document) || !document.isOpen())
        return 1;
    session.setPatchingEnabled(true);
    for (const std::uint64_t element : {0, 1, 2, 3})
        session.requestEdits({setEdit(*session.bundle(), 0, element, 0.5 + double(element))}, {});
    document.setEditNote(1, u"a note"_s);
    document.switchEdit(2, false);
    if (!idle(document))
        return 1;
    session.requestEdits({setEdit(*session.bundle(), 0, 7, 0.25)}, {});
    session.undoStack().undo();
    document.editJournal()->flush();
    std::puts("ready");
    std::fflush(stdout);
    return QCoreApplication::exec();
}

} // namespace

class TestEditJournal : public test::DocumentFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        begin();
        m_document->keepEditsIn(stateFolder());
        m_path = writeSample(m_folder->path(), u"dense"_s);
    }

    void survivesAKill_data()
    {
        QTest::addColumn<int>("number");
        addRow("SIGKILL", SIGKILL);
        addRow("SIGTERM", SIGTERM);
        addRow("SIGHUP", SIGHUP);
    }

    void survivesAKill()
    {
        QFETCH(const int, number);
        QVERIFY(killed(number));
        QVERIFY(open());
        const auto found = left();
        QCOMPARE(found.size(), std::size_t{1});
        QCOMPARE(found[0].edits, 5);
        m_document->makeLeftEdits(found[0].file);
        QTRY_COMPARE(m_session->patches().size(), std::size_t{5});
        QVERIFY(wait());
        const auto &patches = m_session->patches();
        for (std::size_t i = 0; i < 4; ++i) {
            QCOMPARE(patches[i].edit->edit.value, 0.5 + double(i));
            QCOMPARE(patches[i].active, i != 2);
            QCOMPARE(patches[i].off, i == 2);
        }
        QCOMPARE(patches[1].note, "a note");
        QVERIFY(!patches[4].active && !patches[4].off);
        QCOMPARE(patches[4].edit->edit.value, 0.25);
        QVERIFY(m_document->modified());
        // They are this window's now, and in no other file.
        QVERIFY(left().empty());
        QCOMPARE(files().size(), 2); // with its lock
        QVERIFY(save());
        QVERIFY(!m_document->modified());
    }

    /// While a window lives, its edits are its own; offered is what is left to one window only.
    void ofALivingWindow()
    {
        QProcess process;
        QVERIFY(start(process));
        QVERIFY(open());
        QVERIFY(left().empty());
        process.kill();
        QVERIFY(process.waitForFinished());
        QCOMPARE(left().size(), std::size_t{1});
        EditJournal another(stateFolder());
        QVERIFY(another.left(m_path).empty());
        m_document->editJournal()->discard(left()[0].file);
        QVERIFY(left().empty());
        QVERIFY(files().isEmpty());
    }

    /// The file has changed meanwhile: what it takes is made, the rest is told.
    void whatStillFits()
    {
        QVERIFY(killed());
        const QString state = stateFolder() + u"/edits/"_s;
        const QString name = QDir(state).entryList({u"*.edits"_s}, QDir::Files).value(0);
        QVERIFY(append(state + name, "# edit 9 on\nset no_such_weight[0]=1\n"));
        QVERIFY(open());
        QSignalSpy refused(m_session.get(), &ui::Session::editsRefused);
        m_document->makeLeftEdits(left().at(0).file);
        QTRY_COMPARE(refused.size(), 1);
        QVERIFY(wait());
        QCOMPARE(m_session->patches().size(), std::size_t{5});
        QCOMPARE(m_document->keptEdits().size(), std::size_t{1});
    }

    /// The weight is a palette now, which holds other values than those that were shown when the
    /// edits were made: none is made, and each is listed with what it would be.
    void anotherValueIsRefused()
    {
        QVERIFY(killed() && becomesPalette());
        QVERIFY(open());
        QSignalSpy refused(m_session.get(), &ui::Session::editsRefused);
        m_document->makeLeftEdits(left().at(0).file);
        QTRY_COMPARE(refused.size(), 1);
        QVERIFY(wait());
        const auto &error = refused[0][0].value<Error>();
        QCOMPARE(m_document->keptEdits().size(), std::size_t{3}); // all that are not off or undone
        QVERIFY2(error.message.find("0.5 was held as 0.5 and would be held as") !=
                     std::string::npos,
                 error.message.c_str());
        for (const ui::PatchEntry &entry : m_session->patches())
            QVERIFY(entry.off);
        QVERIFY(!m_document->modified());
        // A second kill loses none of them, nor does another edit; with the old file they fit.
        edit(0, 9, 0.125);
        QCOMPARE(m_document->keptEdits().size(), std::size_t{3});
        QVERIFY(QDir(m_path).removeRecursively());
        m_path = writeSample(m_folder->path(), u"dense"_s);
        QVERIFY(restartAndMake());
        std::size_t made = 0;
        for (const ui::PatchEntry &entry : m_session->patches())
            made += entry.active ? 1 : 0;
        QCOMPARE(made, std::size_t{3});                           // and one undone
        QCOMPARE(m_document->keptEdits().size(), std::size_t{1}); // of what the palette made of it
        QVERIFY(left().empty());
    }

    /// What the file refused stays until it is made or forgotten, while the bundle is closed too.
    void refusedStaysUntilForgotten()
    {
        QVERIFY(killed() && becomesPalette());
        QVERIFY(open());
        m_document->makeLeftEdits(left().at(0).file);
        QTRY_COMPARE(m_document->keptEdits().size(), std::size_t{3});
        m_document->close();
        QVERIFY(m_document->keptEdits().empty());
        QVERIFY(open());
        QCOMPARE(left().size(), std::size_t{1});
        QCOMPARE(left()[0].edits, 4);
        m_document->makeLeftEdits(left()[0].file);
        QTRY_COMPARE(m_document->keptEdits().size(), std::size_t{3});
        m_document->forgetKeptEdits();
        m_document->editJournal()->flush();
        QVERIFY(files().isEmpty());
    }

    /// Saved, and undone since: that it was undone is what is unsaved.
    void takenBackSurvives()
    {
        const FileBytes before = filesBelow(m_path);
        QVERIFY(open());
        m_session->setPatchingEnabled(true);
        edit(0, 0, 0.5);
        QVERIFY(save());
        m_session->undoStack().undo();
        QVERIFY(restartAndMake());
        QVERIFY(save());
        QVERIFY(filesBelow(m_path) == before);
    }

    /// The second window is killed as well; an edit of its own stands before the making or after
    /// it, and the making itself may be undone.
    void takenBackSurvivesASecondKill_data()
    {
        addColumns<bool, bool, bool>(); // an edit before, undone, an edit after
        addRow("made", false, false, false);
        addRow("made after an edit", true, false, false);
        addRow("an edit after it", false, false, true);
        addRow("undone", true, true, false);
        addRow("undone, an edit after it", true, true, true);
    }

    void takenBackSurvivesASecondKill()
    {
        const auto [editsBefore, undone, editsAfter] = fetched<bool, bool, bool>();
        QVERIFY(open());
        m_session->setPatchingEnabled(true);
        edit(0, 0, 0.5);
        QVERIFY(save());
        m_session->undoStack().undo();
        m_document->editJournal()->flush();
        restart();
        QVERIFY(open());
        m_session->setPatchingEnabled(true);
        if (editsBefore)
            edit(0, 1, 0.25);
        m_document->makeLeftEdits(left().at(0).file);
        QTRY_COMPARE(m_session->undoStack().count(), editsBefore ? 2 : 1);
        QVERIFY(wait());
        if (undone)
            m_session->undoStack().undo();
        if (editsAfter)
            edit(0, 2, 0.125);
        const auto shown = values();
        QCOMPARE(shown[0] == 0.5F, undone);
        QCOMPARE(shown[1] == 0.25F, editsBefore);
        QCOMPARE(shown[2] == 0.125F, editsAfter);
        QVERIFY(restartAndMake());
        QCOMPARE(values(), shown);
    }

    /// A disk that takes no edits: it is said, and said again when it does.
    void saidWhereNotKept()
    {
        QVERIFY(open());
        const QString folder = stateFolder() + u"/edits"_s;
        m_session->setPatchingEnabled(true);
        QDir().mkpath(stateFolder());
        QVERIFY(put(folder, "no folder"));
        QSignalSpy told(m_document.get(), &Document::editsNotKept);
        const auto edit = [this](double value) {
            m_session->requestEdits({setEdit(*m_session->bundle(), 0, 0, value)}, {});
        };
        edit(0.5);
        QTRY_COMPARE(told.size(), 1);
        QVERIFY(!told[0][0].toString().isEmpty());
        m_session->undoStack().undo(); // nothing is unsaved any more
        QTRY_COMPARE(told.size(), 2);
        QCOMPARE(told[1][0].toString(), QString());
        edit(0.75);
        m_document->editJournal()->flush();
        QVERIFY(QFile::remove(folder));
        edit(1);
        QTRY_COMPARE(told.size(), 4);
        QCOMPARE(told[3][0].toString(), QString());
        QCOMPARE(QDir(folder).entryList({u"*.edits"_s}).size(), 1);
        EditJournal other(stateFolder()); // another window is not offered them
        QVERIFY(other.left(m_path).empty());
    }

    /// What the disk refused is tried again: by itself, and before a reload lets go of the edits.
    void triedAgain_data()
    {
        const auto row = addColumns<bool>();
        row("by itself", false);
        row("before a reload", true);
    }

    void triedAgain()
    {
        const auto [reloads] = fetched<bool>();
        QVERIFY(open());
        m_session->setPatchingEnabled(true);
        edit(0, 0, 0.5);
        m_document->editJournal()->flush();
        const QString folder = stateFolder() + u"/edits"_s;
        QVERIFY(QDir(folder).removeRecursively() && put(folder, "no folder"));
        QSignalSpy told(m_document.get(), &Document::editsNotKept);
        edit(0, 1, 0.25);
        QTRY_COMPARE(told.size(), 1);
        QVERIFY(QFile::remove(folder));
        if (reloads)
            m_document->reload(true); // it has only begun
        else
            QTRY_COMPARE(told.size(), 2);
        QCOMPARE(editsOnDisk(), 2);
        QVERIFY(wait());
        QTRY_COMPARE(told.size(), 2);
        QCOMPARE(told[1][0].toString(), QString());
        const auto shown = values();
        QVERIFY(restartAndMake());
        QCOMPARE(values(), shown);
    }

    /// A kill while edits are made again after a reload finds all of them in the list.
    void wholeWhileMadeAgain()
    {
        constexpr int kEdits = 3;
        QVERIFY(open());
        m_session->setPatchingEnabled(true);
        for (int i = 0; i < kEdits; ++i)
            edit(0, std::uint64_t(i), 0.5);
        m_document->editJournal()->flush();
        int least = kEdits;
        connect(&m_session->undoStack(), &QUndoStack::indexChanged, this, [&] {
            m_document->editJournal()->flush();
            least = std::min(least, editsOnDisk());
        });
        m_document->reload(true);
        QVERIFY(QTest::qWaitFor([this] { return m_document->modified(); }) && wait());
        m_document->editJournal()->flush();
        QCOMPARE(least, kEdits);
        QCOMPARE(editsOnDisk(), kEdits);
        disconnect(&m_session->undoStack(), nullptr, this, nullptr);
    }

    /// A folder whose name has a line feed, and a letter that is not shown.
    void pathOfTwoLines()
    {
        const QString folder = m_folder->filePath(u"two\nlines\u200b"_s);
        QVERIFY(QDir().mkpath(folder));
        m_path = writeSample(folder, u"dense"_s);
        QVERIFY(killed());
        QVERIFY(open());
        QCOMPARE(left().size(), std::size_t{1});
        QCOMPARE(left()[0].bundle, QFileInfo(m_path).canonicalFilePath());
        QCOMPARE(left()[0].edits, 5);
    }

    void goneOnceSaved()
    {
        QVERIFY(open());
        m_session->setPatchingEnabled(true);
        edit(0, 0, 0.5);
        m_document->editJournal()->flush();
        QCOMPARE(files().size(), 2);
        QVERIFY(save());
        m_document->editJournal()->flush();
        QVERIFY(files().isEmpty());
        edit(0, 1, 0.5);
        m_document->editJournal()->flush();
        QCOMPARE(files().size(), 2);
        m_document->close();
        m_document->editJournal()->flush();
        QVERIFY(files().isEmpty());
    }

    void tasksThatThrow()
    {
        QSignalSpy said(m_session.get(), &ui::Session::statusMessage);
        m_session->tasks().start(
            this, u"Reading much"_s,
            [](Progress &) -> bool { throw std::runtime_error("no memory"); }, [](bool) {});
        QTRY_COMPARE(said.size(), 1);
        QVERIFY(said[0][0].toString().contains(u"Reading much"_s));
        QVERIFY(m_session->tasks().idle());
        // Who waits for the result hears of it, and why.
        ui::Job job(m_session->tasks());
        QString ended;
        job.whenCancelled([&] { ended = job.endText(); });
        job.start(
            u"Reading much"_s, [](Progress &) -> bool { throw std::runtime_error("no memory"); },
            [](bool) {});
        QTRY_COMPARE(ended, u"not done: no memory"_s);
        QVERIFY(!job.running());
    }

private:
    /// Runs edit() in a process of its own until that has said that it is ready.
    bool start(QProcess &process) const
    {
        process.start(QCoreApplication::applicationFilePath(),
                      {u"tst_edit_journal"_s, u"--edit"_s, m_path, stateFolder()});
        return process.waitForReadyRead(60000) &&
               process.readAllStandardOutput().trimmed() == "ready";
    }
    bool killed(int number = SIGKILL) const
    {
        QProcess process;
        return start(process) && ::kill(static_cast<pid_t>(process.processId()), number) == 0 &&
               process.waitForFinished();
    }
    /// Another build takes the place of the bundle.
    bool becomesPalette() const
    {
        const QString palette = writeSample(m_folder->path(), u"palette"_s);
        return QDir(m_path).removeRecursively() && QDir().rename(palette, m_path);
    }

    /// The next window opens the bundle and makes the edits that were left.
    bool restartAndMake()
    {
        m_document->editJournal()->flush();
        restart();
        if (!open() || left().size() != 1)
            return false;
        m_document->makeLeftEdits(left()[0].file);
        return QTest::qWaitFor([this] { return m_document->modified(); }) && wait();
    }

    /// Not closed by the user: the file stays.
    void restart()
    {
        m_document.reset();
        m_session = std::make_unique<ui::Session>();
        m_document = std::make_unique<Document>(*m_session);
        m_document->keepEditsIn(stateFolder());
    }
    std::vector<EditJournal::Left> left() const { return m_document->editJournal()->left(m_path); }
    bool open() { return DocumentFixture::open(m_path); }
    std::array<float, 3> values() const
    {
        std::array<float, 3> all{};
        bundle().decoder(0)->decodeFloat(0, all);
        return all;
    }
    QString stateFolder() const { return m_folder->filePath(u"state"_s); }
    /// Of the one list; as many as there are of none.
    int editsOnDisk() const
    {
        const QDir folder(stateFolder() + u"/edits"_s);
        const QString name = folder.entryList({u"*.edits"_s}, QDir::Files).value(0);
        std::ifstream in(folder.filePath(name).toStdString());
        const auto head = readUnsavedHead(in);
        return head ? head->edits : INT_MAX;
    }
    QStringList files() const { return QDir(stateFolder() + u"/edits"_s).entryList(QDir::Files); }
};

static const test::Registered registeredTestEditJournal(__FILE__, [](int argc, char **argv) {
    const QApplication application(argc, argv);
    const QStringList arguments = QCoreApplication::arguments();
    if (arguments.size() == 4 && arguments[1] == QLatin1String("--edit"))
        return edit(arguments[2], arguments[3]);
    TestEditJournal test;
    return QTest::qExec(&test, argc, argv);
});
#include "tst_edit_journal.moc"
