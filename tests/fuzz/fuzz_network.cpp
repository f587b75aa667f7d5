// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/graph.h"
#include "tests/fuzz/bundle_checks.h"
#include "tests/fuzz/mutators.h"

using namespace kernscope;

/// A serialised Model: a network, a pipeline or a program without its weight file. Whatever it is,
/// its sections cover it, and what is not marked as faulty decodes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const auto input = fuzz::bytesOf(data, size);
    const auto bundle =
        Bundle::open("x.mlmodel", {.memory = {{"x.mlmodel", {input.begin(), input.end()}}}});
    if (!bundle)
        return 0;
    fuzz::checkSections(**bundle);
    for (std::size_t i = 0; i < (*bundle)->weights().size(); ++i) {
        const Weight &weight = (*bundle)->weights()[i];
        const auto decoder = (*bundle)->decoder(i);
        fuzz::require(decoder.has_value() == !weight.fault);
        if (!decoder || weight.elements.value > 4096)
            continue;
        fuzz::require(decoder->elements() == weight.elements);
        fuzz::require(computeStatistics(**bundle, i, {true, true}).has_value());
        std::vector<std::int64_t> codes(weight.elements.value);
        decoder->codes(0, codes);
    }
    (void)verifyPayloads(**bundle);
    if (const auto graph = graph::Graph::build(*bundle)) {
        for (const graph::Edge &edge : (*graph)->edges())
            fuzz::require(edge.from < (*graph)->nodes().size() &&
                          edge.to < (*graph)->nodes().size());
    }
    return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t *data, std::size_t size,
                                               std::size_t most, unsigned seed)
{
    return fuzz::mutateMessage(data, size, most, seed);
}
