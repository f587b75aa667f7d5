// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/tensor_export.h"

#include "core/base/text.h"
#include "core/bundle/bundle.h"
#include "core/bundle/stored_values.h"
#include "core/container/archive/zip.h"
#include "core/numeric/half.h"
#include "core/numeric/half_counts.h"
#include "core/numeric/npy.h"
#include "core/report/json.h"

#include <bit>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::report {

namespace {

/// Names of the file format for the types that are written.
std::string_view tensorType(ElementType type)
{
    switch (type) {
    case ElementType::Fp16: return "F16";
    case ElementType::Fp32: return "F32";
    case ElementType::Int64: return "I64";
    case ElementType::Uint64: return "U64";
    default: return "F64";
    }
}

/// The narrowest that holds all values; integers of 64 bits that are stored as they are stay so.
ElementType narrowest(const codec::Decoder &decoder)
{
    const ElementType type = decoder.type();
    if (isWideInteger(type) && plainOperand(decoder) != nullptr)
        return type;
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
    default: return isWideInteger(type) && as != type;
    }
}

Diagnostic roundedNote(const std::string &name, ElementType type, ElementType as)
{
    return {
        Severity::Note,
        valueError("decode.rounded", name, std::string(elementTypeName(type)),
                   std::string(elementTypeName(as)),
                   fmt::format("The values are {}; they are written rounded "
                               "to {}{}",
                               elementTypeName(type), elementTypeName(as),
                               as == ElementType::Fp16 ? ": --as fp32 keeps more of them" : ""))};
}

Diagnostic overflowNote(const std::string &name, std::uint64_t values)
{
    return {Severity::Warning,
            valueError("decode.overflow", name, "values up to 65504",
                       counted(values, "value") + " beyond it",
                       values == 1
                           ? "1 finite value is beyond fp16 and was written as an infinity"
                           : fmt::format("{} finite values are beyond fp16 and were written as "
                                         "infinities",
                                         grouped(values)))};
}

tl::unexpected<Error> tooLarge(const std::string &name)
{
    return refused("decode.size", name, {}, {}, "The values are more than a file can hold");
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

/// Values as text: commas between those of a line, which has an index of the first axis.
template <class Value>
std::string linesOf(std::span<const Value> values, std::uint64_t at, std::uint64_t columns)
{
    std::string text;
    for (const Value value : values) {
        if constexpr (std::is_same_v<Value, std::uint16_t>)
            text += fmt::format("{}", halfToFloat(value));
        else
            text += fmt::format("{}", value);
        text += ++at % columns == 0 ? '\n' : ',';
    }
    return text;
}

/// The values of one weight into the file; counts those that fp16 has only as infinities.
class ValueWriting
{
public:
    ValueWriting(const codec::Decoder &decoder, const ExportedTensor &tensor, bool asText,
                 const ByteSink &sink, Progress *progress)
        : m_decoder(decoder), m_tensor(tensor), m_sink(sink), m_progress(progress), m_text(asText)
    {
    }

    Result<void> run()
    {
        if (m_tensor.type == ElementType::Fp16)
            return blocks<std::uint16_t>([this](std::uint64_t at, auto out) { halves(at, out); });
        if (m_tensor.type == ElementType::Fp32)
            return blocks<float>(
                [this](std::uint64_t at, auto out) { m_decoder.decodeFloat(at, out); });
        if (isWideInteger(m_tensor.type))
            return m_tensor.type == ElementType::Int64 ? codes<std::int64_t>()
                                                       : codes<std::uint64_t>();
        return blocks<double>(
            [this](std::uint64_t at, auto out) { decodeDoubles(m_decoder, at, out); });
    }
    std::uint64_t beyondHalf() const { return m_beyond; }

private:
    template <class Integer>
    Result<void> codes()
    {
        return blocks<Integer>([this](std::uint64_t at, std::span<Integer> out) {
            m_codes.resize(out.size());
            m_decoder.codes(at, m_codes);
            std::ranges::transform(m_codes, out.begin(),
                                   [](std::int64_t code) { return static_cast<Integer>(code); });
        });
    }

    void halves(std::uint64_t at, std::span<std::uint16_t> out)
    {
        m_decoder.decodeHalf(at, out);
        if (exactInHalf(m_decoder.type()) ||
            std::ranges::none_of(out, [](auto bits) { return (bits & 0x7fff) == kHalfInfinity; }))
            return;
        m_wide.resize(out.size());
        decodeDoubles(m_decoder, at, m_wide);
        m_beyond += static_cast<std::uint64_t>(std::ranges::count_if(m_wide, isBeyondHalf));
    }

    template <class Value, class Decode>
    Result<void> blocks(const Decode &decode)
    {
        static_assert(std::endian::native == std::endian::little, "values are written as they lie");
        constexpr std::uint64_t kBlock = 65536;
        const std::uint64_t elements = elementCount(m_tensor.shape)->value;
        const std::uint64_t columns =
            m_tensor.shape.size() < 2 ? 1
                                      : elements / std::max<std::uint64_t>(1, m_tensor.shape[0]);
        std::vector<Value> block(std::min(kBlock, elements));
        for (std::uint64_t at = 0; at < elements; at += block.size()) {
            const auto some =
                std::span(block).first(std::min<std::uint64_t>(block.size(), elements - at));
            decode(m_tensor.first + at, some);
            const std::span<const Value> made(some);
            const std::string lines = m_text ? linesOf(made, at, columns) : std::string();
            TRY(m_sink(m_text ? std::as_bytes(std::span(lines)) : std::as_bytes(made)));
            if (m_progress && !m_progress->advance(some.size()))
                return tl::unexpected(cancelledError("The values were not written whole."));
        }
        return {};
    }

    const codec::Decoder &m_decoder;
    const ExportedTensor &m_tensor;
    const ByteSink &m_sink;
    Progress *m_progress;
    bool m_text;
    std::vector<double> m_wide;
    std::vector<std::int64_t> m_codes;
    std::uint64_t m_beyond = 0;
};

Result<void> writeValues(const Bundle &bundle, const ExportedTensor &tensor, bool asText,
                         const ByteSink &sink, Progress *progress, Diagnostics &notes)
{
    const auto decoder = TRY(bundle.decoder(tensor.weight));
    ValueWriting writing(decoder, tensor, asText, sink, progress);
    auto written = writing.run();
    if (writing.beyondHalf() > 0)
        notes.push_back(overflowNote(tensor.name, writing.beyondHalf()));
    return written;
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
        TRY(beginArray(counter, tensor));
        TRY(counter.count(tensor.bytes));
    }
    TRY(counter.finish());
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
                          Progress *progress, Diagnostics &notes)
{
    archive::ZipWriter archive(sink);
    const ByteSink member = [&archive](std::span<const std::byte> bytes) {
        return archive.write(bytes);
    };
    for (const ExportedTensor &tensor : plan.tensors) {
        TRY(beginArray(archive, tensor));
        TRY(writeValues(bundle, tensor, false, member, progress, notes));
    }
    return archive.finish();
}

/// Warnings at the records of a weight, such as of one that is read as another type than it has.
void addFoundAt(const Bundle &bundle, const Weight &weight, Diagnostics &notes)
{
    for (const codec::Operand &operand : weight.operands()) {
        if (!operand.place || operand.place->file >= bundle.files().size())
            continue;
        const OperandPlace &place = *operand.place;
        for (const Diagnostic &found : bundle.diagnostics()) {
            if (found.severity == Severity::Warning && found.error.offset &&
                found.error.file == bundle.files()[place.file].path &&
                *found.error.offset >= place.metaOffset &&
                found.error.offset->value < place.dataOffset.value + place.bytes.value)
                notes.push_back(found);
        }
    }
}

} // namespace

std::optional<TensorFile> tensorFileOf(std::string_view path)
{
    std::string name(path);
    std::ranges::transform(name, name.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    });
    return name.ends_with(".safetensors") ? std::optional(TensorFile::Safetensors)
           : name.ends_with(".npz")       ? std::optional(TensorFile::Npz)
           : name.ends_with(".npy")       ? std::optional(TensorFile::Npy)
           : name.ends_with(".csv")       ? std::optional(TensorFile::Csv)
           : name.ends_with(".bin")       ? std::optional(TensorFile::Bin)
                                          : std::nullopt;
}

Result<TensorExport> planTensors(const Bundle &bundle, std::span<const std::size_t> weights,
                                 std::optional<ElementType> as, TensorFile kind,
                                 std::optional<TensorRows> rows)
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
        addFoundAt(bundle, weight, plan.notes);
        if (auto fault = maskFault(bundle, index))
            plan.notes.push_back({Severity::Error, *std::move(fault)});
        const ElementType type = as.value_or(narrowest(*decoder));
        ExportedTensor tensor{index, freeName(weight, taken), type, 0, 0, weight.shape, {}};
        if (rows && !weight.shape.empty() && weight.shape[0] > 0) {
            tensor.first = rows->first * (decoder->elements().value / weight.shape[0]);
            tensor.shape[0] = rows->last - rows->first;
        }
        const std::uint64_t elements = elementCount(tensor.shape)->value;
        const auto bytes = checkedMultiply(elements, std::uint64_t{bitWidth(type) / 8});
        const auto next = bytes ? checkedAdd(end, *bytes) : std::nullopt;
        if (!next)
            return tooLarge(weight.findableName());
        tensor.bytes = *bytes;
        if (isRounded(decoder->type(), type))
            plan.notes.push_back(roundedNote(tensor.name, decoder->type(), type));
        if (kind == TensorFile::Npz || kind == TensorFile::Npy)
            tensor.head = npyHeader(type, tensor.shape);
        else if (kind == TensorFile::Safetensors)
            header[tensor.name] = {{"dtype", tensorType(type)},
                                   {"shape", std::vector<std::uint64_t>(weight.shape)},
                                   {"data_offsets", {end, *next}}};
        plan.elements += elements;
        plan.tensors.push_back(std::move(tensor));
        end = *next;
        if (!holdsTensors(kind))
            break;
    }
    if (kind == TensorFile::Safetensors)
        plan.head = headOf(header);
    else if (kind == TensorFile::Npy && !plan.tensors.empty())
        plan.head = std::move(plan.tensors.front().head);
    plan.bytes = TRY(kind == TensorFile::Npz ? archiveBytes(plan)
                                             : wholeBytes(bundle, plan.head.size(), end));
    return plan;
}

Result<Diagnostics> writeTensors(const Bundle &bundle, const TensorExport &plan,
                                 const ByteSink &sink, Progress *progress)
{
    Diagnostics notes;
    if (progress)
        progress->setTotal(plan.elements);
    const bool archive = plan.kind == TensorFile::Npz, text = plan.kind == TensorFile::Csv;
    auto written = archive ? writeArchive(bundle, plan, sink, progress, notes)
                           : sink(std::as_bytes(std::span(plan.head)));
    for (std::size_t i = 0; !archive && written && i < plan.tensors.size(); ++i)
        written = writeValues(bundle, plan.tensors[i], text, sink, progress, notes);
    if (!written)
        return tl::unexpected(std::move(written.error()));
    return notes;
}

Json decodeJson(const Weight &weight, const DecodedFile &written)
{
    Json json = document("decode");
    json["name"] = weight.name;
    json["address"] = weight.address();
    json["form"] = formText(weight.form);
    json["output"] = written.output;
    json["dtype"] = written.type;
    json["shape"] = written.shape;
    json["elements"] = written.elements;
    json["bytes"] = written.bytes;
    return json;
}

Json decodeJson(const Bundle &bundle, const TensorExport &written, std::string_view output)
{
    Json json = document("decode");
    json["output"] = output.empty() ? Json(nullptr) : Json(output);
    json["elements"] = written.elements;
    json["bytes"] = written.bytes;
    json["tensors"] = Json::array();
    for (const ExportedTensor &tensor : written.tensors) {
        const Weight &weight = bundle.weights()[tensor.weight];
        json["tensors"].push_back({{"name", tensor.name},
                                   {"weight", weight.address()},
                                   {"address", weight.address()},
                                   {"form", formText(weight.form)},
                                   {"dtype", elementTypeName(tensor.type)},
                                   {"shape", std::vector<std::uint64_t>(weight.shape)},
                                   {"bytes", tensor.bytes}});
    }
    return json;
}

} // namespace kernscope::report
