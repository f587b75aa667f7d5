// SPDX-License-Identifier: GPL-3.0-or-later
// Saving that breaks off: what a crash leaves, and how it is mended.
// Journals beside a bundle: reading writes nothing, and a journal reaches nothing but the bundle.
#include "core/patch/save/found_journal.h"
#include "interrupted.h"
#include "tests/rows.h"

using patch::SaveStep;

namespace {

/// Runs a save in a process of its own that ends at the n-th call of its hook, as after a crash.
void crashAt(const OnDisk &disk, int call)
{
    crash([&] {
        int passed = 0;
        const auto bundle = disk.patched(kThree);
        (void)patch::saveInPlace(*bundle, false, [&](SaveStep) {
            if (passed++ == call)
                ::_exit(0);
            return true;
        });
    });
}

/// The same at a step, the n-th time that it comes.
void crashAt(const OnDisk &disk, SaveStep step, int nth = 0)
{
    crash([&] { (void)patch::saveInPlace(*disk.patched(kThree), false, diesAt(step, nth)); });
}

} // namespace

class TestSaveCrash : public QObject
{
    Q_OBJECT

private slots:
    void crashes_data() { addRange(0, 14); }

    /// Whatever the step, the next opening finds the old bundle or the new one, whole.
    void crashes()
    {
        const auto [step] = fetched<int>();
        const OnDisk disk("lut2");
        crashAt(disk, step);
        const bool journal = fs::exists(disk.journal());
        const bool untouched = readTree(disk.path) == disk.original;
        const auto recovered = VERIFIED(recoverSave(disk.path, RecoverAction::Undo));
        QCOMPARE(recovered->saves.size(), journal ? std::size_t{1} : std::size_t{0});
        QVERIFY(!fs::exists(disk.journal()));
        const bool old = readTree(disk.path) == disk.original;
        QVERIFY(journal ? old : old == untouched);
        if (!old)
            QCOMPARE(decoded(*disk.open(), "behind")[9], 0.25f);
        QVERIFY(recoverSave(disk.path, RecoverAction::Undo)->saves.empty());
        // What never came to its journal is cleared away by the next save.
        QVERIFY(saveInPlace(*disk.patched("set behind[1]=3"), false));
        QCOMPARE(int(std::distance(fs::directory_iterator(disk.folder()), {})), 1);
    }

    /// A range that was only half written.
    void tornWrite()
    {
        const OnDisk disk("dense-fp16");
        crash([&] {
            const auto bundle = disk.patched("fill w[1:60]=0.3");
            (void)patch::saveInPlace(*bundle, false, diesAt(SaveStep::Journalled));
        });
        {
            const auto journal =
                patch::findJournal(disk.journal(), disk.path, patch::DiskFile::Lock::Alone);
            QVERIFY(journal && journal->state == InterruptedState::Pending);
            const patch::JournalRun &run = journal->index.runs.front();
            Bytes after(run.bytes / 2);
            QVERIFY(journal->file->readAt(run.at + run.bytes, after));
            Bytes half = disk.original.at("weights/weight.bin");
            std::ranges::copy(after, half.begin() + std::ptrdiff_t(run.offset));
            QVERIFY(half != disk.original.at("weights/weight.bin"));
            writeAll(disk.path / "weights/weight.bin", half);
            // Locked, as by a save that goes on.
            QCOMPARE(codeOf(recoverSave(disk.path, RecoverAction::Undo)), "patch.busy");
        }
        QCOMPARE(recoverSave(disk.path, RecoverAction::Undo)->saves.size(), 1U);
        QVERIFY(readTree(disk.path) == disk.original);
    }

    /// A journal gets its name when it is whole: a torn one is damage, and nothing is deleted.
    void tornJournals()
    {
        const OnDisk disk("lut2");
        crashAt(disk, SaveStep::RangeWritten);
        QVERIFY(fs::exists(disk.journal()));
        const Tree half = readTree(disk.path);
        QVERIFY(half != disk.original);
        const Bytes whole = readAll(disk.journal());
        for (std::size_t length = 0; length < whole.size(); length += 7) {
            const Bytes torn{whole.begin(), whole.begin() + static_cast<long>(length)};
            writeAll(disk.journal(), torn);
            QCOMPARE(codeOf(recoverSave(disk.path, RecoverAction::Undo)), "journal.damaged");
            const auto opened = openForReading(disk.path);
            QVERIFY(opened.bundle);
            QCOMPARE(opened.saves.size(), 1U);
            QVERIFY(opened.saves.front().state == InterruptedState::Damaged);
            QVERIFY(hasErrors((*opened.bundle)->diagnostics()));
            QVERIFY(readAll(disk.journal()) == torn);
            QVERIFY(readTree(disk.path) == half);
        }
        // By choice only.
        QVERIFY(recoverSave(disk.path, RecoverAction::Discard));
        QVERIFY(!fs::exists(disk.journal()));
        QVERIFY(readTree(disk.path) == half);
    }

    void damagedJournal()
    {
        const OnDisk disk("lut2");
        crashAt(disk, SaveStep::RangeWritten);
        const Tree half = readTree(disk.path);
        QVERIFY(half != disk.original);
        const Bytes whole = readAll(disk.journal());
        for (std::size_t at = 0; at < whole.size(); at += 5) {
            Bytes bad = whole;
            bad[at] ^= std::byte{0x40};
            writeAll(disk.journal(), bad);
            // The digest comes before everything else that a journal says.
            QCOMPARE(codeOf(recoverSave(disk.path, RecoverAction::Undo)), "journal.damaged");
            QVERIFY(readTree(disk.path) == half);
            QVERIFY(readAll(disk.journal()) == bad);
        }
        writeAll(disk.journal(), whole);
        QVERIFY(recoverSave(disk.path, RecoverAction::Undo));
        QVERIFY(readTree(disk.path) == disk.original);
    }

    void journalOfAnotherState()
    {
        const OnDisk disk("lut2");
        crashAt(disk, SaveStep::RangeWritten);
        Bytes weights = readAll(disk.path / "weights/weight.bin");
        {
            const auto journal =
                patch::findJournal(disk.journal(), disk.path, patch::DiskFile::Lock::Alone);
            QVERIFY(journal && journal->usable());
            QCOMPARE(journal->index.files.back().path, "weights/weight.bin");
            weights[journal->index.runs.back().offset] = std::byte{0xa5};
        }
        writeAll(disk.path / "weights/weight.bin", weights);
        const Tree before = readTree(disk.path);
        const auto recovered = recoverSave(disk.path, RecoverAction::Undo);
        QCOMPARE(codeOf(recovered), "journal.stale");
        QCOMPARE(recovered.error().file, "weights/weight.bin");
        QVERIFY(readTree(disk.path) == before);
        QVERIFY(fs::exists(disk.journal()));
    }

    void journalInsideAndAbove()
    {
        // A weight file that was opened alone, and the bundle later.
        const OnDisk disk("dense-fp16");
        crash([&] {
            const BundlePtr lone = *Bundle::open(disk.path / "weights/weight.bin");
            const auto edit = parseEdit(Edit::Kind::SetStored, "blob@0x40:data[0]=7");
            const auto planned = planEdits(lone, {*edit}, 0.0);
            if (planned && applyEdit(lone, planned->front()))
                (void)patch::saveInPlace(*lone, false, diesAt(SaveStep::RangeWritten));
        });
        QVERIFY(readTree(disk.path / "weights").size() == 2);
        QCOMPARE(recoverSave(disk.path, RecoverAction::Undo)->saves.size(), 1U);
        QVERIFY(readTree(disk.path) == disk.original);
        // The other way round: the key leads from a file to the journal beside its bundle.
        const OnDisk other("lut2");
        crashAt(other, SaveStep::RangeWritten, 1);
        QVERIFY(readTree(other.path) != other.original);
        QCOMPARE(openForReading(other.path / "weights/weight.bin").saves.size(), 1U);
        const auto undone =
            VERIFIED(recoverSave(other.path / "weights/weight.bin", RecoverAction::Undo));
        QVERIFY(readTree(other.path) == other.original);
        QVERIFY(!fs::exists(other.journal()));
    }

    void runningSaveIsNoCrash()
    {
        const OnDisk disk("lut2");
        const auto bundle = disk.patched(kThree);
        bool looked = false;
        const auto saved = VERIFIED(patch::saveInPlace(*bundle, false, [&](SaveStep step) {
            if (step != SaveStep::RangeWritten)
                return true;
            // Another process opens the bundle meanwhile.
            const auto recovered = recoverSave(disk.path, RecoverAction::Undo);
            const auto opened = openForReading(disk.path);
            looked = !recovered && recovered.error().code == "patch.busy" &&
                     fs::exists(disk.journal()) && opened.bundle && opened.saves.size() == 1 &&
                     opened.saves.front().state == InterruptedState::Busy &&
                     decoded(**opened.bundle, "behind")[9] != 0.25f;
            const auto second = disk.patched("set behind[1]=3");
            const auto refused = saveInPlace(*second, false);
            looked = looked && !refused && refused.error().code == "patch.busy";
            return true;
        }));
        QVERIFY(looked);
        QCOMPARE(decoded(*disk.open(), "behind")[9], 0.25f);
    }

    /// The new bytes instead of the old ones.
    void finishes()
    {
        const OnDisk disk("lut2"), whole("lut2");
        QVERIFY(saveInPlace(*whole.patched(kThree), false));
        crashAt(disk, SaveStep::RangeWritten);
        const auto dry = recoverSave(disk.path, RecoverAction::Finish, true);
        QVERIFY(dry && dry->saves.size() == 1 && !dry->saves.front().ranges.empty());
        QVERIFY(fs::exists(disk.journal()));
        const auto finished = VERIFIED(recoverSave(disk.path, RecoverAction::Finish));
        QVERIFY(finished->verified);
        QCOMPARE(finished->saves.front().bytesWritten.value, dry->saves.front().bytesWritten.value);
        QVERIFY(readTree(disk.path) == readTree(whole.path));
        QVERIFY(!fs::exists(disk.journal()));
    }

    void failureRollsBack_data()
    {
        QTest::addColumn<int>("step");
        for (const SaveStep step :
             {SaveStep::Opened, SaveStep::Locked, SaveStep::Checked, SaveStep::BackedUp,
              SaveStep::Journalled, SaveStep::RangeWritten, SaveStep::Synced, SaveStep::Verified})
            QTest::addRow("%d", int(step)) << int(step);
    }

    void failureRollsBack()
    {
        QFETCH(const int, step);
        const OnDisk disk("lut2");
        const auto bundle = disk.patched(kThree);
        const auto saved = patch::saveInPlace(
            *bundle, false, [step](SaveStep passed) { return int(passed) != step; });
        QVERIFY(!saved);
        QCOMPARE(saved.error().code, "io.write");
        QVERIFY(readTree(disk.path) == disk.original);
        QVERIFY(!fs::exists(disk.journal()));
        QVERIFY(bundle->modified()); // the edits are still there, and can be saved
        const auto again = VERIFIED(saveInPlace(*bundle, false));
    }

    /// Ctrl-C in the middle of a save leaves every file as it was.
    void signalRollsBack()
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

    void readingShowsTheStateAfterRecovery()
    {
        const OnDisk disk("lut2");
        const auto original = decoded(*disk.open(), "behind");
        interrupt(disk, "codebook w[0][1]=7.5\nfill behind[0:8]=0.25");
        const Listing before = listing(disk.folder());
        QVERIFY(readTree(disk.path) != disk.original);
        const auto opened = openForReading(disk.path);
        QVERIFY2(opened.bundle, opened.bundle ? "" : describe(opened.bundle.error()).c_str());
        QCOMPARE(opened.saves.size(), 1U);
        QVERIFY(opened.saves.front().state == InterruptedState::Pending);
        const Bundle &bundle = **opened.bundle;
        QVERIFY(!bundle.modified());
        QCOMPARE(decoded(bundle, "behind"), original);
        for (const BundleFile &file : bundle.files()) {
            const auto bytes = file.file->bytes();
            QVERIFY(Bytes(bytes.begin(), bytes.end()) == disk.original.at(file.path));
        }
        QCOMPARE(bundle.diagnostics().front().error.code, "journal.pending");
        QVERIFY(bundle.diagnostics().front().severity == Severity::Error);
        // Also after an edit that reads the tables again.
        QCOMPARE((*bundle.reread())->diagnostics().front().error.code, "journal.pending");
        QVERIFY(listing(disk.folder()) == before);
    }

    /// The text of a program, cut in the middle of a change, would not parse.
    void halfWrittenProgram()
    {
        const OnDisk disk("lut2");
        interrupt(disk, "codebook w[0][1]=7.5");
        Bytes program = readAll(disk.path / "model.mil");
        const Bytes &original = disk.original.at("model.mil");
        QVERIFY(program != original);
        const auto opened = openForReading(disk.path / "model.mil");
        QVERIFY(opened.bundle); // the journal lies beside the folder; its key leads there
        QCOMPARE(opened.saves.size(), 1U);
        const auto shown = (*opened.bundle)->files().front().file->bytes();
        QVERIFY(Bytes(shown.begin(), shown.end()) == original);
        const auto folder = openForReading(disk.path);
        QVERIFY(folder.bundle);
        QCOMPARE(decoded(**folder.bundle, "w"), decoded(*OnDisk("lut2").open(), "w"));
    }

    void saysWhatWouldBeWritten()
    {
        const OnDisk disk("lut2");
        interrupt(disk);
        const Listing before = listing(disk.folder());
        const auto dry = VERIFIED(recoverSave(disk.path, RecoverAction::Undo, true));
        QVERIFY(!dry->verified);
        QCOMPARE(dry->saves.size(), 1U);
        QCOMPARE(dry->saves.front().ranges.size(), 1U); // one range was written
        QVERIFY(dry->saves.front().save.ranges.size() >= 3);
        QVERIFY(listing(disk.folder()) == before);
        const auto done = recoverSave(disk.path, RecoverAction::Undo);
        QVERIFY(done && done->verified);
        QCOMPARE(done->saves.front().bytesWritten, dry->saves.front().bytesWritten);
        QVERIFY(readTree(disk.path) == disk.original);
    }

    void savingIsRefusedMeanwhile()
    {
        const OnDisk disk("lut2");
        interrupt(disk);
        const auto opened = openForReading(disk.path);
        const auto planned =
            planEdits(*opened.bundle, {*parseEdit(Edit::Kind::Set, "behind[1]=3")}, 0);
        QVERIFY(planned && applyEdit(*opened.bundle, planned->front()));
        const Listing before = listing(disk.folder());
        QCOMPARE(codeOf(saveInPlace(**opened.bundle, true)), "journal.pending");
        QVERIFY(listing(disk.folder()) == before);
        // Also of one file of it, opened alone, whose journal is pending.
        const OnDisk other("dense-fp16");
        const fs::path weights = other.path / "weights/weight.bin";
        forge(patch::journalPath(weights), ".", other.original.at("weights/weight.bin"), hex("07"),
              true);
        QCOMPARE(codeOf(saveInPlace(*other.patched("set w[3]=5"), false)), "journal.pending");
    }

    void copyOfTheRecoveredState()
    {
        const OnDisk disk("lut2");
        interrupt(disk);
        const auto opened = openForReading(disk.path);
        const fs::path copy = disk.folder() / "copy.mlmodelc";
        QVERIFY(saveCopy(**opened.bundle, copy));
        QVERIFY(readTree(copy) == disk.original);
    }

    /// The files are written and verified by then: that is what counts.
    void removalThatIsNotOnTheDisk()
    {
        const OnDisk disk("dense-fp16");
        const auto bundle = disk.patched("set w[3]=5");
        const auto saved = VERIFIED(patch::saveInPlace(
            *bundle, false, [](SaveStep step) { return step != SaveStep::Removed; }));
        QVERIFY(saved->verified);
        QCOMPARE(saved->warnings.size(), 1U);
        QVERIFY(!bundle->modified());
        QCOMPARE(decoded(*disk.open(), "w")[3], 5.0f);
    }
};

KERNSCOPE_TEST(TestSaveCrash, NoApplication)
#include "tst_save_crash.moc"
