// SPDX-License-Identifier: GPL-3.0-or-later
// What is refused and why; edits that see each other; many elements at once; the room for
// survivors.
#include "core/container/milblob/milblob.h"
#include "core/numeric/npy.h"
#include "core/patch/patch.h"
#include "sample_bundles.h"

#include <cmath>
#include <fstream>

#include <QTemporaryDir>
#include <QTest>

#include <fmt/format.h>

using namespace kernscope;
using namespace kernscope::test;

namespace {

/// "set w[0]=1" and so on, as in a script.
Result<std::vector<AppliedEdit>> plan(const BundlePtr &bundle, const std::string &script,
                                      double tolerance = 0)
{
    const auto edits = parseEditScript(script, "script");
    if (!edits)
        return tl::unexpected(edits.error());
    return planEdits(bundle, *edits, tolerance);
}

BundlePtr applyAll(BundlePtr bundle, const std::vector<AppliedEdit> &edits)
{
    for (const AppliedEdit &edit : edits)
        bundle = *applyEdit(bundle, edit);
    return bundle;
}

BundlePtr sample(const char *name)
{
    return *sampleBundle(name).open();
}

/// Survivors at the end of the file: nine of twelve elements, 0 to 8.
MadeBundle nineAtTheEnd()
{
    MadeBundle bundle;
    const std::string mask = bundle.blob(ElementType::Uint1, "[3, 4]", hex("ff 01"), 4);
    bundle.line(fmt::format(
        "tensor<fp16, [3, 4]> w = constexpr_sparse_to_dense(mask = {}, nonzero_data = "
        "{})[name = string(\"w_op\")]",
        mask, bundle.blob(ElementType::Fp16, "[9]", halves({1, 2, 3, 4, 5, 6, 7, 8, 9}))));
    bundle.consume("w");
    return bundle;
}

Bytes npyFile(const Shape &shape, const std::vector<float> &values)
{
    const std::string header = npyHeader(ElementType::Fp32, shape);
    const auto head = std::as_bytes(std::span(header));
    const auto data = std::as_bytes(std::span(values));
    Bytes bytes(head.begin(), head.end());
    bytes.insert(bytes.end(), data.begin(), data.end());
    return bytes;
}

QString writeFile(const QTemporaryDir &folder, const Bytes &bytes)
{
    const QString path = folder.filePath(QStringLiteral("values.npy"));
    std::ofstream out(path.toStdString(), std::ios::binary);
    out.write(reinterpret_cast<const char *>(bytes.data()),
              static_cast<std::streamsize>(bytes.size()));
    return path;
}

} // namespace

class TestPatch : public QObject
{
    Q_OBJECT

private slots:
    void refused_data();
    void refused();
    void refusalNamesTheNearest();
    void refusalNamesTheEdit();
    void allOrNothing();
    void laterEditsSeeEarlierOnes();
    void planOnTopOfChanges();
    void ordinaryRounding_data();
    void ordinaryRounding();
    void sameValueIsNoChange();
    void weightNames();
    void sharedBytesAreNamed();
    void sharedSurvivorsAreRefused();
    void roomBehindThePayload();
    void roomInTheProgram();
    void literalNeedsRoom();
    void conflictIsRefused();
    void fillCountsItsRefusals();
    void fillOfSparseGaps();
    void valuesFromNumPy();
    void valuesFromNumPyRefused();
    void largeFillStaysSmall();
    void cancelled();
};

void TestPatch::refused_data()
{
    QTest::addColumn<QByteArray>("form");
    QTest::addColumn<QByteArray>("script");
    QTest::addColumn<QByteArray>("code");
    const auto row = [](const char *form, const char *script, const char *code) {
        QTest::addRow("%s %s", form, script)
            << QByteArray(form) << QByteArray(script) << QByteArray(code);
    };
    row("dense-fp16", "set nothing[0]=1", "patch.weight");
    row("dense-fp16", "set w[64]=1", "patch.index");
    row("dense-fp16", "set w[8,0]=1", "patch.index");
    row("dense-fp16", "set w[0,0,0]=1", "patch.index");
    row("dense-fp16", "fill w[0:9,:]=1", "patch.index");
    row("dense-fp16", "fill w[8:,:]=1", "patch.index");
    row("dense-fp16", "set w[0]=1e9", "patch.unrepresentable");
    row("dense-fp16", "codebook w[0][0]=1", "patch.part");
    row("dense-fp16", "scale w[0]=1", "patch.part");
    row("dense-fp16", "keep w[0]=1", "patch.part");
    row("dense-fp16", "drop w[0]", "patch.part");
    row("dense-fp16", "set-stored w:indices[0]=1", "patch.part");
    row("dense-fp16", "set-stored w:data[64]=1", "patch.index");
    row("dense-fp16", "set-stored w:data[0]=65536", "patch.unrepresentable");
    row("dense-fp16", "from-npy w=no/such/file.npy", "io.open");
    row("lut4", "set w[0]=0.123", "patch.unrepresentable");
    row("lut4", "codebook w[1][0]=1", "patch.index");
    row("lut4", "codebook w[0][16]=1", "patch.index");
    row("lut4", "codebook w[0][0][1]=1", "patch.index");
    row("lut4", "set-stored w:indices[0]=16", "patch.unrepresentable");
    row("affine", "scale w[8]=1", "patch.index");
    row("affine", "set w[0]=99", "patch.unrepresentable");
    row("sparse", "set-stored w:mask[0]=0\nset-stored w:mask[0]=1", "patch.mask");
    row("sparse", "drop w[64]", "patch.index");
}

void TestPatch::refused()
{
    QFETCH(const QByteArray, form);
    QFETCH(const QByteArray, script);
    QFETCH(const QByteArray, code);
    const BundlePtr bundle = sample(form.constData());
    const auto before = contentOf(*bundle);
    const auto planned = plan(bundle, script.toStdString());
    QVERIFY(!planned);
    QCOMPARE(QByteArray::fromStdString(planned.error().code), code);
    QVERIFY(!planned.error().message.empty());
    QCOMPARE(contentOf(*bundle), before);
    QVERIFY(!bundle->modified());
}

void TestPatch::refusalNamesTheNearest()
{
    const BundlePtr bundle = sample("lut2");
    const auto values = decoded(*bundle, "w");
    const auto planned = plan(bundle, "set w[0]=0.0123");
    QVERIFY(!planned);
    float below = -100, above = 100;
    for (const float value : values) {
        below = value <= 0.0123f ? std::max(below, value) : below;
        above = value >= 0.0123f ? std::min(above, value) : above;
    }
    QCOMPARE(planned.error().expected,
             fmt::format("{} or {}", static_cast<double>(below), static_cast<double>(above)));
    QCOMPARE(planned.error().found, std::string("0.0123"));
    QVERIFY(plan(bundle, fmt::format("set w[0]={}", above)));
}

void TestPatch::refusalNamesTheEdit()
{
    const auto planned = plan(sample("lut4"), "set-stored w:indices[0]=1\nset w[3]=0.123");
    QVERIFY(!planned);
    QVERIFY(planned.error().message.starts_with("set w[3]=0.123: "));
}

void TestPatch::allOrNothing()
{
    const BundlePtr bundle = sample("sparse");
    const auto before = contentOf(*bundle);
    QVERIFY(!plan(bundle, "drop w[1]\nfill w[:]=0\nset behind[0]=9\nset behind[16]=1"));
    QCOMPARE(contentOf(*bundle), before);
    QVERIFY(!bundle->modified());
}

void TestPatch::laterEditsSeeEarlierOnes()
{
    const BundlePtr bundle = sample("lut2");
    const auto planned = plan(bundle, "codebook w[0][1]=7.5\nset w[5]=7.5\nset w[5]=7.5");
    QVERIFY2(planned, planned ? "" : describe(planned.error()).c_str());
    QVERIFY((*planned)[0].tables && !(*planned)[1].tables);
    QCOMPARE((*planned)[1].note, std::string("codebook 0 entry 1"));
    QVERIFY((*planned)[2].bytes.empty());
    const BundlePtr after = applyAll(bundle, *planned);
    QCOMPARE(decoded(*after, "w")[5], 7.5f);
}

void TestPatch::planOnTopOfChanges()
{
    const BundlePtr bundle = sample("dense-fp16");
    const auto first = plan(bundle, "set w[0]=5");
    const BundlePtr changed = applyAll(bundle, *first);
    const auto second = plan(changed, "set w[0]=6");
    QVERIFY(second);
    QCOMPARE((*second)[0].oldText, std::string("5"));
    QCOMPARE(decoded(*changed, "w")[0], 5.0f);
    QVERIFY(revertEdit(applyAll(changed, *second), (*second)[0]));
    QCOMPARE(decoded(*changed, "w")[0], 5.0f);
    QCOMPARE(pendingRanges(*changed).size(), std::size_t{1});
}

void TestPatch::ordinaryRounding_data()
{
    QTest::addColumn<QByteArray>("form");
    QTest::addColumn<double>("stored");
    QTest::newRow("fp16") << QByteArray("dense-fp16") << 0.300048828125;
    QTest::newRow("fp32") << QByteArray("dense-fp32") << static_cast<double>(0.3f);
    QTest::newRow("bf16") << QByteArray("dense-bf16") << 0.30078125;
}

/// Without a tolerance, numbers are rounded as by any conversion; that is no refusal.
void TestPatch::ordinaryRounding()
{
    QFETCH(const QByteArray, form);
    QFETCH(const double, stored);
    const auto planned = plan(sample(form.constData()), "set w[9]=0.3");
    QVERIFY2(planned, planned ? "" : describe(planned.error()).c_str());
    QCOMPARE((*planned)[0].asked, 0.3);
    QCOMPARE((*planned)[0].stored, stored);
}

void TestPatch::sameValueIsNoChange()
{
    const BundlePtr bundle = sample("affine");
    const float value = decoded(*bundle, "w")[10];
    const auto planned = plan(bundle, fmt::format("set w[1,2]={}", value));
    QVERIFY(planned);
    QVERIFY((*planned)[0].bytes.empty() && !(*planned)[0].tables);
}

void TestPatch::weightNames()
{
    MadeBundle made;
    for (const char *name : {"conv_weight_to_fp16_palettized", "a_sparsified", "a_quantized"})
        made.constant(
            "tensor<fp16, [10]>", name,
            made.blob(ElementType::Fp16, "[10]", halves({1, 2, 3, 4, 5, 6, 7, 8, 9, 10})));
    for (const char *name : {"conv_weight_to_fp16_palettized", "a_sparsified", "a_quantized"})
        made.consume(name);
    const BundlePtr bundle = *made.open();
    QVERIFY(plan(bundle, "set conv_weight_to_fp16_palettized[0]=2"));
    QVERIFY(plan(bundle, "set conv_weight_to_fp16[0]=2"));
    QVERIFY(plan(bundle, "set main/a_quantized[0]=2"));
    QVERIFY(plan(bundle, "set a_sparsified_op[0]=2"));
    const auto ambiguous = plan(bundle, "set a[0]=2");
    QVERIFY(!ambiguous);
    QCOMPARE(ambiguous.error().expected, std::string("main/a_sparsified, main/a_quantized"));
    const auto unknown = plan(bundle, "set conv_weight[0]=2");
    QVERIFY(!unknown);
    QVERIFY(unknown.error().expected.starts_with("conv_weight_to_fp16_palettized"));
}

void TestPatch::sharedBytesAreNamed()
{
    MadeBundle made;
    const std::string value =
        made.blob(ElementType::Fp16, "[10]", halves({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
    made.constant("tensor<fp16, [10]>", "one", value);
    made.constant("tensor<fp16, [10]>", "two", value);
    made.consume("one");
    made.consume("two");
    const BundlePtr bundle = *made.open();
    QCOMPARE(bundle->weights().size(), std::size_t{2});
    const auto planned = plan(bundle, "set one[3]=0.5");
    QVERIFY(planned);
    QVERIFY((*planned)[0].note.ends_with("also changes two"));
}

void TestPatch::sharedSurvivorsAreRefused()
{
    MadeBundle made;
    const std::string mask = made.blob(ElementType::Uint1, "[8]", hex("0f"));
    const std::string kept = made.blob(ElementType::Fp16, "[4]", halves({1, 2, 3, 4}));
    for (const char *name : {"one", "two"}) {
        made.line(fmt::format("tensor<fp16, [8]> {0} = constexpr_sparse_to_dense(mask = {1}, "
                              "nonzero_data = {2})[name = string(\"{0}\")]",
                              name, mask, kept));
        made.consume(name);
    }
    const BundlePtr bundle = *made.open();
    const auto planned = plan(bundle, "drop one[1]");
    QVERIFY(!planned);
    QCOMPARE(planned.error().code, std::string("patch.shared"));
    QCOMPARE(planned.error().found, std::string("also those of two"));
    QVERIFY(!bundle->modified());
}

void TestPatch::roomBehindThePayload()
{
    const BundlePtr bundle = *nineAtTheEnd().open();
    QCOMPARE(faults(bundle->diagnostics()), std::vector<std::string>());
    const auto full = plan(bundle, "keep w[11]=0.5");
    QVERIFY(!full);
    QCOMPARE(full.error().code, std::string("patch.space"));
    QCOMPARE(full.error().found, std::string("0 free bytes behind the payload"));
    QCOMPARE(full.error().expected, std::string("2 free bytes"));
    // Dropping one makes room for one, and no more.
    const auto moved = plan(bundle, "drop w[0]\nkeep w[11]=0.5");
    QVERIFY2(moved, moved ? "" : describe(moved.error()).c_str());
    const BundlePtr after = applyAll(bundle, *moved);
    const std::vector<float> expected{0, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0.5f};
    QCOMPARE(decoded(*after, "w"), expected);
    QVERIFY(!plan(bundle, "drop w[0]\nkeep w[11]=0.5\nkeep w[10]=0.5"));
}

void TestPatch::roomInTheProgram()
{
    // Nine survivors become ten: one digit more, taken from the space before the bracket.
    MadeBundle made = nineAtTheEnd();
    (void)made.blob(ElementType::Fp16, "[1]", halves({1}));
    const BundlePtr bundle = *made.open();
    const auto planned = plan(bundle, "keep w[11]=0.5");
    QVERIFY2(planned, planned ? "" : describe(planned.error()).c_str());
    const BundlePtr after = applyAll(bundle, *planned);
    const auto program = after->files()[after->programFile()].file->bytes();
    const std::string_view text(reinterpret_cast<const char *>(program.data()), program.size());
    QVERIFY(text.find("tensor<fp16,[10]>") != std::string_view::npos);
    QCOMPARE(decoded(*after, "w")[11], 0.5f);
    // And back to nine, by dropping: the digit's place stays blank.
    const auto back = plan(after, "drop w[11]");
    QVERIFY(back);
    const BundlePtr again = applyAll(after, *back);
    QCOMPARE(decoded(*again, "w"), decoded(**nineAtTheEnd().open(), "w"));
}

void TestPatch::literalNeedsRoom()
{
    MadeBundle made;
    const std::string data = made.blob(ElementType::Int8, "[10]", hex("01020304050607080900"));
    made.line("tensor<fp16, [10]> w = constexpr_affine_dequantize()[axis=int32(0),name=string("
              "\"w\"),quantized_data=" +
              data + ",scale=fp16(1),zero_point=int8(0)]");
    made.consume("w");
    const BundlePtr bundle = *made.open();
    QCOMPARE(faults(bundle->diagnostics()), std::vector<std::string>());
    const auto planned = plan(bundle, "scale w[0]=0.1");
    QVERIFY(!planned);
    QCOMPARE(planned.error().code, std::string("patch.space"));
    QCOMPARE(planned.error().file, std::string("model.mil"));
    const auto fits = plan(bundle, "scale w[0]=2\nset-stored w:zero_point[0]=7");
    QVERIFY2(fits, fits ? "" : describe(fits.error()).c_str());
    QCOMPARE(decoded(*applyAll(bundle, *fits), "w")[0], -12.0f);
}

void TestPatch::conflictIsRefused()
{
    const BundlePtr bundle = sample("dense-fp16");
    const auto planned = plan(bundle, "set w[0]=5");
    QVERIFY(!revertEdit(bundle, (*planned)[0]));
    QVERIFY(applyEdit(bundle, (*planned)[0]));
    const auto twice = applyEdit(bundle, (*planned)[0]);
    QVERIFY(!twice);
    QCOMPARE(twice.error().code, std::string("patch.conflict"));
}

void TestPatch::fillCountsItsRefusals()
{
    const BundlePtr bundle = sample("lut4");
    const auto planned = plan(bundle, "fill w[1,:]=0.01");
    QVERIFY(!planned);
    QCOMPARE(planned.error().code, std::string("patch.unrepresentable"));
    QCOMPARE(planned.error().found, std::string("0.01 for element 8"));
    QVERIFY(planned.error().message.find("8 of 8 elements") != std::string::npos);
    QVERIFY(!bundle->modified());
}

void TestPatch::fillOfSparseGaps()
{
    const BundlePtr bundle = sample("sparse");
    const auto zero = plan(bundle, "fill w[:]=0");
    QVERIFY2(zero, zero ? "" : describe(zero.error()).c_str());
    QVERIFY(!(*zero)[0].tables); // stored zeros: the mask stays
    QCOMPARE(decoded(*applyAll(bundle, *zero), "w"), std::vector<float>(64, 0.0f));
    const auto one = plan(sample("sparse"), "fill w[:]=1");
    QVERIFY(!one);
    QCOMPARE(one.error().code, std::string("patch.masked"));
}

void TestPatch::valuesFromNumPy()
{
    const QTemporaryDir folder;
    for (const char *form : {"dense-fp16", "dense-fp32", "lut8", "sparse", "blockwise-int8"}) {
        const BundlePtr bundle = sample(form);
        auto values = decoded(*bundle, "w");
        for (std::size_t i = 0; i + 1 < values.size(); i += 2) {
            const bool movable = values[i] != 0.0f && values[i + 1] != 0.0f;
            if (movable && std::string_view(form) != "blockwise-int8")
                std::swap(values[i], values[i + 1]);
        }
        const auto path = writeFile(folder, npyFile({8, 8}, values));
        const auto planned = plan(bundle, "from-npy w=" + path.toStdString());
        QVERIFY2(planned, planned ? "" : describe(planned.error()).c_str());
        QCOMPARE((*planned)[0].elements, std::uint64_t{64});
        QCOMPARE(decoded(*applyAll(bundle, *planned), "w"), values);
    }
}

void TestPatch::valuesFromNumPyRefused()
{
    const QTemporaryDir folder;
    auto values = decoded(*sample("lut4"), "w");
    values[17] += 0.001f;
    values[40] += 0.002f;
    const auto path = writeFile(folder, npyFile({8, 8}, values)).toStdString();
    const auto planned = plan(sample("lut4"), "from-npy w=" + path);
    QVERIFY(!planned);
    QVERIFY(planned.error().found.ends_with("for element 17"));
    QVERIFY(planned.error().message.find("2 of 64") != std::string::npos);
    const auto tolerant = plan(sample("lut4"), "from-npy w=" + path, 0.01);
    QVERIFY(tolerant);
    QVERIFY(std::abs((*tolerant)[0].asked - (*tolerant)[0].stored) > 0.0015);
    writeFile(folder, npyFile({4, 16}, values));
    const auto shaped = plan(sample("lut4"), "from-npy w=" + path);
    QVERIFY(!shaped);
    QCOMPARE(shaped.error().code, std::string("patch.shape"));
}

/// The list of bytes of a large edit stays near the size of what it changes.
void TestPatch::largeFillStaysSmall()
{
    MadeBundle made;
    constexpr std::size_t kCount = 200000;
    Bytes data;
    for (std::size_t i = 0; i < kCount; ++i) {
        const auto pair = halves({static_cast<float>(i % 97) / 8.0f});
        data.insert(data.end(), pair.begin(), pair.end());
    }
    made.constant("tensor<fp16, [200000]>", "w", made.blob(ElementType::Fp16, "[200000]", data));
    made.consume("w");
    const BundlePtr bundle = *made.open();
    const auto before = contentOf(*bundle);
    const auto planned = plan(bundle, "fill w[1000:199000]=0.3");
    QVERIFY(planned);
    QVERIFY((*planned)[0].bytes.size() <= 4096);
    const BundlePtr after = applyAll(bundle, *planned);
    const auto values = decoded(*after, "w");
    QVERIFY(values[999] != values[1000] && values[198999] == values[1000]);
    QVERIFY(revertEdit(after, (*planned)[0]));
    QCOMPARE(contentOf(*bundle), before);
    QVERIFY(!bundle->modified());
}

void TestPatch::cancelled()
{
    Progress progress;
    progress.cancel();
    const BundlePtr bundle = sample("dense-fp16");
    const auto planned =
        planEdits(bundle, {*parseEdit(Edit::Kind::Fill, "w[:]=3")}, 0.0, &progress);
    QVERIFY(!planned);
    QCOMPARE(planned.error().code, std::string("task.cancelled"));
    QVERIFY(!bundle->modified());
}

QTEST_APPLESS_MAIN(TestPatch)
#include "tst_patch.moc"
