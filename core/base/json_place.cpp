// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json_place.h"

#include "core/base/text.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope {

namespace {

using Json = nlohmann::json;

/// Takes whatever JSON there is, for the place at which it stops being JSON.
class FaultPlace final : public nlohmann::json_sax<Json>
{
public:
    std::size_t place = 0;

    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t &) override { return true; }
    bool string(string_t &) override { return true; }
    bool binary(binary_t &) override { return true; }
    bool start_object(std::size_t) override { return true; }
    bool key(string_t &) override { return true; }
    bool end_object() override { return true; }
    bool start_array(std::size_t) override { return true; }
    bool end_array() override { return true; }
    bool parse_error(std::size_t position, const std::string &,
                     const nlohmann::detail::exception &) override
    {
        place = position > 0 ? position - 1 : 0; // it counts the characters that were read
        return false;
    }
};

} // namespace

bool jsonFits(std::string_view text)
{
    constexpr std::size_t kMostDepth = 64, kMostValues = 1'000'000;
    std::size_t depth = 0, values = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (c == '"') {
            while (++at < text.size() && text[at] != '"')
                at += text[at] == '\\' ? 1 : 0;
        } else if (c == '[' || c == '{') {
            ++values;
            if (++depth > kMostDepth)
                return false;
        } else if (c == ']' || c == '}') {
            depth -= depth > 0 ? 1 : 0;
        }
        values += c == ',' ? 1 : 0;
        if (values > kMostValues)
            return false;
    }
    return true;
}

std::uint64_t jsonFaultOffset(std::string_view text)
{
    FaultPlace sax;
    (void)Json::sax_parse(text.begin(), text.end(), &sax);
    return std::min(sax.place, text.size());
}

std::string jsonTextAt(std::string_view text, std::uint64_t offset)
{
    constexpr std::size_t kShown = 24;
    return offset < text.size() ? printable(text.substr(offset, kShown)) : "the end";
}

std::uint64_t jsonKeyOffset(std::string_view text, std::string_view key)
{
    const std::size_t at = text.find(fmt::format("\"{}\"", key));
    return at == std::string_view::npos ? 0 : at;
}

} // namespace kernscope
