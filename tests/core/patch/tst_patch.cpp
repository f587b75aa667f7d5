// SPDX-License-Identifier: GPL-3.0-or-later
// What is refused and why; edits that see each other.
#include "core/bundle/bundle.h"
#include "core/container/milblob/milblob.h"
#include "core/patch/patch.h"
#include "patch_plans.h"
#include "sample_bundles.h"
#include "tests/test_program.h"

using namespace kernscope;
using namespace kernscope::test;

class TestPatch : public QObject
{
    Q_OBJECT

private slots:
    void refused_data()
    {
        addColumns<QByteArray, QByteArray, QByteArray>();
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

    void refused()
    {
        const auto [form, script, code] = fetched<QByteArray, QByteArray, QByteArray>();
        const BundlePtr bundle = sample(form.constData());
        const auto before = contentOf(*bundle);
        const Error planned = REFUSED(plan(bundle, script.toStdString()));
        QCOMPARE(QByteArray::fromStdString(planned.code), code);
        QVERIFY(!planned.message.empty());
        QCOMPARE(contentOf(*bundle), before);
        QVERIFY(!bundle->modified());
    }

    void refusalNamesTheNearest()
    {
        const BundlePtr bundle = sample("lut2");
        const auto values = decoded(*bundle, "w");
        const Error planned = REFUSED(plan(bundle, "set w[0]=0.0123"));
        float below = -100, above = 100;
        for (const float value : values) {
            below = value <= 0.0123f ? std::max(below, value) : below;
            above = value >= 0.0123f ? std::min(above, value) : above;
        }
        QCOMPARE(planned.expected,
                 fmt::format("{} or {}", static_cast<double>(below), static_cast<double>(above)));
        QCOMPARE(planned.found, "0.0123");
        QVERIFY(plan(bundle, fmt::format("set w[0]={}", above)));
    }

    void refusalNamesTheEdit()
    {
        const Error planned =
            REFUSED(plan(sample("lut4"), "set-stored w:indices[0]=1\nset w[3]=0.123"));
        QVERIFY(planned.message.starts_with("set w[3]=0.123: "));
    }

    void saysWhatIsFar_data()
    {
        addColumns<QByteArray, QByteArray, bool>();
        const auto row = [](const char *form, const char *script, bool far) {
            QTest::addRow("%s, %s", form, script) << QByteArray(form) << QByteArray(script) << far;
        };
        row("dense-fp16", "set w[0]=0.3", false);
        row("dense-fp16", "set w[0]=1e6", true);
        row("dense-fp16", "set w[0]=1e-12", true);
        row("affine", "set w[0]=1000", true);
        row("affine", "set w[0]=-inf", true);
        row("lut4", "set w[0]=1000", true);
        row("lut4", "codebook w[0][1]=0.3", false);
        row("lut4", "codebook w[0][1]=1e6", true);
        row("lut4-vector", "set w[0]=1000", true);
        row("sparse", "fill w[:,:]=1000", true);
        row("affine", "compute w[2:4,:]=w*100", true);
        row("affine", "compute w[2:4,:]=w", false);
    }

    /// A value far from the one asked for: how far, and the range that the form has there.
    void saysWhatIsFar()
    {
        const auto [form, script, far] = fetched<QByteArray, QByteArray, bool>();
        const auto planned = VERIFIED(plan(sample(form.constData()), script.toStdString(),
                                           std::numeric_limits<double>::infinity()));
        const std::string &note = planned->front().note;
        QVERIFY2((note.find("off by ") != std::string::npos) == far, note.c_str());
        const bool one = planned->front().elements == 1;
        QVERIFY2(!far || !one || note.find("the form holds ") != std::string::npos, note.c_str());
    }

    void allOrNothing()
    {
        const BundlePtr bundle = sample("sparse");
        const auto before = contentOf(*bundle);
        QVERIFY(!plan(bundle, "drop w[1]\nfill w[:]=0\nset behind[0]=9\nset behind[16]=1"));
        QCOMPARE(contentOf(*bundle), before);
        QVERIFY(!bundle->modified());
    }

    void laterEditsSeeEarlierOnes()
    {
        const BundlePtr bundle = sample("lut2");
        const auto planned =
            VERIFIED(plan(bundle, "codebook w[0][1]=7.5\nset w[5]=7.5\nset w[5]=7.5"));
        QVERIFY((*planned)[0].tables && !(*planned)[1].tables);
        QCOMPARE((*planned)[1].note, "codebook 0 entry 1");
        QVERIFY((*planned)[2].bytes.empty());
        const BundlePtr after = applyAll(bundle, *planned);
        QCOMPARE(decoded(*after, "w")[5], 7.5f);
    }

    void planOnTopOfChanges()
    {
        const BundlePtr bundle = sample("dense-fp16");
        const auto first = plan(bundle, "set w[0]=5");
        const BundlePtr changed = applyAll(bundle, *first);
        const auto second = VERIFIED(plan(changed, "set w[0]=6"));
        QCOMPARE((*second)[0].oldText, "5");
        QCOMPARE(decoded(*changed, "w")[0], 5.0f);
        QVERIFY(revertEdit(applyAll(changed, *second), (*second)[0]));
        QCOMPARE(decoded(*changed, "w")[0], 5.0f);
        QCOMPARE(pendingRanges(*changed).size(), std::size_t{1});
    }

    void ordinaryRounding_data()
    {
        addColumns<QByteArray, double>();
        addRow("fp16", QByteArray("dense-fp16"), 0.300048828125);
        addRow("fp32", QByteArray("dense-fp32"), static_cast<double>(0.3f));
        addRow("bf16", QByteArray("dense-bf16"), 0.30078125);
    }

    /// Without a tolerance, numbers are rounded as by any conversion; that is no refusal.
    void ordinaryRounding()
    {
        const auto [form, stored] = fetched<QByteArray, double>();
        const auto planned = VERIFIED(plan(sample(form.constData()), "set w[9]=0.3"));
        QCOMPARE((*planned)[0].asked, 0.3);
        QCOMPARE((*planned)[0].stored, stored);
    }

    void sameValueIsNoChange()
    {
        const BundlePtr bundle = sample("affine");
        const float value = decoded(*bundle, "w")[10];
        const auto planned = VERIFIED(plan(bundle, fmt::format("set w[1,2]={}", value)));
        QVERIFY((*planned)[0].bytes.empty() && !(*planned)[0].tables);
    }

    void weightNames()
    {
        MadeBundle made;
        for (const char *name : {"conv_weight_to_fp16_palettized", "a_sparsified", "a_quantized"})
            made.weight(name, "[10]", halves({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
        for (const char *name : {"conv_weight_to_fp16_palettized", "a_sparsified", "a_quantized"})
            made.consume(name);
        const BundlePtr bundle = *made.open();
        QVERIFY(plan(bundle, "set conv_weight_to_fp16_palettized[0]=2"));
        QVERIFY(plan(bundle, "set conv_weight_to_fp16[0]=2"));
        QVERIFY(plan(bundle, "set main/a_quantized[0]=2"));
        QVERIFY(plan(bundle, "set a_sparsified_op[0]=2"));
        const Error ambiguous = REFUSED(plan(bundle, "set a[0]=2"));
        QCOMPARE(ambiguous.expected, "main/a_sparsified, main/a_quantized");
        const Error unknown = REFUSED(plan(bundle, "set conv_weight[0]=2"));
        QVERIFY(unknown.expected.starts_with("conv_weight_to_fp16_palettized"));
    }

    void conflictIsRefused()
    {
        const BundlePtr bundle = sample("dense-fp16");
        const auto planned = plan(bundle, "set w[0]=5");
        QVERIFY(!revertEdit(bundle, (*planned)[0]));
        QVERIFY(applyEdit(bundle, (*planned)[0]));
        const Error twice = REFUSED(applyEdit(bundle, (*planned)[0]));
        QCOMPARE(twice.code, "patch.conflict");
    }

    void cancelled()
    {
        Progress progress;
        progress.cancel();
        const BundlePtr bundle = sample("dense-fp16");
        const Error planned =
            REFUSED(planEdits(bundle, {*parseEdit(Edit::Kind::Fill, "w[:]=3")}, 0.0, &progress));
        QCOMPARE(planned.code, "task.cancelled");
        QVERIFY(!bundle->modified());
    }
};

KERNSCOPE_TEST(TestPatch, kernscope::test::NoApplication)
#include "tst_patch.moc"
