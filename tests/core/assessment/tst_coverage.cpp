// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/coverage.h"
#include "core/bundle/bundle.h"
#include "made_bundle.h"
#include "tests/test_program.h"

using namespace kernscope;
using namespace kernscope::test;

class TestCoverage : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// A palette of 4 bits, codes of int8, a large and a small dense weight.
    void init()
    {
        MadeBundle made;
        made.line("tensor<fp16, [64, 32]> p = constexpr_lut_to_dense(indices = " +
                  made.blob(ElementType::Uint4, "[64, 32]", Bytes(1024)) +
                  ", lut = " + made.blob(ElementType::Fp16, "[1, 1, 16, 1]", Bytes(32)) +
                  ")[name = string(\"p\")]");
        made.consume("p");
        made.line("tensor<fp16, [64, 32]> q = constexpr_blockwise_shift_scale(data = " +
                  made.blob(ElementType::Int8, "[64, 32]", Bytes(2048)) + ", scale = " +
                  made.blob(ElementType::Fp16, "[64, 1]", Bytes(128)) + ")[name = string(\"q\")]");
        made.consume("q");
        for (const char *name : {"large", "small"}) {
            const bool large = name[0] == 'l';
            const std::string shape = large ? "[64, 32]" : "[8, 4]";
            made.layer(name, shape, Bytes(large ? 4096 : 64));
        }
        const auto bundle = VERIFIED(made.open());
        m_bundle = *bundle;
        m_options = made.options();
        m_options.memory.pop_back();
        QCOMPARE(m_bundle->weights().size(), std::size_t(4));
    }

    void figures()
    {
        const Coverage coverage = coverageOf(*m_bundle, {});
        QCOMPARE(coverage.rows[0].found, "palette4");
        QCOMPARE(coverage.rows[1].found, "int8");
        QCOMPARE(coverage.rows[2].found, "dense-fp16");
        QCOMPARE(*coverage.rows[0].bits, 8.0 * (1024 + 32) / 2048);
        QCOMPARE(*coverage.rows[2].bits, 16.0);
        QCOMPARE(coverage.parameters, std::uint64_t(3 * 2048 + 32));
        QVERIFY(coverage.rows[3].why.find("too small") == 0);
        QCOMPARE(coverage.broken, std::size_t(0));
    }

    /// The program says forms and sizes where the weight file is missing.
    void withoutTheWeightFile()
    {
        const auto bundle = VERIFIED(Bundle::open("made.mlmodelc", m_options));
        QVERIFY((*bundle)->weights()[0].fault);
        const Coverage there = coverageOf(*m_bundle, {}), missing = coverageOf(**bundle, {});
        for (std::size_t i = 0; i < there.rows.size(); ++i) {
            QCOMPARE(missing.rows[i].found, there.rows[i].found);
            QCOMPARE(missing.rows[i].bits, there.rows[i].bits);
            QCOMPARE(missing.rows[i].why, there.rows[i].why);
        }
        CoverageRules rules;
        rules.expected.push_back(*readExpectedForm("*=palette4"));
        QCOMPARE(coverageOf(**bundle, rules).broken, std::size_t(2));
        QCOMPARE(coverageOf(*m_bundle, rulesOf(**bundle)).broken, std::size_t(0));
    }

    void typedRules()
    {
        CoverageRules rules;
        rules.expected.push_back(*readExpectedForm("*=palette4"));
        Coverage coverage = coverageOf(*m_bundle, rules);
        // The small one may stay dense.
        QCOMPARE(coverage.broken, std::size_t(2));
        QVERIFY(coverage.rows[0].kept && !coverage.rows[1].kept && !coverage.rows[2].kept);
        QCOMPARE(coverage.rows[2].extraBytes, std::uint64_t(4096 - 1024));
        rules.except = {"q"};
        rules.expected.push_back(*readExpectedForm("lar*=dense"));
        coverage = coverageOf(*m_bundle, rules);
        QCOMPARE(coverage.broken, std::size_t(0));
        QVERIFY(coverage.rows[1].expected.empty());
        for (const char *wrong : {"palette4", "=palette4", "*="})
            QVERIFY(!readExpectedForm(wrong));
    }

    void sibling() { QCOMPARE(coverageOf(*m_bundle, rulesOf(*m_bundle)).broken, std::size_t(0)); }

    void configurations_data()
    {
        addColumns<QByteArray, QList<bool>>();
        // By weight: palette4, int8, dense, small dense.
        addRow("YAML, for all",
               QByteArray("config_type: OpPalettizerConfig\n"
                          "global_config:\n"
                          "  mode: kmeans  # of scikit-learn\n"
                          "  nbits: 4\n"
                          "  weight_threshold: 1024\n"),
               QList<bool>{true, false, false, true});
        addRow("YAML, names",
               QByteArray("global_config:\n"
                          "  nbits: 4\n"
                          "op_name_configs:\n"
                          "  large: null\n"
                          "  q:\n"
                          "    dtype: \"int8\"\n"),
               QList<bool>{true, true, true, true});
        addRow("YAML, operations",
               QByteArray("op_type_configs:\n"
                          "  linear:\n"
                          "    dtype: int8\n"
                          "    granularity: per_channel\n"),
               QList<bool>{false, true, false, true});
        addRow("JSON of Core AI",
               QByteArray(R"({"quantization_config": {"global_config": {"op_state_spec":
           {"weight": {"dtype": "torch.int8"}, "input": {"dtype": "torch.int4"}}},
           "module_name_configs": {"p": null, "large": null}}})"),
               QList<bool>{false, true, true, true});
    }

    void configurations()
    {
        const auto [text, kept] = fetched<QByteArray, QList<bool>>();
        const auto rules = readCompressionConfig(text.toStdString(), "c.yaml");
        QVERIFY2(rules.has_value(), rules ? "" : rules.error().found.c_str());
        const Coverage coverage = coverageOf(*m_bundle, *rules);
        for (std::size_t i = 0; i < 4; ++i)
            QVERIFY2(coverage.rows[i].kept == kept[qsizetype(i)],
                     coverage.rows[i].expected.c_str());
    }

    void wrongConfigurations()
    {
        for (const char *text : {"", "a line", "{\"a\": 1", "other: 1\n",
                                 "global_config:\n      a\n", "a: 1\n   b: 2\n"}) {
            const auto rules = readCompressionConfig(text, "c.yaml");
            QVERIFY2(!rules, text);
            QCOMPARE(rules.error().code, "coverage.config");
        }
    }

private:
    BundlePtr m_bundle;
    OpenOptions m_options; ///< of its program alone
};

KERNSCOPE_TEST(TestCoverage, kernscope::test::NoApplication)
#include "tst_coverage.moc"
