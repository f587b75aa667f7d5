// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/odix_json.h"

#include "core/base/find.h"
#include "core/base/svg.h"
#include "core/report/json_table.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kernscope::report {

namespace {

using odix::Opcode;

std::string typeText(const odix::Program &program, std::uint32_t type)
{
    return type < program.types.size() ? program.types[type].text : std::string("?");
}

std::string codeText(std::string_view set, std::uint32_t code)
{
    const odix::Code *row = odix::findCode(set, code);
    return row != nullptr ? row->name : std::to_string(code);
}

Json odixTypesJson(const odix::Program &program, const std::vector<std::uint32_t> &types)
{
    return listJson(types, [&](const std::uint32_t type) { return typeText(program, type); });
}

/// The reader has checked that no attribute holds itself.
Json attributeJson(const odix::Program &program, std::uint32_t number)
{
    const odix::Attribute &attribute = program.attributes[number];
    using Kind = odix::Attribute::Kind;
    switch (attribute.kind) {
    case Kind::Array: {
        return listJson(attribute.refs,
                        [&](const std::uint32_t each) { return attributeJson(program, each); });
    }
    case Kind::Dictionary: {
        Json all = Json::object();
        for (std::size_t i = 0; i < attribute.keys.size(); ++i)
            all[attribute.keys[i]] = attributeJson(program, attribute.refs[i]);
        return all;
    }
    case Kind::Integer: return attribute.number;
    case Kind::String: return attribute.text;
    case Kind::Boolean: return attribute.number != 0;
    case Kind::Enum: return Json{{"enum", attribute.text}, {"value", attribute.number}};
    case Kind::Type: return typeText(program, static_cast<std::uint32_t>(attribute.number));
    case Kind::Bytes: return Json{{"bytes", attribute.bytes.bytes.value}};
    default: return nullptr;
    }
}

Json symbolJson(const odix::Program &program, const odix::Symbol &symbol)
{
    Json intents = listJson(symbol.intents,
                            [&](const std::uint8_t intent) { return codeText("intent", intent); });
    return Json::array(
        {symbol.kernel ? "kernel" : "function", symbol.name, odixTypesJson(program, symbol.inputs),
         odixTypesJson(program, symbol.outputs), std::move(intents),
         symbol.attribute == odix::kNone ? Json::object()
                                         : attributeJson(program, symbol.attribute)});
}

Json argumentJson(const odix::Instruction &instruction)
{
    if (instruction.is(Opcode::Move))
        return nullptr;
    if (instruction.is(Opcode::LoadDs))
        return Json::array({instruction.segment, instruction.value});
    return instruction.value;
}

Json instructionJson(const odix::Compiled &compiled, const odix::Function &function,
                     const odix::Instruction &instruction)
{
    const auto operands = function.operandsOf(instruction),
               results = function.resultsOf(instruction);
    Json json = Json::array({instruction.opId, codeText("opcode", instruction.opcode),
                             argumentJson(instruction),
                             std::vector<std::uint32_t>(operands.begin(), operands.end()),
                             std::vector<std::uint32_t>(results.begin(), results.end())});
    if (compiled.debug) {
        if (auto operations = compiled.debug->sourceOps(instruction.opId); !operations.empty())
            json.push_back(std::move(operations));
    }
    return json;
}

Json odixFunctionJson(const odix::Compiled &compiled, std::size_t index)
{
    const odix::Program &program = compiled.program;
    const odix::Function &function = program.functions[index];
    const odix::Symbol &symbol = program.symbolOf(function);
    Json json{{"index", index},
              {"name", symbol.name},
              {"role", program.roleOf(function)},
              {"symbol", function.symbol},
              {"registers", function.registerCount},
              {"op_id", function.opId}};
    const auto registers = [&](const std::vector<std::uint32_t> &types, const char *key,
                               std::size_t first) {
        const auto names = program.texts(symbol.attribute, key);
        Json all = Json::array();
        for (std::size_t i = 0; i < types.size(); ++i) {
            all.push_back({{"register", first + i}, {"type", typeText(program, types[i])}});
            if (&types == &symbol.outputs)
                all.back()["intent"] = codeText("intent", symbol.intents[i]);
            if (i < names.size())
                all.back()["name"] = names[i];
        }
        json[key] = std::move(all);
    };
    registers(symbol.inputs, "inputs", 0);
    registers(symbol.outputs, "outputs", symbol.inputs.size());
    json["instructions"] = listJson(
        function.code, [&](const auto &each) { return instructionJson(compiled, function, each); });
    return json;
}

Json placeJson(const odix::Program &program, std::uint32_t function, std::uint32_t instruction)
{
    return {{"function", function},
            {"name", program.symbolOf(program.functions[function]).name},
            {"instruction", instruction}};
}

Json constantJson(const odix::Compiled &compiled, std::size_t record)
{
    const odix::Program &program = compiled.program;
    const odix::Constant &constant = program.constants[record];
    const odix::Type &type = program.types[constant.type];
    Json json{{"record", record},
              {"segment_offset", constant.offset},
              {"offset", constant.bytes.offset.value},
              {"length", constant.bytes.bytes.value},
              {"room", constant.room.value},
              {"element", type.elementText},
              {"shape", type.dims},
              {"type", type.text}};
    json["loaded_by"] = listJson(constant.loadedBy, [&](const auto &at) {
        Json load = placeJson(program, at.first, at.second);
        load["op_id"] = program.functions[at.first].code[at.second].opId;
        return load;
    });
    if (compiled.debug) {
        const auto id = static_cast<std::uint32_t>(record);
        json["coreai_ops"] = compiled.debug->sourceOps(id);
        if (const auto name = compiled.debug->name(id); !name.empty())
            json["name"] = name;
        if (auto stack = compiled.debug->callStack(id); !stack.empty())
            json["call_stack"] = std::move(stack);
        if (const auto position = compiled.debug->position(id); !position.empty())
            json["position"] = position;
    }
    return json;
}

Json buffersJson(const odix::Compiled &compiled)
{
    const odix::Program &program = compiled.program;
    Json all = listJson(compiled.trace.buffers, [&](const auto &buffer) -> Json {
        return {{"at", placeJson(program, buffer.function, buffer.instruction)},
                {"type", typeText(program, buffer.type)},
                {"bytes", buffer.bytes},
                {"views", Json::array()}};
    });
    for (const odix::View &view : compiled.trace.views) {
        Json json = placeJson(program, view.function, view.instruction);
        json["register"] = view.reg;
        json["offset"] = view.offset;
        json["bytes"] = view.bytes ? Json(*view.bytes) : Json(nullptr);
        json["type"] = typeText(program, view.type);
        json["last_instruction"] = view.last;
        all[view.buffer]["views"].push_back(std::move(json));
    }
    return all;
}

std::string registersText(std::span<const std::uint32_t> registers)
{
    return fmt::format("{}", fmt::join(registers, " "));
}

const odix::Instruction &instructionOf(const InstructionRow &row)
{
    return row.compiled->program.functions[row.function].code[row.instruction];
}

/// "coreai.conv2d", "slot 3", "to 24", "128".
std::string argumentText(const InstructionRow &row)
{
    const odix::Instruction &each = instructionOf(row);
    if (const odix::Symbol *callee = row.compiled->program.callee(each))
        return callee->name;
    switch (static_cast<Opcode>(each.opcode)) {
    case Opcode::Jump:
    case Opcode::Branch: return fmt::format("to {}", each.value);
    case Opcode::GetContext:
    case Opcode::SetContext: return fmt::format("slot {}", each.value);
    case Opcode::LoadDs: return fmt::format("data + {:#x}", each.value);
    case Opcode::LoadImm: return std::to_string(each.value);
    default: return {};
    }
}

const odix::Constant &odixConstant(const ConstantRow &row)
{
    return row.compiled->program.constants[row.record];
}

} // namespace

Json odixJson(const odix::Compiled &compiled, std::uint64_t fileBytes)
{
    const odix::Program &program = compiled.program;
    Json json{{"header",
               {{"version", {program.major, program.minor}},
                {"flatbuffer_offset", program.flatBuffer.offset.value},
                {"data_offset", program.dataBegin},
                {"size", fileBytes}}},
              {"platform", program.platform},
              {"attributes", program.attribute == odix::kNone
                                 ? Json::object()
                                 : attributeJson(program, program.attribute)},
              {"op_id", program.opId},
              {"public_functions", program.functionNumbers},
              {"types", program.types.size()}};
    for (const char *key : {"entries", "segments", "symbols", "functions", "constants"})
        json[key] = Json::array();
    for (const auto &[name, functions] : program.entries)
        json["entries"].push_back({{"name", name}, {"functions", functions}});
    for (const ByteRange &segment : program.segments)
        json["segments"].push_back(
            {{"offset", segment.offset.value}, {"length", segment.bytes.value}});
    for (const odix::Symbol &symbol : program.symbols)
        json["symbols"].push_back(symbolJson(program, symbol));
    for (std::size_t i = 0; i < program.functions.size(); ++i)
        json["functions"].push_back(odixFunctionJson(compiled, i));
    for (std::size_t i = 0; i < program.constants.size(); ++i)
        json["constants"].push_back(constantJson(compiled, i));
    json["buffers"] = buffersJson(compiled);
    if (compiled.debug)
        json["debug"] = {{"format", compiled.debug->format},
                         {"producer", compiled.debug->producer},
                         {"files", compiled.debug->files},
                         {"operations", compiled.debug->operations.size()},
                         {"locations", compiled.debug->locations.size()}};
    return json;
}

std::vector<MemoryRow> memoryRows(const odix::Compiled &compiled)
{
    return mapped(compiled.trace.views, [&](const odix::View &view) -> MemoryRow {
        return {&compiled, &view};
    });
}

const TableOf<MemoryRow> memoryTable(
    "memory", {{kNumber, "buffer", "Buffer of scratch memory", CELL(Code(row.view->buffer))},
               {kNumber, "offset", "First byte in the buffer", CELL(Count(row.view->offset))},
               {kNumber, "bytes", "Bytes of the array",
                CELL(row.view->bytes ? Value(Count(*row.view->bytes)) : Unknown()), withUnit("B")},
               {"type", "Elements and shape of the array",
                CELL(typeText(row.compiled->program, row.view->type))},
               {"function", "Function that lays it out",
                [](const MemoryRow &row) -> Value {
                    const odix::Program &program = row.compiled->program;
                    return View(program.symbolOf(program.functions[row.view->function]).name);
                }},
               {kNumber, "first", "Instruction that makes it", CELL(Code(row.view->instruction))},
               {kNumber, "last", "Last instruction that uses it; a jump back where a loop does",
                CELL(Code(row.view->last))}});

std::string viewText(const MemoryRow &row)
{
    const odix::View &view = *row.view;
    return fmt::format("{}: {} bytes at {}, instructions {} to {}",
                       typeText(row.compiled->program, view.type), view.bytes.value_or(0),
                       view.offset, view.instruction, view.last);
}

std::vector<KernelRow> kernelRows(const odix::Compiled &compiled)
{
    std::map<std::string, std::uint64_t> calls;
    for (const odix::Function &function : compiled.program.functions) {
        for (const odix::Instruction &each : function.code) {
            const odix::Symbol *callee = compiled.program.callee(each);
            if (callee != nullptr && !callee->isPlumbing() && callee->kernel)
                ++calls[callee->name];
        }
    }
    std::vector<KernelRow> rows;
    for (auto &[name, count] : calls)
        rows.push_back({name, count});
    return rows;
}

const TableOf<KernelRow>
    kernelTable("kernels", {{kName, "kernel", "What is called", CELL(row.name)},
                            {kNumber, "calls", "Calls in all functions", CELL(Count(row.calls))}});

std::vector<ConstantRow> constantRows(const odix::Compiled &compiled)
{
    return mapped(compiled.program.constants.size(), [&](std::size_t i) -> ConstantRow {
        return {&compiled, i};
    });
}

const TableOf<ConstantRow> constantTable(
    "constants",
    {{kNumber, "record", "Number of the constant, by its place", CELL(Code(row.record))},
     {kNumber, "offset", "First byte in the file", CELL(Hex(odixConstant(row).bytes.offset.value))},
     {kNumber, "bytes", "Bytes that its elements take",
      CELL(Count(odixConstant(row).bytes.bytes.value)), withUnit("B")},
     {kNumber, "room", "Bytes up to the next constant", CELL(Count(odixConstant(row).room.value)),
      withUnit("B")},
     {"type", "Elements and shape", CELL(typeText(row.compiled->program, odixConstant(row).type))},
     {"source", "Operation of the package that it came from, by the debug information",
      [](const ConstantRow &row) -> Value {
          if (!row.compiled->debug)
              return Unknown();
          const auto operations =
              row.compiled->debug->sourceOps(static_cast<std::uint32_t>(row.record));
          return fmt::format("{}", fmt::join(operations, " "));
      }}});

std::vector<InstructionRow> instructionRows(const odix::Compiled &compiled)
{
    std::vector<InstructionRow> rows;
    for (std::uint32_t f = 0; f < compiled.program.functions.size(); ++f) {
        for (std::uint32_t i = 0; i < compiled.program.functions[f].code.size(); ++i)
            rows.push_back({&compiled, f, i});
    }
    return rows;
}

const TableOf<InstructionRow> instructionTable(
    "instructions",
    {{kNumber, "function", "Number of the function", CELL(Code(row.function))},
     {kNumber, "number", "Number in the function", CELL(Code(row.instruction))},
     {"does", "What it does", CELL(codeText("opcode", instructionOf(row).opcode))},
     {kName, "what", "Kernel or function, target, slot, number", CELL(argumentText(row))},
     {"operands", "Registers that it reads",
      [](const InstructionRow &row) -> Value {
          const odix::Function &function = row.compiled->program.functions[row.function];
          return registersText(function.operandsOf(instructionOf(row)));
      }},
     {"results", "Registers that it writes", [](const InstructionRow &row) -> Value {
          const odix::Function &function = row.compiled->program.functions[row.function];
          return registersText(function.resultsOf(instructionOf(row)));
      }}});

std::string memoryPlanSvg(const odix::Compiled &compiled)
{
    constexpr double kWidth = 960, kHeight = 320, kMargin = 24;
    const auto &buffers = compiled.trace.buffers;
    if (buffers.empty())
        return {};
    std::string drawn;
    for (std::size_t b = 0; b < buffers.size(); ++b) {
        const double top = static_cast<double>(b) * (kHeight + 2 * kMargin) + kMargin;
        const double perByte =
            kHeight / static_cast<double>(std::max<std::uint64_t>(buffers[b].bytes, 1));
        std::uint32_t last = 1;
        for (const odix::View &view : compiled.trace.views)
            last = view.buffer == b ? std::max(last, view.last + 1) : last;
        const double perStep = kWidth / last;
        drawn += svg::element(
            "text", {{"x", kMargin}, {"y", top - 6}},
            fmt::format("buffer {}: {} bytes, {} instructions", b, buffers[b].bytes, last));
        drawn += svg::element("rect", {{"x", kMargin},
                                       {"y", top},
                                       {"width", kWidth},
                                       {"height", kHeight},
                                       {"fill", "none"},
                                       {"stroke", "#888888"}});
        for (const odix::View &view : compiled.trace.views) {
            if (view.buffer != b)
                continue;
            const std::string title =
                svg::element("title", {}, svg::escaped(viewText({&compiled, &view})));
            drawn += svg::element(
                "rect",
                {{"x", kMargin + view.instruction * perStep},
                 {"y", top + static_cast<double>(view.offset) * perByte},
                 {"width", (view.last - view.instruction + 1) * perStep},
                 {"height", std::max(1.0, static_cast<double>(view.bytes.value_or(0)) * perByte)},
                 {"fill", "#3b76af"},
                 {"fill-opacity", "0.5"},
                 {"stroke", "#1d3b58"}},
                title);
        }
    }
    const double height = static_cast<double>(buffers.size()) * (kHeight + 2 * kMargin) + kMargin;
    return svg::element("svg",
                        {{"xmlns", "http://www.w3.org/2000/svg"},
                         {"width", kWidth + 2 * kMargin},
                         {"height", height},
                         {"font-family", "sans-serif"},
                         {"font-size", "12"}},
                        drawn) +
           "\n";
}

Json odixDocument(const odix::Compiled *compiled, std::uint64_t fileBytes)
{
    Json json = document("odix");
    if (compiled != nullptr)
        json["odix"] = odixJson(*compiled, fileBytes);
    return json;
}

} // namespace kernscope::report
