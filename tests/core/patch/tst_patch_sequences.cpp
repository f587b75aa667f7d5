// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/bundle.h"
#include "core/codec/decode/decoder.h"
#include "core/numeric/npy.h"
#include "core/patch/patch.h"
#include "form_trial.h"
#include "sample_bundles.h"
#include "tests/test_program.h"

using namespace kernscope;
using namespace kernscope::test;

// Many edits in one: fills, bulk edits against single ones, random sequences.
class TestPatchSequences : public QObject
{
    Q_OBJECT

private slots:
    void fill_data() { addForms(false); }

    void fill()
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

    void bulkIsSingles_data() { addForms(false); }

    /// Values from a file end as the same bytes as one edit for each of them: the same codes are
    /// chosen, ties and all.
    void bulkIsSingles()
    {
        QFETCH(const QString, name);
        const SampleForm &form = formNamed(name.toStdString());
        if (form.vector > 1)
            return; // these go element by element in both cases
        constexpr double kAnything = std::numeric_limits<double>::infinity();
        const QTemporaryDir folder;
        const std::string file = folder.filePath(u"v.npy"_s).toStdString();
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
            const auto planned = VERIFIED(
                planEdits(bulk, {*parseEdit(Edit::Kind::FromNpy, "w=" + file)}, kAnything));
            QVERIFY(applyEdit(bulk, planned->front()));
            for (std::size_t i = 0; i < kElements; ++i) {
                if (values[i] == held[i])
                    continue;
                const auto text = fmt::format("w[{}]={:.17g}", i, double(values[i]));
                const auto one =
                    VERIFIED(planEdits(single, {*parseEdit(Edit::Kind::Set, text)}, kAnything));
                single = *applyEdit(single, one->front());
            }
            QVERIFY2(contentOf(*bulk) == contentOf(*single),
                     fmt::format("round {}", round).c_str());
        }
    }

    void randomSequences_data() { addForms(false); }

    /// Many edits of any kind, one on the other, taken back in reverse: the same bytes as at first.
    void randomSequences()
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
            case Edit::Kind::SetStored:
                text = fmt::format("w:data[{}]={}", pick(64), pick(4));
                break;
            case Edit::Kind::Codebook: text = fmt::format("w[0][{}]={}", pick(4), value); break;
            case Edit::Kind::Drop: text = fmt::format("w[{}]", pick(64)); break;
            case Edit::Kind::Fill: text = fmt::format("w[{}:,:]={}", pick(8), value); break;
            default:
                text = fmt::format("w[{}]={}", pick(kind == Edit::Kind::Scale ? 8 : 64), value);
            }
            const auto planned = planEdits(bundle, {*parseEdit(kind, text)}, 0.5);
            if (!planned)
                continue;
            const auto next = VERIFIED(applyEdit(bundle, planned->front()));
            bundle = *next;
            QVERIFY(bundle->decoder(0));
            done.push_back(planned->front());
        }
        QVERIFY(done.size() >= 5);
        while (!done.empty()) {
            const auto previous = VERIFIED(revertEdit(bundle, done.back()));
            bundle = *previous;
            done.pop_back();
        }
        QCOMPARE(contentOf(*bundle), original);
        QVERIFY(!bundle->modified());
    }
};

KERNSCOPE_TEST(TestPatchSequences, kernscope::test::NoApplication)
#include "tst_patch_sequences.moc"
