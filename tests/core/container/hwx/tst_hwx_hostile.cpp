// SPDX-License-Identifier: GPL-3.0-or-later
#include "synthetic.h"

#include "core/base/little_endian.h"
#include "core/bundle/bundle.h"
#include "core/container/hwx/container.h"
#include "core/container/hwx/cover.h"
#include "core/container/hwx/slots.h"
#include "tests/test_program.h"

using namespace kernscope;
using namespace kernscope::test;

namespace {

struct Damaged {
    Bytes bytes;
    hwx::Container container;
};

Damaged openDamaged(Bytes bytes)
{
    Damaged opened{std::move(bytes), {}};
    if (auto container = hwx::readContainer(opened.bytes, "synthetic.hwx"))
        opened.container = std::move(*container);
    return opened;
}

} // namespace

/// Damaged containers: a row in the diagnostics each, the rest is read all the same.
class TestHwxHostile : public QObject
{
    Q_OBJECT

private slots:
    void hostile_data()
    {
        QTest::addColumn<int>("offset"); // in the command of that kind; -1: in the file
        QTest::addColumn<QByteArray>("kind");
        QTest::addColumn<quint32>("value");
        QTest::addColumn<QByteArray>("code");
        const auto row = [](const char *name, const char *kind, int offset, quint32 value,
                            const char *code) {
            addRow(name, offset, QByteArray(kind), value, QByteArray(code));
        };
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
        QFETCH(int, offset);
        QFETCH(QByteArray, kind);
        QFETCH(quint32, value);
        QFETCH(QByteArray, code);
        Damaged opened = openDamaged(syntheticH13());
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
        const Damaged bad = openDamaged(opened.bytes);
        QVERIFY2(hasCode(bad.container.diagnostics, code.toStdString()), code.constData());
        for (const Diagnostic &row : bad.container.diagnostics) {
            QCOMPARE(row.error.file.c_str(), "synthetic.hwx");
            QVERIFY(row.error.offset.has_value());
        }
        const auto bundle =
            VERIFIED(Bundle::open("synthetic.hwx", {.memory = {{"synthetic.hwx", opened.bytes}}}));
        std::uint64_t end = 0;
        for (const Section &section : (*bundle)->sections()) {
            QCOMPARE(section.range.offset.value, end);
            end = section.range.end();
        }
        QCOMPARE(end, std::uint64_t(opened.bytes.size()));
    }

    /// Faults that need more than one changed word, and a file cut after every 16th byte.
    void cutAnywhere()
    {
        Damaged opened = openDamaged(syntheticH13());
        const auto patched = [&](std::uint64_t at, std::uint32_t value) {
            Bytes bytes = opened.bytes;
            storeLittle(bytes, at, value);
            return openDamaged(std::move(bytes));
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
                QVERIFY(hasCode(patched(command.offset.value + 40,
                                        static_cast<std::uint32_t>(text->bytes->offset.value))
                                    .container.diagnostics,
                                "hwx.overlap"));
        }
        for (std::size_t size = 0; size < opened.bytes.size(); size += 16) {
            const Bytes cut(opened.bytes.begin(), opened.bytes.begin() + std::ptrdiff_t(size));
            const auto container = hwx::readContainer(cut, "cut.hwx");
            if (size < hwx::kHeaderBytes) {
                QVERIFY(!container);
                continue;
            }
            QVERIFY(container);
            for (const hwx::CoverSpan &span : hwx::coverContainer(*container, cut))
                QVERIFY(fitsInside(span.range, ByteCount(size)));
            hwx::relocationSlots(*container, cut);
        }
    }
};

KERNSCOPE_TEST(TestHwxHostile, QCoreApplication)
#include "tst_hwx_hostile.moc"
