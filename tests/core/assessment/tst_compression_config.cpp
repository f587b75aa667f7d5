// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/compression_config.h"
#include "core/bundle/bundle.h"
#include "made_coreai.h"
#include "made_programs.h"

/// Configurations of coremltools and coreai-opt as the forms that weights are to have.
class TestCompressionConfig : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        const MadeBundle made = fourForms();
        const auto bundle = VERIFIED(made.open());
        m_bundle = *bundle;
        QCOMPARE(m_bundle->weights().size(), 4U);
    }

    void configurations_data()
    {
        const auto row = addColumns<QByteArray, QList<bool>>();
        // By weight: palette4, int8, dense, small dense.
        row("YAML, for all",
            "config_type: OpPalettizerConfig\n"
            "global_config:\n"
            "  mode: kmeans  # of scikit-learn\n"
            "  nbits: 4\n"
            "  weight_threshold: 1024\n",
            QList<bool>{true, false, false, true});
        row("YAML, names",
            "global_config:\n"
            "  nbits: 4\n"
            "op_name_configs:\n"
            "  large: null\n"
            "  q:\n"
            "    dtype: \"int8\"\n",
            QList<bool>{true, true, true, true});
        row("YAML, flow style and anchors",
            "global_config: &four {nbits: 4, mode: kmeans, weight_threshold: 1024}\n"
            "op_name_configs: {q: {dtype: int8}, small: *four, larg: null}\n",
            QList<bool>{true, true, false, true});
        row("YAML, granularity",
            "op_type_configs:\n"
            "  linear: {mode: linear_symmetric, granularity: per_block, block_size: 16}\n",
            QList<bool>{false, false, true, true});
        row("YAML, the one block", "global_config: {dtype: int8, granularity: per_block}\n",
            QList<bool>{false, true, true, true});
        row("JSON, groups and scales", R"({"global_config": {"nbits": 4, "group_size": 4,
           "granularity": "per_grouped_channel", "enable_per_channel_scale": true}})",
            QList<bool>{false, false, true, true});
        row("YAML, operations",
            "op_type_configs:\n"
            "  linear:\n"
            "    dtype: int8\n"
            "    granularity: per_channel\n"
            "    weight_threshold: 2047\n",
            QList<bool>{false, true, false, true});
        // coremltools compresses more than 2,048 elements where nothing else is said.
        row("JSON, the usual threshold", R"({"global_config": {"mode": "linear"}})",
            QList<bool>{false, true, true, true});
        row("JSON, thresholds of their own",
            R"({"global_config": {"dtype": "int8", "weight_threshold": 1},
                "op_name_configs": {"large": {"dtype": "int8", "weight_threshold": 9000}}})",
            QList<bool>{false, true, true, false});
        row("JSON of Core AI", R"({"quantization_config": {"global_config": {"op_state_spec":
           {"weight": {"dtype": "torch.int8"}, "input": {"dtype": "torch.int4"}}},
           "module_name_configs": {"p": null, "l.*e": null}}})",
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

    /// Blocks lie along the inputs and groups along the outputs of whatever reads the weight.
    void notDivisible_data()
    {
        const auto row = addColumns<QByteArray, QByteArray, QString>();
        const QByteArray linear = "linear(weight = w, x = x)",
                         turned = "matmul(x = x, y = w, transpose_y = bool(true))",
                         plain = "matmul(x = x, y = w, transpose_y = bool(false))",
                         blocks = "  granularity: per_block\n  block_size: 5\n",
                         groups = "  granularity: per_grouped_channel\n  group_size: 5\n",
                         listed = "  granularity: per_block\n  block_size: [2, 3]\n",
                         usual = "  granularity: per_block\n";
        row("blocks, linear", linear, blocks, u"axis not divisible: 14 by blocks of 5"_s);
        row("blocks, matmul", plain, blocks, u""_s);
        row("blocks, transposed", turned, blocks, u"axis not divisible: 14 by blocks of 5"_s);
        row("groups, linear", linear, groups, u""_s);
        row("groups, matmul", plain, groups, u"axis not divisible: 14 by groups of 5"_s);
        row("every axis", linear, listed, u"axis not divisible: 25 by blocks of 2"_s);
        row("usual blocks", linear, usual, u"axis not divisible: 14 by blocks of 32"_s);
        row("an axis said", plain, groups + "  channel_axis: 0\n", u""_s);
    }

    void notDivisible()
    {
        const auto [call, extents, why] = fetched<QByteArray, QByteArray, QString>();
        MadeBundle made;
        made.weight("w", "[25, 14]", Bytes(700));
        made.op("y", "[1, 14]", call.toStdString());
        const auto bundle = VERIFIED(made.open());
        const auto rules = VERIFIED(readCompressionConfig(
            "global_config:\n  dtype: int8\n  weight_threshold: 1\n" + extents.toStdString(), "c"));
        const CoverageRow row = coverageOf(**bundle, *rules).rows.at(0);
        QVERIFY(!row.kept);
        QCOMPARE(QString::fromStdString(row.why), why.isEmpty() ? u"not told"_s : why);
    }

    /// coremltools keeps zeros of n:m to convolutions and linear layers; others cost what they
    /// would take with a bit of the mask each and the half of their values.
    void zerosOfPatterns()
    {
        for (const char *call : {"gather(indices = i, x = w)", "conv_transpose(weight = w, x = x)",
                                 "linear(weight = w, x = x)"}) {
            MadeBundle made;
            made.weight("w", "[64, 64]", Bytes(8192));
            made.op("y", "[1, 64]", call);
            const auto bundle = VERIFIED(made.open());
            for (const char *amount : {"n_m_ratio: [2, 4]", "target_sparsity: 0.5"}) {
                const auto rules = VERIFIED(readCompressionConfig(
                    std::string("global_config: {") + amount + "}", "c.yaml"));
                const CoverageRow row = coverageOf(**bundle, *rules).rows.at(0);
                const std::string op(call, std::string_view(call).find('('));
                QCOMPARE(row.extraBytes, std::uint64_t(8192 - 4096 - 512));
                QCOMPARE(row.why, op == "linear" || *amount == 't'
                                      ? std::string("not told")
                                      : "operation not covered: " + op +
                                            ", n:m zeros are of conv and linear");
            }
        }
    }

    /// coreai-opt compresses convolutions, but not transposed ones.
    void transposedConvolutions()
    {
        for (const char *name : {"primitive.conv2d_v1", "primitive.conv_transpose2d_v1"}) {
            MadeCoreAi made;
            const Shape shape{64, 32, 1, 1};
            const auto x = made.blob({1, 32, 1, 1}, Elem::Si8, Bytes(32));
            const auto weight = made.blob(shape, Elem::F16, Bytes(4096, std::byte{3}));
            made.output({made.operation(name, {x, weight}, {1, 64, 1, 1}, Elem::F16)});
            const BundlePtr bundle = VERIFIED(made.open());
            const auto found = std::ranges::find(bundle->weights(), shape, &Weight::shape);
            QVERIFY(found != bundle->weights().end());
            const std::string why =
                whyDense(*bundle, std::size_t(found - bundle->weights().begin()), nullptr);
            QCOMPARE(why == "operation not covered: conv_transpose2d",
                     std::string_view(name).find("conv2d") == std::string_view::npos);
        }
    }

    /// Nothing is left out in silence; the line is told.
    void wrongConfigurations_data()
    {
        const auto row = addColumns<QByteArray, QByteArray, QByteArray>();
        row("empty", "", "", "no document");
        row("two", "global_config: {nbits: 4}\n---\n{}\n", "", "more than one document");
        row("without an end", ",a\n*", "", "more than one document");
        row("a line", "a line", "line 1", "no mapping of keys");
        row("half of JSON", "{\"a\": 1", "line 1", "");
        row("another key", "global_config:\n  nbits: 4\nop_type_config: {}\n", "line 3",
            "\"op_type_config\", which is no key here");
        row("another key within", "global_config:\n  nbits: 4\n  modee: kmeans\n", "line 3",
            "\"modee\", which is no key here");
        row("a key twice", "global_config: {nbits: 4}\nglobal_config: {nbits: 8}\n", "line 2",
            "\"global_config\" for the second time");
        row("tabs", "global_config:\n\tnbits: 4\n", "line 2", "");
        row("no mapping", "global_config: {nbits: 4}\nop_type_configs:\n  conv: int4\n", "line 3",
            "no mapping of keys");
        row("a list", "global_config: {nbits: 4}\nop_type_configs:\n- conv\n", "line 3",
            "no mapping of keys");
        row("a type", "global_config:\n  dtype: int77\n", "line 2", "\"int77\", which is no type");
        row("a number as text", "global_config:\n  dtype: int8\n  weight_threshold: \"9\"\n",
            "line 3", "no whole number from 0 on");
        row("a granularity", "global_config:\n  dtype: int8\n  granularity: per_blok\n", "line 3",
            "\"per_blok\", which is no granularity");
        row("nothing said", "global_config: {}\n", "line 1",
            "nothing that says what becomes of a weight");
        row("types of modules",
            "module_type_configs:\n  Linear:\n    op_state_spec: {weight: {dtype: int8}}\n",
            "line 2", "\"module_type_configs\": no program tells the types of its modules");
        row("no expression", "module_name_configs:\n  \"fc(\": null\n", "line 2",
            "\"fc(\", which is no regular expression without {n}, references and two lookaheads");
        row("back", "module_name_configs:\n  \"(fc)\\\\1\": null\n", "line 2",
            "\"(fc)\\1\", which is no regular expression without {n}, references and two "
            "lookaheads");
        row("far back", "module_name_configs:\n  \"a\\\\66666666666666666666\": null\n", "line 2",
            "\"a\\66666666666666666666\", which is no regular expression without {n}, references "
            "and "
            "two lookaheads");
        row("ahead", "module_name_configs:\n  \"(?=.*(?=.*b)).*\": null\n", "line 2",
            "\"(?=.*(?=.*b)).*\", which is no regular expression without {n}, references and two "
            "lookaheads");
        row("long", "module_name_configs:\n  \"((a{99}){99}){99}\": null\n", "line 2",
            "\"((a{99}){99}){99}\", which is no regular expression without {n}, references and two "
            "lookaheads");
        row("blocks",
            "global_config:\n  dtype: int8\n  granularity: per_block\n  block_size: [" +
                QByteArray("2,").repeated(65) + "]\n",
            "line 4", "blocks along more than 64 axes");
        row("within itself", "global_config: &a\n  op_state_spec: {weight: *a}\n", "line 2",
            "\"op_state_spec\", which is no key here");
    }

    void wrongConfigurations()
    {
        const auto [text, line, found] = fetched<QByteArray, QByteArray, QByteArray>();
        const Error error = REFUSED(readCompressionConfig(text.toStdString(), "c.yaml"));
        QCOMPARE(error.code, "coverage.config");
        QCOMPARE(QByteArray::fromStdString(error.field), line);
        if (!found.isEmpty())
            QCOMPARE(QByteArray::fromStdString(error.found), found);
    }

    /// What stands behind an alias is counted wherever that is used; what is used once is not much.
    void aliases()
    {
        const auto text = [](int used) {
            QByteArray yaml = "global_config: {op_state_spec: &b {weight: {dtype: int8}";
            for (int i = 0; i < 3000; ++i)
                yaml += ", k" + QByteArray::number(i) + ": ~";
            yaml += "}}\nop_name_configs:\n";
            for (int i = 0; i < used; ++i)
                yaml += "  n" + QByteArray::number(i) + ": {op_state_spec: *b}\n";
            return yaml.toStdString();
        };
        QVERIFY(readCompressionConfig(text(100), "c.yaml"));
        const Error error = REFUSED(readCompressionConfig(text(1200), "c.yaml"));
        QCOMPARE(error.field, "line 1");
        QCOMPARE(error.found, "more than 500000 values, with those of aliases");
    }

    /// How much is left out, and whether codes have a zero point.
    void amounts_data()
    {
        const auto row = addColumns<QList<bool>>();
        // By weight: half left out, codes with a zero point, codes without.
        row("{global_config: {target_sparsity: 0.5}}", QList<bool>{true, false, false});
        row("{global_config: {target_sparsity: 0.75}}", QList<bool>{false, false, false});
        row("{global_config: {n_m_ratio: [2, 4]}}", QList<bool>{true, false, false});
        row("{global_config: {n_m_ratio: [3, 4]}}", QList<bool>{false, false, false});
        row("{global_config: {threshold: 0.1}}", QList<bool>{true, false, false});
        row("{global_config: {mode: linear_symmetric}}", QList<bool>{false, false, true});
        row("{global_config: {mode: LINEAR}}", QList<bool>{false, true, true});
        row("{global_config: {dtype: int8}}", QList<bool>{false, false, true});
    }

    void amounts()
    {
        const auto [kept] = fetched<QList<bool>>();
        MadeBundle made;
        made.form("s", "[64, 64]", "sparse_to_dense",
                  {{"mask", made.blob(ElementType::Uint1, "[64, 64]", Bytes(512, std::byte{0x55}))},
                   {"nonzero_data", made.blob(ElementType::Fp16, "[2048]", Bytes(4096))}});
        for (const bool shifted : {true, false}) {
            const std::string name = shifted ? "z" : "q";
            std::string offset;
            if (shifted)
                offset = ", offset = " +
                         made.blob(ElementType::Int8, "[64, 1]", Bytes(64, std::byte{3}));
            made.form(name, "[64, 64]", "blockwise_shift_scale",
                      {{"data", made.blob(ElementType::Int8, "[64, 64]", Bytes(4096)) + offset},
                       {"scale", made.blob(ElementType::Fp16, "[64, 1]", Bytes(128))}});
        }
        const auto rules = VERIFIED(readCompressionConfig(QTest::currentDataTag(), "c.yaml"));
        const auto bundle = VERIFIED(made.open());
        const Coverage coverage = coverageOf(**bundle, *rules);
        QCOMPARE(coverage.rows.size(), 3U);
        for (std::size_t i = 0; i < 3; ++i)
            QCOMPARE(coverage.rows[i].kept, kept[qsizetype(i)]);
    }

    /// Names that a matcher that tries one way after the other does not end with, or not whole.
    void namesInBoundedTime()
    {
        MadeBundle made;
        made.weight(std::string(1000, 'a'), "[64, 32]", Bytes(4096));
        const BundlePtr bundle = *made.open();
        const std::string deep = std::string(120, '(') + "a" + std::string(120, ')') + "*";
        for (const std::string &name : {std::string("(a|a)*b"), std::string("(a*)*b"), deep}) {
            const auto rules = VERIFIED(
                readCompressionConfig("module_name_configs: {'" + name + "': null}", "c.yaml"));
            QVERIFY(coverageOf(*bundle, *rules).rows.at(0).expected.empty() == name.ends_with('b'));
        }
    }

    /// The name of what reads a weight, or its own with what coremltools adds: not a part of it.
    void names_data()
    {
        const auto row = addColumns<QList<bool>>();
        // By weight: fc_1_w_quantized, read by fc_1, and fc_10_w, read by fc_10.
        row("{op_name_configs: {fc_1: null}}", QList<bool>{true, false});
        row("{op_name_configs: {fc_1_w: null}}", QList<bool>{true, false});
        row("{op_name_configs: {fc_1_w_quantized: null}}", QList<bool>{true, false});
        row("{op_name_configs: {fc: null, w: null}}", QList<bool>{false, false});
        row("{module_name_configs: {fc_1: null}}", QList<bool>{false, false});
        row("{module_name_configs: {'fc_1.*': null}}", QList<bool>{true, true});
        row("{module_name_configs: {'fc.1_w.*': null}}", QList<bool>{true, false});
        row("{module_name_configs: {'fc\\.1\\.w.*': null}}", QList<bool>{true, false});
        row("{module_name_configs: {'^(?!.*_10_)(fc|gc)_\\d\\d?.*$': null}}",
            QList<bool>{true, false});
        row("{module_name_configs: {'(?:f|c)+?_[^0-18]?10\\b_?|fc_1[0]_[\\w.]': null}}",
            QList<bool>{false, true});
        row("{module_name_configs: {'(f|c|(f|c))*_?(\\w|\\w)*x': null}}",
            QList<bool>{false, false});
    }

    void names()
    {
        const auto [expected] = fetched<QList<bool>>();
        MadeBundle made;
        for (const char *name : {"fc_1", "fc_10"}) {
            const std::string weight =
                std::string(name) + (std::string(name) == "fc_1" ? "_w_quantized" : "_w");
            made.weight(weight, "[8, 4]", Bytes(64));
            made.op(name, "[1, 8]", "linear(weight = " + weight + ", x = x)");
        }
        const auto rules = VERIFIED(readCompressionConfig(QTest::currentDataTag(), "c.yaml"));
        const Coverage coverage = coverageOf(**made.open(), *rules);
        for (std::size_t i = 0; i < 2; ++i)
            QCOMPARE(!coverage.rows[i].expected.empty(), expected[qsizetype(i)]);
        QCOMPARE(coverage.unused.empty(), coverage.judged > 0);
    }

private:
    BundlePtr m_bundle;
};

KERNSCOPE_TEST(TestCompressionConfig, NoApplication)
#include "tst_compression_config.moc"
