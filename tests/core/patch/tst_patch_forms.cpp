// SPDX-License-Identifier: GPL-3.0-or-later
// The contract of every edit, on every form that a weight can be stored in.
#include "core/numeric/npy.h"
#include "core/patch/patch.h"
#include "sample_bundles.h"

#include <cmath>
#include <fstream>
#include <limits>
#include <random>
#include <set>

#include <QTemporaryDir>
#include <QTest>

#include <fmt/format.h>

using namespace kernscope;
using namespace kernscope::test;

namespace {

constexpr std::size_t kElements = 64;

using Places = std::set<std::pair<std::size_t, std::uint64_t>>;

/// Bytes that differ, as (file, offset).
Places differences(const std::vector<Bytes> &a, const std::vector<Bytes> &b)
{
    Places places;
    for (std::size_t file = 0; file < a.size(); ++file) {
        for (std::size_t at = 0; at < a[file].size(); ++at) {
            if (a[file][at] != b[file][at])
                places.emplace(file, at);
        }
    }
    return places;
}

Places places(const std::vector<FileEdit> &edits)
{
    Places all;
    for (const FileEdit &edit : edits) {
        for (std::size_t i = 0; i < edit.after.size(); ++i)
            all.emplace(edit.file, edit.offset.value + i);
    }
    return all;
}

/// Shows a bundle before and after one edit, and holds the edit to its contract.
class Trial
{
public:
    explicit Trial(const std::string &form) : m_bundle(*sampleBundle(form).open())
    {
        m_original = contentOf(*m_bundle);
        before = decoded(*m_bundle, "w");
        behind = decoded(*m_bundle, "behind");
    }

    /// Plans and applies; what breaks the contract, or nothing.
    std::string run(const std::string &text, Edit::Kind kind, double tolerance)
    {
        const auto edit = parseEdit(kind, text);
        if (!edit)
            return describe(edit.error());
        const auto planned = planEdits(m_bundle, {*edit}, tolerance);
        if (!planned)
            return describe(planned.error());
        applied = planned->front();
        if (m_bundle->modified() || contentOf(*m_bundle) != m_original)
            return "planning changed the bundle";
        const auto after = applyEdit(m_bundle, applied);
        if (!after)
            return describe(after.error());
        m_after = *after;
        if (places(applied.bytes) != differences(m_original, contentOf(*m_after)))
            return "other bytes changed than the edit names";
        if (hasErrors(m_after->diagnostics()))
            return faults(m_after->diagnostics()).front();
        if (decoded(*m_after, "behind") != behind)
            return "the weight behind changed";
        if (!sectionFault(*m_after).empty())
            return sectionFault(*m_after);
        now = decoded(*m_after, "w");
        return takeBack();
    }

    std::vector<float> before, now, behind;
    AppliedEdit applied;

private:
    std::string takeBack()
    {
        const auto reverted = revertEdit(m_after, applied);
        if (!reverted)
            return describe(reverted.error());
        if (contentOf(**reverted) != m_original || (*reverted)->modified())
            return "taking back did not give the same bytes";
        if (decoded(**reverted, "w") != before)
            return "taking back did not give the same values";
        const auto again = applyEdit(*reverted, applied);
        if (!again || decoded(**again, "w") != now)
            return "redoing did not give the same values";
        return {};
    }

    BundlePtr m_bundle, m_after;
    std::vector<Bytes> m_original;
};

std::vector<std::size_t> changedElements(const Trial &trial)
{
    std::vector<std::size_t> changed;
    for (std::size_t i = 0; i < trial.now.size(); ++i) {
        if (trial.now[i] != trial.before[i])
            changed.push_back(i);
    }
    return changed;
}

void addForms(bool sparseOnly)
{
    QTest::addColumn<QString>("name");
    for (const SampleForm &form : sampleForms()) {
        if (form.sparse || !sparseOnly)
            QTest::newRow(form.name.c_str()) << QString::fromStdString(form.name);
    }
}

const SampleForm &formNamed(const std::string &name)
{
    for (const SampleForm &form : sampleForms()) {
        if (form.name == name)
            return form;
    }
    qFatal("no such form");
}

} // namespace

class TestPatchForms : public QObject
{
    Q_OBJECT

private slots:
    void sample_data() { addForms(false); }
    void sample();
    void setElement_data() { addForms(false); }
    void setElement();
    void everyTableEntry_data() { addForms(false); }
    void everyTableEntry();
    void storedCodes_data() { addForms(false); }
    void storedCodes();
    void dropEvery_data() { addForms(true); }
    void dropEvery();
    void keepEvery_data() { addForms(true); }
    void keepEvery();
    void fill_data() { addForms(false); }
    void fill();
    void bulkIsSingles_data() { addForms(false); }
    void bulkIsSingles();
    void randomSequences_data() { addForms(false); }
    void randomSequences();
};

void TestPatchForms::sample()
{
    QFETCH(const QString, name);
    const SampleForm &form = formNamed(name.toStdString());
    const auto bundle = sampleBundle(form.name).open();
    QVERIFY(bundle);
    QCOMPARE(faults((*bundle)->diagnostics()), std::vector<std::string>());
    QCOMPARE(formText((*bundle)->weights().at(0).form), form.form);
    QCOMPARE(decoded(**bundle, "w").size(), kElements);
}

/// Values from a file end as the same bytes as one edit for each of them: the same codes are
/// chosen, ties and all.
void TestPatchForms::bulkIsSingles()
{
    QFETCH(const QString, name);
    const SampleForm &form = formNamed(name.toStdString());
    if (form.vector > 1)
        return; // these go element by element in both cases
    constexpr double kAnything = std::numeric_limits<double>::infinity();
    const QTemporaryDir folder;
    const std::string file = folder.filePath(QStringLiteral("v.npy")).toStdString();
    std::mt19937 random(7);
    for (int round = 0; round < 8; ++round) {
        const BundlePtr bulk = *sampleBundle(form.name).open();
        BundlePtr single = *sampleBundle(form.name).open();
        const auto held = decoded(*bulk, "w");
        std::vector<float> values = held;
        for (std::size_t i = 0; i < kElements; ++i) {
            if (form.sparse && held[i] == 0.0f)
                continue;
            const float other = held[random() % kElements];
            const int how = int(random() % 4);
            values[i] = how == 0   ? other
                        : how == 1 ? (held[i] + other) / 2 // often a tie
                        : how == 2 ? held[i]
                                   : (float(random() % 2001) - 1000) / 400;
        }
        std::ofstream out(file, std::ios::binary);
        out << npyHeader(ElementType::Fp32, {8, 8});
        out.write(reinterpret_cast<const char *>(values.data()), 4 * kElements);
        out.close();
        const auto planned =
            planEdits(bulk, {*parseEdit(Edit::Kind::FromNpy, "w=" + file)}, kAnything);
        QVERIFY2(planned, planned ? "" : describe(planned.error()).c_str());
        QVERIFY(applyEdit(bulk, planned->front()));
        for (std::size_t i = 0; i < kElements; ++i) {
            if (values[i] == held[i])
                continue;
            const auto text = fmt::format("w[{}]={:.17g}", i, double(values[i]));
            const auto one = planEdits(single, {*parseEdit(Edit::Kind::Set, text)}, kAnything);
            QVERIFY2(one, one ? "" : describe(one.error()).c_str());
            single = *applyEdit(single, one->front());
        }
        QVERIFY2(contentOf(*bulk) == contentOf(*single), fmt::format("round {}", round).c_str());
    }
}

/// An element takes the value of one beside it, which the same codebook and scale hold.
void TestPatchForms::setElement()
{
    QFETCH(const QString, name);
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
                QCOMPARE(planned.error().code, std::string("patch.unrepresentable"));
                continue;
            }
        }
        const std::string broken = trial.run(text, Edit::Kind::Set, 0.0);
        QVERIFY2(broken.empty(), broken.c_str());
        QCOMPARE(static_cast<double>(trial.now[element]), trial.applied.stored);
        QCOMPARE(trial.now[element], value);
        const auto changed = changedElements(trial);
        QVERIFY(changed.empty() || changed == std::vector<std::size_t>{element});
        QCOMPARE(trial.applied.bytes.empty(), changed.empty());
    }
}

/// Codebook entries and scales, literal ones included: only elements that use them change.
void TestPatchForms::everyTableEntry()
{
    QFETCH(const QString, name);
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
            QCOMPARE(trial.applied.newText, std::string("0.03125"));
            QCOMPARE(trial.applied.bytes.empty(), trial.applied.oldText == "0.03125");
        }
    }
}

/// Any part's raw code, first and last element.
void TestPatchForms::storedCodes()
{
    QFETCH(const QString, name);
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

void TestPatchForms::dropEvery()
{
    QFETCH(const QString, name);
    const Trial model(name.toStdString());
    for (std::size_t element = 0; element < kElements; ++element) {
        Trial trial(name.toStdString());
        const std::string broken = trial.run(fmt::format("w[{}]", element), Edit::Kind::Drop, 0.0);
        QVERIFY2(broken.empty(), broken.c_str());
        const bool held = model.before[element] != 0.0f;
        QCOMPARE(changedElements(trial),
                 held ? std::vector<std::size_t>{element} : std::vector<std::size_t>());
        QCOMPARE(trial.now[element], 0.0f);
        QCOMPARE(trial.applied.tables, held);
    }
}

void TestPatchForms::keepEvery()
{
    QFETCH(const QString, name);
    const Trial model(name.toStdString());
    float value = 0;
    for (std::size_t i = 0; value == 0.0f; ++i)
        value = model.before[i];
    for (std::size_t element = 0; element < kElements; ++element) {
        Trial trial(name.toStdString());
        const std::string broken =
            trial.run(fmt::format("w[{}]={}", element, value), Edit::Kind::Keep, 0.2);
        QVERIFY2(broken.empty(), broken.c_str());
        QCOMPARE(static_cast<double>(trial.now[element]), trial.applied.stored);
        const auto changed = changedElements(trial);
        QVERIFY(changed.empty() || changed == std::vector<std::size_t>{element});
    }
}

void TestPatchForms::fill()
{
    QFETCH(const QString, name);
    const SampleForm &form = formNamed(name.toStdString());
    if (form.vector > 1)
        return; // no value that every vector holds
    Trial trial(form.name);
    const std::string broken = trial.run("w[2:4,:]=0", Edit::Kind::Fill, 5.0);
    QVERIFY2(broken.empty(), broken.c_str());
    QCOMPARE(trial.applied.elements, std::uint64_t{16});
    for (std::size_t i = 0; i < kElements; ++i) {
        const bool inside = i / 8 == 2 || i / 8 == 3;
        QVERIFY(inside ? std::abs(trial.now[i]) <= 5.0f : trial.now[i] == trial.before[i]);
    }
}

/// Many edits of any kind, one on the other, taken back in reverse: the same bytes as at first.
void TestPatchForms::randomSequences()
{
    QFETCH(const QString, name);
    std::mt19937 random(99);
    const auto pick = [&random](unsigned below) { return random() % below; };
    const auto original = contentOf(**sampleBundle(name.toStdString()).open());
    BundlePtr bundle = *sampleBundle(name.toStdString()).open();
    std::vector<AppliedEdit> done;
    for (int i = 0; i < 60; ++i) {
        const auto kind = static_cast<Edit::Kind>(pick(7));
        const double value = static_cast<double>(pick(64)) / 16.0 - 2.0;
        std::string text;
        switch (kind) {
        case Edit::Kind::SetStored: text = fmt::format("w:data[{}]={}", pick(64), pick(4)); break;
        case Edit::Kind::Codebook: text = fmt::format("w[0][{}]={}", pick(4), value); break;
        case Edit::Kind::Drop: text = fmt::format("w[{}]", pick(64)); break;
        case Edit::Kind::Fill: text = fmt::format("w[{}:,:]={}", pick(8), value); break;
        default: text = fmt::format("w[{}]={}", pick(kind == Edit::Kind::Scale ? 8 : 64), value);
        }
        const auto planned = planEdits(bundle, {*parseEdit(kind, text)}, 0.5);
        if (!planned)
            continue;
        const auto next = applyEdit(bundle, planned->front());
        QVERIFY(next);
        bundle = *next;
        QVERIFY(bundle->decoder(0));
        done.push_back(planned->front());
    }
    QVERIFY(done.size() >= 5);
    while (!done.empty()) {
        const auto previous = revertEdit(bundle, done.back());
        QVERIFY(previous);
        bundle = *previous;
        done.pop_back();
    }
    QCOMPARE(contentOf(*bundle), original);
    QVERIFY(!bundle->modified());
}

QTEST_APPLESS_MAIN(TestPatchForms)
#include "tst_patch_forms.moc"
