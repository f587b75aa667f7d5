// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/network/network.h"

#include "core/base/parts.h"
#include "core/base/text.h"
#include "core/container/mil/wire.h"
#include "core/format/table_rows.h"

#include <algorithm>
#include <climits>

#include <fmt/format.h>

namespace kernscope::network {

namespace {

std::uint32_t numberOf(std::string_view text)
{
    return static_cast<std::uint32_t>(parseInteger(text).value_or(0));
}

/// "2", "1/10", "20*", "20*=3x3".
ShapeExtent extentOf(std::string_view text)
{
    ShapeExtent extent;
    if (const auto equals = text.find('='); equals != std::string_view::npos) {
        for (const std::string &number : partsOf(text.substr(equals + 1), 'x'))
            extent.fallback.push_back(numberOf(number));
        text = text.substr(0, equals);
    }
    if (text.ends_with('*')) {
        extent.repeated = true;
        text.remove_suffix(1);
    }
    const auto slash = text.find('/');
    if (slash != std::string_view::npos)
        extent.over = numberOf(text.substr(slash + 1));
    extent.field = numberOf(text.substr(0, slash));
    return extent;
}

} // namespace

const std::multimap<std::uint32_t, LayerField> &layerTable()
{
    static const auto table = [] {
        std::multimap<std::uint32_t, LayerField> made;
        const auto csv = tables::load("network_layers");
        for (std::size_t row = 0; csv && row < csv->rows(); ++row) {
            LayerField field;
            field.layer = csv->cell(row, "layer");
            field.name = csv->cell(row, "field");
            for (const std::string &step : partsOf(csv->cell(row, "path"), '.'))
                field.path.push_back(numberOf(step));
            std::string_view shape = csv->cell(row, "shape");
            constexpr std::string_view kByColumns = " columns";
            field.byColumns = shape.ends_with(kByColumns);
            if (field.byColumns)
                shape.remove_suffix(kByColumns.size());
            if (shape != "?") {
                for (const std::string &extent : partsOf(shape, ' '))
                    field.shape.push_back(extentOf(extent));
            }
            field.axis = numberOf(csv->cell(row, "axis"));
            const std::string_view when = csv->cell(row, "when");
            if (const auto equals = when.find('='); equals != std::string_view::npos)
                field.when = {numberOf(when.substr(0, equals)), numberOf(when.substr(equals + 1))};
            made.emplace(numberOf(csv->cell(row, "layer_field")), std::move(field));
        }
        return made;
    }();
    return table;
}

/// Fills in the form, the places and the bits; the shape is the caller's. Nothing where the message
/// is empty, as that of a bias which a layer does not have.
std::optional<StoredWeight> readWeightParams(const mil::WireBytes &message, mil::WireState &state);

/// Gives the weight its shape (empty: not known) and checks the values against it.
void setShape(StoredWeight &weight, Shape shape, std::size_t axis, mil::WireState &state);

namespace {

using mil::SourceSpan;
using mil::WireBytes;
using mil::WireField;
using mil::WireMessage;
using mil::WireState;

/// Floats that are not packed lie in a piece each; more than these are not kept track of.
constexpr std::size_t kMaxRuns = 1 << 16;

void addFloats(Floats &floats, const WireField &field)
{
    const std::uint64_t length = field.content.bytes.size() / 4 * 4;
    if (length == 0)
        return;
    floats.count += length / 4;
    if (floats.runs.size() > kMaxRuns)
        return;
    SourceSpan run = field.content.span();
    run.length = length;
    floats.runs.push_back(run);
}

bool isFloats(const WireField &field)
{
    return field.isBytes() || field.type == WireField::Type::Fixed32;
}

void readQuantization(const WireBytes &message, WireState &state, StoredWeight &weight,
                      bool &linear, bool &table)
{
    constexpr std::uint32_t kBits = 1, kLinear = 101, kTable = 102, kScale = 1, kBias = 2;
    forEachField(message, state, [&](const WireField &field) {
        if (field.number == kBits && field.type == WireField::Type::Varint)
            weight.bits = static_cast<unsigned>(std::min<std::uint64_t>(field.value, 255));
        if (!field.isBytes())
            return;
        if (field.number == kLinear) {
            linear = true;
            forEachField(field.content, state, [&](const WireField &numbers) {
                if (isFloats(numbers) && numbers.number == kScale)
                    addFloats(weight.scale, numbers);
                else if (isFloats(numbers) && numbers.number == kBias)
                    addFloats(weight.bias, numbers);
            });
        } else if (field.number == kTable) {
            table = true;
            forEachField(field.content, state, [&](const WireField &numbers) {
                if (isFloats(numbers) && numbers.number == 1)
                    addFloats(weight.table, numbers);
            });
        }
    });
}

Error faultOf(const StoredWeight &weight, std::string_view code, std::string expected,
              std::string found, std::string message, const WireState &state)
{
    return state.faults.make(code, weight.message.offset, weight.message.length)
        .field(weight.layer + "." + weight.field)
        .expected(std::move(expected))
        .found(std::move(found))
        .message(std::move(message));
}

/// Values that the bytes hold; of codes the most that fit.
std::uint64_t valuesOf(const StoredWeight &weight)
{
    switch (weight.form) {
    case StoredWeight::Kind::Floats: return weight.floats.count;
    case StoredWeight::Kind::Halves: return weight.bytes.length / 2;
    case StoredWeight::Kind::Int8: return weight.bytes.length;
    case StoredWeight::Kind::Linear:
    case StoredWeight::Kind::Palette: break;
    }
    return weight.bits == 0 ? 0 : weight.bytes.length * 8 / weight.bits;
}

bool isCoded(const StoredWeight &weight)
{
    return weight.form == StoredWeight::Kind::Linear || weight.form == StoredWeight::Kind::Palette;
}

std::optional<Error> checkTables(StoredWeight &weight, const WireState &state)
{
    for (const Floats *floats : {&weight.floats, &weight.scale, &weight.bias, &weight.table}) {
        if (floats->runs.size() > kMaxRuns)
            return faultOf(weight, "network.runs", fmt::format("at most {} pieces", kMaxRuns),
                           "more", "The numbers of this weight are not packed", state);
    }
    if (isCoded(weight) && (weight.bits < 1 || weight.bits > 8))
        return faultOf(weight, "network.bits", "1 to 8 bits", fmt::format("{}", weight.bits),
                       "The codes of this weight have a width that is not known", state);
    if (weight.form == StoredWeight::Kind::Palette && weight.table.count != std::uint64_t(1)
                                                                                << weight.bits)
        return faultOf(weight, "network.table",
                       fmt::format("{} entries", std::uint64_t(1) << weight.bits),
                       fmt::format("{}", weight.table.count),
                       "The lookup table does not have an entry for every code", state);
    if (weight.form == StoredWeight::Kind::Linear && weight.scale.count == 0)
        return faultOf(weight, "network.scale", "one scale or more", "none",
                       "The codes of this weight have no scale", state);
    return std::nullopt;
}

/// The axis of as many elements as there are scales; biases are as many, or one.
std::optional<Error> checkScales(StoredWeight &weight, const WireState &state)
{
    const std::uint64_t count = std::max(weight.scale.count, weight.bias.count);
    const auto fits = [&](const Floats &floats) {
        return floats.count <= 1 || floats.count == count;
    };
    const bool known = weight.axis < weight.shape.size() && weight.shape[weight.axis] == count;
    if (count > 1 && !known) {
        const auto axis = std::ranges::find(weight.shape, count);
        if (axis == weight.shape.end() || !fits(weight.scale) || !fits(weight.bias))
            return faultOf(weight, "network.scale", "one, or one a channel of an axis",
                           fmt::format("{} for {}", count, shapeText(weight.shape)),
                           "The scales of this weight fit none of its axes", state);
        weight.axis = static_cast<std::size_t>(axis - weight.shape.begin());
    }
    if (fits(weight.scale) && fits(weight.bias))
        return std::nullopt;
    return faultOf(weight, "network.scale", fmt::format("1 or {}", count),
                   fmt::format("{} and {}", weight.scale.count, weight.bias.count),
                   "The scales of this weight and their biases are not as many", state);
}

} // namespace

std::optional<StoredWeight> readWeightParams(const WireBytes &message, WireState &state)
{
    constexpr std::uint32_t kFloats = 1, kHalves = 2, kRaw = 30, kInt8 = 31, kQuantization = 40;
    StoredWeight weight;
    weight.message = message.span();
    bool linear = false, table = false, raw = false, halves = false, int8 = false;
    forEachField(message, state, [&](const WireField &field) {
        if (field.number == kFloats && isFloats(field))
            addFloats(weight.floats, field);
        if (!field.isBytes())
            return;
        if (field.number == kQuantization)
            return readQuantization(field.content, state, weight, linear, table);
        bool *which = field.number == kHalves ? &halves
                      : field.number == kRaw  ? &raw
                      : field.number == kInt8 ? &int8
                                              : nullptr;
        if (which && !field.content.bytes.empty()) {
            *which = true;
            weight.bytes = field.content.span();
        }
    });
    if (raw)
        weight.form = table ? StoredWeight::Kind::Palette : StoredWeight::Kind::Linear;
    else if (int8)
        weight.form = StoredWeight::Kind::Int8;
    else if (halves)
        weight.form = StoredWeight::Kind::Halves;
    else if (weight.floats.count == 0)
        return std::nullopt;
    return weight;
}

void setShape(StoredWeight &weight, Shape shape, std::size_t axis, WireState &state)
{
    weight.fault = checkTables(weight, state);
    const std::uint64_t values = valuesOf(weight);
    const auto count = elementCount(shape);
    const bool known = !shape.empty() && count && count->value > 0;
    // The last byte of codes may be filled up.
    const bool fits = known && (isCoded(weight) ? packedBytes(*count, codeType(weight.bits)) ==
                                                      ByteCount(weight.bytes.length)
                                                : count->value == values);
    if (fits) {
        weight.shape = std::move(shape);
        weight.axis = axis;
    } else {
        weight.shape = {values};
        weight.axis = 0;
        if (known && !weight.fault) {
            Error error =
                faultOf(weight, "network.shape", fmt::format("values for {}", shapeText(shape)),
                        fmt::format("{}", values),
                        "The layer's extents do not fit the values; they are shown as a "
                        "vector",
                        state);
            state.faults.add(Severity::Warning, std::move(error));
        }
    }
    if (!weight.fault)
        weight.fault = checkScales(weight, state);
    if (weight.fault)
        state.faults.add(Severity::Error, *weight.fault);
}

namespace {

using mil::WireBytes;
using mil::WireField;
using mil::WireMessage;
using mil::WireState;

constexpr int kMaxNesting = 64;             ///< networks within layers
constexpr std::size_t kMaxLayers = 1 << 20; ///< bounds what a file of empty layers costs

/// Numbers of a field: varints, packed or not.
std::vector<std::uint64_t> numbersOf(const std::vector<WireField> &fields, std::uint32_t number)
{
    constexpr std::size_t kMost = 64;
    std::vector<std::uint64_t> numbers;
    for (const WireField &field : fields) {
        if (field.number == number)
            forEachInteger(field, [&numbers](std::uint64_t value) {
                if (numbers.size() <= kMost)
                    numbers.push_back(value);
            });
    }
    return numbers;
}

std::uint64_t lastNumberOf(const std::vector<WireField> &fields, std::uint32_t number)
{
    const auto numbers = numbersOf(fields, number);
    return numbers.empty() ? 0 : numbers.back();
}

/// Empty where a field that it needs is missing.
Shape shapeOf(const LayerField &field, const std::vector<WireField> &layer)
{
    Shape shape;
    for (const ShapeExtent &extent : field.shape) {
        auto numbers = numbersOf(layer, extent.field);
        if (numbers.empty())
            numbers = extent.fallback;
        if (!extent.repeated && numbers.size() > 1)
            numbers = {numbers.back()};
        if (numbers.empty())
            return {};
        const std::uint64_t over =
            extent.over == 0 ? 1 : std::max<std::uint64_t>(1, lastNumberOf(layer, extent.over));
        for (const std::uint64_t number : numbers)
            shape.push_back(number / over);
    }
    return shape;
}

class NetworkReader
{
public:
    NetworkReader(std::span<const std::byte> model, std::string_view fileName)
        : m_state{mil::Faults(fileName), model.size(), false, false}
    {
    }

    Network run(const WireBytes &content)
    {
        network(content);
        m_network.diagnostics = m_state.faults.take();
        return std::move(m_network);
    }

private:
    using Fields = std::vector<WireField>;

    Fields fieldsOf(const WireBytes &message)
    {
        Fields fields;
        WireMessage reader(message, m_state);
        WireField field;
        while (reader.next(field) && fields.size() < kMaxLayers)
            fields.push_back(field);
        return fields;
    }

    void network(const WireBytes &message)
    {
        constexpr std::uint32_t kLayers = 1;
        if (++m_depth > kMaxNesting)
            m_state.fail("proto.depth", message.span(),
                         fmt::format("at most {} levels", kMaxNesting), "",
                         "Networks are nested too deeply.");
        WireMessage reader(message, m_state);
        WireField field;
        while (m_depth <= kMaxNesting && m_network.layers < kMaxLayers && reader.next(field)) {
            if (field.number == kLayers && field.isBytes())
                layer(field.content);
        }
        --m_depth;
    }

    void layer(const WireBytes &message)
    {
        constexpr std::uint32_t kName = 1;
        ++m_network.layers;
        std::string name;
        std::optional<WireField> content;
        forEachField(message, m_state, [&](const WireField &field) {
            if (field.isBytes() && field.number == kName)
                name = m_state.text(field.content);
            else if (field.isBytes() && layerTable().count(field.number) > 0)
                content = field;
        });
        if (content)
            fields(name.empty() ? fmt::format("layer{}", m_network.layers - 1) : name,
                   content->number, content->content);
    }

    void fields(const std::string &name, std::uint32_t kind, const WireBytes &message)
    {
        const Fields layer = fieldsOf(message);
        const auto [first, last] = layerTable().equal_range(kind);
        for (auto row = first; row != last; ++row) {
            const LayerField &field = row->second;
            if (field.when && lastNumberOf(layer, field.when->first) != field.when->second)
                continue;
            follow(name, field, layer, layer, 0, {});
        }
    }

    /// Goes down the path. A field that comes several times gets its number into the name.
    void follow(const std::string &name, const LayerField &field, const Fields &layer,
                const Fields &at, std::size_t step, const std::string &index)
    {
        const std::uint32_t wanted = field.path[step];
        std::size_t count = 0;
        const auto matches = [wanted](const WireField &each) {
            return each.number == wanted && each.isBytes();
        };
        for (const WireField &each : at)
            count += matches(each) ? 1 : 0;
        std::size_t number = 0;
        for (const WireField &each : at) {
            if (!matches(each))
                continue;
            const std::string place = count > 1 ? fmt::format("{}{}.", index, number++) : index;
            if (field.isNetwork())
                network(each.content);
            else if (step + 1 == field.path.size())
                weight(name, field, layer, each.content, place);
            else
                follow(name, field, layer, fieldsOf(each.content), step + 1, place);
        }
    }

    void weight(const std::string &name, const LayerField &field, const Fields &layer,
                const WireBytes &message, const std::string &index)
    {
        auto stored = readWeightParams(message, m_state);
        if (!stored)
            return;
        stored->layer = name;
        stored->kind = field.layer;
        stored->field = index + field.name;
        stored->byColumns = field.byColumns;
        setShape(*stored, shapeOf(field, layer), field.axis, m_state);
        m_network.weights.push_back(std::move(*stored));
    }

    Network m_network;
    WireState m_state;
    int m_depth = 0;
};

} // namespace

Network readNetwork(std::span<const std::byte> model, mil::SourceSpan content,
                    std::string_view fileName)
{
    Network none;
    if (model.size() > INT_MAX || content.offset > model.size() ||
        content.length > model.size() - content.offset)
        return none; // the reader of the model has said so
    const WireBytes bytes{model.subspan(content.offset, content.length), content.offset};
    return NetworkReader(model, fileName).run(bytes);
}

} // namespace kernscope::network
