// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/coreai_cache/survey.h"
#include "core/report/column.h"

/// What a compiler left in a folder, as `survey` shows it.
namespace kernscope::report {

const TableOf<coreai_cache::Part> &compiledPartTable();
const TableOf<coreai_cache::Fact> &compiledFactTable();

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
