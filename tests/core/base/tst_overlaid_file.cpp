// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/overlaid_file.h"
#include "file_folder.h"
#include "overlay_fixture.h"
#include "tests/test_program.h"

#include <sys/stat.h>

using namespace kernscope;
using namespace kernscope::test;

namespace {

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

private:
    FileFolder m_folder;

private slots:
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
            const auto file = OverlaidFile::open(path, "name.bin");
            QVERIFY(!file);
            QCOMPARE(file.error().code, "io.open");
            QCOMPARE(file.error().file, "name.bin");
            QCOMPARE(file.error().found, std::string(found));
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
        QCOMPARE(onDisk(path), QByteArray("0123456789"));
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
        QTest::addColumn<quint64>("offset");
        addRow("one past", quint64{9});
        addRow("at the end", quint64{10});
        addRow("beyond", quint64{11});
        addRow("wraps", quint64{UINT64_MAX});
    }

    void outside()
    {
        QFETCH(quint64, offset);
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
        const auto disk = randomBytes(static_cast<std::size_t>(size), random);
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
            std::copy(content.begin(), content.end(),
                      expected.begin() + static_cast<std::ptrdiff_t>(offset));
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
};

KERNSCOPE_TEST(TestOverlaidFile, kernscope::test::NoApplication)
#include "tst_overlaid_file.moc"
