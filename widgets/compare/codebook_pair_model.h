// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/places_table.h"
#include "widgets/common/row_table_model.h"

#include <memory>
#include <optional>

namespace kernscope::ui {

using CodebookMatchPtr = std::shared_ptr<const CodebookMatch>;

/// Entries of the codebooks of a pair: those of A in their order, then those that only B has.
class CodebookPairModel final : public RowTable<report::EntryFacts>
{
public:
    explicit CodebookPairModel(QObject *parent = nullptr);

    /// Null: no rows.
    void setMatch(CodebookMatchPtr match);
    /// The element that a shown row leads to: one that takes the entry; empty where none does.
    std::optional<std::uint64_t> elementAt(int row) const;

private:
    CodebookMatchPtr m_match; ///< the rows point into it
};

} // namespace kernscope::ui
