// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/encode/encoder.h"
#include "core/numeric/convert.h"
#include "edits.h"

using namespace kernscope::codec;
using namespace kernscope::codec::test;

/// The first entry of a table that is made by another op.
static void editsOneCode(Sample &sample, const OperandSource &table, const Result<EditPlan> &plan)
{
    const Encoding &inner = *std::get<std::shared_ptr<const Encoding>>(table);
    if (!plan) { // the scale of that code may hold nothing but 0 or what is not finite
        QCOMPARE(plan.error().code, "patch.unrepresentable");
        return;
    }
    const std::vector<float> before = decodeAll(inner);
    QVERIFY(plan->parts.size() <= 1);
    QCOMPARE(plan->far, plan->note.find("off by") != std::string::npos);
    for (const PartEdit &edit : plan->parts) {
        QCOMPARE(edit.role, PartRole::Data);
        QCOMPARE(edit.bytes.size(), 1U);
        sample.bytesBehind(std::get<Operand>(inner.payload).bytes)[edit.offset] = edit.bytes[0];
    }
    const std::vector<float> after = decodeAll(inner);
    QVERIFY(same(after[0], float(plan->stored)));
    for (std::size_t i = 1; i < after.size(); ++i)
        QVERIFY(same(after[i], before[i]));
}

class TestEditor : public QObject
{
    Q_OBJECT

private slots:
    void setElementStoresWhatItSays_data() { formRows(false); }

    void setElementStoresWhatItSays()
    {
        QFETCH(int, index);
        const Form form = allForms()[std::size_t(index)];
        std::mt19937_64 random(std::uint64_t(index) + 1);
        for (int round = 0; round < 4; ++round) {
            Sample sample = makeSample(form, random);
            const std::vector<float> before = decodeAll(sample.encoding);
            const auto decoder = VERIFIED(Decoder::make(sample.encoding));
            const std::uint64_t element = random() % before.size();
            if (!decoder->stored(element))
                continue;
            const double asked = double(before[random() % before.size()]) * 0.9;
            const auto plan = Editor(*decoder).setElement(element, asked, HUGE_VAL);
            if (!plan)
                continue; // scales that are zero or leave no finite candidate
            if (!std::isfinite(asked))
                continue;
            QVERIFY(plan->parts.size() <= 1);
            QVERIFY(!plan->payloadElements);
            apply(sample, *plan);
            const std::vector<float> after = decodeAll(sample.encoding);
            QCOMPARE(after[element], float(plan->stored));
            for (std::size_t i = 0; i < after.size(); ++i)
                QVERIFY2(i == element || same(after[i], before[i]), sample.text.c_str());
            // No other code that the element could hold is nearer, where all can be tried.
            if (form.vector > 1 || bitWidth(form.payload) > 8 || isFloatingPoint(form.payload))
                continue;
            const PartRole role = std::get<Operand>(sample.encoding.payload).role;
            const unsigned width = form.bits > 0 ? form.bits : bitWidth(form.payload);
            const std::uint64_t at =
                decoder->encoding().mask ? Decoder::make(sample.encoding)->rank(element) : element;
            for (std::int64_t code = 0; code < (1 << width); ++code) {
                const bool isSigned = form.bits == 0 && isSignedInteger(form.payload);
                const auto other =
                    VERIFIED(Editor(*Decoder::make(sample.encoding))
                                 .setStored(role, at, code - (isSigned ? 1 << (width - 1) : 0)));
                apply(sample, *other);
                const auto value = double(decodeAll(sample.encoding)[element]);
                QVERIFY(!(std::abs(value - asked) < std::abs(plan->stored - asked)));
                if (round > 0 && code > 20)
                    break;
            }
        }
    }

    void refusalNamesTheNeighbours_data() { formRows(false); }

    void refusalNamesTheNeighbours()
    {
        QFETCH(int, index);
        const Form form = allForms()[std::size_t(index)];
        std::mt19937_64 random(std::uint64_t(index) + 7);
        // Where wide data go through several roundings, few elements show what is left out.
        const int rounds = form.scaling && bitWidth(form.payload) > 8 ? 200 : 8;
        for (int round = 0; round < rounds; ++round) {
            Sample sample = makeSample(form, random);
            const std::vector<float> before = decodeAll(sample.encoding);
            const auto decoder = Decoder::make(sample.encoding);
            const std::uint64_t element = random() % before.size();
            if (!decoder->stored(element) || !std::isfinite(before[element]))
                continue;
            const double asked = double(before[element]) * 1.01 + 0.0123;
            const auto plan = Editor(*decoder).setElement(element, asked, 0);
            if (plan) {
                // Held exactly, or plain numbers that round as their type does.
                const bool plain = form.bits == 0 && !form.scaling && bitWidth(form.payload) >= 16;
                QVERIFY(plain || plan->stored == asked);
                continue;
            }
            QCOMPARE(plan.error().code, "patch.unrepresentable");
            // "below or above": at least one of them, and both can be asked for.
            const QStringList values =
                QString::fromStdString(plan.error().expected).split(u" or "_s);
            QVERIFY(values.size() == 1 || values.size() == 2);
            for (const QString &text : values) {
                bool number = false;
                const double value = text.toDouble(&number);
                QVERIFY2(number, plan.error().expected.c_str());
                const auto held = Editor(*decoder).setElement(element, value, 0);
                QVERIFY2(held, plan.error().expected.c_str());
                QCOMPARE(held->stored, value);
            }
            if (values.size() == 2) {
                QVERIFY(values[0].toDouble() <= asked);
                QVERIFY(values[1].toDouble() >= asked);
            }
        }
    }

    void heldValuesNeedNoBytes_data() { formRows(false); }

    void heldValuesNeedNoBytes()
    {
        QFETCH(int, index);
        const Form form = allForms()[std::size_t(index)];
        std::mt19937_64 random(std::uint64_t(index) + 3);
        const Sample sample = makeSample(form, random);
        const std::vector<float> values = decodeAll(sample.encoding);
        const auto decoder = Decoder::make(sample.encoding);
        for (int i = 0; i < 50; ++i) {
            const std::uint64_t element = random() % values.size();
            if (!decoder->stored(element))
                continue;
            const auto plan = Editor(*decoder).setElement(element, double(values[element]), 0);
            // uint32 and int32 beyond 24 bits: the fp32 that was read is not quite what is stored.
            if (form.payload == ElementType::Int32 || form.payload == ElementType::Uint32)
                continue;
            QVERIFY2(plan, plan ? "" : describe(plan.error()).c_str());
            QVERIFY(plan->parts.empty());
            QVERIFY(same(float(plan->stored), values[element]));
        }
    }

    void setStoredChangesOneCode_data() { formRows(false); }

    void setStoredChangesOneCode()
    {
        QFETCH(int, index);
        const Form form = allForms()[std::size_t(index)];
        std::mt19937_64 random(std::uint64_t(index) + 5);
        Sample sample = makeSample(form, random);
        const auto &data = std::get<Operand>(sample.encoding.payload);
        const auto decoder = Decoder::make(sample.encoding);
        const std::uint64_t count = decoder->payloadElements().value;
        const unsigned width = form.bits > 0 ? form.bits : bitWidth(data.type);
        for (int i = 0; i < 30 && count > 0; ++i) {
            const std::uint64_t at = random() % count;
            std::int64_t code = std::int64_t(random() >> (64 - width));
            if (form.bits == 0 && isSignedInteger(data.type))
                code -= std::int64_t{1} << (width - 1);
            const std::vector<std::byte> before(data.bytes.begin(), data.bytes.end());
            const auto plan = VERIFIED(Editor(*decoder).setStored(data.role, at, code));
            apply(sample, *plan);
            for (std::uint64_t bit = 0; bit < before.size() * 8; ++bit) {
                const std::int64_t now = referenceCode(data.bytes, ElementType::Uint1, bit);
                if (bit / width == at)
                    QCOMPARE(now, (code >> (bit % width)) & 1);
                else
                    QCOMPARE(now, referenceCode(before, ElementType::Uint1, bit));
            }
        }
    }

    void naturalRounding()
    {
        const std::vector<float> values{1, 2, 3, 4};
        for (const ElementType type : {ElementType::Fp16, ElementType::Bf16, ElementType::Fp32}) {
            const auto weight = VERIFIED(encodeDense(values, {4}, type));
            const auto decoder = Decoder::make(weight->encoding());
            const auto plan = VERIFIED(Editor(*decoder).setElement(1, 0.3, 0));
            QVERIFY(std::abs(plan->stored - 0.3) < 0.001);
            if (type == ElementType::Fp16)
                QCOMPARE(plan->stored, 0.300048828125);
            // Out of the type's range is no rounding.
            QCOMPARE(REFUSED(Editor(*decoder).setElement(1, 1e39, 0)).code,
                     "patch.unrepresentable");
        }
        const auto half = encodeDense(values, {4}, ElementType::Fp16);
        const Editor editor(*Decoder::make(half->encoding()));
        QCOMPARE(editor.setElement(0, 65519, 0)->stored, 65504.0);
        QCOMPARE(editor.setElement(0, 65520, 0).error().expected, "65504");
        QCOMPARE(editor.setElement(0, HUGE_VAL, 0)->stored, HUGE_VAL);
        QVERIFY(std::isnan(editor.setElement(0, std::nan(""), 0)->stored));
        // Half-way between 1 and its neighbour: the even one, though 1 is what is stored.
        QCOMPARE(editor.setElement(0, 1 + 0x1p-11, 0)->stored, 1.0);
        QCOMPARE(editor.setElement(0, 1 + 0x3p-11, 0)->stored, 1 + 0x1p-9);
        // Eight bits are too coarse to round in silence.
        const auto narrow = encodeDense(values, {4}, ElementType::Fp8E4M3Fn);
        const Editor coarse(*Decoder::make(narrow->encoding()));
        QCOMPARE(coarse.setElement(0, 0.3, 0).error().expected, "0.28125 or 0.3125");
        QCOMPARE(coarse.setElement(0, 0.3, 0.02)->stored, 0.3125);
        const auto whole = encodeDense(values, {4}, ElementType::Int8);
        const Editor integer(*Decoder::make(whole->encoding()));
        QCOMPARE(integer.setElement(0, 5.25, 0).error().expected, "5 or 6");
        QCOMPARE(integer.setElement(0, 200, 0).error().expected, "127");
        QCOMPARE(integer.setElement(0, -128, 0)->code, std::optional<std::int64_t>(-128));
    }

    /// Numbers at the edges of what a type holds: the code that is stored, or what a refusal
    /// offers.
    void edgesOfTypes_data()
    {
        const auto row = addColumns<QByteArray, double, double, QByteArray>();
        row("int32", 2147483647.0, 0, "2147483647");
        row("int32", 2147483648.0, 0, "or 2147483647");
        row("int32", -2147483648.0, 0, "-2147483648");
        row("int32", -2147483649.0, 0, "or -2147483648");
        row("uint32", 4294967295.0, 0, "4294967295");
        row("uint32", 4294967296.0, 0, "or 4294967295");
        row("int64", 9007199254740992.0, 0, "9007199254740992");
        row("int64", 0x1p63, 0, "or 9.223372036854775e+18");
        row("int64", -0x1p63, 0, "-9223372036854775808");
        row("int64", 1e30, HUGE_VAL, "9223372036854774784");
        row("uint64", 0x1p63, 0, "9223372036854775808");
        row("uint64", 0x1p64, 0, "or 1.844674407370955e+19");
        row("uint64", -1, 0, "or 0");
        row("bool", 1, 0, "1");
        row("bool", 2, 0, "or 1");
        row("bool", 200, 1000, "1");
        row("fp8e8m0", 1, 0, "0x7f");
        row("fp8e8m0", 1.2, 0, "or 1 or 2");
        row("fp8e8m0", 1.2, 1, "0x7f");
        row("fp8e8m0", 1.5, 1, "0x80");
        row("fp8e8m0", 0.3, 0, "or 0.25 or 0.5");
        row("fp8e8m0", 3.9, 1, "0x81");
        row("fp8e8m0", -1, 2, "0x0");
        row("fp8e8m0", 0x1p127, 0, "0xfe");
        row("fp8e8m0", 1e39, HUGE_VAL, "0xfe");
        row("fp8e8m0", NAN, 0, "0xff");
    }

    void edgesOfTypes()
    {
        const auto [name, asked, tolerance, held] =
            fetched<QByteArray, double, double, QByteArray>();
        const ElementType type = anyElementTypeFromName(name.toStdString());
        std::vector<std::byte> bytes(8, std::byte{1});
        Encoding encoding;
        encoding.type = type;
        encoding.shape = {1};
        encoding.payload = Operand{PartRole::Data, type, {1}, bytes};
        const auto decoder = VERIFIED(Decoder::make(encoding));
        const auto plan = Editor(*decoder).setElement(0, asked, tolerance);
        if (!plan) {
            QCOMPARE("or " + plan.error().expected, held.toStdString());
            return;
        }
        for (const PartEdit &edit : plan->parts)
            std::ranges::copy(edit.bytes, bytes.begin() + std::ptrdiff_t(edit.offset));
        QCOMPARE(codeText(type, loadCode(bytes, type, 0)), held.toStdString());
        QVERIFY(type != ElementType::Bool ||
                Editor(*decoder).setStored(PartRole::Data, 0, 2).error().expected == "0 to 1");
    }

    /// What is not finite, where the codes under the scales have it.
    void scaledNotFinite()
    {
        const std::vector<float> scale{0.5f};
        std::vector<std::byte> codes(4, std::byte{0x38});
        for (const ElementType type : {ElementType::Fp8E4M3Fn, ElementType::Fp8E5M2}) {
            Encoding encoding;
            encoding.type = ElementType::Fp32;
            encoding.shape = {2, 2};
            encoding.payload = Operand{PartRole::Data, type, {2, 2}, codes};
            Scaling &scaling = encoding.scaling.emplace();
            scaling.kind = Scaling::Kind::Blockwise;
            scaling.scale = Operand{
                PartRole::Scale, ElementType::Fp32, {1, 1}, std::as_bytes(std::span(scale))};
            const auto decoder = VERIFIED(Decoder::make(encoding));
            const Editor editor(*decoder);
            QVERIFY(std::isnan(VERIFIED(editor.setElement(0, NAN, 0))->stored));
            const auto low = editor.setElement(0, -HUGE_VAL, 0);
            QCOMPARE(low.has_value(), type == ElementType::Fp8E5M2);
            QVERIFY(!low || low->stored == -HUGE_VAL);
        }
    }

    void straddlingIndex()
    {
        // Index 2 of 3 bits lies in bits 6 to 8.
        const std::vector<std::byte> indices(3);
        std::vector<std::uint16_t> lut{0x0000, 0x3c00, 0x4000, 0x4200,
                                       0x4400, 0x4500, 0x4600, 0x4700};
        Encoding encoding;
        encoding.shape = {8};
        encoding.payload = Operand{PartRole::Indices, ElementType::Uint3, {8}, indices};
        encoding.palette = Palette{
            Operand{PartRole::Lut, ElementType::Fp16, {1, 8, 1}, std::as_bytes(std::span(lut))},
            {1},
            8,
            1,
            0};
        const auto decoder = Decoder::make(encoding);
        const auto plan = VERIFIED(Editor(*decoder).setElement(2, 7, 0));
        QCOMPARE(plan->code, std::optional<std::int64_t>(7));
        QCOMPARE(plan->note, "codebook 0 entry 7");
        QCOMPARE(plan->parts.size(), 1U);
        QCOMPARE(plan->parts[0].role, PartRole::Indices);
        QCOMPARE(plan->parts[0].offset, 0U);
        QCOMPARE(plan->parts[0].bytes, (std::vector{std::byte{0xc0}, std::byte{0x01}}));
        QCOMPARE(Editor(*decoder).setElement(2, 6.5, 0).error().expected, "6 or 7");
    }

    void tables()
    {
        std::mt19937_64 random(21);
        Form form;
        form.bits = 4;
        form.payload = ElementType::Uint4;
        form.vector = 2;
        form.grouped = true;
        Sample sample = makeSample(form, random);
        const std::uint64_t books = elementCount(sample.encoding.palette->grid)->value;
        auto decoder = Decoder::make(sample.encoding);
        auto plan = VERIFIED(Editor(*decoder).setCodebookEntry(books - 1, 7, 1, -1.25, 0));
        QCOMPARE(plan->stored, -1.25);
        apply(sample, *plan);
        decoder = Decoder::make(sample.encoding);
        QCOMPARE(decoder->codebookValues()[((books - 1) * 16 + 7) * 2 + 1], -1.25f);
        QCOMPARE(Editor(*decoder).setCodebookEntry(books, 0, 0, 0, 0).error().code, "patch.index");
        QCOMPARE(Editor(*decoder).setCodebookEntry(0, 16, 0, 0, 0).error().code, "patch.index");
        QCOMPARE(Editor(*decoder).setCodebookEntry(0, 0, 2, 0, 0).error().code, "patch.index");
        QCOMPARE(Editor(*decoder).setScale(0, 1, 0).error().code, "patch.part");

        form = {};
        form.payload = ElementType::Int8;
        form.scaling = Scaling::Kind::Affine;
        sample = makeSample(form, random);
        decoder = Decoder::make(sample.encoding);
        plan = VERIFIED(Editor(*decoder).setScale(0, 0.01, 0));
        QVERIFY(std::abs(plan->stored - 0.01) < 1e-5);
        apply(sample, *plan);
        QCOMPARE(plan->parts.size(), 1U);
        QCOMPARE(plan->parts[0].role, PartRole::Scale);
        QVERIFY(Editor(*Decoder::make(sample.encoding)).setScale(0, 0.01, 0)->parts.empty());
        QCOMPARE(Editor(*decoder).setScale(1u << 20, 1, 0).error().code, "patch.index");
        QCOMPARE(Editor(*decoder).setCodebookEntry(0, 0, 0, 1, 0).error().code, "patch.part");
    }

    void codesOutOfRange()
    {
        std::mt19937_64 random(31);
        Form form;
        form.bits = 3;
        form.payload = ElementType::Uint3;
        const Sample sample = makeSample(form, random);
        const Editor editor(*Decoder::make(sample.encoding));
        QCOMPARE(editor.setStored(PartRole::Indices, 0, 8).error().code, "patch.unrepresentable");
        QCOMPARE(editor.setStored(PartRole::Indices, 0, 8).error().expected, "0 to 7");
        QCOMPARE(editor.setStored(PartRole::Indices, 0, -1).error().code, "patch.unrepresentable");
        QCOMPARE(editor.setStored(PartRole::Indices, 1u << 30, 1).error().code, "patch.index");
        QCOMPARE(editor.setStored(PartRole::Data, 0, 1).error().code, "patch.part");
        QCOMPARE(editor.setStored(PartRole::Mask, 0, 1).error().code, "patch.part");
        QCOMPARE(editor.setStored(PartRole::Offset, 0, 1).error().code, "patch.part");
        QVERIFY(editor.setStored(PartRole::Lut, 0, 0xffff));
        QVERIFY(!editor.setStored(PartRole::Lut, 0, 0x10000));
        QVERIFY(!editor.setStored(PartRole::Lut, 0, 1, true));
    }

    void keepAndDrop_data() { formRows(true); }

    void keepAndDrop()
    {
        QFETCH(int, index);
        const Form form = allForms()[std::size_t(index)];
        std::mt19937_64 random(std::uint64_t(index) + 9);
        for (int round = 0; round < 12; ++round) {
            Sample sample = makeSample(form, random);
            const std::vector<float> before = decodeAll(sample.encoding);
            const auto decoder = Decoder::make(sample.encoding);
            const std::uint64_t element = random() % before.size();
            const bool wasStored = decoder->stored(element);
            double value = 0;
            for (const float v : before)
                value = std::isfinite(v) && v != 0 ? double(v) : value;
            const auto plan = wasStored ? Editor(*decoder).drop(element)
                                        : Editor(*decoder).keep(element, value, HUGE_VAL);
            if (!plan) {
                QCOMPARE(plan.error().code, "patch.unrepresentable");
                continue;
            }
            QVERIFY(plan->payloadElements);
            QCOMPARE(plan->payloadElements->value,
                     decoder->payloadElements().value + (wasStored ? std::uint64_t(-1) : 1));
            // The caller's part: the payload's length and shape follow.
            auto &payload = std::get<Operand>(sample.encoding.payload);
            const ElementType codeType =
                form.bits > 0 ? elementTypeFromName("uint" + std::to_string(form.bits))
                              : payload.type;
            std::vector<std::byte> bytes(payload.bytes.begin(), payload.bytes.end());
            bytes.resize(packedBytes(*plan->payloadElements, codeType)->value);
            for (const PartEdit &edit : plan->parts) {
                if (edit.role == PartRole::Mask) {
                    QCOMPARE(edit.bytes.size(), 1U);
                    sample.bytesBehind(sample.encoding.mask->bytes)[edit.offset] = edit.bytes[0];
                    continue;
                }
                QCOMPARE(edit.role, payload.role);
                QCOMPARE(edit.offset + edit.bytes.size(), bytes.size());
                std::ranges::copy(edit.bytes, bytes.begin() + std::ptrdiff_t(edit.offset));
            }
            payload.bytes = bytes;
            payload.shape = {plan->payloadElements->value};
            const std::vector<float> after = decodeAll(sample.encoding);
            QCOMPARE(after.size(), before.size());
            QCOMPARE(double(after[element]), plan->stored);
            for (std::size_t i = 0; i < after.size(); ++i)
                QVERIFY2(i == element || same(after[i], before[i]), sample.text.c_str());
            QVERIFY(Decoder::make(sample.encoding)->verify().empty());
            QCOMPARE(Decoder::make(sample.encoding)->stored(element), !wasStored);
        }
    }

    /// An index stands for a vector: its elements are dropped and kept together.
    void vectorsOfAMask()
    {
        std::mt19937_64 random(51);
        Form form;
        form.bits = 4;
        form.payload = ElementType::Uint4;
        form.vector = 2;
        form.mask = true;
        const Sample sample = makeSample(form, random);
        const auto decoder = VERIFIED(Decoder::make(sample.encoding));
        const Editor editor(*decoder);
        const std::vector<float> values = decodeAll(sample.encoding);
        std::uint64_t beside = 1;
        for (std::size_t axis = form.vectorAxis + 1; axis < sample.encoding.shape.size(); ++axis)
            beside *= sample.encoding.shape[axis];
        const std::uint64_t kept = decoder->payloadElements().value;
        int dropped = 0, added = 0;
        for (std::uint64_t i = 0; i < values.size(); ++i) {
            const auto place = decoder->codebookOf(i);
            if (place.lane != 0)
                continue;
            const std::uint64_t other = i + beside;
            if (decoder->stored(i)) {
                const MaskChange both[]{{i, std::nullopt}, {other, std::nullopt}};
                const auto plans = VERIFIED(editor.changeMask(both));
                QCOMPARE(plans->back().payloadElements->value, kept - 1);
                QCOMPARE(editor.drop(i).has_value(), values[other] == 0.0f);
                ++dropped;
                continue;
            }
            const auto entry = decoder->codebookValues().subspan((place.codebook * 16 + 7) * 2, 2);
            if (!std::isfinite(entry[0]) || !std::isfinite(entry[1]) || entry[1] == 0.0f)
                continue;
            const MaskChange both[]{{i, double(entry[0])}, {other, double(entry[1])}};
            const auto plans = VERIFIED(editor.changeMask(both));
            QCOMPARE(plans->back().payloadElements->value, kept + 1);
            QCOMPARE(plans->front().stored, double(entry[0]));
            QCOMPARE(plans->back().stored, double(entry[1]));
            const Error alone = REFUSED(editor.keep(other, 1e-3, 0));
            QVERIFY(alone.message.find("a vector of 2 elements") != std::string::npos);
            ++added;
        }
        QVERIFY(dropped > 0 && added > 0);
    }

    void maskedElement()
    {
        std::vector<float> values(20);
        values[4] = 1.5f;
        const auto weight = VERIFIED(encodeSparse(values, {20}, 0));
        const Editor editor(*Decoder::make(weight->encoding()));
        const Error plan = REFUSED(editor.setElement(3, 1, 0));
        QCOMPARE(plan.code, "patch.masked");
        QVERIFY(plan.message.find("keep") != std::string::npos);
        // Its zero is what it holds already: asked for, or near enough.
        for (const double asked : {0.0, -0.0, 0.01}) {
            const auto held = VERIFIED(editor.setElement(3, asked, 0.01));
            QVERIFY(held->parts.empty());
            QCOMPARE(held->stored, 0.0);
        }
        QVERIFY(editor.setElement(3, 0, 0));
        QVERIFY(!editor.setElement(3, 0.02, 0.01));
        QVERIFY(editor.setElement(4, 2, 0));
        QVERIFY(editor.drop(3)->parts.empty());
        QVERIFY(!editor.drop(3)->payloadElements);
        QCOMPARE(editor.keep(20, 1, 0).error().code, "patch.index");
        // Keeping what is kept sets its value.
        QVERIFY(!editor.keep(4, 2, 0)->payloadElements);
        const auto dense = encodeDense(values, {20}, ElementType::Fp16);
        QCOMPARE(Editor(*Decoder::make(dense->encoding())).drop(4).error().code, "patch.part");
    }

    void indirectParts()
    {
        std::mt19937_64 random(41);
        for (const Form &form : allForms()) {
            Sample sample = makeSample(form, random);
            const auto decoder = Decoder::make(sample.encoding);
            if (form.payloadCoded &&
                std::holds_alternative<std::shared_ptr<const Encoding>>(sample.encoding.payload)) {
                // Whether the mask is that of another operation or there is none.
                for (std::uint64_t i = 0; i < decoder->elements().value; ++i) {
                    const Error set = Editor(*decoder).setElement(i, 1, 0).error();
                    for (const Error &error : {Editor(*decoder).keep(i, 1, 0).error(),
                                               Editor(*decoder).drop(i).error()}) {
                        QCOMPARE(error.code, "patch.part");
                        QCOMPARE(error.message, set.message);
                    }
                }
            }
            // Of tables that are codes with a scale, an entry becomes the nearest code: one byte.
            if (form.lutScaled)
                editsOneCode(sample, sample.encoding.palette->lut,
                             Editor(*decoder).setCodebookEntry(0, 0, 0, 1, HUGE_VAL));
            if (form.scaleCoded)
                editsOneCode(sample, sample.encoding.scaling->scale,
                             Editor(*decoder).setScale(0, 1, HUGE_VAL));
        }
    }
};

KERNSCOPE_TEST(TestEditor, NoApplication)
#include "tst_editor.moc"
