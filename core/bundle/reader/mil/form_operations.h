// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/reader/mil/form_reader.h"

/// The operations that make weights, and who reads each. A row for each; a new one is a file
/// form_NAME.cpp and two lines of form_operations.cpp.
namespace kernscope {

struct FormOperation {
    std::string_view type; ///< "constexpr_lut_to_dense"
    /// `role`: that of the payload, as the operation which takes the result has it.
    Result<ReadValue> (*read)(FormReader &reader, const mil::Operation &operation,
                              codec::PartRole role) = nullptr;
};

/// Null where no such operation is known.
const FormOperation *formOperation(std::string_view type);

} // namespace kernscope
