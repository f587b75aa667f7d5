// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest> // first: moc 6.4 stumbles over <concepts> otherwise

#include "core/codec/edit/run_editor.h"
#include "core/codec/edit/run_mapper.h"
#include "core/numeric/half.h"
#include "edits.h"
#include "tests/test_program.h"

#include <cmath>
#include <cstring>

#include <fmt/format.h>

using namespace kernscope;
using namespace kernscope::codec;
using namespace kernscope::codec::test;

namespace {

constexpr std::uint64_t kMany = 1 << 20; ///< elements that an edit is said to have

/// Fills and expressions, by number.
constexpr int kWishes = 10;
double request(int kind, double now)
{
    switch (kind) {
    case 0: return 0.125;
    case 1: return -0.0;
    case 2: return now * 0.5;
    case 3: return now * 0.1;
    case 4: return std::min(std::max(now, -0.25), 0.25);
    case 5: return std::abs(now) + 0.0625;
    case 6: return -now;
    case 7: return std::sqrt(now); // no number of what is negative
    case 8: return 1 / now;
    default: return now * 40000; // beyond fp16
    }
}

void wishAll(int kind, std::span<const float> now, std::span<double> wanted)
{
    for (std::size_t i = 0; i < now.size(); ++i)
        wanted[i] = request(kind, static_cast<double>(now[i]));
}

struct Counts {
    int mapped = 0, left = 0;
};

void compareTwo(const RunOutcome &one, const RunOutcome &other, const std::string &name)
{
    QVERIFY2(one.seen == other.seen && one.changed == other.changed &&
                 one.refused == other.refused && one.worst == other.worst,
             name.c_str());
    const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
    QVERIFY2(same(one.asked, other.asked) && same(one.stored, other.stored), name.c_str());
    QCOMPARE(one.bytes.size(), other.bytes.size());
    for (std::size_t i = 0; i < one.bytes.size(); ++i)
        QVERIFY2(one.bytes[i].role == other.bytes[i].role &&
                     one.bytes[i].offset == other.bytes[i].offset &&
                     one.bytes[i].bytes == other.bytes[i].bytes,
                 name.c_str());
    QVERIFY2(bool(one.refusal) == bool(other.refusal), name.c_str());
    if (one.refusal)
        QCOMPARE(describe(*one.refusal), describe(*other.refusal));
}

/// Runs of a weight: where the mapper sets one, it does what the editor of runs does.
void compareRuns(const Encoding &encoding, int kind, EditTolerance tolerance, std::size_t step,
                 const std::string &name, Counts &counts)
{
    const auto decoder = Decoder::make(encoding);
    QVERIFY2(decoder, name.c_str());
    auto runs = RunEditor::make(*decoder);
    const auto wanted = [kind](std::span<const float> now, std::span<double> values) {
        wishAll(kind, now, values);
    };
    auto mapper = RunMapper::make(*decoder, kMany, wanted, tolerance);
    if (!runs || !mapper) {
        QVERIFY2(!mapper, name.c_str());
        return;
    }
    RunOutcome byRuns, mapped;
    const std::uint64_t elements = decoder->elements().value;
    for (std::uint64_t at = 0; at < elements; at += step) {
        const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(step, elements - at));
        std::vector<float> held(count);
        std::vector<double> values(count);
        decoder->decodeFloat(at, held);
        wishAll(kind, held, values);
        QVERIFY2(runs->set(at, values, tolerance, held, byRuns), name.c_str());
        std::vector<float> some(std::min<std::size_t>(count, 37), 7.0f);
        if (mapper->set(at, count, some, mapped)) {
            ++counts.mapped;
            for (std::size_t i = 0; i < some.size() && !byRuns.refusal; ++i)
                QVERIFY2(some[i] == held[i] || (std::isnan(some[i]) && std::isnan(held[i])),
                         name.c_str());
        } else {
            ++counts.left;
            decoder->decodeFloat(at, held);
            QVERIFY2(runs->set(at, values, tolerance, held, mapped), name.c_str());
        }
        compareTwo(mapped, byRuns, name);
        if (QTest::currentTestFailed())
            return;
    }
}

/// Codes of every kind under one grid of scales or codebooks, in rows long enough to be mapped.
Sample longRows(ElementType type, unsigned bits, std::mt19937_64 &random)
{
    constexpr std::uint64_t kRows = 3, kColumns = 17011;
    Sample sample;
    const Shape shape{kRows, kColumns};
    sample.encoding.shape = shape;
    const unsigned width = bits != 0 ? bits : bitWidth(type);
    sample.storage.push_back(randomBytes((kRows * kColumns * width + 7) / 8, random));
    sample.encoding.payload =
        Operand{bits != 0 ? PartRole::Indices : PartRole::Data,
                bits != 0 ? unsignedType(bits) : type, shape, sample.storage.back()};
    const auto halves = [&](std::size_t count, auto make) {
        std::vector<std::byte> bytes(2 * count);
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint16_t half = floatToHalf(make(i));
            std::memcpy(bytes.data() + 2 * i, &half, sizeof half);
        }
        sample.storage.push_back(std::move(bytes));
        return std::span<const std::byte>(sample.storage.back());
    };
    std::normal_distribution<float> normal(0, 0.5f);
    if (bits != 0) {
        Palette palette;
        palette.entries = std::uint64_t{1} << bits;
        palette.grid = {kRows, 1};
        palette.lut =
            Operand{PartRole::Lut,
                    ElementType::Fp16,
                    {kRows, 1, palette.entries, 1},
                    halves(kRows * palette.entries, [&](std::size_t) { return normal(random); })};
        sample.encoding.palette = palette;
    } else if (!isFloatingPoint(type)) {
        // An ordinary scale, one whose steps are below those of fp16, one that falls.
        const std::vector<float> scales{0.0123f, 0x1p-24f, -0.03f};
        Scaling scaling;
        scaling.kind = Scaling::Kind::Affine;
        scaling.scale =
            Operand{PartRole::Scale, ElementType::Fp16, {kRows}, halves(kRows, [&](std::size_t i) {
                        return scales[i];
                    })};
        sample.encoding.scaling = scaling;
    } else if (type != ElementType::Fp16) {
        sample.encoding.type = type;
    }
    return sample;
}

} // namespace

class TestRunMapper : public QObject
{
    Q_OBJECT

private slots:
    void allForms_data();
    void allForms();
    void longRows_data();
    void longRows();
    void everyHalf();
};

void TestRunMapper::allForms_data()
{
    QTest::addColumn<int>("kind");
    for (int kind = 0; kind < kWishes; ++kind)
        QTest::addRow("request %d", kind) << kind;
}

void TestRunMapper::allForms()
{
    QFETCH(int, kind);
    std::mt19937_64 random(17);
    Counts counts;
    for (const Form &form : codec::test::allForms()) {
        const Sample sample = makeSample(form, random);
        const std::string name = form.name + sample.text;
        compareRuns(sample.encoding, kind, {HUGE_VAL, 0}, 1000, name, counts);
        compareRuns(sample.encoding, kind, {0.01, 0x1p-24}, 1000, name, counts);
        if (QTest::currentTestFailed())
            return;
    }
    QVERIFY(counts.left > 0);
}

void TestRunMapper::longRows_data()
{
    QTest::addColumn<int>("type");
    QTest::addColumn<unsigned>("bits");
    QTest::addColumn<int>("kind");
    for (int kind = 0; kind < kWishes; ++kind) {
        for (const ElementType type :
             {ElementType::Fp16, ElementType::Bf16, ElementType::Fp8E4M3Fn, ElementType::Int8,
              ElementType::Uint8, ElementType::Int4, ElementType::Uint4})
            QTest::addRow("%s, request %d", elementTypeName(type).data(), kind)
                << static_cast<int>(type) << 0u << kind;
        for (const unsigned bits : {1u, 2u, 3u, 4u, 6u, 8u})
            QTest::addRow("palette of %u bits, request %d", bits, kind) << 0 << bits << kind;
    }
}

void TestRunMapper::longRows()
{
    QFETCH(int, type);
    QFETCH(unsigned, bits);
    QFETCH(int, kind);
    std::mt19937_64 random(23);
    Counts counts;
    const Sample sample = ::longRows(static_cast<ElementType>(type), bits, random);
    for (const std::size_t step : {std::size_t{640}, std::size_t{2501}, std::size_t{20000}})
        compareRuns(sample.encoding, kind, {HUGE_VAL, 0}, step, QTest::currentDataTag(), counts);
    compareRuns(sample.encoding, kind, {0.02, 0x1p-24}, 1999, QTest::currentDataTag(), counts);
    if (kind == 2)
        QVERIFY(counts.mapped > 0);
}

/// All numbers of fp16 and all that comes of them, with and without a mask.
void TestRunMapper::everyHalf()
{
    std::vector<std::uint16_t> codes(65536);
    for (std::size_t i = 0; i < codes.size(); ++i)
        codes[i] = static_cast<std::uint16_t>(i * 40503); // each once
    Counts counts;
    Encoding dense;
    dense.shape = {codes.size()};
    dense.payload =
        Operand{PartRole::Data, ElementType::Fp16, dense.shape, std::as_bytes(std::span(codes))};
    // Two elements in three are kept.
    const std::uint64_t elements = 3 * codes.size() / 2;
    std::vector<std::byte> mask((elements + 7) / 8);
    for (std::uint64_t i = 0; i < elements; ++i)
        mask[i / 8] |= static_cast<std::byte>((i % 3 != 1 ? 1U : 0U) << i % 8);
    Encoding sparse;
    sparse.shape = {elements};
    sparse.mask = Operand{PartRole::Mask, ElementType::Uint1, sparse.shape, mask};
    sparse.payload = Operand{
        PartRole::NonzeroData, ElementType::Fp16, {codes.size()}, std::as_bytes(std::span(codes))};
    for (int kind = 0; kind < kWishes; ++kind) {
        for (const Encoding *encoding : {&dense, &sparse}) {
            const std::string name =
                fmt::format("request {}{}", kind, encoding->mask ? ", mask" : "");
            compareRuns(*encoding, kind, {HUGE_VAL, 0}, 777, name, counts);
            compareRuns(*encoding, kind, {0, 0x1p-24}, 777, name, counts);
            if (QTest::currentTestFailed())
                return;
        }
    }
    QVERIFY(counts.mapped > 0 && counts.left > 0);
}

KERNSCOPE_TEST(TestRunMapper, kernscope::test::NoApplication)
#include "tst_run_mapper.moc"
