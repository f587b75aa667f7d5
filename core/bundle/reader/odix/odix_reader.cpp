// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/reader/readers.h"

#include "core/base/error_builder.h"
#include "core/bundle/reader/milblob/blob_claims.h"
#include "core/bundle/reader/odix/odix_weights.h"

#include <fmt/format.h>

namespace kernscope {

namespace {

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

    void read();

private:
    void readDebug(odix::Compiled &compiled);
    void claimProgram(const odix::Compiled &compiled);

    std::vector<BundleFile> &m_files;
    std::size_t m_program;
    ContainerContents &m_out;
};

void OdixReading::read()
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
    if (!program) {
        m_out.log.add(Severity::Error, std::move(program.error()));
        return;
    }
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

void OdixReading::readDebug(odix::Compiled &compiled)
{
    const std::string wanted = debugPathOf(m_files[m_program].path);
    for (std::size_t i = 0; i < m_files.size(); ++i) {
        BundleFile &file = m_files[i];
        if (i == m_program)
            continue;
        if (file.path != wanted) {
            claim(m_out, i, {FileOffset(0), file.file->size()}, SectionKind::Unknown, file.path);
            m_out.log.add(Severity::Note, ErrorBuilder("odix.file")
                                              .file(file.path)
                                              .at(FileOffset(0))
                                              .expected(m_files[m_program].path + ", " + wanted)
                                              .found("another file")
                                              .message("This file of the folder is not read."));
            continue;
        }
        file.role = SectionKind::Metadata;
        auto debug = odix::readDebugInfo(file.file->bytes(), file.path);
        if (!debug) {
            m_out.log.add(Severity::Error, std::move(debug.error()));
            continue;
        }
        m_out.log.add(std::move(debug->diagnostics));
        claim(m_out, i, {FileOffset(0), ByteCount(debug->begin)}, SectionKind::Header, "header");
        claim(m_out, i, {FileOffset(debug->begin), ByteCount(debug->end - debug->begin)},
              SectionKind::Metadata, "debug information");
        compiled.debug = std::move(*debug);
    }
}

void OdixReading::claimProgram(const odix::Compiled &compiled)
{
    const odix::Program &program = compiled.program;
    claim(m_out, m_program, {FileOffset(0), ByteCount(program.flatBuffer.offset.value)},
          SectionKind::Header, "header");
    claim(m_out, m_program, program.flatBuffer, SectionKind::Program, "program");
    auto operands = claimsOfOperands(m_program, m_out.weights);
    std::move(operands.begin(), operands.end(), std::back_inserter(m_out.claims[m_program]));
    // Those that are no weight: strides, axes and their like. Of one place the first claim holds.
    for (std::size_t i = 0; i < program.constants.size(); ++i) {
        const odix::Constant &each = program.constants[i];
        if (each.bytes.bytes.value > 0)
            claim(m_out, m_program, each.bytes, SectionKind::Data,
                  fmt::format("constant {}: {}", i, program.types[each.type].text));
    }
}

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

    Result<std::vector<FileBytes>> rewrite(const std::vector<BundleFile> &files) const override
    {
        std::vector<FileBytes> all;
        for (std::size_t i = 0; i < files.size(); ++i) {
            const auto bytes = files[i].file->bytes();
            if (i != programOf(files)) {
                all.emplace_back(bytes.begin(), bytes.end());
                continue;
            }
            const auto program = TRY(odix::readProgram(bytes, files[i].path));
            auto written = TRY(odix::writeProgram(program, bytes));
            all.push_back(std::move(written));
        }
        return all;
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
        const auto found = std::find_if(files.begin(), files.end(), [](const BundleFile &file) {
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
