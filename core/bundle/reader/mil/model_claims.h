// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/section_map.h"
#include "core/container/mil/program.h"

namespace kernscope {

/// Claims that cover the file of a program: each model of a pipeline by its name and kind, what
/// surrounds them, and the operands of weights that lie in the file itself (neural networks).
std::vector<ByteClaim> claimsOfProgram(const mil::Program &program, std::size_t file,
                                       ByteCount bytes, const std::vector<Weight> &weights);

/// `around`, sorted and without overlaps, and the operands of weights that lie in that file.
std::vector<ByteClaim> claimsAround(std::vector<ByteClaim> around, std::size_t file,
                                    const std::vector<Weight> &weights);

} // namespace kernscope
