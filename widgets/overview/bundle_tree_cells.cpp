// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/stored_bytes.h"
#include "widgets/common/icons.h"
#include "widgets/common/short_names.h"
#include "widgets/common/table_text.h"
#include "widgets/overview/bundle_tree_model.h"

#include <algorithm>
#include <cmath>

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

bool isNumber(int column)
{
    return column == BundleTreeModel::ShapeColumn || column == BundleTreeModel::Stored ||
           column == BundleTreeModel::Ratio || column == BundleTreeModel::Zeros;
}

/// A number as it is shown, as it sorts, and as it is copied.
QVariant numberCell(int role, std::uint64_t number)
{
    switch (role) {
    case Qt::DisplayRole: return groupedNumber(number);
    case SortRole: return static_cast<qulonglong>(number);
    case CopyRole: return QString::number(static_cast<qulonglong>(number));
    default: return {};
    }
}

QVariant numberCell(int role, double number, const QString &shown)
{
    switch (role) {
    case Qt::DisplayRole: return shown;
    case SortRole: return number;
    case CopyRole: return std::isfinite(number) ? QString::number(number, 'g', 6) : QString();
    default: return {};
    }
}

} // namespace

QVariant BundleTreeModel::data(const QModelIndex &index, int role) const
{
    const Node node = nodeAt(index);
    if (role == Qt::TextAlignmentRole) {
        const auto side = isNumber(index.column()) ? Qt::AlignRight : Qt::AlignLeft;
        return QVariant::fromValue(Qt::Alignment(side | Qt::AlignVCenter));
    }
    switch (node.kind) {
    case Node::Kind::Weight: return weightData(node.index, index.column(), role);
    case Node::Kind::File: return fileData(node.index, index.column(), role);
    case Node::Kind::Function:
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

QVariant BundleTreeModel::weightData(std::size_t at, int column, int role) const
{
    const Weight &weight = m_bundle->weights()[at];
    if (role == Qt::ToolTipRole)
        return weightTip(weight);
    if (role == kShortNameRole)
        return column != Name           ? QVariant()
               : m_shortNames.isEmpty() ? fromUtf8(weight.name)
                                        : m_shortNames.value(static_cast<qsizetype>(at));
    if (role == Qt::DecorationRole && column == Name) {
        if (weight.fault)
            return severityIcon(Severity::Error);
        return weightChanged(weight)
                   ? QVariant(glyphIcon(theme::glyph(Token::MarkChanged), Token::MarkChanged))
                   : QVariant();
    }
    if (role == Qt::AccessibleTextRole && column == Name && weight.fault)
        return tr("%1, faulty").arg(fromUtf8(weight.name));
    const bool text = role == Qt::DisplayRole || role == SortRole || role == CopyRole;
    const auto stored = knownStoredBytes(weight);
    switch (column) {
    case Name: return text ? QVariant(fromUtf8(weight.name)) : QVariant();
    case Form: return text ? QVariant(fromUtf8(formText(weight.form))) : QVariant();
    case ShapeColumn:
        return role == SortRole ? QVariant(static_cast<qulonglong>(weight.elements.value))
               : text           ? QVariant(shapeOf(weight))
                                : QVariant();
    case Stored:
        return stored ? numberCell(role, stored->value) : text ? QVariant(tr("?")) : QVariant();
    case Ratio:
        return stored ? numberCell(role, weight.ratio(), ratioText(weight.ratio()))
               : text ? QVariant(tr("?"))
                      : QVariant();
    case Zeros: return numberCell(role, m_zeros[at], percentText(m_zeros[at]));
    default: return {};
    }
}

QVariant BundleTreeModel::fileData(std::size_t at, int column, int role) const
{
    const BundleFile &file = m_bundle->files()[at];
    if (role == Qt::ToolTipRole) {
        QString tip = fromUtf8(file.path);
        if (file.role == SectionKind::Data)
            tip += u'\n' + tr("%1 records, %2 of them used by nothing, %3 bytes of payload")
                               .arg(groupedNumber(file.records), groupedNumber(file.unusedRecords),
                                    groupedNumber(file.payloadBytes.value));
        return tip;
    }
    if (role == Qt::DecorationRole && column == Name && file.file->modified())
        return glyphIcon(theme::glyph(Token::MarkChanged), Token::MarkChanged);
    const bool text = role == Qt::DisplayRole || role == SortRole || role == CopyRole;
    switch (column) {
    case Name: return text ? QVariant(fromUtf8(file.path)) : QVariant();
    case Form: return text ? QVariant(roleWord(file)) : QVariant();
    case Stored: return numberCell(role, file.file->size().value);
    default: return {};
    }
}

QVariant BundleTreeModel::groupData(const Group &group, int column, int role) const
{
    const bool text = role == Qt::DisplayRole || role == SortRole || role == CopyRole;
    const bool files = group.kind == Node::Kind::FileGroup;
    if (column == Name && (text || role == Qt::ToolTipRole))
        return files ? group.name : group.name.isEmpty() ? tr("(weights)") : group.name;
    if (column == Form && text)
        return files ? countOf(group.all.size(), tr("1 file"), tr("%1 files"))
                     : countOf(group.all.size(), tr("1 weight"), tr("%1 weights"));
    return {};
}

QVariant BundleTreeModel::bundleData(int column, int role) const
{
    const bool text = role == Qt::DisplayRole || role == SortRole || role == CopyRole;
    if (role == Qt::ToolTipRole && column == Name)
        return fromUtf8(m_bundle->path().string());
    switch (column) {
    case Name: return text ? QVariant(fromUtf8(m_bundle->name())) : QVariant();
    case Form: return text ? QVariant(fromUtf8(bundleKindName(m_bundle->kind()))) : QVariant();
    default: return {};
    }
}

QVariant BundleTreeModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole) {
        const auto side = isNumber(section) ? Qt::AlignRight : Qt::AlignLeft;
        return QVariant::fromValue(Qt::Alignment(side | Qt::AlignVCenter));
    }
    const auto header = [section]() -> HeaderText {
        switch (section) {
        case Name: return {tr("Name"), tr("Name of the value that the consumer reads")};
        case Form: return {tr("Form"), tr("How the weight is stored")};
        case ShapeColumn:
            return {tr("Shape"), tr("Extents of the decoded tensor, outermost first; sorts by "
                                    "the number of elements")};
        case Stored:
            return {tr("Stored B"), tr("Bytes that the weight takes in the file, a part that is "
                                       "used twice counted once")};
        case Ratio: return {tr("Ratio"), tr("Stored bytes over the bytes of dense fp16")};
        case Zeros:
            return {tr("Zeros"), tr("Share of decoded elements that are zero; a dash where the "
                                    "weight has not been read yet")};
        default: return {};
        }
    }();
    return header.data(role);
}

void BundleTreeModel::setZeroFractions(const std::vector<std::pair<std::size_t, double>> &fractions)
{
    for (const auto &[weight, fraction] : fractions) {
        if (weight >= m_zeros.size())
            continue;
        m_zeros[weight] = fraction;
        const QModelIndex cell = indexOfWeight(weight, Zeros);
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
