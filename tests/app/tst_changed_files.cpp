// SPDX-License-Identifier: GPL-3.0-or-later
// Another program writes, cuts or replaces files of the open bundle.
#include "core/base/overlaid_file.h"
#include "core/patch/patch.h"
#include "main_window_fixture.h"
#include "tests/test_program.h"
#include "widgets/models/patch_list_model.h"

using namespace kernscope;

namespace {

/// The bytes with other ones at the end, where the values of the last weight lie.
QByteArray rebuilt(QByteArray content)
{
    for (qsizetype i = content.size() - 64; i < content.size(); ++i)
        content[i] = static_cast<char>(content[i] ^ 0x21);
    return content;
}

} // namespace

class TestChangedFiles : public test::MainWindowTest
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        openWindow();
        m_path = sample(u"dense"_s);
        m_weights = m_path + u"/weights/weight.bin"_s;
        QVERIFY(m_window->open({m_path}));
    }

    void changedUnderEdits_data()
    {
        QTest::addColumn<int>("how");
        test::addRow("emptied", 0);
        test::addRow("cut", 1);
        test::addRow("rewritten", 2);
        test::addRow("grown", 3);
    }

    void changedUnderEdits()
    {
        QFETCH(int, how);
        patch();
        const QByteArray old = test::contentOf(m_weights);
        switch (how) {
        case 0: QVERIFY(test::put(m_weights, QByteArray())); break;
        case 1: QVERIFY(QFile::resize(m_weights, old.size() / 3)); break;
        case 2: QVERIFY(test::put(m_weights, rebuilt(old))); break;
        default: QVERIFY(test::put(m_weights, old + old)); break;
        }
        // Docks that read at this moment, before anything was noticed.
        for (const auto &entry : (*m_window)->docks().entries())
            entry.dock->grab();
        QTRY_VERIFY_WITH_TIMEOUT(!session().filesHold(), 10000);
        QVERIFY(nothingIsShown());
        QCOMPARE(notices().size(), 1);
        QVERIFY2(notices()[0].contains(u"weights/weight.bin"_s), qUtf8Printable(notices()[0]));
        QCOMPARE(answers(), (QStringList{u"Reload and Edit Again"_s, u"Reload without Edits"_s}));
        // The edits are still listed, and their bytes are still there.
        QCOMPARE(session().patches().size(), std::size_t(1));
        QVERIFY((*m_window)->document().modified());
        const FileEdit &run = session().patches()[0].edit->bytes.front();
        const auto bytes = session().bundle()->files()[run.file].file->bytes();
        QVERIFY(
            std::equal(run.after.begin(), run.after.end(), bytes.begin() + long(run.offset.value)));
        // No more edits, and no save, on bytes that are of neither version.
        session().requestEdits({test::setEdit(*session().bundle(), 0, 4, 0.5)}, {});
        QVERIFY(m_window->settle());
        QCOMPARE(session().patches().size(), std::size_t(1));
        const QByteArray now = test::contentOf(m_weights);
        (*m_window)->document().save(false);
        QVERIFY(m_window->settle());
        QCOMPARE(test::contentOf(m_weights), now);

        if (how < 2)
            QVERIFY(test::put(m_weights, rebuilt(old)));
        answer(u"Reload and Edit Again"_s);
        QVERIFY(m_window->settle());
        QTRY_VERIFY(session().filesHold());
        QTRY_COMPARE(session().patches().size(), std::size_t(1));
        QVERIFY((*m_window)->document().modified());
        QVERIFY(!nothingIsShown());
    }

    /// While nothing is shown nothing is saved, and the way out stays in sight.
    void noSaveOverWhatIsNotShown()
    {
        patch();
        const QByteArray old = rebuilt(test::contentOf(m_weights));
        QVERIFY(test::put(m_weights, old));
        QTRY_VERIFY_WITH_TIMEOUT(!session().filesHold(), 10000);
        QVERIFY(nothingIsShown());
        (*m_window)->document().save(false);
        QVERIFY(m_window->settle());
        QCOMPARE(test::contentOf(m_weights), old);
        QVERIFY((*m_window)->document().modified());
        QVERIFY(answers().contains(u"Reload and Edit Again"_s));
        answer(u"Reload and Edit Again"_s);
        QVERIFY(m_window->settle());
        QTRY_VERIFY(session().filesHold());
        QVERIFY(!nothingIsShown());
        (*m_window)->document().save(false);
        QVERIFY(m_window->settle());
        QVERIFY(test::contentOf(m_weights) != old);
    }

    /// The usual way of careful programs: the old file is still there for a process that has it
    /// open.
    void replacedIsKept()
    {
        const QByteArray old = test::contentOf(m_weights);
        QVERIFY(test::put(m_weights + u".new"_s, rebuilt(old)));
        QVERIFY(QFile::rename(m_weights, m_folder->filePath(u"old"_s)));
        QVERIFY(QFile::rename(m_weights + u".new"_s, m_weights));
        QTRY_COMPARE_WITH_TIMEOUT(notices().size(), 1, 10000);
        QVERIFY(session().filesHold());
        QCOMPARE(answers(), (QStringList{u"Reload"_s, u"Keep What Is Shown"_s}));
        answer(u"Keep What Is Shown"_s);
        QVERIFY(!nothingIsShown());
        const std::size_t file = *session().bundle()->fileByPath("weights/weight.bin");
        const auto bytes = session().bundle()->files()[file].file->bytes();
        QCOMPARE(QByteArray(reinterpret_cast<const char *>(bytes.data()), qsizetype(bytes.size())),
                 old);
    }

    void editsAgainThatDoNotFit()
    {
        patch();
        // Another model came into the folder: the weight of the edit is not there any more.
        QFile program(m_path + u"/model.mil"_s);
        QVERIFY(program.open(QIODevice::ReadOnly));
        QByteArray text = program.readAll();
        program.close();
        const QByteArray name = QByteArray::fromStdString(session().bundle()->weights()[0].name);
        text.replace(name, QByteArray(name).replace(0, 1, "Q"));
        QVERIFY(test::put(program.fileName(), text));
        QTRY_VERIFY_WITH_TIMEOUT(!session().filesHold(), 10000);
        answer(u"Reload and Edit Again"_s);
        QVERIFY(m_window->settle());
        QTRY_VERIFY(answers().contains(u"Copy the Edits"_s));
        QCOMPARE((*m_window)->document().keptEdits().size(), std::size_t(1));
        answer(u"Copy the Edits"_s);
        QVERIFY(QGuiApplication::clipboard()->text().contains(QString::fromUtf8(name)));
    }

    void otherBundleChanges()
    {
        const QString copy = m_folder->filePath(u"copy.mlmodelc"_s);
        QVERIFY(test::copyFolder(m_path, copy));
        QVERIFY(m_window->open({m_path, copy}));
        QVERIFY(QFile::resize(copy + u"/weights/weight.bin"_s, 0));
        QTRY_VERIFY_WITH_TIMEOUT(!session().filesHold(), 10000);
        QVERIFY(nothingIsShown());
        (*m_window)->document().closeOther();
        QVERIFY(session().filesHold());
    }

    void resultsUnderWayAreDropped()
    {
        std::atomic<bool> go{false}, delivered{false};
        session().tasks().start(
            this, u"Reading"_s,
            [&go](Progress &) {
                while (!go)
                    QThread::msleep(1);
                return true;
            },
            [&delivered](bool) { delivered = true; });
        QVERIFY(test::put(m_weights, rebuilt(test::contentOf(m_weights))));
        go = true;
        QTRY_VERIFY(session().tasks().idle());
        QTRY_VERIFY(!session().filesHold());
        QVERIFY(!delivered);
    }

    void ownSaveIsNoChange()
    {
        patch();
        const QSignalSpy changes(&session(), &ui::Session::filesHoldChanged);
        (*m_window)->document().save(false);
        QVERIFY(m_window->settle());
        QTRY_VERIFY(!(*m_window)->document().modified());
        session().checkFiles();
        QCOMPARE(changes.size(), 0);
        QVERIFY(session().filesHold());
    }

private:
    QStringList notices() const { return (*m_window)->notices().texts(); }

    QStringList answers() const
    {
        QStringList texts;
        for (const auto *button : (*m_window)->notices().findChildren<QPushButton *>()) {
            if (button->isVisible())
                texts << button->text();
        }
        return texts;
    }

    void answer(const QString &text)
    {
        for (auto *button : (*m_window)->notices().findChildren<QPushButton *>()) {
            if (button->isVisible() && button->text() == text) {
                button->click();
                return;
            }
        }
        QFAIL(qUtf8Printable(text));
    }

    void patch()
    {
        session().setPatchingEnabled(true);
        session().requestEdits({test::setEdit(*session().bundle(), 0, 3, 0.123)}, {});
        QVERIFY(m_window->settle());
        QTRY_VERIFY((*m_window)->document().modified());
    }

    /// True where every visible dock that shows bytes says that the files changed instead.
    bool nothingIsShown() const
    {
        int looked = 0;
        for (const auto &entry : (*m_window)->docks().entries()) {
            if (!entry.dock->isVisible() || entry.dock->id() == QLatin1String("patches") ||
                entry.dock->id() == QLatin1String("diagnostics") ||
                entry.dock->id() == QLatin1String("help"))
                continue;
            ++looked;
            if (entry.dock->showsContent())
                return false;
        }
        return looked >= 2; // Compare shows two docks
    }

    QString m_path, m_weights;
};

KERNSCOPE_TEST(TestChangedFiles, QApplication)
#include "tst_changed_files.moc"
