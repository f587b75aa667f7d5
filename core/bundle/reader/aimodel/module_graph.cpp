// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/reader/aimodel/module_graph.h"

#include "core/numeric/convert.h"

#include <algorithm>

namespace kernscope::aimodel {

namespace {

/// Steps that a constant may take on its way to a weight; a file decides how many there are.
constexpr std::uint8_t kMostChained = 32;
/// Constants of at least this number of elements are weights, whatever their type.
constexpr std::uint64_t kManyElements = 10;

bool isPassedThrough(CoreAiStep step)
{
    return step == CoreAiStep::Reshape || step == CoreAiStep::Transpose;
}

/// A step whose result is stored in another form than plain numbers.
bool compresses(CoreAiStep step)
{
    return step != CoreAiStep::None && step != CoreAiStep::Constant && step != CoreAiStep::Cast &&
           !isPassedThrough(step);
}

} // namespace

std::optional<Shape> TensorInfo::shape() const
{
    Shape shape;
    for (const std::int64_t extent : dims) {
        if (extent < 0)
            return std::nullopt;
        shape.push_back(static_cast<std::uint64_t>(extent));
    }
    return shape;
}

bool TensorInfo::admits(const Shape &shape) const
{
    return std::ranges::equal(dims, shape, [](std::int64_t extent, std::uint64_t other) {
        return extent < 0 || static_cast<std::uint64_t>(extent) == other;
    });
}

ModuleGraph::ModuleGraph(const mlir::Module &module)
    : m_module(module), m_unknown(module.operationNames.size()), m_inside(module.operations.size()),
      m_uses(module.values.size()), m_constant(module.values.size()), m_read(module.values.size()),
      m_depth(module.values.size())
{
    for (std::size_t i = 0; i < module.operationNames.size(); ++i) {
        const mlir::OperationName &name = module.operationNames[i];
        const std::string full = std::string(module.dialectName(name.dialect)) + "." +
                                 std::string(module.strings[name.name]);
        const CoreAiOperation *row = coreAiOperation(full);
        m_unknown[i] = row == nullptr;
        m_rows.push_back(row ? row : &m_made.emplace_back(coreAiOperationOrMade(full)));
    }
    readConstants();
    findReaders();
}

bool ModuleGraph::isComposite(std::uint32_t operation) const
{
    const mlir::Operation &each = m_module.operations[operation];
    const std::string &stored = row(operation).stored;
    return each.isolated && !stored.starts_with("dataflow.") &&
           !stored.starts_with("controlflow.") && !stored.starts_with("serialization.");
}

bool ModuleGraph::makesConstant(const mlir::Operation &operation, const CoreAiOperation &row) const
{
    if (row.step == CoreAiStep::None || operation.results.count != 1)
        return false;
    if (row.step == CoreAiStep::Constant)
        return true;
    const auto operands = m_module.operandsOf(operation);
    const std::uint32_t own = operation.results.first;
    return !operands.empty() && std::ranges::all_of(operands, [&](auto value) {
        return value < own && m_constant[value] && m_depth[value] < kMostChained;
    });
}

/// In the order of the file, so that a value that feeds itself is no constant.
void ModuleGraph::readConstants()
{
    std::uint32_t insideUntil = 0;
    for (std::uint32_t i = 0; i < m_module.operations.size(); ++i) {
        const mlir::Operation &operation = m_module.operations[i];
        m_inside[i] = i < insideUntil;
        if (m_inside[i])
            continue;
        if (m_module.is(operation, "aicode.dataflow.graph_v1"))
            m_graphs.push_back(i);
        if (isComposite(i))
            insideUntil = operation.end;
        const auto operands = m_module.operandsOf(operation);
        for (std::uint32_t k = 0; k < operands.size(); ++k)
            m_uses[operands[k]].push_back({i, k});
        if (!makesConstant(operation, row(i)))
            continue;
        const std::uint32_t made = operation.results.first;
        m_constant[made] = true;
        for (const std::uint32_t value : operands)
            m_depth[made] = std::max<std::uint8_t>(m_depth[made],
                                                   static_cast<std::uint8_t>(m_depth[value] + 1));
    }
}

/// Whether anything but a step of another constant reads it, through transpose and reshape.
void ModuleGraph::findReaders()
{
    for (std::size_t value = m_module.values.size(); value-- > 0;) {
        if (!m_constant[value])
            continue;
        m_read[value] = std::ranges::any_of(m_uses[value], [&](const ValueUse &use) {
            const mlir::Operation &reader = m_module.operations[use.operation];
            const bool isStep = reader.results.count == 1 && m_constant[reader.results.first];
            if (!isStep)
                return true;
            return isPassedThrough(row(use.operation).step) && use.operand == 0 &&
                   m_read[reader.results.first];
        });
    }
}

std::optional<std::uint32_t> ModuleGraph::maker(std::uint32_t value) const
{
    const mlir::Value &each = m_module.values[value];
    return each.argument || each.owner == mlir::kNone ? std::nullopt : std::optional(each.owner);
}

CoreAiStep ModuleGraph::step(std::uint32_t value) const
{
    const auto operation = maker(value);
    return operation && m_constant[value] ? row(*operation).step : CoreAiStep::None;
}

std::vector<std::string> ModuleGraph::unknownOperations() const
{
    std::vector<bool> seen(m_unknown.size());
    std::vector<std::string> names;
    for (std::uint32_t i = 0; i < m_module.operations.size(); ++i) {
        const std::uint32_t name = m_module.operations[i].name;
        const auto operands = m_module.operandsOf(m_module.operations[i]);
        const bool ofConstants =
            !operands.empty() &&
            std::ranges::all_of(operands, [this](auto value) { return isConstant(value); });
        if (m_inside[i] || !m_unknown[name] || seen[name] || !ofConstants)
            continue;
        names.push_back(m_rows[name]->stored);
        seen[name] = true;
    }
    return names;
}

std::optional<TensorInfo> tensorInfo(const mlir::Module &module, std::uint32_t type)
{
    const auto found = mlir::tensorType(module, type);
    if (!found)
        return std::nullopt;
    TensorInfo info;
    info.dims = found->shape;
    std::string_view element = found->elementName;
    constexpr std::string_view kComplex = "complex ";
    info.complex = element.starts_with(kComplex);
    if (info.complex) {
        element.remove_prefix(kComplex.size());
        info.dims.push_back(2);
    }
    info.element = anyElementTypeFromName(element);
    return info;
}

bool ModuleGraph::isWeight(std::uint32_t value) const
{
    if (!m_constant[value] || !m_read[value] || isPassedThrough(step(value)))
        return false;
    for (std::uint32_t at = value; !compresses(step(at));) {
        if (step(at) != CoreAiStep::Constant) {
            at = m_module.operandsOf(m_module.operations[*maker(at)]).front();
            continue;
        }
        const auto info = tensor(value);
        const auto shape = info ? info->shape() : std::nullopt;
        const auto count = shape ? elementCount(*shape) : std::nullopt;
        const auto all = readers(value);
        return std::ranges::any_of(all, [&](const ValueUse &use) {
            const CoreAiOperation &reader = row(use.operation);
            if (reader.stored.starts_with("dataflow.output"))
                return true; // a result of the program
            if (!info || reader.operand(use.operand).parameter)
                return false;
            const bool many = !count || count->value >= kManyElements;
            return many || (isFloatingPoint(info->element) && count->value > 1);
        });
    }
    return true;
}

std::vector<std::uint32_t> ModuleGraph::weights() const
{
    std::vector<std::uint32_t> found;
    for (std::uint32_t value = 0; value < m_module.values.size(); ++value) {
        if (isWeight(value))
            found.push_back(value);
    }
    return found;
}

std::vector<ValueUse> ModuleGraph::readers(std::uint32_t value) const
{
    std::vector<ValueUse> found;
    std::vector<std::uint32_t> open{value};
    for (std::size_t next = 0; next < open.size(); ++next) {
        for (const ValueUse &use : m_uses[open[next]]) {
            const mlir::Operation &reader = m_module.operations[use.operation];
            const bool isStep = reader.results.count == 1 && m_constant[reader.results.first];
            if (!isStep)
                found.push_back(use);
            else if (isPassedThrough(row(use.operation).step) && use.operand == 0)
                open.push_back(reader.results.first);
        }
    }
    std::ranges::sort(found, [](const ValueUse &a, const ValueUse &b) {
        return a.operation != b.operation ? a.operation < b.operation : a.operand < b.operand;
    });
    return found;
}

std::optional<std::vector<std::int64_t>> ModuleGraph::integers(std::uint32_t value) const
{
    constexpr std::uint64_t kMost = 64; // of shapes and axes there are few
    const auto info = tensor(value);
    const auto shape = info ? info->shape() : std::nullopt;
    const auto count = shape ? elementCount(*shape) : std::nullopt;
    if (step(value) != CoreAiStep::Constant || !count || count->value > kMost ||
        isFloatingPoint(info->element) || bitWidth(info->element) < 8)
        return std::nullopt;
    const auto data = mlir::constantBytes(
        m_module, m_module.attributeOf(m_module.operations[*maker(value)], "value"));
    const std::uint64_t stored = data && data->splat ? 1 : count->value;
    if (!data || data->data.bytes.value < stored * bitWidth(info->element) / 8)
        return std::nullopt;
    std::vector<std::int64_t> numbers;
    for (std::uint64_t i = 0; i < count->value; ++i)
        numbers.push_back(
            loadCode(m_module.bytesOf(data->data), info->element, stored == count->value ? i : 0));
    return numbers;
}

} // namespace kernscope::aimodel
