// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/tensor_export.h"

#include "core/base/error_builder.h"
#include "core/base/quantity.h"
#include "core/bundle/bundle.h"
#include "core/bundle/stored_values.h"
#include "core/container/archive/zip_writer.h"
#include "core/numeric/npy.h"
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

Result<void> writeValues(const Bundle &bundle, const ExportedTensor &tensor, const ByteSink &sink,
                         Progress *progress)
{
    const auto decoder = bundle.decoder(tensor.weight);
    if (!decoder)
        return tl::unexpected(decoder.error());
    const std::uint64_t elements = decoder->elements().value;
    if (tensor.type == ElementType::Fp16)
        return writeBlocks<std::uint16_t>(
            elements, sink, progress,
            [&](std::uint64_t at, auto out) { decoder->decodeHalf(at, out); });
    if (tensor.type == ElementType::Fp32)
        return writeBlocks<float>(elements, sink, progress, [&](std::uint64_t at, auto out) {
            decoder->decodeFloat(at, out);
        });
    return writeBlocks<double>(elements, sink, progress, [&](std::uint64_t at, auto out) {
        decodeDoubles(*decoder, at, out);
    });
}

/// The array of a tensor begins as a member of the archive.
Result<void> beginArray(archive::ZipWriter &archive, const ExportedTensor &tensor)
{
    const auto bytes = checkedAdd(tensor.bytes, std::uint64_t{tensor.head.size()});
    if (!bytes)
        return tooLarge(tensor.name);
    auto begun = archive.begin(tensor.name + ".npy", *bytes);
    return begun ? archive.write(std::as_bytes(std::span(tensor.head))) : begun;
}

Result<std::uint64_t> archiveBytes(const TensorExport &plan)
{
    archive::ZipWriter counter([](std::span<const std::byte>) -> Result<void> { return {}; });
    for (const ExportedTensor &tensor : plan.tensors) {
        if (auto begun = beginArray(counter, tensor); !begun)
            return tl::unexpected(begun.error());
        if (auto counted = counter.count(tensor.bytes); !counted)
            return tl::unexpected(counted.error());
    }
    if (auto finished = counter.finish(); !finished)
        return tl::unexpected(finished.error());
    return counter.bytes();
}

Result<std::uint64_t> wholeBytes(const Bundle &bundle, std::uint64_t head, std::uint64_t values)
{
    const auto whole = checkedAdd(head, values);
    if (!whole)
        return tooLarge(bundle.name());
    return *whole;
}

Result<void> writeArchive(const Bundle &bundle, const TensorExport &plan, const ByteSink &sink,
                          Progress *progress)
{
    archive::ZipWriter archive(sink);
    const ByteSink member = [&archive](std::span<const std::byte> bytes) {
        return archive.write(bytes);
    };
    for (const ExportedTensor &tensor : plan.tensors) {
        if (auto begun = beginArray(archive, tensor); !begun)
            return begun;
        if (auto written = writeValues(bundle, tensor, member, progress); !written)
            return written;
    }
    return archive.finish();
}

} // namespace

std::optional<TensorFile> tensorFileOf(std::string_view path)
{
    std::string name(path);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return name.ends_with(".safetensors") ? std::optional(TensorFile::Safetensors)
           : name.ends_with(".npz")       ? std::optional(TensorFile::Npz)
           : name.ends_with(".npy")       ? std::optional(TensorFile::Npy)
                                          : std::nullopt;
}

Result<TensorExport> planTensors(const Bundle &bundle, std::span<const std::size_t> weights,
                                 std::optional<ElementType> as, TensorFile kind)
{
    TensorExport plan;
    plan.kind = kind;
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
        ExportedTensor tensor{index, freeName(weight, taken), type, *bytes, {}};
        if (isRounded(decoder->type(), type))
            plan.notes.push_back(roundedNote(tensor.name, decoder->type(), type));
        if (kind != TensorFile::Safetensors)
            tensor.head = npyHeader(type, weight.shape);
        else
            header[tensor.name] = {{"dtype", tensorType(type)},
                                   {"shape", std::vector<std::uint64_t>(weight.shape)},
                                   {"data_offsets", {end, *next}}};
        plan.elements += decoder->elements().value;
        plan.tensors.push_back(std::move(tensor));
        end = *next;
        if (kind == TensorFile::Npy)
            break;
    }
    if (kind == TensorFile::Safetensors)
        plan.head = headOf(header);
    else if (kind == TensorFile::Npy && !plan.tensors.empty())
        plan.head = std::move(plan.tensors.front().head);
    const auto whole =
        kind == TensorFile::Npz ? archiveBytes(plan) : wholeBytes(bundle, plan.head.size(), end);
    if (!whole)
        return tl::unexpected(whole.error());
    plan.bytes = *whole;
    return plan;
}

Result<void> writeTensors(const Bundle &bundle, const TensorExport &plan, const ByteSink &sink,
                          Progress *progress)
{
    if (progress)
        progress->setTotal(plan.elements);
    if (plan.kind == TensorFile::Npz)
        return writeArchive(bundle, plan, sink, progress);
    if (auto written = sink(std::as_bytes(std::span(plan.head))); !written)
        return written;
    for (const ExportedTensor &tensor : plan.tensors) {
        if (auto written = writeValues(bundle, tensor, sink, progress); !written)
            return written;
    }
    return {};
}

} // namespace kernscope::report
