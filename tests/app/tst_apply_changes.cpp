// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/edit_menu.h"
#include "core/compare/compare.h"
#include "tests/app/document_fixture.h"
#include "tests/test_program.h"
#include "widgets/compare/compare_copies.h"

using kernscope::app::ChangeApplier;
using kernscope::app::Document;

/// The difference of two bundles, saved as a script, applied to another copy of the first.
class TestApplyChanges : public test::DocumentFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_applier.reset();
        begin();
        m_applier = std::make_unique<ChangeApplier>(*m_session);
    }

    void makesTheOther()
    {
        const QString original = writeSample(m_folder->path(), u"dense"_s);
        QVERIFY(open(original));
        m_session->setPatchingEnabled(true);
        const BundlePtr before = *Bundle::open(original.toStdString());
        m_session->requestEdits({setEdit(bundle(), 0, 3, 0.5), setEdit(bundle(), 0, 7, -1.25)}, {});
        QVERIFY(settle());
        Progress progress;
        const auto script = VERIFIED(ui::differenceDocument(before, m_session->bundle(), {}, {},
                                                            u"changes.kpatch"_s, progress));
        QVERIFY(write(path("changes.kpatch"), *script));
        m_session->undoStack().undo();
        QVERIFY(settle());
        QVERIFY(!m_document->modified());
        const int steps = m_session->undoStack().index();
        QSignalSpy applied(m_applier.get(), &ChangeApplier::applied);
        QSignalSpy failed(m_applier.get(), &ChangeApplier::failed);
        m_applier->apply(path("changes.kpatch"));
        QVERIFY(settle());
        QCOMPARE(failed.size(), 0);
        QCOMPARE(applied.size(), 1);
        QCOMPARE(applied.front().at(1).toBool(), true); // by the digest
        QVERIFY(m_document->modified());
        QCOMPARE(m_session->undoStack().index(), steps + 1); // one step
        QCOMPARE(valueAt(bundle(), 0, 7), -1.25f);
        m_session->undoStack().undo();
        QVERIFY(settle());
        QVERIFY(!m_document->modified());
    }

    void refusesAnotherBundle()
    {
        QVERIFY(openSample(u"palette"_s));
        QVERIFY(write(path("x.kpatch"), "# base sha256:" + std::string(64, '0') + "\n"));
        QSignalSpy failed(m_applier.get(), &ChangeApplier::failed);
        m_applier->apply(path("x.kpatch"));
        QVERIFY(settle());
        QCOMPARE(failed.size(), 1);
        QCOMPARE(failed.front().front().value<Error>().code, "patch.base");
        QVERIFY(!m_document->modified());
    }

    void refusesWhileLocked()
    {
        QVERIFY(open(writeSample(m_folder->path(), u"dense"_s)));
        const Edit edit = setEdit(bundle(), 0, 3, 0.5);
        QVERIFY(write(path("x.kpatch"), "set " + editText(edit) + "\n"));
        QSignalSpy refused(m_session.get(), &ui::Session::editsRefused);
        m_applier->apply(path("x.kpatch"));
        QVERIFY(settle());
        QCOMPARE(refused.size(), 1);
        QVERIFY(!m_document->modified());
        // A script that says nothing of its origin is applied, and nothing is proved.
        m_session->setPatchingEnabled(true);
        QSignalSpy applied(m_applier.get(), &ChangeApplier::applied);
        m_applier->apply(path("x.kpatch"));
        QVERIFY(settle());
        QCOMPARE(applied.size(), 1);
        QCOMPARE(applied.front().at(1).toBool(), false);
        QVERIFY(m_document->modified());
    }

    void saysWhatIsWrong()
    {
        QVERIFY(openSample(u"dense"_s));
        QVERIFY(write(path("bad.kpatch"), "set no edit at all\n"));
        QSignalSpy failed(m_applier.get(), &ChangeApplier::failed);
        for (const char *name : {"bad.kpatch", "missing.kpatch"}) {
            m_applier->apply(path(name));
            QVERIFY(settle());
        }
        QCOMPARE(failed.size(), 2);
        QCOMPARE(failed.front().front().value<Error>().code, "patch.syntax");
        QCOMPARE(failed.back().front().value<Error>().code, "io.open");
    }

private:
    QString path(const char *name) const { return m_folder->filePath(QLatin1String(name)); }
    static bool write(const QString &name, const std::string &text)
    {
        return put(name, QByteArray::fromStdString(text));
    }

    bool settle()
    {
        return QTest::qWaitFor(
            [this] {
                return m_session->tasks().idle() && !m_applier->working() &&
                       m_document->busy() == Document::Busy::Idle;
            },
            20000);
    }

    std::unique_ptr<ChangeApplier> m_applier;
};

KERNSCOPE_TEST(TestApplyChanges, QApplication)
#include "tst_apply_changes.moc"
