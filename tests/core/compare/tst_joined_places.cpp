// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/codebook_match.h"
#include "core/compare/limits.h"
#include "core/compare/pair_reader.h"
#include "core/compare/worst_places.h"
#include "joined_sample.h"

/// Where the parts of split and merged weights differ.
class TestJoinedPlaces : public QObject
{
    Q_OBJECT

private slots:
    void worstPlaces_data()
    {
        addColumns<int, bool>();
        addRow("rows, split", 0, true);
        addRow("rows, merged", 0, false);
        addRow("columns, split", 1, true);
        addRow("columns, merged", 1, false);
    }

    /// Unrelated weights of shapes that would fit: their samples are taken once, not once a whole.
    /// One value of the second part is far off: its element and its channel, by the part's own
    /// numbers.
    void worstPlaces()
    {
        const auto [axis, split] = fetched<int, bool>();
        const auto along = static_cast<std::size_t>(axis);
        const std::vector<Made> parts{{"q", {16, 16}, randomValues(256, 1)},
                                      {"k", {16, 16}, randomValues(256, 2)},
                                      {"v", {16, 16}, randomValues(256, 3)}};
        std::vector<Made> others = parts;
        others[1].values[5 * 16 + 7] += 2;
        const BundlePtr whole = bundleOf({joined("qkv", parts, along)}), apart = bundleOf(others);
        const BundlePtr a = split ? whole : apart, b = split ? apart : whole;
        const Difference difference = ::whole(a, b);
        const auto &found = difference.weights;
        QCOMPARE(found.size(), parts.size());
        for (std::size_t part = 0; part < 3; ++part) {
            const auto places = VERIFIED(findWorstPlaces(*a, *b, found[part], {16, 4, true}));
            QCOMPARE(places->channels, std::uint64_t(16));
            QCOMPARE(places->differentChannels, std::uint64_t(part == 1));
            QCOMPARE(places->worstElements.size(), std::size_t(part == 1));
            std::uint64_t binned = 0;
            for (const std::uint64_t count : places->bins->a)
                binned += count;
            QCOMPARE(binned + places->bins->outsideA, std::uint64_t(256));
            if (part != 1)
                continue;
            QCOMPARE(places->worstElements.front().element, std::uint64_t(5 * 16 + 7));
            QCOMPARE(places->worstChannels.front().channel, std::uint64_t(5));
            QCOMPARE(places->worstChannels.front().changed, std::uint64_t(1));
            QCOMPARE(places->worstChannels.front().maxAbs, found[part].values->maxAbs);
            const auto far = static_cast<double>(places->worstElements.front().b -
                                                 places->worstElements.front().a);
            QCOMPARE(std::abs(far), found[part].values->maxAbs);
            QCOMPARE(far > 0, split);
        }
    }

    /// What the colours of a part are scaled by is of the part alone.
    void samples()
    {
        const auto parts = threeParts(1);
        const BundlePtr a = bundleOf({joined("whole", parts, 1)}), b = bundleOf(parts);
        const Difference difference = whole(a, b);
        QCOMPARE(difference.weights.size(), parts.size());
        for (std::size_t part = 0; part < 3; ++part) {
            Progress progress;
            const auto sample = samplePair(*a, *b, difference.weights[part], progress);
            QVERIFY(sample && sample->whole);
            QCOMPARE(sample->a, parts[part].values);
            QCOMPARE(sample->b, parts[part].values);
        }
    }

    /// Palettes of one codebook: the whole takes entry k where its parts take entry 15 - k of a
    /// codebook that is turned round.
    void codebooks()
    {
        const auto palettes = [](const std::vector<std::vector<unsigned>> &weights, bool turned) {
            MadeBundle made;
            Bytes book;
            for (int i = 0; i < 16; ++i) {
                const Bytes value = halves({float(turned ? 16 - i : i + 1)});
                book.insert(book.end(), value.begin(), value.end());
            }
            for (std::size_t k = 0; k < weights.size(); ++k) {
                Bytes packed;
                for (std::size_t i = 0; i < weights[k].size(); i += 2)
                    packed.push_back(
                        static_cast<std::byte>(weights[k][i] | weights[k][i + 1] << 4));
                const std::string shape = fmt::format("[8, {}]", weights[k].size() / 8);
                made.line(fmt::format(
                    "tensor<fp16, {0}> {1} = constexpr_lut_to_dense(indices = {2}, lut = {3})"
                    "[name = string(\"{1}\")]",
                    shape, std::string(1, char('p' + k)),
                    made.blob(ElementType::Uint4, shape, packed),
                    made.blob(ElementType::Fp16, "[1, 1, 16, 1]", book)));
            }
            return *made.open();
        };
        std::vector<unsigned> all, first, second;
        for (unsigned i = 0; i < 8 * 12; ++i) {
            const bool inFirst = i % 12 < 4;
            const unsigned code = inFirst ? i / 12 % 4 : 4 + (i * 7 + i / 12) % 12;
            all.push_back(code);
            (inFirst ? first : second).push_back(15 - code);
        }
        const BundlePtr a = palettes({all}, false), b = palettes({first, second}, true);
        const Difference difference = whole(a, b);
        QCOMPARE(difference.weights.size(), std::size_t(2));
        QVERIFY(difference.weights[0].values->identical() &&
                difference.weights[1].values->identical());
        for (std::size_t part = 0; part < 2; ++part) {
            const auto match = VERIFIED(matchCodebooks(*a, *b, difference.weights[part]));
            // Entries that only the other part takes are unused in both.
            const std::uint64_t used = part == 0 ? 4 : 12;
            QCOMPARE(match->count(EntryChange::Moved), used);
            QCOMPARE(match->count(EntryChange::Unused), 2 * (16 - used));
            std::uint64_t elements = 0;
            for (const EntryMatch &entry : match->entries)
                elements += entry.usesA;
            QCOMPARE(elements, std::uint64_t(part == 0 ? 8 * 4 : 8 * 8));
        }
    }
};

KERNSCOPE_TEST(TestJoinedPlaces, QCoreApplication)
#include "tst_joined_places.moc"
