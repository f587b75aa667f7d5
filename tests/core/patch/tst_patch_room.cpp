// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/container/milblob/milblob.h"
#include "core/numeric/npy.h"
#include "core/patch/edit/literal_rewrite.h"
#include "core/patch/patch.h"
#include "patch_plans.h"
#include "sample_bundles.h"
#include "tests/test_program.h"

using namespace kernscope;
using namespace kernscope::test;

namespace {

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
    const QString path = folder.filePath(u"values.npy"_s);
    std::ofstream out(path.toStdString(), std::ios::binary);
    out.write(reinterpret_cast<const char *>(bytes.data()),
              static_cast<std::streamsize>(bytes.size()));
    return path;
}

} // namespace

// Edits that need room in the file or the program, many values at once, and what other weights
// share.
class TestPatchRoom : public QObject
{
    Q_OBJECT

private slots:
    void sharedBytesAreNamed()
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
        const auto planned = VERIFIED(plan(bundle, "set one[3]=0.5"));
        QVERIFY((*planned)[0].note.ends_with("also changes two"));
    }

    void sharedSurvivorsAreRefused()
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
        const Error planned = REFUSED(plan(bundle, "drop one[1]"));
        QCOMPARE(planned.code, "patch.shared");
        QCOMPARE(planned.found, "also those of two");
        QVERIFY(!bundle->modified());
    }

    void roomBehindThePayload()
    {
        const BundlePtr bundle = *nineAtTheEnd().open();
        QCOMPARE(faults(bundle->diagnostics()), std::vector<std::string>());
        const Error full = REFUSED(plan(bundle, "keep w[11]=0.5"));
        QCOMPARE(full.code, "patch.space");
        QCOMPARE(full.found, "0 free bytes behind the payload");
        QCOMPARE(full.expected, "2 free bytes");
        // Dropping one makes room for one, and no more.
        const auto moved = VERIFIED(plan(bundle, "drop w[0]\nkeep w[11]=0.5"));
        const BundlePtr after = applyAll(bundle, *moved);
        const std::vector<float> expected{0, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0.5f};
        QCOMPARE(decoded(*after, "w"), expected);
        QVERIFY(!plan(bundle, "drop w[0]\nkeep w[11]=0.5\nkeep w[10]=0.5"));
    }

    void roomInTheProgram()
    {
        // Nine survivors become ten: one digit more, taken from the space before the bracket.
        MadeBundle made = nineAtTheEnd();
        (void)made.blob(ElementType::Fp16, "[1]", halves({1}));
        const BundlePtr bundle = *made.open();
        const auto planned = VERIFIED(plan(bundle, "keep w[11]=0.5"));
        const BundlePtr after = applyAll(bundle, *planned);
        const auto program = after->files()[after->programFile()].file->bytes();
        const std::string_view text(reinterpret_cast<const char *>(program.data()), program.size());
        QVERIFY(text.find("tensor<fp16,[10]>") != std::string_view::npos);
        QCOMPARE(decoded(*after, "w")[11], 0.5f);
        // And back to nine, by dropping: the digit's place stays blank.
        const auto back = VERIFIED(plan(after, "drop w[11]"));
        const BundlePtr again = applyAll(after, *back);
        QCOMPARE(decoded(*again, "w"), decoded(**nineAtTheEnd().open(), "w"));
    }

    void literalNeedsRoom()
    {
        MadeBundle made;
        const std::string data = made.blob(ElementType::Int8, "[10]", hex("01020304050607080900"));
        made.line("tensor<fp16, [10]> w = constexpr_affine_dequantize()[axis=int32(0),name=string("
                  "\"w\"),quantized_data=" +
                  data + ",scale=fp16(1),zero_point=int8(0)]");
        made.consume("w");
        const BundlePtr bundle = *made.open();
        QCOMPARE(faults(bundle->diagnostics()), std::vector<std::string>());
        const Error planned = REFUSED(plan(bundle, "scale w[0]=0.1"));
        QCOMPARE(planned.code, "patch.space");
        QCOMPARE(planned.file, "model.mil");
        // A copy has the room that they need, and no more.
        const char *const edits = "scale w[0]=0.1\nset-stored w:zero_point[0]=-100";
        const auto roomy = patch::withLiteralRoom(*bundle, *parseEditScript(edits, "edits"), 0);
        QVERIFY2(roomy && *roomy, roomy ? "no room" : describe(roomy.error()).c_str());
        const auto inCopy = VERIFIED(plan(*roomy, edits));
        const BundlePtr copy = applyAll(*roomy, *inCopy);
        QVERIFY(std::abs(decoded(*copy, "w")[0] - 10.1f) < 0.01f);
        const auto bytes = copy->files()[copy->programFile()].file->bytes();
        const std::string text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
        QVERIFY2(text.find("scale=fp16(0x1.998p-4),zero_point=int8(-100)]") != std::string::npos,
                 text.c_str());
        const auto same =
            patch::withLiteralRoom(*bundle, *parseEditScript("scale w[0]=2", "edits"), 0);
        QVERIFY(same && !*same);
        const auto fits = VERIFIED(plan(bundle, "scale w[0]=2\nset-stored w:zero_point[0]=7"));
        QCOMPARE(decoded(*applyAll(bundle, *fits), "w")[0], -12.0f);
    }

    void fillCountsItsRefusals()
    {
        const BundlePtr bundle = sample("lut4");
        const Error planned = REFUSED(plan(bundle, "fill w[1,:]=0.01"));
        QCOMPARE(planned.code, "patch.unrepresentable");
        QCOMPARE(planned.found, "0.01 for element 8");
        QVERIFY(planned.message.find("8 of 8 elements") != std::string::npos);
        QVERIFY(!bundle->modified());
    }

    void fillOfSparseGaps()
    {
        const BundlePtr bundle = sample("sparse");
        const auto zero = VERIFIED(plan(bundle, "fill w[:]=0"));
        QVERIFY(!(*zero)[0].tables); // stored zeros: the mask stays
        QCOMPARE(decoded(*applyAll(bundle, *zero), "w"), std::vector<float>(64, 0.0f));
        const Error one = REFUSED(plan(sample("sparse"), "fill w[:]=1"));
        // What the mask leaves out holds 0: near enough where the tolerance says so.
        const auto near = VERIFIED(plan(sample("sparse"), "fill w[:]=0.001", 0.01));
        QVERIFY(!plan(sample("sparse"), "fill w[:]=0.02", 0.01));
        QCOMPARE(one.code, "patch.masked");
    }

    void valuesFromNumPy()
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
            const auto planned = VERIFIED(plan(bundle, "from-npy w=" + path.toStdString()));
            QCOMPARE((*planned)[0].elements, std::uint64_t{64});
            QCOMPARE(decoded(*applyAll(bundle, *planned), "w"), values);
        }
    }

    void valuesFromNumPyRefused()
    {
        const QTemporaryDir folder;
        auto values = decoded(*sample("lut4"), "w");
        values[17] += 0.001f;
        values[40] += 0.002f;
        const auto path = writeFile(folder, npyFile({8, 8}, values)).toStdString();
        const Error planned = REFUSED(plan(sample("lut4"), "from-npy w=" + path));
        QVERIFY(planned.found.ends_with("for element 17"));
        QVERIFY(planned.message.find("2 of 64") != std::string::npos);
        const auto tolerant = VERIFIED(plan(sample("lut4"), "from-npy w=" + path, 0.01));
        QVERIFY(std::abs((*tolerant)[0].asked - (*tolerant)[0].stored) > 0.0015);
        writeFile(folder, npyFile({4, 16}, values));
        const Error shaped = REFUSED(plan(sample("lut4"), "from-npy w=" + path));
        QCOMPARE(shaped.code, "patch.shape");
    }

    /// The list of bytes of a large edit stays near the size of what it changes.
    void largeFillStaysSmall()
    {
        MadeBundle made;
        constexpr std::size_t kCount = 200000;
        Bytes data;
        for (std::size_t i = 0; i < kCount; ++i) {
            const auto pair = halves({static_cast<float>(i % 97) / 8.0f});
            data.insert(data.end(), pair.begin(), pair.end());
        }
        made.layer("w", "[200000]", data);
        const BundlePtr bundle = *made.open();
        const auto before = contentOf(*bundle);
        const auto planned = VERIFIED(plan(bundle, "fill w[1000:199000]=0.3"));
        QVERIFY((*planned)[0].bytes.size() <= 4096);
        const BundlePtr after = applyAll(bundle, *planned);
        const auto values = decoded(*after, "w");
        QVERIFY(values[999] != values[1000] && values[198999] == values[1000]);
        QVERIFY(revertEdit(after, (*planned)[0]));
        QCOMPARE(contentOf(*bundle), before);
        QVERIFY(!bundle->modified());
    }
};

KERNSCOPE_TEST(TestPatchRoom, kernscope::test::NoApplication)
#include "tst_patch_room.moc"
