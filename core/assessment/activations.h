// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/codec/encode/input_statistics.h"

/// Statistics of what flows into a network's weights, measured while it runs.
namespace kernscope {

/// By weight, null where the archive says nothing of it. `arrays` is an archive of arrays (.npz):
/// of a weight NAME (or its address) the array "NAME" holds the mean squares of its input channels,
/// "NAME.mean" their means, and "NAME.second_moment", in place of both, the matrix of their second
/// moments (InputStatistics). `axis`: of all of them, in place of inputAxisOf().
/// Errors: "activations.archive" (another kind of file), "activations.name" (an array that no
/// weight has the name of), "activations.array" (means without mean squares, a matrix that is not
/// square, more numbers than statistics have), those of the decoder. Whether the numbers fit the
/// weight is seen when it is encoded.
Result<std::vector<std::shared_ptr<const codec::InputStatistics>>>
readActivations(const Bundle &network, const Bundle &arrays,
                std::optional<std::uint64_t> axis = std::nullopt);

} // namespace kernscope
