// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/compare.h"

#include <array>

namespace kernscope {

/// What became of an entry of a codebook. Entries are matched by the elements that use them, not by
/// their values.
enum class EntryChange : std::uint8_t {
    Same,    ///< its elements take the entry of the same number, which has the same value
    Moved,   ///< of another number, and the same value
    Changed, ///< of another value
    Split,   ///< its elements take several entries: a tenth of them or more not the commonest one
    Merged,  ///< its elements take an entry that those of another one take as well
    Dropped, ///< B stores none of its elements: its mask leaves them out
    Unused,  ///< no element takes it; of A or of B
    Added,   ///< only in B: elements take it, and most of no entry of A
};
inline constexpr std::size_t kEntryChanges = 8;
/// "same", "moved", "changed", "split", "merged", "dropped", "unused", "added".
std::string_view entryChangeName(EntryChange change);

/// An entry of A with what its elements take in B; or an entry that only B has.
struct EntryMatch {
    EntryChange change = EntryChange::Same;
    static constexpr std::uint64_t kNone = UINT64_MAX;
    /// Codebook and number of the entry; kNone where that side has none. In B the one that most of
    /// the elements take.
    std::uint64_t bookA = kNone, codeA = kNone, bookB = kNone, codeB = kNone;
    std::vector<float> a, b; ///< values, one a lane; empty where there is no entry
    /// Elements that take the entry; that take both; and the first of those that take the one of A
    /// (of an added one: that of B).
    std::uint64_t usesA = 0, usesB = 0, both = 0;
    std::optional<std::uint64_t> element;
    /// Of a split one: the entries of B that its elements take, with how many, the most first.
    struct Target {
        std::uint64_t book = 0, code = 0, elements = 0;
        friend bool operator==(const Target &, const Target &) = default;
    };
    std::vector<Target> targets;

    /// Largest difference of two lanes; empty where there are not two entries.
    std::optional<double> distance() const;
};

/// The codebooks of a pair, entry to entry.
struct CodebookMatch {
    std::uint64_t booksA = 0, booksB = 0;     ///< codebooks
    std::uint64_t entriesA = 0, entriesB = 0; ///< of one codebook
    std::uint64_t vector = 1;                 ///< values of an entry
    std::vector<EntryMatch> entries; ///< those of A in their order, then those that only B has
    std::array<std::uint64_t, kEntryChanges> counts{}; ///< by EntryChange

    static constexpr std::uint64_t kMostEntries = 65536; ///< of all codebooks of one side
    std::uint64_t count(EntryChange change) const
    {
        return counts[static_cast<std::size_t>(change)];
    }
};

/// Whether both weights are stored with codebooks.
bool hasCodebooks(const Bundle &a, const Bundle &b, const PairSides &sides);

/// Elements are those of comparedWeight(): entries that only other parts of a split or merged
/// weight take count as unused. Errors: those of diff::PairReader::make, "diff.codebooks" (a side
/// has none, vectors of another length, more than kMostEntries), "task.cancelled". Progress in
/// elements. Takes the files' locks itself, shared.
Result<CodebookMatch> matchCodebooks(const Bundle &a, const Bundle &b, const PairSides &sides,
                                     Progress *progress = nullptr);

} // namespace kernscope
