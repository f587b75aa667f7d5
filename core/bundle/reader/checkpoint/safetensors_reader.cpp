// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error_builder.h"
#include "core/base/json_place.h"
#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/bundle/reader/checkpoint/scaled_tensors.h"
#include "core/bundle/reader/readers.h"
#include "core/container/archive/zip.h"
#include "core/container/milblob/milblob.h"
#include "core/format/table_rows.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::checkpoint {

namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kLengthBytes = 8;
constexpr std::uint64_t kMaxHeader = 100'000'000; ///< the format's own limit
constexpr std::size_t kMaxRank = 64;
constexpr std::size_t kMostIndex = std::size_t(64) << 20; ///< the parser takes four times as much
constexpr std::string_view kEnding = ".safetensors", kIndexEnding = ".safetensors.index.json";

/// What the file says; 0 where it ends before.
std::uint64_t lengthOf(std::span<const std::byte> bytes)
{
    std::uint64_t value = 0;
    for (std::size_t i = bytes.size() < kLengthBytes ? 0 : kLengthBytes; i-- > 0;)
        value = value << 8 | std::to_integer<std::uint64_t>(bytes[i]);
    return value;
}

/// Nothing where it would leave the file, or is longer than the format allows.
std::optional<std::string_view> headerOf(std::span<const std::byte> bytes)
{
    const std::uint64_t length = lengthOf(bytes);
    if (bytes.size() < kLengthBytes || length > bytes.size() - kLengthBytes || length > kMaxHeader)
        return std::nullopt;
    return std::string_view(reinterpret_cast<const char *>(bytes.data() + kLengthBytes), length);
}

/// A row of resources/tables/checkpoint_types.csv. "unknown": a type that is not shown.
struct TensorType {
    std::string name, type;
};

/// Nothing where the format has no such type.
std::optional<ElementType> typeOf(std::string_view name)
{
    static const auto all = tables::loadRows<TensorType>(
        "checkpoint_types", {{"name", &TensorType::name}, {"type", &TensorType::type}});
    const auto found =
        std::ranges::find_if(all, [name](const auto &row) { return row.name == name; });
    if (found == all.end())
        return std::nullopt;
    return anyElementTypeFromName(found->type);
}

Error headerFault(const BundleFile &file, std::uint64_t at, std::string expected, std::string found)
{
    return valueError({file.path, FileOffset(at)}, "safetensors.header", {}, expected, found,
                      "The header of the checkpoint cannot be read");
}

/// The text of a key; empty where there is none.
std::string headerText(const Json &entry, const std::string &key)
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

/// One entry of the header: {"dtype": …, "shape": […], "data_offsets": [begin, end]}. `end` grows
/// to that of the tensor.
StoredTensor tensorOf(const std::string &name, const Json &entry, std::uint64_t dataAt,
                      const BundleFile &file, std::uint64_t &end)
{
    StoredTensor tensor;
    tensor.name = name;
    const auto refuse = [&](std::string_view field, std::string expected, std::string found,
                            std::string_view what = "cannot be read") {
        tensor.fault = valueError({file.path, FileOffset(kLengthBytes)}, "safetensors.tensor",
                                  fmt::format("{}.{}", name, field), expected, found,
                                  fmt::format("The tensor {} {}", name, what));
        return tensor;
    };
    const auto type = typeOf(headerText(entry, "dtype"));
    tensor.type = type.value_or(ElementType::Unknown);
    const auto shape = headerNumbers(entry, "shape");
    const auto count = shape ? elementCount(*shape) : std::nullopt;
    if (!count || !packedBytes(*count, ElementType::Fp64))
        return refuse("shape", "extents whose product fits 64 bits", "something else");
    tensor.shape = *shape;
    const auto place = headerNumbers(entry, "data_offsets");
    const std::uint64_t room = file.file->size().value - dataAt;
    const bool sound = place && place->size() == 2 && (*place)[0] <= (*place)[1];
    if (sound)
        end = std::max(end, (*place)[1]);
    tensor.isCut = sound && (*place)[1] > room;
    if (!sound || tensor.isCut)
        return refuse("data_offsets", fmt::format("two offsets up to {}", room),
                      place ? shapeText(*place) : "something else");
    tensor.bytes = {FileOffset(dataAt + (*place)[0]), ByteCount((*place)[1] - (*place)[0])};
    // After the shape and the place: what is known of a tensor is shown though its type is not.
    if (!type)
        return refuse("dtype", "an element type", headerText(entry, "dtype"));
    if (tensor.type == ElementType::Unknown)
        return refuse("dtype", {}, headerText(entry, "dtype"),
                      "is of a type whose values are not shown");
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

/// Byte of the first member of an object (JSON that was parsed) whose name another one has.
std::optional<std::size_t> repeatedName(std::string_view text)
{
    std::unordered_set<std::string_view> names;
    std::size_t depth = 0;
    bool isName = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char each = text[at];
        if (each == '"') {
            const std::size_t begin = at++;
            for (; at < text.size() && text[at] != '"'; ++at)
                at += text[at] == '\\' ? 1 : 0;
            if (isName && !names.insert(text.substr(begin, at - begin)).second)
                return begin;
            isName = false;
        } else if (each == '{' || each == '[') {
            isName = ++depth == 1;
        } else if (each == '}' || each == ']') {
            --depth;
        } else if (each == ',') {
            isName = depth == 1;
        }
    }
    return std::nullopt;
}

/// What the library of the format refuses though each tensor can be read: it wants them one behind
/// the other, up to the end of the file. They are given in order.
void checkLayout(const std::vector<StoredTensor> &tensors, const BundleFile &file,
                 std::uint64_t dataAt, DiagnosticLog &log)
{
    std::uint64_t end = dataAt;
    const auto refused = [&](std::uint64_t at, std::string_view found) {
        log.add(Severity::Warning,
                valueError({file.path, FileOffset(at)}, "safetensors.layout", {},
                           "tensors one behind the other, up to the end of the file", found,
                           "The safetensors library refuses this file: its tensors are shown"));
    };
    for (const StoredTensor &tensor : tensors) {
        const std::uint64_t begin = tensor.bytes.offset.value;
        if (begin == 0)
            return; // it has a fault, and no place
        if (tensor.bytes.bytes.value == 0)
            continue; // it may stand in front of the next one or behind it
        if (begin < end)
            return refused(begin, fmt::format("{} bytes that {} has in common with the one before",
                                              end - begin, tensor.name));
        if (begin > end)
            return refused(end,
                           fmt::format("{} bytes of none before {}", begin - end, tensor.name));
        end += tensor.bytes.bytes.value;
    }
    if (end < file.file->size().value)
        refused(end, fmt::format("{} bytes behind the last one", file.file->size().value - end));
}

/// Adds the tensors of one file; false where it may have others.
bool readShard(std::vector<BundleFile> &files, std::size_t index, std::vector<StoredTensor> &all,
               ContainerContents &out)
{
    BundleFile &file = files[index];
    file.role = SectionKind::Values;
    const auto bytes = file.file->bytes();
    if (lfsPointer(bytes))
        return false; // opening has said so
    const auto header = headerOf(bytes);
    if (!header) {
        out.log.add(
            Severity::Error,
            headerFault(file, 0,
                        fmt::format("a header inside the file, of {} bytes at most", kMaxHeader),
                        fmt::format("{} of {} bytes", lengthOf(bytes), bytes.size())));
        return false;
    }
    const std::string_view text = *header;
    claimHeader(out, index, text.size());
    const bool fits = jsonFits(text);
    Json json = fits ? Json::parse(text, nullptr, false) : Json();
    if (!json.is_object()) {
        const std::uint64_t at = json.is_discarded() ? jsonFaultOffset(text) : 0;
        out.log.add(Severity::Error, headerFault(file, kLengthBytes + at,
                                                 fits ? "a JSON object" : std::string(kJsonLimits),
                                                 fits ? jsonTextAt(text, at) : "more"));
        return false;
    }
    std::vector<StoredTensor> tensors;
    const std::uint64_t dataAt = kLengthBytes + text.size();
    std::uint64_t end = 0; // by the header
    for (const auto &[name, entry] : json.items()) {
        if (name == "__metadata__")
            continue;
        tensors.push_back(tensorOf(name, entry, dataAt, file, end));
        tensors.back().file = index;
    }
    json = nullptr; // weights take as much memory again
    // In the order of the file, as a reader of it goes through it.
    std::ranges::stable_sort(tensors, {},
                             [](const StoredTensor &tensor) { return tensor.bytes.offset; });
    if (const auto at = repeatedName(text))
        out.log.add(Severity::Warning,
                    valueError({file.path, FileOffset(kLengthBytes + *at)}, "safetensors.layout",
                               {}, "each name once", jsonTextAt(text, *at),
                               "A name is there twice: the last tensor of that name is shown"));
    else
        checkLayout(tensors, file, dataAt, out.log);
    if (const auto cut = std::ranges::count_if(tensors, &StoredTensor::isCut); cut > 0)
        out.log.add(Severity::Error,
                    valueError({file.path, FileOffset(bytes.size())}, "safetensors.cut", {},
                               fmt::format("{} bytes of tensors", end),
                               fmt::format("{} bytes", bytes.size() - dataAt),
                               fmt::format("The file ends early: {} of {} tensors are there",
                                           tensors.size() - static_cast<std::size_t>(cut),
                                           tensors.size())));
    const bool whole = keepWithinLimits(tensors, &StoredTensor::name, file.path, out.log);
    std::move(tensors.begin(), tensors.end(), std::back_inserter(all));
    return whole;
}

/// Weights of all files: codes and their scales may be in two of them.
void addAll(std::vector<StoredTensor> tensors, const std::vector<BundleFile> &files,
            ContainerContents &out)
{
    const std::string sourceOp("safetensors");
    addScaledTensors(tensors, files, sourceOp, out);
    out.weights.reserve(out.weights.size() + tensors.size());
    for (const StoredTensor &tensor : tensors)
        addTensor(tensor, sourceOp, out);
}

/// Whether its header names scales or packed codes: config.json says their bits, groups or blocks.
bool namesCodes(const BundleFile &file)
{
    const std::string_view text = headerOf(file.file->bytes()).value_or(std::string_view());
    const auto has = [text](std::string_view part) { return text.find(part) != text.npos; };
    return has(".scales\"") || has("_packed\"") ||
           ((has("_scale") || has(".scale\"")) && (has("\"F8_") || has("\"I8\"") || has("\"U8\"")));
}

/// {TENSOR: FILE, …}: "weight_map" of an index; empty where it cannot be read.
Json weightMap(const BundleFile &index, DiagnosticLog &log)
{
    const auto bytes = index.file->bytes();
    if (lfsPointer(bytes))
        return Json::object(); // opening has said so
    const std::string_view text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    const bool fits = text.size() <= kMostIndex && jsonFits(text);
    Json json = fits ? Json::parse(text, nullptr, false) : Json();
    const auto map = json.is_object() ? json.find("weight_map") : json.end();
    if (json.is_object() && map != json.end() && map->is_object())
        return std::move(*map);
    log.add(Severity::Error,
            valueError({index.path, FileOffset(0)}, "safetensors.index", "weight_map",
                       fmt::format("an object with a file for each tensor, of {} MiB at most",
                                   kMostIndex >> 20),
                       fits ? "something else" : "more",
                       "The index of the checkpoint cannot be read"));
    return Json::object();
}

/// The files that an index names, as far as they are opened: none outside of its folder.
std::set<std::string> shardsOf(const Json &map, const std::string &index, DiagnosticLog &log)
{
    std::set<std::string> names;
    for (const auto &[tensor, file] : map.items()) {
        const auto *name = file.get_ptr<const std::string *>();
        if (name && name->ends_with(kEnding) && archive::isSafePath(*name))
            names.insert(*name);
        else
            log.add(Severity::Error,
                    valueError({index, FileOffset(0)}, "safetensors.shard", {},
                               "a .safetensors inside the folder", name ? *name : "something else",
                               "A file of the checkpoint is not opened: its tensors are not read"));
    }
    return names;
}

/// Tensors of which the same is said.
struct NamedTensors {
    static constexpr std::size_t kShown = 3;
    std::size_t count = 0;
    std::string first; ///< the names of the first ones
    void add(const std::string &name)
    {
        if (++count <= kShown)
            first += (count == 1 ? "" : ", ") + name.substr(0, kMostName);
    }
    std::string text() const
    {
        return count > kShown ? fmt::format("{} and {} more", first, count - kShown) : first;
    }
};

/// Says where the index and the files differ. Of a tensor that two files have that one stays which
/// the index names, else the first. `read`: files by their paths, all tensors of which are known.
void compareWithIndex(const Json &map, const std::vector<BundleFile> &files,
                      const std::map<std::string, std::size_t> &read,
                      std::vector<StoredTensor> &tensors, ContainerContents &out)
{
    std::vector<NamedTensors> lacking(files.size()), elsewhere(files.size()), again(files.size());
    std::vector<bool> isAgain(tensors.size());
    std::unordered_map<std::string_view, std::size_t> shown;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const auto at = shown.try_emplace(tensors[i].name, i).first;
        if (at->second == i)
            continue;
        std::size_t other = i;
        if (headerText(map, tensors[i].name) == files[tensors[i].file].path)
            std::swap(at->second, other);
        isAgain[other] = true;
    }
    for (const auto &[name, file] : map.items()) {
        const auto shard = shown.count(name) == 0 ? read.find(headerText(map, name)) : read.end();
        if (shard != read.end())
            lacking[shard->second].add(name);
    }
    std::vector<StoredTensor> kept;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        StoredTensor &tensor = tensors[i];
        const std::string named = headerText(map, tensor.name);
        if (isAgain[i]) {
            again[tensor.file].add(tensor.name);
            if (!tensor.fault)
                out.claims[tensor.file].push_back(
                    {tensor.bytes, SectionKind::Data, tensor.name + ": not shown"});
            continue;
        }
        if (!named.empty() && named != files[tensor.file].path)
            elsewhere[tensor.file].add(tensor.name);
        kept.push_back(std::move(tensor));
    }
    tensors = std::move(kept);
    for (std::size_t i = 0; i < files.size(); ++i) {
        const auto say = [&](Severity severity, std::string_view expected, std::string_view found,
                             std::string_view message) {
            if (!expected.empty() || !found.empty())
                out.log.add(severity, valueError({files[i].path}, "safetensors.index", {}, expected,
                                                 found, message));
        };
        say(Severity::Error, lacking[i].text(), {},
            "Tensors that the index places in this file are not in it");
        say(Severity::Warning, {}, elsewhere[i].text(),
            "The index places tensors of this file in another one");
        say(Severity::Warning, {}, again[i].text(),
            "Tensors of this file are in another one too, and shown from there");
    }
}

/// The only file, or the one of a folder, beside which others may lie.
std::string loneShard(const std::vector<BundleFile> &files)
{
    auto found = std::ranges::find_if(files, [](const BundleFile &file) {
        return file.path.ends_with(kEnding) && file.path.find('/') == file.path.npos;
    });
    if (found == files.end()) // of another name
        found = std::ranges::find_if(
            files, [](const BundleFile &file) { return file.path != kConfigName; });
    return found == files.end() ? std::string() : found->path;
}

bool knowsSafetensors(std::span<const std::byte> bytes, std::string_view path)
{
    if ((path.ends_with(kEnding) || path.ends_with(kIndexEnding)) && !archive::isZip(bytes))
        return true;
    const auto header = headerOf(bytes);
    return header && header->size() >= 2 && header->front() == '{' &&
           bytes.size() > kLengthBytes + 2;
}

void readSafetensors(ContainerInput &input, ContainerContents &out)
{
    std::vector<BundleFile> &files = input.files;
    out.readOnlyReason = kReadOnly;
    const auto isIndex = [](const BundleFile &file) {
        return file.path.ends_with(kIndexEnding) && file.path.find('/') == file.path.npos;
    };
    const auto index = std::ranges::find_if(files, isIndex);
    const bool alone = index == files.end();
    Json map = alone ? Json::object() : weightMap(*index, out.log);
    const std::set<std::string> shards =
        alone ? std::set{loneShard(files)} : shardsOf(map, index->path, out.log);
    if (input.openBeside && !alone)
        input.openBeside({shards.begin(), shards.end()});
    if (input.openBeside && std::ranges::any_of(files, namesCodes))
        input.openBeside({std::string(kConfigName)});
    out.claims.resize(files.size());
    std::vector<StoredTensor> tensors;
    std::set<std::string> missing = shards;
    std::map<std::string, std::size_t> read;
    for (std::size_t i = 0; i < files.size(); ++i) {
        if (isIndex(files[i]) || files[i].path == kConfigName) {
            files[i].role = SectionKind::Manifest;
            out.claims[i] = {
                {{FileOffset(0), files[i].file->size()}, SectionKind::Manifest, files[i].path}};
        } else if (shards.count(files[i].path) != 0) {
            missing.erase(files[i].path);
            if (readShard(files, i, tensors, out))
                read.emplace(files[i].path, i);
        }
    }
    if (!alone)
        compareWithIndex(map, files, read, tensors, out);
    map = nullptr; // weights take as much memory again
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
