// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/hwx/command_chain.h"

#include "core/base/little_endian.h"
#include "core/container/hwx/hwx_codes.h"
#include "core/container/hwx/reader.h"

namespace kernscope::hwx {

namespace {

constexpr std::uint64_t kWord = 4;
constexpr std::uint64_t kLongest = std::uint64_t{64} << 20;

/// A multiple of four that the kind of the command can have.
bool fitsKind(std::span<const std::byte> bytes, std::uint64_t at, CommandKind kind,
              std::uint32_t size)
{
    const auto word = [&](std::uint64_t into) {
        return loadLittle<std::uint32_t>(bytes, at + into);
    };
    if (size < kCommandHead || size % kWord != 0)
        return false;
    switch (kind) {
    case CommandKind::Segment:
        return size >= 72 && std::uint64_t{size} == 72 + 80 * std::uint64_t{word(64)};
    case CommandKind::SymbolTable: return size == 24;
    case CommandKind::Thread: return size >= 16 && size >= 16 + 4 * std::uint64_t{word(12)};
    case CommandKind::Binding32: return size > 20 && word(8) >= 20 && word(8) < size;
    case CommandKind::Binding64: return size > 24 && word(8) >= 24 && word(8) < size;
    case CommandKind::Signature: return size == 16;
    case CommandKind::Note: return size >= 40;
    case CommandKind::Ident: return true;
    case CommandKind::Unknown: break;
    }
    return false;
}

/// Size of a command that is whole and fits its kind; 0 where there is none at `at`.
std::uint32_t soundSize(std::span<const std::byte> bytes, std::uint64_t at, std::uint64_t end)
{
    if (at > end || end - at < kCommandHead)
        return 0;
    const auto size = loadLittle<std::uint32_t>(bytes, at + kWord);
    const CommandKind kind = commandKindOf(loadLittle<std::uint32_t>(bytes, at));
    return size <= end - at && fitsKind(bytes.first(end), at, kind, size) ? size : 0;
}

} // namespace

CommandKind commandKindOf(std::uint32_t cmd)
{
    const std::string_view name = codeName("command", cmd);
    if (name.empty())
        return CommandKind::Unknown;
    for (CommandKind kind = CommandKind::Segment; kind != CommandKind::Unknown;
         kind = static_cast<CommandKind>(static_cast<int>(kind) + 1)) {
        if (commandKindName(kind) == name)
            return kind;
    }
    return CommandKind::Unknown;
}

CommandChain::CommandChain(std::span<const std::byte> bytes, std::uint64_t end)
    : m_bytes(bytes), m_end(end)
{
    if (end < kHeaderBytes || (end - kHeaderBytes) % kWord != 0 || end - kHeaderBytes > kLongest)
        return;
    const std::uint64_t words = (end - kHeaderBytes) / kWord;
    m_sound.resize(words + 1);
    m_sound[words] = true;
    for (std::uint64_t i = words; i-- > 0;) {
        const std::uint32_t size = soundSize(bytes, kHeaderBytes + kWord * i, end);
        m_sound[i] = size != 0 && m_sound[i + size / kWord];
    }
}

bool CommandChain::soundFrom(std::uint64_t at) const
{
    const std::uint64_t word = (at - kHeaderBytes) / kWord;
    return at >= kHeaderBytes && at % kWord == 0 && word < m_sound.size() && m_sound[word];
}

std::optional<std::uint32_t> CommandChain::sizeAt(std::uint64_t at) const
{
    const auto stated = loadLittle<std::uint32_t>(m_bytes, at + kWord);
    const bool inside = stated >= kCommandHead && stated <= m_end - at;
    if (inside && soundFrom(at + stated))
        return stated;
    // The fault is in a later command where this one leads to another.
    if (inside && m_end - at - stated >= kCommandHead) {
        const bool known =
            commandKindOf(loadLittle<std::uint32_t>(m_bytes, at + stated)) != CommandKind::Unknown;
        if (soundSize(m_bytes, at + stated, m_end) != 0 ||
            (known && soundSize(m_bytes, at, m_end) != 0))
            return stated;
    }
    for (std::uint64_t next = at + kCommandHead; next <= m_end; next += kWord) {
        if (soundFrom(next))
            return static_cast<std::uint32_t>(next - at);
    }
    return inside ? std::optional(stated) : std::nullopt;
}

bool statedSizesHold(std::span<const std::byte> bytes, std::uint32_t count, std::uint64_t end)
{
    std::uint64_t at = kHeaderBytes;
    for (std::uint32_t i = 0; i < count; ++i) {
        if (at > end || end - at < kCommandHead)
            return false;
        const auto size = loadLittle<std::uint32_t>(bytes, at + kWord);
        if (size < kCommandHead || size > end - at)
            return false;
        at += size;
    }
    return at == end;
}

std::optional<std::uint64_t> endOfCommands(std::span<const std::byte> bytes, std::uint32_t count)
{
    std::uint64_t at = kHeaderBytes;
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t size = soundSize(bytes, at, bytes.size());
        if (size == 0)
            return std::nullopt;
        at += size;
    }
    return at;
}

} // namespace kernscope::hwx
