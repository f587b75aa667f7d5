// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/bundle_report.h"
#include "core/report/tensor_export.h"
#include "made_bundle.h"
#include "tests/test_program.h"

namespace {

template <class Number>
Bytes rawOf(const std::vector<Number> &numbers)
{
    const auto raw = std::as_bytes(std::span(numbers));
    return {raw.begin(), raw.end()};
}

/// A bundle with a weight of fp16, one of fp32, one of uint8, and one that cannot be read.
BundlePtr several()
{
    MadeBundle made;
    made.weight("half", "[2, 3]", halves({1, -2, 0.5F, 4, 0, 6}));
    made.weight("wide", "[4]", rawOf(std::vector<float>{1.0F / 3.0F, 1e30F, -1e-30F, 4.0F}),
                ElementType::Fp32);
    made.weight("bytes", "[3]", hex("01 ff 80"), ElementType::Uint8);
    made.op("lost", "[3]", "constexpr_magic_to_dense(data = half)");
    for (const char *name : {"half", "wide", "bytes", "lost"})
        made.consume(name);
    return made.open().value_or(nullptr);
}

Bytes written(const Bundle &bundle, const report::TensorExport &plan)
{
    Bytes file;
    const auto done = report::writeTensors(
        bundle, plan, [&file](std::span<const std::byte> some) -> Result<void> {
            file.insert(file.end(), some.begin(), some.end());
            return {};
        });
    return done ? file : Bytes();
}

std::vector<std::size_t> all(const Bundle &bundle)
{
    std::vector<std::size_t> weights(bundle.weights().size());
    std::iota(weights.begin(), weights.end(), std::size_t{0});
    return weights;
}

} // namespace

/// Whole bundles in other formats: tensors, and a report.
class TestTensorExport : public QObject
{
    Q_OBJECT

private slots:
    void readsBackTheSame_data()
    {
        QTest::addColumn<QString>("file");
        addRow("safetensors", u"all.safetensors"_s);
        addRow("npz", u"all.npz"_s);
    }

    void readsBackTheSame()
    {
        QFETCH(QString, file);
        const std::string name = file.toStdString();
        const BundlePtr bundle = VERIFIED(several());
        const auto kind = VERIFIED(report::tensorFileOf(name));
        const auto plan = VERIFIED(report::planTensors(*bundle, all(*bundle), std::nullopt, *kind));
        QCOMPARE(plan->head.size() % 8, 0U);
        QCOMPARE(plan->tensors.size(), 3U);
        QCOMPARE(plan->notes.size(), 1U); // the one that cannot be read
        QVERIFY(plan->notes.front().severity == Severity::Error);
        OpenOptions options;
        options.memory.emplace_back(name, written(*bundle, *plan));
        QCOMPARE(options.memory.front().second.size(), plan->bytes);
        const auto back = VERIFIED(Bundle::open(name, options));
        QVERIFY((*back)->diagnostics().empty());
        for (const char *weight : {"half", "wide", "bytes"}) {
            QCOMPARE(decoded(**back, weight), decoded(*bundle, weight));
            QCOMPARE((*back)->weights()[*(*back)->weightByName(weight)].shape,
                     bundle->weights()[*bundle->weightByName(weight)].shape);
        }
        QVERIFY(!(*back)->weightByName("lost"));
    }

    void typesOnDemand()
    {
        const BundlePtr bundle = VERIFIED(several());
        const std::vector<std::size_t> wide{*bundle->weightByName("wide"),
                                            *bundle->weightByName("wide")};
        const auto plan = VERIFIED(report::planTensors(*bundle, wide, ElementType::Fp16));
        QCOMPARE(plan->tensors[0].bytes, 8U);
        QCOMPARE(plan->notes.front().error.code, "decode.rounded");
        QVERIFY(plan->tensors[0].name != plan->tensors[1].name); // names are keys
        const auto whole = report::planTensors(*bundle, wide, std::nullopt);
        QVERIFY(whole && whole->notes.empty());
        QVERIFY(whole->tensors[0].type == ElementType::Fp32);
    }

    /// Integers of 64 bits are written as they are stored, not as the nearest fp64.
    void wideIntegers()
    {
        const std::vector<std::int64_t> values{(1LL << 53) + 1, INT64_MIN, -1};
        const Bytes raw = rawOf(values);
        const QByteArray file =
            safetensors(R"({"i":{"dtype":"I64","shape":[2],"data_offsets":[0,16]},)"
                        R"("u":{"dtype":"U64","shape":[1],"data_offsets":[16,24]}})",
                        asArray(raw));
        const BundlePtr bundle = *VERIFIED(
            Bundle::open("w.safetensors", {.memory = {{"w.safetensors", asBytes(file)}}}));
        const auto plan = VERIFIED(report::planTensors(*bundle, all(*bundle), std::nullopt,
                                                       report::TensorFile::Safetensors));
        QVERIFY(plan->notes.empty());
        const Bytes made = written(*bundle, *plan);
        QVERIFY(made.size() > raw.size() &&
                std::equal(raw.begin(), raw.end(), made.end() - std::ptrdiff_t(raw.size())));
    }

    void cancelled()
    {
        const BundlePtr bundle = VERIFIED(several());
        const auto plan = report::planTensors(*bundle, all(*bundle), std::nullopt);
        Progress progress;
        progress.cancel();
        const auto done = report::writeTensors(
            *bundle, *plan, [](std::span<const std::byte>) -> Result<void> { return {}; },
            &progress);
        QVERIFY(!done);
        QCOMPARE(done.error().code, "task.cancelled");
    }

    /// Every weight and fault is named, texts of the file are no markup, and cancelling ends it.
    void reportOfABundle()
    {
        const BundlePtr bundle = VERIFIED(several());
        report::BundleReport asked;
        asked.bundle = bundle.get();
        asked.notes = {{"half[0,1]", "<script>look & see</script>"}};
        asked.diagnostics = bundle->diagnostics();
        const auto plain = VERIFIED(report::bundleHtml(asked));
        const QString text = QString::fromStdString(*plain);
        for (const char *name : {"half", "wide", "bytes", "lost", "H13", "weight.bin"})
            QVERIFY2(text.contains(QLatin1String(name)), name);
        QVERIFY(text.contains("&lt;script&gt;look &amp; see"_L1));
        QVERIFY(!text.contains("<script"_L1));
        QVERIFY(text.contains("constexpr_magic_to_dense"_L1)); // the fault
        QVERIFY(!text.contains("<img"_L1));
        // Only files of weights have records.
        const qsizetype files = text.indexOf("<h2>Files</h2>"_L1);
        const QString table = text.mid(files, text.indexOf("</table>"_L1, files) - files);
        for (const QString &row : table.split("<tr>"_L1).mid(2))
            QVERIFY2(row.contains("weight.bin"_L1) || row.count("<td class=\"n\"></td>"_L1) == 2,
                     qPrintable(row));
        asked.statistics = computeAllStatistics(*bundle, {true, false}).weights;
        const auto figures = VERIFIED(report::bundleHtml(asked));
        QCOMPARE(QString::fromStdString(*figures).count("<img"_L1), 3);
        QVERIFY(text.contains(". 4 weights ("_L1));
        MadeBundle made;
        made.weight("bytes", "[3]", hex("01 ff 80"), ElementType::Uint8);
        const auto one = VERIFIED(made.open());
        report::BundleReport single;
        single.bundle = one->get();
        QVERIFY(report::bundleHtml(single)->find(". 1 weight (") != std::string::npos);
        Progress progress;
        progress.cancel();
        const Error stopped = REFUSED(report::bundleHtml(asked, &progress));
        QCOMPARE(stopped.code, "task.cancelled");
    }
};

KERNSCOPE_TEST(TestTensorExport, NoApplication)
#include "tst_tensor_export.moc"
