// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/binary/appliers.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace kernscope::patch {

namespace {

using IpsBytes = std::vector<std::byte>;

/// Records of IPS, one after the other, over a copy of the file.
class IpsApplier
{
public:
    IpsApplier(std::span<const std::byte> file, PatchCursor &patch, Progress *progress)
        : m_patch(patch), m_progress(progress)
    {
        m_result.format = BinaryFormat::Ips;
        m_result.bytes.assign(file.begin(), file.end());
    }

    Result<PatchedFile> run()
    {
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

private:
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
        IpsBytes &bytes = m_result.bytes;
        if (offset > bytes.size())
            return m_patch.error("binary_patch.source", at)
                .field("offset of a record")
                .expected(fmt::format("at most {:#x}, where the file ends", bytes.size()))
                .found(fmt::format("{:#x}", offset))
                .message(
                    "The patch changes bytes behind the end of the file: it is for another one")
                .unexpected();
        const auto data = m_patch.take(run ? 1 : *length, "bytes of a record");
        if (!data)
            return tl::unexpected(data.error());
        bytes.resize(std::max<std::uint64_t>(bytes.size(), offset + *length));
        const auto to = bytes.begin() + static_cast<std::ptrdiff_t>(offset);
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
            if (*length > m_result.bytes.size())
                return m_patch.error("binary_patch.range", place)
                    .field("new length")
                    .expected(fmt::format("at most {}, the length so far", m_result.bytes.size()))
                    .found(fmt::format("{}", *length))
                    .message("The patch cuts the file behind its end")
                    .unexpected();
            m_result.bytes.resize(*length);
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
        return std::move(m_result);
    }

    PatchCursor &m_patch;
    Progress *m_progress;
    PatchedFile m_result;
};

} // namespace

Result<PatchedFile> applyIps(std::span<const std::byte> file, PatchCursor &patch,
                             Progress *progress)
{
    return IpsApplier(file, patch, progress).run();
}

} // namespace kernscope::patch
