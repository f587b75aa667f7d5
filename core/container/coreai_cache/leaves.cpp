// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/coreai_cache/survey.h"

#include "core/base/error_builder.h"
#include "core/base/json_place.h"
#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <bit>

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

/// Adds a value of a property list; false where that passes a limit. A text may begin with a brace
/// and be no JSON: then it is kept as it is.
bool addValue(std::string path, std::string value, std::vector<Leaf> &leaves)
{
    if (value.starts_with('{') && value.size() <= kMostJson && jsonFits(value)) {
        const Json json = Json::parse(value, nullptr, false);
        if (!json.is_discarded())
            return appendLeaves(json, path, leaves);
    }
    if (leaves.size() >= kMostLeaves)
        return false;
    leaves.push_back({std::move(path), std::move(value)});
    return true;
}

Error plistFault(const std::string &file, std::uint64_t at, std::string expected, std::string found)
{
    return valueError({file, FileOffset(at)}, "coreai_cache.plist", {}, expected, found,
                      "The property list cannot be read");
}

/// A property list element by element; no recursion, every step goes on in the text.
class PlistReader
{
public:
    PlistReader(std::string_view text, const std::string &file) : m_text(text), m_file(file) {}
    Result<std::vector<Leaf>> read()
    {
        while (!m_done) {
            if (!step())
                return tl::unexpected(std::move(m_error));
        }
        return std::move(m_leaves);
    }

private:
    struct Level {
        std::string name, path;
        std::optional<std::string> key; ///< of a dict: the one whose value comes next
        std::size_t number = 0;         ///< of an array: of its next member
    };
    bool step()
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

    bool open(std::string_view name, bool empty)
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
        static constexpr std::array<std::string_view, 7> kScalars{
            "string", "integer", "real", "true", "false", "date", "data"};
        if (!list && !deep && std::ranges::find(kScalars, name) == kScalars.end())
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
            return add(std::move(*path),
                       name == "true" || name == "false" ? std::string(name) : "");
        auto value = content(name);
        return value && add(std::move(*path), std::move(*value));
    }

    bool close(std::string_view name)
    {
        if (m_levels.empty() || m_levels.back().name != name || m_levels.back().key)
            return fault(m_levels.empty()      ? std::string("<plist>")
                         : m_levels.back().key ? std::string("a value")
                                               : fmt::format("</{}>", m_levels.back().name));
        m_levels.pop_back();
        m_done = m_levels.empty();
        return skipPast(">");
    }

    bool skipPast(std::string_view end)
    {
        const std::size_t found = m_text.find(end, m_at);
        if (found == std::string_view::npos)
            return fault(std::string(end));
        m_at = found + end.size();
        return true;
    }

    /// The text up to the end tag of the element, which is passed.
    std::optional<std::string> content(std::string_view name)
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

    /// With the five entities of XML: property lists write no others.
    bool decode(std::string_view raw, std::string &out)
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
            const auto known = std::ranges::find_if(
                kEntities, [name](const auto &each) { return each.first == name; });
            if (known == kEntities.end()) {
                m_at += i;
                return fault("an entity of XML");
            }
            out.push_back(known->second);
            i = end;
        }
        return true;
    }

    /// The path of the value that begins here.
    std::optional<std::string> childPath()
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

    bool add(std::string path, std::string value)
    {
        return addValue(std::move(path), std::move(value), m_leaves) || fault(limitsText());
    }

    bool fault(std::string expected)
    {
        m_error = plistFault(m_file, m_at, std::move(expected),
                             m_at < m_text.size() ? excerpt(m_text.substr(m_at, 24)) : "the end");
        return false;
    }

    std::string_view m_text;
    const std::string &m_file;
    std::size_t m_at = 0;
    bool m_done = false;
    std::vector<Level> m_levels;
    std::vector<Leaf> m_leaves;
    Error m_error;
};

/// A binary property list ("bplist00"): objects behind each other, a table of their offsets, and a
/// trailer that says where it is; numbers are big-endian. Nothing in the file decides a recursion,
/// and what is read in all is bounded: objects may be named again and again.
class BinaryPlist
{
public:
    BinaryPlist(std::string_view text, const std::string &file) : m_text(text), m_file(file) {}
    Result<std::vector<Leaf>> read()
    {
        if (!readTrailer())
            return tl::unexpected(std::move(m_error));
        m_pending.push_back({m_top, {}, 0});
        while (!m_pending.empty()) {
            const Pending next = std::move(m_pending.back());
            m_pending.pop_back();
            if (!visit(next))
                return tl::unexpected(std::move(m_error));
        }
        return std::move(m_leaves);
    }

private:
    struct Pending {
        std::uint64_t object = 0;
        std::string path;
        std::size_t level = 0;
    };
    /// What an object begins with: its kind, and how many bytes, letters or members follow.
    struct Head {
        unsigned kind = 0, low = 0;
        std::uint64_t count = 0, at = 0; ///< of what follows
    };
    bool readTrailer()
    {
        if (m_text.size() < kHeader + kTrailer)
            return fault(m_text.size(), fmt::format("{} bytes", kHeader + kTrailer), "the end");
        const std::uint64_t at = m_text.size() - kTrailer, end = m_text.size();
        m_offsetBytes = *number(at + 6, 1, end);
        m_referenceBytes = *number(at + 7, 1, end);
        m_objects = *number(at + 8, 8, end);
        m_top = *number(at + 16, 8, end);
        m_table = *number(at + 24, 8, end);
        const bool widths = m_offsetBytes >= 1 && m_offsetBytes <= 8 && m_referenceBytes >= 1 &&
                            m_referenceBytes <= 8;
        if (!widths)
            return fault(at + 6, "numbers of 1 to 8 bytes",
                         fmt::format("{} and {}", m_offsetBytes, m_referenceBytes));
        if (m_table < kHeader || m_table > at || m_objects > (at - m_table) / m_offsetBytes)
            return fault(at + 8, fmt::format("a table of offsets before {}", at),
                         fmt::format("{} offsets at {}", m_objects, m_table));
        return true;
    }

    bool visit(const Pending &pending)
    {
        const auto head = headOf(pending.object);
        if (!head)
            return false;
        if (++m_visits > kMostLeaves)
            return fault(head->at, limitsText(), "more");
        std::optional<std::string> value;
        switch (head->kind) {
        case 0x0:
            if (head->low == 0 || head->low == 8 || head->low == 9)
                value = head->low == 0 ? "" : head->low == 8 ? "false" : "true";
            break;
        case 0x1:
            if (head->low > 4)
                break;
            [[fallthrough]];
        case 0x2:
        case 0x3:
        case 0x8:
            value = numberText(*head);
            if (!value)
                return false;
            break;
        case 0x4:
        case 0x5:
        case 0x6:
            value = textOf(*head);
            if (!value)
                return false;
            break;
        case 0xA:
        case 0xC:
        case 0xD: return addMembers(pending, *head);
        default: break;
        }
        if (!value)
            return fault(head->at - 1, "an object of a property list",
                         fmt::format("{:#04x}", head->kind << 4 | head->low));
        return addValue(pending.path, std::move(*value), m_leaves) ||
               fault(head->at, limitsText(), "more");
    }

    bool addMembers(const Pending &pending, const Head &head)
    {
        const bool named = head.kind == 0xD;
        const std::uint64_t references = named ? 2 : 1;
        if (head.count > m_table / m_referenceBytes / references ||
            m_leaves.size() + m_pending.size() + head.count > kMostLeaves ||
            pending.level >= kMostLevels)
            return fault(head.at, limitsText(), "more");
        for (std::uint64_t i = head.count; i-- > 0;) { // the first one is read next
            std::string key = std::to_string(i);
            if (named) {
                const auto object = memberAt(head, i);
                const auto keyHead = object ? headOf(*object) : std::nullopt;
                if (keyHead && keyHead->kind != 5 && keyHead->kind != 6)
                    return fault(keyHead->at - 1, "a key", fmt::format("kind {}", keyHead->kind));
                auto text = keyHead ? textOf(*keyHead) : std::nullopt;
                if (!text)
                    return false;
                key = std::move(*text);
            }
            const auto member = memberAt(head, i + (named ? head.count : 0));
            if (!member)
                return false;
            if (pending.path.size() + key.size() >= kMostPath)
                return fault(head.at, limitsText(), "more");
            m_pending.push_back({*member, joined(pending.path, key), pending.level + 1});
        }
        return true;
    }

    std::optional<Head> headOf(std::uint64_t object)
    {
        if (object >= m_objects) {
            fault(m_table, fmt::format("one of {} objects", m_objects), fmt::format("{}", object));
            return std::nullopt;
        }
        const std::uint64_t entry = m_table + object * m_offsetBytes;
        const std::uint64_t at = *number(entry, m_offsetBytes, m_text.size());
        if (at < kHeader || at >= m_table) {
            fault(entry, fmt::format("an offset from {} to {}", kHeader, m_table - 1),
                  fmt::format("{}", at));
            return std::nullopt;
        }
        const unsigned marker = static_cast<unsigned char>(m_text[at]);
        Head head{marker >> 4, marker & 0xF, marker & 0xF, at + 1};
        if (head.kind < 4 || head.kind == 8 || head.low != 0xF)
            return head;
        // The number stands behind it, as an integer.
        const auto width = number(head.at, 1, m_table);
        if (!width)
            return std::nullopt;
        if (*width >> 4 != 1 || (*width & 0xF) > 3) {
            fault(head.at, "a number of members", fmt::format("{:#x}", *width));
            return std::nullopt;
        }
        const std::uint64_t bytes = std::uint64_t{1} << (*width & 0xF);
        const auto count = number(head.at + 1, bytes, m_table);
        if (!count)
            return std::nullopt;
        head.count = *count;
        head.at += 1 + bytes;
        return head;
    }

    /// Letters of a text; bytes as hexadecimal digits.
    std::optional<std::string> textOf(const Head &head)
    {
        const std::uint64_t width = head.kind == 6 ? 2 : 1;
        if (head.count > (m_table - std::min(head.at, m_table)) / width) {
            fault(head.at, fmt::format("{} letters or bytes before {}", head.count, m_table),
                  "fewer");
            return std::nullopt;
        }
        if (head.count * width > m_left) {
            fault(head.at, fmt::format("{} bytes of texts at most", kMostTexts), "more");
            return std::nullopt;
        }
        m_left -= head.count * width;
        const std::string_view raw = m_text.substr(head.at, head.count * width);
        if (head.kind == 4)
            return hexBytesText(std::as_bytes(std::span(raw)), "");
        if (head.kind == 5)
            return cleanUtf8(raw);
        std::string json = "\""; // which knows how to join UTF-16 to UTF-8
        for (std::size_t i = 0; i < raw.size(); i += 2)
            json += fmt::format("\\u{:02x}{:02x}", static_cast<unsigned char>(raw[i]),
                                static_cast<unsigned char>(raw[i + 1]));
        const Json letters = Json::parse(json + '"', nullptr, false);
        if (!letters.is_discarded())
            return letters.get<std::string>();
        fault(head.at, "UTF-16", "halves of letters");
        return std::nullopt;
    }

    /// An integer, a real number, a date in seconds since 2001, or a UID.
    std::optional<std::string> numberText(const Head &head)
    {
        const std::uint64_t bytes = head.kind == 8 ? head.low + 1 : std::uint64_t{1} << head.low;
        const bool wide = head.kind == 1 && bytes == 16; // its upper half is a sign
        const auto value = number(head.at + (wide ? 8 : 0), wide ? 8 : bytes, m_table);
        if (!value)
            return std::nullopt;
        if (head.kind == 1 || head.kind == 8)
            return bytes == 8 ? fmt::format("{}", static_cast<std::int64_t>(*value))
                              : fmt::format("{}", *value);
        if (bytes == 4)
            return fmt::format("{}", std::bit_cast<float>(static_cast<std::uint32_t>(*value)));
        if (bytes == 8)
            return fmt::format("{}{}", std::bit_cast<double>(*value),
                               head.kind == 3 ? " s after 2001-01-01" : "");
        fault(head.at, "a number of 4 or 8 bytes", fmt::format("{} bytes", bytes));
        return std::nullopt;
    }

    std::optional<std::uint64_t> memberAt(const Head &head, std::uint64_t index)
    {
        return number(head.at + index * m_referenceBytes, m_referenceBytes, m_table);
    }

    /// A number of up to 8 bytes that lies before `end`.
    std::optional<std::uint64_t> number(std::uint64_t at, std::uint64_t bytes, std::uint64_t end)
    {
        if (bytes > 8 || at > end || bytes > end - at) {
            fault(at, fmt::format("{} bytes before {}", bytes, end), "fewer");
            return std::nullopt;
        }
        std::uint64_t value = 0;
        for (std::uint64_t i = 0; i < bytes; ++i)
            value = value << 8 | static_cast<unsigned char>(m_text[at + i]);
        return value;
    }

    bool fault(std::uint64_t at, std::string expected, std::string found)
    {
        m_error = plistFault(m_file, std::min<std::uint64_t>(at, m_text.size()),
                             std::move(expected), std::move(found));
        return false;
    }

    /// Equal texts are stored once, so that more may be read than the file has.
    static constexpr std::uint64_t kHeader = 8, kTrailer = 32, kMostTexts = 16 << 20;
    std::string_view m_text;
    const std::string &m_file;
    std::uint64_t m_objects = 0, m_top = 0, m_table = 0; ///< of the trailer
    std::uint64_t m_offsetBytes = 0, m_referenceBytes = 0;
    std::size_t m_visits = 0;
    std::uint64_t m_left = kMostTexts; ///< bytes of texts that may still be read
    std::vector<Pending> m_pending;
    std::vector<Leaf> m_leaves;
    Error m_error;
};

} // namespace

Result<std::vector<Leaf>> jsonLeaves(std::string_view text, const std::string &file)
{
    const auto refuse = [&](std::uint64_t at, std::string expected, std::string found) {
        return refused({file, FileOffset(at)}, "coreai_cache.json", {}, expected, found,
                       "The JSON text cannot be read");
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
    return text.starts_with("bplist0") ? BinaryPlist(text, file).read()
                                       : PlistReader(text, file).read();
}

} // namespace kernscope::coreai_cache
