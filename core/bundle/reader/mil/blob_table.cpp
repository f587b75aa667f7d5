// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/reader/mil/blob_table.h"

#include "core/base/error_builder.h"
#include "core/base/find.h"
#include "core/base/little_endian.h"
#include "core/base/overlaid_file.h"
#include "core/base/text.h"
#include "core/container/mil/model_files.h"

#include <fmt/format.h>

namespace kernscope {

BlobTable::BlobTable(const std::vector<BundleFile> &files, std::string modelFolder,
                     std::string programFile)
    : m_files(files), m_modelFolder(std::move(modelFolder)), m_programFile(std::move(programFile))
{
}

/// The fault of a reference lies in the program's text.
Error BlobTable::place(Error error, const mil::BlobReference &reference) const
{
    error.file = m_programFile;
    error.offset = FileOffset(reference.offsetSpan.offset);
    if (reference.offsetSpan.length > 0)
        error.length = ByteCount(reference.offsetSpan.length);
    return error;
}

Result<std::size_t> BlobTable::findFile(const mil::BlobReference &reference)
{
    if (m_lastFile && m_lastPath == reference.path)
        return *m_lastFile;
    auto path = resolveBlobPath(reference.path, m_modelFolder);
    if (!path)
        return tl::unexpected(place(std::move(path.error()), reference));
    const auto *found = findBy(m_files, &BundleFile::path, *path);
    if (found) {
        m_lastPath = reference.path;
        m_lastFile = static_cast<std::size_t>(found - m_files.data());
        return *m_lastFile;
    }
    const auto records = std::max<std::size_t>(1, m_missing[*path].size());
    return refused(
        {*path}, "blob.file", "path", "a file of the bundle", "no such file",
        fmt::format("The weight file that the program names does not exist; it would have "
                    "{} that the program reads. Forms and sizes are those that the "
                    "program declares.",
                    counted(records, "record")));
}

void BlobTable::count(const mil::BlobReference &reference)
{
    const auto path = resolveBlobPath(reference.path, m_modelFolder);
    if (!path)
        return;
    const auto file = findFile(reference);
    (file ? m_counted[*file] : m_missing[*path]).insert(reference.offset);
}

bool BlobTable::isBehindEnd(std::size_t file, std::uint64_t offset, const Error &error) const
{
    const bool noRecord = error.code == "blob.offset" && offset >= milblob::kHeaderBytes &&
                          offset > m_files[file].file->size().value - milblob::kMetadataBytes;
    return noRecord || error.code == "blob.range";
}

/// Where several records lie behind the end of a file, it is cut: one error for all of them.
Error BlobTable::cutOr(Error error, std::size_t file, std::uint64_t offset)
{
    if (!isBehindEnd(file, offset, error))
        return error;
    const std::set<std::uint64_t> &all = m_counted[file];
    const auto [behind, isNew] = m_behindEnd.try_emplace(file, 0);
    for (auto at = all.begin(); isNew && at != all.end(); ++at) {
        const auto record = readRecord(file, FileOffset(*at));
        behind->second += !record && isBehindEnd(file, *at, record.error()) ? 1 : 0;
    }
    if (!isCut(file))
        return error;
    const std::uint64_t end = m_files[file].file->size().value;
    return valueError(
        {m_files[file].path, FileOffset(end)}, "blob.range", "end of the file", {}, {},
        fmt::format("The weight file is cut: it ends before {} of the {} that the program "
                    "reads.",
                    behind->second, counted(all.size(), "record")));
}

Result<milblob::Record> BlobTable::readRecord(std::size_t file, FileOffset offset) const
{
    const BundleFile &owner = m_files[file];
    const auto bytes = owner.file->bytes();
    if (const auto pointer = lfsPointer(bytes))
        return tl::unexpected(lfsError(*pointer, owner.path));
    if (bytes.size() < milblob::kHeaderBytes)
        return refused({owner.path, FileOffset(0)}, "blob.header", "header",
                       fmt::format("{} bytes", milblob::kHeaderBytes),
                       fmt::format("{} bytes", bytes.size()),
                       "The weight file is shorter than its header.");
    const auto version = loadLittle<std::uint32_t>(bytes, 4);
    if (version != milblob::kVersion)
        return refused({owner.path, FileOffset(4)}, "blob.version", "version",
                       fmt::format("{}", milblob::kVersion), fmt::format("{}", version),
                       version == 1
                           ? "Storage version 1, the older Espresso layout, is not supported."
                           : "This storage version is not known.");
    return milblob::readRecord(bytes, offset, owner.path);
}

Result<BlobPlace> BlobTable::find(const mil::BlobReference &reference)
{
    const auto file = TRY(findFile(reference));
    const auto key = std::pair(file, reference.offset);
    auto known = m_records.lower_bound(key);
    if (known == m_records.end() || known->first != key)
        known = m_records.emplace_hint(known, key, readRecord(file, FileOffset(reference.offset)));
    if (!known->second)
        return tl::unexpected(cutOr(known->second.error(), file, reference.offset));
    return BlobPlace{file, *known->second};
}

std::vector<milblob::Record> BlobTable::named(std::size_t file) const
{
    std::vector<milblob::Record> records;
    for (auto record = m_records.lower_bound({file, 0});
         record != m_records.end() && record->first.first == file; ++record) {
        if (record->second)
            records.push_back(*record->second);
    }
    return records;
}

bool BlobTable::names(std::size_t file) const
{
    const auto record = m_records.lower_bound({file, 0});
    return record != m_records.end() && record->first.first == file;
}

} // namespace kernscope
