// SPDX-License-Identifier: GPL-3.0-or-later
// What comparisons promise of every container (container_samples.cpp has one of each).
// Core AI packages beside one another and beside programs of Core ML.
#include "container_samples.h"
#include "core/patch/patch.h"
#include "made_coreai.h"
#include "mirror.h"
#include "plain_figures.h"

namespace {

BundlePtr openSample(const ContainerSample &sample)
{
    return *Bundle::open(sample.name, sample.files);
}

constexpr std::size_t kRows = 12, kColumns = 20;

float valueAt(std::size_t row, std::size_t column)
{
    return float(row * kColumns + column) * 0.25f - 20;
}

Bytes matrixBytes(bool turned)
{
    return halves(kRows * kColumns, [&](std::size_t i) {
        return turned ? valueAt(i % kRows, i / kRows) : valueAt(i / kColumns, i % kColumns);
    });
}

/// One product with a weight; `unused` further resources move it and change the keys.
MadeCoreAi network(bool blob)
{
    MadeCoreAi made;
    const Shape shape{kRows, kColumns};
    const auto weight = blob ? made.blob(shape, Elem::F16, matrixBytes(false))
                             : made.constant(shape, Elem::F16, matrixBytes(false));
    const auto x = made.operation("primitive.input_v1", {}, {1, kRows}, Elem::F16);
    made.output(
        {made.operation("broadcasting_batch_matmul_v1", {x, weight}, {1, kColumns}, Elem::F16)});
    return made;
}

} // namespace

class TestDiffContainers : public QObject
{
    Q_OBJECT

private slots:
    void selfIsEqual_data() { addContainers(); }

    void selfIsEqual()
    {
        const ContainerSample given = fetchedContainer();
        const BundlePtr a = openSample(given), b = openSample(given);
        for (const BundlePtr &other : {a, b})
            requireEqual(*a, *other);
    }

    void editIsTheDifference_data() { addContainers(); }

    /// One element: no other value, no other weight and no other byte differs.
    void editIsTheDifference()
    {
        const ContainerSample given = fetchedContainer();
        const BundlePtr a = openSample(given);
        std::uint64_t bytes = 0;
        const BundlePtr b = edited(given, &bytes);
        if (!b) {
            QVERIFY(!a->readOnlyReason().empty());
            return;
        }
        const Difference difference = whole(a, b);
        QVERIFY(!difference.identical);
        QCOMPARE(difference.weights.size(), a->weights().size());
        for (const ComparedPair &pair : difference.weights) {
            QCOMPARE(pair.a, pair.b);
            const auto before = numbersOf(*a, pair.a), after = numbersOf(*b, pair.b);
            std::uint64_t others = 0;
            for (std::size_t i = 0; i < before.size(); ++i)
                others += !plainSame(before[i], after[i]);
            QVERIFY(pair.values);
            QCOMPARE(pair.values->different(), others);
            QCOMPARE(pair.storedEqual, pair.a != 0);
            if (pair.a == 0) {
                QVERIFY(others > 0);
                QCOMPARE(after.front(), 2.0);
            }
        }
        // A line of text is set against the other one whole.
        if (given.kind != BundleKind::MilText)
            QCOMPARE(bytesApart(difference), bytes);
    }

    void savedEditIsTheDifference_data() { addContainers(); }

    /// The same once it is on the disk and opened again.
    void savedEditIsTheDifference()
    {
        const ContainerSample given = fetchedContainer();
        const BundlePtr a = openSample(given);
        std::uint64_t bytes = 0;
        const BundlePtr b = edited(given, &bytes);
        if (!b)
            return;
        QTemporaryDir scratch;
        const std::string place = scratch.filePath(QLatin1String(given.name)).toStdString();
        const auto saved = VERIFIED(saveCopy(*b, place));
        OpenOptions options;
        options.reader = given.files.reader;
        const auto reopened = VERIFIED(Bundle::open(place, options));
        for (const FileDifference &file : whole(b, *reopened).files)
            QVERIFY(file.equal || file.path == "main.hash"); // it is computed by the save
        const Difference difference = whole(a, *reopened);
        QCOMPARE(difference.weights.size(), a->weights().size());
        for (const ComparedPair &pair : difference.weights)
            QCOMPARE(pair.storedEqual, pair.a != 0);
    }

    /// Any two, also of other kinds.
    void everyPairMirrors()
    {
        const auto all = containerSamples();
        std::vector<BundlePtr> bundles;
        for (const ContainerSample &one : all) {
            bundles.push_back(openSample(one));
            std::uint64_t bytes = 0;
            if (const BundlePtr other = edited(one, &bytes))
                bundles.push_back(other);
        }
        for (std::size_t i = 0; i < bundles.size(); ++i) {
            for (std::size_t k = i; k < bundles.size(); ++k) {
                requireMirror(whole(bundles[i], bundles[k]), whole(bundles[k], bundles[i]));
                if (QTest::currentTestFailed())
                    QFAIL((bundles[i]->name() + " against " + bundles[k]->name()).c_str());
            }
        }
    }

    void sameContentInOtherBytes()
    {
        const BundlePtr a = network(true).open(), b = network(false).open();
        QVERIFY(a && b);
        const auto compared = VERIFIED(compareBundles(*a, *b, {.values = true}));
        const Difference &difference = *compared;
        QVERIFY(!difference.identical);
        QCOMPARE(difference.weights.size(), 1U);
        QVERIFY(difference.weights.front().values &&
                difference.weights.front().values->identical());
        const std::string text = faithfulText(*a, difference, buildVerdict(*a, *b, difference));
        QVERIFY2(text.find("program and values are the same") != text.npos, text.c_str());
    }

    void sameBytesInAnotherOrder()
    {
        const auto turned = [](std::initializer_list<int> axes) {
            MadeCoreAi made;
            const Shape shape{2, 6}, read{2, 3, 2};
            const auto codes = made.constant(shape, Elem::Ui2, byteRow({0xE4, 0x1B, 0x4E}));
            const auto books =
                made.constant({2, 1, 4, 1}, Elem::F16, halves({1, 2, 3, 4, 5, 6, 7, 8}));
            const auto axis = made.constant({}, Elem::Si16, byteRow({0, 0}), true);
            const auto value =
                made.operation("primitive.lut_to_dense_v1", {codes, books, axis}, shape, Elem::F16);
            const auto flat =
                made.operation("primitive.reshape_v2", {value, axis}, read, Elem::F16);
            made.output(
                {made.operation("primitive.cast_v1", {made.transposed(flat, axes, read, Elem::F16)},
                                read, Elem::F32)});
            return made.open();
        };
        const BundlePtr a = turned({2, 1, 0}), b = turned({2, 1, 0}), c = turned({0, 1, 2});
        QVERIFY(a && b && c);
        const auto same = VERIFIED(compareBundles(*a, *b, {.values = true}));
        const auto other = VERIFIED(compareBundles(*a, *c, {.values = true}));
        QVERIFY(same->weights.front().values && same->weights.front().values->identical());
        QVERIFY(other->weights.front().values && !other->weights.front().values->identical());
    }

    void findsTheTranspose()
    {
        const BundlePtr a = network(true).open();
        MadeBundle made;
        made.layer("kernel", "[20, 12]", matrixBytes(true));
        const auto b = Bundle::open("x.mlmodelc", made.options());
        QVERIFY(a && b);
        const auto compared = VERIFIED(compareBundles(*a, **b, {.values = true}));
        const Difference &difference = *compared;
        QCOMPARE(difference.weights.size(), 1U);
        const ComparedPair &pair = difference.weights.front();
        QVERIFY(pair.pairing == Pairing::Content);
        const auto changes = pairChanges(*a, **b, pair);
        QVERIFY(std::ranges::find(changes, "transposed") != changes.end());
    }

private:
    /// The sample with 2 in the first element of its first weight, and how many bytes that changed;
    /// null of what is read only.
    static BundlePtr edited(const ContainerSample &sample, std::uint64_t *bytes)
    {
        const BundlePtr fresh = openSample(sample);
        const auto edit = parseEdit(Edit::Kind::Set, firstElementEdit(fresh->weights().front()));
        const auto planned = planEdits(fresh, {*edit}, 4);
        if (!planned)
            return nullptr;
        *bytes = 0;
        for (const FileEdit &change : planned->front().bytes) {
            for (std::size_t i = 0; i < change.after.size(); ++i)
                *bytes += change.before[i] != change.after[i];
        }
        return *applyEdit(fresh, planned->front());
    }
};

KERNSCOPE_TEST(TestDiffContainers, QCoreApplication)
#include "tst_diff_containers.moc"
