// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/inspector_model.h"

#include "widgets/models/table_text.h"

#include <QCoreApplication>

namespace kernscope::ui {

InspectorModel::InspectorModel(QObject *parent)
    : RowTableModel(report::readingTable().facts(), {}, parent)
{
    m_rows = report::readingRows({});
    chooseRows();
}

void InspectorModel::setBytes(std::span<const std::byte> bytes)
{
    replaceRows(true, [&] { m_rows = report::readingRows(bytes); });
}

report::Value InspectorModel::valueOf(std::size_t row, std::size_t declared) const
{
    return report::readingTable().columns[declared].value(m_rows[row]);
}

QVariant InspectorModel::lookOf(std::size_t row, int column, int role) const
{
    const bool big = keyOf(column) == "big_endian";
    if (!big && keyOf(column) != "little_endian")
        return {};
    const ByteReading &reading = big ? m_rows[row].big : m_rows[row].little;
    const QString text = fromUtf8(reading.value);
    switch (role) {
    case Qt::DisplayRole: return text.isEmpty() ? QStringLiteral("\u2013") : text;
    case Qt::AccessibleTextRole: return QStringLiteral("%1: %2").arg(fromUtf8(reading.name), text);
    case Qt::ToolTipRole: {
        const QString meaning =
            QCoreApplication::translate("kernscope::Column", std::string(reading.meaning).c_str());
        const QString order = big ? tr("%1, big-endian, beginning at the cursor")
                                  : tr("%1, little-endian, beginning at the cursor");
        return QStringLiteral("%1: %2").arg(reading.ordered ? order.arg(meaning) : meaning, text);
    }
    default: return {};
    }
}

} // namespace kernscope::ui

#include "moc_inspector_model.cpp"
