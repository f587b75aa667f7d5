// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "core/bundle/bundle_fwd.h"
#include "core/codec/edit/editor.h"
#include "core/patch/plan/recorder.h"

#include <cstddef>
#include <cstdint>

namespace kernscope::patch {

/// Gives the survivors of a sparse weight another length, in place: their bytes, the record's size
/// and padding, and every extent of the program that says how many there are.
class PayloadResizer
{
public:
    /// `operand` is one of that weight.
    PayloadResizer(const Bundle &bundle, std::size_t weight, const codec::Operand &operand,
                   Recorder &recorder);

    /// `tail` holds the survivors from some byte on, as they are to become; what a shorter payload
    /// leaves behind becomes zero bytes. Errors: "patch.space" (no room behind the payload, or in
    /// the program's text), "patch.shared" (another weight reads the same survivors).
    Result<void> resize(ElementCount elements, const codec::PartEdit &tail);

private:
    Result<void> checkAlone() const;
    Result<void> checkRoom(std::uint64_t bytes) const;
    Result<void> writePayload(std::uint64_t bytes, const codec::PartEdit &tail);
    Result<void> writeRecord(ElementCount elements, std::uint64_t bytes);
    Result<void> writeExtents(std::uint64_t elements);

    const Bundle &m_bundle;
    std::size_t m_weight;
    const codec::Operand &m_operand;
    const OperandPlace &m_place;
    Recorder &m_recorder;
};

/// Bytes behind `end` that nothing uses: padding, or zeros that belong to no one.
std::uint64_t freeBytesBehind(const Bundle &bundle, std::size_t file, FileOffset end);

} // namespace kernscope::patch
