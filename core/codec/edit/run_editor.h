// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "core/codec/decode/decoder.h"
#include "core/codec/edit/editor.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace kernscope::codec {

/// How far a stored value may be from the one asked for.
struct EditTolerance {
    double absolute = 0;
    double relative = 0; ///< of the value asked for

    double of(double value) const;
};

/// What setting a run of elements comes to; the account goes on over several runs.
struct RunOutcome {
    /// Of the last run: one range of the payload, with unchanged bytes between; of a payload with
    /// an order of its own, the bytes that are next to each other, ascending. Empty where nothing
    /// changed.
    std::vector<PartEdit> bytes;
    std::uint64_t changed = 0, refused = 0, seen = 0;
    double asked = 0, stored = 0; ///< of the element that is farthest off
    double worst = -1;            ///< by how much
    std::optional<Error> refusal; ///< the first one; nothing is to be written after it
};

/// Sets runs of elements as Editor::setElement sets each of them, with the same choice of codes and
/// the same refusals, but at once: one range of bytes a run, and the choice of a code computed once
/// for all elements that share their codebook or scale. Like Editor it only plans.
class RunEditor
{
public:
    /// Nothing where the weight must go element by element: palettes of vectors, payloads that are
    /// made by another op, that leave zeros out or may not be changed, decoded types that fp32 does
    /// not hold exactly.
    static std::optional<RunEditor> make(const Decoder &decoder);

    RunEditor(RunEditor &&) noexcept;
    RunEditor &operator=(RunEditor &&) noexcept;
    ~RunEditor();

    /// Elements [first, first + values.size()) are to become `values`. `held`: what they decode to
    /// now, and on return what they will. False where the payload is too short for the run: go
    /// element by element.
    bool set(std::uint64_t first, std::span<const double> values, EditTolerance tolerance,
             std::span<float> held, RunOutcome &outcome);
    /// The same for fp32 numbers, in less time.
    bool set(std::uint64_t first, std::span<const float> values, EditTolerance tolerance,
             std::span<float> held, RunOutcome &outcome);

    /// The same for a weight whose survivors are stored in fp16, without a look at what `held` was.
    /// `held` may be shorter: it then has the first of them. False, with nothing done, for other
    /// weights and for numbers that not all elements can become.
    bool setKept(std::uint64_t first, std::span<const float> values, std::span<float> held,
                 RunOutcome &outcome);
    /// Whether the survivors among [first, first + count), which the last setKept() was for, are
    /// stored in `payload` as it made them. Looks at the stored numbers alone: most elements of
    /// such a weight have none.
    bool keepsAsSet(std::uint64_t first, std::uint64_t count, std::span<const std::byte> payload);
    /// The same for numbers stored in fp16 without a mask, and for integer codes of at most 8 bits
    /// under scales, as long as nothing is refused and no element is farther off than those before;
    /// likewise without a look at what `held` was.
    bool setDirect(std::uint64_t first, std::span<const float> values, EditTolerance tolerance,
                   std::span<float> held, RunOutcome &outcome);
    bool setDirect(std::uint64_t first, std::span<const double> values, EditTolerance tolerance,
                   std::span<float> held, RunOutcome &outcome);

    /// Of the decoder that it was made for: as they were before the edit, or are with it, if the
    /// edit is written over them.
    std::span<const std::byte> payload() const;
    /// Bits of a stored code.
    unsigned codeBits() const;

private:
    struct State;
    explicit RunEditor(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

} // namespace kernscope::codec
