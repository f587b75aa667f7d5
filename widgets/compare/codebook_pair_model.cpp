// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/codebook_pair_model.h"

#include <array>
#include <utility>

namespace kernscope::ui {

namespace {

/// A sign beside the word, so that a column of them is read at a glance; by EntryChange.
constexpr std::array<const char *, kEntryChanges> kChangeGlyphs{
    "=", "\u21C5", "\u2260", "\u22CF", "\u22CE", "\u2715", "\u25CB", "+"};

} // namespace

CodebookPairModel::CodebookPairModel(QObject *parent) : RowTable(report::entryTable(), parent)
{
    setLook([](const report::EntryFacts &row, std::string_view key, int role) -> QVariant {
        if (key != "change" || role != Qt::DisplayRole)
            return {};
        const EntryChange change = row.get().change;
        return QString::fromUtf8(kChangeGlyphs[static_cast<std::size_t>(change)]) + u' ' +
               cellText(report::Word{entryChangeName(change)});
    });
}

void CodebookPairModel::setMatch(CodebookMatchPtr match)
{
    // The rows of before are looked at while the new ones come.
    const CodebookMatchPtr before = std::exchange(m_match, std::move(match));
    setRows(m_match ? report::entryRows(*m_match) : std::vector<report::EntryFacts>());
}

std::optional<std::uint64_t> CodebookPairModel::elementAt(int row) const
{
    return row >= 0 && row < rowCount() ? rowAt(row).get().element : std::nullopt;
}

} // namespace kernscope::ui
