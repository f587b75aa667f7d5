// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/document.h"
#include "window_fixture.h"

#include <QSignalSpy>
#include <QUndoStack>

using namespace kernscope;
using kernscope::app::Document;
using test::bytesOf;

class TestDocument : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void composesRuns();
    void vanishesWhereNothingIsLeft();
    void opensAndLocks();
    void opensTwo();
    void failsWithoutLosingWhatIsOpen();
    void refusesWhileLocked();
    void undoGivesBackTheFile_data();
    void undoGivesBackTheFile();
    void mergesRepeatedEdits();
    void editBackToOldValueIsNoChange();
    void allOrNothing();
    void savesOnlyWhatChanged_data();
    void savesOnlyWhatChanged();
    void keepsFirstBackup();
    void asksAboutInterruptedSaves_data();
    void asksAboutInterruptedSaves();
    void undoAfterSave();
    void saveAsGoesOnWithTheCopy();
    void saveAsOfMemory();
    void refusesStaleSave();
    void seesChangesByOthers();
    void ownSaveIsNoChangeByOthers();
    void reloadKeepsThePlace();
    void swapsSides();
    void recoversNothingWhereThereIsNothing();
    void closes();

private:
    bool open(const QString &path, const QString &other = {});
    bool wait();
    void edit(std::size_t weight, std::uint64_t element, double value);
    const Bundle &bundle() const { return *m_session->bundle(); }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<ui::Session> m_session;
    std::unique_ptr<Document> m_document;
};

void TestDocument::init()
{
    m_document.reset();
    m_session = std::make_unique<ui::Session>();
    m_document = std::make_unique<Document>(*m_session);
    m_folder = std::make_unique<QTemporaryDir>();
}

bool TestDocument::wait()
{
    return QTest::qWaitFor([this] { return m_document->busy() == Document::Busy::Idle; }, 20'000);
}

bool TestDocument::open(const QString &path, const QString &other)
{
    m_document->open(path, other);
    return wait() && m_document->isOpen() && m_document->path() == path;
}

void TestDocument::edit(std::size_t weight, std::uint64_t element, double value)
{
    m_session->requestEdits({test::setEdit(bundle(), weight, element, value)}, {});
}

void TestDocument::composesRuns()
{
    const auto run = [](std::uint64_t at, std::initializer_list<int> before,
                        std::initializer_list<int> after) {
        FileEdit edit{0, FileOffset(at), {}, {}};
        for (const int byte : before)
            edit.before.push_back(static_cast<std::byte>(byte));
        for (const int byte : after)
            edit.after.push_back(static_cast<std::byte>(byte));
        return edit;
    };
    const auto runs = app::composed({run(4, {1, 2}, {9, 8})}, {run(5, {8, 3}, {7, 6})});
    QCOMPARE(runs.size(), std::size_t{1});
    QCOMPARE(runs[0].offset.value, std::uint64_t{4});
    QVERIFY(runs[0].before == run(0, {1, 2, 3}, {}).before);
    QVERIFY(runs[0].after == run(0, {9, 7, 6}, {}).before);
    // Runs that do not touch stay apart; files too.
    QCOMPARE(app::composed({run(0, {1}, {2})}, {run(2, {1}, {2})}).size(), std::size_t{2});
    FileEdit elsewhere = run(1, {1}, {2});
    elsewhere.file = 1;
    QCOMPARE(app::composed({run(0, {1}, {2})}, {elsewhere}).size(), std::size_t{2});
}

void TestDocument::vanishesWhereNothingIsLeft()
{
    const FileEdit there{0, FileOffset(3), {std::byte{1}}, {std::byte{2}}};
    const FileEdit back{0, FileOffset(3), {std::byte{2}}, {std::byte{1}}};
    QVERIFY(app::composed({there}, {back}).empty());
}

void TestDocument::opensAndLocks()
{
    const QString path = test::writeSample(m_folder->path(), QStringLiteral("sparse"));
    const QSignalSpy opened(m_document.get(), &Document::opened);
    QVERIFY(open(path));
    QCOMPARE(opened.size(), 1);
    QVERIFY(!m_session->patchingEnabled());
    QVERIFY(!m_document->modified());
    QVERIFY(!bundle().weights().empty());
    QCOMPARE(m_session->place().weight, std::size_t{0});
    QVERIFY(m_session->other() == nullptr);
}

void TestDocument::opensTwo()
{
    const QString a = test::writeSample(m_folder->path(), QStringLiteral("dense"));
    const QString b = test::writeSample(m_folder->path(), QStringLiteral("sparse"));
    const QSignalSpy other(m_document.get(), &Document::otherOpened);
    QVERIFY(open(a, b));
    QCOMPARE(other.size(), 1);
    QVERIFY(m_session->other());
    QCOMPARE(m_document->otherPath(), b);
    m_document->closeOther();
    QVERIFY(m_session->other() == nullptr);
}

void TestDocument::failsWithoutLosingWhatIsOpen()
{
    const QString path = test::writeSample(m_folder->path(), QStringLiteral("dense"));
    QVERIFY(open(path));
    const BundlePtr before = m_session->bundle();
    QSignalSpy failed(m_document.get(), &Document::openFailed);
    m_document->open(m_folder->filePath(QStringLiteral("nothing.mlmodelc")));
    QVERIFY(wait());
    QCOMPARE(failed.size(), 1);
    QCOMPARE(m_session->bundle(), before);
    QCOMPARE(m_document->path(), path);
    m_document->openOther(m_folder->filePath(QStringLiteral("nothing.bin")));
    QVERIFY(wait());
    QCOMPARE(failed.size(), 2);
    QVERIFY(m_session->other() == nullptr);
}

void TestDocument::refusesWhileLocked()
{
    QVERIFY(open(test::writeSample(m_folder->path(), QStringLiteral("dense"))));
    QSignalSpy refused(m_session.get(), &ui::Session::editsRefused);
    edit(0, 0, 0.5);
    QCOMPARE(refused.size(), 1);
    QCOMPARE(QString::fromStdString(refused[0][0].value<Error>().code),
             QStringLiteral("patch.locked"));
    QVERIFY(!m_document->modified());
    QCOMPARE(m_session->undoStack().count(), 0);
}

void TestDocument::undoGivesBackTheFile_data()
{
    QTest::addColumn<QString>("build");
    for (const char *build : {"dense", "sparse", "palette"})
        QTest::newRow(build) << QString::fromLatin1(build);
}

void TestDocument::undoGivesBackTheFile()
{
    QFETCH(QString, build);
    QVERIFY(open(test::writeSample(m_folder->path(), build)));
    m_session->setPatchingEnabled(true);
    std::vector<std::vector<std::byte>> before;
    for (const BundleFile &file : bundle().files())
        before.emplace_back(file.file->bytes().begin(), file.file->bytes().end());
    for (std::size_t weight = 0; weight < bundle().weights().size(); ++weight) {
        const auto element = test::storedElement(bundle(), weight);
        if (element < bundle().weights()[weight].elements.value)
            edit(weight, element, 0.123);
    }
    QVERIFY(m_session->undoStack().count() > 0);
    QVERIFY(m_document->modified());
    QVERIFY(!m_session->patches().empty());
    const int count = m_session->undoStack().count();
    m_session->undoStack().setIndex(0);
    QVERIFY(!m_document->modified());
    for (std::size_t i = 0; i < before.size(); ++i) {
        const auto now = bundle().files()[i].file->bytes();
        QVERIFY(std::equal(now.begin(), now.end(), before[i].begin(), before[i].end()));
    }
    for (const ui::PatchEntry &entry : m_session->patches())
        QVERIFY(!entry.active);
    m_session->undoStack().setIndex(count);
    QVERIFY(m_document->modified());
}

void TestDocument::mergesRepeatedEdits()
{
    QVERIFY(open(test::writeSample(m_folder->path(), QStringLiteral("dense"))));
    m_session->setPatchingEnabled(true);
    edit(0, 3, 0.5);
    edit(0, 3, 0.75);
    edit(0, 3, 1.25);
    QCOMPARE(m_session->undoStack().count(), 1);
    QCOMPARE(m_session->patches().size(), std::size_t{1});
    QCOMPARE(m_session->patches()[0].edit->edit.value, 1.25);
    edit(0, 4, 0.5);
    QCOMPARE(m_session->undoStack().count(), 2);
    m_session->undoStack().setIndex(0);
    QVERIFY(!m_document->modified());
}

void TestDocument::editBackToOldValueIsNoChange()
{
    QVERIFY(open(test::writeSample(m_folder->path(), QStringLiteral("dense"))));
    m_session->setPatchingEnabled(true);
    const auto decoder = bundle().decoder(0);
    QVERIFY(decoder);
    std::array<float, 1> old{};
    decoder->decodeFloat(3, old);
    edit(0, 3, double{old[0]}); // the same value: nothing to do
    QCOMPARE(m_session->undoStack().count(), 0);
    edit(0, 3, 0.5);
    edit(0, 3, double{old[0]});
    QCOMPARE(m_session->undoStack().count(), 0);
    QVERIFY(m_session->patches().empty());
    QVERIFY(!m_document->modified());
}

void TestDocument::allOrNothing()
{
    QVERIFY(open(test::writeSample(m_folder->path(), QStringLiteral("dense"))));
    m_session->setPatchingEnabled(true);
    Edit beyond = test::setEdit(bundle(), 0, bundle().weights()[0].elements.value, 1);
    QSignalSpy refused(m_session.get(), &ui::Session::editsRefused);
    m_session->requestEdits({test::setEdit(bundle(), 0, 0, 0.5), beyond}, {});
    QCOMPARE(refused.size(), 1);
    QVERIFY(!m_document->modified());
    m_session->requestEdits(
        {test::setEdit(bundle(), 0, 0, 0.5), test::setEdit(bundle(), 0, 1, 0.5)},
        QStringLiteral("both"));
    QCOMPARE(m_session->undoStack().count(), 1);
    QCOMPARE(m_session->undoStack().undoText(), QStringLiteral("both"));
    QCOMPARE(m_session->patches().size(), std::size_t{2});
    m_session->undoStack().undo();
    QVERIFY(!m_document->modified());
}

void TestDocument::savesOnlyWhatChanged_data()
{
    undoGivesBackTheFile_data();
}

void TestDocument::savesOnlyWhatChanged()
{
    QFETCH(QString, build);
    const QString path = test::writeSample(m_folder->path(), build);
    const test::FileBytes before = bytesOf(path);
    QVERIFY(open(path));
    m_session->setPatchingEnabled(true);
    edit(0, test::storedElement(bundle(), 0), 0.123);
    QVERIFY(m_document->modified());
    QVERIFY(bytesOf(path) == before); // nothing before Save
    const auto pending = m_document->pendingRanges();
    QVERIFY(!pending.empty());

    QSignalSpy saved(m_document.get(), &Document::saved);
    m_document->save(false);
    QVERIFY(wait());
    QCOMPARE(saved.size(), 1);
    const auto report = saved[0][0].value<SaveReport>();
    QVERIFY(report.verified);
    QVERIFY(!m_document->modified());
    test::FileBytes after = bytesOf(path);
    QCOMPARE(after.size(), before.size());
    QList<qsizetype> places;
    for (const auto &[name, content] : before) {
        for (const qsizetype place : test::differences(content, after[name])) {
            places << place;
            const bool announced = std::any_of(pending.begin(), pending.end(), [&](const auto &r) {
                return QString::fromStdString(r.file) == name &&
                       r.range.contains(FileOffset(static_cast<std::uint64_t>(place)));
            });
            QVERIFY2(announced, qPrintable(name));
        }
    }
    QCOMPARE(static_cast<std::uint64_t>(places.size()), report.bytesWritten.value);
}

void TestDocument::keepsFirstBackup()
{
    const QString path = test::writeSample(m_folder->path(), QStringLiteral("dense"));
    const test::FileBytes before = bytesOf(path);
    QVERIFY(open(path));
    m_session->setPatchingEnabled(true);
    for (const double value : {0.5, 0.75}) {
        edit(0, 0, value);
        m_document->save(true);
        QVERIFY(wait());
    }
    // Beside the bundle, the first one, and only what was changed.
    QCOMPARE(bytesOf(path).size(), before.size());
    const test::FileBytes kept = bytesOf(path + QStringLiteral(".bak"));
    QCOMPARE(kept.size(), std::size_t{1});
    QCOMPARE(kept.begin()->second, before.at(kept.begin()->first));
}

/// A save that ended in the middle: opening asks, and writes only when it is told to.
void TestDocument::asksAboutInterruptedSaves_data()
{
    QTest::addColumn<Document::Interrupted>("answer");
    QTest::newRow("recover") << Document::Interrupted::Recover;
    QTest::newRow("show") << Document::Interrupted::Show;
    QTest::newRow("cancel") << Document::Interrupted::Cancel;
}

void TestDocument::asksAboutInterruptedSaves()
{
    QFETCH(const Document::Interrupted, answer);
    const QString path = test::writeSample(m_folder->path(), QStringLiteral("dense"));
    const test::FileBytes before = bytesOf(path);
    test::interruptSave(path);
    const test::FileBytes half = bytesOf(m_folder->path());
    QVERIFY(bytesOf(path) != before);
    QSignalSpy found(m_document.get(), &Document::interruptedSaveFound);
    QSignalSpy opened(m_document.get(), &Document::opened);
    QSignalSpy cancelled(m_document.get(), &Document::cancelled);
    m_document->open(path);
    QVERIFY(wait());
    QCOMPARE(found.size(), 1);
    QVERIFY(opened.isEmpty() && !m_document->isOpen());
    QVERIFY(bytesOf(m_folder->path()) == half);
    m_document->answerInterrupted(answer);
    QVERIFY(wait());
    if (answer == Document::Interrupted::Cancel) {
        QCOMPARE(cancelled.size(), 1);
        QVERIFY(!m_document->isOpen());
        QVERIFY(bytesOf(m_folder->path()) == half);
        return;
    }
    QCOMPARE(opened.size(), 1);
    const bool recover = answer == Document::Interrupted::Recover;
    QCOMPARE(opened.front().front().toBool(), recover);
    for (const BundleFile &file : bundle().files()) {
        const auto bytes = file.file->bytes();
        QCOMPARE(QByteArray(reinterpret_cast<const char *>(bytes.data()), qsizetype(bytes.size())),
                 before.at(QString::fromStdString(file.path)));
    }
    QVERIFY(!m_document->modified());
    if (recover) {
        QVERIFY(bytesOf(path) == before);
        return;
    }
    QVERIFY(bytesOf(m_folder->path()) == half);
    // Saving in place waits for the recovery, which is at hand.
    m_session->setPatchingEnabled(true);
    edit(0, 0, 0.5);
    QSignalSpy failed(m_document.get(), &Document::saveFailed);
    m_document->save(true);
    QVERIFY(wait());
    QCOMPARE(failed.size(), 1);
    QCOMPARE(failed.front().front().value<Error>().code, std::string("journal.pending"));
    QVERIFY(bytesOf(m_folder->path()) == half);
    m_document->recover();
    QVERIFY(wait());
    QVERIFY(bytesOf(path) == before);
}

void TestDocument::undoAfterSave()
{
    const QString path = test::writeSample(m_folder->path(), QStringLiteral("dense"));
    const test::FileBytes before = bytesOf(path);
    QVERIFY(open(path));
    m_session->setPatchingEnabled(true);
    edit(0, 0, 0.5);
    m_document->save(false);
    QVERIFY(wait());
    m_session->undoStack().undo();
    QVERIFY(m_document->modified()); // differs from the disk
    m_document->save(false);
    QVERIFY(wait());
    QVERIFY(bytesOf(path) == before);
}

void TestDocument::saveAsGoesOnWithTheCopy()
{
    const QString path = test::writeSample(m_folder->path(), QStringLiteral("palette"));
    const test::FileBytes before = bytesOf(path);
    QVERIFY(open(path));
    m_session->setPatchingEnabled(true);
    edit(0, 0, 0.5);
    m_session->goToWeight(1);
    const QString target = m_folder->filePath(QStringLiteral("copy.mlmodelc"));
    QSignalSpy saved(m_document.get(), &Document::saved);
    m_document->saveAs(target);
    QVERIFY(wait());
    QCOMPARE(saved.size(), 1);
    QVERIFY(bytesOf(path) == before);
    QVERIFY(bytesOf(target) != before);
    QCOMPARE(m_document->path(), target);
    QVERIFY(!m_document->modified());
    QCOMPARE(m_session->place().weight, std::size_t{1});
    // Undo steps live on, against the copy.
    m_session->undoStack().undo();
    QVERIFY(m_document->modified());
    m_document->save(false);
    QVERIFY(wait());
    QVERIFY(bytesOf(target) == before);
    // Never over anything.
    QSignalSpy failed(m_document.get(), &Document::saveFailed);
    m_document->saveAs(path);
    QVERIFY(wait());
    QCOMPARE(failed.size(), 1);
    QVERIFY(bytesOf(path) == before);
}

void TestDocument::saveAsOfMemory()
{
    const sample::SampleBundle made = sample::bundles().front();
    m_document->openMemory({made.name, made.files});
    QVERIFY(wait());
    QVERIFY(m_document->inMemory());
    QVERIFY(!m_document->writable());
    m_session->setPatchingEnabled(true);
    edit(0, 0, 0.5);
    const QString target = m_folder->filePath(QStringLiteral("copy.mlmodelc"));
    QSignalSpy saved(m_document.get(), &Document::saved);
    m_document->saveAs(target);
    QVERIFY(wait());
    QCOMPARE(saved.size(), 1);
    QVERIFY(!m_document->inMemory());
    QCOMPARE(bytesOf(target).size(), made.files.size());
}

void TestDocument::refusesStaleSave()
{
    const QString path = test::writeSample(m_folder->path(), QStringLiteral("dense"));
    QVERIFY(open(path));
    m_session->setPatchingEnabled(true);
    edit(0, 0, 0.5);
    const QString name = QString::fromStdString(m_document->pendingRanges()[0].file);
    QFile file(path + QLatin1Char('/') + name);
    QVERIFY(file.open(QIODevice::Append));
    file.write("x");
    file.close();
    QSignalSpy failed(m_document.get(), &Document::saveFailed);
    m_document->save(false);
    QVERIFY(wait());
    QCOMPARE(failed.size(), 1);
    QCOMPARE(QString::fromStdString(failed[0][0].value<Error>().code),
             QStringLiteral("patch.stale"));
    QVERIFY(m_document->modified());
}

void TestDocument::seesChangesByOthers()
{
    const QString path = test::writeSample(m_folder->path(), QStringLiteral("dense"));
    QVERIFY(open(path));
    QSignalSpy changed(m_document.get(), &Document::changedOnDisk);
    const QString name = QString::fromStdString(bundle().files()[0].path);
    QFile file(path + QLatin1Char('/') + name);
    QVERIFY(file.open(QIODevice::Append));
    file.write(" ");
    file.close();
    QTRY_COMPARE_WITH_TIMEOUT(changed.size(), 1, 10'000);
    QCOMPARE(changed[0][0].toStringList().size(), 1);
}

void TestDocument::ownSaveIsNoChangeByOthers()
{
    QVERIFY(open(test::writeSample(m_folder->path(), QStringLiteral("dense"))));
    const QSignalSpy changed(m_document.get(), &Document::changedOnDisk);
    m_session->setPatchingEnabled(true);
    edit(0, 0, 0.5);
    m_document->save(true);
    QVERIFY(wait());
    QTest::qWait(1200);
    QCOMPARE(changed.size(), 0);
}

void TestDocument::reloadKeepsThePlace()
{
    const QString path = test::writeSample(m_folder->path(), QStringLiteral("dense"));
    QVERIFY(open(path));
    m_session->goToWeight(1);
    m_session->setPatchingEnabled(true);
    edit(0, 0, 0.5);
    m_document->reload();
    QVERIFY(wait());
    QVERIFY(!m_document->modified());
    QCOMPARE(m_session->undoStack().count(), 0);
    QCOMPARE(m_session->place().weight, std::size_t{1});
    QVERIFY(m_session->patchingEnabled());
}

void TestDocument::swapsSides()
{
    const QString a = test::writeSample(m_folder->path(), QStringLiteral("dense"));
    const QString b = test::writeSample(m_folder->path(), QStringLiteral("palette"));
    QVERIFY(open(a, b));
    m_document->swapSides();
    QVERIFY(wait());
    QCOMPARE(m_document->path(), b);
    QCOMPARE(m_document->otherPath(), a);
    QCOMPARE(QString::fromStdString(m_session->other()->name()),
             QStringLiteral("sample-dense.mlmodelc"));
}

void TestDocument::recoversNothingWhereThereIsNothing()
{
    QSignalSpy opened(m_document.get(), &Document::opened);
    QVERIFY(open(test::writeSample(m_folder->path(), QStringLiteral("dense"))));
    QCOMPARE(opened[0][0].toBool(), false);
}

void TestDocument::closes()
{
    QVERIFY(open(test::writeSample(m_folder->path(), QStringLiteral("dense"))));
    const QSignalSpy closed(m_document.get(), &Document::closed);
    m_document->close();
    QCOMPARE(closed.size(), 1);
    QVERIFY(!m_document->isOpen());
    QVERIFY(m_document->path().isEmpty());
    QVERIFY(m_document->pendingRanges().empty());
}

QTEST_MAIN(TestDocument)
#include "tst_document.moc"
