// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/overview/bundle_tree_model.h"

#include "widgets/common/function_words.h"
#include "widgets/common/table_text.h"
#include "widgets/common/text_filter.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace kernscope::ui {

namespace {

// internalId of an index names its parent: the bundle's row has no parent, groups hang below the
// bundle, and a leaf's id tells the shown group that it hangs below.
constexpr quintptr kBundleId = 0, kGroupId = 1, kFirstLeafId = 2;
constexpr std::uint32_t kHidden = std::numeric_limits<std::uint32_t>::max();

/// Whether what passes the longer filter has passed the shorter one: further terms were typed, or
/// further letters of plain words. A minus, a key or a number may let others pass.
bool narrows(const QString &longer, const QString &shorter)
{
    if (shorter.isEmpty() || !longer.startsWith(shorter))
        return false;
    if (shorter.back().isSpace() || longer.size() == shorter.size())
        return true;
    qsizetype begin = shorter.size(), end = shorter.size();
    while (begin > 0 && !longer[begin - 1].isSpace())
        --begin;
    while (end < longer.size() && !longer[end].isSpace())
        ++end;
    const QStringView term = QStringView(longer).mid(begin, end - begin);
    return !term.startsWith(u'-') && std::none_of(term.begin(), term.end(), [](QChar c) {
        return c == u':' || c == u'<' || c == u'>' || c == u'=';
    });
}

} // namespace

BundleTreeModel::BundleTreeModel(QObject *parent)
    : QAbstractItemModel(parent), m_columns(report::weightTable())
{
}

void BundleTreeModel::setBundle(BundlePtr bundle)
{
    beginResetModel();
    m_bundle = std::move(bundle);
    m_zeros.assign(m_bundle ? m_bundle->weights().size() : 0,
                   std::numeric_limits<double>::quiet_NaN());
    m_shortNames.clear();
    makeGroups();
    applyFilter();
    endResetModel();
}

void BundleTreeModel::updateBundle(BundlePtr bundle)
{
    const bool sameRows = m_bundle && bundle &&
                          m_bundle->weights().size() == bundle->weights().size() &&
                          m_bundle->files().size() == bundle->files().size() &&
                          m_bundle->sections().size() == bundle->sections().size();
    if (!sameRows) {
        setBundle(std::move(bundle));
        return;
    }
    m_bundle = std::move(bundle);
    if (rowCount() == 0)
        return;
    const QModelIndex top = index(0, 0);
    const int last = columnCount() - 1;
    Q_EMIT dataChanged(top, index(0, last));
    for (int group = 0; group < rowCount(top); ++group) {
        const QModelIndex at = index(group, 0, top);
        Q_EMIT dataChanged(at, index(group, last, top));
        if (rowCount(at) > 0)
            Q_EMIT dataChanged(index(0, 0, at), index(rowCount(at) - 1, last, at));
    }
}

void BundleTreeModel::setShortNames(QStringList names)
{
    m_shortNames = std::move(names);
    const int name = columnOf("name");
    const QModelIndex top = index(0, 0);
    for (int group = 0; group < rowCount(top); ++group) {
        const QModelIndex at = index(group, 0, top);
        if (rowCount(at) > 0)
            Q_EMIT dataChanged(index(0, name, at), index(rowCount(at) - 1, name, at));
    }
}

void BundleTreeModel::setFilter(const QString &typed)
{
    m_filterFault.clear();
    QString words = typed;
    auto where = WeightWhere::parse(words.toStdString());
    if (!where) {
        m_filterFault = tr("\u201C%1\u201D is not read as a term. Expected: %2")
                            .arg(fromUtf8(where.error().found), fromUtf8(where.error().expected));
        // The last term is still being typed: those before it hold, and no row goes for its
        // letters.
        words = words.left(words.trimmed().lastIndexOf(QLatin1Char(' ')) + 1).trimmed();
        where = WeightWhere::parse(words.toStdString());
        if (!where)
            return;
    }
    if (words == m_filter)
        return;
    const bool fewer = narrows(words, m_filter);
    beginResetModel();
    m_filter = words;
    m_where = std::move(*where);
    applyFilter(fewer);
    endResetModel();
}

void BundleTreeModel::refilter()
{
    beginResetModel();
    applyFilter();
    endResetModel();
}

/// `fewer`: only rows that are shown now can pass.
void BundleTreeModel::applyFilter(bool fewer)
{
    const TextFilter filter(m_filter);
    m_shown.clear();
    for (std::size_t g = 0; g < m_groups.size(); ++g) {
        Group &group = m_groups[g];
        const std::vector<std::uint32_t> before = std::exchange(group.shown, {});
        for (const std::uint32_t leaf : fewer ? before : group.all) {
            bool passes = filter.empty();
            if (!passes && group.kind != Node::Kind::Function) {
                passes = filter.passes({leafName(leafKind(group.kind), leaf)});
            } else if (!passes) {
                WhereFacts facts;
                facts.zeros = zeroFraction(leaf);
                facts.outcome = [this, leaf](const target::Target &target) {
                    return m_outcomes ? m_outcomes(leaf, target) : std::nullopt;
                };
                passes = m_where.passes(m_bundle->weights()[leaf], facts);
            }
            if (passes)
                group.shown.push_back(leaf);
        }
        sortGroup(group);
        if (!group.shown.empty() || filter.empty())
            m_shown.push_back(g);
    }
    indexRows();
}

void BundleTreeModel::indexRows()
{
    for (const auto leaf :
         {Node::Kind::Weight, Node::Kind::File, Node::Kind::Part, Node::Kind::Symbol})
        placesOf(leaf).assign(leavesOf(leaf), {kHidden, 0});
    for (std::uint32_t g = 0; g < m_shown.size(); ++g) {
        const Group &group = m_groups[m_shown[g]];
        if (group.shown.empty())
            continue;
        auto &places = placesOf(leafKind(group.kind));
        for (std::uint32_t row = 0; row < group.shown.size(); ++row)
            places[group.shown[row]] = {g, row};
    }
}

void BundleTreeModel::sortGroup(Group &group) const
{
    if (!std::is_sorted(group.shown.begin(), group.shown.end()))
        std::sort(group.shown.begin(), group.shown.end());
    if (m_sortColumn < 0 || m_sortColumn >= columnCount())
        return;
    std::vector<std::pair<report::SortValue, std::uint32_t>> keys;
    keys.reserve(group.shown.size());
    for (const std::uint32_t leaf : group.shown)
        keys.emplace_back(orderOf(group, leaf), leaf);
    const bool down = m_sortOrder == Qt::DescendingOrder;
    std::stable_sort(keys.begin(), keys.end(), [down](const auto &a, const auto &b) {
        return down ? b.first < a.first : a.first < b.first;
    });
    for (std::size_t i = 0; i < keys.size(); ++i)
        group.shown[i] = keys[i].second;
}

void BundleTreeModel::sort(int column, Qt::SortOrder order)
{
    Q_EMIT layoutAboutToBeChanged({}, QAbstractItemModel::VerticalSortHint);
    const QModelIndexList before = persistentIndexList();
    std::vector<Node> nodes;
    nodes.reserve(static_cast<std::size_t>(before.size()));
    for (const QModelIndex &index : before)
        nodes.push_back(nodeAt(index));
    m_sortColumn = column;
    m_sortOrder = order;
    for (Group &group : m_groups)
        sortGroup(group);
    indexRows();
    for (qsizetype i = 0; i < before.size(); ++i) {
        const Node &node = nodes[static_cast<std::size_t>(i)];
        if (node.kind == Node::Kind::Weight)
            changePersistentIndex(before[i], indexOfWeight(node.index, before[i].column()));
        else if (node.kind == Node::Kind::File)
            changePersistentIndex(before[i], indexOfFile(node.index, before[i].column()));
        else if (node.kind == Node::Kind::Part)
            changePersistentIndex(before[i], indexOfPart(node.index, before[i].column()));
        else if (node.kind == Node::Kind::Symbol)
            changePersistentIndex(before[i],
                                  leafIndex(m_symbolPlaces, node.index, before[i].column()));
    }
    Q_EMIT layoutChanged({}, QAbstractItemModel::VerticalSortHint);
}

std::size_t BundleTreeModel::shownWeights() const
{
    std::size_t count = 0;
    for (const std::size_t g : m_shown)
        count += m_groups[g].kind == Node::Kind::Function ? m_groups[g].shown.size() : 0;
    return count;
}

const BundleTreeModel::Group *BundleTreeModel::groupOfLeaf(const QModelIndex &index) const
{
    const auto g = static_cast<std::size_t>(index.internalId() - kFirstLeafId);
    return index.internalId() >= kFirstLeafId && g < m_shown.size() ? &m_groups[m_shown[g]]
                                                                    : nullptr;
}

BundleTreeModel::Node BundleTreeModel::nodeAt(const QModelIndex &index) const
{
    if (!index.isValid() || index.model() != this)
        return {};
    const auto row = static_cast<std::size_t>(index.row());
    if (index.internalId() == kBundleId)
        return {Node::Kind::Bundle, 0};
    if (index.internalId() == kGroupId)
        return {m_groups[m_shown[row]].kind, m_shown[row]};
    const Group *group = groupOfLeaf(index);
    if (!group || row >= group->shown.size())
        return {};
    return {leafKind(group->kind), group->shown[row]};
}

QModelIndex
BundleTreeModel::leafIndex(const std::vector<std::pair<std::uint32_t, std::uint32_t>> &places,
                           std::size_t leaf, int column) const
{
    if (leaf >= places.size() || places[leaf].first == kHidden)
        return {};
    return createIndex(static_cast<int>(places[leaf].second), column,
                       kFirstLeafId + places[leaf].first);
}

QModelIndex BundleTreeModel::indexOfWeight(std::size_t weight, int column) const
{
    return leafIndex(m_weightPlaces, weight, column);
}

QModelIndex BundleTreeModel::indexOfFile(std::size_t file, int column) const
{
    return leafIndex(m_filePlaces, file, column);
}

QModelIndex BundleTreeModel::indexOfPart(std::size_t section, int column) const
{
    return leafIndex(m_partPlaces, section, column);
}

QModelIndex BundleTreeModel::index(int row, int column, const QModelIndex &parent) const
{
    if (row < 0 || column < 0 || column >= columnCount() || row >= rowCount(parent))
        return {};
    if (!parent.isValid())
        return createIndex(row, column, kBundleId);
    if (parent.internalId() == kBundleId)
        return createIndex(row, column, kGroupId);
    return createIndex(row, column, kFirstLeafId + static_cast<quintptr>(parent.row()));
}

QModelIndex BundleTreeModel::parent(const QModelIndex &child) const
{
    if (!child.isValid() || child.internalId() == kBundleId)
        return {};
    if (child.internalId() == kGroupId)
        return createIndex(0, 0, kBundleId);
    return createIndex(static_cast<int>(child.internalId() - kFirstLeafId), 0, kGroupId);
}

int BundleTreeModel::rowCount(const QModelIndex &parent) const
{
    if (!m_bundle || parent.column() > 0)
        return 0;
    if (!parent.isValid())
        return 1;
    if (parent.internalId() == kBundleId)
        return static_cast<int>(m_shown.size());
    if (parent.internalId() == kGroupId)
        return static_cast<int>(
            m_groups[m_shown[static_cast<std::size_t>(parent.row())]].shown.size());
    return 0;
}

int BundleTreeModel::columnCount(const QModelIndex &) const
{
    return m_columns.count();
}

Qt::ItemFlags BundleTreeModel::flags(const QModelIndex &index) const
{
    Qt::ItemFlags flags = QAbstractItemModel::flags(index);
    if (index.isValid() && index.internalId() >= kFirstLeafId)
        flags |= Qt::ItemNeverHasChildren;
    return flags;
}

} // namespace kernscope::ui

#include "moc_bundle_tree_model.cpp"
