// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/archive/zip.h"
#include "tests/test_program.h"

using namespace kernscope::archive;

namespace {

using Bytes = std::vector<std::byte>;

Bytes randomBytes(std::size_t count)
{
    std::mt19937 random(static_cast<unsigned>(count));
    Bytes bytes(count);
    for (std::byte &each : bytes)
        each = static_cast<std::byte>(random());
    return bytes;
}

} // namespace

/// Archives that are written come back from the reader.
class TestZipWriter : public QObject
{
    Q_OBJECT

private slots:
    void readBack()
    {
        const std::vector<std::pair<std::string, Bytes>> members{
            {"main/w.npy", randomBytes(1000)},
            {"empty", {}},
            {"gr\u00FC\u00DFe.npy", randomBytes(7)}};
        Bytes file;
        ZipWriter writer([&file](std::span<const std::byte> some) -> Result<void> {
            file.insert(file.end(), some.begin(), some.end());
            return {};
        });
        ZipWriter counter([](std::span<const std::byte>) -> Result<void> { return {}; });
        for (const auto &[path, bytes] : members) {
            QVERIFY(writer.begin(path, bytes.size()));
            const std::size_t half = bytes.size() / 2;
            QVERIFY(writer.write(std::span(bytes).first(half)));
            QVERIFY(writer.write(std::span(bytes).subspan(half)));
            QVERIFY(counter.begin(path, bytes.size()) && counter.count(bytes.size()));
        }
        QVERIFY(writer.finish() && counter.finish());
        QCOMPARE(writer.bytes(), std::uint64_t{file.size()});
        QCOMPARE(counter.bytes(), std::uint64_t{file.size()}); // known before anything is written
        QVERIFY(isZip(file));
        const auto read = VERIFIED(readZip(file, "x.npz"));
        QCOMPARE(read->size(), members.size());
        for (std::size_t i = 0; i < members.size(); ++i) {
            QCOMPARE((*read)[i].path, members[i].first);
            const auto bytes = unpack(file, (*read)[i], 1 << 20, "x.npz");
            QVERIFY2(bytes, bytes ? "" : describe(bytes.error()).c_str()); // the checksum holds
            QVERIFY(*bytes == members[i].second);
        }
    }

    void nothing()
    {
        Bytes file;
        ZipWriter writer([&file](std::span<const std::byte> some) -> Result<void> {
            file.insert(file.end(), some.begin(), some.end());
            return {};
        });
        QVERIFY(writer.finish());
        const auto read = readZip(file, "x.npz");
        QVERIFY(read && read->empty());
    }

    /// A member, a place and a size that 32 bits do not hold. The large one is a hole of the file.
    void beyondFourGigabytes()
    {
        constexpr std::uint64_t kLarge = (std::uint64_t{4} << 30) + 5;
        QTemporaryFile file;
        QVERIFY(file.open());
        std::uint64_t at = 0;
        ZipWriter writer([&](std::span<const std::byte> some) -> Result<void> {
            const auto length = qint64(some.size());
            if (!file.seek(qint64(at)) ||
                file.write(reinterpret_cast<const char *>(some.data()), length) != length)
                return tl::unexpected(Error());
            at += some.size();
            return {};
        });
        const Bytes small = randomBytes(64);
        QVERIFY(writer.begin("large", kLarge) && writer.count(kLarge));
        at += kLarge;
        QVERIFY(writer.begin("small", small.size()) && writer.write(small) && writer.finish());
        QVERIFY(file.flush());
        QCOMPARE(std::uint64_t(file.size()), writer.bytes());
        const uchar *mapped = VERIFIED(file.map(0, file.size()));
        const std::span whole(reinterpret_cast<const std::byte *>(mapped), writer.bytes());
        const auto read = VERIFIED(readZip(whole, "x.npz"));
        QCOMPARE(read->size(), 2U);
        QCOMPARE((*read)[0].bytes, kLarge);
        QVERIFY((*read)[1].headerOffset > kLarge);
        const auto back = VERIFIED(unpack(whole, (*read)[1], 1 << 20, "x.npz"));
        QVERIFY(*back == small);
    }

    void refusals()
    {
        ZipWriter writer([](std::span<const std::byte>) -> Result<void> { return {}; });
        QCOMPARE(REFUSED(writer.begin(std::string(65536, 'a'), 1)).code, "zip.limit");
        QVERIFY(writer.begin("a", UINT64_MAX));
        QCOMPARE(REFUSED(writer.count(UINT64_MAX)).code, "zip.limit");
        // What the sink says is passed on.
        ZipWriter full([](std::span<const std::byte>) -> Result<void> {
            Error error;
            error.code = "io.write";
            return tl::unexpected(error);
        });
        QCOMPARE(REFUSED(full.begin("a", 1)).code, "io.write");
    }
};

KERNSCOPE_TEST(TestZipWriter, QCoreApplication)
#include "tst_zip_writer.moc"
