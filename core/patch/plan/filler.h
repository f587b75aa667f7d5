// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/codec/edit/run_editor.h"
#include "core/codec/edit/run_mapper.h"
#include "core/patch/plan/planner.h"
#include "core/patch/plan/scratch_payload.h"
#include "core/patch/plan/weight_planner.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace kernscope::patch {

/// Elements at a time: so many that writing them costs little each, so few that all that is made of
/// them stays in the second cache.
inline constexpr std::uint64_t kRun = 16384;
/// Elements that are decoded and compared at a time: they stay in the first cache.
inline constexpr std::size_t kChecked = 2048;

/// Sets the elements of one selection and keeps the account of what came of it.
class Filler
{
public:
    Filler(WeightPlanner &planner, double tolerance)
        : m_planner(planner), m_tolerance(tolerance),
          m_runs(planner.payloadInFile() ? codec::RunEditor::make(planner.decoder()) : std::nullopt)
    {
    }

    /// The elements, at most `elements`, are set beside the file where that can be: then the result
    /// is in `scratch`. Before the first fill(); runs must ascend.
    void setAside(std::uint64_t elements, std::optional<ScratchPayload> &scratch);

    /// What the elements are to become follows from what they are: map() may be asked. Before the
    /// first fill().
    void setWanted(const codec::Wanted &wanted, std::uint64_t elements);
    /// fill() with what was wanted of elements [first, first + count); false where fill() is to be
    /// called for them.
    Result<bool> map(std::uint64_t first, std::size_t count);

    /// Elements [first, first + values.size()), at most kRun.
    template <class Value>
    Result<void> fill(std::uint64_t first, std::span<const Value> values);

    codec::RunOutcome outcome;

private:
    template <class Value>
    Result<void> setEach(std::uint64_t first, std::span<const Value> values, std::span<float> held);
    Result<void> set(std::uint64_t element, double value, float &now);
    Result<void> check(std::uint64_t first, std::span<const float> held);
    /// Writes what a run of codes became; `first`: its first element.
    Result<void> applyRun(std::uint64_t first);
    codec::EditTolerance tolerance() const { return {m_tolerance, kDecimalTolerance}; }
    bool isAside() const { return m_scratch != nullptr; }
    const codec::Decoder &written() const
    {
        return isAside() ? m_scratch->decoder() : m_planner.decoder();
    }
    static tl::unexpected<Error> notKept(std::uint64_t first, std::size_t count);

    WeightPlanner &m_planner;
    double m_tolerance;
    std::optional<codec::RunEditor> m_runs; ///< where whole runs can be set at once
    std::optional<codec::RunMapper> m_mapper;
    ScratchPayload *m_scratch = nullptr; ///< where runs are written, if not in the file
    std::vector<float> m_held = std::vector<float>(kRun);
    std::vector<float> m_check = std::vector<float>(kChecked);
};

} // namespace kernscope::patch
