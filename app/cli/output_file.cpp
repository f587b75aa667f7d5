// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/output_file.h"

#include "app/cli/command.h"

#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

namespace kernscope::cli {

OutputFile::OutputFile(std::filesystem::path path, std::string temporary, int descriptor)
    : m_path(std::move(path)), m_temporary(std::move(temporary)), m_descriptor(descriptor)
{
}

OutputFile::OutputFile(OutputFile &&other) noexcept
    : m_path(std::move(other.m_path)), m_temporary(std::exchange(other.m_temporary, {})),
      m_descriptor(std::exchange(other.m_descriptor, -1)), m_bytes(other.m_bytes)
{
}

OutputFile::~OutputFile()
{
    if (m_descriptor >= 0)
        ::close(m_descriptor);
    if (!m_temporary.empty())
        ::unlink(m_temporary.c_str());
}

Error OutputFile::failure(int number) const
{
    Error error;
    error.code = "io.write";
    error.file = m_path.string();
    error.found = std::generic_category().message(number);
    error.message = "The file cannot be written";
    return error;
}

Result<OutputFile> OutputFile::create(const std::filesystem::path &path)
{
    std::string temporary = path.string() + ".XXXXXX";
    const int descriptor = ::mkstemp(temporary.data());
    if (descriptor < 0)
        return tl::unexpected(OutputFile(path, {}, -1).failure(errno));
    OutputFile file(path, std::move(temporary), descriptor);
    const mode_t mask = ::umask(0); // mkstemp gives the owner only; a plain file follows the mask
    ::umask(mask);
    ::fchmod(descriptor, 0666 & ~mask);
    return file;
}

Result<void> OutputFile::write(std::span<const std::byte> bytes)
{
    while (!bytes.empty()) {
        const ssize_t done = ::write(m_descriptor, bytes.data(), bytes.size());
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return tl::unexpected(failure(done < 0 ? errno : EIO));
        m_bytes += static_cast<std::uint64_t>(done);
        bytes = bytes.subspan(static_cast<std::size_t>(done));
    }
    return {};
}

Result<void> OutputFile::commit()
{
    if (auto same = checkInputs(); !same)
        return same;
    if (::fsync(m_descriptor) != 0 && errno != EINVAL && errno != EROFS)
        return tl::unexpected(failure(errno));
    if (::close(std::exchange(m_descriptor, -1)) != 0)
        return tl::unexpected(failure(errno));
    if (std::rename(m_temporary.c_str(), m_path.c_str()) != 0)
        return tl::unexpected(failure(errno));
    m_temporary.clear();
    outputInPlace();
    return {};
}

Result<void> writeFile(const std::filesystem::path &path, std::span<const std::byte> bytes)
{
    auto output = OutputFile::create(path);
    if (!output)
        return tl::unexpected(std::move(output.error()));
    if (auto written = output->write(bytes); !written)
        return written;
    return output->commit();
}

} // namespace kernscope::cli
