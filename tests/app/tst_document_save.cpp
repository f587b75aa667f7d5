// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/overlaid_file.h"
#include "document_fixture.h"
#include "tests/cli/written_bundle.h"
#include "tests/test_program.h"

#include <unistd.h>

using kernscope::app::Document;

/// Saving, copies, and what other programs do to the files meanwhile.
class TestDocumentSave : public test::DocumentFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { begin(); }

    void savesOnlyWhatChanged_data() { test::addBuilds(); }

    void savesOnlyWhatChanged()
    {
        QFETCH(QString, build);
        QVERIFY(openSample(build));
        edit(0, storedElement(bundle(), 0), 0.123);
        QVERIFY(m_document->modified());
        QVERIFY(filesBelow(m_path) == m_before); // nothing before Save
        const auto pending = m_document->pendingRanges();
        QVERIFY(!pending.empty());

        QSignalSpy saved(m_document.get(), &Document::saved);
        QVERIFY(save());
        QCOMPARE(saved.size(), 1);
        const auto report = saved[0][0].value<SaveReport>();
        QVERIFY(report.verified);
        QVERIFY(!m_document->modified());
        FileBytes after = filesBelow(m_path);
        QCOMPARE(after.size(), m_before.size());
        QList<qsizetype> places;
        for (const auto &[name, content] : m_before) {
            for (const qsizetype place : differences(content, after[name])) {
                places << place;
                const bool announced =
                    std::any_of(pending.begin(), pending.end(), [&](const auto &r) {
                        return QString::fromStdString(r.file) == name &&
                               r.range.contains(FileOffset(static_cast<std::uint64_t>(place)));
                    });
                QVERIFY2(announced, qPrintable(name));
            }
        }
        QCOMPARE(static_cast<std::uint64_t>(places.size()), report.bytesWritten.value);
    }

    void keepsEveryBackup()
    {
        QVERIFY(openSample(u"dense"_s));
        for (const double value : {0.5, 0.75}) {
            edit(0, 0, value);
            QVERIFY(save(true));
        }
        // Beside the bundle, the first one, and only what was changed.
        QCOMPARE(filesBelow(m_path).size(), m_before.size());
        const FileBytes kept = filesBelow(m_path + u".bak"_s);
        QCOMPARE(kept.size(), std::size_t{1});
        QCOMPARE(kept.begin()->second, m_before.at(kept.begin()->first));
        QCOMPARE(filesBelow(m_path + u".bak.2"_s).size(), std::size_t{1});
    }

    /// "w*0.5" that was saved is not halved once more.
    void reloadMakesWhatIsUnsaved()
    {
        QVERIFY(openSample(u"dense"_s));
        const std::string weight = bundle().weights()[0].name;
        m_session->requestEdits({*parseEdit(Edit::Kind::Compute, weight + "=w*0.5")}, {});
        QVERIFY(wait());
        QVERIFY(save());
        const FileBytes saved = filesBelow(m_path);
        edit(0, 0, 0.75);
        m_document->setEditNote(1, u"why"_s);
        m_document->reload(true);
        QTRY_COMPARE(m_session->patches().size(), std::size_t{1});
        QVERIFY(wait());
        QCOMPARE(m_session->patches()[0].edit->edit.value, 0.75);
        QCOMPARE(m_session->patches()[0].note, "why");
        m_session->undoStack().undo();
        QVERIFY(!m_document->modified());
        QVERIFY(filesBelow(m_path) == saved);
        // An edit of a cell that was saved is one of its own.
        edit(0, 0, 0.75);
        QVERIFY(save());
        edit(0, 0, 0.5);
        QCOMPARE(m_session->undoStack().count(), 2);
    }

    void reloadKeepsUndoneAndSwitchedOff()
    {
        QVERIFY(openSample(u"dense"_s));
        for (const std::uint64_t element : {0, 1, 2})
            edit(0, element, 0.5 + 0.25 * double(element));
        m_document->setEditNote(0, u"off for now"_s);
        m_document->switchEdit(0, false);
        QVERIFY(wait());
        edit(0, 3, 0.125);
        m_session->undoStack().undo();
        const auto before = m_session->patches();
        QCOMPARE(before.size(), std::size_t{4});
        m_document->reload(true);
        QTRY_COMPARE(m_session->patches().size(), std::size_t{4});
        QVERIFY(wait());
        for (std::size_t i = 0; i < before.size(); ++i) {
            const ui::PatchEntry &now = m_session->patches()[i];
            QCOMPARE(editText(now.edit->edit), editText(before[i].edit->edit));
            QVERIFY(now.active == before[i].active && now.off == before[i].off);
            QCOMPARE(now.note, before[i].note);
        }
        m_session->undoStack().redo();
        QVERIFY(m_session->patches()[3].active);
        m_document->switchEdit(0, true);
        QVERIFY(wait());
        QVERIFY(m_session->patches()[0].active);
    }

    /// Switching off is no undoing: what is edited next does not end what could be made again.
    void switchedOffStaysWhereItWasLast()
    {
        QVERIFY(openSample(u"dense"_s));
        edit(0, 0, 0.5);
        m_document->switchEdit(0, false);
        QVERIFY(wait());
        edit(0, 1, 0.25);
        const auto &patches = m_session->patches();
        QCOMPARE(patches.size(), std::size_t{2});
        QVERIFY(patches[0].off && !patches[0].active && patches[1].active);
        m_document->switchEdit(0, true);
        QVERIFY(wait());
        QVERIFY(m_session->patches()[0].active && m_session->patches()[1].active);
    }

    /// Undone since it was saved: not on the disk is that it is not there.
    void reloadTakesBackWhatWasSaved()
    {
        QVERIFY(openSample(u"dense"_s));
        edit(0, 0, 0.5);
        QVERIFY(save());
        m_session->undoStack().undo();
        m_document->reload(true);
        QTRY_VERIFY(m_document->isOpen() && m_document->modified());
        QVERIFY(wait());
        QVERIFY(save());
        QVERIFY(filesBelow(m_path) == m_before);
    }

    void touchedFilesStayShown()
    {
        QVERIFY(openSample(u"dense"_s));
        const QString weights = m_path + u"/weights/weight.bin"_s;
        edit(0, 0, 0.5);
        QSignalSpy holds(m_session.get(), &ui::Session::filesHoldChanged);
        QSignalSpy changed(m_document.get(), &Document::changedOnDisk);
        QSignalSpy shown(m_session.get(), &ui::Session::bytesChanged);
        const std::filesystem::path file = weights.toStdString();
        std::filesystem::last_write_time(file, std::filesystem::last_write_time(file) +
                                                   std::chrono::seconds(100));
        QTRY_VERIFY_WITH_TIMEOUT(!shown.isEmpty(), 10000); // looked at again
        QVERIFY(holds.isEmpty() && changed.isEmpty());
        // And it can be saved.
        QSignalSpy saved(m_document.get(), &Document::saved);
        QVERIFY(save());
        QCOMPARE(saved.size(), 1);
    }

    void saveAsOfFilesThatAreGone()
    {
        QVERIFY(openSample(u"dense"_s));
        edit(0, 0, 0.5);
        QVERIFY(QFile::remove(m_path + u"/weights/weight.bin"_s));
        const QString target = m_folder->filePath(u"copy.mlmodelc"_s);
        QVERIFY(savesAs(target));
        QCOMPARE(filesBelow(target).size(), m_before.size());
        QCOMPARE(filesBelow(target).at(u"weights/weight.bin"_s).size(),
                 m_before.at(u"weights/weight.bin"_s).size());
    }

    /// A save that ended in the middle: opening asks, and writes only when it is told to.
    void asksAboutInterruptedSaves_data()
    {
        QTest::addColumn<Document::Interrupted>("answer");
        addRow("recover", Document::Interrupted::Recover);
        addRow("show", Document::Interrupted::Show);
        addRow("cancel", Document::Interrupted::Cancel);
    }

    void asksAboutInterruptedSaves()
    {
        QFETCH(const Document::Interrupted, answer);
        const QString path = writeSample(m_folder->path(), u"dense"_s);
        const FileBytes before = filesBelow(path);
        interruptSave(path);
        const FileBytes half = filesBelow(m_folder->path());
        QVERIFY(filesBelow(path) != before);
        QSignalSpy found(m_document.get(), &Document::interruptedSaveFound);
        QSignalSpy opened(m_document.get(), &Document::opened);
        QSignalSpy cancelled(m_document.get(), &Document::cancelled);
        m_document->open(path);
        QVERIFY(wait());
        QCOMPARE(found.size(), 1);
        QVERIFY(opened.isEmpty() && !m_document->isOpen());
        QVERIFY(filesBelow(m_folder->path()) == half);
        m_document->answerInterrupted(answer);
        QVERIFY(wait());
        if (answer == Document::Interrupted::Cancel) {
            QCOMPARE(cancelled.size(), 1);
            QVERIFY(!m_document->isOpen());
            QVERIFY(filesBelow(m_folder->path()) == half);
            return;
        }
        QCOMPARE(opened.size(), 1);
        const bool recover = answer == Document::Interrupted::Recover;
        QCOMPARE(opened.front().front().toBool(), recover);
        for (const BundleFile &file : bundle().files()) {
            QCOMPARE(test::asArray(file.file->bytes()),
                     before.at(QString::fromStdString(file.path)));
        }
        QVERIFY(!m_document->modified());
        if (recover) {
            QVERIFY(filesBelow(path) == before);
            return;
        }
        QVERIFY(filesBelow(m_folder->path()) == half);
        // Saving in place waits for the recovery, which is at hand.
        m_session->setPatchingEnabled(true);
        edit(0, 0, 0.5);
        QSignalSpy failed(m_document.get(), &Document::saveFailed);
        QVERIFY(save(true));
        QCOMPARE(failed.size(), 1);
        QCOMPARE(failed.front().front().value<Error>().code, "journal.pending");
        QVERIFY(filesBelow(m_folder->path()) == half);
        m_document->recover();
        QVERIFY(wait());
        QVERIFY(filesBelow(path) == before);
    }

    void undoAfterSave()
    {
        QVERIFY(openSample(u"dense"_s));
        edit(0, 0, 0.5);
        QVERIFY(save());
        m_session->checkFiles(); // what was written here is no change by others
        QVERIFY(m_session->filesHold());
        m_session->undoStack().undo();
        QVERIFY(m_document->modified()); // differs from the disk
        QVERIFY(save());
        QVERIFY(filesBelow(m_path) == m_before);
    }

    void saveAsGoesOnWithTheCopy()
    {
        QVERIFY(openSample(u"palette"_s));
        edit(0, 0, 0.5);
        m_session->goToWeight(1);
        const QString target = m_folder->filePath(u"copy.mlmodelc"_s);
        QVERIFY(savesAs(target));
        QVERIFY(filesBelow(m_path) == m_before);
        QVERIFY(filesBelow(target) != m_before);
        QCOMPARE(m_document->path(), target);
        QVERIFY(!m_document->modified());
        QCOMPARE(m_session->place().weight, std::size_t{1});
        // Undo steps live on, against the copy.
        m_session->undoStack().undo();
        QVERIFY(m_document->modified());
        QVERIFY(save());
        QVERIFY(filesBelow(target) == m_before);
        // Never over anything.
        QSignalSpy failed(m_document.get(), &Document::saveFailed);
        m_document->saveAs(m_path);
        QVERIFY(wait());
        QCOMPARE(failed.size(), 1);
        QVERIFY(filesBelow(m_path) == m_before);
    }

    /// A number of the program that gets longer has no room in place; a copy has.
    void saveAsMakesRoomForANumber()
    {
        MadeBundle made;
        const std::string data =
            made.blob(ElementType::Int8, "[10]", test::hex("01020304050607080900"));
        made.line("tensor<fp16, [10]> w = constexpr_affine_dequantize()[axis=int32(0),name=string("
                  "\"w\"),quantized_data=" +
                  data + ",scale=fp16(1),zero_point=int8(0)]");
        made.consume("w");
        const QString path = test::writeBundle(*m_folder, "made.mlmodelc", made);
        const FileBytes before = filesBelow(path);
        QVERIFY(open(path));
        m_session->setPatchingEnabled(true);
        edit(0, 0, 5);
        QSignalSpy refused(m_session.get(), &ui::Session::editsRefused);
        m_session->requestEdits({*parseEdit(Edit::Kind::Scale, "w[0]=0.1")}, {});
        QCOMPARE(refused.size(), 1);
        QCOMPARE(refused[0][0].value<Error>().code, "patch.space");
        QCOMPARE(m_document->editsForCopy().size(), std::size_t{1});
        const QString target = m_folder->filePath(u"copy.mlmodelc"_s);
        QSignalSpy saved(m_document.get(), &Document::saved);
        m_document->saveAs(target, m_document->editsForCopy());
        QVERIFY(wait());
        QCOMPARE(saved.size(), 1);
        QVERIFY(filesBelow(path) == before);
        FileBytes wanted = before;
        wanted[u"model.mil"_s].replace("scale=fp16(1)", "scale=fp16(0x1.998p-4)");
        QList<qsizetype> changed;
        for (const auto &[name, content] : filesBelow(target)) {
            if (name == u"model.mil"_s)
                QCOMPARE(content, wanted[name]);
            else
                changed << differences(content, wanted[name]);
        }
        QCOMPARE(changed.size(), 1);
        QCOMPARE(saved[0][0].value<SaveReport>().bytesWritten.value, 1 + 10); // "0x1.998p-4"
        QCOMPARE(m_document->path(), target);
        QVERIFY(!m_document->modified() && m_document->editsForCopy().empty());
        QCOMPARE(m_session->undoStack().count(), 0); // of other places
        // Another edit that has room is an edit as ever.
        edit(0, 1, 0.5);
        QVERIFY(m_document->modified());
    }

    void saveAsOfMemory()
    {
        const sample::SampleBundle made = sample::bundles().front();
        m_document->openMemory({made.name, made.files});
        QVERIFY(wait());
        QVERIFY(m_document->inMemory());
        QVERIFY(!m_document->writable());
        m_session->setPatchingEnabled(true);
        edit(0, 0, 0.5);
        const QString target = m_folder->filePath(u"copy.mlmodelc"_s);
        QVERIFY(savesAs(target));
        QVERIFY(!m_document->inMemory());
        QCOMPARE(filesBelow(target).size(), made.files.size());
    }

    void refusesStaleSave()
    {
        QVERIFY(openSample(u"dense"_s));
        edit(0, 0, 0.5);
        const QString name = QString::fromStdString(m_document->pendingRanges()[0].file);
        QVERIFY(append(m_path + QLatin1Char('/') + name, "x"));
        QSignalSpy failed(m_document.get(), &Document::saveFailed);
        QVERIFY(save());
        QCOMPARE(failed.size(), 1);
        QCOMPARE(failed[0][0].value<Error>().code, "patch.stale");
        QVERIFY(m_document->modified());
    }

    void cancelledSaveWatchesOn()
    {
        const QString path = writeSample(m_folder->path(), u"dense"_s);
        QVERIFY(open(path));
        m_session->setPatchingEnabled(true);
        edit(0, 0, 0.5);
        QSignalSpy cancelled(m_document.get(), &Document::cancelled);
        QSignalSpy changed(m_document.get(), &Document::changedOnDisk);
        m_document->save({});
        m_session->tasks().cancelAll();
        QTRY_COMPARE(cancelled.size(), 1);
        QVERIFY(m_document->modified());
        const QString name = QString::fromStdString(bundle().files()[0].path);
        QVERIFY(append(path + QLatin1Char('/') + name, " "));
        QTRY_COMPARE_WITH_TIMEOUT(changed.size(), 1, 10000);
    }

    /// The next change that is told of is the one that another program makes.
    void ownSaveIsNoChangeByOthers()
    {
        const QString path = writeSample(m_folder->path(), u"dense"_s);
        QVERIFY(open(path));
        const QSignalSpy changed(m_document.get(), &Document::changedOnDisk);
        m_session->setPatchingEnabled(true);
        edit(0, 0, 0.5);
        const std::string saved = m_document->pendingRanges()[0].file;
        QVERIFY(save(true));
        const auto &files = bundle().files();
        const auto other = std::find_if(files.begin(), files.end(),
                                        [&](const BundleFile &one) { return one.path != saved; });
        QVERIFY(other != files.end());
        const QString file = path + QLatin1Char('/') + QString::fromStdString(other->path);
        QVERIFY(append(file, " "));
        QTRY_COMPARE_WITH_TIMEOUT(changed.size(), 1, 10000);
        const QStringList told = changed[0][0].toStringList();
        QCOMPARE(told.size(), 1);
        QVERIFY2(file.endsWith(told[0]), qPrintable(told[0]));
    }

private:
    /// Saves a copy, once.
    bool savesAs(const QString &target)
    {
        const QSignalSpy saved(m_document.get(), &Document::saved);
        m_document->saveAs(target);
        return wait() && saved.size() == 1;
    }
};

KERNSCOPE_TEST(TestDocumentSave, QApplication)
#include "tst_document_save.moc"
