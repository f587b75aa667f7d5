// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/graph/picture.h"

#include <QFont>
#include <QPainterPath>
#include <QRectF>
#include <QString>
#include <QStringList>

#include <memory>
#include <vector>

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

} // namespace kernscope::ui
