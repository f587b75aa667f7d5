// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/little_endian.h"
#include "core/container/hwx/container.h"

/// Inside of the container's reader; see container.h for its use.
namespace kernscope::hwx {

inline constexpr std::uint64_t kCommandHead = 8; ///< cmd and size of a load command

/// Numbers and names of a run of bytes; what lies outside reads as zero and is remembered.
class Fields
{
public:
    Fields(std::span<const std::byte> file, std::uint64_t begin, std::uint64_t bytes);

    std::uint32_t u32(std::uint64_t at) const { return number<std::uint32_t>(at); }
    std::uint64_t u64(std::uint64_t at) const { return number<std::uint64_t>(at); }
    std::uint16_t u16(std::uint64_t at) const { return number<std::uint16_t>(at); }
    std::uint8_t u8(std::uint64_t at) const { return number<std::uint8_t>(at); }
    /// Up to `limit` bytes, ended by the first NUL or the end of the run.
    std::string text(std::uint64_t at, std::uint64_t limit) const;
    std::uint64_t size() const { return m_bytes.size(); }
    bool complete() const { return m_complete; } ///< nothing was read outside so far

private:
    template <class T>
    T number(std::uint64_t at) const
    {
        if (at > m_bytes.size() || m_bytes.size() - at < sizeof(T)) {
            m_complete = false;
            return 0;
        }
        return loadLittle<T>(m_bytes, at);
    }

    std::span<const std::byte> m_bytes;
    mutable bool m_complete = true;
};

/// A symbol's name as a type of the catalogue or as a stride frame; false where it is neither.
bool readTypeEntry(std::string_view name, TypeEntry &entry);
bool readTensorFrame(std::string_view name, TensorFrame &frame);

CommandKind commandKindOf(std::uint32_t cmd);

/// The load commands of a file in which a size, their number or the size of them all is wrong:
/// finds where commands stand all the same. A place counts where commands of known kinds, each of
/// a size that fits its kind, follow one another up to exactly the end of the commands.
class CommandChain
{
public:
    /// `end`: of the commands, within the file. Long tables (64 MiB and more) are not searched.
    CommandChain(std::span<const std::byte> bytes, std::uint64_t end);

    /// Commands lie from `at` up to the end without a fault.
    bool soundFrom(std::uint64_t at) const;
    /// Size of the command at `at`: the stated one where what follows agrees with it, otherwise up
    /// to the next place from which the commands are sound. Nothing where there is no such place.
    std::optional<std::uint32_t> sizeAt(std::uint64_t at) const;

private:
    std::span<const std::byte> m_bytes;
    std::uint64_t m_end;
    std::vector<bool> m_sound; ///< by words from the end of the header
};

/// `count` commands follow one another by their stated sizes up to exactly `end`, within the file.
bool statedSizesHold(std::span<const std::byte> bytes, std::uint32_t count, std::uint64_t end);

/// End of `count` commands that follow the header, each of a size that fits its kind; nothing
/// where one does not.
std::optional<std::uint64_t> endOfCommands(std::span<const std::byte> bytes, std::uint32_t count);

} // namespace kernscope::hwx
