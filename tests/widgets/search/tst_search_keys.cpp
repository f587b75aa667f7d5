// SPDX-License-Identifier: GPL-3.0-or-later
// Searching by keyboard, and whether what is listed says what it answers.
#include "tests/test_program.h"
#include "tests/widgets/sample_bundles.h"
#include "widgets/models/task_manager.h"
#include "widgets/search/search_dock.h"

using namespace kernscope;

class TestSearchKeys : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_dock.reset();
        m_session = std::make_unique<ui::Session>();
        m_dock = std::make_unique<ui::SearchDock>(*m_session);
        m_session->setBundle(test::sampleBundle("sparse"));
        QVERIFY(test::showDock(*m_dock));
    }

    /// A search for NaN has no line to press Enter in.
    void enterStartsInEveryField()
    {
        constexpr int kInfinity = 5, kLargest = 8;
        QComboBox *kind = box("What to look for"), *scope = box("Where to look");
        kind->setCurrentIndex(kLargest);
        for (QWidget *field : {static_cast<QWidget *>(kind), static_cast<QWidget *>(scope)}) {
            m_dock->model().setRows({});
            field->setFocus();
            QTest::keyClick(field, Qt::Key_Return);
            QVERIFY(settle());
            QCOMPARE(m_dock->model().rowCount(), 100);
        }
        kind->setCurrentIndex(kInfinity);
        kind->setFocus();
        QTest::keyClick(kind, Qt::Key_Enter);
        QVERIFY(settle());
        QCOMPARE(m_dock->model().rowCount(), 0);
    }

    /// Another kind is chosen, another number typed: the list still says what it is of.
    void answersSayTheQuestion()
    {
        constexpr int kValue = 3;
        box("What to look for")->setCurrentIndex(kValue);
        auto *pattern = m_dock->findChildren<QLineEdit *>().constFirst();
        pattern->setText(u"0"_s);
        pattern->setFocus();
        QTest::keyClick(pattern, Qt::Key_Return);
        QVERIFY(settle());
        QVERIFY2(m_dock->message().endsWith(u": Value 0, in the bundle."_s),
                 qPrintable(m_dock->message()));
        pattern->setText(u"12345"_s);
        QTest::keyClick(pattern, Qt::Key_Return);
        QVERIFY(settle());
        QCOMPARE(m_dock->message(), u"Nothing found: Value 12345, in the bundle."_s);
    }

private:
    QComboBox *box(const char *name) const
    {
        for (auto *found : m_dock->findChildren<QComboBox *>()) {
            if (found->accessibleName() == QLatin1String(name))
                return found;
        }
        return nullptr;
    }
    bool settle()
    {
        return QTest::qWaitFor([this] { return m_session->tasks().idle() && !m_dock->busy(); },
                               20000);
    }

    std::unique_ptr<ui::Session> m_session;
    std::unique_ptr<ui::SearchDock> m_dock;
};

KERNSCOPE_TEST(TestSearchKeys, QApplication)
#include "tst_search_keys.moc"
