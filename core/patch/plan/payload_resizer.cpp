// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/plan/payload_resizer.h"

#include "core/base/error_builder.h"
#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/container/milblob/milblob.h"
#include "core/patch/edit/literal_rewrite.h"
#include "core/patch/plan/weight_planner.h"

#include <algorithm>
#include <array>
#include <utility>
#include <variant>

#include <fmt/format.h>

namespace kernscope::patch {

namespace {

std::array<std::byte, 8> littleEndian(std::uint64_t value)
{
    std::array<std::byte, 8> bytes{};
    for (std::byte &byte : bytes) {
        byte = static_cast<std::byte>(value & 0xff);
        value >>= 8;
    }
    return bytes;
}

Error spaceError(const Bundle &bundle, const codec::Operand &operand, std::string expected,
                 std::string found)
{
    ErrorBuilder error("patch.space");
    error.field(codec::partRoleName(operand.role))
        .expected(std::move(expected))
        .found(std::move(found))
        .message("There is no room for another stored element; dropping one of the same weight "
                 "first makes room");
    if (!operand.place->isLiteral())
        error.file(bundle.files()[operand.place->file].path)
            .at(FileOffset(operand.place->range().end()));
    return error;
}

/// Elements that one index of a sparse palette stands for.
std::uint64_t vectorOf(const Weight &weight)
{
    const codec::Palette *palette = weight.form.palette();
    return palette ? std::max<std::uint64_t>(1, palette->vector) : 1;
}

} // namespace

std::uint64_t freeBytesBehind(const Bundle &bundle, std::size_t file, FileOffset end)
{
    const auto bytes = bundle.files()[file].file->bytes();
    std::uint64_t free = 0;
    while (end.value + free < bytes.size()) {
        const std::size_t index = bundle.sectionAt(file, FileOffset(end.value + free));
        if (index == kNoIndex)
            break;
        const Section &section = bundle.sections()[index];
        const auto rest = bytes.subspan(end.value + free, section.range.end() - end.value - free);
        const bool zeros =
            std::all_of(rest.begin(), rest.end(), [](std::byte b) { return b == std::byte{0}; });
        if (section.kind != SectionKind::Padding &&
            !(section.kind == SectionKind::Unknown && zeros))
            break;
        free += rest.size();
    }
    return free;
}

PayloadResizer::PayloadResizer(const Bundle &bundle, std::size_t weight,
                               const codec::Operand &operand, Recorder &recorder)
    : m_bundle(bundle), m_weight(weight), m_operand(operand), m_place(*operand.place),
      m_recorder(recorder)
{
}

Result<void> PayloadResizer::resize(ElementCount elements, const codec::PartEdit &tail)
{
    const auto bytes = packedBytes(elements, m_operand.declaredType());
    if (m_place.isLiteral() || m_operand.declaredShape().size() != 1 || !bytes) {
        return ErrorBuilder(
                   spaceError(m_bundle, m_operand, "non-zero values in a weight file", "a literal"))
            .message("The kept values are written in the program: their number stays as it is")
            .unexpected();
    }
    if (auto alone = checkAlone(); !alone)
        return alone;
    if (auto room = checkRoom(bytes->value); !room)
        return room;
    if (auto written = writePayload(bytes->value, tail); !written)
        return written;
    if (auto written = writeRecord(elements, bytes->value); !written)
        return written;
    return writeExtents(elements.value);
}

/// The count is part of what each reader declares: a second reader would no longer agree.
Result<void> PayloadResizer::checkAlone() const
{
    for (const codec::Operand &operand : m_bundle.weights()[m_weight].operands()) {
        const bool counted =
            operand.role == codec::PartRole::Mask || operand.role == m_operand.role;
        const auto others =
            counted ? sharers(m_bundle, m_weight, *operand.place) : std::vector<std::string>();
        if (others.empty())
            continue;
        return ErrorBuilder("patch.shared")
            .field(std::string(codec::partRoleName(operand.role)))
            .expected("a mask and non-zero values of this weight alone")
            .found(fmt::format("also those of {}", fmt::join(others, ", ")))
            .message("Another weight reads the same non-zero values, whose number would change")
            .unexpected();
    }
    return {};
}

Result<void> PayloadResizer::checkRoom(std::uint64_t bytes) const
{
    if (bytes <= m_place.bytes.value)
        return {};
    const std::uint64_t more = bytes - m_place.bytes.value;
    const std::uint64_t free =
        freeBytesBehind(m_bundle, m_place.file, FileOffset(m_place.range().end()));
    if (more <= free)
        return {};
    return tl::unexpected(spaceError(m_bundle, m_operand, fmt::format("{} free bytes", more),
                                     fmt::format("{} free bytes behind the payload", free)));
}

Result<void> PayloadResizer::writePayload(std::uint64_t bytes, const codec::PartEdit &tail)
{
    if (tail.offset > bytes || tail.bytes.size() != bytes - tail.offset) {
        return tl::unexpected(spaceError(m_bundle, m_operand, fmt::format("{} bytes", bytes),
                                         fmt::format("{} bytes", tail.offset + tail.bytes.size())));
    }
    const std::uint64_t start = m_place.dataOffset.value;
    auto written = m_recorder.write(m_place.file, FileOffset(start + tail.offset), tail.bytes);
    if (!written || bytes >= m_place.bytes.value)
        return written;
    const std::vector<std::byte> zeros(m_place.bytes.value - bytes);
    return m_recorder.write(m_place.file, FileOffset(start + bytes), zeros);
}

Result<void> PayloadResizer::writeRecord(ElementCount elements, std::uint64_t bytes)
{
    const std::uint64_t meta = m_place.metaOffset.value;
    auto written =
        m_recorder.write(m_place.file, FileOffset(meta + milblob::kBytesAt), littleEndian(bytes));
    // Of whole-byte types the field has no meaning and keeps what it holds.
    const unsigned width = bitWidth(m_operand.declaredType());
    if (!written || width >= 8)
        return written;
    const std::uint64_t padding = 8 * bytes - elements.value * width;
    return m_recorder.write(m_place.file, FileOffset(meta + milblob::kPaddingBitsAt),
                            littleEndian(padding));
}

Result<void> PayloadResizer::writeExtents(std::uint64_t elements)
{
    const std::size_t file = m_bundle.programFileOf(m_bundle.weights()[m_weight].model);
    const std::uint64_t before = m_operand.declaredShape().front();
    const std::uint64_t vector = vectorOf(m_bundle.weights()[m_weight]);
    std::vector<mil::SourceSpan> spans = m_place.dimSpans;
    spans.insert(spans.end(), m_place.countSpans.begin(), m_place.countSpans.end());
    for (const mil::SourceSpan span : spans) {
        const auto program = m_bundle.files()[file].file->bytes();
        auto fitted = rewriteExtent(program, span, before, elements);
        if (!fitted) // the declared output of a sparse palette counts decoded values
            fitted = rewriteExtent(program, span, before * vector, elements * vector);
        if (!fitted) {
            return ErrorBuilder(spaceError(m_bundle, m_operand,
                                           fmt::format("room for {} in {} characters",
                                                       elements * vector, span.length),
                                           "no space beside the number"))
                .file(m_bundle.files()[file].path)
                .at(FileOffset(span.offset))
                .length(ByteCount(span.length))
                .message("The number of non-zero values does not fit its place in the program")
                .unexpected();
        }
        auto written = m_recorder.write(file, FileOffset(fitted->offset),
                                        std::as_bytes(std::span(fitted->bytes)));
        if (!written)
            return written;
    }
    return {};
}

} // namespace kernscope::patch
