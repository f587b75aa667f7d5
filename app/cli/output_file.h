// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace kernscope::cli {

/// A file that appears whole or not at all: written beside its place under another name and renamed
/// at the end. Without commit() nothing is left behind.
class OutputFile
{
public:
    /// Errors: "io.write".
    static Result<OutputFile> create(const std::filesystem::path &path);
    ~OutputFile();
    OutputFile(OutputFile &&other) noexcept;
    OutputFile &operator=(OutputFile &&) = delete;

    /// Errors: "io.write".
    Result<void> write(std::span<const std::byte> bytes);
    /// Flushes to the disk and puts the file in its place. Errors: "io.write", and "io.changed"
    /// where what the command reads was changed meanwhile.
    Result<void> commit();
    std::uint64_t bytesWritten() const { return m_bytes; }

private:
    OutputFile(std::filesystem::path path, std::string temporary, int descriptor);
    Error failure(int number) const;

    std::filesystem::path m_path;
    std::string m_temporary; ///< empty once committed
    int m_descriptor = -1;
    std::uint64_t m_bytes = 0;
};

/// A whole file at once. Errors: "io.write".
Result<void> writeFile(const std::filesystem::path &path, std::span<const std::byte> bytes);

} // namespace kernscope::cli
