// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session_file.h"

#include "app/bookmark_model.h"
#include "app/bookmarks_dock.h"
#include "tests/test_program.h"
#include "widgets/compare/compare_dock.h"
#include "window_fixture.h"

#include <QDir>
#include <QFileDialog>
#include <QLabel>
#include <QPushButton>

using namespace kernscope;
using app::SessionFile;

/// A session as a file: its text, and what the window makes of it.
class TestSessionFile : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void textHoldsAll();
    void bundlesMoveWithIt();
    void damagedFiles_data();
    void damagedFiles();
    void windowComesBack();
    void goneFilesAreTold();
    void goneFilesAreFound();
    void sampleComesBack();

private:
    static SessionFile made(const QString &folder);
    static QString noticeText(app::MainWindow &window);
};

SessionFile TestSessionFile::made(const QString &folder)
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

QString TestSessionFile::noticeText(app::MainWindow &window)
{
    QString text;
    for (const QLabel *label : window.notices().findChildren<QLabel *>())
        text += label->text() + QLatin1Char('\n');
    return text;
}

void TestSessionFile::textHoldsAll()
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
void TestSessionFile::bundlesMoveWithIt()
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

void TestSessionFile::damagedFiles_data()
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

void TestSessionFile::damagedFiles()
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

void TestSessionFile::windowComesBack()
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

void TestSessionFile::goneFilesAreTold()
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
void TestSessionFile::goneFilesAreFound()
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

void TestSessionFile::sampleComesBack()
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

KERNSCOPE_TEST(TestSessionFile, QApplication)
#include "tst_session_file.moc"
