// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/overlaid_file.h"
#include "core/container/hwx/container.h"
#include "widgets/common/form_token.h"
#include "widgets/common/icons.h"
#include "widgets/common/key_role.h"
#include "widgets/common/short_names.h"
#include "widgets/common/table_text.h"
#include "widgets/overview/bundle_tree_model.h"

#include <QRegularExpression>

#include <algorithm>
#include <cmath>
#include <filesystem>

// What the cells of the bundle tree say; its rows are in bundle_tree_model.cpp.
namespace kernscope::ui {

namespace {

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

void BundleTreeModel::forgetZeroFraction(std::size_t weight)
{
    setZeroFractions({{weight, std::nan("")}});
}

std::optional<double> BundleTreeModel::zeroFraction(std::size_t weight) const
{
    if (weight >= m_zeros.size() || std::isnan(m_zeros[weight]))
        return std::nullopt;
    return m_zeros[weight];
}

} // namespace kernscope::ui
