// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/espresso/espresso.h"

#include "core/base/error_builder.h"
#include "core/base/json_place.h"
#include "core/base/little_endian.h"
#include "core/base/parts.h"
#include "core/base/text.h"
#include "core/container/network/network_program.h"
#include "core/format/table_rows.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::espresso {

namespace {

using Json = nlohmann::json;
using network::StoredWeight;

constexpr std::uint64_t kCountBytes = 8, kEntryBytes = 16;
constexpr std::size_t kMostLayers = 1 << 20;
constexpr std::string_view kByColumns = "columns";

/// A row of espresso_layers.csv: which key of a layer names a blob, and what lies there.
struct BlobKey {
    std::string type, kind, key, field, form, shape;
};

const std::vector<BlobKey> &blobKeys()
{
    static const auto rows =
        tables::loadRows<BlobKey>("espresso_layers", {{"type", &BlobKey::type},
                                                      {"kind", &BlobKey::kind},
                                                      {"key", &BlobKey::key},
                                                      {"field", &BlobKey::field},
                                                      {"form", &BlobKey::form},
                                                      {"shape", &BlobKey::shape}});
    return rows;
}

Result<std::string> textOf(std::span<const std::byte> bytes, const std::string &file)
{
    if (isCompressed(bytes))
        return unpacked(bytes, file);
    return std::string(reinterpret_cast<const char *>(bytes.data()), bytes.size());
}

/// A fault at a place of the text: in a file that holds it compressed there is no such place.
Error textFault(std::span<const std::byte> bytes, ErrorPlace place, std::string_view code,
                std::string_view expected, std::string_view found, std::string_view message)
{
    if (!isCompressed(bytes))
        return valueError(place, code, {}, expected, found, message);
    const auto at = fmt::format("{}, at byte {} of the unpacked text", found, place.offset->value);
    place.offset = FileOffset(0);
    return valueError(place, code, {}, expected, at, message);
}

std::string wordOf(const Json &layer, const char *key)
{
    const auto found = layer.find(key);
    return found != layer.end() && found->is_string() ? cleanUtf8(found->get<std::string>())
                                                      : std::string();
}

/// A number of a layer, which some writers put in quotation marks; nothing for any other value.
std::optional<std::uint64_t> numberOf(const Json &layer, std::string_view key)
{
    const auto found = layer.find(key);
    if (found == layer.end())
        return std::nullopt;
    if (found->is_number_unsigned())
        return found->get<std::uint64_t>();
    const auto typed = found->is_string() ? parseInteger(found->get<std::string>()) : std::nullopt;
    return typed && *typed >= 0 ? std::optional(static_cast<std::uint64_t>(*typed)) : std::nullopt;
}

/// Extents as a row says them: "C K/n_groups Ny Nx", "nC nB columns" where the values lie column by
/// column; empty where the layer does not have one.
Shape shapeOf(std::string_view terms, const Json &layer)
{
    Shape shape;
    for (const std::string_view term : partsOf(terms, ' ')) {
        if (term == kByColumns)
            continue;
        const std::size_t slash = term.find('/');
        const std::string_view name = term.substr(0, slash);
        auto extent = name == "4" ? std::optional<std::uint64_t>(4) : numberOf(layer, name);
        if (!extent)
            return {};
        if (slash != term.npos)
            *extent /=
                std::max<std::uint64_t>(1, numberOf(layer, term.substr(slash + 1)).value_or(1));
        shape.push_back(*extent);
    }
    return shape;
}

class NetReader
{
public:
    NetReader(const NetFiles &files, const Json &shapes) : m_files(files), m_shapes(shapes) {}

    void layer(const Json &layer, Net &net)
    {
        const std::string type = wordOf(layer, "type");
        std::string name = wordOf(layer, "name");
        if (name.empty())
            name = fmt::format("layer{}", net.network.layers);
        ++net.network.layers;
        mil::Operation operation;
        operation.type = type.empty() ? "layer" : type;
        for (const BlobKey &row : blobKeys()) {
            if (row.type == type)
                operation.type = row.kind; // as the model before its compilation calls it
        }
        for (std::string &bottom : partsOf(wordOf(layer, "bottom"), ',')) {
            if (operation.inputs.empty())
                operation.inputs.push_back({"input", {}});
            mil::ProgramValue value;
            value.content = mil::Reference{std::move(bottom), {}};
            operation.inputs.front().values.push_back(std::move(value));
        }
        for (std::string &top : partsOf(wordOf(layer, "top"), ',')) {
            mil::ValueType extents = typeOf(top);
            operation.outputs.push_back({std::move(top), std::move(extents), {}});
        }
        operation.attributes.push_back({"name", {mil::textValue(name)}});
        if (m_files.weights != nullptr)
            weights(layer, name, type, operation.type, net.network);
        net.function.body.operations.push_back(std::move(operation));
    }

    mil::ValueType typeOf(const std::string &value) const
    {
        mil::ValueType type;
        const auto found = m_shapes.find(value);
        if (found == m_shapes.end() || !found->is_object())
            return type;
        type.kind = mil::ValueType::Kind::Tensor;
        for (const char *extent : {"n", "k", "h", "w"})
            type.dims.push_back(static_cast<std::int64_t>(std::min<std::uint64_t>(
                numberOf(*found, extent).value_or(1), std::uint64_t(1) << 48)));
        return type;
    }

private:
    /// Every key that names a blob: by its row, any other one as numbers in a row.
    void weights(const Json &layer, const std::string &name, const std::string &type,
                 const std::string &kind, network::Network &out)
    {
        const auto add = [&](const std::string &key, const Json &from, bool nested) {
            const bool blob = nested || key.starts_with("blob_") || key.ends_with("_blob");
            const auto id = blob ? numberOf(from, key) : std::nullopt;
            if (!id || key == "per_ch_qscale" || key == "per_ch_qbias" ||
                key == "quantization_ranges_blob")
                return;
            const auto row = std::ranges::find_if(blobKeys(), [&](const BlobKey &each) {
                return each.type == type && each.key == key;
            });
            BlobKey any{type, kind, key, key.substr(key.starts_with("blob_") ? 5 : 0), "fp32", ""};
            if (key.ends_with("_f16"))
                any.form = "fp16";
            else if (key.ends_with("_int8") || key.ends_with("_S8"))
                any.form = "int8";
            weight(layer, name, row == blobKeys().end() ? any : *row, *id, out);
        };
        for (const auto &[key, value] : layer.items())
            add(key, layer, false);
        const auto own = layer.find("weights");
        if (own == layer.end() || !own->is_object())
            return;
        for (const auto &[key, value] : own->items())
            add(key, *own, true);
    }

    void weight(const Json &layer, const std::string &name, const BlobKey &row, std::uint64_t id,
                network::Network &out)
    {
        StoredWeight stored;
        stored.layer = name;
        stored.kind = row.kind;
        stored.field = row.field;
        const auto fail = [&](std::string_view code, std::string expected, std::string found,
                              std::string_view message) {
            stored.fault =
                valueError({std::string(m_files.weightsName), FileOffset(stored.bytes.offset)},
                           code, name + "." + row.field, expected, found, std::string(message));
        };
        const Blob *blob = m_files.weights->find(id);
        if (blob == nullptr) {
            fail("espresso.missing", fmt::format("blob {}", id), "none of that number",
                 "The weight file does not have the blob that the layer names");
        } else {
            const SourceSpan span{blob->data.offset.value, blob->data.bytes.value};
            stored.bytes = span;
            std::uint64_t width = 1;
            if (row.form == "fp32") {
                width = 4;
                stored.form = StoredWeight::Kind::Floats;
                stored.floats = {{span}, span.length / 4};
            } else if (row.form == "fp16") {
                width = 2;
                stored.form = StoredWeight::Kind::Halves;
            } else {
                stored.form =
                    row.form == "int8" ? StoredWeight::Kind::Int8 : StoredWeight::Kind::Linear;
                stored.bits = 8;
                stored.scale = numbers(layer, "per_ch_qscale");
                stored.bias = numbers(layer, "per_ch_qbias");
            }
            stored.byColumns = row.shape.ends_with(kByColumns);
            stored.shape = shapeOf(row.shape, layer);
            const auto count = elementCount(stored.shape);
            if (!stored.shape.empty() && (!count || count->value * width != span.length)) {
                fail("espresso.length", shapeText(stored.shape),
                     fmt::format("{} bytes", grouped(span.length)),
                     "The blob is not as long as the layer's extents say");
            } else if (stored.shape.empty()) {
                stored.shape = {span.length / width};
            }
            const auto fits = [&](const network::Floats &each) {
                return each.count <= 1 || each.count == stored.shape[0];
            };
            if (row.form == "ranges" && !stored.fault)
                fail("espresso.ranges", "codes with scales and biases",
                     "codes with a range a channel",
                     "How these codes become values was not published");
            else if (!stored.fault && (!fits(stored.scale) || !fits(stored.bias) ||
                                       (row.form == "uint8" && stored.scale.count == 0)))
                fail("espresso.length", "a scale and a bias a channel",
                     fmt::format("{} and {}", stored.scale.count, stored.bias.count),
                     "The scales of this weight are not as many as its channels");
        }
        if (stored.shape.empty())
            stored.shape = {0};
        if (stored.fault)
            out.diagnostics.push_back({Severity::Error, *stored.fault});
        const std::vector<std::string> columns = partsOf(row.field, ' ');
        if (columns.size() == 1)
            return out.weights.push_back(std::move(stored));
        for (std::size_t column = 0; column < columns.size(); ++column) { // a weight each
            StoredWeight one = stored;
            one.field = columns[column];
            one.shape = {stored.shape[0]};
            one.floats = {{}, stored.fault ? 0 : stored.shape[0]};
            for (std::uint64_t i = 0; i < one.floats.count; ++i)
                one.floats.runs.push_back(
                    {stored.bytes.offset + 4 * (i * columns.size() + column), 4});
            out.weights.push_back(std::move(one));
        }
    }

    /// The fp32 numbers of a blob that the layer's `weights` name.
    network::Floats numbers(const Json &layer, const char *key) const
    {
        const auto own = layer.find("weights");
        const auto id = own != layer.end() && own->is_object() ? numberOf(*own, key) : std::nullopt;
        const Blob *blob = id ? m_files.weights->find(*id) : nullptr;
        if (blob == nullptr)
            return {};
        return {{{blob->data.offset.value, blob->data.bytes.value}}, blob->data.bytes.value / 4};
    }

    const NetFiles &m_files;
    const Json &m_shapes;
};

} // namespace

const Blob *BlobTable::find(std::uint64_t id) const
{
    const auto found = places.find(id);
    return found == places.end() ? nullptr : &blobs[found->second];
}

Result<BlobTable> readBlobs(std::span<const std::byte> bytes, const std::string &file)
{
    const std::uint64_t count =
        bytes.size() < kCountBytes ? 0 : loadLittle<std::uint64_t>(bytes, 0);
    if (bytes.size() < kCountBytes || count > (bytes.size() - kCountBytes) / kEntryBytes)
        return refused({file, FileOffset(0)}, "espresso.table", {},
                       "a count of blobs and 16 bytes for each",
                       fmt::format("{} in {} bytes", count, bytes.size()),
                       "The table of blobs does not fit into the file");
    BlobTable table;
    table.blobs.resize(static_cast<std::size_t>(count));
    std::uint64_t at = kCountBytes + kEntryBytes * count;
    for (std::size_t i = 0; i < table.blobs.size(); ++i) {
        const std::uint64_t entry = kCountBytes + kEntryBytes * i;
        Blob &blob = table.blobs[i];
        blob.id = loadLittle<std::uint64_t>(bytes, entry);
        const auto length = loadLittle<std::uint64_t>(bytes, entry + 8);
        if (length > bytes.size() - at || !table.places.emplace(blob.id, i).second)
            return refused(
                {file, FileOffset(entry)}, "espresso.blob", fmt::format("blob {}", blob.id),
                fmt::format("at most {} bytes, and a number of its own", bytes.size() - at),
                fmt::format("{} bytes", length), "A blob leaves the file, or comes twice");
        blob.data = {FileOffset(at), ByteCount(length)};
        at += length;
    }
    return table;
}

bool isWeightFile(std::string_view path)
{
    return path.ends_with(".espresso.weights");
}

std::optional<format::PlacedField> fieldAt(FileOffset offset)
{
    constexpr std::string_view kTable = "stored_fields";
    if (offset.value < kCountBytes)
        return format::placedField(kTable, "espresso header", 0, offset, "header");
    const std::uint64_t entry = (offset.value - kCountBytes) / kEntryBytes;
    return format::placedField(kTable, "espresso entry", kCountBytes + entry * kEntryBytes, offset,
                               fmt::format("entry {}", entry));
}

Result<Net> readNet(const NetFiles &files)
{
    const std::string text = TRY(textOf(files.net, std::string(files.name)));
    const auto bad = [&](std::uint64_t at, std::string_view expected, std::string_view found,
                         std::string_view message) {
        return tl::unexpected(textFault(files.net, {files.name, FileOffset(at)}, "espresso.net",
                                        expected, found, message));
    };
    if (!jsonFits(text))
        return bad(0, kJsonLimits, "more", "The layers are more than is read");
    const Json json = Json::parse(text, nullptr, false);
    const auto layers = json.is_object() ? json.find("layers") : json.end();
    if (layers == json.end() || !layers->is_array()) {
        const std::uint64_t at = json.is_discarded() ? jsonFaultOffset(text) : 0;
        return bad(at, "a JSON object with layers", jsonTextAt(text, at),
                   "The layers of the network cannot be read");
    }
    Net net;
    net.function.name = "network";
    net.storage = wordOf(json, "storage");
    if (const auto version = numberOf(json, "format_version"))
        net.version = fmt::format("{}.{}", *version / 100, *version % 100);
    // Without shapes only extents of values are unknown.
    const auto shapeText = textOf(files.shape, std::string(files.shapeName));
    Json shapes =
        shapeText && jsonFits(*shapeText) ? Json::parse(*shapeText, nullptr, false) : Json();
    if (!shapeText) {
        net.network.diagnostics.push_back({Severity::Warning, shapeText.error()});
    } else if (!files.shape.empty() && !shapes.is_object()) {
        const std::uint64_t at = shapes.is_discarded() ? jsonFaultOffset(*shapeText) : 0;
        net.network.diagnostics.push_back(
            {Severity::Warning,
             textFault(files.shape, {files.shapeName, FileOffset(at)}, "espresso.shape",
                       "a JSON object", jsonTextAt(*shapeText, at),
                       "The extents of the network's values cannot be read")});
    }
    shapes =
        shapes.is_object() && shapes.contains("layer_shapes") ? shapes["layer_shapes"] : Json();
    if (!shapes.is_object())
        shapes = Json::object();
    NetReader reader(files, shapes);
    for (const Json &layer : *layers) {
        if (layer.is_object() && net.network.layers < kMostLayers)
            reader.layer(layer, net);
    }
    network::addEnds(net.function);
    for (mil::NamedType &input : net.function.inputs)
        input.type = reader.typeOf(input.name);
    return net;
}

} // namespace kernscope::espresso
