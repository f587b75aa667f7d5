// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/descriptor/format_word.h"

#include "core/format/table_rows.h"

#include <array>

#include <fmt/format.h>

namespace kernscope::descriptor {

namespace {

constexpr std::uint32_t kFirstWide = 20;
constexpr std::uint32_t kOverflowBit = 1U << 24;
constexpr std::uint32_t kInt8 = 1, kUint8 = 2, kFp16 = 3, kE4m3 = 12, kE5m2 = 13;

/// Wide lanes came with version 20; every higher number is newer than it.
bool isWide(std::uint32_t version)
{
    return version >= kFirstWide;
}

tl::unexpected<Error> refusal(std::string message, std::uint32_t version, std::string found)
{
    return refused("descriptor.format", fmt::format("format register of version {}", version), {},
                   std::move(found), std::move(message));
}

/// What a code of a lane means in a range of versions (resources/tables/format_codes.csv).
struct FormatCode {
    std::string format;
    std::uint32_t code = 0, since = 0;
    std::optional<std::uint32_t> until; ///< the last version; empty: all later ones
    format::Confidence confidence = format::Confidence::Documented;
};

const std::vector<FormatCode> &formatCodes()
{
    static const auto codes =
        tables::loadRows<FormatCode>("format_codes", {{"format", &FormatCode::format},
                                                      {"code", &FormatCode::code},
                                                      {"since_version", &FormatCode::since},
                                                      {"until_version", &FormatCode::until},
                                                      {"confidence", &FormatCode::confidence}});
    return codes;
}

std::string nameOf(format::TensorFormat tensorFormat)
{
    const auto *row = format::find(tensorFormat);
    return row == nullptr ? fmt::format("code {}", tensorFormat.value) : row->name;
}

std::optional<std::uint32_t> codeOf(std::uint32_t version, FormatLane lane,
                                    format::TensorFormat tensorFormat)
{
    switch (tensorFormat.value) {
    case kUint8: return 0;
    case kInt8: return 1;
    case kFp16: return 2;
    case kE5m2: // an output reuses the slot of fp16
        return lane == FormatLane::Output ? std::optional(2U) : std::nullopt;
    case kE4m3: return isWide(version) ? std::optional(4U) : std::nullopt;
    default: return std::nullopt;
    }
}

} // namespace

std::string_view formatLaneName(FormatLane lane)
{
    static constexpr std::array<std::string_view, 3> kNames{"source 1", "source 2", "output"};
    return kNames[static_cast<std::size_t>(lane)];
}

FormatWordLayout formatWordLayout(std::uint32_t version)
{
    if (!isWide(version))
        return {0x48, 2, std::nullopt, std::nullopt, false};
    return {0x228, 3, 0x2fc, 0x300, true};
}

std::optional<LaneRefusal> laneRefusal(std::uint32_t version, FormatLane lane,
                                       format::TensorFormat tensorFormat)
{
    struct Row {
        std::string lane, format, text, source;
        std::optional<std::uint32_t> until;
        bool quoted = false;
        format::Confidence confidence = format::Confidence::Documented;
    };
    static const auto rows =
        tables::loadRows<Row>("format_refusals", {{"lane", &Row::lane},
                                                  {"format", &Row::format},
                                                  {"until_version", &Row::until},
                                                  {"text", &Row::text},
                                                  {"quoted", &Row::quoted},
                                                  {"source", &Row::source},
                                                  {"confidence", &Row::confidence}});
    if (codeOf(version, lane, tensorFormat))
        return std::nullopt;
    const std::string name = nameOf(tensorFormat);
    for (const Row &row : rows) {
        if ((row.lane == "*" || row.lane == formatLaneName(lane)) &&
            (row.format == "*" || row.format == name) && version <= row.until.value_or(version))
            return LaneRefusal{row.text, row.quoted, row.source, row.confidence};
    }
    return LaneRefusal{};
}

std::string_view contestedCode(std::uint32_t version, format::TensorFormat tensorFormat)
{
    const auto code = codeOf(version, FormatLane::Source1, tensorFormat);
    for (const FormatCode &row : formatCodes()) {
        if (code && row.code == *code && version >= row.since &&
            version <= row.until.value_or(version) &&
            row.confidence == format::Confidence::Contested)
            return "format_codes";
    }
    return {};
}

Result<std::uint32_t> encodeFormatLane(std::uint32_t version, FormatLane lane,
                                       format::TensorFormat tensorFormat)
{
    if (auto refused = laneRefusal(version, lane, tensorFormat))
        return refusal(std::move(refused->text), version, nameOf(tensorFormat));
    return *codeOf(version, lane, tensorFormat) << formatWordLayout(version).low(lane);
}

std::string decodeFormatLane(std::uint32_t version, FormatLane lane, std::uint32_t word)
{
    const FormatWordLayout layout = formatWordLayout(version);
    const std::uint32_t code = (word & layout.mask(lane)) >> layout.low(lane);
    for (const FormatCode &row : formatCodes()) {
        if (row.code == code && version >= row.since && version <= row.until.value_or(version))
            return row.format;
    }
    return fmt::format("code {}", code);
}

Result<std::uint32_t> encodeOverflow(std::uint32_t version, FormatLane lane, bool saturate)
{
    if (!saturate)
        return 0U;
    if (lane == FormatLane::Output)
        return refusal("An output has no overflow bit", version, "saturate");
    if (!formatWordLayout(version).hasE4m3) // the compiler's own words (chapter 36)
        return refusal("E4M3Overflow is not supported", version, "saturate");
    return kOverflowBit;
}

} // namespace kernscope::descriptor
