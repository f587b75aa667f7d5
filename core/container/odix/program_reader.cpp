// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/byte_text.h"
#include "core/base/error_builder.h"
#include "core/container/odix/type_reader.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace kernscope::odix {

namespace {

using Table = FlatBuffer::Table;
using Vector = FlatBuffer::Vector;

// Slots of the tables (odix-format.md, section 2).
enum Root : unsigned {
    kPlatform = 0,
    kSymbolTable = 1,
    kFunctions = 2,
    kNumbers = 3,
    kSegments = 6,
    kAttribute = 7,
    kRootOpId = 8,
    kEntries = 9
};

class ProgramReader
{
public:
    ProgramReader(std::span<const std::byte> bytes, const std::string &file, Program &program)
        : m_bytes(bytes), m_file(file), m_program(program),
          m_flat(bytes, program.flatBuffer.offset.value, program.flatBuffer.end(), file)
    {
    }

    Result<void> read()
    {
        const Table root = m_flat.root();
        const Table platform = m_flat.table(root, kPlatform, "platform");
        m_program.platform = m_flat.text(platform, 0, "platform");
        const Table symbols = m_flat.table(root, kSymbolTable, "symbol table");
        if (!symbols)
            m_flat.fail(root.at, "symbol table", "a symbol table", "none",
                        "The program has no symbol table.");
        if (auto fault = m_flat.takeFault())
            return tl::unexpected(std::move(*fault));
        readSegments(root);
        m_program.opId = m_flat.number<std::uint32_t>(root, kRootOpId, "op id");
        readSymbols(symbols);
        if (m_flat.has(root, kAttribute))
            m_program.attribute = m_flat.number<std::uint32_t>(root, kAttribute, "attribute");
        if (m_program.attribute != kNone && m_program.attribute >= m_program.attributes.size()) {
            m_flat.fail(root.at, "attribute", fmt::format("one of {}", m_program.attributes.size()),
                        fmt::format("{}", m_program.attribute), "The program's attribute is none.");
            m_program.attribute = kNone;
        }
        m_flat.moveFault(m_program.diagnostics);
        readFunctions(root);
        m_program.functionNumbers = m_flat.words(root, kNumbers, "function numbers");
        m_flat.moveFault(m_program.diagnostics);
        readEntries(root);
        findConstants();
        return {};
    }

private:
    void readSegments(const Table &root)
    {
        const Vector segments = m_flat.vector(root, kSegments, 4, "segments");
        std::uint64_t end = m_program.dataBegin;
        for (std::uint32_t i = 0; i < segments.count && !m_flat.failed(); ++i) {
            const Table table = m_flat.tableIn(segments, i, "segment");
            const auto offset = m_flat.number<std::uint64_t>(table, 0, "segment");
            const auto length = m_flat.number<std::uint64_t>(table, 1, "segment");
            const auto begin = checkedAdd(m_program.dataBegin, offset);
            const ByteRange range{FileOffset(begin.value_or(UINT64_MAX)), ByteCount(length)};
            if (!fitsInside(range, ByteCount(m_bytes.size()))) {
                m_flat.fail(table.at, "segment", fmt::format("a file of {} bytes", m_bytes.size()),
                            fmt::format("{} bytes at {} + {}", length, m_program.dataBegin, offset),
                            "A data segment passes the end of the file.");
                m_flat.moveFault(m_program.diagnostics);
            } else {
                end = std::max(end, range.end());
            }
            m_program.segments.push_back(
                fitsInside(range, ByteCount(m_bytes.size())) ? range : ByteRange());
        }
        m_flat.moveFault(m_program.diagnostics);
        if (end < m_bytes.size())
            m_program.diagnostics.push_back(
                {Severity::Warning,
                 valueError({m_file, FileOffset(end)}, "odix.trailing", {},
                            fmt::format("{} bytes", end), fmt::format("{} bytes", m_bytes.size()),
                            "Bytes lie after the last data segment.")});
    }

    void readSymbols(const Table &table)
    {
        TypeReader(m_bytes, m_file, m_flat, m_program).read(table);
        const Vector symbols = m_flat.vector(table, 3, 4, "symbols");
        m_flat.moveFault(m_program.diagnostics);
        for (std::uint32_t i = 0; i < symbols.count; ++i) {
            const std::string field = fmt::format("symbol {}", i);
            const Table each = m_flat.tableIn(symbols, i, field);
            Symbol symbol;
            symbol.at = FileOffset(each.at);
            symbol.kernel = m_flat.number<std::uint8_t>(each, 0, field) != 0;
            symbol.name = m_flat.text(each, 1, field);
            symbol.inputs = m_flat.words(each, 2, field);
            symbol.outputs = m_flat.words(each, 3, field);
            const Vector intents = m_flat.vector(each, 4, 1, field);
            for (std::uint32_t k = 0; k < intents.count; ++k)
                symbol.intents.push_back(m_flat.byte(intents, k));
            symbol.intents.resize(symbol.outputs.size());
            if (m_flat.has(each, 5))
                symbol.attribute = m_flat.number<std::uint32_t>(each, 5, field);
            const std::size_t types = m_program.types.size();
            for (auto *all : {&symbol.inputs, &symbol.outputs}) {
                for (std::uint32_t &type : *all) {
                    if (type < types)
                        continue;
                    m_flat.check(type, types, each.at, field, "type", " types",
                                 "A symbol names a type that is none.");
                    type = kNone;
                }
            }
            if (symbol.attribute != kNone && symbol.attribute >= m_program.attributes.size()) {
                m_flat.fail(each.at, field, fmt::format("one of {}", m_program.attributes.size()),
                            fmt::format("attribute {}", symbol.attribute),
                            "A symbol names an attribute that is none.");
                symbol.attribute = kNone;
            }
            if (m_flat.moveFault(m_program.diagnostics)) { // keeps its number, says nothing
                symbol = {};
                symbol.at = FileOffset(each.at);
            }
            m_program.symbols.push_back(std::move(symbol));
        }
    }

    void readFunctions(const Table &root)
    {
        const Vector functions = m_flat.vector(root, kFunctions, 4, "functions");
        m_flat.moveFault(m_program.diagnostics);
        for (std::uint32_t i = 0; i < functions.count; ++i) {
            const std::string field = fmt::format("function {}", i);
            const Table each = m_flat.tableIn(functions, i, field);
            Function function;
            function.at = FileOffset(each.at);
            function.symbol = m_flat.number<std::uint32_t>(each, 0, field);
            const auto registers = m_flat.words(each, 1, field);
            function.registerCount = registers.empty() ? 0 : registers.front();
            function.opId = m_flat.number<std::uint32_t>(each, 4, field);
            m_flat.check(function.symbol, m_program.symbols.size(), each.at, field, "symbol",
                         " symbols", "A function names a symbol that is none.");
            const bool named = !m_flat.failed();
            const Vector regions = m_flat.vector(each, 2, 4, field);
            for (std::uint32_t r = 0; named && r < regions.count && !m_flat.failed(); ++r)
                readCode(m_flat.tableIn(regions, r, field), function, i);
            if (m_flat.moveFault(m_program.diagnostics) && !named)
                return; // numbers of functions would mean others from here on
            m_program.functions.push_back(std::move(function));
        }
    }

    void readCode(const Table &region, Function &function, std::size_t number)
    {
        const Vector code = m_flat.vector(region, 0, 4, fmt::format("function {}", number));
        for (std::uint32_t i = 0; i < code.count; ++i) {
            if (!readInstruction(m_flat.tableIn(code, i, "instruction"), function, number,
                                 code.count))
                return;
        }
    }

    bool readInstruction(const Table &table, Function &function, std::size_t number,
                         std::uint32_t count)
    {
        const std::string name =
            fmt::format("function {} instruction {}", number, function.code.size());
        Instruction instruction;
        instruction.at = FileOffset(table.at);
        instruction.opcode = m_flat.number<std::uint8_t>(table, 0, name);
        instruction.opId = m_flat.number<std::uint32_t>(table, 6, name);
        const auto operands = m_flat.words(table, 2, name), results = m_flat.words(table, 3, name);
        instruction.operands = static_cast<std::uint32_t>(operands.size());
        instruction.results = static_cast<std::uint32_t>(results.size());
        readBody(table, instruction, count, name);
        for (const auto *all : {&operands, &results}) {
            for (const std::uint32_t each : *all)
                m_flat.check(each, function.registerCount, table.at, name, "register", "",
                             "An instruction names a register that the function does not have.");
        }
        const Symbol *callee = m_flat.failed() ? nullptr : m_program.callee(instruction);
        if (callee != nullptr && !callee->name.empty() &&
            (operands.size() != callee->inputs.size() || results.size() != callee->outputs.size()))
            m_flat.fail(table.at, name,
                        fmt::format("{} operands and {} results, as {} has", callee->inputs.size(),
                                    callee->outputs.size(), callee->name),
                        fmt::format("{} and {}", operands.size(), results.size()),
                        "A call does not have the operands of its symbol.");
        if (m_flat.failed())
            return false;
        instruction.first = static_cast<std::uint32_t>(function.registers.size());
        function.registers.insert(function.registers.end(), operands.begin(), operands.end());
        function.registers.insert(function.registers.end(), results.begin(), results.end());
        function.code.push_back(instruction);
        return true;
    }

    void readBody(const Table &table, Instruction &instruction, std::uint32_t count,
                  const std::string &name)
    {
        const Table body = m_flat.table(table, 1, name);
        const auto within = [&](std::uint64_t limit, std::string_view what) {
            m_flat.check(static_cast<std::uint64_t>(instruction.value), limit, body.at, name, what,
                         "", "An instruction refers to something that is not there.");
        };
        switch (static_cast<Opcode>(instruction.opcode)) {
        case Opcode::Jump:
        case Opcode::Branch:
            instruction.value = m_flat.number<std::uint32_t>(body, 0, name);
            within(count, "instruction");
            break;
        case Opcode::Move: break;
        case Opcode::LoadImm: instruction.value = m_flat.number<std::int64_t>(body, 0, name); break;
        case Opcode::LoadDs: {
            instruction.segment = m_flat.number<std::uint32_t>(body, 0, name);
            const auto offset = m_flat.number<std::uint64_t>(body, 1, name);
            const bool known = instruction.segment < m_program.segments.size();
            const std::uint64_t bytes =
                known ? m_program.segments[instruction.segment].bytes.value : 0;
            if (!known || offset > bytes)
                m_flat.fail(body.at, name, fmt::format("an offset in a segment of {} bytes", bytes),
                            fmt::format("offset {} in segment {}", offset, instruction.segment),
                            "A constant lies outside of its data segment.");
            instruction.value = static_cast<std::int64_t>(offset);
            break;
        }
        case Opcode::Call:
            instruction.value = m_flat.number<std::uint32_t>(body, 0, name);
            within(m_program.symbols.size(), "symbol");
            break;
        case Opcode::GetContext:
        case Opcode::SetContext:
            instruction.value = m_flat.number<std::uint32_t>(body, 0, name);
            break;
        default:
            if (!m_flat.failed())
                m_program.diagnostics.push_back(
                    {Severity::Warning, valueError({m_file, FileOffset(table.at)}, "odix.opcode",
                                                   name, "an instruction that is known",
                                                   fmt::format("{}", instruction.opcode),
                                                   "The kind of an instruction is not known.")});
        }
    }

    void readEntries(const Table &root)
    {
        const Vector entries = m_flat.vector(root, kEntries, 4, "entries");
        for (std::uint32_t i = 0; i < entries.count && !m_flat.failed(); ++i) {
            const Table each = m_flat.tableIn(entries, i, "entry");
            std::string name = m_flat.text(each, 0, "entry");
            auto functions = m_flat.words(each, 1, "entry");
            for (const std::uint32_t function : functions)
                m_flat.check(function, m_program.functions.size(), each.at, name, "function",
                             " functions", "An entry names a function that is none.");
            if (!m_flat.failed())
                m_program.entries.emplace_back(std::move(name), std::move(functions));
        }
        m_flat.moveFault(m_program.diagnostics);
    }

    /// A constant is the offset of a load_ds and the type of the array that is made of it.
    void findConstants()
    {
        for (std::uint32_t f = 0; f < m_program.functions.size(); ++f) {
            const Function &function = m_program.functions[f];
            std::map<std::uint32_t, const Instruction *> loads; // by register
            for (std::uint32_t i = 0; i < function.code.size(); ++i) {
                const Instruction &each = function.code[i];
                const auto operands = function.operandsOf(each), results = function.resultsOf(each);
                if (each.is(Opcode::LoadDs) && results.size() == 1)
                    loads[results[0]] = &each;
                const Symbol *callee = m_program.callee(each);
                if (callee == nullptr || callee->name != "NDArray.alloc_const" ||
                    operands.size() != 1 || callee->outputs.size() != 1)
                    continue;
                const auto load = loads.find(operands[0]);
                if (load != loads.end() && callee->outputs[0] != kNone)
                    addConstant(f, i, *load->second, callee->outputs[0]);
            }
        }
        order();
    }

    void addConstant(std::uint32_t function, std::uint32_t at, const Instruction &load,
                     std::uint32_t type)
    {
        const auto offset = static_cast<std::uint64_t>(load.value);
        const auto index = m_known.find({load.segment, offset, type});
        if (index != m_known.end()) {
            m_program.constants[index->second].loadedBy.emplace_back(function, at);
            return;
        }
        const ByteRange &segment = m_program.segments[load.segment];
        const auto bytes = m_program.types[type].bytes();
        const bool known = m_program.types[type].bits > 0;
        if (!bytes || bytes->value > segment.bytes.value - offset) {
            m_program.diagnostics.push_back(
                {Severity::Error,
                 valueError(
                     {m_file, m_program.functions[function].code[at].at}, "odix.constant",
                     fmt::format("function {} instruction {}", function, at),
                     known ? fmt::format("a segment of {} bytes that holds it", segment.bytes.value)
                           : std::string("a type of element that is known"),
                     fmt::format("{} at {}", m_program.types[type].text, offset),
                     known ? "A constant passes the end of its data segment, or has no size."
                           : "The type of a constant's elements is not known.")});
            return;
        }
        m_known[{load.segment, offset, type}] = m_program.constants.size();
        m_program.constants.push_back({load.segment,
                                       type,
                                       offset,
                                       {FileOffset(segment.offset.value + offset), *bytes},
                                       {},
                                       {{function, at}}});
    }

    /// By place; an empty one comes before the one that it shares its offset with, and of two empty
    /// ones the one that is loaded last.
    void order()
    {
        auto &all = m_program.constants;
        const auto place = [](const Constant &each) {
            return std::tuple(each.segment, each.offset, each.bytes.bytes.value);
        };
        std::ranges::reverse(all);
        std::ranges::stable_sort(
            all, [&](const Constant &a, const Constant &b) { return place(a) < place(b); });
        std::uint64_t end = 0;
        for (std::size_t i = all.size(); i-- > 0;) {
            const bool last = i + 1 == all.size() || all[i + 1].segment != all[i].segment;
            const std::uint64_t segment = m_program.segments[all[i].segment].bytes.value;
            if (last)
                end = segment;
            else if (all[i + 1].offset > all[i].offset)
                end = all[i + 1].offset;
            all[i].room = ByteCount(end - all[i].offset);
        }
    }

    std::span<const std::byte> m_bytes;
    std::string m_file;
    Program &m_program;
    FlatBuffer m_flat;
    std::map<std::tuple<std::uint32_t, std::uint64_t, std::uint32_t>, std::size_t> m_known;
};

} // namespace

bool isOdix(std::span<const std::byte> bytes)
{
    return textInBytes(bytes).starts_with("odix");
}

Result<Program> readProgram(std::span<const std::byte> bytes, const std::string &file)
{
    const auto refuse = [&file](std::uint64_t at, std::string_view field, std::string expected,
                                std::string found, std::string_view message) {
        return refused({file, FileOffset(at)}, field == "version" ? "odix.version" : "odix.header",
                       field, expected, found, message);
    };
    if (bytes.size() >= 4 && !isOdix(bytes))
        return refuse(0, "magic", "odix", "something else",
                      "The file does not begin as a compiled program does.");
    if (bytes.size() < kHeaderBytes)
        return refuse(bytes.size(), "header", fmt::format("{} bytes", kHeaderBytes),
                      fmt::format("{} bytes", bytes.size()),
                      "The file is shorter than its header.");
    Program program;
    program.major = loadLittle<std::uint16_t>(bytes, 4);
    program.minor = loadLittle<std::uint16_t>(bytes, 6);
    if (program.major != kMajor || program.minor > kMinor)
        return refuse(4, "version", fmt::format("at most {}.{}", kMajor, kMinor),
                      fmt::format("{}.{}", program.major, program.minor),
                      "This version of compiled programs is not known.");
    const auto begin = loadLittle<std::uint64_t>(bytes, 8);
    program.dataBegin = loadLittle<std::uint64_t>(bytes, 16);
    if (begin < kHeaderBytes || begin > bytes.size())
        return refuse(8, "FlatBuffer",
                      fmt::format("an offset in [{}, {}]", kHeaderBytes, bytes.size()),
                      fmt::format("{}", begin), "The FlatBuffer does not begin inside the file.");
    if (program.dataBegin < begin || program.dataBegin > bytes.size())
        return refuse(16, "data", fmt::format("an offset in [{}, {}]", begin, bytes.size()),
                      fmt::format("{}", program.dataBegin),
                      "The data do not begin inside the file.");
    program.flatBuffer = {FileOffset(begin), ByteCount(program.dataBegin - begin)};
    TRY(ProgramReader(bytes, file, program).read());
    return program;
}

} // namespace kernscope::odix
