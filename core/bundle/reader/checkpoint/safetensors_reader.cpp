// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error_builder.h"
#include "core/base/json_place.h"
#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/bundle/reader/checkpoint/checkpoint.h"
#include "core/bundle/reader/checkpoint/tensor_weight.h"
#include "core/format/table_rows.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::checkpoint {

namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kLengthBytes = 8;
constexpr std::uint64_t kMaxHeader = 100'000'000; ///< the format's own limit
constexpr std::size_t kMaxRank = 64;

std::uint64_t lengthOf(std::span<const std::byte> bytes)
{
    std::uint64_t value = 0;
    for (std::size_t i = kLengthBytes; i-- > 0;)
        value = value << 8 | std::to_integer<std::uint64_t>(bytes[i]);
    return value;
}

/// A row of resources/tables/checkpoint_types.csv.
struct TensorType {
    std::string name, type;
};

ElementType typeOf(std::string_view name)
{
    static const auto all = tables::loadRows<TensorType>(
        "checkpoint_types", {{"name", &TensorType::name}, {"type", &TensorType::type}});
    const auto found =
        std::find_if(all.begin(), all.end(), [name](const auto &row) { return row.name == name; });
    return found == all.end() ? ElementType::Unknown : anyElementTypeFromName(found->type);
}

Error headerFault(const BundleFile &file, std::uint64_t at, std::string expected, std::string found)
{
    return ErrorBuilder("safetensors.header")
        .file(file.path)
        .at(FileOffset(at))
        .expected(std::move(expected))
        .found(std::move(found))
        .message("The header of the checkpoint cannot be read");
}

/// The text of a key; empty where there is none.
std::string headerText(const Json &entry, const char *key)
{
    const auto at = entry.is_object() ? entry.find(key) : entry.end();
    const auto *text =
        entry.is_object() && at != entry.end() ? at->get_ptr<const std::string *>() : nullptr;
    return text ? *text : std::string();
}

/// The list of a key: at most kMaxRank numbers that are not negative.
std::optional<Shape> headerNumbers(const Json &entry, const char *key)
{
    const auto at = entry.is_object() ? entry.find(key) : entry.end();
    if (!entry.is_object() || at == entry.end() || !at->is_array() || at->size() > kMaxRank)
        return std::nullopt;
    Shape numbers;
    for (const Json &number : *at) {
        if (!number.is_number_unsigned())
            return std::nullopt;
        numbers.push_back(number.get<std::uint64_t>());
    }
    return numbers;
}

/// One entry of the header: {"dtype": …, "shape": […], "data_offsets": [begin, end]}.
StoredTensor tensorOf(const std::string &name, const Json &entry, std::uint64_t dataAt,
                      const BundleFile &file)
{
    StoredTensor tensor;
    tensor.name = name;
    const auto refuse = [&](std::string_view field, std::string expected, std::string found) {
        tensor.fault = ErrorBuilder("safetensors.tensor")
                           .file(file.path)
                           .at(FileOffset(kLengthBytes))
                           .field(fmt::format("{}.{}", name, field))
                           .expected(std::move(expected))
                           .found(std::move(found))
                           .message("A tensor of the checkpoint cannot be read");
        return tensor;
    };
    tensor.type = typeOf(headerText(entry, "dtype"));
    const auto shape = headerNumbers(entry, "shape");
    const auto count = shape ? elementCount(*shape) : std::nullopt;
    if (!count || !packedBytes(*count, ElementType::Fp64))
        return refuse("shape", "extents whose product fits 64 bits", "something else");
    tensor.shape = *shape;
    const auto place = headerNumbers(entry, "data_offsets");
    const std::uint64_t room = file.file->size().value - dataAt;
    if (!place || place->size() != 2 || (*place)[0] > (*place)[1] || (*place)[1] > room)
        return refuse("data_offsets", fmt::format("two offsets up to {}", room),
                      place ? shapeText(*place) : "something else");
    tensor.bytes = {FileOffset(dataAt + (*place)[0]), ByteCount((*place)[1] - (*place)[0])};
    // After the shape and the place: what is known of a tensor is shown though its type is not.
    if (tensor.type == ElementType::Unknown)
        return refuse("dtype", "an element type", headerText(entry, "dtype"));
    const std::uint64_t bytes = packedBytes(*count, tensor.type).value_or(ByteCount()).value;
    if ((*place)[1] - (*place)[0] != bytes)
        return refuse("data_offsets", fmt::format("{} bytes for {}", bytes, shapeText(*shape)),
                      fmt::format("{} bytes", (*place)[1] - (*place)[0]));
    return tensor;
}

void claimHeader(ContainerContents &out, std::uint64_t header)
{
    ByteClaim length;
    length.range = {FileOffset(0), ByteCount(kLengthBytes)};
    length.kind = SectionKind::Header;
    length.name = "length of the header";
    ByteClaim json;
    json.range = {FileOffset(kLengthBytes), ByteCount(header)};
    json.kind = SectionKind::Manifest;
    json.name = "header";
    out.claims[0] = {std::move(length), std::move(json)};
}

class SafetensorsReader final : public ContainerReader
{
public:
    BundleKind kind() const override { return BundleKind::Safetensors; }
    std::string_view key() const override { return "safetensors"; }
    std::string_view name() const override { return "a safetensors checkpoint"; }
    std::string_view helpPage() const override { return "sources"; }
    std::string_view fuzzTarget() const override { return "fuzz_checkpoint"; }
    std::string_view wanted() const override { return "a .safetensors"; }
    std::vector<std::string_view> endings() const override { return {".safetensors"}; }

    bool knows(std::span<const std::byte> bytes, std::string_view path) const override
    {
        if (path.ends_with(".safetensors"))
            return true;
        return bytes.size() > kLengthBytes + 2 && bytes[kLengthBytes] == std::byte('{') &&
               lengthOf(bytes) >= 2 && lengthOf(bytes) <= bytes.size() - kLengthBytes &&
               lengthOf(bytes) <= kMaxHeader;
    }

    void read(ContainerInput &input, ContainerContents &out) const override
    {
        std::vector<BundleFile> &files = input.files;
        BundleFile &file = files.front();
        file.role = SectionKind::Values;
        out.readOnlyReason = kReadOnly;
        const auto bytes = file.file->bytes();
        const std::uint64_t header = bytes.size() < kLengthBytes ? 0 : lengthOf(bytes);
        if (bytes.size() < kLengthBytes || header > bytes.size() - kLengthBytes ||
            header > kMaxHeader) {
            out.log.add(Severity::Error,
                        headerFault(file, 0, "a header inside the file",
                                    fmt::format("{} of {} bytes", header, bytes.size())));
            return;
        }
        claimHeader(out, header);
        const std::string_view all(reinterpret_cast<const char *>(bytes.data() + kLengthBytes),
                                   header);
        const bool fits = jsonFits(all);
        const Json json = fits ? Json::parse(all, nullptr, false) : Json();
        if (!json.is_object()) {
            const std::uint64_t at = json.is_discarded() ? jsonFaultOffset(all) : 0;
            out.log.add(Severity::Error,
                        headerFault(file, kLengthBytes + at,
                                    fits ? "a JSON object" : std::string(kJsonLimits),
                                    fits ? jsonTextAt(all, at) : "more"));
            return;
        }
        std::vector<StoredTensor> tensors;
        for (const auto &[name, entry] : json.items()) {
            if (name != "__metadata__")
                tensors.push_back(tensorOf(name, entry, kLengthBytes + header, file));
        }
        // In the order of the file, as a reader of it goes through it.
        std::stable_sort(tensors.begin(), tensors.end(),
                         [](const StoredTensor &a, const StoredTensor &b) {
                             return a.bytes.offset < b.bytes.offset;
                         });
        const std::string sourceOp("safetensors");
        for (const StoredTensor &tensor : tensors)
            addTensor(tensor, sourceOp, out);
    }
};

} // namespace

const ContainerReader &safetensorsReader()
{
    static const SafetensorsReader reader;
    return reader;
}

} // namespace kernscope::checkpoint
