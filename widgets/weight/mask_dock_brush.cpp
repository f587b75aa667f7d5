// SPDX-License-Identifier: GPL-3.0-or-later
// Painting on the mask: a stroke keeps or leaves out the elements that it passes.
#include "widgets/common/counted_words.h"
#include "widgets/common/number_field.h"
#include "widgets/common/table_text.h"
#include "widgets/common/tile_view.h"
#include "widgets/patch/cell_edits.h"
#include "widgets/weight/mask_dock.h"

#include <QAction>
#include <QLabel>
#include <QLineEdit>

namespace kernscope::ui {

void MaskDock::createBrush()
{
    m_brush = new QAction(tr("Paint by Dragging"), this);
    m_brush->setIconText(tr("Paint"));
    m_brush->setCheckable(true);
    m_brush->setShortcut(QKeySequence(Qt::Key_B));
    m_brush->setShortcutContext(Qt::WidgetShortcut);
    m_brush->setToolTip(tr("Drag over elements: begun on one that is kept the stroke leaves out, "
                           "begun on another it keeps. What it changes is said before it is "
                           "made; Escape gives it up (B)"));
    connect(m_brush, &QAction::toggled, m_picture, &TileView::setBrush);
    connect(m_picture, &TileView::strokeChanged, this, &MaskDock::onStroke);
    connect(m_picture, &TileView::strokeEnded, this, &MaskDock::paintStroke);
    connect(m_picture, &TileView::strokeRefused, this, [this] {
        m_cell->setText(tr("Zoom in (+) to paint")); // in a narrow panel
        Q_EMIT session().statusMessage(
            tr("Zoom in to paint: the elements are too small to be told apart."));
    });
}

/// Those of the stroke that it would change.
std::vector<std::uint64_t> MaskDock::strokeElements()
{
    std::vector<std::uint64_t> elements;
    if (!m_reader || !m_decoder)
        return elements;
    for (const Cell &cell : m_picture->stroke()) {
        const auto element = m_reader->map().element(cell.row, cell.col);
        if (element && m_decoder->stored(*element) != m_strokeKeeps)
            elements.push_back(*element);
    }
    return elements;
}

void MaskDock::onStroke()
{
    if (!m_reader || m_picture->stroke().empty())
        return;
    if (m_picture->stroke().size() == 1) {
        m_decoder.reset();
        if (auto decoder = m_shown->decoder(m_weight))
            m_decoder.emplace(std::move(*decoder));
        const Cell &first = m_picture->stroke().front();
        const auto element = m_reader->map().element(first.row, first.col);
        m_strokeKeeps = m_decoder && element && !m_decoder->stored(*element);
    }
    const std::size_t count = strokeElements().size();
    const QString change =
        m_strokeKeeps ? countedWords(count, tr("keeps 1 element as %1: 1 value more is stored"),
                                     tr("keeps %1 elements as %2: as many values more are stored"))
                      : countedWords(count, tr("leaves out 1 element: 1 value less is stored"),
                                     tr("leaves out %1 elements: as many values less are stored"));
    const QString whole = m_strokeKeeps ? change.arg(m_keepValue->text()) : change;
    // A narrow inspector has room for the beginning; the status line for all of it.
    m_cell->setText(whole.section(QLatin1Char(':'), 0, 0));
    m_cell->setToolTip(whole);
    Q_EMIT session().statusMessage(tr("%1 \u00B7 release to apply, Escape gives up").arg(whole));
}

void MaskDock::paintStroke(bool accepted)
{
    const std::vector<std::uint64_t> elements = strokeElements();
    m_decoder.reset();
    if (!accepted || elements.empty() || !session().patchingEnabled()) {
        updatePainting();
        Q_EMIT session().statusMessage(accepted ? QString() : tr("The stroke was given up."));
        return;
    }
    const Weight &weight = m_shown->weights()[m_weight];
    const auto value = typedNumber(m_keepValue->text());
    if (m_strokeKeeps && !value) {
        updatePainting();
        sayNotTaken(m_keepValue, fromUtf8(describe(value.error())));
        return;
    }
    std::vector<Edit> edits;
    edits.reserve(elements.size());
    for (const std::uint64_t element : elements)
        edits.push_back(elementEdit(weight, element,
                                    m_strokeKeeps ? Edit::Kind::Keep : Edit::Kind::Drop,
                                    value.value_or(0)));
    const QString count = groupedNumber(elements.size());
    Q_EMIT session().statusMessage({}); // what releasing would do was done
    session().requestEdits(
        std::move(edits),
        m_strokeKeeps ? tr("Keep %1 elements of %2").arg(count, fromUtf8(weight.name))
                      : tr("Leave out %1 elements of %2").arg(count, fromUtf8(weight.name)));
}

QString MaskDock::cellText() const
{
    return m_cell->text();
}

} // namespace kernscope::ui
