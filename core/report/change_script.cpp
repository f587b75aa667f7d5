// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/change_script.h"

#include "core/base/counted_text.h"
#include "core/base/error_builder.h"
#include "core/base/overlaid_file.h"
#include "core/base/printable.h"
#include "core/bundle/pair_read_lock.h"
#include "core/codec/decode/decoder.h"
#include "core/diff/byte_ranges.h"
#include "core/patch/edit/edit.h"
#include "core/patch/edit/script_origin.h"
#include "core/patch/edit/stored_part.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace kernscope::report {

namespace {

tl::unexpected<Error> cannotSay(const std::string &field, std::string found, std::string message)
{
    return ErrorBuilder("diff.changes")
        .field(field)
        .found(std::move(found))
        .message(std::move(message))
        .unexpected();
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
            if (auto added = addPart(a, ours[i].role, decoderA->encoding(), decoderB->encoding());
                !added)
                return added;
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
        const auto ofRole =
            std::count_if(operands.begin(), operands.end(),
                          [role](const codec::Operand &operand) { return operand.role == role; });
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
            return std::to_string(code);
        return fmt::format("{:#x}: {} > {}", code, codec::operandValue(a, index).value_or(0),
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
        const ComparedPair &part = slicedPairs(difference.weights).front().front();
        const Weight &whole = part.slice->ofA ? a.weights()[part.a] : b.weights()[part.b];
        return cannotSay(whole.findableName(), std::string(part.slice->name()),
                         "Edits split and merge no weights");
    }
    return {};
}

} // namespace

Result<std::string> changeScript(const Bundle &a, const Bundle &b, const Difference &difference,
                                 Progress *progress)
{
    if (auto whole = checkWhole(a, b, difference); !whole)
        return tl::unexpected(std::move(whole.error()));
    const PairReadLock lock(a, b);
    ChangeWriter writer(a, b, progress);
    std::vector<std::size_t> partners;
    for (const ComparedPair &pair : difference.weights) {
        if (auto added = writer.add(pair); !added)
            return tl::unexpected(std::move(added.error()));
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
