// SPDX-License-Identifier: GPL-3.0-or-later
#include "resources/sample.h"
#include "tests/core/bundle/made_bundle.h"
#include "tests/test_program.h"
#include "tests/widgets/program/plain_program.h"
#include "tests/widgets/sample_session.h"

#include <QTest>

using namespace kernscope;
using namespace kernscope::ui;

/// Rows that are unpacked one by one are those of the whole program.
class TestProgramTree : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void samples_data();
    void samples();
    void programs_data();
    void programs();
    void placesInTheFile();
    void cancelled();
};

namespace {

void compare(const BundlePtr &bundle)
{
    QVERIFY(bundle);
    const test::PlainProgram plain(*bundle);
    const auto whole = ProgramTree::build(bundle);
    QCOMPARE(plain.difference(*whole), std::string());
    bundle->setProgramAside();
    const auto packed = ProgramTree::build(bundle);
    QCOMPARE(plain.difference(*packed), std::string());
}

BundlePtr bundleOf(const QByteArray &functions)
{
    const std::string text = "program(1.3)\n{\n" + functions.toStdString() + "}\n";
    const auto opened = Bundle::open("made.mlmodelc",
                                     test::MadeBundle::options(text, test::MadeBundle().weights()));
    return opened ? *opened : nullptr;
}

QByteArray functionOf(const QByteArray &name, const QByteArray &statements)
{
    return "    func " + name + "<ios18>(tensor<fp16, [1, 4]> x) {\n" + statements +
           "        } -> (x);\n";
}

QByteArray relus(int count)
{
    QByteArray text;
    for (int i = 0; i < count; ++i)
        text += "tensor<fp16, [1, 4]> r" + QByteArray::number(i) +
                " = relu(x = " + (i == 0 ? "x" : "r" + QByteArray::number(i / 2)) +
                ")[name = string(\"r\")];\n";
    return text;
}

} // namespace

void TestProgramTree::samples_data()
{
    QTest::addColumn<QString>("name");
    for (const sample::SampleBundle &bundle : sample::bundles())
        QTest::newRow(bundle.name.c_str()) << QString::fromStdString(bundle.name);
}

void TestProgramTree::samples()
{
    QFETCH(const QString, name);
    compare(test::openSample(name.toStdString()));
}

void TestProgramTree::programs_data()
{
    QTest::addColumn<QByteArray>("functions");
    const auto row = [](const char *name, const QByteArray &functions) {
        QTest::newRow(name) << functions;
    };
    const QByteArray constant =
        "tensor<int32, [2]> shape = const()[name = string(\"shape\"), val = tensor<int32, "
        "[2]>([1, 4])];\n";
    const QByteArray reshape = "tensor<fp16, [1, 4]> z = reshape(x = x, shape = shape)[name = "
                               "string(\"z\")];\n";
    row("a constant used twice", functionOf("main", constant + reshape + reshape));
    row("a constant pages away", functionOf("main", constant + relus(700) + reshape));
    row("the same names in two functions",
        functionOf("main", constant + reshape) + functionOf("other", reshape));
    row("names made twice", functionOf("main", relus(200) + relus(200)));
    row("read before it is made", functionOf("main", reshape + constant + reshape));
    row("reads itself", functionOf("main", "tensor<fp16, [1, 4]> s = relu(x = s);\n"));
    row("a list with what there is twice",
        functionOf("main", constant + "tensor<fp16, [1, 4]> c = concat(values = (x, shape, x, "
                                      "nothing, (x, shape)), axis = int32(1));\n"));
    row("no result", functionOf("main", "x = relu(x = x);\n"));
    row("an empty function", functionOf("main", "") + functionOf("next", constant));
    const QByteArray condition = "tensor<fp16, [1, 4]> c = cond(pred = x, _true_fn = () {\n" +
                                 constant + relus(150) + "} -> (r1), _false_fn = () {\n" +
                                 relus(3) + "} -> (r1));\n";
    row("blocks", functionOf("main", condition + relus(5) + condition));
    row("names that turn text around",
        functionOf("main", "tensor<fp16, [1]> \xE2\x80\xAE = relu(x = x);\n"));
}

void TestProgramTree::programs()
{
    QFETCH(const QByteArray, functions);
    compare(bundleOf(functions));
}

void TestProgramTree::placesInTheFile()
{
    const BundlePtr bundle = bundleOf(functionOf("main", relus(300)));
    const auto tree = ProgramTree::build(bundle);
    QVERIFY(tree->rows() > 300);
    for (std::size_t row = 0; row < tree->rows(); ++row) {
        const SourceSpan span = tree->span(row);
        if (tree->node(row).kind != ProgramTree::Kind::Operation)
            continue;
        QVERIFY(span.length > 0);
        QCOMPARE(tree->rowAtByte(tree->bundle().programFile(), span.offset), row);
        QCOMPARE(tree->rowAtByte(tree->bundle().programFile(), span.offset + span.length - 1), row);
    }
    QCOMPARE(tree->rowAtByte(tree->bundle().programFile(), 0), ProgramTree::kNone);
}

void TestProgramTree::cancelled()
{
    Progress progress;
    progress.cancel();
    QVERIFY(!ProgramTree::build(bundleOf(functionOf("main", relus(300))), &progress));
}

KERNSCOPE_TEST(TestProgramTree, QCoreApplication)
#include "tst_program_tree.moc"
