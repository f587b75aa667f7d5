// SPDX-License-Identifier: GPL-3.0-or-later
// Checkpoints of several files, and codes with scales in tensors of their own: made-up files of the
// published layouts.
#include "core/codec/decode/decoder.h"
#include "made_checkpoint.h"

namespace {

/// Tensors as `name dtype [shape] bytes`, one after the other.
struct Part {
    const char *name, *type, *shape;
    QByteArray bytes;
};

QByteArray fileOf(const std::vector<Part> &parts)
{
    QByteArray json = "{", data;
    for (const Part &part : parts) {
        json += QByteArray(json.size() > 1 ? "," : "") + "\"" + part.name + "\":{\"dtype\":\"" +
                part.type + "\",\"shape\":" + part.shape + ",\"data_offsets\":[" +
                QByteArray::number(data.size()) + "," +
                QByteArray::number(data.size() + part.bytes.size()) + "]}";
        data += part.bytes;
    }
    return safetensors(json + "}", data);
}

BundlePtr openParts(const std::vector<Part> &parts)
{
    return Bundle::open("m.safetensors", {.memory = {{"m.safetensors", asBytes(fileOf(parts))}}})
        .value_or(nullptr);
}

/// One of several files of a folder; null where it cannot be.
BundlePtr openedBeside(const char *name,
                       const std::vector<std::pair<const char *, QByteArray>> &all)
{
    const QTemporaryDir folder;
    const auto at = [&](const char *file) {
        return QDir(folder.path()).filePath(QString::fromUtf8(file));
    };
    for (const auto &[path, bytes] : all) {
        if (!put(at(path), bytes))
            return nullptr;
    }
    return Bundle::open(at(name).toStdString()).value_or(nullptr);
}

/// The same with a config.json; without one where it is empty.
BundlePtr openParts(const std::vector<Part> &parts, const QByteArray &config)
{
    if (config.isEmpty())
        return openParts(parts);
    return openedBeside("model.safetensors",
                        {{"model.safetensors", fileOf(parts)}, {"config.json", config}});
}

/// compressed-tensors with that number of bits, of that version where there is one.
QByteArray bitsConfig(int bits, const QByteArray &version = {})
{
    return R"({"quantization_config":{)" +
           (version.isEmpty() ? version : R"("version":")" + version + R"(",)") +
           R"("config_groups":{"group_0":{"weights":{"num_bits":)" + QByteArray::number(bits) +
           R"(,"type":"int"}}}}})";
}

/// A row of the codes 0, 1, 2, … in words of 32 bits: dense, or as many a word as have room.
QByteArray wordsOf(int columns, int bits, bool dense)
{
    const int each = dense ? columns : 32 / bits;
    const int held = dense ? (columns * bits + 31) / 32 : (columns - 1) / each + 1;
    QByteArray words(4 * held, '\0');
    for (int i = 0; i < columns; ++i) {
        for (int bit = 0; bit < bits; ++bit) {
            const int at = i / each * 32 + i % each * bits + bit;
            if (i >> bit & 1)
                words[at / 8] = char(words[at / 8] | 1 << at % 8);
        }
    }
    return words;
}

QByteArray shapeText(const std::vector<int> &shape)
{
    QByteArray text;
    for (const int extent : shape)
        text += (text.isEmpty() ? "[" : ",") + QByteArray::number(extent);
    return text + "]";
}

QByteArray shapeBytes(const std::vector<int> &shape)
{
    QByteArray bytes;
    for (const int extent : shape)
        bytes += little(static_cast<quint64>(extent), 8);
    return bytes;
}

} // namespace

class TestScaledCheckpoint : public QObject
{
    Q_OBJECT

private slots:
    /// Codes in one file, their scales in the next.
    void scalesInAnotherShard()
    {
        const BundlePtr bundle = VERIFIED(openedBeside(
            "m.safetensors.index.json",
            {{"a.safetensors", fileOf({{"w", "I8", "[2,1]", QByteArray::fromHex("01FF")}})},
             {"b.safetensors", fileOf({{"w_scale", "F32", "[2,1]", floats({2, 3})}})},
             {"m.safetensors.index.json",
              R"({"weight_map":{"w":"a.safetensors","w_scale":"b.safetensors"}})"}}));
        QCOMPARE(bundle->weights().size(), 1U);
        QCOMPARE(valuesOf(*bundle, 0), (std::vector<float>{2, -3}));
        QVERIFY(bundle->diagnostics().empty());
    }

    /// Codes of E4M3 with a scale for each block of two rows and two columns.
    void fp8Blocks()
    {
        const QByteArray codes = QByteArray::fromHex("38404438"
                                                     "38383838"); // 1, 2, 3, 1, …
        const BundlePtr bundle =
            openParts({{"l.weight", "F8_E4M3", "[2,4]", codes},
                       {"l.weight_scale_inv", "F32", "[1,2]", floats({0.5F, 10})}});
        QVERIFY(bundle);
        QCOMPARE(bundle->weights().size(), 1U);
        QCOMPARE(bundle->weights()[0].name, "l.weight");
        QCOMPARE(valuesOf(*bundle, 0), (std::vector<float>{0.5F, 1, 30, 10, 0.5F, 0.5F, 10, 10}));
        QCOMPARE(bundle->weights()[0].storedBytes.value, 16U);
        // One scale a row, as compressed-tensors has it.
        const BundlePtr rows =
            openParts({{"l.weight", "I8", "[2,2]", QByteArray::fromHex("01FF7F80")},
                       {"l.weight_scale", "F32", "[2,1]", floats({2, 1})}});
        QCOMPARE(valuesOf(*rows, 0), (std::vector<float>{2, -2, 127, -128}));
    }

    /// Blocks of 128 rows and columns, the last ones with what is left.
    void fp8BlocksWithRests()
    {
        const QByteArray codes(200 * 130, '\x38'); // 1
        const BundlePtr bundle =
            openParts({{"l.weight", "F8_E4M3", "[200,130]", codes},
                       {"l.weight_scale_inv", "F32", "[2,2]", floats({1, 2, 3, 4})}});
        QCOMPARE(bundle->weights().size(), 1U);
        const std::vector<float> values = valuesOf(*bundle, 0);
        QCOMPARE(values.size(), std::size_t(codes.size()));
        for (std::size_t row = 0; row < 200; ++row) {
            for (std::size_t column = 0; column < 130; ++column)
                QCOMPARE(values[row * 130 + column], float(1 + 2 * (row / 128) + column / 128));
        }
        // Two scales for three rows are no such blocks.
        QCOMPARE(openParts({{"l.weight", "F8_E4M3", "[3,1]", codes.left(3)},
                            {"l.weight_scale_inv", "F32", "[2,1]", floats({1, 2})}})
                     ->weights()
                     .size(),
                 2U);
    }

    void powersOfTwo_data()
    {
        const auto row = addColumns<QByteArray, QByteArray>();
        row("bytes", "l.weight_scale", "U8");
        row("E8M0", "l.weight_scale_inv", "F8_E8M0");
        row("scales", "l.weight_scales", "U8");
    }

    /// MXFP8: a power of two for 32 codes.
    void powersOfTwo()
    {
        const auto [name, type] = fetched<QByteArray, QByteArray>();
        const BundlePtr bundle = VERIFIED(openParts(
            {{"l.weight", "F8_E4M3", "[1,64]", QByteArray(64, '\x38')},
             {name.constData(), type.constData(), "[1,2]", QByteArray::fromHex("807E")}}));
        QCOMPARE(bundle->weights().size(), 1U);
        const std::vector<float> values = valuesOf(*bundle, 0);
        QVERIFY(values[0] == 2 && values[31] == 2 && values[32] == 0.5F && values[63] == 0.5F);
    }

    void oneScale_data()
    {
        const auto row = addColumns<QByteArray, QByteArray, QByteArray, QByteArray>();
        row("a byte, no axis", "l.weight_scale", "U8", "[]", QByteArray(1, char(128)));
        row("a byte", "l.weight_scale", "U8", "[1]", QByteArray(1, char(128)));
        row("E8M0, no axis", "l.weight_scale", "F8_E8M0", "[]", QByteArray(1, char(128)));
        row("fp32, no axis", "l.weight_scale", "F32", "[]", floats({2}));
        row("ComfyUI", "l.scale_weight", "F32", "[]", floats({2}));
        row("Mistral", "l.qscale_weight", "F32", "[]", floats({2}));
    }

    void oneScale()
    {
        const auto [name, type, shape, bytes] =
            fetched<QByteArray, QByteArray, QByteArray, QByteArray>();
        const BundlePtr bundle =
            VERIFIED(openParts({{"l.weight", "F8_E4M3", "[2,3]", QByteArray(6, '\x38')},
                                {name.constData(), type.constData(), shape.constData(), bytes}}));
        QCOMPARE(bundle->weights().size(), std::size_t(1));
        QCOMPARE(valuesOf(*bundle, 0), std::vector<float>(6, 2));
    }

    void blocks_data()
    {
        const auto row = addColumns<QByteArray, QList<int>, QList<int>, QList<int>>();
        const auto fp8 = [](const char *block) {
            return QByteArray(R"({"quantization_config":{"weight_block_size":)") + block + "}}";
        };
        const QByteArray structure = R"({"quantization_config":{"config_groups":{"g":{"weights":)"
                                     R"({"num_bits":8,"block_structure":[32,64]}}}}})";
        row("of the configuration", fp8("[64,64]"), {200, 300}, {4, 5}, {64, 64});
        row("of a row", fp8("[1,128]"), {6, 300}, {6, 3}, {1, 128});
        row("compressed-tensors", structure, {64, 130}, {2, 3}, {32, 64});
        row("experts", {}, {2, 200, 130}, {2, 2, 2}, {128, 128});
        row("powers of two", fp8("[128,128]"), {200, 130}, {2, 2}, {128, 128});
        row("none said, 50 by 60", {}, {200, 300}, {4, 5}, {});
        row("not those said", fp8("[32,32]"), {256, 256}, {2, 2}, {});
        row("of no size", fp8("[0,64]"), {200, 300}, {4, 5}, {});
    }

    /// Scales of blocks, the last ones with what is left: each is its number in the list and 1.
    void blocks()
    {
        const auto [config, shape, scales, block] =
            fetched<QByteArray, QList<int>, QList<int>, QList<int>>();
        const bool power = QByteArray(QTest::currentDataTag()) == "powers of two";
        int codes = 1, blocks = 1;
        for (const int extent : shape)
            codes *= extent;
        for (const int extent : scales)
            blocks *= extent;
        QByteArray bytes;
        for (int i = 0; i < blocks; ++i)
            bytes += power ? QByteArray(1, char(127 + i)) : floats({float(i + 1)});
        const QByteArray codesShape = shapeText({shape.begin(), shape.end()}),
                         scalesShape = shapeText({scales.begin(), scales.end()});
        const BundlePtr bundle = VERIFIED(
            openParts({{"e.up", "F8_E4M3", codesShape.constData(), QByteArray(codes, '\x38')},
                       {"e.up_scale_inv", power ? "U8" : "F32", scalesShape.constData(), bytes}},
                      config));
        if (block.isEmpty()) {
            QCOMPARE(bundle->weights().size(), std::size_t(2));
            QCOMPARE(test::faults(bundle->diagnostics()).size(), std::size_t(1));
            return;
        }
        QCOMPARE(bundle->weights().size(), std::size_t(1));
        const std::vector<float> values = valuesOf(*bundle, 0);
        QCOMPARE(values.size(), std::size_t(codes));
        const int rows = shape[shape.size() - 2], columns = shape.back();
        for (int i = 0; i < codes; ++i) {
            const int plane = i / (rows * columns), line = i / columns % rows;
            const int from = (plane * scales[scales.size() - 2] + line / block[0]) * scales.back() +
                             i % columns / block[1];
            QCOMPARE(values[std::size_t(i)], float(power ? 1 << from : from + 1));
        }
    }

    void packedInt4()
    {
        // Eight codes less 8 in each word, the first in the lowest bits.
        const BundlePtr bundle = VERIFIED(
            openParts({{"l.weight_packed", "I32", "[1,1]", QByteArray::fromHex("8907F068")},
                       {"l.weight_scale", "F32", "[1,2]", floats({1, 0.5F})}}));
        QCOMPARE(bundle->weights()[0].name, "l.weight");
        QCOMPARE(valuesOf(*bundle, 0), (std::vector<float>{1, 0, -1, -8, -4, 3.5F, 0, -1}));
    }

    /// Four codes less 128 in each word; columns in another order are left.
    void packedInt8()
    {
        const QByteArray codes = QByteArray::fromHex("81807f00");
        const QByteArray shape = QByteArray::fromHex("0100000000000000"
                                                     "0400000000000000");
        std::vector<Part> parts{{"l.weight_packed", "I32", "[1,1]", codes},
                                {"l.weight_scale", "F32", "[1,1]", floats({2})},
                                {"l.weight_shape", "I64", "[2]", shape}};
        const BundlePtr bundle = VERIFIED(openParts(parts, bitsConfig(8)));
        QCOMPARE(valuesOf(*bundle, 0), (std::vector<float>{2, 0, -2, -256}));
        parts[2].bytes[8] = 16; // 16 codes a word, less 2
        QCOMPARE(valuesOf(*openParts(parts, bitsConfig(2)), 0),
                 (std::vector<float>{-2, -4, -4, 0, -4, -4, -4, 0, 2, 2, 2, -2, -4, -4, -4, -4}));
        parts[2].bytes[8] = 4;
        parts.push_back({"l.weight_g_idx", "I32", "[4]", QByteArray(16, '\0')});
        QCOMPARE(openParts(parts, bitsConfig(8))->weights().size(), std::size_t(4));
    }

    void packedBits_data()
    {
        const auto row = addColumns<int, int, bool, QByteArray, bool>();
        row("3 bits, no rest", 64, 3, true, bitsConfig(3), true);
        row("5 bits, a rest", 100, 5, true, bitsConfig(5), true);
        row("6 bits, words that five bits fill", 16, 6, true, bitsConfig(6), true);
        row("7 bits, a rest", 100, 7, true, bitsConfig(7), true);
        row("7 bits, padded", 100, 7, false, bitsConfig(7), true);
        row("3 bits, no configuration", 64, 3, true, {}, true);
        row("6 bits, padded, no configuration", 64, 6, false, {}, true);
        row("both, 0.17.1", 100, 3, false, bitsConfig(3, "0.17.1"), true);
        row("both, 0.18.0", 100, 3, true, bitsConfig(3, "0.18.0"), true);
        row("both, 1.0", 100, 3, true, bitsConfig(3, "1.0"), true);
        row("both, between two releases", 100, 3, true, bitsConfig(3, "0.17.2.a20260620"), false);
        row("both, no version", 100, 3, true, bitsConfig(3), false);
        row("other bits than said", 64, 4, true, bitsConfig(6), false);
        row("several bits fit", 16, 4, true, {}, false);
    }

    /// compressed-tensors 0.18 packs codes of any number of bits densely, those before it not.
    void packedBits()
    {
        const auto [columns, bits, dense, config, joined] =
            fetched<int, int, bool, QByteArray, bool>();
        const QByteArray words = wordsOf(columns, bits, dense);
        const QByteArray shape = shapeText({2, int(words.size()) / 4});
        const BundlePtr bundle =
            VERIFIED(openParts({{"l.weight_packed", "I32", shape.constData(), words + words},
                                {"l.weight_scale", "F32", "[2,1]", floats({1, 2})},
                                {"l.weight_shape", "I64", "[2]", shapeBytes({2, columns})}},
                               config));
        if (!joined) {
            QCOMPARE(bundle->weights().size(), std::size_t(3));
            QCOMPARE(test::faults(bundle->diagnostics()).size(), std::size_t(1));
            return;
        }
        const auto weight = VERIFIED(bundle->weightByName("l.weight"));
        const std::vector<float> values = valuesOf(*bundle, *weight);
        QCOMPARE(values.size(), std::size_t(2 * columns));
        const codec::Operand &codes = *bundle->weights()[*weight].operand(codec::PartRole::Data);
        for (int i = 0; i < 2 * columns; ++i) {
            const int code = i % columns % (1 << bits) - (1 << (bits - 1));
            QCOMPARE(values[std::size_t(i)], float(code * (i < columns ? 1 : 2)));
            std::uint64_t bit = 0;
            if (codes.order) {
                codes.order->positions(std::uint64_t(i), std::span(&bit, 1));
                QCOMPARE(codes.order->elementAt(bit).value_or(9999), std::uint64_t(i));
            }
        }
    }

    /// Experts: a matrix for each, with a rest a row; and one zero point for all, which is a code.
    void packedExperts()
    {
        const QByteArray words = wordsOf(9, 4, true);
        std::vector<Part> parts{
            {"e.weight_packed", "I32", "[2,2,2]", words + words + words + words},
            {"e.weight_scale", "F32", "[2,2,1]", floats({1, 2, 3, 4})},
            {"e.weight_shape", "I64", "[3]", shapeBytes({2, 2, 9})}};
        const std::vector<float> values = valuesOf(*openParts(parts, bitsConfig(4)), 0);
        QCOMPARE(values.size(), std::size_t(36));
        for (int i = 0; i < 36; ++i)
            QCOMPARE(values[std::size_t(i)], float((i % 9 - 8) * (i / 9 + 1)));
        parts[2].bytes = shapeBytes({2, 3, 9}); // other rows
        QCOMPARE(openParts(parts, bitsConfig(4))->weights().size(), std::size_t(3));
        const BundlePtr one =
            VERIFIED(openParts({{"l.weight_packed", "I32", "[1,1]", wordsOf(8, 4, true)},
                                {"l.weight_scale", "F32", "[1]", floats({2})},
                                {"l.weight_zero_point", "I8", "[1]", QByteArray(1, char(-5))}}));
        QCOMPARE(valuesOf(*one, 0), (std::vector<float>{-6, -4, -2, 0, 2, 4, 6, 8}));
    }

    /// Words hold whole codes: rows, and columns of zero points, end with a rest of none.
    void packedRests()
    {
        const auto shape = [](char columns) {
            return QByteArray::fromHex("0200000000000000") + columns + QByteArray(7, '\0');
        };
        std::vector<Part> parts{
            {"l.weight_packed", "I32", "[2,1]", QByteArray::fromHex("890700000A0F0000")},
            {"l.weight_scale", "F32", "[2,1]", floats({1, 2})},
            {"l.weight_shape", "I64", "[2]", shape(3)}};
        QCOMPARE(valuesOf(*openParts(parts, bitsConfig(4)), 0),
                 (std::vector<float>{1, 0, -1, 4, -16, 14}));
        parts.push_back({"l.weight_zero_point", "I32", "[1,1]", QByteArray::fromHex("97000000")});
        QCOMPARE(valuesOf(*openParts(parts, bitsConfig(4)), 0),
                 (std::vector<float>{2, 1, 0, 2, -18, 12}));
        // 3 bits, ten codes a word, as the version in config.json says.
        const BundlePtr bundle =
            VERIFIED(openParts({{"l.weight_packed", "I32", "[2,2]",
                                 QByteArray::fromHex("88C6FA080500000000000000FFFFFFFF")},
                                {"l.weight_scale", "F32", "[1]", floats({1})},
                                {"l.weight_shape", "I64", "[2]", shape(11)}},
                               bitsConfig(3, "0.17.0")));
        QCOMPARE(valuesOf(*bundle, 0),
                 (std::vector<float>{-4, -3, -2, -1, 0,  1,  2,  3,  -4, -3, 1, //
                                     -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, 3}));
        const codec::Operand &codes = *bundle->weights()[0].operand(codec::PartRole::Data);
        QVERIFY(codes.order);
        for (std::uint64_t i = 0; i < 22; ++i) {
            std::uint64_t bit = 0;
            codes.order->positions(i, std::span(&bit, 1));
            QCOMPARE(codes.order->elementAt(bit).value_or(99), i);
        }
        QVERIFY(!codes.order->elementAt(8 * codes.place->dataOffset.value + 30));
    }

    void mxBlocks()
    {
        QByteArray codes(16, '\0');
        codes[0] = char(0x72); // 1, 6
        const BundlePtr bundle = openParts({{"e_blocks", "U8", "[1,1,16]", codes},
                                            {"e_scales", "U8", "[1,1]", QByteArray(1, char(128))}});
        QVERIFY(bundle);
        QCOMPARE(bundle->weights().size(), 1U);
        QCOMPARE(bundle->weights()[0].name, "e");
        QCOMPARE(bundle->weights()[0].shape, (Shape{1, 32}));
        const std::vector<float> values = valuesOf(*bundle, 0);
        QCOMPARE(values.size(), 32U);
        QVERIFY(values[0] == 2 && values[1] == 12 && values[2] == 0);
    }

    void mxfp6_data()
    {
        const auto row = addColumns<QByteArray, bool, float, float>();
        const QByteArray quark = R"({"quantization_config":{"quant_method":"quark",)"
                                 R"("global_quant_config":{"weight":{"dtype":"fp6_e3m2"}},)"
                                 R"("layer_quant_config":{)";
        row("E3M2", quark + "}}}", false, 1.0F / 16, 28);
        row("E2M3", QByteArray(quark).replace("e3m2", "e2m3") + "}}}", false, 0.125F, 7.5F);
        row("of a layer", quark + R"("l":{"weight":{"dtype":"fp6_e2m3"}}}}})", false, 0.125F, 7.5F);
        row("of another layer", quark + R"("m*":{"weight":{"dtype":"fp6_e2m3"}}}}})", false,
            1.0F / 16, 28);
        row("with a scale of all",
            R"({"quantization_config":{"quant_algo":"W6A6","weight_format":"e2m3"}})", true, 0.25F,
            15);
        row("not said", QByteArray(), false, 0, 0);
        row("another list", R"({"quantization_config":{"global_quant_config":[7]}})", false, 0, 0);
    }

    /// Codes of six bits, four in three bytes, and a power of two for 32 of them.
    void mxfp6()
    {
        const auto [config, whole, one, most] = fetched<QByteArray, bool, float, float>();
        std::vector<Part> parts{{"l.weight", "U8", "[1,48]", wordsOf(64, 6, true)},
                                {"l.weight_scale", "U8", "[1,2]", QByteArray::fromHex("7F80")}};
        if (whole)
            parts.push_back({"l.weight_scale_2", "F32", "[]", floats({2})});
        const BundlePtr bundle = VERIFIED(openParts(parts, config));
        if (one == 0) {
            QCOMPARE(bundle->weights().size(), std::size_t(2));
            QVERIFY(bundle->diagnostics().at(0).error.message.find("E2M3 or E3M2") !=
                    std::string::npos);
            return;
        }
        QCOMPARE(bundle->weights().size(), std::size_t(1));
        QCOMPARE(bundle->weights()[0].shape, (Shape{1, 64}));
        QVERIFY(formText(bundle->weights()[0].form).starts_with("blockwise+lut"));
        const std::vector<float> values = valuesOf(*bundle, 0);
        QCOMPARE(values.at(1), one);
        QCOMPARE(values.at(31), most);
        QCOMPARE(values.at(33), -2 * one);
        QCOMPARE(values.at(63), -2 * most);
        QVERIFY(std::ranges::is_sorted(values.begin(), values.begin() + 32));
    }

    /// Asymmetric: a zero point for each row and group, eight rows a word.
    void packedZeroPoints()
    {
        QByteArray codes, scales, zeros;
        for (int row = 0; row < 8; ++row) {
            codes += QByteArray::fromHex("10325476"); // 0 to 7
            codes += QByteArray::fromHex("98BADCFE"); // 8 to 15
            scales += floats({1, 2});
        }
        zeros += QByteArray::fromHex("10325476"); // of the first group: the row's number
        zeros += QByteArray::fromHex("FFFFFFFF");
        const std::vector<Part> parts{{"l.weight_packed", "I32", "[8,2]", codes},
                                      {"l.weight_scale", "F32", "[8,2]", scales},
                                      {"l.weight_zero_point", "I32", "[1,2]", zeros}};
        const BundlePtr bundle = VERIFIED(openParts(parts));
        QCOMPARE(bundle->diagnostics().size(), 0U);
        QCOMPARE(bundle->weights().size(), 1U);
        std::vector<float> expected;
        for (int row = 0; row < 8; ++row) {
            for (int column = 0; column < 16; ++column)
                expected.push_back(column < 8 ? float(column - row) : 2.0F * float(column - 15));
        }
        QCOMPARE(valuesOf(*bundle, 0), expected);
        auto other = parts;
        other[2].shape = "[2,1]";
        QCOMPARE(openParts(other)->weights().size(), 3U); // stay what they are
    }

    /// Bits that do not divide a word: dense down each column, or as many a word as have room.
    void packedZeroPointsOfOddBits_data()
    {
        const auto row = addColumns<int, bool>();
        for (const int bits : {3, 5, 6, 7}) {
            row(("dense " + QByteArray::number(bits)).constData(), bits, true);
            row(("padded " + QByteArray::number(bits)).constData(), bits, false);
        }
    }

    void packedZeroPointsOfOddBits()
    {
        const auto [bits, dense] = fetched<int, bool>();
        constexpr int kRows = 13, kColumns = 16;
        QByteArray codes, zeros;
        for (int row = 0; row < kRows; ++row)
            codes += wordsOf(kColumns, bits, dense);
        const QByteArray column = wordsOf(kRows, bits, dense); // of each group
        for (int at = 0; at < column.size(); at += 4)
            zeros += column.sliced(at, 4) + column.sliced(at, 4);
        const QByteArray shapes[] = {shapeText({kRows, int(codes.size()) / 4 / kRows}),
                                     shapeText({int(column.size()) / 4, 2})};
        const BundlePtr bundle = VERIFIED(openParts(
            {{"l.weight_packed", "I32", shapes[0].constData(), codes},
             {"l.weight_scale", "F32", "[13,2]", floats(std::vector<float>(2 * kRows, 1))},
             {"l.weight_zero_point", "I32", shapes[1].constData(), zeros},
             {"l.weight_shape", "I64", "[2]", shapeBytes({kRows, kColumns})}},
            bitsConfig(bits, dense ? "0.18.0" : "0.15.0")));
        QCOMPARE(bundle->weights().size(), 2U); // and the shape
        std::vector<float> expected;
        const int mask = (1 << bits) - 1;
        for (int row = 0; row < kRows; ++row) {
            for (int at = 0; at < kColumns; ++at)
                expected.push_back(float((at & mask) - (row & mask)));
        }
        QCOMPARE(valuesOf(*bundle, 0), expected);
    }

    /// Codes of a byte with zero points of a byte.
    void zeroPoints()
    {
        const BundlePtr bundle = VERIFIED(
            openParts({{"l.weight", "I8", "[2,2]", QByteArray::fromHex("01FF0302")},
                       {"l.weight_scale", "F32", "[2,1]", floats({1, 0.5F})},
                       {"l.weight_zero_point", "I8", "[2,1]", QByteArray::fromHex("FF02")}}));
        QCOMPARE(bundle->weights().size(), 1U);
        QCOMPARE(valuesOf(*bundle, 0), (std::vector<float>{2, 0, 0.5F, 0}));
    }

    void packedFp4_data()
    {
        // codes: name of the codes; scale: type of the scales
        const auto row = addColumns<QByteArray, int, QByteArray, QByteArray, float, float>();
        // 0x44 is 3 in E4M3, 0x80 is 2 in E8M0.
        row("compressed-tensors, MXFP4", "l_packed", 32, "U8", {}, 0.0F, 2.0F);
        row("compressed-tensors, NVFP4", "l_packed", 16, "F8_E4M3", "l_global_scale", 4.0F, 0.75F);
        row("a divisor", "l_packed", 16, "F8_E4M3", "l_global_scale", 7.0F, 3 / 7.0F);
        row("ModelOpt, NVFP4", "l", 16, "F8_E4M3", "l_scale_2", 4.0F, 12.0F);
        row("a scale of 0", "l_packed", 16, "F8_E4M3", "l_global_scale", 0.0F, 0.0F);
        row("bytes, MXFP4", "l", 32, "U8", {}, 0.0F, 2.0F);
        row("bytes, MXFP4 with E8M0", "l", 32, "F8_E8M0", {}, 0.0F, 2.0F);
        row("F4, MXFP4", "l", -32, "F8_E8M0", {}, 0.0F, 2.0F);
        row("F4, NVFP4", "l", -16, "F8_E4M3", "l_scale_2", 4.0F, 12.0F);
    }

    void packedFp4()
    {
        auto [codes, group, scale, whole, number, factor] =
            fetched<QByteArray, int, QByteArray, QByteArray, float, float>();
        const bool native = group < 0; // codes of a type of their own
        group = std::abs(group);
        const QByteArray bytes =
            QByteArray::fromHex("72") + QByteArray(group / 2 - 1, '\0'); // 1, 6
        const QByteArray shape = shapeText({1, native ? group : group / 2});
        std::vector<Part> parts{{codes.constData(), native ? "F4" : "U8", shape.constData(), bytes},
                                {"l_scale", scale.constData(), "[1,1]",
                                 QByteArray(1, char(scale == "F8_E4M3" ? 0x44 : 0x80))}};
        if (!whole.isEmpty())
            parts.push_back({whole.constData(), "F32", "[1]", floats({number})});
        const BundlePtr bundle = VERIFIED(openParts(parts));
        if (factor == 0) { // three tensors like any other
            QCOMPARE(bundle->weights().size(), 3U);
            return;
        }
        QCOMPARE(bundle->weights().size(), 1U);
        QCOMPARE(bundle->weights()[0].name, "l");
        const std::vector<float> values = valuesOf(*bundle, 0);
        QCOMPARE(values.size(), std::size_t(group));
        QVERIFY(values[0] == factor); // to the last bit
        QCOMPARE(values[1], 6 * factor);
        QCOMPARE(values[2], 0.0F);
    }

    void mlx_data()
    {
        addColumns<int, QByteArray, bool, QList<float>>();
        // Scale 2, bias -1 for the affine ones; a power of 2 for the others.
        addRow("4 bits, 64", 8, QByteArray::fromHex("31"), true, QList<float>{1, 5, -1});
        addRow("8 bits, 64", 16, QByteArray::fromHex("0301"), true, QList<float>{5, 1, -1});
        addRow("3 bits, 64", 6, QByteArray::fromHex("D1"), true, QList<float>{1, 3, 5});
        addRow("5 bits, 64", 10, QByteArray::fromHex("E107"), true, QList<float>{1, 61, 1});
        addRow("mxfp4", 4, QByteArray::fromHex("72"), false, QList<float>{2, 12, 0});
        addRow("nvfp4", 2, QByteArray::fromHex("72"), false, QList<float>{2, 12, 0});
        addRow("mxfp8", 8, QByteArray::fromHex("3844"), false, QList<float>{2, 6, 0});
    }

    /// Codes of a width that config.json says, for all or for one module; 0 columns: two widths fit
    /// and none is said, or the one that is said does not fit.
    void mlxOfConfig_data()
    {
        const auto row = addColumns<QByteArray, int, int>();
        row("none", {}, 8, 0);
        row("none, one width fits", {}, 10, 64);
        row("all", R"({"quantization":{"group_size":32,"bits":8}})", 8, 32);
        row("other key", R"({"quantization_config":{"group_size":32,"bits":8}})", 8, 32);
        row("one",
            R"({"quantization":{"group_size":64,"bits":4,)"
            R"("l":{"group_size":32,"bits":8}}})",
            8, 32);
        row("bits alone", R"({"quantization":{"bits":4}})", 8, 64);
        row("others than said, one width fits", R"({"quantization":{"group_size":128,"bits":4}})",
            32, 128);
        row("that do not fit", R"({"quantization":{"group_size":32,"bits":3}})", 8, 0);
        row("no numbers", R"({"quantization":{"group_size":"x","bits":-1}})", 8, 0);
        row("no JSON", "{", 8, 0);
    }

    void mlxOfConfig()
    {
        const auto [config, words, columns] = fetched<QByteArray, int, int>();
        const QByteArray shape = shapeText({1, words});
        const BundlePtr bundle = VERIFIED(
            openParts({{"l.weight", "U32", shape.constData(), QByteArray(4 * words, '\x21')},
                       {"l.scales", "F32", "[1,1]", floats({1})},
                       {"l.biases", "F32", "[1,1]", floats({0})}},
                      config));
        QCOMPARE(bundle->weights().size(), std::size_t(columns == 0 ? 3 : 1));
        // Nothing to say where config.json says the width.
        const bool quiet = columns != 0 && columns != 128 && !config.isEmpty();
        QCOMPARE(test::faults(bundle->diagnostics()).size(), std::size_t(quiet ? 0 : 1));
        if (columns == 0)
            return;
        const std::vector<float> values = valuesOf(*bundle, 0);
        QCOMPARE(values.size(), std::size_t(columns));
        QCOMPARE(values[0], 32 * words / columns == 8 ? 33.0F : 1.0F);
    }

    void mlx()
    {
        const auto [words, first, affine, values] = fetched<int, QByteArray, bool, QList<float>>();
        const QByteArray codes = first + QByteArray(4 * words - first.size(), '\0');
        const QByteArray shape = "[1," + QByteArray::number(words) + "]";
        std::vector<Part> parts{{"l.weight", "U32", shape.constData(), codes}};
        if (affine) {
            parts.push_back({"l.scales", "F32", "[1,1]", floats({2})});
            parts.push_back({"l.biases", "F32", "[1,1]", floats({-1})});
        } else {
            parts.push_back(
                {"l.scales", "U8", "[1,1]", QByteArray(1, char(words == 2 ? 0x40 : 128))});
        }
        const BundlePtr bundle =
            VERIFIED(openParts(parts, R"({"quantization":{"group_size":64}})"));
        QCOMPARE(bundle->weights().size(), std::size_t(1));
        const std::vector<float> found = valuesOf(*bundle, 0);
        QCOMPARE(found.size(), std::size_t(affine ? 64 : words == 2 ? 16 : 32));
        for (qsizetype i = 0; i < values.size(); ++i)
            QCOMPARE(found[std::size_t(i)], values[i]);
    }

    /// What is too much to be read, or to be tried with every tensor, is said.
    void configLimits_data()
    {
        const auto row = addColumns<QByteArray, bool>();
        const auto groups = [](int count) {
            QByteArray json = "{\"quantization_config\":{\"config_groups\":{";
            for (int i = 0; i < count; ++i)
                json += QByteArray(i == 0 ? "" : ",") + "\"" + QByteArray::number(i) +
                        "\":{\"weights\":{\"block_structure\":[" + QByteArray::number(i + 1) +
                        ",2]}}";
            return json + "}}}";
        };
        row("blocks that are tried", groups(64), true);
        row("blocks", groups(65), false);
        row("bytes", groups(1) + QByteArray(16 << 20, ' '), false);
    }

    void configLimits()
    {
        const auto [config, read] = fetched<QByteArray, bool>();
        const BundlePtr bundle = VERIFIED(openParts({{"l.weight", "F8_E4M3", "[2,2]", "aaaa"},
                                                     {"l.weight_scale", "F32", "[1]", floats({1})}},
                                                    config));
        QCOMPARE(bundle->weights().size(), 1U);
        QCOMPARE(test::faults(bundle->diagnostics()).size(), std::size_t(read ? 0 : 1));
        if (!read)
            QCOMPARE(bundle->diagnostics().at(0).error.code, "safetensors.config");
    }

    /// Scales of another shape or type: tensors like any other.
    void whatDoesNotFit()
    {
        const QByteArray four(4, '\1');
        for (const std::vector<Part> &parts :
             {std::vector<Part>{{"w", "I8", "[2,2]", four},
                                {"w_scale", "F32", "[3]", floats({1, 1, 1})}},
              std::vector<Part>{{"w", "I8", "[2,2]", four}, {"w_scale", "I8", "[2]", four.left(2)}},
              std::vector<Part>{{"w", "F8_E4M3", "[4,0]", {}}, {"w_scale", "U8", "[0]", {}}},
              std::vector<Part>{{"w_packed", "I32", "[4,0]", {}}, {"w_scale", "F32", "[4,0]", {}}},
              std::vector<Part>{{"w_blocks", "U8", "[2,2]", four},
                                {"w_scales", "U8", "[2]", four.left(2)}},
              std::vector<Part>{{"w.weight", "U32", "[1,1]", four},
                                {"w.scales", "U8", "[1,2]", four.left(2)}}}) {
            const BundlePtr bundle = VERIFIED(openParts(parts));
            QCOMPARE(bundle->weights().size(), 2U);
        }
    }

    void knownSets_data()
    {
        const auto row = addColumns<QByteArrayList, QByteArray>();
        row("GPTQ", {"l.qweight", "l.qzeros", "l.scales", "l.g_idx"}, "GPTQ");
        row("AWQ", {"l.qweight", "l.qzeros", "l.scales"}, "AWQ, or GPTQ");
        row("bitsandbytes, 8 bits", {"l.weight", "l.SCB"}, "bitsandbytes");
        row("bitsandbytes, 4 bits", {"l.weight", "l.weight.absmax", "l.weight.quant_map"},
            "bitsandbytes");
        row("Marlin", {"l.weight_packed", "l.scale_packed", "l.meta"}, "Marlin");
        row("sparse", {"l.weight.compressed", "l.weight.bitmask"}, "sparse");
        row("another order", {"l.weight_packed", "l.weight_scale", "l.weight_g_idx"}, "g_idx");
        row("scales of another shape", {"l.w", "l.w_scale"}, "another shape (scale)");
        row("blocks", {"l_blocks", "l_scales"}, "MXFP4 blocks");
        row("no set", {"l.qweight", "m.qzeros", "l.scales"}, {});
    }

    /// Sets that are not read are named once, with how many there are.
    void knownSets()
    {
        const auto [names, said] = fetched<QByteArrayList, QByteArray>();
        std::vector<QByteArray> kept(names.begin(), names.end());
        for (const QByteArray &name : names)
            kept.push_back("k" + name);
        std::vector<Part> parts;
        for (const QByteArray &name : kept)
            parts.push_back({name.constData(), "U8", "[1,1]", QByteArray(1, '\1')});
        const BundlePtr bundle = VERIFIED(openParts(parts));
        QCOMPARE(bundle->weights().size(), parts.size());
        QCOMPARE(bundle->diagnostics().size(), std::size_t(said.isEmpty() ? 0 : 1));
        if (said.isEmpty())
            return;
        const Diagnostic &found = bundle->diagnostics()[0];
        QCOMPARE(found.severity, Severity::Note);
        QCOMPARE(found.error.code, "safetensors.set");
        QCOMPARE(found.error.field, names[0].toStdString().insert(0, "k"));
        QVERIFY2(found.error.message.find(said.toStdString()) != std::string::npos &&
                     found.error.message.find("2 weights") != std::string::npos,
                 found.error.message.c_str());
    }

    /// Numbers beside others of such a name are no codes.
    void plainNumbers()
    {
        const BundlePtr bundle = VERIFIED(openParts({{"w", "F16", "[1,1]", QByteArray(2, '\1')},
                                                     {"w_scale", "F32", "[1,1]", floats({1})}}));
        QVERIFY(bundle->diagnostics().empty());
    }
};

KERNSCOPE_TEST(TestScaledCheckpoint, NoApplication)
#include "tst_scaled_checkpoint.moc"
