// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/mil/sniff.h"

#include <cctype>
#include <cstring>

namespace kernscope {

namespace {

bool beginsWith(std::span<const std::byte> bytes, std::string_view word)
{
    return bytes.size() >= word.size() && std::memcmp(bytes.data(), word.data(), word.size()) == 0;
}

} // namespace

bool looksLikeProgramText(std::span<const std::byte> bytes, std::string_view name)
{
    constexpr std::size_t kMaxBlank = 4096;
    std::size_t at = 0;
    while (at < bytes.size() && at < kMaxBlank &&
           std::isspace(std::to_integer<unsigned char>(bytes[at])) != 0)
        ++at;
    return beginsWith(bytes.subspan(at), "program") || name.ends_with(".mil");
}

/// A serialised Model begins with its specification version (field 1) and its description (2).
bool isModelProtobuf(std::span<const std::byte> bytes, std::string_view name)
{
    const bool looks = bytes.size() >= 3 && bytes[0] == std::byte(0x08) &&
                       bytes[1] < std::byte(0x80) &&
                       (bytes[2] == std::byte(0x12) || // or the kind, where nothing describes it
                        (bytes[2] & std::byte(0x87)) == std::byte(0x82));
    return looks || name.ends_with(".mlmodel");
}

} // namespace kernscope
