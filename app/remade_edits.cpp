// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/edit_journal.h"
#include "core/bundle/bundle.h"

#include <fmt/format.h>

#include <cmath>

namespace kernscope::app {

std::vector<AppliedEditPtr> laidOf(const std::vector<ui::PatchEntry> &patches)
{
    std::vector<AppliedEditPtr> edits;
    for (const ui::PatchEntry &entry : patches) {
        if (entry.active)
            edits.push_back(entry.edit);
    }
    return edits;
}

/// What is laid begins with edits that are saved; from the first one on that is not, the saved ones
/// are taken back and the others are unsaved.
UnsavedEdits unsavedOf(const std::vector<ui::PatchEntry> &patches,
                       const std::vector<AppliedEditPtr> &onDisk)
{
    UnsavedEdits unsaved;
    const std::vector<AppliedEditPtr> laid = laidOf(patches);
    const auto [saved, firstNew] =
        std::mismatch(onDisk.begin(), onDisk.end(), laid.begin(), laid.end());
    unsaved.takenBack.assign(saved, onDisk.end());
    std::size_t before = static_cast<std::size_t>(firstNew - laid.begin());
    for (const ui::PatchEntry &entry : patches) {
        if (entry.active && before > 0) {
            --before;
            continue;
        }
        unsaved.entries.push_back(entry);
        // Such a one is no step any more that could be made again: it is an edit switched off.
        if (!entry.active && std::find(saved, onDisk.end(), entry.edit) != onDisk.end())
            unsaved.entries.back().off = true;
    }
    return unsaved;
}

namespace {

/// Why an edit that was made as `stated` is not made as `now`: the file has changed since and holds
/// another value in its place. An edit by an expression asks for what the new values give: there
/// a worse deviation counts. Nothing is known of `stated` where it names no element.
std::optional<Error> holdsAnother(const AppliedEdit &stated, const AppliedEdit &now)
{
    const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
    const auto off = [](const AppliedEdit &edit) { return std::abs(edit.stored - edit.asked); };
    const bool another = !same(now.asked, stated.asked);
    if (stated.elements == 0 || (!another && same(now.stored, stated.stored)) ||
        (another && now.edit.kind == Edit::Kind::Compute && !(off(now) > off(stated))))
        return std::nullopt;
    return ErrorBuilder("patch.unrepresentable")
        .field(now.edit.weight)
        .message(fmt::format("The file has changed: {} was held as {} and would be held as {} now",
                             now.asked, stated.stored, now.stored));
}

} // namespace

RemadeEdits remakeEdits(const BundlePtr &base, UnsavedEdits edits, double tolerance,
                        Progress &progress)
{
    RemadeEdits remade{std::move(edits), {}, nullptr, {}, {}, {}};
    const auto &entries = remade.edits.entries;
    remade.made.resize(entries.size());
    const auto refuse = [&remade](const Error &fault) {
        if (!remade.fault)
            remade.fault = fault;
    };
    auto fork = forkWithSteps(base, stepsOf(remade.edits.takenBack, false), &progress);
    if (!fork && !remade.edits.takenBack.empty()) {
        refuse(fork.error());
        remade.edits.takenBack.clear();
        fork = forkWithSteps(base, {}, &progress);
    }
    if (!fork) {
        refuse(fork.error());
        return remade;
    }
    const auto plan = [&](bool active, BundlePtr at) {
        std::vector<Edit> all;
        std::vector<std::size_t> rows;
        for (std::size_t i = 0; i < entries.size(); ++i) {
            if (entries[i].off || entries[i].active != active)
                continue;
            rows.push_back(i);
            all.push_back(entries[i].edit->edit);
            all.back().note = entries[i].note;
        }
        if (rows.empty())
            return at;
        const auto planSame = [&](std::size_t first, std::size_t count) -> Result<PlannedEdits> {
            const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
            auto planned = TRY(planOnFork(at, {begin, begin + static_cast<std::ptrdiff_t>(count)},
                                          tolerance, &progress));
            for (std::size_t i = 0; i < count; ++i) {
                if (auto fault = holdsAnother(*entries[rows[first + i]].edit, planned.edits[i]))
                    return tl::unexpected(*std::move(fault));
            }
            return planned;
        };
        if (auto planned = planSame(0, all.size())) {
            for (std::size_t i = 0; i < rows.size(); ++i)
                remade.made[rows[i]] = std::move(planned->edits[i]);
            return planned->bundle;
        }
        for (std::size_t i = 0; i < rows.size(); ++i) {
            auto planned = planSame(i, 1);
            if (planned) {
                remade.made[rows[i]] = std::move(planned->edits.front());
                at = planned->bundle;
            } else {
                refuse(planned.error());
                remade.reasons.push_back(planned.error().message);
                remade.refused.push_back(entries[rows[i]]);
            }
        }
        return at;
    };
    remade.bundle = plan(true, *fork);
    plan(false, remade.bundle);
    return remade;
}

} // namespace kernscope::app
