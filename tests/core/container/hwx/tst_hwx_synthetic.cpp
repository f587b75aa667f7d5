// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/little_endian.h"
#include "core/container/hwx/cover.h"
#include "core/container/hwx/kernels.h"
#include "core/container/hwx/slots.h"
#include "opened_hwx.h"
#include "rewrite.h"
#include "tests/core/descriptor/stream_words.h"
#include "tests/test_program.h"

// Lanes, bonded streams, relocation slots and load addresses of synthetic containers.

namespace {

std::string firstError(const Diagnostics &rows)
{
    for (const Diagnostic &row : rows) {
        if (row.severity == Severity::Error)
            return describe(row.error);
    }
    return {};
}

/// Writes the words where a loader would.
void applyLoad(const std::vector<hwx::Slot> &places, const std::vector<hwx::LoadedSlot> &loaded,
               Bytes &bytes)
{
    for (const hwx::LoadedSlot &words : loaded) {
        const hwx::Slot &slot = places[words.slot];
        for (unsigned i = 0; !words.fault && i < slot.words; ++i)
            storeLittle(std::span(bytes), slot.place.value + 4ULL * i, words.after[i]);
    }
}

} // namespace

class TestHwxSynthetic : public QObject
{
    Q_OBJECT

private slots:
    void opensAndWrites_data()
    {
        const auto row = addColumns<Bytes>();
        row("synthetic H13", syntheticH13());
        row("synthetic H14", syntheticH14());
        row("synthetic H16", syntheticH16());
        row("synthetic H18", syntheticH18());
        row("synthetic H18g", syntheticH18g());
    }

    void opensAndWrites()
    {
        const auto [content] = fetched<Bytes>();
        const Opened opened = open(content);
        QCOMPARE(firstError(opened.container.diagnostics).c_str(), "");
        const auto written = VERIFIED(hwx::writeContainer(opened.container, opened.bytes));
        QVERIFY(*written == opened.bytes);
        QVERIFY(opened.container.taskCount() > 0);
        const auto &list = *opened.container.texts.front().tasks;
        const descriptor::TaskReader reader(opened.text(), list);
        descriptor::TaskDetail detail;
        for (std::size_t i = 0; i < list.tasks.size(); ++i) {
            reader.read(i, detail);
            QVERIFY2(detail.stream.exact, detail.stream.fault.c_str());
            const auto words = wordsOf(detail.stream, list.version->packets);
            for (std::size_t w = 0; w < words.size(); ++w)
                QCOMPARE(words[w],
                         loadLittle<std::uint32_t>(opened.text(), detail.task.offset +
                                                                      detail.stream.begin + 4 * w));
        }
    }

    void coversEveryByte_data() { opensAndWrites_data(); }

    void coversEveryByte()
    {
        const auto [content] = fetched<Bytes>();
        const auto bundle =
            VERIFIED(Bundle::open("synthetic.hwx", {.memory = {{"synthetic.hwx", content}}}));
        QCOMPARE((*bundle)->kind(), BundleKind::Hwx);
        QVERIFY((*bundle)->hardware() != nullptr);
        QCOMPARE(sectionFault(**bundle), std::string());
        for (const Section &section : (*bundle)->sections()) {
            const std::string name = (*bundle)->nameOf(section);
            QVERIFY2(section.kind != SectionKind::Unknown || name.starts_with("__RUNTIME,"),
                     name.c_str());
        }
    }

    /// Where records begin is known from symbols, and nothing else of them.
    void debugRecords()
    {
        Bytes content(40, std::byte(1));
        for (std::size_t i = 0; i < 6; ++i)
            content[17 + i] = static_cast<std::byte>("a name"[i]);
        ContainerMaker maker(4);
        maker.segment("__TEXT", 0, {{"__text", 0x28, Bytes(64), 0, 14, {}}});
        const auto debug = maker.segment("__DEBUG", 0, {{"__debug_info", 0x32, content, 0, 3, {}}});
        maker.symbol("", 0x0e, 2, 4, debug[0] + 8);
        maker.symbol("", 0x0e, 2, 4, debug[0] + 24);
        maker.symbol("", 0x0e, 2, 4, debug[0] + 24);
        maker.symbol("elsewhere", 0x0e, 1, 4, debug[0] + 12);
        maker.symbol("behind", 0x0e, 2, 4, debug[0] + 40);
        const Opened opened = open(maker.finish());
        const auto records = hwx::debugRecords(opened.container, opened.bytes);
        QCOMPARE(records.size(), 3U);
        const std::uint64_t start = opened.container.section(2)->bytes->offset.value;
        QCOMPARE(records[0].bytes, (ByteRange{FileOffset(start), ByteCount(8)}));
        QCOMPARE(records[1].bytes, (ByteRange{FileOffset(start + 8), ByteCount(16)}));
        QCOMPARE(records[2].bytes, (ByteRange{FileOffset(start + 24), ByteCount(16)}));
        QCOMPARE(records[2].address, debug[0] + 24);
        QVERIFY(records[0].symbols.empty());
        QCOMPARE(records[1].symbols, (std::vector<std::size_t>{0}));
        QCOMPARE(records[2].symbols, (std::vector<std::size_t>{1, 2}));
        QVERIFY(records[0].texts.empty() && records[2].texts.empty());
        QCOMPARE(records[1].texts.size(), 1U);
        QCOMPARE(records[1].texts.front().text, "a name");
        QCOMPARE(records[1].texts.front().offset.value, start + 17);
        std::size_t spans = 0;
        for (const hwx::CoverSpan &span : hwx::coverContainer(opened.container, opened.bytes))
            spans += span.kind == hwx::SpanKind::Debug ? 1 : 0;
        QCOMPARE(spans, 3U);
    }

    void everySubtype_data()
    {
        addColumns<unsigned, unsigned, bool>();
        for (const auto &version : descriptor::versions())
            QTest::addRow("subtype %u", version.subtype)
                << version.subtype << version.headerWords << version.known();
        // The header length of version 10 is not published: each is found by its records.
        addRow("version 10, nine words", 8U, 9U, true);
        addRow("unknown subtype", 77U, 0U, false);
    }

    void everySubtype()
    {
        const auto [subtype, headerWords, tasks] = fetched<unsigned, unsigned, bool>();
        const Opened opened = open(syntheticOf(subtype, headerWords));
        QCOMPARE(firstError(opened.container.diagnostics).c_str(), "");
        QCOMPARE(opened.container.taskCount() == 1, tasks);
        if (!tasks) {
            QVERIFY(hasCode(opened.container.diagnostics, "descriptor.version"));
            return;
        }
        const auto &task = opened.container.texts.front().tasks->tasks.front();
        QVERIFY(task.exact);
        QCOMPARE(task.headerWords, headerWords);
    }

    void namesFields()
    {
        const Opened opened = open(syntheticH13());
        const auto named = [&opened](std::uint64_t offset) {
            const auto field = hwx::fieldAt(opened.container, opened.bytes, FileOffset(offset));
            return field ? field->name : std::string("none");
        };
        QCOMPARE(named(3), "header: magic");
        QCOMPARE(named(20), "header: bytes of commands");
        for (const hwx::LoadCommand &command : opened.container.commands) {
            const std::string owner = "command " + std::to_string(command.index) + ": ";
            const std::uint64_t at = command.offset.value;
            QCOMPARE(named(at + 4), owner + "command size");
            if (command.kind == hwx::CommandKind::Segment)
                QVERIFY(named(at + 72 + 40).ends_with(" size"));
            if (command.kind == hwx::CommandKind::Binding64)
                QCOMPARE(named(at + 20), owner + "address");
            if (command.kind == hwx::CommandKind::Thread &&
                opened.container.threads[command.item].role == hwx::ThreadRole::Port)
                QCOMPARE(named(at + 0x24), owner + "element type");
        }
        QCOMPARE(named(opened.container.symbolTable->symbolOffset + 16 + 9), "symbol 1: value");
        const hwx::SegmentSection *text = opened.container.firstOf(hwx::SectionType::Text);
        QCOMPARE(named(text->relocationOffset + 8), "relocation 1: address");
        QVERIFY(named(text->bytes->offset.value).starts_with("task 0: header word 0"));
        QVERIFY(named(text->bytes->offset.value + 40).starts_with("task 0: "));
    }

    void newestLegacyLayout()
    {
        const Opened opened = open(syntheticH13());
        const auto &list = *opened.container.texts.front().tasks;
        QCOMPARE(list.tasks.size(), 8U);
        QCOMPARE(list.tasks.front().bytes(), 0x1f8ULL);
        QCOMPARE(list.tasks.back().bytes(), 0x274ULL);
        QCOMPARE(opened.container.bindings.front().addressBits, 64U);
        QCOMPARE(opened.container.bindings.back().name.c_str(), "probs@output");
        QCOMPARE(opened.container.program()->tags.front().value, 0x1ebULL);
        QCOMPARE(opened.container.notes.front().owner.c_str(), "src model info");
        QCOMPARE(opened.container.ident->compilerVersion.c_str(), "9.509.0");
        // Module blocks are indented by newer compilers: they are no flags.
        QCOMPARE(opened.container.ident->modules.size(), 2U);
        QCOMPARE(opened.container.ident->flags.size(), 2U);
        QCOMPARE(opened.container.types.back().range.c_str(), "r1;0,1");
        QCOMPARE(opened.container.tensors.front().axes[1].count, 3ULL);
        QCOMPARE(opened.container.tensors.front().axes[1].byteStride, 64ULL);
        const auto tiles = hwx::kernelTiles(opened.container);
        descriptor::TaskReader reader(opened.text(), list);
        const hwx::LaneFinder finder(opened.container, opened.container.texts.front(), tiles);
        descriptor::TaskDetail detail;
        for (std::size_t i = 0; i < list.tasks.size(); ++i) {
            reader.before(i);
            reader.read(i, detail);
            std::size_t live = 0;
            for (const hwx::KernelLane &lane : finder.lanes(detail, reader)) {
                live += lane.enabled ? 1 : 0;
                QVERIFY(!lane.enabled ||
                        (lane.matchesSymbol && lane.sizeMatches && lane.relocated));
            }
            QCOMPARE(live, std::size_t(i + 1 == list.tasks.size() ? 3 : 0));
        }
    }

    void carriedStateAndExtraWord()
    {
        const Opened opened = open(syntheticH14());
        const auto &list = *opened.container.texts.front().tasks;
        QCOMPARE(list.tasks.size(), 3U);
        QVERIFY(list.tasks[2].extended);
        descriptor::TaskReader reader(opened.text(), list);
        descriptor::TaskDetail detail;
        reader.before(2);
        reader.read(2, detail);
        QCOMPARE(detail.header.size(), 9U);
        QCOMPARE(detail.header.back(), 9U);
        QCOMPARE(hwx::roleValue(detail, reader, "cin").value_or(0), 8U);
        QCOMPARE(hwx::roleValue(detail, reader, "cout").value_or(0), 2U); // carried from task 0
        QCOMPARE(hwx::roleValue(detail, reader, "kernel_fmt").value_or(0), 2U);
        QCOMPARE(reader.before(2).get(0x000c).value_or(0), 7U);
    }

    void lanesOfLaterVersions_data()
    {
        const auto row = addColumns<Bytes, int>();
        row("synthetic H14", syntheticH14(), 2);
        row("synthetic H16", syntheticH16(), 16);
        row("synthetic H18", syntheticH18(), 16);
        row("synthetic H18g", syntheticH18g(), 16);
    }

    void lanesOfLaterVersions()
    {
        const auto [content, lanes] = fetched<Bytes, int>();
        const Opened opened = open(content);
        const auto &text = opened.container.texts.front();
        const auto tiles = hwx::kernelTiles(opened.container);
        QCOMPARE(tiles.size(), std::size_t(lanes));
        descriptor::TaskReader reader(opened.text(), *text.tasks);
        const hwx::LaneFinder finder(opened.container, text, tiles);
        descriptor::TaskDetail detail;
        reader.before(0);
        reader.read(0, detail);
        int live = 0;
        for (const hwx::KernelLane &lane : finder.lanes(detail, reader)) {
            if (!lane.enabled)
                continue;
            ++live;
            QVERIFY(lane.matchesSymbol);
            QVERIFY(lane.sizeMatches);
        }
        QCOMPARE(live, lanes);
        QCOMPARE(hwx::roleValue(detail, reader, "kernel_enable").value_or(0), 1U);
        QCOMPARE(hwx::roleValue(detail, reader, "Kw").value_or(0), 1U);
        QCOMPARE(hwx::roleValue(detail, reader, "Kh").value_or(0), 1U);
    }

    void bondedStreams()
    {
        const Opened opened = open(syntheticH18g());
        QVERIFY(opened.container.extended());
        const auto &list = *opened.container.texts.front().tasks;
        QCOMPARE(list.streams.size(), 3U);
        QCOMPARE(list.streams[1].name.c_str(), "text_section_start_for_main__bonded_ane0");
        QCOMPARE(list.streams[2].offset, 0x8000ULL);
        QCOMPARE(list.tasks[2].stream, 2U);
        // State does not cross from one stream into another.
        descriptor::TaskReader reader(opened.text(), list);
        QCOMPARE(reader.before(1).size(), 0U);
    }

    void slotsAndTargets()
    {
        const Opened opened = open(syntheticH18g());
        const auto found = hwx::relocationSlots(opened.container, opened.bytes);
        QCOMPARE(found.size(), 9U); // three a stream
        QCOMPARE(found[0].kind, hwx::SlotKind::Relocation);
        QCOMPARE(found[0].role.c_str(), "kernel section");
        QCOMPARE(found[0].words, 2U);
        QCOMPARE(found[0].target.name.c_str(), "__KERN_0,__kern_0");
        QCOMPARE(found[1].kind, hwx::SlotKind::AddressPacket);
        QCOMPARE(found[1].role.c_str(), "destination");
        QCOMPARE(found[1].target.index, 24U);
        QCOMPARE(found[2].role.c_str(), "source 1");
        QCOMPARE(found[2].stored, 0x80ULL);
        const Opened linked = open(syntheticH13());
        const auto old = hwx::relocationSlots(linked.container, linked.bytes);
        QCOMPARE(
            std::ranges::count_if(
                old, [](const hwx::Slot &slot) { return slot.kind == hwx::SlotKind::Relocation; }),
            std::ptrdiff_t(3));
        QCOMPARE(old.front().kind, hwx::SlotKind::Aperture);
        QCOMPARE(old.front().target.name.c_str(), "aperture 4 (image)");
    }

    void loadsAndStrips()
    {
        const Opened opened = open(syntheticH18g());
        const auto found = hwx::relocationSlots(opened.container, opened.bytes);
        const hwx::LoadPlan plan{0x240000000ULL};
        const auto loaded = hwx::computeLoad(opened.container, found, plan);
        QCOMPARE(loaded.size(), found.size());
        QVERIFY(!loaded[0].fault);
        const std::uint64_t kernel = *found[0].target.address - hwx::imageStart(opened.container);
        QCOMPARE(loaded[0].deviceAddress.value_or(0), plan.base + kernel);
        QCOMPARE(loaded[0].after[1], 2U);
        QVERIFY(loaded[1].fault); // no port in this file: nothing says where BAR 24 lies
        Bytes image = opened.bytes;
        applyLoad(found, loaded, image);
        QVERIFY(image != opened.bytes);
        const Opened again = open(image);
        const auto loadedSlots = hwx::relocationSlots(again.container, again.bytes);
        applyLoad(loadedSlots, hwx::computeStrip(again.container, loadedSlots, plan), image);
        QVERIFY(image == opened.bytes);
        // Version 7: nothing changes, the engine adds the apertures.
        const Opened linked = open(syntheticH13());
        const auto old = hwx::relocationSlots(linked.container, linked.bytes);
        Bytes same = linked.bytes;
        const auto oldLoaded = hwx::computeLoad(linked.container, old, {0x10000000});
        applyLoad(old, oldLoaded, same);
        QVERIFY(same == linked.bytes);
        QVERIFY(std::ranges::all_of(
            oldLoaded, [](const hwx::LoadedSlot &slot) { return slot.deviceAddress.has_value(); }));
    }

    void refusesBadAddresses()
    {
        QVERIFY(hwx::checkDeviceAddress((1ULL << 42) - 64));
        QCOMPARE(hwx::checkDeviceAddress(1ULL << 42).error().code.c_str(), "slot.range");
        QCOMPARE(hwx::checkDeviceAddress(32).error().code.c_str(), "slot.alignment");
        const Opened opened = open(syntheticH18g());
        const auto found = hwx::relocationSlots(opened.container, opened.bytes);
        QCOMPARE(hwx::computeLoad(opened.container, found, {1ULL << 42})[0].fault->code.c_str(),
                 "slot.range");
        QCOMPARE(hwx::computeLoad(opened.container, found, {~0ULL})[0].fault->code.c_str(),
                 "slot.range");
        QCOMPARE(hwx::computeLoad(opened.container, found, {0x10})[0].fault->code.c_str(),
                 "slot.alignment");
        QCOMPARE(hwx::computeStrip(opened.container, found, {0x1000})[0].fault->code.c_str(),
                 "slot.range");
    }
};

KERNSCOPE_TEST(TestHwxSynthetic, QCoreApplication)
#include "tst_hwx_synthetic.moc"
