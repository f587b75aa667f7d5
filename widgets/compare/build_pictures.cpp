// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/build_pictures.h"

#include "widgets/common/box_pyramid.h"
#include "widgets/common/elided_label.h"
#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"
#include "widgets/weight/slice_map.h"
#include "widgets/weight/weight_reader.h"
#include "widgets/weight/weight_tiles.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace kernscope::ui {

namespace {

const ValueTiles *tilesOf(const TileView &view)
{
    return dynamic_cast<const ValueTiles *>(view.source().get());
}

/// The same cells, whatever they hold.
bool sameCells(const BuildPictures::Side &before, const BuildPictures::Side &now)
{
    const auto weight = [](const BuildPictures::Side &side) {
        const bool there = side.bundle && side.weight < side.bundle->weights().size();
        return there ? &side.bundle->weights()[side.weight] : nullptr;
    };
    const Weight *x = weight(before), *y = weight(now);
    return x && y && before.bundle->path() == now.bundle->path() && x->name == y->name &&
           x->shape == y->shape;
}

} // namespace

BuildPictures::BuildPictures(TaskManager &tasks, QWidget *parent)
    : QWidget(parent), m_tiles(std::make_shared<BoxStore>())
{
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(theme::em(this, 0.5));
    for (std::size_t i = 0; i < m_panes.size(); ++i) {
        m_panes[i] = makePane(tasks, i);
        row->addWidget(m_panes[i].box, 1);
        for (std::size_t k = 0; k < i; ++k)
            TileView::share(m_panes[k].view, m_panes[i].view);
    }
    clear();
}

BuildPictures::Pane BuildPictures::makePane(TaskManager &tasks, std::size_t number)
{
    Pane pane;
    pane.box = new QWidget(this);
    pane.title = new ElidedLabel(Qt::ElideMiddle, pane.box);
    pane.title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    pane.stack = new QStackedWidget(pane.box);
    pane.view = new TileView(tasks, pane.stack);
    pane.view->setMostStretch(TileView::kFillStretch);
    pane.view->setAccessibleName(number == 0 ? tr("Picture of the base")
                                             : tr("Picture of build %1").arg(number));
    pane.message = new QLabel(pane.stack);
    pane.message->setWordWrap(true);
    pane.message->setAlignment(Qt::AlignCenter);
    pane.message->setForegroundRole(QPalette::PlaceholderText);
    pane.stack->addWidget(pane.view);
    pane.stack->addWidget(pane.message);
    auto *column = new QVBoxLayout(pane.box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(theme::em(this, 0.1));
    column->addWidget(pane.title);
    column->addWidget(pane.stack, 1);
    connect(pane.view, &TileView::currentCellChanged, this,
            [this, view = pane.view](quint64 cellRow, quint64 cellColumn) {
                const ValueTiles *tiles = tilesOf(*view);
                const auto element =
                    tiles ? tiles->reader().map().element(cellRow, cellColumn) : std::nullopt;
                if (!element)
                    return;
                setElement(element);
                Q_EMIT elementPicked(*element);
            });
    connect(pane.view, &TileView::loaded, this, &BuildPictures::shareRange);
    return pane;
}

void BuildPictures::show(std::vector<Side> sides)
{
    sides.resize(std::min(sides.size(), kMostPictures));
    const bool same =
        !sides.empty() && !m_sides.empty() && sameCells(m_sides.front(), sides.front());
    const std::vector<Side> before = std::exchange(m_sides, std::move(sides));
    m_range = 0;
    m_picture += kMostPictures; // an edit leaves the weights, but not their pictures
    if (!same)
        m_element.reset();
    for (std::size_t i = 0; i < m_panes.size(); ++i) {
        m_panes[i].box->setVisible(i < m_sides.size());
        if (i < m_sides.size())
            showSide(m_panes[i], m_sides[i],
                     same && i < before.size() && sameCells(before[i], m_sides[i]));
        else
            m_panes[i].view->setSource(nullptr);
    }
    markCells();
}

void BuildPictures::showSide(Pane &pane, const Side &side, bool keepPosition)
{
    const QString name = side.bundle ? fromUtf8(side.bundle->name()) : QString();
    const bool there = side.bundle && side.weight < side.bundle->weights().size();
    const Weight *weight = there ? &side.bundle->weights()[side.weight] : nullptr;
    pane.title->setWholeText(
        weight ? QStringLiteral("%1 \u00B7 %2").arg(name, fromUtf8(formText(weight->form))) : name);
    if (!weight || weight->fault) {
        pane.view->setSource(nullptr);
        pane.message->setText(weight ? fromUtf8(describe(*weight->fault))
                                     : tr("This build does not have the weight."));
        pane.stack->setCurrentWidget(pane.message);
        return;
    }
    // Shapes that differ in extents of one have the same elements: all lie as the base does.
    const Weight &base = m_sides.front().bundle->weights()[m_sides.front().weight];
    const bool alike = base.elements == weight->elements;
    pane.view->setSource(
        std::make_shared<ValueTiles>(
            std::make_shared<WeightReader>(side.bundle, side.weight,
                                           SliceMap(alike ? base.shape : weight->shape)),
            ValueColors::Signed, theme::isDark(palette()), m_range,
            PicturePyramid{m_tiles,
                           m_picture + static_cast<std::uint64_t>(&pane - m_panes.data())}),
        keepPosition);
    pane.stack->setCurrentWidget(pane.view);
}

/// The first picture finds a range; the others are drawn in it, so that one colour is one value.
void BuildPictures::shareRange()
{
    const ValueTiles *first = m_sides.empty() ? nullptr : tilesOf(*m_panes[0].view);
    if (m_range > 0 || first == nullptr || !(first->range() > 0))
        return;
    m_range = first->range();
    for (std::size_t i = 1; i < m_sides.size(); ++i)
        showSide(m_panes[i], m_sides[i], true);
    markCells();
}

void BuildPictures::setElement(std::optional<std::uint64_t> element)
{
    m_element = element;
    markCells();
}

void BuildPictures::markCells()
{
    for (const Pane &pane : m_panes) {
        const ValueTiles *tiles = tilesOf(*pane.view);
        std::optional<Cell> cell;
        if (tiles && m_element) {
            if (const auto at = tiles->reader().map().cell(*m_element))
                cell = Cell{at->first, at->second};
        }
        // A cell that stays is not brought into sight again: an edit must not move the view.
        if (pane.view->currentCell() != cell)
            pane.view->setCurrentCell(cell);
    }
}

bool BuildPictures::loading() const
{
    return std::any_of(m_panes.begin(), m_panes.end(), [](const Pane &pane) {
        return pane.view->source() && pane.view->loading();
    });
}

void BuildPictures::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() != QEvent::PaletteChange)
        return;
    for (std::size_t i = 0; i < m_sides.size(); ++i)
        showSide(m_panes[i], m_sides[i], true);
    markCells();
}

} // namespace kernscope::ui

#include "moc_build_pictures.cpp"
