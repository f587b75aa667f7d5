// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/save/backup.h"

#include "core/base/error_builder.h"
#include "core/base/output_place.h"
#include "core/base/sha256.h"
#include "core/bundle/bundle.h"
#include "core/container/aimodel/package.h"
#include "core/patch/save/file_io.h"

#include <system_error>

namespace kernscope::patch {

namespace {

namespace fs = std::filesystem;

constexpr int kMostBackups = 10'000;

/// What stands where a backup is to go.
enum class BackupSpot : std::uint8_t { Free, Taken, Same };

bool sameContent(const fs::path &a, const fs::path &b)
{
    const auto first = DiskFile::open(a, DiskFile::Mode::ReadPlain, a.filename().string());
    const auto second = DiskFile::open(b, DiskFile::Mode::ReadPlain, b.filename().string());
    return first && second && patch::sameContent(*first, *second);
}

/// A link is never followed, whatever it leads to: nothing is put behind it.
BackupSpot spotOf(const fs::path &file, const BackupPlace &place)
{
    std::error_code fault;
    fs::path at = place.root;
    const fs::path below = place.path.lexically_relative(place.root);
    auto type = fs::symlink_status(at, fault).type();
    // What cannot be looked at (a name that is too long) is no backup either: copying says why.
    const auto absent = [&type] {
        return type == fs::file_type::not_found || type == fs::file_type::none;
    };
    for (auto part = below.begin(); below != "." && part != below.end(); ++part) {
        if (absent())
            return BackupSpot::Free;
        if (type != fs::file_type::directory)
            return BackupSpot::Taken;
        at /= *part;
        type = fs::symlink_status(at, fault).type();
    }
    if (absent())
        return BackupSpot::Free;
    return type == fs::file_type::regular && sameContent(file, at) ? BackupSpot::Same
                                                                   : BackupSpot::Taken;
}

/// Whole or not there, and nothing that is there already goes for it.
Result<void> copyFile(const fs::path &from, const fs::path &to)
{
    std::error_code fault;
    fs::create_directories(to.parent_path(), fault);
    auto place = OutputPlace::claim(to, OutputKind::File, {});
    if (!place)
        return tl::unexpected(ErrorBuilder(std::move(place.error()))
                                  .code("io.write")
                                  .message("The backup cannot be made"));
    const std::string name = to.filename().string();
    const auto in = DiskFile::open(from, DiskFile::Mode::Read, name);
    const auto out = DiskFile::open(place->temporary(), DiskFile::Mode::Change, name);
    if (!in || !out)
        return tl::unexpected(in ? out.error() : in.error());
    TRY(copyContent(*in, *out, nullptr));
    copyTime(from, place->temporary());
    return place->publish();
}

} // namespace

bool isBundleFolder(const fs::path &folder)
{
    std::error_code fault;
    const fs::path suffix = folder.extension();
    return suffix == ".mlmodelc" || suffix == ".mlpackage" ||
           fs::is_regular_file(folder / "model.mil", fault) || kernscope::isBundleFolder(folder);
}

BackupPlace backupPlace(const fs::path &file, int number)
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
    fs::path root = outermost.empty() ? real : outermost;
    root += number == 1 ? ".bak" : ".bak." + std::to_string(number);
    return {root, outermost.empty() ? root : root / real.lexically_relative(outermost)};
}

Result<std::vector<fs::path>> backUp(const std::vector<fs::path> &files)
{
    std::vector<fs::path> places;
    for (int number = 1; number < kMostBackups; ++number) {
        std::vector<std::pair<fs::path, fs::path>> copies;
        places.clear();
        for (const fs::path &file : files) {
            const BackupPlace place = backupPlace(file, number);
            const BackupSpot spot = spotOf(file, place);
            if (spot == BackupSpot::Taken)
                break;
            places.push_back(place.path);
            if (spot == BackupSpot::Free)
                copies.emplace_back(file, place.path);
        }
        if (places.size() < files.size())
            continue;
        for (const auto &[from, to] : copies) {
            auto made = copyFile(from, to);
            if (made)
                continue;
            std::error_code fault;
            for (fs::path folder = to.parent_path(); fs::remove(folder, fault);) // while empty
                folder = folder.parent_path();
            return tl::unexpected(std::move(made.error()));
        }
        return places;
    }
    return ErrorBuilder("io.write")
        .file(backupPlace(files.front(), 1).root.filename().string())
        .message("There are too many backups of this bundle already")
        .unexpected();
}

namespace {

constexpr std::uint64_t kDigestBytes = 32;

std::optional<std::size_t> fileNamed(const Bundle &bundle, std::string_view name)
{
    return bundle.fileByPath(std::string(name));
}

} // namespace

std::optional<std::size_t> followingFile(const Bundle &bundle)
{
    if (bundle.kind() != BundleKind::Aimodel)
        return std::nullopt;
    const auto module = fileNamed(bundle, aimodel::kModuleFile);
    const auto hash = fileNamed(bundle, aimodel::kHashFile);
    const bool follows = module && hash && bundle.files()[*module].file->modified() &&
                         bundle.files()[*hash].file->size().value == kDigestBytes;
    return follows ? hash : std::nullopt;
}

Result<std::shared_ptr<OverlaidFile>> followed(const Bundle &bundle, std::size_t file)
{
    const auto module = fileNamed(bundle, aimodel::kModuleFile);
    Sha256 sum;
    sum.update(bundle.files()[*module].file->bytes());
    const auto digest = TRY(sum.finish());
    auto own = TRY(bundle.files()[file].file->fork());
    TRY(own->write(FileOffset(0), digest));
    return own;
}

} // namespace kernscope::patch
