// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/binary/appliers.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::patch {

namespace {

/// Records of IPS, one after the other: read once for the length that they make and for faults,
/// then again over a copy of the file.
class IpsApplier
{
public:
    IpsApplier(std::span<const std::byte> file, PatchCursor &patch, Progress *progress)
        : m_file(file), m_patch(patch), m_progress(progress)
    {
    }

    Result<PatchedFile> run(const PatchRoom &room)
    {
        const PatchCursor start = m_patch;
        if (auto sound = records(); !sound)
            return sound;
        const auto place = room(m_most);
        if (!place)
            return tl::unexpected(place.error());
        m_to = *place;
        for (std::size_t at = 0; at < m_file.size(); at += kBetweenLooks) {
            const auto some = m_file.subspan(at, std::min(kBetweenLooks, m_file.size() - at));
            if (m_progress != nullptr && m_progress->cancelled())
                break; // records() says so
            std::copy(some.begin(), some.end(), m_to.begin() + static_cast<std::ptrdiff_t>(at));
        }
        m_patch = start;
        return records();
    }

private:
    static constexpr std::size_t kBetweenLooks = std::size_t(16) << 20;

    Result<PatchedFile> records()
    {
        m_result = PatchedFile();
        m_result.bytes = m_most = m_file.size();
        while (true) {
            if (m_progress != nullptr && m_progress->cancelled())
                return tl::unexpected(cancelledError("The patch was not applied: cancelled"));
            const std::uint64_t at = m_patch.at();
            const auto offset = m_patch.big(3, "offset of a record, or the end");
            if (!offset)
                return tl::unexpected(offset.error());
            if (*offset == ips::kEndOffset)
                return finish(at);
            if (auto done = record(at, *offset); !done)
                return tl::unexpected(std::move(done.error()));
            ++m_result.steps;
        }
    }

    Result<void> record(std::uint64_t at, std::uint64_t offset)
    {
        auto length = m_patch.big(2, "length of a record");
        if (!length)
            return tl::unexpected(std::move(length.error()));
        const bool run = *length == 0;
        if (run)
            length = m_patch.big(2, "length of a run");
        if (!length)
            return tl::unexpected(std::move(length.error()));
        if (*length == 0)
            return m_patch.error("binary_patch.record", at)
                .field("length of a run")
                .expected("1 and more")
                .found("0")
                .message("A run of no bytes")
                .unexpected();
        if (offset > m_result.bytes)
            return m_patch.error("binary_patch.source", at)
                .field("offset of a record")
                .expected(fmt::format("at most {:#x}, where the file ends", m_result.bytes))
                .found(fmt::format("{:#x}", offset))
                .message(
                    "The patch changes bytes behind the end of the file: it is for another one")
                .unexpected();
        const auto data = m_patch.take(run ? 1 : *length, "bytes of a record");
        if (!data)
            return tl::unexpected(data.error());
        m_result.bytes = m_most = std::max(m_result.bytes, offset + *length);
        if (m_to.empty())
            return {};
        const auto to = m_to.begin() + static_cast<std::ptrdiff_t>(offset);
        if (run)
            std::fill_n(to, *length, data->front());
        else
            std::copy(data->begin(), data->end(), to);
        return {};
    }

    /// Behind the end there is nothing, or the length of a file that gets shorter.
    Result<PatchedFile> finish(std::uint64_t at)
    {
        if (m_patch.left() == 3) {
            const std::uint64_t place = m_patch.at();
            const auto length = m_patch.big(3, "new length");
            if (!length)
                return tl::unexpected(length.error());
            if (*length > m_result.bytes)
                return m_patch.error("binary_patch.range", place)
                    .field("new length")
                    .expected(fmt::format("at most {}, the length so far", m_result.bytes))
                    .found(fmt::format("{}", *length))
                    .message("The patch cuts the file behind its end")
                    .unexpected();
            m_result.bytes = *length;
        }
        if (m_patch.left() > 0)
            return m_patch.error("binary_patch.record", at)
                .field("end of the patch")
                .expected("nothing behind it, or a new length of 3 bytes")
                .found(fmt::format("{} bytes", m_patch.left()))
                .message(fmt::format("\"EOF\" is not the end: a record at offset {:#x} cannot be "
                                     "told from it",
                                     ips::kEndOffset))
                .unexpected();
        return m_result;
    }

    std::span<const std::byte> m_file;
    PatchCursor &m_patch;
    Progress *m_progress;
    std::span<std::byte> m_to; ///< empty: nothing is written yet
    std::uint64_t m_most = 0;  ///< length before the end cuts it
    PatchedFile m_result;
};

} // namespace

Result<PatchedFile> applyIps(std::span<const std::byte> file, PatchCursor &patch,
                             const PatchRoom &room, Progress *progress)
{
    return IpsApplier(file, patch, progress).run(room);
}

} // namespace kernscope::patch
