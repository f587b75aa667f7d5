// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/bundle/kinds.h"
#include "core/container/mil/program.h"
#include "core/form/operand_place.h"

namespace kernscope {

/// A run of bytes that something lays claim to. Claims may overlap or leave gaps.
struct ByteClaim {
    ByteRange range;
    SectionKind kind = SectionKind::Unknown;
    std::string name; ///< empty: "record N: metadata", or the names of its weight and operand
    std::size_t weight = kNoIndex;
    std::size_t operand = kNoIndex;
    std::size_t record = kNoIndex; ///< whose metadata it is
};

/// Turns claims into sections that cover `bytes` of file number `file` exactly once, in order: the
/// claim that begins first keeps its bytes (of equals the first one given), a claim that it covers
/// in part is cut, and gaps become padding (up to the next multiple of 64) or unknown.
std::vector<Section> coverFile(std::size_t file, ByteCount bytes, std::vector<ByteClaim> claims);

/// What the operands of the weights claim of file number `file`, in the order of the weights; those
/// without bytes left out.
std::vector<ByteClaim> claimsOfOperands(std::size_t file, const std::vector<Weight> &weights);

/// Section kind of an operand's bytes.
SectionKind sectionKindOf(codec::PartRole role);

/// Claims that cover the file of a program: each model of a pipeline by its name and kind, what
/// surrounds them, and the operands of weights that lie in the file itself (neural networks).
std::vector<ByteClaim> claimsOfProgram(const mil::Program &program, std::size_t file,
                                       ByteCount bytes, const std::vector<Weight> &weights);

/// `around`, sorted and without overlaps, and the operands of weights that lie in that file.
std::vector<ByteClaim> claimsAround(std::vector<ByteClaim> around, std::size_t file,
                                    const std::vector<Weight> &weights);

} // namespace kernscope
