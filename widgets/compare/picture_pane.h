// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/tile_view.h"
#include "widgets/compare/difference_tiles.h"

#include <QSplitter>
#include <QString>
#include <QWidget>

#include <optional>
#include <vector>

class QLabel;
class QStackedWidget;

namespace kernscope::ui {

class ElidedLabel;

/// What the colours of a picture mean: a scale about zero, or swatches with the shape that goes
/// with each colour and a word. Its words are its accessible description.
class PictureLegend : public QWidget
{
    Q_OBJECT

public:
    explicit PictureLegend(QWidget *parent = nullptr);

    /// From -range in blue to +range in orange; `percent`: of the value in A, written so.
    void showScale(double range, bool percent = false);
    /// Kept and left out, of one weight.
    void showMask();
    /// The four states of a pair.
    void showKept();
    /// Of a picture in which nothing differs.
    void showEqual();
    void clear();

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    enum class Kind : std::uint8_t { None, Scale, Mask, Kept, Equal };
    struct Swatch {
        QColor color;
        CellShape shape;
        QString text;
    };
    std::vector<Swatch> swatches() const;
    void setKind(Kind kind);
    void paintScale(QPainter &painter) const;
    void paintSwatches(QPainter &painter) const;
    void paintSwatch(QPainter &painter, const QRectF &box, const Swatch &swatch) const;

    Kind m_kind = Kind::None;
    QString endText(bool negative) const;

    double m_range = 0;
    bool m_percent = false;
};

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
    PictureLegend &legend() const { return *m_legend; }

private:
    ElidedLabel *m_title = nullptr;
    QStackedWidget *m_stack = nullptr;
    TileView *m_view = nullptr;
    QLabel *m_message = nullptr;
    PictureLegend *m_legend = nullptr;
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

} // namespace kernscope::ui
