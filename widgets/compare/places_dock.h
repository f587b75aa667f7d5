// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/dock.h"
#include "widgets/compare/pair_pictures.h"
#include "widgets/models/compare_model.h"

#include <QList>

namespace kernscope::ui {

class ChannelPlot;

/// What the places of a pair are of: made by the dock that shows the pair.
struct PairPlaces {
    PairSubject subject;
    bool documentIsB = false;
    WorstPlacesPtr places; ///< null: still looked for, or there are none
    QString obstacle;      ///< why there are none; empty while they are looked for

    /// Whether they are of the two bundles that are open now, or of those before an edit: weights
    /// then have the same numbers.
    bool ofNow(const Session &session) const;
    bool sameWeights(const PairPlaces &other) const
    {
        return documentIsB == other.documentIsB && subject.sameWeights(other.subject);
    }
    std::size_t documentWeight() const { return documentIsB ? subject.sides.b : subject.sides.a; }
};

/// Where the pair that the Compare dock shows is furthest apart: its output channels as a table
/// and as a strip, and the worst elements. Choosing one goes there in both bundles.
class PlacesDock : public Dock
{
    Q_OBJECT

public:
    explicit PlacesDock(Session &session, QWidget *parent = nullptr);

    /// Those of the pair that is shown now; a pinned dock stays with the pair that it has.
    void setPlaces(const PairPlaces &places);

    QTableView *channels() const { return m_channels; }
    QTableView *elements() const { return m_elements; }
    ChannelPlot *strip() const { return m_strip; }

Q_SIGNALS:
    /// Elements of the pair (by its numbers) that get the values of the other bundle.
    void copyWanted(const QList<quint64> &elements);

protected:
    void refresh() override;
    void follow(const Place &place, QObject *origin) override;

private:
    QWidget *buildChannels(QWidget *parent);
    QWidget *buildElements(QWidget *parent);
    void buildActions();
    void goWhenChosen(QTableView *table,
                      const std::function<std::optional<std::uint64_t>(int)> &elementAt);
    void goTo(std::optional<std::uint64_t> element);
    void markElement(std::uint64_t element);
    void copyChosen();

    PairPlaces m_places, m_latest; ///< shown, and what setPlaces() was told last
    ChannelModel *m_channelModel = nullptr;
    ElementModel *m_elementModel = nullptr;
    QTableView *m_channels = nullptr, *m_elements = nullptr;
    QLabel *m_channelTitle = nullptr, *m_elementTitle = nullptr;
    ChannelPlot *m_strip = nullptr;
    QAction *m_worstFirst = nullptr, *m_copyChosen = nullptr;
    bool m_following = false;
};

} // namespace kernscope::ui
