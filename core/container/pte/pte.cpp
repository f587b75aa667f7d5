// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/pte/pte.h"

#include "core/base/byte_text.h"
#include "core/base/error_builder.h"
#include "core/base/json_place.h"
#include "core/base/text.h"
#include "core/container/odix/flat_buffer.h"

#include <algorithm>
#include <functional>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::pte {

namespace {

using Json = nlohmann::json;
using odix::FlatBuffer;

constexpr std::size_t kIdentifierAt = 4, kHeaderAt = 8, kHeaderEnd = 32;
constexpr std::string_view kIdentifier = "ET12", kHeader = "eh00";
constexpr unsigned kDeepest = 32; ///< folders within folders
constexpr std::size_t kMostText = std::size_t(16) << 20;

constexpr std::string_view kCoreAi = "CoreAIBackend", kReference = "CMJR";

using Refusal = std::function<tl::unexpected<Error>(std::string found)>;

/// Numbers of fields in program.fbs.
enum ProgramField : unsigned { ExecutionPlan = 1, InlineData = 3, Segments = 4, NamedData = 7 };

/// The FlatBuffer of a program, and the segments behind it.
struct ProgramBuffer {
    ProgramBuffer(std::span<const std::byte> bytes, const std::string &file)
        : size(bytes.size()), hasHeader(bytes.size() >= kHeaderEnd &&
                                        textInBytes(bytes.subspan(kHeaderAt)).starts_with(kHeader)),
          base(hasHeader ? loadLittle<std::uint64_t>(bytes, kHeaderAt + 16) : 0),
          buffer(bytes, 0,
                 hasHeader ? std::min(size, loadLittle<std::uint64_t>(bytes, kHeaderAt + 8)) : size,
                 file),
          root(buffer.root()), segments(buffer.vector(root, Segments, 4, "segments"))
    {
    }

    /// Where an entry of the segments, or of the data in the FlatBuffer, lies in the file; `at`
    /// refers to it.
    ByteRange data(const FlatBuffer::Vector &list, bool segment, std::uint32_t index,
                   std::uint64_t at)
    {
        if (index >= list.count) {
            buffer.fail(at, "index", fmt::format("less than {}", list.count), std::to_string(index),
                        "The data of a delegate are not there");
            return {};
        }
        const auto held = buffer.tableIn(list, index, segment ? "segments" : "data");
        ByteRange range;
        if (segment) {
            const auto place = checkedAdd(base, buffer.number<std::uint64_t>(held, 0, "offset"));
            range = {FileOffset(place.value_or(UINT64_MAX)),
                     ByteCount(buffer.number<std::uint64_t>(held, 1, "size"))};
        } else {
            const auto data = buffer.vector(held, 0, 1, "data");
            range = {FileOffset(data.at), ByteCount(data.count)};
        }
        if (!fitsInside(range, ByteCount(size)))
            buffer.fail(held.at, "segments", fmt::format("up to {}", size),
                        fmt::format("{} bytes at {}", range.bytes.value, range.offset.value),
                        "The data of a delegate leave the file");
        return range;
    }

    /// Where the data of that name lie; null where the program names none so.
    const ByteRange *named(const std::string &key)
    {
        if (!names) {
            names.emplace();
            const auto list = buffer.vector(root, NamedData, 4, "named_data");
            for (std::uint32_t i = 0; i < list.count && !buffer.failed(); ++i) {
                const auto entry = buffer.tableIn(list, i, "named_data");
                const auto index = buffer.number<std::uint32_t>(entry, 1, "segment_index");
                names->emplace(buffer.text(entry, 0, "key"), data(segments, true, index, entry.at));
            }
        }
        const auto found = names->find(key);
        return found == names->end() ? nullptr : &found->second;
    }

    std::uint64_t size;
    bool hasHeader;
    std::uint64_t base;
    FlatBuffer buffer;
    FlatBuffer::Table root;
    FlatBuffer::Vector segments;
    std::optional<std::map<std::string, ByteRange>> names; ///< read when one is asked for
};

std::optional<std::uint64_t> numberOf(const Json &object, const char *key)
{
    const auto found = object.is_object() ? object.find(key) : object.end();
    return object.is_object() && found != object.end() && found->is_number_unsigned()
               ? std::optional(found->get<std::uint64_t>())
               : std::nullopt;
}

std::string textOf(const Json &object, const char *key)
{
    const auto found = object.is_object() ? object.find(key) : object.end();
    return object.is_object() && found != object.end() && found->is_string()
               ? found->get<std::string>()
               : std::string();
}

Json jsonOf(std::string_view text)
{
    return jsonFits(text) ? Json::parse(text, nullptr, false) : Json();
}

/// The text that ends the data, which is written backwards: its last byte is the first brace.
std::string reversedText(std::span<const std::byte> data)
{
    std::string text;
    int depth = 0;
    for (std::size_t i = data.size(); i-- > 0 && text.size() < kMostText;) {
        text.push_back(static_cast<char>(data[i]));
        depth += text.back() == '{' ? 1 : text.back() == '}' ? -1 : 0;
        if (depth <= 0)
            break;
    }
    return text;
}

/// Makes paths of the nodes of such a text.
class Nodes
{
public:
    Nodes(const Json &nodes, ByteRange data) : m_nodes(nodes), m_data(data) {}

    /// False where a node leaves the data or the list.
    bool add(std::size_t index, const std::string &folder, unsigned depth)
    {
        if (index >= m_nodes.size() || depth > kDeepest || ++m_visited > m_nodes.size())
            return false;
        const Json &node = m_nodes[index];
        const auto kind = numberOf(node, "kind");
        const auto name = node.is_object() ? node.find("name") : node.end();
        if (!kind || name == node.end() || !name->is_string())
            return false;
        const std::string path = folder + name->get<std::string>();
        if (*kind == 0) {
            const auto region = node.find("dataRegion");
            const auto at = region == node.end() ? std::nullopt : numberOf(*region, "offset");
            const auto size = region == node.end() ? std::nullopt : numberOf(*region, "size");
            if (!at || !size || *at > m_data.bytes.value || *size > m_data.bytes.value - *at)
                return false;
            files.push_back({path, {FileOffset(m_data.offset.value + *at), ByteCount(*size)}});
            return true;
        }
        const auto children = node.find("children");
        if (*kind != 1 || children == node.end() || !children->is_object())
            return false;
        return std::all_of(children->begin(), children->end(), [&](const Json &child) {
            return child.is_number_unsigned() &&
                   add(child.get<std::size_t>(), path + "/", depth + 1);
        });
    }

    std::vector<PackedFile> files;

private:
    const Json &m_nodes;
    ByteRange m_data;
    std::size_t m_visited = 0; ///< each node has one place
};

/// The files of a Core AI delegate: its data list them, each is data of the program with a name.
Result<std::vector<PackedFile>> listedFiles(std::span<const std::byte> bytes, const Json &list,
                                            const Refusal &refuse, const std::string &file)
{
    const auto text = [&list](const char *key) { return textOf(list, key); };
    const auto files = list.find("files");      // names, or an object of names and sizes
    if (text("packaging").ends_with("sidecar")) // the files may be listed all the same
        return refuse(text("path").empty() ? "a package in files of its own, which it does not name"
                                           : "a package in files of its own: open " + text("path"));
    if (files == list.end() || !(files->is_array() || files->is_object()))
        return refuse("no such list");
    ProgramBuffer program(bytes, file);
    std::vector<PackedFile> found;
    for (const auto &[key, value] : files->items()) {
        const std::string name = files->is_object()  ? key
                                 : value.is_string() ? value.get<std::string>()
                                                     : std::string();
        const ByteRange *place = program.named("coreai/" + text("hash") + "/" + name);
        if (auto fault = program.buffer.takeFault())
            return ErrorBuilder(*std::move(fault)).code("pte.content").unexpected();
        if (!place)
            return refuse("no data of " + name);
        found.push_back({name, *place});
    }
    return found;
}

} // namespace

bool isPte(std::span<const std::byte> bytes)
{
    return bytes.size() > kIdentifierAt &&
           textInBytes(bytes.subspan(kIdentifierAt)).starts_with(kIdentifier);
}

bool holdsPackage(const Delegate &delegate)
{
    return delegate.backend == "CoreMLBackend" || delegate.backend == kCoreAi;
}

Result<std::vector<Delegate>> readDelegates(std::span<const std::byte> bytes,
                                            const std::string &file, std::size_t *beyond)
{
    constexpr std::size_t kMostDelegates = 1000; // programs have a handful
    std::size_t left = kMostDelegates, more = 0;
    enum Plan : unsigned { Name = 0, Delegates = 7 };
    ProgramBuffer program(bytes, file);
    FlatBuffer &buffer = program.buffer;
    std::vector<Delegate> found;
    const auto inlined = buffer.vector(program.root, InlineData, 4, "backend_delegate_data");
    const auto plans = buffer.vector(program.root, ExecutionPlan, 4, "execution_plan");
    for (std::uint32_t i = 0; i < plans.count && !buffer.failed(); ++i) {
        const auto plan = buffer.tableIn(plans, i, "execution_plan");
        const auto delegates = buffer.vector(plan, Delegates, 4, "delegates");
        const auto read = static_cast<std::uint32_t>(std::min<std::size_t>(delegates.count, left));
        left -= read;
        more += delegates.count - read;
        for (std::uint32_t k = 0; k < read && !buffer.failed(); ++k) {
            const auto delegate = buffer.tableIn(delegates, k, "delegates");
            const auto place = buffer.table(delegate, 1, "processed");
            const bool segment = buffer.number<std::int8_t>(place, 0, "location") == 1;
            const auto index = buffer.number<std::uint32_t>(place, 1, "index");
            Delegate one{
                buffer.text(plan, Name, "name"), buffer.text(delegate, 0, "id"),
                program.data(segment ? program.segments : inlined, segment, index, place.at)};
            if (buffer.failed())
                break;
            const auto data = textInBytes(bytes).substr(
                static_cast<std::size_t>(one.data.offset.value),
                static_cast<std::size_t>(std::min<std::uint64_t>(one.data.bytes.value, kMostText)));
            if (data.starts_with(kReference)) { // methods of one model name its data
                const auto key = textOf(jsonOf(data.substr(kReference.size())), "key");
                if (const ByteRange *named = program.named(key))
                    one.data = *named;
                else
                    buffer.fail(one.data.offset.value, "named_data", "data named " + excerpt(key),
                                "none", "The data of a delegate are not there");
            }
            const auto known = [&](const Delegate &each) { return each.data == one.data; };
            if (!buffer.failed() && std::ranges::none_of(found, known))
                found.push_back(one);
        }
    }
    if (auto fault = buffer.takeFault())
        return ErrorBuilder(*std::move(fault)).code("pte.content").unexpected();
    if (beyond)
        *beyond = more;
    return found;
}

Result<std::vector<PackedFile>> packedFiles(std::span<const std::byte> bytes,
                                            const Delegate &delegate, const std::string &file)
{
    const Refusal refuse = [&](std::string found) {
        return refused({file, delegate.data.offset}, "pte.files", delegate.backend,
                       "a list of files, each inside the data or named by the program", found,
                       "The files of a delegate cannot be read");
    };
    const auto data = bytes.subspan(static_cast<std::size_t>(delegate.data.offset.value),
                                    static_cast<std::size_t>(delegate.data.bytes.value));
    const bool listed = delegate.backend == kCoreAi;
    const std::string text =
        listed ? std::string(textInBytes(data).substr(0, kMostText)) : reversedText(data);
    const Json json = jsonOf(text);
    if (listed && json.is_object())
        return listedFiles(bytes, json, refuse, file);
    const auto nodes = json.is_object() ? json.find("nodes") : json.end();
    if (!json.is_object() || nodes == json.end() || !nodes->is_array())
        return refuse("no such list");
    // The roots are what no folder names.
    std::vector<bool> named(nodes->size());
    for (const Json &node : *nodes) {
        const auto children = node.is_object() ? node.find("children") : node.end();
        if (!node.is_object() || children == node.end() || !children->is_object())
            continue;
        for (const Json &child : *children) {
            if (child.is_number_unsigned() && child.get<std::size_t>() < named.size())
                named[child.get<std::size_t>()] = true;
        }
    }
    Nodes all(*nodes, delegate.data);
    for (std::size_t i = 0; i < named.size(); ++i) {
        if (!named[i] && !all.add(i, {}, 0))
            return refuse(fmt::format("node {}", i));
    }
    return std::move(all.files);
}

} // namespace kernscope::pte
