// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/bundle.h"
#include "core/compare/byte_differences.h"
#include "diff_sample.h"
#include "tests/data/data_folder.h"

namespace {

/// A function of these statements, parsed through a bundle.
BundlePtr program(std::initializer_list<const char *> lines)
{
    MadeBundle made;
    for (const char *line : lines)
        made.line(line);
    made.result = "y";
    return *made.open();
}

ProgramDifference compared(const BundlePtr &a, const BundlePtr &b)
{
    return comparePrograms(*a->program(), *b->program());
}

} // namespace

/// Programs compared by what they compute.
/// Bytes of two bundles set against each other, over real files.
class TestProgramDifference : public QObject
{
    Q_OBJECT

private slots:
    void namesAndOrderDoNotCount()
    {
        const auto a =
            program({"tensor<fp16, [1, 4]> p = relu(x = x)[name = string(\"p\")]",
                     "tensor<fp16, [1, 4]> q = tanh(x = x)[name = string(\"q\")]",
                     "tensor<fp16, [1, 4]> y = add(x = p, y = q)[name = string(\"y\")]"});
        const auto b =
            program({"tensor<fp16, [1, 4]> q2 = tanh(x = x)[name = string(\"q2\")]",
                     "tensor<fp16, [1, 4]> p2 = relu(x = x)[name = string(\"p2\")]",
                     "tensor<fp16, [1, 4]> y = add(x = p2, y = q2)[name = string(\"y\")]"});
        QVERIFY(compared(a, a).equal);
        QVERIFY(compared(a, b).equal);
        // Names by which a caller asks for the results do count.
        const auto named = [](const std::string &result) {
            MadeBundle made;
            made.line("tensor<fp16, [1, 4]> " + result + " = tanh(x = x)[name = string(\"t\")]");
            made.result = result;
            return *made.open();
        };
        const ProgramDifference results = compared(named("y"), named("z"));
        QVERIFY(!results.equal && !results.sameComputation);
        QCOMPARE(results.changes.size(), 1U);
        QCOMPARE(results.changes[0].details, std::vector<std::string>({"outputs: y > z"}));
        // The same operations, the other way round.
        const auto c =
            program({"tensor<fp16, [1, 4]> p = relu(x = x)[name = string(\"p\")]",
                     "tensor<fp16, [1, 4]> q = tanh(x = x)[name = string(\"q\")]",
                     "tensor<fp16, [1, 4]> y = add(x = q, y = p)[name = string(\"y\")]"});
        const ProgramDifference swapped = compared(a, c);
        QVERIFY(!swapped.equal && !swapped.sameComputation);
        QCOMPARE(swapped.changes.size(), 1U);
        QCOMPARE(swapped.changes[0].operation, "y");
        QCOMPARE(swapped.changes[0].details, std::vector<std::string>({"x: p > q", "y: q > p"}));
    }

    void changes()
    {
        const auto a = program({"tensor<fp16, [1, 4]> p = relu(x = x)[name = string(\"p\")]",
                                "tensor<int32, [1]> axes = const()[name = string(\"axes\"), val = "
                                "tensor<int32, [1]>([0])]",
                                "tensor<fp16, [1, 4]> y = reduce_sum(axes = axes, x = p)"
                                "[name = string(\"y\")]"});
        const auto b =
            program({"tensor<int32, [1]> other = const()[name = string(\"other\"), val = "
                     "tensor<int32, [1]>([1])]",
                     "tensor<fp16, [1, 4]> y = reduce_sum(axes = other, x = x)"
                     "[name = string(\"y\")]"});
        const ProgramDifference found = compared(a, b);
        QVERIFY(!found.equal);
        QCOMPARE(found.changes.size(), 2U);
        QCOMPARE(found.changes[0].kind, ProgramChange::Kind::Removed);
        QCOMPARE(found.changes[0].operation, "p");
        QCOMPARE(
            found.changes[1].details,
            std::vector<std::string>({"axes: int32 [1] (0) > int32 [1] (1)", "x: p > input x"}));
        const ProgramDifference back = compared(b, a);
        QCOMPARE(back.changes.size(), found.changes.size());
    }

    /// A constant that became a palette is stored otherwise and computes the same.
    void storageIsNoComputation()
    {
        const BundlePtr dense = *sampleBundle("dense-fp16").open();
        const BundlePtr palette = *sampleBundle("lut4").open();
        const ProgramDifference found = compared(dense, palette);
        QVERIFY(!found.equal && found.sameComputation);
        QCOMPARE(found.changes.size(), 1U);
        QCOMPARE(found.changes[0].what, ProgramChange::What::Storage);
        const auto whole = compareBundles(*dense, *palette, withValues());
        QVERIFY(whole && !whole->program.equal && whole->program.sameComputation);
    }

    void textAgainstProtobuf_data()
    {
        QTest::addColumn<QString>("build");
        addRow("palette", u"unified_palette_4bit"_s);
        addRow("pruned", u"unified_pruned_int8"_s);
    }

    /// One build in both notations is equal.
    void textAgainstProtobuf()
    {
        QFETCH(const QString, build);
        const QString stem = dataPath(u"real/silero-vad/"_s + build);
        KERNSCOPE_NEEDS(stem + u".mlpackage"_s);
        const auto open = [&](const char *suffix) {
            return *Bundle::open((stem + QLatin1String(suffix)).toStdString());
        };
        const BundlePtr text = open(".mlmodelc"), protobuf = open(".mlpackage");
        for (const auto &[a, b] : {std::pair(text, protobuf), std::pair(protobuf, text)}) {
            const auto found = VERIFIED(compareBundles(*a, *b, withValues()));
            QVERIFY(found->program.equal && !found->program.sameBytes);
            QVERIFY(found->program.detail.changes.empty());
            QVERIFY(found->identical);
        }
    }

    /// A weight more at the front moves every other one: none of them differs.
    void insertedRecordMovesNothing()
    {
        MadeBundle a, b;
        b.layer("bias", "[12]", kTwelve);
        for (MadeBundle *made : {&a, &b}) {
            made->constant("tensor<fp16, [10]>", "w", made->blob(ElementType::Fp16, "[10]", kTen));
            made->consume("w");
        }
        const auto found = VERIFIED(compareBundles(**a.open(), **b.open(), withValues()));
        QVERIFY(!found->identical);
        for (const FileDifference &file : found->files) {
            if (file.path != "weights/weight.bin")
                continue;
            // Of A: the count of records and the place that its record names.
            std::uint64_t inA = 0;
            for (const ByteRange &range : file.ranges)
                inA += range.bytes.value;
            QVERIFY2(inA <= 8, std::to_string(inA).c_str());
            QVERIFY(file.tally.total() >= 64 + 24);
        }
    }

    /// Each model of a pipeline has a "main" of its own.
    void modelsOfPipelines()
    {
        const auto named = [](std::initializer_list<const char *> models) {
            mil::Program program;
            for (const char *model : models) {
                mil::Function function;
                function.name = "main";
                function.model = model;
                function.opset = std::string(model) == "second" ? "ios17" : "ios18";
                program.functions.push_back(function);
            }
            return program;
        };
        const auto alone = named({""}), one = named({"first"}), two = named({"first", "second"}),
                   swapped = named({"second", "first"});
        QVERIFY(comparePrograms(two, two).equal);
        QVERIFY(comparePrograms(two, swapped).equal); // told by their names, not by their places
        for (const bool mirrored : {false, true}) {
            const auto found = mirrored ? comparePrograms(two, alone) : comparePrograms(alone, two);
            QVERIFY(!found.equal && !found.sameComputation);
            QCOMPARE(found.changes.size(), 2U);
            QCOMPARE(found.changes[0].what, ProgramChange::What::Function);
            QCOMPARE(found.changes[1].kind,
                     mirrored ? ProgramChange::Kind::Removed : ProgramChange::Kind::Inserted);
            QCOMPARE(found.changes[1].function, "second/main");
        }
        const auto renamed = comparePrograms(alone, one);
        QVERIFY(!renamed.equal && renamed.sameComputation);
        QCOMPARE(renamed.changes[0].details, std::vector<std::string>{"model: none > first"});
    }

    void modelsThatAreNoPrograms()
    {
        const auto withModel = [](const char *kind, std::uint32_t field) {
            mil::Program program;
            program.models.emplace_back();
            program.models.back().field = 202;
            program.models.emplace_back();
            program.models.back().path = "suppression";
            program.models.back().kind = kind;
            program.models.back().field = field;
            program.models.back().content = {2, 2};
            return program;
        };
        const auto a = withModel("nonMaximumSuppression", 610), none = mil::Program();
        const Bytes bytes = bytesOf(std::vector<std::uint8_t>{1, 2, 3, 4, 5});
        const auto differs = [&](const mil::Program &x, const Bytes &ofX, const mil::Program &y,
                                 const Bytes &ofY) {
            ProgramDifference result;
            compareModels(x, ofX, y, ofY, result);
            return result;
        };
        Bytes outside = bytes, within = bytes;
        outside[4] = std::byte{9};
        within[3] = std::byte{9};
        QVERIFY(differs(a, bytes, a, outside).equal);
        const auto content = differs(a, bytes, a, within);
        QVERIFY(!content.equal && !content.sameComputation);
        QCOMPARE(content.changes.front().what, ProgramChange::What::Model);
        QCOMPARE(content.changes.front().function, "suppression");
        QVERIFY(!differs(a, bytes, a, Bytes(bytes.begin(), bytes.begin() + 3)).equal); // cut off
        QCOMPARE(differs(a, bytes, none, {}).changes.front().kind, ProgramChange::Kind::Removed);
        QCOMPARE(differs(none, {}, a, bytes).changes.front().kind, ProgramChange::Kind::Inserted);
        QCOMPARE(differs(a, bytes, withModel("featureVectorizer", 602), bytes).changes.front().kind,
                 ProgramChange::Kind::Changed);
        // A program is compared by its functions, wherever its message lies.
        QVERIFY(differs(withModel("mlProgram", 502), bytes, none, {}).equal);
    }

    /// Apps go by what the description says of inputs and outputs.
    void interfaces()
    {
        mil::ModelFeature image;
        image.name = "x";
        image.kind = "image";
        image.detail = "RGB";
        image.shape = {224, 448};
        mil::Program a;
        a.descriptions = {{{}, {{"main", {image}, {}, {}, {}, {}}}, {}, {}, {}}};
        mil::Program b = a;
        const auto changes = [&] {
            ProgramDifference result;
            compareInterfaces(a, b, result);
            std::string text;
            for (const ProgramChange &change : result.changes)
                text += fmt::format("{} {} {} {}/{}: {}\n", programChangeName(change.kind),
                                    programPartName(change.what), change.type, change.function,
                                    change.operation, fmt::join(change.details, "; "));
            if (result.equal != text.empty() || result.sameComputation != text.empty())
                text += "but equal";
            return text;
        };
        QCOMPARE(changes(), std::string());
        b.descriptions[0].metadata = {{"author", "another"}};
        QCOMPARE(changes(), std::string());
        b.descriptions[0].functions[0].inputs[0].detail = "BGR";
        b.descriptions[0].functions[0].inputs[0].optional = true;
        QCOMPARE(changes(), "changed interface input main/x: type: image RGB 448 x 224 > image BGR "
                            "448 x 224; optional in B\n");
        b.descriptions[0].functions[0].inputs[0].name = "y";
        QCOMPARE(changes(),
                 "removed interface input main/x: \ninserted interface input main/y: \n");
    }

    void copyIsEqual_data() { addPaths({u"*.hwx"_s, u"*.mlmodelc"_s, u"*.mlpackage"_s}); }

    /// A file opened twice: every section finds itself, none differs.
    void copyIsEqual()
    {
        KERNSCOPE_SKIP_WITHOUT_ROWS();
        QFETCH(const QString, path);
        const std::string name = QFile::encodeName(path).toStdString();
        const auto a = Bundle::open(name), b = Bundle::open(name);
        QVERIFY(a && b);
        const auto pairs = pairWeights(**a, **b).pairs;
        const AlignedBytes bytes{*a, *b, ByteAlignment(**a, **b, pairs)};
        for (const AlignedSection &section : bytes.alignment.sections()) {
            QVERIFY2(section.a != kNoIndex && section.b != kNoIndex, section.name.c_str());
            QCOMPARE(section.rangeA, section.rangeB);
        }
        Progress progress;
        const auto differences = VERIFIED(ByteDifferences::find(bytes, progress));
        QCOMPARE(differences->tally(), ByteTally());
    }
};

KERNSCOPE_TEST(TestProgramDifference, QCoreApplication)
#include "tst_program_difference.moc"
