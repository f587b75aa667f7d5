// SPDX-License-Identifier: GPL-3.0-or-later
// Whether an output may be written at a path.
#include "core/base/error_builder.h"
#include "core/base/file_stamp.h"
#include "core/base/output_place.h"
#include "core/base/seen_file.h"

#include <algorithm>
#include <cerrno>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include <sys/stat.h>

#include <fmt/format.h>

namespace kernscope {

namespace {

namespace fs = std::filesystem;

using Identity = std::pair<std::uint64_t, std::uint64_t>; ///< device, inode

tl::unexpected<Error> refusedOutput(std::string code, const fs::path &path, std::string expected,
                                    std::string found, std::string message)
{
    return ErrorBuilder(code)
        .file(path.string())
        .expected(std::move(expected))
        .found(std::move(found))
        .message(std::move(message))
        .unexpected();
}

bool liesWithin(const fs::path &path, const fs::path &folder)
{
    const auto [end, ignored] =
        std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
    return end == folder.end();
}

std::optional<Identity> identityOf(const fs::path &path)
{
    struct stat status = {};
    if (::stat(path.c_str(), &status) != 0)
        return std::nullopt;
    return Identity{status.st_dev, status.st_ino};
}

/// Whether a file that exists is one of the inputs, or one of those that an input folder holds.
bool isInput(const Identity &file, const std::vector<fs::path> &inputs)
{
    std::error_code fault;
    for (const fs::path &input : inputs) {
        if (identityOf(input) == file)
            return true;
        if (!fs::is_directory(input, fault))
            continue;
        fs::recursive_directory_iterator entry(input, fs::directory_options::skip_permission_denied,
                                               fault);
        for (; !fault && entry != fs::recursive_directory_iterator(); entry.increment(fault)) {
            if (identityOf(entry->path()) == file)
                return true;
        }
    }
    return false;
}

/// The path with its folder's links resolved; of a link, the file that it leads to.
Result<fs::path> resolved(const fs::path &path)
{
    std::error_code fault;
    struct stat status = {};
    if (::lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode)) {
        fs::path target = fs::canonical(path, fault);
        if (fault)
            return refusedOutput("io.kind", path, "a file", "a link that leads to nothing",
                                 "The output cannot be written there");
        return target;
    }
    const fs::path folder =
        fs::canonical(path.has_parent_path() ? path.parent_path() : fs::path("."), fault);
    if (!fault && !fs::is_directory(folder, fault) && !fault)
        fault = std::make_error_code(std::errc::not_a_directory);
    if (fault)
        return refusedOutput("io.write", path, "", fault.message(),
                             "The folder that the output goes into cannot be used");
    return folder / path.filename();
}

Result<void> outsideOfInputs(const fs::path &path, const fs::path &place,
                             const std::vector<fs::path> &inputs)
{
    std::error_code fault;
    for (const fs::path &input : inputs) {
        const fs::path folder = fs::canonical(input, fault);
        if (!fault && fs::is_directory(folder, fault) && liesWithin(place, folder))
            return refusedOutput("io.input", path, "a place outside of the input",
                                 place == folder ? "the input" : "a place inside of it",
                                 "The output would change what the command reads");
    }
    return {};
}

/// Whether a folder is a model or a quantised matrix, by the file that marks it.
bool isBundleFolder(const fs::path &folder)
{
    const auto has = [&folder](const char *name, fs::file_type type) {
        std::error_code fault;
        return fs::symlink_status(folder / name, fault).type() == type;
    };
    return has("model.mil", fs::file_type::regular) ||
           has("model0/model.mil", fs::file_type::regular) ||
           has("coremldata.bin", fs::file_type::regular) ||
           has("quantize.json", fs::file_type::regular) ||
           (has("Manifest.json", fs::file_type::regular) && has("Data", fs::file_type::directory));
}

} // namespace

SeenFile seenFile(const struct stat &status)
{
    SeenFile seen;
    seen.device = status.st_dev;
    seen.inode = status.st_ino;
    seen.bytes = static_cast<std::uint64_t>(status.st_size);
    seen.seconds = status.st_mtim.tv_sec;
    seen.nanoseconds = status.st_mtim.tv_nsec;
    seen.permissions = status.st_mode & 0777;
    return seen;
}

Result<OutputTarget> checkOutput(const fs::path &path, OutputKind kind, const OutputRules &rules)
{
    fs::path named = path;
    if (!named.has_filename() && kind == OutputKind::Folder) // "x.mlmodelc/"
        named = named.parent_path();
    if (!named.has_filename() || named.filename() == "." || named.filename() == "..")
        return refusedOutput("io.kind", path, "the name of an output",
                             path.empty() ? "nothing" : "a folder",
                             "The output cannot be written there");
    auto place = resolved(named);
    if (!place)
        return tl::unexpected(std::move(place.error()));
    if (auto outside = outsideOfInputs(path, *place, rules.inputs); !outside)
        return tl::unexpected(std::move(outside.error()));
    OutputTarget target{std::move(*place), std::nullopt};
    struct stat status = {};
    if (::lstat(target.path.c_str(), &status) != 0) {
        if (errno == ENOENT)
            return target;
        return refusedOutput("io.write", path, "", std::generic_category().message(errno),
                             "The output cannot be written there");
    }
    if (isInput({status.st_dev, status.st_ino}, rules.inputs))
        return refusedOutput("io.input", path, "another file than the inputs", "an input",
                             "The output would replace what the command reads");
    const bool folder = kind == OutputKind::Folder;
    if (folder ? !S_ISDIR(status.st_mode) || !isBundleFolder(target.path)
               : !S_ISREG(status.st_mode))
        return refusedOutput(
            "io.kind", path,
            fmt::format("a place where nothing is, or a {}", folder ? "bundle's folder" : "file"),
            std::string(fileKindText(status.st_mode)), "The output cannot take that place");
    if (!rules.replace)
        return refusedOutput("io.exists", path, "a place where nothing is",
                             folder ? "a bundle" : "a file",
                             "The output exists already; it is replaced with --force only");
    target.replaced = seenFile(status);
    return target;
}

} // namespace kernscope
