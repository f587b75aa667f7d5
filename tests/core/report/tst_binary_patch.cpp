// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/difference_formats.h"

#include "tests/core/patch/patched_bytes.h"
#include "tests/data/data_folder.h"
#include "tests/rows.h"

using namespace kernscope::report;

namespace {

using Bytes = std::vector<std::byte>;

/// Written from the definitions (resources/formats/binary-patches.md), with nothing of the writers.
class Reader
{
public:
    explicit Reader(const Bytes &bytes) : m_bytes(bytes) {}
    bool left(std::size_t count) const { return m_at + count <= m_bytes.size(); }
    unsigned byte() { return left(1) ? unsigned(m_bytes[m_at++]) : (m_bad = true, 0u); }
    std::uint64_t big(int count)
    {
        std::uint64_t value = 0;
        for (int i = 0; i < count; ++i)
            value = value << 8 | byte();
        return value;
    }
    std::uint64_t number()
    {
        std::uint64_t value = 0, shift = 1;
        while (!m_bad) {
            const unsigned next = byte();
            value += (next & 0x7F) * shift;
            if (next & 0x80)
                break;
            shift <<= 7;
            value += shift;
        }
        return value;
    }
    std::string text(int count)
    {
        std::string text;
        for (int i = 0; i < count; ++i)
            text += char(byte());
        return text;
    }
    std::size_t at() const { return m_at; }
    bool bad() const { return m_bad; }

private:
    const Bytes &m_bytes;
    std::size_t m_at = 0;
    bool m_bad = false;
};

std::optional<Bytes> applyIps(Bytes file, const Bytes &patch)
{
    Reader reader(patch);
    if (reader.text(5) != "PATCH")
        return std::nullopt;
    while (!reader.bad()) {
        const std::uint64_t offset = reader.big(3);
        if (offset == 0x454F46) {
            if (reader.left(3))
                file.resize(reader.big(3));
            return reader.left(1) ? std::nullopt : std::optional(file);
        }
        std::uint64_t length = reader.big(2);
        const bool run = length == 0;
        if (run)
            length = reader.big(2);
        if (file.size() < offset + length)
            file.resize(offset + length);
        const unsigned filling = run ? reader.byte() : 0;
        for (std::uint64_t i = 0; i < length; ++i)
            file[offset + i] = std::byte(run ? filling : reader.byte());
    }
    return std::nullopt;
}

std::uint32_t crcOf(const Bytes &bytes, std::size_t count)
{
    std::uint32_t sum = 0xFFFFFFFF;
    for (std::size_t i = 0; i < count; ++i) {
        sum ^= std::uint32_t(bytes[i]);
        for (int bit = 0; bit < 8; ++bit)
            sum = sum & 1 ? sum >> 1 ^ 0xEDB88320 : sum >> 1;
    }
    return ~sum;
}

std::uint32_t littleAt(const Bytes &bytes, std::size_t at)
{
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i)
        value |= std::uint32_t(bytes[at + i]) << (8 * i);
    return value;
}

std::optional<Bytes> applyBps(const Bytes &file, const Bytes &patch)
{
    Reader reader(patch);
    if (patch.size() < 19 || reader.text(4) != "BPS1")
        return std::nullopt;
    const std::uint64_t sourceSize = reader.number(), targetSize = reader.number();
    reader.text(int(reader.number()));
    const std::size_t end = patch.size() - 12;
    if (sourceSize != file.size() || littleAt(patch, end) != crcOf(file, file.size()) ||
        littleAt(patch, end + 8) != crcOf(patch, patch.size() - 4))
        return std::nullopt;
    Bytes target;
    std::uint64_t source = 0;
    while (reader.at() < end) {
        const std::uint64_t step = reader.number(), length = (step >> 2) + 1;
        if ((step & 3) == 2) {
            const std::uint64_t distance = reader.number();
            source = distance & 1 ? source - (distance >> 1) : source + (distance >> 1);
        }
        for (std::uint64_t i = 0; i < length; ++i) {
            switch (step & 3) {
            case 0:
                if (target.size() >= file.size())
                    return std::nullopt;
                target.push_back(file[target.size()]);
                break;
            case 1: target.push_back(std::byte(reader.byte())); break;
            case 2:
                if (source >= file.size())
                    return std::nullopt;
                target.push_back(file[source++]);
                break;
            default: return std::nullopt; // not written
            }
        }
    }
    if (target.size() != targetSize || littleAt(patch, end + 4) != crcOf(target, target.size()))
        return std::nullopt;
    return target;
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

/// Patches for other programs do what they say: an applier that was written from the definitions
/// makes the new file of the old one.
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
        const auto ips = ipsPatch(before, after), bps = bpsPatch(before, after);
        QVERIFY(ips && bps);
        QVERIFY(applyIps(before, *ips) == after);
        QVERIFY(applyBps(before, *bps) == after);
        for (const Bytes &written : {*ips, *bps}) {
            const auto made = VERIFIED(patchedBytes(before, written, "p"));
            QVERIFY(made->content == after);
        }
    }

    /// Any file of a kind made of any other one, by this program and by the applier above.
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
                const auto bps = bpsPatch(before, after), ips = ipsPatch(before, after);
                QVERIFY(bps && patchedBytes(before, *bps, "p")->content == after);
                QVERIFY(ips && patchedBytes(before, *ips, "p")->content == after);
                ++pairs;
                if ((i / files.size() + 1) % files.size() != i % files.size())
                    continue; // the plain applier takes its time
                QVERIFY(applyBps(before, *bps) == after);
                QVERIFY(applyIps(before, *ips) == after);
            }
        }
        QVERIFY(pairs > 0);
    }

    void equalFiles()
    {
        std::mt19937_64 random(1);
        const Bytes file = randomBytes(random, 1000);
        QCOMPARE(ipsPatch(file, file)->size(), 8U);
        QVERIFY(applyBps(file, *bpsPatch(file, file)) == file);
        QVERIFY(applyBps({}, *bpsPatch({}, file)) == file);
        QVERIFY(applyBps(file, *bpsPatch(file, {})) == Bytes());
        QVERIFY(applyIps({}, *ipsPatch({}, file)) == file);
        QVERIFY(applyIps(file, *ipsPatch(file, {})) == Bytes());
        Bytes other = file;
        other[7] ^= std::byte(1);
        QVERIFY(!applyBps(other, *bpsPatch(file, other))); // another file is refused
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
        QVERIFY(runs && applyIps(before, *runs) == after);
        QVERIFY2(runs->size() < 100, std::to_string(runs->size()).c_str());
        for (const std::size_t first : {kEnd - 65535, kEnd - 1, kEnd}) {
            for (const std::size_t length : {std::size_t(1), std::size_t(40), std::size_t(66000)}) {
                for (const bool run : {true, false}) {
                    after = before;
                    for (std::size_t i = 0; i < length; ++i)
                        after[first + i] = std::byte(run ? 7 : 1 + i % 251);
                    const auto patch = ipsPatch(before, after);
                    QVERIFY(patch && applyIps(before, *patch) == after);
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
        QVERIFY(applyBps(before, *patch) == after);
        QVERIFY2(patch->size() < 150, std::to_string(patch->size()).c_str());
    }

    void beyondIps()
    {
        Bytes before(patch::ips::kMostOffset + 2), after(before);
        after[patch::ips::kMostOffset] = std::byte(1);
        const auto last = ipsPatch(before, after);
        QVERIFY(last && applyIps(before, *last) == after);
        after[patch::ips::kMostOffset + 1] = std::byte(1);
        const Error far = REFUSED(ipsPatch(before, after));
        QCOMPARE(far.code, "diff.binary_patch");
        QCOMPARE(far.found, "0x1000000");
        QVERIFY(applyBps(before, *bpsPatch(before, after)) == after);
        before.resize(patch::ips::kMostOffset + 10);
        QVERIFY(!ipsPatch(before, Bytes(patch::ips::kMostOffset + 5)));
    }
};

KERNSCOPE_TEST(TestBinaryPatch, QCoreApplication)
#include "tst_binary_patch.moc"
