// SPDX-License-Identifier: GPL-3.0-or-later
// What the targets fuzz_network and fuzz_checkpoint look for, on small files whose every cut and
// some thousand changes are tried: no crash, no endless loop, and every fault with its place.
#include "core/bundle/bundle.h"
#include "core/codec/decode/decoder.h"
#include "core/form/encoding.h"
#include "made_checkpoint.h"
#include "proto_builder.h"

#include "core/bundle/statistics.h"
#include "tests/test_program.h"

using namespace kernscope;
using namespace kernscope::test;
using prototest::bytes;
using prototest::number;

namespace {

QByteArray layer(const char *name, quint64 outputs, quint64 inputs, const QByteArray &weights)
{
    return bytes(1, bytes(1, name) +
                        bytes(140, number(1, inputs) + number(2, outputs) + bytes(20, weights)));
}

/// Numbers, halves, codes with scales and codes with a table.
QByteArray layers()
{
    const QByteArray linear = bytes(
        40, number(1, 4) + bytes(101, bytes(1, floats({0.5f, 2.0f})) + bytes(2, floats({1, 3}))));
    const QByteArray table = bytes(40, number(1, 2) + bytes(102, bytes(1, floats({1, 2, 3, 4}))));
    return layer("a", 2, 3, bytes(1, floats({1, 2, 3, 4, 5, 6}))) +
           layer("b", 2, 2, bytes(2, QByteArray("\x00\x3c\x00\x40\x00\x38\x00\xbc", 8))) +
           layer("c", 2, 2, bytes(30, QByteArray("\x12\x34", 2)) + linear) +
           layer("d", 2, 4, bytes(30, QByteArray("\x1b\xe4", 2)) + table);
}

QByteArray oldNetwork()
{
    return number(1, 4) + bytes(500, layers());
}

QByteArray pipeline()
{
    return number(1, 4) +
           bytes(202, bytes(1, oldNetwork()) + bytes(1, number(1, 4) + bytes(403, layers())) +
                          bytes(2, "first") + bytes(2, "second"));
}

QByteArray tensors()
{
    return safetensors(R"({"a":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]},)"
                       R"("b":{"dtype":"F16","shape":[3],"data_offsets":[16,22]},)"
                       R"("c":{"dtype":"I8","shape":[2],"data_offsets":[22,24]},)"
                       R"("__metadata__":{"format":"pt"}})",
                       floats({1, 2, 3, 4}) + QByteArray("\x00\x3c\x00\x40\x00\x38\x01\xff", 8));
}

QByteArray arrays()
{
    return zip({{"a.npy", npy("<f4", "False", "(2, 3)", floats({1, 2, 3, 4, 5, 6})), true},
                {"b.npy", npy("<f2", "True", "(2, 2)", QByteArray(8, '\x3c')), false},
                {"c.npy", npy("|i1", "False", "(3,)", QByteArray("\x01\x02\xff", 3)), false}});
}

/// What a bundle breaks of what it promises, whatever its bytes are; empty: nothing.
std::string brokenPromise(const QByteArray &name, const QByteArray &raw, bool &faulty)
{
    const auto bundle =
        Bundle::open(name.toStdString(), {.memory = {{name.toStdString(), asBytes(raw)}}});
    if (!bundle) {
        faulty = true;
        return bundle.error().code.empty() || bundle.error().message.empty() ? "an unnamed error"
                                                                             : "";
    }
    faulty = hasErrors((*bundle)->diagnostics());
    for (const Diagnostic &row : (*bundle)->diagnostics()) {
        const Error &error = row.error;
        if (error.code.empty() || error.message.empty())
            return "an unnamed diagnostic";
        if (row.severity == Severity::Error && error.file.empty())
            return "an error without a file: " + error.code;
        if (error.offset && error.offset->value > static_cast<std::uint64_t>(raw.size()))
            return "a place behind the file: " + error.code;
    }
    for (std::size_t i = 0; i < (*bundle)->weights().size(); ++i) {
        const Weight &weight = (*bundle)->weights()[i];
        const auto decoder = (*bundle)->decoder(i);
        const OperandList &operands = weight.operands();
        // What is packed is read when it is asked for: its damage then is the decoder's error.
        const bool packed =
            std::any_of(operands.begin(), operands.end(), [](const codec::Operand &operand) {
                return dynamic_cast<const codec::PackedBytes *>(operand.order.get()) != nullptr;
            });
        if (decoder && weight.fault)
            return "a weight with a fault that decodes: " + weight.name;
        if (!decoder && !weight.fault && !packed)
            return "a weight without a fault that does not decode: " + weight.name;
        if (!decoder && (decoder.error().code.empty() || decoder.error().message.empty()))
            return "an unnamed error of " + weight.name;
        faulty = faulty || !decoder;
        if (decoder && weight.elements.value <= 4096 &&
            !computeStatistics(**bundle, i, {true, true}))
            return "no statistics of " + weight.name;
    }
    (void)verifyPayloads(**bundle);
    return sectionFault(**bundle);
}

} // namespace

class TestHostileModels : public QObject
{
    Q_OBJECT

private slots:
    void cut_data() { samples(); }

    /// Cut after every byte: an error, and what it says lies within the file.
    void cut()
    {
        QFETCH(QByteArray, name);
        QFETCH(QByteArray, raw);
        QFETCH(QList<int>, whole);
        bool faulty = false;
        QCOMPARE(brokenPromise(name, raw, faulty), std::string());
        QVERIFY(!faulty);
        for (int length = 0; length < raw.size(); ++length) {
            const std::string broken = brokenPromise(name, raw.left(length), faulty);
            QVERIFY2(broken.empty(), (std::to_string(length) + ": " + broken).c_str());
            QVERIFY2(faulty || whole.contains(length), std::to_string(length).c_str());
        }
    }

    void changed_data() { samples(); }

    /// One to eight bytes changed, removed or written twice, by a fixed seed.
    void changed()
    {
        QFETCH(QByteArray, name);
        QFETCH(QByteArray, raw);
        std::mt19937 random(1);
        const auto below = [&random](qsizetype count) {
            return static_cast<qsizetype>(random() % static_cast<std::mt19937::result_type>(count));
        };
        static const QByteArray kEdges("\x00\x01\x7f\x80\xff", 5);
        for (int round = 0; round < 1000; ++round) {
            QByteArray changed = raw;
            for (qsizetype i = below(8) + 1; i > 0; --i) {
                const qsizetype at = below(changed.size());
                switch (random() % 5) {
                case 0: changed[at] = static_cast<char>(changed[at] ^ (1 << random() % 8)); break;
                case 1: changed[at] = kEdges[below(kEdges.size())]; break;
                case 2: changed[at] = static_cast<char>(random() % 256); break;
                case 3: changed.remove(at, changed.size() > 8 ? 1 : 0); break;
                default: changed.insert(at, changed.mid(at, below(16) + 1)); break;
                }
            }
            bool faulty = false;
            const std::string broken = brokenPromise(name, changed, faulty);
            QVERIFY2(broken.empty(), (broken + ": " + changed.toHex().toStdString()).c_str());
        }
    }

private:
    void samples() const
    {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<QByteArray>("raw");
        QTest::addColumn<QList<int>>("whole"); // cuts that leave a message, with less in it
        addRow("network", QByteArray("x.mlmodel"), oldNetwork(), QList<int>{2});
        addRow("pipeline", QByteArray("x.mlmodel"), pipeline(), QList<int>{2});
        addRow("safetensors", QByteArray("x.safetensors"), tensors(), QList<int>{});
        addRow("npz", QByteArray("x.npz"), arrays(), QList<int>{});
        addRow("npy", QByteArray("x.npy"),
               npy("<f4", "False", "(2, 3)", floats({1, 2, 3, 4, 5, 6})), QList<int>{});
    }
};

KERNSCOPE_TEST(TestHostileModels, QCoreApplication)
#include "tst_hostile_models.moc"
