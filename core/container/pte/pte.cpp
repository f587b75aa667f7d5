// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/pte/pte.h"

#include "core/base/error_builder.h"
#include "core/base/json_place.h"
#include "core/container/odix/flat_buffer.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::pte {

namespace {

using Json = nlohmann::json;
using odix::FlatBuffer;

constexpr std::size_t kIdentifierAt = 4, kHeaderAt = 8, kHeaderEnd = 32;
constexpr std::string_view kIdentifier = "ET12", kHeader = "eh00";
constexpr unsigned kDeepest = 32; ///< folders within folders

std::string_view wordAt(std::span<const std::byte> bytes, std::size_t at)
{
    return bytes.size() < at + 4
               ? std::string_view()
               : std::string_view(reinterpret_cast<const char *>(bytes.data()) + at, 4);
}

std::optional<std::uint64_t> numberOf(const Json &object, const char *key)
{
    const auto found = object.is_object() ? object.find(key) : object.end();
    return object.is_object() && found != object.end() && found->is_number_unsigned()
               ? std::optional(found->get<std::uint64_t>())
               : std::nullopt;
}

/// The text that ends the data, which is written backwards: its last byte is the first brace.
std::string reversedText(std::span<const std::byte> data)
{
    constexpr std::size_t kMost = std::size_t(16) << 20;
    std::string text;
    int depth = 0;
    for (std::size_t i = data.size(); i-- > 0 && text.size() < kMost;) {
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

} // namespace

bool isPte(std::span<const std::byte> bytes)
{
    return wordAt(bytes, kIdentifierAt) == kIdentifier;
}

Result<std::vector<Delegate>> readDelegates(std::span<const std::byte> bytes,
                                            const std::string &file)
{
    // Numbers of fields in program.fbs.
    enum Program : unsigned { ExecutionPlan = 1, InlineData = 3, Segments = 4 };
    enum Plan : unsigned { Name = 0, Delegates = 7 };
    std::uint64_t end = bytes.size(), base = 0;
    if (wordAt(bytes, kHeaderAt) == kHeader && bytes.size() >= kHeaderEnd) {
        end = std::min<std::uint64_t>(end, loadLittle<std::uint64_t>(bytes, kHeaderAt + 8));
        base = loadLittle<std::uint64_t>(bytes, kHeaderAt + 16);
    }
    FlatBuffer buffer(bytes, 0, end, file);
    std::vector<Delegate> found;
    const auto add = [&](Delegate delegate) {
        const auto known = [&](const Delegate &each) { return each.data == delegate.data; };
        if (std::none_of(found.begin(), found.end(), known))
            found.push_back(std::move(delegate));
    };
    const auto program = buffer.root();
    const auto inlined = buffer.vector(program, InlineData, 4, "backend_delegate_data");
    const auto segments = buffer.vector(program, Segments, 4, "segments");
    const auto plans = buffer.vector(program, ExecutionPlan, 4, "execution_plan");
    for (std::uint32_t i = 0; i < plans.count && !buffer.failed(); ++i) {
        const auto plan = buffer.tableIn(plans, i, "execution_plan");
        const auto delegates = buffer.vector(plan, Delegates, 4, "delegates");
        for (std::uint32_t k = 0; k < delegates.count && !buffer.failed(); ++k) {
            const auto delegate = buffer.tableIn(delegates, k, "delegates");
            const auto place = buffer.table(delegate, 1, "processed");
            const bool segment = buffer.number<std::int8_t>(place, 0, "location") == 1;
            const auto index = buffer.number<std::uint32_t>(place, 1, "index");
            Delegate one{buffer.text(plan, Name, "name"), buffer.text(delegate, 0, "id"), {}};
            const auto &list = segment ? segments : inlined;
            if (index >= list.count) {
                buffer.fail(place.at, "index", fmt::format("less than {}", list.count),
                            std::to_string(index), "The data of a delegate are not there");
                break;
            }
            const auto held = buffer.tableIn(list, index, segment ? "segments" : "data");
            if (segment) {
                const auto at = checkedAdd(base, buffer.number<std::uint64_t>(held, 0, "offset"));
                one.data = {FileOffset(at.value_or(UINT64_MAX)),
                            ByteCount(buffer.number<std::uint64_t>(held, 1, "size"))};
            } else {
                const auto data = buffer.vector(held, 0, 1, "data");
                one.data = {FileOffset(data.at), ByteCount(data.count)};
            }
            if (!fitsInside(one.data, ByteCount(bytes.size())))
                buffer.fail(
                    held.at, "segments", fmt::format("up to {}", bytes.size()),
                    fmt::format("{} bytes at {}", one.data.bytes.value, one.data.offset.value),
                    "The data of a delegate leave the file");
            else
                add(std::move(one));
        }
    }
    if (auto fault = buffer.takeFault())
        return ErrorBuilder(*std::move(fault)).code("pte.content").unexpected();
    return found;
}

Result<std::vector<PackedFile>> packedFiles(std::span<const std::byte> bytes,
                                            const Delegate &delegate, const std::string &file)
{
    const auto refuse = [&](std::string found) {
        return ErrorBuilder("pte.files")
            .file(file)
            .at(delegate.data.offset)
            .field(delegate.backend)
            .expected("a list of files behind them, each inside the data")
            .found(std::move(found))
            .message("The files of a delegate cannot be read")
            .unexpected();
    };
    const std::string text =
        reversedText(bytes.subspan(static_cast<std::size_t>(delegate.data.offset.value),
                                   static_cast<std::size_t>(delegate.data.bytes.value)));
    const Json json = jsonFits(text) ? Json::parse(text, nullptr, false) : Json();
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
