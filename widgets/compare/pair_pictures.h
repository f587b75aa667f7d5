// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/element_changes.h"
#include "core/compare/pair_reader.h"
#include "widgets/common/qt_fwd.h"
#include "widgets/common/tile_view.h"
#include "widgets/compare/difference_tiles.h"

#include <QSplitter>
#include <QString>

namespace kernscope::ui {

class ElidedLabel;

/// One picture of a row: its title, the picture or a message in its place, what its colours mean.
class PicturePane : public QWidget
{
    Q_OBJECT

public:
    /// `side` stands in bold before the title.
    PicturePane(TaskManager &tasks, const QString &name, const QString &side, QWidget *parent);

    void setTitle(const QString &title);
    void show(TileSourcePtr source, bool keepPosition);
    void showMessage(const QString &text);
    /// A cell that stays is not brought into sight again: an edit must not move the view.
    void markCell(std::optional<Cell> cell);
    bool loading() const { return m_view->source() && m_view->loading(); }

    TileView *view() const { return m_view; }
    ColorScale &legend() const { return *m_legend; }

private:
    ElidedLabel *m_title = nullptr;
    QStackedWidget *m_stack = nullptr;
    TileView *m_view = nullptr;
    QLabel *m_message = nullptr;
    ColorScale *m_legend = nullptr;
};

/// Pictures side by side, with one view position and zoom as long as they show the same cells.
class PictureRow : public QSplitter
{
    Q_OBJECT

public:
    explicit PictureRow(QWidget *parent);

    PicturePane *addPane(TaskManager &tasks, const QString &name, const QString &side = {});
    PicturePane &pane(std::size_t number) const { return *m_panes[number]; }
    const std::vector<PicturePane *> &panes() const { return m_panes; }
    void setLinked(bool linked) { m_linked = linked; }
    bool loading() const;

private:
    std::vector<PicturePane *> m_panes;
    bool m_linked = true;
};

/// Two weights to be set side by side, or one where the other side has none. Elements are numbered
/// as those of A; of a part of a split or merged weight as those of the part.
struct PairSubject {
    BundlePtr a, b;
    PairSides sides;
    QString obstacle; ///< why their values cannot be compared; empty where they can

    bool hasA() const { return a && sides.a < a->weights().size(); }
    bool hasB() const { return b && sides.b < b->weights().size(); }
    bool comparable() const { return hasA() && hasB() && obstacle.isEmpty(); }
    /// Whose elements are numbered; only where comparable.
    const Weight &weight() const { return comparedWeight(*a, *b, sides); }
    /// Element of a side's weight for one of the pair; and the way back: nothing for what belongs
    /// to another part.
    std::uint64_t elementOn(bool ofA, std::uint64_t element) const;
    std::optional<std::uint64_t> elementOf(bool ofA, std::uint64_t onSide) const;
    /// How the elements of a side lie in its picture: cells of both are the same.
    SliceMap mapOf(bool ofA) const;
    bool isPart() const { return sides.slice && comparable(); }
    bool isSlice(bool ofA) const { return isPart() && sides.slice->ofA == ofA; }
    /// The same weights, whatever their bytes.
    bool sameWeights(const PairSubject &other) const;
};

/// One element as both sides store it; nothing where a side does not have it.
struct ElementReadings {
    std::uint64_t element = 0;
    std::optional<StoredElement> a, b;
};

enum class PictureMode : std::uint8_t {
    Values,   ///< heat maps, and B minus A
    Relative, ///< heat maps, and B minus A over the size of A
    Zeros,    ///< masks, and which side keeps what
};

/// A, B and their difference as pictures with one view position, zoom and cell between them.
class PairPictures : public QWidget
{
    Q_OBJECT

public:
    explicit PairPictures(TaskManager &tasks, QWidget *parent = nullptr);

    /// Shows a pair; the same pair after an edit keeps position and cell. The sample gives the
    /// range of the difference's colours.
    void show(const PairSubject &subject, const PairSample &sample);
    void clear();
    /// The largest difference of all elements, once it is known: what the difference is coloured by
    /// where the sample has met none.
    void setLargestDifference(double largest);
    /// Where the coarse tiles of A and B are kept, along with those of the views of single weights.
    void setPyramids(WeightPyramids &pyramids) { m_pyramids = &pyramids; }
    const PairSubject &subject() const { return m_subject; }
    void setMode(PictureMode mode);
    PictureMode mode() const { return m_mode; }

    /// Marks the cell of an element in all three; emits nothing.
    void setElement(std::optional<std::uint64_t> element);
    std::optional<std::uint64_t> element() const { return m_element; }
    /// What the marked cell holds on both sides, in words.
    QString readout() const;

    TileView *viewA() const { return m_row->pane(0).view(); }
    TileView *viewB() const { return m_row->pane(1).view(); }
    TileView *viewDifference() const { return m_row->pane(2).view(); }
    bool loading() const;

Q_SIGNALS:
    void elementPicked(quint64 element); ///< by mouse or keys
    void loaded();
    /// What the marked element holds on both sides; and that none is marked any more.
    void elementRead(const kernscope::ui::ElementReadings &readings);
    void elementLeft();

protected:
    void changeEvent(QEvent *event) override;

private:
    void connectPane(TileView *view);
    void remake(bool keepPosition);
    void showSide(bool ofA, const WeightReaderPtr &reader, bool keepPosition);
    void showDifference(bool keepPosition);
    void showDifferenceLegend();
    double differenceRange() const;
    bool relative() const { return m_mode == PictureMode::Relative; }
    const ValueTiles *valuesOf(bool ofA) const; ///< null where no values are drawn
    void showOwnRanges();
    void markCells();
    void readCell();
    void setReadout(const QString &text);

    PicturePyramid pyramidOf(bool ofA, const WeightReaderPtr &reader) const;
    PicturePyramid differencePyramid() const;

    TaskManager &m_tasks;
    WeightPyramids *m_pyramids = nullptr;
    PictureRow *m_row = nullptr; ///< A, B, difference
    ElidedLabel *m_readout = nullptr;
    PairSubject m_subject;
    PairSample m_sample;
    std::optional<double> m_largest; ///< difference of all elements; empty: not known yet
    WeightReaderPtr m_readerA, m_readerB;
    PictureMode m_mode = PictureMode::Values;
    std::optional<std::uint64_t> m_element;
    Job m_reading{m_tasks};
};

} // namespace kernscope::ui
