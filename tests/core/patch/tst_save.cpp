// SPDX-License-Identifier: GPL-3.0-or-later
// Saving on real files: which bytes change, and what is refused.
#include "core/base/output_place.h"
#include "core/patch/interrupted_save.h"
#include "core/patch/save/backup.h"
#include "on_disk.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/xattr.h>

using patch::SaveStep;

namespace {

/// From now on this process is killed when it removes a file. False where the system cannot do so.
bool dieAtRemovals()
{
    sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_unlinkat, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog program{std::size(filter), filter};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

} // namespace

class TestSave : public QObject
{
    Q_OBJECT

private slots:
    void inPlaceWritesOnlyTheChange()
    {
        const OnDisk disk("lut2");
        const auto bundle = disk.patched(kThree);
        const auto pending = pendingRanges(*bundle);
        QVERIFY(pending.size() >= 3);
        const auto saved = VERIFIED(saveInPlace(*bundle, false));
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

    void nothingToSave()
    {
        const OnDisk disk("dense-fp16");
        const auto saved = saveInPlace(*disk.open(), true);
        QVERIFY(saved && saved->ranges.empty() && saved->bytesWritten.value == 0);
        QVERIFY(readTree(disk.path) == disk.original);
    }

    void savedStateIsClean()
    {
        const OnDisk disk("dense-fp16");
        const auto bundle = disk.patched("set w[3]=5");
        QVERIFY(bundle->modified());
        QVERIFY(saveInPlace(*bundle, false));
        QVERIFY(!bundle->modified());
        // The same opened bundle can be edited and saved again.
        const auto again = planEdits(bundle, {*parseEdit(Edit::Kind::Set, "w[4]=6")}, 0.0);
        QVERIFY(applyEdit(bundle, again->front()));
        const auto saved = VERIFIED(saveInPlace(*bundle, false));
        QCOMPARE(decoded(*disk.open(), "w")[3], 5.0f);
        QCOMPARE(decoded(*disk.open(), "w")[4], 6.0f);
    }

    /// Beside the bundle, never in it: it would count as content.
    void backups()
    {
        const OnDisk disk("dense-fp16");
        const auto bundle = disk.patched("set w[3]=5");
        QVERIFY(saveInPlace(*bundle, true));
        const std::string weights = "weights/weight.bin";
        const fs::path kept = disk.folder() / "x.mlmodelc.bak";
        QVERIFY(readAll(kept / weights) == disk.original.at(weights));
        QCOMPARE(readTree(kept).size(), 1U);
        QCOMPARE(readTree(disk.path).size(), disk.original.size());
        // What is there stays, also a file of the user's own; the next one has another number.
        writeAll(kept / (weights + ".new"), hex("41"));
        const Bytes second = readAll(disk.path / weights);
        const auto again = planEdits(bundle, {*parseEdit(Edit::Kind::Set, "w[4]=6")}, 0.0);
        QVERIFY(applyEdit(bundle, again->front()));
        fs::create_directory_symlink("elsewhere", disk.folder() / "x.mlmodelc.bak.2");
        const auto saved = VERIFIED(saveInPlace(*bundle, true));
        QCOMPARE(saved->backups, std::vector{disk.folder() / "x.mlmodelc.bak.3" / weights});
        QVERIFY(readAll(kept / weights) == disk.original.at(weights));
        QVERIFY(readAll(kept / (weights + ".new")) == hex("41"));
        QVERIFY(readAll(saved->backups.front()) == second);
        QVERIFY(!fs::exists(disk.folder() / "elsewhere"));
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
        // One that cannot be made leaves nothing, and what is there stays.
        const OnDisk last("dense-fp16");
        QVERIFY(!patch::backUp({last.path / "weights/none"}));
        QVERIFY(!fs::exists(last.folder() / "x.mlmodelc.bak"));
        QVERIFY(!patch::backUp({disk.path / "weights/none"}));
        QVERIFY(readAll(kept / weights) == disk.original.at(weights));
    }

    /// Beside the bundle, whatever kind it is: nothing is added to what its writer made.
    void backupsOfPackages()
    {
        const OnDisk disk("lut2");
        for (const char *file :
             {"main.mlirb", "main-universal.odix", "quantize.json", "model.mil"}) {
            const fs::path bundle = disk.folder() / (std::string("of ") + file);
            writeAll(bundle / file, hex("00"));
            writeAll(bundle / "other", hex("00"));
            QCOMPARE(patch::backupPlace(bundle / "other", 2).path,
                     disk.folder() / (std::string("of ") + file + ".bak.2") / "other");
        }
    }

    /// "cp -al a b": what is written in b would be written in a.
    void filesOfSeveralNames()
    {
        const OnDisk disk("dense-fp16");
        const fs::path weights = disk.path / "weights/weight.bin", other = disk.folder() / "other";
        fs::create_hard_link(weights, other);
        const auto bundle = disk.patched("set w[3]=5");
        QCOMPARE(codeOf(saveInPlace(*bundle, false)), "io.links");
        QVERIFY(readTree(disk.path) == disk.original);
        const auto saved = VERIFIED(saveInPlace(*bundle, SaveOptions(false, true)));
        QVERIFY(readAll(other) == disk.original.at("weights/weight.bin"));
        QCOMPARE(decoded(*disk.open(), "w")[3], 5.0f);
        QCOMPARE(fs::hard_link_count(weights), std::uintmax_t{1});
        QCOMPARE(readTree(disk.folder()).size(), disk.original.size() + 1);
    }

    /// Between reading and writing another file, or a link to one, came to the place.
    void onlyTheFileThatWasRead()
    {
        const OnDisk disk("dense-fp16");
        const fs::path weights = disk.path / "weights/weight.bin", other = disk.folder() / "other";
        const auto bundle = disk.patched("set w[3]=5");
        fs::copy_file(weights, other);
        fs::remove(weights);
        fs::create_symlink(other, weights);
        QCOMPARE(codeOf(saveInPlace(*bundle, false)), "patch.stale");
        QVERIFY(readAll(other) == disk.original.at("weights/weight.bin"));
    }

    /// As long as a name can be: the journal finds room beside it.
    void longNames()
    {
        const OnDisk disk("dense-fp16");
        const fs::path path = disk.folder() / (std::string(245, 'x') + ".mlmodelc");
        fs::rename(disk.path, path);
        const auto patched = [&] {
            const auto bundle = *Bundle::open(path);
            const auto planned = planEdits(bundle, {*parseEdit(Edit::Kind::Set, "w[3]=5")}, 0.0);
            return *applyEdit(bundle, planned->front());
        };
        crash([&] { (void)patch::saveInPlace(*patched(), false, diesAt(SaveStep::RangeWritten)); });
        QVERIFY(readTree(path) != disk.original);
        QCOMPARE(recoverSave(path, RecoverAction::Undo)->saves.size(), 1U);
        QVERIFY(readTree(path) == disk.original);
        QVERIFY(saveInPlace(*patched(), false));
        QCOMPARE(decoded(**Bundle::open(path), "w")[3], 5.0f);
    }

    /// What is reported is what is written: the calls of the hook are the writes.
    void oneListOfRanges_data()
    {
        // step: of the elements that are changed
        const auto row = addColumns<std::uint64_t, std::uint64_t>();
        row("few", 100, 7);
        row("every fourth", 400000, 4);
        row("every thousandth", 8000000, 1000);
    }

    void oneListOfRanges()
    {
        const auto [elements, step] = fetched<std::uint64_t, std::uint64_t>();
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
        const auto saved = VERIFIED(patch::saveInPlace(*bundle, false, [&writes](SaveStep now) {
            writes += now == SaveStep::RangeWritten ? 1 : 0;
            return true;
        }));
        QCOMPARE(writes, saved->ranges.size());
        QVERIFY(std::equal(
            pending.begin(), pending.end(), saved->ranges.begin(), saved->ranges.end(),
            [](const auto &a, const auto &b) { return a.file == b.file && a.range == b.range; }));
        const auto now = file->bytes();
        QVERIFY(readAll(path) == Bytes(now.begin(), now.end()));
    }

    void stale_data() { addEach({"rewritten", "longer", "replaced", "removed"}); }

    void stale()
    {
        const auto [how] = fetched<QString>();
        const OnDisk disk("dense-fp16");
        const auto bundle = disk.patched("set w[3]=5");
        const fs::path weights = disk.path / "weights/weight.bin";
        const Bytes bytes = disk.original.at("weights/weight.bin");
        QVERIFY(fileClockTicks(QString::fromStdString(disk.folder().string())));
        if (how == u"rewritten"_s) {
            std::fstream out(weights, std::ios::binary | std::ios::in | std::ios::out);
            out.put('\x02');
        } else if (how == u"longer"_s) {
            std::ofstream(weights, std::ios::binary | std::ios::app) << 'x';
        } else {
            fs::rename(weights, disk.folder() / "away");
            if (how == u"replaced"_s)
                writeAll(weights, bytes);
        }
        const Tree before = readTree(disk.path);
        const Error saved = REFUSED(saveInPlace(*bundle, false));
        QCOMPARE(saved.code, std::string(how == u"removed"_s ? "io.write" : "patch.stale"));
        QCOMPARE(saved.file, "weights/weight.bin");
        QVERIFY(readTree(disk.path) == before);
        QVERIFY(!fs::exists(disk.journal()));
    }

    void readOnly()
    {
        const OnDisk disk("dense-fp16");
        const auto bundle = disk.patched("set w[3]=5");
        fs::permissions(disk.path / "weights/weight.bin", fs::perms(0444));
        fs::permissions(disk.folder(), fs::perms(0777));
        // The superuser may write any file.
        const bool superuser = ::geteuid() == 0;
        QVERIFY(!superuser || ::seteuid(65534) == 0);
        const auto saved = saveInPlace(*bundle, false);
        QVERIFY(!superuser || ::seteuid(0) == 0);
        QVERIFY(!saved);
        QCOMPARE(saved.error().code, "io.write");
    }

    /// A link within the bundle is followed; one that leads out of it is not written through.
    void linkedFile()
    {
        const OnDisk disk("dense-fp16");
        const fs::path weights = disk.path / "weights/weight.bin";
        fs::rename(weights, disk.path / "weights/real.bin");
        fs::create_symlink("real.bin", weights);
        const auto bundle = disk.patched("set w[3]=5");
        const auto saved = VERIFIED(saveInPlace(*bundle, false));
        QVERIFY(fs::is_symlink(weights));
        QCOMPARE(decoded(*disk.open(), "w")[3], 5.0f);
    }

    void abandonedPartsAreRemoved()
    {
        const OnDisk disk("dense-fp16");
        const fs::path target = disk.folder() / "copy.mlmodelc";
        const std::string part = target.string() + ".kernscope-part-";
        writeAll(part + "aB3dE6/weights/weight.bin", hex("41"));
        fs::permissions(part + "aB3dE6/weights", fs::perms(0500));
        writeAll(part + "zzzzzz", hex("41"));
        writeAll(part + "user01", hex("41")); // only has such a name
        for (const char *ending : {"aB3dE6", "zzzzzz"})
            QCOMPARE(::setxattr((part + ending).c_str(), "user.kernscope.part", "", 0, 0), 0);
        writeAll(part + "notours1", hex("41"));                         // another length
        writeAll(disk.folder() / "b.kernscope-part-aaaaaa", hex("41")); // of another output
        auto living = VERIFIED(OutputPlace::claim(target, OutputKind::Model, {}));
        QVERIFY(!fs::exists(part + "aB3dE6") && !fs::exists(part + "zzzzzz"));
        QVERIFY(fs::exists(part + "notours1") && fs::exists(part + "user01"));
        QVERIFY(fs::exists(disk.folder() / "b.kernscope-part-aaaaaa"));
        // One that another run is working on stays.
        const auto saved = VERIFIED(saveCopy(*disk.open(), target));
        QVERIFY(fs::is_directory(living->temporary()));
        QVERIFY(!living->publish());
        QVERIFY(readTree(target) == disk.original);
    }

    /// A run that is killed when its output is in place and what that replaced is not yet removed.
    void replacedPartsAreRemoved()
    {
        const OnDisk disk("dense-fp16");
        const fs::path target = disk.folder() / "copy.mlmodelc";
        writeAll(target / "model.mil", hex("41"));
        const OutputRules rules{true, {}};
        crash([&] {
            auto place = OutputPlace::claim(target, OutputKind::Model, rules);
            writeAll(place->temporary() / "model.mil", hex("42"));
            if (dieAtRemovals())
                (void)place->publish();
            ::_exit(0);
        });
        const auto parts = [&] {
            std::vector<fs::path> found;
            for (const auto &entry : fs::directory_iterator(disk.folder())) {
                if (entry.path().string().starts_with(target.string() + ".kernscope-part-"))
                    found.push_back(entry.path());
            }
            return found;
        };
        if (readAll(target / "model.mil") == hex("41"))
            QSKIP("This system has no filter of system calls");
        QCOMPARE(parts().size(), 1U); // the old one
        QCOMPARE(readAll(parts().front() / "model.mil"), hex("41"));
        writeAll(target.string() + ".kernscope-part-user01", hex("41"));
        {
            const auto next = VERIFIED(OutputPlace::claim(target, OutputKind::Model, rules));
            QCOMPARE(parts().size(), 2U); // its own, and the user's
        }
        QCOMPARE(parts().size(), 1U);
        QCOMPARE(readAll(target / "model.mil"), hex("42"));
    }
};

KERNSCOPE_TEST(TestSave, NoApplication)
#include "tst_save.moc"
