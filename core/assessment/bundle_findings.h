// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/weight_facts.h"
#include "core/bundle/bundle.h"
#include "core/bundle/statistics.h"

namespace kernscope {

/// Something about a bundle that is worth a look.
struct Finding {
    enum class Kind : std::uint8_t {
        Damaged,          ///< a weight that cannot be decoded
        UnusedRecords,    ///< of a weight file: records that nothing names
        NonFinite,        ///< NaN or infinities among the values
        BeyondHalf,       ///< finite values that become infinities in fp16
        ZeroScale,        ///< scales of 0: their elements are lost
        KnownFault,       ///< has what a reported fault needs
        Constant,         ///< every value is the same
        ConstantChannels, ///< every value of an output channel is the same
        Larger,           ///< stored in more bytes than dense fp16 would take
        FoldsEverywhere,  ///< compressed, and no chip is known to stream it
        DeadEntries,      ///< codebook entries that no index means
        Duplicate,        ///< the same values as another weight, stored once more
        Outlier,          ///< the largest magnitude is far from the rest
        DisputedFault,    ///< has what a fault needs that reports do not agree on: said last
    };
    Kind kind = Kind::Damaged;
    std::size_t weight = kNoIndex;
    std::size_t other = kNoIndex; ///< Duplicate: the weight that came first
    std::size_t file = kNoIndex;  ///< UnusedRecords
    /// Records, elements, channels, scales, entries or chips, by kind; Larger, Duplicate: bytes.
    std::uint64_t count = 0;
    std::uint64_t of =
        0; ///< all elements, channels, scales, entries or chips, where `count` is some of them
    double value = 0; ///< Constant, Outlier: the value
    std::string text; ///< KnownFault, DisputedFault: what happens, where and who says so

    friend bool operator==(const Finding &, const Finding &) = default;
};

/// "duplicate", "constant_channels": of documents.
std::string_view findingName(Finding::Kind kind);
/// "Prune these channels": what one would do about it.
std::string_view findingAdvice(Finding::Kind kind);
/// "encoder_1 has the values of encoder_0": for people.
std::string findingText(const Bundle &bundle, const Finding &finding);
/// The worst kinds first, each in the order of the weights.
void sortFindings(std::vector<Finding> &findings);

struct BundleFigures {
    std::vector<std::optional<double>> zeros; ///< by weight the share of zeros; empty: not read
    std::vector<Finding> findings;            ///< the worst kinds first
};

/// Reported faults whose pattern the tables have, one finding a fault: `count` weights or
/// operations.
std::vector<Finding> knownFaultFindings(const Bundle &bundle);

/// Reads every weight once, hashes included, on all processors. `read` false: only what the tables
/// tell. Without the weights that fold everywhere. Stops early where the progress is cancelled. On
/// any thread, under a BundleReadLock.
BundleFigures examineBundle(const Bundle &bundle, bool read, Progress &progress);

/// The same of values that were read already, one entry a weight, with their figures and digests.
BundleFigures examineBundle(const Bundle &bundle,
                            const std::vector<std::optional<Statistics>> &weights,
                            Progress &progress);

/// Weights whose storage form no chip of the table streams and at least one folds to dense fp16:
/// `count` chips fold them, of `of` that have a known answer. The rows of the table are the
/// bundle's weights. On any thread.
std::vector<Finding> foldFindings(const DecisionTable &table);

/// Sums over the tables of a bundle. They are the same until it is read again.
struct BundleSums {
    struct Form {
        std::size_t weights = 0, first = 0; ///< how many, and the index of the first one
        std::size_t unread = 0;             ///< of these: stored bytes that are not known
        std::uint64_t bytes = 0;            ///< stored; those that weights share count for each one
    };
    using Forms = std::map<std::string, Form>; ///< by formText()

    Totals totals;
    std::size_t unread = 0;     ///< weights whose stored bytes are not known
    std::size_t operations = 0; ///< of the program
    Forms forms;
};
/// On any thread: of many weights it takes longer than a frame.
BundleSums sumUpBundle(const Bundle &bundle);
/// The forms alone; the program is not looked at.
BundleSums::Forms sumUpForms(const Bundle &bundle);
/// Bytes that the forms count more than once, since several weights share them.
std::uint64_t sharedBytes(const BundleSums::Forms &forms, const Totals &totals);

} // namespace kernscope
