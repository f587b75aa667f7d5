// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/format/catalogue.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kernscope::format {

/// One reading of what sources disagree on (resources/tables/contested.csv). Wherever the program
/// follows one of several, it shows the others beside it.
struct Reading {
    std::string topic;   ///< "activation_segments": the readings of one topic belong together
    std::string subject; ///< a target's name, "engine" or "tquant"
    std::string text;
    bool taken = false; ///< the one that this program follows; exactly one of a topic
    std::string source, note;
    Confidence confidence = Confidence::Contested;
};
std::span<const Reading> readings();
/// In the table's order; empty for a topic that is not contested.
std::vector<Reading> readingsOf(std::string_view topic);
/// Of every topic about a subject.
std::vector<Reading> readingsAbout(std::string_view subject);

/// What an element type is for in a weight (chapter 7, table 7.5).
struct WeightElementRole {
    std::string name; ///< as the numberings have it: "fp16"
    std::string width, role, source;
    Confidence confidence = Confidence::Documented;
};
std::span<const WeightElementRole> weightElementRoles();

} // namespace kernscope::format
