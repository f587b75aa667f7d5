// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error_builder.h"
#include "core/base/little_endian.h"
#include "core/bundle/reader/mil/consumers.h"
#include "core/bundle/reader/mil/form_reader.h"
#include "core/bundle/reader/milblob/blob_claims.h"
#include "core/bundle/reader/odix/odix_program.h"
#include "core/bundle/reader/readers.h"
#include "core/bundle/stored_bytes.h"
#include "core/form/form_steps.h"
#include "core/format/coreai_operations.h"

#include <fmt/format.h>

namespace kernscope {

namespace {

using codec::Encoding;
using codec::OperandSource;
using codec::PartRole;
using codec::Scaling;
using odix::Value;

Shape shapeOfType(const odix::Type &type)
{
    Shape shape;
    for (const std::int64_t extent : type.dims)
        shape.push_back(static_cast<std::uint64_t>(extent)); // of constants none is dynamic
    if (type.bits == 2 * bitWidth(type.element))
        shape.push_back(2); // complex
    return shape;
}

/// Encodings from the kernels that make a value of constants.
class FormBuilder
{
public:
    FormBuilder(const odix::Compiled &compiled, std::span<const std::byte> bytes,
                const std::string &path)
        : m_compiled(compiled), m_program(compiled.program), m_bytes(bytes), m_path(path)
    {
    }

    Result<Encoding> encoding(const Value &value, PartRole role, unsigned depth = 0)
    {
        if (value.kind == Value::Kind::Constant) {
            auto operand = TRY(stored(value, role));
            Encoding dense;
            dense.type = operand.type;
            dense.shape = operand.shape;
            dense.payload = std::move(operand);
            return dense;
        }
        const odix::MadeValue &made = m_compiled.trace.made[value.index];
        const odix::Instruction &call = m_program.functions[made.function].code[made.instruction];
        const odix::Symbol &symbol = *m_program.callee(call);
        const odix::Type &type = m_program.types[symbol.outputs.front()];
        if (depth >= codec::kMaxChainedOps)
            return fault(call.at, "kernel",
                         fmt::format("at most {} in a row", codec::kMaxChainedOps), "more");
        const std::size_t operands = made.operands.size();
        const CoreAiStep step = coreAiKernel(symbol.name).step;
        if (step == CoreAiStep::Cast && operands == 1) {
            auto inner = encoding(made.operands[0], role, depth + 1);
            if (!inner || inner->type == type.element)
                return inner;
            if (!inner->scaling && !inner->converts) {
                inner->type = type.element;
                inner->converts = true;
                return inner;
            }
            Encoding cast;
            cast.type = type.element;
            cast.shape = inner->shape;
            cast.payload = std::make_shared<const Encoding>(std::move(*inner));
            cast.converts = true;
            return cast;
        }
        if (step == CoreAiStep::ShiftScale && operands >= 3 && operands <= 4)
            return scaled(made, type, depth);
        if ((step == CoreAiStep::LutToDense || step == CoreAiStep::LutToSparse) && operands == 3) {
            auto indices = encoding(made.operands[0], PartRole::Indices, depth + 1);
            return indices ? lookedUp(made, type, std::move(*indices), depth) : indices;
        }
        if (step == CoreAiStep::BuildSparse && operands == 2)
            return masked(made, depth);
        if (step == CoreAiStep::SparseToDense && operands == 1)
            return encoding(made.operands[0], role, depth + 1);
        return fault(call.at, "kernel", "a kernel that decompresses", symbol.name);
    }

    /// The operands that were met, also of a form that cannot be read.
    std::vector<codec::Operand> known;

private:
    Result<codec::Operand> stored(const Value &value, PartRole role)
    {
        const odix::Constant &constant = m_program.constants[value.index];
        const odix::Type &type = m_program.types[constant.type];
        const Shape shape = shapeOfType(type);
        const auto count = elementCount(shape);
        if (bitWidth(type.element) == 0 || !count || !packedBytes(*count, ElementType::Fp64))
            return fault(constant.bytes.offset, "element type", "an element type that is known",
                         type.text);
        OperandPlace place;
        place.file = m_compiled.file;
        place.bytes = constant.bytes.bytes;
        place.dataOffset = place.metaOffset = constant.bytes.offset;
        known.push_back(operandAt(role, type.element, shape, std::move(place)));
        return known.back();
    }

    Result<OperandSource> source(const Value &value, PartRole role, unsigned depth)
    {
        if (value.kind == Value::Kind::Constant)
            return stored(value, role).map([](codec::Operand &&made) {
                return OperandSource(made);
            });
        return encoding(value, role, depth).map([](Encoding &&made) {
            return OperandSource(std::make_shared<const Encoding>(std::move(made)));
        });
    }

    /// out = scale x (code - offset1) + offset2, in the type of the result.
    Result<Encoding> scaled(const odix::MadeValue &made, const odix::Type &type, unsigned depth)
    {
        auto data = TRY(encoding(made.operands[0], PartRole::Data, depth + 1));
        // A cast of table entries to the type of the result takes nothing from them.
        if (data.converts && data.palette && !data.scaling) {
            const ElementType entries = codec::sourceType(data.palette->lut);
            if (bitWidth(entries) <= 8) {
                data.converts = false;
                data.type = entries;
            }
        }
        Encoding result;
        const unsigned width = bitWidth(data.type);
        const bool plain = !data.scaling && !data.converts;
        if (plain && (data.palette || data.mask || storedOperand(data.payload) != nullptr))
            result = std::move(data);
        else
            result.payload = std::make_shared<const Encoding>(data);
        result.type = type.element;
        result.shape = shapeOfType(type);
        Scaling scaling;
        scaling.kind = Scaling::Kind::Blockwise;
        auto scale = source(made.operands[1], PartRole::Scale, depth + 1);
        auto offset = source(made.operands[2], PartRole::Offset, depth + 1);
        for (const auto *each : {&scale, &offset}) {
            if (!*each)
                return tl::unexpected(each->error());
        }
        scaling.scale = std::move(*scale);
        scaling.offset = std::move(*offset);
        if (made.operands.size() > 3) {
            scaling.bias = TRY(source(made.operands[3], PartRole::Bias, depth + 1));
        }
        const Shape &scales = codec::sourceShape(scaling.scale);
        const bool alongLast = !scales.empty() && scales.size() == result.shape.size() &&
                               std::equal(scales.begin(), scales.end() - 1, result.shape.begin());
        scaling.steps =
            alongLast && width >= 8 ? Scaling::Steps::Product : Scaling::Steps::Difference;
        scaling.scalesGaps = result.mask.has_value();
        result.scaling = std::move(scaling);
        return result;
    }

    /// A table for each group of indices: [groups along each axis, entries, vector].
    Result<Encoding> lookedUp(const odix::MadeValue &made, const odix::Type &type, Encoding indices,
                              unsigned depth)
    {
        const FileOffset at = m_program.functions[made.function].code[made.instruction].at;
        auto lut = TRY(source(made.operands[1], PartRole::Lut, depth + 1));
        const Shape table = codec::sourceShape(lut);
        const std::size_t rank = indices.shape.size();
        if (table.size() != rank + 2 || indices.palette || indices.scaling)
            return fault(at, "lut", fmt::format("a table of rank {} for plain indices", rank + 2),
                         shapeText(table));
        codec::Palette palette;
        palette.lut = std::move(lut);
        palette.grid.assign(table.begin(), table.end() - 2);
        palette.entries = table[rank];
        palette.vector = table[rank + 1];
        auto axis = integer(made.operands[2]);
        if (palette.vector != 1) {
            if (!axis)
                return tl::unexpected(std::move(axis.error()));
            *axis += *axis < 0 ? static_cast<std::int64_t>(rank) : 0;
            if (*axis < 0 || *axis >= static_cast<std::int64_t>(rank))
                return fault(at, "axis", fmt::format("one of {}", rank), fmt::format("{}", *axis));
            palette.vectorAxis = static_cast<std::uint64_t>(*axis);
        }
        indices.shape = shapeOfType(type);
        indices.type = codec::sourceType(palette.lut);
        indices.palette = std::move(palette);
        return indices;
    }

    /// The elements that a mask keeps, in the order of the dense form.
    Result<Encoding> masked(const odix::MadeValue &made, unsigned depth)
    {
        const FileOffset at = m_program.functions[made.function].code[made.instruction].at;
        auto values = TRY(source(made.operands[0], PartRole::NonzeroData, depth + 1));
        if (made.operands[1].kind != Value::Kind::Constant)
            return fault(at, "mask", "a stored mask", "a value that is made");
        auto mask = TRY(stored(made.operands[1], PartRole::Mask));
        Encoding result;
        result.type = codec::sourceType(values);
        result.shape = mask.shape;
        result.mask = std::move(mask);
        result.payload = std::move(values);
        return result;
    }

    Result<std::int64_t> integer(const Value &value) const
    {
        if (value.kind == Value::Kind::Constant) {
            const odix::Constant &constant = m_program.constants[value.index];
            const odix::Type &type = m_program.types[constant.type];
            const std::uint64_t bytes = constant.bytes.bytes.value;
            if (type.element == ElementType::Int16 && bytes == 2)
                return static_cast<std::int16_t>(
                    loadLittle<std::uint16_t>(m_bytes, constant.bytes.offset.value));
            if (type.element == ElementType::Int32 && bytes == 4)
                return static_cast<std::int32_t>(
                    loadLittle<std::uint32_t>(m_bytes, constant.bytes.offset.value));
        }
        return fault(FileOffset(0), "axis", "one whole number", "something else");
    }

    tl::unexpected<Error> fault(FileOffset at, std::string field, std::string expected,
                                std::string found) const
    {
        return refused({m_path, at}, "odix.form", field, expected, found,
                       "The kernels that make this weight do not fit their operands.");
    }

    const odix::Compiled &m_compiled;
    const odix::Program &m_program;
    std::span<const std::byte> m_bytes;
    const std::string &m_path;
};

/// Operations of the package that a value came from, as far as the debug information knows.
std::vector<std::uint64_t> sourcesOf(const odix::Compiled &compiled, const Value &value)
{
    std::vector<std::uint64_t> sources;
    if (!compiled.debug)
        return sources;
    const auto take = [&](std::uint32_t opId) {
        for (const std::uint32_t each : compiled.debug->sourceOps(opId)) {
            if (std::ranges::find(sources, each) == sources.end())
                sources.push_back(each);
        }
    };
    if (value.kind == Value::Kind::Constant) {
        take(static_cast<std::uint32_t>(value.index));
    } else {
        const odix::MadeValue &made = compiled.trace.made[value.index];
        take(compiled.program.functions[made.function].code[made.instruction].opId);
    }
    return sources;
}

/// Read by something that does not decompress, or by nothing.
bool isOutermost(const ValueGraph &graph, const GraphOperation &maker)
{
    const auto &uses = graph.definitions()[maker.firstDefinition].uses;
    return uses.empty() || std::ranges::any_of(uses, [&](const Use &use) {
               return !isConstexpr(*graph.operations()[use.operation].operation);
           });
}

/// The weights of a compiled program's functions: constants and what kernels make of constants
/// alone, as far as something else reads them (or nothing does). Their operands lie in the file of
/// number compiled.file, whose bytes and path are given. Faults: "odix.form".
std::vector<Weight> weightsOf(const odix::Compiled &compiled, const CompiledProgram &program,
                              std::span<const std::byte> bytes, const std::string &path,
                              DiagnosticLog &log)
{
    std::vector<Weight> weights;
    for (std::size_t f = 0; f < program.program.functions.size(); ++f) {
        const mil::Function &function = program.program.functions[f];
        const ValueGraph graph(function);
        for (std::size_t i = 0; i < graph.operations().size(); ++i) {
            const GraphOperation &maker = graph.operations()[i];
            const mil::Operation &operation = *maker.operation;
            if ((operation.type != "const" && !isConstexpr(operation)) ||
                !isOutermost(graph, maker))
                continue;
            const auto value = program.constants[f].find(operation.outputs.front().name);
            const mil::ProgramValue *stored = operation.operand("val");
            if (value == program.constants[f].end() || (stored && stored->literal()))
                continue;
            Weight weight;
            weight.name = operation.outputs.front().name;
            weight.function = function.name;
            weight.sourceOp = operation.type;
            weight.consumers = findConsumers(graph, i);
            FormBuilder builder(compiled, bytes, path);
            auto form = builder.encoding(value->second, PartRole::Data);
            if (form) {
                weight.type = form->type;
                weight.shape = form->shape;
                weight.elements = elementCount(weight.shape).value_or(ElementCount());
                weight.detail = formFigures(*form);
                weight.form = StorageForm(std::move(*form));
            } else {
                weight.form = StorageForm::unsound(FormNode::Unknown, ElementType::Unknown,
                                                   std::move(builder.known));
                weight.fault = form.error();
                log.add(Severity::Error, std::move(form.error()));
            }
            if (auto sources = sourcesOf(compiled, value->second); !sources.empty())
                weight.detail.emplace_back("op_id", std::move(sources));
            StoredBytes sum;
            sum.add(weight.operands());
            weight.storedBytes = sum.sum();
            weights.push_back(std::move(weight));
        }
    }
    return weights;
}

constexpr std::string_view kProgramEnding = ".odix", kDebugEnding = ".dbginfo";

/// Beside a program: the name of its debug information.
std::string debugPathOf(std::string_view program)
{
    program.remove_suffix(program.ends_with(kProgramEnding) ? kProgramEnding.size() : 0);
    return std::string(program) + std::string(kDebugEnding);
}

void claim(ContainerContents &out, std::size_t file, ByteRange range, SectionKind kind,
           std::string name)
{
    out.claims[file].push_back({range, kind, std::move(name)});
}

/// Reads one compiled program and what lies beside it.
class OdixReading
{
public:
    OdixReading(std::vector<BundleFile> &files, std::size_t program, ContainerContents &out)
        : m_files(files), m_program(program), m_out(out)
    {
    }

    void read()
    {
        BundleFile &file = m_files[m_program];
        const auto bytes = file.file->bytes();
        m_out.programFile = m_program;
        for (BundleFile &each : m_files)
            each.role = SectionKind::Unknown;
        file.role = SectionKind::Program;
        auto compiled = std::make_shared<odix::Compiled>();
        compiled->file = m_program;
        readDebug(*compiled);
        auto program = odix::readProgram(bytes, file.path);
        if (!program)
            return m_out.log.add(Severity::Error, std::move(program.error()));
        compiled->program = std::move(*program);
        m_out.log.add(std::move(compiled->program.diagnostics));
        compiled->trace = odix::traceProgram(compiled->program, file.path, decompresses);
        m_out.log.add(std::move(compiled->trace.diagnostics));
        CompiledProgram made = programOf(*compiled, bytes, file.path);
        m_out.weights = weightsOf(*compiled, made, bytes, file.path, m_out.log);
        m_out.program = std::move(made.program);
        markSharedOperands(m_out.weights);
        claimProgram(*compiled);
        m_out.compiled = std::move(compiled);
    }

private:
    void readDebug(odix::Compiled &compiled)
    {
        const std::string wanted = debugPathOf(m_files[m_program].path);
        for (std::size_t i = 0; i < m_files.size(); ++i) {
            BundleFile &file = m_files[i];
            if (i == m_program)
                continue;
            if (file.path != wanted) {
                claim(m_out, i, {FileOffset(0), file.file->size()}, SectionKind::Unknown,
                      file.path);
                m_out.log.add(Severity::Note,
                              valueError({file.path, FileOffset(0)}, "odix.file", {},
                                         m_files[m_program].path + ", " + wanted, "another file",
                                         "This file of the folder is not read."));
                continue;
            }
            file.role = SectionKind::Metadata;
            auto debug = odix::readDebugInfo(file.file->bytes(), file.path);
            if (!debug) {
                m_out.log.add(Severity::Error, std::move(debug.error()));
                continue;
            }
            m_out.log.add(std::move(debug->diagnostics));
            claim(m_out, i, {FileOffset(0), ByteCount(debug->begin)}, SectionKind::Header,
                  "header");
            claim(m_out, i, {FileOffset(debug->begin), ByteCount(debug->end - debug->begin)},
                  SectionKind::Metadata, "debug information");
            compiled.debug = std::move(*debug);
        }
    }

    void claimProgram(const odix::Compiled &compiled)
    {
        const odix::Program &program = compiled.program;
        claim(m_out, m_program, {FileOffset(0), ByteCount(program.flatBuffer.offset.value)},
              SectionKind::Header, "header");
        claim(m_out, m_program, program.flatBuffer, SectionKind::Program, "program");
        auto operands = claimsOfOperands(m_program, m_out.weights);
        std::move(operands.begin(), operands.end(), std::back_inserter(m_out.claims[m_program]));
        // Those that are no weight: strides, axes and their like. Of one place the first claim
        // holds.
        for (std::size_t i = 0; i < program.constants.size(); ++i) {
            const odix::Constant &each = program.constants[i];
            if (each.bytes.bytes.value > 0)
                claim(m_out, m_program, each.bytes, SectionKind::Data,
                      fmt::format("constant {}: {}", i, program.types[each.type].text));
        }
    }

    std::vector<BundleFile> &m_files;
    std::size_t m_program;
    ContainerContents &m_out;
};

class OdixReader final : public ContainerReader
{
public:
    BundleKind kind() const override { return BundleKind::Aimodelx; }
    std::string_view key() const override { return "aimodelx"; }
    std::string_view name() const override { return "a compiled Core AI program (.aimodelx)"; }
    std::string_view wanted() const override { return "a .aimodelx folder, a .odix"; }
    std::vector<std::string_view> endings() const override
    {
        return {".aimodelx", ".odixpackage", ".odix"};
    }
    std::string_view helpPage() const override { return "odix"; }
    std::string_view fuzzTarget() const override { return "fuzz_odix"; }
    std::vector<std::string_view> folderMarks() const override { return {"*.odix"}; }

    bool knows(std::span<const std::byte> bytes, std::string_view path) const override
    {
        return odix::isOdix(bytes) || path.ends_with(kProgramEnding);
    }

    Result<std::string> programPath(const std::vector<BundleFile> &files) const override
    {
        const std::size_t program = programOf(files);
        return program < files.size() ? files[program].path : std::string();
    }

    void read(ContainerInput &input, ContainerContents &out) const override
    {
        if (input.openBeside)
            input.openBeside({debugPathOf(input.programPath)});
        out.claims.resize(input.files.size());
        const std::size_t program = programOf(input.files);
        if (program < input.files.size())
            OdixReading(input.files, program, out).read();
    }

private:
    /// The program among the files; of a lone one that.
    static std::size_t programOf(const std::vector<BundleFile> &files)
    {
        if (files.size() == 1)
            return 0;
        const auto found = std::ranges::find_if(files, [](const BundleFile &file) {
            return file.path.ends_with(kProgramEnding) && file.path.find('/') == std::string::npos;
        });
        return static_cast<std::size_t>(found - files.begin());
    }
};

} // namespace

const ContainerReader &odixReader()
{
    static const OdixReader reader;
    return reader;
}

} // namespace kernscope
