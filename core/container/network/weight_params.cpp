// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/network/weight_params.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::network {

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
    return field.type == WireField::Type::Bytes || field.type == WireField::Type::Fixed32;
}

template <class Visitor>
void forEachField(const WireBytes &message, WireState &state, const Visitor &visit)
{
    WireMessage reader(message, state);
    WireField field;
    while (reader.next(field))
        visit(field);
}

void readQuantization(const WireBytes &message, WireState &state, StoredWeight &weight,
                      bool &linear, bool &table)
{
    constexpr std::uint32_t kBits = 1, kLinear = 101, kTable = 102, kScale = 1, kBias = 2;
    forEachField(message, state, [&](const WireField &field) {
        if (field.number == kBits && field.type == WireField::Type::Varint)
            weight.bits = static_cast<unsigned>(std::min<std::uint64_t>(field.value, 255));
        if (field.type != WireField::Type::Bytes)
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
        const auto axis = std::find(weight.shape.begin(), weight.shape.end(), count);
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
        if (field.type != WireField::Type::Bytes)
            return;
        if (field.number == kQuantization) {
            readQuantization(field.content, state, weight, linear, table);
            return;
        }
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

} // namespace kernscope::network
