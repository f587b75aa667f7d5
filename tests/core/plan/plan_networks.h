// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/write_plan.h"
#include "made_bundle.h"

#include <random>

#include <fmt/format.h>

/// Networks to plan, and what is asked of a plan.
namespace kernscope::test {

using namespace kernscope::plan;

inline constexpr std::uint64_t kRows = 32, kColumns = 64;

inline Bytes randomHalves(unsigned seed, std::uint64_t count)
{
    std::mt19937 random(seed);
    const auto encoded = [&] {
        std::vector<float> values;
        for (std::uint64_t i = 0; i < count; ++i) {
            const double sum = double(random()) + double(random()) + double(random());
            const double centred = sum / 4294967296.0 - 1.5;
            values.push_back(random() % 8 == 0 ? 0.0f : float(centred));
        }
        return *codec::encodeDense(values, {count}, ElementType::Fp16);
    }();
    return encoded.parts.front().bytes;
}

/// Dense weights of 32 by 64 under a linear each; those of the same seed hold the same.
inline MadeBundle network(const std::vector<unsigned> &seeds)
{
    MadeBundle bundle;
    bundle.parameters = "tensor<fp16, [1, 64]> x";
    for (std::size_t i = 0; i < seeds.size(); ++i) {
        const std::string name = fmt::format("w{}", i);
        bundle.layer(name, "[32, 64]", randomHalves(seeds[i], kRows * kColumns));
    }
    return bundle;
}

inline SurveyOptions optionsFor(std::initializer_list<const char *> chips)
{
    SurveyOptions options;
    for (const char *chip : chips)
        options.targets.push_back(target::findTarget(chip)->target);
    options.threads = 2;
    return options;
}

inline std::string text(const Error &error)
{
    return describe(error);
}

} // namespace kernscope::test
