// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/overlaid_file.h"
#include "tests/test_program.h"

#include <sys/stat.h>

// Forks, marks of changes and many pages.

namespace {

std::vector<std::byte> text(const char *content)
{
    const auto *data = reinterpret_cast<const std::byte *>(content);
    return {data, data + std::strlen(content)};
}

/// A folder of files for tests, removed at the end.
class FileFolder
{
public:
    /// Writes a file; returns its path, an empty one where that failed.
    std::filesystem::path write(const char *name, const std::vector<std::byte> &content) const
    {
        QFile file(m_folder.filePath(QString::fromLatin1(name)));
        if (!file.open(QIODevice::WriteOnly))
            return {};
        file.write(reinterpret_cast<const char *>(content.data()), qint64(content.size()));
        return file.fileName().toStdString();
    }

    QString path() const { return m_folder.path(); }
    QString filePath(const QString &name) const { return m_folder.filePath(name); }

private:
    QTemporaryDir m_folder;
};

/// What a file holds now; nothing where it cannot be read.
QByteArray onDisk(const std::filesystem::path &path)
{
    return contentOf(QString::fromStdString(path.string()));
}

std::vector<std::byte> randomBytes(std::size_t count, std::mt19937_64 &random)
{
    std::vector<std::byte> bytes(count);
    for (std::byte &byte : bytes)
        byte = static_cast<std::byte>(random());
    return bytes;
}

/// The runs of bytes in which two equally long contents differ.
std::vector<ByteRange> differences(const std::vector<std::byte> &a, std::span<const std::byte> b)
{
    std::vector<ByteRange> ranges;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i] == b[i])
            continue;
        if (!ranges.empty() && ranges.back().end() == i)
            ++ranges.back().bytes.value;
        else
            ranges.push_back({FileOffset(i), ByteCount(1)});
    }
    return ranges;
}

} // namespace

class TestOverlaidFile : public QObject
{
    Q_OBJECT

private slots:
    void manyScatteredPages()
    {
        // More separate writable pages than the system allows mappings: every other page of a
        // sparse file of 320 MB.
        const QString path = m_folder.filePath(u"sparse.bin"_s);
        constexpr std::uint64_t kPages = 80000;
        {
            QFile file(path);
            QVERIFY(file.open(QIODevice::WriteOnly));
            QVERIFY(file.resize(kPages * 4096));
        }
        const auto file = VERIFIED(OverlaidFile::open(path.toStdString(), "sparse.bin"));
        for (std::uint64_t page = 0; page < kPages; page += 2)
            QVERIFY((*file)->write(FileOffset(page * 4096 + 7), text("z")));
        QCOMPARE((*file)->changedRanges().size(), kPages / 2);
        QCOMPARE((*file)->bytes()[7], std::byte{'z'});
    }

    void readersAndWriter()
    {
        // Under the thread sanitizer: a reader that holds the mutex sees whole writes only.
        const auto file = OverlaidFile::fromMemory(std::vector<std::byte>(4096), "sample");
        std::atomic<bool> done{false};
        std::atomic<int> torn{0};
        std::atomic<int> reads{0};
        std::vector<std::thread> readers;
        for (int i = 0; i < 2; ++i) {
            readers.emplace_back([&] {
                while (!done) {
                    std::shared_lock lock(file->mutex());
                    const auto bytes = file->bytes();
                    if (std::adjacent_find(bytes.begin(), bytes.end(), std::not_equal_to<>()) !=
                        bytes.end())
                        ++torn;
                    static_cast<void>(file->changedRanges());
                    reads.fetch_add(1);
                    lock.unlock();
                    // Readers that never pause would keep the writer waiting for ever.
                    std::this_thread::sleep_for(std::chrono::microseconds(200));
                }
            });
        }
        bool written = true;
        for (int round = 1; round < 200; ++round)
            written =
                written && file->write(FileOffset(0),
                                       std::vector<std::byte>(4096, static_cast<std::byte>(round)));
        while (reads.load() == 0)
            std::this_thread::yield();
        done = true;
        for (std::thread &reader : readers)
            reader.join();
        QVERIFY(written);
        QCOMPARE(torn.load(), 0);
        QVERIFY(reads.load() > 0);
    }

    void coarseRanges()
    {
        const auto file = OverlaidFile::fromMemory(std::vector<std::byte>(20000), "sample");
        for (const std::uint64_t at : {0u, 3u, 10u, 4095u, 4096u, 9000u})
            QVERIFY(file->write(FileOffset(at), text("x")));
        QCOMPARE(file->changedRanges(8),
                 (std::vector<ByteRange>{{FileOffset(0), ByteCount(11)},
                                         {FileOffset(4095), ByteCount(2)},
                                         {FileOffset(9000), ByteCount(1)}}));
        QCOMPARE(
            file->changedRanges(1, 2),
            (std::vector<ByteRange>{{FileOffset(0), ByteCount(1)}, {FileOffset(3), ByteCount(1)}}));
        std::vector<std::byte> before(12, std::byte{1});
        file->readDisk(FileOffset(4090), before);
        QCOMPARE(before, std::vector<std::byte>(12));
    }

    /// Every second byte of 8 MiB changed: the account must not take many times the change.
    void scatteredFillIsBounded()
    {
        constexpr std::size_t kBytes = std::size_t{8} << 20;
        std::vector<std::byte> content(kBytes);
        const auto path = m_folder.write("fill.bin", content);
        const auto file = *OverlaidFile::open(path, "fill.bin");
        for (std::size_t i = 0; i < kBytes; i += 2)
            content[i] = std::byte{0x3c};
        const auto resident = [] {
            QFile status(u"/proc/self/statm"_s);
            return status.open(QIODevice::ReadOnly)
                       ? status.readAll().split(' ')[1].toULongLong() * 4096
                       : 0;
        };
        const auto before = resident();
        QVERIFY(file->write(FileOffset(0), content));
        QVERIFY(file->modified());
        const auto grown = resident() - before;
        QVERIFY2(grown < 4 * kBytes, qPrintable(QString::number(grown)));
        QCOMPARE(file->changedRanges(16).size(), 1U);
        QCOMPARE(file->changedRanges().size(), kBytes / 2);
    }

    /// What is laid under the changes counts as the disk's.
    void restoredUnder()
    {
        const auto path = m_folder.write("restored.bin", text("0123456789"));
        const auto file = *OverlaidFile::open(path, "restored.bin");
        QVERIFY(file->restoreUnder(FileOffset(2), text("AB")));
        QVERIFY(!file->modified());
        QVERIFY(file->changedRanges().empty());
        QCOMPARE(std::vector<std::byte>(file->bytes().begin(), file->bytes().end()),
                 text("01AB456789"));
        QVERIFY(file->write(FileOffset(3), text("x")));
        QCOMPARE(file->diskByte(FileOffset(3)), std::byte{'B'});
        QCOMPARE(onDisk(path), "0123456789"_ba);
        QCOMPARE(file->restoreUnder(FileOffset(9), text("xy")).error().code, "patch.range");
    }

    void forks_data() { addEach({"memory", "mapped"}); }

    void forks()
    {
        const bool mapped = std::get<0>(fetched<QString>()) == u"mapped"_s;
        const auto path = m_folder.write("fork.bin", text("0123456789"));
        const auto file = mapped ? *OverlaidFile::open(path, "fork.bin")
                                 : OverlaidFile::fromMemory(text("0123456789"), "fork.bin");
        if (mapped)
            QVERIFY(file->restoreUnder(FileOffset(8), text("R")));
        QVERIFY(file->write(FileOffset(2), text("AB")));
        const auto fork = VERIFIED(file->fork());
        QVERIFY(std::equal(file->bytes().begin(), file->bytes().end(), (*fork)->bytes().begin()));
        QCOMPARE((*fork)->changedRanges(), file->changedRanges());
        QCOMPARE((*fork)->changedBlocks(), file->changedBlocks());
        QCOMPARE((*fork)->diskByte(FileOffset(8)), file->diskByte(FileOffset(8)));
        QVERIFY((*fork)->write(FileOffset(0), text("Z")));
        QCOMPARE(file->bytes()[0], std::byte{'0'});
        QVERIFY(!file->changed({FileOffset(0), ByteCount(1)}));
        // Taken back in one of them only; what they share is not touched by that.
        QVERIFY((*fork)->write(FileOffset(2), text("23")));
        QCOMPARE((*fork)->changedRanges(), (std::vector<ByteRange>{{FileOffset(0), ByteCount(1)}}));
        QCOMPARE(file->changedRanges(), (std::vector<ByteRange>{{FileOffset(2), ByteCount(2)}}));
        QCOMPARE(file->diskByte(FileOffset(2)), std::byte{'2'});
        if (mapped) {
            QFile(QString::fromStdString(path.string())).resize(9);
            QCOMPARE(file->fork().error().code, "patch.stale");
        }
    }

    void changedBlocks()
    {
        const auto file = OverlaidFile::fromMemory(std::vector<std::byte>(3 * 4096 + 5), "blocks");
        QVERIFY(file->changedBlocks().empty());
        const std::vector<std::byte> one(1, std::byte{1});
        for (const std::uint64_t offset :
             {std::uint64_t{0}, std::uint64_t{4096 + 17}, std::uint64_t{3 * 4096 + 4}})
            QVERIFY(file->write(FileOffset(offset), one));
        QCOMPARE(file->changedBlocks(),
                 (std::vector<ByteRange>{{FileOffset(0), ByteCount(2 * 4096)},
                                         {FileOffset(3 * 4096), ByteCount(5)}}));
    }

    void sharesTheDisksBytes_data() { addEach({"memory", "mapped"}); }

    /// What an edit keeps of the disk's bytes stays as it was, whatever happens to the overlay.
    void sharesTheDisksBytes()
    {
        const bool mapped = std::get<0>(fetched<QString>()) == u"mapped"_s;
        const std::vector<std::byte> content = numbered(70000);
        const auto path = m_folder.write("shared.bin", content);
        const auto file = mapped ? *OverlaidFile::open(path, "shared.bin")
                                 : OverlaidFile::fromMemory(content, "shared.bin");
        const ByteRange range{FileOffset(100), ByteCount(69900)};
        QVERIFY(!file->sharedDisk(range));
        // In three parts, the middle one last: neighbours lie side by side all the same.
        const std::vector<std::byte> ones(69900, std::byte{0x55});
        const auto lay = [&](std::size_t from, std::size_t count) {
            return file->write(FileOffset(100 + from), std::span(ones).subspan(from, count));
        };
        QVERIFY(lay(0, 20000) && lay(50000, 19900));
        QVERIFY(!file->sharedDisk(range));
        QVERIFY(lay(20000, 30000));
        const auto disk = file->sharedDisk(range);
        QVERIFY(disk && std::equal(disk->begin(), disk->end(), content.begin() + 100));
        // A block that is as on disk has nothing to share; when it changes again, it has.
        QVERIFY(file->write(FileOffset(8192), std::span(content).subspan(8192, 4096)));
        QVERIFY(!file->sharedDisk(range));
        QVERIFY(std::equal(disk->begin(), disk->end(), content.begin() + 100));
        QVERIFY(lay(8092, 4096));
        QVERIFY(file->sharedDisk(range) == disk);
        const auto fork = file->fork();
        QVERIFY(fork && (*fork)->sharedDisk(range) == disk);
        file->markSaved();
        QVERIFY(!file->sharedDisk(range));
        QVERIFY(file->write(FileOffset(100), std::span(content).subspan(100, 69900)));
        const auto later = file->sharedDisk(range);
        QVERIFY(later && std::equal(later->begin(), later->end(), ones.begin()));
        QVERIFY(std::equal(disk->begin(), disk->end(), content.begin() + 100));
    }

    void sharesWhatTheWriterHas()
    {
        const std::vector<std::byte> content = numbered(40000);
        const auto file = *OverlaidFile::open(m_folder.write("writer.bin", content), "writer.bin");
        const SharedBytes before(
            std::vector<std::byte>(content.begin() + 1000, content.begin() + 31000));
        const std::vector<std::byte> ones(30000, std::byte{0x55});
        QVERIFY(file->write(FileOffset(1000), ones, before));
        const auto inside = file->sharedDisk({FileOffset(4096), ByteCount(20000)});
        QVERIFY(inside && inside->owner() == before.owner());
        std::vector<std::byte> disk(40000);
        file->readDisk(FileOffset(0), disk);
        QVERIFY(disk == content);
        QCOMPARE(file->changedRanges(1, 2).front().offset.value, 1000U);
        QVERIFY(file->write(FileOffset(1000), {before.data(), before.size()}));
        QVERIFY(!file->modified());
    }

    /// Of a fork that is thrown away: what lies around stays.
    void givesMemoryBack()
    {
        const std::vector<std::byte> content = numbered(40000);
        const auto file = *OverlaidFile::open(m_folder.write("given.bin", content), "given.bin");
        const std::vector<std::byte> ones(30000, std::byte{0x55});
        QVERIFY(file->write(FileOffset(1000), ones));
        file->giveUp({FileOffset(5000), ByteCount(20000)});
        const auto now = file->bytes();
        QVERIFY(std::equal(now.begin(), now.begin() + 1000, content.begin()));
        QVERIFY(std::equal(now.begin() + 1000, now.begin() + 8192, ones.begin()));
        QVERIFY(std::equal(now.begin() + 24576, now.begin() + 31000, ones.begin()));
        QVERIFY(std::equal(now.begin() + 31000, now.end(), content.begin() + 31000));
    }

    void opensAndShows()
    {
        std::mt19937_64 random(1);
        const auto content = randomBytes(10000, random);
        const auto path = m_folder.write("plain.bin", content);
        const auto file = VERIFIED(OverlaidFile::open(path, "weights/plain.bin"));
        QCOMPARE((*file)->name(), "weights/plain.bin");
        QCOMPARE((*file)->path(), path);
        QCOMPARE((*file)->size(), ByteCount(content.size()));
        QVERIFY(std::equal(content.begin(), content.end(), (*file)->bytes().begin()));
        QVERIFY(!(*file)->modified());
        QVERIFY((*file)->changedRanges().empty());
    }

    void refusals()
    {
        const std::filesystem::path folder = m_folder.path().toStdString();
        const auto fifo = folder / "pipe";
        QCOMPARE(::mkfifo(fifo.c_str(), 0600), 0);
        for (const auto &[path, found] : {std::pair(folder, "a folder"),
                                          {std::filesystem::path("/dev/null"), "a device"},
                                          {fifo, "a pipe"},
                                          {folder / "missing", "No such file or directory"}}) {
            const Error file = REFUSED(OverlaidFile::open(path, "name.bin"));
            QCOMPARE(file.code, "io.open");
            QCOMPARE(file.file, "name.bin");
            QCOMPARE(file.found, std::string(found));
        }
    }

    void emptyFile()
    {
        const auto file =
            VERIFIED(OverlaidFile::open(m_folder.write("empty.bin", {}), "empty.bin"));
        QCOMPARE((*file)->size(), ByteCount(0));
        QVERIFY((*file)->bytes().empty());
        QVERIFY((*file)->write(FileOffset(0), {}));
        QCOMPARE((*file)->write(FileOffset(0), text("x")).error().code, "patch.range");
    }

    void memoryFile()
    {
        const auto file = OverlaidFile::fromMemory(text("abcdef"), "sample");
        QVERIFY(file->path().empty());
        QVERIFY(file->write(FileOffset(2), text("XY")));
        QCOMPARE(std::vector<std::byte>(file->bytes().begin(), file->bytes().end()),
                 text("abXYef"));
        QCOMPARE(file->diskByte(FileOffset(2)), std::byte{'c'});
    }

    void changesAreSeenAndKept()
    {
        const auto path = m_folder.write("change.bin", text("0123456789"));
        const auto file = *OverlaidFile::open(path, "change.bin");
        const std::span<const std::byte> view = file->bytes();
        QVERIFY(file->write(FileOffset(3), text("abc")));
        QCOMPARE(std::vector<std::byte>(view.begin(), view.end()), text("012abc6789"));
        QCOMPARE(onDisk(path), "0123456789"_ba);
        QVERIFY(file->modified());
        QCOMPARE(file->changedRanges(), (std::vector<ByteRange>{{FileOffset(3), ByteCount(3)}}));
        QCOMPARE(file->diskByte(FileOffset(4)), std::byte{'4'});
        QCOMPARE(file->diskByte(FileOffset(6)), std::byte{'6'});
        QVERIFY(file->changed({FileOffset(0), ByteCount(4)}));
        QVERIFY(!file->changed({FileOffset(0), ByteCount(3)}));
        QVERIFY(file->changed({FileOffset(5), ByteCount(1)}));
        QVERIFY(!file->changed({FileOffset(6), ByteCount(4)}));
        QVERIFY(!file->changed({FileOffset(4), ByteCount(0)}));
        QVERIFY(file->changed({FileOffset(0), ByteCount(UINT64_MAX)}));
    }

    void writingTheOldValueIsNoChange()
    {
        const auto file = OverlaidFile::fromMemory(text("0123456789"), "sample");
        QVERIFY(file->write(FileOffset(0), text("0123456789")));
        QVERIFY(!file->modified());
        QVERIFY(file->write(FileOffset(2), text("ABCDEF")));
        QVERIFY(file->write(FileOffset(4), text("45")));
        QCOMPARE(file->changedRanges(), (std::vector<ByteRange>{{FileOffset(2), ByteCount(2)},
                                                                {FileOffset(6), ByteCount(2)}}));
        QVERIFY(file->write(FileOffset(0), text("0123456789")));
        QVERIFY(!file->modified());
    }

    void outside_data()
    {
        const auto row = addColumns<quint64>();
        row("one past", 9);
        row("at the end", 10);
        row("beyond", 11);
        row("wraps", quint64{UINT64_MAX});
    }

    void outside()
    {
        const auto [offset] = fetched<quint64>();
        const auto file = OverlaidFile::fromMemory(text("0123456789"), "sample");
        const Error done = REFUSED(file->write(FileOffset(offset), text("ab")));
        QCOMPARE(done.code, "patch.range");
        QCOMPARE(done.file, "sample");
        QVERIFY(done.offset == FileOffset(offset));
        QVERIFY(!file->modified());
    }

    void randomWrites_data()
    {
        addColumns<bool, int>();
        addRow("memory, small", false, 40);
        addRow("mapped, small", true, 40);
        addRow("mapped, pages", true, 50000);
    }

    void randomWrites()
    {
        const auto [mapped, size] = fetched<bool, int>();
        std::mt19937_64 random(static_cast<std::uint64_t>(size));
        const auto disk = randomBytes(std::size_t(size), random);
        const auto path = m_folder.write("random.bin", disk);
        const auto file = mapped ? *OverlaidFile::open(path, "random.bin")
                                 : OverlaidFile::fromMemory(disk, "random");
        std::vector<std::byte> expected = disk;
        for (int round = 0; round < 1500; ++round) {
            const std::size_t offset = random() % disk.size();
            const std::size_t most =
                std::min<std::size_t>(disk.size() - offset, size < 100 ? 12 : 9000);
            std::vector<std::byte> content = randomBytes(random() % (most + 1), random);
            // Often some of it, or all of it, is what the disk has or what is there already.
            for (std::size_t i = 0; i < content.size(); ++i) {
                if (random() % 3 == 0 || round % 5 == 0)
                    content[i] = disk[offset + i];
                else if (random() % 3 == 0)
                    content[i] = expected[offset + i];
            }
            QVERIFY(file->write(FileOffset(offset), content));
            std::ranges::copy(content, expected.begin() + std::ptrdiff_t(offset));
            if (round % 50 != 0 && size > 100)
                continue;
            QVERIFY(std::equal(expected.begin(), expected.end(), file->bytes().begin()));
            const auto ranges = differences(disk, expected);
            QCOMPARE(file->changedRanges(), ranges);
            QCOMPARE(file->modified(), !ranges.empty());
            for (std::size_t i = 0; i < disk.size(); i += 1 + disk.size() / 100) {
                QCOMPARE(file->diskByte(FileOffset(i)), disk[i]);
                QCOMPARE(file->changed({FileOffset(i), ByteCount(1)}), disk[i] != expected[i]);
            }
        }
        QVERIFY(file->write(FileOffset(0), disk));
        QVERIFY(!file->modified());
        if (mapped)
            QCOMPARE(onDisk(path), QByteArray(reinterpret_cast<const char *>(disk.data()), size));
    }

    void markSaved()
    {
        const auto file = OverlaidFile::fromMemory(text("0123456789"), "sample");
        QVERIFY(file->write(FileOffset(3), text("x")));
        file->markSaved();
        QVERIFY(!file->modified());
        QCOMPARE(file->diskByte(FileOffset(3)), std::byte{'x'});
        QVERIFY(file->write(FileOffset(3), text("3")));
        QVERIFY(file->modified());
    }

private:
    FileFolder m_folder;

    static std::vector<std::byte> numbered(std::size_t count)
    {
        std::vector<std::byte> bytes(count);
        for (std::size_t i = 0; i < count; ++i)
            bytes[i] = static_cast<std::byte>((i * 7 + i / 251) & 0x0f);
        return bytes;
    }
};

KERNSCOPE_TEST(TestOverlaidFile, NoApplication)
#include "tst_overlaid_file.moc"
