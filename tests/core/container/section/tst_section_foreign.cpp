// SPDX-License-Identifier: GPL-3.0-or-later
// Weight sections as another writer may lay them out: cores without a channel, records in any
// order; and what must not be taken for sound: bytes that two of a file's parts have in common.
#include "core/base/little_endian.h"
#include "core/container/section/layout.h"
#include "made_section.h"
#include "tests/core/bundle/promises.h"
#include "tests/test_program.h"

using namespace kernscope;
using namespace kernscope::section;
using namespace kernscope::section::made_sections;

namespace {

constexpr std::uint64_t kOutputsAt = 0x20, kPayloadAt = 0x08, kPayloadBytesAt = 0x10;
constexpr std::uint64_t kDocumentedEntriesAt = 0x80;
constexpr std::uint64_t kFirstEntryOffsetAt = kDocumentedEntriesAt + 16, kDocumentedEntryBytes = 32;

std::uint64_t row(std::uint64_t unit)
{
    return kHeaderBytes + unit * kUnitBytes;
}

std::vector<std::string> faultsOf(const std::vector<std::byte> &bytes)
{
    std::vector<std::string> found;
    const auto section = readSection(bytes, "x");
    if (!section)
        return {section.error().code};
    for (const Diagnostic &one : section->diagnostics)
        found.push_back(one.error.code + " " + one.error.message);
    return found;
}

} // namespace

class TestSectionForeign : public QObject
{
    Q_OBJECT

private slots:
    void findsEveryOverlap()
    {
        QVERIFY(overlapsOf({{0, 8, 0}, {8, 8, 1}, {16, 0, 2}}).empty());
        const std::vector<Overlap> both{{0, 1}, {0, 2}};
        QVERIFY(overlapsOf({{0, 30, 0}, {8, 8, 1}, {16, 8, 2}, {30, 1, 3}}) == both);
    }

    void takesCoresWithoutChannels_data()
    {
        test::addColumns<QString, bool>();
        for (const char *form : {"dense", "affine", "sparse", "palette4"})
            test::addRow(form, QString::fromLatin1(form), false);
        test::addRow("palette4 with its codebook", u"palette4"_s, true);
    }

    /// The last of three cores loses its channel: its sections are absent, and their fields 0.
    void takesCoresWithoutChannels()
    {
        const auto [form, keepsPalette] = test::fetched<QString, bool>();
        const auto made = make(form, {3, 5, 1, 3}, 1, form != u"dense", 3);
        auto bytes = made->bytes;
        for (std::uint64_t unit = 0; unit < 3; ++unit)
            storeLittle<std::uint32_t>(bytes, row(unit) + kOutputsAt, 2);
        for (std::uint64_t kind = 0; kind < kKinds; ++kind) {
            const std::uint64_t at = row(2) + kDocumentedEntriesAt + kind * kDocumentedEntryBytes;
            if (kind != Kind::Pal || !keepsPalette)
                std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), kDocumentedEntryBytes,
                            std::byte(0));
        }

        QCOMPARE(faultsOf(bytes), std::vector<std::string>());
        const BundlePtr bundle = openMade(bytes);
        QVERIFY(bundle->decoder(0).has_value());
        auto wanted = halvesOf(*made->decoder);
        wanted.resize(2 * 15);
        QVERIFY(halvesOf(*bundle->decoder(0)) == wanted);
        const std::string broken = kernscope::test::brokenPromise(*bundle);
        QVERIFY2(broken.empty(), broken.c_str());
        const auto section = readSection(bytes, "x");
        QCOMPARE(section->groups.front().idle, std::vector<std::size_t>{2});
        QVERIFY(*writeSection(*section, bytes) == bytes);
    }

    void takesRecordsInAnyOrder()
    {
        const auto made = make(u"dense"_s, {6, 5, 1, 3}, 2, false, 1);
        auto bytes = made->bytes;
        const Unit first = readSection(bytes, "x")->units.front();
        QCOMPARE(first.records.size(), std::size_t{3});
        const std::uint64_t records = first.range(Kind::Ocgs).offset.value;
        storeLittle<std::uint32_t>(bytes, records, first.records[2].offset());
        storeLittle<std::uint32_t>(bytes, records + 2 * kRecordBytes, first.records[0].offset());
        const auto section = readSection(bytes, "x");
        QVERIFY(section->diagnostics.empty());
        const auto order = coefficientOrder(*section, section->groups.front(), false);
        for (std::uint64_t element = 0; element < order->elements(); ++element) {
            std::uint64_t place = 0;
            order->positions(element, std::span(&place, 1));
            QCOMPARE(order->elementAt(place).value_or(~std::uint64_t{0}), element);
        }
    }

    void refusesSharedCoefficients()
    {
        auto bytes = make(u"dense"_s, {6, 5, 1, 3}, 2, false, 1)->bytes;
        const Unit first = readSection(bytes, "x")->units.front();
        const std::uint64_t second = first.range(Kind::Ocgs).offset.value + kRecordBytes;
        storeLittle<std::uint32_t>(bytes, second, first.records[0].offset() + 2);
        QCOMPARE(faultsOf(bytes).front(), "section.record Records of the unit overlap");
        openMade(bytes);
    }

    /// The first payload reaches over both others: neither of them is sound, nor is only the next
    /// one.
    void refusesPayloadsWithinAnother()
    {
        auto bytes = make(u"dense"_s, {6, 5, 1, 3}, 2, false, 3)->bytes;
        const auto payload = loadLittle<std::uint64_t>(bytes, row(0) + kPayloadAt);
        storeLittle<std::uint64_t>(bytes, row(0) + kPayloadBytesAt, bytes.size() - payload);
        const auto section = readSection(bytes, "x");
        QVERIFY(!section->units[0].fault);
        QVERIFY(section->units[1].fault.has_value());
        QVERIFY(section->units[2].fault.has_value());
    }

    void refusesPayloadsOverTables()
    {
        auto bytes = make(u"dense"_s, {6, 5, 1, 3}, 2, false, 1)->bytes;
        const auto payload = loadLittle<std::uint64_t>(bytes, row(0) + kPayloadAt);
        storeLittle<std::uint64_t>(bytes, row(0) + kPayloadAt, 0);
        storeLittle<std::uint64_t>(bytes, row(0) + kPayloadBytesAt, bytes.size());
        for (std::uint64_t kind = 0; kind < kKinds; ++kind) {
            const std::uint64_t at = row(0) + kFirstEntryOffsetAt + kind * kDocumentedEntryBytes;
            storeLittle<std::uint64_t>(bytes, at, loadLittle<std::uint64_t>(bytes, at) + payload);
        }
        QCOMPARE(faultsOf(bytes).front(), "section.unit The payload lies over the file's tables");
        openMade(bytes);
    }

    /// Cores lie in the file from the last to the first, and all have the same codebook.
    void placesTheCodebookThatIsRead()
    {
        auto bytes = make(u"palette4"_s, {6, 5, 1, 3}, 2, false, 3)->bytes;
        const std::uint64_t size = kUnitBytes;
        const auto at = [&](std::uint64_t unit) {
            return bytes.begin() + static_cast<std::ptrdiff_t>(row(unit));
        };
        std::swap_ranges(at(0), at(0) + static_cast<std::ptrdiff_t>(size), at(2));
        constexpr std::uint64_t kCoreAt = 0x18;
        for (const std::uint64_t unit : {0U, 2U}) {
            storeLittle<std::uint32_t>(bytes, row(unit) + kCoreAt,
                                       static_cast<std::uint32_t>(unit));
        }
        const BundlePtr bundle = openMade(bytes);
        const auto section = readSection(bytes, "x");
        const auto operands = bundle->weights()[0].operands();
        const auto lut = std::find_if(operands.begin(), operands.end(), [](const auto &operand) {
            return operand.role == codec::PartRole::Lut;
        });
        QVERIFY(lut != operands.end() && lut->place != nullptr);
        const ByteRange read = section->units[0].range(Kind::Pal);
        QCOMPARE(lut->place->pieces.size(), std::size_t{1});
        QVERIFY(lut->place->pieces.front() == read);
        QVERIFY(lut->place->dataOffset == read.offset);
        QCOMPARE(lut->place->copies.size(), std::size_t{2});
    }
};

KERNSCOPE_TEST(TestSectionForeign, kernscope::test::NoApplication)
#include "tst_section_foreign.moc"
