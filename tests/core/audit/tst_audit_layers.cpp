// SPDX-License-Identifier: GPL-3.0-or-later
// Which weight holds which tensor: other tensors, folded norms, gates, orders, figures.
#include "audit_sample.h"

class TestAuditLayers : public QObject, private AuditSample
{
    Q_OBJECT

private Q_SLOTS:
    /// Swapped, stored twice: with names, and by the order of the program without.
    void otherTensors()
    {
        for (const bool named : {true, false}) {
            std::vector<Stored> weights = stored(int8);
            std::swap(weights[0], weights[2]);
            auto result = audit::auditPackage(packageOf(weights, named), m_checkpoint);
            QVERIFY2(result && result->faulty.size() == 2, describe(*result).c_str());
            for (const audit::AuditedWeight &row : result->faulty)
                QVERIFY(row.fault == audit::Kind::Swapped);
            weights = stored(int4);
            weights[1] = weights[3];
            result = audit::auditPackage(packageOf(weights, named), m_checkpoint);
            QVERIFY2(result && result->faulty.size() == 1, describe(*result).c_str());
            QCOMPARE(result->faulty[0].checkpointName, kNames[1]);
            QVERIFY(result->faulty[0].fault == audit::Kind::Repeated);
        }
    }

    /// Without names, and of a layer that the package has not: no place of the program is its own.
    void tensorOfAnUnusedLayer()
    {
        constexpr std::size_t kHeld = 8;
        std::vector<Values> tensors;
        std::vector<std::string> names;
        std::mt19937_64 random(11);
        for (int layer = 0; layer < 5; ++layer) {
            for (const char *name : {"up", "down"}) {
                names.push_back(fmt::format("layers.{}.{}.weight", layer, name));
                tensors.push_back(randomMatrix(random));
            }
        }
        const BundlePtr checkpoint = checkpointOf(tensors, names);
        for (const std::size_t place : {0, 3, 6}) {
            std::vector<Stored> weights;
            for (std::size_t i = 0; i < kHeld; ++i)
                weights.push_back(int8(tensors[i == place ? kHeld + place % 2 : i]));
            const auto result = audit::auditPackage(packageOf(weights, false, names), checkpoint);
            QVERIFY2(result && result->faulty.size() == 1, describe(*result).c_str());
            QCOMPARE(result->faulty[0].checkpointName, names[place]);
            QVERIFY(result->faulty[0].fault == audit::Kind::OtherTensor);
        }
    }

    /// Swapped before a batch norm was folded into each.
    void swappedBeforeFolding()
    {
        std::vector<Values> tensors;
        std::vector<std::string> names;
        Values folded[3], right[3]; // the third is sound: batch norms are folded here
        for (const char *layer : {"a", "b", "c"}) {
            for (const char *name :
                 {".conv.weight", ".bn.weight", ".bn.bias", ".bn.running_mean", ".bn.running_var"})
                names.push_back(std::string(layer) + name);
            tensors.push_back(m_tensors[tensors.size() / 5]);
            for (int i = 0; i < 4; ++i)
                tensors.push_back(figures(kRows, unsigned(tensors.size())));
        }
        for (std::size_t layer = 0; layer < 3; ++layer) {
            const std::size_t other = layer == 2 ? 2 : 1 - layer;
            for (std::size_t i = 0; i < kRows * kColumns; ++i) {
                const float factor = tensors[5 * layer + 1][i / kColumns] /
                                     std::sqrt(tensors[5 * layer + 4][i / kColumns] + 1e-5F);
                right[layer].push_back(factor * tensors[5 * layer][i]);
                folded[layer].push_back(factor * tensors[5 * other][i]);
            }
        }
        const BundlePtr checkpoint = VERIFIED(checkpointOf(tensors, names));
        const std::vector<std::string> layers{names[0], names[5], names[10]};
        auto result = audit::auditPackage(
            packageOf({int8(right[0]), int8(right[1]), int8(right[2])}, true, layers), checkpoint);
        QVERIFY2(result && result->faulty.empty() && result->sound.size() == 3,
                 describe(*result).c_str());
        const auto coarse = [](const Values &values) { return palettised(values, 1, 2); };
        result = audit::auditPackage(
            packageOf({coarse(right[0]), coarse(right[1]), coarse(right[2])}, false), checkpoint);
        QVERIFY2(result && result->faulty.empty() && result->sound.size() == 3,
                 describe(*result).c_str());
        result = audit::auditPackage(
            packageOf({int8(folded[0]), int8(folded[1]), int8(right[2])}, true, layers),
            checkpoint);
        QVERIFY2(result && result->faulty.size() == 2, describe(*result).c_str());
        for (const audit::AuditedWeight &row : result->faulty)
            QVERIFY2(row.fault == audit::Kind::Swapped, describe(*result).c_str());
    }

    void foldedTransposedConvolution_data()
    {
        addColumns<std::string, std::size_t, std::size_t>();
        QTest::newRow("as many outputs as inputs")
            << std::string("64,64,1") << std::size_t(64) << std::size_t(1);
        QTest::newRow("fewer outputs")
            << std::string("64,32,2") << std::size_t(32) << std::size_t(1);
        QTest::newRow("two groups") << std::string("64,32,2") << std::size_t(64) << std::size_t(2);
    }

    /// A batch norm folded into a weight that is [in, out / groups, …].
    void foldedTransposedConvolution()
    {
        const auto [shape, channels, groups] = fetched<std::string, std::size_t, std::size_t>();
        const std::size_t each = channels / groups;
        std::vector<Values> tensors{m_tensors[0]};
        for (int i = 0; i < 5; ++i)
            tensors.push_back(figures(channels, 41U + unsigned(i)));
        const BundlePtr checkpoint =
            VERIFIED(checkpointOf(tensors,
                                  {"up.conv.weight", "up.conv.bias", "up.bn.weight", "up.bn.bias",
                                   "up.bn.running_mean", "up.bn.running_var"},
                                  {{kRows * kColumns, shape}}));
        for (const bool interleaved : {false, true}) { // as coremltools 9.0 does
            Values weight = tensors[0], bias(channels);
            for (std::size_t i = 0; i < weight.size(); ++i) {
                const std::size_t group = i / kColumns / (kRows / groups),
                                  channel = i % kColumns / (kColumns / each),
                                  at = group * each + channel,
                                  from = interleaved ? channel * groups + group : at;
                const auto factorOf = [&tensors = tensors](std::size_t k) {
                    return tensors[2][k] / std::sqrt(tensors[5][k] + 1e-5F);
                };
                weight[i] *= factorOf(from);
                bias[at] = tensors[3][at] + (tensors[1][at] - tensors[4][at]) * factorOf(at);
            }
            MadeBundle made;
            made.weight("const_0", "[" + shape + "]", halves(weight));
            made.weight("const_1", fmt::format("[{}]", channels), halves(bias));
            made.op("y", "[1, 64, 8]", "conv_transpose(bias = const_1, weight = const_0, x = x)");
            const auto result =
                VERIFIED(audit::auditPackage(made.open().value_or(nullptr), checkpoint));
            const bool wrong = interleaved && groups > 1;
            QVERIFY2(result->faulty.size() == (wrong ? 1 : 0), describe(*result).c_str());
            if (wrong)
                QVERIFY2(result->faulty[0].fault == audit::Kind::NormFold,
                         describe(*result).c_str());
            else
                QVERIFY(result->sound.size() == 2 && result->missing.empty() &&
                        result->unpaired.empty());
        }
    }

    /// A batch norm that is an operation of its own has its statistics in the package.
    void normOfItsOwn()
    {
        std::vector<Values> tensors{m_tensors[0]};
        for (int i = 0; i < 4; ++i)
            tensors.push_back(figures(32, 51U + unsigned(i)));
        const std::vector<std::string> names{"up.conv.weight", "up.bn.weight", "up.bn.bias",
                                             "up.bn.running_mean", "up.bn.running_var"};
        const BundlePtr checkpoint =
            VERIFIED(checkpointOf(tensors, names, {{kRows * kColumns, "64,32,2"}}));
        for (const bool wrong : {false, true}) {
            MadeBundle made;
            made.weight("const_0", "[64, 32, 2]", halves(tensors[0]));
            for (std::size_t i = 1; i < tensors.size(); ++i) {
                Values values = tensors[i];
                if (wrong && i == 4)
                    std::ranges::reverse(values);
                made.weight(fmt::format("const_{}", i), "[32]", halves(values));
            }
            made.op("y", "[1, 32, 8]", "conv_transpose2d(weight = const_0, x = x)");
            made.op("z", "[1, 32, 8]",
                    "batch_norm(beta = const_2, gamma = const_1, mean = const_3, variance = "
                    "const_4, x = y)");
            const auto result =
                VERIFIED(audit::auditPackage(made.open().value_or(nullptr), checkpoint));
            QVERIFY2(result->faulty.size() == (wrong ? 1 : 0) && result->unpaired.empty(),
                     describe(*result).c_str());
            QVERIFY(!wrong || result->faulty[0].checkpointName == names[4]);
        }
    }

    /// The bias of a convolution goes into the folded one, and is left for no other weight.
    void foldedBias()
    {
        std::vector<Values> tensors{m_tensors[0]};
        for (int i = 0; i < 7; ++i)
            tensors.push_back(figures(kRows, 51U + unsigned(i)));
        const BundlePtr checkpoint = VERIFIED(checkpointOf(
            tensors, {"a.conv.weight", "a.conv.bias", "a.bn.weight", "a.bn.bias",
                      "a.bn.running_mean", "a.bn.running_var", "norm.weight", "norm.bias"}));
        Values weight = tensors[0], bias;
        for (std::size_t row = 0; row < kRows; ++row) {
            const float factor = tensors[2][row] / std::sqrt(tensors[5][row] + 1e-5F);
            for (std::size_t i = 0; i < kColumns; ++i)
                weight[row * kColumns + i] *= factor;
            bias.push_back(tensors[3][row] + (tensors[1][row] - tensors[4][row]) * factor);
        }
        MadeBundle made;
        made.weight("const_0", "[64, 64]", halves(weight));
        made.weight("const_1", "[64]", halves(bias));
        made.op("y", "[1, 64]", "linear(bias = const_1, weight = const_0, x = x)");
        made.weight("const_2", "[64]", halves(tensors[7]));
        made.weight("const_3", "[64]", halves(tensors[6]));
        made.op("z", "[1, 64]", "layer_norm(beta = const_2, gamma = const_3, x = y)");
        const auto result =
            VERIFIED(audit::auditPackage(made.open().value_or(nullptr), checkpoint));
        QVERIFY2(result->faulty.empty() && result->sound.size() == 4, describe(*result).c_str());
        QVERIFY(result->missing.empty());
    }

    /// What is folded in is off by more in a checkpoint of bf16; an element of a bias has the place
    /// that it has in the package.
    void foldedFromBf16()
    {
        std::vector<Values> tensors{m_tensors[0]};
        for (int i = 0; i < 4; ++i)
            tensors.push_back(figures(kRows, 81U + unsigned(i)));
        const std::vector<std::string> names{"a.conv.weight", "a.bn.weight", "a.bn.bias",
                                             "a.bn.running_mean", "a.bn.running_var"};
        Values weight = tensors[0], bias;
        for (std::size_t row = 0; row < kRows; ++row) {
            const float factor = tensors[1][row] / std::sqrt(tensors[4][row] + 1e-5F);
            for (std::size_t i = 0; i < kColumns; ++i)
                weight[row * kColumns + i] *= factor;
            bias.push_back(tensors[2][row] - tensors[3][row] * factor);
        }
        for (const bool finite : {true, false}) {
            MadeBundle made;
            made.weight("const_0", "[64, 64]", halves(weight));
            bias[25] = finite ? bias[25] : NAN;
            made.weight("const_1", "[1, 64, 1, 1]", halves(bias));
            made.op("y", "[1, 64]", "linear(bias = const_1, weight = const_0, x = x)");
            const auto result = VERIFIED(audit::auditPackage(
                made.open().value_or(nullptr),
                checkpointOf(tensors, names, {{kRows * kColumns, "64,64"}}, true)));
            QVERIFY2(result->faulty.size() == std::size_t(!finite), describe(*result).c_str());
            if (!finite) {
                QCOMPARE(result->faulty[0].elements,
                         (std::vector<std::vector<std::uint64_t>>{{0, 25, 0, 0}}));
                QVERIFY(result->faulty[0].rows == (std::vector<audit::Rows>{{25, 26}}));
            }
        }
    }

    /// coremltools stores input, forget, output, cell, and one bias.
    void gatesOfAnLstm()
    {
        const std::vector<Values> tensors{m_tensors[0],
                                          Values(m_tensors[1].begin(), m_tensors[1].begin() + 1024),
                                          figures(64, 61), figures(64, 62)};
        const BundlePtr checkpoint = VERIFIED(checkpointOf(
            tensors, {"r.weight_ih_l0", "r.weight_hh_l0", "r.bias_ih_l0", "r.bias_hh_l0"},
            {{kRows * kColumns, "64,64"}, {1024, "64,16"}}));
        const auto moved = [](Values values) {
            const auto quarter = std::ptrdiff_t(values.size() / 4);
            std::rotate(values.end() - 2 * quarter, values.end() - quarter, values.end());
            return values;
        };
        Values bias;
        for (std::size_t i = 0; i < 64; ++i)
            bias.push_back(tensors[2][i] + tensors[3][i]);
        for (const bool exchanged : {false, true}) { // two gates before conversion
            Values input = moved(tensors[0]);
            if (exchanged)
                std::swap_ranges(input.begin(), input.begin() + 1024, input.begin() + 1024);
            MadeBundle made;
            made.weight("const_0", "[64, 64]", halves(input));
            made.weight("const_1", "[64, 16]", halves(moved(tensors[1])));
            made.weight("const_2", "[64]", halves(moved(bias)));
            made.op("y", "[1, 16]",
                    "lstm(bias = const_2, weight_hh = const_1, weight_ih = const_0, x = x)");
            const auto result =
                VERIFIED(audit::auditPackage(made.open().value_or(nullptr), checkpoint));
            QVERIFY2(result->faulty.size() == std::size_t(exchanged), describe(*result).c_str());
            QVERIFY(result->missing.empty() && result->unpaired.empty());
            QCOMPARE(result->faulty.size() + result->sound.size(), std::size_t(3));
            if (exchanged)
                QCOMPARE(audit::kindName(*result->faulty[0].fault), "channel-order");
        }
    }

    /// Gates with other values: the one tensor of that shape without a weight.
    void otherGates()
    {
        const std::vector<Values> tensors{
            m_tensors[0], Values(m_tensors[1].begin(), m_tensors[1].begin() + 1024)};
        const BundlePtr checkpoint =
            VERIFIED(checkpointOf(tensors, {"r.weight_ih_l0", "r.weight_hh_l0"},
                                  {{kRows * kColumns, "64,64"}, {1024, "64,16"}}));
        Values hidden = tensors[1];
        std::rotate(hidden.end() - 512, hidden.end() - 256, hidden.end());
        MadeBundle made;
        made.weight("const_0", "[64, 64]", halves(m_tensors[2]));
        made.weight("const_1", "[64, 16]", halves(hidden));
        made.op("y", "[1, 16]", "lstm(weight_hh = const_1, weight_ih = const_0, x = x)");
        const auto result =
            VERIFIED(audit::auditPackage(made.open().value_or(nullptr), checkpoint));
        QVERIFY2(result->faulty.size() == 1 && result->sound.size() == 1,
                 describe(*result).c_str());
        QVERIFY(result->faulty[0].fault == audit::Kind::Unrelated);
    }

    void channelOrder_data()
    {
        addColumns<int, int>();
        for (int form = 0; form < 6; ++form) {
            for (int order = 0; order < 5; ++order)
                QTest::addRow("form %d, order %d", form, order) << form << order;
        }
    }

    /// Rows or columns of the checkpoint in another order.
    void channelOrder()
    {
        const auto [form, order] = fetched<int, int>();
        const std::vector<Make> makes{int8, int4, palette, dense, sparse, wholeSparseInt8};
        const std::vector<std::string> words{
            "axis 0) stand in another order: each stands 3 further",
            "rows 0 to 15 and rows 16 to 31 are exchanged", "64 of 64 hold another one",
            "axis 1) stand in another order: each stands 1 before its place",
            "row 5 and row 40 are exchanged"};
        std::vector<std::size_t> rows(kRows), columns(kColumns);
        std::iota(rows.begin(), rows.end(), 0);
        columns = rows;
        if (order == 0)
            std::rotate(rows.rbegin(), rows.rbegin() + 3, rows.rend());
        else if (order == 1)
            std::swap_ranges(rows.begin(), rows.begin() + 16, rows.begin() + 16);
        else if (order == 2)
            std::ranges::transform(rows, rows.begin(),
                                   [](auto row) { return (row * 27 + 5) % 64; });
        else if (order == 3)
            std::rotate(columns.begin(), columns.begin() + 1, columns.end());
        else
            std::swap(rows[5], rows[40]);
        Values moved;
        for (const std::size_t row : rows) {
            for (const std::size_t column : columns)
                moved.push_back(m_tensors[2][row * kColumns + column]);
        }
        const Make &make = makes[std::size_t(form)];
        std::vector<Stored> weights = stored(make);
        weights[2] = make(moved);
        const auto result = audit::auditPackage(packageOf(weights), m_checkpoint);
        QVERIFY2(result && result->faulty.size() == 1, describe(*result).c_str());
        const audit::AuditedWeight &row = result->faulty[0];
        QCOMPARE(row.checkpointName, kNames[2]);
        QVERIFY2(row.fault == audit::Kind::ChannelOrder, describe(*result).c_str());
        QVERIFY2(row.why.find(words[std::size_t(order)]) != row.why.npos, row.why.c_str());
        if (order == 1)
            QVERIFY(row.rows == (std::vector<audit::Rows>{{0, 32}}));
    }

    /// One that is zero has no correlation, and is no other checkpoint's.
    void zeroBias()
    {
        MadeBundle made;
        addWeight(made, "layers_0_up_weight", dense(m_tensors[0]));
        made.weight("layers_0_up_bias", "[64]", halves(Values(kRows, 0.0F)));
        made.consume("layers_0_up_bias");
        const auto result = VERIFIED(audit::auditPackage(
            made.open().value_or(nullptr),
            checkpointOf({m_tensors[0], figures(kRows, 91)}, {kNames[0], "layers.0.up.bias"})));
        QVERIFY2(result->faulty.size() == 1, describe(*result).c_str());
        QVERIFY(result->faulty[0].fault == audit::Kind::RowsZeroed);
        QVERIFY(result->faulty[0].rows == (std::vector<audit::Rows>{{0, kRows}}));
    }

    /// Folded biases without names: each stands where its layer is, whatever it holds.
    void biasOfALayer_data() { addEach({"sound", "zeros", "of the other layer"}); }

    void biasOfALayer()
    {
        const std::string what = std::get<0>(fetched<QString>()).toStdString();
        std::vector<std::string> names;
        std::vector<Values> tensors;
        MadeBundle made;
        std::vector<Values> biases;
        for (std::size_t layer = 0; layer < 2; ++layer) {
            const std::string of = layer == 0 ? "a" : "b";
            for (const char *name :
                 {".conv.weight", ".bn.weight", ".bn.bias", ".bn.running_mean", ".bn.running_var"})
                names.push_back(of + name);
            tensors.push_back(m_tensors[layer]);
            for (unsigned i = 0; i < 4; ++i)
                tensors.push_back(figures(kRows, 31U + unsigned(4 * layer) + i));
            const Values *one = &tensors[5 * layer];
            Values weight = one[0], bias;
            for (std::size_t row = 0; row < kRows; ++row) {
                const float factor = one[1][row] / std::sqrt(one[4][row] + 1e-5F);
                for (std::size_t i = 0; i < kColumns; ++i)
                    weight[row * kColumns + i] *= factor;
                bias.push_back(one[2][row] - one[3][row] * factor);
            }
            biases.push_back(layer == 0 || what == "sound" ? bias
                             : what == "zeros"             ? Values(kRows, 0)
                                                           : biases[0]);
            made.weight("const_" + of, "[64, 64]", halves(weight));
            made.weight("shift_" + of, "[64]", halves(biases.back()));
            made.op("y" + of, "[1, 64]",
                    "linear(bias = shift_" + of + ", weight = const_" + of + ", x = x)");
        }
        const auto result = VERIFIED(
            audit::auditPackage(made.open().value_or(nullptr), checkpointOf(tensors, names)));
        QVERIFY2(result->faulty.size() == std::size_t(what != "sound"), describe(*result).c_str());
        if (what == "sound")
            return;
        QCOMPARE(result->faulty[0].checkpointName, "b.bn.bias");
        QVERIFY2(result->faulty[0].fault ==
                     (what == "zeros" ? audit::Kind::RowsZeroed : audit::Kind::Repeated),
                 describe(*result).c_str());
    }

    /// One that is scaled has no rows of several elements.
    void scaledBias()
    {
        const Values bias = figures(kRows, 92);
        Values scaled = bias;
        for (float &value : scaled)
            value *= 1.25F;
        MadeBundle made;
        addWeight(made, "layers_0_up_weight", dense(m_tensors[0]));
        made.weight("layers_0_up_bias", "[64]", halves(scaled));
        made.consume("layers_0_up_bias");
        const auto result = VERIFIED(audit::auditPackage(
            made.open().value_or(nullptr),
            checkpointOf({m_tensors[0], bias}, {kNames[0], "layers.0.up.bias"})));
        QVERIFY2(result->faulty.size() == 1, describe(*result).c_str());
        QVERIFY2(result->faulty[0].fault == audit::Kind::Scaled, describe(*result).c_str());
    }

    /// What is counted of values and codes, whether they are right or not.
    void figuresOfValues()
    {
        std::vector<Values> tensors = m_tensors;
        Values &first = tensors[0];
        std::fill(first.begin() + 10 * kColumns, first.begin() + 11 * kColumns, 3e-5F);
        std::copy_n(first.begin(), 2 * kColumns, first.begin() + 20 * kColumns);
        std::fill(first.begin() + 30 * kColumns, first.begin() + 32 * kColumns, 0.0F);
        std::vector<Stored> weights{dense(first), int4(tensors[1]), palette(tensors[2])};
        for (int &code : weights[1].codes)
            code = std::min(code, 5);
        const auto result =
            VERIFIED(audit::auditPackage(packageOf(weights), checkpointOf(tensors)));
        std::map<std::string, audit::StoredFigures> figures;
        for (const auto *rows : {&result->faulty, &result->sound})
            for (const audit::AuditedWeight &row : *rows)
                figures[row.checkpointName] = row.figures;
        QCOMPARE(figures.size(), std::size_t(3));
        const audit::StoredFigures &values = figures[kNames[0]], &codes = figures[kNames[1]];
        QVERIFY(values.subnormal >= 1.0 / kRows && values.subnormal < 1.1 / kRows);
        QCOMPARE(values.equalRows, std::uint64_t(2));
        QVERIFY(!values.unusedCodes && !figures[kNames[2]].unusedCodes && !values.over240);
        QVERIFY(codes.unusedCodes == std::uint64_t(3)); // -8, 6, 7
        QCOMPARE(codes.equalRows, std::uint64_t(0));
    }

    /// Queries, keys and values of unequal sizes, one tensor of the checkpoint.
    void unequalParts()
    {
        const BundlePtr checkpoint = VERIFIED(checkpointOf({m_tensors[0]}, {"qkv.weight"}));
        MadeBundle made;
        const std::size_t rows[] = {32, 16, 16};
        std::size_t first = 0;
        for (std::size_t i = 0; i < std::size(rows); first += rows[i++]) {
            Values part(m_tensors[0].begin() + std::ptrdiff_t(first * kColumns),
                        m_tensors[0].begin() + std::ptrdiff_t((first + rows[i]) * kColumns));
            if (i == 0)
                std::fill(part.begin() + 3 * kColumns, part.begin() + 5 * kColumns, 0.0F);
            made.layer(fmt::format("const_{}", i), fmt::format("[{}, 64]", rows[i]), halves(part));
        }
        const auto result =
            VERIFIED(audit::auditPackage(made.open().value_or(nullptr), checkpoint));
        QVERIFY2(result->faulty.size() == 1 && result->sound.size() == 2,
                 describe(*result).c_str());
        QVERIFY(result->faulty[0].fault == audit::Kind::RowsZeroed);
        QVERIFY(result->faulty[0].rows == (std::vector<audit::Rows>{{3, 5}}));
    }

    /// A package that stores the parts of fused tensors, whose names say the layer of each: what
    /// all of another layer's are is told.
    void partsOfAnotherLayer_data()
    {
        const auto row = addColumns<std::vector<int>, std::size_t>();
        row("sound", std::vector<int>{0, 1, 2}, std::size_t(0));
        row("two exchanged", std::vector<int>{1, 0, 2}, std::size_t(6));
        row("a circle", std::vector<int>{1, 2, 0}, std::size_t(9));
        row("one twice", std::vector<int>{0, 0, 2}, std::size_t(3));
        row("numbered from another layer on", std::vector<int>{1, 2}, std::size_t(0));
    }

    void partsOfAnotherLayer()
    {
        const auto [layers, faulty] = fetched<std::vector<int>, std::size_t>();
        std::mt19937_64 random(5);
        std::vector<Values> parts, tensors;
        for (int i = 0; i < 9; ++i)
            parts.push_back(randomMatrix(random));
        std::vector<std::string> names;
        for (std::size_t layer = 0; layer < 3; ++layer) {
            names.push_back(fmt::format("model.layers.{}.attn.qkv.weight", layer));
            Values &all = tensors.emplace_back();
            for (std::size_t i = 0; i < 3; ++i)
                all.insert(all.end(), parts[3 * layer + i].begin(), parts[3 * layer + i].end());
        }
        MadeBundle made;
        for (std::size_t layer = 0; layer < layers.size(); ++layer) {
            for (std::size_t i = 0; i < 3; ++i) {
                const std::string name =
                    fmt::format("layers_{}_attn_{}_proj_weight_to_fp16_quantized", layer, "qkv"[i]);
                addWeight(made, name, int8(parts[3 * std::size_t(layers[layer]) + i]));
            }
        }
        const auto result = VERIFIED(
            audit::auditPackage(made.open().value_or(nullptr),
                                checkpointOf(tensors, names, {{3 * kRows * kColumns, "192,64"}})));
        QVERIFY2(result->faulty.size() == faulty, describe(*result).c_str());
        for (const audit::AuditedWeight &row : result->faulty) {
            QVERIFY2(row.fault != audit::Kind::Unrelated, describe(*result).c_str());
            QVERIFY2(row.checkpointName[13] == row.name[12], describe(*result).c_str());
        }
    }

    /// Gates of one layer that are exchanged: the biases of the operations say which is which.
    void exchangedGates()
    {
        Values all;
        for (std::size_t i = 0; i < 3; ++i)
            all.insert(all.end(), m_tensors[i].begin(), m_tensors[i].end());
        const Values bias = figures(3 * kRows, 17);
        const BundlePtr checkpoint =
            VERIFIED(checkpointOf({all, bias}, {"gru.weight_ih_l0", "gru.bias_ih_l0"},
                                  {{3 * kRows * kColumns, "192,64"}, {3 * kRows, "192"}}));
        for (const std::vector<std::size_t> &gates :
             {std::vector<std::size_t>{0, 1, 2}, {2, 1, 0}, {1, 2, 0}}) {
            MadeBundle made;
            for (std::size_t i = 0; i < 3; ++i) {
                const std::string name = fmt::format("linear_{}_", i);
                made.weight(name + "weight_0", "[64, 64]", halves(m_tensors[gates[i]]));
                made.weight(name + "bias_0", "[64]",
                            halves(Values(bias.begin() + std::ptrdiff_t(i * kRows),
                                          bias.begin() + std::ptrdiff_t((i + 1) * kRows))));
                made.op(name + "y", "[1, 64]",
                        "linear(bias = " + name + "bias_0, weight = " + name + "weight_0, x = x)");
            }
            const auto result =
                VERIFIED(audit::auditPackage(made.open().value_or(nullptr), checkpoint));
            const std::size_t faulty = gates[0] == 0 ? 0 : gates[1] == 1 ? 2 : 3;
            QVERIFY2(result->faulty.size() == faulty, describe(*result).c_str());
            for (const audit::AuditedWeight &row : result->faulty)
                QVERIFY2(row.fault ==
                             (faulty == 2 ? audit::Kind::Swapped : audit::Kind::OtherTensor),
                         describe(*result).c_str());
        }
    }

    /// Tables of two entries keep little more than signs: enough to tell gates by, in any order.
    void gatesOfOneBit()
    {
        Values whole;
        for (std::size_t i = 0; i < 3; ++i)
            whole.insert(whole.end(), m_tensors[i].begin(), m_tensors[i].end());
        const BundlePtr checkpoint =
            checkpointOf({whole}, {"gru.weight_hh_l0"}, {{3 * kRows * kColumns, "192,64"}});
        std::vector<Stored> weights;
        for (const std::size_t gate : {2, 1, 0})
            weights.push_back(palettised(m_tensors[gate], 1, 1));
        const auto result = VERIFIED(audit::auditPackage(packageOf(weights, false), checkpoint));
        QVERIFY2(result->faulty.empty() && result->sound.size() == 3, describe(*result).c_str());
        QCOMPARE(result->sound[0].transform, std::string("rows 128 to 191 of 192"));
    }

    /// Queries, keys and values in one weight, of which one has the values of another layer, or two
    /// stand in the other order than in most layers.
    void joined_data()
    {
        const auto row = addColumns<std::vector<std::size_t>, std::string, audit::Rows>();
        row("sound", {}, "", {0, 0});
        row("exchanged", {1, 0, 2}, "channel-order", {0, 2 * kRows});
        row("of another layer", {0, 4, 2}, "other-rows", {kRows, 2 * kRows});
    }

    void joined()
    {
        const auto [order, kind, rows] =
            fetched<std::vector<std::size_t>, std::string, audit::Rows>();
        std::vector<Values> tensors;
        std::vector<std::string> names;
        std::mt19937_64 random(41);
        for (int layer = 0; layer < 3; ++layer) {
            for (const char *name : {"q_proj", "k_proj", "v_proj"}) {
                names.push_back(fmt::format("layers.{}.attn.{}.weight", layer, name));
                tensors.push_back(randomMatrix(random));
            }
        }
        const BundlePtr checkpoint = checkpointOf(tensors, names);
        MadeBundle made;
        for (std::size_t layer = 0; layer < 3; ++layer) {
            Values whole;
            for (std::size_t i = 0; i < 3; ++i) {
                const Values &part =
                    tensors[layer == 0 && !order.empty() ? order[i] : 3 * layer + i];
                whole.insert(whole.end(), part.begin(), part.end());
            }
            made.layer(fmt::format("layers_{}_attn_qkv_weight", layer), "[192, 64]", halves(whole));
        }
        const auto result =
            VERIFIED(audit::auditPackage(made.open().value_or(nullptr), checkpoint));
        QVERIFY2(result->faulty.size() == (order.empty() ? 0 : 1), describe(*result).c_str());
        QVERIFY(result->missing.empty() && result->unpaired.empty());
        if (order.empty())
            return;
        const audit::AuditedWeight &row = result->faulty[0];
        QCOMPARE(std::string(audit::kindName(*row.fault)), kind);
        QVERIFY2(row.rows == std::vector{rows}, describe(*result).c_str());
        QCOMPARE(row.checkpointName, names[kind == "other-rows" ? 1 : 0]);
    }

    /// One constant read in place of two parts of tensors: the second is not there.
    void sharedPart()
    {
        std::vector<Values> wholes;
        MadeBundle made;
        for (std::size_t layer = 0; layer < 2; ++layer) {
            Values &whole = wholes.emplace_back();
            for (std::size_t i = 0; i < 2; ++i) {
                const Values &part = m_tensors[2 * layer + i];
                whole.insert(whole.end(), part.begin(), part.end());
                if (layer == 1 && i == 1)
                    continue;
                const std::string name = fmt::format("layers_{}_part_{}", layer, i);
                addWeight(made, name, int8(part));
                if (layer == 0 && i == 1)
                    made.consume(name);
            }
        }
        const BundlePtr checkpoint =
            checkpointOf(wholes, {"layers.0.kv.weight", "layers.1.kv.weight"},
                         {{2 * kRows * kColumns, "128,64"}});
        const auto result =
            VERIFIED(audit::auditPackage(made.open().value_or(nullptr), checkpoint));
        QVERIFY2(result->faulty.size() == 1, describe(*result).c_str());
        QVERIFY(result->faulty[0].fault == audit::Kind::Repeated);
        QCOMPARE(result->faulty[0].checkpointName, std::string("layers.1.kv.weight"));
        QCOMPARE(result->faulty[0].transform, std::string("rows 64 to 127 of 128"));
    }

    /// Compressed weights without a tensor are counted, where tensors are missing.
    void notCompared()
    {
        const BundlePtr package = VERIFIED(packageOf({int8(m_tensors[0]), int8(m_tensors[1])}));
        for (const bool missing : {true, false}) {
            std::vector<Values> tensors{m_tensors[0]};
            if (missing)
                tensors.push_back(figures(100, 71));
            const auto result = VERIFIED(audit::auditPackage(package, checkpointOf(tensors)));
            QVERIFY2(result->faulty.empty() && result->sound.size() == 1,
                     describe(*result).c_str());
            QCOMPARE(result->notCompared, std::size_t(missing));
        }
    }

    /// Below the error of the form itself: the codes are not the nearest ones.
    void anotherStep()
    {
        std::mt19937_64 random(3);
        for (const auto &[make, amount] :
             {std::pair<Make, float>{int8, 0.08F}, {int4, 0.06F}, {dense, 0.03F}}) {
            std::normal_distribution<float> noise(0, amount * 0.13F);
            Values later = m_tensors[1];
            for (float &value : later)
                value += noise(random);
            std::vector<Stored> weights = stored(make);
            weights[1] = make(later);
            const auto result = audit::auditPackage(packageOf(weights), m_checkpoint);
            QVERIFY2(result && result->faulty.size() == 1, describe(*result).c_str());
            QCOMPARE(result->faulty[0].checkpointName, kNames[1]);
            QVERIFY2(result->faulty[0].fault == audit::Kind::OtherValues,
                     describe(*result).c_str());
        }
    }

    /// Converters store equal constants once: what was another before conversion is not there.
    void sharedByTheConverter()
    {
        MadeBundle made;
        for (std::size_t i = 0; i < 3; ++i) {
            std::string name = kNames[i];
            std::ranges::replace(name, '.', '_');
            addWeight(made, name, int8(m_tensors[i]));
            if (i == 1)
                made.consume(name);
        }
        const BundlePtr package = *made.open();
        const auto result = audit::auditPackage(package, m_checkpoint);
        QVERIFY2(result && result->faulty.size() == 1, describe(*result).c_str());
        QCOMPARE(result->faulty[0].checkpointName, kNames[3]);
        QVERIFY(result->faulty[0].fault == audit::Kind::Repeated && result->faulty[0].error > 1);
        std::vector<Values> equal = m_tensors;
        equal[3] = equal[1];
        const auto sound = audit::auditPackage(package, checkpointOf(equal));
        QVERIFY2(sound && sound->faulty.empty() && sound->missing.empty(),
                 describe(*sound).c_str());
    }

    /// The shape of a square matrix does not tell which axis is which: who reads it does.
    void squareMatrices_data()
    {
        const auto row = addColumns<QByteArray, QByteArray, QByteArray, bool>();
        row("inputs first", "const_0", "[1, 64, 64]", "matmul(x = x, y = const_0)", true);
        row("outputs first", "const_0", "[64, 64]", "linear(weight = const_0, x = x)", false);
        row("turned by a converter", "transpose_0", "[64, 64]",
            "linear(weight = transpose_0, x = x)", true);
    }

    void squareMatrices()
    {
        const auto [name, shape, call, sound] = fetched<QByteArray, QByteArray, QByteArray, bool>();
        Values turned = m_tensors[0];
        for (std::size_t i = 0; i < turned.size(); ++i)
            turned[i] = m_tensors[0][i % kColumns * kRows + i / kColumns];
        MadeBundle made;
        made.weight(name.toStdString(), shape.toStdString(), halves(turned));
        made.op("y", "[1, 8, 64]", call.toStdString());
        const auto result = VERIFIED(audit::auditPackage(
            made.open().value_or(nullptr), checkpointOf({m_tensors[0]}, {"k_proj.weight"})));
        QVERIFY2(result->faulty.empty() == sound, describe(*result).c_str());
        QVERIFY(sound ? result->sound.size() == 1
                      : result->faulty[0].fault == audit::Kind::Transposed);
    }

    /// A head that has the values of the embedding is the same constant.
    void headOfTheEmbedding()
    {
        MadeBundle made;
        made.weight("const_0", "[64, 64]", halves(m_tensors[0]));
        made.op("y", "[1, 64]", "gather(indices = i, x = const_0)");
        made.op("z", "[1, 64]", "linear(weight = const_0, x = y)");
        const BundlePtr package = made.open().value_or(nullptr);
        const auto result = VERIFIED(audit::auditPackage(
            package, checkpointOf({m_tensors[0], m_tensors[1]}, {"embed.weight", "head.weight"})));
        QVERIFY2(result->faulty.size() == 1, describe(*result).c_str());
        QCOMPARE(result->faulty[0].checkpointName, std::string("head.weight"));
        QVERIFY(result->faulty[0].fault == audit::Kind::Repeated);
        // Of a checkpoint of which the package is a part nothing is known.
        const auto part = VERIFIED(audit::auditPackage(
            package, checkpointOf({m_tensors[0], m_tensors[1], m_tensors[2]},
                                  {"embed.weight", "other.weight", "encoder.weight"})));
        QVERIFY2(part->faulty.empty() && part->missing.size() == 2, describe(*part).c_str());
    }

    /// What coremltools leaves of a tensor that it divides by scales and then skips.
    void dividedColumns()
    {
        Stored divided = dense(m_tensors[2]);
        for (std::size_t i = 0; i < divided.dense.size(); ++i)
            divided.dense[i] *= 0.5F + float(i % kColumns);
        std::vector<Stored> weights = stored(dense);
        weights[2] = divided;
        const auto result = audit::auditPackage(packageOf(weights), m_checkpoint);
        QVERIFY2(result && result->faulty.size() == 1, describe(*result).c_str());
        QVERIFY(result->faulty[0].fault == audit::Kind::RowsScaled);
        QVERIFY(result->faulty[0].why.starts_with("Each column"));
    }

    /// Entries of several outputs: other indices, and tables that were moved.
    void vectorsOfOthers()
    {
        const auto later = [this](float amount) {
            std::mt19937_64 random(5);
            std::normal_distribution<float> noise(0, amount);
            Values values = m_tensors[1];
            for (float &value : values)
                value += noise(random);
            return vectors(values);
        };
        Stored random = vectors(m_tensors[1]), permuted = random, moved = random;
        std::mt19937_64 source(11);
        std::ranges::shuffle(random.codes, source);
        for (std::size_t at = 0; at < permuted.table.size(); at += 32)
            std::rotate(permuted.table.begin() + std::ptrdiff_t(at),
                        permuted.table.begin() + std::ptrdiff_t(at + 2),
                        permuted.table.begin() + std::ptrdiff_t(at + 32));
        for (float &entry : moved.table)
            entry *= 2;
        for (const Stored &wrong : {random, permuted, moved, later(0.3F)}) {
            std::vector<Stored> weights = stored(vectors);
            weights[1] = wrong;
            const auto result = audit::auditPackage(packageOf(weights), m_checkpoint);
            QVERIFY2(result && result->faulty.size() == 1, describe(*result).c_str());
            QCOMPARE(result->faulty[0].checkpointName, kNames[1]);
        }
    }

    void leftDense()
    {
        std::vector<Stored> weights = stored(int4);
        weights[3] = dense(m_tensors[3]);
        const auto result = audit::auditPackage(packageOf(weights), m_checkpoint);
        QVERIFY2(result && result->faulty.size() == 1, describe(*result).c_str());
        QCOMPARE(result->faulty[0].checkpointName, kNames[3]);
        QVERIFY(result->faulty[0].fault == audit::Kind::NotCompressed);
    }

    /// Numbers count upwards; other names stand as they mostly do in the program.
    void order()
    {
        const std::vector<std::string> names{"l.0.b",  "l.0.a",  "l.1.a", "l.1.b",
                                             "l.10.b", "l.10.a", "l.2.a", "l.2.b"};
        // b before a, but for layer 1, where they are swapped.
        const std::vector<std::optional<double>> positions{0, 1, 2, 3, 6, 7, 5, 4};
        const std::vector<std::size_t> ranks = audit::expectedOrder(names, positions);
        QCOMPARE(ranks, (std::vector<std::size_t>{0, 1, 3, 2, 6, 7, 5, 4}));
    }

    /// One pair of swapped weights does not overturn the order of the others.
    void orderOfSwapped_data()
    {
        addColumns<std::vector<std::string>, std::vector<double>>();
        QTest::newRow("of two modules")
            << std::vector<std::string>{"encoder.0.weight", "encoder.0.bias",   "encoder.2.weight",
                                        "encoder.2.bias",   "decoder.0.weight", "decoder.0.bias",
                                        "decoder.2.weight", "decoder.2.bias"}
            << std::vector<double>{14, 1, 2, 3, 0, 15, 16, 17};
        QTest::newRow("of two layers")
            << std::vector<std::string>{"0.q_proj.weight", "0.k_proj.weight", "1.q_proj.weight",
                                        "1.k_proj.weight", "2.q_proj.weight", "2.k_proj.weight"}
            << std::vector<double>{0, 1, 5, 3, 4, 2};
        const std::vector<std::string> gru{"weight_ih_l0", "bias_ih_l0", "weight_hh_l0",
                                           "bias_hh_l0"};
        QTest::newRow("weights of a cell") << gru << std::vector<double>{2, 1, 0, 3};
        QTest::newRow("biases of a cell") << gru << std::vector<double>{0, 3, 2, 1};
    }

    void orderOfSwapped()
    {
        const auto [names, places] = fetched<std::vector<std::string>, std::vector<double>>();
        const std::vector<std::optional<double>> positions(places.begin(), places.end());
        const std::vector<std::size_t> ranks = audit::expectedOrder(names, positions);
        for (const std::string_view end : {"weight", "bias"}) { // of each class on its own
            std::vector<std::size_t> some;
            for (std::size_t i = 0; i < names.size(); ++i) {
                if (names[i].find(end) != std::string::npos)
                    some.push_back(ranks[i]);
            }
            QVERIFY(std::ranges::is_sorted(some));
        }
    }

    /// Two layers have exchanged all of their queries, keys and values: the rest tells it.
    void exchangedLayers()
    {
        const std::vector<std::string> parts{"norm.weight",   "q_proj.weight", "k_proj.weight",
                                             "v_proj.weight", "o_proj.weight", "norm2.weight",
                                             "up.weight",     "down.weight",   "norm3.weight"};
        std::mt19937_64 random(31);
        std::vector<Values> tensors;
        std::vector<std::string> names;
        for (std::size_t i = 0; i < 2 * parts.size(); ++i) {
            names.push_back(fmt::format("l.{}.{}", i / parts.size(), parts[i % parts.size()]));
            tensors.push_back(names.back().find("norm") != std::string::npos
                                  ? figures(kColumns, 61U + unsigned(i))
                                  : randomMatrix(random));
        }
        const BundlePtr checkpoint = VERIFIED(checkpointOf(tensors, names));
        for (const std::size_t exchanged : {0U, 3U, 7U}) {
            MadeBundle made;
            for (std::size_t i = 0; i < names.size(); ++i) {
                const std::size_t part = i % parts.size();
                const bool moved = part > 0 && part <= exchanged;
                const Values &values = tensors[moved ? (i + parts.size()) % names.size() : i];
                const std::string name = fmt::format("const_{}", i);
                made.weight(name, values.size() == kColumns ? "[64]" : "[64, 64]", halves(values));
                made.consume(name);
            }
            const auto result =
                VERIFIED(audit::auditPackage(made.open().value_or(nullptr), checkpoint));
            // Of most parts it may as well be the order of the layers: two are left.
            const std::size_t named = exchanged == 7 ? 4 : 2 * exchanged;
            QVERIFY2(result->faulty.size() == named, describe(*result).c_str());
            for (const audit::AuditedWeight &row : result->faulty)
                QVERIFY2(row.fault == audit::Kind::Swapped, describe(*result).c_str());
        }
    }

    /// Names come from a file: neither their length nor their number is one that a module has.
    void orderOfStrangeNames()
    {
        std::vector<std::string> names{"0" + std::string(400, '9'), std::string(400, '9'), "8"};
        std::string deep;
        for (int i = 0; i < 100000; ++i)
            deep += "a.";
        names.push_back(deep);
        for (int i = 0; i < 40000; ++i)
            names.push_back("t" + std::to_string(i));
        const std::vector<std::optional<double>> positions(names.size(), 1.0);
        std::vector<std::size_t> ranks = audit::expectedOrder(names, positions);
        QVERIFY(ranks[2] < ranks[0] &&
                ranks[2] < ranks[1]); // by their value, whatever their length
        std::ranges::sort(ranks);
        for (std::size_t i = 0; i < ranks.size(); ++i)
            QCOMPARE(ranks[i], i);
    }
};

KERNSCOPE_TEST(TestAuditLayers, NoApplication)
#include "tst_audit_layers.moc"
