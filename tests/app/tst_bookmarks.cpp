// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/bookmarks_dock.h"
#include "app/session_file.h"
#include "tests/test_program.h"
#include "widgets/compare/compare_dock.h"
#include "window_fixture.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QDir>
#include <QFileDialog>
#include <QLabel>
#include <QMenuBar>
#include <QPushButton>
#include <QTableView>

#include <sys/stat.h>

using namespace kernscope;
using app::Bookmark;
using app::BookmarkModel;
using app::Bookmarks;
using app::BookmarkStore;
using app::SessionFile;

/// The list of bookmarks, its file, and the dock in the window.
class TestBookmarks : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void fileHoldsAll();
    void damagedFiles_data();
    void damagedFiles();
    void modelAddsRenamesRemovesAndTakesBack();
    void pipesDevicesAndLinks();
    void storeKeepsByBundleOrBeside();
    void windowKeepsPlacesAndGoesBack();
    void damagedFileIsLeftAlone();
    void weightsAreKeptByName();
    void savedAsTakesThemAlong();

    // A session as a file: its text, and what the window makes of it.
    void textHoldsAll();
    void bundlesMoveWithIt();
    void damagedFilesOfSessionFile_data();
    void damagedFilesOfSessionFile();
    void windowComesBack();
    void goneFilesAreTold();
    void goneFilesAreFound();
    void sampleComesBack();

private:
    static Bookmark bookmark(const QString &place, const QString &note, std::uint64_t bytes = 0);
    static QAction *actionOf(const app::MainWindow &window, const QKeySequence &key);
    static SessionFile made(const QString &folder);
    static QString noticeText(app::MainWindow &window);
};

Bookmark TestBookmarks::bookmark(const QString &place, const QString &note, std::uint64_t bytes)
{
    return {place, bytes, note, QDateTime(QDate(2026, 5, 4), QTime(3, 2, 1), Qt::UTC)};
}

QAction *TestBookmarks::actionOf(const app::MainWindow &window, const QKeySequence &key)
{
    for (QAction *menu : window.menuBar()->actions()) {
        for (QAction *action : menu->menu() ? menu->menu()->actions() : QList<QAction *>()) {
            if (action->shortcut() == key)
                return action;
        }
    }
    return nullptr;
}

void TestBookmarks::fileHoldsAll()
{
    const Bookmarks all{bookmark(QStringLiteral("w[3,0]"), QStringLiteral("odd \u2260 \"quoted\"")),
                        bookmark(QStringLiteral("weights/weight.bin:0x40"), {}, 4096),
                        bookmark({}, QStringLiteral("all"))};
    const auto again = app::parseBookmarks(app::bookmarksJson(QStringLiteral("a.mlmodelc"), all));
    QVERIFY(again);
    QVERIFY(*again == all);
    QCOMPARE(app::bookmarksText({bookmark(QStringLiteral("w"), QStringLiteral("a\tb\nc"))}),
             QStringLiteral("w\ta b c\n"));
    QCOMPARE(app::bookmarksText(all), QStringLiteral("w[3,0]\todd \u2260 \"quoted\"\n"
                                                     "weights/weight.bin:0x40, 4,096 bytes\t\n"
                                                     "Overview\tall\n"));
}

void TestBookmarks::damagedFiles_data()
{
    QTest::addColumn<QByteArray>("json");
    QTest::newRow("empty") << QByteArray();
    QTest::newRow("no json") << QByteArray("bookmarks");
    QTest::newRow("another kind") << QByteArray("{\"other\": 1}");
    QTest::newRow("newer") << QByteArray("{\"kernscope-bookmarks\": 2, \"bookmarks\": []}");
    QTest::newRow("no place") << QByteArray(
        "{\"kernscope-bookmarks\": 1, \"bookmarks\": [{\"note\": \"x\"}]}");
}

void TestBookmarks::damagedFiles()
{
    QFETCH(QByteArray, json);
    const auto read = app::parseBookmarks(json);
    QVERIFY(!read);
    QCOMPARE(QString::fromStdString(read.error().code), QStringLiteral("bookmarks.syntax"));
}

void TestBookmarks::modelAddsRenamesRemovesAndTakesBack()
{
    BookmarkModel model;
    QAbstractItemModelTester tester(&model);
    int edits = 0;
    connect(&model, &BookmarkModel::edited, this, [&edits] { ++edits; });
    QCOMPARE(model.add(bookmark(QStringLiteral("a"), {})), 0);
    QCOMPARE(model.add(bookmark(QStringLiteral("b"), {})), 1);
    QCOMPARE(model.add(bookmark(QStringLiteral("a"), QStringLiteral("again"))), 0);
    QCOMPARE(model.rowCount(), 2);
    QCOMPARE(edits, 2);
    const QModelIndex note = model.index(1, model.columnOf("note"));
    QVERIFY(note.flags() & Qt::ItemIsEditable);
    QVERIFY(!(model.index(1, 0).flags() & Qt::ItemIsEditable));
    QVERIFY(model.setData(note, QStringLiteral("  second \n one "), Qt::EditRole));
    QCOMPARE(note.data().toString(), QStringLiteral("second one"));
    QCOMPARE(model.addAll({bookmark(QStringLiteral("b"), {}), bookmark(QStringLiteral("c"), {})}),
             1);
    model.remove({2, 0, 0, 99});
    QCOMPARE(model.rowCount(), 1);
    QCOMPARE(model.bookmarks().front().place, QStringLiteral("b"));
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

/// What an archive may bring beside a bundle: nothing is waited for, read without an end or written
/// elsewhere.
void TestBookmarks::pipesDevicesAndLinks()
{
    const QTemporaryDir folder;
    const BookmarkStore store(folder.filePath(QStringLiteral("state")));
    const QString a = test::writeSample(folder.path(), QStringLiteral("dense"));
    const QString beside = a + QStringLiteral(".kernscope-bookmarks");
    QCOMPARE(::mkfifo(QFile::encodeName(beside).constData(), 0600), 0);
    QVERIFY(!store.load(a));
    QCOMPARE(app::readSession(beside).error().code, std::string("io.open"));
    QVERIFY(QFile::remove(beside));
    QVERIFY(QFile::link(QStringLiteral("/dev/zero"), beside));
    QVERIFY(!store.load(a));
    QVERIFY(!app::readSession(beside));
    QVERIFY(QFile::remove(beside));
    const QString elsewhere = folder.filePath(QStringLiteral("elsewhere"));
    QVERIFY(QFile::link(elsewhere, beside));
    QVERIFY(!store.keepBeside(a, {bookmark(QStringLiteral("x"), {})}, true));
    QVERIFY(!QFile::exists(elsewhere));
}

void TestBookmarks::storeKeepsByBundleOrBeside()
{
    const QTemporaryDir folder;
    const BookmarkStore store(folder.filePath(QStringLiteral("state")));
    const QString a = test::writeSample(folder.path(), QStringLiteral("dense"));
    const QString b = test::writeSample(folder.path(), QStringLiteral("sparse"));
    const test::FileBytes before = test::bytesOf(a);
    const Bookmarks kept{bookmark(QStringLiteral("x"), QStringLiteral("y"))};
    QVERIFY(store.load(a) && store.load(a)->isEmpty());
    QVERIFY(store.save(a, kept));
    QVERIFY(*store.load(a) == kept);
    QVERIFY(store.load(b)->isEmpty());
    // The same bundle by another path.
    QVERIFY(*store.load(a + QStringLiteral("/../") + QFileInfo(a).fileName()) == kept);
    QVERIFY(!BookmarkStore::isBeside(a));
    QVERIFY(store.keepBeside(a, kept, true));
    QVERIFY(BookmarkStore::isBeside(a) && !QFile::exists(store.fileOf(a)));
    QVERIFY(*store.load(a) == kept);
    QVERIFY(store.save(a, {}));
    QVERIFY(BookmarkStore::isBeside(a) && store.load(a)->isEmpty());
    QVERIFY(store.keepBeside(a, kept, false));
    QVERIFY(!BookmarkStore::isBeside(a) && *store.load(a) == kept);
    QVERIFY(store.save(a, {}));
    QVERIFY(!QFile::exists(store.fileOf(a)));
    QVERIFY(test::bytesOf(a) == before);
}

void TestBookmarks::windowKeepsPlacesAndGoesBack()
{
    const QTemporaryDir folder;
    const QString path = test::writeSample(folder.path(), QStringLiteral("dense"));
    test::TestWindow window;
    QVERIFY(QTest::qWaitForWindowExposed(&*window));
    QVERIFY(window.open({path}));
    QVERIFY(window.settle());
    app::BookmarksDock &dock = *window->docks().bookmarks();
    QAbstractItemModelTester tester(&dock.model());
    ui::Session &session = window->session();
    QAction *add = actionOf(*window, Qt::CTRL | Qt::Key_D);
    QAction *next = actionOf(*window, Qt::ALT | Qt::Key_PageDown);
    QAction *previous = actionOf(*window, Qt::ALT | Qt::Key_PageUp);
    QVERIFY(add && next && previous && add->isEnabled());

    session.goToElement(1, 5);
    add->trigger();
    session.goToBytes(session.place().file, {FileOffset(0x40), ByteCount(32)});
    const ui::Place bytes = session.place();
    add->trigger();
    add->trigger(); // the same place: no second one
    QCOMPARE(dock.model().rowCount(), 2);
    QVERIFY(window.settle());
    QVERIFY(dock.isVisible() && dock.showsContent());
    QVERIFY(dock.model().setData(dock.model().index(0, dock.model().columnOf("note")),
                                 QStringLiteral("here"), Qt::EditRole));
    session.goTo({});
    next->trigger(); // from the last one round to the first
    QCOMPARE(session.place().weight, std::size_t(1));
    QCOMPARE(session.place().element.value_or(0), std::uint64_t(5));
    previous->trigger();
    QCOMPARE(session.place().file, bytes.file);
    QVERIFY(session.place().bytes == bytes.bytes);

    // Another bundle has none; this one has them again.
    QVERIFY(window.open({test::writeSample(folder.path(), QStringLiteral("sparse"))}));
    QCOMPARE(dock.model().rowCount(), 0);
    QVERIFY(window.open({path}));
    QCOMPARE(dock.model().rowCount(), 2);
    QCOMPARE(dock.model().bookmarks().front().note, QStringLiteral("here"));

    const QString file = folder.filePath(QStringLiteral("out.json"));
    QVERIFY(dock.exportTo(file).isEmpty());
    dock.model().remove({0, 1});
    QVERIFY(dock.importFrom(file).isEmpty());
    QCOMPARE(dock.model().rowCount(), 2);
    QVERIFY(!dock.importFrom(folder.filePath(QStringLiteral("none.json"))).isEmpty());
}

void TestBookmarks::damagedFileIsLeftAlone()
{
    const QTemporaryDir folder;
    const QString path = test::writeSample(folder.path(), QStringLiteral("dense"));
    QFile file(BookmarkStore::besideOf(path));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("{ not json");
    file.close();
    test::TestWindow window;
    QVERIFY(QTest::qWaitForWindowExposed(&*window));
    QVERIFY(window.open({path}));
    app::BookmarksDock &dock = *window->docks().bookmarks();
    app::DockSet::reveal(&dock);
    QVERIFY(window.settle());
    QVERIFY(!dock.showsContent());
    dock.addHere();
    QCOMPARE(dock.model().rowCount(), 0);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll(), QByteArray("{ not json"));
}

void TestBookmarks::weightsAreKeptByName()
{
    const QTemporaryDir folder;
    test::TestWindow window;
    QVERIFY(QTest::qWaitForWindowExposed(&*window));
    QVERIFY(window.open({test::writeSample(folder.path(), QStringLiteral("dense"))}));
    ui::Session &session = window->session();
    app::BookmarksDock &dock = *window->docks().bookmarks();
    session.goToWeight(1);
    dock.addHere();
    QCOMPARE(dock.model().rowCount(), 1);
    const app::Bookmark &made = dock.model().bookmarks().front();
    QCOMPARE(made.place, QString::fromStdString(session.bundle()->weights()[1].findableName()));
    QCOMPARE(made.bytes, std::uint64_t(0));
}

/// A copy becomes the document: its bookmarks are those that were made, and are kept as its own.
void TestBookmarks::savedAsTakesThemAlong()
{
    const QTemporaryDir folder;
    const QString path = test::writeSample(folder.path(), QStringLiteral("dense"));
    const QString copy = folder.filePath(QStringLiteral("copy.mlmodelc"));
    test::TestWindow window;
    QVERIFY(QTest::qWaitForWindowExposed(&*window));
    QVERIFY(window.open({path}));
    app::BookmarksDock &dock = *window->docks().bookmarks();
    window->session().goToElement(1, 5);
    dock.addHere();
    window->document().saveAs(copy);
    QVERIFY(window.settle());
    QCOMPARE(window->document().path(), copy);
    QCOMPARE(dock.model().rowCount(), 1);
    window->session().goToElement(1, 6);
    dock.addHere();
    QVERIFY(window.open({path}));
    QCOMPARE(dock.model().rowCount(), 1);
    QVERIFY(window.open({copy}));
    QCOMPARE(dock.model().rowCount(), 2);
}

SessionFile TestBookmarks::made(const QString &folder)
{
    SessionFile session;
    session.document.path = folder + QStringLiteral("/a.mlmodelc");
    session.other.sample = QStringLiteral("sample-dense.mlmodelc");
    session.place = QStringLiteral("w[3,0]");
    session.layout = QStringLiteral("compare");
    session.docks = {QStringLiteral("bundle"), QStringLiteral("hex")};
    session.layouts = {{QStringLiteral("compare"), QByteArray("\x00\xff\x01", 3)}};
    session.pairs = {QStringLiteral("w"), QStringLiteral("v \u2260")};
    session.bookmarks = {{QStringLiteral("w"), 64, QStringLiteral("odd"),
                          QDateTime(QDate(2026, 5, 4), QTime(3, 2, 1), Qt::UTC)}};
    return session;
}

QString TestBookmarks::noticeText(app::MainWindow &window)
{
    QString text;
    for (const QLabel *label : window.notices().findChildren<QLabel *>())
        text += label->text() + QLatin1Char('\n');
    return text;
}

void TestBookmarks::textHoldsAll()
{
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("x.kernscope-session"));
    const SessionFile session = made(folder.path());
    const auto again = app::parseSession(app::sessionJson(session, path), path);
    QVERIFY(again);
    QVERIFY(*again == session);
    QVERIFY(app::writeSession(session, path));
    const auto read = app::readSession(path);
    QVERIFY(read && *read == session);
    QVERIFY(app::isSessionPath(path));
    QVERIFY(!app::isSessionPath(folder.filePath(QStringLiteral("x.json"))));
}

/// Beside the session the bundle is found first, wherever both are now.
void TestBookmarks::bundlesMoveWithIt()
{
    const QTemporaryDir before, after;
    const QByteArray json = app::sessionJson(
        made(before.path()), before.filePath(QStringLiteral("x.kernscope-session")));
    const QString moved = after.filePath(QStringLiteral("x.kernscope-session"));
    auto session = app::parseSession(json, moved);
    QVERIFY(session);
    QCOMPARE(session->document.path, before.filePath(QStringLiteral("a.mlmodelc")));
    QVERIFY(QDir(after.path()).mkpath(QStringLiteral("a.mlmodelc")));
    session = app::parseSession(json, moved);
    QVERIFY(session);
    QCOMPARE(session->document.path, after.filePath(QStringLiteral("a.mlmodelc")));
}

void TestBookmarks::damagedFilesOfSessionFile_data()
{
    QTest::addColumn<QByteArray>("json");
    QTest::addColumn<QString>("field");
    const QByteArray head = "{\"kernscope-session\": 1, \"document\": {\"path\": \"/a\"}, ";
    QTest::newRow("empty") << QByteArray() << QString();
    QTest::newRow("another kind") << QByteArray("{\"other\": 1}")
                                  << QStringLiteral("kernscope-session");
    QTest::newRow("newer") << QByteArray("{\"kernscope-session\": 2}")
                           << QStringLiteral("kernscope-session");
    QTest::newRow("no document") << QByteArray("{\"kernscope-session\": 1}")
                                 << QStringLiteral("document");
    QTest::newRow("half a pair") << head + "\"pairs\": [\"a\"]}" << QStringLiteral("pairs");
    QTest::newRow("no text") << head + "\"docks\": [1]}" << QStringLiteral("docks");
    QTest::newRow("layout") << head + "\"layouts\": {\"inspect\": \"!\"}}"
                            << QStringLiteral("layouts");
    QTest::newRow("bookmarks") << head + "\"bookmarks\": []}"
                               << QStringLiteral("kernscope-bookmarks");
}

void TestBookmarks::damagedFilesOfSessionFile()
{
    QFETCH(QByteArray, json);
    QFETCH(QString, field);
    const auto session = app::parseSession(json, QStringLiteral("/x.kernscope-session"));
    QVERIFY(!session);
    QCOMPARE(QString::fromStdString(session.error().field), field);
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("x.kernscope-session"));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(json);
    file.close();
    test::TestWindow window;
    window->openPaths({path});
    QVERIFY(!window->document().isOpen());
    QVERIFY(noticeText(*window).contains(QStringLiteral("x.kernscope-session")));
}

void TestBookmarks::windowComesBack()
{
    const QTemporaryDir folder;
    const QString dense = test::writeSample(folder.path(), QStringLiteral("dense"));
    const QString sparse = test::writeSample(folder.path(), QStringLiteral("sparse"));
    const QString path = folder.filePath(QStringLiteral("x.kernscope-session"));
    QString name, place;
    {
        test::TestWindow window;
        QVERIFY(window.open({dense, sparse}));
        name = QString::fromStdString(window->session().bundle()->weights()[1].name);
        window->showLayout(app::Layout::Performance);
        window->session().goToWeight(1);
        window->docks().bookmarks()->addHere();
        place = window->docks().bookmarks()->model().bookmarks().front().place;
        ui::PairChoices pairs;
        pairs.leaveDocumentAlone(name);
        window->docks().compare()->setChoices(pairs);
        window->docks().dock(QStringLiteral("bundle"))->close();
        QVERIFY(window.settle());
        window->saveSession(path);
        QVERIFY(QFileInfo::exists(path));
    }
    test::TestWindow window; // with settings and a state of its own
    QVERIFY(window.open({path}));
    QCOMPARE(window->document().path(), dense);
    QCOMPARE(window->document().otherPath(), sparse);
    QCOMPARE(window->layouts().current(), app::Layout::Performance);
    QCOMPARE(window->session().place().weight, std::size_t(1));
    QVERIFY(window->docks().dock(QStringLiteral("bundle"))->isHidden());
    QCOMPARE(window->docks().compare()->choices().names(), (QStringList{name, QString()}));
    const auto &bookmarks = window->docks().bookmarks()->model().bookmarks();
    QCOMPARE(bookmarks.size(), qsizetype(1));
    QCOMPARE(bookmarks.front().place, place);
    QCOMPARE(window.settings().recent().front().path, path);
}

void TestBookmarks::goneFilesAreTold()
{
    const QTemporaryDir folder;
    const QString dense = test::writeSample(folder.path(), QStringLiteral("dense"));
    const QString sparse = test::writeSample(folder.path(), QStringLiteral("sparse"));
    const QString path = folder.filePath(QStringLiteral("x.kernscope-session"));
    {
        test::TestWindow window;
        QVERIFY(window.open({dense, sparse}));
        window->saveSession(path);
    }
    QVERIFY(QDir(dense).removeRecursively());
    {
        test::TestWindow window;
        QVERIFY(window.open({path}));
        QCOMPARE(window->document().path(), sparse);
        QVERIFY(!window->session().other());
        QCOMPARE(window->layouts().current(), app::Layout::Inspect);
        QVERIFY(noticeText(*window).contains(dense));
    }
    QVERIFY(QDir(sparse).removeRecursively());
    test::TestWindow window;
    window->openPaths({path});
    QVERIFY(!window->document().isOpen());
    const QString text = noticeText(*window);
    QVERIFY(text.contains(dense) && text.contains(sparse));
}

/// The notice asks where a file has gone, one after the other, and the session opens whole.
void TestBookmarks::goneFilesAreFound()
{
    const QTemporaryDir folder;
    const QString dense = test::writeSample(folder.path(), QStringLiteral("dense"));
    const QString sparse = test::writeSample(folder.path(), QStringLiteral("sparse"));
    const QString path = folder.filePath(QStringLiteral("x.kernscope-session"));
    {
        test::TestWindow window;
        QVERIFY(window.open({dense, sparse}));
        window->saveSession(path);
    }
    QStringList moved;
    for (const QString &bundle : {dense, sparse}) {
        moved += folder.filePath(QStringLiteral("moved%1.mlmodelc").arg(moved.size()));
        QVERIFY(QDir().rename(bundle, moved.back()));
    }
    test::TestWindow window;
    window->openPaths({path});
    for (const QString &now : moved) {
        QPushButton *choose = nullptr;
        for (auto *button : window->notices().findChildren<QPushButton *>()) {
            if (!button->isHidden() && button->text().startsWith(QStringLiteral("Choose Folder")))
                choose = button;
        }
        QVERIFY(choose);
        choose->click();
        auto *dialog = window->findChild<QFileDialog *>();
        QVERIFY(dialog);
        Q_EMIT dialog->fileSelected(now);
        delete dialog;
        QVERIFY(window.settle());
    }
    QCOMPARE(window->document().path(), moved[0]);
    QCOMPARE(window->document().otherPath(), moved[1]);
    QVERIFY2(window->notices().texts().isEmpty(), qPrintable(window->notices().texts().join(u' ')));
}

void TestBookmarks::sampleComesBack()
{
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("x.kernscope-session"));
    {
        test::TestWindow window;
        window->openSample(QStringLiteral("sample-dense.mlmodelc"),
                           QStringLiteral("sample-palette.mlmodelc"));
        QVERIFY(window.settle());
        window->saveSession(path);
    }
    test::TestWindow window;
    QVERIFY(window.open({path}));
    QVERIFY(window->document().inMemory());
    QCOMPARE(window->document().name(), QStringLiteral("sample-dense.mlmodelc"));
    QCOMPARE(window->document().otherName(), QStringLiteral("sample-palette.mlmodelc"));
    QCOMPARE(window->layouts().current(), app::Layout::Compare);
}

KERNSCOPE_TEST(TestBookmarks, QApplication)
#include "tst_bookmarks.moc"
