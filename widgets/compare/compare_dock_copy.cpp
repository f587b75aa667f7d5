// SPDX-License-Identifier: GPL-3.0-or-later
// Values of the other bundle given to the document, as edits that can be undone.
#include "core/diff/codebook_match.h"
#include "core/patch/edit/copy_values.h"
#include "widgets/common/counted_words.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/table_text.h"
#include "widgets/compare/compare_dock.h"
#include "widgets/compare/pair_pictures.h"

#include <QAction>

#include <algorithm>

namespace kernscope::ui {

namespace {

/// Elements [first, first + count) of a pair as runs that lie alike on both sides.
void addRuns(const PairSubject &subject, bool toA, std::uint64_t first, std::uint64_t count,
             std::vector<patch::CopyRun> &runs)
{
    const std::uint64_t run =
        subject.isPart() ? diff::sliceOf(*subject.a, *subject.b, subject.sides).run : UINT64_MAX;
    for (std::uint64_t at = first; at < first + count;) {
        const std::uint64_t left = run == UINT64_MAX ? count : run - at % run;
        const std::uint64_t some = std::min(left, first + count - at);
        runs.push_back({subject.elementOn(toA, at), subject.elementOn(!toA, at), some});
        at += some;
    }
}

} // namespace

QList<QAction *> CompareDock::copyActions()
{
    const auto make = [this](const QString &text, const QString &tip, Extent extent) {
        QAction *action = dockAction(this, text, {}, [this, extent] { copyFromOther(extent); });
        action->setToolTip(tip);
        action->setEnabled(false);
        return action;
    };
    return {make(tr("Copy Element from the Other"),
                 tr("Give the selected element the value that it has in the other bundle"),
                 Extent::Element),
            make(tr("Copy Channel from the Other"),
                 tr("Give the output channel of the selected element the values of the other "
                    "bundle"),
                 Extent::Channel),
            make(tr("Copy Codebook from the Other"),
                 tr("Give the codebooks the entries of the other bundle; the indices stay"),
                 Extent::Codebook),
            make(tr("Copy Weight from the Other"),
                 tr("Give the whole weight the values that it has in the other bundle, in its own "
                    "form"),
                 Extent::Weight)};
}

/// Only the document is written; the other one is opened as the document for the way back.
void CompareDock::updateCopyActions()
{
    const report::PairRow *row = m_row < m_model->rows().size() ? &m_model->rows()[m_row] : nullptr;
    const bool pair = row && row->onA() && row->onB() && row->pair.shapeEqual;
    for (QAction *action : m_copyActions)
        action->setEnabled(pair && session().patchingEnabled());
    QAction *codebook = m_copyActions[static_cast<int>(Extent::Codebook)];
    codebook->setEnabled(codebook->isEnabled() && m_a && m_b && !row->pair.slice &&
                         hasCodebooks(*m_a, *m_b, row->pair));
    m_acceptAction->setEnabled(m_model->limits().any() && session().patchingEnabled());
}

void CompareDock::copyFromOther(Extent extent)
{
    const PairSubject subject = subjectOf(m_row);
    if (!subject.comparable())
        return;
    const auto element = m_pictures->element();
    if ((extent == Extent::Element || extent == Extent::Channel) && !element) {
        Q_EMIT session().statusMessage(tr("Pick an element first."));
        return;
    }
    const Weight &weight = subject.weight();
    const QString name = fromUtf8(weight.name);
    const std::uint64_t channels =
        weight.shape.empty() ? 1 : std::max<std::uint64_t>(weight.shape[0], 1);
    const std::uint64_t perChannel = std::max<std::uint64_t>(weight.elements.value / channels, 1);
    const BundlePtr to = m_swapped ? m_b : m_a, from = m_swapped ? m_a : m_b;
    switch (extent) {
    case Extent::Element:
        return copyRange(*element, 1, tr("Copy an element of %1 from the other").arg(name));
    case Extent::Channel:
        return copyRange(*element / perChannel * perChannel, perChannel,
                         tr("Copy a channel of %1 from the other").arg(name));
    case Extent::Weight:
        return copyRange(0, weight.elements.value, tr("Copy %1 from the other").arg(name));
    case Extent::Codebook:
        return takeCopied(to,
                          patch::copyCodebooks(*to, m_swapped ? subject.sides.b : subject.sides.a,
                                               *from,
                                               m_swapped ? subject.sides.a : subject.sides.b),
                          tr("Copy the codebook of %1 from the other").arg(name));
    }
}

void CompareDock::copyChosen(const QList<quint64> &elements)
{
    const PairSubject subject = subjectOf(m_row);
    if (!subject.comparable() || !session().patchingEnabled()) {
        Q_EMIT session().statusMessage(tr("Patching is locked: unlock it in the Edit menu first."));
        return;
    }
    copyElements(elements, tr("Copy %1 of %2 from the other")
                               .arg(countedWords(static_cast<std::uint64_t>(elements.size()),
                                                 tr("1 element"), tr("%1 elements")),
                                    fromUtf8(subject.weight().name)));
}

void CompareDock::copyRange(std::uint64_t first, std::uint64_t count, const QString &title)
{
    std::vector<patch::CopyRun> runs;
    addRuns(subjectOf(m_row), !m_swapped, first, count, runs);
    copyRuns(std::move(runs), title);
}

void CompareDock::copyElements(const QList<quint64> &elements, const QString &title)
{
    std::vector<patch::CopyRun> runs;
    for (const quint64 element : elements)
        addRuns(subjectOf(m_row), !m_swapped, element, 1, runs);
    copyRuns(std::move(runs), title);
}

void CompareDock::copyRuns(std::vector<patch::CopyRun> runs, const QString &title)
{
    const PairSubject subject = subjectOf(m_row);
    const BundlePtr to = m_swapped ? m_b : m_a, from = m_swapped ? m_a : m_b;
    const std::size_t weightTo = m_swapped ? subject.sides.b : subject.sides.a;
    const std::size_t weightFrom = m_swapped ? subject.sides.a : subject.sides.b;
    if (m_copying)
        m_copying->cancel();
    m_copying = session().tasks().start(
        this, tr("Reading the values to copy"),
        [=, runs = std::move(runs)](Progress &progress) {
            std::uint64_t elements = 0;
            for (const patch::CopyRun &run : runs)
                elements += run.count;
            progress.setTotal(elements);
            return patch::copyRuns(*to, weightTo, *from, weightFrom, runs, &progress);
        },
        [this, to, title](Result<std::vector<Edit>> edits) {
            m_copying = nullptr;
            takeCopied(to, std::move(edits), title);
        });
}

void CompareDock::takeCopied(const BundlePtr &to, Result<std::vector<Edit>> edits,
                             const QString &title)
{
    if (!edits)
        Q_EMIT session().statusMessage(fromUtf8(describe(edits.error())));
    else if (edits->empty())
        Q_EMIT session().statusMessage(tr("These values are the same already."));
    else if (session().bundle() == to)
        session().requestEdits(*std::move(edits), title);
}

} // namespace kernscope::ui
