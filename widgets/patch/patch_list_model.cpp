// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/patch/patch_list_model.h"

#include "core/report/edit_table.h"
#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"

#include <QFont>
#include <QPalette>

namespace kernscope::ui {

namespace {

QString noteText(const AppliedEdit &edit)
{
    QStringList parts;
    for (const std::string &part : {edit.note, edit.edit.note}) {
        if (!part.empty())
            parts << fromUtf8(part);
    }
    return parts.join(QStringLiteral("; "));
}

} // namespace

PatchListModel::PatchListModel(QObject *parent)
    : RowTableModel(report::editTable().facts(), report::editTable().windowOrder, parent)
{
}

void PatchListModel::setPatches(BundlePtr bundle, std::vector<PatchEntry> patches)
{
    replaceRows(false, [&] {
        m_bundle = std::move(bundle);
        m_patches = std::move(patches);
    });
}

report::Value PatchListModel::valueOf(std::size_t row, std::size_t declared) const
{
    const PatchEntry &entry = m_patches[row];
    return report::editTable().columns[declared].value(
        {m_bundle.get(), entry.edit.get(), entry.active});
}

QVariant PatchListModel::lookOf(std::size_t row, int column, int role) const
{
    const PatchEntry &entry = m_patches[row];
    const std::string_view key = keyOf(column);
    switch (role) {
    case Qt::DisplayRole:
        if (key == "where")
            return m_bundle ? whereText(*m_bundle, *entry.edit) : QString();
        return key == "note" ? QVariant(noteText(*entry.edit)) : QVariant();
    case Qt::CheckStateRole:
        return key == "active" ? QVariant(entry.active ? Qt::Checked : Qt::Unchecked) : QVariant();
    case Qt::ForegroundRole:
        return entry.active ? QVariant() : QVariant(QPalette().color(QPalette::PlaceholderText));
    case Qt::FontRole: {
        if (key == "active" || entry.active)
            return {};
        QFont font;
        font.setStrikeOut(true);
        return font;
    }
    case Qt::ToolTipRole:
        if (key == "active")
            return entry.active ? tr("Clear to undo this edit and all later ones")
                                : tr("Tick to redo this edit and all earlier ones");
        return key == "where" && m_bundle ? QVariant(byteText(*m_bundle, *entry.edit)) : QVariant();
    default: return {};
    }
}

Qt::ItemFlags PatchListModel::flags(const QModelIndex &index) const
{
    const Qt::ItemFlags base = RowTableModel::flags(index);
    const bool tick = index.isValid() && keyOf(index.column()) == "active";
    return tick ? base | Qt::ItemIsUserCheckable : base;
}

bool PatchListModel::setData(const QModelIndex &index, const QVariant &value, int role)
{
    if (role != Qt::CheckStateRole || !checkIndex(index, CheckIndexOption::IndexIsValid) ||
        keyOf(index.column()) != "active")
        return false;
    const PatchEntry &entry = at(index.row());
    const bool wanted = value.toInt() == Qt::Checked;
    if (wanted == entry.active)
        return false;
    Q_EMIT stepWanted(wanted ? entry.step + 1 : entry.step);
    return true;
}

} // namespace kernscope::ui
