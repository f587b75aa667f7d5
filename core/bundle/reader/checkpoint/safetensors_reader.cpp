// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error_builder.h"
#include "core/base/json_place.h"
#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/bundle/reader/checkpoint/scaled_tensors.h"
#include "core/bundle/reader/readers.h"
#include "core/format/table_rows.h"

#include <algorithm>
#include <iterator>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::checkpoint {

namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kLengthBytes = 8;
constexpr std::uint64_t kMaxHeader = 100'000'000; ///< the format's own limit
constexpr std::size_t kMaxRank = 64;
constexpr std::string_view kEnding = ".safetensors", kIndexEnding = ".safetensors.index.json";

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
        std::ranges::find_if(all, [name](const auto &row) { return row.name == name; });
    return found == all.end() ? ElementType::Unknown : anyElementTypeFromName(found->type);
}

Error headerFault(const BundleFile &file, std::uint64_t at, std::string expected, std::string found)
{
    return valueError({file.path, FileOffset(at)}, "safetensors.header", {}, expected, found,
                      "The header of the checkpoint cannot be read");
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
        tensor.fault = valueError({file.path, FileOffset(kLengthBytes)}, "safetensors.tensor",
                                  fmt::format("{}.{}", name, field), expected, found,
                                  "A tensor of the checkpoint cannot be read");
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

void claimHeader(ContainerContents &out, std::size_t file, std::uint64_t header)
{
    out.claims[file] = {
        {{FileOffset(0), ByteCount(kLengthBytes)}, SectionKind::Header, "length of the header"},
        {{FileOffset(kLengthBytes), ByteCount(header)}, SectionKind::Manifest, "header"}};
}

/// Adds the tensors of one file.
void readShard(std::vector<BundleFile> &files, std::size_t index, std::vector<StoredTensor> &all,
               ContainerContents &out)
{
    BundleFile &file = files[index];
    file.role = SectionKind::Values;
    const auto bytes = file.file->bytes();
    const std::uint64_t header = bytes.size() < kLengthBytes ? 0 : lengthOf(bytes);
    if (bytes.size() < kLengthBytes || header > bytes.size() - kLengthBytes ||
        header > kMaxHeader) {
        out.log.add(Severity::Error,
                    headerFault(file, 0, "a header inside the file",
                                fmt::format("{} of {} bytes", header, bytes.size())));
        return;
    }
    claimHeader(out, index, header);
    const std::string_view text(reinterpret_cast<const char *>(bytes.data() + kLengthBytes),
                                header);
    const bool fits = jsonFits(text);
    Json json = fits ? Json::parse(text, nullptr, false) : Json();
    if (!json.is_object()) {
        const std::uint64_t at = json.is_discarded() ? jsonFaultOffset(text) : 0;
        out.log.add(Severity::Error, headerFault(file, kLengthBytes + at,
                                                 fits ? "a JSON object" : std::string(kJsonLimits),
                                                 fits ? jsonTextAt(text, at) : "more"));
        return;
    }
    std::vector<StoredTensor> tensors;
    for (const auto &[name, entry] : json.items()) {
        if (name == "__metadata__")
            continue;
        tensors.push_back(tensorOf(name, entry, kLengthBytes + header, file));
        tensors.back().file = index;
    }
    json = nullptr; // weights take as much memory again
    // In the order of the file, as a reader of it goes through it.
    std::ranges::stable_sort(tensors, [](const StoredTensor &a, const StoredTensor &b) {
        return a.bytes.offset < b.bytes.offset;
    });
    if (tensors.size() > kMostTensors) {
        out.log.add(Severity::Error, tooMany(file.path, tensors.size()));
        tensors.resize(kMostTensors);
    }
    std::move(tensors.begin(), tensors.end(), std::back_inserter(all));
}

/// Weights of all files: codes and their scales may be in two of them.
void addAll(std::vector<StoredTensor> tensors, const std::vector<BundleFile> &files,
            ContainerContents &out)
{
    const std::string sourceOp("safetensors");
    addScaledTensors(tensors, files, sourceOp, out);
    for (const StoredTensor &tensor : tensors)
        addTensor(tensor, sourceOp, out);
}

/// Whether its header names scales or packed codes: config.json says their bits, groups or blocks.
bool namesCodes(const BundleFile &file)
{
    const auto bytes = file.file->bytes();
    const std::uint64_t header = bytes.size() < kLengthBytes ? 0 : lengthOf(bytes);
    if (bytes.size() < kLengthBytes || header > bytes.size() - kLengthBytes || header > kMaxHeader)
        return false;
    const std::string_view text(reinterpret_cast<const char *>(bytes.data() + kLengthBytes),
                                header);
    const auto has = [text](std::string_view part) { return text.find(part) != text.npos; };
    return has(".scales\"") || has("_packed\"") ||
           ((has("_scale") || has(".scale\"")) && (has("\"F8_") || has("\"I8\"")));
}

/// Names of the files in an index: {"weight_map": {TENSOR: FILE, …}}.
std::set<std::string> shardsOf(const BundleFile &index, DiagnosticLog &log)
{
    const auto bytes = index.file->bytes();
    const std::string_view text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    const Json json = jsonFits(text) ? Json::parse(text, nullptr, false) : Json();
    const auto map = json.is_object() ? json.find("weight_map") : json.end();
    std::set<std::string> names;
    if (!json.is_object() || map == json.end() || !map->is_object()) {
        log.add(Severity::Error,
                valueError({index.path, FileOffset(0)}, "safetensors.index", "weight_map",
                           "an object with a file for each tensor", "something else",
                           "The index of the checkpoint cannot be read"));
        return names;
    }
    for (const auto &[tensor, file] : map->items()) {
        const auto *name = file.get_ptr<const std::string *>();
        if (name && name->find('/') == name->npos && name->ends_with(kEnding))
            names.insert(*name);
    }
    return names;
}

bool knowsSafetensors(std::span<const std::byte> bytes, std::string_view path)
{
    if (path.ends_with(kEnding) || path.ends_with(kIndexEnding))
        return true;
    return bytes.size() > kLengthBytes + 2 && bytes[kLengthBytes] == std::byte('{') &&
           lengthOf(bytes) >= 2 && lengthOf(bytes) <= bytes.size() - kLengthBytes &&
           lengthOf(bytes) <= kMaxHeader;
}

void readSafetensors(ContainerInput &input, ContainerContents &out)
{
    std::vector<BundleFile> &files = input.files;
    out.readOnlyReason = kReadOnly;
    const auto isIndex = [](const BundleFile &file) { return file.path.ends_with(kIndexEnding); };
    const auto index = std::ranges::find_if(files, isIndex);
    const bool alone = index == files.end();
    const std::set<std::string> shards =
        alone ? std::set{files.front().path} : shardsOf(*index, out.log);
    if (input.openBeside && !alone)
        input.openBeside({shards.begin(), shards.end()});
    if (input.openBeside && std::ranges::any_of(files, namesCodes))
        input.openBeside({std::string(kConfigName)});
    out.claims.resize(files.size());
    std::vector<StoredTensor> tensors;
    std::set<std::string> missing = shards;
    for (std::size_t i = 0; i < files.size(); ++i) {
        if (isIndex(files[i]) || files[i].path == kConfigName) {
            files[i].role = SectionKind::Manifest;
            out.claims[i] = {
                {{FileOffset(0), files[i].file->size()}, SectionKind::Manifest, files[i].path}};
        } else if (shards.count(files[i].path) != 0) {
            missing.erase(files[i].path);
            readShard(files, i, tensors, out);
        }
    }
    addAll(std::move(tensors), files, out);
    for (const std::string &name : missing)
        out.log.add(Severity::Error,
                    valueError({name}, "safetensors.shard", {}, "a file beside the index", "none",
                               "A file of the checkpoint is missing: its tensors are not "
                               "read"));
}

} // namespace

const ContainerReader &safetensorsReader()
{
    static const ContainerReader reader{.kind = BundleKind::Safetensors,
                                        .key = "safetensors",
                                        .name = "a safetensors checkpoint",
                                        .wanted = "a .safetensors",
                                        .endings = {".safetensors"},
                                        .folderMarks = {"*.safetensors.index.json"},
                                        .knows = knowsSafetensors,
                                        .read = readSafetensors,
                                        .helpPage = "sources",
                                        .fuzzTarget = "fuzz_checkpoint"};
    return reader;
}

} // namespace kernscope::checkpoint
