// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/encode/kmeans.h"
#include "methods.h"
#include "tests/test_program.h"

using namespace kernscope;
using namespace kernscope::codec;
using namespace kernscope::codec::test;

/// The fitted encoders against what is best by trying everything.
class TestEncodeFitted : public QObject
{
    Q_OBJECT

private slots:
    /// The least of all clusterings, with centres among the fp16 numbers.
    void massedCentresAreOptimal()
    {
        std::mt19937 random(4);
        for (int round = 0; round < 200; ++round) {
            // Odd numbers: means between fp16 numbers, which lie 2 apart from 2048 on.
            const int base = round % 2 == 0 ? 0 : 2040;
            std::set<int> distinct;
            const std::size_t count = 2 + random() % 8;
            while (distinct.size() < count)
                distinct.insert(base + static_cast<int>(random() % 60));
            std::vector<MassedValue> values;
            for (const int value : distinct)
                values.push_back({toHalf(static_cast<float>(value)),
                                  0.01 * static_cast<double>(1 + random() % 500)});
            values.erase(
                std::unique(values.begin(), values.end(),
                            [](const auto &a, const auto &b) { return a.value == b.value; }),
                values.end());
            const std::size_t clusters = 1 + random() % 4;
            const auto centres = optimalHalfCentres(values, clusters);
            QVERIFY(std::is_sorted(centres.begin(), centres.end()));
            const auto errorWith = [&](const std::vector<float> &book) {
                double error = 0;
                for (const auto &[value, mass] : values) {
                    double nearest = HUGE_VAL;
                    for (const float centre : book)
                        nearest = std::min(
                            nearest,
                            std::pow(static_cast<double>(value) - static_cast<double>(centre), 2));
                    error += mass * nearest;
                }
                return error;
            };
            for (const float centre : centres)
                QCOMPARE(centre, toHalf(centre));
            // Every split into runs, each with the best fp16 number near its mean.
            double best = HUGE_VAL;
            std::vector<float> book;
            const std::function<void(std::size_t, std::size_t)> split = [&](std::size_t first,
                                                                            std::size_t left) {
                for (std::size_t end = left == 1 ? values.size() : first + 1;
                     end + left - 1 <= values.size(); ++end) {
                    double sum = 0, mass = 0;
                    for (std::size_t i = first; i < end; ++i) {
                        sum += values[i].mass * static_cast<double>(values[i].value);
                        mass += values[i].mass;
                    }
                    book.push_back(halfToFloat(doubleToHalf(sum / mass)));
                    if (left == 1)
                        best = std::min(best, errorWith(book));
                    else
                        split(end, left - 1);
                    book.pop_back();
                }
            };
            split(0, std::min(clusters, values.size()));
            QVERIFY(errorWith(centres) <= best * (1 + 1e-12) + 1e-12);
        }
    }

    void scalesAgainstAllOfThem_data()
    {
        kernscope::test::addColumns<int, int, double>();
        kernscope::test::addRow("int4, blocks of 16", static_cast<int>(ElementType::Int4), 16,
                                1.05);
        kernscope::test::addRow("int4, blocks of 128", static_cast<int>(ElementType::Int4), 128,
                                1.01);
        kernscope::test::addRow("int8, blocks of 32", static_cast<int>(ElementType::Int8), 32,
                                1.25);
        kernscope::test::addRow("int8, blocks of 512", static_cast<int>(ElementType::Int8), 512,
                                1.1);
    }

    /// Against every fp16 scale from a quarter of the plain one to 3 % above it: the sum over some
    /// blocks is near that of the best scales, and each block is no worse than with the plain one.
    void scalesAgainstAllOfThem()
    {
        const auto [type, block, allowed] = kernscope::test::fetched<int, int, double>();
        const auto codeType = static_cast<ElementType>(type);
        const auto size = static_cast<std::size_t>(block);
        const Shape shape{6, size};
        auto values = laplace(sizeOf(shape), 11);
        auto inputs = statistics(Inputs::Squares, size, 1, 1, 12);
        const auto masses = inputMasses(*inputs, shape);
        FormSpec spec;
        spec.node = FormNode::Blockwise;
        spec.blockwise = {codeType, size, 1, false};
        spec.inputs = inputs;
        const auto plain = encodeForm(values, shape, spec);
        spec.method = EncodeMethod::Fitted;
        const auto fitted = encodeForm(values, shape, spec);
        QVERIFY(plain && fitted);
        const double top = codeType == ElementType::Int4 ? 7 : 127;
        const auto errorWith = [&](std::size_t row, float scale) {
            double error = 0;
            for (std::size_t i = row * size; i < (row + 1) * size; ++i) {
                const double code = std::clamp(
                    std::nearbyint(static_cast<double>(values[i]) / static_cast<double>(scale)),
                    -top, top);
                const auto decoded = static_cast<double>(
                    toHalf(static_cast<float>(code * static_cast<double>(scale))));
                error += static_cast<double>(masses[i]) *
                         std::pow(decoded - static_cast<double>(values[i]), 2);
            }
            return error;
        };
        double found = 0, best = 0, before = 0;
        for (std::size_t row = 0; row < shape[0]; ++row) {
            const auto scaleOf = [row](const EncodedWeight &weight) {
                std::uint16_t half = 0;
                std::memcpy(&half, part(weight, PartRole::Scale).bytes.data() + 2 * row, 2);
                return halfToFloat(half);
            };
            const float from = scaleOf(*plain);
            const double one = errorWith(row, scaleOf(*fitted));
            QVERIFY(one <= errorWith(row, from));
            found += one;
            before += errorWith(row, from);
            double least = HUGE_VAL;
            for (std::uint16_t half = floatToHalf(from / 4); half <= floatToHalf(from * 1.03f);
                 ++half)
                least = std::min(least, errorWith(row, halfToFloat(half)));
            best += least;
        }
        QVERIFY2(found <= best * allowed,
                 qPrintable(u"%1 of plain, best %2"_s.arg(found / before).arg(best / before)));
        QVERIFY(found < before);
    }

    /// The definition: what loses most stays, ties by position, never a zero, always what fp16
    /// does not hold.
    void salientDensity()
    {
        const Shape shape{30, 40};
        auto values = gaussian(sizeOf(shape), 6);
        for (std::size_t i = 0; i < values.size(); i += 5)
            values[i] = i % 3 == 0 ? 0.0f : std::round(values[i] * 10) / 10;
        values[7] = 1e6f; // infinite in fp16
        values[11] = -1e30f;
        auto inputs = statistics(Inputs::Squares, 40, 1, 1, 7);
        inputs->meanSquare[3] = 0; // never there
        const auto masses = inputMasses(*inputs, shape);
        FormSpec spec;
        spec.node = FormNode::Sparse;
        spec.method = EncodeMethod::Fitted;
        spec.inputs = inputs;
        for (const double density : {0.0, 0.01, 0.3, 0.5, 0.77, 0.9, 1.0}) {
            spec.density = density;
            const auto weight = VERIFIED(encodeForm(values, shape, spec));
            std::vector<std::size_t> order(values.size());
            std::iota(order.begin(), order.end(), std::size_t{0});
            const auto loss = [&](std::size_t i) {
                const auto stored = static_cast<double>(toHalf(values[i]));
                if (!std::isfinite(stored))
                    return HUGE_VAL;
                const auto value = static_cast<double>(values[i]);
                return static_cast<double>(masses[i]) *
                       (value * value - (value - stored) * (value - stored));
            };
            std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
                const bool zeroA = toHalf(values[a]) == 0, zeroB = toHalf(values[b]) == 0;
                return zeroA != zeroB ? zeroB : loss(a) > loss(b) * (1 + 1e-12);
            });
            std::vector<bool> stays(values.size());
            const auto wanted = static_cast<std::size_t>(
                std::llround(density * static_cast<double>(values.size())));
            for (std::size_t i = 0; i < wanted; ++i)
                stays[order[i]] = toHalf(values[order[i]]) != 0;
            const auto decoder = Decoder::make(weight->encoding());
            for (std::size_t i = 0; i < values.size(); ++i)
                QCOMPARE(decoder->stored(i), static_cast<bool>(stays[i]));
        }
    }

    void salientPattern()
    {
        const Shape shape{6, 18, 3};
        const auto values = gaussian(sizeOf(shape), 6);
        const auto inputs = statistics(Inputs::Squares, 18, 1, 1, 7);
        const auto masses = inputMasses(*inputs, shape);
        FormSpec spec;
        spec.node = FormNode::Sparse;
        spec.method = EncodeMethod::Fitted;
        spec.inputs = inputs;
        spec.pattern = SparsePattern{2, 4, 1};
        const auto weight = VERIFIED(encodeForm(values, shape, spec));
        const auto decoder = Decoder::make(weight->encoding());
        for (std::size_t o = 0; o < 6; ++o) {
            for (std::size_t place = 0; place < 3; ++place) {
                for (std::size_t first = 0; first < 18; first += 4) {
                    const std::size_t count = std::min<std::size_t>(4, 18 - first);
                    std::vector<std::pair<double, std::size_t>> losses;
                    for (std::size_t i = 0; i < count; ++i) {
                        const std::size_t at = (o * 18 + first + i) * 3 + place;
                        losses.emplace_back(-static_cast<double>(masses[at]) *
                                                static_cast<double>(values[at] * values[at]),
                                            at);
                    }
                    std::sort(losses.begin(), losses.end());
                    for (std::size_t i = 0; i < count; ++i)
                        QCOMPARE(decoder->stored(losses[i].second), i < 2);
                }
            }
        }
    }
};

KERNSCOPE_TEST(TestEncodeFitted, kernscope::test::NoApplication)
#include "tst_encode_fitted.moc"
