// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/weight_where.h"
#include "core/bundle/weight.h"
#include "tests/rows.h"

namespace {

Weight weightOf(const char *name, FormNode form, std::uint64_t bytes, Shape shape)
{
    Weight weight;
    weight.name = name;
    weight.function = "main";
    weight.form = StorageForm::unsound(form, ElementType::Fp16);
    weight.sourceOp = "const";
    weight.type = ElementType::Fp16;
    weight.shape = std::move(shape);
    weight.elements = elementCount(weight.shape).value_or(ElementCount(0));
    weight.storedBytes = ByteCount(bytes);
    Consumer consumer;
    consumer.op = "conv";
    consumer.name = "input_15";
    weight.consumers.push_back(consumer);
    return weight;
}

} // namespace

/// The language of the window's filter.
class TestWeightWhere : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void terms_data() { addRowsOf<QString, bool>("core/assessment/terms.tsv"); }

    void terms()
    {
        const auto [text, passes] = fetched<QString, bool>();
        const auto where = VERIFIED(WeightWhere::parse(text.toStdString()));
        WhereFacts facts;
        facts.zeros = 0.583;
        const Weight weight = weightOf("Encoder_6_weight", FormNode::Sparse, 23564, {128, 64, 3});
        QCOMPARE(where->passes(weight, facts), passes);
    }

    void refusals_data()
    {
        const auto row = addColumns<QString, QString>();
        for (const char *text : {"zeros>", "zeros>lots", "bytes>1X", "colour:red", "form:",
                                 "size>3", "bytes:3", "form>3", "zeros>nan", "a:b:c", ":x", ">3"})
            row(text, QString::fromLatin1(text), "where.term");
        row("chip", "folds:M99", "target.name");
    }

    void refusals()
    {
        const auto [text, code] = fetched<QString, QString>();
        const Error where = REFUSED(WeightWhere::parse(text.toStdString()));
        QCOMPARE(QString::fromStdString(where.code), code);
        QVERIFY(!where.found.empty());
    }

    void unknownFiguresAreNeither()
    {
        const Weight weight = weightOf("w", FormNode::Sparse, 100, {10, 10});
        for (const char *text : {"zeros>0", "zeros<1", "-zeros>0", "folds:M1", "-folds:M1"}) {
            const auto where = VERIFIED(WeightWhere::parse(text));
            QVERIFY2(!where->passes(weight, {}), text);
        }
    }

    void outcomesOfChips()
    {
        const auto where =
            VERIFIED(WeightWhere::parse("folds:M1 folds:t8103 streams:M2 -dense:H14"));
        QVERIFY(!where->needsZeros());
        QCOMPARE(where->targets().size(), 2U); // M1 is T8103, M2 is H14
        const Weight weight = weightOf("w", FormNode::Affine, 100, {10, 10});
        WhereFacts facts;
        const target::Target *m1 = target::findTarget("M1")->target;
        facts.outcome = [m1](const target::Target &target) {
            return &target == m1 ? std::optional(decision::Outcome::Folds)
                                 : std::optional(decision::Outcome::Streams);
        };
        QVERIFY(where->passes(weight, facts));
        QVERIFY(!WeightWhere::parse("streams:M1")->passes(weight, facts));
        QVERIFY(WeightWhere::parse("zeros>0.5")->needsZeros());
    }

    /// Keys first, then what the bundle has for them; each completion is a term or its start.
    void completions()
    {
        const std::vector<Weight> weights{weightOf("conv_1", FormNode::Sparse, 10, {2, 3})};
        const auto of = [&weights](const char *word) { return whereCompletions(word, weights); };
        QVERIFY(of("").empty());
        const auto keys = of("fo");
        QVERIFY(std::ranges::find(keys, "form:") != keys.end());
        QVERIFY(std::ranges::find(keys, "folds:") != keys.end());
        QCOMPARE(of("-byt"), std::vector<std::string>{"-bytes>"});
        QVERIFY(!of("form:").empty());
        for (const std::string &term : of("FORM:"))
            QVERIFY2(WeightWhere::parse(term), term.c_str());
        const auto chips = of("folds:H1");
        QVERIFY(!chips.empty());
        for (const std::string &term : chips)
            QVERIFY2(WeightWhere::parse(term), term.c_str());
        QVERIFY(of("nothing:").empty());
        QCOMPARE(whereCompletions("streams:", weights, 3).size(), 3U);
    }
};

KERNSCOPE_TEST(TestWeightWhere, QCoreApplication)
#include "tst_weight_where.moc"
