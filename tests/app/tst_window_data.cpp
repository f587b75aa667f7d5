// SPDX-License-Identifier: GPL-3.0-or-later
#include "main_window_fixture.h"
#include "tests/data/data_folder.h"

/// The whole way on real bundles: open, look, change, take back, save.
class TestWindowData : public MainWindowTest
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { KERNSCOPE_NEEDS(dataFolder()); }

    void init() { openWindow(); }

    void wholeWay_data()
    {
        addPaths({u"*v6.0.0.mlmodelc"_s, u"*mixed.mlmodelc"_s, u"*.mlpackage"_s});
    }

    void wholeWay()
    {
        KERNSCOPE_SKIP_WITHOUT_ROWS();
        QFETCH(QString, path);
        path = copyOf(path);
        const FileBytes before = filesBelow(path);
        QVERIFY(m_window->open({path}));
        QVERIFY(!session().bundle()->weights().empty());
        // Of a program that leaves extents open the model's own default shapes are said.
        const bool open = !document().openInputs().empty();
        QCOMPARE(notices().texts().size(), open ? 1 : 0);

        session().setPatchingEnabled(true);
        std::map<std::string, int> ofForm;
        for (std::size_t weight = 0; weight < session().bundle()->weights().size(); ++weight) {
            session().goToWeight(weight);
            constexpr int kMostAlike = 3;
            if (++ofForm[formText(session().bundle()->weights()[weight].form)] > kMostAlike)
                continue;
            const auto element = storedElement(*session().bundle(), weight);
            if (element < session().bundle()->weights()[weight].elements.value)
                edit(weight, element, 0.1);
        }
        QVERIFY(m_window->settle());
        QVERIFY(document().modified());
        QVERIFY(filesBelow(path) == before);

        session().undoStack().setIndex(0);
        QVERIFY(!document().modified());
        session().undoStack().setIndex(session().undoStack().count());

        QSignalSpy saved(&document(), &app::Document::saved);
        const auto pending = document().pendingRanges();
        document().save(false);
        QVERIFY(m_window->settle());
        QCOMPARE(saved.size(), 1);
        FileBytes after = filesBelow(path);
        QCOMPARE(after.size(), before.size());
        for (const auto &[name, content] : before) {
            for (const qsizetype place : differences(content, after[name])) {
                QVERIFY(std::any_of(pending.begin(), pending.end(), [&](const WrittenRange &range) {
                    return QString::fromStdString(range.file) == name &&
                           range.range.contains(FileOffset(static_cast<std::uint64_t>(place)));
                }));
            }
        }
        session().undoStack().setIndex(0);
        document().save(false);
        QVERIFY(m_window->settle());
        QVERIFY(filesBelow(path) == before);
    }

private:
    QString copyOf(const QString &bundle)
    {
        const QString target = m_folder->filePath(QFileInfo(bundle).fileName());
        return copyFolder(bundle, target) ? target : QString();
    }
};

KERNSCOPE_TEST(TestWindowData, QApplication)
#include "tst_window_data.moc"
