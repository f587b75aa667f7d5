// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/stream.h"
#include "core/bundle/bundle_fwd.h"
#include "core/container/section/builder.h"

/// Weights of any bundle as a weight section: what `section build` and the window make.
namespace kernscope::plan {

struct SectionOptions {
    std::string form = "stored";  ///< stored, dense, sparse, palette, affine
    unsigned bits = 4;            ///< palette
    std::uint64_t vector = 1;     ///< palette
    std::string entries = "fp16"; ///< palette: fp16, int8, e4m3
    unsigned cores = 0;           ///< 0: those of the chip
    std::uint64_t lanes = 0;      ///< most lanes of a group; 0: one, channel c on core c mod cores
};

/// What a section's builder asks about a weight: its geometry (axis 0 are the output channels; the
/// groups are the consumer's), the law that deals its channels, its bias where the bundle keeps
/// one beside it. `decoder` must outlive the result. Errors: "section.build" (no axis, more than
/// five), those of Bundle::decoder for the bias.
Result<section::BuildWeight> sectionWeight(const Bundle &bundle, std::size_t weight,
                                           const codec::Decoder &decoder);

/// The bias that the bundle keeps beside a weight of a container or section; kNoIndex where none.
std::size_t biasOf(const Bundle &bundle, std::size_t weight);

/// Every weight that can be in a section: sound, with axes, no bias or table of another one.
std::vector<std::size_t> sectionWeights(const Bundle &bundle);

/// The weights that no encoder of the chip writes in that form, each with the rule that refuses.
std::vector<std::pair<std::size_t, decision::Reason>>
sectionRefusals(const Bundle &bundle, const std::vector<std::size_t> &weights,
                const SectionOptions &options, const target::Target &target);

struct BuiltSection {
    std::vector<std::byte> bytes;
    section::WeightSection section; ///< as it reads back
};
/// Builds the section, whatever the chip's encoder refuses, and reads it back value by value.
/// `name`: of the file, for what is said about it. Errors: "section.build" (it does not read back),
/// those of the decoders and encoders, of sectionWeight() and buildSection().
Result<BuiltSection> buildSection(const Bundle &bundle, const std::vector<std::size_t> &weights,
                                  const SectionOptions &options, const target::Target &target,
                                  const std::string &name);

} // namespace kernscope::plan
