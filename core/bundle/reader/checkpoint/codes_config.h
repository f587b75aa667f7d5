// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_place.h"
#include "core/base/text.h"
#include "core/bundle/reader/checkpoint/scaled_tensors.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include <nlohmann/json.hpp>

namespace kernscope::checkpoint {

// Private to the sets of scaled tensors: their configuration.

/// Elements that share a scale, and bits of a code; 0: not said.
struct MlxCodes {
    std::uint64_t group = 0, bits = 0;
};

/// What config.json says of codes.
class CodesConfig
{
public:
    explicit CodesConfig(const std::vector<BundleFile> &files)
    {
        for (const BundleFile &file : files) {
            if (file.path != kConfigName)
                continue;
            const auto bytes = file.file->bytes();
            const std::string_view text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
            m_unread = text.size() > kMostConfig || !jsonFits(text);
            const nlohmann::json json =
                m_unread ? nlohmann::json() : nlohmann::json::parse(text, nullptr, false);
            m_said = at(json, "/quantization_config");
            m_mlx = json.contains("quantization") ? json["quantization"] : m_said;
        }
    }

    /// Beyond the limits: as if there were none.
    bool isUnread() const { return m_unread; }

    /// Bits of codes of compressed-tensors, of all groups.
    std::set<std::uint64_t> packedBits() const
    {
        std::set<std::uint64_t> found;
        for (const nlohmann::json &group : at(m_said, "/config_groups")) {
            const nlohmann::json &bits = at(group, "/weights/num_bits");
            if (bits.is_number_unsigned())
                found.insert(bits.get<std::uint64_t>());
        }
        return found;
    }

    /// Whether compressed-tensors packs codes that do not divide a word densely: since 0.18.
    /// Nothing where no release is said.
    std::optional<bool> dense() const
    {
        const nlohmann::json &version = at(m_said, "/version");
        const auto *text = version.get_ptr<const std::string *>();
        if (!text || text->find_first_not_of("0123456789.") != text->npos)
            return std::nullopt;
        unsigned major = 0, minor = 0;
        const char *end = text->data() + text->size();
        const auto [dot, fault] = std::from_chars(text->data(), end, major);
        if (fault != std::errc() || dot == end ||
            std::from_chars(dot + 1, end, minor).ec != std::errc())
            return std::nullopt;
        return major > 0 || minor >= 18;
    }

    /// Rows and columns of the blocks that have a scale; none where they are not said.
    std::set<Shape> blocks() const
    {
        std::vector<const nlohmann::json *> said{&at(m_said, "/weight_block_size")};
        for (const nlohmann::json &group : at(m_said, "/config_groups"))
            said.push_back(&at(group, "/weights/block_structure"));
        std::set<Shape> found;
        for (const nlohmann::json *each : said) {
            const nlohmann::json &block = *each;
            const auto isSize = [](const nlohmann::json &size) {
                return size.is_number_unsigned() && size.get<std::uint64_t>() != 0;
            };
            if (block.is_array() && block.size() == 2 && std::ranges::all_of(block, isSize))
                found.insert(block.get<Shape>());
        }
        return found;
    }

    /// Bits of the fraction of a tensor's fp6 numbers: 3 (E2M3) or 2 (E3M2), as Quark says it
    /// ("fp6_e2m3", for all layers or for those of a pattern) or b12x; 0 where it is not said.
    unsigned sixBitFraction(const std::string &name) const
    {
        const nlohmann::json *said = &at(m_said, "/global_quant_config");
        for (const auto &[pattern, layer] : at(m_said, "/layer_quant_config").items()) {
            if (matchesPattern(pattern, name) || matchesPattern(pattern + ".*", name))
                said = &layer;
        }
        for (const auto *each : {&at(*said, "/weight/dtype"), &at(m_said, "/weight_format")}) {
            const auto *text = each->get_ptr<const std::string *>();
            if (text && (text->ends_with("e2m3") || text->ends_with("e3m2")))
                return text->ends_with("3") ? 3 : 2;
        }
        return 0;
    }

    /// Those of MLX: for all modules, or for one of that name.
    MlxCodes codesOf(const std::string &module) const
    {
        const auto numbers = [](const nlohmann::json &json) {
            MlxCodes codes;
            if (json.is_object())
                for (const auto &[key, number] :
                     {std::pair("group_size", &codes.group), std::pair("bits", &codes.bits)}) {
                    const auto found = json.find(key);
                    if (found != json.end() && found->is_number_unsigned())
                        *number = found->get<std::uint64_t>();
                }
            return codes;
        };
        const auto own = m_mlx.is_object() ? m_mlx.find(module) : m_mlx.end();
        return numbers(m_mlx.is_object() && own != m_mlx.end() && own->is_object() ? *own : m_mlx);
    }

private:
    /// What is at a path; null where there is nothing.
    static const nlohmann::json &at(const nlohmann::json &json, const char *path)
    {
        static const nlohmann::json none;
        const nlohmann::json::json_pointer pointer(path);
        return json.contains(pointer) ? json.at(pointer) : none;
    }

    static constexpr std::size_t kMostConfig = std::size_t(16) << 20;
    bool m_unread = false;
    nlohmann::json m_said, m_mlx;
};

} // namespace kernscope::checkpoint
