// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace kernscope {

class OverlaidFile;

/// Room in which a large file is made: a file without a name, mapped for reading and writing, so
/// that the system may move its pages to the disk. It goes with the object.
class ScratchFile
{
public:
    /// This many zeros on the disk of `folder`, or, where it takes none, among the files for a
    /// time. Error "io.write": there is no room.
    static Result<ScratchFile> make(std::uint64_t bytes, const std::filesystem::path &folder);
    ScratchFile(ScratchFile &&other) noexcept;
    ScratchFile &operator=(ScratchFile &&) = delete;
    ~ScratchFile();

    std::span<std::byte> bytes() const { return m_bytes; }
    /// The first `bytes` of it as a file of a bundle, which may outlive this. Error "io.map".
    Result<std::shared_ptr<OverlaidFile>> asFile(std::uint64_t bytes, std::string name) const;

private:
    ScratchFile() = default;

    int m_descriptor = -1;
    std::span<std::byte> m_bytes;
};

} // namespace kernscope
