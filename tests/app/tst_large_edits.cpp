// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/decode/decoder.h"
#include "core/patch/edit/edit.h"
#include "tests/app/document_fixture.h"
#include "tests/test_program.h"
#include "widgets/models/session.h"
#include "widgets/models/task_manager.h"

using app::Document;

namespace {

constexpr std::uint64_t kElements = std::uint64_t{4} << 20;

} // namespace

/// Edits of very many elements: made and taken back aside, shown in one step, or not at all.
class TestLargeEdits : public test::DocumentFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        begin();
        m_path = m_folder->filePath(u"large.bin"_s);
    }

    /// Nothing is laid over the bundle that is shown, by whatever thread: another one takes its
    /// place.
    void isShownAtOnce()
    {
        QVERIFY(open());
        const BundlePtr before = m_session->bundle();
        QSignalSpy changes(m_session.get(), &ui::Session::bytesChanged);
        request("[:]=0.5");
        QCOMPARE(m_document->busy(), Document::Busy::Planning);
        QVERIFY(wait());
        QCOMPARE(changes.size(), 1);
        QVERIFY(m_session->bundle() != before);
        QVERIFY(!before->modified());
        QCOMPARE(valueAt(*before, 0, 7), 0.0f);
        QCOMPARE(valueNow(0), 0.5f);
        QCOMPARE(valueNow(kElements - 1), 0.5f);
        QVERIFY(m_document->modified());
        QCOMPARE(stack().count(), 1);
        QCOMPARE(m_session->patches().size(), std::size_t{1});
    }

    /// The event loop turns between the request and the result, and finds the bundle as it was.
    void loopRunsMeanwhile()
    {
        QVERIFY(open());
        const BundlePtr before = m_session->bundle();
        BundlePtr shown = before;
        float value = 0; // of its elements
        int turns = 0;
        bool whole = true;
        QTimer timer;
        connect(&timer, &QTimer::timeout, this, [&] {
            if (m_document->busy() == Document::Busy::Idle)
                return;
            ++turns;
            whole = whole && m_session->bundle() == shown && !before->modified() &&
                    valueAt(*shown, 0, 0) == value;
        });
        timer.start(0);
        QVERIFY(fill("[:]=0.5"));
        QVERIFY(std::exchange(turns, 0) > 0);
        // An undo is short: it may end before the loop turns once.
        for (int i = 0; i < 50 && turns == 0; ++i) {
            std::tie(shown, value) = std::pair(m_session->bundle(), i % 2 == 0 ? 0.5f : 0.0f);
            m_document->goToStep(i % 2);
            QVERIFY(wait());
        }
        QVERIFY(turns > 0 && whole);
    }

    void undoAndRedoAside()
    {
        QVERIFY(open());
        QVERIFY(fill("[:]=0.5"));
        const BundlePtr filled = m_session->bundle();
        m_document->goToStep(0);
        QCOMPARE(m_document->busy(), Document::Busy::Stepping);
        QCOMPARE(stack().index(), 1);
        QVERIFY(wait());
        QCOMPARE(stack().index(), 0);
        QVERIFY(!m_document->modified());
        QCOMPARE(valueNow(3), 0.0f);
        QCOMPARE(valueAt(*filled, 0, 3), 0.5f);
        QVERIFY(!m_session->patches().front().active);
        m_document->goToStep(1);
        QVERIFY(wait());
        QCOMPARE(valueNow(3), 0.5f);
        QVERIFY(m_session->patches().front().active);
        // The stack itself does it here and now.
        stack().undo();
        QVERIFY(!m_document->modified());
    }

    void severalStepsAtOnce()
    {
        QVERIFY(open());
        QVERIFY(fill("[0:10]=2"));
        QVERIFY(fill("[:]=0.5"));
        QVERIFY(fill("[5]=4"));
        QCOMPARE(stack().count(), 3);
        QSignalSpy changes(m_session.get(), &ui::Session::bytesChanged);
        m_document->goToStep(0);
        QVERIFY(wait());
        QCOMPARE(stack().index(), 0);
        QCOMPARE(changes.size(), 1);
        QVERIFY(!m_document->modified());
        QCOMPARE(valueNow(5), 0.0f);
        m_document->goToStep(3);
        QVERIFY(wait());
        QCOMPARE(valueNow(5), 4.0f);
        QCOMPARE(valueNow(6), 0.5f);
        m_document->goToStep(1);
        QVERIFY(wait());
        QCOMPARE(valueNow(5), 2.0f);
        QCOMPARE(valueNow(10), 0.0f);
        QCOMPARE(stack().index(), 1);
    }

    void cancelKeepsEverything()
    {
        QVERIFY(open());
        const BundlePtr before = m_session->bundle();
        QSignalSpy cancelled(m_document.get(), &Document::cancelled);
        QSignalSpy changes(m_session.get(), &ui::Session::bytesChanged);
        request("[:]=0.5");
        m_session->tasks().cancelAll();
        QVERIFY(wait());
        QCOMPARE(cancelled.size(), 1);
        QCOMPARE(m_session->bundle(), before);
        QVERIFY(!m_document->modified());
        QCOMPARE(stack().count(), 0);
        QVERIFY(changes.isEmpty());

        QVERIFY(fill("[:]=0.5"));
        const BundlePtr filled = m_session->bundle();
        m_document->goToStep(0);
        m_session->tasks().cancelAll();
        QVERIFY(wait());
        QCOMPARE(cancelled.size(), 2);
        QCOMPARE(m_session->bundle(), filled);
        QCOMPARE(stack().index(), 1);
        QCOMPARE(valueNow(0), 0.5f);
        QVERIFY(m_session->patches().front().active);
    }

    void oneAtATime()
    {
        QVERIFY(open());
        QVERIFY(fill("[:]=0.5"));
        QSignalSpy refused(m_session.get(), &ui::Session::editsRefused);
        QSignalSpy failed(m_document.get(), &Document::saveFailed);
        m_document->goToStep(0);
        request("[3]=1");
        m_document->goToStep(0);
        m_document->save(false);
        QCOMPARE(refused.size(), 2);
        QCOMPARE(refused.back().front().value<Error>().code, "patch.busy");
        QCOMPARE(failed.size(), 1);
        QVERIFY(wait());
        QCOMPARE(stack().index(), 0);
    }

    /// Somebody else moved the undo stack while the edit was planned: it fits no more.
    void notOverWhatChangedMeanwhile()
    {
        QVERIFY(open());
        QVERIFY(fill("[5]=4"));
        QSignalSpy refused(m_session.get(), &ui::Session::editsRefused);
        request("[:]=0.5");
        stack().undo(); // waits for the task, which may have ended or not
        QVERIFY(wait());
        QVERIFY(!m_document->modified());
        QCOMPARE(stack().index(), 0);
        QCOMPARE(valueNow(5), 0.0f);
        for (const QList<QVariant> &arguments : refused)
            QCOMPARE(arguments.front().value<Error>().code, "patch.conflict");
    }

    void savesWhatIsShown()
    {
        QVERIFY(open());
        QVERIFY(fill("[:]=0.5"));
        QVERIFY(save());
        QVERIFY(!m_document->modified());
        QVERIFY(m_session->filesHold());
        const auto reopened = VERIFIED(Bundle::open(m_path.toStdString()));
        QCOMPARE(valueAt(**reopened, 0, kElements - 1), 0.5f);
        // Undone after the save, it differs from the disk again.
        m_document->goToStep(0);
        QVERIFY(wait());
        QVERIFY(m_document->modified());
        QCOMPARE(valueNow(0), 0.0f);
    }

    /// A number in a long program: reading the tables again would hold up the window.
    void readsLongProgramsAside()
    {
        MadeBundle made;
        made.line("tensor<fp16, [8]> w = constexpr_lut_to_dense()[indices = " +
                  made.blob(ElementType::Uint8, "[1]", Bytes(1)) +
                  ", lut = tensor<fp16, [2]>([0x1p+1, 0x1p+2]), name = string(\"w\"), "
                  "shape = tensor<uint32, [1]>([8])]");
        for (int i = 0; i < 6000; ++i)
            made.line("tensor<fp16, []> unused_" + std::to_string(i) +
                      " = const()[name = string(\"unused_" + std::to_string(i) +
                      "\"), val = fp16(0x1p+0)]");
        made.consume("w");
        QVERIFY(openMade(made));
        const BundlePtr before = m_session->bundle();
        const auto edit = VERIFIED(parseEdit(Edit::Kind::Codebook, "w[0][0]=4"));
        m_session->requestEdits({*edit}, {});
        QCOMPARE(m_document->busy(), Document::Busy::Planning);
        QVERIFY(wait());
        QCOMPARE(valueNow(1), 4.0f);
        QCOMPARE(valueAt(*before, 0, 1), 2.0f);
        m_document->goToStep(0);
        QCOMPARE(m_document->busy(), Document::Busy::Stepping);
        QVERIFY(wait());
        QCOMPARE(valueNow(1), 2.0f);
        QVERIFY(!m_document->modified());
    }

private:
    bool open()
    {
        MadeBundle made;
        (void)made.blob(ElementType::Fp16, "[4194304]", Bytes(2 * kElements));
        if (!put(m_path, made.weights()) || !DocumentFixture::open(m_path))
            return false;
        m_session->setPatchingEnabled(true);
        return true;
    }

    bool openMade(const MadeBundle &made)
    {
        app::MemoryBundle memory{"made.mlmodelc", {}};
        for (const auto &[name, bytes] : made.options().memory)
            memory.files.emplace_back(name, bytes);
        m_document->openMemory(std::move(memory));
        if (!wait() || !m_document->isOpen())
            return false;
        m_session->setPatchingEnabled(true);
        return true;
    }

    bool fill(const char *indicesAndValue)
    {
        request(indicesAndValue);
        return wait();
    }

    void request(const std::string &text)
    {
        const std::string name = m_session->bundle()->weights().front().name;
        const auto edit = VERIFIED(parseEdit(Edit::Kind::Fill, name + text));
        m_session->requestEdits({*edit}, {});
    }

    float valueNow(std::uint64_t element) const { return valueAt(bundle(), 0, element); }
    QUndoStack &stack() { return m_session->undoStack(); }
};

KERNSCOPE_TEST(TestLargeEdits, QApplication)
#include "tst_large_edits.moc"
