// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/assess.h"
#include "core/codec/encode/encoder.h"
#include "core/codec/encode/form_spec.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// The forms that a weight may take, with their figures.
namespace kernscope::plan {

/// A weight in a form on a chip: sums over the layers that read it.
struct ChipFigures {
    decision::Outcome outcome = decision::Outcome::Unknown;
    /// Bytes of the weight that cross in a dispatch, as decide has them; empty: refused, not known.
    std::optional<std::uint64_t> moved = 0;
    std::uint64_t movedAtMost = 0; ///< the same, with all bytes where it is not known
    std::optional<double> timeS;   ///< by the roofs, of all runs; empty: not known
    /// Of one run of each of the weight's layers, in their order.
    std::vector<std::optional<double>> layerS;
    std::string refusal; ///< roofline::refusalOf it

    friend bool operator==(const ChipFigures &, const ChipFigures &) = default;
};
/// Adds bytes to a sum of them: unknown from the first ones on that are not known.
inline void addBytes(std::optional<std::uint64_t> &sum, const std::optional<std::uint64_t> &bytes)
{
    sum = sum && bytes ? std::optional(*sum + *bytes) : std::nullopt;
}
/// Adds a layer's time to a sum of them: unknown from the first one on that is not known.
inline void addTime(std::optional<double> &sum, const std::optional<double> &time)
{
    sum = sum && time ? std::optional(*sum + *time) : std::nullopt;
}

/// What a form makes of a weight, but for the error: the same for most weights of a shape.
struct TriedForm {
    std::string name; ///< formName, or "keep"
    /// Null: stays as it is. One of a list that all weights of a shape share.
    std::shared_ptr<const codec::FormSpec> spec;
    decision::WeightForm form;
    std::uint64_t stored = 0;                                ///< bytes
    std::vector<ChipFigures> chips;                          ///< in the order of the targets
    codec::EncodeMethod method = codec::EncodeMethod::Plain; ///< by which the error is least
    bool sampled = false; ///< error, and bytes of sparse forms, from some rows
    std::string refused;  ///< why it cannot be chosen; empty where it can

    friend bool operator==(const TriedForm &, const TriedForm &) = default;
};
std::size_t hashOf(const TriedForm &tried);

/// A form of a weight.
struct Candidate {
    std::shared_ptr<const TriedForm> tried; ///< null: there is no candidate
    double error = 0; ///< relative, without the sensitivity; 0 of a form that is refused

    explicit operator bool() const { return tried != nullptr; }
    const TriedForm *operator->() const { return tried.get(); }
};
using CandidateList = std::vector<Candidate>;

} // namespace kernscope::plan
