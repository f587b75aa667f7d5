// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/dock.h"

#include <QList>

namespace kernscope::ui {

class CompareDock;
struct PairPlaces;

/// The inspector of a comparison: everything that is known of the pair that the Compare dock shows,
/// in sections. It is pinned along with that dock.
class PairDock final : public Dock
{
    Q_OBJECT

public:
    explicit PairDock(Session &session, QWidget *parent = nullptr);

    /// None: those of the figures are the Compare dock's.
    QList<QAction *> menuActions() const { return {}; }
    /// Whose figures are shown; once.
    void inspect(CompareDock &compare);

Q_SIGNALS:
    /// The person followed a link to what another dock shows.
    void raiseRequested(const QString &dockId);

protected:
    void refresh() override;
    void follow(const Place &place, QObject *origin) override;

private:
    void setPlaces(const PairPlaces &places);

    CompareDock *m_compare = nullptr;
    QWidget *m_content = nullptr;
    bool m_chosen = false;
};

} // namespace kernscope::ui
