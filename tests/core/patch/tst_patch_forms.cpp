// SPDX-License-Identifier: GPL-3.0-or-later
// The contract of every edit, on every form that a weight can be stored in.
#include "core/codec/decode/decoder.h"
#include "form_trial.h"
#include "tests/test_program.h"

namespace {

std::vector<std::size_t> changedElements(const Trial &trial)
{
    std::vector<std::size_t> changed;
    for (std::size_t i = 0; i < trial.now.size(); ++i) {
        if (trial.now[i] != trial.before[i])
            changed.push_back(i);
    }
    return changed;
}

} // namespace

class TestPatchForms : public QObject
{
    Q_OBJECT

private slots:
    void sample_data() { addForms(false); }

    void sample()
    {
        const auto [name] = fetched<QString>();
        const SampleForm &form = formNamed(name.toStdString());
        const auto bundle = VERIFIED(sampleBundle(form.name).open());
        QCOMPARE(faults((*bundle)->diagnostics()), std::vector<std::string>());
        QCOMPARE(formText((*bundle)->weights().at(0).form), form.form);
        QCOMPARE(decoded(**bundle, "w").size(), kElements);
    }

    void setElement_data() { addForms(false); }

    /// An element takes the value of one beside it, which the same codebook and scale hold.
    void setElement()
    {
        const auto [name] = fetched<QString>();
        const SampleForm &form = formNamed(name.toStdString());
        const Trial model(form.name);
        for (std::size_t element = 0; element < kElements; element += 3) {
            const float value = model.before[element ^ 1];
            if (form.sparse && (model.before[element] == 0.0f || value == 0.0f))
                continue;
            Trial trial(form.name);
            const auto text = fmt::format("w[{},{}]={}", element / 8, element % 8, value);
            // Vectors can only take entries that keep the other lane: any answer, but a sound one.
            if (form.vector > 1) {
                const auto edit = parseEdit(Edit::Kind::Set, text);
                const auto planned = planEdits(*sampleBundle(form.name).open(), {*edit}, 0.0);
                if (!planned) {
                    QCOMPARE(planned.error().code, "patch.unrepresentable");
                    continue;
                }
            }
            const std::string broken = trial.run(text, Edit::Kind::Set, 0.0);
            QVERIFY2(broken.empty(), broken.c_str());
            QCOMPARE(double(trial.now[element]), trial.applied.stored);
            QCOMPARE(trial.now[element], value);
            const auto changed = changedElements(trial);
            QVERIFY(changed.empty() || changed == std::vector<std::size_t>{element});
            QCOMPARE(trial.applied.bytes.empty(), changed.empty());
        }
    }

    void everyTableEntry_data() { addForms(false); }

    /// Codebook entries and scales, literal ones included: only elements that use them change.
    void everyTableEntry()
    {
        const auto [name] = fetched<QString>();
        const SampleForm &form = formNamed(name.toStdString());
        const auto bundle = *sampleBundle(form.name).open();
        const Weight &weight = bundle->weights().front();
        const auto &encoding = *weight.form.encoding();
        if (encoding.palette) {
            const std::uint64_t books = elementCount(encoding.palette->grid)->value;
            for (std::uint64_t entry = 0; entry < encoding.palette->entries; entry += 3) {
                Trial trial(form.name);
                const std::string lane = form.vector > 1 ? "[1]" : "";
                const auto text = fmt::format("w[{}][{}]{}=-9", books - 1, entry, lane);
                const std::string broken = trial.run(text, Edit::Kind::Codebook, 0.0);
                QVERIFY2(broken.empty(), broken.c_str());
                QCOMPARE(trial.applied.stored, -9.0);
                for (const std::size_t i : changedElements(trial))
                    QVERIFY(form.form == "blockwise+lut" || trial.now[i] == -9.0f);
            }
        }
        if (const codec::Operand *scale = weight.operand(codec::PartRole::Scale)) {
            for (std::uint64_t i = 0; i < elementCount(scale->shape)->value; ++i) {
                Trial trial(form.name);
                const std::string broken =
                    trial.run(fmt::format("w[{}]=0.03125", i), Edit::Kind::Scale, 0.0);
                QVERIFY2(broken.empty(), broken.c_str());
                QCOMPARE(trial.applied.newText, "0.03125");
                QCOMPARE(trial.applied.bytes.empty(), trial.applied.oldText == "0.03125");
            }
        }
    }

    void storedCodes_data() { addForms(false); }

    void storedCodes()
    {
        const auto [name] = fetched<QString>();
        const auto bundle = *sampleBundle(name.toStdString()).open();
        for (const codec::Operand &part : bundle->weights().front().operands()) {
            const auto role = codec::partRoleName(part.role);
            const std::uint64_t count = elementCount(part.shape)->value;
            for (const std::uint64_t index : {std::uint64_t{0}, count - 1}) {
                Trial trial(name.toStdString());
                const auto text = fmt::format("w:{}[{}]=1", role, index);
                if (part.role == codec::PartRole::Mask) {
                    const auto planned =
                        planEdits(bundle, {*parseEdit(Edit::Kind::SetStored, text)}, 0.0);
                    QVERIFY(planned ? planned->front().bytes.empty()
                                    : planned.error().code == "patch.mask");
                    continue;
                }
                const std::string broken = trial.run(text, Edit::Kind::SetStored, 0.0);
                QVERIFY2(broken.empty(), (text + ": " + broken).c_str());
                QVERIFY(trial.applied.newText == "1" || trial.applied.newText == "0x1");
            }
        }
    }

    /// Any part's raw code, first and last element.
    /// Entries that are codes with a scale of their own: the nearest code, within the tolerance.
    void scaledCodebook()
    {
        MadeBundle made;
        made.line("tensor<fp16, [1, 1, 2, 1]> book = constexpr_blockwise_shift_scale(data = " +
                  made.blob(ElementType::Int8, "[1, 1, 2, 1]", hex("fc06")) +
                  ", scale = " + made.blob(ElementType::Fp16, "[1, 1, 1, 1]", halves({0.5F})) +
                  ")[name = string(\"book\")]");
        made.form(
            "w", "[2, 2]", "lut_to_dense",
            {{"indices", made.blob(ElementType::Uint1, "[2, 2]", hex("06"), 4)}, {"lut", "book"}});
        const auto apply = [&](Edit::Kind kind, const char *text) {
            const auto bundle = *made.open();
            const auto planned = planEdits(bundle, {*parseEdit(kind, text)}, 0);
            if (!planned || !applyEdit(bundle, planned->front()))
                return std::vector<float>();
            return decoded(*bundle, "w");
        };
        QCOMPARE(decoded(**made.open(), "w"), (std::vector<float>{-2, 3, 3, -2}));
        QCOMPARE(apply(Edit::Kind::Codebook, "w[0][1]=1.5"),
                 (std::vector<float>{-2, 1.5F, 1.5F, -2}));
        QCOMPARE(apply(Edit::Kind::Codebook, "w[0][1]=1.3"), std::vector<float>());
        QCOMPARE(apply(Edit::Kind::Scale, "w[0]=0.25"), (std::vector<float>{-1, 1.5F, 1.5F, -1}));
    }

    void dropEvery_data() { addForms(true); }

    void dropEvery()
    {
        const auto [name] = fetched<QString>();
        const Trial model(name.toStdString());
        for (std::size_t element = 0; element < kElements; ++element) {
            Trial trial(name.toStdString());
            const std::string broken =
                trial.run(fmt::format("w[{}]", element), Edit::Kind::Drop, 0.0);
            QVERIFY2(broken.empty(), broken.c_str());
            const bool held = model.before[element] != 0.0f;
            QCOMPARE(changedElements(trial),
                     held ? std::vector<std::size_t>{element} : std::vector<std::size_t>());
            QCOMPARE(trial.now[element], 0.0f);
            QCOMPARE(trial.applied.tables, held);
        }
    }

    void keepEvery_data() { addForms(true); }

    void keepEvery()
    {
        const auto [name] = fetched<QString>();
        const Trial model(name.toStdString());
        float value = 0;
        for (std::size_t i = 0; value == 0.0f; ++i)
            value = model.before[i];
        for (std::size_t element = 0; element < kElements; ++element) {
            Trial trial(name.toStdString());
            const std::string broken =
                trial.run(fmt::format("w[{}]={}", element, value), Edit::Kind::Keep, 0.2);
            QVERIFY2(broken.empty(), broken.c_str());
            QCOMPARE(double(trial.now[element]), trial.applied.stored);
            const auto changed = changedElements(trial);
            QVERIFY(changed.empty() || changed == std::vector<std::size_t>{element});
        }
    }
};

KERNSCOPE_TEST(TestPatchForms, NoApplication)
#include "tst_patch_forms.moc"
