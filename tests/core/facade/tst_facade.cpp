// SPDX-License-Identifier: GPL-3.0-or-later
// What programs outside of the tree call. Documents are those of the command line, which its own
// tests hold; the Python module's tests compare the two.
#include "core/facade/facade.h"
#include "tests/cli/written_bundle.h"
#include "tests/test_program.h"

using facade::Weights;

class TestFacade : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_scratch = std::make_unique<QTemporaryDir>();
        MadeBundle made;
        made.layer("conv_weight", "[4, 2]", halves({1, 2, 3, 4, 5, 6, 7, 8}));
        m_path = writeBundle(*m_scratch, "a.mlmodelc", made).toStdString();
    }

    void valuesAndParts()
    {
        const auto weights = VERIFIED(Weights::open(m_path));
        QCOMPARE(weights->names(), std::vector<std::string>{"conv_weight"});
        QCOMPARE(weights->index("main/conv_weight").value_or(9), 0U);
        QCOMPARE(weights->index("conv_wieght").error().code, "patch.weight");
        std::vector<float> values(8);
        QVERIFY(weights->values(0, values));
        QCOMPARE(values, (std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}));
        QVERIFY(!weights->values(0, std::span(values).first(7)));
        const auto parts = weights->stored(0);
        QCOMPARE(parts.size(), 1U);
        QCOMPARE(parts[0].role, "data");
        QCOMPARE(parts[0].bits, 16U);
        QCOMPARE(parts[0].runs.front().size(), 16U);
        const auto rows = weights->coverage();
        QCOMPARE(rows.front().bits.value_or(0), 16.0);
        QCOMPARE(rows.front().storedBytes.value_or(0), 16U);
    }

    void errorsKeepTheirCodes()
    {
        QCOMPARE(Weights::open(m_path + ".none").error().code, "io.open");
        const auto weights = Weights::open(m_path);
        QCOMPARE(facade::assess(*weights, "M99").error().code, "target.name");
        QCOMPARE(weights->find({.what = "sheep"}).error().code, "search.pattern");
        facade::DiffWanted wanted;
        wanted.rules = "min-cosin = 1";
        QCOMPARE(facade::diff(*weights, *weights, wanted).error().code, "diff.rules");
        QCOMPARE(facade::plan(*weights, {.minimise = "money"}).error().code, "plan.goal");
        QCOMPARE(weights->save({}).error().code, "facade.save");
        QCOMPARE(weights->save({.inPlace = true, .output = "x"}).error().code, "facade.save");
    }

    /// The patched bundle is another one; the files change with save() alone, by what it says.
    void patchesAside()
    {
        const auto before = Weights::open(m_path);
        const auto made =
            VERIFIED(facade::patch(*before, "set conv_weight[1,0]=9\n", {.inPlace = true}));
        std::vector<float> values(8);
        QVERIFY(before->values(0, values));
        QCOMPARE(values[2], 3.0F);
        QVERIFY(!before->modified() && made->bundle->modified());
        QVERIFY(made->bundle->values(0, values));
        QCOMPARE(values[2], 9.0F);
        const auto saved = made->bundle->save({.inPlace = true});
        QVERIFY(saved && saved->verified);
        QCOMPARE(saved->ranges.size(), 1U);
        QVERIFY(saved->bytesWritten <= 2);
        QVERIFY(Weights::open(m_path)->values(0, values));
        QCOMPARE(values[2], 9.0F);
        QCOMPARE(before->values(0, values).error().code, "io.changed");
    }

    void encodesAndCompares()
    {
        const auto before = Weights::open(m_path);
        const auto made = VERIFIED(facade::encode(*before, {"conv_weight"}, "int8"));
        QCOMPARE(made->bundle->coverage().front().form, "affine");
        QCOMPARE(made->bundle->save({.inPlace = true}).error().code, "facade.save");
        const std::string copy = m_scratch->filePath(u"b.mlmodelc"_s).toStdString();
        QVERIFY(made->bundle->save({.output = copy}));
        QVERIFY(!made->bundle->save({.output = copy})); // nothing is replaced
        facade::DiffWanted wanted;
        wanted.minCosine = 0.99;
        const auto after = Weights::open(copy);
        QVERIFY(facade::diff(*before, *after, wanted)->holds);
        wanted.minCosine.reset();
        QVERIFY(!facade::diff(*before, *after, wanted)->holds);
    }

    void stopsWhereAsked()
    {
        Progress progress;
        progress.cancel();
        const auto weights = Weights::open(m_path);
        std::vector<float> values(8);
        QCOMPARE(weights->values(0, values, &progress).error().code, "task.cancelled");
        QCOMPARE(facade::plan(*weights, {}, &progress).error().code, "task.cancelled");
    }

private:
    std::unique_ptr<QTemporaryDir> m_scratch;
    std::string m_path;
};

KERNSCOPE_TEST(TestFacade, NoApplication)
#include "tst_facade.moc"
