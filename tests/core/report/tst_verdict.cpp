// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/verdict.h"

#include "core/bundle/bundle.h"
#include "core/report/json.h"
#include "made_bundle.h"
#include "tests/test_program.h"

#include <nlohmann/json.hpp>

using namespace kernscope;

namespace {

/// Linear layers of one row: each is bound by the bytes of its weight.
BundlePtr rowsOf(std::initializer_list<std::pair<const char *, std::size_t>> weights)
{
    test::MadeBundle made;
    made.parameters = "tensor<fp16, [1, 4096]> x";
    for (const auto &[name, outputs] : weights) {
        const std::string rows = std::to_string(outputs), shape = "[" + rows + ", 4096]";
        made.weight(name, shape, test::Bytes(2 * 4096 * outputs, std::byte(0x3c)));
        made.line("tensor<fp16, [1, " + rows + "]> of_" + name + " = linear(weight = " + name +
                  ", x = x)[name = string(\"of_" + name + "\")]");
    }
    return made.open().value_or(nullptr);
}

report::ProgramVerdict verdictOn(const Bundle &bundle, std::string_view chip)
{
    const auto named = target::findTarget(std::string(chip));
    const auto verdict = report::programVerdict(bundle, *named->target);
    return verdict ? *verdict : report::ProgramVerdict();
}

} // namespace

/// What heads the window and the commands: one sentence, and the weights that would gain.
class TestVerdict : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void waitsForItsCall()
    {
        const BundlePtr small = VERIFIED(rowsOf({{"w", 64}}));
        const auto verdict = verdictOn(*small, "M1");
        QVERIFY2(verdict.sentence.starts_with("On M1 this program waits for its call, which takes "
                                              "at least 230 \u00B5s"),
                 verdict.sentence.c_str());
        QVERIFY(verdict.sentence.ends_with("no form of a weight makes it faster."));
        QVERIFY(verdict.gains.empty());
        // The time of a call here is a sum: what its forms gain is not worth a word.
        const auto sum = verdictOn(*VERIFIED(rowsOf({{"w", 16}})), "M6");
        QVERIFY2(sum.sentence.starts_with("On M6 this program waits for its call, "),
                 sum.sentence.c_str());
        QVERIFY(sum.sentence.ends_with("no form of a weight makes it noticeably faster."));
        QVERIFY(sum.gains.empty());
    }

    /// A file of weights alone, as a checkpoint is, has no program to be faster.
    void nothingReadsTheWeights()
    {
        test::MadeBundle made;
        made.weight("w", "[4]", test::Bytes(8, std::byte(0x3c)));
        const auto verdict = verdictOn(*VERIFIED(made.open()).value(), "M1");
        QVERIFY2(verdict.sentence.starts_with("Nothing in this file reads its weights"),
                 verdict.sentence.c_str());
        const auto none = verdictOn(*VERIFIED(test::MadeBundle().open()).value(), "M1");
        QVERIFY2(none.sentence.starts_with("No weight was read"), none.sentence.c_str());
    }

    void ranksWhatWouldGain()
    {
        const BundlePtr large = VERIFIED(rowsOf({{"less", 2048}, {"most", 6144}, {"little", 16}}));
        const auto verdict = verdictOn(*large, "M1");
        QVERIFY2(verdict.sentence.starts_with("On M1 this program is bandwidth bound: "),
                 verdict.sentence.c_str());
        QVERIFY2(verdict.sentence.find(" of 3 weights in ") != std::string::npos &&
                     verdict.sentence.find(" times as fast (") != std::string::npos,
                 verdict.sentence.c_str());
        QVERIFY(verdict.gains.size() >= 2);
        QCOMPARE(verdict.gains[0].name, "most");
        QCOMPARE(verdict.gains[1].name, "less");
        for (std::size_t i = 0; i < verdict.gains.size(); ++i) {
            const report::WeightGain &gain = verdict.gains[i];
            QVERIFY(gain.storedS && *gain.storedS > gain.formS && gain.form != gain.stored);
            QVERIFY(gain.less && *gain.less > 0);
            QVERIFY(i == 0 || gain.savedS() <= verdict.gains[i - 1].savedS());
        }
        report::Json document;
        report::addVerdict(document, verdict);
        QCOMPARE(document["verdict"]["sentence"].get<std::string>(), verdict.sentence);
        QCOMPARE(document["verdict"]["gains"].size(), verdict.gains.size());
        QCOMPARE(document["verdict"]["gains"][0]["weight"].get<std::string>(), "most");
    }

    /// Whatever the chip, something is said of it, with its name.
    void everyChipHasASentence()
    {
        const BundlePtr large = VERIFIED(rowsOf({{"w", 4096}}));
        for (const target::Target &chip : target::targets()) {
            const auto verdict = VERIFIED(report::programVerdict(*large, chip));
            const std::string &name = chip.product.empty() ? chip.name : chip.product;
            QVERIFY2(verdict->sentence.starts_with("On " + name + " "), chip.name.c_str());
            QVERIFY(verdict->sentence.ends_with("."));
        }
    }
};

KERNSCOPE_TEST(TestVerdict, kernscope::test::NoApplication)
#include "tst_verdict.moc"
