// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/coreai_cache/survey.h"
#include "core/report/json.h"

/// A package beside the program that was compiled from it, weight by weight.
namespace kernscope::report {

/// What the compiler made of a weight.
enum class Fate : std::uint8_t {
    Kept,       ///< its elements are the same stored bytes
    Folded,     ///< decompressed: dense in the program, with the same values
    WrittenOut, ///< one number for all elements: in full in the program
    Changed,    ///< stored otherwise, with the same values
    Reordered,  ///< the same values in another order
    Merged,     ///< the same bytes or values as another weight, which the program has once
    Dropped,    ///< not in the program, and no result of the package depends on it
    Added,      ///< only in the program
    Differs,    ///< the values are others: the program is of another package
    Computed,   ///< operations of the program make its values of constants
    Part,       ///< a constant of the program is calculated of it and others
    NotFound,   ///< none of these, as far as was calculated
};
/// "kept", "folded to dense", "written out", "stored otherwise", "other order", "merged",
/// "dropped", "added", "other values", "scaled by operations", "part of another constant", "not
/// found: dropped or made part of another constant".
std::string_view fateName(Fate fate);

struct OriginRow {
    const Bundle *package = nullptr, *program = nullptr;
    std::size_t a = kNoIndex, b = kNoIndex; ///< weights of either
    Fate fate = Fate::Kept;
    std::string_view tie; ///< how the two were found: "op id", "bytes", "values", pairingName()
};

/// In the order of the package, then what the program has alone. Compares the values of pairs whose
/// bytes differ. Errors: "task.cancelled".
Result<std::vector<OriginRow>> compiledOrigins(const Bundle &package, const Bundle &program,
                                               Progress *progress);

extern const TableOf<OriginRow> originTable;
/// `odix --against PACKAGE`: the rows under "weights".
Json originDocument(std::string_view package, const std::vector<OriginRow> &rows);

extern const TableOf<coreai_cache::Part> compiledPartTable;
extern const TableOf<coreai_cache::Fact> compiledFactTable;

/// "48.8 of 500 MB lie on the engine, in 1 region"; what it refused is said as well.
std::string surveySentence(const coreai_cache::Survey &survey);

/// The package that a folder is held against.
struct SurveyedPackage {
    std::string path, hash;           ///< main.hash
    std::optional<bool> compiledFrom; ///< nothing: not known
};
/// "yes", "no", "unknown: no source hash is told".
std::string compiledFromText(const SurveyedPackage &package);

/// The document of `survey`.
Json surveyDocument(const coreai_cache::Survey &survey,
                    const std::optional<SurveyedPackage> &package);

} // namespace kernscope::report
