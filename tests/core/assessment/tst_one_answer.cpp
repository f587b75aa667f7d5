// SPDX-License-Identifier: GPL-3.0-or-later
// The embedded sample, a bundle of every form, and products by other operations than linear layers,
// every bundle of the data folder, and every chip: every part gives the same answer.
#include "made_programs.h"
#include "one_answer.h"
#include "resources/sample.h"
#include "sample_bundles.h"
#include "tests/data/data_folder.h"

namespace {

/// Weights whose extents no block of 32 divides, read by operations that take channels from other
/// axes than the encoders.
MadeBundle unevenBundle()
{
    MadeBundle made;
    made.parameters = "tensor<fp16, [1, 5, 3]> a, tensor<fp16, [4, 10, 64]> z, "
                      "tensor<int32, [2, 7]> i, tensor<fp16, [1, 9, 20]> t";
    const auto weight = [&](const char *name, const char *shape, std::size_t elements) {
        const Bytes bytes = halves(elements, [&](std::size_t n) {
            const auto value = static_cast<float>((n * 2654435761U >> 7) % 201) / 100 - 1;
            return n % 9 == 0 ? 0 : value;
        });
        made.constant(std::string("tensor<fp16, ") + shape + ">", name,
                      made.blob(ElementType::Fp16, shape, bytes));
    };
    made.result = "c";
    weight("odd", "[16, 9, 3]", 16 * 9 * 3);
    made.op("c", "[1, 16, 18]", "conv(weight = odd, x = t)");
    weight("turned", "[9, 16, 3]", 9 * 16 * 3);
    made.op("d", "[1, 16, 22]", "conv_transpose(weight = turned, x = t)");
    weight("right", "[64, 48]", 64 * 48);
    made.op("m", "[4, 10, 48]", "matmul(x = z, y = right)");
    weight("summed", "[64, 40]", 64 * 40);
    made.op("e", "[4, 10, 40]", "einsum(equation = string(\"bij,jk->bik\"), values = (z, summed))");
    weight("table", "[100, 24]", 100 * 24);
    made.op("g", "[2, 7, 24]", "gather(axis = int32(0), indices = i, x = table)");
    weight("narrow", "[400, 3]", 400 * 3);
    made.op("l", "[1, 5, 400]", "linear(weight = narrow, x = a)");
    weight("vector", "[64]", 64);
    made.op("v", "[4, 10]", "matmul(x = z, y = vector)");
    return made;
}

/// A convolution whose weight keeps every second element behind a mask; of the kept ones, every
/// fourth is the codebook's zero.
MadeBundle zerosBehindMask()
{
    MadeBundle made;
    made.parameters = "tensor<fp16, [1, 64, 8, 8]> x";
    const std::string shape = "[128, 64, 1, 1]";
    const Bytes mask(128 * 64 / 8, std::byte{0x55});
    Bytes codes;
    for (int i = 0; i < 128 * 64 / 4; ++i)
        codes.push_back(i % 2 == 0 ? std::byte{0x10} : std::byte{0x32});
    const Bytes book = halves(16, [&](int i) { return static_cast<float>(i); });
    made.line("tensor<uint1, " + shape +
              "> m, tensor<fp16, [4096]> v = constexpr_lut_to_sparse("
              "indices_mask = " +
              made.blob(ElementType::Uint1, shape, mask) +
              ", indices_nonzero_data = " + made.blob(ElementType::Uint4, "[4096]", codes) +
              ", lut = " + made.blob(ElementType::Fp16, "[1, 1, 1, 1, 16, 1]", book) +
              ")[name = string(\"p\")]");
    made.line("tensor<fp16, " + shape +
              "> w = constexpr_sparse_to_dense(mask = m, nonzero_data = v)"
              "[name = string(\"w\")]");
    made.op("y", "[1, 128, 8, 8]", "conv(weight = w, x = x)");
    made.result = "y";
    return made;
}

/// Products that are no plain linear layer: einsum by several equations, attention, batches,
/// convolutions with strides, groups and several axes, a vector.
MadeBundle productsBundle()
{
    MadeBundle made;
    made.parameters = "tensor<fp16, [4, 10, 64]> z, tensor<fp16, [2, 3, 5, 64]> h, "
                      "tensor<fp16, [1, 16, 9, 9]> t, tensor<fp16, [?, 64]> n";
    const auto weight = [&](const char *name, const char *shape, std::size_t elements) {
        made.constant(std::string("tensor<fp16, ") + shape + ">", name,
                      made.blob(ElementType::Fp16, shape, Bytes(2 * elements)));
    };
    const auto line = [&](const char *shape, const char *name, const std::string &call) {
        made.line(std::string("tensor<fp16, ") + shape + "> " + name + " = " + call +
                  "[name = string(\"" + name + "\")]");
    };
    const auto einsum = [&](const char *shape, const char *name, const char *equation,
                            const char *values) {
        line(shape, name,
             std::string("einsum(equation = string(\"") + equation + "\"), values = (" + values +
                 "))");
    };
    made.result = "e0";
    weight("w0", "[64, 40]", 64 * 40);
    einsum("[4, 10, 40]", "e0", "bij,jk->bik", "z, w0");
    weight("w1", "[40, 64]", 64 * 40);
    einsum("[4, 10, 40]", "e1", "kj,bij->bik", "w1, z");
    weight("w2", "[3, 64, 8]", 3 * 64 * 8); // a matrix for each head
    einsum("[2, 3, 5, 8]", "e2", "bhqd,hdk->bhqk", "h, w2");
    weight("w3", "[64, 3, 8]", 3 * 64 * 8); // two letters of outputs
    einsum("[4, 10, 3, 8]", "e3", "bij,jhk->bihk", "z, w3");
    weight("w4", "[64]", 64);
    einsum("[4, 10]", "e4", "bij,j->bi", "z, w4");
    weight("w5", "[4, 10, 64]", 4 * 10 * 64); // nothing is summed over
    einsum("[4, 10, 64]", "e5", "bij,bij->bij", "z, w5");
    weight("w6", "[64, 40]", 64 * 40);
    einsum("[?, 40]", "e6", "ij,jk->ik", "n, w6");
    weight("key", "[2, 3, 7, 64]", 2 * 3 * 7 * 64);
    weight("value", "[2, 3, 7, 32]", 2 * 3 * 7 * 32);
    line("[2, 3, 5, 32]", "a0",
         "scaled_dot_product_attention(query = h, key = key, value = value)");
    weight("query", "[2, 3, 6, 64]", 2 * 3 * 6 * 64);
    line("[2, 3, 6, 64]", "a1", "scaled_dot_product_attention(query = query, key = h, value = h)");
    weight("apart", "[4, 64, 48]", 4 * 64 * 48); // another matrix for each of the four
    line("[4, 10, 48]", "m0", "matmul(x = z, y = apart)");
    weight("turned", "[16, 8, 3, 3]", 16 * 8 * 9);
    line("[1, 8, 18, 18]", "t0",
         "conv_transpose(pad_type = string(\"same\"), strides = tensor<int32, [2]>([2, 2]), "
         "weight = turned, x = t)");
    weight("grouped", "[32, 8, 3, 3]", 32 * 8 * 9);
    line("[1, 32, 9, 9]", "c0",
         "conv(groups = int32(2), pad_type = string(\"same\"), weight = grouped, x = t)");
    return made;
}

} // namespace

class TestOneAnswer : public QObject
{
    Q_OBJECT

private slots:
    void sampleNetwork_data()
    {
        QTest::addColumn<int>("build");
        for (const int build : {0, 1, 2})
            addRow(sample::bundles()[static_cast<std::size_t>(build)].name.c_str(), build);
    }
    void sampleNetwork()
    {
        QFETCH(int, build);
        const auto made = sample::bundles()[static_cast<std::size_t>(build)];
        const auto bundle = VERIFIED(Bundle::open(made.name, {.memory = made.files}));
        hasOneAnswer(**bundle);
        planIsDecided(**bundle);
    }

    void everyForm_data()
    {
        QTest::addColumn<std::string>("name");
        for (const test::SampleForm &form : test::sampleForms())
            addRow(form.name.c_str(), form.name);
    }
    void everyForm()
    {
        QFETCH(std::string, name);
        const auto bundle = VERIFIED(sampleBundle(name).open());
        hasOneAnswer(**bundle);
        planIsDecided(**bundle);
    }

    /// The weight file is empty, or the pointer of a version control system: nothing of it can be
    /// read. Of the pointer the types say how many bytes there would be.
    void unreadable_data()
    {
        addColumns<std::string, bool>();
        for (const test::SampleForm &form : test::sampleForms()) {
            addRow(form.name.c_str(), form.name, false);
            addRow((form.name + ", pointer").c_str(), form.name, true);
        }
    }
    void unreadable()
    {
        const auto [name, pointer] = fetched<std::string, bool>();
        const std::string_view text = pointer ? "version https://git-lfs.github.com/spec/v1\n"
                                                "oid sha256:0\nsize 4096\n"
                                              : "";
        const auto bytes = std::as_bytes(std::span(text));
        const MadeBundle made = sampleBundle(name);
        const auto bundle = VERIFIED(
            Bundle::open("unreadable.mlmodelc",
                         MadeBundle::options(made.text(), Bytes(bytes.begin(), bytes.end()))));
        QCOMPARE(weightsOfUnknownBytes(**bundle) > 0, !pointer);
        hasOneAnswer(**bundle, someTargets());
        planIsDecided(**bundle, someTargets());
        for (const report::UnassessedWeight &row : report::unassessedRows(**bundle))
            QCOMPARE(row.storedBytes.has_value(), pointer);
        const DecisionTable table(**bundle, someTargets());
        QCOMPARE(table.totals(0).storedBytes.has_value(), pointer);
        if (pointer) {
            const auto sound = VERIFIED(made.open());
            for (std::size_t i = 0; i < (*sound)->weights().size(); ++i)
                QCOMPARE((*bundle)->weights()[i].storedBytes.value,
                         (*sound)->weights()[i].storedBytes.value);
        }
    }

    /// Bytes and errors of a candidate are those of one encoding, whatever the extents.
    void unevenShapes()
    {
        const auto bundle = VERIFIED(unevenBundle().open());
        const auto faults = test::faults((*bundle)->diagnostics());
        QVERIFY2(faults.empty(), faults.empty() ? "" : faults.front().c_str());
        hasOneAnswer(**bundle);
        planIsDecided(**bundle);
        const auto layers = layersOf(**bundle, weightForms(**bundle));
        QCOMPARE(layers.size(), std::size_t(7));
        for (const roofline::Layer &layer : layers)
            choiceIsPlaced(**bundle, layer);
    }

    /// A mask that keeps zeros: everyone takes the sparse form to keep what is not zero, as its
    /// encoder does.
    void zerosAreBehindTheMask()
    {
        const auto bundle = VERIFIED(zerosBehindMask().open());
        const auto faults = test::faults((*bundle)->diagnostics());
        QVERIFY2(faults.empty(), faults.empty() ? "" : faults.front().c_str());
        const WeightLayers weight = LayerReader(**bundle).at(0);
        QCOMPARE(weight.form.density, std::optional(0.5));
        QCOMPARE(weight.form.nonzero, std::optional(0.375));
        hasOneAnswer(**bundle);
        choiceIsPlaced(**bundle);
        const auto sized = VERIFIED(roofline::sizedForm(weight.form, "sparse"));
        QCOMPARE(sized->storedBytes, std::optional<std::uint64_t>(128 * 64 / 8 + 2 * 3072));
    }

    /// The file ends within the operands of the first weight: some can be read, some cannot.
    void cutShort_data() { everyForm_data(); }
    void cutShort()
    {
        QFETCH(std::string, name);
        const MadeBundle made = sampleBundle(name);
        const auto whole = VERIFIED(made.open());
        std::set<std::uint64_t> ends;
        for (const codec::Operand &operand : (*whole)->weights().front().operands()) {
            const OperandPlace &place = *operand.place;
            if (!place.isLiteral() && place.bytes.value > 0)
                ends.insert(place.dataOffset.value);
        }
        for (const std::uint64_t end : ends) {
            Bytes bytes = made.weights();
            bytes.resize(end);
            const auto bundle =
                VERIFIED(Bundle::open("cut.mlmodelc", MadeBundle::options(made.text(), bytes)));
            QVERIFY((*bundle)->weights().front().fault);
            QVERIFY(!knownStoredBytes((*bundle)->weights().front()));
            hasOneAnswer(**bundle, someTargets());
            planIsDecided(**bundle, someTargets());
        }
    }

    /// A weight that two layers read crosses twice, a bias once: decide and plan say the same.
    void movedToEveryReader()
    {
        MadeBundle made;
        made.parameters = "tensor<fp16, [5, 64]> x, tensor<fp16, [5, 64]> y";
        made.weight("w", "[48, 64]", Bytes(6144));
        made.weight("b", "[48]", Bytes(96));
        made.op("p", "[5, 48]", "linear(bias = b, weight = w, x = x)");
        made.op("q", "[5, 48]", "linear(weight = w, x = y)");
        const auto bundle = VERIFIED(made.open());
        const DecisionTable table(**bundle, {target::findTarget("M1")->target});
        QCOMPARE(table.totals(0).bytesMoved, std::uint64_t(2 * 6144 + 96));
        hasOneAnswer(**bundle);
        planIsDecided(**bundle);
    }

    /// A table of embeddings that is the last matrix as well, of which one extent is open: no
    /// figure of the known part stands for the whole.
    void tiedToAnOpenReader()
    {
        for (const char *rows : {"?", "7"}) {
            MadeBundle made;
            const std::string open = rows;
            made.parameters = "tensor<int32, [1, 7]> i, tensor<fp16, [1, " + open + ", 24]> h";
            made.weight("emb", "[100, 24]", Bytes(4800));
            made.op("g", "[1, 7, 24]", "gather(axis = int32(0), indices = i, x = emb)");
            made.line("tensor<fp16, [1, " + open +
                      ", 100]> l = linear(weight = emb, x = h)[name = string(\"l\")]");
            const auto bundle = VERIFIED(made.open());
            hasOneAnswer(**bundle);
            planIsDecided(**bundle);
            const DecisionTable table(**bundle, {target::findTarget("M1")->target});
            QCOMPARE(table.layer(0).op, "linear");
            QCOMPARE(table.assessment(0, 0).timeS.has_value(), open == "7");
            choiceIsPlaced(**bundle, table.layer(0));
            // The rows that are fetched, and all of it for the product.
            QCOMPARE(table.bytesMoved(0, 0).value_or(0), std::uint64_t(7 * 24 * 2 + 4800));
        }
    }

    /// Layers that do not run once each in one dispatch.
    void severalWays_data()
    {
        QTest::addColumn<int>("number");
        const auto programs = madePrograms();
        for (std::size_t i = 0; i < programs.size(); ++i)
            addRow(programs[i].name.c_str(), static_cast<int>(i));
    }
    void severalWays()
    {
        QFETCH(int, number);
        const auto bundle =
            VERIFIED(madePrograms()[static_cast<std::size_t>(number)].program.open());
        hasOneAnswer(**bundle);
        planIsDecided(**bundle);
    }

    /// What the compiler gives another backend has no part in what a dispatch moves, nor in what a
    /// plan makes least.
    void besideTheEngine()
    {
        const auto bundle = VERIFIED(test::besideProgram().open());
        const std::vector<const target::Target *> targets{target::findTarget("M1")->target};
        const DecisionTable table(**bundle, targets);
        QCOMPARE(table.totals(0).bytesMoved, std::uint64_t(2 * 128 * 128));
        QCOMPARE(table.bytesMoved(*(*bundle)->weightByName("w"), 0),
                 std::optional<std::uint64_t>(0));
        QCOMPARE(table.bytesMoved(*(*bundle)->weightByName("b"), 0),
                 std::optional<std::uint64_t>(0));
        plan::SurveyOptions options;
        options.targets = targets;
        options.forms = {"palette4"};
        const auto survey = VERIFIED(plan::survey(**bundle, options));
        const auto made = VERIFIED(plan::solve(*survey, {}));
        QCOMPARE(made->goal, plan::Goal::Stored); // a run waits for its call
        QCOMPARE(made->untimed, std::size_t(0));
        QCOMPARE(made->before.moved[0], std::optional<std::uint64_t>(2 * 128 * 128));
        QVERIFY(made->before.engineTimeS(0).value_or(0) > 0);
        decision::Judge judge;
        const auto roofs = roofline::roofsOf(*targets.front());
        const auto choice = chooseForm(**bundle, *(*bundle)->weightByName("w"), *roofs, judge);
        QVERIFY(choice && choice->chosen.empty());
        QVERIFY(choice->reason.find("runs on bnns") != std::string::npos);
        // Nothing on the engine: there is no time to make least.
        const auto none = VERIFIED(test::besideProgram("bnns").open());
        const auto without = VERIFIED(plan::survey(**none, options));
        const auto stored = VERIFIED(plan::solve(*without, {}));
        QCOMPARE(stored->goal, plan::Goal::Stored);
        plan::Limits timed;
        timed.goal = plan::Goal::Time;
        QVERIFY(!plan::solve(*without, timed));
    }

    /// Times of chips without ceilings are not known: whose times are shown is said.
    void chipsWithoutCeilings()
    {
        const auto bundle = VERIFIED(test::besideProgram().open());
        plan::SurveyOptions options;
        options.targets = {target::findTarget("M1")->target, target::findTarget("M3")->target};
        options.forms = {"palette4"};
        const auto survey = VERIFIED(plan::survey(**bundle, options));
        plan::Limits limits;
        const auto made = VERIFIED(plan::solve(*survey, limits));
        QCOMPARE(report::timedChips(*survey), "H13");
        const report::PlanSubject subject{"a", {}, &*survey, &*made, &limits, nullptr, {}};
        const report::Json document = report::planJson(subject);
        QCOMPARE(document["times_of"], report::Json::array({"H13"}));
        for (const std::string &text :
             {report::planReport(".html", subject), report::planReport(".md", subject)}) {
            QVERIFY(text.find("Times of weights, and of fronts, are those on H13.") != text.npos);
            QVERIFY(text.find("time on H13 s") != text.npos);
            QVERIFY(text.find("slowest chip s") == text.npos);
        }
    }

    /// The weights of a program with several functions say whose they are.
    void functionsOfAPlan()
    {
        const auto bundle = VERIFIED(test::segmentedProgram().open());
        plan::SurveyOptions options;
        options.targets = {target::findTarget("M1")->target};
        options.forms = {"palette4"};
        const auto survey = VERIFIED(plan::survey(**bundle, options));
        plan::Limits limits;
        limits.goal = plan::Goal::Stored;
        const auto made = VERIFIED(plan::solve(*survey, limits));
        const report::PlanSubject subject{"a", {}, &*survey, &*made, &limits, nullptr, {}};
        QVERIFY(report::planReport(".csv", subject).starts_with("weight,function,from,to,"));
        QVERIFY(report::planReport(".html", subject).find("<th>function</th>") !=
                std::string::npos);
        const report::Json document = report::planJson(subject);
        std::set<std::string> functions;
        for (const report::Json &row : document["plan"])
            functions.insert(row["function"].get<std::string>());
        QCOMPARE(functions, std::set<std::string>({"beside", "first", "second"}));
        const auto one = test::besideProgram().open();
        const auto single = plan::survey(**one, options);
        QVERIFY(single && !report::hasFunctions(*single));
    }

    void choiceAndRoofline()
    {
        const auto made = sample::bundles().back();
        const auto bundle = VERIFIED(Bundle::open(made.name, {.memory = made.files}));
        choiceIsPlaced(**bundle);
    }

    /// Einsum, attention and products of several matrices are operations of the array where they
    /// are products; of the rest it is said that they are none.
    void products()
    {
        const auto bundle = VERIFIED(productsBundle().open());
        QVERIFY((*bundle)->diagnostics().empty());
        std::map<std::string, std::string> geometries;
        for (const roofline::Layer &layer : layersOf(**bundle, weightForms(**bundle))) {
            const auto &operation = layer.operation;
            geometries[layer.name + " " + (*bundle)->weights()[layer.weight].name] =
                !operation
                    ? "none"
                    : std::to_string(operation->inputChannels) + " to " +
                          std::to_string(operation->outputChannels) + ", " +
                          (operation->outputKnown
                               ? std::to_string(operation->outputWidth * operation->outputHeight)
                               : "?");
        }
        const std::map<std::string, std::string> expected{
            {"e0 w0", "64 to 40, 40"},    {"e1 w1", "64 to 40, 40"},
            {"e2 w2", "64 to 8, 30"},     {"e3 w3", "64 to 24, 40"},
            {"e4 w4", "64 to 1, 40"},     {"e5 w5", "none"},
            {"e6 w6", "64 to 40, ?"},     {"a0 key", "64 to 7, 30"},
            {"a0 value", "7 to 32, 30"},  {"a1 query", "64 to 6, 30"},
            {"m0 apart", "64 to 48, 40"}, {"t0 turned", "16 to 8, 324"},
            {"c0 grouped", "8 to 32, 81"}};
        for (const auto &[layer, shape] : expected)
            QCOMPARE(layer + ": " + geometries[layer], layer + ": " + shape);
        QCOMPARE(geometries.size(), expected.size());
        hasOneAnswer(**bundle);
        planIsDecided(**bundle);
    }

    void everyChip_data() { addPaths({u"*.mlmodelc"_s, u"*.mlpackage"_s}); }
    void everyChip()
    {
        KERNSCOPE_SKIP_WITHOUT_ROWS();
        QFETCH(QString, path);
        const auto bundle = VERIFIED(Bundle::open(path.toStdString()));
        hasOneAnswer(**bundle);
        planIsDecided(**bundle);
    }
    /// Hardware containers: what their tasks say of shapes is all that is known, and is used.
    void everyContainer_data() { addPaths({u"*.hwx"_s}); }
    void everyContainer()
    {
        KERNSCOPE_SKIP_WITHOUT_ROWS();
        QFETCH(QString, path);
        const auto bundle = VERIFIED(Bundle::open(path.toStdString()));
        hasOneAnswer(**bundle);
        const auto forms = weightForms(**bundle);
        for (const roofline::Layer &layer : layersOf(**bundle, forms)) {
            const Weight &weight = (*bundle)->weights()[layer.weight];
            const Consumer &consumer = weight.consumers[layer.consumer];
            QCOMPARE(layer.flops.has_value(), consumer.geometry.output.has_value());
            if (weight.shape.size() < 2 || !layer.flops)
                continue;
            QVERIFY(layer.operation);
            QCOMPARE(layer.operation->outputChannels, weight.shape[0]);
            const std::uint64_t pixels = layer.operation->outputWidth *
                                         layer.operation->outputHeight *
                                         layer.operation->outputDepth;
            QCOMPARE(*layer.flops, 2 * weight.elements.value * pixels);
        }
    }

    void choiceOfData_data() { everyChip_data(); }
    void choiceOfData()
    {
        KERNSCOPE_SKIP_WITHOUT_ROWS();
        QFETCH(QString, path);
        const auto bundle = VERIFIED(Bundle::open(path.toStdString()));
        choiceIsPlaced(**bundle);
    }
};

KERNSCOPE_TEST(TestOneAnswer, QCoreApplication)
#include "tst_one_answer.moc"
