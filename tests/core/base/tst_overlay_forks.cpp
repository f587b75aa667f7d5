// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/overlaid_file.h"
#include "file_folder.h"
#include "overlay_fixture.h"
#include "tests/test_program.h"

using namespace kernscope;
using namespace kernscope::test;

// Forks, marks of changes and many pages.
class TestOverlayForks : public QObject
{
    Q_OBJECT

private:
    FileFolder m_folder;

    static std::vector<std::byte> numbered(std::size_t count)
    {
        std::vector<std::byte> bytes(count);
        for (std::size_t i = 0; i < count; ++i)
            bytes[i] = static_cast<std::byte>((i * 7 + i / 251) & 0x0f);
        return bytes;
    }

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
        QCOMPARE(file->changedRanges(16).size(), std::size_t{1});
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
        QCOMPARE(onDisk(path), QByteArray("0123456789"));
        QCOMPARE(file->restoreUnder(FileOffset(9), text("xy")).error().code, "patch.range");
    }

    void forks_data()
    {
        QTest::addColumn<bool>("mapped");
        addRow("memory", false);
        addRow("mapped", true);
    }

    void forks()
    {
        QFETCH(const bool, mapped);
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

    void sharesTheDisksBytes_data()
    {
        QTest::addColumn<bool>("mapped");
        addRow("mapped", true);
        addRow("in memory", false);
    }

    /// What an edit keeps of the disk's bytes stays as it was, whatever happens to the overlay.
    void sharesTheDisksBytes()
    {
        QFETCH(const bool, mapped);
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
        QCOMPARE(file->changedRanges(1, 2).front().offset.value, std::uint64_t{1000});
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
};

KERNSCOPE_TEST(TestOverlayForks, kernscope::test::NoApplication)
#include "tst_overlay_forks.moc"
