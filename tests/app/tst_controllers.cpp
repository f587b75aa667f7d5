// SPDX-License-Identifier: GPL-3.0-or-later
// The window's controllers, each without a window of its own.
#include "app/notice_area.h"
#include "app/save_controller.h"
#include "app/window_parts.h"
#include "document_fixture.h"
#include "tests/test_program.h"

using namespace kernscope::app;

class TestControllers : public test::DocumentFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        begin();
        m_settings = std::make_unique<Settings>(m_folder->filePath(u"settings.ini"_s));
        m_window = std::make_unique<QWidget>();
        m_notices = new NoticeArea(m_window.get());
        m_saving = new SaveController({*m_window, *m_document, *m_session, *m_settings, m_notices});
    }

    void cleanup()
    {
        m_window.reset();
        m_document.reset();
    }

    void actionsFollowWhatIsOpen()
    {
        MenuActions actions;
        QMenu menu;
        int ran = 0;
        actions.add(&menu, u"always"_s, {}, [&ran] { ++ran; });
        for (const Needs needs : {Needs::Bundle, Needs::Section, Needs::Other, Needs::Changes})
            actions.add(&menu, u"some"_s, {}, needs, [] {});
        const QList<QAction *> made = menu.actions();
        QCOMPARE(made.size(), 5);
        actions.enable(true, false, false, true);
        QVERIFY(made[0]->isEnabled() && made[1]->isEnabled() && made[4]->isEnabled());
        QVERIFY(!made[2]->isEnabled() && !made[3]->isEnabled());
        actions.enable(false, true, true, false);
        QVERIFY(made[0]->isEnabled() && made[2]->isEnabled() && made[3]->isEnabled());
        QVERIFY(!made[1]->isEnabled() && !made[4]->isEnabled());
        made[0]->trigger();
        QCOMPARE(ran, 1);
    }

    void asksBeforeEditsAreLost_data()
    {
        addColumns<int, bool>();
        addRow("cancel", int(QMessageBox::Cancel), false);
        addRow("discard", int(QMessageBox::Discard), true);
    }

    void asksBeforeEditsAreLost()
    {
        const auto [answer, goesOn] = fetched<int, bool>();
        int went = 0;
        m_saving->whenKept([&went] { ++went; });
        QCOMPARE(went, 1); // nothing is open: nothing to ask
        QVERIFY(openEdited());
        m_saving->whenKept([&went] { ++went; });
        QCOMPARE(went, 1);
        QPushButton *chosen = VERIFIED(button(QMessageBox::StandardButton(answer)));
        chosen->click();
        QTRY_COMPARE(went, goesOn ? 2 : 1);
    }

    /// A file that is gone is not written again: the notice offers a copy.
    void saysWhyNothingIsSaved()
    {
        QSignalSpy saved(m_saving, &SaveController::saved);
        QVERIFY(openEdited());
        for (const BundleFile &file : bundle().files())
            QFile::remove(QDir(m_document->path()).filePath(QString::fromStdString(file.path)));
        m_saving->save();
        QTRY_VERIFY(!m_notices->texts().isEmpty());
        QCOMPARE(saved.size(), 0);
    }

private:
    bool openEdited()
    {
        if (!open(writeSample(m_folder->path(), u"dense"_s)))
            return false;
        m_session->setPatchingEnabled(true);
        edit(0, storedElement(bundle(), 0), 0.123);
        return wait() && m_document->modified();
    }

    QPushButton *button(QMessageBox::StandardButton which) const
    {
        const auto *box = m_window->findChild<QMessageBox *>();
        return box ? qobject_cast<QPushButton *>(box->button(which)) : nullptr;
    }

    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<QWidget> m_window;
    NoticeArea *m_notices = nullptr;
    SaveController *m_saving = nullptr;
};

KERNSCOPE_TEST(TestControllers, QApplication)
#include "tst_controllers.moc"
