// SPDX-License-Identifier: GPL-3.0-or-later
// Weight sections: built, read, written byte for byte, decoded back, relocated, edited.
// Weight sections that are damaged, and what a section has no place for.
// Weight sections as another writer may lay them out: cores without a channel, records in any
// order; and what must not be taken for sound: bytes that two of a file's parts have in common.
#include "core/base/little_endian.h"
#include "core/codec/edit/editor.h"
#include "core/container/section/layout.h"
#include "core/patch/patch.h"
#include "core/plan/section_build.h"
#include "made_section.h"
#include "tests/core/bundle/promises.h"
#include "tests/core/container/section/order_check.h"

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

class TestSection : public QObject
{
    Q_OBJECT

private slots:
    void decodesBack_data()
    {
        addColumns<QString, QList<qulonglong>, qulonglong, bool>();
        const QList<qulonglong> wide{64, 5, 3, 3}, odd{41, 3, 1, 5}, few{3, 3, 1, 1},
            tall{96, 8, 1, 1};
        for (const char *form : {"dense", "affine", "sparse", "palette4", "palette6"}) {
            QTest::addRow("%s, 64 channels", form)
                << QString::fromLatin1(form) << wide << 4ULL << true;
            QTest::addRow("%s, 41 channels", form)
                << QString::fromLatin1(form) << odd << 2ULL << false;
            QTest::addRow("%s, 3 channels", form)
                << QString::fromLatin1(form) << few << 16ULL << true;
        }
        addRow("a codebook a group", "books", wide, 16ULL, false);
        addRow("vectors of two channels", "vector", tall, 2ULL, true);
    }

    void decodesBack()
    {
        const auto [form, shape, lanes, bias] =
            fetched<QString, QList<qulonglong>, qulonglong, bool>();
        const auto made = VERIFIED(make(form, Shape(shape.begin(), shape.end()), lanes, bias));
        const auto section = VERIFIED(readSection(made->bytes, "w.ksec"));
        QVERIFY2(section->diagnostics.empty(),
                 section->diagnostics.empty()
                     ? ""
                     : describe(section->diagnostics.front().error).c_str());
        QVERIFY(*writeSection(*section, made->bytes) == made->bytes);
        QVERIFY(verifySection(*section, made->bytes, "w.ksec").empty());
        for (const Unit &unit : section->units) {
            QCOMPARE(unit.payload % kAlignment, 0U);
            for (const Entry &entry : unit.entries)
                QCOMPARE(entry.offset % kAlignment, 0U);
        }
        const BundlePtr bundle = VERIFIED(openMade(made->bytes));
        QCOMPARE(bundle->kind(), BundleKind::Section);
        QCOMPARE(bundle->diagnostics().size(), 0U);
        const auto decoder = VERIFIED(bundle->decoder(0));
        QVERIFY(halvesOf(*decoder) == halvesOf(*made->decoder));
        std::vector<std::uint16_t> some(7);
        decoder->decodeHalf(2, some);
        for (std::size_t i = 0; i < some.size(); ++i)
            QCOMPARE(some[i], halvesOf(*made->decoder)[i + 2]);
        QCOMPARE(QString::fromStdString(orderFault(*bundle)), QString());
        QCOMPARE(bundle->weights().size(), std::size_t(bias ? 2 : 1));
        QCOMPARE(plan::biasOf(*bundle, 0), bias ? std::size_t(1) : kNoIndex);
        QCOMPARE(bundle->weights()[0].dealing.groups, std::optional<std::uint64_t>(1));
        if (bias)
            QCOMPARE(halvesOf(*bundle->decoder(1)).back(), std::uint16_t(0x3c00 + shape[0] - 1));
        QCOMPARE(sectionFault(*bundle), std::string());
        for (const auto &part : bundle->sections())
            QVERIFY2(part.kind != SectionKind::Unknown, bundle->nameOf(part).c_str());
    }

    void followsTheDesign()
    {
        // 41 channels at most two lanes: 32 channels of two lanes, then 9 of one on nine cores.
        const auto made = make(u"dense"_s, {41, 3, 1, 5}, 2, false);
        const auto section = *readSection(made->bytes, "w.ksec");
        QCOMPARE(section.units.size(), 16U);
        QCOMPARE(section.groups.front().chunks.size(), 2U);
        QCOMPARE(section.units[3].records.size(), 2U);
        QCOMPARE(section.units[9].records.size(), 1U);
        const Unit &unit = section.units[3];
        QCOMPARE(unit.records[0].channels(), 2U);
        QCOMPARE(unit.records[1].offset(), 2U * 2 * 15);
        for (std::size_t word = 2; word < 12; ++word)
            QCOMPARE(unit.records[0].words[word], kUnresolved);
        // element = (((cin x Kd + kd) x Kh + kh) x Kw + kw) x count + l; channel = s_k + core lanes
        // + l
        const auto halves = halvesOf(*made->decoder);
        const std::uint64_t weights = unit.range(Kind::Weights).offset.value;
        for (std::uint64_t step = 0; step < 15; ++step) {
            for (std::uint64_t lane = 0; lane < 2; ++lane)
                QCOMPARE(loadLittle<std::uint16_t>(std::span<const std::byte>(made->bytes),
                                                   weights + 2 * (step * 2 + lane)),
                         halves[(3 * 2 + lane) * 15 + step]);
            QCOMPARE(loadLittle<std::uint16_t>(std::span<const std::byte>(made->bytes),
                                               weights + 60 + 2 * step),
                     halves[(32 + 3) * 15 + step]);
        }
        const std::string text = listing(section);
        QVERIFY(text.find("weights:") != std::string::npos);
        QVERIFY(text.find("6..7") != std::string::npos);
        QVERIFY(text.find(format::printKernelUnit(kernelUnit(unit))) != std::string::npos);
    }

    /// 40 channels on 16 cores at most two lanes: 32 channels, then 8 that half of the cores lack.
    void everyCoreHasAllCodebooks()
    {
        const auto made = VERIFIED(make(u"books"_s, {40, 3, 1, 1}, 2, false));
        QCOMPARE(firstCode(made->bytes), std::string());
        const BundlePtr bundle = openMade(made->bytes);
        QVERIFY(bundle && !bundle->weights().front().fault);
        QCOMPARE(halvesOf(*bundle->decoder(0)), halvesOf(*made->decoder));
        const auto read = readSection(made->bytes, "x");
        for (const Unit &unit : read->units)
            QCOMPARE(unit.flags & ReplicatedPerCore, 0U); // each holds a sixteenth, no whole copy
    }

    void relocatesAndStrips()
    {
        const auto made = make(u"palette4"_s, {32, 4, 1, 1}, 2, true);
        auto section = *readSection(made->bytes, "w.ksec");
        LoadAddresses addresses;
        addresses.base = 0x10000;
        addresses.inputTile = 0x800040;
        QVERIFY(relocate(section, addresses).has_value());
        const Unit &unit = section.units[5];
        QCOMPARE(unit.records[0].words[2], 0x800040U);
        QCOMPARE(unit.records[0].words[3], kUnresolved);
        QCOMPARE(std::uint64_t(unit.records[0].words[4]),
                 0x10000 + unit.range(Kind::Weights).offset.value);
        QCOMPARE(std::uint64_t(unit.records[0].words[8]),
                 0x10000 + unit.range(Kind::Bias).offset.value);
        QCOMPARE(std::uint64_t(unit.records[0].words[10]),
                 0x10000 + unit.range(Kind::Pal).offset.value);
        QCOMPARE(unit.records[0].words[11], kUnresolved);
        const auto resolved = *writeSection(section, made->bytes);
        QVERIFY(resolved != made->bytes);
        auto again = *readSection(resolved, "w.ksec");
        QVERIFY(again.resolved());
        strip(again);
        QVERIFY(*writeSection(again, resolved) == made->bytes);
        addresses.base = 0x10001;
        QCOMPARE(relocate(section, addresses).error().code, "section.address");
        addresses.base = 0xFFFFFFC0;
        QCOMPARE(relocate(section, addresses).error().code, "section.address");
    }

    void editsWhereItLies()
    {
        const auto dense = make(u"dense"_s, {41, 3, 1, 5}, 2, false);
        const BundlePtr bundle = openMade(dense->bytes);
        const auto before = halvesOf(*bundle->decoder(0));
        const auto edits =
            VERIFIED(planEdits(bundle, {*parseEdit(Edit::Kind::Set, "w[35,1,0,2]=0.5")}, 0));
        const auto edited = VERIFIED(applyEdit(bundle, edits->front()));
        auto expected = before;
        expected[35 * 15 + 1 * 5 + 2] = 0x3800;
        QVERIFY(halvesOf(*(*edited)->decoder(0)) == expected);
        QVERIFY(revertEdit(*edited, edits->front()).has_value());
        QVERIFY(halvesOf(*bundle->decoder(0)) == before);

        // A scale lies among those of its core: what was there is that of the named channel.
        const auto affine = make(u"affine"_s, {41, 3, 1, 5}, 2, false);
        const BundlePtr scaled = openMade(affine->bytes);
        const auto scaleOf = [](const Bundle &opened, std::uint64_t channel) {
            const auto decoder = *opened.decoder(0);
            const auto &scaling = *decoder.encoding().scaling;
            return codec::operandValue(std::get<codec::Operand>(scaling.scale), channel)
                .value_or(0);
        };
        const auto rescaled =
            VERIFIED(planEdits(scaled, {*parseEdit(Edit::Kind::Scale, "w[35]=0.5")}, 0));
        QCOMPARE(std::stod(rescaled->front().oldText),
                 std::stod(QString::number(scaleOf(*scaled, 35), 'g', 9).toStdString()));
        QCOMPARE(rescaled->front().newText, "0.5");
        QCOMPARE(scaleOf(**applyEdit(scaled, rescaled->front()), 35), 0.5);

        // A codebook that all cores share is changed on every core.
        const auto palette = make(u"palette4"_s, {32, 4, 1, 1}, 2, false);
        const BundlePtr coded = openMade(palette->bytes);
        const auto plan =
            VERIFIED(codec::Editor(*coded->decoder(0)).setCodebookEntry(0, 7, 0, -1.25, 0));
        QCOMPARE(plan->parts.size(), 16U);
    }

    void keepsZerosInPlace()
    {
        const auto made = make(u"sparse"_s, {16, 6, 1, 1}, 1, false);
        const BundlePtr bundle = openMade(made->bytes);
        const auto decoder = *bundle->decoder(0);
        const auto halves = halvesOf(decoder);
        const auto zero = std::uint64_t(std::ranges::find(halves, 0) - halves.begin());
        const std::uint64_t other = halves[0] != 0 ? 0 : (halves[1] != 0 ? 1 : 2);
        QVERIFY(zero < halves.size() && halves[other] != 0);
        QVERIFY(!decoder.stored(zero));
        const codec::Editor editor(decoder);
        QCOMPARE(editor.setElement(zero, 1, 0).error().code, "patch.sparse_zero");
        QCOMPARE(editor.setElement(other, 0, 0).error().code, "patch.sparse_zero");
        QVERIFY(editor.setElement(zero, 0, 0)->parts.empty());
        QCOMPARE(editor.setElement(other, 2.5, 0)->parts.size(), 1U);
        QCOMPARE(editor.drop(other).error().code, "patch.sparse_zero");
        QCOMPARE(editor.setStored(codec::PartRole::Mask, zero, 1).error().code,
                 "patch.sparse_zero");
    }

    void hasAMaskAsAnyWeight()
    {
        const auto made = make(u"sparse"_s, {41, 3, 1, 5}, 2, true);
        const BundlePtr bundle = openMade(made->bytes);
        const Weight &weight = bundle->weights().front();
        QCOMPARE(weight.operands().size(), 2U);
        const codec::Operand &mask = weight.operands()[0];
        QCOMPARE(mask.role, codec::PartRole::Mask);
        QCOMPARE(mask.shape, weight.shape);
        QCOMPARE(mask.place->pieces.size(), 16U);
        const auto decoder = *bundle->decoder(0);
        const auto halves = halvesOf(*made->decoder);
        const auto kept =
            std::uint64_t(std::ranges::count_if(halves, [](auto v) { return (v & 0x7fff) != 0; }));
        QVERIFY(kept > 0 && kept < halves.size());
        QCOMPARE(decoder.payloadElements().value, kept);
        QCOMPARE(weight.operands()[1].declaredShape(), Shape{kept});
        QCOMPARE(weight.storedBytes.value,
                 mask.place->bytes.value + weight.operands()[1].place->bytes.value);
        std::uint64_t rank = 0;
        for (std::uint64_t i = 0; i < halves.size(); ++i) {
            const bool stored = (halves[i] & 0x7fff) != 0;
            QCOMPARE(decoder.rank(i), rank);
            QCOMPARE(codec::operandCode(*decoder.encoding().mask, 1, i).value_or(2),
                     std::int64_t(stored ? 1 : 0));
            rank += stored ? 1 : 0;
        }
        std::uint64_t masks = 0;
        for (const kernscope::Section &part : bundle->sections())
            masks += part.kind == SectionKind::Mask ? part.range.bytes.value : 0;
        QCOMPARE(masks, mask.place->bytes.value);
        for (std::uint64_t i = 0; i < halves.size(); ++i) { // its bits lie in its pieces
            std::uint64_t bit = 0;
            mask.order->positions(i, std::span(&bit, 1));
            QVERIFY(mask.place->holds({FileOffset(bit / 8), ByteCount(1)}));
        }
    }

    void refusesDamage_data()
    {
        addColumns<qulonglong, qulonglong, QString>();
        addRow("magic", 0ULL, 0x20202020ULL, "section.magic");
        addRow("version", 4ULL, 2ULL, "section.header");
        addRow("2^32 units", 12ULL, 0xFFFFFFFFULL, "section.header");
        addRow("no unit", 12ULL, 0ULL, "section.header");
        addRow("unit table", 0x20ULL, 0xFFFFFFC0ULL, "section.header");
        addRow("pool", 0x34ULL, 0xFFFFFFFFULL, "section.header");
        addRow("file size", 0x38ULL, 1ULL, "section.header");
        addRow("kernel format", 0x44ULL, 99ULL, "section.unit");
        addRow("payload", 0x48ULL, 0xFFFFFFC0ULL, "section.unit");
        addRow("payload bytes", 0x54ULL, 0xFFFFFFFFULL, "section.unit");
        addRow("core", 0x58ULL, 77ULL, "section.unit");
        addRow("outputs", 0x60ULL, 0xFFFFFFFFULL, "section.unit");
        addRow("vector size", 0x7cULL, 3ULL, "section.palette");
        addRow("name", 0x84ULL, 0xFFFFFFFFULL, "section.unit");
        addRow("reserved", 0x88ULL, 1ULL, "section.reserved");
        addRow("records", 0x40ULL + 0x80 + 2 * 32 + 8, 5ULL, "section.record");
        addRow("elements", 0x40ULL + 0x80 + 5 * 32 + 8, 5ULL, "section.record");
        addRow("entry offset", 0x40ULL + 0x80 + 5 * 32 + 16, 0ULL, "section.entry");
        addRow("entry bytes", 0x40ULL + 0x80 + 5 * 32 + 28, 1ULL, "section.entry");
        addRow("other shape", 0x64ULL, 7ULL, "section.record");
    }

    void refusesDamage()
    {
        const auto [offset, value, code] = fetched<qulonglong, qulonglong, QString>();
        auto bytes = make(u"dense"_s, {41, 3, 1, 5}, 2, false)->bytes;
        QCOMPARE(firstCode(bytes), std::string());
        storeLittle<std::uint32_t>(bytes, offset, std::uint32_t(value));
        QCOMPARE(QString::fromStdString(firstCode(bytes)), code);
        openMade(bytes); // whatever it shows, it must not crash
    }

    void survivesFlippedBytes()
    {
        std::mt19937 random(11);
        int opened = 0, reported = 0;
        for (const char *form : {"dense", "sparse", "palette4", "affine", "books"}) {
            const auto made = make(QString::fromLatin1(form), {32, 4, 1, 3}, 2, true);
            for (int i = 0; i < 300; ++i) {
                auto bytes = made->bytes;
                for (int flips = 0; flips < 3; ++flips) {
                    const std::size_t at = random() % std::min<std::size_t>(bytes.size(), 6000);
                    bytes[at] = static_cast<std::byte>(random());
                }
                if (random() % 4 == 0)
                    bytes.resize(random() % bytes.size());
                const BundlePtr bundle = openMade(bytes);
                if (!bundle) // cut within the header
                    continue;
                ++opened;
                reported += bundle->diagnostics().empty() ? 0 : 1;
                const std::string broken = brokenPromise(*bundle);
                QVERIFY2(broken.empty(), broken.c_str());
            }
        }
        // Most open with something to report: otherwise the above would hold for want of a case.
        QVERIFY2(opened > 1000 && reported > 1000,
                 qPrintable(u"%1 %2"_s.arg(opened).arg(reported)));
    }

    void refusesWhatHasNoPlace()
    {
        const Shape shape{16, 32, 1, 1};
        const auto values = someValues(512, 3, false);
        codec::AffineOptions asymmetric;
        asymmetric.symmetric = false;
        asymmetric.codeType = ElementType::Uint8;
        const auto encoded = *codec::encodeAffine(values, shape, asymmetric);
        codec::BlockwiseOptions narrow;
        narrow.block = 8;
        const auto blocks = *codec::encodeBlockwise(values, shape, narrow);
        for (const codec::EncodedWeight *weight : {&encoded, &blocks}) {
            const auto decoder = *codec::Decoder::make(weight->encoding());
            BuildWeight build;
            build.name = "w";
            build.decoder = &decoder;
            build.geometry = geometryOf(shape);
            QCOMPARE(buildSection({}, {build}).error().code, "section.form");
            build.form = FormNode::Dense;
            const auto bytes = VERIFIED(buildSection({}, {build}));
            QVERIFY(halvesOf(*openMade(*bytes)->decoder(0)) == halvesOf(decoder));
            BuildWeight wrong = build;
            wrong.geometry.outputs = 8;
            QCOMPARE(buildSection({}, {wrong}).error().code, "section.build");
            QCOMPARE(buildSection({}, {build, build}).error().code, "section.build");
        }
    }

    void findsEveryOverlap()
    {
        QVERIFY(overlapsOf({{0, 8, 0}, {8, 8, 1}, {16, 0, 2}}).empty());
        const std::vector<Overlap> both{{0, 1}, {0, 2}};
        QVERIFY(overlapsOf({{0, 30, 0}, {8, 8, 1}, {16, 8, 2}, {30, 1, 3}}) == both);
    }

    void takesCoresWithoutChannels_data()
    {
        addColumns<QString, bool>();
        for (const char *form : {"dense", "affine", "sparse", "palette4"})
            addRow(form, QString::fromLatin1(form), false);
        addRow("palette4 with its codebook", u"palette4"_s, true);
    }

    /// The last of three cores loses its channel: its sections are absent, and their fields 0.
    void takesCoresWithoutChannels()
    {
        const auto [form, keepsPalette] = fetched<QString, bool>();
        const auto made = make(form, {3, 5, 1, 3}, 1, form != u"dense", 3);
        auto bytes = made->bytes;
        for (std::uint64_t unit = 0; unit < 3; ++unit)
            storeLittle<std::uint32_t>(bytes, row(unit) + kOutputsAt, 2);
        for (std::uint64_t kind = 0; kind < kKinds; ++kind) {
            const std::uint64_t at = row(2) + kDocumentedEntriesAt + kind * kDocumentedEntryBytes;
            if (kind != Kind::Pal || !keepsPalette)
                std::fill_n(bytes.begin() + std::ptrdiff_t(at), kDocumentedEntryBytes,
                            std::byte(0));
        }

        QCOMPARE(faultsOf(bytes), std::vector<std::string>());
        const BundlePtr bundle = openMade(bytes);
        QVERIFY(bundle->decoder(0).has_value());
        auto wanted = halvesOf(*made->decoder);
        wanted.resize(2 * 15);
        QVERIFY(halvesOf(*bundle->decoder(0)) == wanted);
        const std::string broken = brokenPromise(*bundle);
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
        QCOMPARE(first.records.size(), 3U);
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

    /// The first payload reaches over both others: neither of them is sound, nor only the next one.
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
            return bytes.begin() + std::ptrdiff_t(row(unit));
        };
        std::swap_ranges(at(0), at(0) + std::ptrdiff_t(size), at(2));
        constexpr std::uint64_t kCoreAt = 0x18;
        for (const std::uint64_t unit : {0U, 2U}) {
            storeLittle<std::uint32_t>(bytes, row(unit) + kCoreAt, std::uint32_t(unit));
        }
        const BundlePtr bundle = openMade(bytes);
        const auto section = readSection(bytes, "x");
        const auto operands = bundle->weights()[0].operands();
        const auto lut = std::ranges::find_if(
            operands, [](const auto &operand) { return operand.role == codec::PartRole::Lut; });
        QVERIFY(lut != operands.end() && lut->place != nullptr);
        const ByteRange read = section->units[0].range(Kind::Pal);
        QCOMPARE(lut->place->pieces.size(), 1U);
        QVERIFY(lut->place->pieces.front() == read);
        QVERIFY(lut->place->dataOffset == read.offset);
        QCOMPARE(lut->place->copies.size(), 2U);
    }
};

KERNSCOPE_TEST(TestSection, NoApplication)
#include "tst_section.moc"
