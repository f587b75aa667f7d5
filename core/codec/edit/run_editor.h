// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/codec/edit/editor.h"

#include <cmath>

namespace kernscope::codec {

/// Whether two decoded values are one: not-a-number is itself.
inline bool sameValue(double a, double b)
{
    return a == b || (std::isnan(a) && std::isnan(b));
}

/// How far a stored value may be from the one asked for.
struct EditTolerance {
    double absolute = 0;
    double relative = 0; ///< of the value asked for

    double of(double value) const;
};

/// The result of setting runs of elements; accumulates over calls.
struct RunOutcome {
    /// Of the last run: one range of the payload; of a payload with an order of its own, the bytes
    /// that are next to each other, ascending. Empty where nothing changed.
    std::vector<PartEdit> bytes;
    std::uint64_t changed = 0, refused = 0, seen = 0;
    double asked = 0, stored = 0; ///< of the element that is farthest off
    double worst = -1;            ///< by how much
    std::optional<Error> refusal; ///< the first one; nothing is to be written after it

    /// An element that became `value` where `wanted` was asked for.
    void note(double wanted, double value);
    /// An element that could not be set.
    void refuse(std::uint64_t element, double value, Error error);
    /// Adds the account of a later run.
    void add(RunOutcome &&later);
};

/// Sets runs of elements to exactly what Editor::setElement gives each of them, with the same
/// refusals, but many at a time. Like Editor it only plans. One thread at a time; runs that share
/// no bytes (separateRuns()) can be planned by several editors at once.
class RunEditor
{
public:
    /// Nothing where the weight must go element by element: palettes of vectors, payloads that are
    /// made by another op, that leave zeros out or may not be changed, decoded types that fp32 does
    /// not hold exactly.
    static std::optional<RunEditor> make(const Decoder &decoder, EditTolerance tolerance);

    RunEditor(RunEditor &&) noexcept;
    RunEditor &operator=(RunEditor &&) noexcept;
    ~RunEditor();

    /// Elements [first, first + values.size()) are to become `values`. `after`: what the first of
    /// them will decode to. False where the payload is too short for the run: go element by
    /// element.
    bool set(std::uint64_t first, std::span<const double> values, std::span<float> after,
             RunOutcome &outcome);

    /// Whether the bytes of two runs that share no element overlap in one byte at most: the one in
    /// which the later run begins, whose bits below firstBit() of that run are those of the other.
    bool separateRuns() const;
    /// Of the payload, where element `first` or the first stored one behind it has its code.
    std::uint64_t firstBit(std::uint64_t first) const;

private:
    struct State;
    explicit RunEditor(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

} // namespace kernscope::codec
