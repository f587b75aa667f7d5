// SPDX-License-Identifier: GPL-3.0-or-later
// How the file on disk stands against what was mapped of it.
#include "core/base/overlaid_file.h"

#include "core/base/error_builder.h"

#include <mutex>
#include <utility>

#include <sys/stat.h>

namespace kernscope {

void OverlaidFile::takeStamp()
{
    if (m_path.empty())
        return;
    struct stat status = {};
    const bool found = ::stat(m_path.c_str(), &status) == 0;
    const std::lock_guard lock(m_stampMutex);
    m_stamp = found ? std::optional(FileStamp::from(status)) : std::nullopt;
    m_mark = FileStatusMark::from(status);
}

void OverlaidFile::markSaved()
{
    const std::unique_lock lock(m_mutex);
    m_originals.clear();
    m_store = nullptr; // whoever shares it has the bytes of before
    takeStamp();
}

void OverlaidFile::restamp()
{
    const std::unique_lock lock(m_mutex);
    takeStamp();
}

FileState OverlaidFile::state() const
{
    FileState state;
    if (m_path.empty())
        return state;
    state.found = FileStamp::of(m_path);
    const std::lock_guard lock(m_stampMutex);
    const auto place = [&](const std::optional<FileStamp> &other) {
        return other && m_stamp && other->device == m_stamp->device &&
               other->inode == m_stamp->inode;
    };
    std::optional<FileStamp> mapped = place(state.found) ? state.found : std::nullopt;
    bool rewritten = false; // written, with its old time set again
    if (struct stat status = {}; m_descriptor >= 0 && ::fstat(m_descriptor, &status) == 0) {
        mapped = FileStamp::from(status);
        // A file that was moved away has a later mark as well.
        rewritten = place(state.found) && FileStatusMark::from(status).unexplained(m_mark);
    }
    const auto lost = m_mapping.lost();
    if (!lost && !rewritten && mapped == m_stamp) {
        state.kind = state.found == m_stamp ? FileState::Kind::Same : FileState::Kind::Replaced;
        return state;
    }
    if (m_bytes.empty() && m_descriptor < 0) { // nothing was mapped: only the path can tell
        state.kind = place(state.found) ? FileState::Kind::Changed : FileState::Kind::Replaced;
        return state;
    }
    state.kind = FileState::Kind::Changed;
    state.found = mapped;
    std::uint64_t from = 0;
    if (mapped && mapped->bytes < m_bytes.size())
        from = mapped->bytes;
    else if (lost)
        from = lost->offset.value;
    state.range = {FileOffset(from), ByteCount(m_bytes.size() - from)};
    return state;
}

Error OverlaidFile::changedError(const FileState &state) const
{
    ErrorBuilder error("io.changed");
    error.file(m_name)
        .found(state.found ? state.found->text() : "no file")
        .message("Another program changed the file while it was read; open it again");
    if (state.kind == FileState::Kind::Changed)
        error.at(state.range.offset).length(state.range.bytes);
    if (const std::lock_guard lock(m_stampMutex); m_stamp)
        error.expected(m_stamp->text());
    return error;
}

Result<void> OverlaidFile::checkSame() const
{
    const FileState now = state();
    if (now.kind != FileState::Kind::Changed)
        return {};
    return tl::unexpected(changedError(now));
}

Result<void> OverlaidFile::checkInPlace() const
{
    const FileState now = state();
    if (now.kind == FileState::Kind::Same)
        return {};
    return tl::unexpected(changedError(now));
}

} // namespace kernscope
