// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/network/network.h"

#include "core/base/utf8.h"
#include "core/container/network/layer_table.h"
#include "core/container/network/weight_params.h"

#include <climits>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace kernscope::network {

namespace {

using mil::WireBytes;
using mil::WireField;
using mil::WireMessage;
using mil::WireState;

constexpr int kMaxNesting = 64;             ///< networks within layers
constexpr std::size_t kMaxLayers = 1 << 20; ///< bounds what a file of empty layers costs

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

    void network(const WireBytes &message);
    void layer(const WireBytes &message);
    void fields(const std::string &name, std::uint32_t kind, const WireBytes &message);
    void follow(const std::string &name, const LayerField &field, const Fields &layer,
                const Fields &at, std::size_t step, const std::string &index);
    void weight(const std::string &name, const LayerField &field, const Fields &layer,
                const WireBytes &message, const std::string &index);

    Network m_network;
    WireState m_state;
    int m_depth = 0;
};

std::string textOf(const WireBytes &bytes)
{
    return cleanUtf8({reinterpret_cast<const char *>(bytes.bytes.data()), bytes.bytes.size()});
}

/// Numbers of a field: varints, packed or not.
std::vector<std::uint64_t> numbersOf(const std::vector<WireField> &fields, std::uint32_t number)
{
    constexpr std::size_t kMost = 64;
    std::vector<std::uint64_t> numbers;
    for (const WireField &field : fields) {
        if (field.number != number || numbers.size() > kMost)
            continue;
        if (field.type == WireField::Type::Varint) {
            numbers.push_back(field.value);
        } else if (field.type == WireField::Type::Bytes) {
            std::uint64_t value = 0;
            unsigned shift = 0;
            for (const std::byte byte : field.content.bytes) {
                const auto bits = std::to_integer<std::uint64_t>(byte);
                if (shift < 64)
                    value |= (bits & 0x7f) << shift;
                shift += 7;
                if (bits < 0x80 && numbers.size() <= kMost) {
                    numbers.push_back(value);
                    value = shift = 0;
                }
            }
        }
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

void NetworkReader::network(const WireBytes &message)
{
    constexpr std::uint32_t kLayers = 1;
    if (++m_depth > kMaxNesting)
        m_state.fail("proto.depth", message.span(), fmt::format("at most {} levels", kMaxNesting),
                     "", "Networks are nested too deeply.");
    WireMessage reader(message, m_state);
    WireField field;
    while (m_depth <= kMaxNesting && m_network.layers < kMaxLayers && reader.next(field)) {
        if (field.number == kLayers && field.type == WireField::Type::Bytes)
            layer(field.content);
    }
    --m_depth;
}

void NetworkReader::layer(const WireBytes &message)
{
    constexpr std::uint32_t kName = 1;
    ++m_network.layers;
    std::string name;
    std::optional<WireField> content;
    WireMessage reader(message, m_state);
    WireField field;
    while (reader.next(field)) {
        if (field.type != WireField::Type::Bytes)
            continue;
        if (field.number == kName)
            name = textOf(field.content);
        else if (layerTable().count(field.number) > 0)
            content = field;
    }
    if (content)
        fields(name.empty() ? fmt::format("layer{}", m_network.layers - 1) : name, content->number,
               content->content);
}

void NetworkReader::fields(const std::string &name, std::uint32_t kind, const WireBytes &message)
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
void NetworkReader::follow(const std::string &name, const LayerField &field, const Fields &layer,
                           const Fields &at, std::size_t step, const std::string &index)
{
    const std::uint32_t wanted = field.path[step];
    std::size_t count = 0;
    const auto matches = [wanted](const WireField &each) {
        return each.number == wanted && each.type == WireField::Type::Bytes;
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

void NetworkReader::weight(const std::string &name, const LayerField &field, const Fields &layer,
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
