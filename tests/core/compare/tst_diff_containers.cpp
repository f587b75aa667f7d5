// SPDX-License-Identifier: GPL-3.0-or-later
// What comparisons promise of every container (container_samples.cpp has one of each).
#include "container_samples.h"
#include "core/patch/patch.h"
#include "diff_sample.h"
#include "mirror.h"
#include "plain_figures.h"

namespace {

BundlePtr openSample(const ContainerSample &sample)
{
    return *Bundle::open(sample.name, sample.files);
}

std::string firstIndex(const Shape &shape)
{
    std::string text;
    for (std::size_t i = 0; i < shape.size(); ++i)
        text += i == 0 ? "0" : ",0";
    return text.empty() ? "0" : text;
}

} // namespace

class TestDiffContainers : public QObject
{
    Q_OBJECT

private slots:
    void selfIsEqual_data() { rows(); }

    void selfIsEqual()
    {
        const ContainerSample given = sample();
        const BundlePtr a = openSample(given), b = openSample(given);
        for (const BundlePtr &other : {a, b}) {
            const Difference difference = whole(a, other);
            QVERIFY(difference.identical && difference.program.equal);
            QVERIFY(difference.onlyA.empty() && difference.onlyB.empty());
            QCOMPARE(difference.weights.size(), a->weights().size());
            for (const ComparedPair &pair : difference.weights) {
                QCOMPARE(pair.a, pair.b);
                QVERIFY(pair.layoutEqual && pair.storedEqual && !pair.moved);
                QVERIFY(pair.values && pair.values->identical() && pair.values->faithful());
                QCOMPARE(pair.values->decoded, std::uint64_t(0)); // the stored bytes say it
                QCOMPARE(verdict(pair, *a, *other), "identical");
            }
            QCOMPARE(bytesApart(difference), std::uint64_t(0));
        }
    }

    void editIsTheDifference_data() { rows(); }

    /// One element: no other value, no other weight and no other byte differs.
    void editIsTheDifference()
    {
        const ContainerSample given = sample();
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

    void savedEditIsTheDifference_data() { rows(); }

    /// The same once it is on the disk and opened again.
    void savedEditIsTheDifference()
    {
        const ContainerSample given = sample();
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

    void everyPairAgreesWithTheChecker()
    {
        const auto all = containerSamples();
        for (const ContainerSample &one : all) {
            for (const ContainerSample &other : all) {
                const BundlePtr a = openSample(one), b = openSample(other);
                for (const ComparedPair &pair : whole(a, b).weights) {
                    if (!pair.shapeEqual)
                        continue;
                    const std::string wrong = disagreement(*a, pair.a, *b, pair.b);
                    QVERIFY2(wrong.empty(), wrong.c_str());
                }
            }
        }
    }

private:
    static void rows()
    {
        QTest::addColumn<int>("index");
        const auto all = containerSamples();
        for (std::size_t i = 0; i < all.size(); ++i)
            addRow(all[i].name, static_cast<int>(i));
    }

    static ContainerSample sample()
    {
        QFETCH(int, index);
        return containerSamples()[static_cast<std::size_t>(index)];
    }

    /// The sample with 2 in the first element of its first weight, and how many bytes that changed;
    /// null of what is read only.
    static BundlePtr edited(const ContainerSample &sample, std::uint64_t *bytes)
    {
        const BundlePtr fresh = openSample(sample);
        const Weight &weight = fresh->weights().front();
        const auto edit = parseEdit(Edit::Kind::Set,
                                    weight.findableName() + "[" + firstIndex(weight.shape) + "]=2");
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
