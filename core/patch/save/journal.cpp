// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/save/journal.h"

#include "core/base/error_builder.h"
#include "core/base/sha256.h"
#include "core/patch/save/save_key.h"

#include <algorithm>
#include <system_error>

#include <sys/stat.h>

namespace kernscope::patch {

namespace {

constexpr std::string_view kMagic = "KSJOURN1";
constexpr std::size_t kWriteBlock = std::size_t{1} << 20;
constexpr std::size_t kLongestName = 255; ///< of Linux's file systems, in bytes
constexpr std::size_t kNameDigits = 16;   ///< that stand for a longer name

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

    /// Its digest.
    Result<Sha256::Digest> write(std::span<const JournalPart> parts);

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

Result<Sha256::Digest> JournalWriter::write(std::span<const JournalPart> parts)
{
    std::uint64_t length = kMagic.size() + 16 + kJournalDigestBytes, entries = 0;
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
        return tl::unexpected(std::move(written.error()));
    auto sum = m_digest.finish();
    if (!sum)
        return sum;
    written = m_file.append(*sum);
    if (written)
        written = m_file.sync();
    return written ? std::move(sum) : tl::unexpected(std::move(written.error()));
}

/// The place was taken: a journal is never replaced.
Error nameError(const std::filesystem::path &journal, Error error)
{
    if (error.code == "io.exists")
        return writeError("journal.pending", journal,
                          "A save of this bundle was interrupted; recover it before the next one");
    return error;
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
    const std::string name = place.filename().string();
    if (name.size() + kJournalSuffix.size() > kLongestName) {
        const auto digest = Sha256::hexOf(std::as_bytes(std::span(name))).value_or(std::string());
        place.replace_filename(name.substr(0, kLongestName - kJournalSuffix.size() - kNameDigits) +
                               digest.substr(0, kNameDigits));
    }
    place += kJournalSuffix;
    return place;
}

std::filesystem::path journalBase(const std::filesystem::path &bundle)
{
    std::error_code fault;
    return std::filesystem::is_directory(bundle, fault) ? bundle : bundle.parent_path();
}

Result<WrittenJournal> writeJournal(const std::filesystem::path &journal,
                                    std::span<const JournalPart> parts)
{
    auto place = OutputPlace::claim(journal, OutputKind::File, {});
    if (!place)
        return tl::unexpected(nameError(journal, std::move(place.error())));
    ::fchmod(place->descriptor(), 0600);
    auto file =
        DiskFile::open(place->temporary(), DiskFile::Mode::Change, journal.filename().string());
    auto digest = file ? JournalWriter(*file).write(parts) : tl::unexpected(file.error());
    if (!digest)
        return tl::unexpected(std::move(digest.error()));
    SaveKey key{Sha256::textOf(*digest), journal, {}};
    for (const JournalPart &part : parts)
        key.files.push_back(identityOf(part.file->path()));
    if (auto kept = writeSaveKey(key); !kept)
        return tl::unexpected(std::move(kept.error()));
    auto done = place->publish();
    const bool named = done.has_value();
    if (done)
        done = syncFolder(journal.parent_path());
    if (done)
        done = beginSaveKey(key.digest);
    if (done)
        return WrittenJournal{std::move(*place), key.digest};
    std::error_code ignored;
    if (named)
        std::filesystem::remove(journal, ignored);
    removeSaveKey(key.digest);
    return tl::unexpected(nameError(journal, std::move(done.error())));
}

Result<void> removeJournal(const std::filesystem::path &journal, const std::string &key)
{
    endSaveKey(key);
    std::error_code fault;
    std::filesystem::remove(journal, fault);
    if (fault)
        return tl::unexpected(ioError("io.write", journal.filename().string(),
                                      "The journal cannot be removed", fault.value()));
    removeSaveKey(key);
    return {};
}

} // namespace kernscope::patch
