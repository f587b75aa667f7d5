// SPDX-License-Identifier: GPL-3.0-or-later
#include "mil_text.h"
#include "proto_builder.h"

using namespace miltest;
using namespace prototest;

namespace {

std::vector<std::pair<std::string, std::string>> metadataOf(const QByteArray &file)
{
    const auto described = readProto(file).program.descriptions;
    return described.empty() ? decltype(described.front().metadata)() : described.front().metadata;
}

QByteArray raw(const char *digits)
{
    return QByteArray::fromHex(digits);
}

QByteArray first()
{
    return opMessage("first", {{"x", reference("x")}}, {}, {named("a", tensor(Fp16))});
}

QByteArray last()
{
    return opMessage("last", {{"x", reference("a")}}, {}, {named("z", tensor(Fp16))});
}

QByteArray withAttribute(const QByteArray &value)
{
    return opMessage("const", {}, {{"val", value}}, {named("w", tensor(Fp16, {2}))});
}

} // namespace

/// What a sound package says; it is compared in the words that program text would use.
/// Damaged packages: each fault has its code and its place, and the rest is still read.
class TestMilProtobuf : public QObject
{
    Q_OBJECT

private slots:
    void immediates_data()
    {
        addColumns<QByteArray, int, QByteArray, QByteArray, bool>();
        const auto row = [](const char *name, const QByteArray &type, int field,
                            const QByteArray &values, const char *read, bool packed = false) {
            addRow(name, type, field, values, QByteArray(read), packed);
        };
        row("fp16", tensor(Fp16, {2}), 7, raw("003c00b8"), "fp16[2]:003c00b8", true);
        row("fp16 scalar", tensor(Fp16), 7, raw("003c"), "fp16[]:003c", true);
        row("uint3, filled up", tensor(39, {9}), 7, raw("88c6fa07"), "uint3[9]:88c6fa07", true);
        row("uint6, filled up", tensor(38, {5}), 7, raw("44332200"), "uint6[5]:44332200", true);
        row("bf16", tensor(Bf16, {1}), 7, raw("803f"), "bf16[1]:803f", true);
        row("int8", tensor(Int8, {3}), 7, raw("01ff80"), "int8[3]:01ff80", true);
        row("uint8", tensor(Uint8, {3}), 7, raw("01ff80"), "uint8[3]:01ff80", true);
        row("uint32", tensor(Uint32, {1}), 7, raw("00000080"), "uint32[1]:00000080", true);
        row("uint4, odd", tensor(Uint4, {3}), 7, raw("2103"), "uint4[3]:2103", true);
        row("int4", tensor(Int4, {4}), 7, raw("e1c3"), "int4[4]:e1c3", true);
        row("uint3", tensor(Uint3, {8}), 7, raw("d1581f"), "uint3[8]:d1581f", true);
        row("uint1", tensor(Uint1, {10}), 7, raw("9201"), "uint1[10]:9201", true);
        row("e4m3", tensor(E4m3, {2}), 7, raw("387e"), "fp8e4m3fn[2]:387e", true);
        row("fp32", tensor(Fp32, {2}), 1, raw("0000803f000000c0"), "fp32[2]:0000803f000000c0",
            true);
        row("fp32 keeps a NaN's bits", tensor(Fp32, {1}), 1, raw("4523c17f"), "fp32[1]:4523c17f",
            true);
        row("fp16 from floats", tensor(Fp16, {2}), 1, raw("0000803f000000c0"), "fp16[2]:003c00c0");
        row("fp64", tensor(Fp64, {1}), 6, raw("000000000000f03f"), "fp64[1]:000000000000f03f",
            true);
        row("int32", tensor(Int32, {3}), 2, varint(1) + varint(300) + varint(~quint64(0)),
            "int32[3]:010000002c010000ffffffff");
        row("int32 of 32 bits on the wire", tensor(Int32, {1}), 2, varint(0x7FFFFFFF),
            "int32[1]:ffffff7f");
        row("int16", tensor(Int16, {1}), 2, varint(~quint64(0) - 1), "int16[1]:feff");
        row("uint16", tensor(Uint16, {1}), 2, varint(65535), "uint16[1]:ffff");
        row("int64", tensor(Int64, {2}), 5, varint(~quint64(0)) + varint(1),
            "int64[2]:ffffffffffffffff0100000000000000");
        row("uint64", tensor(Uint64, {1}), 5, varint(~quint64(0)), "uint64[1]:ffffffffffffffff");
        row("bools", tensor(Bool, {3}), 3, raw("010001"), "bool[3]:010001");
        row("bool scalar", tensor(Bool), 3, raw("01"), "bool[]:01");
        row("string", tensor(String), 4, "custom", "string[]:'custom'");
        row("empty string", tensor(String), 4, "", "string[]:''");
        row("no elements", tensor(Int32, {0}), 2, "", "int32[0]:");
    }

    void immediates()
    {
        const auto [type, field, values, read, packed] =
            fetched<QByteArray, int, QByteArray, QByteArray, bool>();
        const QByteArray file = model({constant(immediate(type, quint64(field), values))}, {"w"});
        const auto parsed = readProto(file);
        QCOMPARE(codesOf(parsed.diagnostics), QByteArray());
        const mil::ProgramValue *value =
            parsed.program.functions[0].body.operations[0].operand("val");
        QVERIFY(value && value->literal());
        QCOMPARE(shown(*value), read);
        QCOMPARE(value->literal()->packedSpan, packed);
        if (packed) {
            QCOMPARE(value->literal()->elementSpans.size(), 1U);
            const auto span = value->literal()->elementSpans[0];
            QCOMPARE(file.mid(qsizetype(span.offset), qsizetype(span.length)), values);
        } else {
            QCOMPARE(value->literal()->elementSpans.size(), value->literal()->count);
        }
    }

    /// Of members that exclude one another the last one counts; one that comes twice is joined, and
    /// no place in the file has all of it.
    void membersOfTensors()
    {
        const auto literalOf = [](int elements, const QByteArray &members) {
            const QByteArray value =
                bytes(2, tensor(Fp32, {elements})) + bytes(3, bytes(1, members));
            const auto parsed = readProto(model({constant(value)}, {"w"}));
            return *parsed.program.functions[0].body.operations[0].operand("val")->literal();
        };
        const QByteArray one = raw("0000803f"), two = raw("00000040");
        const QByteArray floats = bytes(1, bytes(1, one)), second = bytes(7, bytes(1, two));
        const mil::Literal last = literalOf(1, floats + second),
                           first = literalOf(1, second + floats);
        QCOMPARE(last.bytes, kernscope::test::asBytes(two));
        QCOMPARE(first.bytes, kernscope::test::asBytes(one));
        QVERIFY(last.packedSpan && first.packedSpan);
        const mil::Literal joined = literalOf(2, floats + floats);
        QCOMPARE(joined.bytes, kernscope::test::asBytes(one + one));
        QVERIFY(!joined.packedSpan && joined.elementSpans.empty());
    }

    void types_data()
    {
        const auto row = addColumns<QByteArray, QByteArray>();
        const QByteArray length = bytes(1, number(1, 7));
        const std::pair<int, const char *> codes[] = {
            {1, "bool"},       {2, "string"},   {10, "fp16"},    {11, "fp32"},   {12, "fp64"},
            {13, "bf16"},      {21, "int8"},    {22, "int16"},   {23, "int32"},  {24, "int64"},
            {25, "int4"},      {31, "uint8"},   {32, "uint16"},  {33, "uint32"}, {34, "uint64"},
            {35, "uint4"},     {36, "uint2"},   {37, "uint1"},   {38, "uint6"},  {39, "uint3"},
            {40, "fp8e4m3fn"}, {41, "fp8e5m2"}, {42, "unknown"}, {0, "unknown"}};
        for (const auto &[code, name] : codes)
            row(qPrintable(u"code %1"_s.arg(code)), tensor(code),
                (QByteArray(name) + "[]").constData());
        row("tensor", tensor(Fp32, {2, -1, 3}), "fp32[2,?,3]");
        row("scalar", tensor(Int32), "int32[]");
        row("list", bytes(2, bytes(1, tensor(Fp32, {2})) + bytes(2, length)),
            "list<tensor<fp32, [2]>, 7>");
        row("list of any length", bytes(2, bytes(1, tensor(String)) + bytes(2, bytes(2, ""))),
            "list<string, ?>");
        row("tuple", bytes(3, bytes(1, tensor(Int32)) + bytes(1, tensor(Fp16, {1}))),
            "tuple<int32, tensor<fp16, [1]>>");
        row("dictionary", bytes(4, bytes(1, tensor(String)) + bytes(2, tensor(Int64))),
            "dict<string, int64>");
        row("state", bytes(5, bytes(1, tensor(Fp16, {4}))), "state<tensor<fp16, [4]>>");
        row("zero left out", bytes(1, number(1, Fp16) + bytes(3, bytes(1, ""))), "fp16[0]");
    }

    void types()
    {
        const auto [type, read] = fetched<QByteArray, QByteArray>();
        const auto parsed =
            readProto(model({opMessage("make", {}, {}, {named("w", type)})}, {"w"}));
        QCOMPARE(codesOf(parsed.diagnostics), QByteArray());
        const auto &output = parsed.program.functions[0].body.operations[0].outputs[0];
        QCOMPARE(shown(output.type), read);
        if (output.type.kind == mil::ValueType::Kind::State) {
            QCOMPARE(output.type.element, ElementType::Fp16);
            QVERIFY(output.type.shape() == Shape{4});
        }
    }

    void operations()
    {
        const QByteArray weight = constant(
            blob(tensor(Fp16, {8}), "@model_path/weights/weight.bin", 4096), tensor(Fp16, {8}));
        const QByteArray concat =
            opMessage("concat",
                      {{"values", reference("x") + reference("w")},
                       {"axis", bytes(1, bytes(2, immediate(tensor(Int32), 2, varint(1))))}},
                      {{"name", text("joined")}}, {named("y", tensor(Fp16, {1, -1}))});
        const auto parsed = readProto(model({weight, concat}, {"y"}));
        QCOMPARE(codesOf(parsed.diagnostics), QByteArray());
        QCOMPARE(parsed.specification, "7");
        QCOMPARE(parsed.program.version, "1");
        const auto &function = parsed.program.functions[0];
        QCOMPARE(function.name, "main");
        QCOMPARE(function.opset, "ios17");
        QCOMPARE(shown(function.inputs[0].type), "fp16[1,4]"_ba);
        QCOMPARE(shown(function.body),
                 QByteArray("(){fp16[8] w = const()[name=string[]:'w'; "
                            "val=fp16[8]@@model_path/weights/weight.bin+4096] / "
                            "fp16[1,?] y = concat(values=x|w; "
                            "axis=int32[]:01000000)[name=string[]:'joined']}->(y)"));
        QCOMPARE(function.body.operations[1].displayName(), "joined");
    }

    /// What a model says of itself, and its user-defined pairs.
    void metadata()
    {
        const QByteArray said = bytes(1, "finds speech") + bytes(2, "6.0") +
                                bytes(3, "A. \xffPerson") + bytes(4, "") +
                                entry(100, "com.github.apple.coremltools.version", "9.0b1") +
                                entry(100, "", "no key") + number(7, 5);
        const QByteArray file = model("") + bytes(2, number(9, 1) + bytes(100, said));
        const auto facts = metadataOf(file);
        QStringList words;
        for (const auto &[key, value] : facts)
            words << QString::fromStdString(key + "=" + value);
        QCOMPARE(words, (QStringList{u"shortDescription=finds speech"_s, u"version=6.0"_s,
                                     u"author=A. \uFFFDPerson"_s,
                                     u"com.github.apple.coremltools.version=9.0b1"_s}));
    }

    /// Every beginning of a file, and one whose texts are too long, gives what is there.
    void metadataOfDamagedModels()
    {
        const QByteArray file =
            bytes(2, bytes(100, bytes(3, "A. Person") + entry(100, "key", "value")));
        for (qsizetype length = 0; length < file.size(); ++length)
            QVERIFY(metadataOf(file.left(length)).size() <= 2);
        const QByteArray large =
            bytes(2, bytes(100, bytes(3, "A. Person") + bytes(1, QByteArray((1 << 20) + 1, 'x'))));
        QCOMPARE(metadataOf(large).size(), 1U);
        QCOMPARE(metadataOf({}).size(), 0U);
    }

    /// Inputs, outputs and states with their types, default and allowed shapes; classes; functions.
    void descriptions()
    {
        const auto feature = [](const QByteArray &name, const QByteArray &type) {
            return bytes(1, name) + bytes(3, type);
        };
        const auto array = [](const QByteArray &shape, int type, const QByteArray &more = {}) {
            return bytes(1, raw(shape)) + number(2, type) + more;
        };
        const auto range = [](int first, int last) {
            return bytes(1, number(1, first) +
                                (last < 0 ? raw("10ffffffffffffffffff01") : number(2, last)));
        };
        const QByteArray image = bytes(4, number(1, 640) + number(2, 480) + number(3, 20) +
                                              bytes(21, bytes(1, number(1, 2) + number(2, 3))));
        const QByteArray open =
            bytes(5, array("018004", 65552, bytes(31, range(1, 1) + range(1, -1))));
        const QByteArray state = bytes(8, bytes(1, array("0405", 65568)));
        const QByteArray own = bytes(1, feature("picture", image)) +
                               bytes(1, feature("tokens", open) + number(9, 3)) +
                               bytes(10, feature("label", bytes(3, "") + number(1000, 1))) +
                               bytes(10, feature("shapeless", bytes(5, array("", 65568)))) +
                               bytes(11, "label") + bytes(13, feature("cache", state));
        const auto described = readProto(model("") + bytes(2, own)).program.descriptions;
        QCOMPARE(described.size(), 1U);
        QCOMPARE(described[0].functions.size(), 1U);
        const mil::FunctionDescription &function = described[0].functions[0];
        QCOMPARE(function.inputs.size(), 2U);
        QCOMPARE(function.inputs[0].typeText(), "image RGB 640 x 480");
        QCOMPARE(function.inputs[0].allowedText(), "[3, 2]");
        QCOMPARE(function.inputs[1].typeText(), "fp16 [1, 512]");
        QCOMPARE(function.inputs[1].allowedText(), "[1, 1 and more]");
        QCOMPARE(function.outputs[0].typeText(), "string");
        QVERIFY(function.outputs[0].optional && !function.inputs[0].optional);
        QCOMPARE(function.outputs[1].typeText(), "fp32"); // a shape that is not said is none
        QCOMPARE(function.states[0].typeText(), "fp32 [4, 5]");
        QCOMPARE(function.predictedFeature, "label");
        QCOMPARE(mil::findFunction(described, "", "main"), &function);

        const QByteArray two = bytes(20, bytes(1, "a") + bytes(2, feature("x", open))) +
                               bytes(20, bytes(1, "b")) + bytes(21, "b");
        const QByteArray classes = bytes(100, bytes(1, "cat") + bytes(1, "dog"));
        const auto several = readProto(bytes(2, two) + bytes(404, classes)).program.descriptions;
        QCOMPARE(several.at(0).defaultFunction, "b");
        QCOMPARE(several[0].labels, (std::vector<std::string>{"cat", "dog"}));
        QCOMPARE(mil::findFunction(several, "", "a"), &several[0].functions[0]);
        QVERIFY(!mil::findFunction(several, "", "main"));
        const QByteArray whole = model("") + bytes(2, own);
        for (qsizetype length = 0; length < whole.size(); ++length)
            readProto(whole.left(length));
    }

    void descriptionsOfCompiledModels()
    {
        const auto read = [](const char *json) {
            return mil::readCompiledDescription(asSpan(QByteArray(json)));
        };
        const auto described =
            read(R"([{"inputSchema": [{"name": "x", "type": "MultiArray", "dataType": "Float16",
                  "shape": "[1, 8]", "shapeRange": "[[1, 1], [1, -1]]", "isOptional": "1"},
                 {"name": "p", "type": "Image", "colorspace": "BGR", "width": "4", "height": "2"},
                 7], "outputSchema": [{"name": "y", "type": "MultiArray", "shape": "no",
                  "enumeratedShapes": "[[1], [2]]"}], "license": "free", "author": ""}])");
        const auto &function = described.functions.at(0);
        QCOMPARE(function.inputs.size(), 2U);
        QCOMPARE(function.inputs[0].typeText(), "fp16 [1, 8]");
        QCOMPARE(function.inputs[0].allowedText(), "[1, 1 and more]");
        QCOMPARE(function.inputs[1].typeText(), "image BGR 4 x 2");
        QCOMPARE(function.outputs.at(0).allowedText(), "[1] or [2]");
        QCOMPARE(described.metadata.size(), 1U);
        for (const char *wrong : {"", "{}", "[1]", "[{\"inputSchema\": 1}]", "[[[", "null"})
            QVERIFY(read(wrong).functions.empty());
    }

    /// A key-value cache: read, written by an operation without outputs, read again.
    void states()
    {
        const QByteArray state = bytes(5, bytes(1, tensor(Fp16, {1, 4})));
        const auto read = [](const char *name) {
            return opMessage("read_state", {{"input", reference("kv")}}, {{"name", text(name)}},
                             {named(name, tensor(Fp16, {1, 4}))});
        };
        const QByteArray sum = opMessage("add", {{"x", reference("r")}, {"y", reference("x")}}, {},
                                         {named("s", tensor(Fp16, {1, 4}))});
        const QByteArray write =
            opMessage("write_state", {{"data", reference("s")}, {"input", reference("kv")}},
                      {{"name", text("w")}}, {});
        const QByteArray main =
            bytes(1, named("x", tensor(Fp16, {1, 4}))) + bytes(1, named("kv", state)) +
            bytes(2, "CoreML8") +
            entry(3, "CoreML8", block({read("r"), sum, write, read("t")}, {"t"}));
        const auto parsed = readProto(model(number(1, 1) + entry(2, "main", main)));
        QCOMPARE(codesOf(parsed.diagnostics), QByteArray());
        const mil::Function &function = parsed.program.functions.at(0);
        QCOMPARE(function.inputs.size(), 2U);
        QVERIFY(function.inputs[1].type.kind == mil::ValueType::Kind::State);
        QCOMPARE(function.body.operations.size(), 4U);
        const mil::Operation &writing = function.body.operations[2];
        QCOMPARE(shown(writing), " = write_state(data=s; input=kv)[name=string[]:'w']"_ba);
        QVERIFY(writing.outputs.empty());
        QCOMPARE(writing.displayName(), "w");
        QVERIFY(writing.span.length > 0);
        QCOMPARE(shown(function.body.operations[3]),
                 "fp16[1,4] t = read_state(input=kv)[name=string[]:'t']"_ba);
    }

    void nestedBlocks()
    {
        const QByteArray inner =
            block({opMessage("relu", {{"x", reference("i")}}, {}, {named("j", tensor(Fp16))})},
                  {"j"}, {named("i", tensor(Fp16))});
        const QByteArray loop = opMessage("while_loop", {{"loop_vars", reference("x")}}, {},
                                          {named("z", tensor(Fp16))}, {inner, inner});
        const auto parsed = readProto(model({loop}, {"z"}));
        QCOMPARE(codesOf(parsed.diagnostics), QByteArray());
        QCOMPARE(
            shown(parsed.program),
            QByteArray(
                "(){fp16[] z = while_loop(loop_vars=x)[](fp16[] i){fp16[] j = relu(x=i)[]}->(j)"
                "(fp16[] i){fp16[] j = relu(x=i)[]}->(j)}->(z)"));
        QCOMPARE(mil::operationCount(parsed.program.functions[0].body), 3U);
    }

    /// The body of the function's opset is read, wherever it stands; without one the first is.
    void specializations()
    {
        const QByteArray five = entry(
            3, "CoreML5", block({opMessage("five", {}, {}, {named("a", tensor(Fp16))})}, {"a"}));
        const QByteArray eight = entry(
            3, "CoreML8", block({opMessage("eight", {}, {}, {named("b", tensor(Fp16))})}, {"b"}));
        const auto read = [&](const QByteArray &opset) {
            return readProto(model(entry(2, "f", five + eight + bytes(2, opset))));
        };
        const auto matching = read("CoreML8");
        QCOMPARE(codesOf(matching.diagnostics), QByteArray());
        QCOMPARE(matching.program.functions[0].opset, "ios18");
        QCOMPARE(matching.program.functions[0].body.operations[0].type, "eight");
        const auto other = read("CoreML99");
        QCOMPARE(codesOf(other.diagnostics).left(14), "w:proto.opset@"_ba);
        QCOMPARE(other.program.functions[0].opset, "CoreML99");
        QCOMPARE(other.program.functions[0].body.operations[0].type, "five");
    }

    void valuesThatHoldValues()
    {
        const QByteArray one = immediate(tensor(Int32), 2, varint(1));
        const QByteArray tuple = bytes(3, bytes(2, bytes(1, one) + bytes(1, text("s"))));
        const QByteArray list = bytes(3, bytes(3, bytes(1, one) + bytes(1, one)));
        const QByteArray dictionary = bytes(3, bytes(4, entry(1, text("k"), one)));
        const QByteArray op = opMessage("f", {}, {{"t", tuple}, {"l", list}, {"d", dictionary}},
                                        {named("y", tensor(Fp16))});
        const auto parsed = readProto(model({op}, {"y"}));
        QCOMPARE(codesOf(parsed.diagnostics), QByteArray());
        QCOMPARE(shown(parsed.program),
                 QByteArray("(){fp16[] y = f()[t=(int32[]:01000000,string[]:'s'); "
                            "l=(int32[]:01000000,int32[]:01000000); "
                            "d=((string[]:'k',int32[]:01000000))]}->(y)"));
    }

    /// Every place that a patch may rewrite.
    void spans()
    {
        const QByteArray file =
            model({constant(blob(tensor(Fp16, {300, 2}), "p", 70000), tensor(Fp16, {300, 2})),
                   opMessage("f", {{"x", reference("w")}}, {}, {named("y", tensor(Fp16, {129}))})},
                  {"y"});
        const auto parsed = readProto(file);
        const auto at = [&file](mil::SourceSpan span) {
            return file.mid(qsizetype(span.offset), qsizetype(span.length));
        };
        const auto &operations = parsed.program.functions[0].body.operations;
        const mil::ProgramValue *val = operations[0].operand("val");
        QCOMPARE(at(val->blob()->offsetSpan), varint(70000));
        QCOMPARE(at(val->type.dimSpans[0]), varint(300));
        QCOMPARE(at(val->type.dimSpans[1]), varint(2));
        QCOMPARE(at(val->span), blob(tensor(Fp16, {300, 2}), "p", 70000));
        QCOMPARE(at(operations[1].operand("x")->reference()->span), "w"_ba);
        QCOMPARE(at(operations[1].outputs[0].type.dimSpans[0]), varint(129));
        QVERIFY(at(operations[1].span).startsWith(bytes(1, "f")));
    }

    void unknownFieldsAreSkipped()
    {
        const QByteArray noise = number(15, 3) + bytes(16, "abc") + varint(17 << 3 | 1) +
                                 "12345678" + varint(18 << 3 | 5) + "1234";
        const QByteArray op = noise + constant(blob(tensor(Fp16, {2}), "p", 64)) + noise;
        const QByteArray file =
            noise +
            model(noise + entry(2, "main",
                                noise + function("CoreML7", noise + block({op}, {"w"}) + noise)));
        const auto parsed = readProto(file);
        QCOMPARE(codesOf(parsed.diagnostics), QByteArray());
        QCOMPARE(parsed.program.functions[0].body.operations.size(), 1U);
    }

    /// Values before types, outputs before inputs, the program before the version.
    void fieldsInAnyOrder()
    {
        const QByteArray val =
            bytes(3, bytes(1, bytes(7, bytes(1, raw("003c00b8"))))) + bytes(2, tensor(Fp16, {2}));
        const QByteArray op =
            entry(5, "val", val) + bytes(3, named("w", tensor(Fp16, {2}))) + bytes(1, "const");
        const QByteArray body = bytes(3, op) + bytes(2, "w");
        const QByteArray reversed =
            bytes(502, entry(2, "main", entry(3, "CoreML6", body) + bytes(2, "CoreML6")) +
                           number(1, 1)) +
            number(1, 9);
        const auto parsed = readProto(reversed);
        QCOMPARE(codesOf(parsed.diagnostics), QByteArray());
        QCOMPARE(parsed.specification, "9");
        QCOMPARE(shown(parsed.program), "(){fp16[2] w = const()[val=fp16[2]:003c00b8]}->(w)"_ba);
    }

    void faultyOperations_data()
    {
        // operation: between two sound ones; codes: without offsets
        addColumns<QByteArray, QByteArray, bool>();
        const auto row = [](const char *name, const QByteArray &operation, const char *codes,
                            bool kept = false) {
            addRow(name, operation, QByteArray(codes), kept);
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
        row("undefined", opMessage("const", {{"x", reference("nobody")}}, {}, {named("w", type)}),
            "e:mil.undefined", true);
        row("used before", opMessage("const", {{"x", reference("z")}}, {}, {named("w", type)}),
            "e:mil.order", true);
        row("defined twice", opMessage("const", {}, {}, {named("a", type)}), "e:mil.duplicate",
            true);
        row("block with a fault", opMessage("const", {}, {}, {named("w", type)}, {varint(7)}),
            "e:proto.wire");
    }

    void faultyOperations()
    {
        const auto [operation, codes, kept] = fetched<QByteArray, QByteArray, bool>();
        const QByteArray file = model({first(), operation, last()}, {"z"});
        const auto parsed = readProto(file);
        QCOMPARE(parsed.diagnostics.size(), 1U);
        const Error &error = parsed.diagnostics[0].error;
        QCOMPARE(codesOf(parsed.diagnostics).split('@')[0], codes);
        const auto start = quint64(file.indexOf(operation));
        QVERIFY2(error.offset && error.offset->value >= start &&
                     error.offset->value < start + quint64(operation.size()),
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
        const auto row = addColumns<QByteArray, QByteArray>();
        row("empty", "", "e:mil.empty@0");
        row("neural network", number(1, 1) + bytes(500, "abc"), ""); // another reader's
        const auto metadata = [](const QByteArray &text) {
            return number(1, 1) + bytes(2, bytes(100, text)) + bytes(500, "abc");
        };
        row("author", metadata(bytes(3, "a\xFF")), "w:mil.encoding@10");
        row("key of metadata", metadata(bytes(100, bytes(1, "\xFF") + bytes(2, "a"))),
            "w:mil.encoding@12");
        row("label", number(1, 1) + bytes(2, "") + bytes(403, bytes(100, bytes(1, "b\xFF"))),
            "w:mil.encoding@13");
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
        const auto [file, codes] = fetched<QByteArray, QByteArray>();
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
            addRow(name, model({first(), operation, last()}, {"z"}));
        };
        row("blocks", nest(opMessage("loop", {}, {}, {}), block, kLevels));
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
        const QByteArray nested = opMessage("loop", {}, {}, {named("w", tensor(Fp16))},
                                            {block({first(), last()}, {"z"})});
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
        const QByteArray nested = opMessage("loop", {}, {}, {named("w", tensor(Fp16))},
                                            {block({first(), last()}, {"z"})});
        const QByteArray file =
            model({first(), constant(immediate(tensor(Int32, {2}), 2, varint(1) + varint(500))),
                   constant(blob(tensor(Fp16, {2, 3}), "p", 64)), nested, last()},
                  {"z"});
        QRandomGenerator random(3);
        for (int round = 0; round < 20000; ++round) {
            QByteArray damaged = file;
            for (int i = random.bounded(1, 5); i > 0; --i)
                damaged[random.bounded(int(damaged.size()))] = char(random.bounded(256));
            const auto parsed = readProto(damaged);
            for (const Diagnostic &d : parsed.diagnostics)
                QVERIFY(!d.error.offset || d.error.offset->value <= quint64(damaged.size()));
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
            QCOMPARE(codesOf(parsed.diagnostics).left(11), "e:mil.limit"_ba);
            QCOMPARE(parsed.diagnostics.size(), 1U);
        }
    }
};

KERNSCOPE_TEST(TestMilProtobuf, NoApplication)
#include "tst_mil_protobuf.moc"
