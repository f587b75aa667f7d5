// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/mil/wire.h"

#include "core/base/byte_text.h"
#include "core/base/text.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::mil {

bool WireState::fail(std::string_view code, SourceSpan place, std::string_view expected,
                     std::string_view found, std::string_view message)
{
    faults.add(Severity::Error, faults.make(code, place.offset, place.length)
                                    .expected(expected)
                                    .found(found)
                                    .message(message));
    lost = lost || code == "proto.wire" || code == "proto.cut" || code == "mil.limit";
    return false;
}

std::string WireState::text(const WireBytes &bytes)
{
    const std::string_view view = textInBytes(bytes.bytes);
    if (const std::size_t bad = findInvalidUtf8(view); bad != std::string_view::npos) {
        faults.add(Severity::Warning, faults.make("mil.encoding", bytes.offset + bad, 1)
                                          .expected("UTF-8")
                                          .found(excerpt(view.substr(bad, 1)))
                                          .message("A string holds bytes that are not UTF-8."));
    }
    return cleanUtf8(view);
}

bool WireState::overrun(SourceSpan place, std::uint64_t end, std::string_view found)
{
    if (end < fileBytes)
        return fail("proto.wire", place, fmt::format("an end at {} or before", end), found,
                    "A field reaches over the end of its message.");
    if (!cut)
        fail("proto.cut", place, fmt::format("an end at {} or before", end), found,
             "The file ends inside a field.");
    cut = true;
    return false;
}

WireMessage::WireMessage(const WireBytes &message, WireState &state)
    : m_message(message), m_state(state),
      // the reader refuses files that an int cannot count
      m_stream(reinterpret_cast<const std::uint8_t *>(message.bytes.data()),
               static_cast<int>(message.bytes.size()))
{
}

std::uint64_t WireMessage::position() const
{
    return m_message.offset + static_cast<std::uint64_t>(m_stream.CurrentPosition());
}

bool WireMessage::stop(std::uint64_t begin, std::string_view found)
{
    constexpr std::uint64_t kLongestVarint = 10;
    m_broken = true;
    const std::uint64_t left = m_message.end() - begin;
    if (left >= kLongestVarint)
        return m_state.fail("proto.wire", {begin, kLongestVarint}, "at most 10 bytes", found,
                            "A number of the wire format has no end.");
    return m_state.overrun({begin, left}, m_message.end(), found);
}

bool WireMessage::next(WireField &field)
{
    const std::uint64_t begin = position();
    if (m_broken || begin >= m_message.end())
        return false;
    std::uint64_t tag = 0;
    if (!m_stream.ReadVarint64(&tag))
        return stop(begin, "a number without an end");
    field = WireField{};
    field.number = static_cast<std::uint32_t>(std::min<std::uint64_t>(tag >> 3, UINT32_MAX));
    const auto type = tag & 7;
    if (field.number == 0 || tag > UINT32_MAX || type == 3 || type == 4 || type > 5) {
        m_broken = true;
        return m_state.fail("proto.wire", {begin, position() - begin}, "a field",
                            fmt::format("field {} of wire type {}", tag >> 3, type),
                            "This is not a field of a protobuf message.");
    }
    field.type = static_cast<WireField::Type>(type);
    return field.isBytes() ? readBytes(field) : readValue(field);
}

bool WireMessage::readValue(WireField &field)
{
    const std::uint64_t begin = position();
    bool read = false;
    if (field.type == WireField::Type::Varint) {
        read = m_stream.ReadVarint64(&field.value);
    } else if (field.type == WireField::Type::Fixed64) {
        read = m_stream.ReadLittleEndian64(&field.value);
    } else {
        std::uint32_t value = 0;
        read = m_stream.ReadLittleEndian32(&value);
        field.value = value;
    }
    if (!read)
        return stop(begin, "a number without an end");
    const std::size_t at = static_cast<std::size_t>(begin - m_message.offset);
    const std::size_t length = static_cast<std::size_t>(position() - begin);
    field.content = {m_message.bytes.subspan(at, length), begin};
    return true;
}

/// A length that reaches over the end of the file is shortened to it, so that what is there of
/// the content can still be read.
bool WireMessage::readBytes(WireField &field)
{
    const std::uint64_t begin = position();
    std::uint64_t length = 0;
    if (!m_stream.ReadVarint64(&length))
        return stop(begin, "a length without an end");
    const std::uint64_t at = position();
    const std::uint64_t left = m_message.end() - at;
    if (length > left) {
        m_state.overrun({begin, at - begin}, m_message.end(), fmt::format("{} bytes", length));
        if (m_message.end() < m_state.fileBytes) {
            m_broken = true;
            return false;
        }
        field.cut = true;
        length = left;
    }
    field.content = {m_message.bytes.subspan(static_cast<std::size_t>(at - m_message.offset),
                                             static_cast<std::size_t>(length)),
                     at};
    m_stream.Skip(static_cast<int>(length));
    return true;
}

void forEachInteger(const WireField &field, const std::function<void(std::uint64_t)> &take)
{
    if (field.type == WireField::Type::Varint)
        take(field.value);
    if (!field.isBytes())
        return;
    std::uint64_t value = 0;
    unsigned shift = 0;
    for (const std::byte byte : field.content.bytes) {
        const auto bits = std::to_integer<std::uint64_t>(byte);
        if (shift < 64)
            value |= (bits & 0x7f) << shift;
        shift += 7;
        if (bits < 0x80) {
            take(value);
            value = shift = 0;
        }
    }
}

} // namespace kernscope::mil
