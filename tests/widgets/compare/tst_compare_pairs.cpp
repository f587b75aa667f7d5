// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/test_program.h"
#include "tests/widgets/compare/compare_tools.h"
#include "tests/widgets/compare/pair_bundles.h"
#include "tests/widgets/sample_session.h"
#include "widgets/common/table_text.h"
#include "widgets/common/task_manager.h"
#include "widgets/compare/codebooks_dock.h"
#include "widgets/compare/compare_dock.h"
#include "widgets/compare/limits_bar.h"
#include "widgets/compare/pair_dialog.h"
#include "widgets/compare/pair_pictures.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMimeData>
#include <QSignalSpy>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <memory>
#include <numeric>

using namespace kernscope;
using namespace kernscope::ui;
using kernscope::test::actionOf;
using kernscope::test::denseBundle;
using kernscope::test::settle;
using kernscope::test::showDock;

namespace {

const std::vector<float> kOne{1, 2, 3, 4}, kTwo{5, 6, 7, 8}, kThree{9, -2, 4, 1};

QStringList texts(std::initializer_list<const char *> list)
{
    QStringList made;
    for (const char *text : list)
        made << QString::fromUtf8(text);
    return made;
}

/// "x-y hand": names of both sides and why, row by row in their stable order.
QStringList pairsOf(const CompareDock &dock)
{
    QStringList list;
    for (const report::PairRow &row : dock.model().rows()) {
        list << (row.onA() && row.onB()
                     ? QStringLiteral("%1-%2 %3")
                           .arg(fromUtf8(row.nameA), fromUtf8(row.nameB),
                                QString::fromUtf8(pairingName(row.pair.pairing).data()))
                     : QStringLiteral("%1 %2").arg(QString::fromUtf8(row.onA() ? "A" : "B"),
                                                   fromUtf8(row.name())));
    }
    return list;
}

std::size_t rowOf(const CompareDock &dock, const char *text)
{
    const auto &rows = dock.model().rows();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].name() == text)
            return i;
    }
    return kNoIndex;
}

/// What dragging a row with the mouse ends in.
void drag(CompareDock &dock, std::size_t from, std::size_t onto)
{
    auto &model = const_cast<CompareModel &>(dock.model());
    const QModelIndex source = model.index(model.shownRow(from), 0);
    const std::unique_ptr<QMimeData> data(model.mimeData({source}));
    const QModelIndex target = model.index(model.shownRow(onto), 3);
    QVERIFY(model.canDropMimeData(data.get(), Qt::LinkAction, -1, -1, target));
    model.dropMimeData(data.get(), Qt::LinkAction, -1, -1, target);
}

/// Two weights of one name, and one on either side that nothing pairs.
struct Named {
    Session session;
    CompareDock dock{session};

    Named()
    {
        session.setBundle(denseBundle({{"x", "[2, 2]", kOne}, {"left", "[4]", kTwo}}, false));
        session.setOther(
            denseBundle({{"x", "[2, 2]", kOne}, {"right", "[1, 2, 2]", kThree}}, false));
    }
};

} // namespace

/// Pairs by hand, and values taken over within limits.
class TestComparePairs : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void dragged();
    void draggedPairs();
    void draggedWhereSortedAndFiltered();
    void chosenFromAList();
    void takenApart();
    void forgottenWithTheFiles();
    void severalRowsAreNotDragged();
    void cancelledPairs();
    void acceptWithinLimits();
};

void TestComparePairs::dragged()
{
    Named named;
    QVERIFY(showDock(named.dock));
    QAbstractItemModelTester tester(const_cast<CompareModel *>(&named.dock.model()));
    QCOMPARE(pairsOf(named.dock), (texts({"x-x name", "A left", "B right"})));
    QSignalSpy chosen(&named.dock, &CompareDock::pairsChosen);
    QVERIFY(named.dock.table()->dragEnabled() && named.dock.table()->acceptDrops());
    drag(named.dock, rowOf(named.dock, "right"), rowOf(named.dock, "left"));
    QVERIFY(settle(named.dock));
    QCOMPARE(pairsOf(named.dock), (texts({"x-x name", "left-right hand"})));
    QCOMPARE(chosen.size(), 1);
    QVERIFY(named.dock.model().rows()[1].reason.find("by hand") != std::string::npos);
    QCOMPARE(named.dock.choices().names(), (texts({"left", "right"})));
    // The pair is what is shown now.
    QCOMPARE(named.dock.shownRow(), std::size_t(1));
}

/// Of two pairs A of the one that is dragged and B of the other; swapping keeps who belongs to
/// whom.
void TestComparePairs::draggedPairs()
{
    Session session;
    CompareDock dock(session);
    session.setBundle(denseBundle({{"x", "[4]", kOne}, {"y", "[4]", kTwo}}, false));
    session.setOther(denseBundle({{"x", "[4]", kOne}, {"y", "[4]", kTwo}}, false));
    QVERIFY(showDock(dock));
    drag(dock, 0, 1);
    QVERIFY(settle(dock));
    QCOMPARE(pairsOf(dock), (texts({"x-y hand", "y-x shape"})));
    dock.setSwapped(true);
    QVERIFY(settle(dock));
    QCOMPARE(pairsOf(dock), (texts({"x-y shape", "y-x hand"})));
}

/// What is seen is what is paired, in whatever order the rows stand and whatever is hidden.
void TestComparePairs::draggedWhereSortedAndFiltered()
{
    Session session;
    CompareDock dock(session);
    session.setBundle(denseBundle({{"a1", "[4]", kOne},
                                   {"b2", "[4]", kTwo},
                                   {"hidden", "[4]", kThree},
                                   {"c3", "[4]", {1, 1, 2, 3}}},
                                  false));
    session.setOther(denseBundle({{"c3", "[4]", {1, 1, 2, 3}},
                                  {"hidden", "[4]", kThree},
                                  {"b2", "[4]", kTwo},
                                  {"a1", "[4]", kOne}},
                                 false));
    QVERIFY(showDock(dock));
    auto &model = const_cast<CompareModel &>(dock.model());
    QAbstractItemModelTester tester(&model);
    for (const Qt::SortOrder order : {Qt::DescendingOrder, Qt::AscendingOrder}) {
        dock.table()->sortByColumn(dock.model().columnOf("weight"), order);
        const bool falls = order == Qt::DescendingOrder;
        const auto nameAt = [&](int row) {
            return model.index(row, dock.model().columnOf("weight")).data().toString();
        };
        QCOMPARE(nameAt(0), falls ? QStringLiteral("hidden") : QStringLiteral("a1"));
        model.setFilter(falls ? QStringLiteral("b2") : QStringLiteral("a1"));
        QCOMPARE(model.rowCount(), 1);
        const std::unique_ptr<QMimeData> picked(model.mimeData({model.index(0, 0)}));
        model.setFilter(QStringLiteral("c3"));
        QCOMPARE(nameAt(0), QStringLiteral("c3"));
        model.dropMimeData(picked.get(), Qt::LinkAction, -1, -1, model.index(0, 0));
        QVERIFY(settle(dock));
        model.setFilter(QString());
        const QStringList names = dock.choices().names();
        QCOMPARE(names, (falls ? texts({"b2", "c3"}) : texts({"a1", "c3"})));
        dock.setChoices({});
        QVERIFY(settle(dock));
    }
}

void TestComparePairs::chosenFromAList()
{
    Named named;
    QVERIFY(showDock(named.dock));
    named.session.goToWeight(1);
    QVERIFY(settle(named.dock));
    QAction *pair = actionOf(named.dock, QStringLiteral("Pair with"));
    QVERIFY(pair && pair->isEnabled() && !pair->shortcut().isEmpty());
    pair->trigger();
    auto *dialog = named.dock.window()->findChild<PairDialog *>();
    QVERIFY(dialog);
    QCOMPARE(dialog->list()->count(), 2);
    dialog->filter()->setText(QStringLiteral("RIG 2"));
    QVERIFY(dialog->list()->currentItem()->text().startsWith(QStringLiteral("right")));
    dialog->accept();
    QVERIFY(settle(named.dock));
    QCOMPARE(pairsOf(named.dock), (texts({"x-x name", "left-right hand"})));
}

void TestComparePairs::takenApart()
{
    Named named;
    QVERIFY(showDock(named.dock));
    named.session.goToWeight(0);
    QVERIFY(settle(named.dock));
    QAction *apart = actionOf(named.dock, QStringLiteral("Take the Pair Apart"));
    QAction *forget = actionOf(named.dock, QStringLiteral("Forget Pairs"));
    QVERIFY(apart && apart->isEnabled() && forget && !forget->isEnabled());
    apart->trigger();
    QVERIFY(settle(named.dock));
    QCOMPARE(pairsOf(named.dock), (texts({"A x", "A left", "B x", "B right"})));
    QVERIFY(forget->isEnabled());
    forget->trigger();
    QVERIFY(settle(named.dock));
    QCOMPARE(pairsOf(named.dock), (texts({"x-x name", "A left", "B right"})));
}

/// Names of other files mean nothing; whoever keeps them tells them again.
void TestComparePairs::forgottenWithTheFiles()
{
    Named named;
    QVERIFY(showDock(named.dock));
    const PairChoices kept =
        PairChoices::fromNames(texts({"left", "right", "gone", "right2", "", ""}));
    QCOMPARE(kept.names(), (texts({"left", "right", "gone", "right2"})));
    named.dock.setChoices(kept);
    QVERIFY(settle(named.dock));
    QCOMPARE(pairsOf(named.dock), (texts({"x-x name", "left-right hand"})));
    QSignalSpy chosen(&named.dock, &CompareDock::pairsChosen);
    named.session.setOther(
        denseBundle({{"x", "[2, 2]", kOne}, {"right", "[1, 2, 2]", kThree}}, false));
    QVERIFY(settle(named.dock));
    QVERIFY(named.dock.choices().empty() && chosen.isEmpty());
    QCOMPARE(pairsOf(named.dock), (texts({"x-x name", "A left", "B right"})));
}

/// Of several selected rows it is not clear which one is meant; a row of another program means
/// nothing here.
void TestComparePairs::severalRowsAreNotDragged()
{
    Named named;
    QVERIFY(showDock(named.dock));
    auto &model = const_cast<CompareModel &>(named.dock.model());
    const std::unique_ptr<QMimeData> both(model.mimeData({model.index(0, 0), model.index(1, 0)}));
    QVERIFY(!both);
    const std::unique_ptr<QMimeData> one(model.mimeData({model.index(2, 0), model.index(2, 1)}));
    QVERIFY(one);
    const QModelIndex target = model.index(1, 0);
    QVERIFY(model.canDropMimeData(one.get(), Qt::LinkAction, -1, -1, target));
    const QString kind = model.mimeTypes().front();
    for (const QByteArray &data : {QByteArray("2"), QByteArray("1") + one->data(kind)}) {
        QMimeData foreign;
        foreign.setData(kind, data);
        QVERIFY(!model.canDropMimeData(&foreign, Qt::LinkAction, -1, -1, target));
        QSignalSpy dropped(&model, &CompareModel::rowDropped);
        model.dropMimeData(&foreign, Qt::LinkAction, -1, -1, target);
        QVERIFY(dropped.isEmpty());
    }
}

/// Where what a pair needs was cancelled, its pictures are not those of the pair before, and the
/// places say why there are none; picking the pair again makes them.
void TestComparePairs::cancelledPairs()
{
    Session session;
    CompareDock dock(session);
    PlacesDock places(session);
    connect(&dock, &CompareDock::placesChanged, &places, &PlacesDock::setPlaces);
    session.setBundle(
        denseBundle({{"x", "[2, 2]", kOne}, {"y", "[4, 3]", std::vector<float>(12, 2)}}, false));
    session.setOther(
        denseBundle({{"x", "[2, 2]", kTwo}, {"y", "[4, 3]", std::vector<float>(12, 3)}}, false));
    QVERIFY(showDock(dock, 1300, 800) && showDock(places, 1300, 300));
    session.goToWeight(0);
    QVERIFY(QTest::qWaitFor([&] { return !dock.busy() && !places.busy(); }, 20000));
    QVERIFY(places.showsContent() && dock.pictures()->viewA()->isVisible());
    const auto cutting = connect(&session.tasks(), &TaskManager::changed, &dock,
                                 [&] { session.tasks().cancelAll(); });
    session.goToWeight(1);
    QCOMPARE(dock.shownRow(), std::size_t(1));
    Q_EMIT dock.pictures()->elementPicked(3); // of x, which its pictures still show
    QVERIFY(!session.place().element);
    QTRY_VERIFY(session.tasks().idle());
    QTRY_VERIFY(!dock.pictures()->viewDifference()->isVisible());
    QVERIFY(!places.showsContent());
    const auto labels = places.findChildren<QLabel *>();
    QTRY_VERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel *label) {
        return label->isVisible() && label->text().contains(QStringLiteral("cancelled"));
    }));
    disconnect(cutting);
    Q_EMIT dock.table()->clicked(dock.model().index(dock.model().shownRow(1), 0));
    QVERIFY(QTest::qWaitFor([&] { return !dock.busy() && !places.busy(); }, 20000));
    QVERIFY(places.showsContent() && dock.pictures()->viewDifference()->isVisible());
}

/// Elements of every pair that keep the limits, as one request; none of a pair beyond a limit of
/// all its values.
void TestComparePairs::acceptWithinLimits()
{
    Session session;
    CompareDock dock(session);
    session.setBundle(
        denseBundle({{"x", "[4]", kOne}, {"y", "[4]", kTwo}, {"z", "[4]", kThree}}, false));
    session.setOther(denseBundle({{"x", "[4]", {1.25f, 2, 3, 9}},
                                  {"y", "[4]", {5.5f, 6, 7, 8}},
                                  {"z", "[4]", {-9, 2, -4, -1.25f}}},
                                 false));
    QVERIFY(showDock(dock));
    QAction *accept = actionOf(dock, QStringLiteral("Accept All"));
    QVERIFY(accept && !accept->isEnabled());
    session.setPatchingEnabled(true);
    QVERIFY(!accept->isEnabled()); // there is no limit yet
    actionOf(dock, QStringLiteral("Limits"))->trigger();
    dock.limits()->field(0)->setText(QStringLiteral("0.5"));
    QVERIFY(accept->isEnabled());
    QSignalSpy wanted(&session, &Session::editsRequested);
    const auto accepted = [&] {
        wanted.clear();
        accept->trigger();
        std::vector<std::string> texts;
        if (settle(dock) && wanted.size() == 1) {
            for (const Edit &edit : wanted.front().front().value<std::vector<Edit>>())
                texts.push_back(editText(edit));
        }
        return texts;
    };
    QCOMPARE(accepted(), (std::vector<std::string>{"x[0]=1.25", "y[0]=5.5"}));
    QVERIFY(wanted.front()[1].toString().contains(QStringLiteral("2 elements of 2 weights")));
    dock.limits()->field(0)->setText(QStringLiteral("0.3"));
    QCOMPARE(accepted(), (std::vector<std::string>{"x[0]=1.25"}));
    QVERIFY(wanted.front()[1].toString().contains(QStringLiteral("Accept 1 element of 1 weight ")));
    // Everything is near enough, but z points the other way.
    dock.limits()->field(0)->setText(QStringLiteral("100"));
    dock.limits()->field(3)->setText(QStringLiteral("0"));
    QCOMPARE(accepted(), (std::vector<std::string>{"x[0]=1.25", "x[3]=9", "y[0]=5.5"}));
    // A limit of the whole alone takes every element of the pairs that keep it.
    dock.limits()->field(0)->clear();
    QCOMPARE(accepted().size(), std::size_t(3));
}

KERNSCOPE_TEST(TestComparePairs, QApplication)
#include "tst_compare_pairs.moc"
