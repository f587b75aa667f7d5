// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/reader/odix/odix_program.h"

#include "core/bundle/reader/mil/consumers.h"
#include "core/format/coreai_operations.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope {

namespace {

using odix::Opcode;
using odix::Value;

/// Constants of fewer elements are no weights (as in packages): whole numbers, and of parameters
/// all.
constexpr std::uint64_t kFewElements = 10, kMostParameters = 1024;
constexpr std::size_t kMostTraceSteps = 32; ///< through reshapes and transposes
constexpr std::size_t kMostName = 200;      ///< bytes of the name of a kernel or a type

mil::ValueType valueType(const odix::Type &type, mil::ValueType::Kind kind)
{
    mil::ValueType made;
    made.text = type.text.substr(0, kMostName);
    if (type.kind != odix::Type::Kind::Array && type.kind != odix::Type::Kind::Sparse &&
        type.kind != odix::Type::Kind::Scalar)
        return made;
    made.kind = kind;
    made.element = type.element;
    made.dims = type.dims;
    if (type.bits == 2 * bitWidth(type.element)) // complex: real and imaginary part
        made.dims.push_back(2);
    return made;
}

/// The row of a kernel; the start of its name serves where that is longer than any.
CoreAiOperation rowOf(const odix::Symbol &symbol)
{
    return coreAiKernel(std::string_view(symbol.name).substr(0, kMostName));
}

std::string operationType(const odix::Symbol &symbol)
{
    return rowOf(symbol).type;
}

/// Those of a list follow one another.
void addOperand(mil::Operation &operation, const CoreAiOperand &words, mil::Values values)
{
    if (!words.list || operation.inputs.empty() || operation.inputs.back().name != words.name)
        return operation.inputs.push_back({words.name, std::move(values)});
    auto &all = operation.inputs.back().values;
    std::move(values.begin(), values.end(), std::back_inserter(all));
}

/// One function.
class BodyBuilder
{
public:
    BodyBuilder(const odix::Compiled &compiled, std::span<const std::byte> bytes,
                const std::string &path, std::uint32_t function)
        : m_compiled(compiled), m_program(compiled.program), m_bytes(bytes), m_path(path),
          m_index(function), m_code(m_program.functions[function])
    {
    }

    mil::Function build(CompiledFunction &out)
    {
        nameOperations();
        takeSignature();
        findReadings();
        findDefinitions();
        for (std::uint32_t i = 0; i < m_code.code.size(); ++i)
            add(i);
        for (const auto &[reg, name] : m_outputs)
            addOutput(reg, name);
        m_made.body.outputSpans.resize(m_made.body.outputs.size());
        for (const auto &[constant, named] : m_constants)
            out.emplace(named.name, Value{Value::Kind::Constant, constant.first});
        for (const auto &[made, name] : m_constexprs)
            out.emplace(name, Value{Value::Kind::Made, made});
        return std::move(m_made);
    }

private:
    struct Reader {
        std::uint32_t instruction = 0;
        std::size_t operand = 0;
    };

    void nameOperations()
    {
        std::map<std::string, std::size_t> ordinals;
        m_operationNames.resize(m_code.code.size());
        const auto &all = m_compiled.trace.made;
        for (std::uint32_t i = 0; i < m_code.code.size(); ++i) {
            if (const odix::Symbol *symbol = kernelAt(i)) {
                const std::string type = operationType(*symbol);
                m_operationNames[i] = fmt::format("{}_{}", type, ++ordinals[type]);
            }
        }
        // Backwards, so that each result meets its first reader.
        std::map<std::uint32_t, Reader> next;
        m_firstReaders.resize(m_code.code.size());
        for (auto i = static_cast<std::uint32_t>(m_code.code.size()); i-- > 0;) {
            if (kernelAt(i) == nullptr)
                continue;
            const auto operands = m_code.operandsOf(m_code.code[i]);
            for (const std::uint32_t reg : m_code.resultsOf(m_code.code[i])) {
                if (const auto reader = next.find(reg); reader != next.end())
                    m_firstReaders[i] = reader->second;
            }
            for (std::size_t k = 0; k < operands.size(); ++k)
                next[operands[k]] = {i, k};
        }
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (all[i].function == m_index)
                m_madeHere.emplace(all[i].instruction, i);
        }
    }

    void takeSignature()
    {
        const odix::Symbol &symbol = m_program.symbolOf(m_code);
        const auto inputs = m_program.texts(symbol.attribute, "inputs");
        const auto outputs = m_program.texts(symbol.attribute, "outputs");
        m_made.name = symbol.name;
        m_made.opset = "coreai";
        const auto typeOf = [this](std::uint32_t type) {
            static const odix::Type kUnknown;
            return type == odix::kNone ? kUnknown : m_program.types[type];
        };
        const auto nameAt = [](const std::vector<std::string> &all, std::size_t i,
                               const char *word) {
            return i < all.size() && !all[i].empty() ? all[i] : fmt::format("{}_{}", word, i);
        };
        for (std::uint32_t i = 0; i < symbol.inputs.size(); ++i) {
            const odix::Type type = typeOf(symbol.inputs[i]);
            if (type.kind == odix::Type::Kind::Context)
                continue;
            const std::string &name = nameBefore(i) = unique(nameAt(inputs, i, "input"));
            m_made.inputs.push_back({name, valueType(type, mil::ValueType::Kind::Tensor)});
        }
        for (std::uint32_t i = 0; i < symbol.outputs.size(); ++i) {
            const auto reg = static_cast<std::uint32_t>(symbol.inputs.size()) + i;
            const std::string name = unique(nameAt(outputs, i, "output"));
            if (symbol.intents[i] != 1) {
                m_outputs[reg] = name;
                continue;
            }
            nameBefore(reg) = m_states[reg] = name; // it is there before it is written
            m_made.inputs.push_back(
                {name, valueType(typeOf(symbol.outputs[i]), mil::ValueType::Kind::State)});
        }
    }

    /// A reshape or transpose of constants is a step of a form where one reads it, and an operation
    /// of the body where anything else does.
    void findReadings()
    {
        const auto &values = m_compiled.trace.values[m_index];
        for (auto i = static_cast<std::uint32_t>(m_code.code.size()); i-- > 0;) {
            const odix::Instruction &each = m_code.code[i];
            if (const auto made = m_madeHere.find(i); made != m_madeHere.end()) {
                const auto results = m_code.resultsOf(each);
                const bool output = results.size() == 1 && m_outputs.count(results[0]) > 0;
                if (m_readings.count(made->second) == 0 && !(output && isReading(made->second)))
                    continue;
                m_readings.insert(made->second);
                m_madeHere.erase(made);
            }
            for (std::uint32_t k = 0; k < each.operands && each.first + k < values.size(); ++k) {
                const Value &value = values[each.first + k];
                if (value.kind == Value::Kind::Made && isReading(value.index))
                    m_readings.insert(value.index);
            }
        }
    }

    /// Of the signature's registers, of which there is something before the first instruction.
    std::string &nameBefore(std::uint32_t reg)
    {
        return m_names[static_cast<std::uint32_t>(m_code.registers.size()) + reg];
    }

    static std::uint32_t placeOf(const odix::Instruction &each, std::size_t result)
    {
        return each.first + each.operands + static_cast<std::uint32_t>(result);
    }

    /// Which results an operand can be, and what they are called. A value of a register is numbered
    /// by its place among the registers of the instructions.
    void findDefinitions()
    {
        odix::Holdings start;
        for (const auto &[place, name] : m_names)
            start.put(place - static_cast<std::uint32_t>(m_code.registers.size()), place);
        m_reaching.resize(m_code.registers.size());
        const odix::Holdings end =
            followFlow(m_code, std::move(start), [this](odix::Holdings &held, std::uint32_t index) {
                const odix::Instruction &each = m_code.code[index];
                for (std::size_t k = each.first; k < each.first + each.operands; ++k)
                    m_reaching[k] = held.of(m_code.registers[k]);
                const bool defines = kernelAt(index) != nullptr || each.is(Opcode::Move);
                for (std::size_t k = 0; k < each.results && !each.is(Opcode::SetContext); ++k) {
                    const std::uint32_t reg = m_code.resultsOf(each)[k];
                    if (defines || (each.is(Opcode::GetContext) && m_outputs.count(reg) > 0))
                        held.put(reg, placeOf(each, k));
                    else
                        held.clear(reg);
                }
            });
        for (const auto &[reg, name] : m_outputs) {
            m_last[reg] = end.of(reg);
            if (m_last[reg].size() == 1)
                m_names[m_last[reg].front()] = name;
        }
        for (const auto &[reg, name] : m_states) {
            for (const std::uint32_t place : end.of(reg))
                m_written.emplace(place, name);
        }
        nameResults();
    }

    void nameResults()
    {
        for (std::uint32_t i = 0; i < m_code.code.size(); ++i) {
            const odix::Instruction &each = m_code.code[i];
            if ((kernelAt(i) == nullptr && !each.is(Opcode::Move)) || m_madeHere.count(i) > 0)
                continue;
            for (std::size_t k = 0; k < each.results; ++k) {
                const std::string own = ownName(i);
                std::string &name = m_names[placeOf(each, k)];
                if (name.empty())
                    name = unique(k == 0 ? own : fmt::format("{}_{}", own, k));
            }
        }
    }

    std::string ownName(std::uint32_t index) const
    {
        const std::string &own = m_operationNames[index];
        const odix::Code *code = odix::findCode("opcode", m_code.code[index].opcode);
        return own.empty() ? fmt::format("{}_{}", code != nullptr ? code->name : "", index) : own;
    }

    /// An output that paths give different values is what joins them.
    void addOutput(std::uint32_t reg, const std::string &name)
    {
        const auto &last = m_last[reg];
        if (last.size() > 1) {
            const odix::Symbol &symbol = m_program.symbolOf(m_code);
            const std::uint32_t type = symbol.outputs[reg - symbol.inputs.size()];
            mil::Operation join;
            join.type = "join";
            addOperand(join, {"x", {}}, valuesOf(last));
            join.outputs.push_back(
                {name, type == odix::kNone
                           ? mil::ValueType()
                           : valueType(m_program.types[type], mil::ValueType::Kind::Tensor)});
            m_made.body.operations.push_back(std::move(join));
            m_made.body.outputs.push_back(name);
        } else if (!last.empty() && !m_names[last.front()].empty()) {
            m_made.body.outputs.push_back(m_names[last.front()]);
        }
    }

    mil::Values valuesOf(const std::vector<std::uint32_t> &results) const
    {
        mil::Values values;
        for (const std::uint32_t each : results) {
            const auto name = m_names.find(each);
            if (name == m_names.end() || name->second.empty())
                continue;
            values.emplace_back().content = mil::Reference{name->second, {}};
        }
        return values;
    }

    /// Whether a made value is a reshape or transpose in this function.
    bool isReading(std::size_t made) const
    {
        const odix::MadeValue &each = m_compiled.trace.made[made];
        const odix::Symbol *symbol =
            m_program.callee(m_program.functions[each.function].code[each.instruction]);
        const CoreAiStep step = rowOf(*symbol).step;
        return each.function == m_index &&
               (step == CoreAiStep::Reshape || step == CoreAiStep::Transpose);
    }

    /// Whether constexpr operations stand for a value where it is read, or a `const`.
    bool isConstant(const Value &value) const
    {
        return value.isConstant() &&
               (value.kind != Value::Kind::Made || m_readings.count(value.index) == 0);
    }

    void add(std::uint32_t index)
    {
        const odix::Instruction &each = m_code.code[index];
        const auto results = m_code.resultsOf(each);
        switch (static_cast<Opcode>(each.opcode)) {
        case Opcode::Jump: return addSimple(index, "jump");
        case Opcode::Branch: return addSimple(index, "branch");
        case Opcode::Move: return addSimple(index, "move");
        case Opcode::Call:
            if (const odix::Symbol *symbol = kernelAt(index))
                addCall(index, *symbol);
            return;
        case Opcode::GetContext: {
            if (results.size() != 1 || each.operands != 1)
                return;
            const Value holder = m_compiled.trace.values[m_index][each.first];
            if (holder.kind != Value::Kind::Context)
                return;
            const auto &slots = m_compiled.trace.contexts[holder.index];
            const auto slot = std::lower_bound(
                slots.begin(), slots.end(), static_cast<std::uint64_t>(each.value),
                [](const auto &one, std::uint64_t wanted) { return one.first < wanted; });
            if (slot != slots.end() && slot->first == static_cast<std::uint64_t>(each.value))
                takeOutput(slot->second, index);
            return;
        }
        default: return;
        }
    }

    void addCall(std::uint32_t index, const odix::Symbol &symbol)
    {
        const odix::Instruction &each = m_code.code[index];
        const auto operands = m_code.operandsOf(each), results = m_code.resultsOf(each);
        const auto &values = m_compiled.trace.values[m_index];
        if (const auto made = m_madeHere.find(index); made != m_madeHere.end()) {
            if (results.size() == 1) // else it stands where it is read
                takeOutput({Value::Kind::Made, made->second}, index);
            return;
        }
        if (symbol.name == "NDArray.copy" && operands.size() == 1 && results.size() == 1 &&
            m_last.count(results[0]) > 0 && m_last[results[0]].size() == 1 &&
            takeOutput(values[each.first], index))
            return;
        const CoreAiOperation words = rowOf(symbol);
        mil::Operation operation = operationOf(index, symbol.kernel ? words.type : "call", &words);
        addAttributes(symbol, operation);
        for (std::size_t i = 0; i < results.size(); ++i)
            define(operation, placeOf(each, i),
                   i < symbol.outputs.size() ? &m_program.types[symbol.outputs[i]] : nullptr);
        m_made.body.operations.push_back(std::move(operation));
    }

    /// Of a kernel what its symbol says of how it works; of a function which one it is.
    void addAttributes(const odix::Symbol &symbol, mil::Operation &operation) const
    {
        if (!symbol.kernel)
            operation.attributes.push_back({"function", {mil::textValue(symbol.name)}});
        if (!symbol.kernel || symbol.attribute == odix::kNone)
            return;
        const odix::Attribute &all = m_program.attributes[symbol.attribute];
        for (std::size_t i = 0; i < all.keys.size(); ++i) {
            if (all.keys[i] != "exec.pure")
                operation.attributes.push_back(
                    {all.keys[i], {mil::textValue(m_program.attributeText(all.refs[i]))}});
        }
    }

    /// With the operands that have names, by the words of their kernel.
    mil::Operation operationOf(std::uint32_t index, std::string type, const CoreAiOperation *words)
    {
        const odix::Instruction &each = m_code.code[index];
        const auto operands = m_code.operandsOf(each);
        mil::Operation operation;
        operation.type = std::move(type);
        operation.span = {each.at.value, 4};
        for (std::size_t i = 0; i < operands.size(); ++i) {
            mil::Values values = operandOf(index, i);
            if (!values.empty())
                addOperand(operation, words ? words->operand(i) : CoreAiOperand{"x", {}},
                           std::move(values));
        }
        return operation;
    }

    void addSimple(std::uint32_t index, std::string_view type)
    {
        const odix::Instruction &each = m_code.code[index];
        mil::Operation operation = operationOf(index, std::string(type), nullptr);
        if (type == "move") {
            if (each.results != 1)
                return;
            if (operation.inputs.empty()) { // scratch memory
                m_names.erase(placeOf(each, 0));
                return;
            }
            define(operation, placeOf(each, 0), nullptr);
        } else {
            operation.attributes.push_back({"name", {mil::textValue(ownName(index))}});
            operation.attributes.push_back({"target", {mil::numberValue(each.value)}});
        }
        m_made.body.operations.push_back(std::move(operation));
    }

    /// The value that an instruction leaves in a register, and the state that it writes.
    void define(mil::Operation &operation, std::uint32_t place, const odix::Type *type)
    {
        mil::ValueType made;
        if (type != nullptr)
            made = valueType(*type, mil::ValueType::Kind::Tensor);
        operation.outputs.push_back({m_names[place], std::move(made)});
        if (const auto state = m_written.find(place); state != m_written.end())
            operation.attributes.push_back({"state", {mil::textValue(state->second)}});
    }

    /// A constant that is an output as it is has the output's name. False where it is none.
    bool takeOutput(const Value &value, std::uint32_t index)
    {
        const odix::Instruction &each = m_code.code[index];
        const auto output = m_outputs.find(m_code.resultsOf(each)[0]);
        if (!isConstant(value) || output == m_outputs.end())
            return false;
        std::string &name = m_names[placeOf(each, 0)];
        if (name == output->second)
            m_taken.erase(name);
        else
            name = ownName(index);
        name = value.kind == Value::Kind::Made ? nameOfMade(value.index, name)
                                               : nameOfConstant(value.index, name, Use::Whole);
        return true;
    }

    mil::Values operandOf(std::uint32_t index, std::size_t operand)
    {
        const std::uint32_t place = m_code.code[index].first + static_cast<std::uint32_t>(operand);
        const Value &value = m_compiled.trace.values[m_index][place];
        const Reader reader{index, operand};
        mil::Values values;
        if (value.kind == Value::Kind::Constant)
            values.emplace_back().content = mil::Reference{
                nameOfConstant(value.index, nameFor(reader, value), useBy(reader)), {}};
        else if (isConstant(value))
            values.emplace_back().content =
                mil::Reference{nameOfMade(value.index, nameFor(reader, value)), {}};
        else
            values = valuesOf(m_reaching[place]);
        return values;
    }

    /// What reads a constant: the function's output, an operation, as its parameter or not.
    enum class Use : std::uint8_t { Whole, Parameter, Operand };
    /// Steps of a form read a `const` of their own: one that something else reads is a weight.
    const std::string &nameOfConstant(std::size_t constant, std::string name, Use use,
                                      bool step = false)
    {
        const auto [known, isNew] = m_constants.try_emplace(std::pair(constant, step));
        NamedConstant &named = known->second;
        const odix::Constant &each = m_program.constants[constant];
        const odix::Type &type = m_program.types[each.type];
        const auto valueOfType = valueType(type, mil::ValueType::Kind::Tensor);
        const auto shape = valueOfType.shape();
        const auto count = shape ? elementCount(*shape) : std::nullopt;
        const std::uint64_t few = use == Use::Whole               ? 0
                                  : use == Use::Parameter         ? kMostParameters
                                  : isFloatingPoint(type.element) ? 2
                                                                  : kFewElements;
        const bool literal = count && count->value < few && bitWidth(type.element) > 0;
        decltype(mil::ProgramValue::content) written =
            mil::BlobReference{m_path, each.bytes.offset.value, {}};
        if (!isNew) {
            if (!literal) // a parameter that something reads as a weight too
                m_made.body.operations[named.operation].attributes[0].values[0].content =
                    std::move(written);
            return named.name;
        }
        named = {unique(std::move(name)), m_made.body.operations.size()};
        mil::ProgramValue value;
        value.type = valueOfType;
        value.span = {each.bytes.offset.value, each.bytes.bytes.value};
        if (literal) {
            mil::Literal all;
            all.element = type.element;
            all.count = count->value;
            all.packedSpan = true;
            all.elementSpans = {value.span};
            const auto bytes = m_bytes.subspan(each.bytes.offset.value, each.bytes.bytes.value);
            all.bytes.assign(bytes.begin(), bytes.end());
            written = std::move(all);
        }
        value.content = std::move(written);
        mil::Operation operation;
        operation.type = "const";
        operation.span = value.span;
        operation.outputs.push_back({named.name, value.type});
        operation.attributes.push_back({"val", {std::move(value)}});
        m_made.body.operations.push_back(std::move(operation));
        return named.name;
    }

    const std::string &nameOfMade(std::size_t made, std::string name)
    {
        const auto [known, isNew] = m_constexprs.try_emplace(made);
        if (!isNew)
            return known->second;
        const odix::MadeValue &each = m_compiled.trace.made[made];
        const odix::Instruction &call = m_program.functions[each.function].code[each.instruction];
        const odix::Symbol &symbol = *m_program.callee(call);
        known->second = unique(name);
        mil::Operation operation;
        const CoreAiOperation words = rowOf(symbol);
        operation.type = words.type;
        const bool cast = words.step == CoreAiStep::Cast;
        if (!words.type.starts_with("constexpr_"))
            operation.type = "constexpr_" + words.type;
        operation.span = {call.at.value, 4};
        for (std::size_t i = 0; i < each.operands.size(); ++i) {
            const std::string role = cast ? "source_val" : words.operand(i).name;
            const std::string own = fmt::format("{}.{}", name, role);
            const Value &operand = each.operands[i];
            mil::ProgramValue value;
            value.content = mil::Reference{
                operand.kind == Value::Kind::Made
                    ? nameOfMade(operand.index, own)
                    : nameOfConstant(operand.index, own,
                                     words.operand(i).parameter ? Use::Parameter : Use::Whole,
                                     true),
                {}};
            operation.inputs.push_back({role, {std::move(value)}});
        }
        operation.outputs.push_back(
            {known->second,
             valueType(m_program.types[symbol.outputs.front()], mil::ValueType::Kind::Tensor)});
        m_made.body.operations.push_back(std::move(operation));
        return known->second;
    }

    /// The author's name, else where the package was made and the role, else the reader and the
    /// role.
    std::string nameFor(Reader reader, const Value &value) const
    {
        const std::uint32_t record = recordOf(value);
        const auto &debug = m_compiled.debug;
        if (debug) {
            if (std::string given = debug->name(record); !given.empty())
                return given;
        }
        const Reader last = finalReader(reader);
        const odix::Symbol *symbol = kernelAt(last.instruction);
        if (symbol == nullptr)
            return fmt::format("constant_{}", record);
        const CoreAiOperand operand = rowOf(*symbol).operand(last.operand);
        const std::string &role = operand.role.empty() ? operand.name : operand.role;
        if (debug) {
            const std::string scope = debug->scope(m_code.code[last.instruction].opId);
            if (!scope.empty())
                return fmt::format("{}.{}", scope, role);
        }
        return fmt::format("{}.{}", m_operationNames[last.instruction], role);
    }

    /// Through what only reshapes, transposes and casts a value, to what works with it.
    Reader finalReader(Reader reader) const
    {
        for (std::size_t steps = 0; steps < kMostTraceSteps; ++steps) {
            const odix::Symbol *symbol = kernelAt(reader.instruction);
            if (symbol == nullptr || reader.operand != 0 || !passesThrough(operationType(*symbol)))
                return reader;
            const auto &next = m_firstReaders[reader.instruction];
            if (!next)
                return reader;
            reader = *next;
        }
        return reader;
    }

    Use useBy(Reader reader) const
    {
        const Reader last = finalReader(reader);
        const odix::Symbol *symbol = kernelAt(last.instruction);
        const bool parameter = symbol != nullptr && rowOf(*symbol).operand(last.operand).parameter;
        return parameter ? Use::Parameter : Use::Operand;
    }

    /// Op id of a constant's record in the debug information: of what is made, of its data.
    std::uint32_t recordOf(const Value &value) const
    {
        Value leaf = value;
        while (leaf.kind == Value::Kind::Made)
            leaf = m_compiled.trace.made[leaf.index].operands.front(); // made of earlier ones only
        return static_cast<std::uint32_t>(leaf.index);
    }

    std::string unique(std::string name)
    {
        std::string result = name;
        while (m_taken.count(result) > 0)
            result = fmt::format("{}_{}", name, ++m_taken[name] + 1);
        m_taken.emplace(result, 0);
        return result;
    }

    /// The kernel or function that an instruction calls, if it works on values of the model.
    const odix::Symbol *kernelAt(std::uint32_t index) const
    {
        const odix::Symbol *symbol = m_program.callee(m_code.code[index]);
        return symbol == nullptr || symbol->isPlumbing() ? nullptr : symbol;
    }

    const odix::Compiled &m_compiled;
    const odix::Program &m_program;
    std::span<const std::byte> m_bytes;
    const std::string &m_path;
    std::uint32_t m_index;
    const odix::Function &m_code;
    mil::Function m_made;
    std::vector<std::string> m_operationNames;      ///< by instruction
    std::map<std::uint32_t, std::string> m_names;   ///< of values, by place
    std::map<std::uint32_t, std::string> m_outputs; ///< names that registers are given for
    std::map<std::uint32_t, std::string> m_states;  ///< the same of states
    std::map<std::uint32_t, std::vector<std::uint32_t>> m_last; ///< values of outputs at the end
    std::map<std::uint32_t, std::string> m_written;             ///< states that values are left in
    std::vector<std::vector<std::uint32_t>> m_reaching;         ///< values by place of an operand
    struct NamedConstant {
        std::string name;
        std::size_t operation = 0; ///< of the body
    };
    std::map<std::pair<std::size_t, bool>, NamedConstant> m_constants; ///< read by steps: true
    std::map<std::size_t, std::string> m_constexprs;
    std::set<std::size_t> m_readings;                  ///< of Trace::made: operations of the body
    std::map<std::uint32_t, std::size_t> m_madeHere;   ///< of Trace::made, by instruction
    std::vector<std::optional<Reader>> m_firstReaders; ///< of an instruction's result
    std::map<std::string, std::size_t, std::less<>> m_taken; ///< names, and the next ordinal
};

} // namespace

bool decompresses(std::string_view kernel)
{
    switch (coreAiKernel(kernel).step) {
    case CoreAiStep::LutToDense:
    case CoreAiStep::LutToSparse:
    case CoreAiStep::ShiftScale:
    case CoreAiStep::BuildSparse:
    case CoreAiStep::SparseToDense:
    case CoreAiStep::Cast:
    case CoreAiStep::Reshape:
    case CoreAiStep::Transpose: return true;
    default: return false;
    }
}

CompiledProgram programOf(const odix::Compiled &compiled, std::span<const std::byte> bytes,
                          const std::string &path)
{
    CompiledProgram made;
    made.program.version = fmt::format("{}.{}", compiled.program.major, compiled.program.minor);
    std::set<std::uint32_t> symbols;
    for (std::uint32_t i = 0; i < compiled.program.functions.size(); ++i) {
        const odix::Function &function = compiled.program.functions[i];
        if (compiled.program.roleOf(function) != "body" || !symbols.insert(function.symbol).second)
            continue; // of two functions of one symbol the first one is called
        CompiledFunction &constants = made.constants.emplace_back();
        made.program.functions.push_back(BodyBuilder(compiled, bytes, path, i).build(constants));
    }
    return made;
}

} // namespace kernscope
