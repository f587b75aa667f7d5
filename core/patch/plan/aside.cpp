// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/open/bundle_builder.h"
#include "core/patch/plan/planner.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace kernscope {

namespace {

constexpr std::size_t kStepBytes = std::size_t{1} << 20; ///< written between two looks at Cancel

Result<BundlePtr> forkOf(const Bundle &bundle)
{
    const BundleReadLock lock(bundle);
    return BundleBuilder::fork(bundle);
}

/// One edit on a fork that is thrown away where this fails.
Result<void> makeStep(const Bundle &fork, const EditStep &step, Progress &progress)
{
    for (const FileEdit &run : step.edit->bytes) {
        if (run.before.size() != run.after.size())
            return patch::writeEdits(fork, std::span(&run, 1), step.forward); // gives the error
        for (std::size_t at = 0; at < run.after.size(); at += kStepBytes) {
            const std::size_t count = std::min(kStepBytes, run.after.size() - at);
            FileEdit piece{run.file, FileOffset(run.offset.value + at), {}, {}};
            piece.before = run.before.part(at, count);
            piece.after = run.after.part(at, count);
            TRY(patch::writeEdits(fork, std::span(&piece, 1), step.forward));
            if (!progress.advance(count))
                return tl::unexpected(cancelledError("Nothing was changed"));
        }
    }
    return {};
}

/// `keepsFork`: the fork is wanted with the edits laid over it; otherwise it is not read after
/// the last one.
Result<PlannedEdits> plan(const BundlePtr &bundle, const std::vector<Edit> &edits, double tolerance,
                          Progress *progress, bool keepsFork)
{
    auto fork = TRY(forkOf(*bundle));
    patch::Planner planner(std::move(fork), tolerance, progress);
    PlannedEdits planned;
    while (planned.edits.size() < edits.size()) {
        const auto rest = std::span(edits).subspan(planned.edits.size());
        const Edit &edit = rest.front();
        const std::size_t together = planner.maskEdits(rest);
        auto applied =
            together > 1
                ? planner.planMask(rest.first(together))
                : planner.plan(edit, !keepsFork && rest.size() == 1).map([](AppliedEdit one) {
                      return std::vector{std::move(one)};
                  });
        if (!applied) {
            Error refusal = std::move(applied.error());
            if (edits.size() > 1) // which one it is
                refusal.message = fmt::format("{} {}: {}", editKindName(edit.kind), editText(edit),
                                              refusal.message);
            return tl::unexpected(std::move(refusal));
        }
        std::move(applied->begin(), applied->end(), std::back_inserter(planned.edits));
    }
    planned.bundle = planner.bundle();
    return planned;
}

Result<BundlePtr> lay(const BundlePtr &bundle, const AppliedEdit &edit, bool forward)
{
    TRY(patch::writeEdits(*bundle, edit.bytes, forward));
    if (!edit.tables)
        return bundle;
    auto reread = bundle->reread();
    if (reread)
        return std::move(*reread);
    // The bundle stays as it was.
    TRY(patch::writeEdits(*bundle, edit.bytes, !forward));
    return tl::unexpected(std::move(reread.error()));
}

} // namespace

Result<PlannedEdits> planOnFork(const BundlePtr &bundle, const std::vector<Edit> &edits,
                                double tolerance, Progress *progress)
{
    return plan(bundle, edits, tolerance, progress, true);
}

Result<std::vector<AppliedEdit>> planEdits(const BundlePtr &bundle, const std::vector<Edit> &edits,
                                           double tolerance, Progress *progress)
{
    auto planned = TRY(plan(bundle, edits, tolerance, progress, false));
    return std::move(planned.edits);
}

Result<BundlePtr> forkWithSteps(const BundlePtr &bundle, std::span<const EditStep> steps,
                                Progress *progress)
{
    Progress unwatched;
    Progress &watched = progress != nullptr ? *progress : unwatched;
    std::uint64_t total = 0;
    bool tables = false;
    for (const EditStep &step : steps) {
        tables = tables || step.edit->tables;
        for (const FileEdit &run : step.edit->bytes)
            total += run.after.size();
    }
    watched.setTotal(total);
    auto fork = TRY(forkOf(*bundle));
    for (const EditStep &step : steps) {
        TRY(makeStep(*fork, step, watched));
    }
    TRY(fork->checkUnchanged());
    return tables ? fork->reread() : fork;
}

Result<BundlePtr> applyEdit(const BundlePtr &bundle, const AppliedEdit &edit)
{
    return lay(bundle, edit, true);
}

Result<BundlePtr> revertEdit(const BundlePtr &bundle, const AppliedEdit &edit)
{
    return lay(bundle, edit, false);
}

} // namespace kernscope
