// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/reader/hwx/hardware_slices.h"
#include "core/bundle/section_map.h"
#include "core/bundle/weight.h"
#include "core/container/hwx/container.h"
#include "core/lanes/lane_order.h"

/// Private to the readers of hardware images: one set of slices as a weight, its biases as another.
namespace kernscope {

/// The weights of a hardware container's tasks, with what each lane's slice holds.
struct HardwareWeights {
    std::vector<Weight> weights;
    std::vector<ByteClaim> claims; ///< planes, bias rows and padding of the slices; by offset
    Diagnostics diagnostics;       ///< "hwx.slices": sizes or places that no law explains
};

/// Finds the slices that the tasks of `container` load and makes each set of them a weight: shape
/// from the task that reads it, element order by the laws of core/codec/lanes where it is known
/// (versions 7 and 11), assumed for fp16 of others, raw bytes with their size law where it is not.
/// Reads tables and task words only, no coefficient.
HardwareWeights hardwareWeights(const hwx::Container &container, std::span<const std::byte> bytes,
                                const std::string &file);

class BlockReader
{
public:
    /// `bytes` are those of the file, `out` gets the weights and what their bytes are.
    BlockReader(const descriptor::Version *version, const SliceBlock &block, std::string name,
                std::span<const std::byte> bytes, HardwareWeights &out)
        : m_version(version), m_block(block), m_name(std::move(name)), m_bytes(bytes), m_out(out)
    {
    }

    void read();

private:
    using SliceRanges = std::vector<ByteRange>;
    /// Ranges within slices that lie at some place: of the block or of a copy.
    template <class RangesOf>
    OperandPlace placeOf(RangesOf rangesOf) const
    {
        OperandPlace place = placeAt(rangesOf(m_block.slices));
        for (const SliceRanges &copy : m_block.copies) {
            const SliceRanges ranges = rangesOf(copy);
            place.copies.insert(place.copies.end(), ranges.begin(), ranges.end());
        }
        return place;
    }
    static OperandPlace placeAt(SliceRanges pieces);

    void makeLayout();
    bool sizesFit() const;
    lanes::SlicePlaces places() const;
    Weight base(std::string name, WeightRole role = WeightRole::Weight) const;
    /// Of the weight that was added last.
    Weight biasBase(OrderState state) const;
    void describe(Weight &weight, OrderState order) const;
    std::string sizeText() const;
    /// Adds the weight, all of whose elements `payload` holds, in the order that it has; `mask`
    /// lies among it. `slices`: what its bytes hold, where they are in an order that is not known.
    void add(Weight weight, codec::Operand payload, std::optional<FormNode> slices = std::nullopt,
             std::optional<codec::Operand> mask = std::nullopt);

    SliceRanges planeRanges(bool bias, const SliceRanges &slices) const;
    void addDense();
    void addBias(OrderState state);
    void claimPlanes(std::size_t weight, std::size_t bias);

    bool addSparse();
    void addSparseBias();
    void claimSparse(std::size_t weight, std::size_t bias);

    void addRaw();
    void addTable();
    void claimSlices(std::size_t weight, std::string_view what);

    /// What each lane loads (Weight::lanePieces), of each form.
    void notePlanes(std::size_t weight, std::size_t bias);
    void noteSparse(std::size_t weight, std::size_t bias);
    void noteSlices(std::size_t weight, bool channelsKnown);
    /// Once more at each copy, after the pieces themselves.
    void noteCopies(std::size_t weight);

    void claim(ByteRange range, SectionKind kind, std::string what, std::size_t weight,
               std::size_t operand = 0);
    std::vector<SliceRanges> allPlaces() const; ///< the slices, then their copies
    void refuse(std::string expected, std::string found, std::string message);

    const descriptor::Version *m_version;
    const SliceBlock &m_block;
    std::string m_name;
    std::span<const std::byte> m_bytes;
    HardwareWeights &m_out;
    std::optional<lanes::SliceLayout> m_layout;
    std::vector<lanes::SparsePlane> m_planes; ///< of slices that leave zeros out
};

/// Versions 7 (H13) and 11 (H14).
std::optional<lanes::SparseForm> knownForm(const descriptor::Version *version);

/// Why an edit of slices in that state is refused; empty where it is not.
std::string orderLock(OrderState state);

} // namespace kernscope
