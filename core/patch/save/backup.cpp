// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/save/backup.h"

#include "core/patch/save/file_io.h"

#include <system_error>

namespace kernscope::patch {

namespace {

namespace fs = std::filesystem;

Result<void> copyFile(const fs::path &from, const fs::path &to)
{
    std::error_code fault;
    fs::path unfinished = to;
    unfinished += ".new";
    fs::remove(unfinished, fault);
    fs::copy_file(from, unfinished, fault);
    Result<void> synced;
    if (!fault) {
        const auto time = fs::last_write_time(from, fault);
        const auto file =
            DiskFile::open(unfinished, DiskFile::Mode::Change, unfinished.filename().string());
        synced = file ? file->sync() : tl::unexpected(file.error());
        if (!fault)
            fs::last_write_time(unfinished, time, fault);
    }
    if (!fault && synced)
        fs::rename(unfinished, to, fault);
    if (!fault && synced)
        return syncFolder(to.parent_path());
    std::error_code ignored;
    fs::remove(unfinished, ignored);
    return !synced ? synced
                   : tl::unexpected(ioError("io.write", to.filename().string(),
                                            "The backup cannot be made", fault.value()));
}

} // namespace

bool isBundleFolder(const fs::path &folder)
{
    std::error_code fault;
    const fs::path suffix = folder.extension();
    return suffix == ".mlmodelc" || suffix == ".mlpackage" ||
           fs::is_regular_file(folder / "model.mil", fault) ||
           fs::is_regular_file(folder / "quantize.json", fault) ||
           (fs::is_regular_file(folder / "Manifest.json", fault) &&
            fs::is_directory(folder / "Data", fault));
}

fs::path backupPlace(const fs::path &file)
{
    std::error_code fault;
    fs::path real = fs::weakly_canonical(file, fault);
    if (fault)
        real = fs::absolute(file, fault).lexically_normal();
    fs::path outermost;
    for (fs::path folder = real.parent_path(); folder.has_relative_path();
         folder = folder.parent_path()) {
        if (isBundleFolder(folder))
            outermost = folder;
    }
    fs::path place = outermost.empty() ? real : outermost;
    place += ".bak";
    return outermost.empty() ? place : place / real.lexically_relative(outermost);
}

Result<void> backUp(const fs::path &file)
{
    const fs::path place = backupPlace(file);
    std::error_code fault;
    if (fs::exists(fs::symlink_status(place, fault)))
        return {};
    fs::create_directories(place.parent_path(), fault);
    if (fault)
        return tl::unexpected(ioError("io.write", place.parent_path().filename().string(),
                                      "The folder of the backups cannot be made", fault.value()));
    return copyFile(file, place);
}

} // namespace kernscope::patch
