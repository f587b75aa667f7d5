// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/target/target.h"

/// The multi-die collective layer of chapter 36. Decoded from the compiler and gated off on every
/// known target: all of it is predicted, none of it measured.
namespace kernscope::decision {

struct CollectiveOp {
    std::string mnemonic; ///< "silc.all_reduce"
    std::string role;
    std::optional<unsigned> unitType; ///< 78, 76, 75, 79; the mesh has none
    std::string source;
};
std::span<const CollectiveOp> collectiveOps();

/// One of table 36.6.
struct AtomicRow {
    std::uint32_t reduction = 0;
    std::optional<unsigned> operation; ///< empty: no hardware atomic
};
std::span<const AtomicRow> atomicRows();
/// One of table 36.5: sum 1, max 2, min 3, product 4, mean 5.
struct ReductionToken {
    std::string token;
    unsigned kind = 0;
};
std::span<const ReductionToken> reductionTokens();

/// Table 36.6, from a reduction type (another numbering than ReductionToken: never chain the two).
/// 0 for types that are not listed. Error: "collective.atomic" for 3, 6, 7 and 11, which have no
/// hardware atomic.
Result<unsigned> atomicOperation(std::uint32_t reductionType);
/// (operation & 0xff) | (dataType << 8). Error: "collective.data_type" past 24 bits.
Result<std::uint32_t> atomicWord(std::uint32_t operation, std::uint32_t dataType);

/// A mesh of devices: extents per axis, the axis at which dies end and engines begin.
struct Mesh {
    std::vector<std::uint64_t> extents;
    std::size_t dieAxis = 0; ///< axes below it count dies, the others engines of a die
    std::uint64_t enginesPerDie = 1;
};
/// AneIndexFromDeviceId: axes from the die axis on, last fastest, give the engine; those below,
/// axis 0 fastest, the die, times the engines of a die.
/// Errors: "collective.mesh" (an extent of 0, the axis past the end, no engines, more engines on
/// the inner axes than a die has), "collective.device" (rank or coordinate), "collective.overflow".
Result<std::uint64_t> aneIndex(const Mesh &mesh, std::span<const std::uint64_t> device);
/// DeviceIdFromAneIndex. Errors: as above; "collective.index" for an index that no device has.
Result<std::vector<std::uint64_t>> deviceOfIndex(const Mesh &mesh, std::uint64_t index);
/// Product of the extents. Error: "collective.mesh", "collective.overflow".
Result<std::uint64_t> deviceCount(const Mesh &mesh);

/// One check of a sharding.
struct ShardCheck {
    std::string name, found;
    bool passes = false;
};
/// `axes[i]` is the mesh axis that splits tensor axis i; empty: not split. Every split axis must
/// divide evenly, no mesh axis serves twice, every mesh axis exists.
struct Sharding {
    std::vector<ShardCheck> checks;
    std::vector<std::uint64_t> shard; ///< extents of one device's part; empty where a check fails
    bool valid() const;
};
Sharding checkSharding(const Mesh &mesh, std::span<const std::uint64_t> tensor,
                       std::span<const std::optional<std::size_t>> axes);

/// RunsOnDeviceId of chapter 36: whether a layer is emitted for a device. A layer that is not on
/// the single-program path runs everywhere; one that is runs where the device's engine index is
/// among its members. Errors: those of aneIndex.
Result<bool> runsOnDevice(const Mesh &mesh, std::span<const std::uint64_t> device,
                          bool singleProgram, std::span<const std::uint64_t> members);

/// The registers that HandleCcdmaLayer sets, in its fixed order.
struct CcdmaSetter {
    unsigned order = 0; ///< from 1
    std::string name, source;
};
std::span<const CcdmaSetter> ccdmaSetters();
/// What stands around that sequence: conditions, the compiler's own messages, the rule of
/// RunsOnDeviceId, what the layer and its sharding are limited to.
struct CollectiveNote {
    std::string name, text, source;
};
std::span<const CollectiveNote> collectiveNotes();

struct CollectiveByte {
    target::HalOffset offset;
    std::string capability, source;
};
std::span<const CollectiveByte> collectiveBytes(); ///< table 36.7

/// Why the layer does nothing on a target: the enable byte, the register stubs, the sharding gate.
struct CollectiveGate {
    std::string name, found, source;
    std::optional<bool> open;
};
std::vector<CollectiveGate> collectiveGates(const target::Target &target);

} // namespace kernscope::decision
