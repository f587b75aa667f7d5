// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "core/base/overlaid_file.h"
#include "core/base/progress.h"
#include "core/bundle/bundle_fwd.h"
#include "core/patch/save/found_journal.h"

namespace kernscope::patch {

/// Opens a bundle with the old bytes of interrupted saves laid over its files, in memory.
class JournalOverlay
{
public:
    /// `lock`: how the journals are held, Alone for whoever is going to write.
    JournalOverlay(const std::filesystem::path &path, DiskFile::Lock lock, Progress *progress);

    /// Errors: those of Bundle::open.
    Result<BundlePtr> open();

    /// The one file alone. Errors: those of OverlaidFile::open.
    Result<std::shared_ptr<OverlaidFile>> openFile();
    /// A row for each journal.
    Diagnostics notes() const;

    /// Those that were found, after open(): beside the bundle, then beside its files.
    std::vector<FoundJournal> &journals() { return m_journals; }

private:
    void look(const std::filesystem::path &journal, const std::filesystem::path &bundle);
    void take(FoundJournal found);
    void lookForMoved();
    void onMapped(const std::shared_ptr<OverlaidFile> &file);
    void lay(FoundJournal &journal, const std::filesystem::path &place, OverlaidFile &file);
    bool isJournal(const std::filesystem::path &path);

    std::filesystem::path m_path;
    DiskFile::Lock m_lock;
    Progress *m_progress;
    std::vector<SaveKey> m_keys;
    std::vector<FoundJournal> m_journals;
    std::vector<std::pair<std::filesystem::path, std::shared_ptr<OverlaidFile>>> m_mapped;
    bool m_again = false;
};

} // namespace kernscope::patch
