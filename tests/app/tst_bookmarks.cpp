// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/bookmarks_dock.h"
#include "main_window_fixture.h"
#include "widgets/compare/compare_dock.h"
#include "widgets/compare/hand_pairs.h"

#include <sys/stat.h>

using app::Bookmark;
using app::BookmarkModel;
using app::Bookmarks;
using app::BookmarkStore;
using app::SessionFile;

/// The list of bookmarks, its file, and the dock in the window.
class TestBookmarks : public MainWindowTest
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }

    void fileHoldsAll()
    {
        const Bookmarks all{bookmark(u"w[3,0]"_s, u"odd \u2260 \"quoted\""_s),
                            bookmark(u"weights/weight.bin:0x40"_s, {}, 4096),
                            bookmark({}, u"all"_s)};
        const auto again = VERIFIED(app::parseBookmarks(app::bookmarksJson(u"a.mlmodelc"_s, all)));
        QVERIFY(*again == all);
        QCOMPARE(app::bookmarksText({bookmark(u"w"_s, u"a\tb\nc"_s)}), u"w\ta b c\n"_s);
        QCOMPARE(app::bookmarksText(all), QStringLiteral("w[3,0]\todd \u2260 \"quoted\"\n"
                                                         "weights/weight.bin:0x40, 4,096 bytes\t\n"
                                                         "Overview\tall\n"));
    }

    void damagedFiles_data()
    {
        QTest::addColumn<QByteArray>("json");
        addRow("empty", QByteArray());
        addRow("no json", QByteArray("bookmarks"));
        addRow("another kind", QByteArray("{\"other\": 1}"));
        addRow("newer", QByteArray("{\"kernscope-bookmarks\": 2, \"bookmarks\": []}"));
        addRow("no place",
               QByteArray("{\"kernscope-bookmarks\": 1, \"bookmarks\": [{\"note\": \"x\"}]}"));
    }

    void damagedFiles()
    {
        QFETCH(QByteArray, json);
        const Error read = REFUSED(app::parseBookmarks(json));
        QCOMPARE(QString::fromStdString(read.code), u"bookmarks.syntax"_s);
    }

    void modelAddsRenamesRemovesAndTakesBack()
    {
        BookmarkModel model;
        QAbstractItemModelTester tester(&model);
        int edits = 0;
        connect(&model, &BookmarkModel::edited, this, [&edits] { ++edits; });
        QCOMPARE(model.add(bookmark(u"a"_s, {})), 0);
        QCOMPARE(model.add(bookmark(u"b"_s, {})), 1);
        QCOMPARE(model.add(bookmark(u"a"_s, u"again"_s)), 0);
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(edits, 2);
        const QModelIndex note = model.index(1, model.columnOf("note"));
        QVERIFY(note.flags() & Qt::ItemIsEditable);
        QVERIFY(!(model.index(1, 0).flags() & Qt::ItemIsEditable));
        QVERIFY(model.setData(note, u"  second \n one "_s, Qt::EditRole));
        QCOMPARE(note.data().toString(), u"second one"_s);
        QCOMPARE(model.addAll({bookmark(u"b"_s, {}), bookmark(u"c"_s, {})}), 1);
        model.remove({2, 0, 0, 99});
        QCOMPARE(model.rowCount(), 1);
        QCOMPARE(model.bookmarks().front().place, u"b"_s);
        model.undo(); // of remove
        QCOMPARE(model.rowCount(), 3);
        model.undo(); // of addAll
        model.undo(); // of the note
        QVERIFY(model.index(1, model.columnOf("note")).data().toString().isEmpty());
        model.undo();
        model.undo();
        QVERIFY(!model.canUndo());
        QCOMPARE(model.rowCount(), 0);
    }

    /// What an archive may bring beside a bundle: nothing is waited for, read without an end or
    /// written elsewhere.
    void pipesDevicesAndLinks()
    {
        const QTemporaryDir folder;
        const BookmarkStore store(folder.filePath(u"state"_s));
        const QString a = writeSample(folder.path(), u"dense"_s);
        const QString beside = a + u".kernscope-bookmarks"_s;
        QCOMPARE(::mkfifo(QFile::encodeName(beside).constData(), 0600), 0);
        QVERIFY(!store.load(a));
        QCOMPARE(app::readSession(beside).error().code, "io.open");
        QVERIFY(QFile::remove(beside));
        QVERIFY(QFile::link(u"/dev/zero"_s, beside));
        QVERIFY(!store.load(a));
        QVERIFY(!app::readSession(beside));
        QVERIFY(QFile::remove(beside));
        const QString elsewhere = folder.filePath(u"elsewhere"_s);
        QVERIFY(QFile::link(elsewhere, beside));
        QVERIFY(!store.keepBeside(a, {bookmark(u"x"_s, {})}, true));
        QVERIFY(!QFile::exists(elsewhere));
    }

    void storeKeepsByBundleOrBeside()
    {
        const QTemporaryDir folder;
        const BookmarkStore store(folder.filePath(u"state"_s));
        const QString a = writeSample(folder.path(), u"dense"_s);
        const QString b = writeSample(folder.path(), u"sparse"_s);
        const FileBytes before = filesBelow(a);
        const Bookmarks kept{bookmark(u"x"_s, u"y"_s)};
        QVERIFY(store.load(a) && store.load(a)->isEmpty());
        QVERIFY(store.save(a, kept, {}));
        QVERIFY(*store.load(a) == kept);
        QVERIFY(store.load(b)->isEmpty());
        // The same bundle by another path.
        QVERIFY(*store.load(a + u"/../"_s + QFileInfo(a).fileName()) == kept);
        QVERIFY(!BookmarkStore::isBeside(a));
        QVERIFY(store.keepBeside(a, kept, true));
        QVERIFY(BookmarkStore::isBeside(a) && !QFile::exists(store.fileOf(a)));
        QVERIFY(*store.load(a) == kept);
        QVERIFY(store.save(a, {}, kept));
        QVERIFY(BookmarkStore::isBeside(a) && store.load(a)->isEmpty());
        QVERIFY(store.keepBeside(a, kept, false));
        QVERIFY(!BookmarkStore::isBeside(a) && *store.load(a) == kept);
        QVERIFY(store.save(a, {}, kept));
        QVERIFY(!QFile::exists(store.fileOf(a)));
        QVERIFY(filesBelow(a) == before);
    }

    /// Two windows: what the other one has added stays, what this one has removed is gone.
    void storeKeepsThoseOfAnotherWindow()
    {
        const QTemporaryDir folder;
        const BookmarkStore store(folder.filePath(u"state"_s));
        const QString a = writeSample(folder.path(), u"dense"_s);
        const Bookmark x = bookmark(u"x"_s, {}), y = bookmark(u"y"_s, {}), z = bookmark(u"z"_s, {});
        QVERIFY(store.save(a, {x, y}, {}));
        QVERIFY(store.save(a, {x, y, z}, {x, y}));
        QVERIFY(store.save(a, {x}, {x, y}));
        QVERIFY(*store.load(a) == Bookmarks({x, z}));
    }

    void windowKeepsPlacesAndGoesBack()
    {
        const QString path = sample(u"dense"_s);
        QVERIFY(m_window->open({path}));
        app::BookmarksDock &dock = *docks().bookmarks();
        QAbstractItemModelTester tester(&dock.model());
        QAction *add = actionOf(Qt::CTRL | Qt::Key_D);
        QAction *next = actionOf(Qt::ALT | Qt::Key_PageDown);
        QAction *previous = actionOf(Qt::ALT | Qt::Key_PageUp);
        QVERIFY(add && next && previous && add->isEnabled());

        session().goToElement(1, 5);
        add->trigger();
        session().goToBytes(session().place().file, {FileOffset(0x40), ByteCount(32)});
        const ui::Place bytes = session().place();
        add->trigger();
        add->trigger(); // the same place: no second one
        QCOMPARE(dock.model().rowCount(), 2);
        QVERIFY(m_window->settle());
        QVERIFY(dock.isVisible() && dock.showsContent());
        QVERIFY(dock.model().setData(dock.model().index(0, dock.model().columnOf("note")),
                                     u"here"_s, Qt::EditRole));
        session().goTo({});
        next->trigger(); // from the last one round to the first
        QCOMPARE(session().place().weight, std::size_t(1));
        QCOMPARE(session().place().element.value_or(0), std::uint64_t(5));
        previous->trigger();
        QCOMPARE(session().place().file, bytes.file);
        QVERIFY(session().place().bytes == bytes.bytes);

        // Another bundle has none; this one has them again.
        QVERIFY(m_window->open({sample(u"sparse"_s)}));
        QCOMPARE(dock.model().rowCount(), 0);
        QVERIFY(m_window->open({path}));
        QCOMPARE(dock.model().rowCount(), 2);
        QCOMPARE(dock.model().bookmarks().front().note, u"here"_s);

        const QString file = m_folder->filePath(u"out.json"_s);
        QVERIFY(dock.exportTo(file).isEmpty());
        dock.model().remove({0, 1});
        QVERIFY(dock.importFrom(file).isEmpty());
        QCOMPARE(dock.model().rowCount(), 2);
        QVERIFY(!dock.importFrom(m_folder->filePath(u"none.json"_s)).isEmpty());
    }

    void damagedFileIsLeftAlone()
    {
        const QString path = sample(u"dense"_s);
        const QString file = BookmarkStore::besideOf(path);
        QVERIFY(put(file, "{ not json"));
        QVERIFY(m_window->open({path}));
        app::BookmarksDock &dock = *docks().bookmarks();
        app::DockSet::reveal(&dock);
        QVERIFY(m_window->settle());
        QVERIFY(!dock.showsContent());
        dock.addHere();
        QCOMPARE(dock.model().rowCount(), 0);
        QCOMPARE(contentOf(file), QByteArray("{ not json"));
    }

    void weightsAreKeptByName()
    {
        QVERIFY(m_window->open({sample(u"dense"_s)}));
        app::BookmarksDock &dock = *docks().bookmarks();
        session().goToWeight(1);
        dock.addHere();
        QCOMPARE(dock.model().rowCount(), 1);
        const app::Bookmark &made = dock.model().bookmarks().front();
        QCOMPARE(made.place,
                 QString::fromStdString(session().bundle()->weights()[1].findableName()));
        QCOMPARE(made.bytes, std::uint64_t(0));
    }

    /// A copy becomes the document: its bookmarks are those that were made, and are kept as its
    /// own.
    void savedAsTakesThemAlong()
    {
        const QString path = sample(u"dense"_s);
        const QString copy = m_folder->filePath(u"copy.mlmodelc"_s);
        QVERIFY(m_window->open({path}));
        app::BookmarksDock &dock = *docks().bookmarks();
        session().goToElement(1, 5);
        dock.addHere();
        document().saveAs(copy);
        QVERIFY(m_window->settle());
        QCOMPARE(document().path(), copy);
        QCOMPARE(dock.model().rowCount(), 1);
        session().goToElement(1, 6);
        dock.addHere();
        QVERIFY(m_window->open({path}));
        QCOMPARE(dock.model().rowCount(), 1);
        QVERIFY(m_window->open({copy}));
        QCOMPARE(dock.model().rowCount(), 2);
    }

    // A session as a file: its text, and what the window makes of it.
    void textHoldsAll()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(u"x.kernscope-session"_s);
        const SessionFile session = made(folder.path());
        const auto again = VERIFIED(app::parseSession(app::sessionJson(session, path), path));
        QVERIFY(*again == session);
        QVERIFY(app::writeSession(session, path));
        const auto read = app::readSession(path);
        QVERIFY(read && *read == session);
        QVERIFY(app::isSessionPath(path));
        QVERIFY(!app::isSessionPath(folder.filePath(u"x.json"_s)));
    }

    /// Beside the session the bundle is found first, wherever both are now.
    void bundlesMoveWithIt()
    {
        const QTemporaryDir before, after;
        const QByteArray json =
            app::sessionJson(made(before.path()), before.filePath(u"x.kernscope-session"_s));
        const QString moved = after.filePath(u"x.kernscope-session"_s);
        auto session = VERIFIED(app::parseSession(json, moved));
        QCOMPARE(session->document.path, before.filePath(u"a.mlmodelc"_s));
        QVERIFY(QDir(after.path()).mkpath(u"a.mlmodelc"_s));
        session = VERIFIED(app::parseSession(json, moved));
        QCOMPARE(session->document.path, after.filePath(u"a.mlmodelc"_s));
    }

    void damagedFilesOfSessionFile()
    {
        const QString path = m_folder->filePath(u"x.kernscope-session"_s);
        const QByteArray head = "{\"kernscope-session\": 1, \"document\": {\"path\": \"/a\"}, ";
        for (const auto &[json, field] : std::initializer_list<std::pair<QByteArray, const char *>>{
                 {"", ""},
                 {"{\"other\": 1}", "kernscope-session"},             // another kind
                 {"{\"kernscope-session\": 2}", "kernscope-session"}, // newer
                 {"{\"kernscope-session\": 1}", "document"},
                 {head + "\"pairs\": [\"a\"]}", "pairs"}, // half a pair
                 {head + "\"docks\": [1]}", "docks"},     // no text
                 {head + "\"layouts\": {\"inspect\": \"!\"}}", "layouts"},
                 {head + "\"bookmarks\": []}", "kernscope-bookmarks"}}) {
            const Error session = REFUSED(app::parseSession(json, u"/x.kernscope-session"_s));
            QCOMPARE(session.field, field);
            QVERIFY(put(path, json));
            notices().clear();
            QVERIFY(!noticeText().contains(u"x.kernscope-session"_s));
            (*m_window)->openPaths({path});
            QVERIFY(!document().isOpen());
            QVERIFY2(noticeText().contains(u"x.kernscope-session"_s), json);
        }
    }

    void windowComesBack()
    {
        const QString dense = sample(u"dense"_s);
        const QString sparse = sample(u"sparse"_s);
        const QString path = m_folder->filePath(u"x.kernscope-session"_s);
        QVERIFY(m_window->open({dense, sparse}));
        const QString name = QString::fromStdString(session().bundle()->weights()[1].name);
        (*m_window)->showLayout(app::Layout::Performance);
        session().goToWeight(1);
        docks().bookmarks()->addHere();
        const QString place = docks().bookmarks()->model().bookmarks().front().place;
        ui::PairChoices pairs;
        pairs.leaveDocumentAlone(name);
        docks().compare()->pairs().setChoices(pairs);
        docks().dock(u"bundle"_s)->close();
        QVERIFY(m_window->settle());
        (*m_window)->saveSession(path);
        QVERIFY(QFileInfo::exists(path));
        newWindow();
        QVERIFY(m_window->open({path}));
        QCOMPARE(document().path(), dense);
        QCOMPARE(document().otherPath(), sparse);
        QCOMPARE(layouts().current(), app::Layout::Performance);
        QCOMPARE(session().place().weight, std::size_t(1));
        QVERIFY(docks().dock(u"bundle"_s)->isHidden());
        QCOMPARE(docks().compare()->pairs().choices().names(), (QStringList{name, QString()}));
        const auto &bookmarks = docks().bookmarks()->model().bookmarks();
        QCOMPARE(bookmarks.size(), qsizetype(1));
        QCOMPARE(bookmarks.front().place, place);
        QCOMPARE(m_window->settings().recent().front().path, path);
    }

    void goneFilesAreTold()
    {
        const auto [dense, sparse, path] = savedSession();
        QVERIFY(QDir(dense).removeRecursively());
        QVERIFY(m_window->open({path}));
        QCOMPARE(document().path(), sparse);
        QVERIFY(!session().other());
        QCOMPARE(layouts().current(), app::Layout::Inspect);
        QVERIFY(noticeText().contains(dense));
        QVERIFY(QDir(sparse).removeRecursively());
        newWindow();
        (*m_window)->openPaths({path});
        QVERIFY(!document().isOpen());
        const QString text = noticeText();
        QVERIFY(text.contains(dense) && text.contains(sparse));
    }

    /// The notice asks where a file has gone, one after the other, and the session opens whole.
    void goneFilesAreFound()
    {
        const auto [dense, sparse, path] = savedSession();
        QStringList moved;
        for (const QString &bundle : {dense, sparse}) {
            moved += m_folder->filePath(u"moved%1.mlmodelc"_s.arg(moved.size()));
            QVERIFY(QDir().rename(bundle, moved.back()));
        }
        (*m_window)->openPaths({path});
        for (const QString &now : moved) {
            VERIFIED(answerButton(u"Choose Folder"_s))->click();
            auto *dialog = VERIFIED((*m_window)->findChild<QFileDialog *>());
            Q_EMIT dialog->fileSelected(now);
            delete dialog;
            QVERIFY(m_window->settle());
        }
        QCOMPARE(document().path(), moved[0]);
        QCOMPARE(document().otherPath(), moved[1]);
        QVERIFY2(notices().texts().isEmpty(), qPrintable(notices().texts().join(u' ')));
    }

    void sampleComesBack()
    {
        const QString path = m_folder->filePath(u"x.kernscope-session"_s);
        (*m_window)->openSample(u"sample-dense.mlmodelc"_s, u"sample-palette.mlmodelc"_s);
        QVERIFY(m_window->settle());
        (*m_window)->saveSession(path);
        newWindow();
        QVERIFY(m_window->open({path}));
        QVERIFY(document().inMemory());
        QCOMPARE(document().name(), u"sample-dense.mlmodelc"_s);
        QCOMPARE(document().otherName(), u"sample-palette.mlmodelc"_s);
        QCOMPARE(layouts().current(), app::Layout::Compare);
    }

private:
    /// Two builds of the sample, and the session of a window before that compared them.
    std::array<QString, 3> savedSession()
    {
        const QString path = m_folder->filePath(u"x.kernscope-session"_s);
        std::array<QString, 3> paths{sample(u"dense"_s), sample(u"sparse"_s), path};
        if (!m_window->open({paths[0], paths[1]}))
            qFatal("the samples do not open");
        (*m_window)->saveSession(path);
        newWindow();
        return paths;
    }

    static Bookmark bookmark(const QString &place, const QString &note, std::uint64_t bytes = 0)
    {
        return {place, bytes, note, QDateTime::fromString(u"2026-05-04T03:02:01Z"_s, Qt::ISODate)};
    }

    QAction *actionOf(const QKeySequence &key) const
    {
        const auto actions = (*m_window)->findChildren<QAction *>();
        const auto found = std::ranges::find(actions, key, &QAction::shortcut);
        return found == actions.end() ? nullptr : *found;
    }

    static SessionFile made(const QString &folder)
    {
        SessionFile session;
        session.document.path = folder + u"/a.mlmodelc"_s;
        session.other.sample = u"sample-dense.mlmodelc"_s;
        session.place = u"w[3,0]"_s;
        session.layout = u"compare"_s;
        session.docks = {u"bundle"_s, u"hex"_s};
        session.layouts = {{u"compare"_s, QByteArray("\x00\xff\x01", 3)}};
        session.pairs = {u"w"_s, u"v \u2260"_s};
        session.bookmarks = {
            {u"w"_s, 64, u"odd"_s, QDateTime::fromString(u"2026-05-04T03:02:01Z"_s, Qt::ISODate)}};
        return session;
    }

    QString noticeText() const
    {
        QString text;
        for (const QLabel *label : notices().findChildren<QLabel *>())
            text += label->text() + QLatin1Char('\n');
        return text;
    }
};

KERNSCOPE_TEST(TestBookmarks, QApplication)
#include "tst_bookmarks.moc"
