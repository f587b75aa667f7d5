// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/mil/program.h"
#include "rewrite.h"
#include "synthetic.h"

#include "core/base/little_endian.h"
#include "core/bundle/bundle.h"
#include "core/container/hwx/container.h"
#include "core/container/hwx/cover.h"
#include "core/container/hwx/field_at.h"
#include "core/container/hwx/kernels.h"
#include "core/container/hwx/slots.h"
#include "core/descriptor/task_reader.h"
#include "opened_hwx.h"
#include "tests/core/descriptor/stream_words.h"
#include "tests/test_program.h"

using namespace kernscope;
using namespace kernscope::test;

namespace {

std::string firstError(const Diagnostics &rows)
{
    for (const Diagnostic &row : rows) {
        if (row.severity == Severity::Error)
            return describe(row.error);
    }
    return {};
}

} // namespace

class TestHwxSynthetic : public QObject
{
    Q_OBJECT

private slots:
    void opensAndWrites_data()
    {
        QTest::addColumn<QByteArray>("content");
        const auto row = [](const char *name, const Bytes &bytes) {
            addRow(name, QByteArray(reinterpret_cast<const char *>(bytes.data()),
                                    qsizetype(bytes.size())));
        };
        row("synthetic H13", syntheticH13());
        row("synthetic H14", syntheticH14());
        row("synthetic H16", syntheticH16());
        row("synthetic H18", syntheticH18());
        row("synthetic H18g", syntheticH18g());
    }

    void opensAndWrites()
    {
        QFETCH(QByteArray, content);
        const Opened opened = open(bytesOf(content));
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
        QFETCH(QByteArray, content);
        const auto bundle = VERIFIED(
            Bundle::open("synthetic.hwx", {.memory = {{"synthetic.hwx", bytesOf(content)}}}));
        QCOMPARE((*bundle)->kind(), BundleKind::Hwx);
        QVERIFY((*bundle)->hardware() != nullptr);
        std::uint64_t at = 0;
        for (const Section &section : (*bundle)->sections()) {
            QCOMPARE(section.range.offset.value, at);
            QVERIFY(section.range.bytes.value > 0);
            const std::string name = (*bundle)->nameOf(section);
            QVERIFY2(section.kind != SectionKind::Unknown || name.starts_with("__RUNTIME,"),
                     name.c_str());
            at = section.range.end();
        }
        QCOMPARE(at, std::uint64_t(content.size()));
        const auto reread = VERIFIED((*bundle)->reread());
        QCOMPARE((*reread)->sections().size(), (*bundle)->sections().size());
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
        QCOMPARE(records.size(), std::size_t{3});
        const std::uint64_t start = opened.container.section(2)->bytes->offset.value;
        QCOMPARE(records[0].bytes, (ByteRange{FileOffset(start), ByteCount(8)}));
        QCOMPARE(records[1].bytes, (ByteRange{FileOffset(start + 8), ByteCount(16)}));
        QCOMPARE(records[2].bytes, (ByteRange{FileOffset(start + 24), ByteCount(16)}));
        QCOMPARE(records[2].address, debug[0] + 24);
        QVERIFY(records[0].symbols.empty());
        QCOMPARE(records[1].symbols, (std::vector<std::size_t>{0}));
        QCOMPARE(records[2].symbols, (std::vector<std::size_t>{1, 2}));
        QVERIFY(records[0].texts.empty() && records[2].texts.empty());
        QCOMPARE(records[1].texts.size(), std::size_t{1});
        QCOMPARE(records[1].texts.front().text, "a name");
        QCOMPARE(records[1].texts.front().offset.value, start + 17);
        std::size_t spans = 0;
        for (const hwx::CoverSpan &span : hwx::coverContainer(opened.container, opened.bytes))
            spans += span.kind == hwx::SpanKind::Debug ? 1 : 0;
        QCOMPARE(spans, std::size_t{3});
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
        QCOMPARE(list.tasks.size(), std::size_t(8));
        QCOMPARE(list.tasks.front().bytes(), 0x1f8ULL);
        QCOMPARE(list.tasks.back().bytes(), 0x274ULL);
        QCOMPARE(opened.container.bindings.front().addressBits, 64U);
        QCOMPARE(opened.container.bindings.back().name.c_str(), "probs@output");
        QCOMPARE(opened.container.program()->tags.front().value, 0x1ebULL);
        QCOMPARE(opened.container.notes.front().owner.c_str(), "src model info");
        QCOMPARE(opened.container.ident->compilerVersion.c_str(), "9.509.0");
        // Module blocks are indented by newer compilers: they are no flags.
        QCOMPARE(opened.container.ident->modules.size(), std::size_t(2));
        QCOMPARE(opened.container.ident->flags.size(), std::size_t(2));
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
};

KERNSCOPE_TEST(TestHwxSynthetic, QCoreApplication)
#include "tst_hwx_synthetic.moc"
