// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/hwx/container.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace kernscope::hwx {

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
