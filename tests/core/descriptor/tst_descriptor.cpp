// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/little_endian.h"
#include "stream_words.h"
#include "tests/rows.h"

using namespace kernscope::descriptor;
using test::wordsOf;

using Words = std::vector<std::uint32_t>;

namespace {

std::vector<std::byte> bytesOf(const Words &words)
{
    std::vector<std::byte> bytes(words.size() * 4);
    for (std::size_t i = 0; i < words.size(); ++i)
        storeLittle(bytes, 4 * i, words[i]);
    return bytes;
}

std::vector<std::uint32_t> addressesOf(const Stream &stream)
{
    std::vector<std::uint32_t> addresses;
    for (const RegisterWrite &write : stream.writes)
        addresses.push_back(write.address);
    return addresses;
}

/// A word address range as byte addresses.
void addRange(Words &list, std::uint32_t first, std::uint32_t last)
{
    for (std::uint32_t word = first; word <= last; ++word)
        list.push_back(4 * word);
}

} // namespace

Q_DECLARE_METATYPE(Words)

namespace {

/// A version-7 task of a header and one record.
void putLinked(Words &text, std::size_t at, std::uint32_t next, std::uint32_t nextWords,
               std::uint32_t value)
{
    if (text.size() < at + 13)
        text.resize(at + 13);
    text[at + 1] = nextWords == 0 ? 0 : (nextWords - 1) << 16;
    text[at + 7] = next;
    text[at + 10] = 1U << 26 | 0xc800; // two values
    text[at + 11] = value;
    text[at + 12] = value + 1;
}

} // namespace

class TestDescriptor : public QObject
{
    Q_OBJECT

private slots:
    void publishedPackets_data()
    {
        addColumns<unsigned, int, Words, int>();
        constexpr int kFull = int(PacketForm::Full), kPacked = int(PacketForm::Packed);
        const auto row = [](unsigned word, int form, Words addresses, int bar = -1) {
            QTest::addRow("%08x", word) << word << form << addresses << bar;
        };
        Words list{4 * 0x1540};
        addRange(list, 0x1548, 0x1550);
        row(0xffc01540, kPacked, list);
        list.clear();
        addRange(list, 0x1551, 0x1557);
        row(0x00031551, kPacked, list);
        list.clear();
        addRange(list, 0x1559, 0x1577);
        row(0x000f1559, kPacked, list);
        row(0x93498005, kPacked, {4 * 5, 4 * 6, 4 * 7, 4 * 10, 4 * 13, 4 * 15, 4 * 16, 4 * 19});
        row(0x80c11340, kPacked, {4 * 0x1340, 4 * 0x1342, 4 * 0x1348, 4 * 0x1349});
        row(0x803e9041, kPacked,
            {4 * 0x1041, 4 * 0x1042, 4 * 0x1044, 4 * 0x1045, 4 * 0x1046, 4 * 0x1047, 4 * 0x1048});
        row(0x80091240, kPacked, {4 * 0x1240, 4 * 0x1242, 4 * 0x1245});
        row(0xc0301440, kPacked, {4 * 0x1440, 4 * 0x1446, 4 * 0x1447, 4 * 0x1450});
        row(0x00001457, kPacked, {4 * 0x1457});
        row(0x20809544, kPacked, {4 * 0x1544, 4 * 0x1545}, 4);
        row(0x23809346, kPacked, {4 * 0x1346, 4 * 0x1347}, 28);
        row(0x22801344, kPacked, {4 * 0x1344}, 20);
        row(0x93618005, kPacked, {4 * 5, 4 * 6, 4 * 7, 4 * 12, 4 * 13, 4 * 15, 4 * 16, 4 * 19});
        row(0x95418005, kPacked, {4 * 5, 4 * 6, 4 * 7, 4 * 13, 4 * 15, 4 * 17, 4 * 19});
        row(0x23809442, kPacked, {4 * 0x1442, 4 * 0x1443}, 28);
        row(0x24009544, kPacked, {4 * 0x1544, 4 * 0x1545}, 32);
        row(0x23009344, kPacked, {4 * 0x1344, 4 * 0x1345}, 24);
        row(0x21809544, kPacked, {4 * 0x1544, 4 * 0x1545}, 12);
        list.clear();
        for (std::uint32_t i = 0; i < 62; ++i)
            list.push_back(0x1f800 + 4 * i);
        row(0xf401f800, kFull, list);
        row(0x0c008800, kFull, {0x8800, 0x8804, 0x8808, 0x880c});
    }

    void publishedPackets()
    {
        const auto [word, form, addresses, bar] = fetched<unsigned, int, Words, int>();
        Words words{word};
        for (std::uint32_t i = 0; i < addresses.size(); ++i)
            words.push_back(i + 1);
        const Stream stream = readStream(bytesOf(words), 0, PacketForm(form));
        QVERIFY(stream.exact);
        QCOMPARE(addressesOf(stream), addresses);
        QCOMPARE(stream.packets.size(), 1U);
        QCOMPARE(stream.packets.front().kind == PacketKind::Address, bar >= 0);
        if (bar >= 0)
            QCOMPARE(int(stream.packets.front().bar), bar);
        QCOMPARE(wordsOf(stream, PacketForm(form)), words);
    }

    void encodesWhatItReads_data()
    {
        QTest::addColumn<int>("form");
        addRow("full", int(PacketForm::Full));
        addRow("packed", int(PacketForm::Packed));
    }

    void encodesWhatItReads()
    {
        QFETCH(int, form);
        std::mt19937 engine(7);
        const auto random = [&engine] { return std::uint32_t(engine()); };
        for (int round = 0; round < 500; ++round) {
            Words words;
            while (words.size() < 100) {
                std::uint32_t word = random();
                if (form == int(PacketForm::Packed) && (word >> 31) == 0)
                    word &= (word >> 29 & 1) != 0 ? 0x3FFFFFFF : 0x001FFFFF;
                words.push_back(word);
                const Stream head = readStream(bytesOf({word}), 0, PacketForm(form));
                QVERIFY(!head.exact);
                for (std::uint32_t i = 0; i < 65; ++i)
                    words.push_back(random());
                const auto bytes = bytesOf(words);
                // Cut after the record just begun.
                const Stream all = readStream(bytes, 0, PacketForm(form));
                const std::size_t end = all.packets.empty() ? 0 : all.packets.back().offset / 4;
                words.resize(end);
                if (end == 0)
                    break;
            }
            const auto bytes = bytesOf(words);
            const Stream stream = readStream(bytes, 0, PacketForm(form));
            QCOMPARE(stream.exact, true);
            QCOMPARE(wordsOf(stream, PacketForm(form)), words);
        }
    }

    void stopsAtFaults()
    {
        // Runs over its task.
        Stream stream = readStream(bytesOf({0x0c008800, 1, 2}), 0, PacketForm::Full);
        QVERIFY(!stream.exact);
        QVERIFY(stream.writes.empty());
        QVERIFY(!stream.fault.empty());
        // Reserved bits of a dense record.
        stream = readStream(bytesOf({0x00401540, 1}), 0, PacketForm::Packed);
        QVERIFY(!stream.exact);
        // Begins past its task; of no known form; no whole word.
        QVERIFY(!readStream(bytesOf({1}), 8, PacketForm::Full).exact);
        QVERIFY(!readStream(bytesOf({1}), 0, PacketForm::Unknown).exact);
        auto odd = bytesOf({0x00000000, 5});
        odd.pop_back();
        QVERIFY(!readStream(odd, 0, PacketForm::Full).exact);
    }

    void walksLinkedLists()
    {
        Words text;
        putLinked(text, 0, 0x100, 13, 1);
        putLinked(text, 64, 0x200, 13, 2);
        putLinked(text, 128, 0, 0, 3);
        WalkHints hints;
        hints.firstTaskWords = 13;
        hints.taskCount = 3;
        const auto bytes = bytesOf(text);
        TaskList list = walkTasks(bytes, versionOfSubtype(4), hints);
        QVERIFY(list.diagnostics.empty());
        QCOMPARE(list.tasks.size(), 3U);
        QCOMPARE(list.tasks[2].offset, 0x200ULL);
        QVERIFY(list.tasks[2].exact);
        // A first size that nothing states is found by its records.
        list = walkTasks(bytes, versionOfSubtype(4), {});
        QCOMPARE(list.tasks.size(), 3U);
        QCOMPARE(list.tasks[0].words, 13U);
        // A wrong count is told.
        hints.taskCount = 2;
        QVERIFY(
            hasCode(walkTasks(bytes, versionOfSubtype(4), hints).diagnostics, "descriptor.count"));
    }

    void faultyLinkedLists()
    {
        const auto walk = [](std::uint32_t next, std::uint32_t first) {
            Words text;
            putLinked(text, 0, 0x100, 13, 1);
            putLinked(text, 64, next, 13, 2);
            WalkHints hints;
            hints.firstTaskWords = first;
            hints.file = "x.hwx";
            return walkTasks(bytesOf(text), versionOfSubtype(4), hints);
        };
        QVERIFY(hasCode(walk(0x100, 13).diagnostics, "descriptor.loop"));
        QVERIFY(hasCode(walk(0, 70).diagnostics, "descriptor.bounds") ||
                hasCode(walk(0, 70).diagnostics, "descriptor.stream"));
        QVERIFY(hasCode(walk(0x80, 13).diagnostics, "descriptor.loop"));
        QVERIFY(hasCode(walk(0x110, 13).diagnostics, "descriptor.bounds"));
        QVERIFY(hasCode(walk(0x4000, 13).diagnostics, "descriptor.bounds"));
        QVERIFY(hasCode(walk(0, 500).diagnostics, "descriptor.size"));
        QVERIFY(hasCode(walk(0, 3).diagnostics, "descriptor.size"));
        QCOMPARE(walk(0x4000, 13).diagnostics.front().error.file.c_str(), "x.hwx");
        QVERIFY(hasCode(walkTasks({}, versionOfSubtype(4), {}).diagnostics, "descriptor.bounds"));
    }

    void walksSizedLists()
    {
        // Stream header, a task of 8 + 3 words padded to 12, a task of 8 + 2; a second stream.
        Words text{1, 0, 0, 0};
        const auto task = [&text](std::uint32_t tid, Words records) {
            text.push_back(std::uint32_t(8 + records.size()) << 16 | tid);
            text.resize(text.size() + 7);
            text.insert(text.end(), records.begin(), records.end());
            text.resize((text.size() + 3) / 4 * 4);
        };
        task(0, {0x00008000 | 0x340, 5, 6});
        task(1, {0x341, 7});
        text.resize(0x4000 / 4);
        text.insert(text.end(), {1, 0, 0, 0});
        task(0, {0x342, 8});
        TaskList list = walkTasks(bytesOf(text), versionOfSubtype(5), {});
        QVERIFY(list.diagnostics.empty());
        QCOMPARE(list.tasks.size(), 3U);
        QCOMPARE(list.tasks[0].offset, 16ULL);
        QCOMPARE(list.tasks[1].offset, 64ULL);
        QCOMPARE(list.streams.size(), 2U);
        // A task that runs over the section is read up to its end.
        text[0x4000 / 4 + 4] = 0x7FFU << 16;
        list = walkTasks(bytesOf(text), versionOfSubtype(5), {});
        QVERIFY(hasCode(list.diagnostics, "descriptor.size"));
        QCOMPARE(list.tasks.size(), 3U);
        QCOMPARE(list.tasks[2].words, 10U);
    }

    void extendedHeaders()
    {
        // Flag word 0x50003 of version 11: one extra word before the first record.
        Words text{1, 0, 0, 0, 11U << 16, 0, 0, 0, 0, 0, 0, 0x50003, 8, 0x340, 5};
        text.resize(16);
        TaskList list = walkTasks(bytesOf(text), versionOfSubtype(5), {});
        QCOMPARE(list.tasks.size(), 1U);
        QVERIFY(list.tasks[0].extended);
        QCOMPARE(list.tasks[0].headerWords, 9U);
        QVERIFY(list.tasks[0].exact);
    }

    void unknownVersionsAreRaw()
    {
        for (const Version *version :
             {versionOfSubtype(14), static_cast<const Version *>(nullptr)}) {
            const TaskList list = walkTasks(bytesOf({1, 2, 3, 4}), version, {});
            QVERIFY(list.tasks.empty());
            QVERIFY(hasCode(list.diagnostics, "descriptor.version"));
            QVERIFY(!hasErrors(list.diagnostics));
        }
    }

    void carriesState()
    {
        Words text{1, 0, 0, 0};
        constexpr std::uint32_t kTasks = 1000;
        for (std::uint32_t i = 0; i < kTasks; ++i) {
            // Task i writes register 0x300 + i % 8.
            text.push_back(10U << 16 | i);
            text.resize(text.size() + 7);
            text.insert(text.end(), {0x300 + i % 8, i});
            text.resize(text.size() + 2);
        }
        const auto bytes = bytesOf(text);
        const TaskList list = walkTasks(bytes, versionOfSubtype(5), {});
        QCOMPARE(list.tasks.size(), std::size_t(kTasks));
        TaskReader reader(bytes, list);
        for (const std::size_t index : {999U, 500U, 501U, 3U, 0U, 777U, 778U}) {
            const RegisterState &state = reader.before(index);
            for (std::size_t reg = 0; reg < 8; ++reg) {
                const auto value = state.get(std::uint32_t(4 * (0x300 + reg)));
                std::optional<std::uint32_t> wanted;
                for (std::size_t task = index; task-- > 0;) {
                    if (task % 8 == reg) {
                        wanted = std::uint32_t(task);
                        break;
                    }
                }
                QCOMPARE(value.has_value(), wanted.has_value());
                QCOMPARE(value.value_or(0), wanted.value_or(0));
            }
        }
    }

    void staysWithinHostileBytes()
    {
        std::mt19937 engine(11);
        const auto random = [&engine] { return std::uint32_t(engine()); };
        for (int round = 0; round < 2000; ++round) {
            Words text(random() % 300);
            for (std::uint32_t &word : text)
                word = random() % 4 == 0 ? random() : random() % 64;
            const auto bytes = bytesOf(text);
            for (const Version &version : descriptor::versions()) {
                const TaskList list = walkTasks(bytes, &version, {});
                if (list.tasks.empty())
                    continue;
                TaskReader reader(bytes, list);
                TaskDetail detail;
                reader.before(list.tasks.size() - 1);
                reader.read(list.tasks.size() - 1, detail);
                QVERIFY(detail.stream.end <= detail.task.bytes());
            }
        }
    }
};

KERNSCOPE_TEST(TestDescriptor, QCoreApplication)
#include "tst_descriptor.moc"
