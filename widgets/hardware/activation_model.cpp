// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/hardware/activation_model.h"

#include "widgets/common/confidence_words.h"
#include "widgets/common/table_text.h"
#include "widgets/weight/weight_words.h"

namespace kernscope::ui {

using format::ActivationField;
using format::ActivationTable;

void ActivationModel::setTable(std::optional<ActivationTable> table)
{
    beginResetModel();
    m_table = std::move(table);
    endResetModel();
}

int ActivationModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() || !m_table ? 0 : static_cast<int>(ActivationTable::kEntries);
}

int ActivationModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

const ActivationField *ActivationModel::fieldOf(std::size_t entry) const
{
    for (const ActivationField &field : format::activationFields()) {
        if (field.layout == m_table->layout() && entry >= field.index &&
            entry < field.index + field.count)
            return &field;
    }
    return nullptr;
}

QVariant ActivationModel::text(const QModelIndex &index) const
{
    const auto entry = static_cast<std::size_t>(index.row());
    const ActivationField *field = fieldOf(entry);
    switch (index.column()) {
    case Entry: return index.row();
    case Field:
        if (field == nullptr)
            return {};
        return field->count == 1 ? fromUtf8(field->name) : tr("knot %1").arg(entry - field->index);
    case Bits: return hexNumber(m_table->entries()[entry], 4);
    case Value: return valueText(static_cast<double>(m_table->value(entry)));
    default: return field == nullptr ? QString() : confidenceWords(field->confidence);
    }
}

QVariant ActivationModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid() || !m_table)
        return {};
    switch (role) {
    case Qt::DisplayRole:
    case CopyRole: return text(index);
    case Qt::TextAlignmentRole:
        return index.column() == Field || index.column() == Known
                   ? QVariant(Qt::AlignLeft | Qt::AlignVCenter)
                   : QVariant(Qt::AlignRight | Qt::AlignVCenter);
    case Qt::ToolTipRole:
        if (const ActivationField *field = fieldOf(static_cast<std::size_t>(index.row()))) {
            const QString source = fromUtf8(field->source);
            return field->note.empty() ? source : tr("%1\n%2").arg(source, fromUtf8(field->note));
        }
        return {};
    default: return {};
    }
}

QVariant ActivationModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    static const char *const kTitles[] = {QT_TR_NOOP("entry"), QT_TR_NOOP("field"),
                                          QT_TR_NOOP("bits"), QT_TR_NOOP("value (fp16)"),
                                          QT_TR_NOOP("confidence")};
    static const char *const kTips[] = {
        QT_TR_NOOP("Halfword of the record, 0 to 42"),
        QT_TR_NOOP("What the entry is, in the chosen reading of the record"),
        QT_TR_NOOP("The stored fp16 bits"), QT_TR_NOOP("The same bits as a number"),
        QT_TR_NOOP("How well the field's place and meaning are known")};
    if (section < 0 || section >= ColumnCount)
        return {};
    if (role == Qt::DisplayRole)
        return tr(kTitles[section]);
    return role == Qt::ToolTipRole ? QVariant(tr(kTips[section])) : QVariant();
}

} // namespace kernscope::ui
