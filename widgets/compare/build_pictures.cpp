// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/build_pictures.h"

#include "widgets/common/box_pyramid.h"
#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"
#include "widgets/weight/slice_map.h"
#include "widgets/weight/weight_reader.h"
#include "widgets/weight/weight_tiles.h"

#include <QEvent>

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
    : PictureRow(parent), m_tiles(std::make_shared<BoxStore>())
{
    for (std::size_t i = 0; i < kMostPictures; ++i) {
        const PicturePane *added =
            addPane(tasks, i == 0 ? tr("Picture of the base") : tr("Picture of build %1").arg(i));
        connect(added->view(), &TileView::currentCellChanged, this,
                [this, view = added->view()](quint64 cellRow, quint64 cellColumn) {
                    const ValueTiles *tiles = tilesOf(*view);
                    const auto element =
                        tiles ? tiles->reader().map().element(cellRow, cellColumn) : std::nullopt;
                    if (!element)
                        return;
                    setElement(element);
                    Q_EMIT elementPicked(*element);
                });
        connect(added->view(), &TileView::loaded, this, &BuildPictures::shareRange);
    }
    clear();
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
    for (std::size_t i = 0; i < kMostPictures; ++i) {
        pane(i).setVisible(i < m_sides.size());
        if (i < m_sides.size())
            showSide(i, same && i < before.size() && sameCells(before[i], m_sides[i]));
        else
            pane(i).view()->setSource(nullptr);
    }
    markCells();
}

void BuildPictures::showSide(std::size_t number, bool keepPosition)
{
    const Side &side = m_sides[number];
    PicturePane &shown = pane(number);
    const QString name = side.bundle ? fromUtf8(side.bundle->name()) : QString();
    const bool there = side.bundle && side.weight < side.bundle->weights().size();
    const Weight *weight = there ? &side.bundle->weights()[side.weight] : nullptr;
    shown.setTitle(
        weight ? QStringLiteral("%1 \u00B7 %2").arg(name, fromUtf8(formText(weight->form))) : name);
    if (!weight || weight->fault) {
        shown.showMessage(weight ? fromUtf8(describe(*weight->fault))
                                 : tr("This build does not have the weight."));
        return;
    }
    // Shapes that differ in extents of one have the same elements: all lie as the base does.
    const Weight &base = m_sides.front().bundle->weights()[m_sides.front().weight];
    const bool alike = base.elements == weight->elements;
    shown.show(std::make_shared<ValueTiles>(
                   std::make_shared<WeightReader>(side.bundle, side.weight,
                                                  SliceMap(alike ? base.shape : weight->shape)),
                   ValueColors::Signed, theme::isDark(palette()), m_range,
                   PicturePyramid{m_tiles, m_picture + number}),
               keepPosition);
    if (m_range > 0)
        shown.legend().showScale(m_range);
    else
        shown.legend().clear();
}

/// The first picture finds a range; the others are drawn in it, so that one colour is one value.
void BuildPictures::shareRange()
{
    const ValueTiles *first = m_sides.empty() ? nullptr : tilesOf(*view(0));
    if (m_range > 0 || first == nullptr || !(first->range() > 0))
        return;
    m_range = first->range();
    pane(0).legend().showScale(m_range);
    for (std::size_t i = 1; i < m_sides.size(); ++i)
        showSide(i, true);
    markCells();
}

void BuildPictures::setElement(std::optional<std::uint64_t> element)
{
    m_element = element;
    markCells();
}

void BuildPictures::markCells()
{
    for (PicturePane *shown : panes()) {
        const ValueTiles *tiles = tilesOf(*shown->view());
        std::optional<Cell> cell;
        if (tiles && m_element) {
            if (const auto at = tiles->reader().map().cell(*m_element))
                cell = Cell{at->first, at->second};
        }
        shown->markCell(cell);
    }
}

void BuildPictures::changeEvent(QEvent *event)
{
    PictureRow::changeEvent(event);
    if (event->type() != QEvent::PaletteChange)
        return;
    for (std::size_t i = 0; i < m_sides.size(); ++i)
        showSide(i, true);
    markCells();
}

} // namespace kernscope::ui

#include "moc_build_pictures.cpp"
