// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/weight_facts.h"
#include "core/codec/decode/decoder.h"
#include "core/codec/encode/form_spec.h"
#include "made_bundle.h"
#include "proto_builder.h"

#include "core/compare/compare.h"
#include "core/compare/element_changes.h"
#include "core/patch/patch.h"
#include "core/patch/reencode/reencode.h"
#include "tests/rows.h"

using prototest::bytes;
using prototest::number;
using prototest::varint;

namespace {

QByteArray floats(const std::vector<float> &values)
{
    return {reinterpret_cast<const char *>(values.data()),
            qsizetype(values.size() * sizeof(float))};
}

/// Codes packed highest bit first.
QByteArray packedCodes(const std::vector<unsigned> &codes, unsigned bits)
{
    QByteArray out((qsizetype(codes.size() * bits) + 7) / 8, '\0');
    for (std::size_t i = 0; i < codes.size() * bits; ++i) {
        const unsigned bit = codes[i / bits] >> (bits - 1 - i % bits) & 1;
        out[qsizetype(i / 8)] =
            char(static_cast<unsigned char>(out[qsizetype(i / 8)]) | bit << (7 - i % 8));
    }
    return out;
}

QByteArray table(unsigned bits, const std::vector<float> &entries)
{
    return bytes(40, number(1, bits) + bytes(102, bytes(1, floats(entries))));
}

QByteArray linear(unsigned bits, const std::vector<float> &scales, const std::vector<float> &biases)
{
    return bytes(40, number(1, bits) + bytes(101, bytes(1, floats(scales)) +
                                                      (biases.empty() ? QByteArray()
                                                                      : bytes(2, floats(biases)))));
}

/// An inner product of [outputs, inputs] with these WeightParams.
QByteArray innerProduct(const char *name, quint64 outputs, quint64 inputs,
                        const QByteArray &weights)
{
    return bytes(1, bytes(1, name) +
                        bytes(140, number(1, inputs) + number(2, outputs) + bytes(20, weights)));
}

QByteArray network(const QByteArray &layers)
{
    return number(1, 4) + bytes(500, layers);
}

BundlePtr openNetwork(const QByteArray &raw)
{
    return Bundle::open("net.mlmodel", {.memory = {{"net.mlmodel", asBytes(raw)}}})
        .value_or(nullptr);
}

} // namespace

/// Neural networks of the kind before programs, alone and in pipelines.
class TestNetwork : public QObject
{
    Q_OBJECT

private slots:
    void widths_data() { addRange(1U, 9U); }

    /// Lookup tables of every width: read, and edited without touching a neighbour.
    void widths()
    {
        const auto [bits] = fetched<unsigned>();
        std::vector<float> entries(std::size_t(1) << bits);
        for (std::size_t i = 0; i < entries.size(); ++i)
            entries[i] = float(i) - 2.0f;
        std::vector<unsigned> codes;
        for (unsigned i = 0; i < 15; ++i)
            codes.push_back(i * 37 % unsigned(entries.size()));
        const BundlePtr bundle = VERIFIED(openNetwork(network(
            innerProduct("d", 3, 5, bytes(30, packedCodes(codes, bits)) + table(bits, entries)))));
        QCOMPARE(bundle->kind(), BundleKind::Network);
        QCOMPARE(test::faults(bundle->diagnostics()), std::vector<std::string>());
        QCOMPARE(sectionFault(*bundle), std::string());
        const Weight &weight = bundle->weights().at(0);
        QCOMPARE(weight.name, "d.weights");
        QCOMPARE(formText(weight.form), "palette");
        QVERIFY(weight.shape == (Shape{3, 5}));
        std::vector<float> wanted;
        for (const unsigned code : codes)
            wanted.push_back(entries[code]);
        QCOMPARE(decoded(*bundle, "d.weights"), wanted);

        for (std::size_t element = 0; element < codes.size(); ++element) {
            const unsigned code = (codes[element] + 1) % unsigned(entries.size());
            const std::string text = "d.weights[" + std::to_string(element / 5) + "," +
                                     std::to_string(element % 5) +
                                     "]=" + std::to_string(int(entries[code]));
            const auto edit = VERIFIED(parseEdit(Edit::Kind::Set, text));
            const auto planned = VERIFIED(planEdits(bundle, {*edit}, 0));
            const auto after = VERIFIED(applyEdit(bundle, planned->front()));
            wanted[element] = entries[code];
            QCOMPARE(decoded(**after, "d.weights"), wanted);
            // Marked as changed are those that were edited, and no neighbour.
            const auto decoder = VERIFIED((*after)->decoder(0));
            const ElementChanges changes(**after, 0, *decoder);
            for (std::size_t other = 0; other < codes.size(); ++other)
                QVERIFY2(changes.changed(other) == (other <= element),
                         qPrintable(QString::number(other)));
        }
    }

    /// w = scale * code + bias, with one rounding each.
    void linearCodes()
    {
        const std::vector<unsigned> codes{0, 1, 2, 3, 4, 5, 6, 7};
        const BundlePtr bundle = VERIFIED(openNetwork(network(
            innerProduct("a", 2, 4,
                         bytes(30, packedCodes(codes, 3)) + linear(3, {0.5f, 0.25f}, {-1, 2})) +
            innerProduct("b", 2, 4, bytes(30, packedCodes(codes, 7)) + linear(7, {2}, {})) +
            innerProduct("c", 1, 3,
                         bytes(31, QByteArray("\xFF\x02\x80", 3)) + linear(8, {0.5f}, {})) +
            innerProduct("h", 1, 2, bytes(2, QByteArray("\x00\x3C\x00\xC0", 4))))));
        QCOMPARE(test::faults(bundle->diagnostics()), std::vector<std::string>());
        QCOMPARE(decoded(*bundle, "a.weights"),
                 (std::vector<float>{-1, -0.5f, 0, 0.5f, 3, 3.25f, 3.5f, 3.75f}));
        QCOMPARE(decoded(*bundle, "b.weights"), (std::vector<float>{0, 2, 4, 6, 8, 10, 12, 14}));
        QCOMPARE(decoded(*bundle, "c.weights"), (std::vector<float>{-0.5f, 1, -64}));
        QCOMPARE(decoded(*bundle, "h.weights"), (std::vector<float>{1, -2}));
        const auto edit = parseEdit(Edit::Kind::Set, "a.weights[1,0]=3.5");
        const auto planned = VERIFIED(planEdits(bundle, {*edit}, 0));
        QVERIFY(applyEdit(bundle, planned->front()));
        QCOMPARE(decoded(*bundle, "a.weights")[4], 3.5f);
        QCOMPARE(decoded(*bundle, "a.weights")[5], 3.25f);
    }

    /// Numbers in several packed runs, and not packed at all.
    void pieces()
    {
        QByteArray loose;
        for (const float value : {1.0f, 2.0f, 3.0f})
            loose += varint(1 << 3 | 5) + floats({value});
        const BundlePtr bundle = VERIFIED(openNetwork(
            network(innerProduct("a", 1, 3, loose) +
                    innerProduct("b", 2, 2, bytes(1, floats({1, 2, 3})) + bytes(1, floats({4}))))));
        QCOMPARE(test::faults(bundle->diagnostics()), std::vector<std::string>());
        QCOMPARE(sectionFault(*bundle), std::string());
        QCOMPARE(decoded(*bundle, "a.weights"), (std::vector<float>{1, 2, 3}));
        QCOMPARE(decoded(*bundle, "b.weights"), (std::vector<float>{1, 2, 3, 4}));
        const auto edit = parseEdit(Edit::Kind::Set, "a.weights[0,1]=-7");
        const auto planned = VERIFIED(planEdits(bundle, {*edit}, 0));
        QVERIFY(applyEdit(bundle, planned->front()));
        QCOMPARE(decoded(*bundle, "a.weights"), (std::vector<float>{1, -7, 3}));
    }

    /// Weights of batchedMatmul are [X1, X2], stored column by column; scales run along X2.
    void columns()
    {
        const auto layer = [](const char *name, const QByteArray &weights) {
            return bytes(1, bytes(1, name) +
                                bytes(1045, number(5, 2) + number(6, 3) + bytes(8, weights)));
        };
        const std::vector<unsigned> codes{1, 2, 3, 4, 5, 6};
        QByteArray loose;
        for (const float value : {1.0f, 4.0f, 2.0f, 5.0f, 3.0f, 6.0f})
            loose += varint(1 << 3 | 5) + floats({value});
        const BundlePtr bundle = VERIFIED(openNetwork(network(
            layer("f", bytes(1, floats({1, 4, 2, 5, 3, 6}))) + layer("l", loose) +
            layer("q", bytes(30, packedCodes(codes, 8)) + linear(8, {1, 10, 100}, {})) +
            layer("n", bytes(30, packedCodes(codes, 3)) + linear(3, {1, 10, 100}, {0, 0, 1})) +
            layer("i", bytes(31, QByteArray("\x01\x02\xFF\x04\x05\x06", 6)) +
                           linear(8, {0.5f, 1, 2}, {})))));
        QCOMPARE(test::faults(bundle->diagnostics()), std::vector<std::string>());
        QVERIFY(bundle->weights().at(0).shape == (Shape{2, 3}));
        const std::vector<float> rows{1, 2, 3, 4, 5, 6};
        QCOMPARE(decoded(*bundle, "f.weights"), rows);
        QCOMPARE(decoded(*bundle, "l.weights"), rows);
        QCOMPARE(decoded(*bundle, "q.weights"), (std::vector<float>{1, 30, 500, 2, 40, 600}));
        QCOMPARE(decoded(*bundle, "n.weights"), (std::vector<float>{1, 30, 501, 2, 40, 601}));
        QCOMPARE(decoded(*bundle, "i.weights"), (std::vector<float>{0.5f, -1, 10, 1, 4, 12}));
        for (const char *name : {"f", "l", "q", "n", "i"}) {
            const auto edit = parseEdit(Edit::Kind::Set, std::string(name) + ".weights[1,0]=3");
            const auto planned = VERIFIED(planEdits(bundle, {*edit}, 0));
            const auto before = decoded(*bundle, std::string(name) + ".weights");
            QVERIFY(applyEdit(bundle, planned->front()));
            auto wanted = before;
            wanted[3] = 3;
            QCOMPARE(decoded(*bundle, std::string(name) + ".weights"), wanted);
        }
    }

    void faults_data()
    {
        const auto row = addColumns<QByteArray, QByteArray>();
        row("no bits", bytes(30, "ab") + linear(0, {1}, {}), "network.bits");
        row("too many bits", bytes(30, "ab") + linear(9, {1}, {}), "network.bits");
        row("no scale", bytes(30, "ab") + bytes(40, number(1, 8) + bytes(101, "")),
            "network.scale");
        row("too many scales", bytes(30, "ab") + linear(8, {1, 2, 3}, {}), "network.scale");
        row("short table", bytes(30, "ab") + table(4, {1, 2, 3}), "network.table");
        row("other length", bytes(1, floats({1, 2, 3})), "network.shape");
    }

    void faults()
    {
        const auto [weights, code] = fetched<QByteArray, QByteArray>();
        const BundlePtr bundle = VERIFIED(openNetwork(network(
            innerProduct("d", 1, 2, weights) + innerProduct("e", 1, 1, bytes(1, floats({5}))))));
        QCOMPARE(bundle->diagnostics().size(), 1U);
        QCOMPARE(bundle->diagnostics().front().error.code, code.toStdString());
        QVERIFY(bundle->diagnostics().front().error.offset);
        QCOMPARE(sectionFault(*bundle), std::string());
        QCOMPARE(decoded(*bundle, "e.weights"), std::vector<float>{5});
    }

    /// fp32 becomes fp16 and a palette; the message is another one, the other layer stays.
    void reencodes()
    {
        std::vector<float> values(24);
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = float(i % 5) * 0.5F - 1;
        const BundlePtr bundle =
            VERIFIED(openNetwork(network(innerProduct("a", 4, 6, bytes(1, floats(values))) +
                                         innerProduct("b", 1, 2, bytes(1, floats({7, 8}))))));
        const auto half = codec::encodeDense(values, {4, 6}, ElementType::Fp16);
        codec::PaletteOptions three;
        three.bits = 3;
        const auto palette = codec::encodePalette(values, {4, 6}, three);
        QVERIFY(half && palette);
        for (const auto &[encoded, form] :
             {std::pair(&*half, "dense-fp16"), std::pair(&*palette, "palette")}) {
            const auto made = VERIFIED(reencodeWeight(*bundle, 0, *encoded));
            QCOMPARE(formText((*made)->weights()[0].form), std::string(form));
            QCOMPARE(decoded(**made, "a.weights"), values);
            QCOMPARE(decoded(**made, "b.weights"), (std::vector<float>{7, 8}));
            QCOMPARE(test::faults((*made)->diagnostics()), std::vector<std::string>());
        }
        const auto affine = [&](ElementType type, bool channels, bool symmetric) {
            return codec::encodeAffine(
                values, {4, 6},
                {type, channels ? std::optional<std::uint64_t>(0) : std::nullopt, symmetric});
        };
        for (const ElementType type :
             {ElementType::Int8, ElementType::Uint8, ElementType::Int4, ElementType::Uint1,
              ElementType::Uint2, ElementType::Uint3, ElementType::Uint4, ElementType::Uint6}) {
            for (const bool channels : {true, false}) {
                auto encoded =
                    VERIFIED(affine(type, channels, type != ElementType::Uint1 && channels));
                codec::widenToFp32(*encoded);
                const auto made = VERIFIED(reencodeWeight(*bundle, 0, *encoded));
                QCOMPARE(formText((*made)->weights()[0].form), std::string("affine"));
                const auto wanted = VERIFIED(codec::Decoder::make(encoded->encoding()));
                const auto found = VERIFIED((*made)->decoder(0));
                std::vector<float> announced(values.size()), stored(values.size());
                wanted->decodeFloat(0, announced);
                found->decodeFloat(0, stored);
                QCOMPARE(stored, announced);
                QCOMPARE(decoded(**made, "b.weights"), (std::vector<float>{7, 8}));
                QCOMPARE(test::faults((*made)->diagnostics()), std::vector<std::string>());
            }
        }
        const auto halves = VERIFIED(reencodeWeight(*bundle, 0, *half));
        const auto codes = VERIFIED(affine(ElementType::Int8, true, true)); // of fp16 values
        QVERIFY(reencodeWeight(**halves, 0, *codes));
        for (const ElementType type : {ElementType::Uint5, ElementType::Uint7, ElementType::Int32})
            QVERIFY(!affine(type, true, true));
        QCOMPARE(
            REFUSED(reencodeWeight(*bundle, 0,
                                   *codec::encodeAffine(values, {4, 6}, {ElementType::Int8, 1})))
                .expected,
            std::string("scales along axis 0"));
        const auto sparse = VERIFIED(codec::encodeSparse(values, {4, 6}, 0.1F));
        QCOMPARE(REFUSED(reencodeWeight(*bundle, 0, *sparse)).code, "encode.form");
    }

    /// The outputs of a deconvolution are the second axis, along which its scales lie.
    void deconvolution()
    {
        const std::vector<float> values{1, 2, 3, 4, 5, 6};
        const BundlePtr bundle = VERIFIED(openNetwork(network(
            bytes(1, bytes(1, "d") +
                         bytes(100, number(1, 3) + number(2, 2) + number(20, 1) + number(20, 1) +
                                        number(60, 1) + bytes(90, bytes(1, floats(values))))))));
        QCOMPARE(bundle->weights()[0].shape, (Shape{2, 3, 1, 1}));
        const ChannelAxes axes = judgedAxes(*bundle)[0];
        QCOMPARE(axes.output, 1U);
        QCOMPARE(axes.input, 0U);
        const auto codes = codec::encodeAffine(values, {2, 3, 1, 1}, {ElementType::Int8, 1});
        const auto made = VERIFIED(reencodeWeight(*bundle, 0, *codes));
        QCOMPARE(formText((*made)->weights()[0].form), std::string("affine"));
    }

    /// Readers of iOS 11.0 know neither fp16 nor codes.
    void raisesTheSpecification()
    {
        const std::vector<float> values{1, 2, 3, 4};
        const QByteArray inner =
            number(1, 1) + bytes(500, innerProduct("a", 2, 2, bytes(1, floats(values))));
        const auto half = codec::encodeDense(values, {2, 2}, ElementType::Fp16);
        const auto codes = codec::encodeAffine(values, {2, 2}, {});
        for (const auto &[encoded, least] : {std::pair(&*half, "2"), std::pair(&*codes, "3")}) {
            const auto made = VERIFIED(reencodeWeight(*openNetwork(inner), 0, *encoded));
            QCOMPARE((*made)->program()->models.front().specification, std::string(least));
        }
    }

    void pipelines()
    {
        const QByteArray inner = network(innerProduct("d", 1, 2, bytes(1, floats({1, 2}))));
        const QByteArray other = number(1, 3) + bytes(610, number(1, 1));
        const QByteArray pipeline =
            bytes(1, inner) + bytes(1, other) + bytes(1, inner) + bytes(2, "net") + bytes(2, "nms");
        const QByteArray nested =
            number(1, 4) +
            bytes(200, bytes(1, bytes(1, number(1, 4) + bytes(202, pipeline)) + bytes(2, "outer")));
        for (const QByteArray &raw : {number(1, 4) + bytes(202, pipeline), nested}) {
            const BundlePtr bundle = VERIFIED(openNetwork(raw));
            QCOMPARE(bundle->kind(), BundleKind::Pipeline);
            QCOMPARE(test::faults(bundle->diagnostics()), std::vector<std::string>());
            QCOMPARE(sectionFault(*bundle), std::string());
            QCOMPARE(bundle->weights().size(), 2U);
            const std::string path = raw == nested ? "outer/" : "";
            QCOMPARE(bundle->weights()[0].address(), path + "net/d.weights");
            QCOMPARE(bundle->weights()[1].address(), path + "model2/d.weights");
            QVERIFY(!bundle->weightByName("d.weights"));
            QVERIFY(bundle->weights()[0].sharesName);
            const auto refused =
                planEdits(bundle, {*parseEdit(Edit::Kind::Set, "d.weights[0,0]=3")}, 0);
            QVERIFY(!refused);
            const auto planned = VERIFIED(
                planEdits(bundle, {*parseEdit(Edit::Kind::Set, "model2/d.weights[0,0]=3")}, 0));
            QVERIFY(applyEdit(bundle, planned->front()));
            QCOMPARE(decoded(*bundle, path + "net/d.weights"), (std::vector<float>{1, 2}));
            QCOMPARE(decoded(*bundle, path + "model2/d.weights"), (std::vector<float>{3, 2}));
        }
    }

    /// What a layer says beside its weights: numbers in a row or each alone, one of several
    /// messages, words of enums.
    void attributes()
    {
        const auto layer = [](const char *name, quint32 kind, const QByteArray &content) {
            return bytes(1, bytes(1, name) + bytes(2, "x") + bytes(3, name) + bytes(kind, content));
        };
        const auto read = [&](const QByteArray &layers) { return *openNetwork(network(layers)); };
        const QByteArray pool = number(1, 1) + bytes(10, "\x02\x03") + number(20, 2);
        const auto a = read(layer("p", 120, pool + number(20, 3) + bytes(30, {})) +
                            layer("a", 130, bytes(15, "\x0d" + floats({0.5F}))));
        const auto b = read(layer("p", 120, pool + number(20, 1) + bytes(31, number(1, 1))) +
                            layer("a", 130, bytes(15, "\x0d" + floats({0.25F}))));
        const auto found = compareBundles(a, b, {}).value().program.detail;
        QCOMPARE(found.changes.size(), 2U);
        QCOMPARE(found.changes[0].operation, "p");
        QCOMPARE(found.changes[0].details,
                 (std::vector<std::string>{
                     "same: none > bool [] (1)",
                     "same.asymmetryMode: none > string [] \"TOP_LEFT_HEAVY\"",
                     "stride: int64 [2] (2, 3) > int64 [2] (2, 1)", "valid: bool [] (1) > none"}));
        QCOMPARE(found.changes[1].details,
                 std::vector<std::string>{"leakyReLU.alpha: fp32 [] (0.5) > fp32 [] (0.25)"});
    }

    /// Both sides of a branch may have a layer of one name.
    void twoOfOneName()
    {
        const BundlePtr bundle =
            VERIFIED(openNetwork(network(innerProduct("d", 1, 2, bytes(1, floats({1, 2}))) +
                                         innerProduct("d", 1, 2, bytes(1, floats({3, 4}))))));
        QCOMPARE(bundle->weights().size(), 2U);
        QCOMPARE(decoded(*bundle, "d.weights"), (std::vector<float>{1, 2}));
        QCOMPARE(decoded(*bundle, "d.weights#2"), (std::vector<float>{3, 4}));
        const auto planned =
            VERIFIED(planEdits(bundle, {*parseEdit(Edit::Kind::Set, "d.weights#2[0,0]=5")}, 0));
        QVERIFY(applyEdit(bundle, planned->front()));
        QCOMPARE(decoded(*bundle, "d.weights#2"), (std::vector<float>{5, 4}));
    }

    /// Nearest neighbours, trees and their like alone: listed, without weights.
    void otherKinds()
    {
        const BundlePtr bundle =
            VERIFIED(openNetwork(number(1, 4) + bytes(404, bytes(101, bytes(1, varint(3))))));
        QCOMPARE(bundle->kind(), BundleKind::Model);
        QCOMPARE(bundleKindName(bundle->kind()), std::string_view("model"));
        QCOMPARE(test::faults(bundle->diagnostics()), std::vector<std::string>());
        QCOMPARE(sectionFault(*bundle), std::string());
        QVERIFY(bundle->weights().empty());
    }
};

KERNSCOPE_TEST(TestNetwork, NoApplication)
#include "tst_network.moc"
