// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/target/target.h"

#include <map>
#include <unordered_map>

namespace kernscope::target {

/// The embedded tables, read once.
struct Registry {
    struct Name {
        std::string lower;
        std::size_t target = 0;
        bool byDefault = true;
        std::string source;    ///< empty where no source disagrees
        std::string text = {}; ///< as its table writes it
    };

    std::vector<Target> targets;
    std::map<std::pair<std::size_t, std::string>, std::vector<Claim>> claims;
    std::vector<Name> names;
    std::vector<DeviceBucket> buckets;
    std::vector<HalField> fields;
    std::vector<HalValue> values;
    /// By target, then layout and offset: index into `values`.
    std::vector<std::unordered_map<std::uint64_t, std::size_t>> valueOf;
    std::vector<ChipFact> facts;

    /// The embedded tables, read once; safe to share between threads.
    static const Registry &get();
};

/// Names that findTarget() gives to another target, and some source to this one.
std::vector<std::string> contestedNames(const Target &target);

std::string lowerCase(std::string_view text);
constexpr std::uint64_t halKey(HalLayout layout, HalOffset offset)
{
    return (std::uint64_t(layout) << 32) | offset.value;
}

} // namespace kernscope::target
