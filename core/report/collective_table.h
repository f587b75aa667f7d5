// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/collective.h"
#include "core/codec/analysis/reduction.h"
#include "core/report/json.h"

/// The tables of chapter 36 as `collective` lists them.
namespace kernscope::report {

extern const TableOf<decision::CollectiveOp> collectiveOperationTable;

/// A capability byte on a chip. Nothing is owned.
struct CollectiveByteFacts {
    const decision::CollectiveByte *byte = nullptr;
    std::optional<bool> value; ///< its lowest bit; empty where the chip's byte is not known
    std::string_view source;   ///< of the value, or of the byte where there is none
};
std::vector<CollectiveByteFacts> collectiveByteRows(const target::Target &target);
/// The value's column is called "on" and the chip in text.
extern const TableOf<CollectiveByteFacts> collectiveByteTable;

extern const TableOf<decision::CollectiveGate> collectiveGateTable;
/// The registers that HandleCcdmaLayer sets, in order.
extern const TableOf<decision::CcdmaSetter> ccdmaSetterTable;
/// Conditions and messages around them, the members, what sharding requires.
extern const TableOf<decision::CollectiveNote> collectiveNoteTable;

// Answers of the arithmetic of chapter 36, as `collective` gives them.

/// `mesh`: `{"extents","die_axis","engines_per_die","devices"}`
void addMesh(Json &answer, const decision::Mesh &mesh, std::uint64_t devices);
/// `index`: `{"index","device"}`, the coordinates of the engine of that index.
void addDeviceOfIndex(Json &answer, std::uint64_t index, const std::vector<std::uint64_t> &device);
/// `device`: `{"device","index"}`, to which addMembers() adds which devices a layer has and whether
/// it runs there.
void addIndexOfDevice(Json &answer, const std::vector<std::uint64_t> &device, std::uint64_t index);
void addMembers(Json &answer, const std::vector<std::uint64_t> &members, bool runs);
/// `sharding`: `{"tensor","valid","shard","checks":[{"name","found","passes"}]}`
void addSharding(Json &answer, const std::vector<std::uint64_t> &tensor,
                 const decision::Sharding &sharding);
/// `atomic`: `{"reduction_type","operation","data_type","word"}`
void addAtomic(Json &answer, std::uint32_t reductionType, unsigned operation,
               std::uint32_t dataType, std::uint32_t word);

/// Everything of `collective`: the layer on a chip, and what was worked out, by key; null where
/// nothing was asked.
Json collectiveAnswerJson(const target::Target &target, const Json &worked);

// Numbers through the engine's reduction, as `reduce` answers.

/// The port's number as an 8-bit float, in one mode of overflow.
struct NarrowedPort {
    std::string_view mode; ///< "nan", "saturate"
    std::uint8_t code = 0;
    float value = 0;
};
/// `type`: "e4m3", "e5m2"; empty: nothing. `overflow`: one mode only; empty: both.
std::vector<NarrowedPort> narrowedPort(const codec::ReductionTrace &made, std::string_view type,
                                       std::string_view overflow);

/// A tile of four values, by its number.
struct TileFacts {
    std::size_t number = 0;
    codec::ReductionTrace::Tile tile;
};
std::vector<TileFacts> tileRows(const codec::ReductionTrace &made);
extern const TableOf<TileFacts> tileTable;

/// Everything of `reduce`. `values`: how many numbers there were; `type`: of `narrowed`.
Json reduceJson(const codec::ReductionTrace &made, std::size_t values, std::string_view type,
                const std::vector<NarrowedPort> &narrowed);

} // namespace kernscope::report
