// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/codebook_match.h"

#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/compare/pair_reader.h"
#include "core/form/form_steps.h"

#include <cmath>
#include <unordered_map>

#include <fmt/format.h>

namespace kernscope {

namespace {

constexpr std::uint64_t kMatchRun = 65536;

/// The codebooks of one side as a row of entries.
struct Books {
    explicit Books(const codec::Decoder &decoder)
        : entries(decoder.encoding().palette->entries), vector(decoder.encoding().palette->vector),
          values(decoder.codebookValues())
    {
        books = entries * vector == 0 ? 0 : values.size() / (entries * vector);
        uses.resize(static_cast<std::size_t>(books * entries));
    }

    std::vector<float> valueOf(std::uint64_t entry) const
    {
        const auto lanes = values.subspan(static_cast<std::size_t>(entry * vector),
                                          static_cast<std::size_t>(vector));
        return {lanes.begin(), lanes.end()};
    }

    std::uint64_t entries, vector, books = 0;
    std::span<const float> values;
    std::vector<std::uint64_t> uses; ///< elements, by entry of all codebooks
};

bool sameValues(const std::vector<float> &x, const std::vector<float> &y)
{
    return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                      [](float u, float v) { return u == v || (std::isnan(u) && std::isnan(v)); });
}

/// Counts which entries the elements take, and tells from that what became of each.
class Matcher
{
public:
    explicit Matcher(const diff::PairReader &reader)
        : m_reader(reader), m_a(reader.a()), m_b(reader.b()), m_first(m_a.uses.size()),
          m_firstB(m_b.uses.size())
    {
    }

    const Books &a() const { return m_a; }
    const Books &b() const { return m_b; }

    bool count(Progress *progress)
    {
        const std::uint64_t elements = m_reader.elements();
        std::vector<std::int64_t> codesA(kMatchRun), codesB(kMatchRun);
        for (std::uint64_t first = 0; first < elements; first += kMatchRun) {
            const auto some = static_cast<std::size_t>(std::min(kMatchRun, elements - first));
            m_reader.readCodes(true, first, std::span(codesA).first(some));
            m_reader.readCodes(false, first, std::span(codesB).first(some));
            for (std::size_t i = 0; i < some; ++i)
                add(first + i, codesA[i], codesB[i]);
            if (progress != nullptr && !progress->advance(some))
                return false;
        }
        return true;
    }

    CodebookMatch finish()
    {
        CodebookMatch match;
        match.booksA = m_a.books;
        match.booksB = m_b.books;
        match.entriesA = m_a.entries;
        match.entriesB = m_b.entries;
        match.vector = m_a.vector;
        sortTargets();
        for (std::uint64_t entry = 0; entry < m_a.uses.size(); ++entry)
            match.entries.push_back(ofA(entry));
        for (std::uint64_t entry = 0; entry < m_b.uses.size(); ++entry) {
            if (!m_reached[static_cast<std::size_t>(entry)])
                match.entries.push_back(onlyB(entry));
        }
        for (const EntryMatch &entry : match.entries)
            ++match.counts[static_cast<std::size_t>(entry.change)];
        return match;
    }

private:
    using Target = EntryMatch::Target;

    static std::optional<std::uint64_t> entryOf(const codec::Decoder &decoder, const Books &books,
                                                std::uint64_t element, std::int64_t code)
    {
        if (code < 0 || static_cast<std::uint64_t>(code) >= books.entries)
            return std::nullopt;
        const std::uint64_t entry =
            decoder.codebookOf(element).codebook * books.entries + static_cast<std::uint64_t>(code);
        return entry < books.uses.size() ? std::optional(entry) : std::nullopt;
    }

    void add(std::uint64_t element, std::int64_t codeA, std::int64_t codeB)
    {
        const auto a = entryOf(m_reader.a(), m_a, m_reader.elementOn(true, element), codeA);
        const auto b = entryOf(m_reader.b(), m_b, m_reader.elementOn(false, element), codeB);
        const auto note = [element](std::optional<std::uint64_t> &first) {
            if (!first)
                first = element;
        };
        if (a) {
            ++m_a.uses[static_cast<std::size_t>(*a)];
            note(m_first[static_cast<std::size_t>(*a)]);
        }
        if (b) {
            ++m_b.uses[static_cast<std::size_t>(*b)];
            note(m_firstB[static_cast<std::size_t>(*b)]);
        }
        if (a && b)
            ++m_both[*a * m_b.uses.size() + *b];
    }

    /// For every entry of A those of B that its elements take, the most first; of equally many the
    /// one of its own number. An entry of B that enough of them take is reached.
    void sortTargets()
    {
        m_targets.resize(m_a.uses.size());
        m_claims.resize(m_b.uses.size());
        m_reached.resize(m_b.uses.size());
        for (const auto &[key, elements] : m_both) {
            const std::uint64_t b = key % m_b.uses.size();
            m_targets[static_cast<std::size_t>(key / m_b.uses.size())].push_back(
                {b / m_b.entries, b % m_b.entries, elements});
        }
        for (std::size_t entry = 0; entry < m_targets.size(); ++entry) {
            auto &targets = m_targets[entry];
            const std::uint64_t own = entry % m_a.entries;
            std::ranges::sort(targets, [own](const Target &x, const Target &y) {
                if (x.elements != y.elements)
                    return x.elements > y.elements;
                if ((x.code == own) != (y.code == own))
                    return x.code == own;
                return std::pair(x.book, x.code) < std::pair(y.book, y.code);
            });
            if (targets.empty())
                continue;
            ++m_claims[indexOf(targets.front())];
            m_reached[indexOf(targets.front())] = true;
            if (splits(targets)) {
                for (const Target &target : targets)
                    m_reached[indexOf(target)] = true;
            }
        }
    }

    std::size_t indexOf(const Target &target) const
    {
        return static_cast<std::size_t>(target.book * m_b.entries + target.code);
    }

    static bool splits(const std::vector<Target> &targets)
    {
        constexpr std::uint64_t kTenth = 10;
        std::uint64_t all = 0;
        for (const Target &target : targets)
            all += target.elements;
        return !targets.empty() && (all - targets.front().elements) * kTenth >= all;
    }

    EntryMatch ofA(std::uint64_t entry) const
    {
        const auto at = static_cast<std::size_t>(entry);
        EntryMatch match;
        match.bookA = entry / m_a.entries;
        match.codeA = entry % m_a.entries;
        match.a = m_a.valueOf(entry);
        match.usesA = m_a.uses[at];
        match.element = m_first[at];
        const auto &targets = m_targets[at];
        if (targets.empty()) {
            match.change = match.usesA == 0 ? EntryChange::Unused : EntryChange::Dropped;
            return match;
        }
        const Target &most = targets.front();
        const std::size_t partner = indexOf(most);
        match.bookB = most.book;
        match.codeB = most.code;
        match.b = m_b.valueOf(partner);
        match.usesB = m_b.uses[partner];
        match.both = most.elements;
        if (splits(targets)) {
            match.change = EntryChange::Split;
            match.targets = targets;
        } else if (m_claims[partner] > 1) {
            match.change = EntryChange::Merged;
        } else if (!sameValues(match.a, match.b)) {
            match.change = EntryChange::Changed;
        } else {
            const bool sameBook = match.bookA == match.bookB || m_a.books != m_b.books;
            match.change =
                match.codeA == match.codeB && sameBook ? EntryChange::Same : EntryChange::Moved;
        }
        return match;
    }

    EntryMatch onlyB(std::uint64_t entry) const
    {
        const auto at = static_cast<std::size_t>(entry);
        EntryMatch match;
        match.bookB = entry / m_b.entries;
        match.codeB = entry % m_b.entries;
        match.b = m_b.valueOf(entry);
        match.usesB = m_b.uses[at];
        match.element = m_firstB[at];
        match.change = match.usesB == 0 ? EntryChange::Unused : EntryChange::Added;
        return match;
    }

    const diff::PairReader &m_reader;
    Books m_a, m_b;
    std::vector<std::optional<std::uint64_t>> m_first, m_firstB; ///< element, by entry
    std::unordered_map<std::uint64_t, std::uint64_t> m_both;     ///< entry of A and of B: elements
    std::vector<std::vector<Target>> m_targets;                  ///< by entry of A
    std::vector<std::uint64_t> m_claims; ///< by entry of B: entries of A that go to it
    std::vector<bool> m_reached;         ///< by entry of B
};

tl::unexpected<Error> cannotMatch(const Weight &weight, std::string expected, std::string found,
                                  std::string message)
{
    return refused("diff.codebooks", weight.findableName(), std::move(expected), std::move(found),
                   std::move(message));
}

Result<void> checkBooks(const Weight &weight, const Books &books)
{
    if (books.uses.size() > CodebookMatch::kMostEntries)
        return cannotMatch(weight, fmt::format("at most {} entries", CodebookMatch::kMostEntries),
                           fmt::format("{}", books.uses.size()),
                           "These are too many entries to be set against others");
    return {};
}

Result<CodebookMatch> matchOf(const diff::PairReader &reader, const Weight &from, const Weight &to,
                              Progress *progress)
{
    for (const auto &[decoder, weight] :
         {std::pair(&reader.a(), &from), std::pair(&reader.b(), &to)}) {
        if (!decoder->encoding().palette)
            return cannotMatch(*weight, "a palette", formWords(weight->form),
                               "The weight has no codebook");
    }
    Matcher matcher(reader);
    if (matcher.a().vector != matcher.b().vector)
        return cannotMatch(to, fmt::format("vectors of {}", matcher.a().vector),
                           fmt::format("vectors of {}", matcher.b().vector),
                           "Entries of another length have no partners");
    TRY(checkBooks(from, matcher.a()));
    TRY(checkBooks(to, matcher.b()));
    if (!matcher.count(progress))
        return tl::unexpected(cancelledError("The comparison was cancelled"));
    return matcher.finish();
}

} // namespace

std::string_view entryChangeName(EntryChange change)
{
    static constexpr std::array<std::string_view, kEntryChanges> kNames{
        "same", "moved", "changed", "split", "merged", "dropped", "unused", "added"};
    return kNames[static_cast<std::size_t>(change)];
}

std::optional<double> EntryMatch::distance() const
{
    if (a.empty() || b.empty())
        return std::nullopt;
    double largest = 0;
    for (std::size_t lane = 0; lane < std::min(a.size(), b.size()); ++lane)
        largest = std::max(largest,
                           std::abs(static_cast<double>(a[lane]) - static_cast<double>(b[lane])));
    return largest;
}

bool hasCodebooks(const Bundle &a, const Bundle &b, const PairSides &sides)
{
    const auto has = [](const Weight &weight) { return weight.has(codec::PartRole::Lut); };
    return has(a.weights()[sides.a]) && has(b.weights()[sides.b]);
}

Result<CodebookMatch> matchCodebooks(const Bundle &a, const Bundle &b, const PairSides &sides,
                                     Progress *progress)
{
    const BundleReadLock lock(a, b);
    const auto reader = TRY(diff::PairReader::make(a, b, sides));
    return matchOf(reader, a.weights()[sides.a], b.weights()[sides.b], progress);
}

} // namespace kernscope
