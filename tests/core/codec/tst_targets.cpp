// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/edit/run_editor.h"
#include "core/codec/encode/form_spec.h"
#include "core/numeric/bitpack.h"
#include "core/numeric/convert.h"
#include "core/numeric/stream_copy.h"
#include "sample.h"
#include "tests/test_program.h"

#include <hwy/targets.h>

using namespace kernscope::codec;
using namespace kernscope::codec::test;

namespace {

using RawBytes = std::vector<std::byte>;

/// Numbers, or a row of them.
template <class T>
void note(RawBytes &all, const T &made)
{
    const auto bytes = [&made] {
        if constexpr (std::is_arithmetic_v<T>)
            return std::as_bytes(std::span(&made, 1));
        else
            return std::as_bytes(std::span(made));
    }();
    all.insert(all.end(), bytes.begin(), bytes.end());
}

/// The same by the other methods, with inputs of different power.
template <class Add>
void addFitted(const std::vector<float> &values, const std::vector<float> &odd, Add add)
{
    const Shape shape{509, 40};
    auto inputs = std::make_shared<InputStatistics>();
    for (int i = 0; i < 40; ++i) {
        inputs->meanSquare.push_back(float(1 + i * i % 17));
        inputs->mean.push_back(0.3f * float(i % 3));
    }
    FormSpec spec;
    spec.inputs = inputs;
    for (const EncodeMethod method : {EncodeMethod::Fitted, EncodeMethod::Feedback}) {
        spec.method = method;
        for (const auto *input : {&values, &odd}) {
            spec.node = FormNode::Affine;
            for (const bool symmetric : {true, false}) {
                spec.affine = {ElementType::Uint8, 0, symmetric};
                add(encodeForm(*input, shape, spec));
            }
            spec.node = FormNode::Blockwise;
            spec.blockwise = {ElementType::Int4, 20, 1, false};
            add(encodeForm(*input, shape, spec));
            spec.node = FormNode::Sparse;
            spec.density = 0.3;
            add(encodeForm(*input, shape, spec));
        }
        spec.node = FormNode::Palette;
        spec.palette = {4, 1, 1};
        add(encodeForm(values, shape, spec));
        spec.palette = {8, 1, 1};
        add(encodeForm(values, shape, spec));
    }
}

/// What the encoders make of fixed random numbers, with some that are no ordinary ones.
void addEncoded(RawBytes &all)
{
    std::mt19937 random(78);
    std::normal_distribution<float> normal(0, 0.1f);
    const Shape shape{40, 509};
    std::vector<float> values(40 * 509);
    for (float &value : values)
        value = normal(random);
    for (std::size_t i = 0; i < values.size(); i += 97) // ties of the steps, zeros, tiny numbers
        values[i] = float(int(random() % 65) - 32) * 0x1p-7f;
    std::vector<float> odd = values;
    odd[5] = HUGE_VALF;
    odd[77] = std::nanf("");
    odd[1000] = 0x1p-25f;
    odd[2000] = -1e30f;
    const auto add = [&all](const Result<EncodedWeight> &weight) {
        for (const EncodedPart &part : weight->parts)
            note(all, part.bytes);
    };
    for (const auto *input : {&values, &odd}) {
        for (const bool symmetric : {true, false}) {
            add(encodeAffine(*input, shape, {ElementType::Int8, 0, symmetric}));
            add(encodeAffine(*input, shape, {ElementType::Uint8, 1, symmetric}));
        }
        add(encodeBlockwise(*input, {509, 40}, {ElementType::Int4, 20, 1, false}));
        add(encodeSparse(*input, shape, 0.05f));
        add(encodeSparse(*input, shape, 0));
        for (const std::uint64_t of : {2u, 4u, 8u, 5u}) {
            add(encodeSparsePattern(*input, shape, {of / 2, of, 0}));
            add(encodeSparsePattern(*input, {509, 40}, {of / 2, of, 1}));
        }
    }
    std::vector<float> many(std::size_t{1} << 20); // enough to be cut by a sample
    for (std::size_t i = 0; i < many.size(); ++i)
        many[i] = values[i * 7 % values.size()] + float(i) * 1e-9f;
    add(encodeSparseDensity(many, {many.size()}, 0.3));
    add(encodePalette(values, shape, {4, 1, 1}));
    add(encodePalette(values, shape, {8, 10, 1}));
    add(encodePalette(values, shape, {6, 1, 4}));
    add(encodePalette(values, shape, {3, 4, 2, ElementType::Int8}));
    odd[5] = 1e38f; // these refuse what is not finite
    odd[77] = -70000.0f;
    addFitted(values, odd, add);
}

std::vector<std::pair<const char *, Encoding>> longForms(std::span<const std::byte> bytes,
                                                         std::uint64_t count);

/// What edits of whole weights make of them: values near those that are held, others, and one for
/// all.
void addEdited(const Encoding &encoding, std::mt19937_64 &random, RawBytes &all)
{
    const auto decoder = Decoder::make(encoding);
    auto editor = RunEditor::make(*decoder, {1e30, 1e-6});
    if (!editor)
        return; // vectors, and elements that are left out
    std::vector<float> held(decoder->elements().value);
    std::vector<double> values(held.size());
    RunOutcome outcome;
    for (const int kind : {0, 1, 2, 3, 4}) {
        decoder->decodeFloat(0, held);
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double now = std::isfinite(held[i]) ? double(held[i]) : 0.5;
            const double part = double(random() % 1024) / 1024;
            values[i] = kind == 0   ? 0.375
                        : kind == 1 ? now * (1 + 0.1 * part)
                        : kind == 3 ? now * 0.75
                                    : 4 * part - 2;
            if (kind == 4)
                values[i] = double(float(now * part));
        }
        for (std::size_t at = 0; at < values.size(); at += 5000) {
            const std::size_t count = std::min<std::size_t>(5000, values.size() - at);
            const bool set = editor->set(at, std::span(values).subspan(at, count),
                                         std::span(held).subspan(at, count), outcome);
            note(all, set);
            for (const PartEdit &edit : outcome.bytes)
                note(all, edit.bytes);
        }
        note(all, held);
        note(all, outcome.changed);
        note(all, std::array{outcome.worst, outcome.asked, outcome.stored});
    }
}

/// Everything that the vector code makes of fixed random input, as bytes.
RawBytes results()
{
    RawBytes all;
    const auto add = [&all](const auto &values) { note(all, values); };
    std::mt19937_64 random(77);
    std::vector<std::uint16_t> halves(0x10000);
    for (std::size_t i = 0; i < halves.size(); ++i)
        halves[i] = std::uint16_t(i);
    std::vector<float> floats(halves.size());
    convertHalfToFloat(halves, floats);
    add(floats);
    std::vector<float> anything(100003);
    for (float &value : anything)
        value = std::bit_cast<float>(std::uint32_t(random()));
    std::vector<std::uint16_t> narrowed(anything.size());
    convertFloatToHalf(anything, narrowed);
    add(narrowed);
    const auto stream = randomBytes(5000, random);
    for (const unsigned width : {1u, 2u, 3u, 4u, 6u, 8u}) {
        std::vector<std::uint8_t> codes(4999);
        unpackCodes(stream, width, 1, codes);
        add(codes);
    }
    std::vector<std::int8_t> nibbles(9998);
    unpackInt4(stream, 2, nibbles);
    add(nibbles);
    note(all, countBits(stream, 3, 39990));
    for (const Form &form : allForms()) {
        for (int round = 0; round < 3; ++round) {
            const Sample sample = makeSample(form, random);
            const auto decoder = Decoder::make(sample.encoding);
            const std::uint64_t first = random() % decoder->elements().value;
            std::vector<std::uint16_t> decoded(decoder->elements().value - first);
            std::vector<float> wide(decoded.size());
            decoder->decodeHalf(first, decoded);
            decoder->decodeFloat(first, wide);
            add(decoded);
            add(wide);
        }
    }
    auto bytes = randomBytes(std::uint64_t{1} << 15, random);
    for (std::size_t i = 1; i < bytes.size(); i += 2) // no NaN among the scales
        bytes[i] &= std::byte{0xbf};
    for (const auto &[name, encoding] : longForms(bytes, std::uint64_t{1} << 14)) {
        std::vector<std::uint16_t> decoded((std::size_t{1} << 14) - 3);
        Decoder::make(encoding)->decodeHalf(3, decoded);
        add(decoded);
        addEdited(encoding, random, all);
    }
    addEncoded(all);
    return all;
}

/// The result of `decode` past the caches at any place, against a small one.
template <class T, class Decode>
void compareStreamed(const std::string &name, std::size_t count, std::size_t shift, Decode decode)
{
    constexpr T kUntouched = 77;
    std::vector<T> plain(count);
    std::vector<T> streamed(count + 80, kUntouched);
    setStreamedBytes(SIZE_MAX);
    decode(std::span(plain));
    setStreamedBytes(1);
    decode(std::span(streamed).subspan(shift, count));
    setStreamedBytes(0);
    QVERIFY2(std::memcmp(plain.data(), streamed.data() + shift, count * sizeof(T)) == 0,
             name.c_str());
    for (std::size_t i = 0; i < streamed.size(); ++i) {
        if (i < shift || i >= shift + count)
            QVERIFY2(streamed[i] == kUntouched, name.c_str());
    }
}

/// Forms whose long results are stored past the caches.
std::vector<std::pair<const char *, Encoding>> longForms(std::span<const std::byte> bytes,
                                                         std::uint64_t count)
{
    const auto operand = [&](PartRole role, ElementType type, Shape shape) {
        const auto size = packedBytes(*elementCount(shape), type);
        return Operand{role, type, std::move(shape), bytes.first(size->value)};
    };
    std::vector<std::pair<const char *, Encoding>> forms;
    const auto add = [&](const char *name, ElementType type, std::uint64_t block, bool offset) {
        Encoding encoding;
        encoding.shape = {4, count / 4};
        encoding.payload = operand(PartRole::Data, type, encoding.shape);
        if (block != 0) {
            Scaling scaling;
            scaling.kind = Scaling::Kind::Blockwise;
            const Shape cells{4, count / 4 / block};
            scaling.scale = operand(PartRole::Scale, ElementType::Fp16, cells);
            if (offset)
                scaling.offset = operand(PartRole::Offset, type, cells);
            encoding.scaling = scaling;
        }
        forms.emplace_back(name, encoding);
    };
    add("fp16", ElementType::Fp16, 0, false);
    add("int8, a scale a row", ElementType::Int8, count / 4, false);
    add("int8, blocks of 32", ElementType::Int8, 32, false);
    add("uint8, blocks of 8, offsets", ElementType::Uint8, 8, true);
    add("int4, blocks of 32", ElementType::Int4, 32, false);
    add("int4, blocks of 16", ElementType::Int4, 16, false);
    add("uint4, blocks of 64, offsets", ElementType::Uint4, 64, true);
    for (const unsigned width : {1u, 2u, 3u, 4u, 6u, 8u}) {
        Encoding encoding;
        encoding.shape = {64, count / 64};
        const auto type = elementTypeFromName("uint" + std::to_string(width));
        encoding.payload = operand(PartRole::Indices, type, encoding.shape);
        Palette palette;
        palette.entries = std::uint64_t{1} << width;
        for (const std::uint64_t codebooks : {1u, 64u}) {
            palette.grid = {codebooks, 1};
            palette.lut =
                operand(PartRole::Lut, ElementType::Fp16, {codebooks, 1, palette.entries, 1});
            encoding.palette = palette;
            forms.emplace_back("palette", encoding);
        }
        for (const std::uint64_t vector : {2u, 4u}) {
            encoding.payload = operand(PartRole::Indices, type, {64, count / 64 / vector});
            palette.grid = {1, 1};
            palette.vector = vector;
            palette.vectorAxis = 1;
            palette.lut =
                operand(PartRole::Lut, ElementType::Fp16, {1, 1, palette.entries, vector});
            encoding.palette = palette;
            forms.emplace_back("palette of vectors", encoding);
        }
    }
    Encoding sparse;
    sparse.shape = {count};
    sparse.mask = operand(PartRole::Mask, ElementType::Uint1, sparse.shape);
    sparse.payload = operand(PartRole::NonzeroData, ElementType::Fp16,
                             {countBits(sparse.mask->bytes, 0, count)});
    forms.emplace_back("sparse", sparse);
    return forms;
}

} // namespace

/// The same bits by every instruction set that this processor has, and without vectors.
class TestTargets : public QObject
{
    Q_OBJECT

private slots:
    void everyTargetAgrees()
    {
        hwy::GetChosenTarget().Update(0); // none: the scalar code
        const RawBytes plain = results();
        int targets = 0;
        for (std::int64_t rest = hwy::SupportedTargets(); rest != 0; rest &= rest - 1) {
            const std::int64_t target = rest & -rest;
            hwy::GetChosenTarget().Update(target);
            const RawBytes found = results();
            QCOMPARE(found.size(), plain.size());
            QVERIFY2(std::memcmp(found.data(), plain.data(), plain.size()) == 0,
                     hwy::TargetName(target));
            ++targets;
        }
        hwy::GetChosenTarget().DeInit();
        QVERIFY(targets > 0);
    }

    /// Past the caches or not, from any element on, into any place: the same values, and nothing
    /// outside the result is touched.
    void streamedResults_data()
    {
        QTest::addColumn<qint64>("target");
        for (std::int64_t rest = hwy::SupportedTargets(); rest != 0; rest &= rest - 1) {
            const std::int64_t target = rest & -rest;
            addRow(hwy::TargetName(target), qint64{target});
        }
        addRow("no vectors", qint64{0});
    }
    void streamedResults()
    {
        QFETCH(qint64, target);
        hwy::GetChosenTarget().Update(target);
        std::mt19937_64 random(79);
        for (const Form &form : allForms()) {
            for (int round = 0; round < 4; ++round) {
                const Sample sample = makeSample(form, random);
                const auto decoder = Decoder::make(sample.encoding);
                QVERIFY2(decoder, form.name.c_str());
                const std::uint64_t first = random() % decoder->elements().value;
                const std::size_t count = decoder->elements().value - first;
                compareStreamed<std::uint16_t>(
                    form.name, count, random() % 40,
                    [&](std::span<std::uint16_t> out) { decoder->decodeHalf(first, out); });
                compareStreamed<float>(form.name, count, random() % 40, [&](std::span<float> out) {
                    decoder->decodeFloat(first, out);
                });
            }
        }
        hwy::GetChosenTarget().DeInit();
    }

    /// What one long call makes, many short ones make.
    void longResults()
    {
        setStreamedBytes(std::size_t{1} << 20);
        constexpr std::uint64_t kCount = std::uint64_t{5} << 18; // 2.5 MiB of fp16
        std::mt19937_64 random(5);
        auto bytes = randomBytes(2 * kCount, random);
        for (std::size_t i = 1; i < bytes.size(); i += 2) // no NaN among the scales
            bytes[i] &= std::byte{0xbf};
        std::vector<std::uint16_t> whole(kCount + 64);
        std::vector<std::uint16_t> parts(kCount);
        for (const auto &[name, encoding] : longForms(bytes, kCount)) {
            const auto decoder = Decoder::make(encoding);
            QVERIFY2(decoder, name);
            // Where the result begins, and elements before the first.
            for (const auto &[shift, skipped] :
                 std::initializer_list<std::pair<unsigned, unsigned>>{{0, 0},
                                                                      {0, 8},
                                                                      {0, 1024},
                                                                      {1, 1},
                                                                      {1, 56},
                                                                      {8, 0},
                                                                      {8, 8},
                                                                      {19, 1},
                                                                      {19, 1024},
                                                                      {24, 56},
                                                                      {24, 1024},
                                                                      {32, 0},
                                                                      {32, 1}}) {
                const std::uint64_t first = shift * 7 + skipped;
                const auto out = std::span(whole).subspan(shift, kCount - first);
                decoder->decodeHalf(first, out);
                for (std::size_t at = 0; at < out.size(); at += 9973)
                    decoder->decodeHalf(
                        first + at,
                        std::span(parts).subspan(at, std::min<std::size_t>(9973, out.size() - at)));
                QVERIFY2(std::memcmp(out.data(), parts.data(), out.size_bytes()) == 0, name);
            }
        }
        setStreamedBytes(0);
    }
};

KERNSCOPE_TEST(TestTargets, NoApplication)
#include "tst_targets.moc"
