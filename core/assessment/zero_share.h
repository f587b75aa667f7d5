// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/weight_form.h"
#include "core/bundle/bundle_fwd.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace kernscope {

/// Elements up to which all values of a weight are read where zeros or errors are asked for; larger
/// ones are judged by samples or by their mask.
inline constexpr std::uint64_t kMostValuesRead = std::uint64_t(1) << 22;

/// Share of the values (0 to 1) that are zero in fp16, which sparse values are kept in; 0 of none.
double zeroShare(std::span<const float> values);

/// Of a weight with codes behind a mask, where a code may stand for zero: the share of elements
/// that are not zero goes into `form.nonzero`. Reads the values: hold no BundleReadLock. It stays
/// empty for other forms, for more than kMostValuesRead elements and where they cannot be read.
void readZerosBehindMask(const Bundle &bundle, std::size_t weight, decision::WeightForm &form);

} // namespace kernscope
