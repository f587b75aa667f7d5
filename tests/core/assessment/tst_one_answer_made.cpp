// SPDX-License-Identifier: GPL-3.0-or-later
// The embedded sample and a bundle of every form on every chip: whoever is asked, the answer is the
// same. tst_one_answer asks the same of real files.
#include "made_programs.h"
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
    }

    /// Layers that do not run once each in one dispatch.
    void severalWays_data()
    {
        QTest::addColumn<int>("number");
        const auto programs = test::madePrograms();
        for (std::size_t i = 0; i < programs.size(); ++i)
            QTest::newRow(programs[i].name.c_str()) << static_cast<int>(i);
    }
    void severalWays()
    {
        QFETCH(int, number);
        const auto bundle = test::madePrograms()[static_cast<std::size_t>(number)].program.open();
        QVERIFY(bundle);
        test::hasOneAnswer(**bundle);
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
