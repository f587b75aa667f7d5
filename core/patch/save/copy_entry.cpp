// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/save/copy_entry.h"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace kernscope::patch {

namespace {

namespace fs = std::filesystem;

struct Extent {
    std::uint64_t bytes = 0;
    bool sparse = false; ///< fewer blocks than bytes: it has holes
};

Result<Extent> extentOf(const DiskFile &file)
{
    struct stat status = {};
    if (::fstat(file.descriptor(), &status) != 0)
        return tl::unexpected(
            ioError("io.read", file.name(), "The file cannot be examined", errno));
    const auto bytes = static_cast<std::uint64_t>(status.st_size);
    return Extent{bytes, static_cast<std::uint64_t>(status.st_blocks) * 512 < bytes};
}

bool allZero(std::span<const std::byte> bytes)
{
    return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{}; });
}

Result<void> copyBytes(const DiskFile &in, const DiskFile &out, const Extent &extent,
                       Progress *progress)
{
    std::vector<std::byte> block(kCopyBlock);
    for (std::uint64_t at = 0; at < extent.bytes; at += kCopyBlock) {
        const auto some = std::span(block).first(
            static_cast<std::size_t>(std::min<std::uint64_t>(kCopyBlock, extent.bytes - at)));
        if (auto read = in.readAt(at, some); !read)
            return read;
        if (!extent.sparse || !allZero(some)) {
            if (auto written = out.writeAt(at, some); !written)
                return written;
        }
        if (progress != nullptr && !progress->advance(0))
            return tl::unexpected(cancelledError("The save was cancelled; nothing was written"));
    }
    if (::ftruncate(out.descriptor(), static_cast<off_t>(extent.bytes)) != 0)
        return tl::unexpected(ioError("io.write", out.name(), "The file cannot be written", errno));
    return {};
}

} // namespace

Result<void> copyRegularFile(const fs::path &from, const fs::path &to, const std::string &name,
                             Progress *progress)
{
    const auto in = DiskFile::open(from, DiskFile::Mode::Read, name);
    if (!in)
        return tl::unexpected(in.error());
    auto out = DiskFile::open(to, DiskFile::Mode::Create, name);
    if (!out)
        return tl::unexpected(out.error());
    auto copied = copyContent(*in, *out, progress);
    if (copied)
        copyTime(from, to);
    return copied;
}

Result<void> copyContent(const DiskFile &in, const DiskFile &out, Progress *progress)
{
    // Before the bytes, so that who may not read the original cannot read the copy either.
    if (auto taken = out.takePermissions(in); !taken)
        return taken;
    const auto extent = extentOf(in);
    if (!extent)
        return tl::unexpected(extent.error());
    if (auto copied = copyBytes(in, out, *extent, progress); !copied)
        return copied;
    const auto after = extentOf(in), made = extentOf(out);
    if (!after || !made || after->bytes != extent->bytes || made->bytes != extent->bytes)
        return tl::unexpected(ioError("io.write", out.name(), "The copy has another length", EIO));
    return out.sync();
}

Result<void> copyLink(const fs::path &from, const fs::path &to, const std::string &name)
{
    std::error_code fault;
    fs::copy_symlink(from, to, fault);
    if (fault)
        return tl::unexpected(
            ioError("io.write", name, "The link cannot be copied", fault.value()));
    copyTime(from, to);
    return {};
}

Result<void> finishFolder(const fs::path &from, const fs::path &to, const std::string &name)
{
    std::error_code fault;
    const auto status = fs::status(from, fault);
    if (auto synced = syncFolder(to); !synced)
        return synced;
    if (!fault)
        fs::permissions(to, status.permissions(), fault);
    if (fault)
        return tl::unexpected(
            ioError("io.write", name, "The permissions cannot be copied", fault.value()));
    copyTime(from, to);
    return {};
}

void copyTime(const fs::path &from, const fs::path &to)
{
    struct stat status = {};
    if (::lstat(from.c_str(), &status) != 0)
        return;
    const struct timespec times[2] = {status.st_atim, status.st_mtim};
    ::utimensat(AT_FDCWD, to.c_str(), times, AT_SYMLINK_NOFOLLOW);
}

} // namespace kernscope::patch
