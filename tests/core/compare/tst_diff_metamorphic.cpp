// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/decode/decoder.h"
#include "core/codec/encode/form_spec.h"
#include "core/compare/container_difference.h"
#include "core/numeric/npy.h"
#include "core/patch/edit/edit_parser.h"
#include "core/patch/reencode/reencode.h"
#include "core/report/difference_formats.h"
#include "mirror.h"
#include "synthetic.h"

namespace {

BundlePtr container(const QByteArray &name)
{
    const Bytes bytes = name == "h13"   ? syntheticH13()
                        : name == "h14" ? syntheticH14()
                                        : syntheticH18g();
    return *Bundle::open("made.hwx", {.memory = {{"made.hwx", bytes}}});
}

/// Bundles of every form, then containers.
BundlePtr opened(const QByteArray &name)
{
    return name.startsWith('h') ? container(name) : *sampleBundle(name.toStdString()).open();
}

void addBundles()
{
    QTest::addColumn<QByteArray>("name");
    for (const SampleForm &form : sampleForms())
        addRow(form.name.c_str(), QByteArray::fromStdString(form.name));
    for (const char *name : {"h13", "h14", "h18g"})
        addRow(name, QByteArray(name));
}

/// Every edit that the form holds, of each kind: laid over a bundle of its own.
std::vector<AppliedEdit> editsOf(const BundlePtr &bundle)
{
    if (bundle->weights().empty())
        return {};
    const std::string name = bundle->weights().front().findableName();
    std::vector<std::pair<Edit::Kind, std::string>> wishes;
    for (const char *value : {"0.5", "-1.25", "1.9375", "0"}) {
        wishes.emplace_back(Edit::Kind::Set, fmt::format("{}[5]={}", name, value));
        wishes.emplace_back(Edit::Kind::Fill, fmt::format("{}[3:9]={}", name, value));
        wishes.emplace_back(Edit::Kind::Keep, fmt::format("{}[7]={}", name, value));
        wishes.emplace_back(Edit::Kind::Codebook, fmt::format("{}[0][3]={}", name, value));
        wishes.emplace_back(Edit::Kind::Scale, fmt::format("{}[0]={}", name, value));
    }
    for (const char *part :
         {"data", "indices", "nonzero_data", "lut", "scale", "offset", "zero_point", "bias"})
        wishes.emplace_back(Edit::Kind::SetStored, fmt::format("{}:{}[1]=1", name, part));
    for (int i = 0; i < 8; ++i)
        wishes.emplace_back(Edit::Kind::Drop, fmt::format("{}[{}]", name, i));
    std::vector<AppliedEdit> planned;
    for (const auto &[kind, text] : wishes) {
        const auto edit = parseEdit(kind, text);
        if (!edit)
            continue;
        auto plan = planEdits(bundle, {*edit}, 1e30);
        if (plan && !plan->front().bytes.empty())
            planned.push_back(std::move(plan->front()));
    }
    return planned;
}

/// Values that differ, by plain comparison.
std::uint64_t differentValues(const BundlePtr &a, const BundlePtr &b, std::size_t weight)
{
    const auto decoderA = *a->decoder(weight), decoderB = *b->decoder(weight);
    std::vector<float> from(decoderA.elements().value), to(decoderB.elements().value);
    decoderA.decodeFloat(0, from);
    decoderB.decodeFloat(0, to);
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < from.size(); ++i)
        count += from[i] != to[i] && !(std::isnan(from[i]) && std::isnan(to[i]));
    return count;
}

} // namespace

/// What must hold whatever is compared.
class TestDiffMetamorphic : public QObject
{
    Q_OBJECT

private slots:
    void selfIsEqual_data() { addBundles(); }

    void selfIsEqual()
    {
        QFETCH(const QByteArray, name);
        const BundlePtr a = opened(name), b = opened(name);
        for (const BundlePtr &other : {a, b}) {
            requireEqual(*a, *other);
            if (const auto tasks = compareTasks(*a, *other)) {
                QVERIFY(tasks->equal() && tasks->tasksA > 0);
                QCOMPARE(tasks->tasksA, tasks->tasksB);
            }
        }
    }

    void mirror_data() { addBundles(); }

    /// Against every form, of containers every container.
    void mirror()
    {
        QFETCH(const QByteArray, name);
        std::vector<QByteArray> others{"h13", "h14", "h18g"};
        if (!name.startsWith('h')) {
            others.clear();
            for (const SampleForm &form : sampleForms())
                others.push_back(QByteArray::fromStdString(form.name));
        }
        for (const QByteArray &other : others) {
            const BundlePtr a = opened(name), b = opened(other);
            const Difference forth = whole(a, b), back = whole(b, a);
            requireMirror(forth, back);
            if (QTest::currentTestFailed())
                QFAIL(other.constData());
        }
    }

    void editIsTheDifference_data() { addBundles(); }

    /// The bytes that were planned are the bytes that differ, and the values that decode otherwise
    /// are the values that are counted; in the other weights nothing.
    void editIsTheDifference()
    {
        QFETCH(const QByteArray, name);
        const BundlePtr a = opened(name);
        const auto edits = editsOf(opened(name));
        QVERIFY(!edits.empty() || name.startsWith('h')); // some containers are read only
        for (const AppliedEdit &edit : edits) {
            const BundlePtr fresh = opened(name);
            const BundlePtr b = *applyEdit(fresh, edit);
            const Difference difference = whole(a, b);
            const std::string text = editText(edit.edit);
            std::uint64_t planned = 0;
            bool program = false;
            for (const FileEdit &bytes : edit.bytes) {
                for (std::size_t i = 0; i < bytes.after.size(); ++i)
                    planned += bytes.before[i] != bytes.after[i];
                program = program || bytes.file == a->programFile();
            }
            QVERIFY2(!difference.identical, text.c_str());
            // Lines are set against each other whole, parts that grew by what is beside them.
            const bool sameLayout = std::ranges::all_of(
                difference.weights, [](const ComparedPair &pair) { return pair.layoutEqual; });
            if (!program && sameLayout)
                QVERIFY2(bytesApart(difference) == planned, text.c_str());
            for (const ComparedPair &pair : difference.weights) {
                QVERIFY2(pair.a == pair.b && pair.values, text.c_str());
                QCOMPARE(pair.values->different(), differentValues(a, b, pair.a));
                if (pair.a > 0 && !name.startsWith('h'))
                    QVERIFY2(pair.storedEqual, text.c_str());
            }
        }
    }

    void arrayIsTheDifference_data() { addBundles(); }

    /// All elements from an array, whose first column is the second one.
    void arrayIsTheDifference()
    {
        QFETCH(const QByteArray, name);
        const BundlePtr a = opened(name), fresh = opened(name);
        if (name.startsWith('h'))
            return; // containers of tasks alone
        auto values = decoded(*a, "w");
        for (std::size_t row = 0; row < 8; ++row) {
            float &to = values[8 * row];
            const float from = values[8 * row + 1];
            if (to != 0 && from != 0) // what is left out stays so
                to = from;
        }
        QTemporaryDir scratch;
        QFile file(scratch.filePath(u"w.npy"_s));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray::fromStdString(npyHeader(ElementType::Fp32, a->weights()[0].shape)));
        file.write(reinterpret_cast<const char *>(values.data()),
                   qint64(values.size() * sizeof(float)));
        file.close();
        const auto edit =
            VERIFIED(parseEdit(Edit::Kind::FromNpy, "w=" + file.fileName().toStdString()));
        const auto planned = VERIFIED(planEdits(fresh, {*edit}, 1e30));
        const BundlePtr b = *applyEdit(fresh, planned->front());
        const Difference difference = whole(a, b);
        QCOMPARE(difference.weights.front().values->different(), differentValues(a, b, 0));
        // Of vectors each lane is set alone: no other entry has its neighbours' values.
        QVERIFY(difference.weights.front().values->different() > 0 || name == "lut4-vector");
        QVERIFY(difference.weights[1].storedEqual);
    }

    void scriptMakesTheOther_data() { addBundles(); }

    /// Where edits of codes can say the difference, their script makes B's weights out of A again.
    void scriptMakesTheOther()
    {
        QFETCH(const QByteArray, name);
        const BundlePtr a = opened(name);
        std::size_t scripts = 0, wanted = 0;
        for (const AppliedEdit &edit : editsOf(opened(name))) {
            const BundlePtr b = *applyEdit(opened(name), edit);
            wanted += edit.edit.kind == Edit::Kind::SetStored;
            const auto script = report::changeScript(*a, *b, whole(a, b));
            if (!script) {
                QCOMPARE(script.error().code, "diff.changes");
                continue;
            }
            const auto parsed = parseEditScript(*script, "changes.kpatch");
            QVERIFY2(parsed, script->c_str());
            const auto origin = patch::scriptOrigin(*script);
            QVERIFY(patch::checkBase(origin, *a, "changes.kpatch"));
            BundlePtr made = opened(name);
            const auto plans = planEdits(made, *parsed, 0);
            QVERIFY2(plans, script->c_str());
            for (const AppliedEdit &plan : *plans)
                made = *applyEdit(made, plan);
            QVERIFY2(patch::checkResult(origin, *made, "changes.kpatch"), script->c_str());
            for (const ComparedPair &pair : whole(b, made).weights)
                QVERIFY2(pair.storedEqual, script->c_str());
            if (bytesApart(whole(a, b)) > 0)
                QVERIFY(!patch::checkBase(origin, *b, "changes.kpatch"));
            ++scripts;
        }
        QVERIFY(scripts > 0 || wanted == 0);
    }

    void reencodedExactly_data()
    {
        QTest::addColumn<int>("kind");
        addRow("sparse", int(FormNode::Sparse));
        addRow("dense", int(FormNode::Dense));
        addRow("palette of every value", int(FormNode::Palette));
    }

    /// A form that holds every value changes none.
    void reencodedExactly()
    {
        QFETCH(const int, kind);
        const BundlePtr a = *sampleBundle("dense-fp16").open();
        codec::FormSpec spec;
        spec.node = static_cast<FormNode>(kind);
        spec.palette.bits = 8;
        const auto values = decoded(*a, "w");
        const auto encoded = VERIFIED(codec::encodeForm(values, a->weights()[0].shape, spec));
        const auto b = VERIFIED(reencodeWeight(*a, 0, *encoded));
        const Difference difference = whole(a, *b);
        QCOMPARE(difference.weights.size(), 2U);
        for (const ComparedPair &pair : difference.weights)
            QVERIFY(pair.values && pair.values->identical() && pair.values->faithful());
        QVERIFY(difference.program.sameComputation);
    }

    /// The line that says what differs counts the tasks of hardware containers.
    void tasksInOneLine()
    {
        const auto said = [](const Bytes &a, const Bytes &b) {
            const auto open = [](const Bytes &bytes) {
                return *Bundle::open("made.hwx", {.memory = {{"made.hwx", bytes}}});
            };
            const BundlePtr from = open(a), to = open(b);
            return differenceSummary(*from, *to, whole(from, to));
        };
        const auto has = [](const std::string &text, std::string_view part) {
            return text.find(part) != std::string::npos;
        };
        const Bytes eight = syntheticH13(8), seven = syntheticH13(7);
        QVERIFY(has(said(eight, eight), "8 tasks identical"));
        QVERIFY2(has(said(eight, seven), "1 task only in A"), said(eight, seven).c_str());
        QVERIFY2(has(said(seven, eight), "1 task only in B"), said(seven, eight).c_str());
        QVERIFY(has(said(eight, syntheticH14()), "task descriptors of another version"));
    }
};

KERNSCOPE_TEST(TestDiffMetamorphic, QCoreApplication)
#include "tst_diff_metamorphic.moc"
