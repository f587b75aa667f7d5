// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/codec/edit/run_editor.h"
#include "core/patch/edit/find_weight.h"
#include "core/patch/plan/weight_planner.h"

#include <span>

namespace kernscope::patch {

/// Plans edits one after the other on a bundle of its own (BundleBuilder::fork): each is laid over
/// its files at once, so that the next one sees it, and the bundle is thrown away at the end.
class Planner
{
public:
    Planner(BundlePtr bundle, double tolerance, Progress *progress)
        : m_bundle(std::move(bundle)), m_tolerance(tolerance), m_progress(progress),
          m_recorder(*m_bundle)
    {
    }

    /// Plans one edit: its byte ranges and the stored value. Errors: "patch.*",
    /// "task.cancelled". `last`: bundle() is not read any more, if the edit changed no tables.
    Result<AppliedEdit> plan(const Edit &edit, bool last = false);
    /// How many of the edits, from the first on, keep and drop elements of one weight whose number
    /// of stored values its program's types say: planned together, so that the number may stay. Or
    /// that stores vectors, which are kept as a whole. 1 where there are no such.
    std::size_t maskEdits(std::span<const Edit> edits) const;
    /// Plans those; the last one has the bytes of all. Errors: "patch.mask" where the number does
    /// not stay.
    Result<std::vector<AppliedEdit>> planMask(std::span<const Edit> edits);
    /// The bundle of its own, as it is after the edits so far.
    const BundlePtr &bundle() const { return m_bundle; }

private:
    Result<void> planBytes(const Edit &edit, WeightPlanner &planner);
    Result<void> planSingle(const Edit &edit, WeightPlanner &planner);
    Result<void> planPart(const Edit &edit, WeightPlanner &planner);
    Result<void> planMany(const Edit &edit, WeightPlanner &planner);
    void noteOutcome(const Edit &edit, const codec::RunOutcome &outcome, std::uint64_t elements);
    Result<AppliedEdit> planRaw(const Edit &edit);
    Result<codec::Decoder> reread();
    Result<void> checkElement(const codec::Decoder &decoder, const Edit &edit,
                              std::uint64_t element, double stored) const;
    Error verifyError(double wanted, double found) const;

    BundlePtr m_bundle;
    double m_tolerance;
    Progress *m_progress;
    Recorder m_recorder;
    std::uint64_t m_announced = 0; ///< elements of bulk edits so far

    // Of the edit that is being planned.
    AppliedEdit m_applied;
    std::size_t m_weight = 0;
    std::uint64_t m_element = 0;
};

/// A value in the shortest notation of its decoded type, of fp16 and narrower ones that of fp32.
std::string valueText(double value, ElementType type = ElementType::Fp32);
/// "1.5", of 64-bit integers every digit, or "not stored" for what the mask leaves out.
std::string elementText(const codec::Decoder &decoder, std::uint64_t element);
/// The one element that an edit names. Error "patch.index".
Result<std::uint64_t> singleElement(const Edit &edit, const Shape &shape);
/// The tolerance for values of a weight: but for integers never finer than fp32 writes numbers,
/// half a step, so that a value copied from any table, where it stands in fp32's shortest notation,
/// is the value that it was copied from.
inline codec::EditTolerance toleranceFor(ElementType type, double tolerance)
{
    return {tolerance, isFloatingPoint(type) ? 0x1p-24 : 0};
}

/// Value or code of the table entry or stored element that an edit names, as it is now.
std::string partText(const Edit &edit, const WeightPlanner &planner);

} // namespace kernscope::patch
