// SPDX-License-Identifier: GPL-3.0-or-later
// Saving on real files: which bytes change, and what is refused.
#include "core/base/output_place.h"
#include "core/patch/save_steps.h"
#include "made_bundle.h"
#include "on_disk.h"

#include <fmt/format.h>

#include <sys/stat.h>
#include <unistd.h>

#include <QTest>

using namespace kernscope;
using namespace kernscope::test;
using patch::SaveStep;

class TestSave : public QObject
{
    Q_OBJECT

private slots:
    void inPlaceWritesOnlyTheChange();
    void nothingToSave();
    void savedStateIsClean();
    void backups();
    void oneListOfRanges_data();
    void oneListOfRanges();
    void stale_data();
    void stale();
    void readOnly();
    void linkedFile();
    void copyOfAFolder();
    void copyOfAFile();
    void copyFromMemory();
    void copyRefused();
    void copyIntoItself();
    void copyKeepsWhatEntriesAre();
    void copyOfMemoryKeepsTheRest();
    void copyRefusesWhatItCannotCopy();
    void copyNeverTakesANewFilesPlace();
    void abandonedPartsAreRemoved();
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

/// Beside the bundle, never in it: it would count as content.
void TestSave::backups()
{
    const OnDisk disk("dense-fp16");
    const auto bundle = disk.patched("set w[3]=5");
    QVERIFY(saveInPlace(*bundle, true));
    const std::string weights = "weights/weight.bin";
    const fs::path kept = disk.folder() / "x.mlmodelc.bak";
    QVERIFY(readAll(kept / weights) == disk.original.at(weights));
    QCOMPARE(readTree(kept).size(), std::size_t{1});
    QCOMPARE(readTree(disk.path).size(), disk.original.size());
    // The first backup stays.
    const auto again = planEdits(bundle, {*parseEdit(Edit::Kind::Set, "w[4]=6")}, 0.0);
    QVERIFY(applyEdit(bundle, again->front()));
    QVERIFY(saveInPlace(*bundle, true));
    QVERIFY(readAll(kept / weights) == disk.original.at(weights));
    QCOMPARE((*Bundle::open(disk.path))->totalBytes(), bundle->totalBytes());
    // A file of the bundle that is opened alone does not keep its backup inside either.
    const OnDisk other("dense-fp16");
    const BundlePtr lone = *Bundle::open(other.path / weights);
    const auto edit = planEdits(lone, {*parseEdit(Edit::Kind::Set, "blob@0x40[0]=7")}, 0.0);
    QVERIFY(edit && applyEdit(lone, edit->front()) && saveInPlace(*lone, true));
    QCOMPARE(readTree(other.path).size(), other.original.size());
    QVERIFY(readAll(other.folder() / "x.mlmodelc.bak" / weights) == other.original.at(weights));
    // A file of no bundle: beside it.
    const fs::path alone = other.folder() / "lone.bin";
    fs::copy_file(disk.path / weights, alone);
    const BundlePtr file = *Bundle::open(alone);
    const auto third = planEdits(file, {*parseEdit(Edit::Kind::Set, "blob@0x40[0]=9")}, 0.0);
    QVERIFY(third && applyEdit(file, third->front()) && saveInPlace(*file, true));
    QVERIFY(fs::exists(other.folder() / "lone.bin.bak"));
}

/// What is reported is what is written: the calls of the hook are the writes.
void TestSave::oneListOfRanges_data()
{
    QTest::addColumn<std::uint64_t>("elements");
    QTest::addColumn<std::uint64_t>("step"); // of the elements that are changed
    QTest::newRow("few") << std::uint64_t{100} << std::uint64_t{7};
    QTest::newRow("every fourth") << std::uint64_t{400000} << std::uint64_t{4};
    QTest::newRow("every thousandth") << std::uint64_t{8000000} << std::uint64_t{1000};
}

void TestSave::oneListOfRanges()
{
    QFETCH(const std::uint64_t, elements);
    QFETCH(const std::uint64_t, step);
    const QTemporaryDir folder;
    const fs::path path = fs::path(folder.path().toStdString()) / "weight.bin";
    MadeBundle made;
    (void)made.blob(ElementType::Fp16, fmt::format("[{}]", elements), Bytes(2 * elements));
    writeAll(path, made.weights());
    const BundlePtr bundle = *Bundle::open(path);
    const auto &file = bundle->files().front().file;
    for (std::uint64_t i = 0; i < elements; i += step)
        QVERIFY(file->write(FileOffset(128 + 2 * i), hex("00 3c")));
    const auto pending = pendingRanges(*bundle);
    QVERIFY(pending.size() <= 4096);
    std::size_t writes = 0;
    const auto saved = patch::saveInPlace(*bundle, false, [&writes](SaveStep now) {
        writes += now == SaveStep::RangeWritten ? 1 : 0;
        return true;
    });
    QVERIFY2(saved, saved ? "" : describe(saved.error()).c_str());
    QCOMPARE(writes, saved->ranges.size());
    QVERIFY(std::equal(
        pending.begin(), pending.end(), saved->ranges.begin(), saved->ranges.end(),
        [](const auto &a, const auto &b) { return a.file == b.file && a.range == b.range; }));
    const auto now = file->bytes();
    QVERIFY(readAll(path) == Bytes(now.begin(), now.end()));
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
    QCOMPARE(exists.error().code, std::string("io.input"));
    fs::create_directory(disk.folder() / "other");
    const auto folder = saveCopy(*bundle, disk.folder() / "other");
    QVERIFY(!folder);
    QCOMPARE(folder.error().code, std::string("io.kind"));
    fs::remove(disk.folder() / "other");
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

void TestSave::copyIntoItself()
{
    const OnDisk disk("dense-fp16");
    for (const char *place : {"copy", "weights/copy", "weights/../copy.mlmodelc/"}) {
        const auto saved = saveCopy(*disk.open(), disk.path / place);
        QVERIFY(!saved);
        QCOMPARE(saved.error().code, std::string("io.input"));
    }
    fs::create_directory_symlink(disk.path / "weights", disk.folder() / "door");
    const auto saved = saveCopy(*disk.open(), disk.folder() / "door/copy");
    QVERIFY(!saved);
    QCOMPARE(saved.error().code, std::string("io.input"));
    QVERIFY(readTree(disk.path) == disk.original);
}

/// Links, empty folders, permissions and times of change, of files that the bundle opened and of
/// others.
void TestSave::copyKeepsWhatEntriesAre()
{
    const OnDisk disk("lut2");
    writeAll(disk.path / "extra/notes.txt", hex("41 42"));
    fs::create_directory(disk.path / "extra/empty");
    fs::create_symlink("notes.txt", disk.path / "extra/link");
    fs::create_symlink("no/such/file", disk.path / "dangling");
    fs::rename(disk.path / "weights/weight.bin", disk.path / "weights/real.bin");
    fs::create_symlink("real.bin", disk.path / "weights/weight.bin");
    fs::permissions(disk.path / "extra/notes.txt", fs::perms(0600));
    fs::permissions(disk.path / "weights/real.bin", fs::perms(0600));
    const auto old = fs::last_write_time(disk.path / "model.mil") - std::chrono::hours(50);
    for (const char *file : {"model.mil", "extra/notes.txt", "extra"})
        fs::last_write_time(disk.path / file, old);
    const fs::path target = disk.folder() / "copy.mlmodelc";
    const auto saved = saveCopy(*disk.open(), target);
    QVERIFY2(saved, saved ? "" : describe(saved.error()).c_str());
    QVERIFY(readTree(target) == readTree(disk.path));
    QVERIFY(fs::is_directory(target / "extra/empty"));
    QCOMPARE(fs::read_symlink(target / "extra/link").string(), std::string("notes.txt"));
    QCOMPARE(fs::read_symlink(target / "dangling").string(), std::string("no/such/file"));
    QCOMPARE(fs::read_symlink(target / "weights/weight.bin").string(), std::string("real.bin"));
    QVERIFY(fs::status(target / "extra/notes.txt").permissions() == fs::perms(0600));
    QVERIFY(fs::status(target / "weights/real.bin").permissions() == fs::perms(0600));
    for (const char *file : {"model.mil", "extra/notes.txt", "extra"})
        QVERIFY(fs::last_write_time(target / file) == old);
}

/// A bundle that was made in memory from one on disk, as encode makes it.
void TestSave::copyOfMemoryKeepsTheRest()
{
    const OnDisk disk("lut2");
    const BundlePtr made = *Bundle::open("x.mlmodelc", sampleBundle("lut2").options());
    writeAll(disk.path / "extra/notes.txt", hex("41 42"));
    fs::create_directory(disk.path / "empty");
    fs::create_symlink("extra/notes.txt", disk.path / "link");
    fs::permissions(disk.path / "weights/weight.bin", fs::perms(0600));
    CopyOptions options;
    options.origin = disk.path;
    const fs::path target = disk.folder() / "copy.mlmodelc";
    const auto saved = saveCopy(*made, target, nullptr, options);
    QVERIFY2(saved, saved ? "" : describe(saved.error()).c_str());
    QVERIFY(readTree(target) == readTree(disk.path));
    QVERIFY(fs::is_directory(target / "empty") && fs::is_symlink(target / "link"));
    QVERIFY(fs::status(target / "weights/weight.bin").permissions() == fs::perms(0600));
    const auto inside = saveCopy(*made, disk.path / "copy", nullptr, options);
    QVERIFY(!inside);
    QCOMPARE(inside.error().code, std::string("io.input"));
}

void TestSave::copyRefusesWhatItCannotCopy()
{
    const OnDisk disk("dense-fp16");
    QCOMPARE(::mkfifo((disk.path / "pipe").c_str(), 0600), 0);
    const auto saved = saveCopy(*disk.open(), disk.folder() / "copy");
    QVERIFY(!saved);
    QCOMPARE(saved.error().code, std::string("io.write"));
    QCOMPARE(saved.error().file, std::string("pipe"));
    QCOMPARE(static_cast<int>(std::distance(fs::directory_iterator(disk.folder()), {})), 1);
}

/// What came to the output's place after the check is left as it is.
void TestSave::copyNeverTakesANewFilesPlace()
{
    const OnDisk disk("dense-fp16");
    const fs::path target = disk.folder() / "copy.bin";
    auto place = OutputPlace::claim(target, OutputKind::File, {});
    QVERIFY(place);
    writeAll(target, hex("41 42"));
    const auto published = place->publish();
    QVERIFY(!published);
    QCOMPARE(published.error().code, std::string("io.exists"));
    QVERIFY(readAll(target) == hex("41 42"));

    OutputRules force;
    force.replace = true;
    auto replacing = OutputPlace::claim(target, OutputKind::File, force);
    QVERIFY(replacing);
    writeAll(disk.folder() / "other", hex("43"));
    fs::rename(disk.folder() / "other", target); // not the file that was seen
    const auto refused = replacing->publish();
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, std::string("io.exists"));
    QVERIFY(readAll(target) == hex("43"));

    auto again = OutputPlace::claim(target, OutputKind::File, force);
    QVERIFY(again && again->publish());
    QVERIFY(readAll(target).empty());
}

void TestSave::abandonedPartsAreRemoved()
{
    const OnDisk disk("dense-fp16");
    const fs::path target = disk.folder() / "copy.mlmodelc";
    const std::string part = target.string() + ".kernscope-part-";
    writeAll(part + "aB3dE6/weights/weight.bin", hex("41"));
    fs::permissions(part + "aB3dE6/weights", fs::perms(0500));
    writeAll(part + "zzzzzz", hex("41"));
    writeAll(part + "notours1", hex("41"));                         // another length
    writeAll(disk.folder() / "b.kernscope-part-aaaaaa", hex("41")); // of another output
    auto living = OutputPlace::claim(target, OutputKind::Folder, {});
    QVERIFY(living);
    QVERIFY(!fs::exists(part + "aB3dE6") && !fs::exists(part + "zzzzzz"));
    QVERIFY(fs::exists(part + "notours1"));
    QVERIFY(fs::exists(disk.folder() / "b.kernscope-part-aaaaaa"));
    // One that another run is working on stays.
    const auto saved = saveCopy(*disk.open(), target);
    QVERIFY2(saved, saved ? "" : describe(saved.error()).c_str());
    QVERIFY(fs::is_directory(living->temporary()));
    QVERIFY(!living->publish());
    QVERIFY(readTree(target) == disk.original);
}

QTEST_APPLESS_MAIN(TestSave)
#include "tst_save.moc"
