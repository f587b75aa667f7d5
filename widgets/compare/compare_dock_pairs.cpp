// SPDX-License-Identifier: GPL-3.0-or-later
// Pairs by hand: a row dragged onto another, a partner picked from a list, a pair taken apart.
#include "core/bundle/bundle.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/table_text.h"
#include "widgets/compare/compare_dock.h"
#include "widgets/compare/compare_runner.h"
#include "widgets/compare/pair_dialog.h"

#include <QAction>
#include <QTableView>

namespace kernscope::ui {

QList<QAction *> CompareDock::pairActions()
{
    m_pairAction =
        dockAction(this, tr("Pair with\u2026"), QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_J),
                   [this] { askPartner(); });
    m_pairAction->setToolTip(tr("Choose the weight that this one is compared with, by hand; or "
                                "drag a row onto another one"));
    m_unpairAction =
        dockAction(this, tr("Take the Pair Apart"), QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_U),
                   [this] { unpairRow(); });
    m_unpairAction->setToolTip(tr("Neither of the two has a partner then"));
    m_forgetPairsAction =
        dockAction(this, tr("Forget Pairs by Hand"), {}, [this] { choose(PairChoices()); });
    m_forgetPairsAction->setToolTip(tr("Pair all weights by what the program finds"));
    m_table->setDragEnabled(true);
    m_table->setAcceptDrops(true);
    m_table->setDragDropMode(QAbstractItemView::DragDrop);
    m_table->setDefaultDropAction(Qt::LinkAction);
    m_table->setDragDropOverwriteMode(true);
    connect(m_model, &CompareModel::rowDropped, this, &CompareDock::pairRows);
    updatePairActions();
    return {m_pairAction, m_unpairAction, m_forgetPairsAction};
}

void CompareDock::updatePairActions()
{
    const report::PairRow *row = m_row < m_model->rows().size() ? &m_model->rows()[m_row] : nullptr;
    m_pairAction->setEnabled(row != nullptr);
    m_unpairAction->setEnabled(row && row->onA() && row->onB() && !row->pair.slice);
    m_forgetPairsAction->setEnabled(!m_choices.empty());
}

void CompareDock::setChoices(const PairChoices &choices)
{
    if (m_choices == choices)
        return;
    m_choices = choices;
    updatePairActions();
    scheduleRefresh();
    Q_EMIT choicesChanged(m_choices);
}

/// As setChoices(), by a person: to be kept.
void CompareDock::choose(const PairChoices &choices)
{
    if (m_choices == choices)
        return;
    setChoices(choices);
    Q_EMIT pairsChosen();
}

std::vector<PairChoice> CompareDock::resolvedChoices() const
{
    if (!m_a || !m_b)
        return {};
    return m_choices.resolve(m_swapped ? *m_b : *m_a, m_swapped ? *m_a : *m_b, m_swapped);
}

/// A or B as the session has them now, which the rows may not be of yet.
BundlePtr CompareDock::side(bool ofA) const
{
    return ofA != m_swapped ? session().bundle() : session().other();
}

void CompareDock::choosePair(std::size_t weightA, std::size_t weightB)
{
    const BundlePtr bundleA = side(true), bundleB = side(false);
    if (!bundleA || !bundleB || weightA >= bundleA->weights().size() ||
        weightB >= bundleB->weights().size())
        return;
    const QString a = fromUtf8(bundleA->weights()[weightA].findableName());
    const QString b = fromUtf8(bundleB->weights()[weightB].findableName());
    PairChoices choices = m_choices;
    choices.pair(m_swapped ? b : a, m_swapped ? a : b);
    // The new row is the one to be seen.
    m_shownA = bundleA->weights()[weightA].name;
    m_shownB = bundleB->weights()[weightB].name;
    choose(choices);
    Q_EMIT session().statusMessage(tr("%1 of A and %2 of B are a pair by hand.").arg(a, b));
}

/// Of the row that is dragged the side that the other row lacks; of two pairs A of the dragged one
/// and B of the other.
void CompareDock::pairRows(std::size_t dragged, std::size_t onto)
{
    const auto &rows = m_model->rows();
    if (dragged == onto || dragged >= rows.size() || onto >= rows.size())
        return;
    const ComparedPair &from = rows[dragged].pair, &to = rows[onto].pair;
    const bool takesB = !rows[dragged].onA() || (rows[dragged].onB() && !rows[onto].onB());
    const std::size_t a = takesB ? to.a : from.a, b = takesB ? from.b : to.b;
    if (a == kNoIndex || b == kNoIndex)
        Q_EMIT session().statusMessage(tr("Both weights are on one side: no pair."));
    else
        choosePair(a, b);
}

void CompareDock::askPartner()
{
    if (m_row >= m_model->rows().size())
        return;
    const report::PairRow &row = m_model->rows()[m_row];
    askPartner(row.onA() ? row.pair.a : row.pair.b, row.onA());
}

void CompareDock::askPartner(std::size_t weight, bool ofA)
{
    const BundlePtr own = side(ofA), others = side(!ofA);
    if (!own || !others || weight >= own->weights().size())
        return;
    auto *dialog = new PairDialog(own->weights()[weight], others, window());
    connect(dialog, &PairDialog::chosen, this,
            [this, weight, ofA, own, others](std::size_t chosen) {
                const BundlePtr ownNow = side(ofA), othersNow = side(!ofA);
                if (ownNow && othersNow && ownNow->path() == own->path() &&
                    othersNow->path() == others->path())
                    choosePair(ofA ? weight : chosen, ofA ? chosen : weight);
            });
    dialog->open();
}

void CompareDock::askPartnerOfDocument(std::size_t weight)
{
    askPartner(weight, !m_swapped);
}

void CompareDock::unpairRow()
{
    if (m_row >= m_model->rows().size() || !m_a || !m_b)
        return;
    const report::PairRow &row = m_model->rows()[m_row];
    if (!row.onA() || !row.onB())
        return;
    const QString a = fromUtf8(m_a->weights()[row.pair.a].findableName());
    const QString b = fromUtf8(m_b->weights()[row.pair.b].findableName());
    PairChoices choices = m_choices;
    choices.leaveDocumentAlone(m_swapped ? b : a);
    choices.leaveOtherAlone(m_swapped ? a : b);
    choose(choices);
}

} // namespace kernscope::ui
