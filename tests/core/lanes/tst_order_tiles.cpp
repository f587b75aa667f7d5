// SPDX-License-Identifier: GPL-3.0-or-later
// Tiles of an order say what its positions say, and decoding by tiles is decoding one by one.
#include "core/codec/decode/decoder.h"
#include "core/lanes/lane_order.h"
#include "core/numeric/stream_copy.h"
#include "core/numeric/transpose.h"
#include "lane_samples.h"
#include "tile_orders.h"

#include <hwy/targets.h>

using namespace kernscope::codec;
using namespace kernscope::lanes;

namespace {

/// Bytes whose halves are finite.
std::vector<std::byte> someBytes(std::size_t count, Random &random)
{
    std::vector<std::byte> bytes(count);
    for (std::byte &byte : bytes)
        byte = static_cast<std::byte>(random() & 0x3f);
    return bytes;
}

Decoder decoderOf(Encoding encoding, OrderPtr order)
{
    auto &payload = std::get<Operand>(encoding.payload);
    payload.order = std::move(order);
    auto decoder = Decoder::make(encoding);
    if (!decoder)
        qFatal("%s", describe(decoder.error()).c_str());
    return *std::move(decoder);
}

/// Every answer of a decoder by tiles is that of the one by single positions.
void compareDecoders(const Encoding &encoding, const OrderPtr &order, Random &random)
{
    const Decoder tiled = decoderOf(encoding, order);
    const Decoder single = decoderOf(encoding, std::make_shared<OneByOne>(order));
    const std::uint64_t elements = order->elements();
    std::vector<std::uint16_t> halves(elements);
    std::vector<float> floats(elements);
    std::vector<std::int64_t> codes(elements);
    single.decodeHalf(0, halves);
    single.decodeFloat(0, floats);
    single.codes(0, codes);
    for (int i = 0; i < 8; ++i) {
        const std::uint64_t first = i == 0 ? 0 : random() % elements;
        const std::size_t count = i == 0 ? elements : 1 + random() % (elements - first);
        const auto from = std::ptrdiff_t(first);
        // Past the caches too: from any address on.
        const std::size_t shift = random() % 32;
        setStreamedBytes(random() % 2 == 0 ? 1 : 0);
        std::vector<std::uint16_t> foundHalves(shift + count + 1, 0x7bff);
        tiled.decodeHalf(first, std::span(foundHalves).subspan(shift, count));
        setStreamedBytes(0);
        QVERIFY(std::equal(foundHalves.begin() + std::ptrdiff_t(shift), foundHalves.end() - 1,
                           halves.begin() + from));
        QCOMPARE(foundHalves.back(), std::uint16_t(0x7bff));
        std::vector<float> foundFloats(count);
        tiled.decodeFloat(first, foundFloats);
        QVERIFY(std::equal(foundFloats.begin(), foundFloats.end(), floats.begin() + from));
        std::vector<std::int64_t> foundCodes(count);
        tiled.codes(first, foundCodes);
        QVERIFY(std::equal(foundCodes.begin(), foundCodes.end(), codes.begin() + from));
    }
    QCOMPARE(tiled.codebookUse(), single.codebookUse());
    QCOMPARE(tiled.rank(elements), single.rank(elements));
}

/// The elements of tiles that cover the tensor lie where the positions are.
void checkPlaces(const ElementOrder &order)
{
    for (std::uint64_t first = 0; first < order.elements();) {
        const std::uint64_t left = order.elements() - first;
        const auto tile = order.tileAt(first, left);
        QVERIFY(tile && tile->elements() > 0 && tile->elements() <= left);
        std::vector<std::uint64_t> places(tile->elements());
        order.positions(first, places);
        for (std::uint64_t i = 0; i < places.size(); ++i) {
            const std::uint64_t row = i / tile->columns, column = i % tile->columns;
            QCOMPARE(tile->bit + row * tile->rowBits + column * tile->columnBits, places[i]);
            QCOMPARE(order.table(first + i), order.table(first + row * tile->columns));
        }
        first += places.size();
    }
}

Encoding plainOf(const ElementOrder &order, ElementType type, std::span<const std::byte> bytes)
{
    Encoding encoding;
    encoding.type = type;
    encoding.shape = {order.elements()};
    encoding.payload = Operand{PartRole::Data, type, encoding.shape, bytes};
    return encoding;
}

} // namespace

class TestOrderTiles : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// All of them by every instruction set that this processor has, and without vectors.
    void initTestCase_data()
    {
        QTest::addColumn<qint64>("target");
        for (std::int64_t rest = hwy::SupportedTargets(); rest != 0; rest &= rest - 1)
            addRow(hwy::TargetName(rest & -rest), qint64{rest & -rest});
        addRow("no vectors", qint64{0});
    }

    void init()
    {
        QFETCH_GLOBAL(qint64, target);
        hwy::GetChosenTarget().Update(target);
    }

    void cleanup() { hwy::GetChosenTarget().DeInit(); }

    void turnsAnyRectangle()
    {
        Random random(1);
        for (int i = 0; i < 60; ++i) {
            const std::size_t rows = 1 + random() % 40, columns = 1 + random() % 40;
            const std::size_t between = random() % 4, step = columns + random() % 3;
            const std::size_t halfColumn = 2 * rows + between;
            // Not a byte more than is needed: nothing behind it may be read.
            const auto halves = someBytes((columns - 1) * halfColumn + 2 * rows, random);
            std::vector<std::uint16_t> turned(rows * step, 7);
            turnHalves(halves, halfColumn, rows, columns, turned.data(), step);
            for (std::size_t row = 0; row < rows; ++row) {
                for (std::size_t column = 0; column < step; ++column) {
                    const std::size_t at = row * step + column;
                    QCOMPARE(turned[at], column < columns
                                             ? halfAt(halves, column * halfColumn + 2 * row)
                                             : std::uint16_t(7));
                }
            }
        }
    }

    void decodesHalves()
    {
        Random random(2);
        for (int i = 0; i < 8; ++i) {
            const auto order =
                std::make_shared<TiledRecords>(someSteps(700, random), 16U, 8U, random);
            checkPlaces(*order);
            const auto bytes = someBytes(order->extent(), random);
            compareDecoders(plainOf(*order, ElementType::Fp16, bytes), order, random);
        }
    }

    void decodesOtherTypes()
    {
        Random random(5);
        for (const ElementType type :
             {ElementType::Fp32, ElementType::Int8, ElementType::Bf16, ElementType::Int16}) {
            const auto order =
                std::make_shared<TiledRecords>(1 + random() % 300, bitWidth(type), 8U, random);
            const auto bytes = someBytes(order->extent(), random);
            compareDecoders(plainOf(*order, type, bytes), order, random);
        }
    }

    void decodesSlices()
    {
        Random random(6);
        for (int i = 0; i < 8; ++i) {
            WeightExtents geometry;
            geometry.outputs = 1 + random() % 300;
            geometry.inputs = someSteps(300, random);
            geometry.bias = random() % 2 == 0;
            DealOptions options;
            options.cap = 1U << random() % 6;
            const SliceLayout layout = layoutOf(geometry, Law::Dense, options);
            SlicePlaces places;
            std::size_t end = 0;
            for (std::uint64_t engine = 0; engine < layout.engines(); ++engine) {
                places.starts.push_back(end + random() % 3);
                places.lengths.push_back(layout.sliceBytes(engine));
                end = places.starts.back() + places.lengths.back();
            }
            const auto bytes = someBytes(end, random);
            const auto order = *weightOrder(layout, places);
            checkPlaces(*order);
            compareDecoders(plainOf(*order, ElementType::Fp16, bytes), order, random);
            if (!geometry.bias)
                continue;
            const auto bias = *biasOrder(layout, places);
            checkPlaces(*bias);
            compareDecoders(plainOf(*bias, ElementType::Fp16, bytes), bias, random);
        }
    }

    void decodesSlicesWithoutZeros()
    {
        Random random(7);
        for (int i = 0; i < 12; ++i) {
            WeightExtents geometry;
            geometry.outputs = 1 + random() % 200;
            geometry.inputs = someSteps(300, random);
            geometry.bias = random() % 2 == 0;
            DealOptions options;
            options.cap = 1U << random() % 4;
            decodeWithoutZeros(geometry, options, random);
        }
    }

    /// Groups of eight lanes whose rows begin lines: 32 at a time where registers allow.
    void decodesSlicesToLines()
    {
        Random random(9);
        for (int i = 0; i < 6; ++i) {
            WeightExtents geometry;
            geometry.outputs = 8 * (1 + random() % 20);
            geometry.inputs = 32 * (1 + random() % 12);
            DealOptions options;
            options.cap = 8;
            decodeWithoutZeros(geometry, options, random);
        }
    }

private:
    static void decodeWithoutZeros(const WeightExtents &geometry, const DealOptions &options,
                                   Random &random)
    {
        const SparseForm form = random() % 2 == 0 ? SparseForm::H13 : SparseForm::H14;
        const SliceLayout layout = layoutOf(geometry, Law::Dense, options);
        std::vector<std::uint16_t> weights(layout.elements());
        const auto zeros = random() % 11;
        for (std::uint16_t &weight : weights)
            weight =
                random() % 10 < zeros ? std::uint16_t{0} : std::uint16_t(1 + random() % 0x7000);
        const auto bias = numbered(geometry.bias ? geometry.outputs : 0, 3);
        const auto slices = VERIFIED(encodeSparse(form, layout, weights, bias));
        SlicePlaces places;
        Slice file(random() % 7);
        for (const Slice &slice : *slices) {
            places.starts.push_back(file.size());
            places.lengths.push_back(slice.size());
            file.insert(file.end(), slice.begin(), slice.end());
        }
        const auto order = *(*sparseOrder(form, layout, places))->bound(file);
        const auto kept = order->keptAt(0, layout.elements());
        QVERIFY(kept && kept->elements() > 0);
        compareDecoders(plainOf(*order, ElementType::Fp16, file), order, random);
        std::vector<std::uint16_t> decoded(weights.size());
        decoderOf(plainOf(*order, ElementType::Fp16, file), order).decodeHalf(0, decoded);
        QVERIFY(decoded == weights);
    }
};

KERNSCOPE_TEST(TestOrderTiles, QCoreApplication)
#include "tst_order_tiles.moc"
