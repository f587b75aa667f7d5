// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/overlaid_file.h"
#include "document_fixture.h"
#include "tests/test_program.h"

using kernscope::app::Document;

/// Opening and closing, edits, undo and redo.
class TestDocument : public test::DocumentFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { begin(); }

    void composesRuns()
    {
        const auto run = [](std::uint64_t at, std::initializer_list<int> before,
                            std::initializer_list<int> after) {
            const auto bytes = [](std::initializer_list<int> numbers) {
                std::vector<std::byte> made(numbers.size());
                std::ranges::transform(numbers, made.begin(), [](int n) { return std::byte(n); });
                return made;
            };
            return FileEdit{0, FileOffset(at), bytes(before), bytes(after)};
        };
        const auto runs = app::composed({run(4, {1, 2}, {9, 8})}, {run(5, {8, 3}, {7, 6})});
        QCOMPARE(runs.size(), std::size_t{1});
        QCOMPARE(runs[0].offset.value, std::uint64_t{4});
        QVERIFY(runs[0].before == run(0, {1, 2, 3}, {}).before);
        QVERIFY(runs[0].after == run(0, {9, 7, 6}, {}).before);
        // Runs that do not touch stay apart; files too.
        QCOMPARE(app::composed({run(0, {1}, {2})}, {run(2, {1}, {2})}).size(), std::size_t{2});
        FileEdit elsewhere = run(1, {1}, {2});
        elsewhere.file = 1;
        QCOMPARE(app::composed({run(0, {1}, {2})}, {elsewhere}).size(), std::size_t{2});
        // Nothing is left of what is taken back.
        QVERIFY(app::composed({run(3, {1}, {2})}, {run(3, {2}, {1})}).empty());
    }

    void opensAndLocks()
    {
        const QString path = writeSample(m_folder->path(), u"sparse"_s);
        const QSignalSpy opened(m_document.get(), &Document::opened);
        QVERIFY(open(path));
        QCOMPARE(opened.size(), 1);
        QCOMPARE(opened[0][0].toBool(), false); // nothing was recovered
        QVERIFY(!m_session->patchingEnabled());
        QVERIFY(!m_document->modified());
        QVERIFY(!bundle().weights().empty());
        QCOMPARE(m_session->place().weight, kNoIndex); // the overview first
        QVERIFY(m_session->other() == nullptr);
    }

    void opensTwo()
    {
        const QString a = writeSample(m_folder->path(), u"dense"_s);
        const QString b = writeSample(m_folder->path(), u"sparse"_s);
        const QSignalSpy other(m_document.get(), &Document::otherOpened);
        QVERIFY(open(a, b));
        QCOMPARE(other.size(), 1);
        QVERIFY(m_session->other());
        QCOMPARE(m_document->otherPath(), b);
        m_document->closeOther();
        QVERIFY(m_session->other() == nullptr);
    }

    void failsWithoutLosingWhatIsOpen()
    {
        const QString path = writeSample(m_folder->path(), u"dense"_s);
        QVERIFY(open(path));
        const BundlePtr before = m_session->bundle();
        QSignalSpy failed(m_document.get(), &Document::openFailed);
        m_document->open(m_folder->filePath(u"nothing.mlmodelc"_s));
        QVERIFY(wait());
        QCOMPARE(failed.size(), 1);
        QCOMPARE(m_session->bundle(), before);
        QCOMPARE(m_document->path(), path);
        m_document->openOther(m_folder->filePath(u"nothing.bin"_s));
        QVERIFY(wait());
        QCOMPARE(failed.size(), 2);
        QVERIFY(m_session->other() == nullptr);
    }

    void undoGivesBackTheFile_data() { test::addBuilds(); }

    void undoGivesBackTheFile()
    {
        QFETCH(QString, build);
        QVERIFY(openSample(build));
        std::vector<std::vector<std::byte>> before;
        for (const BundleFile &file : bundle().files())
            before.emplace_back(file.file->bytes().begin(), file.file->bytes().end());
        for (std::size_t weight = 0; weight < bundle().weights().size(); ++weight) {
            const auto element = storedElement(bundle(), weight);
            if (element < bundle().weights()[weight].elements.value)
                edit(weight, element, 0.123);
        }
        QVERIFY(m_session->undoStack().count() > 0);
        QVERIFY(m_document->modified());
        QVERIFY(!m_session->patches().empty());
        const int count = m_session->undoStack().count();
        m_session->undoStack().setIndex(0);
        QVERIFY(!m_document->modified());
        for (std::size_t i = 0; i < before.size(); ++i) {
            const auto now = bundle().files()[i].file->bytes();
            QVERIFY(std::equal(now.begin(), now.end(), before[i].begin(), before[i].end()));
        }
        for (const ui::PatchEntry &entry : m_session->patches())
            QVERIFY(!entry.active);
        m_session->undoStack().setIndex(count);
        QVERIFY(m_document->modified());
    }

    void mergesRepeatedEdits()
    {
        QVERIFY(openSample(u"dense"_s));
        edit(0, 3, 0.5);
        edit(0, 3, 0.75);
        edit(0, 3, 1.25);
        QCOMPARE(m_session->undoStack().count(), 1);
        QCOMPARE(m_session->patches().size(), std::size_t{1});
        QCOMPARE(m_session->patches()[0].edit->edit.value, 1.25);
        edit(0, 4, 0.5);
        QCOMPARE(m_session->undoStack().count(), 2);
        m_session->undoStack().setIndex(0);
        QVERIFY(!m_document->modified());
    }

    void editBackToOldValueIsNoChange()
    {
        QVERIFY(openSample(u"dense"_s));
        const double old = valueAt(bundle(), 0, 3);
        edit(0, 3, old); // the same value: nothing to do
        QCOMPARE(m_session->undoStack().count(), 0);
        edit(0, 3, 0.5);
        edit(0, 3, old);
        QCOMPARE(m_session->undoStack().count(), 0);
        QVERIFY(m_session->patches().empty());
        QVERIFY(!m_document->modified());
    }

    void allOrNothing()
    {
        QVERIFY(openSample(u"dense"_s));
        Edit beyond = setEdit(bundle(), 0, bundle().weights()[0].elements.value, 1);
        QSignalSpy refused(m_session.get(), &ui::Session::editsRefused);
        m_session->requestEdits({setEdit(bundle(), 0, 0, 0.5), beyond}, {});
        QCOMPARE(refused.size(), 1);
        QVERIFY(!m_document->modified());
        m_session->requestEdits({setEdit(bundle(), 0, 0, 0.5), setEdit(bundle(), 0, 1, 0.5)},
                                u"both"_s);
        QCOMPARE(m_session->undoStack().count(), 1);
        QCOMPARE(m_session->undoStack().undoText(), u"both"_s);
        QCOMPARE(m_session->patches().size(), std::size_t{2});
        m_session->undoStack().undo();
        QVERIFY(!m_document->modified());
    }

    void reloadKeepsThePlace()
    {
        const QString path = writeSample(m_folder->path(), u"dense"_s);
        QVERIFY(open(path));
        m_session->goToWeight(1);
        m_session->setPatchingEnabled(true);
        edit(0, 0, 0.5);
        m_document->reload();
        QVERIFY(wait());
        QVERIFY(!m_document->modified());
        QCOMPARE(m_session->undoStack().count(), 0);
        QCOMPARE(m_session->place().weight, std::size_t{1});
        QVERIFY(m_session->patchingEnabled());
    }

    void swapsSides()
    {
        const QString a = writeSample(m_folder->path(), u"dense"_s);
        const QString b = writeSample(m_folder->path(), u"palette"_s);
        QVERIFY(open(a, b));
        m_document->swapSides();
        QVERIFY(wait());
        QCOMPARE(m_document->path(), b);
        QCOMPARE(m_document->otherPath(), a);
        QCOMPARE(QString::fromStdString(m_session->other()->name()), u"sample-dense.mlmodelc"_s);
    }

    void closes()
    {
        QVERIFY(open(writeSample(m_folder->path(), u"dense"_s)));
        const QSignalSpy closed(m_document.get(), &Document::closed);
        m_document->close();
        QCOMPARE(closed.size(), 1);
        QVERIFY(!m_document->isOpen());
        QVERIFY(m_document->path().isEmpty());
        QVERIFY(m_document->pendingRanges().empty());
    }
};

KERNSCOPE_TEST(TestDocument, QApplication)
#include "tst_document.moc"
