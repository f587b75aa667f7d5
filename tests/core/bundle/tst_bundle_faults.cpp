// SPDX-License-Identifier: GPL-3.0-or-later
#include "made_bundle.h"

#include "core/bundle/section_map.h"
#include "core/container/mil/blob_path.h"

#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <fstream>
#include <functional>

#include <fmt/format.h>

using namespace kernscope;
using namespace kernscope::test;

namespace {

using Make = std::function<void(MadeBundle &)>;

void result(MadeBundle &made, std::string_view shape, std::string_view op, std::string_view inputs,
            std::string_view attributes = {})
{
    made.line(fmt::format("tensor<fp16, {}> w = {}({})[{}name = string(\"w_op\")]", shape, op,
                          inputs, attributes));
    made.consume("w");
}

Make dense(std::string declared, std::string value)
{
    return [=](MadeBundle &made) {
        made.blob(ElementType::Fp16, "[4]", Bytes(8));
        made.constant(declared, "w", value);
    };
}

Make palette(std::string shape, std::string lut, std::string more = {})
{
    return [=](MadeBundle &made) {
        const auto indices = made.blob(ElementType::Uint1, "[2, 2]", hex("06"), 4);
        result(made, shape, "constexpr_lut_to_dense",
               fmt::format("indices = {}, lut = {}{}", indices, lut, more));
    };
}

Make blockwise(std::string scale, std::string more = {})
{
    return [=](MadeBundle &made) {
        const auto data = made.blob(ElementType::Int8, "[2, 4]", Bytes(8));
        result(made, "[2, 4]", "constexpr_blockwise_shift_scale",
               fmt::format("data = {}, scale = {}{}", data, scale, more));
    };
}

Make affine(std::string attributes)
{
    return [=](MadeBundle &made) {
        const auto data = made.blob(ElementType::Int8, "[2, 4]", Bytes(8));
        result(made, "[2, 4]", "constexpr_affine_dequantize", "",
               fmt::format("quantized_data = {}, {}, ", data, attributes));
    };
}

Make sparse(std::string survivors, std::size_t count)
{
    return [=](MadeBundle &made) {
        const auto mask = made.blob(ElementType::Uint1, "[2, 2]", hex("06"), 4);
        const auto values = made.blob(ElementType::Fp16, survivors, Bytes(2 * count));
        result(made, "[2, 2]", "constexpr_sparse_to_dense",
               fmt::format("mask = {}, nonzero_data = {}", mask, values));
    };
}

/// A joint form whose two ops name different masks.
void twoMasks(MadeBundle &made)
{
    const auto first = made.blob(ElementType::Uint1, "[2, 2]", hex("06"), 4);
    const auto second = made.blob(ElementType::Uint1, "[2, 2]", hex("06"), 4);
    made.line(fmt::format("tensor<uint1, [2, 2]> m, tensor<fp16, [2]> v = "
                          "constexpr_sparse_blockwise_shift_scale(data_mask = {}, nonzero_data = "
                          "tensor<int8, [2]>([1, 2]), scale = tensor<fp16, [1, 1]>([0x1p0]))[name "
                          "= string(\"q\")]",
                          first));
    result(made, "[2, 2]", "constexpr_sparse_to_dense",
           fmt::format("mask = {}, nonzero_data = v", second));
}

void compactedReadAsDense(MadeBundle &made)
{
    const auto mask = made.blob(ElementType::Uint1, "[2, 2]", hex("06"), 4);
    made.line(fmt::format("tensor<uint1, [2, 2]> m, tensor<fp16, [2]> w = "
                          "constexpr_sparse_blockwise_shift_scale(data_mask = {}, nonzero_data = "
                          "tensor<int8, [2]>([1, 2]), scale = tensor<fp16, [1, 1]>([0x1p0]))[name "
                          "= string(\"q\")]",
                          mask));
    made.consume("w");
}

/// Sixty ops in a row, each scaling the one before.
void longChain(MadeBundle &made)
{
    made.constant("tensor<int8, [2]>", "c0", made.blob(ElementType::Int8, "[2]", Bytes(2)));
    std::string before = "c0";
    for (int i = 1; i <= 60; ++i) {
        const std::string name = i == 60 ? "w" : fmt::format("c{}", i);
        made.line(fmt::format("tensor<fp16, [2]> {} = constexpr_blockwise_shift_scale(data = {}, "
                              "scale = tensor<fp16, [1]>([0x1p0]))[name = string(\"n\")]",
                              name, before));
        before = name;
    }
    made.consume("w");
}

Bytes readable(std::string_view text)
{
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

} // namespace

/// What is wrong is said with its place, and everything else is still shown.
class TestBundleFaults : public QObject
{
    Q_OBJECT

private slots:
    void weights_data();
    void weights();
    void blobPaths_data();
    void blobPaths();
    void kinds_data();
    void kinds();
    void folders();
    void randomDamage();
    void overlappingClaims();
};

void TestBundleFaults::weights_data()
{
    QTest::addColumn<Make>("make");
    QTest::addColumn<QByteArray>("code");
    QTest::addColumn<QByteArray>("file");
    const auto row = [](const char *name, const Make &make, const char *code, const char *file) {
        QTest::newRow(name) << make << QByteArray(code) << QByteArray(file);
    };
    const char *const text = "model.mil";
    const char *const blob = "weights/weight.bin";
    const auto at = [](const char *type, const char *shape, std::uint64_t offset) {
        return MadeBundle::blobAt(type, shape, offset);
    };
    row("type", dense("tensor<int8, [4]>", at("int8", "[4]", 64)), "blob.type", blob);
    row("elements", dense("tensor<fp16, [5]>", at("fp16", "[5]", 64)), "blob.elements", blob);
    row("fewer elements", dense("tensor<fp16, [3]>", at("fp16", "[3]", 64)), "blob.elements", blob);
    row("declared type", dense("tensor<fp32, [4]>", at("fp16", "[4]", 64)), "codec.type", text);
    row("declared shape", dense("tensor<fp16, [2, 2]>", at("fp16", "[4]", 64)), "codec.shape",
        text);
    row("offset outside", dense("tensor<fp16, [4]>", at("fp16", "[4]", 1024)), "blob.offset", blob);
    row("offset of nothing", dense("tensor<fp16, [4]>", at("fp16", "[4]", 65)), "blob.offset",
        blob);
    row("open extent", dense("tensor<fp16, [?]>", at("fp16", "[?]", 64)), "mil.shape", text);
    row("overflow",
        dense("tensor<fp16, [4294967296, 4294967296]>", at("fp16", "[4294967296, 4294967296]", 64)),
        "mil.shape", text);
    const std::string good = "tensor<fp16, [1, 1, 2, 1]>([0x1p0, 0x1p1])";
    row("codebook too short", palette("[2, 2]", "tensor<fp16, [1, 1, 1, 1]>([0x1p0])"),
        "codec.codebook", text);
    row("codebook too long", palette("[2, 2]", "tensor<fp16, [1, 1, 3, 1]>([0x1p0, 0x1p1, 0x1p2])"),
        "codec.codebook", text);
    row("codebook rank", palette("[2, 2]", "tensor<fp16, [2, 1]>([0x1p0, 0x1p1])"),
        "codec.codebook", text);
    row("codebooks do not divide",
        palette("[2, 2]", "tensor<fp16, [3, 1, 2, 1]>([0x1p0, 0x1p0, 0x1p0, 0x1p0, 0x1p0, 0x1p0])"),
        "codec.codebook", text);
    row("palette shape", palette("[2, 3]", good), "codec.shape", text);
    row("vectors without an axis",
        palette("[4, 2]", "tensor<fp16, [1, 1, 2, 2]>([0x1p0, 0x1p0, "
                          "0x1p0, 0x1p0])"),
        "mil.operand", text);
    row("vector axis",
        palette("[4, 2]", "tensor<fp16, [1, 1, 2, 2]>([0x1p0, 0x1p0, 0x1p0, 0x1p0])",
                ", vector_axis = int32(2)"),
        "codec.shape", text);
    row("empty vectors",
        palette("[0, 2]", "tensor<fp16, [1, 1, 2, 0]>([])", ", vector_axis = int32(0)"),
        "codec.codebook", text);
    row("scale does not divide",
        blockwise("tensor<fp16, [2, 3]>([0x1p0, 0x1p0, 0x1p0, 0x1p0, "
                  "0x1p0, 0x1p0])"),
        "codec.scale", text);
    row("scale rank", blockwise("tensor<fp16, [2]>([0x1p0, 0x1p0])"), "codec.scale", text);
    row("scale type", blockwise("tensor<int8, [2, 1]>([1, 2])"), "codec.type", text);
    row("no scales", blockwise("tensor<fp16, [0, 1]>([])"), "codec.scale", text);
    row("offset shape",
        blockwise("tensor<fp16, [2, 1]>([0x1p0, 0x1p0])", ", offset = tensor<int8, [1, 1]>([1])"),
        "codec.scale", text);
    row("offset type",
        blockwise("tensor<fp16, [2, 1]>([0x1p0, 0x1p0])",
                  ", offset = tensor<int32, [2, 1]>([1, 2])"),
        "codec.type", text);
    row("operand missing", blockwise("nothing"), "mil.operand", text);
    row("zero point length",
        affine("axis = int32(0), scale = fp16(0x1p0), zero_point = "
               "tensor<int8, [3]>([1, 2, 3])"),
        "codec.scale", text);
    row("axis",
        affine("axis = int32(-3), scale = tensor<fp16, [2]>([0x1p0, 0x1p0]), zero_point = "
               "int8(0)"),
        "codec.shape", text);
    row("no zero point", affine("axis = int32(0), scale = fp16(0x1p0)"), "mil.operand", text);
    row("more values than elements", sparse("[5]", 5), "codec.mask", text);
    row("values not in a row", sparse("[1, 2]", 2), "codec.mask", text);
    row("two masks", twoMasks, "codec.mask", text);
    row("compacted values", compactedReadAsDense, "mil.unsupported", text);
    row("long chain", longChain, "mil.unsupported", text);
    row(
        "unknown op", [](MadeBundle &made) { result(made, "[2]", "constexpr_conjure", "a = x"); },
        "mil.unsupported", text);
    row(
        "not constant",
        [](MadeBundle &made) {
            result(made, "[1, 4]", "constexpr_blockwise_shift_scale",
                   "data = x, scale = tensor<fp16, [1, 1]>([0x1p0])");
        },
        "mil.operand", text);
}

void TestBundleFaults::weights()
{
    QFETCH(Make, make);
    QFETCH(QByteArray, code);
    QFETCH(QByteArray, file);
    MadeBundle made;
    make(made);
    made.constant("tensor<fp16, [2]>", "sound",
                  made.blob(ElementType::Fp16, "[2]", halves({1, 2})));
    const auto bundle = made.open();
    QVERIFY(bundle);
    QCOMPARE(decoded(**bundle, "sound"), std::vector<float>({1, 2}));
    const auto index = (*bundle)->weightByName("w");
    QVERIFY(index);
    const Weight &weight = (*bundle)->weights()[*index];
    QVERIFY(weight.fault);
    QCOMPARE(QByteArray::fromStdString(weight.fault->code), code);
    QCOMPARE(QByteArray::fromStdString(weight.fault->file), file);
    QVERIFY(weight.fault->offset);
    QVERIFY(!weight.fault->message.empty() && !weight.fault->found.empty() &&
            !weight.fault->expected.empty());
    QVERIFY(hasErrors((*bundle)->diagnostics()));
    QVERIFY(!(*bundle)->decoder(*index));
    QCOMPARE(sectionFault(**bundle).c_str(), "");
}

void TestBundleFaults::blobPaths_data()
{
    QTest::addColumn<QByteArray>("written");
    QTest::addColumn<QByteArray>("folder");
    QTest::addColumn<QByteArray>("path"); // empty: refused
    const auto row = [](const char *written, const char *folder, const char *path) {
        QTest::newRow(*written == '\0' ? "empty" : written)
            << QByteArray(written) << QByteArray(folder) << QByteArray(path);
    };
    row("@model_path/weights/weight.bin", "", "weights/weight.bin");
    row("@model_path//weights/./weight.bin", "Data/m/", "Data/m/weights/weight.bin");
    row("weights/weight.bin", "", "weights/weight.bin");
    row("@model_path/a..b/..c", "", "a..b/..c");
    row("@model_path/../x", "", "");
    row("@model_path/a/../../x", "", "");
    row("@model_path/..", "", "");
    row("..", "", "");
    row("/etc/hostname", "", "");
    row("@model_path//etc/hostname", "", "etc/hostname");
    row("@model_pathx/y", "", "");
    row("@model_path", "", "");
    row("@other/y", "", "");
    row("", "", "");
}

void TestBundleFaults::blobPaths()
{
    QFETCH(QByteArray, written);
    QFETCH(QByteArray, folder);
    QFETCH(QByteArray, path);
    const auto resolved = resolveBlobPath(written.toStdString(), folder.toStdString());
    QCOMPARE(resolved.has_value(), !path.isEmpty());
    if (resolved)
        QCOMPARE(QByteArray::fromStdString(*resolved), path);
    else
        QCOMPARE(resolved.error().code, std::string("blob.path"));
}

void TestBundleFaults::kinds_data()
{
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QByteArray>("found"); // empty: opens
    QTest::newRow("hwx") << QByteArray("\xce\xfa\xef\xbe....", 8) << QByteArray();
    QTest::newRow("zip") << QByteArray("PK\x03\x04....")
                         << QByteArray("a zip archive that cannot be read");
    QTest::newRow("json") << QByteArray("{\"a\":1}") << QByteArray("a JSON file");
    QTest::newRow("empty") << QByteArray() << QByteArray("an empty file");
    QTest::newRow("text") << QByteArray("hello") << QByteArray("something else");
    QTest::newRow("program") << QByteArray("  \nprogram(1.0)\n{\n}") << QByteArray();
}

void TestBundleFaults::kinds()
{
    QFETCH(QByteArray, content);
    QFETCH(QByteArray, found);
    OpenOptions options;
    options.memory = {{"file", readable(content.toStdString())}};
    const auto bundle = Bundle::open("file", options);
    QCOMPARE(bundle.has_value(), found.isEmpty());
    if (bundle)
        return;
    QCOMPARE(bundle.error().code, std::string("bundle.kind"));
    QCOMPARE(QByteArray::fromStdString(bundle.error().found), found);
}

/// Folders on disk: links that leave are not followed, files beside a lone program are found.
void TestBundleFaults::folders()
{
    namespace fs = std::filesystem;
    QTemporaryDir scratch;
    const fs::path root = scratch.path().toStdString();
    const fs::path folder = root / "x.mlmodelc";
    const auto write = [](const fs::path &path, const Bytes &bytes) {
        fs::create_directories(path.parent_path());
        std::ofstream(path, std::ios::binary)
            .write(reinterpret_cast<const char *>(bytes.data()),
                   static_cast<std::streamsize>(bytes.size()));
    };
    QCOMPARE(Bundle::open(folder).error().code, std::string("io.open"));
    fs::create_directories(folder);
    QCOMPARE(Bundle::open(folder).error().code, std::string("bundle.kind"));

    MadeBundle made;
    made.constant("tensor<fp16, [2]>", "w", made.blob(ElementType::Fp16, "[2]", halves({1, 2})));
    made.consume("w");
    write(folder / "model.mil", readable(made.text()));
    write(root / "outside.bin", made.weights());
    fs::create_directories(folder / "weights");
    fs::create_symlink(root / "outside.bin", folder / "weights" / "weight.bin");
    const auto leaving = Bundle::open(folder);
    QVERIFY(leaving);
    QCOMPARE(faults((*leaving)->diagnostics()),
             std::vector<std::string>({"warning bundle.link weights/weight.bin",
                                       "error blob.file weights/weight.bin+64"}));

    fs::remove(folder / "weights" / "weight.bin");
    write(folder / "weights" / "real.bin", made.weights());
    fs::create_symlink("real.bin", folder / "weights" / "weight.bin");
    const auto inside = Bundle::open(folder.string() + "/");
    QVERIFY(inside);
    QCOMPARE((*inside)->name(), std::string("x.mlmodelc"));
    QCOMPARE((*inside)->kind(), BundleKind::Mlmodelc);
    QCOMPARE(decoded(**inside, "w"), std::vector<float>({1, 2}));

    const auto lone = Bundle::open(folder / "model.mil");
    QVERIFY(lone);
    QCOMPARE((*lone)->kind(), BundleKind::MilText);
    QCOMPARE((*lone)->files().size(), std::size_t(2));
    QCOMPARE((*lone)->files()[1].path, std::string("weights/weight.bin"));
    QCOMPARE(decoded(**lone, "w"), std::vector<float>({1, 2}));
    QCOMPARE(sectionFault(**lone), std::string());

    const auto bare = Bundle::open(folder / "weights" / "real.bin");
    QVERIFY(bare);
    QCOMPARE((*bare)->kind(), BundleKind::MilBlob);
    QCOMPARE(decoded(**bare, "blob@0x40"), std::vector<float>({1, 2}));
    QCOMPARE((*bare)->weights()[0].sourceOp, std::string("blob"));
    QCOMPARE(sectionFault(**bare), std::string());
}

/// Bytes changed at random in the text and the weight file: it opens or says why, every byte is in
/// one section, every sound weight decodes.
void TestBundleFaults::randomDamage()
{
    MadeBundle made;
    longChain(made);
    twoMasks(made);
    palette("[2, 2]", "tensor<fp16, [1, 1, 2, 1]>([0x1p0, 0x1p1])")(made);
    affine("axis = int32(0), scale = fp16(0x1p0), zero_point = int8(3)")(made);
    const std::string text = made.text();
    const Bytes weights = made.weights();
    QRandomGenerator random(20);
    for (int round = 0; round < 600; ++round) {
        std::string brokenText = text;
        Bytes broken = weights;
        if (round % 2 == 0) {
            for (int i = 0; i < 3; ++i)
                brokenText[random.bounded(quint32(text.size()))] =
                    static_cast<char>(32 + random.bounded(95));
        }
        for (int i = 0; i < round % 4; ++i)
            broken[random.bounded(quint32(broken.size()))] =
                static_cast<std::byte>(random.bounded(256));
        if (round % 5 == 0)
            broken.resize(random.bounded(quint32(broken.size() + 1)));
        const auto bundle = Bundle::open("x", MadeBundle::options(brokenText, broken));
        QVERIFY(bundle);
        QCOMPARE(sectionFault(**bundle).c_str(), "");
        for (std::size_t i = 0; i < (*bundle)->weights().size(); ++i) {
            const Weight &weight = (*bundle)->weights()[i];
            if (weight.fault || weight.elements.value >= 100000)
                continue;
            const auto decoder = (*bundle)->decoder(i);
            QVERIFY2(decoder, decoder ? "" : describe(decoder.error()).c_str());
        }
    }
}

/// Claims in any order and overlap give a cover.
void TestBundleFaults::overlappingClaims()
{
    QRandomGenerator random(21);
    for (int round = 0; round < 300; ++round) {
        const std::uint64_t size = random.bounded(1000U);
        std::vector<Claim> claims;
        for (quint32 i = random.bounded(12U); i > 0; --i) {
            Claim claim;
            claim.range = {FileOffset(random.bounded(1200U)), ByteCount(random.bounded(400U))};
            claim.name = "claim";
            claims.push_back(std::move(claim));
        }
        std::uint64_t at = 0;
        for (const Section &section : coverFile(3, ByteCount(size), claims)) {
            QCOMPARE(section.range.offset.value, at);
            QVERIFY(section.range.bytes.value > 0);
            QCOMPARE(section.file, std::size_t(3));
            if (section.kind == SectionKind::Padding)
                QVERIFY(section.range.bytes.value < 64);
            at = section.range.end();
        }
        QCOMPARE(at, size);
    }
}

QTEST_APPLESS_MAIN(TestBundleFaults)
#include "tst_bundle_faults.moc"
