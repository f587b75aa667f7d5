// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle.h"
#include "core/bundle/slice_file.h"
#include "core/container/quantized/quantize.h"
#include "core/plan/section_build.h"

#include <filesystem>

/// Files that the window makes beside what is open, as `quantize`, `relayout` and `section` make
/// them: new ones, whole or not there. Nothing that is open is changed.
namespace kernscope::app {

/// The weight's values, as they stand, quantised into a new folder. Errors: those of the decoder,
/// of quantizeArray() and of OutputPlace.
Result<quantized::Quantized> quantizeWeight(const Bundle &bundle, std::size_t weight,
                                            const quantized::QuantizeOptions &options,
                                            const std::filesystem::path &folder);
/// A folder that `quantize` wrote, in other layouts as a new folder. Errors: those of
/// relayoutFolder() and of OutputPlace.
Result<void> relayoutTo(const std::filesystem::path &from,
                        const quantized::RelayoutOptions &options,
                        const std::filesystem::path &folder);
/// Weights of the bundle as a weight section for a chip, as a new file. Errors: "section.legality"
/// (the chip's encoder writes no such form), those of plan::buildSection() and of OutputPlace.
Result<void> buildSectionTo(const Bundle &bundle, const std::vector<std::size_t> &weights,
                            const plan::SectionOptions &options, const target::Target &target,
                            const std::filesystem::path &file);
/// Weights of the bundle as the slices of a hardware container, end to end, as a new file. Errors:
/// those of sliceForm(), of buildSlices() and of OutputPlace.
Result<SliceFile> buildSlicesTo(const Bundle &bundle, const std::vector<std::size_t> &weights,
                                const SliceOptions &options, const target::Target &target,
                                const std::filesystem::path &file);
/// The open weight section with its slots filled, or taken back where there are no addresses, as a
/// new file. Errors: those of relocate(), of writeSection() and of OutputPlace.
Result<void> relocateTo(const Bundle &bundle,
                        const std::optional<section::LoadAddresses> &addresses,
                        const std::filesystem::path &file);

} // namespace kernscope::app
