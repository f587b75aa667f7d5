// SPDX-License-Identifier: GPL-3.0-or-later
// Edits and saves that run on another thread than the one that shows the bundle.
#include "core/base/overlaid_file.h"
#include "on_disk.h"

namespace {

/// Cancels once a share of the work is done, from a thread of its own.
class CancelsAt
{
public:
    explicit CancelsAt(double share)
        : m_thread([this, share] {
              while (!m_over && progress.fraction() < share)
                  std::this_thread::sleep_for(std::chrono::microseconds(50));
              if (!m_over)
                  progress.cancel();
          })
    {
    }
    ~CancelsAt()
    {
        m_over = true;
        m_thread.join();
    }

    Progress progress;

private:
    std::atomic<bool> m_over{false};
    std::thread m_thread;
};

std::vector<EditStep> stepsOf(const std::vector<AppliedEdit> &edits, bool forward)
{
    std::vector<EditStep> steps;
    for (const AppliedEdit &edit : edits)
        steps.push_back({std::make_shared<const AppliedEdit>(edit), forward});
    if (!forward)
        std::ranges::reverse(steps);
    return steps;
}

std::vector<Bytes> filesOf(const Bundle &bundle)
{
    std::vector<Bytes> files;
    for (const BundleFile &entry : bundle.files())
        files.emplace_back(entry.file->bytes().begin(), entry.file->bytes().end());
    return files;
}

/// A bundle with one dense weight of 2 Mi elements, on disk.
class Large
{
public:
    Large()
    {
        MadeBundle made;
        made.layer("w", "[2097152]", Bytes(std::size_t{4} << 20));
        for (const auto &[name, bytes] : made.options().memory)
            writeAll(path / name, bytes);
        original = readTree(path);
    }

    BundlePtr filled() const
    {
        const auto bundle = Bundle::open(path);
        const auto planned = planOnFork(*bundle, {*parseEdit(Edit::Kind::Fill, "w[:]=0.5")}, 0);
        return planned ? planned->bundle : nullptr;
    }

private:
    QTemporaryDir m_folder;

public:
    const fs::path path = fs::path(m_folder.path().toStdString()) / "large.mlmodelc";
    Tree original;
};

} // namespace

class TestAside : public QObject
{
    Q_OBJECT

private slots:
    /// Data and tables alike: the fork is what laying the plan makes, the bundle stays as it was.
    void plansAndLays()
    {
        for (const auto &[form, script] :
             {std::pair("dense-fp16", "set w[3]=5\nset w[3]=6\nset behind[9]=0.25"),
              std::pair("lut2", kThree)}) {
            const OnDisk disk(form);
            const auto bundle = disk.open();
            const auto edits = VERIFIED(parseEditScript(script, "edits"));
            const auto before = filesOf(*bundle);
            const auto planned = VERIFIED(planOnFork(bundle, *edits, HUGE_VAL));
            QVERIFY(filesOf(*bundle) == before);
            QVERIFY(!bundle->modified() && planned->bundle->modified());
            BundlePtr laid = bundle;
            for (const AppliedEdit &edit : planned->edits) {
                const auto next = VERIFIED(applyEdit(laid, edit));
                laid = *next;
            }
            QVERIFY(filesOf(*laid) == filesOf(*planned->bundle));
            QCOMPARE(laid->weights().size(), planned->bundle->weights().size());
            QCOMPARE(decoded(*laid, "w"), decoded(*planned->bundle, "w"));
        }
    }

    void stepsThereAndBack()
    {
        const OnDisk disk("lut2");
        const auto bundle = disk.open();
        const auto edits = parseEditScript(kThree, "edits");
        const auto planned = VERIFIED(planOnFork(bundle, *edits, HUGE_VAL));
        Progress progress;
        const auto back =
            VERIFIED(forkWithSteps(planned->bundle, stepsOf(planned->edits, false), &progress));
        QCOMPARE(progress.fraction(), 1.0);
        QVERIFY(filesOf(**back) == filesOf(*bundle));
        QVERIFY(!(*back)->modified());
        QVERIFY(planned->bundle->modified());
        const auto again = VERIFIED(forkWithSteps(*back, stepsOf(planned->edits, true)));
        QVERIFY(filesOf(**again) == filesOf(*planned->bundle));
        QCOMPARE(decoded(**again, "w"), decoded(*planned->bundle, "w"));
    }

    void refusesOtherBytes()
    {
        const OnDisk disk("dense-fp16");
        const auto bundle = disk.open();
        const auto planned =
            VERIFIED(planOnFork(bundle, {*parseEdit(Edit::Kind::Set, "w[3]=5")}, 0));
        QCOMPARE(REFUSED(forkWithSteps(planned->bundle, stepsOf(planned->edits, true))).code,
                 "patch.conflict");
        AppliedEdit broken = planned->edits.front();
        broken.bytes.front().after = std::vector<std::byte>(broken.bytes.front().after.size() + 1);
        QVERIFY(!forkWithSteps(bundle, stepsOf({broken}, true)));
        QVERIFY(!bundle->modified());
    }

    /// Runs of megabytes, those of an edit over those of others: planned with and without keeping
    /// the fork, laid and taken back.
    void largeEditsOnEachOther()
    {
        const Large large;
        const auto bundle = *Bundle::open(large.path);
        const std::vector<Edit> edits{*parseEdit(Edit::Kind::Fill, "w[100:900000]=0.5"),
                                      *parseEdit(Edit::Kind::Fill, "w[500000:1500000]=0.25"),
                                      *parseEdit(Edit::Kind::Set, "w[7]=3"),
                                      *parseEdit(Edit::Kind::Fill, "w[:]=0")};
        const auto original = filesOf(*bundle);
        const auto kept = planOnFork(bundle, edits, 0);
        const auto planned = planEdits(bundle, edits, 0);
        QVERIFY(kept && planned);
        for (std::size_t i = 0; i < edits.size(); ++i) {
            const auto &one = kept->edits[i].bytes, &other = (*planned)[i].bytes;
            QCOMPARE(one.size(), other.size());
            for (std::size_t run = 0; run < one.size(); ++run)
                QVERIFY(one[run].offset == other[run].offset &&
                        one[run].before == other[run].before && one[run].after == other[run].after);
        }
        // The last one leaves the bytes of the disk.
        QVERIFY(filesOf(*bundle) == original && filesOf(*kept->bundle) == original);
        std::vector<std::vector<Bytes>> states;
        for (const AppliedEdit &edit : *planned) {
            states.push_back(filesOf(*bundle));
            QVERIFY(applyEdit(bundle, edit));
        }
        QVERIFY(!bundle->modified());
        for (std::size_t i = edits.size(); i-- > 0;) {
            QVERIFY(revertEdit(bundle, (*planned)[i]));
            QVERIFY(filesOf(*bundle) == states[i]);
        }
        QVERIFY(!bundle->modified());
        const auto halves = planEdits(bundle, {edits[0]}, 0);
        QVERIFY(halves && applyEdit(bundle, halves->front()));
        const auto values = decoded(*bundle, "w");
        for (std::size_t i = 0; i < values.size(); ++i)
            QVERIFY(values[i] == (i >= 100 && i < 900000 ? 0.5f : 0.0f));
    }

    void cancelled()
    {
        const Large large;
        const auto bundle = *Bundle::open(large.path);
        Progress progress;
        progress.cancel();
        QCOMPARE(
            REFUSED(planOnFork(bundle, {*parseEdit(Edit::Kind::Fill, "w[:]=0.5")}, 0, &progress))
                .code,
            "task.cancelled");
        const auto whole =
            VERIFIED(planOnFork(bundle, {*parseEdit(Edit::Kind::Fill, "w[:]=0.5")}, 0));
        for (const double share : {0.0, 0.3, 0.9}) {
            CancelsAt cancels(share);
            const auto back =
                forkWithSteps(whole->bundle, stepsOf(whole->edits, false), &cancels.progress);
            if (!back)
                QCOMPARE(back.error().code, "task.cancelled");
            QVERIFY(whole->bundle->modified());
            QCOMPARE(decoded(*whole->bundle, "w")[7], 0.5f);
        }
        QVERIFY(!bundle->modified());
    }

    void saveReportsProgress()
    {
        const Large large;
        const auto bundle = VERIFIED(large.filled());
        Progress progress;
        std::function<void()> finish;
        const auto saved = VERIFIED(saveInPlace(bundle, false, finish, &progress));
        QCOMPARE(progress.fraction(), 1.0);
        finish();
        QVERIFY(!bundle->modified());
        QCOMPARE(decoded(**Bundle::open(large.path), "w")[2097151], 0.5f);
    }

    void saveCancelled_data() { addEach({0.0, 0.2, 0.45, 0.6, 0.85}); }

    /// Wherever it is stopped, the files are the old ones or the new ones, and no journal is left.
    void saveCancelled()
    {
        const auto [share] = fetched<double>();
        const Large large;
        const auto bundle = VERIFIED(large.filled());
        std::function<void()> finish;
        {
            CancelsAt cancels(share);
            const auto saved = saveInPlace(bundle, false, finish, &cancels.progress);
            if (saved)
                QVERIFY(readTree(large.path) != large.original);
            else
                QCOMPARE(saved.error().code, "task.cancelled");
            if (!saved)
                QVERIFY(readTree(large.path) == large.original);
        }
        finish();
        QCOMPARE(readTree(large.path.parent_path()).size(), large.original.size());
        QVERIFY(bundle->checkUnchanged());
        // What was not saved can be saved.
        const auto again = VERIFIED(saveInPlace(*bundle, false));
        QCOMPARE(decoded(**Bundle::open(large.path), "w")[0], 0.5f);
    }
};

KERNSCOPE_TEST(TestAside, QCoreApplication)
#include "tst_aside.moc"
