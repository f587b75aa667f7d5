// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/codec/decode/decoder.h"
#include "core/codec/edit/run_editor.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

namespace kernscope::codec {

/// What elements are to become, by what they are: as many results.
using Wanted = std::function<void(std::span<const float> now, std::span<double> wanted)>;

/// Sets runs of elements to what follows from their values alone, as fills and expressions do.
/// Elements of one stored code that share their codebook and scale are set alike: what each code
/// becomes is found once, as RunEditor finds it, and then looked up for every element.
class RunMapper
{
public:
    /// Nothing where that cannot be, or does not pay for `elements` elements.
    static std::optional<RunMapper> make(const Decoder &decoder, std::uint64_t elements,
                                         Wanted wanted, EditTolerance tolerance);

    RunMapper(RunMapper &&) noexcept;
    RunMapper &operator=(RunMapper &&) noexcept;
    ~RunMapper();

    /// What RunEditor::set() does to elements [first, first + count), as long as nothing is refused
    /// and none of them is farther off than those before. Else false, with nothing done: the
    /// RunEditor is to be asked. On return `held` has what the first of them will decode to.
    bool set(std::uint64_t first, std::size_t count, std::span<float> held, RunOutcome &outcome);

private:
    struct State;
    explicit RunMapper(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

} // namespace kernscope::codec
