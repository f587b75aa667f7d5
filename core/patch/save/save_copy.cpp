// SPDX-License-Identifier: GPL-3.0-or-later
// Saving a copy: built beside the target under another name, verified, then renamed.
#include "core/patch/patch.h"
#include "core/patch/save/file_io.h"
#include "core/patch/save/journal.h"

#include <algorithm>
#include <cerrno>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include <unistd.h>

#include <fmt/format.h>

namespace kernscope {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kCopyBlock = std::size_t{1} << 20;

Error copyError(std::string_view file, std::string_view what, int number)
{
    return patch::ioError("io.write", file, what, number);
}

class CopySave
{
public:
    CopySave(const Bundle &bundle, fs::path target, Progress *progress)
        : m_bundle(bundle), m_target(std::move(target)), m_progress(progress)
    {
        m_part = m_target;
        m_part += fmt::format(".kernscope-part-{}", ::getpid());
    }

    Result<SaveReport> run();

private:
    Result<void> build();
    Result<void> buildFolder();
    Result<void> copyEntry(const fs::directory_entry &entry, const fs::path &to);
    Result<void> writeFile(const OverlaidFile &file, const fs::path &to);
    Result<void> copyForeign(const fs::path &from, const fs::path &to);
    Result<void> verify(const OverlaidFile &file, const fs::path &to);
    Result<void> takeFolderPermissions(const fs::path &from, const fs::path &to) const;
    bool advance(std::uint64_t bytes)
    {
        return m_progress == nullptr || m_progress->advance(bytes);
    }
    bool isFolder() const;

    const Bundle &m_bundle;
    fs::path m_target, m_part;
    Progress *m_progress;
};

bool CopySave::isFolder() const
{
    std::error_code fault;
    if (fs::is_directory(m_bundle.path(), fault))
        return true;
    const bool inMemory = std::all_of(m_bundle.files().begin(), m_bundle.files().end(),
                                      [](const auto &file) { return file.file->path().empty(); });
    return inMemory && (m_bundle.kind() == BundleKind::Mlmodelc ||
                        m_bundle.kind() == BundleKind::Mlpackage || m_bundle.files().size() > 1);
}

/// What the views show, streamed from the mapping; then read back.
Result<void> CopySave::writeFile(const OverlaidFile &file, const fs::path &to)
{
    auto out = patch::File::open(to, patch::File::Mode::Create, file.name());
    if (!out)
        return tl::unexpected(std::move(out.error()));
    for (auto rest = file.bytes(); !rest.empty();) {
        const auto block = rest.first(std::min(kCopyBlock, rest.size()));
        if (auto written = out->append(block); !written)
            return written;
        if (!advance(block.size()))
            return tl::unexpected(cancelledError("The save was cancelled; nothing was written"));
        rest = rest.subspan(block.size());
    }
    if (!file.path().empty()) {
        const auto from = patch::File::open(file.path(), patch::File::Mode::Read, file.name());
        if (from) {
            if (auto taken = out->takePermissions(*from); !taken)
                return taken;
        }
    }
    if (auto synced = out->sync(); !synced)
        return synced;
    return verify(file, to);
}

Result<void> CopySave::verify(const OverlaidFile &file, const fs::path &to)
{
    const auto copy = patch::File::open(to, patch::File::Mode::Read, file.name());
    if (!copy)
        return tl::unexpected(copy.error());
    std::vector<std::byte> block(std::min<std::size_t>(kCopyBlock, file.size().value));
    const auto bytes = file.bytes();
    for (std::size_t at = 0; at < bytes.size(); at += kCopyBlock) {
        const auto wanted = bytes.subspan(at, std::min(kCopyBlock, bytes.size() - at));
        const auto found = std::span(block).first(wanted.size());
        if (auto read = copy->readAt(at, found); !read)
            return read;
        if (!std::equal(wanted.begin(), wanted.end(), found.begin())) {
            Error error;
            error.code = "patch.verify";
            error.file = file.name();
            error.offset = FileOffset(at);
            error.message = "The bytes read back are not those that were written";
            return tl::unexpected(std::move(error));
        }
        if (!advance(wanted.size()))
            return tl::unexpected(cancelledError("The save was cancelled; nothing was written"));
    }
    const auto size = copy->size();
    if (size && *size == bytes.size())
        return {};
    return tl::unexpected(copyError(file.name(), "The copy has another length", 0));
}

/// A file of the folder that the bundle did not open.
Result<void> CopySave::copyForeign(const fs::path &from, const fs::path &to)
{
    std::error_code fault;
    fs::copy_file(from, to, fault);
    if (fault)
        return tl::unexpected(
            copyError(from.filename().string(), "The file cannot be copied", fault.value()));
    return advance(0)
               ? Result<void>()
               : tl::unexpected(cancelledError("The save was cancelled; nothing was written"));
}

Result<void> CopySave::takeFolderPermissions(const fs::path &from, const fs::path &to) const
{
    std::error_code fault;
    const auto status = fs::status(from, fault);
    if (!fault)
        fs::permissions(to, status.permissions(), fault);
    if (fault)
        return tl::unexpected(
            copyError(from.filename().string(), "The permissions cannot be copied", fault.value()));
    return {};
}

Result<void> CopySave::copyEntry(const fs::directory_entry &entry, const fs::path &to)
{
    std::error_code fault;
    const std::string relative = entry.path().lexically_relative(m_bundle.path()).generic_string();
    if (const auto file = m_bundle.fileByPath(relative))
        return writeFile(*m_bundle.files()[*file].file, to);
    if (entry.is_symlink(fault)) {
        fs::copy_symlink(entry.path(), to, fault);
    } else if (entry.is_directory(fault)) {
        fs::create_directory(to, fault);
    } else if (entry.is_regular_file(fault)) {
        // Backups and journals belong to the bundle that they were made for.
        if (entry.path().extension() == patch::kJournalSuffix)
            return {};
        return copyForeign(entry.path(), to);
    }
    if (fault)
        return tl::unexpected(copyError(relative, "The entry cannot be copied", fault.value()));
    return {};
}

Result<void> CopySave::buildFolder()
{
    std::error_code fault;
    fs::create_directory(m_part, fault);
    if (fault)
        return tl::unexpected(
            copyError(m_part.filename().string(), "The folder cannot be made", fault.value()));
    if (!fs::is_directory(m_bundle.path(), fault)) { // in memory
        for (const BundleFile &file : m_bundle.files()) {
            const fs::path to = m_part / file.path;
            if (!patch::staysInside(file.path))
                return tl::unexpected(copyError(file.path, "The path leaves the bundle", EINVAL));
            fs::create_directories(to.parent_path(), fault);
            if (auto written = writeFile(*file.file, to); !written)
                return written;
        }
        return {};
    }
    fs::recursive_directory_iterator at(m_bundle.path(), fault);
    std::vector<std::pair<fs::path, fs::path>> folders{{m_bundle.path(), m_part}};
    while (!fault && at != fs::recursive_directory_iterator()) {
        const fs::path to = m_part / at->path().lexically_relative(m_bundle.path());
        if (auto copied = copyEntry(*at, to); !copied)
            return copied;
        std::error_code ignored;
        if (at->is_directory(ignored) && !at->is_symlink(ignored))
            folders.emplace_back(at->path(), to);
        at.increment(fault);
    }
    if (fault)
        return tl::unexpected(
            copyError(m_bundle.name(), "The folder cannot be listed", fault.value()));
    // At the end and from within: a folder without write permission could not be filled.
    for (auto folder = folders.rbegin(); folder != folders.rend(); ++folder) {
        auto taken = takeFolderPermissions(folder->first, folder->second);
        if (taken)
            taken = patch::syncFolder(folder->second);
        if (!taken)
            return taken;
    }
    return {};
}

Result<void> CopySave::build()
{
    if (isFolder())
        return buildFolder();
    // A lone file: the program of a folder, say, with the weight files that it names.
    const auto own = m_bundle.fileByPath(m_bundle.name());
    const std::size_t file = own.value_or(0);
    for (std::size_t i = 0; i < m_bundle.files().size(); ++i) {
        if (i == file || !m_bundle.files()[i].file->modified())
            continue;
        Error error;
        error.code = "io.write";
        error.file = m_bundle.files()[i].path;
        error.message = "Another file than the one that was opened is changed: open the whole "
                        "bundle to save a copy of it";
        return tl::unexpected(std::move(error));
    }
    if (m_bundle.files().empty())
        return tl::unexpected(copyError(m_bundle.name(), "There is no file to copy", ENOENT));
    return writeFile(*m_bundle.files()[file].file, m_part);
}

Result<SaveReport> CopySave::run()
{
    std::error_code fault;
    if (fs::exists(fs::symlink_status(m_target, fault)))
        return tl::unexpected(
            copyError(m_target.filename().string(), "The target exists already", EEXIST));
    fs::remove_all(m_part, fault);
    if (m_progress != nullptr)
        m_progress->setTotal(2 * m_bundle.totalBytes().value);
    SaveReport report;
    {
        const BundleReadLock lock(m_bundle);
        report.ranges = pendingRanges(m_bundle);
        auto built = build();
        // A copy is only made from files that stayed the same all the time; a write from pages that
        // were lost meanwhile fails as well, with a less useful error.
        if (auto same = m_bundle.checkUnchanged();
            !same && (m_progress == nullptr || !m_progress->cancelled()))
            built = std::move(same);
        if (built) {
            // rename() would replace an empty folder, or a file, that came to be meanwhile.
            if (fs::exists(fs::symlink_status(m_target, fault)))
                built = tl::unexpected(
                    copyError(m_target.filename().string(), "The target exists already", EEXIST));
        }
        if (built) {
            fs::rename(m_part, m_target, fault);
            if (fault)
                built = tl::unexpected(copyError(m_target.filename().string(),
                                                 "The copy cannot be renamed", fault.value()));
        }
        if (!built) {
            fs::remove_all(m_part, fault);
            return tl::unexpected(std::move(built.error()));
        }
    }
    if (auto synced = patch::syncFolder(m_target.parent_path()); !synced)
        return tl::unexpected(std::move(synced.error()));
    for (const WrittenRange &range : report.ranges)
        report.bytesWritten.value += range.range.bytes.value;
    report.verified = true;
    return report;
}

} // namespace

Result<SaveReport> saveCopy(const Bundle &bundle, const std::filesystem::path &target,
                            Progress *progress)
{
    std::filesystem::path place = target.lexically_normal();
    if (!place.has_filename()) // "x.mlmodelc/"
        place = place.parent_path();
    return CopySave(bundle, place, progress).run();
}

} // namespace kernscope
