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
#include <QTest>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <memory>
#include <numeric>

using namespace kernscope;
using namespace kernscope::ui;
using kernscope::test::openSample;
using kernscope::test::settle;
using kernscope::test::showDock;

/// The codebooks of a pair of palettes, entry to entry.
class TestCompareCodebooks : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void codebooks();
    void codebooksOfOtherBundlesGo();
    void codebooksCancelled();
};

void TestCompareCodebooks::codebooks()
{
    Session session;
    CompareDock compare(session);
    CodebooksDock books(session);
    connect(&compare, &CompareDock::placesChanged, &books, &CodebooksDock::setPlaces);
    QVERIFY(showDock(books, 900, 300));
    QVERIFY(!books.showsContent());
    session.setBundle(openSample("sample-palette.mlmodelc"));
    session.setOther(openSample("sample-palette.mlmodelc"));
    QVERIFY(showDock(compare));
    const std::size_t weight = test::weightWith(*session.bundle(), codec::PartRole::Lut);
    QVERIFY(weight != kNoIndex);
    session.goToWeight(weight);
    QVERIFY(QTest::qWaitFor([&] { return !compare.busy() && !books.busy(); }, 20000));
    QVERIFY(books.showsContent());
    QAbstractItemModelTester tester(const_cast<CodebookPairModel *>(&books.model()));
    const auto decoder = *session.bundle()->decoder(weight);
    const auto uses = decoder.codebookUse();
    QVERIFY(std::size_t(books.model().rowCount()) >= uses.size());
    std::uint64_t total = 0;
    for (int row = 0; row < books.model().rowCount(); ++row) {
        const auto change =
            books.model().index(row, books.model().columnOf("change")).data(SortRole).toInt();
        QVERIFY(change == int(EntryChange::Same) || change == int(EntryChange::Unused));
        const QVariant used =
            books.model().index(row, books.model().columnOf("uses_a")).data(SortRole);
        total += std::isnan(used.toDouble()) ? 0 : used.toULongLong();
    }
    QCOMPARE(total, session.bundle()->weights()[weight].elements.value);
    // Going to an entry is going to an element that takes it.
    Q_EMIT books.table()->activated(books.model().index(0, 0));
    QVERIFY(session.place().element.has_value() || uses[0] == 0);
    // A pair without codebooks says so.
    for (std::size_t i = 0; i < session.bundle()->weights().size(); ++i) {
        if (session.bundle()->weights()[i].has(codec::PartRole::Lut))
            continue;
        session.goToWeight(i);
        QVERIFY(QTest::qWaitFor([&] { return !compare.busy() && !books.busy(); }, 20000));
        QVERIFY(!books.showsContent());
        break;
    }
}

/// Entries of the bundles of before, and those of another pair while its own are matched, are not
/// shown: Enter would go to an element of another weight. No Compare dock tells of it, as where
/// that is closed.
void TestCompareCodebooks::codebooksOfOtherBundlesGo()
{
    Session session;
    CodebooksDock books(session);
    QVERIFY(showDock(books, 900, 300));
    session.setBundle(openSample("sample-palette.mlmodelc"));
    session.setOther(openSample("sample-palette.mlmodelc"));
    std::vector<std::size_t> weights;
    for (std::size_t i = 0; i < session.bundle()->weights().size(); ++i) {
        if (session.bundle()->weights()[i].has(codec::PartRole::Lut))
            weights.push_back(i);
    }
    QVERIFY(weights.size() > 1);
    const auto places = [&](std::size_t weight) {
        return PairPlaces{{session.bundle(), session.other(), {weight, weight}, {}}, false, {}, {}};
    };
    books.setPlaces(places(weights[0]));
    QVERIFY(settle(books));
    QVERIFY(books.showsContent() && books.model().rowCount() > 0);
    // Another pair: nothing of the one before while it is matched.
    int rows = -1;
    const auto started = connect(&session.tasks(), &TaskManager::changed, &books, [&] {
        if (rows < 0)
            rows = books.model().rowCount();
    });
    books.setPlaces(places(weights[1]));
    Q_EMIT books.table()->activated(books.model().index(0, 0));
    QVERIFY(session.place().weight != weights[1]);
    QVERIFY(settle(books));
    QCOMPARE(rows, 0);
    QVERIFY(books.showsContent());
    disconnect(started);
    // The same two bundles read again: the pair stays.
    session.updateBundle(openSample("sample-palette.mlmodelc"));
    QVERIFY(settle(books));
    QVERIFY(books.showsContent());
    // Other ones.
    session.setBundle(openSample("sample-sparse.mlmodelc"));
    QVERIFY(settle(books));
    QVERIFY(!books.showsContent());
    QCOMPARE(books.model().rowCount(), 0);
    session.setBundle(openSample("sample-palette.mlmodelc"));
    books.setPlaces(places(weights[0]));
    QVERIFY(settle(books));
    QVERIFY(books.showsContent());
    session.setOther(openSample("sample-dense.mlmodelc"));
    QVERIFY(settle(books));
    QVERIFY(!books.showsContent());
}

void TestCompareCodebooks::codebooksCancelled()
{
    Session session;
    CodebooksDock books(session);
    QVERIFY(showDock(books, 900, 300));
    session.setBundle(openSample("sample-palette.mlmodelc"));
    session.setOther(openSample("sample-palette.mlmodelc"));
    const std::size_t weight = test::weightWith(*session.bundle(), codec::PartRole::Lut);
    const auto cutting = connect(&session.tasks(), &TaskManager::changed, &books,
                                 [&] { session.tasks().cancelAll(); });
    books.setPlaces({{session.bundle(), session.other(), {weight, weight}, {}}, false, {}, {}});
    QAction *again = nullptr;
    for (QAction *action : books.menuActions()) {
        if (action->text() == QStringLiteral("Match Codebooks Again"))
            again = action;
    }
    QVERIFY(again);
    QTRY_VERIFY(again->isEnabled());
    QVERIFY(!books.showsContent());
    disconnect(cutting);
    again->trigger();
    QVERIFY(settle(books));
    QVERIFY(books.showsContent() && !again->isEnabled());
}

KERNSCOPE_TEST(TestCompareCodebooks, QApplication)
#include "tst_compare_codebooks.moc"
