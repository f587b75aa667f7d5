// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/dock.h"
#include "widgets/compare/pair_pictures.h"
#include "widgets/models/compare_model.h"
#include "widgets/models/task_manager.h"

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

/// A dock of the pair that the Compare dock shows; a pinned one stays with the pair that it has.
class PairPlacesDock : public Dock
{
public:
    /// Those of the pair that is shown now.
    void setPlaces(const PairPlaces &places);

protected:
    PairPlacesDock(Session &session, const QString &id, const QString &title, QWidget *parent);

    /// Whether others than those that are shown need a refresh.
    virtual bool replaces(const PairPlaces &) const { return true; }

    PairPlaces m_places; ///< wanted

private:
    PairPlaces m_latest; ///< what setPlaces() was told last
};

/// Where the pair that the Compare dock shows is furthest apart: its output channels as a table
/// and as a strip, and the worst elements. Choosing one goes there in both bundles.
class PlacesDock : public PairPlacesDock
{
    Q_OBJECT

public:
    explicit PlacesDock(Session &session, QWidget *parent = nullptr);

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

    ChannelModel *m_channelModel = nullptr;
    ElementModel *m_elementModel = nullptr;
    QTableView *m_channels = nullptr, *m_elements = nullptr;
    QLabel *m_channelTitle = nullptr, *m_elementTitle = nullptr;
    ChannelPlot *m_strip = nullptr;
    QAction *m_worstFirst = nullptr, *m_copyChosen = nullptr;
};

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

/// The codebooks of the pair that the Compare dock shows, entry to entry. Choosing an entry goes to
/// the first element that takes it.
class CodebooksDock : public PairPlacesDock
{
    Q_OBJECT

public:
    explicit CodebooksDock(Session &session, QWidget *parent = nullptr);

    QTableView *table() const { return m_table; }
    const CodebookPairModel &model() const { return *m_model; }

protected:
    void refresh() override;
    bool replaces(const PairPlaces &places) const override;

private:
    void match();
    void showMatch(const Result<CodebookMatch> &match);
    void clear(const QString &message);

    PairPlaces m_matched; ///< what the rows are of
    CodebookPairModel *m_model = nullptr;
    QTableView *m_table = nullptr;
    QLabel *m_title = nullptr;
    QAction *m_again = nullptr;
    Job m_task{session().tasks(), this};
};

} // namespace kernscope::ui
