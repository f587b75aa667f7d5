// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/progress.h"
#include "core/bundle/bundle.h"
#include "core/bundle/statistics.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kernscope::ui {

/// Something about a bundle that is worth a look.
struct Finding {
    enum class Kind : std::uint8_t {
        Damaged,       ///< a weight that cannot be decoded
        UnusedRecords, ///< of a weight file: records that nothing names
        NonFinite,     ///< NaN or infinities among the values
        Constant,      ///< every value is the same
        Larger,        ///< stored in more bytes than dense fp16 would take
        Duplicate,     ///< the same values as another weight
        Outlier,       ///< the largest magnitude is far from the rest
    };
    Kind kind = Kind::Damaged;
    std::size_t weight = kNoIndex;
    std::size_t other = kNoIndex; ///< Duplicate: the weight that came first
    std::size_t file = kNoIndex;  ///< UnusedRecords
    std::uint64_t count = 0;      ///< records, elements or bytes, by kind
    double value = 0;             ///< Constant, Outlier: the value
};

struct BundleFigures {
    std::vector<std::optional<double>> zeros; ///< by weight the share of zeros; empty: not read
    std::vector<Finding> findings;            ///< the worst kinds first
};

/// Reads every weight once, hashes included, on all processors. `read` false: only what the tables
/// tell. Stops early where the progress is cancelled. On any thread, under a BundleReadLock.
BundleFigures examineBundle(const Bundle &bundle, bool read, Progress &progress);

/// Sums over the tables of a bundle. They are the same until it is read again.
struct BundleSums {
    struct Form {
        std::size_t weights = 0, first = 0; ///< how many, and the index of the first one
        std::uint64_t bytes = 0;            ///< stored
    };
    Totals totals;
    std::size_t unread = 0;            ///< weights whose stored bytes are not known
    std::size_t operations = 0;        ///< of the program
    std::map<std::string, Form> forms; ///< by formText()
};
/// On any thread: of many weights it takes longer than a frame.
BundleSums sumUpBundle(const Bundle &bundle);

} // namespace kernscope::ui
