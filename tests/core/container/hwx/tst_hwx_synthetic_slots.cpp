// SPDX-License-Identifier: GPL-3.0-or-later
#include "synthetic.h"

#include "core/base/little_endian.h"
#include "core/bundle/bundle.h"
#include "core/container/hwx/container.h"
#include "core/container/hwx/kernels.h"
#include "core/container/hwx/slots.h"
#include "core/descriptor/task_reader.h"
#include "opened_hwx.h"
#include "tests/test_program.h"

using namespace kernscope;
using namespace kernscope::test;

namespace {

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

// Lanes, bonded streams, relocation slots and load addresses of synthetic containers.
class TestHwxSyntheticSlots : public QObject
{
    Q_OBJECT

private slots:
    void carriedStateAndExtraWord()
    {
        const Opened opened = open(syntheticH14());
        const auto &list = *opened.container.texts.front().tasks;
        QCOMPARE(list.tasks.size(), std::size_t(3));
        QVERIFY(list.tasks[2].extended);
        descriptor::TaskReader reader(opened.text(), list);
        descriptor::TaskDetail detail;
        reader.before(2);
        reader.read(2, detail);
        QCOMPARE(detail.header.size(), std::size_t(9));
        QCOMPARE(detail.header.back(), 9U);
        QCOMPARE(hwx::roleValue(detail, reader, "cin").value_or(0), 8U);
        QCOMPARE(hwx::roleValue(detail, reader, "cout").value_or(0), 2U); // carried from task 0
        QCOMPARE(hwx::roleValue(detail, reader, "kernel_fmt").value_or(0), 2U);
        QCOMPARE(reader.before(2).get(0x000c).value_or(0), 7U);
    }

    void lanesOfLaterVersions_data()
    {
        addColumns<QByteArray, int>();
        const auto row = [](const char *name, const Bytes &bytes, int lanes) {
            addRow(
                name,
                QByteArray(reinterpret_cast<const char *>(bytes.data()), qsizetype(bytes.size())),
                lanes);
        };
        row("synthetic H14", syntheticH14(), 2);
        row("synthetic H16", syntheticH16(), 16);
        row("synthetic H18", syntheticH18(), 16);
        row("synthetic H18g", syntheticH18g(), 16);
    }

    void lanesOfLaterVersions()
    {
        const auto [content, lanes] = fetched<QByteArray, int>();
        const Opened opened = open(bytesOf(content));
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
        QCOMPARE(list.streams.size(), std::size_t(3));
        QCOMPARE(list.streams[1].name.c_str(), "text_section_start_for_main__bonded_ane0");
        QCOMPARE(list.streams[2].offset, 0x8000ULL);
        QCOMPARE(list.tasks[2].stream, 2U);
        // State does not cross from one stream into another.
        descriptor::TaskReader reader(opened.text(), list);
        QCOMPARE(reader.before(1).size(), std::size_t(0));
    }

    void slotsAndTargets()
    {
        const Opened opened = open(syntheticH18g());
        const auto found = hwx::relocationSlots(opened.container, opened.bytes);
        QCOMPARE(found.size(), std::size_t(9)); // three a stream
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
        QCOMPARE(std::count_if(
                     old.begin(), old.end(),
                     [](const hwx::Slot &slot) { return slot.kind == hwx::SlotKind::Relocation; }),
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
        QVERIFY(std::all_of(oldLoaded.begin(), oldLoaded.end(), [](const hwx::LoadedSlot &slot) {
            return slot.deviceAddress.has_value();
        }));
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

KERNSCOPE_TEST(TestHwxSyntheticSlots, QCoreApplication)
#include "tst_hwx_synthetic_slots.moc"
