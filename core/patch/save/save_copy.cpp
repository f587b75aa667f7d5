// SPDX-License-Identifier: GPL-3.0-or-later
// Saving a copy: built beside the target under another name, verified, then renamed.
#include "core/base/error_builder.h"
#include "core/bundle/bundle.h"
#include "core/patch/patch.h"
#include "core/patch/save/backup.h"
#include "core/patch/save/found_journal.h"

#include <algorithm>
#include <cerrno>
#include <set>
#include <system_error>

#include <sys/stat.h>

namespace kernscope {

namespace {

namespace fs = std::filesystem;

/// After this number of bytes the kernel is asked to start writing them out: the fsync at the end
/// cannot be interrupted and should have little left to do.
constexpr std::uint64_t kFlushEvery = std::uint64_t{8} << 20;

Error copyError(std::string_view file, std::string_view what, int number)
{
    return ioError("io.write", file, what, number);
}

/// Whether the file on disk holds exactly these bytes.
bool holds(const fs::path &path, std::span<const std::byte> bytes)
{
    const auto file = patch::DiskFile::open(path, patch::DiskFile::Mode::Read, path.string());
    const auto size = file ? file->size() : tl::unexpected(file.error());
    if (!size || *size != bytes.size())
        return false;
    std::vector<std::byte> block(patch::kCopyBlock);
    for (std::size_t at = 0; at < bytes.size(); at += block.size()) {
        const auto wanted = bytes.subspan(at, std::min(block.size(), bytes.size() - at));
        const auto found = std::span(block).first(wanted.size());
        if (!file->readAt(at, found) || !std::equal(wanted.begin(), wanted.end(), found.begin()))
            return false;
    }
    return true;
}

class CopySave
{
public:
    CopySave(const Bundle &bundle, Progress *progress, const CopyOptions &options)
        : m_bundle(bundle), m_progress(progress), m_options(options)
    {
        std::error_code fault;
        m_inMemory = std::all_of(m_bundle.files().begin(), m_bundle.files().end(),
                                 [](const auto &file) { return file.file->path().empty(); });
        const fs::path from = m_inMemory ? options.origin : bundle.path();
        if (!from.empty() && fs::is_directory(from, fault))
            m_source = from;
    }

    OutputKind kind() const
    {
        return !isFolder()                                ? OutputKind::File
               : m_bundle.kind() == BundleKind::Quantized ? OutputKind::Matrix
                                                          : OutputKind::Model;
    }

    Result<SaveReport> run(const fs::path &target)
    {
        const OutputKind kind = this->kind();
        auto place = TRY(OutputPlace::claim(target, kind, rules()));
        m_place.emplace(std::move(place));
        if (m_progress != nullptr)
            m_progress->setTotal(2 * m_bundle.totalBytes().value);
        SaveReport report;
        {
            const BundleReadLock lock(m_bundle);
            report.ranges = pendingRanges(m_bundle);
            m_followed = patch::followingFile(m_bundle);
            if (m_followed) {
                m_follower = TRY(patch::followed(m_bundle, *m_followed));
            }
            auto built = kind == OutputKind::File ? buildFile() : buildFolder();
            if (built)
                built = advance(0);
            // A copy is only made from files that stayed the same all the time; a write from pages
            // that were lost meanwhile fails as well, with a less useful error.
            if (auto same = m_bundle.checkUnchanged();
                !same && (m_progress == nullptr || !m_progress->cancelled()))
                built = std::move(same);
            if (built)
                built = m_place->publish();
            if (!built)
                return tl::unexpected(std::move(built.error()));
        }
        if (kind == OutputKind::File) // what follows a module beside it is left there
            std::erase_if(report.ranges,
                          [this](const auto &each) { return each.file != m_bundle.name(); });
        for (const WrittenRange &range : report.ranges)
            report.bytesWritten.value += range.range.bytes.value;
        report.verified = true;
        return report;
    }

private:
    OutputRules rules() const
    {
        OutputRules rules;
        rules.replace = m_options.replace;
        if (!m_options.origin.empty())
            rules.inputs.push_back(m_options.origin);
        if (m_inMemory)
            return rules;
        rules.inputs.push_back(m_bundle.path());
        for (const BundleFile &file : m_bundle.files())
            rules.inputs.push_back(file.file->path());
        return rules;
    }

    Result<void> buildFolder()
    {
        if (!m_source.empty())
            return copyTree();
        TRY(writeRemaining());
        std::error_code fault;
        fs::permissions(m_place->temporary(), fs::perms(m_place->defaultPermissions()), fault);
        return {};
    }

    /// A lone file: the program of a folder, say, with the weight files that it names.
    Result<void> buildFile()
    {
        const auto own = m_bundle.fileByPath(m_bundle.name());
        const std::size_t index = own.value_or(0);
        for (std::size_t i = 0; i < m_bundle.files().size(); ++i) {
            if (i == index || !m_bundle.files()[i].file->modified())
                continue;
            return ErrorBuilder("io.write")
                .file(m_bundle.files()[i].path)
                .message("Another file than the one that was opened is changed: open the whole "
                         "bundle to save a copy of it")
                .unexpected();
        }
        if (m_bundle.files().empty())
            return tl::unexpected(copyError(m_bundle.name(), "There is no file to copy", ENOENT));
        const OverlaidFile &file = *m_bundle.files()[index].file;
        auto out = TRY(patch::DiskFile::open(m_place->temporary(), patch::DiskFile::Mode::Change,
                                             file.name()));
        if (OverlaidFile::stampOf(file.path())) {
            const auto from =
                TRY(patch::DiskFile::open(file.path(), patch::DiskFile::Mode::Read, file.name()));
            TRY(out.takePermissions(from));
        }
        return writeFile(file, out, m_place->temporary());
    }

    Result<void> copyTree()
    {
        std::error_code fault;
        const fs::path part = m_place->temporary();
        fs::recursive_directory_iterator at(m_source, fault);
        std::vector<std::pair<fs::path, fs::path>> folders{{m_source, part}};
        while (!fault && at != fs::recursive_directory_iterator()) {
            const fs::path to = part / at->path().lexically_relative(m_source);
            TRY(copyEntry(*at, to));
            std::error_code ignored;
            if (at->is_directory(ignored) && !at->is_symlink(ignored))
                folders.emplace_back(at->path(), to);
            at.increment(fault);
        }
        if (fault)
            return tl::unexpected(ioError("io.read", m_bundle.name(),
                                          "A folder in it cannot be listed", fault.value()));
        TRY(writeRemaining());
        // At the end and from within: a folder without write permission could not be filled.
        for (auto folder = folders.rbegin(); folder != folders.rend(); ++folder) {
            const std::string name = folder->first.filename().string();
            TRY(patch::finishFolder(folder->first, folder->second, name));
        }
        return {};
    }

    /// One entry of the folder on disk. Whatever it is, it is copied, or the copy is not made.
    Result<void> copyEntry(const fs::directory_entry &entry, const fs::path &to)
    {
        std::error_code fault;
        const std::string relative = entry.path().lexically_relative(m_source).generic_string();
        const fs::file_type type = entry.symlink_status(fault).type();
        if (fault)
            return tl::unexpected(
                copyError(relative, "The entry cannot be examined", fault.value()));
        if (const auto index = m_bundle.fileByPath(relative)) {
            m_written.insert(*index);
            const OverlaidFile &file = fileAt(*index);
            // A link stays one, unless what is seen through it is not what is on disk.
            if (type != fs::file_type::symlink || file.modified() ||
                (file.path().empty() && !holds(entry.path(), file.bytes())))
                return writeNew(file, to, entry.path());
        }
        switch (type) {
        case fs::file_type::symlink: return patch::copyLink(entry.path(), to, relative);
        case fs::file_type::directory:
            fs::create_directory(to, fault);
            if (fault)
                return tl::unexpected(
                    copyError(relative, "The folder cannot be made", fault.value()));
            return {};
        case fs::file_type::regular:
            // A journal belongs to the bundle that it was made for; what only has the name is
            // copied.
            if (entry.path().extension() == patch::kJournalSuffix) {
                const auto journal =
                    patch::findJournal(entry.path(), m_source, patch::DiskFile::Lock::Shared);
                if (journal && journal->state != InterruptedState::Unknown)
                    return {};
            }
            TRY(patch::copyRegularFile(entry.path(), to, relative, m_progress));
            return advance(0);
        default: break;
        }
        return ErrorBuilder(
                   copyError(relative, "The bundle holds something that cannot be copied", 0))
            .expected("files, folders and links")
            .found("a device, a pipe or a socket")
            .unexpected();
    }

    /// Files that the bundle has in memory only, or that were removed from the disk and are mapped.
    Result<void> writeRemaining()
    {
        std::error_code fault;
        for (std::size_t i = 0; i < m_bundle.files().size(); ++i) {
            const BundleFile &file = m_bundle.files()[i];
            if (m_written.count(i) > 0)
                continue;
            if (!patch::staysInside(file.path))
                return tl::unexpected(copyError(file.path, "The path leaves the bundle", EINVAL));
            const fs::path to = m_place->temporary() / file.path;
            fs::create_directories(to.parent_path(), fault);
            TRY(writeNew(fileAt(i), to, {}));
        }
        return {};
    }

    /// What the views show, streamed from the mapping; then read back.
    Result<void> writeFile(const OverlaidFile &file, patch::DiskFile &out, const fs::path &to)
    {
        std::uint64_t at = 0, flushed = 0;
        for (auto rest = file.bytes(); !rest.empty();) {
            const auto block = rest.first(std::min(patch::kCopyBlock, rest.size()));
            TRY(out.append(block));
            at += block.size();
            if (at - flushed >= kFlushEvery) {
                out.flush(flushed, at - flushed);
                flushed = at;
            }
            TRY(advance(block.size()));
            rest = rest.subspan(block.size());
        }
        TRY(out.sync());
        TRY(verify(file, to));
        return file.checkSame(); // what was cut off meanwhile reads as zeros
    }

    /// A new file of the copy; `from` is the one on disk whose permissions it takes, where there is
    /// one.
    Result<void> writeNew(const OverlaidFile &file, const fs::path &to, const fs::path &from)
    {
        auto out = TRY(patch::DiskFile::open(to, patch::DiskFile::Mode::Create, file.name()));
        if (!from.empty()) {
            const auto original =
                TRY(patch::DiskFile::open(from, patch::DiskFile::Mode::Read, file.name()));
            TRY(out.takePermissions(original));
        }
        TRY(writeFile(file, out, to));
        if (!from.empty() && !file.path().empty() && !file.modified())
            patch::copyTime(from, to);
        return {};
    }

    Result<void> verify(const OverlaidFile &file, const fs::path &to)
    {
        const auto copy = TRY(patch::DiskFile::open(to, patch::DiskFile::Mode::Read, file.name()));
        std::vector<std::byte> block(std::min<std::size_t>(patch::kCopyBlock, file.size().value));
        const auto bytes = file.bytes();
        for (std::size_t at = 0; at < bytes.size(); at += patch::kCopyBlock) {
            const auto wanted = bytes.subspan(at, std::min(patch::kCopyBlock, bytes.size() - at));
            const auto found = std::span(block).first(wanted.size());
            TRY(copy.readAt(at, found));
            if (!std::equal(wanted.begin(), wanted.end(), found.begin())) {
                return ErrorBuilder("patch.verify")
                    .file(file.name())
                    .at(FileOffset(at))
                    .message("The bytes read back are not those that were written")
                    .unexpected();
            }
            TRY(advance(wanted.size()));
        }
        const auto size = copy.size();
        if (size && *size == bytes.size())
            return {};
        return tl::unexpected(copyError(file.name(), "The copy has another length", 0));
    }

    Result<void> advance(std::uint64_t bytes)
    {
        if (m_progress == nullptr || m_progress->advance(bytes))
            return {};
        return tl::unexpected(cancelledError("The save was cancelled; nothing was written"));
    }
    bool isFolder() const
    {
        if (!m_source.empty())
            return true;
        if (m_inMemory)
            return m_bundle.kind() == BundleKind::Mlmodelc ||
                   m_bundle.kind() == BundleKind::Mlpackage || m_bundle.files().size() > 1;
        // Of a folder that is gone its files are mapped still.
        return std::none_of(
            m_bundle.files().begin(), m_bundle.files().end(),
            [this](const BundleFile &file) { return file.file->path() == m_bundle.path(); });
    }

    /// Of the bundle, or of a file that follows another one as it is to be.
    const OverlaidFile &fileAt(std::size_t index) const
    {
        return m_follower && m_followed == index ? *m_follower : *m_bundle.files()[index].file;
    }

    const Bundle &m_bundle;
    std::optional<std::size_t> m_followed; ///< a file that follows another one (follow_hash.h)
    std::shared_ptr<OverlaidFile> m_follower;
    Progress *m_progress;
    const CopyOptions &m_options;
    bool m_inMemory = false;
    fs::path m_source; ///< the folder on disk; empty where there is none
    std::optional<OutputPlace> m_place;
    std::set<std::size_t> m_written; ///< the bundle's files that the folder on disk has too
};

} // namespace

OutputKind copyKind(const Bundle &bundle, const CopyOptions &options)
{
    return CopySave(bundle, nullptr, options).kind();
}

Result<SaveReport> saveCopy(const Bundle &bundle, const std::filesystem::path &target,
                            Progress *progress, const CopyOptions &options)
{
    return CopySave(bundle, progress, options).run(target);
}

} // namespace kernscope
