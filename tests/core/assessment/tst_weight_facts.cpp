// SPDX-License-Identifier: GPL-3.0-or-later
// Bundles of every form judged by every chip.
#include "core/assessment/weight_layers.h"
#include "made_bundle.h"
#include "tests/data/data_folder.h"
#include "tests/rows.h"

class TestWeightFacts : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void outcomesOfTheMadeBundles_data()
    {
        // outcomes: on H13, H14, H15, H17s, H18
        const auto row = addColumns<QString>();
        row("affine8", "folds streams streams streams streams");
        row("blockwise", "folds folds streams streams streams");
        row("lut4", "streams streams streams streams streams");
        row("sparse", "streams streams streams streams streams");
        row("dense", "dense dense dense dense dense");
    }
    void outcomesOfTheMadeBundles()
    {
        const auto [outcomes] = fetched<QString>();
        const QString path =
            dataPath(u"bundles/"_s + QString::fromUtf8(QTest::currentDataTag()) + u".mlmodelc"_s);
        KERNSCOPE_NEEDS(path);
        const auto bundle = VERIFIED(Bundle::open(path.toStdString()));
        const DecisionTable table(**bundle, allTargets());
        QCOMPARE(table.rows(), (*bundle)->weights().size());
        const QStringList expected = outcomes.split(QLatin1Char(' '));
        const char *const names[] = {"H13", "H14", "H15", "H17s", "H18"};
        for (int i = 0; i < expected.size(); ++i) {
            const std::size_t column = table.columnOf(*target::findTarget(names[i])->target);
            std::uint64_t moved = 0;
            for (std::size_t row = 0; row < table.rows(); ++row) {
                const auto decision = table.assessment(row, column).decision;
                QCOMPARE(
                    QString::fromStdString(std::string(decision::outcomeName(decision.outcome()))),
                    expected[i]);
                moved += decision.bytesMoved.value_or(0);
            }
            QCOMPARE(table.totals(column).bytesMoved, moved);
        }
    }

    /// Without its weight file a bundle is judged as with it: the program's types say the forms.
    void withoutTheWeightFile_data() { outcomesOfTheMadeBundles_data(); }
    void withoutTheWeightFile()
    {
        const QString path =
            dataPath(u"bundles/"_s + QString::fromUtf8(QTest::currentDataTag()) + u".mlmodelc"_s);
        QFile program(path + u"/model.mil"_s);
        if (!program.open(QIODevice::ReadOnly))
            QSKIP("KERNSCOPE_DATA has no made bundles");
        const QByteArray text = program.readAll();
        const auto bytes = std::as_bytes(std::span(text.constData(), std::size_t(text.size())));
        OpenOptions options;
        options.memory.emplace_back("model.mil", std::vector(bytes.begin(), bytes.end()));
        const auto whole = Bundle::open(path.toStdString());
        const auto alone = Bundle::open("alone.mlmodelc", options);
        QVERIFY(whole && alone && hasErrors((*alone)->diagnostics()));
        const auto forms = weightForms(**whole), declared = weightForms(**alone);
        QCOMPARE(declared.size(), forms.size());
        for (std::size_t i = 0; i < forms.size(); ++i) {
            QVERIFY((*alone)->weights()[i].fault);
            QCOMPARE(declared[i].key(), forms[i].key());
            QCOMPARE(declared[i].bits, forms[i].bits);
            QVERIFY(declared[i].storedBytes == forms[i].storedBytes);
            QVERIFY(declared[i].density == forms[i].density);
        }
        const DecisionTable table(**whole, allTargets()), other(**alone, allTargets());
        for (std::size_t row = 0; row < table.rows(); ++row) {
            for (std::size_t column = 0; column < table.columns(); ++column)
                QVERIFY(other.assessment(row, column).outcome ==
                        table.assessment(row, column).outcome);
        }
    }

    /// What makes the weight is not known, or it cannot be decoded: nor is known what a chip does
    /// with it, nor what that costs.
    void unknownForms_data()
    {
        const auto row = addColumns<QString>();
        row("constexpr_magic_to_dense", "data = $halves");
        row("constexpr_lut_to_dense", "indices = $nibbles, lut = $codebook");
        row("constexpr_blockwise_shift_scale", "data = $nibbles, scale = $halves");
        row("constexpr_sparse_to_dense", "mask = $bits, nonzero_data = $codebook");
    }
    void unknownForms()
    {
        auto [operands] = fetched<QString>();
        MadeBundle made;
        const auto blob = [&](const char *name, ElementType type, const char *shape, int bytes) {
            operands.replace(QLatin1String(name),
                             QString::fromStdString(made.blob(
                                 type, shape, Bytes(std::size_t(bytes), std::byte{0x30}))));
        };
        blob("$halves", ElementType::Fp16, "[4, 8, 1]", 64);
        blob("$nibbles", ElementType::Uint4, "[4, 8]", 16);
        blob("$codebook", ElementType::Fp16, "[1, 1, 8, 1]", 16);
        blob("$bits", ElementType::Uint1, "[4, 8]", 4);
        made.line("tensor<fp16, [4, 8]> w = " + std::string(QTest::currentDataTag()) + "(" +
                  operands.toStdString() + ")[name = string(\"w\")]");
        made.consume("w");
        const auto bundle = VERIFIED(made.open());
        const auto index = (*bundle)->weightByName("w");
        QVERIFY(index && (*bundle)->weights()[*index].fault);
        const DecisionTable table(**bundle, allTargets());
        for (std::size_t column = 0; column < table.columns(); ++column) {
            const auto found = table.assessment(*index, column);
            QVERIFY(found.outcome == decision::Outcome::Unknown);
            QVERIFY(!found.decision.bytesMoved);
            QVERIFY(!found.timeS);
            QCOMPARE(found.form, "unknown");
            QCOMPARE(table.totals(column).unknown, 1U);
        }
    }

    /// Of what another operation makes, what that operation stores decides.
    void storageOfMadeOperands()
    {
        using codec::Encoding;
        using codec::Operand;
        using codec::PartRole;
        const auto stored = [](ElementType type, ElementType decoded) {
            Encoding encoding;
            encoding.type = decoded;
            encoding.shape = {2, 4};
            encoding.payload = Operand{PartRole::Data, type, {2, 4}, {}};
            return encoding;
        };
        const auto described = [](const Encoding &encoding) {
            Weight weight;
            weight.form = StorageForm(encoding);
            decision::WeightForm form;
            describeStorage(weight, form);
            return form;
        };
        // A palette whose codebook is looked up in another codebook.
        Encoding book = stored(ElementType::Uint1, ElementType::Fp16);
        book.palette.emplace();
        book.palette->lut = Operand{PartRole::Lut, ElementType::Int8, {2}, {}};
        Encoding twoLevels = stored(ElementType::Uint4, ElementType::Fp16);
        twoLevels.palette.emplace();
        twoLevels.palette->lut = std::make_shared<const Encoding>(book);
        auto form = described(twoLevels);
        QCOMPARE(form.node, FormNode::Palette);
        QCOMPARE(form.bits, 4U);
        QCOMPARE(form.element, ElementType::Int8);
        QVERIFY(!form.masked);
        // Values behind a mask that are codes with scales.
        Encoding codes = stored(ElementType::Int8, ElementType::Fp16);
        codes.scaling.emplace();
        codes.scaling->scale = Operand{PartRole::Scale, ElementType::Fp16, {}, {}};
        Encoding masked = stored(ElementType::Fp16, ElementType::Fp16);
        masked.mask = Operand{PartRole::Mask, ElementType::Uint1, {2, 4}, {}};
        masked.payload = std::make_shared<const Encoding>(codes);
        form = described(masked);
        QCOMPARE(form.node, FormNode::Affine);
        QCOMPARE(form.element, ElementType::Int8);
        QVERIFY(form.masked);
        QCOMPARE(form.key(), "sparse+int8");
        // int8 with one scale a channel or tensor, whichever operation writes it; a scale a block
        // stays what it is, and so do four bits.
        const auto scaled = [&](ElementType type, const Shape &scales) {
            Encoding blocks = stored(type, ElementType::Fp16);
            blocks.scaling.emplace();
            blocks.scaling->kind = codec::Scaling::Kind::Blockwise;
            blocks.scaling->scale = Operand{PartRole::Scale, ElementType::Fp16, scales, {}};
            return described(blocks).key();
        };
        QCOMPARE(scaled(ElementType::Int8, {2, 1}), "int8");
        QCOMPARE(scaled(ElementType::Uint8, {1, 1}), "int8");
        QCOMPARE(scaled(ElementType::Int8, {1, 4}), "int8");
        QCOMPARE(scaled(ElementType::Int8, {2, 2}), "blockwise");
        QCOMPARE(scaled(ElementType::Int8, {1, 2}), "blockwise");
        QCOMPARE(scaled(ElementType::Int4, {2, 1}), "blockwise4");
        // Unsound ones: the steps alone.
        Weight unsound;
        unsound.form = StorageForm::unsound(FormNode::Microscaled, ElementType::Fp4E2M1);
        describeStorage(unsound, form);
        QCOMPARE(form.key(), "mxfp4");
        unsound.form = StorageForm::unsound(FormNode::Palette, ElementType::Fp16);
        describeStorage(unsound, form); // neither indices nor codebook: no width is known
        QCOMPARE(form.key(), "unknown");
    }

    /// int8 of iOS 18 with one scale a channel is the int8 of table 7.1, with an offset of zeros
    /// too.
    void oneScaleAChannelIsInt8()
    {
        MadeBundle made;
        const auto weight = [&made](const char *name, const char *scales, std::size_t count,
                                    std::byte offset) {
            const std::string shape = scales;
            made.line("tensor<fp16, [4, 64]> " + std::string(name) +
                      " = constexpr_blockwise_shift_scale(data = " +
                      made.blob(ElementType::Int8, "[4, 64]", Bytes(256, std::byte{3})) +
                      ", offset = " + made.blob(ElementType::Int8, shape, Bytes(count, offset)) +
                      ", scale = " +
                      made.blob(ElementType::Fp16, shape, Bytes(2 * count, std::byte{0x30})) +
                      ")[name = string(\"" + name + "\")]");
            made.consume(name);
        };
        weight("channels", "[4, 1]", 4, {});
        weight("tensor_wide", "[1, 1]", 1, {});
        weight("shifted", "[4, 1]", 4, std::byte{1});
        weight("blocks", "[4, 2]", 8, {});
        const auto bundle = VERIFIED(made.open());
        const DecisionTable table(**bundle, allTargets());
        const auto outcome = [&](const char *name, const char *chip) {
            const std::size_t column = table.columnOf(*target::findTarget(chip)->target);
            const auto assessed = table.assessment(*(*bundle)->weightByName(name), column);
            return assessed.form + " " + std::string(decision::outcomeName(assessed.outcome));
        };
        for (const char *name : {"channels", "tensor_wide"}) {
            QCOMPARE(outcome(name, "M1"), "int8 folds");
            QCOMPARE(outcome(name, "M2"), "int8 streams");
            QCOMPARE(outcome(name, "M6"), "int8 streams");
        }
        QCOMPARE(outcome("shifted", "M2"), "int8 streams");
        QCOMPARE(outcome("blocks", "M2"), "blockwise folds");
        const auto &verdict = table.verdict(*(*bundle)->weightByName("channels"),
                                            table.columnOf(*target::findTarget("M1")->target));
        QVERIFY2(verdict.nearestChange.find("int8") == std::string::npos,
                 verdict.nearestChange.c_str());
        // The words of the contract name the operation.
        const Weight &channels = (*bundle)->weights()[*(*bundle)->weightByName("channels")];
        QCOMPARE(formText(channels.form), "blockwise");
    }

    /// Channels as the operation reads them, whatever order the weight is stored in.
    void readThroughATranspose()
    {
        MadeBundle made;
        const auto blob = [&](const char *name, const char *shape, std::size_t elements) {
            made.constant(std::string("tensor<fp16, ") + shape + ">", name,
                          made.blob(ElementType::Fp16, shape, Bytes(2 * elements)));
        };
        blob("w", "[4, 6]", 24); // turned: six outputs of four inputs
        made.op("t", "[6, 4]", "transpose(perm = tensor<int32, [2]>([1, 0]), x = w)");
        made.op("y", "[1, 6]", "linear(weight = t, x = x)");
        blob("k", "[5, 4]", 20); // of a kernel of one place
        made.op("r", "[5, 4, 1]", "reshape(shape = tensor<int32, [3]>([5, 4, 1]), x = k)");
        made.op("z", "[1, 5, 9]", "conv(weight = r, x = x)");
        const auto bundle = VERIFIED(made.open());
        const auto layers = layersOf(**bundle, weightForms(**bundle));
        QCOMPARE(layers.size(), 2U);
        QVERIFY(layers[0].operation);
        QCOMPARE(layers[0].operation->outputChannels, 6U);
        QCOMPARE(layers[0].operation->inputChannels, 4U);
        QCOMPARE(layers[0].function, "main");
        QVERIFY(!layers[1].operation); // which extents are the kernel's is not said
    }

    /// The axes of the stored weight that its outputs and what they sum over lie along.
    void channelsOfOperations_data()
    {
        addRowsOf<QByteArray, QByteArray, int, int, int>("core/assessment/channels.tsv");
    }
    void channelsOfOperations()
    {
        const auto [shape, statements, output, input, batches] =
            fetched<QByteArray, QByteArray, int, int, int>();
        MadeBundle made;
        std::size_t elements = 1;
        for (const QByteArray &extent : shape.mid(1, shape.size() - 2).split(','))
            elements *= extent.trimmed().toULongLong();
        const std::string dims = shape.toStdString();
        made.weight("w", dims, Bytes(2 * elements));
        std::string first = "tensor<fp16, [1, 6]> ";
        if (statements.startsWith("t = transpose"))
            first = shape == "[4, 6]" ? "tensor<fp16, [6, 4]> " : "tensor<fp16, [4, 6]> ";
        else if (statements.startsWith("t = reshape"))
            first = "tensor<fp16, [6, 4, 1]> ";
        else if (statements.startsWith("t = "))
            first = "tensor<fp16, [6, 4]> ";
        made.line(first + statements.toStdString() + "[name = string(\"y\")]");
        const auto bundle = VERIFIED(made.open());
        const Weight &weight = (*bundle)->weights()[*(*bundle)->weightByName("w")];
        QCOMPARE(weight.consumers.size(), 1U);
        const ChannelAxes axes = channelAxes(weight, weight.consumers.front());
        QCOMPARE(int(axes.output), output);
        QCOMPARE(int(axes.input), input);
        QCOMPARE(int(axes.batches), batches);
    }

    /// A vector has no second extent: what is multiplied by it keeps all its rows.
    void vectorsOfAMatmul()
    {
        MadeBundle made;
        made.parameters = "tensor<fp16, [4, 10, 64]> x, tensor<fp16, [64, 10]> t";
        const auto vector = [&made](const char *name, const char *shape) {
            made.constant(std::string("tensor<fp16, ") + shape + ">", name,
                          made.blob(ElementType::Fp16, shape, Bytes(128)));
        };
        vector("v", "[64]");
        made.op("y", "[4, 10]", "matmul(x = x, y = v)");
        vector("u", "[64]");
        made.op("z", "[10]", "matmul(x = u, y = t)");
        vector("w", "[1, 64]"); // read as a vector
        made.op("q", "[64]", "squeeze(x = w)");
        made.op("p", "[4, 10]", "matmul(x = x, y = q)");
        const auto bundle = VERIFIED(made.open());
        const auto layers = layersOf(**bundle, weightForms(**bundle));
        QCOMPARE(layers.size(), 3U);
        const std::array<std::uint64_t, 3> pixels{40, 10, 40};
        for (std::size_t i = 0; i < layers.size(); ++i) {
            QVERIFY(layers[i].operation);
            QCOMPARE(layers[i].operation->inputChannels, 64U);
            QCOMPARE(layers[i].operation->outputChannels, 1U);
            QCOMPARE(layers[i].operation->outputWidth, pixels[i]);
            const auto geometry =
                decision::computeGeometry(*target::findTarget("M1")->target, *layers[i].operation);
            QVERIFY(geometry && geometry->cycles.macs);
            QCOMPARE(2 * *geometry->cycles.macs, layers[i].flops.value_or(0));
        }
    }

    /// A table moves the rows that are fetched, by whomever is asked.
    void rowsOfATable()
    {
        MadeBundle made;
        made.parameters = "tensor<int32, [3]> x, tensor<int32, [?]> n";
        made.weight("w", "[100, 4]", Bytes(800));
        made.op("y", "[3, 4]", "gather(indices = x, x = w)");
        made.weight("v", "[100, 4]", Bytes(800));
        made.op("z", "[?, 4]", "gather(indices = n, x = v)");
        const auto bundle = VERIFIED(made.open());
        const DecisionTable table(**bundle, {target::findTarget("M1")->target});
        const auto known = table.assessment(0, 0), open = table.assessment(1, 0);
        QCOMPARE(known.decision.bytesMoved.value_or(0), 24U);
        QCOMPARE(known.weightBytes.value_or(0), 24U);
        QCOMPARE(known.bytes.value_or(0), 24.0); // what goes in and out stays on chip
        QVERIFY(!open.decision.bytesMoved && !open.bytes);
        QCOMPARE(table.totals(0).bytesMoved, 24U);
        QCOMPARE(table.totals(0).movedOpen, 1U);
    }

    /// An operand of any other operation is no layer: no form of it streams.
    void addedConstants()
    {
        MadeBundle made;
        made.parameters = "tensor<fp16, [1024, 4]> x, tensor<int32, [3]> n";
        made.weight("added", "[1024, 4]", Bytes(8192));
        made.op("y", "[1024, 4]", "add(x = x, y = added)");
        made.weight("rows", "[1024, 4]", Bytes(8192));
        made.op("z", "[3, 4]", "gather(indices = n, x = rows)");
        const auto bundle = VERIFIED(made.open());
        const DecisionTable table(**bundle, {target::findTarget("M1")->target});
        const std::string &added = table.verdict(0, 0).nearestChange;
        QVERIFY2(added.starts_with("No change is known: the gates apply to"), added.c_str());
        const std::string &rows = table.verdict(1, 0).nearestChange;
        QVERIFY2(rows.starts_with("It streams on H13 stored as"), rows.c_str());
    }

    /// What equal layers have in common is kept once: each is still given out as it is.
    void layersOfTheTable()
    {
        MadeBundle made;
        made.parameters = "tensor<fp16, [3, 4]> x";
        const auto add = [&made](const std::string &name, const std::string &rows) {
            const std::string shape = "[" + rows + ", 4]";
            made.weight(name, shape, Bytes(8 * std::size_t(std::stoi(rows))));
            made.line("tensor<fp16, [3, " + rows + "]> y_" + name + " = linear(weight = " + name +
                      ", x = x)[name = string(\"y_" + name + "\")]");
        };
        add("a", "6");
        add("b", "6");
        add("c", "8");
        add("d", "6");
        const auto bundle = VERIFIED(made.open());
        const LayerReader reader(**bundle);
        QCOMPARE(reader.weights(), 4U);
        const DecisionTable table(**bundle, allTargets());
        for (std::size_t i = 0; i < reader.weights(); ++i) {
            const WeightLayers weight = reader.at(i);
            QVERIFY(table.layer(i) == weight.judged);
            QVERIFY(table.form(i) == weight.form);
            for (std::size_t column = 0; column < table.columns(); ++column)
                QCOMPARE(table.bytesMoved(i, column), table.bytesMoved(i == 2 ? 2 : 0, column));
        }
        QCOMPARE(table.layer(3).name, "y_d");
        QCOMPARE(table.layer(3).weight, 3U);
    }

    void openAndUnsoundExtents()
    {
        MadeBundle made;
        made.parameters = "tensor<fp16, [?, 4]> x";
        made.weight("w", "[6, 4]", Bytes(48));
        made.op("y", "[?, 6]", "linear(weight = w, x = x)");
        made.weight("k", "[8, 2, 1]", Bytes(32));
        made.line("int32 g = const()[name = string(\"g\"), val = int32(3)]");
        made.op("z", "[1, 8, 5]", "conv(groups = g, weight = k, x = x)");
        const auto bundle = VERIFIED(made.open());
        const auto layers = layersOf(**bundle, weightForms(**bundle));
        QCOMPARE(layers.size(), 2U);
        QVERIFY(layers[0].operation && !layers[0].operation->outputKnown);
        QVERIFY(!layers[1].operation); // three groups do not divide eight channels
    }

    void layersAndOperations()
    {
        const QString path = dataPath(u"bundles/sparse.mlmodelc"_s);
        KERNSCOPE_NEEDS(path);
        const auto bundle = VERIFIED(Bundle::open(path.toStdString()));
        const auto forms = weightForms(**bundle);
        const auto layers = layersOf(**bundle, forms);
        QCOMPARE(layers.size(), (*bundle)->weights().size());
        for (const roofline::Layer &layer : layers) {
            const Weight &weight = (*bundle)->weights()[layer.weight];
            const auto operation = VERIFIED(
                operationOf(weight, weight.consumers[layer.consumer], forms[layer.weight]));
            // Twice the multiplications, by two ways.
            const auto geometry =
                VERIFIED(decision::computeGeometry(*target::findTarget("M1")->target, *operation));
            QVERIFY(geometry->cycles.macs && layer.operation->outputKnown);
            QCOMPARE(2 * *geometry->cycles.macs, layer.flops.value_or(0));
            QVERIFY(layer.form.masked && layer.form.density);
            const double ratio = double(*layer.form.storedBytes) / double(layer.form.denseBytes);
            QVERIFY(std::abs(ratio - (1.0 / 16 + *layer.form.density)) < 0.01);
        }
    }
};

KERNSCOPE_TEST(TestWeightFacts, QCoreApplication)
#include "tst_weight_facts.moc"
