// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/nearest_change.h"

#include <fmt/format.h>

namespace kernscope::decision {

namespace {

using Kind = WeightForm::Kind;

/// The first reason of the use (stride, dilation, overlap, mutability) that fails.
const Reason *failingUse(const Verdict &verdict)
{
    for (const Reason &reason : verdict.reasons) {
        const bool ofUse = reason.gate == "unit stride" || reason.gate == "no dilation" ||
                           reason.gate == "no tile overlap" || reason.gate == "immutable weight";
        if (ofUse && reason.passes && !*reason.passes)
            return &reason;
    }
    return nullptr;
}

/// The bytes whose change the other verdict shows: those that are set there and not here.
std::string differingBytes(const Verdict &here, const Verdict &there)
{
    std::string bytes;
    for (const Reason &reason : here.reasons) {
        for (const Reason &other : there.reasons) {
            if (reason.offset && reason.offset == other.offset && reason.passes != other.passes &&
                other.passes)
                bytes += (bytes.empty() ? "" : ", ") + target::halOffsetText(*reason.offset);
        }
    }
    return bytes;
}

/// The next generation (up or down the list) whose base chip gives another settled outcome.
std::string otherChip(const WeightForm &form, const Verdict &verdict, bool newer)
{
    const auto targets = target::targets();
    const auto count = static_cast<std::ptrdiff_t>(targets.size());
    const std::ptrdiff_t step = newer ? 1 : -1;
    std::ptrdiff_t at = static_cast<std::ptrdiff_t>(verdict.target->index);
    for (at += step; at >= 0 && at < count; at += step) {
        const target::Target &target = targets[std::size_t(at)];
        if (target.kind != "silicon" || target.family == verdict.target->family)
            continue;
        const Verdict there = judgeForm(form, target);
        if (there.outcome == verdict.outcome || there.outcome == Outcome::Unknown)
            continue;
        const std::string bytes = differingBytes(verdict, there);
        return fmt::format("on {} it {}{}", target.name,
                           there.outcome == Outcome::Rejected ? "is rejected"
                                                              : outcomeName(there.outcome),
                           bytes.empty() ? "" : fmt::format(" ({} differ)", bytes));
    }
    return {};
}

/// Another form of the same values that streams on the same chip.
std::string otherForm(const WeightForm &form, const Verdict &verdict)
{
    WeightForm palette;
    palette.kind = Kind::Palette;
    palette.bits = 4;
    palette.use = form.use;
    if (form.key() != palette.key() &&
        judgeForm(palette, *verdict.target).outcome == Outcome::Streams)
        return "as a 4-bit palette with one codebook of fp16 entries it streams here";
    WeightForm sparse;
    sparse.masked = true;
    sparse.use = form.use;
    if (!form.masked && judgeForm(sparse, *verdict.target).outcome == Outcome::Streams)
        return "pruned to half zeros and stored sparse it streams here";
    return {};
}

std::string joined(const std::string &a, const std::string &b)
{
    if (a.empty() || b.empty())
        return a + b;
    return a + "; " + b;
}

std::string sentence(std::string text)
{
    if (text.empty())
        return text;
    if (text.front() >= 'a' && text.front() <= 'z')
        text.front() = static_cast<char>(text.front() - 'a' + 'A');
    return text + ".";
}

} // namespace

std::string nearestChange(const WeightForm &form, const Verdict &verdict)
{
    switch (verdict.outcome) {
    case Outcome::Folds:
        if (const Reason *use = failingUse(verdict))
            return sentence(fmt::format("{} would let it stream where its form does (found: {})",
                                        use->required, use->found));
        [[fallthrough]];
    case Outcome::Rejected:
    case Outcome::Dense: {
        const bool dense = verdict.outcome == Outcome::Dense;
        const std::string chip = dense ? std::string() : otherChip(form, verdict, true);
        const std::string change = joined(otherForm(form, verdict), chip);
        if (!change.empty())
            return sentence(change);
        break;
    }
    case Outcome::Streams: {
        const std::string older = otherChip(form, verdict, false);
        return sentence(joined(older, "a stride above 1, dilation, overlapping tiles or a mutable "
                                      "weight would fold it"));
    }
    case Outcome::Unknown: break;
    }
    return "No change is known to help: the streaming bytes of this chip are not published.";
}

} // namespace kernscope::decision
