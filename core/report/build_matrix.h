// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/stream.h"
#include "core/compare/compare.h"
#include "core/report/column.h"
#include "core/report/difference_json.h"

namespace kernscope::report {

/// A weight of the base in one build.
struct MatrixCell {
    std::size_t weight = kNoIndex;        ///< in that build; kNoIndex: none is a pair with it
    bool alone = false;                   ///< nor is it split or merged there
    std::optional<ByteCount> storedBytes; ///< empty: not known
    std::optional<double> ratio;          ///< stored bytes over those of the base
    std::shared_ptr<const ValueDifference> values; ///< against the base; of the base itself none
    std::string verdict;                     ///< "kept values exact", "only in the first", "split"
    std::vector<decision::Outcome> outcomes; ///< on each chip; empty where there is no weight
    PairSeverity severity; ///< of the pair; of split and merged ones of the worst part
};

/// Several builds of one network: weights down, builds across. The first is the base that the
/// others were compared with.
struct BuildMatrix {
    std::vector<std::string> builds;
    std::vector<const target::Target *> chips;
    struct Row {
        std::size_t weight = 0; ///< in the base
        std::string name;
        std::vector<MatrixCell> cells; ///< one for each build
    };
    std::vector<Row> rows; ///< in the order of the base, or the worst of any build first
};

/// What a cell can show: a column each. JSON has all of them but those for the window alone.
extern const TableOf<MatrixCell> matrixTable;

/// `all`: one comparison a build, each with the same base; the order of the first is that of the
/// rows.
BuildMatrix buildMatrix(const Bundle &base, std::span<const CheckedDifference> all);

/// For people: a row a weight of the base; of each build how much it stores, and the verdict.
TextTable matrixTextTable(const BuildMatrix &matrix);

} // namespace kernscope::report
