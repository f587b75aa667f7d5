// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/difference_formats.h"

#include "tests/core/patch/patched_bytes.h"
#include "tests/data/data_folder.h"
#include "tests/rows.h"

using namespace kernscope::report;

namespace {

using Bytes = std::vector<std::byte>;

/// The new file, by the applier; nothing where it refuses. tst_apply_binary holds it to patches
/// that are written from the definitions.
std::optional<Bytes> applied(const Bytes &file, const Result<Bytes> &patch)
{
    const auto made = patch ? patchedBytes(file, *patch, "p") : tl::unexpected(patch.error());
    return made ? std::optional(made->content) : std::nullopt;
}

Bytes randomBytes(std::mt19937_64 &random, std::size_t count)
{
    Bytes bytes(count);
    for (std::byte &byte : bytes)
        byte = std::byte(random() & 0xFF);
    return bytes;
}

/// Another file made of one by a few edits: changed bytes, runs, pieces put in, taken out, moved.
Bytes edited(std::mt19937_64 &random, Bytes bytes)
{
    const auto place = [&] { return std::ptrdiff_t(random() % (bytes.size() + 1)); };
    for (std::uint64_t i = random() % 6; i > 0; --i) {
        const std::ptrdiff_t at = place();
        const auto rest = std::min<std::uint64_t>(bytes.size() - std::size_t(at), 300);
        switch (random() % 5) {
        case 0:
            for (std::uint64_t k = 0; k < rest; k += 1 + random() % 20)
                bytes[std::size_t(at) + k] ^= std::byte(1 + random() % 255);
            break;
        case 1: std::fill_n(bytes.begin() + at, rest, std::byte(random() & 0xFF)); break;
        case 2: {
            const Bytes more = randomBytes(random, random() % 200);
            bytes.insert(bytes.begin() + at, more.begin(), more.end());
            break;
        }
        case 3: bytes.erase(bytes.begin() + at, bytes.begin() + at + std::ptrdiff_t(rest)); break;
        default: std::rotate(bytes.begin(), bytes.begin() + at, bytes.end()); break;
        }
    }
    return bytes;
}

/// The files of a folder of the customer's whose names end so.
std::vector<Bytes> filesOf(const QString &folder, const QStringList &names)
{
    std::vector<Bytes> files;
    for (const QString &path : pathsBelow(folder, names))
        files.push_back(asBytes(contentOf(path)));
    return files;
}

} // namespace

/// Patches for other programs do what they say: the applier makes the new file of the old one.
class TestBinaryPatch : public QObject
{
    Q_OBJECT

private slots:
    void roundTrips_data() { addRange(0U, 50U); }

    void roundTrips()
    {
        const auto [seed] = fetched<unsigned>();
        std::mt19937_64 random(seed);
        const Bytes before = randomBytes(random, random() % 5000), after = edited(random, before);
        QVERIFY(applied(before, ipsPatch(before, after)) == after);
        QVERIFY(applied(before, bpsPatch(before, after)) == after);
    }

    /// Any file of a kind made of any other one.
    void everyPairOfData()
    {
        KERNSCOPE_NEEDS(dataFolder());
        std::size_t pairs = 0;
        for (const auto &[folder, name] :
             {std::pair("bundles", "weight.bin"), std::pair("bundles", "model.mil"),
              std::pair("real/silero-vad", "weight.bin"), std::pair("real/silero-vad", "model.mil"),
              std::pair("real/hwx", "*.hwx")}) {
            const auto files = filesOf(dataPath(QLatin1String(folder)), {QLatin1String(name)});
            for (std::size_t i = 0; i < files.size() * files.size(); ++i) {
                const Bytes &before = files[i / files.size()], &after = files[i % files.size()];
                QVERIFY(applied(before, bpsPatch(before, after)) == after);
                QVERIFY(applied(before, ipsPatch(before, after)) == after);
                ++pairs;
            }
        }
        QVERIFY(pairs > 0);
    }

    void equalFiles()
    {
        std::mt19937_64 random(1);
        const Bytes file = randomBytes(random, 1000);
        QCOMPARE(ipsPatch(file, file)->size(), 8U);
        QVERIFY(applied(file, bpsPatch(file, file)) == file);
        QVERIFY(applied({}, bpsPatch({}, file)) == file);
        QVERIFY(applied(file, bpsPatch(file, {})) == Bytes());
        QVERIFY(applied({}, ipsPatch({}, file)) == file);
        QVERIFY(applied(file, ipsPatch(file, {})) == Bytes());
        Bytes other = file;
        other[7] ^= std::byte(1);
        QVERIFY(!applied(other, bpsPatch(file, other))); // another file is refused
    }

    /// The offset that reads as the end is never one of a record, whatever begins there.
    void endMarker()
    {
        constexpr std::size_t kEnd = 0x454F46;
        Bytes before(kEnd + 70000), after(before);
        // A run that ends there, with other bytes behind it, is still one record.
        std::fill_n(after.begin() + std::ptrdiff_t(kEnd - 65000), 65000, std::byte(7));
        std::fill_n(after.begin() + std::ptrdiff_t(kEnd), 40, std::byte(9));
        const auto runs = ipsPatch(before, after);
        QVERIFY(applied(before, runs) == after);
        QVERIFY2(runs->size() < 100, std::to_string(runs->size()).c_str());
        for (const std::size_t first : {kEnd - 65535, kEnd - 1, kEnd}) {
            for (const std::size_t length : {std::size_t(1), std::size_t(40), std::size_t(66000)}) {
                for (const bool run : {true, false}) {
                    after = before;
                    for (std::size_t i = 0; i < length; ++i)
                        after[first + i] = std::byte(run ? 7 : 1 + i % 251);
                    const auto patch = ipsPatch(before, after);
                    QVERIFY(applied(before, patch) == after);
                }
            }
        }
    }

    /// What only moved is not in a BPS patch.
    void insertedBytesAreCheap()
    {
        std::mt19937_64 random(3);
        const Bytes before = randomBytes(random, 100000);
        Bytes after = before;
        const Bytes more = randomBytes(random, 33);
        after.insert(after.begin() + 5000, more.begin(), more.end());
        const auto patch = bpsPatch(before, after);
        QVERIFY(applied(before, patch) == after);
        QVERIFY2(patch->size() < 150, std::to_string(patch->size()).c_str());
    }

    void beyondIps()
    {
        Bytes before(patch::ips::kMostOffset + 2), after(before);
        after[patch::ips::kMostOffset] = std::byte(1);
        const auto last = ipsPatch(before, after);
        QVERIFY(applied(before, last) == after);
        after[patch::ips::kMostOffset + 1] = std::byte(1);
        const Error far = REFUSED(ipsPatch(before, after));
        QCOMPARE(far.code, "diff.binary_patch");
        QCOMPARE(far.found, "0x1000000");
        QVERIFY(applied(before, bpsPatch(before, after)) == after);
        before.resize(patch::ips::kMostOffset + 10);
        QVERIFY(!ipsPatch(before, Bytes(patch::ips::kMostOffset + 5)));
    }
};

KERNSCOPE_TEST(TestBinaryPatch, QCoreApplication)
#include "tst_binary_patch.moc"
