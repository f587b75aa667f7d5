// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/save/journal.h"

#include "core/base/error_builder.h"
#include "core/base/sha256.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <span>
#include <system_error>
#include <utility>

#include <unistd.h>

namespace kernscope::patch {

namespace {

constexpr std::string_view kMagic = "KSJOURN1";
constexpr std::size_t kDigestBytes = 32;
constexpr std::size_t kWriteBlock = std::size_t{1} << 20;

void putNumber(std::vector<std::byte> &out, std::uint64_t value, std::size_t bytes)
{
    for (std::size_t i = 0; i < bytes; ++i)
        out.push_back(static_cast<std::byte>(value >> (8 * i) & 0xff));
}

void putText(std::vector<std::byte> &out, std::string_view text)
{
    const auto bytes = std::as_bytes(std::span(text));
    out.insert(out.end(), bytes.begin(), bytes.end());
}

Error writeError(std::string_view code, const std::filesystem::path &journal, std::string message)
{
    return ErrorBuilder(std::string(code))
        .file(journal.filename().string())
        .message(std::move(message));
}

/// Collects small pieces: a scattered change makes many, and each write costs a call.
class JournalWriter
{
public:
    explicit JournalWriter(DiskFile &file) : m_file(file) { m_pending.reserve(kWriteBlock); }

    Result<void> write(std::span<const JournalPart> parts);

private:
    Result<void> put(std::span<const std::byte> bytes);
    Result<void> flush();
    Result<void> putRun(const JournalPart &part, ByteRange run);

    DiskFile &m_file;
    Sha256 m_digest;
    std::vector<std::byte> m_pending, m_block;
};

Result<void> JournalWriter::put(std::span<const std::byte> bytes)
{
    if (m_pending.size() + bytes.size() > kWriteBlock) {
        if (auto flushed = flush(); !flushed)
            return flushed;
    }
    m_pending.insert(m_pending.end(), bytes.begin(), bytes.end());
    return {};
}

Result<void> JournalWriter::flush()
{
    m_digest.update(m_pending);
    auto written = m_file.append(m_pending);
    m_pending.clear();
    return written;
}

std::vector<std::byte> entryHead(const JournalPart &part, ByteRange run)
{
    std::vector<std::byte> head;
    putNumber(head, part.path.size(), 4);
    putText(head, part.path);
    putNumber(head, part.file->size().value, 8);
    putNumber(head, run.offset.value, 8);
    putNumber(head, run.bytes.value, 8);
    return head;
}

Result<void> JournalWriter::putRun(const JournalPart &part, ByteRange run)
{
    auto done = put(entryHead(part, run));
    for (const bool before : {true, false}) {
        for (std::uint64_t at = 0; done && at < run.bytes.value; at += kWriteBlock) {
            const FileOffset offset(run.offset.value + at);
            const auto count = static_cast<std::size_t>(
                std::min<std::uint64_t>(kWriteBlock, run.bytes.value - at));
            if (before) {
                m_block.resize(count);
                part.file->readDisk(offset, m_block);
                done = put(m_block);
            } else {
                done = put(part.file->bytes().subspan(offset.value, count));
            }
        }
    }
    return done;
}

Result<void> JournalWriter::write(std::span<const JournalPart> parts)
{
    std::uint64_t length = kMagic.size() + 16 + kDigestBytes, entries = 0;
    for (const JournalPart &part : parts) {
        entries += part.runs.size();
        for (const ByteRange &run : part.runs)
            length += entryHead(part, run).size() + 2 * run.bytes.value;
    }
    std::vector<std::byte> head;
    putText(head, kMagic);
    putNumber(head, length, 8);
    putNumber(head, entries, 8);
    auto written = put(head);
    for (const JournalPart &part : parts) {
        for (std::size_t i = 0; written && i < part.runs.size(); ++i)
            written = putRun(part, part.runs[i]);
    }
    if (written)
        written = flush();
    if (!written)
        return written;
    const auto sum = m_digest.finish();
    if (!sum)
        return tl::unexpected(sum.error());
    written = m_file.append(*sum);
    return written ? m_file.sync() : written;
}

/// Of a save that never came to its journal, so that nothing was changed. Only what is ours.
Result<void> removeUnfinished(const std::filesystem::path &place)
{
    std::error_code fault;
    if (!std::filesystem::exists(std::filesystem::symlink_status(place, fault)))
        return {};
    const std::string name = place.filename().string();
    const auto file = DiskFile::open(place, DiskFile::Mode::ReadPlain, name);
    if (file && !file->tryLock())
        return tl::unexpected(
            writeError("patch.busy", place, "Another process is saving this bundle"));
    const auto size = file ? file->size() : Result<std::uint64_t>(std::uint64_t{0});
    std::vector<std::byte> start(
        static_cast<std::size_t>(std::min<std::uint64_t>(size.value_or(0), kMagic.size())));
    const bool ours =
        file && file->ownedByUser() && size && file->readAt(0, start) &&
        std::ranges::equal(start, std::as_bytes(std::span(kMagic).first(start.size())));
    if (ours && std::filesystem::remove(place, fault))
        return {};
    return tl::unexpected(writeError(
        "io.write", place, "A file of this name, which the journal needs, is in the way"));
}

/// Gives the finished journal its name without ever replacing what has it.
Result<void> giveName(const std::filesystem::path &unfinished, const std::filesystem::path &journal)
{
    const auto failed = [&journal](int number) -> Result<void> {
        if (number == EEXIST)
            return tl::unexpected(writeError("journal.pending", journal,
                                             "A save of this bundle was interrupted; recover it "
                                             "before the next one"));
        return tl::unexpected(ioError("io.write", journal.filename().string(),
                                      "The journal cannot be renamed", number));
    };
    if (::link(unfinished.c_str(), journal.c_str()) == 0) {
        std::error_code ignored;
        std::filesystem::remove(unfinished, ignored);
        return {};
    }
    if (errno == EEXIST)
        return failed(EEXIST);
    // A file system without hard links. The lock keeps others of this program away.
    std::error_code fault;
    if (std::filesystem::exists(std::filesystem::symlink_status(journal, fault)))
        return failed(EEXIST);
    std::filesystem::rename(unfinished, journal, fault);
    return fault ? failed(fault.value()) : Result<void>();
}

} // namespace

bool staysInside(const std::filesystem::path &path)
{
    return !path.empty() && path.is_relative() && path != "." &&
           std::none_of(path.begin(), path.end(), [](const auto &part) { return part == ".."; });
}

std::filesystem::path journalPath(const std::filesystem::path &path)
{
    std::error_code fault;
    std::filesystem::path place = std::filesystem::weakly_canonical(path, fault);
    if (fault)
        place = std::filesystem::absolute(path, fault).lexically_normal();
    if (!place.has_filename()) // "x.mlmodelc/"
        place = place.parent_path();
    place += kJournalSuffix;
    return place;
}

Result<DiskFile> writeJournal(const std::filesystem::path &journal,
                              std::span<const JournalPart> parts)
{
    std::filesystem::path unfinished = journal;
    unfinished += ".new";
    if (auto removed = removeUnfinished(unfinished); !removed)
        return tl::unexpected(std::move(removed.error()));
    auto file =
        DiskFile::open(unfinished, DiskFile::Mode::CreatePrivate, unfinished.filename().string());
    if (!file)
        return file;
    Result<void> done;
    if (file->tryLock())
        done = JournalWriter(*file).write(parts);
    else
        done = tl::unexpected(
            writeError("patch.busy", unfinished, "Another process is saving this bundle"));
    bool named = false;
    if (done) {
        done = giveName(unfinished, journal);
        named = done.has_value();
    }
    if (done)
        done = syncFolder(journal.parent_path());
    if (done)
        return file;
    std::error_code ignored;
    std::filesystem::remove(named ? journal : unfinished, ignored);
    return tl::unexpected(std::move(done.error()));
}

Result<void> removeJournal(const std::filesystem::path &journal)
{
    std::error_code fault;
    std::filesystem::remove(journal, fault);
    if (fault)
        return tl::unexpected(ioError("io.write", journal.filename().string(),
                                      "The journal cannot be removed", fault.value()));
    return {};
}

} // namespace kernscope::patch
