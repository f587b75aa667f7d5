// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/diagnostic_log.h"
#include "core/bundle/reader/odix/odix_program.h"
#include "core/bundle/weight.h"

namespace kernscope {

/// The weights of a compiled program's functions: constants and what kernels make of constants
/// alone, as far as something else reads them (or nothing does). Their operands lie in the file of
/// number compiled.file, whose bytes and path are given. Faults: "odix.form".
std::vector<Weight> weightsOf(const odix::Compiled &compiled, const CompiledProgram &program,
                              std::span<const std::byte> bytes, const std::string &path,
                              DiagnosticLog &log);

} // namespace kernscope
