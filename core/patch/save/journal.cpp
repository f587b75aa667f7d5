// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/save/journal.h"

#include "core/base/quantity.h"
#include "core/base/sha256.h"
#include "core/patch/save/file_io.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace kernscope::patch {

namespace {

constexpr std::string_view kMagic = "KSJOURN1";
constexpr std::size_t kHeaderBytes = 24;
constexpr std::size_t kDigestBytes = 32;

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

std::vector<std::byte> entryHead(const JournalEntry &entry)
{
    std::vector<std::byte> head;
    putNumber(head, entry.path.size(), 4);
    putText(head, entry.path);
    putNumber(head, entry.fileBytes, 8);
    putNumber(head, entry.offset, 8);
    putNumber(head, entry.before.size(), 8);
    return head;
}

/// Takes numbers and runs off the front of a journal, never past its end.
class Cursor
{
public:
    explicit Cursor(std::span<const std::byte> bytes) : m_rest(bytes) {}

    std::optional<std::uint64_t> number(std::size_t bytes)
    {
        const auto run = take(bytes);
        if (!run)
            return std::nullopt;
        std::uint64_t value = 0;
        for (std::size_t i = bytes; i-- > 0;)
            value = value << 8 | std::to_integer<std::uint64_t>((*run)[i]);
        return value;
    }
    std::optional<std::span<const std::byte>> take(std::uint64_t bytes)
    {
        if (bytes > m_rest.size())
            return std::nullopt;
        const auto run = m_rest.first(static_cast<std::size_t>(bytes));
        m_rest = m_rest.subspan(run.size());
        return run;
    }
    bool atEnd() const { return m_rest.empty(); }

private:
    std::span<const std::byte> m_rest;
};

Error journalError(std::string_view code, const std::filesystem::path &journal, std::string message)
{
    Error error;
    error.code = std::string(code);
    error.file = journal.filename().string();
    error.message = std::move(message);
    return error;
}

std::optional<JournalEntry> readEntry(Cursor &cursor)
{
    JournalEntry entry;
    const auto nameBytes = cursor.number(4);
    const auto name = nameBytes ? cursor.take(*nameBytes) : std::nullopt;
    const auto fileBytes = name ? cursor.number(8) : std::nullopt;
    const auto offset = fileBytes ? cursor.number(8) : std::nullopt;
    const auto length = offset ? cursor.number(8) : std::nullopt;
    const auto before = length ? cursor.take(*length) : std::nullopt;
    const auto after = before ? cursor.take(*length) : std::nullopt;
    if (!after)
        return std::nullopt;
    entry.path.assign(reinterpret_cast<const char *>(name->data()), name->size());
    entry.fileBytes = *fileBytes;
    entry.offset = *offset;
    entry.before = *before;
    entry.after = *after;
    const ByteRange range{FileOffset(entry.offset), ByteCount(*length)};
    if (!staysInside(entry.path) || !fitsInside(range, ByteCount(entry.fileBytes)))
        return std::nullopt;
    return entry;
}

Result<void> writeAll(File &file, std::span<const JournalEntry> entries)
{
    std::uint64_t length = kHeaderBytes + kDigestBytes;
    for (const JournalEntry &entry : entries)
        length += entryHead(entry).size() + entry.before.size() + entry.after.size();
    std::vector<std::byte> head;
    putText(head, kMagic);
    putNumber(head, length, 8);
    putNumber(head, entries.size(), 8);
    Sha256 digest;
    const auto put = [&](std::span<const std::byte> bytes) {
        digest.update(bytes);
        return file.append(bytes);
    };
    auto written = put(head);
    // Small entries are collected: a fill makes many, and each write costs a call.
    std::vector<std::byte> pending;
    for (std::size_t i = 0; written && i < entries.size(); ++i) {
        const auto entry = entryHead(entries[i]);
        for (const auto &run :
             {std::span<const std::byte>(entry), entries[i].before, entries[i].after})
            pending.insert(pending.end(), run.begin(), run.end());
        if (pending.size() >= (std::size_t{1} << 20) || i + 1 == entries.size()) {
            written = put(pending);
            pending.clear();
        }
    }
    if (!written)
        return written;
    const auto sum = digest.finish();
    if (!sum)
        return tl::unexpected(sum.error());
    written = file.append(*sum);
    return written ? file.sync() : written;
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

Result<File> writeJournal(const std::filesystem::path &journal,
                          std::span<const JournalEntry> entries)
{
    std::error_code fault;
    std::filesystem::path unfinished = journal;
    unfinished += ".new";
    for (const auto &place : {journal, unfinished}) {
        if (!std::filesystem::exists(std::filesystem::symlink_status(place, fault)))
            continue;
        const auto other = File::open(place, File::Mode::Read, place.filename().string());
        if (other && !other->tryLock())
            return tl::unexpected(
                journalError("patch.busy", place, "Another process is saving this bundle"));
        if (place == journal)
            return tl::unexpected(journalError("patch.journal", journal,
                                               "An interrupted save must be undone first: open "
                                               "the bundle again"));
        std::filesystem::remove(place, fault); // of a save that never began
    }
    auto file = File::open(unfinished, File::Mode::Create, unfinished.filename().string());
    if (!file)
        return file;
    auto written = file->tryLock() ? writeAll(*file, entries)
                                   : tl::unexpected(journalError("patch.busy", unfinished,
                                                                 "Another process is saving this "
                                                                 "bundle"));
    if (written) {
        std::filesystem::rename(unfinished, journal, fault);
        if (fault)
            written = tl::unexpected(ioError("io.write", journal.filename().string(),
                                             "The journal cannot be renamed", fault.value()));
        else
            written = syncFolder(journal.parent_path());
    }
    if (written)
        return file;
    std::error_code ignored;
    std::filesystem::remove(unfinished, ignored);
    std::filesystem::remove(journal, ignored);
    return tl::unexpected(std::move(written.error()));
}

Result<void> removeJournal(const std::filesystem::path &journal)
{
    std::error_code fault;
    std::filesystem::remove(journal, fault);
    if (fault)
        return tl::unexpected(ioError("io.write", journal.filename().string(),
                                      "The journal cannot be removed", fault.value()));
    return syncFolder(journal.parent_path());
}

std::optional<std::vector<JournalEntry>> parseJournalEntries(std::span<const std::byte> body,
                                                             std::uint64_t count)
{
    std::vector<JournalEntry> entries;
    Cursor cursor(body);
    for (std::uint64_t i = 0; i < count; ++i) {
        auto entry = readEntry(cursor);
        if (!entry)
            return std::nullopt;
        entries.push_back(std::move(*entry));
    }
    if (!cursor.atEnd())
        return std::nullopt;
    return entries;
}

Result<Journal> readJournal(const std::filesystem::path &path)
{
    auto file = File::open(path, File::Mode::Read, path.filename().string());
    if (!file)
        return tl::unexpected(file.error());
    if (!file->tryLock())
        return tl::unexpected(
            journalError("patch.busy", path, "Another process is saving this bundle"));
    const auto size = file->size();
    if (!size)
        return tl::unexpected(size.error());
    Journal journal{std::move(*file), {}, {}};
    journal.bytes.resize(static_cast<std::size_t>(*size));
    if (auto read = journal.file.readAt(0, journal.bytes); !read)
        return tl::unexpected(std::move(read.error()));
    Cursor cursor(journal.bytes);
    const auto magic = cursor.take(kMagic.size());
    const auto length = magic ? cursor.number(8) : std::nullopt;
    const auto count = length ? cursor.number(8) : std::nullopt;
    if (!count || *length > *size)
        return tl::unexpected(
            journalError("patch.journal.torn", path, "The journal was never finished"));
    const auto damaged =
        journalError("patch.journal", path, "The journal of an interrupted save is damaged");
    const auto all = std::span<const std::byte>(journal.bytes);
    if (std::memcmp(magic->data(), kMagic.data(), kMagic.size()) != 0 || *length != *size ||
        *size < kHeaderBytes + kDigestBytes)
        return tl::unexpected(damaged);
    Sha256 digest;
    digest.update(all.first(all.size() - kDigestBytes));
    const auto sum = digest.finish();
    if (!sum)
        return tl::unexpected(sum.error());
    if (std::memcmp(sum->data(), all.last(kDigestBytes).data(), kDigestBytes) != 0)
        return tl::unexpected(damaged);
    auto entries = parseJournalEntries(
        all.subspan(kHeaderBytes, all.size() - kHeaderBytes - kDigestBytes), *count);
    if (!entries)
        return tl::unexpected(damaged);
    journal.entries = std::move(*entries);
    return journal;
}

} // namespace kernscope::patch
