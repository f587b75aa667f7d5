// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/edit/run_editor.h"
#include "core/numeric/bitpack.h"
#include "core/numeric/half.h"
#include "edits.h"

using namespace kernscope::codec;
using namespace kernscope::codec::test;

namespace {

/// Elements from the last to the first, each once more behind them.
class Backwards : public ElementOrder
{
public:
    Backwards(std::uint64_t count, unsigned width, bool highestFirst)
        : m_count(count), m_width(width), m_highestFirst(highestFirst)
    {
    }

    void positions(std::uint64_t first, std::span<std::uint64_t> out) const override
    {
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = (m_count - 1 - first - i) * m_width;
    }
    bool highestFirst() const override { return m_highestFirst; }
    std::uint64_t elements() const override { return m_count; }
    std::uint64_t extent() const override { return half() + half(); }
    std::vector<std::uint64_t> copies(std::uint64_t element) const override
    {
        return {8 * half() + element * m_width};
    }
    std::uint64_t half() const { return (m_count * m_width + 7) / 8; }
    std::uint64_t table(std::uint64_t element) const override { return element % 3; }
    std::uint64_t tables() const override { return 3; }

private:
    std::uint64_t m_count;
    unsigned m_width;
    bool m_highestFirst;
};

/// What is asked for: numbers near those that are there, others, and some that are there.
std::vector<double> someValues(std::span<const float> held, std::mt19937_64 &random)
{
    std::vector<double> values;
    std::normal_distribution<double> normal;
    const auto all = random() % 4;
    if (all == 0 && !held.empty()) // a fill, at times with what is there
        return std::vector<double>(held.size(), random() % 2 == 0 && std::isfinite(held[0])
                                                    ? double(held[0])
                                                    : normal(random));
    for (const float value : held) {
        const double now = std::isfinite(value) ? double(value) : 1.0;
        const auto kind = random() % 4;
        values.push_back(kind == 0   ? now
                         : kind == 1 ? now * (1 + 0.1 * normal(random))
                         : kind == 2 ? normal(random)
                                     : 0.25);
        if (all == 1) // as of an array of fp32, and midpoints of fp16 among them
            values.back() = double(float(values.back()));
        if (all == 1 && random() % 8 == 0)
            values.back() = 1 + 0x1p-11 * double(random() % 64);
        if (all == 1 && random() % 512 == 0)
            values.back() = 65519.0;
    }
    return values;
}

/// A run is what Editor, which tries every code, makes of each of its elements. `valuesOf`: what
/// they are to become, of what they are.
template <class ValuesOf>
void compareEach(const Sample &sample, std::uint64_t first, std::size_t count, EditTolerance within,
                 ValuesOf valuesOf, std::vector<std::byte> &bytes, const char *name)
{
    const auto decoder = Decoder::make(sample.encoding);
    QVERIFY2(decoder, name);
    auto runs = RunEditor::make(*decoder, within);
    if (!runs)
        return;
    std::vector<float> before(count), after(count);
    decoder->decodeFloat(first, before);
    const std::vector<double> values = valuesOf(before);
    RunOutcome outcome;
    QVERIFY2(runs->set(first, values, after, outcome), name);
    QCOMPARE(outcome.seen, std::uint64_t{count});
    RunOutcome alone;
    std::vector<float> becomes(count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto plan = Editor(*decoder).setElement(first + i, values[i], within.of(values[i]));
        if (!plan) {
            alone.refuse(first + i, values[i], plan.error());
            continue;
        }
        alone.note(values[i], plan->stored);
        becomes[i] = float(plan->stored);
        QVERIFY2(outcome.refusal || same(becomes[i], after[i]),
                 fmt::format("{}: element {}, was {}, asked {}: {}, alone {}", name, first + i,
                             before[i], values[i], after[i], becomes[i])
                     .c_str());
        alone.changed += plan->parts.empty() ? 0 : 1;
    }
    QCOMPARE(outcome.refused, alone.refused);
    QCOMPARE(outcome.refusal.has_value(), alone.refusal.has_value());
    if (outcome.refusal) {
        QCOMPARE(describe(*outcome.refusal), describe(*alone.refusal));
        QVERIFY2(outcome.bytes.empty(), name);
        return;
    }
    QVERIFY2(outcome.changed == alone.changed, name);
    QVERIFY2(outcome.worst == alone.worst && outcome.asked == alone.asked &&
                 outcome.stored == alone.stored,
             name);
    const std::vector<std::byte> old = bytes;
    for (const PartEdit &edit : outcome.bytes)
        std::ranges::copy(edit.bytes, bytes.begin() + std::ptrdiff_t(edit.offset));
    QVERIFY2((bytes == old) == (alone.changed == 0), name);
    std::vector<float> decoded(count);
    decoder->decodeFloat(first, decoded);
    for (std::size_t i = 0; i < count; ++i)
        QVERIFY2(same(decoded[i], becomes[i]), name);
}

void compareRun(const Sample &sample, std::uint64_t first, std::size_t count,
                std::mt19937_64 &random, std::vector<std::byte> &bytes, const char *name)
{
    const auto values = [&](std::span<const float> held) { return someValues(held, random); };
    const auto kind = random() % 4;
    const EditTolerance within{kind < 2 ? HUGE_VAL : kind == 2 ? 0.0 : 0.05, 0x1p-24};
    compareEach(sample, first, count, within, values, bytes, name);
}

/// Codebooks of 256 entries: `kind` of them.
enum class Entries { Any, Dense, Crowded, Same, Odd };

std::uint16_t someEntry(Entries kind, std::mt19937_64 &random)
{
    const auto bits = std::uint16_t(random());
    switch (kind) {
    case Entries::Any: return bits & 0xbfffU; // finite, of any size
    case Entries::Dense: return floatToHalf(float(bits % 512) / 1024 - 0.25f);
    case Entries::Crowded: // most in one place
        return bits % 16 == 0 ? std::uint16_t(bits & 0xbfffU)
                              : std::uint16_t(0x3c00U + bits % 1024);
    case Entries::Same: return std::uint16_t(0x3000U + bits % 3);
    case Entries::Odd: break; // zeros of both signs, infinities, NaN, the smallest
    }
    constexpr std::array<std::uint16_t, 8> kOdd{0, 0x8000, 0x7c00, 0xfc00, 0x7e00, 1, 0x8001, 2};
    return bits % 4 == 0 ? kOdd[bits / 4 % kOdd.size()] : bits;
}

/// Entries, what lies between two of them and next to that, and values far from all.
std::vector<double> hardValues(std::span<const float> held, std::span<const std::uint16_t> entries,
                               bool odd, std::mt19937_64 &random)
{
    std::vector<double> values;
    std::normal_distribution<double> normal(0, 0.2);
    const auto entry = [&] { return double(halfToFloat(entries[random() % entries.size()])); };
    for (std::size_t i = 0; i < held.size(); ++i) {
        const double middle = (entry() + entry()) / 2;
        double value = 0;
        switch (random() % 8) {
        case 0: value = entry(); break;
        case 1: value = middle; break;
        case 2: value = std::nextafter(middle, HUGE_VAL); break;
        case 3: value = std::nextafter(middle, -HUGE_VAL); break;
        case 4: value = std::ldexp(normal(random), int(random() % 80) - 40); break;
        case 5: value = random() % 2 == 0 ? 1e6 : -1e30; break;
        default: value = normal(random); break;
        }
        if (odd && random() % 4096 == 0)
            value = random() % 2 == 0 ? HUGE_VAL : std::nan("");
        values.push_back(value);
    }
    return values;
}

} // namespace

class TestRunEditor : public QObject
{
    Q_OBJECT

private slots:
    void allFormsAgree()
    {
        std::mt19937_64 random(3);
        for (const Form &form : allForms()) {
            for (int round = 0; round < 6; ++round) {
                Sample sample = makeSample(form, random);
                const auto payload = partBytes(sample.encoding, PartRole::Data);
                if (payload.empty())
                    continue; // made by another op, or nothing stored
                const auto elements = elementCount(sample.encoding.shape)->value;
                const std::uint64_t first = random() % elements;
                const std::size_t count = 1 + random() % (elements - first);
                compareRun(sample, first, count, random, sample.bytesBehind(payload),
                           (form.name + sample.text).c_str());
            }
        }
    }

    /// New values of a mask's elements, while its gaps stay.
    void keptElements()
    {
        std::mt19937_64 random(5);
        int compared = 0;
        for (const Form &form : allForms()) {
            for (int round = 0; round < 12; ++round) {
                Sample sample = makeSample(form, random);
                const auto payload = partBytes(sample.encoding, PartRole::NonzeroData);
                if (!sample.encoding.mask || payload.empty())
                    continue;
                const auto elements = elementCount(sample.encoding.shape)->value;
                const std::uint64_t first = random() % elements;
                const auto valuesOf = [&](std::span<const float> held) {
                    std::vector<double> values(held.begin(), held.end());
                    for (double &value : values) {
                        const auto some = float(random() % 65536) / 32768 - 1.0f;
                        if (value != 0 && random() % 8 != 0)
                            value = double(some);
                    }
                    if (round == 0) // one gap that does not stay
                        values[random() % values.size()] = 0.5;
                    return values;
                };
                compareEach(sample, first, 1 + random() % (elements - first), {HUGE_VAL, 0},
                            valuesOf, sample.bytesBehind(payload),
                            (form.name + sample.text).c_str());
                ++compared;
            }
        }
        QVERIFY(compared > 0);
    }

    void largeCodebooks_data()
    {
        addColumns<int, int, bool>();
        const std::vector<std::pair<const char *, Entries>> kinds{
            {"any", Entries::Any},
            {"dense", Entries::Dense},
            {"crowded", Entries::Crowded},
            {"three values", Entries::Same},
            {"NaN and infinities", Entries::Odd}};
        for (const auto &[name, kind] : kinds) {
            for (const int books : {1, 3}) {
                for (const bool odd : {false, true})
                    QTest::addRow("%s, %d codebooks%s", name, books, odd ? ", asked too" : "")
                        << int(kind) << books << odd;
            }
        }
    }

    /// Codebooks that are searched: every choice is that of trying all entries.
    void largeCodebooks()
    {
        const auto [entries, books, odd] = fetched<int, int, bool>();
        std::mt19937_64 random(11);
        constexpr std::uint64_t kColumns = 509;
        for (int round = 0; round < 2; ++round) {
            const auto rows = std::uint64_t(3 * books);
            std::vector<std::uint16_t> table(std::size_t(256 * books));
            for (std::uint16_t &entry : table)
                entry = someEntry(static_cast<Entries>(entries), random);
            Sample sample;
            sample.storage.push_back(randomBytes(rows * kColumns, random));
            auto &bytes = sample.storage.back();
            sample.encoding.shape = {rows, kColumns};
            sample.encoding.payload =
                Operand{PartRole::Indices, ElementType::Uint8, sample.encoding.shape, bytes};
            Palette palette;
            palette.entries = 256;
            palette.grid = {std::uint64_t(books), 1};
            palette.lut = Operand{PartRole::Lut,
                                  ElementType::Fp16,
                                  {std::uint64_t(books), 1, 256, 1},
                                  std::as_bytes(std::span(table))};
            sample.encoding.palette = palette;
            const std::uint64_t first = random() % 100;
            const auto values = [&](std::span<const float> held) {
                return hardValues(held, table, odd, random);
            };
            compareEach(sample, first, rows * kColumns - first - random() % 100, {HUGE_VAL, 0},
                        values, bytes, QTest::currentDataTag());
        }
    }

    void orders_data()
    {
        addColumns<int, unsigned, bool>();
        for (const bool highestFirst : {false, true}) {
            for (const ElementType type : {ElementType::Fp16, ElementType::Int8, ElementType::Int4})
                QTest::addRow("%s%s", elementTypeName(type).data(),
                              highestFirst ? ", highest first" : "")
                    << int(type) << 0u << highestFirst;
            for (const unsigned bits : {1u, 3u, 4u, 6u, 8u})
                QTest::addRow("palette of %u bits%s", bits, highestFirst ? ", highest first" : "")
                    << int(unsignedType(bits)) << bits << highestFirst;
        }
    }

    /// Payloads of hardware: codes in another order, and copies of them.
    void orders()
    {
        const auto [type, bits, highestFirst] = fetched<int, unsigned, bool>();
        const auto stored = static_cast<ElementType>(type);
        constexpr std::uint64_t kCount = 203;
        const unsigned width = bitWidth(stored);
        if (width >= 8 && highestFirst)
            return; // whole bytes have no such order
        std::mt19937_64 random(7);
        const auto order = std::make_shared<Backwards>(kCount, width, highestFirst);
        for (int round = 0; round < 20; ++round) {
            Sample sample;
            sample.storage.push_back(randomBytes(order->extent(), random));
            auto &bytes = sample.storage.back();
            if (stored == ElementType::Fp16) {
                for (std::size_t i = 1; i < bytes.size(); i += 2)
                    bytes[i] &= std::byte{0xbf}; // no NaN
            }
            sample.encoding.shape = {7, 29};
            sample.encoding.payload = Operand{
                bits != 0 ? PartRole::Indices : PartRole::Data, stored, {7, 29}, bytes, order};
            if (bits != 0) {
                sample.storage.push_back(randomBytes(3 * 2 * (std::size_t{1} << bits), random));
                for (std::size_t i = 1; i < sample.storage.back().size(); i += 2)
                    sample.storage.back()[i] &= std::byte{0xbf};
                Palette palette;
                palette.entries = std::uint64_t{1} << bits;
                palette.grid = {1, 1};
                palette.lut = Operand{PartRole::Lut,
                                      ElementType::Fp16,
                                      {3, 1, palette.entries, 1},
                                      sample.storage.back()};
                sample.encoding.palette = palette;
            } else if (width < 16) {
                sample.storage.push_back(randomBytes(2 * 7, random));
                for (std::size_t i = 1; i < 14; i += 2)
                    sample.storage.back()[i] = std::byte{0x20}; // positive, of ordinary size
                Scaling scaling;
                scaling.kind = Scaling::Kind::Affine;
                scaling.scale =
                    Operand{PartRole::Scale, ElementType::Fp16, {7}, sample.storage.back()};
                sample.encoding.scaling = scaling;
            }
            const auto decoder = Decoder::make(sample.encoding);
            if (!decoder)
                qWarning("%s", describe(decoder.error()).c_str());
            QVERIFY(decoder);
            QVERIFY(RunEditor::make(*decoder, {}));
            const std::vector<std::byte> before = bytes;
            const std::uint64_t first = random() % kCount;
            const std::size_t count = 1 + random() % (kCount - first);
            compareRun(sample, first, count, random, bytes, QTest::currentDataTag());
            const auto codeIn = [&](const std::vector<std::byte> &from, std::uint64_t position) {
                std::uint64_t code = 0;
                for (std::uint64_t at = position; at < position + width; ++at) {
                    const std::uint64_t place = highestFirst ? 7 - at % 8 : at % 8;
                    code = code << 1 | (std::to_integer<unsigned>(from[at / 8]) >> place & 1u);
                }
                return code;
            };
            for (std::uint64_t i = 0; i < kCount; ++i) {
                std::uint64_t own = 0;
                order->positions(i, std::span(&own, 1));
                const std::uint64_t copy = order->copies(i).front();
                const bool changed = codeIn(bytes, own) != codeIn(before, own);
                QVERIFY(!changed || (i >= first && i < first + count));
                // A copy follows its element, and stays where that stays.
                QCOMPARE(codeIn(bytes, copy), changed ? codeIn(bytes, own) : codeIn(before, copy));
            }
        }
    }
};

KERNSCOPE_TEST(TestRunEditor, NoApplication)
#include "tst_run_editor.moc"
