// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/bundle.h"
#include "main_window_fixture.h"
#include "widgets/compare/byte_compare_view.h"
#include "widgets/compare/bytes_dock.h"
#include "widgets/compare/compare_dock.h"
#include "widgets/compare/hand_pairs.h"

using namespace kernscope::test;

/// "Compare This Weight with…": the menu, the question for the file, the question for the weight;
/// and pairs by hand, which are there again the next time.
class TestCompareWeight : public MainWindowTest
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        openWindow();
        m_dense = sample(u"dense"_s);
        m_sparse = sample(u"sparse"_s);
        m_palette = sample(u"palette"_s);
        QVERIFY(!m_dense.isEmpty() && !m_sparse.isEmpty() && !m_palette.isEmpty());
    }

    /// The file was open once; it is opened beside the document, and its weight chosen.
    void fromTheMenu()
    {
        QVERIFY(m_window->open({m_sparse}));
        QVERIFY(m_window->open({m_dense}));
        QVERIFY(!session().other());
        session().goToWeight(0);
        QAction *compare = action(u"Compare This Weight with"_s, false);
        QVERIFY(compare && compare->isEnabled() && !compare->shortcut().isEmpty());
        compare->trigger();
        auto *question = VERIFIED((*m_window)->findChild<QInputDialog *>());
        QVERIFY(question->labelText().contains(
            QString::fromStdString(session().bundle()->weights().front().findableName())));
        QVERIFY(chooseFile(m_sparse));
        const auto &other = session().other();
        QTRY_VERIFY_WITH_TIMEOUT(session().other() != nullptr, 20000);
        const std::size_t partner = other->weights().size() - 1;
        const QString name = QString::fromStdString(other->weights()[partner].findableName());
        QVERIFY(chooseWeight(name));
        QVERIFY(docks().compare()->isVisible());
        const report::PairRow *row = rowOf(0);
        QVERIFY(row && row->onB());
        QCOMPARE(row->pair.pairing, kernscope::Pairing::Hand);
        QCOMPARE(row->pair.b, partner);
        // It is what is shown, in the first place.
        const auto &dock = *docks().compare();
        QCOMPARE(&dock.model().rows()[dock.shownRow()], row);
    }

    /// The file beside the document is the first one offered, and is not opened again.
    void withTheFileBeside()
    {
        QVERIFY(m_window->open({m_dense, m_sparse}));
        const BundlePtr before = session().other();
        session().goToWeight(1);
        action(u"Compare This Weight with"_s, false)->trigger();
        QVERIFY(chooseFile(m_sparse));
        QVERIFY(chooseWeight(QString::fromStdString(before->weights().front().findableName())));
        QCOMPARE(session().other(), before);
        const report::PairRow *row = rowOf(1);
        QVERIFY(row && row->pair.pairing == kernscope::Pairing::Hand);
        QCOMPARE(row->pair.b, std::size_t(0));
    }

    /// The tables of weights have it in their context menus.
    void onTheWeightsOfTables()
    {
        QVERIFY(m_window->open({m_dense}));
        QAction *compare = action(u"Compare This Weight with"_s, false);
        std::size_t views = 0;
        for (const QAbstractItemView *view : (*m_window)->findChildren<QAbstractItemView *>())
            views += view->actions().contains(compare);
        QVERIFY(views > 0);
    }

    void withoutAWeight()
    {
        QVERIFY(!action(u"Compare This Weight with"_s, false)->isEnabled());
        QVERIFY(m_window->open({m_dense}));
        ui::Place place = session().place();
        place.weight = kNoIndex;
        session().goTo(place);
        action(u"Compare This Weight with"_s, false)->trigger();
        QVERIFY(!(*m_window)->findChild<QInputDialog *>());
    }

    /// A question that is not answered changes nothing.
    void cancelled()
    {
        QVERIFY(m_window->open({m_dense, m_sparse}));
        session().goToWeight(0);
        action(u"Compare This Weight with"_s, false)->trigger();
        QPointer<QInputDialog> question = (*m_window)->findChild<QInputDialog *>();
        QVERIFY(question && click(*question, QDialogButtonBox::Cancel));
        QTRY_VERIFY(!question);
        QVERIFY(!(*m_window)->findChild<ui::PairDialog *>());
        action(u"Compare This Weight with"_s, false)->trigger();
        QVERIFY(chooseFile(m_sparse));
        QPointer<ui::PairDialog> dialog = (*m_window)->findChild<ui::PairDialog *>();
        QVERIFY(dialog && click(*dialog, QDialogButtonBox::Cancel));
        QVERIFY(m_window->settle());
        QVERIFY(docks().compare()->pairs().choices().empty());
    }

    /// The same two files, opened again by another run of the program.
    void pairsComeBack()
    {
        QVERIFY(m_window->open({m_dense, m_sparse}));
        QVERIFY(goToWeight(0));
        const auto &weights = session().other()->weights();
        const std::size_t partner = weights.size() - 1;
        action(u"Pair with"_s, false)->trigger();
        QVERIFY(chooseWeight(QString::fromStdString(weights[partner].findableName())));
        const QStringList names = docks().compare()->pairs().choices().names();
        QCOMPARE(names.size(), 2);
        m_window->restart();
        QVERIFY(m_window->open({m_dense, m_sparse}));
        QCOMPARE(docks().compare()->pairs().choices().names(), names);
        const report::PairRow *row = rowOf(0);
        QVERIFY(row && row->pair.pairing == kernscope::Pairing::Hand);
        QCOMPARE(row->pair.b, partner);
        // Forgotten ones stay so.
        action(u"Forget Pairs"_s, false)->trigger();
        QVERIFY(m_window->settle());
        m_window->restart();
        QVERIFY(m_window->open({m_dense, m_sparse}));
        QVERIFY(docks().compare()->pairs().choices().empty());
    }

    void pairsOfOtherFilesStayAway()
    {
        QVERIFY(m_window->open({m_dense, m_sparse}));
        m_window->settings().setPairsByHand(m_dense, m_palette, {u"gone"_s, u"too"_s});
        QVERIFY(goToWeight(0));
        action(u"Take the Pair Apart"_s, false)->trigger();
        QVERIFY(m_window->settle());
        QCOMPARE(docks().compare()->pairs().choices().names().size(), 4);
        QVERIFY(m_window->open({m_dense, m_palette}));
        QCOMPARE(docks().compare()->pairs().choices().names().size(), 2);
        for (const report::PairRow &row : docks().compare()->model().rows())
            QVERIFY(row.pair.pairing != kernscope::Pairing::Hand);
    }

    /// The pair that is proposed is the one whose bytes are seen, and the place stays.
    void bytesBeginAtTheProposedPair()
    {
        QVERIFY(m_window->open({m_dense, m_sparse}));
        const auto *compare = docks().compare();
        const auto *bytes = qobject_cast<ui::BytesDock *>(dock(u"bytes"_s));
        QTRY_VERIFY(!compare->model().rows().empty() && bytes->differences());
        QVERIFY(m_window->settle());
        const report::PairRow &row = compare->model().rows()[compare->shownRow()];
        const auto &alignment = bytes->view()->bytes()->alignment;
        const auto &cursor = bytes->view()->cursor();
        const AlignedSegment &segment = alignment.segments()[cursor.segment];
        const Bundle &dense = *session().bundle();
        QCOMPARE(segment.firstA + cursor.offset,
                 dense.weights()[row.pair.a].operands().front().place->dataOffset.value);
        QCOMPARE(session().place().weight, kNoIndex);
    }

private:
    bool click(QDialog &dialog, QDialogButtonBox::StandardButton button)
    {
        const auto *box = dialog.findChild<QDialogButtonBox *>();
        QPushButton *ok = box != nullptr ? box->button(button) : nullptr;
        if (ok == nullptr || !ok->isEnabled())
            return false;
        QTest::mouseClick(ok, Qt::LeftButton);
        return true;
    }

    /// Chooses a line of the question for the file and clicks OK.
    bool chooseFile(const QString &line)
    {
        auto *dialog = (*m_window)->findChild<QInputDialog *>();
        if (dialog == nullptr)
            return false;
        auto *list = dialog->findChild<QListView *>();
        if (list == nullptr || !QTest::qWaitForWindowExposed(dialog))
            return false;
        for (int row = 0; row < list->model()->rowCount(); ++row) {
            const QModelIndex index = list->model()->index(row, 0);
            if (index.data().toString() != line)
                continue;
            list->scrollTo(index);
            QTest::mouseClick(list->viewport(), Qt::LeftButton, {},
                              list->visualRect(index).center());
            return click(*dialog, QDialogButtonBox::Ok);
        }
        return false;
    }

    /// Chooses the first weight of that name and clicks OK.
    bool chooseWeight(const QString &name)
    {
        if (!QTest::qWaitFor(
                [this] { return (*m_window)->findChild<ui::PairDialog *>() != nullptr; }, 20000))
            return false;
        auto *dialog = (*m_window)->findChild<ui::PairDialog *>();
        if (!QTest::qWaitForWindowExposed(dialog))
            return false;
        for (int row = 0; row < dialog->list()->count(); ++row) {
            QListWidgetItem *item = dialog->list()->item(row);
            if (!item->text().startsWith(name) || item->isHidden())
                continue;
            dialog->list()->scrollToItem(item);
            QTest::mouseClick(dialog->list()->viewport(), Qt::LeftButton, {},
                              dialog->list()->visualItemRect(item).center());
            return click(*dialog, QDialogButtonBox::Ok) && m_window->settle();
        }
        return false;
    }

    const report::PairRow *rowOf(std::size_t weightOfA) const
    {
        for (const report::PairRow &row : docks().compare()->model().rows()) {
            if (row.onA() && row.pair.a == weightOfA)
                return &row;
        }
        return nullptr;
    }

    QString m_dense, m_sparse, m_palette;
};

KERNSCOPE_TEST(TestCompareWeight, QApplication)
#include "tst_compare_weight.moc"
