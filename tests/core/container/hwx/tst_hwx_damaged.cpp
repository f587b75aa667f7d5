// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/little_endian.h"
#include "core/container/hwx/cover.h"
#include "core/container/hwx/slots.h"
#include "made_bundle.h"
#include "opened_hwx.h"
#include "rewrite.h"
#include "tests/test_program.h"

namespace {

/// What a container shows, apart from what is damaged.
struct Shown {
    std::vector<std::uint64_t> commands;
    std::set<std::uint32_t> sections;
    std::vector<std::string> symbols;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> tasks; ///< offset, words
    std::vector<std::string> weights;
    Diagnostics diagnostics;
};

Shown shown(const Bytes &bytes)
{
    Shown all;
    const auto container = hwx::readContainer(bytes, "damaged.hwx");
    if (!container)
        return all;
    for (const auto &command : container->commands)
        all.commands.push_back(command.offset.value);
    for (const auto &segment : container->segments) {
        for (const auto &section : segment.sections)
            all.sections.insert(section.ordinal);
    }
    for (const auto &symbol : container->symbols)
        all.symbols.push_back(symbol.name);
    for (const auto &text : container->texts) {
        for (const auto &task : text.tasks->tasks)
            all.tasks.emplace_back(task.offset, task.words);
    }
    if (const auto bundle = Bundle::open("damaged.hwx", {.memory = {{"damaged.hwx", bytes}}})) {
        for (const Weight &weight : (*bundle)->weights())
            all.weights.push_back(weight.name);
        all.diagnostics = (*bundle)->diagnostics();
    }
    return all;
}

std::uint64_t textOffset(const Bytes &bytes)
{
    const auto container = hwx::readContainer(bytes, "sound.hwx");
    return container->firstOf(hwx::SectionType::Text)->bytes->offset.value;
}

bool hasError(const Shown &all)
{
    return std::ranges::any_of(all.diagnostics, [](const Diagnostic &row) {
        return row.severity == Severity::Error && row.error.offset && !row.error.found.empty() &&
               !row.error.expected.empty();
    });
}

} // namespace

/// One damaged place in a container: it is reported with its place, what was expected and what was
/// found, and everything else is shown as before.
/// Damaged containers: a row in the diagnostics each, the rest is read all the same.
class TestHwxDamaged : public QObject
{
    Q_OBJECT

private slots:
    void commandSizes_data()
    {
        addColumns<int, quint32>();
        const auto container = hwx::readContainer(syntheticH13(), "sound.hwx");
        for (const auto &command : container->commands) {
            for (const std::uint32_t size :
                 {0U, 4U, command.size - 8, command.size + 8, 0x7fffffffU, 0xffffffffU})
                QTest::addRow("%u %s: %x", command.index,
                              std::string(hwx::commandKindName(command.kind)).c_str(), size)
                    << int(command.index) << quint32(size);
        }
    }

    void commandSizes()
    {
        const auto [command, size] = fetched<int, quint32>();
        Bytes bytes = syntheticH13();
        const Shown before = shown(bytes);
        const std::uint64_t at = before.commands[std::size_t(command)];
        storeLittle<std::uint32_t>(bytes, at + 4, size);
        const Shown after = shown(bytes);
        QCOMPARE(after.commands, before.commands);
        QCOMPARE(after.sections, before.sections);
        QCOMPARE(after.symbols, before.symbols);
        QCOMPARE(after.tasks, before.tasks);
        QCOMPARE(after.weights, before.weights);
        QVERIFY(hasError(after));
        // What is damaged stays so when it is written again.
        const auto container = hwx::readContainer(bytes, "damaged.hwx");
        const auto again = VERIFIED(hwx::writeContainer(*container, bytes));
        QVERIFY(*again == bytes);
    }

    void header_data()
    {
        addColumns<int, quint32>();
        for (const quint32 value : {0U, 8U, 0x100U, 0x101U, 0x7fffffffU, 0xffffffffU})
            QTest::addRow("size of the commands %x", value) << 20 << value;
        for (const quint32 value : {0U, 1U, 3U, 4000U, 0xffffffffU})
            QTest::addRow("number of the commands %x", value) << 16 << value;
    }

    void header()
    {
        const auto [offset, value] = fetched<int, quint32>();
        Bytes bytes = syntheticH13();
        const Shown before = shown(bytes);
        storeLittle<std::uint32_t>(bytes, std::uint64_t(offset), value);
        const Shown after = shown(bytes);
        QCOMPARE(after.commands, before.commands);
        QCOMPARE(after.symbols, before.symbols);
        QCOMPARE(after.tasks, before.tasks);
        QCOMPARE(after.weights, before.weights);
        QVERIFY(hasError(after));
    }

    void linkedTasks_data()
    {
        addColumns<int, quint32>();
        for (const int task : {0, 1, 3, 6}) {
            for (const quint32 next : {0U, 8U, 0x100U, 0x308U, 0x7fffffffU, 0xffffffffU})
                QTest::addRow("task %d: %x", task, next) << task << next;
        }
    }

    /// The place of the next task is wrong: it is found on the boundary where it stands.
    void linkedTasks()
    {
        const auto [task, next] = fetched<int, quint32>();
        Bytes bytes = syntheticH13(8);
        const Shown before = shown(bytes);
        QCOMPARE(before.tasks.size(), 8U);
        const std::uint64_t at = textOffset(bytes) + before.tasks[std::size_t(task)].first + 28;
        storeLittle<std::uint32_t>(bytes, at, next);
        const Shown after = shown(bytes);
        QCOMPARE(after.tasks, before.tasks);
        QCOMPARE(after.weights, before.weights);
        QVERIFY(hasError(after));
    }

    void sizedTasks_data()
    {
        addColumns<int, int, quint32>();
        for (const int file : {14, 18}) {
            for (const int task : {0, 1}) {
                for (const quint32 words : {1U, 3U, 20U, 0x7ffU})
                    QTest::addRow("h%d task %d: %u words", file, task, words)
                        << file << task << words;
            }
        }
    }

    /// The size of a task is wrong: the task behind it is found, and begins where it did.
    void sizedTasks()
    {
        const auto [file, task, words] = fetched<int, int, quint32>();
        Bytes bytes = file == 14 ? syntheticH14() : syntheticH18g();
        const Shown before = shown(bytes);
        QVERIFY(before.tasks.size() > 1);
        const std::uint64_t at = textOffset(bytes) + before.tasks[std::size_t(task)].first;
        const auto word = loadLittle<std::uint32_t>(bytes, at);
        storeLittle<std::uint32_t>(bytes, at, (word & 0xF800FFFF) | words << 16);
        const Shown after = shown(bytes);
        QCOMPARE(after.tasks.size(), before.tasks.size());
        for (std::size_t i = 0; i < after.tasks.size(); ++i)
            QCOMPARE(after.tasks[i].first, before.tasks[i].first);
        QCOMPARE(after.weights, before.weights);
        QVERIFY(hasError(after));
    }

    /// A window whose size is damaged covers the addresses of the kernels: their slices are theirs
    /// all the same. An offset that is not the one of its section's address is reported.
    void sectionAddresses()
    {
        const Bytes sound = syntheticH13();
        const Shown before = shown(sound);
        const auto container = hwx::readContainer(sound, "sound.hwx");
        int windows = 0;
        for (const auto &segment : container->segments) {
            for (const auto &section : segment.sections) {
                if (section.bytes)
                    continue;
                Bytes bytes = sound;
                storeLittle<std::uint64_t>(bytes, section.place.value + 40, 0x800000000ULL);
                const Shown after = shown(bytes);
                QCOMPARE(after.weights, before.weights);
                QVERIFY(hasError(after));
                ++windows;
            }
        }
        QVERIFY(windows > 1);
        const hwx::SegmentSection *kernels = container->firstOf(hwx::SectionType::Kernel);
        for (const std::uint32_t offset : {0U, kernels->offset - 64, kernels->offset + 64}) {
            Bytes bytes = sound;
            storeLittle<std::uint32_t>(bytes, kernels->place.value + 48, offset);
            const Shown after = shown(bytes);
            QCOMPARE(after.tasks, before.tasks);
            QVERIFY(hasError(after));
        }
        // A lane whose bytes are nowhere says where it is programmed.
        Bytes bytes = sound;
        storeLittle<std::uint64_t>(bytes, kernels->place.value + 40, 0);
        const Shown after = shown(bytes);
        QVERIFY(after.weights.empty());
        QVERIFY(std::ranges::all_of(
            after.diagnostics, [](const Diagnostic &row) { return row.error.offset.has_value(); }));
        QVERIFY(hasError(after));
    }

    /// A number of relocations that the file does not hold is one fault, not one for each word of
    /// the file that is no relocation.
    void relocationCounts()
    {
        const Bytes sound = syntheticH13();
        const auto container = hwx::readContainer(sound, "sound.hwx");
        for (const auto &segment : container->segments) {
            for (const auto &section : segment.sections) {
                for (const std::uint32_t count : {0x10000000U, 0xffffffffU}) {
                    Bytes bytes = sound;
                    storeLittle<std::uint32_t>(bytes, section.place.value + 60, count);
                    const auto damaged = hwx::readContainer(bytes, "damaged.hwx");
                    QVERIFY(damaged->diagnostics.size() < 20);
                    const hwx::SegmentSection *same = damaged->section(section.ordinal);
                    QVERIFY(same->relocations.size() >= section.relocations.size());
                }
            }
        }
    }

    /// Commands of kinds that are not known keep their sizes, also two in a row.
    void unknownCommands()
    {
        ContainerMaker maker(4);
        maker.command(0x1234, Bytes(16));
        maker.command(0x4321, Bytes(8));
        maker.segment("__TEXT", 4, {{"__const", 0x26, Bytes(64), 0, 6, {}}});
        maker.banner("9.509.0", "h13");
        const auto container = VERIFIED(hwx::readContainer(maker.finish(), "unknown.hwx"));
        std::size_t unknown = 0;
        for (const auto &command : container->commands) {
            unknown += command.kind == hwx::CommandKind::Unknown ? 1U : 0U;
            QCOMPARE(command.size, command.stated);
        }
        QCOMPARE(unknown, 2U);
        for (const Diagnostic &row : container->diagnostics)
            QVERIFY2(row.severity == Severity::Note, row.error.message.c_str());
    }

    /// Symbols and strings that lie elsewhere would be other names, without a word.
    void tables()
    {
        const Bytes sound = syntheticH13();
        const auto container = hwx::readContainer(sound, "sound.hwx");
        std::uint64_t at = 0;
        for (const auto &command : container->commands) {
            if (command.kind == hwx::CommandKind::SymbolTable)
                at = command.offset.value;
        }
        const auto damaged = [&](std::uint64_t offset, std::uint32_t value) {
            Bytes bytes = sound;
            storeLittle<std::uint32_t>(bytes, at + offset, value);
            return shown(bytes);
        };
        const hwx::SymbolTable &table = *container->symbolTable;
        QVERIFY(hasError(damaged(8, 0)));                        // symbols in the header
        QVERIFY(hasError(damaged(16, 0)));                       // strings there
        QVERIFY(hasError(damaged(16, table.symbolOffset + 16))); // strings over the symbols
        QVERIFY(hasError(damaged(20, table.stringBytes - 2)));   // the last name is cut
        const Shown none = damaged(12, 0);
        QVERIFY(hasCode(none.diagnostics, "hwx.symbols"));
    }

    /// A lane whose offset or size is damaged still lies in the file: what is decoded is not the
    /// weight, so that it is reported.
    void lanes()
    {
        const Bytes sound = syntheticH13();
        const auto container = hwx::readContainer(sound, "sound.hwx");
        const hwx::SegmentSection *text = container->firstOf(hwx::SectionType::Text);
        QVERIFY(text->relocations.size() > 1);
        for (const std::uint32_t change : {8U, 64U}) {
            Bytes bytes = sound;
            const std::uint64_t place = text->bytes->offset.value + text->relocations[1].address;
            storeLittle<std::uint32_t>(bytes, place,
                                       loadLittle<std::uint32_t>(bytes, place) ^ change);
            const Shown after = shown(bytes);
            QVERIFY(std::ranges::any_of(after.diagnostics, [place](const Diagnostic &row) {
                return row.error.code == "hwx.slices" && row.error.offset &&
                       row.error.offset->value == place;
            }));
        }
    }

    void hostile_data()
    {
        // kind: of the command that the offset is in; empty: it is in the file
        const auto row = addColumns<QByteArray, int, quint32, QByteArray>();
        row("command of size 0", "thread", 4, 0, "hwx.command");
        row("command past the header", "thread", 4, 0x7fffffff, "hwx.command");
        row("more commands than there are", "", 16, 4000000000U, "hwx.command");
        row("commands past the file", "", 20, 0xfffffff0U, "hwx.commands");
        row("2^32 symbols", "symtab", 12, 0xffffffffU, "hwx.symbols");
        row("symbols past the file", "symtab", 8, 0xfffffff0U, "hwx.symbols");
        row("strings past the file", "symtab", 20, 0xfffffff0U, "hwx.strings");
        row("strings elsewhere", "symtab", 16, 0xfffffff0U, "hwx.strings");
        row("2^32 sections", "segment_64", 64, 0xffffffffU, "hwx.section");
        row("binding's name outside", "fvmlib_ref64", 8, 0xffff, "hwx.binding");
        row("state past its command", "thread", 12, 0xffffffffU, "hwx.thread");
        row("unknown flavor", "thread", 8, 99, "hwx.thread");
        row("wrong task count", "thread", 0x81c, 3, "descriptor.count");
        row("wrong first size", "thread", 0x818, 0x1ff0, "descriptor.size");
        row("unknown subtype", "", 8, 1234, "hwx.subtype");
    }

    void hostile()
    {
        const auto [kind, offset, value, code] = fetched<QByteArray, int, quint32, QByteArray>();
        Opened opened = test::open(syntheticH13());
        std::uint64_t at = 0;
        for (const auto &command : opened.container.commands) {
            if (!kind.isEmpty() && hwx::commandKindName(command.kind) == kind.toStdString()) {
                const bool program =
                    command.kind != hwx::CommandKind::Thread ||
                    opened.container.threads[command.item].role == hwx::ThreadRole::Program;
                if (program) {
                    at = command.offset.value;
                    break;
                }
            }
        }
        storeLittle<std::uint32_t>(opened.bytes, at + std::uint64_t(offset), value);
        const Opened bad = test::open(opened.bytes);
        QVERIFY2(hasCode(bad.container.diagnostics, code.toStdString()), code.constData());
        for (const Diagnostic &row : bad.container.diagnostics) {
            QCOMPARE(row.error.file.c_str(), "synthetic.hwx");
            QVERIFY(row.error.offset.has_value());
        }
        const auto bundle =
            VERIFIED(Bundle::open("synthetic.hwx", {.memory = {{"synthetic.hwx", opened.bytes}}}));
        QCOMPARE(sectionFault(**bundle), std::string());
    }

    /// Faults that need more than one changed word, and a file cut after every 16th byte.
    void damagedTasks()
    {
        Opened opened = test::open(syntheticH13());
        const auto patched = [&](std::uint64_t at, std::uint32_t value) {
            Bytes bytes = opened.bytes;
            storeLittle(bytes, at, value);
            return test::open(std::move(bytes));
        };
        const hwx::SegmentSection *text = opened.container.firstOf(hwx::SectionType::Text);
        // A list that loops: the second task names the first.
        QVERIFY(
            hasCode(patched(text->bytes->offset.value + 0x300 + 28, 0x100).container.diagnostics,
                    "descriptor.loop"));
        // A record that runs over its task.
        QVERIFY(hasCode(
            patched(text->bytes->offset.value + 0x1f8 - 0x20, 0xfc017800).container.diagnostics,
            "descriptor.stream"));
        // A relocation outside the text, and one that names no section.
        const auto place = text->relocations.front().place.value;
        QVERIFY(hasCode(patched(place, 0x7ffffff0).container.diagnostics, "hwx.relocation"));
        QVERIFY(hasCode(patched(place + 4, 0x05ffffff).container.diagnostics, "hwx.relocation"));
        QVERIFY(hasCode(patched(text->place.value + 60, 0xffffffff).container.diagnostics,
                        "hwx.relocation"));
        // Two segments over the same bytes.
        for (const auto &command : opened.container.commands) {
            if (command.kind == hwx::CommandKind::Segment &&
                opened.container.segments[command.item].name == "__DEBUG")
                QVERIFY(hasCode(
                    patched(command.offset.value + 40, std::uint32_t(text->bytes->offset.value))
                        .container.diagnostics,
                    "hwx.overlap"));
        }
    }
};

KERNSCOPE_TEST(TestHwxDamaged, QCoreApplication)
#include "tst_hwx_damaged.moc"
