// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"

#include <cstdint>
#include <filesystem>
#include <utility>

#include <unistd.h>

namespace kernscope {

/// Closes a file descriptor at the end of its scope.
class Descriptor
{
public:
    explicit Descriptor(int descriptor) : m_descriptor(descriptor) {}
    ~Descriptor()
    {
        if (m_descriptor >= 0)
            ::close(m_descriptor);
    }
    Descriptor(const Descriptor &) = delete;
    Descriptor &operator=(const Descriptor &) = delete;
    int get() const { return m_descriptor; }
    int release() { return std::exchange(m_descriptor, -1); }

private:
    int m_descriptor;
};

/// Bytes of [first, end) of a file that lie in holes: read as zeros, not on the disk. Counts on
/// until there are more than `most`. 0 where the file system does not tell.
std::uint64_t holeBytes(const std::filesystem::path &path, std::uint64_t first, std::uint64_t end,
                        std::uint64_t most);

/// `number`: an errno, whose words are what was found.
Error ioError(std::string_view code, std::string_view file, std::string_view what, int number);

} // namespace kernscope
