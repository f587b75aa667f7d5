// SPDX-License-Identifier: GPL-3.0-or-later
// The facts of the steps of a form: a row for each, and what is found by them.
#include "core/form/form_steps.h"
#include "tests/test_program.h"

class TestFormSteps : public QObject
{
    Q_OBJECT

private slots:
    void everyStepHasItsRow()
    {
        std::set<std::string_view> words;
        std::set<unsigned> ranks, tintRanks;
        for (const StepFacts &facts : allStepFacts()) {
            QCOMPARE(&stepFacts(facts.node), &facts);
            QVERIFY(!facts.word.empty());
            QVERIFY(words.insert(facts.word).second);
            QVERIFY(tintRanks.insert(facts.tintRank).second);
            if (facts.elementsRank)
                QVERIFY(ranks.insert(*facts.elementsRank).second);
            QCOMPARE(facts.elements == ElementSource::Codebook, facts.kind == StepKind::Codebook);
        }
        QCOMPARE(allStepFacts().back().node, FormNode::Unknown);
    }

    void operationsName()
    {
        constexpr std::array<std::pair<std::string_view, FormNode>, 7> kNames{{
            {"constexpr_affine_dequantize", FormNode::Affine},
            {"constexpr_blockwise_shift_scale", FormNode::Blockwise},
            {"constexpr_lut_to_dense", FormNode::Palette},
            {"constexpr_sparse_to_dense", FormNode::Sparse},
            // Of a mask with coded values, what the values are.
            {"constexpr_lut_to_sparse", FormNode::Palette},
            {"constexpr_sparse_blockwise_shift_scale", FormNode::Blockwise},
            {"constexpr_blockwise_of_later", FormNode::Blockwise},
        }};
        for (const auto &[name, node] : kNames)
            QCOMPARE(nodeOfOperation(name), std::optional(node));
        QVERIFY(!nodeOfOperation("const"));
        QVERIFY(!nodeOfOperation("constexpr_cast"));
    }

    void wordsForPeople()
    {
        QCOMPARE(formWords("lut"), "palette");
        QCOMPARE(formWords("sparse+lut"), "sparse+palette");
        QCOMPARE(formWords("lut+lut"), "palette+palette");
        for (const char *same : {"dense-fp16", "palette", "palette-slices", "affine", "unknown"})
            QCOMPARE(formWords(same), same);
    }

    void colours()
    {
        const auto tintOf = [](FormNode node) {
            return formTint(StorageForm::unsound(node, ElementType::Fp16));
        };
        QCOMPARE(tintOf(FormNode::Sparse), FormTint::Mask);
        QCOMPARE(tintOf(FormNode::Affine), FormTint::Data);
        QCOMPARE(tintOf(FormNode::Dense), FormTint::Plain);
        QCOMPARE(tintOf(FormNode::Unknown), FormTint::Indices);
        // Of slices in an unknown order only the mask and the codebook are told apart.
        const auto slices = [](FormNode node) {
            codec::Encoding bytes;
            bytes.payload = codec::Operand();
            return formTint(StorageForm::slices(node, std::move(bytes)));
        };
        QCOMPARE(slices(FormNode::Palette), FormTint::Codebook);
        QCOMPARE(slices(FormNode::Affine), FormTint::Indices);
    }
};

KERNSCOPE_TEST(TestFormSteps, kernscope::test::NoApplication)
#include "tst_form_steps.moc"
