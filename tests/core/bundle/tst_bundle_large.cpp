// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/decode/decoder.h"
#include "made_bundle.h"

#include "core/base/little_endian.h"
#include "tests/test_program.h"

#include <unistd.h>

namespace {

/// Resident bytes of this process.
std::uint64_t resident()
{
    std::ifstream statm("/proc/self/statm");
    std::uint64_t all = 0;
    std::uint64_t pages = 0;
    statm >> all >> pages;
    return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

constexpr std::uint64_t kRecords = 32;
constexpr std::uint64_t kElements = std::uint64_t(1) << 25; // of each: 64 MiB of fp16

/// A weight file of 2 GiB whose payloads are holes of the file system.
bool writeHoles(const QString &path)
{
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly))
        return false;
    Bytes header(64);
    storeLittle<std::uint32_t>(header, 0, kRecords);
    storeLittle<std::uint32_t>(header, 4, milblob::kVersion);
    bool good = file.write(reinterpret_cast<const char *>(header.data()), 64) == 64;
    for (std::uint64_t i = 0; i < kRecords; ++i) {
        const std::uint64_t meta = 64 + i * (64 + 2 * kElements);
        Bytes record(64);
        storeLittle<std::uint32_t>(record, 0, milblob::kSentinel);
        storeLittle<std::uint32_t>(record, 4, 1);
        storeLittle<std::uint64_t>(record, 8, 2 * kElements);
        storeLittle<std::uint64_t>(record, 16, meta + 64);
        good = good && file.seek(qint64(meta)) &&
               file.write(reinterpret_cast<const char *>(record.data()), 64) == 64;
    }
    return good && file.resize(qint64(64 + kRecords * (64 + 2 * kElements)));
}

std::string programText()
{
    MadeBundle made;
    const std::string shape = fmt::format("[{}]", kElements);
    for (std::uint64_t i = 0; i < kRecords; ++i)
        made.constant("tensor<fp16, " + shape + ">", fmt::format("w{}", i),
                      MadeBundle::blobAt("fp16", shape, 64 + i * (64 + 2 * kElements)));
    return made.text();
}

} // namespace

/// What opening costs follows the tables, not the weights.
class TestBundleLarge : public QObject
{
    Q_OBJECT

private slots:
    void openingTwoGibibytes()
    {
        QTemporaryDir scratch;
        const QString folder = scratch.filePath(u"large.mlmodelc"_s);
        std::filesystem::create_directories((folder + u"/weights"_s).toStdString());
        if (!writeHoles(folder + u"/weights/weight.bin"_s))
            QSKIP("The scratch folder cannot hold a file with holes of 2 GiB.");
        std::ofstream(folder.toStdString() + "/model.mil") << programText();

        const std::uint64_t before = resident();
        const auto bundle = Bundle::open(folder.toStdString());
        const std::uint64_t after = resident();
        QVERIFY(bundle);
        QCOMPARE(faults((*bundle)->diagnostics()), std::vector<std::string>());
        QCOMPARE((*bundle)->weights().size(), std::size_t(kRecords));
        QCOMPARE(sectionFault(**bundle).c_str(), "");
        QVERIFY2(after - before < std::uint64_t(64) << 20, "resident memory grew with the weights");

        const auto decoder = VERIFIED((*bundle)->decoder(kRecords - 1));
        std::vector<std::uint16_t> last(16, 1);
        decoder->decodeHalf(kElements - 16, last);
        QCOMPARE(last, std::vector<std::uint16_t>(16, 0));
        QVERIFY(resident() - before < std::uint64_t(64) << 20);
    }
};

KERNSCOPE_TEST(TestBundleLarge, kernscope::test::NoApplication)
#include "tst_bundle_large.moc"
