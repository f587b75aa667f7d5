// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/odix/dbginfo.h"
#include "core/container/odix/odix.h"

#include <functional>
#include <set>

/// What the registers of a compiled program hold: which constant, which part of the scratch memory.
/// Nothing is run: constants are followed in the order of the instructions, memory on every path.
namespace kernscope::odix {

struct Value {
    enum class Kind : std::uint8_t {
        Unknown,   ///< made at run time
        Immediate, ///< `index` is the number
        Address,   ///< of a place in the data
        Constant,  ///< of Program::constants
        Made,      ///< of Trace::made: what only constants go into
        Memory,    ///< of Trace::buffers
        View,      ///< of Trace::views
        Context,   ///< of Trace::contexts
    };
    Kind kind = Kind::Unknown;
    std::uint64_t index = 0;

    bool isConstant() const { return kind == Kind::Constant || kind == Kind::Made; }
};

/// A call whose result is constant, since its operands are: a step of a form.
struct MadeValue {
    std::uint32_t function = 0, instruction = 0;
    std::vector<Value> operands;
    unsigned depth = 0; ///< of calls that feed it
};

/// Scratch memory that an initialiser asks for.
struct Buffer {
    std::uint32_t function = 0, instruction = 0, type = 0;
    std::uint64_t bytes = 0;
};

/// An array in scratch memory. Views may overlap where the older one is no longer used.
struct View {
    std::size_t buffer = 0;
    std::uint32_t function = 0, instruction = 0, reg = 0, type = 0;
    std::uint64_t offset = 0;           ///< in the buffer, also of a view of a view
    std::optional<std::uint64_t> bytes; ///< nothing where an extent is dynamic
    std::optional<std::size_t> outer;   ///< of Trace::views: that it is a part of
    /// Last instruction that uses it or a part of it; of loops (up to 10 million steps) the jump
    /// back.
    std::uint32_t last = 0;
};

struct Trace {
    std::vector<Buffer> buffers;
    std::vector<View> views; ///< in the order in which they are made
    std::vector<MadeValue> made;
    std::vector<std::vector<std::pair<std::uint64_t, Value>>> contexts; ///< slots, ascending
    /// By function: one value a place of Function::registers, of operands as they are read. Empty
    /// of functions that nothing reaches.
    std::vector<std::vector<Value>> values;
    /// By function: its calls and their operands say what it computes, wherever the arrays lie. It
    /// has no jumps, and every array is read as it was last written.
    std::vector<bool> faithful;
    Diagnostics diagnostics; ///< views that do not fit their buffer, or overlap while in use
};

/// `decompresses(kernel name)`: kernels whose result is constant where all operands are.
Trace traceProgram(const Program &program, const std::string &file,
                   const std::function<bool(std::string_view)> &decompresses);

/// A compiled program with what follows from it.
struct Compiled {
    Program program;
    Trace trace;
    std::optional<DebugInfo> debug;
    std::size_t file = 0; ///< of the bundle, of the program
};

/// What each register may hold: numbers whose meaning the caller gives, several where paths meet.
class Holdings
{
public:
    void clear(std::uint32_t reg) { m_all.erase(first(reg), m_all.upper_bound({reg, UINT32_MAX})); }
    void put(std::uint32_t reg, std::uint32_t what)
    {
        clear(reg);
        m_all.emplace(reg, what);
    }
    void move(std::uint32_t from, std::uint32_t to);
    std::vector<std::uint32_t> of(std::uint32_t reg) const;
    std::size_t size() const { return m_all.size(); }
    /// Adds what another path brings; true where that is more.
    bool merge(const Holdings &other);

private:
    using Pair = std::pair<std::uint32_t, std::uint32_t>; ///< register, number
    std::set<Pair>::const_iterator first(std::uint32_t reg) const
    {
        return m_all.lower_bound({reg, 0});
    }

    std::set<Pair> m_all;
};

/// Follows every path of a function: step(holdings, index) turns what is held before an instruction
/// into what is held after it, and is called again where a jump back brings more; the last call of
/// an instruction has all that can be held there. Instructions that nothing reaches are left out.
/// Returns what is held at the end. Bounded: of functions with more than millions of registers at
/// their jumps some paths are left out.
Holdings followFlow(const Function &function, Holdings start,
                    const std::function<void(Holdings &, std::uint32_t)> &step);

} // namespace kernscope::odix
