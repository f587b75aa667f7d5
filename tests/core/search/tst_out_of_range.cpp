// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/overlaid_file.h"
#include "made_bundle.h"

#include "core/report/byte_table.h"
#include "tests/test_program.h"

#include <nlohmann/json.hpp>

using namespace kernscope::search;

namespace {

/// What is asked of each code: its number, itself, and how many there are.
using Strays = std::vector<std::array<std::uint64_t, 3>>;

Strays straysOf(const Found &found)
{
    Strays strays;
    for (const Hit &hit : found.hits) {
        if (hit.stray)
            strays.push_back({hit.stray->index, hit.stray->code, hit.stray->entries});
    }
    return strays;
}

Query outOfRange()
{
    Query query;
    query.what = What::OutOfRange;
    return query;
}

/// A codebook of `entries` zeros for indices of that rank.
std::string lut(std::size_t entries, std::size_t rank = 2)
{
    std::string shape, values;
    for (std::size_t i = 0; i < rank; ++i)
        shape += "1, ";
    for (std::size_t i = 0; i < entries; ++i)
        values += i == 0 ? "0x1p0" : ", 0x1p0";
    return fmt::format("tensor<fp16, [{}{}, 1]>([{}])", shape, entries, values);
}

MadeBundle paletteOf(ElementType type, const char *shape, const Bytes &codes, std::uint64_t padding,
                     std::string_view book)
{
    MadeBundle made;
    made.line(fmt::format("tensor<fp16, {}> w = constexpr_lut_to_dense(indices = {}, lut = {})"
                          "[name = string(\"w_op\")]",
                          shape, made.blob(type, shape, codes, padding), book));
    made.consume("w");
    return made;
}

MadeBundle sparseOf(const char *mask, std::uint64_t values)
{
    MadeBundle made;
    const auto bits = made.blob(ElementType::Uint1, "[2, 6]", hex(mask), 4);
    const auto data = made.blob(ElementType::Fp16, fmt::format("[{}]", values),
                                Bytes(2 * values, std::byte{0x3c}));
    made.line(fmt::format("tensor<fp16, [2, 6]> w = constexpr_sparse_to_dense(mask = {}, "
                          "nonzero_data = {})[name = string(\"w_op\")]",
                          bits, data));
    made.consume("w");
    return made;
}

} // namespace

/// Codes that name what is not there: of weights that are damaged, and of none else.
class TestOutOfRange : public QObject
{
    Q_OBJECT

private slots:
    /// uint4 codes 9, 10, 15, 3 over a codebook of 10 entries.
    void shortCodebook()
    {
        const auto bundle =
            VERIFIED(paletteOf(ElementType::Uint4, "[2, 2]", hex("a9 3f"), 0, lut(10)).open());
        const Weight &weight = (*bundle)->weights()[0];
        QVERIFY(weight.fault);
        const auto found = VERIFIED(search::find(**bundle, outOfRange()));
        QCOMPARE(straysOf(*found), (Strays{{1, 10, 10}, {2, 15, 10}}));
        const std::uint64_t data =
            weight.operand(codec::PartRole::Indices)->place->dataOffset.value;
        QCOMPARE(found->hits[0].bytes, (ByteRange{FileOffset(data), ByteCount(1)}));
        QCOMPARE(found->hits[1].bytes, (ByteRange{FileOffset(data + 1), ByteCount(1)}));
        QVERIFY(!found->hits[0].element && found->hits[0].weight == 0);
        QVERIFY((*bundle)->sections()[found->hits[1].section].range.contains(FileOffset(data + 1)));
        QVERIFY(found->complete && found->diagnostics.empty());
        Query one = outOfRange();
        one.weight = 0;
        QCOMPARE(straysOf(*search::find(**bundle, one)).size(), 2U);
        QCOMPARE(workOf(**bundle, one), 4U);
    }

    void agreesWithThePlainLoop_data()
    {
        addColumns<int, int>();
        addRow("2 bits", int(ElementType::Uint2), 3);
        addRow("3 bits", int(ElementType::Uint3), 5);
        addRow("4 bits", int(ElementType::Uint4), 11);
        addRow("6 bits", int(ElementType::Uint6), 40);
        addRow("8 bits", int(ElementType::Uint8), 200);
    }

    void agreesWithThePlainLoop()
    {
        const auto [type, entries] = fetched<int, int>();
        const auto element = static_cast<ElementType>(type);
        const unsigned width = bitWidth(element);
        constexpr std::size_t kCodes = 40000; // more than are looked at in one go
        QRandomGenerator random(7);
        Bytes packed(kCodes * width / 8);
        for (std::byte &byte : packed)
            byte = static_cast<std::byte>(random.bounded(256));
        Strays wanted;
        std::vector<ByteRange> places;
        for (std::size_t i = 0; i < kCodes; ++i) {
            unsigned code = 0;
            for (unsigned bit = 0; bit < width; ++bit) {
                const std::size_t at = i * width + bit;
                code |= (std::to_integer<unsigned>(packed[at / 8]) >> at % 8 & 1U) << bit;
            }
            if (code < unsigned(entries))
                continue;
            wanted.push_back({i, code, std::uint64_t(entries)});
            const std::size_t first = i * width / 8, end = ((i + 1) * width + 7) / 8;
            places.push_back({FileOffset(first), ByteCount(end - first)});
        }
        const auto bundle =
            VERIFIED(paletteOf(element, "[4, 10000]", packed, 0, lut(std::size_t(entries))).open());
        Query query = outOfRange();
        query.most = kCodes;
        const auto found = VERIFIED(search::find(**bundle, query));
        QCOMPARE(straysOf(*found), wanted);
        const auto &operand = *(*bundle)->weights()[0].operand(codec::PartRole::Indices);
        for (std::size_t i = 0; i < places.size(); ++i) {
            QCOMPARE(found->hits[i].bytes.offset.value,
                     operand.place->dataOffset.value + places[i].offset.value);
            QCOMPARE(found->hits[i].bytes.bytes, places[i].bytes);
        }
    }

    /// The old op packs codes into plain bytes: their width is the one that makes them long enough.
    void codesInBytes()
    {
        MadeBundle made;
        const auto codes = made.blob(ElementType::Uint8, "[4]", hex("a9 3f 10 02"));
        made.line(
            fmt::format("tensor<fp16, [4, 2]> w = constexpr_lut_to_dense()[indices = {}, lut = "
                        "tensor<fp16, [3]>([0x1p0, 0x1p1, 0x1p2]), shape = tensor<uint32, [2]>"
                        "([4, 2]), name = string(\"w_op\")]",
                        codes));
        made.consume("w");
        const auto bundle = VERIFIED(made.open());
        QVERIFY((*bundle)->weights()[0].fault);
        const auto found = VERIFIED(search::find(**bundle, outOfRange()));
        QCOMPARE(straysOf(*found), (Strays{{0, 9, 3}, {1, 10, 3}, {2, 15, 3}, {3, 3, 3}}));
    }

    /// Codes that the program itself holds: the place is that of the number in the text.
    void codesOfALiteral()
    {
        MadeBundle made;
        made.line(
            fmt::format("tensor<fp16, [1, 4]> w = constexpr_lut_to_dense(indices = tensor<uint2, "
                        "[1, 4]>([0, 3, 1, 2]), lut = {})[name = string(\"w_op\")]",
                        lut(3)));
        made.consume("w");
        const auto bundle = VERIFIED(made.open());
        const auto found = VERIFIED(search::find(**bundle, outOfRange()));
        QCOMPARE(straysOf(*found), (Strays{{1, 3, 3}}));
        const Hit &hit = found->hits[0];
        const auto bytes = (*bundle)->files()[hit.file].file->bytes();
        QCOMPARE(std::to_integer<char>(bytes[hit.bytes.offset.value]), '3');
    }

    void codesThatAMaskKeeps()
    {
        MadeBundle made;
        const auto mask = made.blob(ElementType::Uint1, "[2, 2]", hex("07"), 4);
        const auto codes = made.blob(ElementType::Uint2, "[3]", hex("0e"), 2); // 2, 3, 0
        made.line(
            fmt::format("tensor<uint1, [2, 2]> m, tensor<fp16, [3]> v = constexpr_lut_to_sparse("
                        "indices_mask = {}, indices_nonzero_data = {}, lut = {})[name = "
                        "string(\"q\")]",
                        mask, codes, lut(3)));
        made.line("tensor<fp16, [2, 2]> w = constexpr_sparse_to_dense(mask = m, nonzero_data = v)"
                  "[name = string(\"w_op\")]");
        made.consume("w");
        const auto bundle = VERIFIED(made.open());
        QVERIFY((*bundle)->weights()[0].fault);
        const auto found = VERIFIED(search::find(**bundle, outOfRange()));
        QCOMPARE(straysOf(*found), (Strays{{1, 3, 3}}));
    }

    /// Elements 1, 2, 4, 7, 8, 11 are kept; four values are there.
    void masksOfMoreThanIsStored()
    {
        const auto bundle = VERIFIED(sparseOf("96 09", 4).open());
        const auto found = VERIFIED(search::find(**bundle, outOfRange()));
        QCOMPARE(straysOf(*found), (Strays{{8, 4, 4}, {11, 5, 4}}));
        QCOMPARE(*found->hits[0].element, 8U);
        QVERIFY(found->hits[0].stray->ofMask);
        QCOMPARE(elementAddress((*bundle)->weights()[0], 8), "w[1,2]");
    }

    void soundWeightsHaveNone()
    {
        for (const MadeBundle &made : {sparseOf("96 09", 6), paletteOf(ElementType::Uint2, "[2, 2]",
                                                                       hex("e4"), 0, lut(4))}) {
            const auto bundle = made.open();
            QVERIFY(bundle && !(*bundle)->weights()[0].fault);
            const auto found = search::find(**bundle, outOfRange());
            QVERIFY(found && found->hits.empty() && found->diagnostics.empty());
        }
    }

    void hostile_data()
    {
        addColumns<QString, QString>();
        const auto row = [](const char *name, const std::string &indices, const std::string &book) {
            addRow(name, QString::fromStdString(indices), QString::fromStdString(book));
        };
        const std::string codes = "tensor<uint4, [1, 2]>([15, 14])";
        row("more codes than there are bytes",
            MadeBundle::blobAt("uint4", "[1048576, 1048576]", 64), lut(3));
        row("extents that overflow", MadeBundle::blobAt("uint4", "[4294967296, 4294967296]", 64),
            lut(3));
        row("indices nowhere", MadeBundle::blobAt("uint4", "[2, 2]", 0xfffff0), lut(3));
        row("codebook nowhere", codes, MadeBundle::blobAt("fp16", "[1, 1, 3, 1]", 0xfffff0));
        row("no entries", codes, "tensor<fp16, [1, 1, 0, 1]>([])");
        row("no rank", codes, "fp16(0x1p0)");
        row("a codebook of another rank", codes, "tensor<fp16, [3, 1]>([0x1p0, 0x1p0, 0x1p0])");
        row("codes of 32 bits", "tensor<int32, [1, 2]>([-1, 99])", lut(3));
        row("a codebook that nothing makes", codes, "nothing");
    }

    /// No crash, no endless walk; what cannot be told is named, not passed over.
    void hostile()
    {
        auto [indices, book] = fetched<QString, QString>();
        MadeBundle made;
        made.blob(ElementType::Uint4, "[2, 2]", hex("a9 3f"));
        made.line(
            fmt::format("tensor<fp16, [1, 2]> w = constexpr_lut_to_dense(indices = {}, lut = {})"
                        "[name = string(\"w_op\")]",
                        indices.toStdString(), book.toStdString()));
        made.consume("w");
        const auto bundle = VERIFIED(made.open());
        QVERIFY((*bundle)->weights()[0].fault);
        const auto found = VERIFIED(search::find(**bundle, outOfRange()));
        QVERIFY(found->hits.size() <= 4);
        for (const Hit &hit : found->hits)
            QVERIFY(hit.file < (*bundle)->files().size() &&
                    fitsInside(hit.bytes, (*bundle)->files()[hit.file].file->size()));
        QVERIFY(!found->hits.empty() || !found->diagnostics.empty());
    }

    void limitsAndStops()
    {
        const auto bundle =
            VERIFIED(paletteOf(ElementType::Uint4, "[2, 2]", hex("ff ff"), 0, lut(10)).open());
        Query query = outOfRange();
        query.most = 3;
        const auto found = search::find(**bundle, query);
        QVERIFY(found && !found->complete);
        QCOMPARE(found->hits.size(), 3U);
        Progress progress;
        progress.cancel();
        QCOMPARE(REFUSED(search::find(**bundle, outOfRange(), &progress)).code, "task.cancelled");
    }

    void rowsSayWhatIsAsked()
    {
        const auto palette =
            VERIFIED(paletteOf(ElementType::Uint4, "[2, 2]", hex("a9 30"), 0, lut(10)).open());
        auto rows =
            report::hitRows(*palette, outOfRange(), search::find(**palette, outOfRange())->hits);
        QCOMPARE(rows.size(), 1U);
        const auto hit = report::foundJson("x", **palette, outOfRange(),
                                           *search::find(**palette, outOfRange()), rows)["hits"][0];
        QCOMPARE(hit.value("index", 0), 1);
        QCOMPARE(hit.value("code", 0), 10);
        QCOMPARE(hit.value("entries", 0), 10);
        QVERIFY(hit.contains("file") && hit.contains("offset") && !hit.contains("value"));
        const auto sparse = VERIFIED(sparseOf("96 09", 5).open());
        rows = report::hitRows(*sparse, outOfRange(), search::find(**sparse, outOfRange())->hits);
        const auto kept = report::foundJson("x", **sparse, outOfRange(),
                                            *search::find(**sparse, outOfRange()), rows)["hits"][0];
        QCOMPARE(kept.value("place", std::string()), "w[1,5]");
        QVERIFY(!kept.contains("value") && !kept.contains("file"));
    }
};

KERNSCOPE_TEST(TestOutOfRange, NoApplication)
#include "tst_out_of_range.moc"
