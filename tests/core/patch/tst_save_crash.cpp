// SPDX-License-Identifier: GPL-3.0-or-later
// Saving that breaks off: what a crash leaves, and how it is mended.
#include "core/patch/save/journal.h"
#include "core/patch/save_steps.h"
#include "on_disk.h"

#include <csignal>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QTest>

using namespace kernscope;
using namespace kernscope::test;
using patch::SaveStep;

namespace {

/// Runs a save in a process of its own that ends at the n-th step, as after a crash.
void crashAt(const OnDisk &disk, int step)
{
    const pid_t child = ::fork();
    if (child == 0) {
        int passed = 0;
        const auto bundle = disk.patched(kThree);
        (void)patch::saveInPlace(*bundle, false, [&](SaveStep) {
            if (passed++ == step)
                ::_exit(0);
            return true;
        });
        ::_exit(1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
}

} // namespace

class TestSaveCrash : public QObject
{
    Q_OBJECT

private slots:
    void crashes_data();
    void crashes();
    void tornWrite();
    void tornJournals();
    void damagedJournal();
    void journalOfAnotherState();
    void journalsThatReachOut();
    void journalInsideAndAbove();
    void runningSaveIsNoCrash();
    void failureRollsBack_data();
    void failureRollsBack();
    void signalRollsBack();
};

void TestSaveCrash::crashes_data()
{
    QTest::addColumn<int>("step");
    for (int step = 0; step < 12; ++step)
        QTest::addRow("step %d", step) << step;
}

/// Whatever the step, the next opening finds the old bundle or the new one, whole.
void TestSaveCrash::crashes()
{
    QFETCH(const int, step);
    const OnDisk disk("lut2");
    crashAt(disk, step);
    const bool journal = fs::exists(disk.journal());
    const bool untouched = readTree(disk.path) == disk.original;
    const auto recovered = recoverJournal(disk.path);
    QVERIFY2(recovered, recovered ? "" : describe(recovered.error()).c_str());
    QCOMPARE(*recovered, journal);
    QVERIFY(!fs::exists(disk.journal()));
    const bool old = readTree(disk.path) == disk.original;
    QVERIFY(journal ? old : old == untouched);
    if (!old)
        QCOMPARE(decoded(*disk.open(), "behind")[9], 0.25f);
    QVERIFY(!*recoverJournal(disk.path));
    QCOMPARE(static_cast<int>(std::distance(fs::directory_iterator(disk.folder()), {})), 1);
}

/// A range that was only half written.
void TestSaveCrash::tornWrite()
{
    const OnDisk disk("dense-fp16");
    const pid_t child = ::fork();
    if (child == 0) {
        const auto bundle = disk.patched("fill w[1:60]=0.3");
        (void)patch::saveInPlace(*bundle, false, [](SaveStep step) {
            if (step == SaveStep::Journalled)
                ::_exit(0);
            return true;
        });
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    {
        const auto journal = patch::readJournal(disk.journal());
        QVERIFY(journal);
        const patch::JournalEntry &entry = journal->entries.front();
        Bytes half = disk.original.at("weights/weight.bin");
        std::copy_n(entry.after.begin(), entry.after.size() / 2,
                    half.begin() + static_cast<std::ptrdiff_t>(entry.offset));
        QVERIFY(half != disk.original.at("weights/weight.bin"));
        writeAll(disk.path / "weights/weight.bin", half);
        QVERIFY(!*recoverJournal(disk.path)); // locked, as by a save that goes on
    }
    QVERIFY(*recoverJournal(disk.path));
    QVERIFY(readTree(disk.path) == disk.original);
}

void TestSaveCrash::tornJournals()
{
    const OnDisk disk("lut2");
    crashAt(disk, 2); // the journal is there, the files are not touched yet
    QVERIFY(fs::exists(disk.journal()));
    const Bytes whole = readAll(disk.journal());
    for (std::size_t length = 0; length < whole.size(); length += 7) {
        writeAll(disk.journal(), {whole.begin(), whole.begin() + static_cast<long>(length)});
        const auto recovered = recoverJournal(disk.path);
        QVERIFY2(recovered, recovered ? "" : describe(recovered.error()).c_str());
        QVERIFY(!*recovered);
        QVERIFY(!fs::exists(disk.journal()));
        QVERIFY(readTree(disk.path) == disk.original);
    }
}

void TestSaveCrash::damagedJournal()
{
    const OnDisk disk("lut2");
    crashAt(disk, 4); // one range is written
    const Tree half = readTree(disk.path);
    QVERIFY(half != disk.original);
    const Bytes whole = readAll(disk.journal());
    for (std::size_t at = 16; at < whole.size(); at += 5) {
        Bytes bad = whole;
        bad[at] ^= std::byte{0x40};
        writeAll(disk.journal(), bad);
        const auto recovered = recoverJournal(disk.path);
        QVERIFY(!recovered);
        QCOMPARE(recovered.error().code, std::string("patch.journal"));
        QVERIFY(readTree(disk.path) == half);
        QVERIFY(fs::exists(disk.journal()));
    }
    writeAll(disk.journal(), whole);
    QVERIFY(*recoverJournal(disk.path));
    QVERIFY(readTree(disk.path) == disk.original);
}

void TestSaveCrash::journalOfAnotherState()
{
    const OnDisk disk("lut2");
    crashAt(disk, 4);
    Bytes weights = readAll(disk.path / "weights/weight.bin");
    {
        const auto journal = patch::readJournal(disk.journal());
        QVERIFY(journal);
        const patch::JournalEntry &entry = journal->entries.back();
        QCOMPARE(entry.path, std::string("x.mlmodelc/weights/weight.bin"));
        weights[entry.offset] = std::byte{0xa5};
    }
    writeAll(disk.path / "weights/weight.bin", weights);
    const Tree before = readTree(disk.path);
    const auto recovered = recoverJournal(disk.path);
    QVERIFY(!recovered);
    QCOMPARE(recovered.error().code, std::string("patch.journal"));
    QCOMPARE(recovered.error().file, std::string("x.mlmodelc/weights/weight.bin"));
    QVERIFY(readTree(disk.path) == before);
}

/// A journal comes with a bundle: it must not be a way to write elsewhere.
void TestSaveCrash::journalsThatReachOut()
{
    const OnDisk disk("dense-fp16");
    const fs::path outside = disk.folder() / "outside";
    const fs::path inner = disk.path / "weights/weight.bin.kernscope-journal";
    const Bytes old = hex("01 02"), other = hex("03 04");
    for (const char *path : {"../../outside", "/outside", "link", ""}) {
        writeAll(outside, other);
        fs::remove(disk.path / "weights/link");
        fs::create_symlink(outside, disk.path / "weights/link");
        const std::vector<patch::JournalEntry> entries{{path, 2, 0, old, other}};
        QVERIFY(patch::writeJournal(inner, entries));
        const auto recovered = recoverJournal(disk.path);
        QVERIFY(!recovered);
        QVERIFY(readAll(outside) == other);
        fs::remove(inner);
    }
}

void TestSaveCrash::journalInsideAndAbove()
{
    // A weight file that was opened alone, and the bundle later.
    const OnDisk disk("dense-fp16");
    const pid_t child = ::fork();
    if (child == 0) {
        const BundlePtr lone = *Bundle::open(disk.path / "weights/weight.bin");
        const auto edit = parseEdit(Edit::Kind::SetStored, "blob@0x40:data[0]=7");
        const auto planned = planEdits(lone, {*edit}, 0.0);
        if (planned && applyEdit(lone, planned->front()))
            (void)patch::saveInPlace(*lone, false, [](SaveStep step) {
                if (step == SaveStep::RangeWritten)
                    ::_exit(0);
                return true;
            });
        ::_exit(1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    QVERIFY(readTree(disk.path / "weights").size() == 2);
    QVERIFY(*recoverJournal(disk.path));
    QVERIFY(readTree(disk.path) == disk.original);
    // And the other way round.
    const OnDisk other("lut2");
    crashAt(other, 5);
    QVERIFY(readTree(other.path) != other.original);
    QVERIFY(*recoverJournal(other.path / "weights/weight.bin"));
    QVERIFY(readTree(other.path) == other.original);
}

void TestSaveCrash::runningSaveIsNoCrash()
{
    const OnDisk disk("lut2");
    const auto bundle = disk.patched(kThree);
    bool looked = false;
    const auto saved = patch::saveInPlace(*bundle, false, [&](SaveStep step) {
        if (step != SaveStep::RangeWritten)
            return true;
        // Another process opens the bundle meanwhile.
        const auto recovered = recoverJournal(disk.path);
        looked = recovered && !*recovered && fs::exists(disk.journal());
        const auto second = disk.patched("set behind[1]=3");
        const auto refused = saveInPlace(*second, false);
        looked = looked && !refused && refused.error().code == "patch.busy";
        return true;
    });
    QVERIFY2(saved, saved ? "" : describe(saved.error()).c_str());
    QVERIFY(looked);
    QCOMPARE(decoded(*disk.open(), "behind")[9], 0.25f);
}

void TestSaveCrash::failureRollsBack_data()
{
    QTest::addColumn<int>("step");
    for (const SaveStep step : {SaveStep::Checked, SaveStep::BackedUp, SaveStep::Journalled,
                                SaveStep::RangeWritten, SaveStep::Synced, SaveStep::Verified})
        QTest::addRow("%d", static_cast<int>(step)) << static_cast<int>(step);
}

void TestSaveCrash::failureRollsBack()
{
    QFETCH(const int, step);
    const OnDisk disk("lut2");
    const auto bundle = disk.patched(kThree);
    const auto saved = patch::saveInPlace(
        *bundle, false, [step](SaveStep passed) { return static_cast<int>(passed) != step; });
    QVERIFY(!saved);
    QCOMPARE(saved.error().code, std::string("io.write"));
    QVERIFY(readTree(disk.path) == disk.original);
    QVERIFY(!fs::exists(disk.journal()));
    QVERIFY(bundle->modified()); // the edits are still there, and can be saved
    const auto again = saveInPlace(*bundle, false);
    QVERIFY2(again, again ? "" : describe(again.error()).c_str());
}

/// Ctrl-C in the middle of a save leaves every file as it was.
void TestSaveCrash::signalRollsBack()
{
    const OnDisk disk("lut2");
    const pid_t child = ::fork();
    if (child == 0) {
        std::signal(SIGINT, SIG_DFL);
        const auto bundle = disk.patched(kThree);
        (void)patch::saveInPlace(*bundle, false, [](SaveStep step) {
            if (step == SaveStep::RangeWritten)
                ::raise(SIGINT);
            return true;
        });
        ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    QVERIFY(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
    QVERIFY(readTree(disk.path) == disk.original);
    QVERIFY(!fs::exists(disk.journal()));
}

QTEST_APPLESS_MAIN(TestSaveCrash)
#include "tst_save_crash.moc"
