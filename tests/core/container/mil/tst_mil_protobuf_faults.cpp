// SPDX-License-Identifier: GPL-3.0-or-later
#include "mil_text.h"
#include "proto_builder.h"

using namespace miltest;
using namespace prototest;

namespace {

QByteArray first()
{
    return Op{"first", {{"x", reference("x")}}, {}, {named("a", tensor(Fp16))}, {}}.message();
}

QByteArray last()
{
    return Op{"last", {{"x", reference("a")}}, {}, {named("z", tensor(Fp16))}, {}}.message();
}

QByteArray withAttribute(const QByteArray &value)
{
    return Op{"const", {}, {{"val", value}}, {named("w", tensor(Fp16, {2}))}, {}}.message();
}

} // namespace

/// Damaged packages: each fault has its code and its place, and the rest is still read.
class TestMilProtobufFaults : public QObject
{
    Q_OBJECT

private slots:
    void operations_data()
    {
        QTest::addColumn<QByteArray>("operation"); // between two sound ones
        QTest::addColumn<QByteArray>("codes");     // without offsets
        QTest::addColumn<bool>("kept");
        const auto row = [](const char *name, const QByteArray &operation, const char *codes,
                            bool kept = false) {
            test::addRow(name, operation, QByteArray(codes), kept);
        };
        const QByteArray type = tensor(Fp16, {2});
        row("group", withAttribute(bytes(2, type) + varint(9 << 3 | 3)), "e:proto.wire");
        row("wire type 7", withAttribute(varint(9 << 3 | 7)), "e:proto.wire");
        row("field 0", withAttribute(varint(2) + varint(0)), "e:proto.wire");
        row("length over the end", withAttribute(varint(2 << 3 | 2) + varint(1000)),
            "e:proto.wire");
        row("length near 2^64", withAttribute(varint(2 << 3 | 2) + varint(~quint64(0))),
            "e:proto.wire");
        row("length near 2^32", withAttribute(varint(2 << 3 | 2) + varint(0xFFFFFFFF)),
            "e:proto.wire");
        row("varint without an end", withAttribute(varint(1 << 3) + QByteArray(20, '\xFF')),
            "e:proto.wire");
        row("varint cut", withAttribute(varint(1 << 3) + "\xFF"), "e:proto.wire");
        row("bytes of half an element", withAttribute(immediate(type, 7, "abc")), "e:proto.value");
        row("bytes for a string", withAttribute(immediate(tensor(String), 7, "abcd")),
            "e:proto.value");
        row("ints for floats", withAttribute(immediate(type, 2, varint(1) + varint(2))),
            "e:proto.value");
        row("floats for ints", withAttribute(immediate(tensor(Int32, {1}), 1, "abcd")),
            "e:proto.value");
        row("strings for numbers", withAttribute(immediate(tensor(Int32, {1}), 4, "abcd")),
            "e:proto.value");
        row("floats cut", withAttribute(immediate(tensor(Fp32, {1}), 1, "abc")), "e:proto.wire");
        row("ints cut", withAttribute(immediate(tensor(Int32, {1}), 2, "\xFF")), "e:proto.wire");
        row("number too large", withAttribute(immediate(tensor(Int16, {1}), 2, varint(40000))),
            "e:mil.number");
        row("negative for unsigned",
            withAttribute(immediate(tensor(Uint16, {1}), 2, varint(~quint64(0)))), "e:mil.number");
        row("too few elements", withAttribute(immediate(tensor(Fp16, {3}), 7, "abcd")),
            "e:mil.count", true);
        row("too many elements", withAttribute(immediate(tensor(Int32), 2, varint(1) + varint(1))),
            "e:mil.count", true);
        row("one for all", withAttribute(immediate(type, 7, "ab")), "w:mil.count", true);
        row("negative dimension",
            withAttribute(blob(
                bytes(1, number(1, Fp16) + bytes(3, bytes(1, number(1, ~quint64(4))))), "p", 64)),
            "e:mil.shape", true);
        row("dimensions beyond 64 bits",
            withAttribute(blob(tensor(Fp16, {qint64(1) << 32, qint64(1) << 32}), "p", 64)),
            "e:mil.shape", true);
        row("bad UTF-8", withAttribute(blob(type, "a\xFFz", 64)), "w:mil.encoding", true);
        row("undefined",
            Op{"const", {{"x", reference("nobody")}}, {}, {named("w", type)}, {}}.message(),
            "e:mil.undefined", true);
        row("used before",
            Op{"const", {{"x", reference("z")}}, {}, {named("w", type)}, {}}.message(),
            "e:mil.order", true);
        row("defined twice", Op{"const", {}, {}, {named("a", type)}, {}}.message(),
            "e:mil.duplicate", true);
        row("block with a fault", Op{"const", {}, {}, {named("w", type)}, {varint(7)}}.message(),
            "e:proto.wire");
    }

    void operations()
    {
        QFETCH(QByteArray, operation);
        QFETCH(QByteArray, codes);
        QFETCH(bool, kept);
        const QByteArray file = model({first(), operation, last()}, {"z"});
        const auto parsed = readProto(file);
        QCOMPARE(parsed.diagnostics.size(), 1U);
        const Error &error = parsed.diagnostics[0].error;
        QCOMPARE(codesOf(parsed.diagnostics).split('@')[0], codes);
        const auto start = static_cast<quint64>(file.indexOf(operation));
        QVERIFY2(error.offset && error.offset->value >= start &&
                     error.offset->value < start + static_cast<quint64>(operation.size()),
                 describe(error).c_str());
        QVERIFY(!error.expected.empty());
        QVERIFY(!error.message.empty());
        const auto &operations = parsed.program.functions[0].body.operations;
        QCOMPARE(operations.size(), kept ? 3U : 2U);
        QCOMPARE(operations.front().type, "first");
        QCOMPARE(operations.back().type, "last");
    }

    void files_data()
    {
        const auto row = test::addColumns<QByteArray, QByteArray>();
        row("empty", "", "e:mil.empty@0");
        row("neural network", number(1, 1) + bytes(500, "abc"), ""); // another reader's
        row("pipeline", number(1, 1) + bytes(202, ""), "");
        row("pipeline of nothing", number(1, 1) + bytes(202, bytes(1, "")), "");
        row("pipeline of another kind",
            number(1, 1) + bytes(202, bytes(1, bytes(300, "abc")) + bytes(2, "a")), "");
        row("other kind", number(1, 1) + bytes(300, "abc"), "");
        row("unknown kind", number(1, 1) + bytes(999, "abc"), "e:proto.kind@0");
        row("no kind", number(1, 7), "e:proto.kind@0");
        row("text", "program(1.0)", "e:proto.wire@2");
        row("zeros", QByteArray(64, '\0'), "e:proto.wire@0");
        row("no functions", model(QByteArray(number(1, 1))), "");
        row("function without a body", model(entry(2, "f", bytes(2, "CoreML5"))),
            "e:proto.block@25");
        row("output undefined", model({first()}, {"q"}), "e:mil.undefined@79");
        row("two of one name",
            model(entry(2, "f", entry(3, "", "")) + entry(2, "f", entry(3, "", ""))),
            "e:mil.duplicate@35");
    }

    void files()
    {
        const auto [file, codes] = test::fetched<QByteArray, QByteArray>();
        QCOMPARE(codesOf(readProto(file).diagnostics), codes);
    }

    void depth_data()
    {
        QTest::addColumn<QByteArray>("file");
        const auto nest = [](QByteArray inner, auto wrap, int levels) {
            for (int i = 0; i < levels; ++i)
                inner = wrap(inner);
            return inner;
        };
        // each level costs a copy, so the inside stays small: a few thousand levels say as much
        constexpr int kLevels = 3000;
        const auto block = [](const QByteArray &inner) {
            return bytes(1, "loop") + bytes(4, bytes(3, inner));
        };
        const auto tuple = [](const QByteArray &inner) {
            return bytes(3, bytes(2, bytes(1, inner)));
        };
        const auto type = [](const QByteArray &inner) { return bytes(3, bytes(1, inner)); };
        const auto row = [](const char *name, const QByteArray &operation) {
            test::addRow(name, model({first(), operation, last()}, {"z"}));
        };
        row("blocks", nest(Op{"loop", {}, {}, {}, {}}.message(), block, kLevels));
        row("tuples", withAttribute(nest(QByteArray(), tuple, kLevels)));
        row("types", withAttribute(bytes(2, nest(tensor(Fp16), type, kLevels))));
    }

    void depth()
    {
        QFETCH(QByteArray, file);
        const auto parsed = readProto(file);
        QCOMPARE(parsed.diagnostics.size(), 1U);
        QCOMPARE(parsed.diagnostics[0].error.code, "proto.depth");
        const auto &operations = parsed.program.functions[0].body.operations;
        QCOMPARE(operations.front().type, "first");
        QCOMPARE(operations.back().type, "last");
    }

    /// A file cut anywhere says so once, and shows the operations that are whole.
    void everyCut()
    {
        const QByteArray nested =
            Op{"loop", {}, {}, {named("w", tensor(Fp16))}, {block({first(), last()}, {"z"})}}
                .message();
        const QByteArray file =
            model({first(), constant(immediate(tensor(Int32, {2}), 2, varint(1) + varint(500))),
                   nested, last()},
                  {"z"});
        for (qsizetype length = 1; length < file.size(); ++length) {
            const auto parsed = readProto(file.left(length));
            const QByteArray codes = codesOf(parsed.diagnostics);
            // a cut between two fields of the outermost message shows no program, not a cut
            QVERIFY2(codes.contains("e:proto.cut@") || codes.startsWith("e:proto.kind@"),
                     codes.constData());
            QVERIFY2(!codes.contains("undefined"), codes.constData());
            QCOMPARE(codes.count("proto.cut"), codes.contains("proto.cut") ? 1 : 0);
            if (parsed.program.functions.empty())
                continue;
            const auto whole = [&](const QByteArray &op) {
                return file.lastIndexOf(op) + op.size() <= length;
            };
            const std::size_t read = parsed.program.functions[0].body.operations.size();
            QVERIFY(read <= 4);
            QVERIFY(!whole(first()) || read >= 1);
            QVERIFY(!whole(nested) || read >= 3);
        }
    }

    void randomDamage()
    {
        const QByteArray nested =
            Op{"loop", {}, {}, {named("w", tensor(Fp16))}, {block({first(), last()}, {"z"})}}
                .message();
        const QByteArray file =
            model({first(), constant(immediate(tensor(Int32, {2}), 2, varint(1) + varint(500))),
                   constant(blob(tensor(Fp16, {2, 3}), "p", 64)), nested, last()},
                  {"z"});
        QRandomGenerator random(3);
        for (int round = 0; round < 20000; ++round) {
            QByteArray damaged = file;
            for (int i = random.bounded(1, 5); i > 0; --i)
                damaged[random.bounded(int(damaged.size()))] =
                    static_cast<char>(random.bounded(256));
            const auto parsed = readProto(damaged);
            for (const Diagnostic &d : parsed.diagnostics)
                QVERIFY(!d.error.offset ||
                        d.error.offset->value <= static_cast<quint64>(damaged.size()));
        }
    }

    /// Some 4 MB of the smallest messages there are.
    void manyValues()
    {
        constexpr qsizetype kCount = 2100000;
        const QByteArray empty = bytes(1, "");
        const QByteArray values = bytes(3, bytes(2, empty.repeated(kCount)));
        const QByteArray dimensions =
            bytes(2, bytes(1, number(1, Fp16) + bytes(3, "").repeated(kCount)));
        const QByteArray operations = bytes(3, "").repeated(kCount);
        for (const QByteArray &file : {model({withAttribute(values), last()}, {}),
                                       model({withAttribute(dimensions), last()}, {}),
                                       model(entry(2, "f", function("CoreML5", operations)))}) {
            const auto parsed = readProto(file);
            QCOMPARE(codesOf(parsed.diagnostics).left(11), QByteArray("e:mil.limit"));
            QCOMPARE(parsed.diagnostics.size(), 1U);
        }
    }
};

KERNSCOPE_TEST(TestMilProtobufFaults, kernscope::test::NoApplication)
#include "tst_mil_protobuf_faults.moc"
