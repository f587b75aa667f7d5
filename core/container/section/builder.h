// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/codec/decode/decoder.h"
#include "core/container/section/section.h"
#include "core/form/storage_form.h"

namespace kernscope::section {

/// What the section is built for. A container knows no chips: the caller fills this in.
struct BuildTarget {
    std::string name; ///< at most 16 bytes: "H13"
    std::uint32_t codegen = 7;
    unsigned cores = lanes::kEngines;
    bool sharedKernelMemory = false; ///< else each core has a kernel memory of its own
};

/// How a unit holds a weight's coefficients: what the section's own tables say of a storage form.
struct UnitForm {
    FormNode node = FormNode::Dense;         ///< Dense, Affine, Palette or Sparse
    std::uint32_t kernelFormat = 4;          ///< fp16
    unsigned bits = 16;                      ///< of one coefficient
    ElementType entries = ElementType::Fp16; ///< palettes: of a codebook's values
    std::uint64_t books = 1, vector = 1;
    std::uint64_t channelsPerBook = 0; ///< palettes with several codebooks
};
/// The form that an encoding keeps in a section. Errors: "section.form".
Result<UnitForm> unitForm(const codec::Encoding &encoding);

/// One weight with how it is to be stored.
struct BuildWeight {
    std::string name;
    const codec::Decoder *decoder = nullptr; ///< elements [O, I, D, H, W] in row-major order
    lanes::WeightExtents geometry;           ///< without bias
    lanes::Law law = lanes::Law::Dense;
    /// Most lanes of a group: the geometry rule's group size; rounded down to a power of two.
    std::uint64_t mostLanes = 16;
    std::vector<std::uint16_t> bias;            ///< fp16, one an output channel; or none
    std::vector<std::uint16_t> activationTable; ///< 43 fp16; or none
    /// Dense or Sparse whatever the encoding is; empty: the encoding's own form.
    std::optional<FormNode> form;
};

/// Builds a relocatable section. Dense fp16, int8 and uint8 with one scale a channel, palettes of
/// fp16, int8, uint8 or E4M3 entries (one codebook, or one a run of output channels) and masked
/// fp16 keep their form; what the section has no place for is refused: "section.form" with the
/// reason. Other errors: "section.build" (names, sizes), "lanes.geometry".
Result<std::vector<std::byte>> buildSection(const BuildTarget &target,
                                            const std::vector<BuildWeight> &weights);

} // namespace kernscope::section
