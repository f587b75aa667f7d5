// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/edit_command.h"

#include "app/document.h"

#include <algorithm>
#include <map>

namespace kernscope::app {

namespace {

constexpr int kMergeId = 1;
constexpr int kNeverMerge = -1;
/// Longer edits are no typing; merging them byte by byte would cost more than it saves.
constexpr std::size_t kMaxMergedBytes = 4096;

struct Change {
    std::byte before{}, after{};
};
using Place = std::pair<std::size_t, std::uint64_t>; // file, offset

std::size_t sizeOf(const AppliedEdit &edit)
{
    std::size_t bytes = 0;
    for (const FileEdit &run : edit.bytes)
        bytes += run.after.size();
    return bytes;
}

void add(std::map<Place, Change> &changes, const std::vector<FileEdit> &runs)
{
    for (const FileEdit &run : runs) {
        for (std::size_t i = 0; i < run.after.size(); ++i) {
            const auto [at, added] = changes.try_emplace({run.file, run.offset.value + i},
                                                         Change{run.before[i], run.after[i]});
            if (!added)
                at->second.after = run.after[i];
        }
    }
}

bool mergeable(const std::vector<AppliedEditPtr> &edits)
{
    return edits.size() == 1 && !edits.front()->tables && sizeOf(*edits.front()) <= kMaxMergedBytes;
}

} // namespace

bool sameCell(const Edit &a, const Edit &b)
{
    const auto sameIndex = [](const IndexRange &x, const IndexRange &y) {
        return x.start == y.start && x.stop == y.stop && x.all == y.all && x.single == y.single;
    };
    return a.kind == b.kind && a.weight == b.weight && a.part == b.part &&
           std::equal(a.indices.begin(), a.indices.end(), b.indices.begin(), b.indices.end(),
                      sameIndex);
}

std::vector<FileEdit> composed(const std::vector<FileEdit> &first,
                               const std::vector<FileEdit> &second)
{
    std::map<Place, Change> changes;
    add(changes, first);
    add(changes, second);
    std::vector<FileEdit> runs;
    std::vector<std::byte> before, after; // of the last run
    const auto finish = [&] {
        if (runs.empty())
            return;
        runs.back().before = std::exchange(before, {});
        runs.back().after = std::exchange(after, {});
    };
    for (const auto &[place, change] : changes) {
        if (change.before == change.after)
            continue;
        const bool continues = !runs.empty() && runs.back().file == place.first &&
                               runs.back().offset.value + after.size() == place.second;
        if (!continues) {
            finish();
            runs.push_back({place.first, FileOffset(place.second), {}, {}});
        }
        before.push_back(change.before);
        after.push_back(change.after);
    }
    finish();
    return runs;
}

EditCommand::EditCommand(Document &document, std::vector<AppliedEdit> edits, const QString &title)
    : QUndoCommand(title), m_document(document)
{
    m_edits.reserve(edits.size());
    for (AppliedEdit &edit : edits)
        m_edits.push_back(std::make_shared<const AppliedEdit>(std::move(edit)));
}

void EditCommand::redo()
{
    if (!m_document.makeSteps(stepsOf(m_edits, true)))
        setObsolete(true);
}

void EditCommand::undo()
{
    if (!m_document.makeSteps(stepsOf(m_edits, false)))
        setObsolete(true);
}

int EditCommand::id() const
{
    return mergeable(m_edits) ? kMergeId : kNeverMerge;
}

bool EditCommand::mergeWith(const QUndoCommand *later)
{
    const auto *other = dynamic_cast<const EditCommand *>(later);
    if (!other || other->isObsolete() || !mergeable(m_edits) || !mergeable(other->m_edits))
        return false;
    const AppliedEdit &mine = *m_edits.front(), &its = *other->m_edits.front();
    if (!sameCell(mine.edit, its.edit))
        return false;
    AppliedEdit merged = its;
    merged.oldText = mine.oldText;
    merged.bytes = composed(mine.bytes, its.bytes);
    setText(other->text());
    setObsolete(merged.bytes.empty());
    const auto made = std::make_shared<const AppliedEdit>(std::move(merged));
    m_document.carryNote(m_edits.front(), made);
    m_edits.front() = made;
    return true;
}

std::vector<EditStep> stepsOf(const std::vector<AppliedEditPtr> &edits, bool forward)
{
    std::vector<EditStep> steps;
    steps.reserve(edits.size());
    for (const AppliedEditPtr &edit : edits)
        steps.push_back({edit, forward});
    if (!forward)
        std::reverse(steps.begin(), steps.end());
    return steps;
}

SwitchCommand::SwitchCommand(Document &document, std::vector<ListedEdit> before,
                             std::vector<ListedEdit> after, const QString &title)
    : QUndoCommand(title), m_document(document), m_before(std::move(before)),
      m_after(std::move(after))
{
}

std::vector<EditStep> SwitchCommand::steps(bool forward) const
{
    const std::vector<ListedEdit> &from = forward ? m_before : m_after;
    const std::vector<ListedEdit> &to = forward ? m_after : m_before;
    const auto same = [](const ListedEdit &a, const ListedEdit &b) {
        return a.edit == b.edit && a.on == b.on;
    };
    const auto [first, firstTo] =
        std::mismatch(from.begin(), from.end(), to.begin(), to.end(), same);
    const auto laid = [](auto begin, auto end) {
        std::vector<AppliedEditPtr> edits;
        for (; begin != end; ++begin) {
            if (begin->on)
                edits.push_back(begin->edit);
        }
        return edits;
    };
    std::vector<EditStep> steps = stepsOf(laid(first, from.end()), false);
    const std::vector<EditStep> made = stepsOf(laid(firstTo, to.end()), true);
    steps.insert(steps.end(), made.begin(), made.end());
    return steps;
}

void SwitchCommand::redo()
{
    if (!m_document.makeSteps(steps(true)))
        setObsolete(true);
}

void SwitchCommand::undo()
{
    if (!m_document.makeSteps(steps(false)))
        setObsolete(true);
}

} // namespace kernscope::app
