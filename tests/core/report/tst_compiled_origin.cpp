// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/compiled_origin.h"

#include "made_bundle.h"
#include "made_coreai.h"
#include "tests/test_program.h"

using namespace kernscope;
using namespace kernscope::test;

namespace {

/// One weight of 24 values: element i of it is `valueAt(i)`.
template <class ValueAt>
BundlePtr oneWeight(const char *shape, const ValueAt &valueAt)
{
    std::vector<float> values;
    for (int i = 0; i < 24; ++i)
        values.push_back(static_cast<float>(valueAt(i)));
    test::MadeBundle bundle;
    bundle.weight("w", shape, test::halves(values));
    return bundle.open().value_or(nullptr);
}

int placeTurned(int i) // the place in six rows of four of element i of four rows of six
{
    return i % 6 * 4 + i / 6;
}

} // namespace

/// A package beside the program compiled from it; other bundles do as well.
class TestCompiledOrigin : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void fates_data()
    {
        addColumns<BundlePtr, std::string>();
        addRow("same", oneWeight("[2, 3, 4]", [](int i) { return i; }), std::string("kept"));
        addRow("transposed", oneWeight("[4, 6]", placeTurned), std::string("other order"));
        // Of a reshape before the transpose: no order of the three axes.
        addRow("turned in between", oneWeight("[2, 3, 4]", placeTurned),
               std::string("other order"));
        addRow("one value is another",
               oneWeight("[2, 3, 4]", [](int i) { return i == 7 ? 50 : i; }),
               std::string("other values"));
        addRow("the same sum",
               oneWeight("[2, 3, 4]", [](int i) { return i == 7 || i == 9 ? 8 : i; }),
               std::string("other values"));
    }

    void fates()
    {
        const auto [program, fate] = fetched<BundlePtr, std::string>();
        const BundlePtr package = VERIFIED(oneWeight("[2, 3, 4]", [](int i) { return i; }));
        const auto rows = VERIFIED(report::compiledOrigins(*package, *program, nullptr));
        QCOMPARE(rows->size(), std::size_t{1});
        QCOMPARE(std::string(report::fateName(rows->front().fate)), fate);
    }

    /// The same codes in another shape, without their scales: not a kept weight.
    void codesAlone()
    {
        MadeCoreAi made;
        const Bytes codes = byteRow({1, 2, 3, 4});
        const auto data = made.constant({2, 2}, Elem::Si8, codes);
        const auto scale = made.constant({2, 1}, Elem::F16, halves({2, 3}));
        const auto zero = made.constant({2, 1}, Elem::Si8, byteRow({0, 0}));
        const auto bias = made.constant({2, 1}, Elem::F16, halves({0, 0}));
        made.output({made.scaled({data, scale, zero, bias}, {2, 2})});
        for (const bool subtracts : {false, true}) {
            MadeBundle program;
            program.weight("codes", "[4]", codes, ElementType::Int8);
            if (subtracts)
                program.op("made", "[4]", "sub(x = codes, y = codes)");
            const auto other = VERIFIED(program.open());
            const auto rows = VERIFIED(report::compiledOrigins(*made.open(), **other, nullptr));
            QCOMPARE(rows->size(), std::size_t{1});
            QCOMPARE(report::fateName(rows->front().fate),
                     std::string_view(subtracts ? "scaled by operations" : "other values"));
        }
    }
};

KERNSCOPE_TEST(TestCompiledOrigin, kernscope::test::NoApplication)

#include "tst_compiled_origin.moc"
