// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/mil/program.h"
#include "core/container/odix/trace.h"

namespace kernscope {

/// Whether a kernel ("coreai.lut_to_dense") decompresses constants, or casts, reshapes or
/// transposes them (coreai_ops.csv).
bool decompresses(std::string_view kernel);

/// What the names of a function's `const` and constexpr operations stand for.
using CompiledFunction = std::map<std::string, odix::Value, std::less<>>;

struct CompiledProgram {
    mil::Program program;
    std::vector<CompiledFunction> constants; ///< one a function
};

/// The bodies of a compiled program as functions, in the names of MIL: kernels that run on the
/// model's values as operations, constants as `const`, what decompresses them as constexpr
/// operations beside their reader. Memory, contexts and releases are left out (Trace has them);
/// branches and jumps are operations of their own. `path` is the file's, `bytes` what it holds. A
/// constant's blob names that file, with the offset of its bytes.
CompiledProgram programOf(const odix::Compiled &compiled, std::span<const std::byte> bytes,
                          const std::string &path);

} // namespace kernscope
