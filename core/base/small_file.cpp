// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/small_file.h"

#include "core/base/error_builder.h"
#include "core/base/file_stamp.h"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

namespace kernscope {

Result<std::string> readSmallFile(const std::filesystem::path &path, std::uint64_t most)
{
    const auto fault = [&path](const char *code, std::string found, std::string message) {
        return ErrorBuilder(code)
            .file(path.string())
            .found(std::move(found))
            .message(std::move(message))
            .unexpected();
    };
    const auto systemText = [] { return std::generic_category().message(errno); };
    // O_NONBLOCK: opening a pipe without a writer must not wait.
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return fault("io.open", systemText(), "The file cannot be opened");
    struct stat status = {};
    if (::fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
        ::close(file);
        return fault("io.open", std::string(fileKindText(status.st_mode)),
                     "Only a regular file is read");
    }
    constexpr std::uint64_t kStep = std::uint64_t{1} << 20;
    std::string text;
    const bool fits = static_cast<std::uint64_t>(status.st_size) <= most;
    ssize_t got = fits ? 1 : 0; // a huge one is not read to be refused
    while (got > 0 && text.size() <= most) {
        const std::size_t before = text.size();
        text.resize(before + std::min(kStep, most + 1 - before));
        do
            got = ::read(file, text.data() + before, text.size() - before);
        while (got < 0 && errno == EINTR);
        text.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    }
    const std::string why = got < 0 ? systemText() : std::string();
    ::close(file);
    if (got < 0)
        return fault("io.read", why, "The file cannot be read");
    if (!fits || text.size() > most)
        return fault("io.limit", "more", fmt::format("Such a file has at most {} bytes", most));
    return text;
}

} // namespace kernscope
