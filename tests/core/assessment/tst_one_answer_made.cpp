// SPDX-License-Identifier: GPL-3.0-or-later
// The embedded sample and a bundle of every form on every chip: whoever is asked, the answer is the
// same. tst_one_answer asks the same of real files.
#include "one_answer.h"
#include "resources/sample.h"
#include "sample_bundles.h"

using namespace kernscope;

class TestOneAnswerMade : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void sampleNetwork_data()
    {
        QTest::addColumn<int>("build");
        for (const int build : {0, 1, 2})
            QTest::newRow(sample::bundles()[static_cast<std::size_t>(build)].name.c_str()) << build;
    }
    void sampleNetwork()
    {
        QFETCH(int, build);
        const auto made = sample::bundles()[static_cast<std::size_t>(build)];
        const auto bundle = Bundle::open(made.name, {.memory = made.files});
        QVERIFY(bundle);
        test::hasOneAnswer(**bundle);
        test::planIsDecided(**bundle);
    }

    void everyForm_data()
    {
        QTest::addColumn<std::string>("name");
        for (const test::SampleForm &form : test::sampleForms())
            QTest::newRow(form.name.c_str()) << form.name;
    }
    void everyForm()
    {
        QFETCH(std::string, name);
        const auto bundle = test::sampleBundle(name).open();
        QVERIFY(bundle);
        test::hasOneAnswer(**bundle);
        test::planIsDecided(**bundle);
    }

    /// The weight file is the pointer of a version control system: nothing of it can be read.
    void unreadable_data() { everyForm_data(); }
    void unreadable()
    {
        QFETCH(std::string, name);
        const std::string_view pointer = "version https://git-lfs.github.com/spec/v1\n"
                                         "oid sha256:0\nsize 4096\n";
        const auto bytes = std::as_bytes(std::span(pointer));
        const auto bundle = Bundle::open(
            "pointer.mlmodelc", test::MadeBundle::options(test::sampleBundle(name).text(),
                                                          test::Bytes(bytes.begin(), bytes.end())));
        QVERIFY(bundle);
        QVERIFY(weightsOfUnknownBytes(**bundle) > 0);
        test::hasOneAnswer(**bundle);
        test::planIsDecided(**bundle);
        report::Json document;
        report::addUnassessed(document, **bundle);
        for (const report::Json &row : document["unassessed"])
            QVERIFY(row["stored_bytes"].is_null());
        const DecisionTable table(weightLayers(**bundle), allTargets());
        QVERIFY(!table.totals(0).storedBytes);
    }

    void choiceAndRoofline()
    {
        const auto made = sample::bundles().back();
        const auto bundle = Bundle::open(made.name, {.memory = made.files});
        QVERIFY(bundle);
        test::choiceIsPlaced(**bundle);
    }
};

QTEST_GUILESS_MAIN(TestOneAnswerMade)
#include "tst_one_answer_made.moc"
