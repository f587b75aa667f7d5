// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/bundle_tree_model.h"

#include "core/base/overlaid_file.h"
#include "core/container/hwx/container.h"
#include "core/container/mil/program.h"
#include "widgets/models/words.h"

#include <QRegularExpression>

#include <cmath>
#include <numeric>

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

std::vector<std::uint32_t> countUp(std::size_t count)
{
    std::vector<std::uint32_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0u);
    return numbers;
}

QString shapeOf(const Weight &weight)
{
    if (weight.shape.empty())
        return BundleTreeModel::tr("scalar");
    QStringList extents;
    for (const std::uint64_t extent : weight.shape)
        extents += QString::number(static_cast<qulonglong>(extent));
    return extents.join(QStringLiteral("\u00D7"));
}

QString roleWord(const BundleFile &file)
{
    switch (file.role) {
    case SectionKind::Data: return BundleTreeModel::tr("weight file");
    case SectionKind::Program: return BundleTreeModel::tr("program");
    case SectionKind::Manifest: return BundleTreeModel::tr("manifest");
    default: return BundleTreeModel::tr("other file");
    }
}

QString countOf(std::size_t count, const QString &one, const QString &several)
{
    return count == 1 ? one : several.arg(groupedNumber(count));
}

bool isText(int role)
{
    return role == Qt::DisplayRole || role == SortRole || role == CopyRole;
}

/// "3 fvmlib_ref32" of "command 3: fvmlib_ref32": the kind beside it says what the number counts.
/// "...core 0: unit" of a part of a weight: all of its parts begin with its name.
QString shortPartName(const QString &name, const QString &owner)
{
    if (!owner.isEmpty() && name.size() > owner.size() + 1 && name.startsWith(owner))
        return QChar(0x2026) + QStringView(name).mid(owner.size()).trimmed().toString();
    static const QRegularExpression counted(QStringLiteral("^\\w+ (\\d+): (.*)$"));
    const QRegularExpressionMatch match = counted.match(name);
    return match.hasMatch() ? match.captured(1) + QLatin1Char(' ') + match.captured(2) : name;
}

/// A name as the models' other cells have it: shown, sorted by and copied.
QVariant textCell(int role, std::string_view text)
{
    return isText(role) ? QVariant(fromUtf8(text)) : QVariant();
}

} // namespace

BundleTreeModel::BundleTreeModel(QObject *parent)
    : QAbstractItemModel(parent), m_columns(report::weightTable)
{
}

void BundleTreeModel::setBundle(BundlePtr bundle)
{
    beginResetModel();
    m_bundle = std::move(bundle);
    m_compressed = m_bundle ? compressedWeights(*m_bundle) : CompressedWeights();
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

void BundleTreeModel::makeGroups()
{
    m_groups.clear();
    if (!m_bundle)
        return;
    if (m_bundle->programFile() != kNoIndex && !m_bundle->program()->functions.empty())
        m_groups.push_back({Node::Kind::Program, tr("Program"), {}, {}});
    addContainerGroups();
    addFunctions();
    m_groups.push_back(
        {Node::Kind::FileGroup, tr("Files"), countUp(leavesOf(Node::Kind::File)), {}});
}

/// What a hardware container or a weight section is made of, without its padding.
void BundleTreeModel::addContainerGroups()
{
    Group tasks{Node::Kind::TaskGroup, tr("Tasks"), {}, {}};
    Group sections{Node::Kind::SectionGroup, tr("Sections"), {}, {}};
    for (std::uint32_t i = 0; i < leavesOf(Node::Kind::Part); ++i) {
        const SectionKind kind = m_bundle->sections()[i].kind;
        if (kind == SectionKind::Program)
            tasks.all.push_back(i);
        else if (kind != SectionKind::Padding)
            sections.all.push_back(i);
    }
    Group symbols{
        Node::Kind::SymbolGroup, tr("Symbols"), countUp(leavesOf(Node::Kind::Symbol)), {}};
    for (Group *group : {&tasks, &sections, &symbols}) {
        if (!group->all.empty())
            m_groups.push_back(std::move(*group));
    }
}

void BundleTreeModel::addFunctions()
{
    std::map<std::string, std::size_t> byName;
    const auto &weights = m_bundle->weights();
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const std::string function = report::functionWords(weights[i]);
        const auto [at, added] = byName.try_emplace(function, m_groups.size());
        if (added)
            m_groups.push_back({Node::Kind::Function, fromUtf8(function), {}, {}});
        m_groups[at->second].all.push_back(static_cast<std::uint32_t>(i));
    }
}

std::size_t BundleTreeModel::leavesOf(Node::Kind leaf) const
{
    if (!m_bundle)
        return 0;
    const bool container = m_bundle->hardware() || m_bundle->section();
    switch (leaf) {
    case Node::Kind::Weight: return m_bundle->weights().size();
    case Node::Kind::File: return m_bundle->files().size();
    case Node::Kind::Part: return container ? m_bundle->sections().size() : 0;
    case Node::Kind::Symbol:
        return m_bundle->hardware() && m_bundle->hardware()->symbolTable
                   ? m_bundle->hardware()->symbols.size()
                   : 0;
    default: return 0;
    }
}

std::string BundleTreeModel::leafName(Node::Kind leaf, std::size_t at) const
{
    switch (leaf) {
    case Node::Kind::Weight: return m_bundle->weights()[at].name;
    case Node::Kind::File: return m_bundle->files()[at].path;
    case Node::Kind::Part: return m_bundle->nameOf(m_bundle->sections()[at]);
    case Node::Kind::Symbol: return m_bundle->hardware()->symbols[at].name;
    default: return {};
    }
}

BundleTreeModel::Node::Kind BundleTreeModel::leafKind(Node::Kind group)
{
    switch (group) {
    case Node::Kind::FileGroup: return Node::Kind::File;
    case Node::Kind::TaskGroup:
    case Node::Kind::SectionGroup: return Node::Kind::Part;
    case Node::Kind::SymbolGroup: return Node::Kind::Symbol;
    case Node::Kind::Function: return Node::Kind::Weight;
    default: return Node::Kind::None;
    }
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> &BundleTreeModel::placesOf(Node::Kind leaf)
{
    return leaf == Node::Kind::File     ? m_filePlaces
           : leaf == Node::Kind::Part   ? m_partPlaces
           : leaf == Node::Kind::Symbol ? m_symbolPlaces
                                        : m_weightPlaces;
}

bool BundleTreeModel::isLeaf(const QModelIndex &index) const
{
    const Node::Kind kind = nodeAt(index).kind;
    return kind == Node::Kind::Weight || kind == Node::Kind::File || kind == Node::Kind::Part ||
           kind == Node::Kind::Symbol;
}

QModelIndex BundleTreeModel::indexOfProgram(int column) const
{
    const QModelIndex top = index(0, 0);
    const QModelIndex first = index(0, column, top);
    return nodeAt(first).kind == Node::Kind::Program ? first : QModelIndex();
}

QModelIndexList BundleTreeModel::groupIndexes() const
{
    QModelIndexList indexes;
    const QModelIndex top = index(0, 0);
    if (top.isValid())
        indexes += top;
    for (int g = 0; g < rowCount(top); ++g) {
        const QModelIndex group = index(g, 0, top);
        const Node::Kind kind = nodeAt(group).kind;
        if (kind == Node::Kind::Function || kind == Node::Kind::TaskGroup)
            indexes += group;
    }
    return indexes;
}

QVariant BundleTreeModel::data(const QModelIndex &index, int role) const
{
    const Node node = nodeAt(index);
    if (role == Qt::TextAlignmentRole)
        return headerData(index.column(), Qt::Horizontal, role);
    if (role == GroupRowRole)
        return node.kind != Node::Kind::Weight;
    switch (node.kind) {
    case Node::Kind::Weight: return weightData(node.index, index.column(), role);
    case Node::Kind::File: return fileData(node.index, index.column(), role);
    case Node::Kind::Part: return partData(node.index, index.column(), role);
    case Node::Kind::Symbol: return symbolData(node.index, index.column(), role);
    case Node::Kind::Program:
    case Node::Kind::Function:
    case Node::Kind::TaskGroup:
    case Node::Kind::SectionGroup:
    case Node::Kind::SymbolGroup:
    case Node::Kind::FileGroup: return groupData(m_groups[node.index], index.column(), role);
    case Node::Kind::Bundle: return bundleData(index.column(), role);
    case Node::Kind::None: break;
    }
    return {};
}

bool BundleTreeModel::weightChanged(const Weight &weight) const
{
    const OperandList &operands = weight.operands();
    return std::any_of(operands.begin(), operands.end(), [this](const codec::Operand &operand) {
        const OperandPlace &place = *operand.place;
        return !place.isLiteral() && place.file < m_bundle->files().size() &&
               m_bundle->files()[place.file].file->changed(place.range());
    });
}

QString BundleTreeModel::weightTip(const Weight &weight) const
{
    QStringList lines{fromUtf8(weight.name)};
    if (weight.fault)
        lines += tr("Cannot be decoded: %1").arg(fromUtf8(describe(*weight.fault)));
    if (weightChanged(weight))
        lines += tr("Changed since the file was last saved.");
    lines += tr("%1 of %2 elements, made by %3")
                 .arg(fromUtf8(elementTypeName(weight.type)), groupedNumber(weight.elements.value),
                      fromUtf8(weight.sourceOp));
    for (const Consumer &consumer : weight.consumers)
        lines += tr("%1 of %2 (%3)")
                     .arg(fromUtf8(consumer.param), fromUtf8(consumer.op), fromUtf8(consumer.name));
    if (weight.consumers.empty())
        lines += tr("No operation uses it.");
    return lines.join(u'\n');
}

report::WeightFacts BundleTreeModel::factsOf(std::size_t weight) const
{
    report::WeightFacts facts;
    facts.bundle = m_bundle.get();
    facts.index = weight;
    facts.zeros = zeroFraction(weight);
    facts.compressed = &m_compressed;
    return facts;
}

report::SortValue BundleTreeModel::orderOf(const Group &group, std::uint32_t leaf) const
{
    if (group.kind == Node::Kind::Function)
        return m_columns.order(m_sortColumn, factsOf(leaf));
    const std::string_view key = m_columns.key(m_sortColumn);
    const Node::Kind kind = leafKind(group.kind);
    if (key == "name")
        return report::SortValue(leafName(kind, leaf));
    if (key != "stored_bytes" || kind == Node::Kind::Symbol)
        return {};
    return report::SortValue(kind == Node::Kind::Part ? m_bundle->sections()[leaf].range.bytes.value
                                                      : m_bundle->files()[leaf].file->size().value);
}

QVariant BundleTreeModel::weightData(std::size_t at, int column, int role) const
{
    const Weight &weight = m_bundle->weights()[at];
    const std::string_view key = m_columns.key(column);
    if (role == Qt::ToolTipRole)
        return weightTip(weight);
    if (key == "name") {
        switch (role) {
        case kShortNameRole:
            return m_shortNames.isEmpty() ? fromUtf8(weight.name)
                                          : m_shortNames.value(static_cast<qsizetype>(at));
        case Qt::DecorationRole:
            if (weight.fault)
                return severityIcon(Severity::Error);
            return weightChanged(weight)
                       ? QVariant(glyphIcon(theme::glyph(Token::MarkChanged), Token::MarkChanged))
                       : QVariant();
        case Qt::AccessibleTextRole:
            return weight.fault ? QVariant(tr("%1, faulty").arg(fromUtf8(weight.name)))
                                : QVariant();
        default: break;
        }
    }
    if (key == "form" && role == Qt::DecorationRole)
        return glyphIcon(QStringLiteral("\u25A0"), formToken(weight.form));
    if (key == "shape" && role == Qt::DisplayRole)
        return shapeOf(weight);
    if (key == "shape" && role == CopyRole)
        return fromUtf8(shapeText(weight.shape));
    if (role == SortRole)
        return m_columns.sortData(column, factsOf(at));
    return role == Qt::AccessibleTextRole ? QVariant() : m_columns.cell(column, factsOf(at), role);
}

QVariant BundleTreeModel::fileData(std::size_t at, int column, int role) const
{
    const BundleFile &file = m_bundle->files()[at];
    const std::string_view key = m_columns.key(column);
    if (role == Qt::ToolTipRole) {
        QString tip = fromUtf8(file.path);
        if (file.role == SectionKind::Data)
            tip += u'\n' + tr("%1 records, %2 of them used by nothing, %3 bytes of payload")
                               .arg(groupedNumber(file.records), groupedNumber(file.unusedRecords),
                                    groupedNumber(file.payloadBytes.value));
        return tip;
    }
    if (key == "name")
        return role == Qt::DecorationRole && file.file->modified()
                   ? QVariant(glyphIcon(theme::glyph(Token::MarkChanged), Token::MarkChanged))
                   : textCell(role, file.path);
    if (key == "form")
        return isText(role) ? QVariant(roleWord(file)) : QVariant();
    return key == "stored_bytes" && isText(role)
               ? columnCell(m_columns.facts(column), report::Count{file.file->size().value}, role)
               : QVariant();
}

QVariant BundleTreeModel::partData(std::size_t at, int column, int role) const
{
    const Section &section = m_bundle->sections()[at];
    const std::string_view key = m_columns.key(column);
    if (role == Qt::ToolTipRole)
        return fromUtf8(m_bundle->nameOf(section));
    if (key == "name" && role == Qt::DecorationRole &&
        m_bundle->files()[section.file].file->changed(section.range))
        return glyphIcon(theme::glyph(Token::MarkChanged), Token::MarkChanged);
    if (key == "name")
        return role == kShortNameRole
                   ? QVariant(shortPartName(fromUtf8(m_bundle->nameOf(section)),
                                            fromUtf8(m_bundle->ownerOf(section))))
                   : textCell(role, m_bundle->nameOf(section));
    if (key == "form")
        return role == Qt::DecorationRole ? QVariant(kindIcon(section.kind))
               : isText(role)             ? QVariant(theme::sectionKindLabel(section.kind))
                                          : QVariant();
    return key == "stored_bytes" && isText(role)
               ? columnCell(m_columns.facts(column), report::Count{section.range.bytes.value}, role)
               : QVariant();
}

QVariant BundleTreeModel::symbolData(std::size_t at, int column, int role) const
{
    const hwx::Symbol &symbol = m_bundle->hardware()->symbols[at];
    const std::string_view key = m_columns.key(column);
    if (role == Qt::ToolTipRole)
        return fromUtf8(symbol.name);
    if (key == "name")
        return textCell(role, symbol.name);
    if (key == "form")
        return isText(role) ? QVariant(hexNumber(symbol.value) + QLatin1Char(' ') +
                                       fromUtf8(hwx::symbolKindName(symbol.type)))
                            : QVariant();
    return {};
}

QVariant BundleTreeModel::groupData(const Group &group, int column, int role) const
{
    const std::string_view key = m_columns.key(column);
    if (key == "name" && (isText(role) || role == Qt::ToolTipRole))
        return group.name.isEmpty() ? tr("Weights") : group.name;
    if (key != "form" || !isText(role))
        return {};
    const std::size_t count = group.all.size();
    switch (group.kind) {
    case Node::Kind::Program: {
        const std::string &path = m_bundle->files()[m_bundle->programFile()].path;
        return fromUtf8(std::filesystem::path(path).filename().string());
    }
    case Node::Kind::FileGroup: return countOf(count, tr("1 file"), tr("%1 files"));
    case Node::Kind::TaskGroup: return countOf(count, tr("1 part"), tr("%1 parts"));
    case Node::Kind::SectionGroup: return countOf(count, tr("1 section"), tr("%1 sections"));
    case Node::Kind::SymbolGroup: return countOf(count, tr("1 symbol"), tr("%1 symbols"));
    default: return countOf(count, tr("1 weight"), tr("%1 weights"));
    }
}

QVariant BundleTreeModel::bundleData(int column, int role) const
{
    const std::string_view key = m_columns.key(column);
    if (key == "name") {
        switch (role) {
        case Qt::DisplayRole: return tr("Overview");
        case Qt::AccessibleTextRole: return tr("Overview of %1").arg(fromUtf8(m_bundle->name()));
        case Qt::ToolTipRole: return fromUtf8(m_bundle->path().string());
        default: return textCell(role, m_bundle->name());
        }
    }
    return key == "form" ? textCell(role, bundleKindName(m_bundle->kind())) : QVariant();
}

QVariant BundleTreeModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return {};
    // Extents stand as numbers do, which views never cut.
    if (role == Qt::TextAlignmentRole && m_columns.key(section) == "shape")
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    return m_columns.header(section, role);
}

void BundleTreeModel::setZeroFractions(const std::vector<std::pair<std::size_t, double>> &fractions)
{
    for (const auto &[weight, fraction] : fractions) {
        if (weight >= m_zeros.size())
            continue;
        m_zeros[weight] = fraction;
        const QModelIndex cell = indexOfWeight(weight, columnOf("zero_fraction"));
        if (cell.isValid())
            Q_EMIT dataChanged(cell, cell, {Qt::DisplayRole, SortRole, CopyRole});
    }
}

std::optional<double> BundleTreeModel::zeroFraction(std::size_t weight) const
{
    if (weight >= m_zeros.size() || std::isnan(m_zeros[weight]))
        return std::nullopt;
    return m_zeros[weight];
}

} // namespace kernscope::ui

#include "moc_bundle_tree_model.cpp"
