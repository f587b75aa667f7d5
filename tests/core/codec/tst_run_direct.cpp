// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest> // first: moc 6.4 stumbles over <concepts> otherwise

#include "core/codec/edit/run_editor.h"
#include "core/numeric/half.h"
#include "edits.h"
#include "tests/test_program.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace kernscope;
using namespace kernscope::codec;
using namespace kernscope::codec::test;

namespace {

constexpr double kAny = 1e30; ///< farther off than any element is

/// Numbers in fp16 (width 0), or codes with scales and offsets of blocks of some elements.
struct Kind {
    const char *name;
    ElementType type;
    std::uint64_t block;
    std::vector<float> scales;
    std::vector<int> offsets; ///< codes; empty: none
    bool settles = true;      ///< all ordinary numbers at once
};

std::vector<Kind> kinds()
{
    return {{"fp16", ElementType::Fp16, 0, {}, {}},
            {"int8", ElementType::Int8, 2048, {0.0123f, 1, 0x1p-20f, 0.5f, 64}, {}},
            {"int8, short blocks", ElementType::Int8, 8, {0.0123f, 0.02f, 0.031f, 0x1p-9f}, {}},
            {"uint8", ElementType::Uint8, 512, {0.01f, 0.3f}, {128, 0, 255, 7}},
            {"int4", ElementType::Int4, 32, {0.25f, 0.1f, 0.0771f}, {}},
            {"uint4", ElementType::Uint4, 32, {0.25f, 0.1f, 0.0771f}, {8, 0, 15}},
            {"falling", ElementType::Int8, 64, {0.1f, -0.1f}, {}, false},
            {"steps too small", ElementType::Int8, 64, {0x1p-23f, 0.1f}, {}, false},
            {"steps too large", ElementType::Uint8, 64, {1000.0f}, {}, false}};
}

Sample sampleOf(const Kind &kind, std::uint64_t elements, std::mt19937_64 &random)
{
    Sample sample;
    sample.encoding.shape = {1, elements};
    const unsigned width = bitWidth(kind.type);
    sample.storage.push_back(randomBytes((elements * width + 7) / 8, random));
    sample.encoding.payload =
        Operand{PartRole::Data, kind.type, {1, elements}, sample.storage.back()};
    if (kind.block == 0)
        return sample;
    const std::uint64_t cells = elements / kind.block;
    std::vector<std::byte> scales(2 * cells), offsets(cells);
    for (std::size_t i = 0; i < cells; ++i) {
        const std::uint16_t half = floatToHalf(kind.scales[i % kind.scales.size()]);
        std::memcpy(scales.data() + 2 * i, &half, sizeof half);
        if (!kind.offsets.empty())
            offsets[i] = static_cast<std::byte>(kind.offsets[i % kind.offsets.size()]);
    }
    Scaling scaling;
    scaling.kind = Scaling::Kind::Blockwise;
    sample.storage.push_back(std::move(scales));
    scaling.scale = Operand{PartRole::Scale, ElementType::Fp16, {1, cells}, sample.storage.back()};
    if (!kind.offsets.empty() && width == 8) {
        sample.storage.push_back(std::move(offsets));
        scaling.offset = Operand{PartRole::Offset, kind.type, {1, cells}, sample.storage.back()};
    }
    sample.encoding.scaling = scaling;
    return sample;
}

/// What is asked of elements: numbers near theirs, what lies between two codes, far away, nothing
/// ordinary.
double asked(double now, int how, std::mt19937_64 &random)
{
    std::normal_distribution<double> normal;
    if (!std::isfinite(now))
        now = 1;
    switch (how) {
    case 0: return now;
    case 1: return now * (1 + 0.05 * normal(random));
    case 2: return now * 0.75; // of codes that are even but no multiples of 4: between two
    case 3: return normal(random);
    case 4: return random() % 64 == 0 ? std::ldexp(normal(random), 20) : now + 0.01;
    case 5: return random() % 64 == 0 ? std::ldexp(normal(random), -30) : -now;
    case 6: return 1 + 0x1p-11 * static_cast<double>(random() % 64); // between two of fp16
    default: break;
    }
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const double odd[] = {kInfinity, -kInfinity, std::nan(""), 65519.0, 65520.0, 1e38, -0.0, 0.0};
    return random() % 512 == 0 ? odd[random() % 8] : now * 1.5;
}

} // namespace

class TestRunDirect : public QObject
{
    Q_OBJECT

private slots:
    void sameAsOfHeld_data();
    void sameAsOfHeld();

private:
    void compare(const Decoder &decoder, std::uint64_t first, std::span<const double> values,
                 EditTolerance tolerance, bool *taken) const;
};

void TestRunDirect::sameAsOfHeld_data()
{
    QTest::addColumn<int>("number");
    QTest::addColumn<int>("how");
    const auto all = kinds();
    for (std::size_t i = 0; i < all.size(); ++i) {
        for (int how = 0; how < 8; ++how)
            QTest::addRow("%s, %d", all[i].name, how) << static_cast<int>(i) << how;
    }
}

/// Where a run is taken straight from the stored codes, it is what the other way makes of it.
void TestRunDirect::compare(const Decoder &decoder, std::uint64_t first,
                            std::span<const double> values, EditTolerance tolerance,
                            bool *taken) const
{
    auto runs = RunEditor::make(decoder);
    QVERIFY(runs);
    std::vector<float> held(values.size()), some(std::min<std::size_t>(values.size(), 300), 7.0f);
    decoder.decodeFloat(first, held);
    RunOutcome told, direct;
    told.worst = direct.worst = kAny;
    QVERIFY(runs->set(first, values, tolerance, held, told));
    *taken = runs->setDirect(first, values, tolerance, some, direct);
    if (!*taken) {
        QVERIFY(direct.seen == 0 && direct.changed == 0 && !direct.refusal);
        return;
    }
    QVERIFY(!told.refusal);
    QVERIFY(std::memcmp(some.data(), held.data(), std::span(some).size_bytes()) == 0);
    QCOMPARE(direct.seen, told.seen);
    QCOMPARE(direct.changed, told.changed);
    QCOMPARE(direct.worst, told.worst);
    QCOMPARE(direct.bytes.size(), told.bytes.size());
    if (!told.bytes.empty()) {
        QCOMPARE(direct.bytes[0].offset, told.bytes[0].offset);
        QVERIFY(direct.bytes[0].bytes == told.bytes[0].bytes);
    }
    // One that is farther off than those before is for the other way.
    double worst = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
        worst = std::max(worst, std::abs(static_cast<double>(held[i]) - values[i]));
    RunOutcome none, nearer;
    QVERIFY(!runs->setDirect(first, values, tolerance, some, none));
    nearer.worst = std::nextafter(worst, -1.0);
    QVERIFY(!runs->setDirect(first, values, tolerance, some, nearer));
    QCOMPARE(nearer.seen, std::uint64_t{0});
}

void TestRunDirect::sameAsOfHeld()
{
    QFETCH(int, number);
    QFETCH(int, how);
    const Kind kind = kinds()[static_cast<std::size_t>(number)];
    std::mt19937_64 random(31);
    int taken = 0;
    constexpr std::uint64_t kElements = 8192;
    for (int round = 0; round < 30; ++round) {
        const Sample sample = sampleOf(kind, kElements, random);
        const auto decoder = Decoder::make(sample.encoding);
        QVERIFY2(decoder, decoder ? "" : describe(decoder.error()).c_str());
        const std::uint64_t first = random() % (kElements - 1);
        const std::size_t count = 1 + random() % (kElements - first);
        std::vector<float> held(count);
        decoder->decodeFloat(first, held);
        std::vector<double> values;
        for (const float now : held) {
            values.push_back(asked(static_cast<double>(now), how, random));
            if (round % 2 == 0)
                values.back() = static_cast<double>(static_cast<float>(values.back()));
        }
        for (const EditTolerance tolerance :
             {EditTolerance{HUGE_VAL, 0}, EditTolerance{0.1, 0x1p-24}, EditTolerance{0, 0}}) {
            bool all = false;
            compare(*decoder, first, values, tolerance, &all);
            if (QTest::currentTestFailed())
                return;
            taken += all ? 1 : 0;
        }
    }
    if (kind.settles && how < 4)
        QVERIFY(taken >= 15);
}

KERNSCOPE_TEST(TestRunDirect, kernscope::test::NoApplication)
#include "tst_run_direct.moc"
