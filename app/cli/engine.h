// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/command.h"
#include "core/format/catalogue.h"

/// The commands that show the engine itself: its collective layer, its descriptor, its activation
/// tables. Their options; what they do needs no CLI11.
namespace kernscope::cli {

struct CollectiveOptions {
    std::string mesh; ///< extents: "2x2x4"; empty: none was asked about
    std::uint64_t dieAxis = 0;
    std::uint64_t engines = 0;          ///< of a die; 0: the number that the inner axes address
    std::vector<std::uint64_t> device;  ///< coordinates
    std::vector<std::uint64_t> members; ///< engine indices of a layer on the single-program path
    std::uint64_t index = 0;
    std::uint32_t reductionType = 0, dataType = 0;
    std::string tensor;              ///< extents
    std::vector<std::string> shards; ///< "0:1": tensor axis 0 over mesh axis 1
    bool indexGiven = false, membersGiven = false, atomicGiven = false;
};

struct DescriptorOptions {
    std::uint32_t version = 0;         ///< 0: that of the target
    std::vector<std::string> formats;  ///< of source 1, source 2 and the output
    std::vector<std::string> saturate; ///< "source1", "source2"
    std::string word;                  ///< a format word to read: "0x124"
    std::string image;                 ///< a file with a version-10 image
};

struct ActivationOptions {
    std::string path, name;
    std::uint64_t at = 0;
    bool atGiven = false;
    std::string layout, arithmetic = "exact", tail = "clamp";
    std::vector<double> inputs;
};

/// What sources disagree on, one reading a line: "followed:", "contested:".
std::string readingsText(std::span<const format::Reading> readings);

int runCollective(const CollectiveOptions &options, Context &context);
int runDescriptor(const DescriptorOptions &options, Context &context);
int runActivation(const ActivationOptions &options, Context &context);

} // namespace kernscope::cli
