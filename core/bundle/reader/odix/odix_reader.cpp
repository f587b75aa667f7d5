// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error_builder.h"
#include "core/bundle/reader/aimodel/form_builder.h"
#include "core/bundle/reader/mil/consumers.h"
#include "core/bundle/reader/mil/form_reader.h"
#include "core/bundle/reader/milblob/blob_claims.h"
#include "core/bundle/reader/odix/odix_program.h"
#include "core/bundle/reader/readers.h"
#include "core/format/coreai_operations.h"
#include "core/numeric/convert.h"

#include <set>

#include <fmt/format.h>

namespace kernscope {

namespace {

using codec::PartRole;
using odix::Value;

constexpr std::uint64_t kMostIntegers = 64; ///< of axes and shapes there are few

/// Forms of a compiled program: its constants, then the values that kernels make of them.
class CompiledForms final : public aimodel::FormBuilder
{
public:
    CompiledForms(const odix::Compiled &compiled, std::span<const std::byte> bytes,
                  const std::string &path, DiagnosticLog &log)
        : FormBuilder(compiled.file, path, bytes, "odix.form", log), m_compiled(compiled),
          m_program(compiled.program)
    {
        for (const odix::MadeValue &made : compiled.trace.made) {
            auto &operands = m_operands.emplace_back();
            for (const Value &each : made.operands)
                operands.push_back(numberOf(each));
        }
    }
    std::uint32_t numberOf(const Value &value) const
    {
        const std::size_t before = value.kind == Value::Kind::Made ? m_program.constants.size() : 0;
        return value.isConstant() ? static_cast<std::uint32_t>(before + value.index) : UINT32_MAX;
    }

private:
    const odix::MadeValue *made(std::uint32_t value) const
    {
        const std::size_t index = value - m_program.constants.size();
        return value >= m_program.constants.size() && index < m_operands.size()
                   ? &m_compiled.trace.made[index]
                   : nullptr;
    }
    const odix::Instruction &call(const odix::MadeValue &value) const
    {
        return m_program.functions[value.function].code[value.instruction];
    }
    const odix::Symbol &kernel(const odix::MadeValue &value) const
    {
        return *m_program.callee(call(value));
    }

    CoreAiStep step(std::uint32_t value) const override
    {
        const odix::MadeValue *of = made(value);
        return of                                   ? coreAiKernel(kernel(*of).name).step
               : value < m_program.constants.size() ? CoreAiStep::Constant
                                                    : CoreAiStep::None;
    }
    Operands operandsOf(std::uint32_t value) const override
    {
        return made(value) ? m_operands[value - m_program.constants.size()] : Operands();
    }
    std::optional<aimodel::TensorInfo> tensor(std::uint32_t value) const override
    {
        const odix::MadeValue *of = made(value);
        if (!of && value >= m_program.constants.size())
            return std::nullopt;
        const odix::Type &type =
            m_program.types[of ? kernel(*of).outputs.front() : m_program.constants[value].type];
        aimodel::TensorInfo info{type.element, type.dims, type.bits == 2 * bitWidth(type.element)};
        if (info.complex)
            info.dims.push_back(2);
        return info;
    }
    std::optional<std::vector<std::int64_t>> integers(std::uint32_t value) const override
    {
        const auto info = tensor(value);
        if (step(value) != CoreAiStep::Constant || isFloatingPoint(info->element))
            return std::nullopt;
        const auto bytes = m_bytes.subspan(place(value).offset.value, place(value).bytes.value);
        const unsigned width = bitWidth(info->element) / 8;
        std::vector<std::int64_t> numbers;
        for (std::uint64_t i = 0; width > 0 && (i + 1) * width <= bytes.size() && i < kMostIntegers;
             ++i)
            numbers.push_back(loadCode(bytes, info->element, i));
        return numbers;
    }
    ByteRange place(std::uint32_t value) const override
    {
        const odix::MadeValue *of = made(value);
        return of                                   ? ByteRange{call(*of).at, ByteCount(4)}
               : value < m_program.constants.size() ? m_program.constants[value].bytes
                                                    : ByteRange();
    }
    Result<codec::Operand> constant(std::uint32_t value, PartRole role) override
    {
        const auto info = tensor(value);
        const auto shape = info->shape();
        const auto count = shape ? elementCount(*shape) : std::nullopt;
        const auto packed = count ? packedBytes(*count, info->element) : std::nullopt;
        if (bitWidth(info->element) == 0 || !packed || !packedBytes(*count, ElementType::Fp64) ||
            *packed > place(value).bytes)
            return refuse(value, "odix.form", "element type",
                          "a known one, and bytes for its elements",
                          m_program.types[m_program.constants[value].type].text,
                          "A constant is not a tensor of numbers that its bytes hold.");
        OperandPlace at;
        at.file = m_file;
        at.bytes = place(value).bytes;
        at.dataOffset = at.metaOffset = place(value).offset;
        return know(operandAt(role, info->element, *shape, std::move(at)));
    }

    const odix::Compiled &m_compiled;
    const odix::Program &m_program;
    std::vector<std::vector<std::uint32_t>> m_operands; ///< by made value
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

/// Read by something that does not decompress, or by nothing, or the function's result.
bool isOutermost(const ValueGraph &graph, const GraphOperation &maker,
                 const std::set<std::string_view> &outputs)
{
    const Definition &made = graph.definitions()[maker.firstDefinition];
    const auto &uses = made.uses;
    return uses.empty() || outputs.count(made.name) > 0 ||
           std::ranges::any_of(uses, [&](const Use &use) {
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
    DiagnosticLog silent; // what a runtime makes of a package is no matter here
    CompiledForms builder(compiled, bytes, path, silent);
    for (std::size_t f = 0; f < program.program.functions.size(); ++f) {
        const mil::Function &function = program.program.functions[f];
        const ValueGraph graph(function);
        const std::set<std::string_view> outputs(function.body.outputs.begin(),
                                                 function.body.outputs.end());
        for (std::size_t i = 0; i < graph.operations().size(); ++i) {
            const GraphOperation &maker = graph.operations()[i];
            const mil::Operation &operation = *maker.operation;
            if ((operation.type != "const" && !isConstexpr(operation)) ||
                !isOutermost(graph, maker, outputs))
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
            builder.setForm(weight, builder.weight(builder.numberOf(value->second)),
                            FormNode::Unknown, log);
            if (auto sources = sourcesOf(compiled, value->second); !sources.empty())
                weight.detail.emplace_back("op_id", std::move(sources));
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

/// The program among the files; of a lone one that.
std::size_t programOf(const std::vector<BundleFile> &files)
{
    if (files.size() == 1)
        return 0;
    const auto found = std::ranges::find_if(files, [](const BundleFile &file) {
        return file.path.ends_with(kProgramEnding) && file.path.find('/') == std::string::npos;
    });
    return static_cast<std::size_t>(found - files.begin());
}

Result<std::string> pathOfOdix(const std::vector<BundleFile> &files)
{
    const std::size_t program = programOf(files);
    return program < files.size() ? files[program].path : std::string();
}

void readOdix(ContainerInput &input, ContainerContents &out)
{
    if (input.openBeside)
        input.openBeside({debugPathOf(input.programPath)});
    out.claims.resize(input.files.size());
    const std::size_t program = programOf(input.files);
    if (program < input.files.size())
        OdixReading(input.files, program, out).read();
}

} // namespace

const ContainerReader &odixReader()
{
    static const ContainerReader reader{
        .kind = BundleKind::Aimodelx,
        .key = "aimodelx",
        .name = "a compiled Core AI program (.aimodelx)",
        .wanted = "a .aimodelx folder, a .odix",
        .endings = {".aimodelx", ".odixpackage", ".odix"},
        .folderMarks = {"*.odix"},
        .knows = [](auto bytes,
                    auto path) { return odix::isOdix(bytes) || path.ends_with(kProgramEnding); },
        .programPath = pathOfOdix,
        .read = readOdix,
        .helpPage = "odix",
        .fuzzTarget = "fuzz_odix"};
    return reader;
}

} // namespace kernscope
