// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/output_place.h"
#include "core/plan/section_build.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kernscope::cli {

struct Context;

struct SectionOptions {
    std::string path;
    std::vector<std::string> names; ///< weights; none: all of the bundle
    std::string output;
    bool inPlace = false;
    plan::SectionOptions made;   ///< build: form, cores, lanes
    bool hwxSlices = false;      ///< write the slices of H13 or H14 instead of a section
    bool sparseSlices = false;   ///< those that leave zeros out
    std::uint64_t imageSide = 0; ///< of the slices' task; 0: above 8 pixels
    std::string base = "0", inputTile, outputTile;
};

inline constexpr std::string_view kSectionCommand = "section"; ///< in documents

/// What build, relocate and strip do with a section that they made: writes it to `path` and says
/// so, with `text` where no document is asked for. Returns the exit code.
int deliverSection(Context &context, const std::string &path, const OutputRules &rules,
                   std::span<const std::byte> bytes, const section::WeightSection &section,
                   const std::string &text);

/// Each returns the exit code.
int runSectionBuild(const SectionOptions &options, Context &context);
int runSectionSlices(const SectionOptions &options, Context &context);
int runSectionList(const SectionOptions &options, Context &context);
int runSectionRelocate(const SectionOptions &options, bool strip, Context &context);

} // namespace kernscope::cli
