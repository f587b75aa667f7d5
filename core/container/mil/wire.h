// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/mil/faults.h"

#include <functional>

#include <google/protobuf/io/coded_stream.h>

namespace kernscope::mil {

/// Bytes of a protobuf message and where they lie in the file.
struct WireBytes {
    std::span<const std::byte> bytes;
    std::uint64_t offset = 0;

    SourceSpan span() const { return {offset, bytes.size()}; }
    std::uint64_t end() const { return offset + bytes.size(); }
};

/// One field of a message.
struct WireField {
    enum class Type : std::uint8_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };
    std::uint32_t number = 0;
    Type type = Type::Varint;
    std::uint64_t value = 0; ///< Varint, Fixed32, Fixed64
    WireBytes content;       ///< Bytes: the content; else the bytes that write the value
    bool cut = false;        ///< Bytes: the file ends before the content does

    bool isBytes() const { return type == Type::Bytes; }
};

/// Faults of one protobuf file, and whether it ends too early.
struct WireState {
    Faults faults;
    std::uint64_t fileBytes = 0;
    bool cut = false;  ///< reported once; what came before is kept
    bool lost = false; ///< a fault hides parts of the program whose names are not known

    bool fail(std::string_view code, SourceSpan place, std::string_view expected,
              std::string_view found, std::string_view message);
    /// A string, with malformed UTF-8 replaced and warned of.
    std::string text(const WireBytes &bytes);
    /// A length or a number reaches over `end`, the end of what holds it.
    bool overrun(SourceSpan place, std::uint64_t end, std::string_view found);
};

/// Steps through the fields of one message. Groups, which no writer has used for many years, are
/// faults. Unknown fields are the caller's to ignore.
class WireMessage
{
public:
    WireMessage(const WireBytes &message, WireState &state);

    /// False at the end of the message and at a fault, which has then been reported.
    bool next(WireField &field);
    bool broken() const { return m_broken; }

private:
    bool readValue(WireField &field);
    bool readBytes(WireField &field);
    std::uint64_t position() const;
    bool stop(std::uint64_t begin, std::string_view found);

    WireBytes m_message;
    WireState &m_state;
    google::protobuf::io::CodedInputStream m_stream;
    bool m_broken = false;
};

/// Calls `visit(field)` for the fields of a message; one that is broken ends there.
template <class Visit>
void forEachField(const WireBytes &message, WireState &state, const Visit &visit)
{
    WireMessage reader(message, state);
    for (WireField field; reader.next(field);)
        visit(field);
}

/// Calls `take` with the integers of a repeated field, packed or not.
void forEachInteger(const WireField &field, const std::function<void(std::uint64_t)> &take);

} // namespace kernscope::mil
