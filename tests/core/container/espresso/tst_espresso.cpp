// SPDX-License-Identifier: GPL-3.0-or-later
// Made-up compiled networks of the published layout.
#include "core/container/espresso/espresso.h"
#include "rewrite.h"

#include "core/bundle/bundle.h"
#include "core/patch/patch.h"
#include "made_bundle.h"
#include "made_espresso.h"
#include "tests/test_program.h"

using namespace kernscope;
using namespace kernscope::test;

namespace {

BundlePtr openNet(const std::string &net, const Payload &weights)
{
    return Bundle::open("n.mlmodelc", {.memory = {{"model.espresso.net", bytesOfText(net)},
                                                  {"model.espresso.weights", weights}}})
        .value_or(nullptr);
}

std::string codes(const Bundle &bundle)
{
    std::string text;
    for (const Diagnostic &row : bundle.diagnostics())
        text += row.error.code + " ";
    return text;
}

} // namespace

class TestEspresso : public QObject
{
    Q_OBJECT

private slots:
    void reads()
    {
        const auto opened = VERIFIED(Bundle::open("n.mlmodelc", madeEspresso()));
        const Bundle &bundle = **opened;
        QCOMPARE(codes(bundle), std::string());
        QCOMPARE(bundle.kind(), BundleKind::Mlmodelc);
        QCOMPARE(bundle.weights().size(), std::size_t(5));
        QCOMPARE(decoded(bundle, "conv.weights"), (std::vector<float>{1, 2, 3, 4}));
        QCOMPARE(bundle.weights()[*bundle.weightByName("conv.weights")].shape, (Shape{2, 1, 1, 2}));
        QCOMPARE(decoded(bundle, "conv.bias"), (std::vector<float>{0.25F, -0.25F}));
        QCOMPARE(bundle.weights()[*bundle.weightByName("bn.params")].shape, (Shape{2, 4}));
        QCOMPARE(decoded(bundle, "half.weights"), (std::vector<float>{0.5F, -2}));
        // code * scale + bias, a scale and a bias a row.
        QCOMPARE(decoded(bundle, "fc.weights"),
                 (std::vector<float>{-1, -0.75F, -0.5F, 125.5F, 48, 98}));
        QCOMPARE(formText(bundle.weights()[*bundle.weightByName("fc.weights")].form), "affine");
        const mil::Function &function = bundle.program()->functions.at(0);
        QCOMPARE(function.body.operations.size(), std::size_t(5));
        QCOMPARE(function.inputs.at(0).name, "image");
        QCOMPARE(function.body.outputs, (std::vector<std::string>{"out"}));
        QCOMPARE(bundle.program()->version, "2.0");
    }

    /// One value, one code, one scale: the bytes announced, and what the others decode to stays.
    void patches()
    {
        const auto opened = VERIFIED(Bundle::open("n.mlmodelc", madeEspresso()));
        BundlePtr bundle = *opened;
        for (const auto &[text, name, wanted] :
             {std::tuple("conv.weights[1,0,0,0]=-7", "conv.weights",
                         std::vector<float>{1, 2, -7, 4}),
              std::tuple("fc.weights[0,1]=1", "fc.weights",
                         std::vector<float>{-1, 1, -0.5F, 125.5F, 48, 98})}) {
            const auto edit = VERIFIED(parseEdit(Edit::Kind::Set, text));
            const auto planned = VERIFIED(planEdits(bundle, {*edit}, 0));
            const auto after = VERIFIED(applyEdit(bundle, planned->front()));
            QCOMPARE(decoded(**after, name), wanted);
        }
    }

    void faults_data()
    {
        addColumns<QByteArray, QByteArray>();
        const auto layer = [](const char *fields) {
            return QByteArray(
                       R"({"format_version":200,"layers":[{"type":"inner_product","name":"fc",)"
                       R"("bottom":"a","top":"b",)") +
                   fields + "}]}";
        };
        addRow("no JSON", QByteArray("{\"layers\": ["), QByteArray("espresso.net "));
        addRow("no layers", QByteArray("{}"), QByteArray("espresso.net "));
        addRow("compressed", QByteArray("pbze...."), QByteArray("espresso.net "));
        addRow("missing", layer(R"("nB":2,"nC":2,"blob_weights":99)"),
               QByteArray("espresso.missing "));
        addRow("length", layer(R"("nB":2,"nC":3,"blob_weights":1)"),
               QByteArray("espresso.length "));
        addRow("extents too large", layer(R"("nB":4294967296,"nC":4294967297,"blob_weights":1)"),
               QByteArray("espresso.length "));
        addRow("scales", layer(R"("nB":2,"nC":4,"weights":{"W_U8":3})"),
               QByteArray("espresso.length "));
        addRow("negative", layer(R"("nB":2,"nC":2,"blob_weights":-1)"), QByteArray(""));
        addRow("sound", layer(R"("nB":2,"nC":1,"blob_weights":1)"), QByteArray(""));
    }

    void faults()
    {
        const auto [net, code] = fetched<QByteArray, QByteArray>();
        const Payload weights = espressoWeights({{1, floatsOf({1, 2})}, {3, Payload(8)}});
        const BundlePtr bundle = VERIFIED(openNet(net.toStdString(), weights));
        QCOMPARE(codes(*bundle), code.toStdString());
    }

    void tables()
    {
        const Payload sound = espressoWeights({{1, Payload(4)}, {3, Payload(6)}});
        const auto table = VERIFIED(espresso::readBlobs(sound, "w"));
        QCOMPARE(table->blobs.size(), std::size_t(2));
        QCOMPARE(table->find(3)->data.offset, FileOffset(44));
        QCOMPARE(*espresso::writeBlobs(*table, sound), sound);
        QVERIFY(!espresso::writeBlobs(*table, std::span(sound).first(49)));
        const auto code = [](const Payload &bytes) {
            const auto read = espresso::readBlobs(bytes, "w");
            return read ? std::string() : read.error().code;
        };
        QCOMPARE(code(Payload(7)), "espresso.table");
        Payload many = sound;
        many[7] = std::byte{0x80};
        QCOMPARE(code(many), "espresso.table");
        Payload cut(sound.begin(), sound.end() - 1);
        QCOMPARE(code(cut), "espresso.blob");
        QCOMPARE(code(espressoWeights({{1, Payload(4)}, {1, Payload(4)}})), "espresso.blob");
    }
};

KERNSCOPE_TEST(TestEspresso, kernscope::test::NoApplication)
#include "tst_espresso.moc"
