// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/tensor_export.h"

#include "core/base/error_builder.h"
#include "core/base/quantity.h"
#include "core/bundle/bundle.h"
#include "core/bundle/stored_values.h"
#include "core/report/json.h"

#include <algorithm>
#include <bit>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::report {

namespace {

/// Names of the file format for the types that are written.
std::string_view tensorType(ElementType type)
{
    return type == ElementType::Fp16 ? "F16" : type == ElementType::Fp32 ? "F32" : "F64";
}

ElementType narrowest(ElementType type)
{
    return exactInHalf(type)    ? ElementType::Fp16
           : exactInFloat(type) ? ElementType::Fp32
                                : ElementType::Fp64;
}

/// Whether values of `type` are rounded when they are written as `as`.
bool isRounded(ElementType type, ElementType as)
{
    switch (as) {
    case ElementType::Fp16: return !exactInHalf(type);
    case ElementType::Fp32: return !exactInFloat(type);
    default: return type == ElementType::Int64 || type == ElementType::Uint64;
    }
}

Diagnostic roundedNote(const std::string &name, ElementType type, ElementType as)
{
    return {Severity::Note, ErrorBuilder("decode.rounded")
                                .field(name)
                                .expected(std::string(elementTypeName(type)))
                                .found(std::string(elementTypeName(as)))
                                .message(fmt::format("The values are {}; they are written rounded "
                                                     "to {}",
                                                     elementTypeName(type), elementTypeName(as)))};
}

tl::unexpected<Error> tooLarge(const std::string &name)
{
    return ErrorBuilder("decode.size")
        .field(name)
        .message("The values are more than a file can hold")
        .unexpected();
}

/// A name that no tensor has yet.
std::string freeName(const Weight &weight, std::set<std::string> &taken)
{
    const std::string wanted = weight.findableName();
    std::string name = wanted;
    for (int number = 2; !taken.insert(name).second; ++number)
        name = fmt::format("{}#{}", wanted, number);
    return name;
}

/// Spaces fill the header up to a multiple of eight bytes, as the format has it.
std::string headOf(const Json &header)
{
    std::string text = header.dump(-1, ' ', false, Json::error_handler_t::replace);
    text.append((8 - text.size() % 8) % 8, ' ');
    std::string head(8, '\0');
    for (unsigned i = 0; i < 8; ++i)
        head[i] = static_cast<char>((std::uint64_t{text.size()} >> (8 * i)) & 0xff);
    return head + text;
}

template <class Value, class Decode>
Result<void> writeBlocks(std::uint64_t elements, const ByteSink &sink, Progress *progress,
                         const Decode &decode)
{
    static_assert(std::endian::native == std::endian::little, "values are written as they lie");
    constexpr std::uint64_t kBlock = 65536;
    std::vector<Value> block(std::min(kBlock, elements));
    for (std::uint64_t at = 0; at < elements; at += block.size()) {
        const auto some =
            std::span(block).first(std::min<std::uint64_t>(block.size(), elements - at));
        decode(at, some);
        if (auto written = sink(std::as_bytes(std::span<const Value>(some))); !written)
            return written;
        if (progress && !progress->advance(some.size()))
            return tl::unexpected(cancelledError("The values were not written whole."));
    }
    return {};
}

} // namespace

Result<TensorExport> planTensors(const Bundle &bundle, std::span<const std::size_t> weights,
                                 std::optional<ElementType> as)
{
    TensorExport plan;
    Json header = {{"__metadata__", {{"source", bundle.name()}, {"writer", "kernscope"}}}};
    std::set<std::string> taken{"__metadata__"};
    std::uint64_t end = 0;
    for (const std::size_t index : weights) {
        const Weight &weight = bundle.weights()[index];
        const auto decoder = bundle.decoder(index);
        if (!decoder) {
            plan.notes.push_back({Severity::Error, decoder.error()});
            continue;
        }
        const ElementType type = as.value_or(narrowest(decoder->type()));
        const auto bytes =
            checkedMultiply(decoder->elements().value, std::uint64_t{bitWidth(type) / 8});
        const auto next = bytes ? checkedAdd(end, *bytes) : std::nullopt;
        if (!next)
            return tooLarge(weight.findableName());
        ExportedTensor tensor{index, freeName(weight, taken), type, *bytes};
        if (isRounded(decoder->type(), type))
            plan.notes.push_back(roundedNote(tensor.name, decoder->type(), type));
        header[tensor.name] = {{"dtype", tensorType(type)},
                               {"shape", std::vector<std::uint64_t>(weight.shape)},
                               {"data_offsets", {end, *next}}};
        plan.elements += decoder->elements().value;
        plan.tensors.push_back(std::move(tensor));
        end = *next;
    }
    plan.head = headOf(header);
    const auto whole = checkedAdd(end, std::uint64_t{plan.head.size()});
    if (!whole)
        return tooLarge(bundle.name());
    plan.bytes = *whole;
    return plan;
}

Result<void> writeTensors(const Bundle &bundle, const TensorExport &plan, const ByteSink &sink,
                          Progress *progress)
{
    if (progress)
        progress->setTotal(plan.elements);
    if (auto written = sink(std::as_bytes(std::span(plan.head))); !written)
        return written;
    for (const ExportedTensor &tensor : plan.tensors) {
        const auto decoder = bundle.decoder(tensor.weight);
        if (!decoder)
            return tl::unexpected(decoder.error());
        const std::uint64_t elements = decoder->elements().value;
        Result<void> written;
        if (tensor.type == ElementType::Fp16)
            written = writeBlocks<std::uint16_t>(
                elements, sink, progress,
                [&](std::uint64_t at, auto out) { decoder->decodeHalf(at, out); });
        else if (tensor.type == ElementType::Fp32)
            written = writeBlocks<float>(elements, sink, progress, [&](std::uint64_t at, auto out) {
                decoder->decodeFloat(at, out);
            });
        else
            written =
                writeBlocks<double>(elements, sink, progress, [&](std::uint64_t at, auto out) {
                    decodeDoubles(*decoder, at, out);
                });
        if (!written)
            return written;
    }
    return {};
}

} // namespace kernscope::report
