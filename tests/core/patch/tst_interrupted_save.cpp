// SPDX-License-Identifier: GPL-3.0-or-later
// Journals beside a bundle: reading writes nothing, and a journal reaches nothing but the bundle.
#include "core/bundle/bundle.h"
#include "core/patch/interrupted_save.h"
#include "core/patch/patch.h"
#include "core/patch/save/journal.h"
#include "interrupted.h"
#include "on_disk.h"
#include "tests/test_program.h"

using namespace kernscope;
using namespace kernscope::test;
using patch::SaveStep;

class TestInterruptedSave : public QObject
{
    Q_OBJECT

private slots:
    void readingShowsTheStateAfterRecovery()
    {
        const OnDisk disk("lut2");
        const auto original = decoded(*disk.open(), "behind");
        interrupt(disk, "codebook w[0][1]=7.5\nfill behind[0:8]=0.25");
        const Listing before = listing(disk.folder());
        QVERIFY(readTree(disk.path) != disk.original);
        const auto opened = openForReading(disk.path);
        QVERIFY2(opened.bundle, opened.bundle ? "" : describe(opened.bundle.error()).c_str());
        QCOMPARE(opened.saves.size(), std::size_t{1});
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
        QCOMPARE(opened.saves.size(), std::size_t{1});
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
        QCOMPARE(dry->saves.size(), std::size_t{1});
        QCOMPARE(dry->saves.front().ranges.size(), std::size_t{1}); // one range was written
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
        const auto saved = patch::saveInPlace(
            *bundle, false, [](SaveStep step) { return step != SaveStep::Removed; });
        QVERIFY2(saved, saved ? "" : describe(saved.error()).c_str());
        QVERIFY(saved->verified);
        QCOMPARE(saved->warnings.size(), std::size_t{1});
        QVERIFY(!bundle->modified());
        QCOMPARE(decoded(*disk.open(), "w")[3], 5.0f);
    }
};

KERNSCOPE_TEST(TestInterruptedSave, kernscope::test::NoApplication)
#include "tst_interrupted_save.moc"
