// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/known_faults.h"
#include "core/bundle/bundle.h"
#include "made_coreai.h"
#include "tests/test_program.h"

namespace {

using Ids = std::set<std::string>;
using Skip = std::function<bool(const Weight &)>;

Ids idsOf(const Bundle &bundle, const Skip &skip = {})
{
    Ids ids;
    for (const KnownFaultMatch &match : matchKnownFaults(bundle, skip))
        ids.insert(knownFaults()[match.fault].id);
    return ids;
}

/// Of constants of a Core AI package those that are about it, not about how it was made here.
Ids coreAiIds(const MadeCoreAi &made)
{
    Ids ids = idsOf(*made.open());
    std::erase_if(ids, [](const std::string &id) {
        return id == "no-producer" || id == "shared-locations" || id == "author-paths";
    });
    return ids;
}

} // namespace

/// Faults that others reported, by what a package has of them.
class TestKnownFaults : public QObject
{
    Q_OBJECT

private slots:
    void table()
    {
        Ids ids;
        for (const KnownFault &fault : knownFaults()) {
            QVERIFY2(ids.insert(fault.id).second, fault.id.c_str());
            QVERIFY2(!fault.pattern.empty() && !fault.effect.empty() && !fault.source.empty(),
                     fault.id.c_str());
            QVERIFY2(fault.scope == "weight" || fault.scope == "operation" ||
                         fault.scope == "program" || fault.scope == "compiled",
                     fault.id.c_str());
            QVERIFY2(fault.seen == "file" || fault.seen == "pattern" || fault.seen == "checkpoint",
                     fault.id.c_str());
        }
        QVERIFY(ids.size() >= 35);
    }

    /// Scales by the outputs of whatever reads the weight are sound.
    void scales_data()
    {
        const auto row = addColumns<QByteArray, QByteArray, QByteArray, Ids>();
        const QByteArray linear = "linear(weight = w, x = x)", matmul = "matmul(x = x, y = w)",
                         transposed = "matmul(x = x, y = w, transpose_y = bool(true))",
                         turned = "conv_transpose(weight = w, x = x)",
                         conv = "conv(weight = w, x = x)";
        const Ids inputs{"scale-over-inputs"}, blocks{"per-block-int8-engine"};
        row("linear, outputs", "[4, 64]", "[4, 1]", linear, Ids());
        row("linear, inputs", "[4, 64]", "[1, 64]", linear, inputs);
        row("linear, blocks", "[4, 64]", "[4, 2]", linear, blocks);
        row("linear, blocks of one output", "[1, 64]", "[1, 2]", linear, blocks);
        row("matmul, outputs", "[4, 64]", "[1, 64]", matmul, Ids());
        row("matmul, inputs", "[4, 64]", "[4, 1]", matmul, inputs);
        row("matmul, transposed", "[4, 64]", "[1, 64]", transposed, inputs);
        row("conv_transpose, outputs", "[8, 32, 1, 1]", "[1, 32, 1, 1]", turned, Ids());
        row("conv, inputs", "[8, 32, 1, 1]", "[1, 32, 1, 1]", conv, inputs);
        row("not multiplied with", "[4, 64]", "[1, 64]", "add(x = w, y = w)", Ids());
    }

    void scales()
    {
        const auto [shape, scale, call, ids] = fetched<QByteArray, QByteArray, QByteArray, Ids>();
        MadeBundle made;
        const std::string of = shape.toStdString(), by = scale.toStdString();
        const auto size = [](const std::string &text) {
            std::size_t product = 1;
            for (const QString &part : QString::fromStdString(text).mid(1).chopped(1).split(u","_s))
                product *= part.toULongLong();
            return product;
        };
        made.line("tensor<fp16, " + of + "> w = constexpr_blockwise_shift_scale(data = " +
                  made.blob(ElementType::Int8, of, Bytes(size(of))) +
                  ", scale = " + made.blob(ElementType::Fp16, by, Bytes(2 * size(by))) +
                  ")[name = string(\"w\")]");
        made.op("y", "[1, 4]", call.toStdString());
        const BundlePtr bundle = *made.open();
        QCOMPARE(idsOf(*bundle), ids);
        QVERIFY(idsOf(*bundle, [](const Weight &) { return true; }).empty());
        for (const KnownFaultMatch &match : matchKnownFaults(*bundle)) {
            const std::string text = knownFaultText(*bundle, match);
            QVERIFY(text.find(knownFaults()[match.fault].source) != text.npos);
            QVERIFY(text.find("contested, contested") == text.npos);
        }
    }

    /// What a fault asks of the weights that are left counts from the first of them.
    void skippedFirst()
    {
        MadeBundle made;
        for (const char *name : {"a", "b", "c"}) {
            made.line("tensor<fp16, [4, 64]> " + std::string(name) +
                      " = constexpr_blockwise_shift_scale(data = " +
                      made.blob(ElementType::Int8, "[4, 64]", Bytes(256)) +
                      ", scale = " + made.blob(ElementType::Fp16, "[1, 64]", Bytes(128)) +
                      ")[name = string(\"" + name + "\")]");
            made.consume(name);
        }
        const BundlePtr bundle = *made.open();
        const auto found =
            matchKnownFaults(*bundle, [](const Weight &weight) { return weight.name == "a"; });
        QCOMPARE(found.size(), 1U);
        QCOMPARE(found[0].weight, 1U);
        QCOMPARE(found[0].count, std::uint64_t(2));
    }

    void zeroPoints()
    {
        for (const bool zero : {true, false}) {
            MadeBundle made;
            made.line("tensor<fp16, [4, 4]> a = constexpr_affine_dequantize()[axis = int32(0), "
                      "name = string(\"a\"), quantized_data = " +
                      made.blob(ElementType::Int8, "[4, 4]", Bytes(16)) +
                      ", scale = fp16(0x1p-1), zero_point = int8(" + (zero ? "0" : "-54") + ")]");
            made.consume("a");
            QCOMPARE(idsOf(**made.open()), zero ? Ids{"affine-int8-zero"} : Ids());
        }
    }

    /// coreai-opt compresses what products and gathers read, and 1,024 elements never.
    void sharedConstants_data()
    {
        const auto row = addColumns<int, QByteArray, bool, Ids>();
        row("another reader", 64, "broadcasting_add_v1", true, Ids{"left-dense-shared"});
        row("two products", 64, "primitive.batch_matmul_v1", true, Ids());
        row("few elements", 32, "broadcasting_add_v1", true, Ids());
        row("nothing compressed", 64, "broadcasting_add_v1", false, Ids());
    }

    void sharedConstants()
    {
        const auto [rows, reader, compressed, ids] = fetched<int, QByteArray, bool, Ids>();
        MadeCoreAi made;
        const auto side = std::uint64_t(rows);
        const Shape shape{side, 32};
        std::vector<MadeCoreAi::Value> outputs;
        if (compressed) {
            const auto codes = made.blob({32, 32}, Elem::Si8, Bytes(1024, std::byte{1}));
            const auto scale = made.constant({32, 1}, Elem::F16, Bytes(64, std::byte{2}));
            const auto none = made.constant({32, 1}, Elem::Si8, Bytes(32));
            const auto bias = made.constant({32, 1}, Elem::F16, Bytes(64));
            outputs.push_back(made.scaled({codes, scale, none, bias}, {32, 32}));
        }
        const auto weight = made.blob(shape, Elem::F16, Bytes(2 * side * 32, std::byte{3}));
        const auto x = made.blob({side, side}, Elem::Si8, Bytes(side * side, std::byte{1}));
        outputs.push_back(
            made.operation("primitive.batch_matmul_v1", {x, weight}, shape, Elem::F16));
        outputs.push_back(made.operation(reader.toStdString(), {weight, x}, shape, Elem::F16));
        made.output(outputs);
        QCOMPARE(coreAiIds(made), ids);
    }

    /// Codes of E4M3 are what the fault asks for: how many are above 240 audit counts.
    void codesOfE4M3()
    {
        for (const auto &[type, ids] :
             {std::pair(Elem::E4m3, Ids{"e4m3-over-240"}), {Elem::Si8, Ids()}}) {
            MadeCoreAi made;
            const Shape shape{32, 32};
            const auto codes = made.blob(shape, type, Bytes(1024, std::byte{0x7E}));
            const auto scale = made.constant({32, 1}, Elem::F16, Bytes(64, std::byte{2}));
            const auto none = made.constant({32, 1}, type, Bytes(32));
            const auto bias = made.constant({32, 1}, Elem::F16, Bytes(64));
            made.output({made.scaled({codes, scale, none, bias}, shape)});
            QCOMPARE(coreAiIds(made), ids);
        }
    }

    /// What a Mac compiled says of itself.
    void compiledPackages()
    {
        const KnownFault *fault = knownFaultOf("package version", "7.1.2");
        QVERIFY(fault && fault->id == "package-version");
        QVERIFY(fault->text().find("macOS 27.0; contested; anemll-forge FEEDBACK") !=
                std::string::npos);
        QVERIFY(!knownFaultOf("package version", "7.0.80"));
        QVERIFY(!knownFaultOf("architecture", "7.1.2"));
    }

    /// What operations take, by its type and value.
    void operands()
    {
        const auto ids = [](const char *name, Elem type, const Bytes &y) {
            MadeCoreAi made;
            const auto x = made.blob({2, 2}, type, Bytes(y.size() * 4));
            made.output({made.operation(name, {x, made.constant({}, type, y)}, {2, 2}, type)});
            return coreAiIds(made);
        };
        constexpr auto kInt64 = static_cast<Elem>(17), kInt32 = static_cast<Elem>(18);
        QCOMPARE(ids("primitive.equal_v1", kInt64, Bytes(8)), Ids{"int64-comparison"});
        QCOMPARE(ids("primitive.equal_v1", kInt32, Bytes(4)), Ids());
        QCOMPARE(ids("broadcasting_floor_divide_v1", Elem::F16, halves({1})),
                 Ids{"gpu-rounding-identity"});
        QCOMPARE(ids("broadcasting_floor_divide_v1", Elem::F16, halves({2})), Ids());
    }
};

KERNSCOPE_TEST(TestKnownFaults, NoApplication)
#include "tst_known_faults.moc"
