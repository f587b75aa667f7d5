// SPDX-License-Identifier: GPL-3.0-or-later
// Saving on real files: which bytes change, what a crash leaves, and what is refused.
#include "core/patch/journal.h"
#include "core/patch/patch.h"
#include "core/patch/save_steps.h"
#include "sample_bundles.h"

#include <csignal>
#include <fstream>
#include <map>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QTest>

using namespace kernscope;
using namespace kernscope::test;
using patch::SaveStep;
namespace fs = std::filesystem;

namespace {

using Tree = std::map<std::string, Bytes>;

Bytes readAll(const fs::path &path)
{
    std::ifstream in(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

void writeAll(const fs::path &path, const Bytes &bytes)
{
    fs::create_directories(path.parent_path());
    std::ofstream out(path, std::ios::binary);
    out.write(reinterpret_cast<const char *>(bytes.data()),
              static_cast<std::streamsize>(bytes.size()));
}

Tree readTree(const fs::path &folder)
{
    Tree tree;
    for (const auto &entry : fs::recursive_directory_iterator(folder)) {
        if (entry.is_regular_file())
            tree[entry.path().lexically_relative(folder).string()] = readAll(entry.path());
    }
    return tree;
}

/// A bundle folder on disk.
class OnDisk
{
public:
    explicit OnDisk(const char *form) : path(fs::path(m_folder.path().toStdString()) / "x.mlmodelc")
    {
        for (const auto &[name, bytes] : sampleBundle(form).options().memory)
            writeAll(path / name, bytes);
        original = readTree(path);
    }

    fs::path folder() const { return m_folder.path().toStdString(); }
    fs::path journal() const { return folder() / "x.mlmodelc.kernscope-journal"; }
    BundlePtr open() const { return *Bundle::open(path); }
    /// The bundle with these edits laid over it.
    BundlePtr patched(const std::string &script) const
    {
        BundlePtr bundle = open();
        const auto planned = *planEdits(bundle, *parseEditScript(script, "script"), 0.0);
        for (const AppliedEdit &edit : planned)
            bundle = *applyEdit(bundle, edit);
        return bundle;
    }

private:
    QTemporaryDir m_folder;

public:
    fs::path path;
    Tree original;
};

/// Three ranges in two files: a literal codebook in the program, codes in the weights.
constexpr const char *kThree =
    "codebook w[0][1]=7.5\nset-stored w:indices[0]=1\nset behind[9]=0.25";

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

class TestSave : public QObject
{
    Q_OBJECT

private slots:
    void inPlaceWritesOnlyTheChange();
    void nothingToSave();
    void savedStateIsClean();
    void backups();
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
    void stale_data();
    void stale();
    void readOnly();
    void linkedFile();
    void copyOfAFolder();
    void copyOfAFile();
    void copyFromMemory();
    void copyRefused();
    void copyCancelled();
};

void TestSave::inPlaceWritesOnlyTheChange()
{
    const OnDisk disk("lut2");
    const auto bundle = disk.patched(kThree);
    const auto pending = pendingRanges(*bundle);
    QVERIFY(pending.size() >= 3);
    const auto saved = saveInPlace(*bundle, false);
    QVERIFY2(saved, saved ? "" : describe(saved.error()).c_str());
    QVERIFY(saved->verified);
    Tree expected = disk.original;
    std::uint64_t bytes = 0;
    for (const WrittenRange &written : saved->ranges) {
        const auto file = bundle->fileByPath(written.file);
        const auto now = bundle->files()[*file].file->bytes();
        for (std::uint64_t i = written.range.offset.value; i < written.range.end(); ++i) {
            QVERIFY(expected[written.file][i] != now[i]); // not one byte more than needed
            expected[written.file][i] = now[i];
        }
        bytes += written.range.bytes.value;
    }
    QCOMPARE(saved->bytesWritten.value, bytes);
    QVERIFY(readTree(disk.path) == expected);
    QVERIFY(!fs::exists(disk.journal()));
    QCOMPARE(decoded(*disk.open(), "behind")[9], 0.25f);
}

void TestSave::nothingToSave()
{
    const OnDisk disk("dense-fp16");
    const auto saved = saveInPlace(*disk.open(), true);
    QVERIFY(saved && saved->ranges.empty() && saved->bytesWritten.value == 0);
    QVERIFY(readTree(disk.path) == disk.original);
}

void TestSave::savedStateIsClean()
{
    const OnDisk disk("dense-fp16");
    const auto bundle = disk.patched("set w[3]=5");
    QVERIFY(bundle->modified());
    QVERIFY(saveInPlace(*bundle, false));
    QVERIFY(!bundle->modified());
    // The same opened bundle can be edited and saved again.
    const auto again = planEdits(bundle, {*parseEdit(Edit::Kind::Set, "w[4]=6")}, 0.0);
    QVERIFY(applyEdit(bundle, again->front()));
    const auto saved = saveInPlace(*bundle, false);
    QVERIFY2(saved, saved ? "" : describe(saved.error()).c_str());
    QCOMPARE(decoded(*disk.open(), "w")[3], 5.0f);
    QCOMPARE(decoded(*disk.open(), "w")[4], 6.0f);
}

void TestSave::backups()
{
    const OnDisk disk("dense-fp16");
    const auto bundle = disk.patched("set w[3]=5");
    QVERIFY(saveInPlace(*bundle, true));
    const std::string weights = "weights/weight.bin";
    QVERIFY(readAll(disk.path / "weights/weight.bin.bak") == disk.original.at(weights));
    QVERIFY(!fs::exists(disk.path / "model.mil.bak"));
    // The first backup stays.
    const auto again = planEdits(bundle, {*parseEdit(Edit::Kind::Set, "w[4]=6")}, 0.0);
    QVERIFY(applyEdit(bundle, again->front()));
    QVERIFY(saveInPlace(*bundle, true));
    QVERIFY(readAll(disk.path / "weights/weight.bin.bak") == disk.original.at(weights));
}

void TestSave::crashes_data()
{
    QTest::addColumn<int>("step");
    for (int step = 0; step < 12; ++step)
        QTest::addRow("step %d", step) << step;
}

/// Whatever the step, the next opening finds the old bundle or the new one, whole.
void TestSave::crashes()
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
void TestSave::tornWrite()
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

void TestSave::tornJournals()
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

void TestSave::damagedJournal()
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

void TestSave::journalOfAnotherState()
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
void TestSave::journalsThatReachOut()
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

void TestSave::journalInsideAndAbove()
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

void TestSave::runningSaveIsNoCrash()
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

void TestSave::failureRollsBack_data()
{
    QTest::addColumn<int>("step");
    for (const SaveStep step : {SaveStep::Checked, SaveStep::BackedUp, SaveStep::Journalled,
                                SaveStep::RangeWritten, SaveStep::Synced, SaveStep::Verified})
        QTest::addRow("%d", static_cast<int>(step)) << static_cast<int>(step);
}

void TestSave::failureRollsBack()
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
void TestSave::signalRollsBack()
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

void TestSave::stale_data()
{
    QTest::addColumn<int>("how");
    QTest::newRow("rewritten") << 0;
    QTest::newRow("longer") << 1;
    QTest::newRow("replaced") << 2;
    QTest::newRow("removed") << 3;
}

void TestSave::stale()
{
    QFETCH(const int, how);
    const OnDisk disk("dense-fp16");
    const auto bundle = disk.patched("set w[3]=5");
    const fs::path weights = disk.path / "weights/weight.bin";
    const Bytes bytes = disk.original.at("weights/weight.bin");
    QTest::qSleep(20); // so that the time of the file differs
    if (how == 0) {
        std::fstream out(weights, std::ios::binary | std::ios::in | std::ios::out);
        out.put('\x02');
    } else if (how == 1) {
        std::ofstream(weights, std::ios::binary | std::ios::app) << 'x';
    } else {
        fs::rename(weights, disk.folder() / "away");
        if (how == 2)
            writeAll(weights, bytes);
    }
    const Tree before = readTree(disk.path);
    const auto saved = saveInPlace(*bundle, false);
    QVERIFY(!saved);
    QCOMPARE(saved.error().code, std::string(how == 3 ? "io.write" : "patch.stale"));
    QCOMPARE(saved.error().file, std::string("weights/weight.bin"));
    QVERIFY(readTree(disk.path) == before);
    QVERIFY(!fs::exists(disk.journal()));
}

void TestSave::readOnly()
{
    if (::geteuid() == 0)
        QSKIP("the superuser may write any file");
    const OnDisk disk("dense-fp16");
    const auto bundle = disk.patched("set w[3]=5");
    fs::permissions(disk.path / "weights/weight.bin", fs::perms::owner_read);
    const auto saved = saveInPlace(*bundle, false);
    QVERIFY(!saved);
    QCOMPARE(saved.error().code, std::string("io.write"));
}

/// A link within the bundle is followed; one that leads out of it is not written through.
void TestSave::linkedFile()
{
    const OnDisk disk("dense-fp16");
    const fs::path weights = disk.path / "weights/weight.bin";
    fs::rename(weights, disk.path / "weights/real.bin");
    fs::create_symlink("real.bin", weights);
    const auto bundle = disk.patched("set w[3]=5");
    const auto saved = saveInPlace(*bundle, false);
    QVERIFY2(saved, saved ? "" : describe(saved.error()).c_str());
    QVERIFY(fs::is_symlink(weights));
    QCOMPARE(decoded(*disk.open(), "w")[3], 5.0f);
}

void TestSave::copyOfAFolder()
{
    const OnDisk disk("lut2");
    writeAll(disk.path / "extra/notes.txt", hex("41 42"));
    fs::create_directory(disk.path / "empty");
    fs::permissions(disk.path / "weights/weight.bin", fs::perms(0640));
    fs::permissions(disk.path / "empty", fs::perms(0750));
    const auto bundle = disk.patched(kThree);
    const fs::path target = disk.folder() / "copy.mlmodelc";
    Progress progress;
    const auto saved = saveCopy(*bundle, target.string() + "/", &progress);
    QVERIFY2(saved, saved ? "" : describe(saved.error()).c_str());
    QVERIFY(saved->verified && saved->ranges.size() >= 3);
    QCOMPARE(progress.fraction(), 1.0);
    Tree expected = readTree(disk.path);
    QVERIFY(expected.size() == disk.original.size() + 1); // the source is as it was
    for (const BundleFile &file : bundle->files()) {
        const auto now = file.file->bytes();
        expected[file.path] = {now.begin(), now.end()};
    }
    QVERIFY(readTree(target) == expected);
    QVERIFY(fs::is_directory(target / "empty"));
    QVERIFY(fs::status(target / "weights/weight.bin").permissions() == fs::perms(0640));
    QVERIFY(fs::status(target / "empty").permissions() == fs::perms(0750));
    QVERIFY(bundle->modified()); // the opened bundle is still another one than its files
    QCOMPARE(decoded(**Bundle::open(target), "behind")[9], 0.25f);
}

void TestSave::copyOfAFile()
{
    const OnDisk disk("dense-fp16");
    const BundlePtr lone = *Bundle::open(disk.path / "weights/weight.bin");
    const auto edit = parseEdit(Edit::Kind::Set, "blob@0x40[0]=7");
    const auto planned = planEdits(lone, {*edit}, 0.0);
    QVERIFY(planned && applyEdit(lone, planned->front()));
    const fs::path target = disk.folder() / "copy.bin";
    const auto saved = saveCopy(*lone, target);
    QVERIFY2(saved, saved ? "" : describe(saved.error()).c_str());
    const auto now = lone->files().front().file->bytes();
    QVERIFY(readAll(target) == Bytes(now.begin(), now.end()));
}

void TestSave::copyFromMemory()
{
    const QTemporaryDir folder;
    const BundlePtr bundle = *sampleBundle("sparse").open();
    const auto inPlace = [&] {
        const auto edit = planEdits(bundle, {*parseEdit(Edit::Kind::Fill, "w[0,:]=0")}, 0.0);
        (void)applyEdit(bundle, edit->front());
        return saveInPlace(*bundle, false);
    }();
    QVERIFY(!inPlace);
    QCOMPARE(inPlace.error().code, std::string("io.write"));
    const fs::path target = fs::path(folder.path().toStdString()) / "y.mlmodelc";
    const auto saved = saveCopy(*bundle, target);
    QVERIFY2(saved, saved ? "" : describe(saved.error()).c_str());
    QCOMPARE(decoded(**Bundle::open(target), "w"), decoded(*bundle, "w"));
    QCOMPARE(readTree(target).size(), bundle->files().size());
}

void TestSave::copyRefused()
{
    const OnDisk disk("dense-fp16");
    const auto bundle = disk.open();
    const auto exists = saveCopy(*bundle, disk.path);
    QVERIFY(!exists);
    QCOMPARE(exists.error().code, std::string("io.write"));
    const auto nowhere = saveCopy(*bundle, disk.folder() / "no/such/place");
    QVERIFY(!nowhere);
    QVERIFY(readTree(disk.path) == disk.original);
    QCOMPARE(static_cast<int>(std::distance(fs::directory_iterator(disk.folder()), {})), 1);
}

void TestSave::copyCancelled()
{
    const OnDisk disk("dense-fp16");
    Progress progress;
    progress.cancel();
    const auto saved = saveCopy(*disk.open(), disk.folder() / "copy", &progress);
    QVERIFY(!saved);
    QCOMPARE(saved.error().code, std::string("task.cancelled"));
    QCOMPARE(static_cast<int>(std::distance(fs::directory_iterator(disk.folder()), {})), 1);
}

QTEST_APPLESS_MAIN(TestSave)
#include "tst_save.moc"
