// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/coverage.h"
#include "core/assessment/weight_where.h"
#include "core/bundle/bundle.h"
#include "core/report/weight_table.h"
#include "widgets/models/row_table_model.h"

#include <QStringList>

namespace kernscope::ui {

/// The open bundle as a tree: overview > program, functions > weights, files > files; of a hardware
/// container also tasks, sections and symbols, of a weight section its sections. It keeps a
/// snapshot of the tables and vectors of row numbers; filtering and sorting permute those, so that
/// a million weights cost a few bytes each and no proxy.
class BundleTreeModel final : public QAbstractItemModel
{
    Q_OBJECT

public:
    struct Node {
        enum class Kind : std::uint8_t {
            None,
            Bundle,  ///< the overview
            Program, ///< a row without rows of its own
            Function,
            TaskGroup,
            SectionGroup,
            SymbolGroup,
            FileGroup,
            Weight,
            File,
            Part,  ///< a section of the file, below the tasks or the sections
            Symbol ///< of a hardware container
        };
        Kind kind = Kind::None;
        std::size_t index = kNoIndex; ///< of the weight, the file, the section or the symbol
        friend bool operator==(const Node &, const Node &) = default;
    };

    explicit BundleTreeModel(QObject *parent = nullptr);

    /// The columns are those of report::weightTable; -1 where the window shows none of that key.
    int columnOf(std::string_view key) const { return m_columns.indexOf(key); }

    /// Another bundle, or none: everything is forgotten but the filter and the order.
    void setBundle(BundlePtr bundle);
    /// The same bundle after an edit. Rows stay where they are as long as there are as many.
    void updateBundle(BundlePtr bundle);
    const BundlePtr &bundle() const { return m_bundle; }
    /// By weight, shown instead of the whole names; empty: none are known.
    void setShortNames(QStringList names);
    bool hasShortNames() const { return !m_shortNames.isEmpty(); }

    /// Keeps the weights for which every term holds (WeightWhere), and the files whose name has
    /// every word. Where the last term cannot be read, as while it is typed, those before it hold;
    /// where another cannot, the rows stay. filterFault() says why.
    void setFilter(const QString &typed);
    const QString &filter() const { return m_filter; }
    const QString &filterFault() const { return m_filterFault; }
    bool filterNeedsZeros() const { return m_where.needsZeros(); }
    /// What a chip does with a weight, for terms that ask; called while the filter is applied.
    using Outcomes =
        std::function<std::optional<decision::Outcome>(std::size_t weight, const target::Target &)>;
    void setOutcomes(Outcomes outcomes) { m_outcomes = std::move(outcomes); }
    /// Figures that a term asks for have come: applies the filter again.
    void refilter();
    std::size_t shownWeights() const;

    /// Share of decoded elements that are zero. Weights that were not measured show a dash.
    void setZeroFractions(const std::vector<std::pair<std::size_t, double>> &fractions);
    std::optional<double> zeroFraction(std::size_t weight) const;

    /// Whether any of the weight's bytes differ from the disk.
    bool isChanged(std::size_t weight) const { return weightChanged(m_bundle->weights()[weight]); }

    Node nodeAt(const QModelIndex &index) const;
    /// Invalid where the filter hides the row.
    QModelIndex indexOfWeight(std::size_t weight, int column = 0) const;
    QModelIndex indexOfFile(std::size_t file, int column = 0) const;
    QModelIndex indexOfPart(std::size_t section, int column = 0) const;
    QModelIndex indexOfProgram(int column = 0) const;
    /// Whether it is one of the rows that lead somewhere: no group.
    bool isLeaf(const QModelIndex &index) const;
    /// Rows that belong open: the bundle, its tasks and its functions.
    QModelIndexList groupIndexes() const;

    QModelIndex index(int row, int column, const QModelIndex &parent = {}) const override;
    QModelIndex parent(const QModelIndex &child) const override;
    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex &index) const override;
    void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

private:
    /// One row below the bundle with its own rows: a function, the files, the tasks, ...
    struct Group {
        Node::Kind kind = Node::Kind::Function;
        QString name;
        std::vector<std::uint32_t> all;   ///< members in the bundle's order
        std::vector<std::uint32_t> shown; ///< after filter and sort
    };

    void makeGroups();
    void addFunctions();
    void addContainerGroups();
    std::size_t leavesOf(Node::Kind leaf) const;
    std::string leafName(Node::Kind leaf, std::size_t at) const;
    void applyFilter(bool fewer = false);
    void sortGroup(Group &group) const;
    void indexRows();
    const Group *groupOfLeaf(const QModelIndex &index) const;
    QVariant weightData(std::size_t weight, int column, int role) const;
    QVariant fileData(std::size_t file, int column, int role) const;
    QVariant partData(std::size_t section, int column, int role) const;
    QVariant symbolData(std::size_t symbol, int column, int role) const;
    static Node::Kind leafKind(Node::Kind group);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> &placesOf(Node::Kind group);
    QVariant groupData(const Group &group, int column, int role) const;
    QVariant bundleData(int column, int role) const;
    bool weightChanged(const Weight &weight) const;
    report::WeightFacts factsOf(std::size_t weight) const;
    report::SortValue orderOf(const Group &group, std::uint32_t leaf) const;
    QString weightTip(const Weight &weight) const;
    QModelIndex leafIndex(const std::vector<std::pair<std::uint32_t, std::uint32_t>> &places,
                          std::size_t leaf, int column) const;

    WindowColumns<report::WeightFacts> m_columns;
    BundlePtr m_bundle;
    CompressedWeights m_compressed;
    std::vector<Group> m_groups;      ///< all of them
    std::vector<std::size_t> m_shown; ///< groups with a row to show
    QStringList m_shortNames;         ///< by weight
    QString m_filter, m_filterFault;
    WeightWhere m_where;
    Outcomes m_outcomes;
    int m_sortColumn = -1; ///< -1: the order of the bundle
    Qt::SortOrder m_sortOrder = Qt::AscendingOrder;
    std::vector<double> m_zeros; ///< by weight; NaN: not known
    /// (shown group, row) of each weight, file, section and symbol; group kHidden: not shown.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> m_weightPlaces, m_filePlaces, m_partPlaces,
        m_symbolPlaces;
};

} // namespace kernscope::ui
