// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/coreai_cache/leaves.h"

#include "core/base/error_builder.h"
#include "core/base/json_place.h"
#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::coreai_cache {

namespace {

using Json = nlohmann::json;

std::string limitsText()
{
    return fmt::format("{} values, {} levels and paths of {} bytes at most", grouped(kMostLeaves),
                       kMostLevels, grouped(kMostPath));
}

std::string joined(const std::string &path, std::string_view key)
{
    return path.empty() ? std::string(key) : fmt::format("{}/{}", path, key);
}

/// Appends the leaves below `json`; false where they pass a limit.
bool appendLeaves(const Json &json, const std::string &path, std::vector<Leaf> &leaves)
{
    std::vector<std::pair<const Json *, std::string>> pending{{&json, path}};
    while (!pending.empty()) {
        const auto [value, at] = std::move(pending.back());
        pending.pop_back();
        if (!value->is_structured()) {
            leaves.push_back(
                {at, value->is_string()
                         ? value->get<std::string>()
                         : value->dump(-1, ' ', false, Json::error_handler_t::replace)});
            continue;
        }
        if (leaves.size() + pending.size() + value->size() > kMostLeaves)
            return false;
        const std::size_t first = pending.size();
        std::size_t number = 0;
        for (const auto &item : value->items()) {
            const std::string key = value->is_array() ? std::to_string(number++) : item.key();
            if (at.size() + key.size() >= kMostPath)
                return false;
            pending.emplace_back(&item.value(), joined(at, key));
        }
        std::reverse(pending.begin() + static_cast<std::ptrdiff_t>(first), pending.end());
    }
    return true;
}

/// A property list element by element; no recursion, every step goes on in the text.
class PlistReader
{
public:
    PlistReader(std::string_view text, const std::string &file) : m_text(text), m_file(file) {}
    Result<std::vector<Leaf>> read();

private:
    struct Level {
        std::string name, path;
        std::optional<std::string> key; ///< of a dict: the one whose value comes next
        std::size_t number = 0;         ///< of an array: of its next member
    };
    bool step();
    bool open(std::string_view name, bool empty);
    bool close(std::string_view name);
    bool skipPast(std::string_view end);
    /// The text up to the end tag of the element, which is passed.
    std::optional<std::string> content(std::string_view name);
    bool decode(std::string_view raw, std::string &out);
    /// The path of the value that begins here.
    std::optional<std::string> childPath();
    bool add(std::string path, std::string value);
    bool fault(std::string expected);

    std::string_view m_text;
    const std::string &m_file;
    std::size_t m_at = 0;
    bool m_done = false;
    std::vector<Level> m_levels;
    std::vector<Leaf> m_leaves;
    Error m_error;
};

bool PlistReader::fault(std::string expected)
{
    m_error = ErrorBuilder("coreai_cache.plist")
                  .file(m_file)
                  .at(FileOffset(m_at))
                  .expected(std::move(expected))
                  .found(m_at < m_text.size() ? excerpt(m_text.substr(m_at, 24)) : "the end")
                  .message("The property list cannot be read");
    return false;
}

bool PlistReader::skipPast(std::string_view end)
{
    const std::size_t found = m_text.find(end, m_at);
    if (found == std::string_view::npos)
        return fault(std::string(end));
    m_at = found + end.size();
    return true;
}

/// With the five entities of XML: property lists write no others.
bool PlistReader::decode(std::string_view raw, std::string &out)
{
    static constexpr std::array<std::pair<std::string_view, char>, 5> kEntities{
        {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}}};
    for (std::size_t i = 0; i < raw.size(); ++i) {
        if (raw[i] != '&') {
            out.push_back(raw[i]);
            continue;
        }
        const std::size_t end = raw.substr(0, i + 10).find(';', i);
        const std::string_view name =
            end == std::string_view::npos ? std::string_view() : raw.substr(i + 1, end - i - 1);
        const auto known = std::find_if(kEntities.begin(), kEntities.end(),
                                        [name](const auto &each) { return each.first == name; });
        if (known == kEntities.end()) {
            m_at += i;
            return fault("an entity of XML");
        }
        out.push_back(known->second);
        i = end;
    }
    return true;
}

std::optional<std::string> PlistReader::content(std::string_view name)
{
    const std::string_view raw = m_text.substr(m_at, m_text.find('<', m_at) - m_at);
    std::string text;
    if (!decode(raw, text))
        return std::nullopt;
    m_at += raw.size();
    const std::string end = fmt::format("</{}>", name);
    if (!m_text.substr(m_at).starts_with(end)) {
        fault(end);
        return std::nullopt;
    }
    m_at += end.size();
    return text;
}

std::optional<std::string> PlistReader::childPath()
{
    if (m_levels.empty()) {
        fault("<plist>");
        return std::nullopt;
    }
    Level &level = m_levels.back();
    if (level.name == "plist")
        return std::string();
    if (level.name == "dict" && !level.key) {
        fault("<key>");
        return std::nullopt;
    }
    const std::string key = level.key ? *level.key : std::to_string(level.number++);
    level.key.reset();
    if (level.path.size() + key.size() >= kMostPath) {
        fault(limitsText());
        return std::nullopt;
    }
    return joined(level.path, key);
}

bool PlistReader::add(std::string path, std::string value)
{
    // A text may begin with a brace and be no JSON: then it is kept as it is.
    if (value.starts_with('{') && value.size() <= kMostJson && jsonFits(value)) {
        const Json json = Json::parse(value, nullptr, false);
        if (!json.is_discarded())
            return appendLeaves(json, path, m_leaves) || fault(limitsText());
    }
    if (m_leaves.size() >= kMostLeaves)
        return fault(limitsText());
    m_leaves.push_back({std::move(path), std::move(value)});
    return true;
}

bool PlistReader::close(std::string_view name)
{
    if (m_levels.empty() || m_levels.back().name != name || m_levels.back().key)
        return fault(m_levels.empty()      ? std::string("<plist>")
                     : m_levels.back().key ? std::string("a value")
                                           : fmt::format("</{}>", m_levels.back().name));
    m_levels.pop_back();
    m_done = m_levels.empty();
    return skipPast(">");
}

bool PlistReader::open(std::string_view name, bool empty)
{
    const bool list = name == "plist", deep = name == "dict" || name == "array";
    if (list != m_levels.empty())
        return fault(list ? "an element of a property list" : "<plist>");
    if (m_levels.size() >= kMostLevels)
        return fault(limitsText());
    if (name == "key" && m_levels.back().name == "dict" && !m_levels.back().key) {
        if (empty || !skipPast(">"))
            return empty ? fault("a key") : false;
        m_levels.back().key = content(name);
        return m_levels.back().key.has_value();
    }
    static constexpr std::array<std::string_view, 7> kScalars{"string", "integer", "real", "true",
                                                              "false",  "date",    "data"};
    if (!list && !deep && std::find(kScalars.begin(), kScalars.end(), name) == kScalars.end())
        return fault("an element of a property list");
    auto path = list ? std::optional(std::string()) : childPath();
    if (!path || !skipPast(">"))
        return false;
    if (list || deep) {
        if (!empty)
            m_levels.push_back({std::string(name), std::move(*path), std::nullopt, 0});
        else if (list)
            m_done = true;
        return true;
    }
    if (empty)
        return add(std::move(*path), name == "true" || name == "false" ? std::string(name) : "");
    auto value = content(name);
    return value && add(std::move(*path), std::move(*value));
}

bool PlistReader::step()
{
    m_at = std::min(m_text.find_first_not_of(" \t\r\n", m_at), m_text.size());
    const std::string_view rest = m_text.substr(m_at);
    if (rest.starts_with("<?"))
        return skipPast("?>");
    if (rest.starts_with("<!--"))
        return skipPast("-->");
    if (rest.starts_with("<!DOCTYPE"))
        return skipPast(">");
    const std::size_t end = rest.substr(0, kMostPath).find('>');
    if (!rest.starts_with('<') || end == std::string_view::npos)
        return fault("an element");
    const bool empty = rest[end - 1] == '/', closing = rest.starts_with("</");
    const std::string_view tag = rest.substr(closing ? 2 : 1, end - (closing ? 2 : 1));
    const std::string_view name = tag.substr(0, tag.find_first_of(" \t\r\n/"));
    return closing ? close(name) : open(name, empty);
}

Result<std::vector<Leaf>> PlistReader::read()
{
    if (m_text.starts_with("bplist"))
        return ErrorBuilder("coreai_cache.plist")
            .file(m_file)
            .at(FileOffset(0))
            .expected("a property list as XML")
            .found("a binary property list")
            .message("What it says stays unknown; plutil -convert xml1 makes XML of it")
            .unexpected();
    while (!m_done) {
        if (!step())
            return tl::unexpected(std::move(m_error));
    }
    return std::move(m_leaves);
}

} // namespace

Result<std::vector<Leaf>> jsonLeaves(std::string_view text, const std::string &file)
{
    const auto refuse = [&](std::uint64_t at, std::string expected, std::string found) {
        return ErrorBuilder("coreai_cache.json")
            .file(file)
            .at(FileOffset(at))
            .expected(std::move(expected))
            .found(std::move(found))
            .message("The JSON text cannot be read")
            .unexpected();
    };
    if (text.size() > kMostJson || !jsonFits(text))
        return refuse(0, std::string(kJsonLimits), "more");
    const Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded()) {
        const std::uint64_t at = jsonFaultOffset(text);
        return refuse(at, "JSON", jsonTextAt(text, at));
    }
    std::vector<Leaf> leaves;
    if (!appendLeaves(json, {}, leaves))
        return refuse(0, limitsText(), "more");
    return leaves;
}

Result<std::vector<Leaf>> plistLeaves(std::string_view text, const std::string &file)
{
    return PlistReader(text, file).read();
}

} // namespace kernscope::coreai_cache
