// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/graph/picture.h"

#include <QAbstractScrollArea>
#include <QFont>
#include <QPainterPath>
#include <QPoint>
#include <QRectF>
#include <QString>
#include <QStringList>

namespace kernscope::ui {

/// A drawing that is ready to be painted: texts, boxes and arrows in pixels at zoom 1.
struct GraphScene {
    struct Box {
        QRectF rect;
        QString title;
        QStringList lines;
        QString tip; ///< what it is, whole: tool tip and accessible description
    };
    struct Arrow {
        QPainterPath line, head;
        QString label;
        QRectF labelRoom;    ///< empty: it has no label
        bool dashed = false; ///< into or out of a block, or from what is left out
    };
    struct Frame {
        QRectF rect;
        QString label;
        QRectF labelRoom;
    };
    std::shared_ptr<const graph::Neighbourhood> drawn;
    bool rightwards = false;
    QFont font;
    double lineHeight = 0, padding = 0;
    std::vector<Box> boxes; ///< by unit
    std::vector<Arrow> arrows;
    std::vector<Frame> frames;
    QRectF page;

    /// Units that an arrow joins with one, each once.
    std::vector<std::size_t> besides(std::size_t unit) const;
    /// Where a key that points along `direction` leads: to the nearest unit on that side that an
    /// arrow joins with this one, else to one that has a neighbour in common; kNone: nowhere.
    std::size_t towards(std::size_t unit, const QPointF &direction) const;
};
using GraphScenePtr = std::shared_ptr<const GraphScene>;

/// The translated words of drawings.
graph::Words graphWords();
/// How large texts are in a font. For the GUI thread.
graph::TextSizes graphTextSizes(const QFont &font);
/// What is drawn, laid out.
GraphScenePtr graphScene(std::shared_ptr<const graph::Neighbourhood> drawn,
                         const graph::Picture &picture, const graph::LayoutResult &layout,
                         const QFont &font);

/// A drawn graph that zooms and moves. Everything is laid out before it comes here.
///
/// Mouse: wheel zooms about the cursor, drag moves, click picks a box, double click activates it.
/// Keys: arrows walk to the next box along the arrows, + and - zoom, Home fits, Enter activates.
class GraphView final : public QAbstractScrollArea
{
    Q_OBJECT

public:
    explicit GraphView(QWidget *parent = nullptr);

    /// Another drawing, at a zoom at which one can read it; `current` is picked and in view.
    void setScene(GraphScenePtr scene, std::size_t current);
    const GraphScenePtr &scene() const { return m_scene; }
    std::size_t current() const { return m_current; }
    /// Picks a box and brings it into view; emits nothing.
    void setCurrent(std::size_t unit);

    double zoom() const { return m_zoom; }
    /// Where a point of the drawing is in the viewport, and which box is at one of it.
    QPointF toView(const QPointF &point) const;
    QPointF toScene(const QPointF &point) const;
    std::size_t unitAt(const QPointF &position) const;
    QRectF viewRect(std::size_t unit) const;

public Q_SLOTS:
    void zoomIn();
    void zoomOut();
    void fit();
    void centreCurrent();

Q_SIGNALS:
    void picked(std::size_t unit);    ///< by mouse or keys
    void activated(std::size_t unit); ///< double click, Enter
    void resized();

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    bool viewportEvent(QEvent *event) override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

private:
    double fitZoom() const;
    void beginView();
    void setZoom(double zoom, const QPointF &anchor); ///< the anchor's point stays where it is
    void updateBars();
    QPointF origin() const; ///< of the drawing, in the viewport
    void showUnit(std::size_t unit, bool centred);
    void announce();
    void paintFrame(QPainter &painter, const GraphScene::Frame &frame) const;
    void paintArrow(QPainter &painter, const GraphScene::Arrow &arrow, bool strong) const;
    void paintBox(QPainter &painter, std::size_t unit) const;
    void paintGround(QPainter &painter, std::size_t unit, const QRectF &rect) const;

    GraphScenePtr m_scene;
    std::size_t m_current = graph::kNone;
    double m_zoom = 1;
    QPoint m_pressedAt, m_draggedTo;
    bool m_pressed = false, m_dragging = false;
    bool m_moved = false; ///< the person moved or zoomed: another size of the view keeps that
};

} // namespace kernscope::ui
