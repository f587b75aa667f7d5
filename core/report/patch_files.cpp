// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/difference_formats.h"

#include "core/base/overlaid_file.h"
#include "core/base/text.h"
#include "core/bundle/bundle.h"
#include "core/codec/decode/decoder.h"
#include "core/numeric/convert.h"
#include "core/patch/edit/edit_parser.h"
#include "core/patch/edit/find_weight.h"

#include <bit>
#include <cstring>

#include <fmt/format.h>

namespace kernscope::report {

namespace {

using Bytes = std::vector<std::byte>;
using ByteView = std::span<const std::byte>;

/// Bytes between two looks at the progress.
constexpr std::uint64_t kPatchStep = std::uint64_t(1) << 20;

tl::unexpected<Error> cannotPatch(std::string expected, std::string found, std::string message)
{
    return refused("diff.binary_patch", {}, std::move(expected), std::move(found),
                   std::move(message));
}

tl::unexpected<Error> stopped()
{
    return tl::unexpected(cancelledError("The patch was not written: cancelled"));
}

void append(Bytes &out, std::string_view text)
{
    for (const char c : text)
        out.push_back(static_cast<std::byte>(c));
}

void append(Bytes &out, ByteView bytes)
{
    out.insert(out.end(), bytes.begin(), bytes.end());
}

/// Where two runs of bytes part.
std::size_t samePrefix(ByteView x, ByteView y)
{
    const std::size_t count = std::min(x.size(), y.size());
    std::size_t at = 0;
    constexpr std::size_t kBlock = 4096;
    while (at + kBlock <= count && std::memcmp(x.data() + at, y.data() + at, kBlock) == 0)
        at += kBlock;
    while (at < count && x[at] == y[at])
        ++at;
    return at;
}

/// The records of an IPS patch, one after the other.
class IpsWriter
{
public:
    explicit IpsWriter(ByteView after) : m_after(after) { append(m_out, patch::ips::kMagic); }

    /// Bytes [first, end) of the new file.
    void write(std::uint64_t first, std::uint64_t end)
    {
        while (first < end) {
            // The offset that reads "EOF" would end the patch: a byte more from before it.
            if (first == kEofOffset)
                --first;
            std::uint64_t run = runAt(first, end);
            // The next record would begin at that offset.
            if (first + run == kEofOffset && first + run < end)
                --run;
            if (run >= kLeastRun) {
                record(first, 0);
                number(run, 2);
                m_out.push_back(m_after[first]);
                first += run;
                continue;
            }
            std::uint64_t stop = std::min(end, first + kMostData);
            for (std::uint64_t at = first + 1; at + kLeastRun <= stop; ++at) {
                if (at != kEofOffset && runAt(at, end) >= kLeastRun) {
                    stop = at;
                    break;
                }
            }
            record(first, stop - first);
            append(m_out, m_after.subspan(first, stop - first));
            first = stop;
        }
    }

    Bytes finish(std::uint64_t before)
    {
        append(m_out, patch::ips::kEnd);
        if (m_after.size() < before)
            number(m_after.size(), 3);
        return std::move(m_out);
    }

private:
    static constexpr std::uint64_t kEofOffset = patch::ips::kEndOffset;
    static constexpr std::uint64_t kMostData = patch::ips::kMostLength;
    static constexpr std::uint64_t kLeastRun = 16; ///< a run of its own costs eight bytes

    std::uint64_t runAt(std::uint64_t first, std::uint64_t end) const
    {
        std::uint64_t run = 1;
        while (first + run < end && run < kMostData && m_after[first + run] == m_after[first])
            ++run;
        return run;
    }

    void number(std::uint64_t value, int bytes)
    {
        for (int shift = (bytes - 1) * 8; shift >= 0; shift -= 8)
            m_out.push_back(static_cast<std::byte>(value >> shift & 0xFF));
    }

    void record(std::uint64_t offset, std::uint64_t size)
    {
        number(offset, 3);
        number(size, 2);
    }

    ByteView m_after;
    Bytes m_out;
};

/// Where the blocks of a file are: what has moved is found by them. Numbers of blocks by the hash
/// of their bytes, in a table without links; of equal blocks the first.
class BlockTable
{
public:
    static constexpr std::size_t kBlock = 32;

    explicit BlockTable(ByteView file)
    {
        const std::uint64_t blocks = std::min<std::uint64_t>(file.size() / kBlock, UINT32_MAX);
        m_slots.resize(std::bit_ceil(blocks + blocks / 2 + 1));
        for (std::uint64_t block = 0; block < blocks; ++block) {
            const std::uint64_t slot = slotOf(file, file.subspan(block * kBlock, kBlock));
            if (m_slots[slot] == 0)
                m_slots[slot] = static_cast<std::uint32_t>(block + 1);
        }
    }

    /// Offset in `file`, which the table was made of, of the block with these bytes.
    std::optional<std::uint64_t> find(ByteView file, ByteView block) const
    {
        const std::uint32_t found = m_slots[slotOf(file, block)];
        return found == 0 ? std::nullopt : std::optional((found - std::uint64_t(1)) * kBlock);
    }

private:
    /// That of the block, or the free one where it would be.
    std::uint64_t slotOf(ByteView file, ByteView block) const
    {
        const std::uint64_t last = m_slots.size() - 1;
        std::uint64_t at = hashOf(block) & last;
        while (m_slots[at] != 0 &&
               std::memcmp(file.data() + (m_slots[at] - std::uint64_t(1)) * kBlock, block.data(),
                           kBlock) != 0)
            at = (at + 1) & last;
        return at;
    }

    static std::uint64_t hashOf(ByteView block)
    {
        std::uint64_t hash = 0;
        for (std::size_t i = 0; i < kBlock; i += 8) {
            std::uint64_t word = 0;
            std::memcpy(&word, block.data() + i, 8);
            hash = (std::rotl(hash, 23) ^ word) * 0x9E3779B97F4A7C15u;
        }
        return hash ^ hash >> 32;
    }

    std::vector<std::uint32_t> m_slots; ///< number of the block and 1; 0: free
};

/// The steps of a BPS patch.
class BpsWriter
{
public:
    BpsWriter(ByteView before, ByteView after) : m_before(before), m_after(after), m_blocks(before)
    {
        append(m_out, patch::bps::kMagic);
        number(before.size());
        number(after.size());
        number(0); // no metadata
    }

    bool run(Progress *progress)
    {
        std::uint64_t told = 0;
        while (m_at < m_after.size()) {
            step();
            if (progress != nullptr && m_at - told >= kPatchStep) {
                if (!progress->advance(m_at - told))
                    return false;
                told = m_at;
            }
        }
        flush();
        return progress == nullptr || progress->advance(m_after.size() - told);
    }

    Bytes finish()
    {
        checksum(m_before);
        checksum(m_after);
        checksum(m_out);
        return std::move(m_out);
    }

private:
    static constexpr std::size_t kLeastRead = 4;

    void step()
    {
        if (m_at < m_before.size()) {
            const std::size_t same = samePrefix(m_before.subspan(m_at), m_after.subspan(m_at));
            if (same >= kLeastRead || (same > 0 && m_at + same == m_after.size())) {
                flush();
                action(patch::bps::SourceRead, same);
                m_at += same;
                m_fresh = m_at;
                return;
            }
        }
        if (!copyMoved())
            ++m_at;
    }

    /// The block that begins here, where A has it elsewhere, with all that is the same around it.
    bool copyMoved()
    {
        if (m_at + BlockTable::kBlock > m_after.size())
            return false;
        const auto found = m_blocks.find(m_before, m_after.subspan(m_at, BlockTable::kBlock));
        if (!found)
            return false;
        std::uint64_t from = *found, to = m_at;
        const std::size_t same = samePrefix(m_before.subspan(from), m_after.subspan(to));
        while (to > m_fresh && from > 0 && m_before[from - 1] == m_after[to - 1]) {
            --from;
            --to;
        }
        const std::uint64_t length = m_at + same - to;
        m_at = to;
        flush();
        action(patch::bps::SourceCopy, length);
        const bool back = from < m_source;
        number((back ? m_source - from : from - m_source) << 1 | (back ? 1u : 0u));
        m_source = from + length;
        m_at = to + length;
        m_fresh = m_at;
        return true;
    }

    /// Writes what neither file told so far.
    void flush()
    {
        if (m_at == m_fresh)
            return;
        action(patch::bps::TargetRead, m_at - m_fresh);
        append(m_out, m_after.subspan(m_fresh, m_at - m_fresh));
        m_fresh = m_at;
    }

    void action(patch::bps::Step step, std::uint64_t length)
    {
        number((length - 1) << patch::bps::kStepBits | step);
    }

    void number(std::uint64_t value)
    {
        while (true) {
            const std::uint64_t low = value & 0x7F;
            value >>= 7;
            if (value == 0) {
                m_out.push_back(static_cast<std::byte>(0x80 | low));
                return;
            }
            m_out.push_back(static_cast<std::byte>(low));
            --value;
        }
    }

    void checksum(ByteView bytes)
    {
        const std::uint32_t sum = patch::checksumOf(bytes);
        for (int shift = 0; shift < 32; shift += 8)
            m_out.push_back(static_cast<std::byte>(sum >> shift & 0xFF));
    }

    ByteView m_before, m_after;
    Bytes m_out;
    BlockTable m_blocks;
    std::uint64_t m_at = 0;     ///< in `after`: written and waiting up to here
    std::uint64_t m_fresh = 0;  ///< from here on it waits
    std::uint64_t m_source = 0; ///< behind the last copy in `before`
};

tl::unexpected<Error> cannotSay(const std::string &field, std::string found, std::string message)
{
    return refused("diff.changes", field, {}, std::move(found), std::move(message));
}

class ChangeWriter
{
public:
    ChangeWriter(const Bundle &a, const Bundle &b, Progress *progress)
        : m_a(a), m_b(b), m_progress(progress)
    {
    }

    Result<void> add(const ComparedPair &pair)
    {
        const Weight &a = m_a.weights()[pair.a];
        if (pair.damaged)
            return tl::unexpected(a.fault ? *a.fault : *m_b.weights()[pair.b].fault);
        if (!pair.layoutEqual)
            return cannotSay(a.findableName(), m_b.weights()[pair.b].findableName(),
                             "Edits change stored codes; this weight has another layout in B");
        if (pair.storedEqual)
            return {};
        const auto decoderA = m_a.decoder(pair.a), decoderB = m_b.decoder(pair.b);
        if (!decoderA || !decoderB)
            return tl::unexpected(decoderA ? decoderB.error() : decoderA.error());
        const OperandList &ours = a.operands(), &theirs = m_b.weights()[pair.b].operands();
        for (std::size_t i = 0; i < ours.size(); ++i) {
            const auto same =
                diff::sameRuns(m_a.operandRuns(ours[i]), m_b.operandRuns(theirs[i]), nullptr);
            if (same.value_or(false))
                continue;
            TRY(addPart(a, ours[i].role, decoderA->encoding(), decoderB->encoding()));
        }
        return {};
    }

    std::uint64_t changes() const { return m_changes; }
    std::string take() { return std::move(m_lines); }

private:
    Result<void> addPart(const Weight &weight, codec::PartRole role,
                         const codec::Encoding &encodingA, const codec::Encoding &encodingB)
    {
        const std::string name =
            weight.findableName() + ":" + std::string(codec::partRoleName(role));
        const auto a = patch::storedPart(encodingA, role), b = patch::storedPart(encodingB, role);
        const OperandList &operands = weight.operands();
        const auto ofRole = std::ranges::count(operands, role, &codec::Operand::role);
        if (!a || !b || ofRole != 1 || role == codec::PartRole::Mask)
            return cannotSay(name, {}, "No edit of stored codes reaches this part alone");
        const auto count = elementCount(a->operand->shape);
        if (!count)
            return cannotSay(name, {}, "The part has more elements than 64 bits count");
        Edit edit;
        edit.kind = Edit::Kind::SetStored;
        edit.weight = weight.findableName();
        edit.part = role;
        for (std::uint64_t i = 0; i < count->value; ++i) {
            if (i % kLook == 0 && m_progress != nullptr && m_progress->cancelled())
                return tl::unexpected(cancelledError("The comparison was cancelled"));
            const auto before = codec::operandCode(*a->operand, a->width, i);
            const auto after = codec::operandCode(*b->operand, b->width, i);
            if (!before || !after || *before == *after)
                continue;
            if (++m_changes > kMostChanges)
                return cannotSay(name, {}, fmt::format("More than {} codes differ", kMostChanges));
            edit.indices = {IndexRange{i, i + 1, false, true}};
            edit.stored = *after;
            edit.storedBeyond = *after < 0 && !isSignedInteger(b->operand->type);
            m_lines += fmt::format("set-stored {}  # was {}\n", editText(edit),
                                   was(*a->operand, *b->operand, i, *before));
        }
        return {};
    }

    /// The code that was there; of floating point the numbers as well.
    static std::string was(const codec::Operand &a, const codec::Operand &b, std::uint64_t index,
                           std::int64_t code)
    {
        if (!isFloatingPoint(a.type))
            return codeText(a.type, code);
        return fmt::format("{}: {} > {}", codeText(a.type, code),
                           codec::operandValue(a, index).value_or(0),
                           codec::operandValue(b, index).value_or(0));
    }

    static constexpr std::uint64_t kLook = 65536;
    const Bundle &m_a;
    const Bundle &m_b;
    Progress *m_progress;
    std::string m_lines;
    std::uint64_t m_changes = 0;
};

Result<void> checkWhole(const Bundle &a, const Bundle &b, const Difference &difference)
{
    if (!difference.program.equal)
        return cannotSay("program", {},
                         difference.program.sameComputation
                             ? "Edits change values where A stores them; B stores weights otherwise"
                             : "Edits change weights; the programs differ");
    if (!difference.onlyA.empty())
        return cannotSay(a.weights()[difference.onlyA.front()].findableName(), "only in A",
                         "Edits add and remove no weights");
    if (!difference.onlyB.empty())
        return cannotSay(b.weights()[difference.onlyB.front()].findableName(), "only in B",
                         "Edits add and remove no weights");
    if (!difference.weights.empty() && difference.weights.back().slice) {
        const auto slices = slicedPairs(difference.weights);
        const ComparedPair &part = slices.front().front();
        const Weight &whole = part.slice->ofA ? a.weights()[part.a] : b.weights()[part.b];
        return cannotSay(whole.findableName(), std::string(part.slice->name()),
                         "Edits split and merge no weights");
    }
    return {};
}

} // namespace

Result<Bytes> ipsPatch(ByteView before, ByteView after, Progress *progress)
{
    constexpr std::size_t kJoin = 6; ///< a gap that costs less than a record of its own
    if (after.size() < before.size() && after.size() > patch::ips::kMostOffset)
        return cannotPatch(fmt::format("a length up to {} bytes", patch::ips::kMostOffset),
                           fmt::format("{}", after.size()),
                           "IPS cannot shorten a file to more than 16 MiB; BPS can");
    IpsWriter writer(after);
    for (std::size_t at = 0; at < after.size();) {
        if (at < before.size()) {
            const std::size_t same = samePrefix(before.subspan(at), after.subspan(at));
            at += same;
            if (progress != nullptr && !progress->advance(same))
                return stopped();
            if (at == after.size())
                break;
        }
        std::size_t end = at + 1, equal = 0;
        for (std::size_t next = end; next < after.size() && equal < kJoin; ++next) {
            const bool same = next < before.size() && before[next] == after[next];
            equal = same ? equal + 1 : 0;
            end = same ? end : next + 1;
        }
        if (end - 1 > patch::ips::kMostOffset)
            return cannotPatch(fmt::format("offsets up to {:#x}", patch::ips::kMostOffset),
                               fmt::format("{:#x}", end - 1),
                               "IPS cannot change bytes beyond 16 MiB; BPS can");
        writer.write(at, end);
        if (progress != nullptr && !progress->advance(end - at))
            return stopped();
        at = end;
    }
    return writer.finish(before.size());
}

Result<Bytes> bpsPatch(ByteView before, ByteView after, Progress *progress)
{
    BpsWriter writer(before, after);
    if (!writer.run(progress))
        return stopped();
    return writer.finish();
}

Result<Bytes> binaryPatch(const Bundle &a, const Bundle &b, const Difference &difference,
                          BinaryFormat format, Progress *progress)
{
    std::vector<const FileDifference *> differing;
    std::string names;
    for (const FileDifference &file : difference.files) {
        if (file.equal)
            continue;
        differing.push_back(&file);
        names += (names.empty() ? "" : ", ") + file.path;
    }
    // Of two equal files a patch that changes nothing is the right one; of folders it is not said
    // which file it would be of.
    if (differing.empty() && difference.files.size() == 1)
        differing.push_back(&difference.files.front());
    if (differing.size() != 1)
        return cannotPatch("one file that differs", differing.empty() ? "none" : names,
                           differing.empty() ? "There is nothing to patch"
                                             : "A binary patch is of one file: compare these files "
                                               "themselves, one by one");
    const FileDifference &file = *differing.front();
    if (file.a == kNoIndex || file.b == kNoIndex)
        return cannotPatch("a file of both",
                           file.path + (file.a == kNoIndex ? " in B only" : " in A only"),
                           "A binary patch changes a file that is there");
    const BundleReadLock lock(a, b);
    const ByteView before = a.files()[file.a].file->bytes(),
                   after = b.files()[file.b].file->bytes();
    return format == BinaryFormat::Ips ? ipsPatch(before, after, progress)
                                       : bpsPatch(before, after, progress);
}

Result<std::string> changeScript(const Bundle &a, const Bundle &b, const Difference &difference,
                                 Progress *progress)
{
    TRY(checkWhole(a, b, difference));
    const BundleReadLock lock(a, b);
    ChangeWriter writer(a, b, progress);
    std::vector<std::size_t> partners;
    for (const ComparedPair &pair : difference.weights) {
        TRY(writer.add(pair));
        partners.push_back(pair.b);
    }
    const auto base = patch::bundleDigest(a);
    const auto result = patch::weightsDigest(b, partners);
    if (!base || !result)
        return tl::unexpected(base ? result.error() : base.error());
    const std::uint64_t changes = writer.changes();
    return fmt::format("# Changes from {} to {}: {}. Apply them by kernscope-cli patch --script.\n",
                       printable(a.name()), printable(b.name()), counted(changes, "stored code")) +
           patch::originText({*base, *result}) + "\n" + writer.take();
}

} // namespace kernscope::report
