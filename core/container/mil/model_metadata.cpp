// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/mil/model_metadata.h"

#include "core/container/mil/utf8.h"
#include "core/container/mil/wire.h"

#include <array>
#include <limits>
#include <string_view>

namespace kernscope::mil {

namespace {

using MetadataFacts = std::vector<std::pair<std::string, std::string>>;

constexpr std::uint32_t kDescription = 2, kMetadata = 100, kUserDefined = 100;
/// The texts of a Metadata message by their fields, from 1 on.
constexpr std::array<std::string_view, 4> kMetadataTexts{"shortDescription", "version", "author",
                                                         "license"};
constexpr std::size_t kMostText = std::size_t(1) << 20; ///< as of a metadata.json

std::string metadataText(const WireBytes &bytes)
{
    return cleanUtf8({reinterpret_cast<const char *>(bytes.bytes.data()), bytes.bytes.size()});
}

/// The last field of this number, as protobuf has it of fields that are not repeated.
WireBytes lastContent(const WireBytes &message, std::uint32_t number, WireState &state)
{
    WireBytes found;
    WireMessage fields(message, state);
    for (WireField field; fields.next(field);) {
        if (field.number == number && field.type == WireField::Type::Bytes)
            found = field.content;
    }
    return found;
}

} // namespace

MetadataFacts modelMetadata(std::span<const std::byte> file)
{
    // Faults are the program reader's to report: it reads the same file.
    WireState state{Faults({}), file.size()};
    if (file.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
        return {}; // as the program reader refuses them
    const WireBytes description = lastContent({file, 0}, kDescription, state);
    const WireBytes metadata = lastContent(description, kMetadata, state);
    MetadataFacts facts;
    std::size_t room = kMostText;
    WireMessage fields(metadata, state);
    for (WireField field; fields.next(field);) {
        if (field.type != WireField::Type::Bytes)
            continue;
        if (field.content.bytes.size() > room)
            break;
        room -= field.content.bytes.size();
        std::string key, value;
        if (field.number >= 1 && field.number <= kMetadataTexts.size()) {
            key = kMetadataTexts[field.number - 1];
            value = metadataText(field.content);
        } else if (field.number == kUserDefined) {
            key = metadataText(lastContent(field.content, 1, state));
            value = metadataText(lastContent(field.content, 2, state));
        }
        if (!key.empty() && !value.empty())
            facts.emplace_back(std::move(key), std::move(value));
    }
    return facts;
}

} // namespace kernscope::mil
