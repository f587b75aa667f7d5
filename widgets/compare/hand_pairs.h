// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/qt_fwd.h"
#include "widgets/compare/shown_pair.h"
#include "widgets/models/compare_model.h"
#include "widgets/models/session.h"

#include <QDialog>
#include <QList>

namespace kernscope::ui {

/// Asks which weight of a bundle is the partner of one of another: a list that is filtered as one
/// types, those of the same shape first.
class PairDialog : public QDialog
{
    Q_OBJECT

public:
    /// `weight`: the one that gets a partner; `candidates`: the bundle that the partner is in.
    PairDialog(const Weight &weight, const BundlePtr &candidates, QWidget *parent = nullptr);

    QListWidget *list() const { return m_list; }
    QLineEdit *filter() const { return m_filter; }

Q_SIGNALS:
    /// Index into Bundle::weights() of the candidates.
    void chosen(std::size_t weight);

private:
    void fill(const Weight &weight, const Bundle &candidates);
    void applyFilter();

    QLineEdit *m_filter = nullptr;
    QListWidget *m_list = nullptr;
    QDialogButtonBox *m_buttons = nullptr;
};

/// Pairs by hand: a row dragged onto another, a partner picked from a list, a pair taken apart.
class HandPairs : public QObject
{
    Q_OBJECT

public:
    /// Dialogs are of the window of `widget`, which has the shortcuts.
    HandPairs(Session &session, CompareModel &model, QWidget *widget);

    const PairChoices &choices() const { return m_choices; }
    void setChoices(const PairChoices &choices);
    /// For pairWeights() of these two, the one of the document being A unless it is B.
    std::vector<PairChoice> resolved(const BundlePtr &a, const BundlePtr &b) const;
    void setDocumentIsB(bool documentIsB) { m_documentIsB = documentIsB; }
    /// The row that is shown, by its stable number.
    void setRow(std::size_t row);
    void askPartnerOfDocument(std::size_t weight) { askPartner(weight, !m_documentIsB); }

    QList<QAction *> actions() const { return {m_pair, m_unpair, m_forget}; }

Q_SIGNALS:
    /// Whatever the cause; and by a person.
    void choicesChanged(const kernscope::ui::PairChoices &choices);
    void pairsChosen();
    /// The row of these two weights is the one to be seen.
    void pairMade(const std::string &nameA, const std::string &nameB);

private:
    void choose(const PairChoices &choices);
    /// A or B as the session has them now, which the rows may not be of yet.
    BundlePtr side(bool ofA) const;
    void choosePair(std::size_t weightA, std::size_t weightB);
    void pairRows(std::size_t dragged, std::size_t onto);
    void askPartner(std::size_t weight, bool ofA);
    void askPartnerOfRow();
    void unpairRow();
    void updateActions();
    const report::PairRow *row() const
    {
        return m_row < m_model.rows().size() ? &m_model.rows()[m_row] : nullptr;
    }

    Session &m_session;
    CompareModel &m_model;
    QWidget *m_widget;
    PairChoices m_choices;
    bool m_documentIsB = false;
    std::size_t m_row = kNoIndex;
    QAction *m_pair = nullptr, *m_unpair = nullptr, *m_forget = nullptr;
};

} // namespace kernscope::ui
