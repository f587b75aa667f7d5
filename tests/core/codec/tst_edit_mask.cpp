// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/encode/encoder.h"
#include "edits.h"
#include "tests/test_program.h"

using namespace kernscope;
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
        QCOMPARE(edit.bytes.size(), std::size_t(1));
        sample.bytesBehind(std::get<Operand>(inner.payload).bytes)[edit.offset] = edit.bytes[0];
    }
    const std::vector<float> after = decodeAll(inner);
    QVERIFY(same(after[0], static_cast<float>(plan->stored)));
    for (std::size_t i = 1; i < after.size(); ++i)
        QVERIFY(same(after[i], before[i]));
}

class TestEditMask : public QObject
{
    Q_OBJECT

private slots:
    void keepAndDrop_data() { formRows(true); }

    void keepAndDrop()
    {
        QFETCH(int, index);
        const Form form = allForms()[static_cast<std::size_t>(index)];
        std::mt19937_64 random(static_cast<std::uint64_t>(index) + 9);
        for (int round = 0; round < 12; ++round) {
            Sample sample = makeSample(form, random);
            const std::vector<float> before = decodeAll(sample.encoding);
            const auto decoder = Decoder::make(sample.encoding);
            const std::uint64_t element = random() % before.size();
            const bool wasStored = decoder->stored(element);
            double value = 0;
            for (const float v : before)
                value = std::isfinite(v) && v != 0 ? static_cast<double>(v) : value;
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
                    QCOMPARE(edit.bytes.size(), std::size_t{1});
                    sample.bytesBehind(sample.encoding.mask->bytes)[edit.offset] = edit.bytes[0];
                    continue;
                }
                QCOMPARE(edit.role, payload.role);
                QCOMPARE(edit.offset + edit.bytes.size(), bytes.size());
                std::copy(edit.bytes.begin(), edit.bytes.end(),
                          bytes.begin() + static_cast<std::ptrdiff_t>(edit.offset));
            }
            payload.bytes = bytes;
            payload.shape = {plan->payloadElements->value};
            const std::vector<float> after = decodeAll(sample.encoding);
            QCOMPARE(after.size(), before.size());
            QCOMPARE(static_cast<double>(after[element]), plan->stored);
            for (std::size_t i = 0; i < after.size(); ++i)
                QVERIFY2(i == element || same(after[i], before[i]), sample.text.c_str());
            QVERIFY(Decoder::make(sample.encoding)->verify().empty());
            QCOMPARE(Decoder::make(sample.encoding)->stored(element), !wasStored);
        }
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
                for (std::uint64_t i = 0; i < decoder->elements().value; ++i)
                    QCOMPARE(Editor(*decoder).keep(i, 1, 0).error().code, "patch.part");
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

KERNSCOPE_TEST(TestEditMask, kernscope::test::NoApplication)
#include "tst_edit_mask.moc"
