// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/output_place.h"
#include "core/base/overlaid_file.h"
#include "on_disk.h"

#include <sys/stat.h>

using patch::SaveStep;

// Copies of a bundle: of folders, files and memory; what cannot be copied; cancelling.
class TestSaveCopy : public QObject
{
    Q_OBJECT

private slots:
    void copyOfAFolder()
    {
        const OnDisk disk("lut2");
        writeAll(disk.path / "extra/notes.txt", hex("41 42"));
        fs::create_directory(disk.path / "empty");
        fs::permissions(disk.path / "weights/weight.bin", fs::perms(0640));
        fs::permissions(disk.path / "empty", fs::perms(0750));
        const auto bundle = disk.patched(kThree);
        const fs::path target = disk.folder() / "copy.mlmodelc";
        Progress progress;
        const auto saved = VERIFIED(saveCopy(*bundle, target.string() + "/", &progress));
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

    void copyOfAFile()
    {
        const OnDisk disk("dense-fp16");
        const BundlePtr lone = *Bundle::open(disk.path / "weights/weight.bin");
        const auto edit = parseEdit(Edit::Kind::Set, "blob@0x40[0]=7");
        const auto planned = planEdits(lone, {*edit}, 0.0);
        QVERIFY(planned && applyEdit(lone, planned->front()));
        const fs::path target = disk.folder() / "copy.bin";
        const auto saved = VERIFIED(saveCopy(*lone, target));
        const auto now = lone->files().front().file->bytes();
        QVERIFY(readAll(target) == Bytes(now.begin(), now.end()));
    }

    void copyFromMemory()
    {
        const QTemporaryDir folder;
        const BundlePtr bundle = *sampleBundle("sparse").open();
        const auto inPlace = [&] {
            const auto edit = planEdits(bundle, {*parseEdit(Edit::Kind::Fill, "w[0,:]=0")}, 0.0);
            (void)applyEdit(bundle, edit->front());
            return saveInPlace(*bundle, false);
        }();
        QVERIFY(!inPlace);
        QCOMPARE(inPlace.error().code, "io.write");
        const fs::path target = fs::path(folder.path().toStdString()) / "y.mlmodelc";
        const auto saved = VERIFIED(saveCopy(*bundle, target));
        QCOMPARE(decoded(**Bundle::open(target), "w"), decoded(*bundle, "w"));
        QCOMPARE(readTree(target).size(), bundle->files().size());
    }

    void copyRefused()
    {
        const OnDisk disk("dense-fp16");
        const auto bundle = disk.open();
        QCOMPARE(REFUSED(saveCopy(*bundle, disk.path)).code, "io.input");
        fs::create_directory(disk.folder() / "other");
        const auto folder = saveCopy(*bundle, disk.folder() / "other");
        QVERIFY(!folder);
        QCOMPARE(folder.error().code, "io.kind");
        fs::remove(disk.folder() / "other");
        const auto nowhere = saveCopy(*bundle, disk.folder() / "no/such/place");
        QVERIFY(!nowhere);
        QVERIFY(readTree(disk.path) == disk.original);
        QCOMPARE(int(std::distance(fs::directory_iterator(disk.folder()), {})), 1);
    }

    void copyIntoItself()
    {
        const OnDisk disk("dense-fp16");
        for (const char *place : {"copy", "weights/copy", "weights/../copy.mlmodelc/"}) {
            const Error saved = REFUSED(saveCopy(*disk.open(), disk.path / place));
            QCOMPARE(saved.code, "io.input");
        }
        fs::create_directory_symlink(disk.path / "weights", disk.folder() / "door");
        QCOMPARE(REFUSED(saveCopy(*disk.open(), disk.folder() / "door/copy")).code, "io.input");
        QVERIFY(readTree(disk.path) == disk.original);
    }

    /// Links, empty folders, permissions and times of change, of opened files and others.
    void copyKeepsWhatEntriesAre()
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
        const auto saved = VERIFIED(saveCopy(*disk.open(), target));
        QVERIFY(readTree(target) == readTree(disk.path));
        QVERIFY(fs::is_directory(target / "extra/empty"));
        QCOMPARE(fs::read_symlink(target / "extra/link").string(), "notes.txt");
        QCOMPARE(fs::read_symlink(target / "dangling").string(), "no/such/file");
        QCOMPARE(fs::read_symlink(target / "weights/weight.bin").string(), "real.bin");
        QVERIFY(fs::status(target / "extra/notes.txt").permissions() == fs::perms(0600));
        QVERIFY(fs::status(target / "weights/real.bin").permissions() == fs::perms(0600));
        for (const char *file : {"model.mil", "extra/notes.txt", "extra"})
            QVERIFY(fs::last_write_time(target / file) == old);
    }

    /// A bundle that was made in memory from one on disk, as encode makes it.
    void copyOfMemoryKeepsTheRest()
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
        const auto saved = VERIFIED(saveCopy(*made, target, nullptr, options));
        QVERIFY(readTree(target) == readTree(disk.path));
        QVERIFY(fs::is_directory(target / "empty") && fs::is_symlink(target / "link"));
        QVERIFY(fs::status(target / "weights/weight.bin").permissions() == fs::perms(0600));
        QCOMPARE(REFUSED(saveCopy(*made, disk.path / "copy", nullptr, options)).code, "io.input");
    }

    /// What was removed is mapped still.
    void copyOfFilesThatAreGone()
    {
        const OnDisk disk("dense-fp16"), whole("dense-fp16");
        const auto bundle = disk.patched("set w[3]=5"), other = whole.patched("set w[3]=5");
        fs::remove(disk.path / "weights/weight.bin");
        fs::remove_all(whole.path);
        for (const auto &[from, at] : {std::pair{bundle, disk.folder()}, {other, whole.folder()}}) {
            const auto saved = VERIFIED(saveCopy(*from, at / "copy.mlmodelc"));
            const auto copy = *Bundle::open(at / "copy.mlmodelc");
            QCOMPARE(decoded(*copy, "w")[3], 5.0f);
            QCOMPARE(readTree(at / "copy.mlmodelc").size(), disk.original.size());
        }
    }

    void copyRefusesWhatItCannotCopy()
    {
        const OnDisk disk("dense-fp16");
        QCOMPARE(::mkfifo((disk.path / "pipe").c_str(), 0600), 0);
        const Error saved = REFUSED(saveCopy(*disk.open(), disk.folder() / "copy"));
        QCOMPARE(saved.code, "io.write");
        QCOMPARE(saved.file, "pipe");
        QCOMPARE(int(std::distance(fs::directory_iterator(disk.folder()), {})), 1);
    }

    /// Half old and half new is no copy of anything.
    void copyOfAFileThatChanges()
    {
        const OnDisk disk("dense-fp16");
        const auto bundle = disk.open();
        const fs::path weights = disk.path / "weights/weight.bin";
        Bytes bytes = readAll(weights);
        bytes.back() ^= std::byte{1};
        writeAll(weights, bytes); // of the same length
        QCOMPARE(REFUSED(saveCopy(*bundle, disk.folder() / "copy")).code, "io.changed");
        QCOMPARE(int(std::distance(fs::directory_iterator(disk.folder()), {})), 1);
    }

    /// What came to the output's place after the check is left as it is.
    void copyNeverTakesANewFilesPlace()
    {
        const OnDisk disk("dense-fp16");
        const fs::path target = disk.folder() / "copy.bin";
        auto place = VERIFIED(OutputPlace::claim(target, OutputKind::File, {}));
        writeAll(target, hex("41 42"));
        QCOMPARE(REFUSED(place->publish()).code, "io.exists");
        QVERIFY(readAll(target) == hex("41 42"));

        OutputRules force;
        force.replace = true;
        auto replacing = VERIFIED(OutputPlace::claim(target, OutputKind::File, force));
        writeAll(disk.folder() / "other", hex("43"));
        fs::rename(disk.folder() / "other", target); // not the file that was seen
        QCOMPARE(REFUSED(replacing->publish()).code, "io.exists");
        QVERIFY(readAll(target) == hex("43"));

        auto again = OutputPlace::claim(target, OutputKind::File, force);
        QVERIFY(again && again->publish());
        QVERIFY(readAll(target).empty());
    }

    void copyCancelled()
    {
        const OnDisk disk("dense-fp16");
        Progress progress;
        progress.cancel();
        QCOMPARE(REFUSED(saveCopy(*disk.open(), disk.folder() / "copy", &progress)).code,
                 "task.cancelled");
        QCOMPARE(int(std::distance(fs::directory_iterator(disk.folder()), {})), 1);
    }
};

KERNSCOPE_TEST(TestSaveCopy, NoApplication)
#include "tst_save_copy.moc"
