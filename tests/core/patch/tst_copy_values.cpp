// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/text.h"
#include "core/bundle/bundle.h"
#include "core/numeric/half.h"
#include "core/patch/edit/copy_values.h"
#include "core/patch/edit/edit_parser.h"
#include "core/patch/patch.h"
#include "sample_bundles.h"
#include "tests/test_program.h"

using namespace kernscope;
using namespace kernscope::test;

namespace {

constexpr double kAny = std::numeric_limits<double>::infinity();

/// The bundle once the edits are laid over it.
BundlePtr edited(BundlePtr bundle, const std::vector<Edit> &edits)
{
    const auto plans = planEdits(bundle, edits, kAny);
    if (!plans) {
        qWarning("%s: %s", plans.error().message.c_str(), plans.error().found.c_str());
        return nullptr;
    }
    for (const AppliedEdit &plan : *plans)
        bundle = *applyEdit(bundle, plan);
    return bundle;
}

} // namespace

/// Values of one bundle given to a weight of another, in the form that this one has.
class TestCopyValues : public QObject
{
    Q_OBJECT

private slots:
    void everyForm_data()
    {
        QTest::addColumn<QByteArray>("form");
        for (const SampleForm &form : sampleForms())
            addRow(form.name.c_str(), QByteArray::fromStdString(form.name));
    }

    /// From any form to dense: exactly the values of the other, and nothing is left to copy.
    void everyForm()
    {
        QFETCH(const QByteArray, form);
        const BundlePtr from = *sampleBundle(form.toStdString()).open();
        const BundlePtr to = *sampleBundle("dense-fp16").open();
        const std::uint64_t count = to->weights()[0].elements.value;
        if (from->weights()[0].elements.value != count) {
            QCOMPARE(patch::copyValues(*to, 0, *from, 0, 0, count).error().code, "patch.copy");
            return;
        }
        const auto edits = VERIFIED(patch::copyValues(*to, 0, *from, 0, 0, count));
        const BundlePtr now = VERIFIED(edited(to, *edits));
        const auto wanted = decoded(*from, "w"), found = decoded(*now, "w");
        bool exact = true; // in the fp16 of the receiver
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            const float held = halfToFloat(floatToHalf(wanted[i]));
            exact = exact && held == wanted[i];
            QCOMPARE(found[i], held);
        }
        QCOMPARE(patch::copyValues(*now, 0, *from, 0, 0, count)->empty(), exact);
    }

    /// One element changes one, a channel its own elements only.
    void ranges()
    {
        const BundlePtr from = *sampleBundle("lut4").open(),
                        to = *sampleBundle("dense-fp16").open();
        const auto before = decoded(*to, "w"), other = decoded(*from, "w");
        const std::uint64_t first = 16, count = 8;
        const auto edits = patch::copyValues(*to, 0, *from, 0, first, count);
        QVERIFY(edits && !edits->empty() && edits->size() <= count);
        const BundlePtr now = VERIFIED(edited(to, *edits));
        const auto after = decoded(*now, "w");
        for (std::size_t i = 0; i < after.size(); ++i)
            QCOMPARE(after[i], i >= first && i < first + count ? other[i] : before[i]);
        QVERIFY(patch::copyValues(*to, 0, *from, 0, 0, 0)->empty());
    }

    /// Elements of other places, as a part of a split weight has them in the whole.
    void runs()
    {
        const BundlePtr from = *sampleBundle("lut4").open(),
                        to = *sampleBundle("dense-fp16").open();
        const auto before = decoded(*to, "w"), other = decoded(*from, "w");
        const std::array<patch::CopyRun, 2> runs{{{0, 4, 2}, {7, 1, 1}}};
        const auto edits = VERIFIED(patch::copyRuns(*to, 0, *from, 0, runs));
        const auto found = decoded(*edited(to, *edits), "w");
        for (std::size_t i = 0; i < found.size(); ++i) {
            const float wanted = i < 2 ? other[i + 4] : i == 7 ? other[1] : before[i];
            QCOMPARE(found[i], halfToFloat(floatToHalf(wanted)));
        }
        const patch::CopyRun beyond{0, before.size(), 1};
        QCOMPARE(patch::copyRuns(*to, 0, *from, 0, std::span(&beyond, 1)).error().code,
                 "patch.copy");
    }

    /// The entries are those of the other afterwards, the indices those that there were.
    void codebooks()
    {
        const BundlePtr to = *sampleBundle("lut4").open();
        const auto other = VERIFIED(
            edited(*sampleBundle("lut4").open(), {*parseEdit(Edit::Kind::Codebook, "w[0][3]=2.5"),
                                                  *parseEdit(Edit::Kind::Codebook, "w[0][0]=-1")}));
        const auto edits = VERIFIED(patch::copyCodebooks(*to, 0, *other, 0));
        QCOMPARE(edits->size(), std::size_t(2));
        const BundlePtr now = VERIFIED(edited(to, *edits));
        QCOMPARE(decoded(*now, "w"), decoded(*other, "w"));
        QVERIFY(patch::copyCodebooks(*now, 0, *other, 0)->empty());
        QCOMPARE(
            patch::copyCodebooks(**sampleBundle("dense-fp16").open(), 0, *other, 0).error().code,
            "patch.copy");
    }

    /// More elements than edits of their own are worth: one edit that carries the values, exactly
    /// those that the filter lets pass, and a script that says the same element by element.
    void many()
    {
        constexpr std::uint64_t kElements = 300000;
        const auto bundle = [](float scale) {
            std::vector<float> values;
            for (std::uint64_t i = 0; i < kElements; ++i)
                values.push_back(scale * static_cast<float>(i % 1999));
            MadeBundle made;
            made.weight("w", "[300, 1000]", halves(values));
            return *made.open();
        };
        BundlePtr to = bundle(1);
        const BundlePtr from = bundle(0.5f);
        const auto wanted = decoded(*from, "w"), before = decoded(*to, "w");
        const auto all = VERIFIED(patch::copyValues(*to, 0, *from, 0, 0, kElements));
        QCOMPARE(all->size(), std::size_t(1));
        // Zeros are the same in both.
        QCOMPARE(patch::copiedElements(*all), kElements - (kElements + 1998) / 1999);
        QCOMPARE(decoded(*edited(to, *all), "w"), wanted);
        to = bundle(1); // the edits were laid over the first one
        const auto small = [](double now, double then) { return now - then <= 8; };
        const auto some =
            VERIFIED(patch::copyValues(*to, 0, *from, 0, 0, kElements, nullptr, small));
        QCOMPARE(some->size(), std::size_t(1));
        const BundlePtr now = edited(to, *some);
        const auto found = decoded(*now, "w");
        for (std::size_t i = 0; i < found.size(); ++i)
            QCOMPARE(found[i], before[i] - wanted[i] <= 8 ? wanted[i] : before[i]);
        const auto lines = VERIFIED(parseEditScript(patch::scriptText(*some), "changes.kpatch"));
        QCOMPARE(lines->size(), patch::copiedElements(*some));
        QCOMPARE(editText(lines->front()), "w[1]=0.5");
        QCOMPARE(editText(some->front()),
                 "w=made.mlmodelc#w (" + counted(lines->size(), "element") + ")");
        // Runs that leave the weight are refused, not written elsewhere.
        Edit beyond = some->front();
        beyond.indices.back() = IndexRange{kElements - 1, kElements + 1, false, false};
        QVERIFY(!planEdits(to, {beyond}, kAny));
    }

    /// What the mask leaves out is kept first, then the others get their values.
    void manyOfAMask()
    {
        constexpr std::uint64_t kElements = 1024;
        constexpr std::uint64_t kLeftOut = 16; // the record has room for these
        Bytes mask(kElements / 8, std::byte{0xFF}), values;
        std::fill_n(mask.begin(), kLeftOut, std::byte{0xFE});
        const std::uint16_t one = floatToHalf(1);
        for (std::uint64_t i = 0; i < kElements - kLeftOut; ++i) {
            values.push_back(static_cast<std::byte>(one & 0xFF));
            values.push_back(static_cast<std::byte>(one >> 8));
        }
        MadeBundle sparse, dense;
        sparse.weight("m", "[1024]", mask, ElementType::Uint1);
        sparse.weight("v", "[1008]", values);
        sparse.line("tensor<fp16, [1024]> w = constexpr_sparse_to_dense(mask = m, nonzero_data = v)"
                    "[name = string(\"w_op\")]");
        sparse.consume("w");
        // A record behind: up to it the payload may grow.
        sparse.layer("behind", "[1]", halves({1}));
        std::vector<float> full(kElements);
        std::iota(full.begin(), full.end(), 2.0f);
        dense.weight("w", "[1024]", halves(full));
        const auto to = sparse.open(), from = dense.open();
        QVERIFY(to && from);
        QCOMPARE((*to)->weights()[0].name, "w");
        const auto edits = VERIFIED(patch::copyValues(**to, 0, **from, 0, 0, kElements));
        QCOMPARE(edits->size(), kLeftOut + 1); // those that are kept, and the others as one
        const BundlePtr now = edited(*to, *edits);
        QVERIFY(now);
        QCOMPARE(decoded(*now, "w"), decoded(**from, "w"));
    }

    void refused()
    {
        const BundlePtr from = *sampleBundle("lut4").open(),
                        to = *sampleBundle("dense-fp16").open();
        const std::uint64_t all = to->weights()[0].elements.value;
        QCOMPARE(patch::copyValues(*to, 0, *from, 0, all, 1).error().code, "patch.copy");
        QCOMPARE(patch::copyValues(*to, 0, *from, 0, 1, all).error().code, "patch.copy");
        QCOMPARE(patch::copyValues(*to, 0, *from, 0, 2, UINT64_MAX).error().code, "patch.copy");
        Progress progress;
        progress.cancel();
        QCOMPARE(patch::copyValues(*to, 0, *from, 0, 0, all, &progress).error().code,
                 "task.cancelled");
    }
};

KERNSCOPE_TEST(TestCopyValues, QCoreApplication)
#include "tst_copy_values.moc"
