// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/codebook_match.h"
#include "diff_sample.h"
#include "tests/rows.h"

namespace {

constexpr std::size_t kEntries = 16, kCodes = 64;
using Codes = std::vector<unsigned>;
using Book = std::vector<float>;

/// A weight "w" of four-bit indices.
BundlePtr palette(const Codes &codes, const Book &book)
{
    Bytes packed;
    for (std::size_t i = 0; i < codes.size(); i += 2)
        packed.push_back(static_cast<std::byte>(codes[i] | codes[i + 1] << 4));
    MadeBundle made;
    const std::string shape = fmt::format("[4, {}]", codes.size() / 4);
    const auto indices = made.blob(ElementType::Uint4, shape, packed);
    const auto lut = made.blob(ElementType::Fp16, "[1, 1, 16, 1]", halves(book));
    made.form("w", shape, "lut_to_dense", {{"indices", indices}, {"lut", lut}});
    return *made.open();
}

Book ascending()
{
    Book book(kEntries);
    std::iota(book.begin(), book.end(), 1.0f);
    return book;
}

/// Every entry but the last, four and more times.
Codes someCodes()
{
    Codes codes(kCodes);
    for (std::size_t i = 0; i < codes.size(); ++i)
        codes[i] = unsigned(i % (kEntries - 1));
    return codes;
}

const EntryMatch &entryOf(const CodebookMatch &match, std::uint64_t code)
{
    return match.entries[std::size_t(code)];
}

} // namespace

/// Codebooks entry to entry, by the elements that take them.
class TestCodebookMatch : public QObject
{
    Q_OBJECT

private slots:
    void same()
    {
        const BundlePtr a = palette(someCodes(), ascending());
        const auto match = VERIFIED(matchCodebooks(*a, *a, {0, 0}));
        QCOMPARE(match->booksA, 1U);
        QCOMPARE(match->entriesA, std::uint64_t(kEntries));
        QCOMPARE(match->count(EntryChange::Same), std::uint64_t(kEntries - 1));
        // The entry that nothing takes is told on either side.
        QCOMPARE(match->count(EntryChange::Unused), 2U);
        QCOMPARE(match->entries.size(), kEntries + 1);
        QCOMPARE(match->entries.back().codeA, EntryMatch::kNone);
        QCOMPARE(match->entries.back().codeB, std::uint64_t(kEntries - 1));
        QVERIFY(hasCodebooks(*a, *a, {0, 0}));
    }

    /// The same values under other numbers.
    void moved()
    {
        const Codes codes = someCodes();
        Codes others(codes);
        Book book(kEntries);
        for (std::size_t entry = 0; entry < kEntries; ++entry)
            book[(entry + 3) % kEntries] = ascending()[entry];
        for (unsigned &code : others)
            code = (code + 3) % kEntries;
        const auto match =
            VERIFIED(matchCodebooks(*palette(codes, ascending()), *palette(others, book), {0, 0}));
        QCOMPARE(match->count(EntryChange::Moved), std::uint64_t(kEntries - 1));
        const EntryMatch &one = entryOf(*match, 2);
        QCOMPARE(one.codeB, 5U);
        QCOMPARE(one.a, one.b);
        QCOMPARE(one.usesA, one.both);
        QCOMPARE(*one.distance(), 0.0);
        QCOMPARE(*one.element, 2U);
    }

    void everything()
    {
        const Codes codes = someCodes();
        Codes others(codes);
        Book book = ascending();
        book[3] = 3.5f; // 3: another value
        bool second = false;
        for (std::size_t i = 0; i < codes.size(); ++i) {
            if (codes[i] == 5) // 5: half of its elements take the one that nothing took
                others[i] = (second = !second) ? 5 : 15;
            if (codes[i] == 8) // 8: with those of 7
                others[i] = 7;
        }
        book[15] = 5.25f;
        const auto match =
            VERIFIED(matchCodebooks(*palette(codes, ascending()), *palette(others, book), {0, 0}));
        QCOMPARE(entryOf(*match, 3).change, EntryChange::Changed);
        QCOMPARE(*entryOf(*match, 3).distance(), 0.5);
        QCOMPARE(entryOf(*match, 5).change, EntryChange::Split);
        QCOMPARE(entryOf(*match, 5).targets.size(), 2U);
        QCOMPARE(entryOf(*match, 5).targets[0].code, 5U);
        QCOMPARE(entryOf(*match, 5).targets[1].code, 15U);
        QCOMPARE(entryOf(*match, 7).change, EntryChange::Merged);
        QCOMPARE(entryOf(*match, 8).change, EntryChange::Merged);
        QCOMPARE(entryOf(*match, 8).codeB, 7U);
        QCOMPARE(entryOf(*match, 15).change, EntryChange::Unused);
        // 8 of B is taken by nothing; 15 is where a part of 5 went.
        QCOMPARE(match->entries.size(), kEntries + 1);
        QCOMPARE(match->entries.back().codeB, 8U);
        QCOMPARE(match->entries.back().change, EntryChange::Unused);
        QCOMPARE(match->count(EntryChange::Same), std::uint64_t(kEntries - 5));
        // From B to A: what was split is merged there, and the other way round.
        const auto back =
            matchCodebooks(*palette(others, book), *palette(codes, ascending()), {0, 0});
        QCOMPARE(entryOf(*back, 5).change, EntryChange::Merged);
        QCOMPARE(entryOf(*back, 15).change, EntryChange::Merged);
        QCOMPARE(entryOf(*back, 7).change, EntryChange::Split);
    }

    void plainCounts_data() { addRange(0U, 12U); }

    /// Random codes: every figure against a count by the definitions.
    void plainCounts()
    {
        const auto [seed] = fetched<unsigned>();
        std::mt19937 random(seed);
        Codes codes(kCodes), others(kCodes);
        for (std::size_t i = 0; i < kCodes; ++i) {
            codes[i] = random() % kEntries;
            others[i] = random() % 4 == 0 ? random() % kEntries : codes[i];
        }
        const auto match = VERIFIED(
            matchCodebooks(*palette(codes, ascending()), *palette(others, ascending()), {0, 0}));
        std::map<std::pair<unsigned, unsigned>, std::uint64_t> both;
        for (std::size_t i = 0; i < kCodes; ++i)
            ++both[{codes[i], others[i]}];
        std::uint64_t uses = 0, counted = 0;
        for (std::size_t i = 0; i < kEntries; ++i) {
            const EntryMatch &entry = match->entries[i];
            QCOMPARE(entry.codeA, std::uint64_t(i));
            QCOMPARE(entry.usesA, std::uint64_t(std::ranges::count(codes, unsigned(i))));
            uses += entry.usesA;
            std::uint64_t most = 0;
            for (unsigned to = 0; to < kEntries; ++to)
                most = std::max(most, both[{unsigned(i), to}]);
            QCOMPARE(entry.both, most);
            if (entry.usesA > 0) {
                const std::uint64_t target = both[{unsigned(i), unsigned(entry.codeB)}];
                QCOMPARE(target, most);
                QCOMPARE(entry.change == EntryChange::Split,
                         (entry.usesA - most) * 10 >= entry.usesA);
            }
        }
        QCOMPARE(uses, std::uint64_t(kCodes));
        for (const std::uint64_t count : match->counts)
            counted += count;
        QCOMPARE(counted, std::uint64_t(match->entries.size()));
    }

    void refused()
    {
        const BundlePtr a = palette(someCodes(), ascending());
        const BundlePtr dense = *sampleBundle("dense-fp16").open();
        QVERIFY(!hasCodebooks(*a, *dense, {0, 0}));
        const Error none = REFUSED(matchCodebooks(*dense, *dense, {0, 0}));
        QCOMPARE(none.code, "diff.codebooks");
        Progress stopped;
        stopped.cancel();
        const auto cancelled = matchCodebooks(*a, *a, {0, 0}, &stopped);
        QCOMPARE(cancelled.error().code, "task.cancelled");
    }
};

KERNSCOPE_TEST(TestCodebookMatch, QCoreApplication)
#include "tst_codebook_match.moc"
