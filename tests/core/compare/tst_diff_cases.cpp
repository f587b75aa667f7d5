// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/build_verdict.h"
#include "core/compare/codebook_match.h"
#include "core/compare/worst_places.h"
#include "core/numeric/half.h"
#include "diff_sample.h"
#include "plain_figures.h"

namespace {

/// A palette of four bits over these codes, two a byte.
BundlePtr paletteBundle(const Bytes &codes, const Bytes &entries)
{
    MadeBundle made;
    const std::string shape = fmt::format("[{}]", codes.size() * 2);
    const std::string indices = made.blob(ElementType::Uint4, shape, codes);
    const std::string lut = made.blob(ElementType::Fp16, "[1, 16, 1]", entries);
    made.form("w", shape, "lut_to_dense", {{"indices", indices}, {"lut", lut}});
    return *made.open();
}

std::vector<std::string> namesOf(const Bundle &a, const Bundle &b, const Difference &difference)
{
    std::vector<std::string> names;
    for (const ComparedPair &pair : difference.weights)
        names.push_back(a.weights()[pair.a].name + "=" + b.weights()[pair.b].name);
    return names;
}

} // namespace

/// Weights and files that comparisons are known to get wrong, one case after the other.
class TestDiffCases : public QObject
{
    Q_OBJECT

private slots:
    /// The same values by a codebook whose entries stand in another order.
    void codebooksInAnotherOrder()
    {
        std::mt19937 random(7);
        std::vector<std::uint8_t> codes(256);
        for (std::uint8_t &code : codes)
            code = std::uint8_t(random());
        std::vector<float> entries(16);
        for (std::size_t i = 0; i < entries.size(); ++i)
            entries[i] = float(i) * 0.25F - 2;
        std::vector<std::size_t> order(16);
        for (std::size_t i = 0; i < order.size(); ++i)
            order[i] = (i * 5 + 3) % 16;
        Bytes fromBook, toBook(32), toCodes;
        for (std::size_t i = 0; i < entries.size(); ++i) {
            const Bytes half = halves({entries[i]});
            fromBook.insert(fromBook.end(), half.begin(), half.end());
            std::ranges::copy(half, toBook.begin() + std::ptrdiff_t(2 * order[i]));
        }
        for (const std::uint8_t code : codes)
            toCodes.push_back(static_cast<std::byte>(order[code & 15] | order[code >> 4] << 4));
        const BundlePtr a = paletteBundle(bytesOf(codes), fromBook),
                        b = paletteBundle(toCodes, toBook);
        const Difference difference = whole(a, b);
        const ComparedPair &pair = difference.weights.front();
        QVERIFY(pair.layoutEqual && !pair.storedEqual && pair.values->identical());
        QVERIFY(!difference.identical);
        QCOMPARE(verdict(pair, *a, *b), "same values");
        QVERIFY(buildVerdict(*a, *b, difference).faithful.value_or(false));
        const auto match = VERIFIED(matchCodebooks(*a, *b, {0, 0}));
        std::uint64_t moved = 0;
        for (std::size_t i = 0; i < order.size(); ++i)
            moved += order[i] != i;
        QCOMPARE(match->count(EntryChange::Moved), moved);
        QCOMPARE(match->count(EntryChange::Same), 16 - moved);
        const std::string wrong = disagreement(*a, 0, *b, 0);
        QVERIFY2(wrong.empty(), wrong.c_str());
    }

    /// The bits behind the last code of a type of fewer than eight bits hold no value.
    void paddingBits()
    {
        const auto build = [](const char *last) {
            MadeBundle made;
            const std::string indices =
                made.blob(ElementType::Uint4, "[5]", hex(std::string("10 32 ") + last), 4);
            const std::string lut =
                made.blob(ElementType::Fp16, "[1, 16, 1]",
                          halves({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}));
            made.form("w", "[5]", "lut_to_dense", {{"indices", indices}, {"lut", lut}});
            return *made.open();
        };
        const BundlePtr a = build("04"), b = build("f4");
        const Difference difference = whole(a, b);
        const ComparedPair &pair = difference.weights.front();
        QVERIFY(!pair.fault && pair.layoutEqual && pair.values && pair.values->identical());
        QCOMPARE(pair.values->elements(), 5U);
        QCOMPARE(verdict(pair, *a, *b), "same values");
        QVERIFY(!difference.identical); // the files are not the same
        QCOMPARE(bytesApart(difference), 1U);
        QCOMPARE(pairChangesText(*a, *b, pair), std::string());
    }

    /// Bytes between two records belong to no weight.
    void gapsBetweenRecords()
    {
        const auto build = [](std::byte gap) {
            milblob::Writer writer;
            writer.add(ElementType::Fp16, kTen, 0);
            writer.fill(Bytes(5, gap));
            writer.add(ElementType::Fp16, kTwelve, 0);
            return *Bundle::open("weight.bin", {.memory = {{"weight.bin", writer.finish()}}});
        };
        const BundlePtr a = build(std::byte{0}), b = build(std::byte{0x5A});
        const Difference difference = whole(a, b);
        QCOMPARE(difference.weights.size(), 2U);
        for (const ComparedPair &pair : difference.weights) {
            QVERIFY(pair.storedEqual && pair.values->identical());
            QCOMPARE(verdict(pair, *a, *b), "identical");
        }
        QVERIFY(!difference.identical);
        QCOMPARE(bytesApart(difference), 5U);
        const auto &ranges = difference.files.front().ranges;
        QCOMPARE(ranges.size(), 1U);
        QCOMPARE(ranges.front().bytes.value, 5U);
    }

    /// A bundle without its metadata holds the same weights.
    void unsetMetadata()
    {
        const MadeBundle made = denseBundle(kTen);
        OpenOptions with = made.options(), without = made.options();
        with.memory.emplace_back("metadata.json", hex("5b 7b 7d 5d"));
        with.memory.emplace_back("analytics/coremldata.bin", hex("00 01"));
        const BundlePtr a = *Bundle::open("a.mlmodelc", with),
                        b = *Bundle::open("b.mlmodelc", without);
        for (const bool forth : {true, false}) {
            const Difference difference = forth ? whole(a, b) : whole(b, a);
            QVERIFY(!difference.identical && difference.program.equal);
            const ComparedPair &pair = difference.weights.front();
            QVERIFY(pair.storedEqual && pair.values->identical());
            QCOMPARE(bytesApart(difference), 6U);
            for (const FileDifference &file : difference.files) {
                const bool alone = file.bytesA.has_value() != file.bytesB.has_value();
                QCOMPARE(file.equal, !alone);
            }
        }
    }

    void usedTwice()
    {
        const auto consume = [](MadeBundle &made, const char *op, const char *weight) {
            made.line(fmt::format("tensor<fp16, [1]> {0} = linear(weight = {1}, x = x)[name = "
                                  "string(\"{0}\")]",
                                  op, weight));
        };
        const auto dense = [](MadeBundle &made, const char *name) {
            made.weight(name, "[10]", kTen);
        };
        MadeBundle shared, copies;
        dense(shared, "w");
        consume(shared, "one", "w");
        consume(shared, "two", "w");
        dense(copies, "v");
        dense(copies, "u");
        consume(copies, "one", "v");
        consume(copies, "two", "u");
        const BundlePtr a = *shared.open(), b = *copies.open();
        QCOMPARE(a->weights().size(), 1U);
        QCOMPARE(a->weights().front().consumers.size(), 2U);
        const Difference self = whole(a, *shared.open());
        QVERIFY(self.identical);
        QCOMPARE(self.weights.size(), 1U);
        QCOMPARE(buildVerdict(*a, *a, self).storedA, 20U);
        const Difference forth = whole(a, b), back = whole(b, a);
        QCOMPARE(namesOf(*a, *b, forth), (std::vector<std::string>{"w=v"}));
        QCOMPARE(forth.onlyB.size(), 1U);
        QCOMPARE(back.onlyA.size(), 1U);
        QCOMPARE(buildVerdict(*a, *b, forth).storedB, 40U);
        QVERIFY(!forth.identical && !back.identical);
        QVERIFY(forth.weights.front().values->identical());
    }

    /// A weight that two operations read is one weight, and its bytes count once.
    /// The same files but for the program, which is equal as such and takes each weight from where
    /// the other one was: equal programs over equal bytes, and other weights.
    void placesExchanged()
    {
        const auto bundle = [](bool exchanged) {
            MadeBundle made;
            Bytes other = kTen;
            other[0] = std::byte{1};
            const std::string first = made.blob(ElementType::Fp16, "[10]", kTen);
            const std::string second = made.blob(ElementType::Fp16, "[10]", other);
            made.constant("tensor<fp16, [10]>", "w", exchanged ? second : first);
            made.consume("w");
            made.constant("tensor<fp16, [10]>", "v", exchanged ? first : second);
            made.consume("v");
            return *made.open();
        };
        const BundlePtr a = bundle(false), b = bundle(true);
        QVERIFY(whole(a, bundle(false)).identical);
        for (const bool values : {true, false}) {
            DiffOptions options;
            options.values = values;
            const Difference found = *compareBundles(*a, *b, options);
            QVERIFY(found.program.equal && !found.program.sameBytes);
            QVERIFY(!found.identical);
            QVERIFY(!checkLimits(*a, *b, found, {}).empty());
            for (const ComparedPair &pair : found.weights)
                QVERIFY(!pair.storedEqual);
        }
    }

    /// "w" and "W" are two weights, on either side and in any order.
    void namesThatDifferInCase()
    {
        const auto build = [](const std::vector<std::pair<const char *, Bytes>> &weights) {
            MadeBundle made;
            for (const auto &[name, values] : weights)
                made.weight(name, "[10]", values);
            return *made.open();
        };
        const BundlePtr a = build({{"w", kTen}, {"W", kOtherTen}});
        const BundlePtr b = build({{"W", kOtherTen}, {"w", kTen}});
        const Difference difference = whole(a, b);
        QCOMPARE(namesOf(*a, *b, difference), (std::vector<std::string>{"w=w", "W=W"}));
        for (const ComparedPair &pair : difference.weights) {
            QCOMPARE(pair.pairing, Pairing::Name);
            QVERIFY(pair.values->identical());
        }
        // What one side calls otherwise is found by what it holds, not by a name that is alike.
        const BundlePtr c = build({{"W", kTen}, {"V", kOtherTen}});
        const BundlePtr d = build({{"w", kOtherTen}, {"v", kTen}});
        QCOMPARE(namesOf(*c, *d, whole(c, d)), (std::vector<std::string>{"W=v", "V=w"}));
        // Files likewise.
        OpenOptions low = denseBundle(kTen).options(), both = low;
        low.memory.emplace_back("notes.txt", hex("41"));
        both.memory.emplace_back("NOTES.txt", hex("42"));
        both.memory.emplace_back("notes.txt", hex("41"));
        const Difference files =
            whole(*Bundle::open("a.mlmodelc", low), *Bundle::open("b.mlmodelc", both));
        for (const FileDifference &file : files.files)
            QCOMPARE(file.equal, file.path != "NOTES.txt");
    }

    /// A weight without elements is equal to another one, and not to one that has some.
    void emptyWeights()
    {
        const auto build = [](const char *shape, const Bytes &values) {
            MadeBundle made;
            made.layer("w", shape, values);
            return made.open();
        };
        const auto a = build("[0]", {}), b = build("[0]", {}), c = build("[10]", kTen);
        QVERIFY(a && b && c);
        QCOMPARE((*a)->weights().size(), 1U);
        const Difference self = whole(*a, *b);
        QVERIFY(self.identical);
        const ComparedPair &pair = self.weights.front();
        QVERIFY(!pair.values || (pair.values->elements() == 0 && pair.values->identical()));
        QVERIFY(verdict(pair, **a, **b) == "identical" || pair.fault);
        const auto places = findWorstPlaces(**a, **b, {0, 0}, {10, 10, true});
        QVERIFY(!places || (places->worstElements.empty() && places->differentChannels == 0));
        for (const bool forth : {true, false}) {
            const BundlePtr &from = forth ? *a : *c, &to = forth ? *c : *a;
            const Difference other = whole(from, to);
            QVERIFY(!other.identical && other.weights.size() == 1);
            QVERIFY(!other.weights.front().values);
        }
    }

    /// The same values in the same order are said to be that, whatever the shape; others are not.
    void anotherShape()
    {
        const BundlePtr a = checkpointOf("F16", Shape{2, 6}, kTwelve);
        const BundlePtr b = checkpointOf("F16", Shape{3, 4}, kTwelve);
        Bytes others = kTwelve;
        std::swap(others[0], others[2]);
        std::swap(others[1], others[3]);
        const BundlePtr c = checkpointOf("F16", Shape{3, 4}, others);
        const Difference same = whole(a, b), changed = whole(a, c);
        QCOMPARE(verdict(same.weights[0], *a, *b), "same values, another shape");
        QCOMPARE(verdict(changed.weights[0], *a, *c), "shapes differ");
        QCOMPARE(pairChangesText(*a, *b, same.weights[0]), "reshaped");
        QVERIFY(same.weights[0].reshaped && !same.weights[0].values && !same.identical);
        QVERIFY(!changed.weights[0].reshaped);
        QCOMPARE(differenceSummary(*a, *b, same),
                 "1 of 1 weight with the same values in another shape, 0 values changed "
                 "beyond fp16 rounding");
        QCOMPARE(differenceSummary(*a, *c, changed), "1 of 1 weight of another shape");
        // Of several builds it is found as well.
        const std::array<const Bundle *, 2> builds{b.get(), c.get()};
        const std::array<DiffOptions, 2> options{withValues(), withValues()};
        const auto all = compareBuilds(*a, builds, options);
        QVERIFY(all && (*all)[0].weights[0].reshaped && !(*all)[1].weights[0].reshaped);
    }

    /// Channels in another order are no changed values, and another name is told.
    void summaries()
    {
        std::mt19937 random(5);
        std::vector<std::uint16_t> values(32 * 16);
        for (std::uint16_t &value : values)
            value = floatToHalf(float(int(random() % 2001) - 1000) / 256.0F);
        std::vector<std::uint16_t> moved(values.size());
        for (std::size_t row = 0; row < 32; ++row)
            std::copy_n(values.begin() + std::ptrdiff_t(row * 16), 16,
                        moved.begin() + std::ptrdiff_t((row * 5 + 3) % 32 * 16));
        const BundlePtr a = checkpointOf("F16", Shape{32, 16}, bytesOf(values));
        const BundlePtr b = checkpointOf("F16", Shape{32, 16}, bytesOf(moved));
        QCOMPARE(differenceSummary(*a, *b, whole(a, b)),
                 "1 of 1 weight with channels in another order, 0 values changed beyond "
                 "fp16 rounding");
        const BundlePtr x = *denseBundle(kTen, "x").open(), y = *denseBundle(kTen, "y").open();
        const std::string said = differenceSummary(*x, *y, whole(x, y));
        QVERIFY2(said.find("1 of 1 weight renamed") != std::string::npos, said.c_str());
    }

    /// A weight whose record is cut off was not stored otherwise: what became of it is not known.
    void unreadableWeights()
    {
        MadeBundle made;
        for (const char *name : {"w", "v"})
            made.layer(name, "[10]", kTen);
        Bytes cut = made.weights();
        cut.resize(cut.size() - 64);
        const auto a = made.open();
        const auto b =
            Bundle::open("made.mlmodelc", MadeBundle::options(made.text(), std::move(cut)));
        QVERIFY(a && b);
        QVERIFY((*b)->weights()[1].fault && !(*b)->weights()[0].fault);
        for (const bool forth : {true, false}) {
            const BundlePtr &from = forth ? *a : *b, &to = forth ? *b : *a;
            const Difference difference = whole(from, to);
            QCOMPARE(difference.weights.size(), 2U);
            for (const ComparedPair &pair : difference.weights) {
                const bool lost = from->weights()[pair.a].name == "v";
                QCOMPARE(verdict(pair, *from, *to),
                         std::string(lost ? "cannot be compared" : "identical"));
                QCOMPARE(pairChangesText(*from, *to, pair), std::string(lost ? "unreadable" : ""));
            }
            const std::string said = differenceSummary(*from, *to, difference);
            QVERIFY2(said.find("1 of 2 weights unreadable") != std::string::npos &&
                         said.find("re-encoded") == std::string::npos,
                     said.c_str());
        }
        // The same damage on both sides proves nothing.
        for (const bool values : {false, true}) {
            const Difference same =
                *compareBundles(**b, **b, values ? withValues() : DiffOptions());
            QVERIFY(!same.identical && same.unread);
            QCOMPARE(differenceWord(same), std::string_view("cannot be compared"));
            QCOMPARE(unreadableText(same), "1 of 2 weights unreadable");
            QVERIFY(!same.weights[1].layoutEqual && !same.weights[1].storedEqual);
            QCOMPARE(verdict(same.weights[1], **b, **b), "cannot be compared");
            const std::string said = differenceSummary(**b, **b, same);
            QVERIFY2(said.find("re-encoded") == std::string::npos &&
                         said.find("identical, 1 of 2 weights unreadable") == std::string::npos,
                     said.c_str());
            const BuildVerdict judged = buildVerdict(**b, **b, same);
            QVERIFY(!judged.faithful);
            QVERIFY(faithfulText(**b, same, judged)
                        .ends_with(": cannot be compared, 1 of 2 weights "
                                   "unreadable"));
            DiffLimits limits;
            limits.values.maxAbs = 1;
            const auto faults = checkLimits(**b, **b, same, limits);
            QCOMPARE(faults.size(), 1U);
            QCOMPARE(faults.front().limit, "readable");
        }
    }
};

KERNSCOPE_TEST(TestDiffCases, QCoreApplication)
#include "tst_diff_cases.moc"
