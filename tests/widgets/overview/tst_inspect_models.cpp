// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/sample_bundles.h"
#include "widgets/models/bundle_tree_model.h"
#include "widgets/models/byte_models.h"

using namespace kernscope::ui;
using Kind = BundleTreeModel::Node::Kind;

namespace {

/// Every weight below every function of the tree, in the order shown.
std::vector<std::size_t> weightsOf(const BundleTreeModel &model)
{
    std::vector<std::size_t> weights;
    const QModelIndex top = model.index(0, 0);
    for (int group = 0; group < model.rowCount(top); ++group) {
        const QModelIndex at = model.index(group, 0, top);
        for (int row = 0; row < model.rowCount(at); ++row) {
            const auto node = model.nodeAt(model.index(row, 0, at));
            if (node.kind == Kind::Weight)
                weights.push_back(node.index);
        }
    }
    return weights;
}

} // namespace

class TestInspectModels : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void treeHoldsEveryWeightOnce()
    {
        BundleTreeModel model;
        QAbstractItemModelTester tester(&model);
        QCOMPARE(model.rowCount(), 0);
        for (const char *build : {"dense", "sparse", "palette"}) {
            const BundlePtr bundle = openSample(build);
            model.setBundle(bundle);
            QCOMPARE(model.rowCount(), 1);
            auto weights = weightsOf(model);
            std::vector<std::size_t> all(bundle->weights().size());
            std::iota(all.begin(), all.end(), std::size_t{0});
            QCOMPARE(weights, all);
            for (const std::size_t weight : all) {
                const QModelIndex index = model.indexOfWeight(weight);
                QVERIFY(index.isValid());
                QCOMPARE(model.nodeAt(index), (BundleTreeModel::Node{Kind::Weight, weight}));
                QCOMPARE(index.data().toString(), fromUtf8(bundle->weights()[weight].name));
                QVERIFY(index.data(Qt::ToolTipRole).toString().startsWith(index.data().toString()));
            }
            for (std::size_t file = 0; file < bundle->files().size(); ++file) {
                const QModelIndex index = model.indexOfFile(file);
                QCOMPARE(model.nodeAt(index), (BundleTreeModel::Node{Kind::File, file}));
                QCOMPARE(index.data().toString(), fromUtf8(bundle->files()[file].path));
            }
        }
        for (int column = 0; column < model.columnCount(); ++column) {
            QVERIFY(
                !model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString().isEmpty());
            QVERIFY(
                !model.headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString().isEmpty());
        }
        // What is right-aligned is never cut.
        for (const char *key : {"shape", "stored_bytes", "ratio", "zero_fraction"}) {
            const QModelIndex cell = model.indexOfWeight(0, model.columnOf(key));
            QVERIFY2(cell.data(Qt::TextAlignmentRole).toInt() & Qt::AlignRight, key);
            QCOMPARE(model.headerData(cell.column(), Qt::Horizontal, Qt::TextAlignmentRole),
                     cell.data(Qt::TextAlignmentRole));
        }
        model.setBundle(nullptr);
        QCOMPARE(model.rowCount(), 0);
    }

    void treeFiltersAndRestores()
    {
        const BundlePtr bundle = openSample("dense");
        BundleTreeModel model;
        QAbstractItemModelTester tester(&model);
        model.setBundle(bundle);
        const QString name = fromUtf8(bundle->weights().back().name);
        model.setFilter(name.toUpper());
        const auto shown = weightsOf(model);
        QVERIFY(!shown.empty());
        QCOMPARE(model.shownWeights(), shown.size());
        for (const std::size_t weight : shown)
            QVERIFY(fromUtf8(bundle->weights()[weight].name).contains(name));
        model.setFilter(u"no such weight at all"_s);
        QCOMPARE(model.shownWeights(), 0U);
        QVERIFY(!model.indexOfWeight(0).isValid());
        QCOMPARE(model.rowCount(model.index(0, 0)), 0);
        model.setFilter({});
        // The language of WeightWhere.
        const std::size_t all = model.shownWeights();
        model.setFilter(u"bytes>=0 -name:no_such_name"_s);
        QCOMPARE(model.shownWeights(), all);
        model.setFilter(u"bytes>1G"_s);
        QCOMPARE(model.shownWeights(), 0U);
        // Half typed: the terms before it hold.
        model.setFilter(u"bytes>"_s);
        QVERIFY(!model.filterFault().isEmpty());
        QCOMPARE(model.shownWeights(), all);
        model.setFilter(u"bytes>1G zeros>"_s);
        QVERIFY(!model.filterFault().isEmpty());
        QCOMPARE(model.shownWeights(), 0U);
        model.setOutcomes([](std::size_t weight, const target::Target &) {
            return weight == 0 ? std::optional(decision::Outcome::Folds) : std::nullopt;
        });
        model.setFilter(u"folds:M1"_s);
        QVERIFY(model.filterFault().isEmpty());
        QCOMPARE(model.shownWeights(), 1U);
        model.setFilter({});
        QCOMPARE(model.shownWeights(), bundle->weights().size());
    }

    void treeSortsByNumber_data()
    {
        addColumns<int, bool>();
        for (int column = 0; column < BundleTreeModel().columnCount(); ++column) {
            QTest::addRow("column %d up", column) << column << false;
            QTest::addRow("column %d down", column) << column << true;
        }
    }

    void treeSortsByNumber()
    {
        const auto [column, descending] = fetched<int, bool>();
        const BundlePtr bundle = openSample("sparse");
        BundleTreeModel model;
        QAbstractItemModelTester tester(&model);
        model.setBundle(bundle);
        for (std::size_t i = 0; i < bundle->weights().size(); ++i)
            model.setZeroFractions({{i, double((i * 7) % 5) / 5}});
        model.sort(column, descending ? Qt::DescendingOrder : Qt::AscendingOrder);
        const auto weights = weightsOf(model);
        QCOMPARE(weights.size(), bundle->weights().size());
        const auto key = [&](std::size_t weight) {
            return model.indexOfWeight(weight, column).data(SortRole);
        };
        for (std::size_t i = 1; i < weights.size(); ++i) {
            const QVariant a = key(weights[i - 1]), b = key(weights[i]);
            const auto order = QVariant::compare(a, b);
            QVERIFY(order != (descending ? QPartialOrdering::Less : QPartialOrdering::Greater));
        }
        model.sort(-1);
        const auto natural = weightsOf(model);
        QVERIFY(std::ranges::is_sorted(natural));
    }

    void treeKeepsPersistentRowsWhenSorting()
    {
        const BundlePtr bundle = openSample("dense");
        BundleTreeModel model;
        model.setBundle(bundle);
        const QPersistentModelIndex kept(model.indexOfWeight(1));
        const QPersistentModelIndex file(model.indexOfFile(0));
        model.sort(model.columnOf("stored_bytes"), Qt::DescendingOrder);
        QCOMPARE(model.nodeAt(kept), (BundleTreeModel::Node{Kind::Weight, 1}));
        QCOMPARE(model.nodeAt(file), (BundleTreeModel::Node{Kind::File, 0}));
    }

    void treeShowsZerosOnceKnown()
    {
        BundleTreeModel model;
        model.setBundle(openSample("dense"));
        const QModelIndex cell = model.indexOfWeight(0, model.columnOf("zero_fraction"));
        QCOMPARE(cell.data().toString(), u"\u2013"_s);
        QVERIFY(!model.zeroFraction(0));
        model.setZeroFractions({{0, 0.25}});
        QCOMPARE(cell.data().toString(), u"25.0 %"_s);
        QCOMPARE(cell.data(SortRole).toDouble(), 0.25);
        model.setZeroFractions({{0, std::nan("")}});
        QVERIFY(!model.zeroFraction(0));
    }

    void treeMarksFaultyWeights()
    {
        // A record whose payload is cut: the weight stays in the tree, marked.
        for (const char *build : {"dense", "sparse", "palette"}) {
            const BundlePtr bundle = VERIFIED(cutSample(build, 2));
            BundleTreeModel model;
            QAbstractItemModelTester tester(&model);
            model.setBundle(bundle);
            std::size_t faulty = 0;
            for (std::size_t i = 0; i < bundle->weights().size(); ++i) {
                const QModelIndex index = model.indexOfWeight(i);
                const bool fault = bundle->weights()[i].fault.has_value();
                faulty += fault ? 1 : 0;
                QCOMPARE(index.data(Qt::DecorationRole).isValid(), fault);
                QCOMPARE(index.data(Qt::ToolTipRole).toString().contains(u"Cannot be"_s), fault);
            }
            QVERIFY(faulty > 0);
        }
    }

    void treeMarksChangedWeights()
    {
        const BundlePtr bundle = openSample("dense");
        const std::size_t file = weightFile(*bundle);
        const std::size_t weight = weightWith(*bundle, codec::PartRole::Data);
        const OperandPlace &part = *bundle->weights()[weight].operand(codec::PartRole::Data)->place;
        BundleTreeModel model;
        model.setBundle(bundle);
        QVERIFY(!model.isChanged(weight));
        QVERIFY(turnByte(*bundle, file, part.dataOffset));
        model.updateBundle(bundle);
        QVERIFY(model.isChanged(weight));
        QVERIFY(model.indexOfWeight(weight).data(Qt::DecorationRole).isValid());
        QVERIFY(model.indexOfFile(file).data(Qt::DecorationRole).isValid());
    }

    void sectionsAreRows()
    {
        SectionModel model;
        QAbstractItemModelTester tester(&model);
        const BundlePtr bundle = openSample("sparse");
        model.setBundle(bundle);
        QCOMPARE(model.rowCount(), int(bundle->sections().size()));
        for (int row = 0; row < model.rowCount(); ++row) {
            const std::size_t section = model.sectionAt(row);
            QCOMPARE(model.rowOf(section), row);
            const Section &s = bundle->sections()[section];
            QCOMPARE(model.index(row, model.columnOf("name")).data().toString(),
                     fromUtf8(bundle->nameOf(s)));
            QCOMPARE(model.index(row, model.columnOf("offset")).data().toString(),
                     hexNumber(s.range.offset.value));
            QCOMPARE(model.index(row, model.columnOf("bytes")).data(SortRole).toULongLong(),
                     qulonglong(s.range.bytes.value));
            QVERIFY(model.index(row, model.columnOf("kind")).data(Qt::DecorationRole).isValid());
            QVERIFY(!model.index(row, model.columnOf("kind")).data().toString().isEmpty());
        }
        model.setBundle(nullptr);
        QCOMPARE(model.rowCount(), 0);
    }

    void sectionsFilterAndSort()
    {
        SectionModel model;
        QAbstractItemModelTester tester(&model);
        const BundlePtr bundle = openSample("sparse");
        model.setBundle(bundle);
        model.setFilter(u"mask"_s);
        QVERIFY(model.rowCount() > 0);
        QVERIFY(model.rowCount() < int(bundle->sections().size()));
        model.setFilter({});
        model.sort(model.columnOf("bytes"), Qt::DescendingOrder);
        const QPersistentModelIndex kept(model.index(0, 0));
        const std::size_t largest = model.sectionAt(0);
        for (int row = 1; row < model.rowCount(); ++row)
            QVERIFY(bundle->sections()[model.sectionAt(row - 1)].range.bytes >=
                    bundle->sections()[model.sectionAt(row)].range.bytes);
        model.sort(model.columnOf("offset"));
        QCOMPARE(model.sectionAt(kept.row()), largest);
        model.sort(-1);
        QCOMPARE(model.sectionAt(0), 0U);
    }

    void manySectionsAreAnswered()
    {
        const BundlePtr bundle = blobBundle(100000, 65);
        SectionModel model;
        model.setBundle(bundle);
        QVERIFY(model.rowCount() >= 300000);
        model.setFilter(u"record 99999"_s);
        QVERIFY(model.rowCount() >= 1);
        model.setFilter({});
        model.sort(model.columnOf("bytes"));
    }
};

KERNSCOPE_TEST(TestInspectModels, QApplication)
#include "tst_inspect_models.moc"
