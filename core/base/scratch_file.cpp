// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/scratch_file.h"

#include "core/base/error_builder.h"
#include "core/base/overlaid_file.h"

#include <cerrno>
#include <cstdlib>
#include <limits>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <fmt/format.h>

namespace kernscope {

namespace {

/// A descriptor, or -1.
int withoutName(const std::filesystem::path &folder)
{
    const int descriptor = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (descriptor >= 0)
        return descriptor;
    std::string name = (folder / ".kernscope-scratch-XXXXXX").string(); // no O_TMPFILE there
    const int named = ::mkostemp(name.data(), O_CLOEXEC);
    if (named >= 0)
        ::unlink(name.c_str());
    return named;
}

/// Room for all of it: a page without a place on the disk would end the process when written.
int fillWith(int descriptor, std::uint64_t bytes)
{
    if (bytes > static_cast<std::uint64_t>(std::numeric_limits<off_t>::max()))
        return EFBIG;
    int fault = EINTR;
    while (fault == EINTR)
        fault = bytes > 0 ? ::posix_fallocate(descriptor, 0, static_cast<off_t>(bytes)) : 0;
    return fault;
}

} // namespace

Result<ScratchFile> ScratchFile::make(std::uint64_t bytes, const std::filesystem::path &folder)
{
    std::error_code none;
    int fault = 0;
    for (const auto &place : {folder, std::filesystem::temp_directory_path(none)}) {
        ScratchFile made;
        made.m_descriptor = place.empty() ? -1 : withoutName(place);
        fault = made.m_descriptor < 0 ? errno : fillWith(made.m_descriptor, bytes);
        if (fault != 0)
            continue;
        if (bytes == 0)
            return made;
        void *mapped =
            ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, made.m_descriptor, 0);
        if (mapped != MAP_FAILED) {
            made.m_bytes = {static_cast<std::byte *>(mapped), bytes};
            return made;
        }
        fault = errno;
    }
    return ErrorBuilder("io.write")
        .file(folder.string())
        .expected(fmt::format("room for {} bytes", bytes))
        .found(std::generic_category().message(fault))
        .message("There is no room to make the file in")
        .unexpected();
}

ScratchFile::ScratchFile(ScratchFile &&other) noexcept
    : m_descriptor(std::exchange(other.m_descriptor, -1)), m_bytes(std::exchange(other.m_bytes, {}))
{
}

ScratchFile::~ScratchFile()
{
    if (!m_bytes.empty())
        ::munmap(m_bytes.data(), m_bytes.size());
    if (m_descriptor >= 0)
        ::close(m_descriptor);
}

Result<std::shared_ptr<OverlaidFile>> ScratchFile::asFile(std::uint64_t bytes,
                                                          std::string name) const
{
    return OverlaidFile::withoutPath(m_descriptor, bytes, std::move(name));
}

} // namespace kernscope
