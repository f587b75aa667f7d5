// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle.h"
#include "core/container/mil/program.h"
#include "core/container/milblob/milblob.h"

#include <set>

namespace kernscope {

/// A record of a weight file of the bundle.
struct BlobPlace {
    std::size_t file = 0;
    milblob::Record record;
};

/// The records that the program names, read once each, with every number checked.
class BlobTable
{
public:
    BlobTable(const std::vector<BundleFile> &files, std::string modelFolder,
              std::string programFile);

    /// A reference of the program: the error about a file that is missing or cut says how many
    /// there are.
    void count(const mil::BlobReference &reference);

    /// Errors: "blob.path", "blob.file" (not in the bundle; the same for every record of it),
    /// "blob.header" and "blob.version" of a file that cannot be used, "blob.range" (one for all
    /// records behind the end of a file that is cut), those of milblob::readRecord.
    Result<BlobPlace> find(const mil::BlobReference &reference);

    /// Whether this record, which cannot be read, is asked about for the first time.
    bool isFirstUnread(const std::string &path, std::uint64_t offset)
    {
        return m_unread.emplace(path, offset).second;
    }

    const std::string &fileName(std::size_t file) const { return m_files[file].path; }
    /// The sound records of a file that the program has named, by offset.
    std::vector<milblob::Record> named(std::size_t file) const;
    bool names(std::size_t file) const; ///< the program names the file
    /// Several of its records lie behind its end, which find() said once.
    bool isCut(std::size_t file) const
    {
        const auto behind = m_behindEnd.find(file);
        return behind != m_behindEnd.end() && behind->second > 1;
    }

private:
    Result<std::size_t> findFile(const mil::BlobReference &reference);
    Result<milblob::Record> readRecord(std::size_t file, FileOffset offset) const;
    bool isBehindEnd(std::size_t file, std::uint64_t offset, const Error &error) const;
    Error cutOr(Error error, std::size_t file, std::uint64_t offset);
    Error place(Error error, const mil::BlobReference &reference) const;

    const std::vector<BundleFile> &m_files;
    std::string m_modelFolder;
    std::string m_programFile;
    std::map<std::pair<std::size_t, std::uint64_t>, Result<milblob::Record>> m_records;
    std::map<std::string, std::set<std::uint64_t>>
        m_missing; ///< records of files that are not there
    std::map<std::size_t, std::set<std::uint64_t>> m_counted; ///< of those that are
    std::map<std::size_t, std::size_t> m_behindEnd;           ///< of a file with faults, how many
    std::set<std::pair<std::string, std::uint64_t>> m_unread;
    /// A program names one file, again and again.
    std::string m_lastPath;
    std::optional<std::size_t> m_lastFile; ///< that `m_lastPath` means
};

} // namespace kernscope
