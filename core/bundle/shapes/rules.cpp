// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/shapes/rules.h"

#include "core/base/find.h"
#include "core/base/parts.h"
#include "core/format/table_rows.h"
#include "core/numeric/half.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

// Shapes that a program works out itself: shape(x)[2] * 4 and its like. Integers only: what passes
// through a floating-point type may be rounded, and is not followed.

namespace kernscope::shapes {

namespace {

using Numbers = std::optional<Dims>;
using Follow = Numbers (*)(const OperationView &, const Tensor &output);

std::int64_t combined(std::string_view type, std::int64_t a, std::int64_t b)
{
    std::int64_t result = kUnknownNumber;
    if (a == kUnknownNumber || b == kUnknownNumber)
        return kUnknownNumber;
    if (type == "maximum")
        return std::max(a, b);
    if (type == "minimum")
        return std::min(a, b);
    if (type == "add")
        return __builtin_add_overflow(a, b, &result) ? kUnknownNumber : result;
    if (type == "sub")
        return __builtin_sub_overflow(a, b, &result) ? kUnknownNumber : result;
    if (type == "mul")
        return __builtin_mul_overflow(a, b, &result) ? kUnknownNumber : result;
    // Division rounds down; of negative numbers, which no extent is, it is not followed.
    if (a < 0 || b <= 0)
        return kUnknownNumber;
    return type == "floor_div" ? a / b : a % b;
}

/// Element by element, of equal counts or with one number on a side.
Numbers followBinary(const OperationView &view, const Tensor &)
{
    const Tensor x = view.operand("x"), y = view.operand("y");
    if (!x.numbers || !y.numbers || x.numbers->empty() || y.numbers->empty())
        return std::nullopt;
    const std::size_t count = std::max(x.numbers->size(), y.numbers->size());
    if (std::min(x.numbers->size(), y.numbers->size()) != 1 &&
        x.numbers->size() != y.numbers->size())
        return std::nullopt;
    Dims result;
    for (std::size_t i = 0; i < count; ++i)
        result.push_back(combined(view.operation().type,
                                  (*x.numbers)[x.numbers->size() == 1 ? 0 : i],
                                  (*y.numbers)[y.numbers->size() == 1 ? 0 : i]));
    return result;
}

Numbers followSame(const OperationView &view, const Tensor &)
{
    return view.operand(view.operation().type == "const" ? "val" : "x").numbers;
}

/// To an integer type that holds the numbers.
Numbers followCast(const OperationView &view, const Tensor &)
{
    const std::string type = view.text("dtype", {});
    const bool wide = type == "int32" || type == "int64" || type == "uint32";
    return wide ? view.operand("x").numbers : std::nullopt;
}

Numbers followShape(const OperationView &view, const Tensor &)
{
    Numbers numbers = view.operand("x").dims;
    if (numbers)
        std::replace(numbers->begin(), numbers->end(), kUnknown, kUnknownNumber);
    return numbers;
}

/// Of a vector.
Numbers followGather(const OperationView &view, const Tensor &)
{
    const Tensor x = view.operand("x");
    const auto indices = view.numbers("indices");
    if (!x.numbers || !x.dims || x.dims->size() != 1 || !indices)
        return std::nullopt;
    Dims result;
    for (const std::int64_t index : *indices) {
        const auto at = axisOf(index, x.numbers->size());
        if (!at)
            return std::nullopt;
        result.push_back((*x.numbers)[*at]);
    }
    return result;
}

Numbers followSlice(const OperationView &view, const Tensor &output)
{
    const Tensor x = view.operand("x");
    const auto begin = view.numbers("begin", 1, 0);
    const auto stride = view.numbers("stride", 1, 1);
    const auto mask = view.numbers("begin_mask", 1, 0);
    if (!x.numbers || !x.dims || x.dims->size() != 1 || !begin || !stride || !mask)
        return std::nullopt;
    const auto count = static_cast<std::int64_t>(x.numbers->size());
    std::int64_t at = mask->front() != 0 ? (stride->front() > 0 ? 0 : count - 1) : begin->front();
    at = at < 0 ? at + count : at;
    const std::int64_t length = productOf(*output.dims, 0, output.dims->size());
    const bool few = stride->front() >= -count && stride->front() <= count;
    Dims result;
    for (std::int64_t i = 0; few && i < length; ++i, at += stride->front()) {
        if (at < 0 || at >= count)
            return std::nullopt;
        result.push_back((*x.numbers)[static_cast<std::size_t>(at)]);
    }
    return few || length == 1 ? std::optional(std::move(result)) : std::nullopt;
}

/// Of vectors and scalars, one after the other.
Numbers followJoined(const OperationView &view, const Tensor &)
{
    Dims result;
    for (const Tensor &each : view.operands("values")) {
        if (!each.dims || each.dims->size() > 1)
            return std::nullopt;
        if (each.numbers)
            result.insert(result.end(), each.numbers->begin(), each.numbers->end());
        else if (each.complete())
            result.insert(result.end(),
                          static_cast<std::size_t>(each.dims->empty() ? 1 : each.dims->front()),
                          kUnknownNumber);
        else
            return std::nullopt;
        if (result.size() > kMaxNumbers)
            return std::nullopt;
    }
    return result;
}

Numbers followReduced(const OperationView &view, const Tensor &output)
{
    const auto x = view.numbers("x");
    if (!x || x->empty() || productOf(*output.dims, 0, output.dims->size()) != 1)
        return std::nullopt;
    const std::string_view type = view.operation().type;
    const std::string_view step = type == "reduce_prod"  ? "mul"
                                  : type == "reduce_sum" ? "add"
                                  : type == "reduce_max" ? "maximum"
                                                         : "minimum";
    const auto join = [step](std::int64_t a, std::int64_t b) { return combined(step, a, b); };
    return Dims{std::accumulate(x->begin() + 1, x->end(), x->front(), join)};
}

Numbers followFill(const OperationView &view, const Tensor &output)
{
    const auto value = view.number("value");
    const std::int64_t count = productOf(*output.dims, 0, output.dims->size());
    if (!value || count < 0 || count > static_cast<std::int64_t>(kMaxNumbers))
        return std::nullopt;
    return Dims(static_cast<std::size_t>(count), *value);
}

Numbers followRange(const OperationView &view, const Tensor &output)
{
    const auto start = view.number("start"), step = view.number("step");
    const std::int64_t count = output.dims->empty() ? kUnknown : output.dims->front();
    if (!start || !step || count < 0 || count > static_cast<std::int64_t>(kMaxNumbers))
        return std::nullopt;
    Dims result;
    for (std::int64_t i = 0; i < count; ++i)
        result.push_back(combined("add", *start, combined("mul", i, *step)));
    return result;
}

const std::map<std::string_view, Follow> &follows()
{
    static const std::map<std::string_view, Follow> known{
        {"const", followSame},
        {"identity", followSame},
        {"reshape", followSame},
        {"expand_dims", followSame},
        {"squeeze", followSame},
        {"cast", followCast},
        {"shape", followShape},
        {"gather", followGather},
        {"slice_by_index", followSlice},
        {"concat", followJoined},
        {"stack", followJoined},
        {"add", followBinary},
        {"sub", followBinary},
        {"mul", followBinary},
        {"floor_div", followBinary},
        {"mod", followBinary},
        {"maximum", followBinary},
        {"minimum", followBinary},
        {"reduce_prod", followReduced},
        {"reduce_sum", followReduced},
        {"reduce_max", followReduced},
        {"reduce_min", followReduced},
        {"fill", followFill},
        {"range_1d", followRange},
    };
    return known;
}

template <class Float>
std::optional<double> firstOf(const mil::Literal &literal)
{
    Float number{};
    if (literal.bytes.size() < sizeof number)
        return std::nullopt;
    std::memcpy(&number, literal.bytes.data(), sizeof number);
    return static_cast<double>(number);
}

// Tensors whose shape another value gives, and constants in their storage forms.

RuleResult filledRule(const OperationView &view, const Operands &names)
{
    const Tensor shape = view.operand(names.front());
    const std::string reason = "the numbers of " + names.front() + " are not known";
    if (!shape.numbers)
        return unknown(reason);
    Dims dims = *shape.numbers;
    for (std::int64_t &extent : dims)
        extent = std::max(extent, kUnknown);
    const bool known = allKnown(dims);
    return made(std::move(dims), known ? "" : reason);
}

/// Of a list the tensor is that of one element. Row: the list, the places that are taken out.
RuleResult listGatherRule(const OperationView &view, const Operands &names)
{
    const Tensor list = view.operand(names[0]), places = view.operand(names[1]);
    if (!list.dims || !places.dims || places.dims->size() != 1)
        return unknown("the shape of the elements of " + names[0] + " is not known");
    Dims result = *places.dims;
    result.insert(result.end(), list.dims->begin(), list.dims->end());
    return made(std::move(result));
}

/// Row: as many elements as the first extent says, side by side.
RuleResult listScatterRule(const OperationView &view, const Operands &names)
{
    const Tensor value = view.operand(names.front());
    if (!value.dims || value.dims->empty())
        return unknown("the shape of " + names.front() + " is not known");
    return made(Dims(value.dims->begin() + 1, value.dims->end()));
}

RuleResult scalarRule(const OperationView &, const Operands &)
{
    return made({});
}

RuleResult shapeRule(const OperationView &view, const Operands &names)
{
    const Tensor x = view.operand(names.front());
    return x.dims ? made({static_cast<std::int64_t>(x.dims->size())})
                  : unknown("the number of axes of " + names.front() + " is not known");
}

RuleResult rangeRule(const OperationView &view, const Operands &)
{
    const auto start = view.real("start"), end = view.real("end"), step = view.real("step");
    if (!start || !end || !step || *step == 0)
        return unknown("start, end or step are not known");
    const double count = std::ceil((*end - *start) / *step);
    const float rounded = std::ceil((static_cast<float>(*end) - static_cast<float>(*start)) /
                                    static_cast<float>(*step));
    // Where single precision gives another number, it is not certain which one runs.
    if (!(count < 1e15) || count != static_cast<double>(rounded))
        return unknown("the number of its elements depends on rounding");
    return made({count > 0 ? static_cast<std::int64_t>(count) : 0});
}

RuleResult oneHotRule(const OperationView &view, const Operands &names)
{
    const Tensor indices = view.operand(names.front());
    const auto size = view.number("one_hot_vector_size"), number = view.number("axis", -1);
    if (!indices.dims || !number)
        return unknown("axis or the shape of " + names.front() + " are not known");
    Dims result = *indices.dims;
    const auto axis = axisOf(*number, result.size() + 1);
    if (!axis)
        return conflict("axis", "an axis of the result", std::to_string(*number));
    result.insert(result.begin() + static_cast<std::ptrdiff_t>(*axis),
                  size && *size >= 0 ? *size : kUnknown);
    return made(std::move(result), size ? "" : "the number of one_hot_vector_size is not known");
}

/// Row: x [..., classes], the number drawn of each.
RuleResult drawnRule(const OperationView &view, const Operands &names)
{
    const Tensor x = view.operand(names[0]);
    const auto count = view.number(names[1], 1);
    if (!x.dims || x.dims->empty() || !count)
        return unknown("the shape of " + names[0] + " or " + names[1] + " are not known");
    Dims result = *x.dims;
    result.back() = *count;
    return made(std::move(result));
}

/// Row: indices, palettes [..., entries, vector]; with a third name (the shape, up to iOS 17) that
/// operand where it is given.
RuleResult paletteRule(const OperationView &view, const Operands &names)
{
    if (names.size() > 2 && view.has(names[2])) {
        auto given = view.numbers(names[2]);
        return given ? made(std::move(*given)) : unknown(names[2] + " is not known");
    }
    const Tensor indices = view.operand(names[0]), palettes = view.operand(names[1]);
    if (!indices.dims || !palettes.dims || palettes.dims->empty())
        return unknown("the shape of " + names[0] + " is not known");
    Dims result = *indices.dims;
    const std::int64_t vector = palettes.dims->back();
    const auto number = view.number("vector_axis", 0);
    if (palettes.dims->size() > 1 && vector != 1) {
        const auto axis = number ? axisOf(*number, result.size()) : std::nullopt;
        if (!axis)
            return unknown("vector_axis is not known");
        std::int64_t &extent = result[axis.value()];
        extent = times(extent, vector);
    }
    return made(std::move(result));
}

/// Row: the shape where it is given (up to iOS 17), else the mask.
RuleResult denseRule(const OperationView &view, const Operands &names)
{
    return view.has(names[0]) ? filledRule(view, {names[0]}) : ruleByName("same")(view, {names[1]});
}

/// Joint forms make a mask of the whole shape and the values that it leaves. Row: mask, values,
/// and of palettes their table.
RuleResult survivorsRule(const OperationView &view, const Operands &names)
{
    const Tensor mask = view.operand(names[0]), values = view.operand(names[1]);
    if (!mask.dims || !values.dims)
        return unknown("the shape of " + names[0] + " is not known");
    RuleResult outcome = made(*mask.dims);
    outcome.outputs.push_back({*values.dims, {}});
    if (names.size() < 3)
        return outcome;
    const Tensor palettes = view.operand(names[2]);
    const std::int64_t vector =
        palettes.dims && !palettes.dims->empty() ? palettes.dims->back() : kUnknown;
    if (vector == 1)
        return outcome;
    const auto number = view.number("vector_axis", 0);
    const auto axis = number ? axisOf(*number, mask.dims->size()) : std::nullopt;
    if (!axis || values.dims->size() != 1)
        return unknown("vector_axis is not known");
    (*outcome.outputs[0].dims)[*axis] = times((*mask.dims)[*axis], vector);
    outcome.outputs[1].dims->front() = times(values.dims->front(), vector);
    return outcome;
}

constexpr NamedRule kOwnRules[] = {
    {"filled", filledRule},
    {"list_gather", listGatherRule},
    {"list_scatter", listScatterRule},
    {"scalar", scalarRule},
    {"shape", shapeRule},
    {"range", rangeRule},
    {"one_hot", oneHotRule},
    {"drawn", drawnRule},
    {"dense", denseRule},
    {"palette", paletteRule},
    {"survivors", survivorsRule},
};

using Table = std::map<std::string, RuleRow, std::less<>>;

const Table &table()
{
    static const Table made = [] {
        Table rows;
        const auto csv = tables::load("shape_rules");
        for (std::size_t row = 0; csv && row < csv->rows(); ++row)
            rows.emplace(csv->cell(row, "operation"),
                         RuleRow{ruleByName(csv->cell(row, "rule")),
                                 partsOf(csv->cell(row, "operands"), ' ')});
        return rows;
    }();
    return made;
}

} // namespace

void followNumbers(const OperationView &view, std::vector<Tensor> &outputs)
{
    const auto found = follows().find(view.operation().type);
    if (found == follows().end() || outputs.size() != 1 || !outputs.front().complete())
        return;
    Tensor &output = outputs.front();
    const std::int64_t count = productOf(*output.dims, 0, output.dims->size());
    if (count < 0 || count > static_cast<std::int64_t>(kMaxNumbers))
        return;
    auto numbers = found->second(view, output);
    if (numbers && static_cast<std::int64_t>(numbers->size()) == count)
        output.numbers = std::move(numbers);
}

Tensor OperationView::tensor(const mil::ProgramValue &value) const
{
    if (const mil::Reference *reference = value.reference()) {
        const std::size_t definition = m_graph.resolve(*reference);
        return definition < m_tensors.size() ? m_tensors[definition] : Tensor();
    }
    Tensor result;
    if (value.type.isTensor())
        result.dims = value.type.dims;
    const mil::Literal *written = value.literal();
    if (written && written->count <= kMaxNumbers) {
        auto integers = literalIntegers(*written);
        if (integers.size() == written->count)
            result.numbers = std::move(integers);
    }
    return result;
}

Tensor OperationView::operand(std::string_view name) const
{
    const mil::ProgramValue *value = m_operation.operand(name);
    return value ? tensor(*value) : Tensor();
}

std::vector<Tensor> OperationView::operands(std::string_view name) const
{
    std::vector<Tensor> all;
    const mil::Argument *argument = m_operation.input(name);
    if (!argument)
        return all;
    for (const mil::ProgramValue &value : argument->values) {
        forEachValue(value, [&](const mil::ProgramValue &each) {
            if (!std::holds_alternative<mil::Values>(each.content))
                all.push_back(tensor(each));
        });
    }
    return all;
}

std::vector<Tensor> OperationView::inputs() const
{
    std::vector<Tensor> all;
    for (const mil::Argument &argument : m_operation.inputs) {
        for (const mil::ProgramValue &value : argument.values) {
            forEachValue(value, [&](const mil::ProgramValue &each) {
                const mil::ValueType *type = m_graph.typeOf(each);
                if (type && (type->isTensor() || type->kind == mil::ValueType::Kind::List))
                    all.push_back(tensor(each));
            });
        }
    }
    return all;
}

std::optional<Dims> OperationView::numbers(std::string_view name) const
{
    auto known = operand(name).numbers;
    if (known && std::find(known->begin(), known->end(), kUnknownNumber) != known->end())
        return std::nullopt;
    return known;
}

std::optional<Dims> OperationView::numbers(std::string_view name, std::size_t count,
                                           std::int64_t fallback) const
{
    if (!has(name))
        return Dims(count, fallback);
    auto known = numbers(name);
    return known && known->size() == count ? std::move(known) : std::nullopt;
}

std::optional<std::int64_t> OperationView::number(std::string_view name,
                                                  std::int64_t fallback) const
{
    return has(name) ? number(name) : fallback;
}

std::optional<std::int64_t> OperationView::number(std::string_view name) const
{
    const auto known = numbers(name);
    return known && known->size() == 1 ? std::optional(known->front()) : std::nullopt;
}

std::optional<double> OperationView::real(std::string_view name) const
{
    if (const auto integer = number(name))
        return static_cast<double>(*integer);
    const mil::Literal *written = m_graph.literal(m_operation, name);
    if (!written || written->count != 1)
        return std::nullopt;
    switch (written->element) {
    case ElementType::Fp32: return firstOf<float>(*written);
    case ElementType::Fp64: return firstOf<double>(*written);
    case ElementType::Fp16: {
        std::uint16_t bits = 0;
        if (written->bytes.size() < sizeof bits)
            return std::nullopt;
        std::memcpy(&bits, written->bytes.data(), sizeof bits);
        return static_cast<double>(halfToFloat(bits));
    }
    default: return std::nullopt;
    }
}

std::string OperationView::text(std::string_view name, std::string fallback) const
{
    const mil::Literal *written = m_graph.literal(m_operation, name);
    return written && written->strings.size() == 1 ? written->strings.front() : fallback;
}

Rule ruleByName(std::string_view name)
{
    for (const std::span<const NamedRule> rules :
         {std::span<const NamedRule>(kOwnRules), productRules(), layoutRules()}) {
        if (const NamedRule *rule = findBy(rules, &NamedRule::name, name))
            return rule->rule;
    }
    return nullptr;
}

const RuleRow *ruleOf(std::string_view operation)
{
    const auto found = table().find(operation);
    return found == table().end() || !found->second.rule ? nullptr : &found->second;
}

} // namespace kernscope::shapes
