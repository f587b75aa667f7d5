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

/// What a source says of the engine or its compiler in a sentence, or a text of the compiler that a
/// source quotes (resources/tables/engine_notes.csv).
struct EngineNote {
    std::string topic; ///< "fp8", "datapath", "ordering", "collective"
    std::string what, text;
    bool quoted = false; ///< the compiler's own words
    std::string source;
    Confidence confidence = Confidence::Documented;
};
/// Those of a topic; of all for an empty one.
std::vector<EngineNote> engineNotes(std::string_view topic = {});

/// An fp8 format field by field (chapter 36, table 36.1).
struct Fp8Format {
    std::string name;
    unsigned sign = 0, exponent = 0, mantissa = 0, bias = 0, largest = 0;
    std::string role, gate, registers, onM5, source;
    Confidence confidence = Confidence::Documented;
};
std::span<const Fp8Format> fp8Formats();

} // namespace kernscope::format
