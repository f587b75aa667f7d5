// SPDX-License-Identifier: GPL-3.0-or-later
// What became of weights that a compiler made one constant of. Packages stand for programs.
#include "core/report/compiled_origin.h"

#include "core/numeric/half.h"
#include "made_coreai.h"
#include "tests/test_program.h"

namespace {

using Values = std::vector<float>;

Bytes halvesOf(const Values &values)
{
    return halves(std::span<const float>(values));
}

Values twelve(float first, float step)
{
    Values values(12);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = first + step * float(i);
    return values;
}

/// A program of one weight.
BundlePtr programOf(const Values &values)
{
    MadeCoreAi made;
    made.nameNext("w");
    made.output({made.constant({3, 4}, Elem::F16, halvesOf(values))});
    return made.open();
}

/// "a: kept", "b: part of another constant", …
std::vector<std::string> fatesOf(const Bundle &package, const Bundle &program)
{
    std::vector<std::string> fates;
    for (const report::OriginRow &row : *report::compiledOrigins(package, program, nullptr)) {
        const auto &weights = (row.a == kNoIndex ? program : package).weights();
        fates.push_back(weights[row.a == kNoIndex ? row.b : row.a].name + ": " +
                        std::string(report::fateName(row.fate)));
    }
    return fates;
}

class TestCompiledOrigin : public QObject
{
    Q_OBJECT

private slots:
    void folded_data()
    {
        addColumns<std::string, bool>();
        for (const char *operation : {"add", "mul", "sub", "divide"}) {
            addRow(operation, std::string(operation), false);
            addRow((operation + std::string(", with a row for each")).c_str(),
                   std::string(operation), true);
        }
    }

    /// One constant of the program has what operations of the package make of two.
    void folded()
    {
        const auto [operation, row] = fetched<std::string, bool>();
        const Values a = twelve(1, 0.37F), b = twelve(-2, 0.61F);
        Values made(12);
        for (std::size_t i = 0; i < 12; ++i) {
            const float x = halfToFloat(floatToHalf(a[i]));
            const float y = halfToFloat(floatToHalf(b[row ? i % 4 : i]));
            made[i] = operation == "add"   ? x + y
                      : operation == "mul" ? x * y
                      : operation == "sub" ? x - y
                                           : x / y;
        }
        MadeCoreAi package;
        package.nameNext("a");
        const auto first = package.constant({3, 4}, Elem::F16, halvesOf(a));
        package.nameNext("b");
        const auto second = package.constant(row ? Shape{1, 4} : Shape{3, 4}, Elem::F16,
                                             halvesOf(row ? Values(b.begin(), b.begin() + 4) : b));
        package.output({package.operation("broadcasting_" + operation + "_v1", {first, second},
                                          {3, 4}, Elem::F16, true)});
        const BundlePtr bundle = VERIFIED(package.open());
        QCOMPARE(fatesOf(*bundle, *programOf(made)),
                 (std::vector<std::string>{"a: part of another constant",
                                           "b: part of another constant"}));
        made[5] += 1; // of another package
        const auto others = fatesOf(*bundle, *programOf(made));
        QCOMPARE(others.size(), 2U);
        for (const std::string &fate : others)
            QVERIFY2(fate.ends_with("other values") ||
                         fate.ends_with("not found: dropped or made part of another constant"),
                     fate.c_str());
    }

    /// What no result depends on is dropped; of the rest that is not known.
    void dropped()
    {
        MadeCoreAi package;
        package.nameNext("w");
        const auto kept = package.constant({3, 4}, Elem::F16, halvesOf(twelve(1, 0.5F)));
        package.nameNext("unread");
        package.operation("primitive.exp_v1",
                          {package.constant({5, 4}, Elem::F16, halvesOf(Values(20, 3)))}, {5, 4},
                          Elem::F16);
        package.nameNext("read");
        const auto read = package.constant({2, 6}, Elem::F16, halvesOf(twelve(7, -0.5F)));
        package.output({kept, package.operation("primitive.exp_v1", {read}, {2, 6}, Elem::F16)});
        const BundlePtr bundle = VERIFIED(package.open());
        QCOMPARE(fatesOf(*bundle, *programOf(twelve(1, 0.5F))),
                 (std::vector<std::string>{
                     "w: kept", "unread: dropped",
                     "read: not found: dropped or made part of another constant"}));
    }
};

} // namespace

KERNSCOPE_TEST(TestCompiledOrigin, QCoreApplication)
#include "tst_compiled_origin.moc"
