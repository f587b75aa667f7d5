// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/patch/edit/copy_values.h"
#include "widgets/compare/pair_pictures.h"
#include "widgets/models/compare_model.h"
#include "widgets/models/session.h"
#include "widgets/models/task_manager.h"

#include <QList>

class QAction;

namespace kernscope::ui {

/// Kinds of files that a difference is saved as, for a file dialog: changes to be applied to
/// another copy of A (.kpatch), reports (.html, .md, .csv, .json, .xml).
QString differenceKinds();

/// The whole difference of two bundles as the text of such a file, by the ending of its name:
/// compares everything first, so not for the GUI thread. Errors: those of compareBundles and of
/// report::changeScript; "diff.format" for another ending.
Result<std::string> differenceDocument(const BundlePtr &a, const BundlePtr &b,
                                       const DiffLimits &limits,
                                       const std::vector<PairChoice> &chosen,
                                       const QString &fileName, Progress &progress);

/// Gives the document values of the other bundle, as edits that can be undone: an element, an
/// output channel, the codebook or all of the pair that is shown, or of every pair what keeps its
/// limits. Only the document is written; the other one is opened as the document for the way back.
class CompareCopies : public QObject
{
    Q_OBJECT

public:
    /// `model`: the rows, and the limits that they are held against; `element`: the one of the
    /// shown pair that is picked.
    CompareCopies(Session &session, const CompareModel &model,
                  std::function<std::optional<std::uint64_t>()> element, QObject *parent = nullptr);

    /// What is compared; B is the document where `documentIsB`.
    void setBundles(BundlePtr a, BundlePtr b, bool documentIsB);
    /// The pair that is shown.
    void setSubject(const PairSubject &subject);
    /// After other limits.
    void updateActions();

    /// Gives these elements of the shown pair (by its numbers) the values of the other bundle.
    void copyChosen(const QList<quint64> &elements);

    /// Element, channel, codebook, weight; all within the limits.
    QList<QAction *> actions() const { return m_actions; }
    QAction *weightAction() const { return m_actions[static_cast<int>(Extent::Weight)]; }
    bool working() const { return m_task.running(); }

private:
    enum class Extent : std::uint8_t { Element, Channel, Codebook, Weight };
    QAction *make(const QString &text, const QString &tip);
    void copy(Extent extent);
    void copyRuns(std::vector<patch::CopyRun> runs, const QString &title);
    void take(Result<std::vector<Edit>> edits, const QString &title, const QString &none);
    void acceptWithinLimits();
    const BundlePtr &document() const { return m_documentIsB ? m_b : m_a; }
    const BundlePtr &other() const { return m_documentIsB ? m_a : m_b; }
    std::size_t weightOf(bool document) const
    {
        return document == m_documentIsB ? m_subject.sides.b : m_subject.sides.a;
    }

    Session &m_session;
    const CompareModel &m_model;
    BundlePtr m_a, m_b;
    bool m_documentIsB = false;
    PairSubject m_subject;
    std::function<std::optional<std::uint64_t>()> m_element;
    QList<QAction *> m_actions;
    Job m_task{m_session.tasks()};
};

} // namespace kernscope::ui
