// SPDX-License-Identifier: GPL-3.0-or-later
// Reading a journal: its heads first, each number checked before it is used, then its digest.
#include "core/patch/save/journal.h"

#include "core/base/error_builder.h"
#include "core/base/sha256.h"
#include "core/patch/plan/recorder.h"
#include "core/patch/save/save_key.h"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>
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

/// Collects small pieces: a scattered change makes many, and each write costs a call.
class JournalWriter
{
public:
    explicit JournalWriter(DiskFile &file) : m_file(file) { m_pending.reserve(kWriteBlock); }

    /// Its digest.
    Result<Sha256::Digest> write(std::span<const JournalPart> parts)
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
        TRY(put(head));
        for (const JournalPart &part : parts) {
            for (const ByteRange &run : part.runs) {
                TRY(putRun(part, run));
            }
        }
        TRY(flush());
        const auto sum = TRY(m_digest.finish());
        TRY(m_file.append(sum));
        TRY(m_file.sync());
        return sum;
    }

private:
    Result<void> put(std::span<const std::byte> bytes)
    {
        if (m_pending.size() + bytes.size() > kWriteBlock) {
            TRY(flush());
        }
        m_pending.insert(m_pending.end(), bytes.begin(), bytes.end());
        return {};
    }

    Result<void> flush()
    {
        m_digest.update(m_pending);
        auto written = m_file.append(m_pending);
        m_pending.clear();
        return written;
    }

    Result<void> putRun(const JournalPart &part, ByteRange run)
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

    DiskFile &m_file;
    Sha256 m_digest;
    std::vector<std::byte> m_pending, m_block;
};

/// The place was taken: a journal is never replaced.
Error nameError(const std::filesystem::path &journal, Error error)
{
    if (error.code == "io.exists")
        return writeError("journal.pending", journal,
                          "A save of this bundle was interrupted; recover it before the next one");
    return error;
}

constexpr std::uint64_t kHeaderBytes = 24;
constexpr std::uint64_t kSumBytes = kJournalDigestBytes;
constexpr std::uint64_t kMostPathBytes = 4096;
constexpr std::size_t kReadBlock = std::size_t{1} << 16;

Error damaged(std::uint64_t offset, std::string expected, std::string found)
{
    return valueError({{}, FileOffset(offset)}, "journal.damaged", {}, expected, found,
                      "The journal of an interrupted save is damaged");
}

/// Numbers and texts of a journal at ascending offsets, read through a small window.
class HeadReader
{
public:
    HeadReader(std::uint64_t size, const JournalReader &read) : m_size(size), m_read(read) {}

    std::uint64_t at = 0;

    /// Errors: "journal.damaged" past the end, those of reading.
    Result<std::span<const std::byte>> take(std::uint64_t bytes)
    {
        if (bytes > m_size - at)
            return tl::unexpected(damaged(at, fmt::format("{} bytes", bytes),
                                          fmt::format("{} bytes to the end", m_size - at)));
        if (at < m_start || at + bytes > m_start + m_window.size()) {
            m_window.resize(static_cast<std::size_t>(
                std::min<std::uint64_t>(m_size - at, std::max<std::uint64_t>(bytes, kReadBlock))));
            m_start = at;
            TRY(m_read(at, m_window));
        }
        const auto run = std::span<const std::byte>(m_window).subspan(
            static_cast<std::size_t>(at - m_start), static_cast<std::size_t>(bytes));
        at += bytes;
        return run;
    }
    Result<std::uint64_t> number(std::uint64_t bytes)
    {
        const auto run = TRY(take(bytes));
        std::uint64_t value = 0;
        for (std::size_t i = run.size(); i-- > 0;)
            value = value << 8 | std::to_integer<std::uint64_t>(run[i]);
        return value;
    }

private:
    std::uint64_t m_size, m_start = 0;
    const JournalReader &m_read;
    std::vector<std::byte> m_window;
};

class Indexer
{
public:
    Indexer(std::uint64_t size, const JournalReader &read) : m_size(size), m_in(size, read) {}

    Result<JournalIndex> run()
    {
        const auto count = TRY(header());
        for (std::uint64_t i = 0; i < count; ++i) {
            TRY(entry());
        }
        if (m_in.at != m_size - kSumBytes)
            return tl::unexpected(
                damaged(m_in.at, fmt::format("{} entries", count), "further bytes"));
        return std::move(m_index);
    }

    /// The number of entries.
    Result<std::uint64_t> header()
    {
        const std::uint64_t known = std::min<std::uint64_t>(m_size, kMagic.size());
        const auto start = TRY(m_in.take(known));
        const bool magic =
            std::ranges::equal(start, std::as_bytes(std::span(kMagic.substr(0, start.size()))));
        if (m_size < kHeaderBytes + kSumBytes) {
            if (magic)
                return tl::unexpected(damaged(m_size, "a whole journal", "its end"));
        } else {
            const auto length = TRY(m_in.number(8));
            // Where only the first word is wrong it is one all the same, and a save was
            // interrupted.
            if (magic || length == m_size) {
                if (magic && length == m_size)
                    return m_in.number(8);
                return tl::unexpected(damaged(
                    magic ? 8 : 0, magic ? fmt::format("{} bytes", m_size) : std::string(kMagic),
                    magic ? fmt::format("{} bytes", length) : "other bytes"));
            }
        }
        return ErrorBuilder("journal.unknown")
            .message("A file with the name of a journal that is none; it is left as it is")
            .unexpected();
    }

    Result<JournalledFile> first()
    {
        TRY(header());
        auto name = path();
        const auto bytes = TRY(name ? m_in.number(8) : tl::unexpected(name.error()));
        return JournalledFile{std::move(*name), bytes};
    }

private:
    Result<void> entry()
    {
        const std::uint64_t at = m_in.at;
        auto name = TRY(path());
        std::array<std::uint64_t, 3> numbers{}; // size of the file, offset, length
        for (std::uint64_t &number : numbers) {
            number = TRY(m_in.number(8));
        }
        const auto [fileBytes, offset, bytes] = numbers;
        const std::uint64_t rest = m_size - kSumBytes - std::min(m_in.at, m_size - kSumBytes);
        if (bytes == 0 || bytes > rest / 2 ||
            !fitsInside({FileOffset(offset), ByteCount(bytes)}, ByteCount(fileBytes)))
            return tl::unexpected(damaged(at,
                                          fmt::format("a run inside a file of {} bytes", fileBytes),
                                          fmt::format("{} bytes at offset {}", bytes, offset)));
        const JournalRun run{0, offset, bytes, m_in.at};
        m_in.at += 2 * bytes;
        return add(std::move(name), fileBytes, run);
    }

    Result<std::string> path()
    {
        const std::uint64_t at = m_in.at;
        const auto bytes = TRY(m_in.number(4));
        if (bytes == 0 || bytes > kMostPathBytes)
            return tl::unexpected(damaged(at,
                                          fmt::format("a path of 1 to {} bytes", kMostPathBytes),
                                          fmt::format("{} bytes", bytes)));
        const auto text = TRY(m_in.take(bytes));
        std::string path(reinterpret_cast<const char *>(text.data()), text.size());
        if ((!staysInside(path) && path != kBundleItself) || path.find('\0') != std::string::npos)
            return tl::unexpected(damaged(at, "a path below the bundle", path));
        return path;
    }

    /// Entries of one file follow each other, and none overlaps the one before.
    Result<void> add(std::string path, std::uint64_t fileBytes, JournalRun run)
    {
        auto &files = m_index.files;
        if (files.empty() || files.back().path != path) {
            const bool again =
                std::ranges::any_of(files, [&path](const auto &file) { return file.path == path; });
            constexpr std::size_t kMostFiles = 4096; // of a bundle
            if (again || files.size() >= kMostFiles)
                return tl::unexpected(
                    damaged(run.at, fmt::format("each file once, {} at most", kMostFiles), path));
            files.push_back({std::move(path), fileBytes});
            m_room = kMostExactRuns + fileBytes / kMergeGaps.back();
        } else {
            const JournalRun &before = m_index.runs.back();
            if (files.back().bytes != fileBytes || before.offset + before.bytes > run.offset)
                return tl::unexpected(damaged(run.at,
                                              "runs by ascending offset of one size of file",
                                              fmt::format("offset {}", run.offset)));
        }
        if (m_room-- == 0)
            return tl::unexpected(
                damaged(run.at, "as many runs of a file as a save makes", "more"));
        run.file = static_cast<std::uint32_t>(files.size() - 1);
        m_index.runs.push_back(run);
        return {};
    }

    std::uint64_t m_size;
    HeadReader m_in;
    JournalIndex m_index;
    std::uint64_t m_room = 0; ///< for further runs of the last file
};

} // namespace

bool staysInside(const std::filesystem::path &path)
{
    return !path.empty() && path.is_relative() && path != "." &&
           std::ranges::none_of(path, [](const auto &part) { return part == ".."; });
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
    auto digest = TRY(file ? JournalWriter(*file).write(parts) : tl::unexpected(file.error()));
    SaveKey key{Sha256::textOf(digest), journal, {}};
    for (const JournalPart &part : parts)
        key.files.push_back(identityOf(part.file->path()));
    TRY(writeSaveKey(key));
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

Result<JournalledFile> firstJournalled(std::uint64_t size, const JournalReader &read)
{
    return Indexer(size, read).first();
}

Result<void> checkJournalHead(std::uint64_t size, const JournalReader &read)
{
    const auto count = Indexer(size, read).header();
    return count ? Result<void>() : tl::unexpected(count.error());
}

Result<JournalIndex> indexJournal(std::uint64_t size, const JournalReader &read)
{
    return Indexer(size, read).run();
}

Result<void> checkJournalDigest(std::uint64_t size, const JournalReader &read, Progress *progress)
{
    if (size < kHeaderBytes + kSumBytes)
        return tl::unexpected(damaged(size, "a whole journal", "its end"));
    Sha256 digest;
    std::vector<std::byte> block(
        static_cast<std::size_t>(std::min<std::uint64_t>(size, std::uint64_t{1} << 20)));
    for (std::uint64_t at = 0; at < size - kSumBytes;) {
        const auto part = std::span(block).first(
            static_cast<std::size_t>(std::min<std::uint64_t>(block.size(), size - kSumBytes - at)));
        TRY(read(at, part));
        digest.update(part);
        at += part.size();
        if (progress != nullptr && progress->cancelled())
            return tl::unexpected(cancelledError("Stopped while the journal was read"));
    }
    std::array<std::byte, kSumBytes> stored{};
    TRY(read(size - kSumBytes, stored));
    const auto sum = TRY(digest.finish());
    if (std::memcmp(sum.data(), stored.data(), stored.size()) != 0)
        return tl::unexpected(
            damaged(size - kSumBytes, "the digest of its bytes", "another digest"));
    return {};
}

} // namespace kernscope::patch
