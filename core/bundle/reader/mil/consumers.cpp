// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/reader/mil/consumers.h"

#include "core/bundle/reader/mil/form_reader.h"
#include "core/bundle/weight.h"
#include "core/form/operand_place.h"

#include <algorithm>
#include <set>

namespace kernscope {

namespace {

using Count = std::optional<std::uint64_t>;

Count times(Count a, Count b)
{
    return a && b ? checkedMultiply(*a, *b) : std::nullopt;
}

Count product(const std::optional<Shape> &shape)
{
    const auto count = shape ? elementCount(*shape) : std::nullopt;
    return count ? Count(count->value) : std::nullopt;
}

/// Two for each element of `over`, input channel of the group and place of the kernel.
Count convolution(const std::optional<Shape> &over, const Shape &weight)
{
    if (weight.size() < 2)
        return std::nullopt;
    return times(times(2, product(over)), product(Shape(weight.begin() + 1, weight.end())));
}

/// The extent that is summed over lies in the weight's last two axes.
Count matmulDepth(const Consumer &consumer, const Shape &weight)
{
    if (weight.empty())
        return std::nullopt;
    if (weight.size() == 1)
        return weight[0];
    const bool isX = consumer.param == "x";
    const bool transposed = isX ? consumer.geometry.transposeX : consumer.geometry.transposeY;
    return weight[weight.size() - (isX != transposed ? 1 : 2)];
}

/// Steps times batch of a recurrent layer: its x is [steps, batch, inputs].
Count recurrentSteps(const std::optional<Shape> &input)
{
    if (!input || input->empty() || input->back() == 0)
        return std::nullopt;
    return product(Shape(input->begin(), input->end() - 1));
}

bool isRecurrent(const Consumer &consumer)
{
    return (consumer.op == "lstm" || consumer.op == "gru" || consumer.op == "rnn") &&
           consumer.param.starts_with("weight_");
}

/// Adds the letters of one operand; false where they do not name its extents.
bool readLetters(std::string_view letters, const Shape &shape, std::map<char, std::uint64_t> &sizes)
{
    if (letters.size() != shape.size())
        return false;
    for (std::size_t i = 0; i < letters.size(); ++i) {
        const bool letter =
            (letters[i] >= 'a' && letters[i] <= 'z') || (letters[i] >= 'A' && letters[i] <= 'Z');
        const auto [at, isNew] = sizes.try_emplace(letters[i], shape[i]);
        // An extent of 1 is broadcast over the other operand's.
        if (!letter || (!isNew && at->second != shape[i] && at->second != 1 && shape[i] != 1))
            return false;
        at->second = std::max(at->second, shape[i]);
    }
    return true;
}

} // namespace

std::optional<std::uint64_t> einsumFlops(std::string_view equation,
                                         const std::vector<Shape> &operands)
{
    std::string text(equation);
    std::erase(text, ' ');
    const std::size_t arrow = text.find("->");
    std::string_view left = std::string_view(text).substr(0, arrow);
    std::map<char, std::uint64_t> sizes;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const std::size_t comma = left.find(',');
        if ((comma == std::string_view::npos) != (i + 1 == operands.size()) ||
            !readLetters(left.substr(0, comma), operands[i], sizes))
            return std::nullopt;
        left = comma == std::string_view::npos ? std::string_view() : left.substr(comma + 1);
    }
    Count flops = operands.size() < 2 ? std::nullopt : Count(2);
    for (const auto &[letter, size] : sizes)
        flops = times(flops, size);
    return flops;
}

std::optional<std::uint64_t> attentionFlops(std::string_view param, const Shape &query,
                                            const Shape &key, const Shape &value)
{
    const std::size_t rank = query.size();
    if (rank < 2 || key.size() != rank || value.size() != rank ||
        query[rank - 1] != key[rank - 1] || key[rank - 2] != value[rank - 2])
        return std::nullopt;
    if (param != "query" && param != "key" && param != "value")
        return 0;
    Count flops = times(2, query[rank - 2]);
    flops = times(flops, key[rank - 2]);
    flops = times(flops, param == "value" ? value[rank - 1] : key[rank - 1]);
    for (std::size_t i = 0; i + 2 < rank; ++i) {
        const std::uint64_t most = std::max({query[i], key[i], value[i]});
        for (const std::uint64_t each : {query[i], key[i], value[i]}) {
            if (each != most && each != 1) // an extent of 1 is broadcast
                return std::nullopt;
        }
        flops = times(flops, most);
    }
    return flops;
}

std::optional<std::uint64_t> layerFlops(const Consumer &consumer, const mil::ValueType *weight)
{
    if (!isRecurrent(consumer))
        return consumer.flops;
    const auto shape = weight && weight->isTensor() ? weight->shape() : std::nullopt;
    return times(times(2, product(shape)), recurrentSteps(consumer.geometry.input));
}

std::optional<std::uint64_t> consumerFlops(const Consumer &consumer, const mil::ValueType *weight)
{
    const auto shape = weight && weight->isTensor() ? weight->shape() : std::nullopt;
    const ConsumerGeometry &geometry = consumer.geometry;
    const bool isWeight = consumer.param == "weight";
    if (consumer.op == "conv" && isWeight)
        return shape ? convolution(geometry.output, *shape) : std::nullopt;
    if (consumer.op == "conv_transpose" && isWeight)
        return shape ? convolution(geometry.input, *shape) : std::nullopt;
    if (consumer.op == "linear" && isWeight)
        return shape && !shape->empty() ? times(times(2, product(geometry.output)), shape->back())
                                        : std::nullopt;
    if (consumer.op == "matmul" && (consumer.param == "x" || consumer.param == "y"))
        return shape ? times(times(2, product(geometry.output)), matmulDepth(consumer, *shape))
                     : std::nullopt;
    return 0;
}

/// By axis of a value that of the stored weight; kNoIndex where it is none of them.
using AxisMap = std::vector<std::size_t>;

AxisMap sameAxes(std::size_t rank);

/// The map of what `operation` (cast, transpose, expand_dims, squeeze or reshape) makes of a value
/// with the map `before`. An axis that several are joined in, and each of those that one is split
/// into, is the first of them that is longer than 1. All kNoIndex where the operation does not say.
AxisMap axesThrough(const ValueGraph &graph, const mil::Operation &operation,
                    const mil::ValueType *from, const mil::ValueType *to, const AxisMap &before);

/// The same for a reshape between two shapes of as many elements.
AxisMap axesOfReshape(const Shape &from, const Shape &to, const AxisMap &before);

namespace {

/// The integers of a constant operand, negative axes counted from the end of `rank`.
std::optional<std::vector<std::size_t>> axesOf(const ValueGraph &graph,
                                               const mil::Operation &operation,
                                               std::string_view name, std::size_t rank)
{
    const mil::Literal *literal = graph.literal(operation, name);
    if (!literal || literal->count > rank)
        return std::nullopt;
    std::vector<std::size_t> axes;
    for (const std::int64_t axis : literalIntegers(*literal)) {
        const auto extent = static_cast<std::int64_t>(rank);
        if (axis < -extent || axis >= extent)
            return std::nullopt;
        axes.push_back(static_cast<std::size_t>(axis < 0 ? axis + extent : axis));
    }
    return axes;
}

std::optional<Shape> shapeIn(const mil::ValueType *type)
{
    return type && type->isTensor() ? type->shape() : std::nullopt;
}

AxisMap transposed(const std::vector<std::size_t> &order, const AxisMap &before)
{
    AxisMap after;
    for (const std::size_t axis : order)
        after.push_back(before[axis]);
    return after.size() == before.size() ? after : AxisMap();
}

AxisMap expanded(std::vector<std::size_t> axes, const AxisMap &before)
{
    std::ranges::sort(axes);
    AxisMap after = before;
    for (const std::size_t axis : axes) {
        if (axis > after.size())
            return {};
        after.insert(after.begin() + static_cast<std::ptrdiff_t>(axis), kNoIndex);
    }
    return after;
}

/// Without `axes`, or without all axes of extent 1.
AxisMap squeezed(const std::optional<std::vector<std::size_t>> &axes, const Shape &from,
                 const AxisMap &before)
{
    AxisMap after;
    for (std::size_t i = 0; i < before.size(); ++i) {
        const bool left = axes ? std::ranges::find(*axes, i) == axes->end() : from[i] != 1;
        if (left)
            after.push_back(before[i]);
    }
    return after;
}

/// More ops between a weight and its consumer than any converter writes.
constexpr std::size_t kMaxVia = 32;

/// A consumer with its place in the program, for sorting.
struct Found {
    std::size_t operation;
    Consumer consumer;
};

class Search
{
public:
    explicit Search(const ValueGraph &graph) : m_graph(graph) {}

    void start(const Definition &definition);
    std::vector<Found> found;

private:
    void visit(const Definition &definition);
    void use(const Definition &definition, const Use &use);

    const ValueGraph &m_graph;
    std::vector<std::string> m_via;
    AxisMap m_axes; ///< of the value that is visited
    std::size_t m_aliases = 0;
    std::set<std::size_t> m_visited; ///< values that another one is inside or behind a body
};

/// The position of a value among those of an operand that is a list.
std::size_t placeOf(const ValueGraph &graph, const mil::Operation &operation,
                    std::string_view param, const Definition &definition)
{
    const mil::Argument *list = operation.input(param);
    std::size_t place = 0, found = 0;
    if (list == nullptr)
        return found;
    for (const mil::ProgramValue &value : list->values) {
        forEachValue(value, [&](const mil::ProgramValue &each) {
            if (std::holds_alternative<mil::Values>(each.content))
                return;
            if (graph.definition(each) == &definition)
                found = place;
            ++place;
        });
    }
    return found;
}

void Search::use(const Definition &definition, const Use &use)
{
    const GraphOperation &reader = m_graph.operations()[use.operation];
    const mil::Operation &operation = *reader.operation;
    if (isConstexpr(operation))
        return;
    const bool loopVariable = operation.type == "while_loop" && use.param == "loop_vars";
    if (loopVariable)
        return; // seen again as an input of the bodies
    if (passesThrough(operation.type) && use.param == "x" && m_via.size() < kMaxVia) {
        m_via.push_back(operation.type);
        const AxisMap before = m_axes;
        for (std::size_t i = 0; i < operation.outputs.size(); ++i) {
            const Definition &made = m_graph.definitions()[reader.firstDefinition + i];
            m_axes = axesThrough(m_graph, operation, definition.type, made.type, before);
            visit(made);
        }
        m_axes = before;
        m_via.pop_back();
        return;
    }
    // The lists of other operations may be long and are not needed.
    const std::size_t place =
        operation.type == "einsum" ? placeOf(m_graph, operation, use.param, definition) : 0;
    Consumer consumer = describeConsumer(m_graph, use.operation, use.param, definition.type, place);
    consumer.via = m_via;
    if (std::ranges::any_of(m_via, [](const auto &type) { return type != "cast"; }))
        consumer.geometry.storedAxes = m_axes;
    found.push_back({use.operation, std::move(consumer)});
}

void Search::start(const Definition &definition)
{
    const mil::ValueType *type = definition.type;
    m_axes = sameAxes(type && type->isTensor() ? type->dims.size() : 0);
    visit(definition);
}

void Search::visit(const Definition &definition)
{
    for (const Use &each : definition.uses)
        use(definition, each);
    if (m_aliases >= kMaxVia)
        return;
    ++m_aliases;
    for (const auto *same : {&definition.aliases, &definition.yieldedAs}) {
        for (const std::size_t alias : *same) {
            if (m_visited.insert(alias).second) // both bodies of a cond may give the same value
                visit(m_graph.definitions()[alias]);
        }
    }
    --m_aliases;
}

std::vector<std::uint64_t> numbers(const ValueGraph &graph, const mil::Operation &operation,
                                   std::string_view operand)
{
    const mil::Literal *literal = graph.literal(operation, operand);
    std::vector<std::uint64_t> result;
    // Strides, pads and their like: a handful of small numbers. Anything else is not shown.
    if (!literal || literal->count > 16)
        return result;
    for (const std::int64_t number : literalIntegers(*literal)) {
        if (number < 0)
            return {};
        result.push_back(static_cast<std::uint64_t>(number));
    }
    return result;
}

bool flag(const ValueGraph &graph, const mil::Operation &operation, std::string_view operand)
{
    const auto value = numbers(graph, operation, operand);
    return value.size() == 1 && value.front() != 0;
}

std::string text(const ValueGraph &graph, const mil::Operation &operation, std::string_view operand)
{
    const mil::Literal *literal = graph.literal(operation, operand);
    return literal && literal->strings.size() == 1 ? literal->strings.front() : std::string();
}

std::optional<Shape> shapeOf(const ValueGraph &graph, const mil::Operation &operation,
                             std::string_view operand)
{
    const mil::ProgramValue *value = operation.operand(operand);
    const mil::ValueType *type = value ? graph.typeOf(*value) : nullptr;
    return type && type->isTensor() ? type->shape() : std::nullopt;
}

/// The axis that an operation names, counted from the end where it is negative; the first where it
/// names none.
std::size_t axisOf(const ValueGraph &graph, const mil::Operation &operation, std::size_t rank)
{
    const mil::Literal *literal = graph.literal(operation, "axis");
    const auto numbers =
        literal && literal->count == 1 ? literalIntegers(*literal) : std::vector<std::int64_t>();
    if (numbers.size() != 1)
        return 0;
    const auto extent = static_cast<std::int64_t>(rank);
    const std::int64_t axis = numbers.front() < 0 ? numbers.front() + extent : numbers.front();
    return axis >= 0 && axis < extent ? static_cast<std::size_t>(axis) : 0;
}

ConsumerGeometry geometryOf(const ValueGraph &graph, const GraphOperation &reader,
                            std::string_view param)
{
    const mil::Operation &operation = *reader.operation;
    ConsumerGeometry geometry;
    geometry.strides = numbers(graph, operation, "strides");
    geometry.dilations = numbers(graph, operation, "dilations");
    geometry.pads = numbers(graph, operation, "pad");
    geometry.padType = text(graph, operation, "pad_type");
    const auto groups = numbers(graph, operation, "groups");
    if (groups.size() == 1)
        geometry.groups = groups.front();
    geometry.transposeX = flag(graph, operation, "transpose_x");
    geometry.transposeY = flag(graph, operation, "transpose_y");
    // Of matmul the weight may be x itself; a gather's table is always x.
    const bool gather = operation.type.starts_with("gather");
    const std::string_view activation = param != "x" ? "x" : gather ? "indices" : "y";
    geometry.input = shapeOf(graph, operation, activation);
    if (!operation.outputs.empty() && operation.outputs.front().type.isTensor())
        geometry.output = operation.outputs.front().type.shape();
    geometry.insideLoop = reader.insideLoop;
    if (operation.type == "einsum")
        geometry.equation = text(graph, operation, "equation");
    if (const auto table = gather ? shapeOf(graph, operation, "x") : std::nullopt)
        geometry.axis = axisOf(graph, operation, table->size());
    return geometry;
}

/// The arithmetic of an einsum, and the first operand beside the weight as its input.
void describeEinsum(const ValueGraph &graph, const mil::Operation &operation, Consumer &consumer)
{
    const auto shapes = einsumShapes(graph, operation);
    consumer.geometry.input.reset();
    consumer.layerFlops.reset();
    if (!shapes || shapes->empty())
        return;
    consumer.layerFlops = einsumFlops(consumer.geometry.equation, *shapes);
    for (std::size_t i = 0; i < shapes->size(); ++i) {
        if (i != consumer.geometry.operand) {
            consumer.geometry.input = (*shapes)[i];
            return;
        }
    }
    consumer.geometry.input = shapes->front();
}

/// The arithmetic of an attention, and what a weight in it is multiplied with as its input.
void describeAttention(const ValueGraph &graph, const mil::Operation &operation, Consumer &consumer)
{
    const auto query = shapeOf(graph, operation, "query"), key = shapeOf(graph, operation, "key"),
               value = shapeOf(graph, operation, "value");
    consumer.geometry.input = consumer.param == "query" ? key : query;
    consumer.layerFlops =
        query && key && value ? attentionFlops(consumer.param, *query, *key, *value) : std::nullopt;
}

} // namespace

AxisMap sameAxes(std::size_t rank)
{
    AxisMap axes(rank);
    for (std::size_t i = 0; i < rank; ++i)
        axes[i] = i;
    return axes;
}

AxisMap axesOfReshape(const Shape &from, const Shape &to, const AxisMap &before)
{
    AxisMap after(to.size(), kNoIndex);
    std::size_t i = 0, o = 0;
    while (i < from.size() && o < to.size()) {
        // A run of axes on either side with the same product.
        const std::size_t firstIn = i, firstOut = o;
        std::uint64_t in = from[i++], out = to[o++];
        while (in != out) {
            std::uint64_t &less = in < out ? in : out;
            const bool takesIn = in < out;
            if (takesIn ? i == from.size() : o == to.size())
                return {}; // not the same number of elements
            const auto product = checkedMultiply(less, takesIn ? from[i++] : to[o++]);
            if (!product)
                return {};
            less = *product;
        }
        std::size_t stored = kNoIndex;
        for (std::size_t axis = firstIn; axis < i && stored == kNoIndex; ++axis)
            stored = from[axis] > 1 ? before[axis] : kNoIndex;
        for (std::size_t axis = firstOut; axis < o; ++axis)
            after[axis] = to[axis] > 1 ? stored : kNoIndex;
    }
    return after;
}

AxisMap axesThrough(const ValueGraph &graph, const mil::Operation &operation,
                    const mil::ValueType *from, const mil::ValueType *to, const AxisMap &before)
{
    const auto in = shapeIn(from), out = shapeIn(to);
    const std::size_t rank = to && to->isTensor() ? to->dims.size() : 1;
    const AxisMap none(std::max<std::size_t>(rank, 1), kNoIndex);
    if (operation.type == "cast")
        return before;
    if (!in || in->size() != before.size())
        return none;
    AxisMap after;
    if (operation.type == "transpose") {
        if (const auto order = axesOf(graph, operation, "perm", in->size()))
            after = transposed(*order, before);
    } else if (operation.type == "expand_dims") {
        if (const auto axes = out ? axesOf(graph, operation, "axes", out->size()) : std::nullopt)
            after = expanded(*axes, before);
    } else if (operation.type == "squeeze") {
        const auto axes = axesOf(graph, operation, "axes", in->size());
        if (axes || operation.operand("axes") == nullptr)
            after = squeezed(axes, *in, before);
    } else if (operation.type == "reshape" && out) {
        after = axesOfReshape(*in, *out, before);
    }
    return out && out->size() == after.size() ? after : none;
}

bool passesThrough(std::string_view type)
{
    static constexpr std::array<std::string_view, 5> kTypes{"cast", "reshape", "transpose",
                                                            "expand_dims", "squeeze"};
    return std::ranges::find(kTypes, type) != kTypes.end();
}

Consumer describeConsumer(const ValueGraph &graph, std::size_t operation, std::string_view param,
                          const mil::ValueType *weight, std::size_t place)
{
    const GraphOperation &reader = graph.operations()[operation];
    Consumer consumer;
    consumer.op = reader.operation->type;
    consumer.name = reader.operation->displayName();
    consumer.param = param;
    consumer.geometry = geometryOf(graph, reader, param);
    consumer.geometry.operand = place;
    consumer.flops = consumerFlops(consumer, weight);
    consumer.layerFlops = layerFlops(consumer, weight);
    if (consumer.op == "einsum" && consumer.param == "values")
        describeEinsum(graph, *reader.operation, consumer);
    if (consumer.op == "scaled_dot_product_attention")
        describeAttention(graph, *reader.operation, consumer);
    consumer.backends = mil::backendNotes(*reader.operation, {});
    return consumer;
}

std::optional<std::vector<Shape>> einsumShapes(const ValueGraph &graph,
                                               const mil::Operation &operation)
{
    const mil::Argument *values = operation.input("values");
    if (!values)
        return std::nullopt;
    std::vector<Shape> shapes;
    bool known = true;
    for (const mil::ProgramValue &value : values->values) {
        forEachValue(value, [&](const mil::ProgramValue &each) {
            if (std::holds_alternative<mil::Values>(each.content))
                return;
            const mil::ValueType *type = graph.typeOf(each);
            auto shape = type && type->isTensor() ? type->shape() : std::nullopt;
            known = known && shape;
            if (shape)
                shapes.push_back(std::move(*shape));
        });
    }
    return known ? std::optional(std::move(shapes)) : std::nullopt;
}

std::vector<Consumer> findConsumers(const ValueGraph &graph, std::size_t operation)
{
    Search search(graph);
    const GraphOperation &maker = graph.operations()[operation];
    for (std::size_t i = 0; i < maker.operation->outputs.size(); ++i)
        search.start(graph.definitions()[maker.firstDefinition + i]);
    std::ranges::stable_sort(search.found, {}, &Found::operation);
    std::vector<Consumer> consumers;
    consumers.reserve(search.found.size());
    for (Found &found : search.found)
        consumers.push_back(std::move(found.consumer));
    return consumers;
}

} // namespace kernscope
