// SPDX-License-Identifier: GPL-3.0-or-later
// Slices of weights with a mask: hand-made bytes, random shapes, damage.
#include "core/lanes/lane_order.h"
#include "core/lanes/layout.h"
#include "core/lanes/sparse.h"
#include "lane_samples.h"
#include "tests/test_program.h"

using namespace kernscope;
using namespace kernscope::lanes;
using namespace kernscope::test;

namespace {

std::vector<std::byte> bytesOf(std::initializer_list<int> values)
{
    std::vector<std::byte> bytes;
    for (const int value : values)
        bytes.push_back(static_cast<std::byte>(value));
    return bytes;
}

} // namespace

class TestLanesSparse : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void roundTripsRandomSparse()
    {
        std::mt19937 random(5);
        for (int i = 0; i < 200; ++i) {
            WeightExtents geometry;
            geometry.outputs = 1 + random() % 128;
            geometry.inputs = 1 + random() % 40;
            geometry.bias = random() % 2 == 0;
            DealOptions options;
            options.cap = 1U << random() % 4;
            const SparseForm form = random() % 2 == 0 ? SparseForm::H13 : SparseForm::H14;
            const SliceLayout layout = layoutOf(geometry, Law::Dense, options);
            auto weights = numbered(layout.elements(), 1);
            for (auto &value : weights) {
                if (random() % 3 == 0 || (value & 0x7fff) == 0)
                    value = 0;
            }
            const auto bias = numbered(geometry.bias ? geometry.outputs : 0, 3);
            const auto slices = VERIFIED(encodeSparse(form, layout, weights, bias));
            SlicePlaces places;
            Slice file(7);
            for (const Slice &slice : *slices) {
                places.starts.push_back(file.size());
                places.lengths.push_back(slice.size());
                file.insert(file.end(), slice.begin(), slice.end());
            }
            const auto order = *(*sparseOrder(form, layout, places))->bound(file);
            std::vector<std::uint64_t> bits(weights.size()), maskBits(weights.size());
            order->positions(0, bits);
            order->mask()->positions(0, maskBits);
            const std::size_t first = random() % weights.size();
            std::vector<std::uint64_t> some(1 + random() % (weights.size() - first));
            order->positions(first, some);
            QVERIFY(std::equal(some.begin(), some.end(),
                               bits.begin() + static_cast<std::ptrdiff_t>(first)));
            for (std::size_t e = 0; e < weights.size(); ++e) {
                const unsigned mask = std::to_integer<unsigned>(file[maskBits[e] / 8]);
                QCOMPARE((mask >> maskBits[e] % 8 & 1U) != 0, weights[e] != 0);
                QCOMPARE(bits[e] == codec::ElementOrder::kAbsent, weights[e] == 0);
                if (weights[e] != 0)
                    QCOMPARE(halfAt(file, bits[e] / 8), weights[e]);
            }
            const auto planes = *sparsePlanes(form, layout, spansOf(*slices));
            if (geometry.bias) {
                std::vector<std::uint64_t> rows(geometry.outputs);
                (*sparseBiasOrder(layout, planes, places))->positions(0, rows);
                for (std::size_t c = 0; c < rows.size(); ++c)
                    QCOMPARE(halfAt(file, rows[c] / 8), bias[c]);
            }
            std::uint64_t stored = 0;
            for (const SparsePlane &plane : planes)
                stored += plane.stored;
            QCOMPARE(stored,
                     std::uint64_t(weights.size() -
                                   std::size_t(std::count(weights.begin(), weights.end(), 0))));
        }
    }

    void sparseBytesByHand_data()
    {
        addColumns<bool, QByteArray>();
        // Two steps of eight lanes: 5 in lane 1, then 6 in lane 0 and 7 in lane 7; -0 is left out.
        addRow("H13", true,
               QByteArray::fromHex("0e00"
                                   "0002"
                                   "0500"
                                   "0000"
                                   "0081"
                                   "0600"
                                   "0700"
                                   "0000"));
        addRow("H14", false,
               QByteArray::fromHex("0e00"
                                   "00"
                                   "0200"
                                   "0500"
                                   "0000"
                                   "8100"
                                   "0600"
                                   "0700"
                                   "0000"));
    }

    void sparseBytesByHand()
    {
        const auto [h13, expected] = fetched<bool, QByteArray>();
        WeightExtents geometry;
        geometry.outputs = 128;
        geometry.inputs = 2;
        const SliceLayout layout = layoutOf(geometry, Law::Dense);
        std::vector<std::uint16_t> weights(256);
        weights[2 * 1] = 5;
        weights[2 * 0 + 1] = 6;
        weights[2 * 7 + 1] = 7;
        weights[2 * 3] = 0x8000;
        const auto slices =
            VERIFIED(encodeSparse(h13 ? SparseForm::H13 : SparseForm::H14, layout, weights, {}));
        const Slice &slice = slices->front();
        QCOMPARE(slice.size(), std::size_t(64));
        QCOMPARE(QByteArray(reinterpret_cast<const char *>(slice.data()), expected.size()).toHex(),
                 expected.toHex());
        for (std::size_t at = std::size_t(expected.size()); at < slice.size(); ++at)
            QCOMPARE(slice[at], std::byte(0));
    }

    void refusesDamagedSparse()
    {
        WeightExtents geometry;
        geometry.outputs = 1;
        geometry.inputs = 2;
        const SliceLayout layout = layoutOf(geometry, Law::Dense);
        for (const auto &bytes :
             {bytesOf({}), bytesOf({4}), bytesOf({4, 0, 0, 0}), bytesOf({5, 0, 0, 0, 0, 0, 0}),
              bytesOf({4, 0, 0, 2, 0, 0}), bytesOf({255, 255, 0, 1})}) {
            const std::vector<Slice> slices{bytes};
            const Error index =
                REFUSED(SparseIndex::make(SparseForm::H13, layout, spansOf(slices)));
            QCOMPARE(index.code, "lanes.sparse");
        }
        const std::vector<Slice> sound{bytesOf({6, 0, 0, 1, 9, 0, 0, 0})};
        const auto index = VERIFIED(SparseIndex::make(SparseForm::H13, layout, spansOf(sound)));
        QCOMPARE(SparseIndex::numberAt(index->rowsOf(0).row(0), 0),
                 std::optional<std::uint64_t>(4));
        QVERIFY(!SparseIndex::numberAt(index->rowsOf(0).row(1), 0));
        QCOMPARE(SparseIndex::make(SparseForm::H13, layout, {}).error().code, "lanes.length");
    }
};

KERNSCOPE_TEST(TestLanesSparse, kernscope::test::NoApplication)
#include "tst_lanes_sparse.moc"
