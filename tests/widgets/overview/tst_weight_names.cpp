// SPDX-License-Identifier: GPL-3.0-or-later
// Names of many weights: shortened by a task, whole until then.
#include "core/assessment/bundle_findings.h"
#include "made_bundle.h"
#include "resources/sample.h"
#include "tests/core/bundle/second_function.h"
#include "tests/test_program.h"
#include "widgets/models/table_text.h"
#include "widgets/models/weight_name_model.h"
#include "widgets/overview/bundle_dock.h"
#include "widgets/overview/overview_cells.h"
#include "widgets/overview/overview_dock.h"
#include "widgets/overview/treemap_view.h"
#include "widgets/overview/weight_names.h"
#include "widgets/weight/bundle_facts.h"

#include <QAbstractItemModelTester>
#include <QLabel>
#include <QTest>
#include <QTreeView>

#include <algorithm>

using namespace kernscope;
using namespace kernscope::ui;

namespace {

BundlePtr manyNames(std::size_t count)
{
    test::MadeBundle made;
    for (std::size_t i = 0; i < count; ++i)
        made.constant("tensor<fp16, [4]>", "network_encoder_block_" + std::to_string(i),
                      made.blob(ElementType::Fp16, "[4]", test::Bytes(8)));
    const auto bundle = made.open();
    return bundle ? *bundle : nullptr;
}

} // namespace

class TestWeightNames : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void fewAreShortAtOnce();
    void manyComeLater();
    void anotherBundleForgetsThem();
    void typingFiltersAsTheWholeWordsDo();
    void functionsTellNamesApart();
    void completedNamesAreThoseOfTheBundle();
};

void TestWeightNames::fewAreShortAtOnce()
{
    Session session;
    WeightNames &names = WeightNames::of(session);
    session.setBundle(manyNames(20));
    QVERIFY(!names.working());
    QCOMPARE(names.namesInFunctions().size(), 20);
    QVERIFY(names.nameOf(7).size() < QStringLiteral("network_encoder_block_7").size());
    QCOMPARE(&WeightNames::of(session), &names);
}

void TestWeightNames::manyComeLater()
{
    Session session;
    BundleDock dock(session);
    dock.show();
    WeightNames &names = WeightNames::of(session);
    const std::size_t count = WeightNames::kMostAtOnce + 500;
    session.setBundle(manyNames(count));
    QVERIFY(names.working());
    QCOMPARE(names.nameOf(7), QStringLiteral("network_encoder_block_7"));
    QTRY_VERIFY(!names.working());
    QTRY_VERIFY(!dock.busy());
    QCOMPARE(names.namesInFunctions().size(), static_cast<qsizetype>(count));
    QVERIFY(names.nameOf(7) != QStringLiteral("network_encoder_block_7"));
    QVERIFY(names.nameOf(7).endsWith(QStringLiteral("block_7")));
    // The tree asks for the whole name and for the short one.
    const auto *tree = dock.findChild<QTreeView *>();
    const auto *model = qobject_cast<const BundleTreeModel *>(tree->model());
    QCOMPARE(model->indexOfWeight(7).data().toString(), QStringLiteral("network_encoder_block_7"));
}

void TestWeightNames::anotherBundleForgetsThem()
{
    Session session;
    WeightNames &names = WeightNames::of(session);
    session.setBundle(manyNames(WeightNames::kMostAtOnce + 1));
    session.setBundle(manyNames(3));
    QVERIFY(!names.working());
    QCOMPARE(names.namesInFunctions().size(), 3);
    QTRY_VERIFY(session.tasks().idle());
    QCoreApplication::processEvents(); // what the first task still delivers is dropped
    QCOMPARE(names.namesInFunctions().size(), 3);
    session.setBundle(nullptr);
    QVERIFY(names.namesInFunctions().isEmpty());
    QCOMPARE(names.nameOf(0), QString());
}

/// Letter by letter, with letters taken back, the rows are those of the filter typed at once.
void TestWeightNames::typingFiltersAsTheWholeWordsDo()
{
    const BundlePtr bundle = manyNames(300);
    BundleTreeModel typed;
    typed.setBundle(bundle);
    const auto check = [&](const QString &words) {
        typed.setFilter(words);
        BundleTreeModel fresh;
        fresh.setBundle(bundle);
        fresh.setFilter(words);
        if (!fresh.filterFault().isEmpty())
            return; // such terms leave the rows as they were
        QVERIFY2(typed.shownWeights() == fresh.shownWeights(), qPrintable(words));
        for (std::size_t i = 0; i < bundle->weights().size(); ++i)
            QCOMPARE(typed.indexOfWeight(i).row(), fresh.indexOfWeight(i).row());
    };
    for (const char *words :
         {"block_1", "block_12 encoder", "-block_1", "block_2 -block_21", "name:block_1",
          "block elements>3 name:_7", "bytes>1 bytes>10", "form:dense 4", "e>1", "-", "--1"}) {
        const QString whole = QString::fromLatin1(words);
        for (qsizetype length = 1; length <= whole.size(); ++length)
            check(whole.left(length));
        for (qsizetype length = whole.size() - 1; length >= 0; --length)
            check(whole.left(length));
    }
}

/// "w has the values of w" says nothing: where two functions have weights of one name, it is told
/// which of them is meant.
void TestWeightNames::functionsTellNamesApart()
{
    OpenOptions options;
    for (const sample::SampleBundle &made : sample::bundles()) {
        if (made.name == "sample-dense.mlmodelc")
            options.memory = made.files;
    }
    test::addSecondFunction(options.memory);
    const auto opened = Bundle::open("two.mlmodelc", options);
    QVERIFY(opened);
    Session session;
    WeightNames &names = WeightNames::of(session);
    session.setBundle(*opened);
    QStringList seen;
    for (std::size_t i = 0; i < (*opened)->weights().size(); ++i)
        seen += names.nameOf(i);
    QCOMPARE(seen.removeDuplicates(), qsizetype(0));
    QVERIFY(!names.namesInFunctions()[0].contains(QLatin1Char('/'))); // there the rows above say it
    // Both functions read the same blobs: the legend counts them twice, and says so.
    QVERIFY(sharedBytesText(sumUpBundle(**opened)).contains(QStringLiteral("shared")));
    QVERIFY(sharedBytesText(sumUpBundle(*manyNames(3))).isEmpty());
    // So does the inspector of the bundle.
    BundleFacts facts(session);
    const auto says = [&facts](const QString &text) {
        const auto labels = facts.findChildren<QLabel *>();
        return std::any_of(labels.begin(), labels.end(), [&text](const QLabel *label) {
            return label->text() == text || label->accessibleName() == text;
        });
    };
    facts.setBundle(*opened);
    const auto again = sharedBytes(sumUpForms(**opened), (*opened)->totals());
    QCOMPARE(again, (*opened)->totals().storedBytes.value); // each of two functions reads all
    QVERIFY(says(QStringLiteral("\u2212%1 B").arg(groupedNumber(again))));
    facts.setBundle(manyNames(3));
    QVERIFY(!says(QStringLiteral("\u22120 B")));
}

/// What completers list is read from the bundle that is open.
void TestWeightNames::completedNamesAreThoseOfTheBundle()
{
    Session session;
    WeightNameModel model(session);
    const QAbstractItemModelTester tester(&model);
    QCOMPARE(model.rowCount(), 0);
    for (const int count : {20, 20, 7}) {
        const BundlePtr bundle = manyNames(count);
        session.setBundle(bundle);
        QCOMPARE(model.rowCount(), count);
        for (int row = 0; row < count; ++row)
            QCOMPARE(model.index(row).data().toString().toStdString(),
                     bundle->weights()[static_cast<std::size_t>(row)].findableName());
    }
    session.setBundle(nullptr);
    QCOMPARE(model.rowCount(), 0);
}

KERNSCOPE_TEST(TestWeightNames, QApplication)
#include "tst_weight_names.moc"
