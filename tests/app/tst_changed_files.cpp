// SPDX-License-Identifier: GPL-3.0-or-later
// Another program writes, cuts or replaces files of the open bundle.
#include "core/base/overlaid_file.h"
#include "core/patch/patch.h"
#include "main_window_fixture.h"
#include "widgets/models/patch_list_model.h"

namespace {

/// The bytes with other ones at the end, where the values of the last weight lie.
QByteArray rebuilt(QByteArray content)
{
    for (qsizetype i = content.size() - 64; i < content.size(); ++i)
        content[i] = static_cast<char>(content[i] ^ 0x21);
    return content;
}

} // namespace

class TestChangedFiles : public MainWindowTest
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
        addRow("emptied", 0);
        addRow("cut", 1);
        addRow("rewritten", 2);
        addRow("grown", 3);
    }

    void changedUnderEdits()
    {
        QFETCH(int, how);
        patch();
        QTRY_VERIFY(document().modified());
        const QByteArray old = contentOf(m_weights);
        switch (how) {
        case 0: QVERIFY(put(m_weights, QByteArray())); break;
        case 1: QVERIFY(QFile::resize(m_weights, old.size() / 3)); break;
        case 2: QVERIFY(put(m_weights, rebuilt(old))); break;
        default: QVERIFY(put(m_weights, old + old)); break;
        }
        // Docks that read at this moment, before anything was noticed.
        for (const auto &entry : docks().entries())
            entry.dock->grab();
        QTRY_VERIFY_WITH_TIMEOUT(!session().filesHold(), 10000);
        QVERIFY(nothingIsShown());
        QCOMPARE(notices().texts().size(), 1);
        const QString why = notices().texts()[0];
        QVERIFY2(why.contains(u"weights/weight.bin"_s), qUtf8Printable(why));
        QCOMPARE(answers(), (QStringList{u"Reload and Edit Again"_s, u"Reload without Edits"_s}));
        // The edits are still listed, and their bytes are still there.
        QCOMPARE(session().patches().size(), std::size_t(1));
        QVERIFY(document().modified());
        const FileEdit &run = session().patches()[0].edit->bytes.front();
        const auto bytes = session().bundle()->files()[run.file].file->bytes();
        QVERIFY(
            std::equal(run.after.begin(), run.after.end(), bytes.begin() + long(run.offset.value)));
        // No more edits, and no save, on bytes that are of neither version.
        edit(0, 4, 0.5);
        QVERIFY(m_window->settle());
        QCOMPARE(session().patches().size(), std::size_t(1));
        const QByteArray now = contentOf(m_weights);
        document().save(false);
        QVERIFY(m_window->settle());
        QCOMPARE(contentOf(m_weights), now);
        QVERIFY(document().modified() && answerButton(u"Reload and Edit Again"_s));
        if (how < 2)
            QVERIFY(put(m_weights, rebuilt(old)));
        VERIFIED(answerButton(u"Reload and Edit Again"_s))->click();
        QVERIFY(m_window->settle());
        QTRY_VERIFY(session().filesHold());
        QTRY_COMPARE(session().patches().size(), std::size_t(1));
        QVERIFY(document().modified());
        QVERIFY(!nothingIsShown());
        const QByteArray shown = contentOf(m_weights);
        document().save(false);
        QVERIFY(m_window->settle());
        QVERIFY(contentOf(m_weights) != shown);
    }

    /// Where the list of a save is open meanwhile: which file, and what to do, without the stamps.
    void refusedSaveSaysWhatToDo()
    {
        Q_EMIT document().saveFailed(ErrorBuilder("io.changed")
                                         .file("weights/weight.bin")
                                         .expected("995776 bytes, inode 1")
                                         .found("995776 bytes, inode 2")
                                         .message("Another program changed the file"));
        const QString text = notices().texts().back();
        QVERIFY2(text.contains(u"changed weights/weight.bin. Reload first"_s) &&
                     !text.contains(u"inode"_s),
                 qPrintable(text));
        QVERIFY(answerButton(u"Reload and Edit Again"_s));
    }

    /// The usual way of careful programs: the old file is still there for a process that has it
    /// open.
    void replacedIsKept()
    {
        const QByteArray old = contentOf(m_weights);
        QVERIFY(put(m_weights + u".new"_s, rebuilt(old)));
        QVERIFY(QFile::rename(m_weights, m_folder->filePath(u"old"_s)));
        QVERIFY(QFile::rename(m_weights + u".new"_s, m_weights));
        QTRY_COMPARE_WITH_TIMEOUT(notices().texts().size(), 1, 10000);
        QVERIFY(session().filesHold());
        QCOMPARE(answers(), (QStringList{u"Reload"_s, u"Keep What Is Shown"_s}));
        VERIFIED(answerButton(u"Keep What Is Shown"_s))->click();
        QVERIFY(!nothingIsShown());
        const std::size_t file = *session().bundle()->fileByPath("weights/weight.bin");
        const auto bytes = session().bundle()->files()[file].file->bytes();
        QCOMPARE(test::asArray(bytes), old);
    }

    void editsAgainThatDoNotFit()
    {
        patch();
        QTRY_VERIFY(document().modified());
        // Another model came into the folder: the weight of the edit is not there any more.
        const QString program = m_path + u"/model.mil"_s;
        QByteArray text = contentOf(program);
        const QByteArray name = QByteArray::fromStdString(session().bundle()->weights()[0].name);
        text.replace(name, QByteArray(name).replace(0, 1, "Q"));
        QVERIFY(put(program, text));
        QTRY_VERIFY_WITH_TIMEOUT(!session().filesHold(), 10000);
        VERIFIED(answerButton(u"Reload and Edit Again"_s))->click();
        QVERIFY(m_window->settle());
        QTRY_VERIFY(answers().contains(u"Copy the Edits"_s));
        QCOMPARE(document().keptEdits().size(), std::size_t(1));
        VERIFIED(answerButton(u"Copy the Edits"_s))->click();
        QVERIFY(QGuiApplication::clipboard()->text().contains(QString::fromUtf8(name)));
    }

    void otherBundleChanges()
    {
        const QString copy = m_folder->filePath(u"copy.mlmodelc"_s);
        QVERIFY(copyFolder(m_path, copy));
        QVERIFY(m_window->open({m_path, copy}));
        QVERIFY(QFile::resize(copy + u"/weights/weight.bin"_s, 0));
        QTRY_VERIFY_WITH_TIMEOUT(!session().filesHold(), 10000);
        QVERIFY(nothingIsShown());
        document().closeOther();
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
        QVERIFY(put(m_weights, rebuilt(contentOf(m_weights))));
        go = true;
        QTRY_VERIFY(session().tasks().idle());
        QTRY_VERIFY(!session().filesHold());
        QVERIFY(!delivered);
    }

private:
    QStringList answers() const
    {
        QStringList texts;
        for (const auto *button : notices().findChildren<QPushButton *>()) {
            if (button->isVisible())
                texts << button->text();
        }
        return texts;
    }

    /// True where every visible dock that shows bytes says that the files changed instead.
    bool nothingIsShown() const
    {
        int looked = 0;
        for (const auto &entry : docks().entries()) {
            if (!entry.dock->isVisible() ||
                QStringList{u"patches"_s, u"diagnostics"_s, u"help"_s}.contains(entry.dock->id()))
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
