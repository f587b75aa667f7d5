// SPDX-License-Identifier: GPL-3.0-or-later
// A file that another program writes, cuts, replaces or removes while it is mapped. Each of the
// reads here ended the process with SIGBUS when pages of the mapping were missing.
#include "core/base/overlaid_file.h"
#include "tests/test_program.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kSize = 300000;

std::vector<std::byte> pattern(std::size_t size, unsigned seed)
{
    std::vector<std::byte> bytes(size);
    for (std::size_t i = 0; i < size; ++i)
        bytes[i] = static_cast<std::byte>(1 + (i * 31 + i / 4096 + seed) % 255); // never zero
    return bytes;
}

void put(const fs::path &path, const std::vector<std::byte> &bytes)
{
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file.write(reinterpret_cast<const char *>(bytes.data()), std::streamsize(bytes.size()));
}

std::uint64_t sum(std::span<const std::byte> bytes)
{
    return std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0},
                           [](std::uint64_t s, std::byte b) { return s + std::uint64_t(b); });
}

std::vector<std::byte> someBytes(std::size_t count)
{
    return std::vector<std::byte>(count, std::byte{0});
}

/// In a process of its own: Qt Test has a handler too, which starts a debugger.
int readMissingPage(const char *ours)
{
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
    const auto file = OverlaidFile::open(ours, "ours");
    std::FILE *other = std::tmpfile();
    if (!file || other == nullptr || ::ftruncate(::fileno(other), 4096) != 0)
        return 1;
    const auto *place = static_cast<volatile char *>(
        ::mmap(nullptr, 4096, PROT_READ, MAP_SHARED, ::fileno(other), 0));
    if (::ftruncate(::fileno(other), 0) != 0)
        return 2;
    return 3 + place[0];
}

} // namespace

class TestChangingFile : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        m_path = fs::path(m_folder.path().toStdString()) / ("weight" + std::to_string(m_number++));
        put(m_path, m_content);
    }

    void readsBehindTheEnd_data()
    {
        QTest::addColumn<qulonglong>("size");
        addRow("empty", qulonglong(0));
        addRow("within the first page", qulonglong(17));
        addRow("a page", qulonglong(4096));
        addRow("most", qulonglong(290000));
    }

    void readsBehindTheEnd()
    {
        QFETCH(qulonglong, size);
        const auto file = VERIFIED(open());
        QVERIFY(file->checkSame());
        fs::resize_file(m_path, size);
        const auto bytes = file->bytes();
        QCOMPARE(bytes.size(), kSize);
        QCOMPARE(sum(bytes), sum(std::span(m_content).first(size)));
        const Error same = REFUSED(file->checkSame());
        QCOMPARE(same.code, "io.changed");
        QCOMPARE(same.file, "weight.bin");
        QCOMPARE(same.offset->value, std::uint64_t(size));
        QCOMPARE(same.length->value, std::uint64_t(kSize - size));
        QVERIFY(same.expected.starts_with("300000 bytes, changed "));
        QVERIFY(same.found.starts_with(std::to_string(size) + " bytes, changed "));
        // It grows again: what was lost stays lost, and is said to be.
        put(m_path, m_content);
        QVERIFY(!file->checkSame());
        QCOMPARE(file->state().kind, FileState::Kind::Changed);
    }

    void manyThreads()
    {
        for (int round = 0; round < 20; ++round) {
            init();
            const auto file = VERIFIED(open());
            std::atomic<bool> stop{false};
            std::atomic<std::uint64_t> read{0};
            std::vector<std::thread> readers;
            for (int i = 0; i < 4; ++i) {
                readers.emplace_back([&] {
                    while (!stop)
                        read += sum(file->bytes());
                });
            }
            fs::resize_file(m_path, 4096u * unsigned(round));
            put(m_path, m_content);
            fs::resize_file(m_path, 1);
            stop = true;
            for (std::thread &reader : readers)
                reader.join();
            QVERIFY(!file->checkSame());
        }
    }

    void editsStay()
    {
        const auto file = VERIFIED(open());
        const auto edit = pattern(9000, 77);
        QVERIFY(file->write(FileOffset(100001), edit));
        fs::resize_file(m_path, 0);
        const auto bytes = file->bytes();
        QVERIFY(std::equal(edit.begin(), edit.end(), bytes.begin() + 100001));
        QCOMPARE(sum(bytes.subspan(200000)), 0U);
        QVERIFY(std::equal(edit.begin(), edit.end(), bytes.begin() + 100001));
        QVERIFY(file->modified());
        // A further edit where the file has nothing any more.
        QVERIFY(file->write(FileOffset(250000), edit));
        QVERIFY(std::equal(edit.begin(), edit.end(), bytes.begin() + 250000));
        QVERIFY(!file->checkSame());
    }

    /// Each written unit is a mapping of its own, whose number the system limits.
    void editsAllOverABigFile()
    {
        constexpr std::size_t kBig = std::size_t{140000} * 4096;
        {
            std::ofstream(m_path, std::ios::binary | std::ios::trunc);
            fs::resize_file(m_path, kBig); // sparse
        }
        const auto file = VERIFIED(open());
        const std::array<std::byte, 1> one{std::byte{1}};
        for (std::size_t at = 0; at < kBig; at += std::size_t{64} * 4096)
            QVERIFY(file->write(FileOffset(at + 5), one));
        fs::resize_file(m_path, 0);
        std::size_t wrong = 0;
        for (std::size_t at = 0; at < kBig; at += std::size_t{64} * 4096)
            wrong +=
                file->bytes()[at + 5] == one[0] && file->bytes()[at + 4] == std::byte{0} ? 0u : 1u;
        QCOMPARE(wrong, 0U);
    }

    /// A missing page of a mapping that is not ours still ends the process, as without us.
    void otherFaultsAreNotOurs()
    {
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(u"ASAN_OPTIONS"_s, u"handle_sigbus=0"_s);
        process.setProcessEnvironment(environment);
        process.start(
            QCoreApplication::applicationFilePath(),
            {u"tst_changing_file"_s, u"--fault"_s, QString::fromStdString(m_path.string())});
        QVERIFY(process.waitForFinished());
        QCOMPARE(process.exitStatus(), QProcess::CrashExit);
        QCOMPARE(process.exitCode(), SIGBUS);
    }

    void states()
    {
        using Kind = FileState::Kind;
        const auto replaced = open();
        put(m_path.string() + ".new", pattern(kSize, 3));
        fs::rename(m_path.string() + ".new", m_path);
        QCOMPARE(replaced->state().kind, Kind::Replaced);
        QVERIFY(replaced->checkSame());
        QVERIFY(!replaced->checkInPlace());
        QCOMPARE(sum(replaced->bytes()), sum(m_content));

        const auto moved = open();
        fs::rename(m_path, m_path.string() + ".old");
        QCOMPARE(moved->state().kind, Kind::Replaced);
        QCOMPARE(moved->checkInPlace().error().found, "no file");
        std::ofstream(m_path.string() + ".old", std::ios::app) << "more";
        QCOMPARE(moved->state().kind, Kind::Changed);

        init();
        const auto removed = open();
        fs::remove(m_path);
        QCOMPARE(removed->state().kind, Kind::Replaced);
        QVERIFY(removed->checkSame());

        init();
        const auto grown = open();
        std::ofstream(m_path, std::ios::app) << "more";
        QCOMPARE(grown->state().kind, Kind::Changed);

        const auto memory = OverlaidFile::fromMemory(m_content, "memory");
        QCOMPARE(memory->state().kind, Kind::Same);
    }

    /// cp -p over the file: the same size and the same time, other bytes.
    void oldTimeSetAgain()
    {
        const timespec old[2] = {{1000000000, 0}, {1000000000, 0}};
        QCOMPARE(::utimensat(AT_FDCWD, m_path.c_str(), old, 0), 0);
        QVERIFY(fileClockTicks(m_folder.path()));
        const auto file = open();
        QVERIFY(fileClockTicks(m_folder.path()));
        put(m_path, pattern(kSize, 9));
        QCOMPARE(::utimensat(AT_FDCWD, m_path.c_str(), old, 0), 0);
        QCOMPARE(OverlaidFile::stampOf(m_path), file->stamp());
        QCOMPARE(file->state().kind, FileState::Kind::Changed);
    }

    void permissionsAreNoChange()
    {
        const auto file = open();
        QVERIFY(fileClockTicks(m_folder.path()));
        fs::permissions(m_path, fs::perms::owner_read);
        QCOMPARE(file->state().kind, FileState::Kind::Same);
        fs::create_hard_link(m_path, m_path.string() + ".link");
        QCOMPARE(file->state().kind, FileState::Kind::Same);
    }

    void moreFilesThanDescriptors()
    {
        std::vector<std::shared_ptr<OverlaidFile>> files;
        for (int i = 0; i < 300; ++i)
            files.push_back(open());
        QVERIFY(files.back());
        for (const auto &file : files)
            QVERIFY(file->checkSame());
        // Without a descriptor it cannot be told what became of the mapped file: that counts as
        // changed.
        put(m_path.string() + ".new", m_content);
        fs::rename(m_path.string() + ".new", m_path);
        QCOMPARE(files.front()->state().kind, FileState::Kind::Replaced);
        QCOMPARE(files.back()->state().kind, FileState::Kind::Changed);
        files.erase(files.begin(), files.begin() + 200);
        QVERIFY(open()->checkInPlace());
    }

    void savedIsSame()
    {
        const auto file = open();
        QVERIFY(file->write(FileOffset(7), someBytes(3)));
        {
            std::fstream disk(m_path, std::ios::binary | std::ios::in | std::ios::out);
            disk.seekp(7);
            disk.write("\0\0\0", 3);
        }
        QVERIFY(!file->checkSame());
        file->markSaved();
        QVERIFY(file->checkInPlace());
        QVERIFY(!file->modified());
    }

private:
    std::shared_ptr<OverlaidFile> open()
    {
        return OverlaidFile::open(m_path, "weight.bin").value_or(nullptr);
    }

    QTemporaryDir m_folder;
    fs::path m_path;
    std::vector<std::byte> m_content = pattern(kSize, 0);
    int m_number = 0;
};

static const Registered registeredTestChangingFile(__FILE__, [](int argc, char **argv) {
    if (argc == 3 && std::string_view(argv[1]) == "--fault")
        return readMissingPage(argv[2]);
    QCoreApplication application(argc, argv);
    TestChangingFile test;
    return QTest::qExec(&test, argc, argv);
});

#include "tst_changing_file.moc"
