// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/bundle.h"
#include "core/compare/byte_alignment.h"
#include "core/numeric/bitpack.h"
#include "tests/core/bundle/made_bundle.h"
#include "tests/test_program.h"
#include "tests/widgets/sample_session.h"
#include "widgets/compare/byte_compare_view.h"
#include "widgets/compare/bytes_dock.h"
#include "widgets/models/task_manager.h"

using namespace kernscope;
using namespace kernscope::test;
using namespace kernscope::ui;

namespace {

constexpr std::uint64_t kColumns = 2048;

Bytes maskOf(std::uint64_t elements)
{
    Bytes mask(elements / 8);
    for (std::size_t i = 0; i < mask.size(); ++i)
        mask[i] = static_cast<std::byte>(i % 251 * 7);
    return mask;
}

std::string rowsShape(std::uint64_t elements)
{
    return "[" + std::to_string(elements / kColumns) + ", " + std::to_string(kColumns) + "]";
}

BundlePtr sparse(std::uint64_t elements)
{
    MadeBundle made;
    const Bytes mask = maskOf(elements);
    const std::uint64_t kept = countBits(mask, 0, elements);
    const auto bits = made.blob(ElementType::Uint8, "[" + std::to_string(mask.size()) + "]", mask);
    const auto values =
        made.blob(ElementType::Fp16, "[" + std::to_string(kept) + "]", Bytes(2 * kept));
    made.line("tensor<fp16, " + rowsShape(elements) + "> w = constexpr_sparse_to_dense()[mask = " +
              bits + ", nonzero_data = " + values + ", shape = tensor<uint32, [2]>(" +
              rowsShape(elements) + "), name = string(\"w_op\")]");
    made.consume("w");
    return *made.open();
}

BundlePtr dense(std::uint64_t elements)
{
    MadeBundle made;
    const std::string shape = rowsShape(elements);
    made.layer("w", shape, Bytes(2 * elements));
    return *made.open();
}

} // namespace

/// The masks by which kept values stand under the elements of a dense weight: who reads them, when.
class TestKeptRows : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void countsTheMask()
    {
        constexpr std::uint64_t kElements = std::uint64_t{1} << 24; // several steps of the walk
        const BundlePtr bundle = sparse(kElements);
        const BundleReadLock lock(*bundle);
        const KeptPlaces places(bundle, 0);
        Progress progress;
        progress.setTotal(kElements);
        QVERIFY(!places.counted());
        QVERIFY(places.count(progress));
        QVERIFY(places.counted());
        QCOMPARE(progress.fraction(), 1.0);
        const Bytes mask = maskOf(kElements);
        for (std::uint64_t at = 0; at <= kElements; at += 65521)
            QCOMPARE(places.keptBefore(at), countBits(mask, 0, at));
        QCOMPARE(places.keptBefore(kElements), countBits(mask, 0, kElements));
        // Without being told to, it counts when it is first asked.
        const KeptPlaces other(bundle, 0);
        QCOMPARE(other.keptBefore(kElements - 1), places.keptBefore(kElements - 1));
    }

    void cancelled()
    {
        constexpr std::uint64_t kElements = std::uint64_t{1} << 20;
        const BundlePtr bundle = sparse(kElements);
        const BundleReadLock lock(*bundle);
        const KeptPlaces places(bundle, 0);
        Progress stopped, goes;
        stopped.cancel();
        QVERIFY(!places.count(stopped));
        QVERIFY(!places.counted());
        QVERIFY(places.count(goes));
        QCOMPARE(places.keptBefore(kElements), countBits(maskOf(kElements), 0, kElements));
    }

    /// What the view paints first needs no walk any more: the task that aligned the bytes did it.
    void largeMasksAreReadByTheTask()
    {
        constexpr std::uint64_t kElements = std::uint64_t{1} << 22;
        for (const bool denseIsA : {true, false}) {
            auto [session, dock] = test::Alone<BytesDock>();
            session.setBundle(denseIsA ? dense(kElements) : sparse(kElements));
            session.setOther(denseIsA ? sparse(kElements) : dense(kElements));
            bool counted = false; // when the rows are made
            connect(dock.view(), &ByteCompareView::scrolled, &dock, [&] {
                const auto &bytes = dock.view()->bytes();
                if (bytes && bytes->kept && !bytes->kept->empty())
                    counted = bytes->kept->begin()->second.places->counted();
            });
            QVERIFY(test::showDock(dock, 1200, 600));
            QTRY_VERIFY(dock.view()->bytes() && !dock.busy());
            QCOMPARE(dock.view()->bytes()->kept->size(), std::size_t{1});
            QVERIFY(counted);
        }
    }

    void smallMasksAreReadWhenAsked()
    {
        Session session;
        session.setBundle(dense(1 << 14));
        session.setOther(sparse(1 << 14));
        BytesDock dock(session);
        QVERIFY(test::showDock(dock, 1200, 600));
        QTRY_VERIFY(dock.view()->bytes() && !dock.busy());
        const auto &places = dock.view()->bytes()->kept->begin()->second.places;
        QVERIFY(!places->counted());
        QCOMPARE(places->keptBefore(1 << 14), countBits(maskOf(1 << 14), 0, 1 << 14));
    }

    void cancelledWhileAligning()
    {
        const BundlePtr a = dense(1 << 22), b = sparse(1 << 22);
        const BundleReadLock lock(*a, *b);
        const ByteAlignment alignment(*a, *b, pairWeights(*a, *b).pairs);
        const KeptSides sides = findKeptSides(a, b, alignment);
        QCOMPARE(sides.size(), std::size_t{1});
        Progress stopped;
        stopped.cancel();
        QVERIFY(!countLargeMasks(sides, stopped));
        QVERIFY(!sides.begin()->second.places->counted());
        Progress goes;
        QVERIFY(countLargeMasks(sides, goes));
        QVERIFY(sides.begin()->second.places->counted());
        QCOMPARE(goes.fraction(), 1.0);
    }
};

KERNSCOPE_TEST(TestKeptRows, QApplication)
#include "tst_kept_rows.moc"
