// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/shapes/infer.h"
#include "tests/fuzz/bundle_checks.h"
#include "tests/fuzz/bundle_seeds.h"
#include "tests/fuzz/mutators.h"

#include <algorithm>
#include <string_view>
#include <vector>

using namespace kernscope;

namespace {

} // namespace

/// A program and a weight file: whatever they hold, the bundle opens, its sections cover the files,
/// and what is not marked as faulty decodes. Shapes are followed through it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string_view input(reinterpret_cast<const char *>(data), size);
    const std::size_t cut = std::min(input.find(fuzz::kWeightsMark), size);
    const std::string_view weights = input.substr(std::min(size, cut + fuzz::kWeightsMark.size()));
    const auto bundle =
        Bundle::open("fuzz.mlmodelc", {.memory = {{"model.mil", fuzz::copyOf(input.substr(0, cut))},
                                                  {"weights/weight.bin", fuzz::copyOf(weights)}}});
    fuzz::require(bundle.has_value());
    fuzz::checkBundle(**bundle);
    mil::Program program = *(*bundle)->program();
    const auto shapes = shapes::inferShapes(program, {}, "model.mil");
    fuzz::require(shapes.has_value() && shapes->inferred <= shapes->open);
    return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t *data, std::size_t size,
                                               std::size_t most, unsigned seed)
{
    return fuzz::mutateText(data, size, most, seed);
}
