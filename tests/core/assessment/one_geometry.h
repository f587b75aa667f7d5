// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/decision_table.h"
#include "core/report/geometry_table.h"
#include "core/report/placement_table.h"
#include "tests/test_program.h"

#include <nlohmann/json.hpp>

/// How the array takes a layer, against what the roofline and decide say of it. The checks fail the
/// test function that calls them.
namespace kernscope::test {

/// Listing 20.1 and listing 20.2, written out again.
inline std::uint64_t listedGroup(const decision::Geometry &geometry)
{
    const std::uint64_t kernel = std::max<std::uint64_t>(geometry.kernel, 1);
    const std::uint64_t budget = std::bit_floor(std::max<std::uint64_t>(8 / kernel, 1));
    const std::uint64_t cap = decision::byteCap(geometry.cap) / kernel;
    return std::max<std::uint64_t>(std::min(budget * geometry.perAccumulator, cap), 1);
}

inline void passesAndCores(const decision::Geometry &geometry,
                           const decision::LayerOperation &operation,
                           const decision::KernelMemory &memory)
{
    const std::uint64_t group = listedGroup(geometry);
    const std::uint64_t passes =
        operation.outputChannels / group + (operation.outputChannels % group == 0 ? 0 : 1);
    QCOMPARE(geometry.group, group);
    QCOMPARE(geometry.passes, passes);
    QCOMPARE(geometry.lit.has_value(), geometry.cores.value.has_value());
    // What a core holds is reckoned over the same cores.
    if (memory.cores)
        QCOMPARE(std::uint64_t(*memory.cores), std::uint64_t(geometry.cores.value.value_or(0)));
    if (geometry.lit)
        QCOMPARE(*geometry.lit,
                 std::min<std::uint64_t>(std::bit_ceil(std::min<std::uint64_t>(passes, 1U << 30)),
                                         *geometry.cores.value));
}

/// The channels that the outputs lie along and those that are summed over make up the weight; every
/// multiplication that the roofline counts is one of the array.
inline void arithmeticAgrees(const roofline::Layer &layer, const Consumer &consumer,
                             const decision::Geometry &geometry)
{
    const decision::LayerOperation &operation = *layer.operation;
    QCOMPARE(geometry.cycles.macs.has_value(), operation.outputKnown);
    const auto &output = consumer.geometry.output;
    const auto count = output ? elementCount(*output) : std::nullopt;
    // A program may declare an output that the weight's channels do not divide.
    if (!operation.outputKnown)
        QVERIFY(!consumer.layerFlops || (count && count->value % operation.outputChannels != 0));
    else if (consumer.layerFlops && (layer.flops == consumer.layerFlops || layer.flops == 0))
        QCOMPARE(2 * *geometry.cycles.macs, *consumer.layerFlops);
    const std::uint64_t weights = operation.inputChannels * operation.outputChannels *
                                  operation.kernelWidth * operation.kernelHeight *
                                  operation.kernelDepth;
    // The rest are products apart, of a weight that has batches.
    if (weights > 0 && consumer.via.empty())
        QCOMPARE(layer.form.elements % weights, 0U);
}

/// One layer with its weight as it is stored.
inline void geometryIsAssessed(const roofline::Placement &placed, const Consumer &consumer,
                               const target::Target &target)
{
    const roofline::Layer &layer = placed.layer;
    if (!layer.operation)
        return;
    const auto geometry = roofline::geometryOf(layer, placed.stored(), target);
    QVERIFY2(geometry, geometry ? "" : describe(geometry.error()).c_str());
    // What folds reaches the array as dense fp16.
    if (placed.stored().outcome == decision::Outcome::Folds) {
        QCOMPARE(geometry->cap, decision::CapClass::SixteenBit);
        QVERIFY(geometry->winograd.threshold != 8);
        QVERIFY(!geometry->cycles.doubleMac);
    }
    passesAndCores(*geometry, *layer.operation, placed.stored().decision.memory);
    arithmeticAgrees(layer, consumer, *geometry);
    const auto stays = geometry->workingSet.fits;
    QCOMPARE(stays.has_value(), placed.aboveWorkingSet.has_value());
    if (stays)
        QCOMPARE(*stays, !*placed.aboveWorkingSet);
    QCOMPARE(double(geometry->workingSet.largest), placed.largestOperand);
    // What the command prints.
    const report::Json json = report::judgedJson({layer.name, layer.function, layer.name, layer.op},
                                                 *layer.operation, *geometry, placed.stored());
    QCOMPARE(json["passes"].get<std::uint64_t>(), geometry->passes);
    QCOMPARE(json["cores_lit"].is_null(), !geometry->lit.has_value());
    if (geometry->lit)
        QCOMPARE(json["cores_lit"].get<std::uint64_t>(), *geometry->lit);
}

} // namespace kernscope::test
