// SPDX-License-Identifier: GPL-3.0-or-later
// A compiled program that this project made (tests/fuzz/seeds/made.odix): two weights that are
// decompressed, one dense one, a state, views that overlap once the older one is dead.
#include "core/bundle/byte_field.h"
#include "core/bundle/reader/odix/odix_program.h"
#include "core/compare/compare.h"
#include "core/container/mil/value_graph.h"
#include "core/container/odix/field_at.h"
#include "core/report/odix_json.h"
#include "made_bundle.h"
#include "rewrite.h"
#include "tests/test_program.h"

#include <nlohmann/json.hpp>

namespace {

OpenOptions folder(Bytes program, Bytes debug)
{
    OpenOptions options;
    options.memory = {{"main-universal.dbginfo", std::move(debug)},
                      {"main-universal.odix", std::move(program)}};
    return options;
}

BundlePtr made()
{
    return Bundle::open("made.aimodelx", folder(seed("made.odix"), seed("made.dbginfo")))
        .value_or(nullptr);
}

/// A body without inputs, instruction by instruction: what it reads are constants.
class MadeBody
{
public:
    MadeBody(std::size_t outputs) : m_registers(std::uint32_t(outputs))
    {
        compiled.program.symbols.emplace_back().name = "main";
        compiled.program.functions.emplace_back();
        compiled.program.symbols[0].outputs.assign(outputs, odix::kNone);
        compiled.program.symbols[0].intents.assign(outputs, 0);
    }

    /// The register that it lies in.
    std::uint32_t constant(ElementType element, std::vector<std::int64_t> dims, const Bytes &data)
    {
        odix::Program &program = compiled.program;
        odix::Constant made;
        made.type = type(element, std::move(dims));
        made.offset = bytes.size();
        made.bytes = {FileOffset(bytes.size()), ByteCount(data.size())};
        program.constants.push_back(made);
        bytes.insert(bytes.end(), data.begin(), data.end());
        add(odix::Opcode::LoadDs, std::int64_t(made.offset), {}, {m_registers});
        call("NDArray.alloc_const", made.type, {m_registers}, m_registers + 1);
        return (m_registers += 2) - 1;
    }

    std::uint32_t kernel(std::string_view name, const std::vector<std::uint32_t> &operands,
                         ElementType element, std::vector<std::int64_t> dims)
    {
        call(name, type(element, std::move(dims)), operands, m_registers);
        return m_registers++;
    }

    void output(std::uint32_t reg, std::uint32_t number) { into("NDArray.copy", {reg}, number); }

    /// Writes the result into what a register holds.
    void into(std::string_view name, const std::vector<std::uint32_t> &operands, std::uint32_t reg)
    {
        call(name, compiled.program.symbols.back().outputs[0], operands, reg);
    }

    std::uint32_t view(std::uint32_t memory, std::int64_t offset, ElementType element,
                       std::vector<std::int64_t> dims)
    {
        add(odix::Opcode::LoadImm, offset, {}, {m_registers});
        call("NDArray.alloc_view", type(element, std::move(dims)), {memory, m_registers},
             m_registers + 1);
        return (m_registers += 2) - 1;
    }

    /// The number of a jump, whose target may be set later.
    std::size_t jump(odix::Opcode opcode, std::size_t target,
                     const std::vector<std::uint32_t> &operands)
    {
        add(opcode, std::int64_t(target), operands, {});
        return next() - 1;
    }
    void land(std::size_t jump) { body().code[jump].value = std::int64_t(next()); }
    std::size_t next() { return body().code.size(); }
    void move(std::uint32_t from, std::uint32_t to) { add(odix::Opcode::Move, 0, {from}, {to}); }

    CompiledProgram program()
    {
        compiled.trace = odix::traceProgram(compiled.program, "made.odix", decompresses);
        return programOf(compiled, bytes, "made.odix");
    }

    odix::Compiled compiled;
    Bytes bytes;

private:
    odix::Function &body() { return compiled.program.functions[0]; }

    std::uint32_t type(ElementType element, std::vector<std::int64_t> dims)
    {
        odix::Type made;
        made.kind = odix::Type::Kind::Array;
        made.bits = bitWidth(element);
        made.element = element;
        made.dims = std::move(dims);
        compiled.program.types.push_back(std::move(made));
        return std::uint32_t(compiled.program.types.size() - 1);
    }

    void add(odix::Opcode opcode, std::int64_t value, const std::vector<std::uint32_t> &operands,
             const std::vector<std::uint32_t> &results)
    {
        odix::Instruction made;
        made.opcode = std::uint8_t(opcode);
        made.value = value;
        made.operands = std::uint32_t(operands.size());
        made.results = std::uint32_t(results.size());
        auto &registers = body().registers;
        made.first = std::uint32_t(registers.size());
        registers.insert(registers.end(), operands.begin(), operands.end());
        registers.insert(registers.end(), results.begin(), results.end());
        body().code.push_back(made);
    }

    void call(std::string_view name, std::uint32_t type, const std::vector<std::uint32_t> &operands,
              std::uint32_t result)
    {
        auto &symbols = compiled.program.symbols;
        odix::Symbol &made = symbols.emplace_back();
        made.kernel = true;
        made.name = name;
        made.outputs = {type};
        made.intents = {0};
        add(odix::Opcode::Call, std::int64_t(symbols.size() - 1), operands, {result});
    }

    std::uint32_t m_registers;
};

/// Where a pattern of bytes lies.
std::size_t find(const Bytes &bytes, std::string_view text)
{
    const auto wanted = std::as_bytes(std::span(text));
    return std::size_t(std::search(bytes.begin(), bytes.end(), wanted.begin(), wanted.end()) -
                       bytes.begin());
}

/// Where a field begins.
std::size_t placeOf(const Bytes &bytes, std::string_view field)
{
    const auto fields = odix::FieldMap::make(bytes);
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        const auto found = fields->at(FileOffset(at));
        if (found && found->name == field)
            return at;
    }
    return bytes.size();
}

} // namespace

class TestOdix : public QObject
{
    Q_OBJECT

private slots:
    void tables()
    {
        const auto bytes = seed("made.odix");
        const auto program = VERIFIED(odix::readProgram(bytes, "made.odix"));
        QCOMPARE(faults(program->diagnostics), std::vector<std::string>());
        QCOMPARE(program->platform, "myPlatformId");
        QCOMPARE(program->functions.size(), 3U);
        QCOMPARE(program->roleOf(program->functions[0]),
                 std::string_view("initialiser with buffers"));
        QCOMPARE(program->roleOf(program->functions[1]), std::string_view("initialiser"));
        QCOMPARE(program->roleOf(program->functions[2]), std::string_view("body"));
        QCOMPARE(program->constants.size(), 9U);
        QCOMPARE(program->types[program->constants[1].type].text, "ui2[2,4]");
        QCOMPARE(program->constants[1].bytes.bytes.value, 2U);
        QCOMPARE(program->constants[1].room.value, 64U);
        const auto written = odix::writeProgram(*program, bytes);
        QVERIFY(written && *written == bytes);
        QCOMPARE(odix::writeProgram(*program, std::span(bytes).first(100)).error().code,
                 "odix.write");
    }

    void weights()
    {
        const auto bundle = VERIFIED(made());
        QCOMPARE(bundle->kind(), BundleKind::Aimodelx);
        QCOMPARE(faults(bundle->diagnostics()), std::vector<std::string>());
        QCOMPARE(sectionFault(*bundle), std::string());
        QCOMPARE(bundle->weights().size(), 3U);
        // A call stack and the role; the author's name; the reader and the role.
        QCOMPARE(decoded(*bundle, "Tiny_1/Linear_1.bias"),
                 (std::vector<float>{-1, -0.5, 0, 0.5, 1, 1.5, 2, 2.5}));
        QCOMPARE(decoded(*bundle, "layer.0.weight"),
                 (std::vector<float>{1, 2, -0.5, 0.25, 0.25, -0.5, 2, 1}));
        // 0.5 x (code - 1) + 0.25, and 2 x (code + 1) - 1.
        QCOMPARE(decoded(*bundle, "add_2.bias"),
                 (std::vector<float>{0.25, 0.75, 1.25, 1.75, -9, -11, -13, -15}));
        QCOMPARE(formText(bundle->weights()[1].form), "lut");
        QCOMPARE(formText(bundle->weights()[2].form), "blockwise");
        QCOMPARE(bundle->weights()[1].consumers.front().op, "mul");
    }

    void program()
    {
        const auto bundle = VERIFIED(made());
        const auto &functions = bundle->program()->functions;
        QCOMPARE(functions.size(), 1U);
        QCOMPARE(functions[0].inputs.size(), 2U); // x and the state
        QCOMPARE(functions[0].inputs[1].type.kind, mil::ValueType::Kind::State);
        std::vector<std::string> types;
        for (const mil::Operation &each : functions[0].body.operations)
            types.push_back(each.type);
        QCOMPARE(types, (std::vector<std::string>{
                            "const", "add", "const", "const", "const", "constexpr_lut_to_dense",
                            "mul", "const", "const", "const", "const",
                            "constexpr_blockwise_shift_scale", "add", "const", "reshape"}));
        QCOMPARE(functions[0].body.outputs.front(), "y");
        const auto json = report::odixJson(*bundle->compiled(), 13568);
        QCOMPARE(json["functions"][2]["instructions"].size(), 29U);
        QCOMPARE(json["attributes"].dump(), std::string(R"({"coreai.odie-build":"made up"})"));
    }

    /// A reshape between a constant and its scales is a step of the weight, one before an operation
    /// of the body is not; a scale that is an output as well is a weight of its own.
    void stepsOfForms()
    {
        using enum ElementType;
        MadeBody body(3);
        const auto shape = body.constant(Uint32, {2}, hex("02 00 00 00 02 00 00 00"));
        const auto codes = body.constant(Int8, {4}, hex("01 02 03 04"));
        const auto scale = body.constant(Fp16, {2, 1}, halves({2, 3}));
        const auto zero = body.constant(Int8, {2, 1}, hex("00 00"));
        const auto bias = body.constant(Fp16, {2, 1}, halves({0, 0}));
        const auto data = body.kernel("coreai.reshape", {codes, shape}, Int8, {2, 2});
        const auto made =
            body.kernel("coreai.blockwise_shift_scale", {data, scale, zero, bias}, Fp16, {2, 2});
        body.output(made, 0);
        body.output(scale, 1);
        const auto whole = body.constant(Fp16, {4}, halves({1, 2, 3, 4}));
        const auto turned = body.kernel("coreai.reshape", {whole, shape}, Fp16, {2, 2});
        body.output(body.kernel("coreai.round", {turned}, Fp16, {2, 2}), 2);
        const CompiledProgram program = body.program();
        const mil::Block &block = program.program.functions[0].body;
        std::string types;
        for (const mil::Operation &each : block.operations)
            types += each.type == "const" ? std::string() : each.type + " ";
        QCOMPARE(types, "constexpr_reshape constexpr_blockwise_shift_scale reshape round copy ");
        QCOMPARE(block.outputs, (std::vector<std::string>{"output_0", "output_1", "output_2"}));
        QVERIFY(program.constants[0].at("output_0").kind == odix::Value::Kind::Made);
        QVERIFY(program.constants[0].at("output_1").kind == odix::Value::Kind::Constant);
    }

    void memoryPlan()
    {
        const auto bundle = VERIFIED(made());
        const odix::Trace &trace = bundle->compiled()->trace;
        QCOMPARE(trace.buffers.size(), 1U);
        QCOMPARE(trace.buffers[0].bytes, 256U);
        QCOMPARE(trace.views.size(), 4U);
        QCOMPARE(trace.views[3].offset, 0U);
        // The first view was last used before the one that takes its place is made.
        QVERIFY(trace.views[0].last < trace.views[3].instruction);
        const std::string svg = report::memoryPlanSvg(*bundle->compiled());
        QVERIFY(svg.find("f16[2,4]: 16 bytes at 16") != std::string::npos);
    }

    /// Both arms of a branch reach what comes after it, with their values and their memory.
    void branches()
    {
        using enum ElementType;
        MadeBody body(2);
        const auto x = body.constant(Fp16, {4}, halves({1, 2, 3, 4}));
        const auto memory = body.kernel("NDArray.alloc", {}, Int8, {256});
        const auto around = body.view(memory, 0, Int8, {64});
        const auto which = body.kernel("NDArray.load", {x}, Bool, {});
        const auto joined = body.kernel("NDArray.load", {x}, Fp16, {4});
        const auto toElse = body.jump(odix::Opcode::Branch, 0, {which});
        const auto first = body.view(around, 0, Fp16, {4});
        body.into("coreai.round", {x}, first);
        body.move(first, joined);
        body.into("coreai.round", {x}, 1);
        const auto toEnd = body.jump(odix::Opcode::Jump, 0, {});
        body.land(toElse);
        const auto second = body.view(around, 32, Fp16, {4});
        body.into("coreai.gelu", {x}, second);
        body.move(second, joined);
        body.into("coreai.gelu", {x}, 1);
        body.land(toEnd);
        const std::size_t end = body.next();
        body.into("coreai.rsqrt", {joined}, 0);
        const CompiledProgram program = body.program();
        for (const odix::View &view : body.compiled.trace.views)
            QCOMPARE(view.last, end);
        QVERIFY(!body.compiled.trace.faithful[0]);
        const mil::Block &block = program.program.functions[0].body;
        QCOMPARE(block.outputs, (std::vector<std::string>{"output_0", "output_1"}));
        std::string text;
        for (const mil::Operation &each : block.operations) {
            text += each.displayName() + ":";
            for (const mil::Argument &input : each.inputs) {
                for (const mil::ProgramValue &value : input.values)
                    text += " " + value.reference()->name;
            }
            text += ", ";
        }
        QCOMPARE(text, fmt::format("load_1.x:, load_1: load_1.x, load_2: load_1.x, branch_{}: "
                                   "load_1, round_1: load_1.x, move_{}: round_1, round_2: "
                                   "load_1.x, jump_{}:, gelu_1: load_1.x, move_{}: gelu_1, "
                                   "gelu_2: load_1.x, output_0: move_{} move_{}, output_1: "
                                   "round_2 gelu_2, ",
                                   toElse, toEnd - 2, toEnd, end - 2, toEnd - 2, end - 2));
    }

    /// What a loop writes is read before it in the file, and its memory is in use up to the jump.
    void loops()
    {
        using enum ElementType;
        MadeBody body(1);
        const auto x = body.constant(Fp16, {4}, halves({1, 2, 3, 4}));
        const auto memory = body.kernel("NDArray.alloc", {}, Int8, {256});
        const auto turn = body.kernel("NDArray.load", {x}, Fp16, {4});
        const std::size_t begin = body.next();
        const auto which = body.kernel("NDArray.load", {turn}, Bool, {});
        const auto made = body.view(memory, 0, Fp16, {4});
        body.into("coreai.round", {x}, made);
        body.move(made, turn);
        const std::size_t back = body.jump(odix::Opcode::Branch, begin, {which});
        body.output(x, 0);
        const CompiledProgram program = body.program();
        QCOMPARE(body.compiled.trace.views[0].last, back);
        const ValueGraph graph(program.program.functions[0]);
        const std::string wanted = fmt::format("move_{}", back - 1);
        const auto moved = std::ranges::find(graph.definitions(), wanted, &Definition::name);
        QVERIFY(moved != graph.definitions().end());
        QCOMPARE(moved->uses.size(), 1U);
        QVERIFY(moved->uses[0].operation < moved->operation);
    }

    void otherPrograms_data()
    {
        addColumns<QByteArray, int, QByteArray, bool>();
        const auto row = [](const char *name, const char *field, int value, const char *says,
                            bool overlaps = false) {
            addRow(name, QByteArray(field), value, QByteArray(says), overlaps);
        };
        const char *second = "function 2, region 0, instruction 13, body: value",
                   *third = "function 2, region 0, instruction 16, body: value";
        row("a view elsewhere", third, 64, "");
        row("a view over one that is read later", second, 0,
            "changed function main: instruction 13: load_imm 16", true);
        row("a result over an operand", third, 16,
            "changed function main: instruction 16: load_imm 32");
        row("an entry", "entry 0: functions, element 0", 2, "changed function entries: main:");
    }

    /// Programs that differ in one number, which the operations of the body do not have.
    void otherPrograms()
    {
        const auto [field, value, says, overlaps] = fetched<QByteArray, int, QByteArray, bool>();
        auto bytes = seed("made.odix");
        bytes.at(placeOf(bytes, field.toStdString())) = std::byte(value);
        const auto other =
            VERIFIED(Bundle::open("x.aimodelx", folder(bytes, seed("made.dbginfo"))));
        QCOMPARE(faults((*other)->diagnostics()).size(), overlaps ? 1U : 0U);
        const auto difference = VERIFIED(compareBundles(*made(), **other, {}));
        QCOMPARE(difference->identical, says.isEmpty());
        QCOMPARE(difference->program.sameComputation, says.isEmpty());
        std::string text;
        for (const ProgramChange &each : difference->program.detail.changes)
            text += fmt::format("{} {} {}: {}", programChangeName(each.kind),
                                programPartName(each.what), each.function, each.details.front());
        QVERIFY2(text.starts_with(says.toStdString()), text.c_str());
    }

    /// Each byte that is written is of a field with a name; padding between them is zero.
    void fields()
    {
        const BundlePtr bundle = VERIFIED(made());
        BoundOrder order;
        const auto nameAt = [&](std::size_t file, std::uint64_t at) {
            return fieldAt(*bundle, file, FileOffset(at), order).text;
        };
        const std::size_t program = *bundle->fileByPath("main-universal.odix"),
                          debug = *bundle->fileByPath("main-universal.dbginfo");
        QCOMPARE(nameAt(program, 1), "header: magic");
        QCOMPARE(nameAt(program, 6), "header: minor version (uint16)");
        QCOMPARE(nameAt(debug, 9), "header: start of the FlatBuffer (uint64)");
        const odix::Program &compiled = bundle->compiled()->program;
        QCOMPARE(nameAt(program, compiled.symbols[3].at.value + 1),
                 "symbol table, symbol 3: offset of its vtable");
        const auto function = std::ranges::find_if(
            compiled.functions, [](const odix::Function &each) { return each.code.size() > 2; });
        QVERIFY(function != compiled.functions.end());
        QCOMPARE(nameAt(program, function->code[2].at.value),
                 fmt::format("function {}, region 0, instruction 2: offset of its vtable",
                             function - compiled.functions.begin()));
        const auto own = seed("made.odix");
        QCOMPARE(nameAt(program, find(own, "myPlatformId") + 3), "platform: name");
        const auto named = VERIFIED(odix::FieldMap::make(own));
        for (std::uint64_t at = compiled.flatBuffer.offset.value; at < compiled.flatBuffer.end();
             ++at) {
            const auto field = named->at(FileOffset(at));
            QVERIFY2(field || own[at] == std::byte{0}, std::to_string(at).c_str());
            QVERIFY(!field || (field->bytes.contains(FileOffset(at)) && !field->name.empty()));
        }
        const auto debugBytes = seed("made.dbginfo");
        const auto debugFields = VERIFIED(odix::FieldMap::make(debugBytes));
        for (std::uint64_t at = 68; at < debugBytes.size(); ++at)
            QVERIFY2(debugFields->at(FileOffset(at)) || debugBytes[at] == std::byte{0},
                     std::to_string(at).c_str());
    }

    /// Cut or changed anywhere the walk ends, and what it names lies in the file.
    void fieldsOfBrokenFiles()
    {
        const auto whole = seed("made.odix");
        for (std::size_t i = 0; i < whole.size(); i += 23) {
            for (const unsigned other : {0x00U, 0x04U, 0x7fU, 0xffU}) {
                auto changed = whole;
                changed[i] = static_cast<std::byte>(other);
                const auto fields = odix::FieldMap::make(changed);
                for (std::uint64_t at = 0; fields && at < changed.size(); at += 61) {
                    const auto field = fields->at(FileOffset(at));
                    QVERIFY(!field || field->bytes.end() <= changed.size());
                }
            }
            const auto cut = odix::FieldMap::make(std::span(whole).first(i));
            QVERIFY(!cut || !cut->at(FileOffset(i)));
        }
    }

    void withoutDebugInformation()
    {
        const auto bundle = VERIFIED(
            Bundle::open("made.odixpackage", {.memory = {{"program.odix", seed("made.odix")}}}));
        QCOMPARE((*bundle)->weights()[0].name, "add_1.bias");
        QCOMPARE((*bundle)->weights()[1].name, "mul_1.factor");
    }

    void loneFile()
    {
        QTemporaryDir scratch;
        for (const char *name : {"made.odix", "made.dbginfo"})
            QVERIFY(put(scratch.filePath(QLatin1String(name)), seed(name)));
        const auto bundle = VERIFIED(Bundle::open(scratch.filePath(u"made.odix"_s).toStdString()));
        QCOMPARE((*bundle)->weights()[1].name, "layer.0.weight");
    }

    void refusals_data()
    {
        addColumns<int, QByteArray, QByteArray>();
        const auto row = [](const char *name, std::size_t at, const QByteArray &bytes,
                            const char *code) { addRow(name, int(at), bytes, QByteArray(code)); };
        const QByteArray far = QByteArray::fromHex("ffffff7f");
        row("magic", 0, "x", "odix.header");
        row("version", 6, QByteArray("\x06", 1), "odix.version");
        row("FlatBuffer past the end", 12, far, "odix.header");
        row("data past the end", 20, far, "odix.header");
        row("data inside the FlatBuffer", 16, QByteArray::fromHex("c8000000"), "odix.flatbuffer");
        row("root", 64, far, "odix.flatbuffer");
        const auto bytes = seed("made.odix");
        row("text that is not UTF-8", find(bytes, "myPlatformId"), "\xff", "odix.content");
        row("text past the end", find(bytes, "myPlatformId") - 4, far, "odix.flatbuffer");
        row("hash of a type's name", find(bytes, "NDArray"), "ndArray", "odix.content");
        const auto attribute = [&](const char *name, const char *field, const char *hexBytes,
                                   const char *code) {
            row(name, placeOf(bytes, "symbol table, attribute " + std::string(field)),
                QByteArray::fromHex(hexBytes), code);
        };
        attribute("order of dimensions", "4: bytes, element 0", "0100000000", "odix.layout");
        attribute("interleave", "6: bytes, element 0", "02", "odix.layout");
        attribute("another shape", "8: bytes, element 8", "05", "odix.layout");
        attribute("type of elements", "28: value", "24", "odix.constant");
    }

    /// One fault each: said with its place, and everything that can be shown is.
    void refusals()
    {
        const auto [at, bytes, code] = fetched<int, QByteArray, QByteArray>();
        auto changed = seed("made.odix");
        const auto with = std::as_bytes(std::span(bytes.constData(), std::size_t(bytes.size())));
        std::ranges::copy(with, changed.begin() + at);
        const auto bundle =
            VERIFIED(Bundle::open("x.aimodelx", folder(changed, seed("made.dbginfo"))));
        const auto &all = (*bundle)->diagnostics();
        const auto found =
            std::ranges::find_if(all, [wanted = code.toStdString()](const Diagnostic &each) {
                return each.error.code == wanted;
            });
        QVERIFY(found != all.end());
        QCOMPARE(found->error.file, "main-universal.odix");
        QVERIFY(found->error.offset);
        QCOMPARE(sectionFault(**bundle), std::string());
    }

    void debugRefusals()
    {
        auto changed = seed("made.dbginfo");
        changed[22] = std::byte{0x7f};
        const auto bundle =
            VERIFIED(Bundle::open("x.aimodelx", folder(seed("made.odix"), changed)));
        QCOMPARE((*bundle)->diagnostics().front().error.file, "main-universal.dbginfo");
        QCOMPARE((*bundle)->diagnostics().front().error.offset->value, 16U);
        QCOMPARE((*bundle)->weights().size(), 3U); // the program is whole
    }

    void warnings()
    {
        auto longer = seed("made.odix");
        longer.resize(longer.size() + 100);
        const auto program = VERIFIED(odix::readProgram(longer, "x.odix"));
        QCOMPARE(program->diagnostics.front().error.code, "odix.trailing");
        QVERIFY(program->diagnostics.front().severity == Severity::Warning);
        const auto written = odix::writeProgram(*program, longer);
        QVERIFY(written && *written == longer);
    }
};

KERNSCOPE_TEST(TestOdix, QCoreApplication)
#include "tst_odix.moc"
