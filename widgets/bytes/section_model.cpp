// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/bytes/section_model.h"

#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/report/byte_table.h"
#include "widgets/common/icons.h"
#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"

#include <algorithm>
#include <limits>

namespace kernscope::ui {

SectionModel::SectionModel(QObject *parent)
    : RowTableModel(report::sectionTable().facts(), report::sectionTable().windowOrder, parent)
{
}

void SectionModel::setBundle(BundlePtr bundle)
{
    const bool sameRows = m_bundle && bundle &&
                          m_bundle->sections().size() == bundle->sections().size() &&
                          m_bundle->files().size() == bundle->files().size();
    replaceRows(sameRows, [&] { m_bundle = std::move(bundle); });
}

std::size_t SectionModel::rowTotal() const
{
    // Rows of a table view are ints; no real file comes near.
    constexpr auto kMost = static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max());
    return m_bundle ? std::min(m_bundle->sections().size(), kMost) : 0;
}

report::Value SectionModel::valueOf(std::size_t row, std::size_t declared) const
{
    return report::sectionTable().columns[declared].value(
        {m_bundle.get(), &m_bundle->sections()[row]});
}

QVariant SectionModel::lookOf(std::size_t row, int column, int role) const
{
    const Section &section = m_bundle->sections()[row];
    const std::string_view key = keyOf(column);
    if (role == Qt::ToolTipRole)
        return describeSection(*m_bundle, row);
    if (role == Qt::DisplayRole && key == "kind")
        return theme::sectionKindLabel(section.kind);
    if (role != Qt::DecorationRole)
        return {};
    if (key == "kind")
        return kindIcon(section.kind);
    if (key == "name" && m_bundle->files()[section.file].file->changed(section.range))
        return glyphIcon(theme::glyph(Token::MarkChanged), Token::MarkChanged);
    return {};
}

std::size_t SectionModel::sectionAt(int row) const
{
    return row >= 0 && row < rowCount() ? sourceRow(row) : kNoIndex;
}

QString describeSection(const Bundle &bundle, std::size_t at)
{
    const Section &section = bundle.sections()[at];
    const BundleFile &file = bundle.files()[section.file];
    QStringList lines{fromUtf8(bundle.nameOf(section))};
    const std::uint64_t last = section.range.end() - (section.range.bytes.value > 0 ? 1 : 0);
    lines +=
        SectionModel::tr("%1: %2 to %3, %4 bytes of %5")
            .arg(theme::sectionKindLabel(section.kind), hexNumber(section.range.offset.value),
                 hexNumber(last), groupedNumber(section.range.bytes.value), fromUtf8(file.path));
    if (const std::string_view owner = bundle.ownerOf(section); !owner.empty())
        lines += SectionModel::tr("Weight: %1").arg(fromUtf8(owner));
    if (file.file->changed(section.range))
        lines += SectionModel::tr("%1 Changed since the file was last saved.")
                     .arg(theme::glyph(Token::MarkChanged));
    return lines.join(u'\n');
}

} // namespace kernscope::ui

#include "moc_section_model.cpp"
