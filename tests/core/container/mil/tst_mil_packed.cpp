// SPDX-License-Identifier: GPL-3.0-or-later
#include "mil_text.h"
#include "packed_operations.h"
#include "tests/test_program.h"

#include <QTest>

#include <algorithm>
#include <atomic>
#include <random>
#include <string>
#include <thread>

using namespace kernscope;
using namespace miltest;

/// Any operation of a packed program, by its number.
class TestMilPacked : public QObject
{
    Q_OBJECT

private slots:
    void programs_data();
    void programs();
    void comparingSeesEveryMember();
    void operationsOutliveTheirPage();
    void manyAskAtOnce();
    void functionsAreApart();
    void nothing();
};

namespace {

QByteArray relus(int count, const QByteArray &prefix)
{
    QByteArray text;
    for (int i = 0; i < count; ++i) {
        const QByteArray name = prefix + QByteArray::number(i);
        text += "tensor<fp16, [1, 4]> " + name + " = relu(x = x)[name = string(\"" + name +
                "_op\")];\n";
    }
    return text;
}

/// A condition with so many operations in each of its blocks.
QByteArray condition(const QByteArray &name, const QByteArray &inner)
{
    return "tensor<fp16, [1, 4]> " + name + " = cond(pred = x, _true_fn = () {\n" + inner +
           "} -> (x), _false_fn = () {\n" + inner + "} -> (x));\n";
}

QByteArray literalOf(int elements)
{
    QByteArrayList values;
    for (int i = 0; i < elements; ++i)
        values << QByteArray::number(i % 100);
    return "tensor<int8, [" + QByteArray::number(elements) + "]> l = const()[val = tensor<int8, [" +
           QByteArray::number(elements) + "]>([" + values.join(", ") + "])];\n";
}

} // namespace

void TestMilPacked::programs_data()
{
    QTest::addColumn<QByteArray>("statements");
    const auto row = [](const char *name, const QByteArray &text) { QTest::newRow(name) << text; };
    row("one", relus(1, "a"));
    row("a page and one", relus(129, "a"));
    row("many pages", relus(1000, "a"));
    row("blocks over the end of a page",
        relus(120, "a") + condition("c", relus(200, "t")) + relus(10, "z"));
    row("blocks within blocks", condition("c", condition("d", condition("e", relus(50, "t")))));
    QByteArray deep = relus(3, "t");
    for (int i = 0; i < 80; ++i)
        deep = "tensor<fp16, [1, 4]> w" + QByteArray::number(i) +
               " = cond(pred = x, _true_fn = () {\n" + deep +
               "} -> (x), _false_fn = () { } -> (x));\n";
    row("deep", deep);
    row("a literal larger than a page", relus(5, "a") + literalOf(100'000) + relus(5, "b"));
    row("empty blocks", condition("c", "") + condition("d", ""));
    row("a name again and again", relus(300, "a") + relus(300, "a"));
}

/// One by one, in any order and in turn, they are what was read.
void TestMilPacked::programs()
{
    QFETCH(QByteArray, statements);
    const auto parsed = readText(program(statements));
    const auto expected = operationsOf(parsed.program);
    QVERIFY(!expected.empty());
    const mil::PackedProgram packed(parsed.program);
    QCOMPARE(packed.operations(), expected.size());
    QVERIFY(mil::PackedProgram(packed.whole()) == packed);
    QCOMPARE(operationsOf(packed.whole()).size(), expected.size());
    std::vector<std::size_t> numbers(expected.size());
    for (std::size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = i;
    std::shuffle(numbers.begin(), numbers.end(), std::mt19937(14));
    for (const std::size_t number : numbers)
        QVERIFY2(same(*packed.operation(number), alone(*expected[number])),
                 qPrintable(QString::number(number)));
    mil::PackedProgram::Reader reader(packed);
    for (const mil::Operation *was : expected) {
        mil::Operation operation;
        std::vector<std::size_t> inBlocks;
        reader.next(operation, inBlocks);
        QVERIFY(same(operation, alone(*was)));
        QCOMPARE(inBlocks.size(), was->blocks.size());
        for (std::size_t i = 0; i < inBlocks.size(); ++i)
            QCOMPARE(inBlocks[i], was->blocks[i].operations.size());
    }
}

void TestMilPacked::comparingSeesEveryMember()
{
    const auto parsed = readText(program("tensor<fp16, [1]> y = conv<ios17>(x = x)[name = "
                                         "string(\"y\")];"));
    const mil::Operation operation = parsed.program.functions[0].body.operations[0];
    QVERIFY(same(operation, operation));
    const auto differs = [&operation](auto change) {
        mil::Operation other = operation;
        change(other);
        return !same(operation, other);
    };
    QVERIFY(differs([](mil::Operation &o) { o.type = "relu"; }));
    QVERIFY(differs([](mil::Operation &o) { o.opset.clear(); }));
    QVERIFY(differs([](mil::Operation &o) { o.inputs[0].name = "y"; }));
    QVERIFY(differs([](mil::Operation &o) { ++o.outputs[0].type.dims[0]; }));
    QVERIFY(differs([](mil::Operation &o) { ++o.outputs[0].type.dimSpans[0].offset; }));
    QVERIFY(differs([](mil::Operation &o) { ++o.span.length; }));
    QVERIFY(differs([](mil::Operation &o) { o.attributes.clear(); }));
}

/// Whoever holds an operation can go on reading it.
void TestMilPacked::operationsOutliveTheirPage()
{
    mil::OperationPtr held;
    {
        const mil::PackedProgram packed(readText(program(relus(5000, "a"))).program);
        held = packed.operation(7);
        for (std::size_t i = 0; i < packed.operations(); i += 100)
            QVERIFY(packed.operation(i) != nullptr);
        packed.dropPages();
        QCOMPARE(packed.operation(7)->displayName(), std::string("a7_op"));
        // A page at hand is not unpacked again.
        QCOMPARE(packed.operation(8).get(), packed.operation(8).get());
    }
    QCOMPARE(held->displayName(), std::string("a7_op"));
}

void TestMilPacked::manyAskAtOnce()
{
    const mil::PackedProgram packed(readText(program(relus(3000, "a"))).program);
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (unsigned seed = 0; seed < 4; ++seed) {
        threads.emplace_back([&packed, &wrong, seed] {
            std::mt19937 random(seed);
            for (int i = 0; i < 500; ++i) {
                const std::size_t number = random() % packed.operations();
                if (packed.operation(number)->displayName() != "a" + std::to_string(number) + "_op")
                    ++wrong;
                if (i % 50 == 0)
                    packed.dropPages();
            }
        });
    }
    for (std::thread &thread : threads)
        thread.join();
    QCOMPARE(wrong.load(), 0);
}

void TestMilPacked::functionsAreApart()
{
    mil::Program all = readText(program(relus(130, "a"))).program;
    all.functions.push_back(readText(program("")).program.functions[0]);
    all.functions.push_back(readText(program(condition("c", relus(3, "b")))).program.functions[0]);
    const mil::PackedProgram packed(all);
    using Range = std::pair<std::size_t, std::size_t>;
    QCOMPARE(packed.operationsOf(0), Range(0, 130));
    QCOMPARE(packed.operationsOf(1), Range(130, 130));
    QCOMPARE(packed.operationsOf(2), Range(130, 137));
    QCOMPARE(packed.inBodies(), (std::vector<std::size_t>{130, 0, 1}));
    const mil::Program frame = packed.frame();
    QCOMPARE(frame.functions.size(), std::size_t(3));
    QCOMPARE(frame.functions[2].body.outputs, all.functions[2].body.outputs);
    QVERIFY(frame.functions[0].body.operations.empty());
    QVERIFY(mil::PackedProgram(packed.whole()) == packed);
}

void TestMilPacked::nothing()
{
    const mil::PackedProgram packed{mil::Program()};
    QCOMPARE(packed.operations(), std::size_t(0));
    QVERIFY(packed.whole().functions.empty());
}

KERNSCOPE_TEST(TestMilPacked, kernscope::test::NoApplication)
#include "tst_mil_packed.moc"
