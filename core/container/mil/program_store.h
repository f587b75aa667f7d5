// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/mil/packed_program.h"

#include <memory>
#include <mutex>

namespace kernscope::mil {

/// The program of a bundle: whole at first, then whole only while it is used. From any
/// thread.
class ProgramStore
{
public:
    ProgramStore() : ProgramStore(Program()) {}
    explicit ProgramStore(Program program);

    /// The program without what its functions compute: versions, attributes, models, and of each
    /// function its name, opset, attributes, inputs, names of outputs, and the operations that make
    /// these, without their arguments. Always at hand.
    const Program &outline() const { return m_outline; }
    /// All of it. Whoever keeps a pointer into it keeps this one as well. Once it has been set
    /// aside, the first who asks waits while it is unpacked: a tenth of a second for 100,000
    /// operations. Not for the GUI thread, which has outline().
    std::shared_ptr<const Program> whole() const;
    /// From now on it is whole only while the result of whole() is held. Takes as long as
    /// unpacking, the first time.
    void setAside() const;
    /// Its operations one by one: for views, which look at few at a time. Takes as long as
    /// unpacking, unless it was set aside or this was asked before. Not for the GUI thread.
    std::shared_ptr<const PackedProgram> packed() const;

private:
    Program m_outline;
    mutable std::mutex m_mutex;
    mutable std::shared_ptr<const Program> m_whole;        ///< until it is set aside
    mutable std::weak_ptr<const Program> m_used;           ///< afterwards
    mutable std::shared_ptr<const PackedProgram> m_packed; ///< from when it is first asked for
};

} // namespace kernscope::mil
