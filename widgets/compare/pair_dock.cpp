// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/pair_dock.h"

#include "widgets/common/table_text.h"
#include "widgets/compare/compare_dock.h"
#include "widgets/compare/pair_figures.h"
#include "widgets/compare/places_dock.h"

#include <QVBoxLayout>

namespace kernscope::ui {

PairDock::PairDock(Session &session, QWidget *parent)
    : Dock(session, QStringLiteral("pair"), tr("Pair"), parent), m_content(new QWidget(this))
{
    auto *column = new QVBoxLayout(m_content);
    column->setContentsMargins(0, 0, 0, 0);
    setContent(m_content);
    connect(&session, &Session::otherChanged, this, &PairDock::scheduleRefresh);
}

void PairDock::inspect(CompareDock &compare)
{
    m_compare = &compare;
    m_content->layout()->addWidget(compare.figures());
    compare.figures()->show();
    connect(&compare, &CompareDock::placesChanged, this, &PairDock::setPlaces);
    connect(compare.figures(), &PairFigures::dockWanted, this, &PairDock::raiseRequested);
    connect(this, &Dock::pinnedChanged, &compare, &Dock::setPinned);
    connect(&compare, &Dock::pinnedChanged, this, &Dock::setPinned);
}

void PairDock::refresh()
{
    if (!session().bundle() || !session().other())
        showMessage(session().bundle() ? tr("Open a second bundle to compare (Ctrl+Shift+O).")
                                       : tr("Open a bundle to begin (Ctrl+O)."));
    else if (!m_chosen)
        showMessage(tr("Select a pair of weights in Compare to see how it differs."));
    else
        showContent();
}

/// The Compare dock does not follow while it stands behind another one, such as Builds.
void PairDock::follow(const Place &place, QObject *origin)
{
    if (m_compare != nullptr && !m_compare->onView())
        m_compare->followHidden(place, origin);
}

void PairDock::setPlaces(const PairPlaces &places)
{
    const PairSubject &subject = places.subject;
    m_chosen = subject.hasA() || subject.hasB();
    setNote(m_chosen ? fromUtf8((subject.hasA() ? subject.a->weights()[subject.sides.a]
                                                : subject.b->weights()[subject.sides.b])
                                    .name)
                     : QString());
    scheduleRefresh();
}

} // namespace kernscope::ui

#include "moc_pair_dock.cpp"
