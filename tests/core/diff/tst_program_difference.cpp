// SPDX-License-Identifier: GPL-3.0-or-later
#include "diff_sample.h"
#include "tests/data/data_folder.h"

#include <QFileInfo>
#include <QTest>

using namespace kernscope;
using namespace kernscope::test;

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
    return comparePrograms(a->program(), b->program());
}

} // namespace

/// Programs compared by what they compute.
class TestProgramDifference : public QObject
{
    Q_OBJECT

private slots:
    void namesAndOrderDoNotCount();
    void changes();
    void storageIsNoComputation();
    void textAgainstProtobuf_data();
    void textAgainstProtobuf();
    void insertedRecordMovesNothing();
};

void TestProgramDifference::namesAndOrderDoNotCount()
{
    const auto a = program({"tensor<fp16, [1, 4]> p = relu(x = x)[name = string(\"p\")]",
                            "tensor<fp16, [1, 4]> q = tanh(x = x)[name = string(\"q\")]",
                            "tensor<fp16, [1, 4]> y = add(x = p, y = q)[name = string(\"y\")]"});
    const auto b = program({"tensor<fp16, [1, 4]> q2 = tanh(x = x)[name = string(\"q2\")]",
                            "tensor<fp16, [1, 4]> p2 = relu(x = x)[name = string(\"p2\")]",
                            "tensor<fp16, [1, 4]> y = add(x = p2, y = q2)[name = string(\"y\")]"});
    QVERIFY(compared(a, a).equal);
    QVERIFY(compared(a, b).equal);
    // The same operations, the other way round.
    const auto c = program({"tensor<fp16, [1, 4]> p = relu(x = x)[name = string(\"p\")]",
                            "tensor<fp16, [1, 4]> q = tanh(x = x)[name = string(\"q\")]",
                            "tensor<fp16, [1, 4]> y = add(x = q, y = p)[name = string(\"y\")]"});
    const ProgramDifference swapped = compared(a, c);
    QVERIFY(!swapped.equal && !swapped.sameComputation);
    QCOMPARE(swapped.changes.size(), std::size_t{1});
    QCOMPARE(swapped.changes[0].operation, std::string("y"));
    QCOMPARE(swapped.changes[0].details, std::vector<std::string>({"x: p > q", "y: q > p"}));
}

void TestProgramDifference::changes()
{
    const auto a = program({"tensor<fp16, [1, 4]> p = relu(x = x)[name = string(\"p\")]",
                            "tensor<int32, [1]> axes = const()[name = string(\"axes\"), val = "
                            "tensor<int32, [1]>([0])]",
                            "tensor<fp16, [1, 4]> y = reduce_sum(axes = axes, x = p)"
                            "[name = string(\"y\")]"});
    const auto b = program({"tensor<int32, [1]> other = const()[name = string(\"other\"), val = "
                            "tensor<int32, [1]>([1])]",
                            "tensor<fp16, [1, 4]> y = reduce_sum(axes = other, x = x)"
                            "[name = string(\"y\")]"});
    const ProgramDifference found = compared(a, b);
    QVERIFY(!found.equal);
    QCOMPARE(found.changes.size(), std::size_t{2});
    QCOMPARE(found.changes[0].kind, ProgramChange::Kind::Removed);
    QCOMPARE(found.changes[0].operation, std::string("p"));
    QCOMPARE(found.changes[1].details,
             std::vector<std::string>({"axes: int32 [1] (0) > int32 [1] (1)", "x: p > input x"}));
    const ProgramDifference back = compared(b, a);
    QCOMPARE(back.changes.size(), found.changes.size());
}

/// A constant that became a palette is stored otherwise and computes the same.
void TestProgramDifference::storageIsNoComputation()
{
    const BundlePtr dense = *sampleBundle("dense-fp16").open();
    const BundlePtr palette = *sampleBundle("lut4").open();
    const ProgramDifference found = compared(dense, palette);
    QVERIFY(!found.equal && found.sameComputation);
    QCOMPARE(found.changes.size(), std::size_t{1});
    QCOMPARE(found.changes[0].what, ProgramChange::What::Storage);
    const auto whole = compareBundles(*dense, *palette, withValues());
    QVERIFY(whole && !whole->program.equal && whole->program.sameComputation);
}

void TestProgramDifference::textAgainstProtobuf_data()
{
    QTest::addColumn<QString>("build");
    QTest::newRow("palette") << QStringLiteral("unified_palette_4bit");
    QTest::newRow("pruned") << QStringLiteral("unified_pruned_int8");
}

/// One build in both notations is equal.
void TestProgramDifference::textAgainstProtobuf()
{
    QFETCH(const QString, build);
    const QString stem = dataPath(QStringLiteral("real/silero-vad/") + build);
    if (!QFileInfo::exists(stem + QStringLiteral(".mlpackage")))
        QSKIP("The folder of real files is not here");
    const auto open = [&](const char *suffix) {
        return *Bundle::open((stem + QLatin1String(suffix)).toStdString());
    };
    const BundlePtr text = open(".mlmodelc"), protobuf = open(".mlpackage");
    for (const auto &[a, b] : {std::pair(text, protobuf), std::pair(protobuf, text)}) {
        const auto found = compareBundles(*a, *b, withValues());
        QVERIFY(found);
        QVERIFY(found->program.equal && !found->program.sameBytes);
        QVERIFY(found->program.detail.changes.empty());
        QVERIFY(found->identical);
    }
}

/// A weight more at the front moves every other one: none of them differs.
void TestProgramDifference::insertedRecordMovesNothing()
{
    MadeBundle a, b;
    b.constant("tensor<fp16, [12]>", "bias", b.blob(ElementType::Fp16, "[12]", kTwelve));
    b.consume("bias");
    for (MadeBundle *made : {&a, &b}) {
        made->constant("tensor<fp16, [10]>", "w", made->blob(ElementType::Fp16, "[10]", kTen));
        made->consume("w");
    }
    const auto found = compareBundles(**a.open(), **b.open(), withValues());
    QVERIFY(found);
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

QTEST_GUILESS_MAIN(TestProgramDifference)
#include "tst_program_difference.moc"
