// SPDX-License-Identifier: GPL-3.0-or-later
#include "interrupted.h"
#include "tests/rows.h"

#include <sys/resource.h>
#include <sys/stat.h>

using patch::SaveStep;

// Journals that are forged, huge, of another file or not the only one.
class TestSaveJournal : public QObject
{
    Q_OBJECT

private slots:
    void forgedJournals_data()
    {
        // journal: where it lies, from the folder of the bundle; path: what it names
        const auto row = addColumns<QString, QString>();
        row("beside the bundle, a file beside it", "x.mlmodelc.kernscope-journal", "victim");
        row("through a link", "x.mlmodelc.kernscope-journal", "x.mlmodelc/weights/link");
        row("a folder above", "../sub.kernscope-journal", "sub/victim");
        row("two folders above", "../../deep.kernscope-journal", "deep/sub/victim");
        row("beside a weight file", "x.mlmodelc/weights/weight.bin.kernscope-journal", "link");
        row("out of the folder", "x.mlmodelc/weights/weight.bin.kernscope-journal", "../../victim");
        row("by its whole path", "x.mlmodelc.kernscope-journal", "/victim");
        row("no name", "x.mlmodelc.kernscope-journal", "");
    }

    /// A journal comes with a bundle: it must not be a way to write elsewhere.
    void forgedJournals()
    {
        const auto [journal, path] = fetched<QString, QString>();
        const OnDisk made("dense-fp16");
        const QTemporaryDir scratch;
        const fs::path folder = fs::path(scratch.path().toStdString()) / "deep/sub";
        fs::create_directories(folder);
        fs::copy(made.path, folder / "x.mlmodelc", fs::copy_options::recursive);
        const Bytes evil = hex("01 02"), precious = hex("03 04");
        writeAll(folder / "victim", precious);
        fs::create_symlink("../../victim", folder / "x.mlmodelc/weights/link");
        forge((folder / journal.toStdString()).lexically_normal(), path.toStdString(), evil,
              precious);
        const Listing before = listing(fs::path(scratch.path().toStdString()));
        for (const char *name : {"x.mlmodelc", "x.mlmodelc/weights/weight.bin",
                                 "x.mlmodelc/model.mil", "x.mlmodelc/"}) {
            const auto opened = openForReading(folder / name);
            QVERIFY2(opened.bundle, opened.bundle ? "" : describe(opened.bundle.error()).c_str());
            for (const auto action : {RecoverAction::Undo, RecoverAction::Finish}) {
                const auto recovered = recoverSave(folder / name, action);
                QVERIFY(!recovered || recovered->saves.empty());
            }
            QVERIFY(listing(fs::path(scratch.path().toStdString())) == before);
        }
        QVERIFY(readAll(folder / "victim") == precious);
    }

    void journalsThatAreNotUsed_data() { addEach({"link", "folder", "pipe", "another user's"}); }

    void journalsThatAreNotUsed()
    {
        const auto [how] = fetched<QString>();
        const bool given = how == u"another user's"_s;
        if (given && ::geteuid() != 0)
            QSKIP("only the superuser can give a file away");
        const OnDisk disk("lut2");
        interrupt(disk);
        const Tree half = readTree(disk.path);
        const fs::path away = disk.folder() / "away";
        if (given) {
            QCOMPARE(::chown(disk.journal().c_str(), 12345, 12345), 0);
        } else {
            fs::rename(disk.journal(), away);
            if (how == u"link"_s)
                fs::create_symlink(away, disk.journal());
            else if (how == u"folder"_s)
                fs::create_directory(disk.journal());
            else
                QCOMPARE(::mkfifo(disk.journal().c_str(), 0600), 0);
        }
        const auto opened = openForReading(disk.path);
        QVERIFY(opened.bundle);
        QCOMPARE(opened.saves.size(), 1U);
        QVERIFY(opened.saves.front().state == InterruptedState::Foreign);
        QCOMPARE((*opened.bundle)->diagnostics().front().error.code, "journal.pending");
        for (const auto action : {RecoverAction::Undo, RecoverAction::Discard})
            QCOMPARE(codeOf(recoverSave(disk.path, action)), "journal.pending");
        QVERIFY(readTree(disk.path) == half);
    }

    /// What only has the name of a journal is left alone, and said.
    void otherFilesOfThatName()
    {
        const OnDisk disk("lut2");
        const Bytes garbage = hex("de ad be ef 00 01 02 03 04 05");
        writeAll(disk.journal(), garbage);
        writeAll(disk.path / "weights/weight.bin.kernscope-journal", garbage);
        const Listing before = listing(disk.folder());
        const auto opened = openForReading(disk.path);
        QVERIFY(opened.bundle);
        QCOMPARE(opened.saves.size(), 2U);
        for (const Diagnostic &row : (*opened.bundle)->diagnostics()) {
            if (row.error.code == "journal.unknown")
                QVERIFY(row.severity == Severity::Note);
        }
        QVERIFY(!hasErrors((*opened.bundle)->diagnostics()));
        QVERIFY((*opened.bundle)->fileByPath("weights/weight.bin.kernscope-journal"));
        for (const auto action : {RecoverAction::Undo, RecoverAction::Discard}) {
            const auto recovered = recoverSave(disk.path, action);
            QVERIFY(recovered && recovered->saves.empty() && recovered->warnings.size() == 2);
        }
        QVERIFY(listing(disk.folder()) == before);
        // The name is needed, and whose it is stays.
        QCOMPARE(codeOf(saveInPlace(*disk.patched("set behind[1]=3"), false)), "journal.unknown");
        QVERIFY(listing(disk.folder()) == before);
    }

    void hugeJournals_data()
    {
        QTest::addColumn<Bytes>("start");
        addRow("zeros", Bytes());
        const Bytes magic = hex("4b 53 4a 4f 55 52 4e 31"),
                    tebibyte = hex("00 00 00 00 00 01 00 00");
        const auto with = [&](const Bytes &rest) {
            Bytes all = magic;
            all.insert(all.end(), tebibyte.begin(), tebibyte.end());
            all.insert(all.end(), rest.begin(), rest.end());
            return all;
        };
        addRow("no entries", with({}));
        addRow("entries without end", with(hex("ff ff ff ff ff ff ff 7f")));
        addRow("many empty entries", with(hex("00 00 40 00 00 00 00 00")));
        addRow("a long name", with(hex("01 00 00 00 00 00 00 00 ff ff ff ff")));
        // A name of one letter, a file of 2^60 bytes, and half of the journal as one run.
        addRow("one huge run",
               with(hex("01 00 00 00 00 00 00 00 01 00 00 00 78 00 00 00 00 00 00 00 10 "
                        "00 00 00 00 00 00 00 00 00 00 00 00 40 00 00 00")));
    }

    /// Refused by their heads: neither memory nor time goes with what they claim.
    void hugeJournals()
    {
        QFETCH(const Bytes, start);
        const OnDisk disk("lut2");
        writeAll(disk.journal(), start);
        std::error_code fault;
        fs::resize_file(disk.journal(), std::uintmax_t{1} << 40, fault);
        if (fault)
            QSKIP("This file system holds no sparse file of 1 TiB");
        struct rusage usage = {};
        ::getrusage(RUSAGE_SELF, &usage);
        const long peak = usage.ru_maxrss;
        const auto opened = openForReading(disk.path);
        const auto recovered = recoverSave(disk.path, RecoverAction::Undo);
        ::getrusage(RUSAGE_SELF, &usage);
        QVERIFY2(usage.ru_maxrss - peak < 32 * 1024, qPrintable(QString::number(usage.ru_maxrss)));
        QVERIFY(opened.bundle);
        QCOMPARE(opened.saves.size(), 1U);
        QVERIFY(!recovered || recovered->saves.empty());
        QVERIFY(fs::exists(disk.journal()));
    }

    /// A journal of a bundle's most files is read; of one more it is damaged.
    void mostFiles()
    {
        const QTemporaryDir scratch;
        const auto file = OverlaidFile::fromMemory(hex("01"), "x");
        VERIFIED(file->write(FileOffset(0), hex("02")));
        std::vector<patch::JournalPart> parts;
        for (int i = 0; i < 4097; ++i)
            parts.push_back({std::to_string(i), file.get(), {{FileOffset(0), ByteCount(1)}}});
        for (const char *code : {"journal.damaged", ""}) {
            const fs::path path =
                fs::path(scratch.path().toStdString()) / std::to_string(parts.size());
            const auto written = VERIFIED(patch::writeJournal(path, parts));
            patch::removeSaveKey(written->key);
            const Bytes bytes = readAll(path);
            const auto index = patch::indexJournal(
                bytes.size(), [&bytes](std::uint64_t at, std::span<std::byte> out) -> Result<void> {
                    std::ranges::copy(std::span(bytes).subspan(at, out.size()), out.begin());
                    return {};
                });
            QCOMPARE(codeOf(index), code);
            parts.pop_back();
        }
    }

    void oneOfTwoSaves_data() { addRange(int(SaveStep::Locked), int(SaveStep::Verified) + 1); }

    /// While one save is at a step, another process tries its own, whole.
    void oneOfTwoSaves()
    {
        const int step = std::get<0>(fetched<int>());
        const OnDisk disk("dense-fp16");
        const auto second = disk.patched("set w[40]=7"); // opened before the first one wrote
        const auto first = disk.patched("set w[3]=5");
        int tried = 0, busy = 0;
        const auto saved = VERIFIED(patch::saveInPlace(*first, false, [&](SaveStep now) {
            if (int(now) != step)
                return true;
            ++tried;
            const int other = crash([&] {
                ::_exit(codeOf(saveInPlace(*disk.patched("set w[40]=7"), false)) == "patch.busy"
                            ? 42
                            : 1);
            });
            const bool refused = codeOf(saveInPlace(*second, false)) == "patch.busy";
            busy += refused && other == 42 ? 1 : 0;
            return true;
        }));
        QVERIFY(tried > 0);
        QCOMPARE(busy, tried);
        QCOMPARE(codeOf(saveInPlace(*second, false)), "patch.stale");
        QCOMPARE(decoded(*disk.open(), "w")[3], 5.0f);
        QVERIFY(decoded(*disk.open(), "w")[40] != 7.0f);
        QVERIFY(!fs::exists(disk.journal()));
    }

    /// A save that was faster is not overwritten: the look at the files comes behind the lock.
    void looksAfterLocking()
    {
        const OnDisk disk("dense-fp16");
        const auto slow = disk.patched("set w[3]=7");
        bool saved = false;
        const auto late = patch::saveInPlace(*slow, false, [&](SaveStep step) {
            if (step == SaveStep::Opened)
                saved = saveInPlace(*disk.patched("set w[3]=5"), false).has_value();
            return true;
        });
        QVERIFY(saved);
        QCOMPARE(codeOf(late), "patch.stale");
        QCOMPARE(decoded(*disk.open(), "w")[3], 5.0f);
    }

    void neverReplacesAJournal()
    {
        const OnDisk disk("dense-fp16");
        const Bytes old = hex("01"), now = hex("02");
        forge(disk.journal(), "a", old, now);
        const Bytes first = readAll(disk.journal());
        forge(disk.journal(), "b", old, now);
        QVERIFY(readAll(disk.journal()) == first);
        QCOMPARE(readTree(disk.folder()).size(), disk.original.size() + 1);
        // For its owner only: it holds what the files hold.
        QCOMPARE(fs::status(disk.journal()).permissions(), fs::perms(0600));
    }

    /// The maker of an archive can make a journal that fits: it hides nothing.
    void comesWithTheArchive()
    {
        const OnDisk disk("dense-fp16");
        const fs::path weights = disk.path / "weights/weight.bin";
        const Bytes good = readAll(weights);
        Bytes evil = good;
        std::fill(evil.begin() + 128, evil.end(), std::byte{0});
        writeAll(weights, evil);
        forge(disk.journal(), "weights/weight.bin", good, evil);
        const Listing before = listing(disk.folder());
        const auto opened = openForReading(disk.path);
        QVERIFY(opened.bundle && opened.saves.size() == 1);
        QVERIFY(opened.saves.front().state == InterruptedState::Foreign);
        QVERIFY(opened.fault() != nullptr && hasErrors((*opened.bundle)->diagnostics()));
        const auto shown = (*opened.bundle)
                               ->files()[*(*opened.bundle)->fileByPath("weights/weight.bin")]
                               .file->bytes();
        QVERIFY(Bytes(shown.begin(), shown.end()) == evil);
        for (const auto action : {RecoverAction::Undo, RecoverAction::Finish})
            QCOMPARE(codeOf(recoverSave(disk.path, action)), "journal.pending");
        QVERIFY(listing(disk.folder()) == before);
        // The same with its key is a save that this user began.
        fs::remove(disk.journal());
        forge(disk.journal(), "weights/weight.bin", good, evil, true);
        QVERIFY(openForReading(disk.path).saves.front().state == InterruptedState::Pending);
    }

    void renamedBundle_data() { addEach({"with its journal", "the bundle alone"}); }

    void renamedBundle()
    {
        const bool withJournal = std::get<0>(fetched<QString>()) == u"with its journal"_s;
        const OnDisk disk("lut2");
        interrupt(disk);
        QVERIFY(readTree(disk.path) != disk.original);
        const fs::path now = disk.folder() / "z.mlmodelc";
        fs::rename(disk.path, now);
        if (withJournal)
            fs::rename(disk.journal(), disk.folder() / "z.mlmodelc.kernscope-journal");
        const auto opened = openForReading(now);
        QVERIFY(opened.bundle && opened.saves.size() == 1);
        QVERIFY(opened.saves.front().state == InterruptedState::Pending);
        for (const BundleFile &file : (*opened.bundle)->files()) {
            const auto bytes = file.file->bytes();
            QVERIFY(Bytes(bytes.begin(), bytes.end()) == disk.original.at(file.path));
        }
        const auto recovered = VERIFIED(recoverSave(now, RecoverAction::Undo));
        QVERIFY(readTree(now) == disk.original);
        QVERIFY(openForReading(now).saves.empty());
    }

    /// Half written, and nothing beside it says so any more.
    void missingJournal()
    {
        const OnDisk disk("lut2");
        interrupt(disk);
        fs::remove(disk.journal());
        const auto opened = openForReading(disk.path);
        QVERIFY(opened.bundle && opened.saves.size() == 1);
        QVERIFY(opened.saves.front().state == InterruptedState::Damaged);
        QVERIFY(!saveInPlace(*disk.patched("set behind[1]=3"), false));
        QCOMPARE(codeOf(recoverSave(disk.path, RecoverAction::Undo)), "journal.damaged");
        QVERIFY(recoverSave(disk.path, RecoverAction::Discard));
        QVERIFY(openForReading(disk.path).saves.empty());
    }

    /// Keys of saves that were killed before they began, or after they had ended.
    void oldKeysAreRemoved()
    {
        const OnDisk disk("dense-fp16");
        const fs::path keys = stateFolder() / "saves";
        const auto write = [&](char digit, const fs::path &journal) {
            const std::string digest(64, digit);
            QVERIFY(patch::writeSaveKey({digest, journal, {}}));
            const fs::path key = keys / (digest + ".idle");
            QVERIFY(fs::exists(key));
            fs::last_write_time(key, fs::file_time_type::clock::now() - std::chrono::hours(24 * 8));
        };
        writeAll(disk.folder() / "there", hex("00"));
        write('a', disk.folder() / "gone");
        write('b', disk.folder() / "there");
        QVERIFY(patch::writeSaveKey({std::string(64, 'c'), disk.folder() / "gone", {}}));
        QVERIFY(!patch::hasSaveKey(std::string(64, 'a')));
        for (const char digit : {'b', 'c'}) {
            QVERIFY(patch::hasSaveKey(std::string(64, digit)));
            patch::removeSaveKey(std::string(64, digit));
        }
    }

    /// Without a place for the key nothing is saved in place; a copy is.
    void withoutAStateFolder()
    {
        const OnDisk disk("lut2");
        const Tree before = readTree(disk.path);
        const BundlePtr bundle = disk.patched("set behind[1]=3");
        const bool wasSet = qEnvironmentVariableIsSet("XDG_STATE_HOME");
        const QByteArray state = qgetenv("XDG_STATE_HOME");
        writeAll(disk.folder() / "file", hex("00"));
        qputenv("XDG_STATE_HOME", (disk.folder() / "file" / "state").c_str());
        const auto restored = qScopeGuard(
            [&] { wasSet ? qputenv("XDG_STATE_HOME", state) : qunsetenv("XDG_STATE_HOME"); });
        const auto saved = saveInPlace(*bundle, false);
        QVERIFY(!saved && saved.error().message.find("XDG_STATE_HOME") != std::string::npos);
        QVERIFY(readTree(disk.path) == before);
        QVERIFY(saveCopy(*bundle, disk.folder() / "copy"));
    }

    void leftUnfinished()
    {
        const OnDisk disk("lut2");
        const fs::path left = disk.journal().string() + ".new";
        writeAll(left, Bytes(4096));
        QVERIFY(saveInPlace(*disk.patched("set behind[1]=3"), false));
        QVERIFY(readAll(left) == Bytes(4096));
    }

    void recoversNoFileOfSeveralNames()
    {
        const OnDisk disk("lut2");
        interrupt(disk);
        const Tree half = readTree(disk.path);
        fs::create_hard_link(disk.path / "model.mil", disk.folder() / "other");
        QCOMPARE(codeOf(recoverSave(disk.path, RecoverAction::Undo)), "io.links");
        QVERIFY(readTree(disk.path) == half);
        fs::remove(disk.folder() / "other");
        QVERIFY(recoverSave(disk.path, RecoverAction::Undo));
        QVERIFY(readTree(disk.path) == disk.original);
    }
};

KERNSCOPE_TEST(TestSaveJournal, NoApplication)
#include "tst_save_journal.moc"
