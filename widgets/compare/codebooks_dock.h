// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/places_table.h"
#include "widgets/common/qt_fwd.h"
#include "widgets/compare/places_dock.h"
#include "widgets/models/row_table_model.h"
#include "widgets/models/task_manager.h"

#include <QList>

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

namespace kernscope::ui {

/// The codebooks of the pair that the Compare dock shows, entry to entry. Choosing an entry goes to
/// the first element that takes it.
class CodebooksDock : public Dock
{
    Q_OBJECT

public:
    explicit CodebooksDock(Session &session, QWidget *parent = nullptr);

    /// Those of the pair that is shown now; a pinned dock stays with the pair that it has.
    void setPlaces(const PairPlaces &places);

    QTableView *table() const { return m_table; }
    const CodebookPairModel &model() const { return *m_model; }

protected:
    void refresh() override;

private:
    void match();
    void showMatch(const Result<CodebookMatch> &match);
    void clear(const QString &message);

    PairPlaces m_places, m_latest; ///< wanted, and what setPlaces() was told last
    PairPlaces m_matched;          ///< what the rows are of
    CodebookPairModel *m_model = nullptr;
    QTableView *m_table = nullptr;
    QLabel *m_title = nullptr;
    QAction *m_again = nullptr;
    Job m_task{session().tasks(), this};
};

} // namespace kernscope::ui
