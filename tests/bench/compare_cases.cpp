// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/cases.h"

#include "core/audit/audit.h"
#include "tests/core/bundle/made_bundle.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

#include <fmt/format.h>

namespace kernscope::bench {

namespace {

constexpr std::size_t kCompared = std::size_t{32} << 20; ///< 64 MiB of fp16
constexpr std::size_t kOutputs = 4096;

test::Bytes comparedHalves(bool changed)
{
    test::Bytes bytes(2 * kCompared);
    std::uint64_t state = 1;
    for (std::size_t i = 0; i < kCompared; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u; // Knuth's MMIX generator
        auto bits = std::uint16_t(((state >> 40) & 0x9fff) + 0x1000);
        if (changed && (state >> 33) % 3 != 0)
            bits = (state >> 33) % 3 == 1 ? std::uint16_t{0} : std::uint16_t(bits ^ 1);
        bytes[2 * i] = static_cast<std::byte>(bits & 0xFF);
        bytes[2 * i + 1] = static_cast<std::byte>(bits >> 8);
    }
    return bytes;
}

BundlePtr comparedBundle(const test::Bytes &values)
{
    test::MadeBundle made;
    const std::string shape = fmt::format("[{}, {}]", kOutputs, kCompared / kOutputs);
    made.layer("w", shape, values);
    auto opened = made.open();
    if (!opened) {
        fmt::print(stderr, "comparison: {}\n", describe(opened.error()));
        std::abort();
    }
    return *std::move(opened);
}

using BundlePair = std::pair<BundlePtr, BundlePtr>;

} // namespace

std::vector<Case> compareCases()
{
    constexpr double kWantedOfCopy = 0.4;
    const auto pair = std::make_shared<BundlePair>(comparedBundle(comparedHalves(false)),
                                                   comparedBundle(comparedHalves(true)));
    Case values;
    values.name = "comparing fp16 values, two threads";
    values.wanted = kWantedOfCopy;
    values.elements = kCompared;
    values.read = 4 * kCompared;
    values.threads = true;
    values.data = pair;
    values.ours = [pair = pair.get()] {
        if (!compareValues(*pair->first, *pair->second, {0, 0}, 0))
            std::abort();
    };
    Case equal = values;
    equal.name = "comparing bundles of the same bytes";
    equal.wanted = 0; // of files that are mapped once: shown beside the copy of one side
    const auto same =
        std::make_shared<BundlePair>(pair->first, comparedBundle(comparedHalves(false)));
    equal.data = same;
    equal.ours = [pair = same.get()] {
        const auto found = compareBundles(*pair->first, *pair->second, {true, 0, true});
        if (!found || !found->identical)
            std::abort();
    };
    Case audited = values;
    audited.name = "holding fp16 values against their checkpoint";
    audited.wanted = 0; // 1 GiB in under 5 s: shown beside the copy of one side
    audited.threads = false;
    audited.data = same;
    audited.ours = [pair = same.get()] {
        const auto found = audit::auditPackage(pair->first, pair->second);
        if (!found || !found->faulty.empty() || found->sound.size() != 1)
            std::abort();
    };
    return {std::move(values), std::move(equal), std::move(audited)};
}

} // namespace kernscope::bench
