// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/tile_view.h"

#include "widgets/common/labels.h"
#include "widgets/common/qt.h"
#include "widgets/common/tile_painter.h"
#include "widgets/models/theme.h"

#include <cstdlib>

namespace kernscope::ui {

namespace {

/// Next zoom step: powers of two, then also the halves between them.
double zoomStep(double scale, bool in)
{
    static constexpr double kSteps[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128};
    if (in) {
        for (const double step : kSteps) {
            if (step > scale * 1.01 && scale >= 0.75)
                return step;
        }
        return scale < 0.75 && scale * 2 > 0.75 ? 1 : scale * 2;
    }
    for (auto it = std::rbegin(kSteps); it != std::rend(kSteps); ++it) {
        if (*it < scale * 0.99)
            return *it;
    }
    return scale / 2;
}

/// Steps of a scroll bar at most: a picture may have more cells than an int can count.
constexpr double kBarSteps = 1 << 24;

void setBar(QScrollBar *bar, double first, double seen, double extent)
{
    const double factor = std::min(kBarSteps / extent, 256.0);
    const int steps = seen < extent ? static_cast<int>(std::lround((extent - seen) * factor)) : 0;
    bar->setRange(0, steps);
    if (steps == 0) // or what is out of view is less than a pixel
        return;
    bar->setPageStep(std::max(1, static_cast<int>(seen * factor)));
    bar->setSingleStep(std::max(1, bar->pageStep() / 10));
    bar->setValue(static_cast<int>(std::lround(first * factor)));
}

/// First cell in view that a scroll bar means.
double barCell(const QScrollBar *bar, double seen, double extent)
{
    return bar->maximum() == 0 ? 0 : (extent - seen) * bar->value() / bar->maximum();
}

std::uint64_t stepped(std::uint64_t at, std::int64_t by, std::uint64_t count)
{
    if (by < 0)
        return at - std::min(at, static_cast<std::uint64_t>(-by));
    return std::min(count - 1, at + static_cast<std::uint64_t>(by));
}

constexpr double kLeastCellToPaint = 4; ///< pixels: smaller cells are not told apart

} // namespace

TileView::TileView(TaskManager &tasks, QWidget *parent)
    : QAbstractScrollArea(parent), m_loader(new TileLoader(tasks, this)),
      m_down(new TileRuler(Qt::Vertical, this)), m_across(new TileRuler(Qt::Horizontal, this))
{
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setMouseTracking(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    setMinimumSize(theme::em(this, 6), theme::em(this, 3));
    const auto add = [this](const QString &text, const QKeySequence &key, const QString &icon,
                            void (TileView::*slot)()) {
        auto *action = new QAction(text, this);
        action->setIconText(icon);
        action->setShortcut(key);
        action->setShortcutContext(Qt::WidgetShortcut);
        action->setToolTip(tr("%1 (%2)").arg(text, key.toString(QKeySequence::NativeText)));
        connect(action, &QAction::triggered, this, slot);
        addAction(action);
        m_actions.append(action);
    };
    add(tr("Zoom In"), QKeySequence(Qt::Key_Plus), u"+"_s, &TileView::zoomIn);
    add(tr("Zoom Out"), QKeySequence(Qt::Key_Minus), u"\u2212"_s, &TileView::zoomOut);
    add(tr("Fit Picture"), QKeySequence(Qt::Key_0), tr("Fit"), &TileView::fit);
    connect(m_loader, &TileLoader::tilesLost, this, &TileView::refreshWanted);
    connect(m_loader, &TileLoader::tileReady, this, [this] {
        viewport()->update();
        refreshWanted();
        announceCell();
        if (!loading())
            Q_EMIT loaded();
    });
}

void TileView::setSource(TileSourcePtr source, bool keepPosition)
{
    m_loader->setSource(std::move(source));
    if (!keepPosition) {
        m_state = {};
        m_current.reset();
    }
    m_hovered.reset();
    updateScrollBars();
    updateRulers();
    refreshWanted();
    viewport()->update();
}

void TileView::setAxes(TileAxis down, TileAxis across)
{
    m_down->setAxis(std::move(down));
    m_across->setAxis(std::move(across));
    setViewportMargins(m_down->thickness(), 0, 0, m_across->thickness());
    updateRulers();
}

void TileView::updateRulers()
{
    const QRect area = viewport()->geometry();
    const int left = m_down->thickness();
    const ViewGeometry geometry = geometryNow();
    // A picture that is smaller than the view has its rulers at its edges.
    const int before = std::max(0, static_cast<int>(geometry.xOf(0)));
    const double end = geometry.yOf(source() ? static_cast<double>(source()->rows()) : 0);
    const int after = std::max(0, area.height() - static_cast<int>(std::ceil(end)));
    m_down->setGeometry(area.left() - left + before, area.top(), left, area.height());
    m_across->setGeometry(area.left() - left, area.bottom() + 1 - after, area.width() + left,
                          m_across->thickness());
    m_down->raise();
    m_across->raise();
    m_down->showGeometry(geometry, 0);
    m_across->showGeometry(geometry, left);
}

const TileSourcePtr &TileView::source() const
{
    return m_loader->source();
}

void TileView::setViewState(const ViewState &state)
{
    m_state = state;
    updateScrollBars();
    updateRulers();
    refreshWanted();
    viewport()->update();
}

void TileView::share(TileView *a, TileView *b)
{
    connect(a, &TileView::viewStateChanged, b, &TileView::setViewState);
    connect(b, &TileView::viewStateChanged, a, &TileView::setViewState);
}

ViewGeometry TileView::geometryNow() const
{
    const TileSource *shown = source().get();
    return {m_state,
            QSizeF(viewport()->size()),
            viewport()->devicePixelRatioF(),
            shown ? shown->rows() : 0,
            shown ? shown->cols() : 0,
            m_mostStretch};
}

void TileView::setMostStretch(double most)
{
    m_mostStretch = most;
    setViewState(m_state);
}

void TileView::moveTo(const ViewState &state)
{
    if (state == m_state)
        return;
    setViewState(state);
    Q_EMIT viewStateChanged(m_state);
}

void TileView::zoomBy(double factor, QPointF anchor)
{
    const ViewGeometry geometry = geometryNow();
    const double to =
        factor > 1 ? zoomStep(geometry.scale(), true) : zoomStep(geometry.scale(), false);
    if (to < geometry.minScale() * 0.999)
        return;
    moveTo(geometry.zoomed(to, anchor));
}

/// About the cell cursor where it is in view, which then stays so.
void TileView::zoomAboutCursor(double factor)
{
    const QRectF area(viewport()->rect());
    const QPointF cursor =
        m_current ? geometryNow().centreOf(m_current->row, m_current->col) : QPointF(-9, -9);
    if (!area.adjusted(-1, -1, 1, 1).contains(cursor)) {
        zoomBy(factor, area.center());
        return;
    }
    zoomBy(factor, cursor);
    if (!m_state.fits())
        moveTo(geometryNow().revealing(m_current->row, m_current->col));
}

bool TileView::loading() const
{
    return m_loader->busy();
}

void TileView::refreshWanted()
{
    if (!source())
        return;
    const ViewGeometry geometry = geometryNow();
    const TilePainter painter(*m_loader, geometry, *viewport());
    std::vector<TileKey> keys = painter.visibleTiles();
    std::erase_if(keys, [this](const TileKey &key) { return m_loader->find(key) != nullptr; });
    m_loader->want(painter.coarseFirst(std::move(keys)));
}

void TileView::setCurrentCell(std::optional<Cell> cell)
{
    const TileSource *shown = source().get();
    if (cell && (!shown || cell->row >= shown->rows() || cell->col >= shown->cols()))
        cell.reset();
    m_current = cell;
    if (cell && !m_state.fits())
        moveTo(geometryNow().revealing(cell->row, cell->col));
    announceCell();
    viewport()->update();
}

void TileView::announceCell()
{
    const QString text = m_current ? describe(*m_current) : QString();
    if (text == accessibleDescription())
        return;
    setAccessibleDescription(text);
    QAccessibleEvent event(this, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&event);
}

QString TileView::describe(const Cell &cell) const
{
    if (!source())
        return {};
    const TileKey key{0, cell.row / kTileSide, cell.col / kTileSide};
    const Tile *tile = m_loader->find(key);
    std::size_t index = 0;
    if (tile) {
        index = static_cast<std::size_t>((cell.row % kTileSide) *
                                             static_cast<std::uint64_t>(tile->image.width()) +
                                         cell.col % kTileSide);
    }
    if (m_describe)
        return m_describe(cell, tile, index);
    const QString place = tr("row %1, column %2").arg(cell.row).arg(cell.col);
    const QString text = tile ? source()->cellText(*tile, index) : QString();
    return text.isEmpty() ? place : tr("%1: %2").arg(place, text);
}

QRect TileView::cellRect(const Cell &cell) const
{
    const ViewGeometry geometry = geometryNow();
    const double row = static_cast<double>(cell.row), col = static_cast<double>(cell.col);
    return QRectF(QPointF(geometry.xOf(col), geometry.yOf(row)),
                  QPointF(geometry.xOf(col + 1), geometry.yOf(row + 1)))
        .toAlignedRect();
}

std::optional<Cell> TileView::cellAt(QPoint position) const
{
    const TileSource *shown = source().get();
    if (!shown)
        return std::nullopt;
    const ViewGeometry geometry = geometryNow();
    const double row = geometry.rowAt(position.y()), col = geometry.colAt(position.x());
    if (row < 0 || col < 0 || row >= static_cast<double>(shown->rows()) ||
        col >= static_cast<double>(shown->cols()))
        return std::nullopt;
    return Cell{static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(col)};
}

void TileView::pickCell(const Cell &cell)
{
    if (m_current == cell)
        return;
    setCurrentCell(cell);
    Q_EMIT currentCellChanged(cell.row, cell.col);
}

void TileView::paintEvent(QPaintEvent *)
{
    QPainter painter(viewport());
    const ViewGeometry geometry = geometryNow();
    TilePainter(*m_loader, geometry, *viewport()).paint(painter, m_current, m_hovered, hasFocus());
    if (m_stroking)
        drawStroke(painter);
}

void TileView::resizeEvent(QResizeEvent *event)
{
    QAbstractScrollArea::resizeEvent(event);
    updateScrollBars();
    updateRulers();
    refreshWanted();
}

QWidget *TileView::createZoomButtons(QWidget *parent) const
{
    auto *box = new QWidget(parent);
    auto *layout = withoutMargins(new QHBoxLayout(box), 1);
    for (QAction *action : m_actions) {
        auto *button = new QToolButton(box);
        button->setDefaultAction(action);
        button->setAutoRaise(true);
        button->setToolButtonStyle(Qt::ToolButtonTextOnly);
        button->setAccessibleName(action->text());
        layout->addWidget(button);
    }
    return box;
}

void TileView::updateScrollBars()
{
    const ViewGeometry geometry = geometryNow();
    const double rows = source() ? static_cast<double>(source()->rows()) : 0;
    const double cols = source() ? static_cast<double>(source()->cols()) : 0;
    // A picture that fits has none, even where the sizes of its cells were rounded up: with a bar
    // it would have another size, by which it needs none.
    const bool fits = m_state.fits();
    const double across = fits ? cols : viewport()->width() / geometry.cellWidth();
    const double down = fits ? rows : viewport()->height() / geometry.cellHeight();
    const QScopedValueRollback guard(m_updatingBars, true);
    setBar(horizontalScrollBar(), geometry.colAt(0), across, cols);
    setBar(verticalScrollBar(), geometry.rowAt(0), down, rows);
}

void TileView::scrollContentsBy(int, int)
{
    if (m_updatingBars || !source())
        return;
    const ViewGeometry geometry = geometryNow();
    ViewState next = geometry.state();
    const double across = viewport()->width() / geometry.cellWidth();
    const double down = viewport()->height() / geometry.cellHeight();
    const double cols = static_cast<double>(source()->cols());
    const double rows = static_cast<double>(source()->rows());
    if (across < cols)
        next.centreCol = barCell(horizontalScrollBar(), across, cols) + across / 2;
    if (down < rows)
        next.centreRow = barCell(verticalScrollBar(), down, rows) + down / 2;
    moveTo(next);
}

/// In a dock that is a part of another one, such as the inspector.
static bool inPanel(const QWidget *widget)
{
    int docks = 0;
    for (; widget; widget = widget->parentWidget())
        docks += qobject_cast<const QDockWidget *>(widget) ? 1 : 0;
    return docks > 1;
}

void TileView::wheelEvent(QWheelEvent *event)
{
    // A panel is scrolled by the wheel; Ctrl zooms there.
    if (!(event->modifiers() & (Qt::ControlModifier | Qt::ShiftModifier)) && inPanel(this)) {
        event->ignore();
        return;
    }
    const QPoint angle = event->angleDelta();
    if (event->modifiers() & Qt::ShiftModifier) {
        const int by = angle.x() != 0 ? angle.x() : angle.y();
        moveTo(geometryNow().panned(QPointF(-by / 2.0, 0)));
    } else if (angle.y() != 0) {
        // Touchpads send many small turns: a zoom step takes as much as a notch of a wheel.
        m_wheelRest += angle.y();
        for (; std::abs(m_wheelRest) >= QWheelEvent::DefaultDeltasPerStep;
             m_wheelRest -= (m_wheelRest > 0 ? 1 : -1) * QWheelEvent::DefaultDeltasPerStep)
            zoomBy(m_wheelRest > 0 ? 2 : 0.5, event->position());
    }
    event->accept();
}

void TileView::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton)
        return;
    if (m_brush && event->button() == Qt::LeftButton) {
        const auto cell = cellAt(event->pos());
        if (cell && brushHasRoom())
            beginStroke(*cell);
        else if (cell)
            Q_EMIT strokeRefused();
        return;
    }
    m_pressed = true;
    m_dragging = false;
    m_pressedAt = m_draggedTo = event->pos();
}

void TileView::mouseMoveEvent(QMouseEvent *event)
{
    if (m_stroking) {
        if (const auto cell = cellAt(event->pos()))
            extendStroke(*cell);
        return;
    }
    if (m_pressed) {
        const bool far =
            (event->pos() - m_pressedAt).manhattanLength() >= QApplication::startDragDistance();
        if (!m_dragging && far) {
            m_dragging = true;
            viewport()->setCursor(Qt::ClosedHandCursor);
        }
        if (m_dragging) {
            moveTo(geometryNow().panned(QPointF(m_draggedTo - event->pos())));
            m_draggedTo = event->pos();
        }
        return;
    }
    const std::optional<Cell> cell = cellAt(event->pos());
    if (std::exchange(m_hovered, cell) == cell)
        return;
    viewport()->update();
    if (cell)
        Q_EMIT cellHovered(cell->row, cell->col);
    else
        Q_EMIT hoverLeft();
}

void TileView::mouseReleaseEvent(QMouseEvent *event)
{
    if (m_stroking && event->button() == Qt::LeftButton) {
        endStroke(true);
        return;
    }
    const bool click = m_pressed && !m_dragging && event->button() == Qt::LeftButton;
    m_pressed = m_dragging = false;
    viewport()->setCursor(m_brush ? Qt::CrossCursor : Qt::ArrowCursor);
    if (!click)
        return;
    if (const auto cell = cellAt(event->pos())) {
        pickCell(*cell);
        Q_EMIT cellClicked(cell->row, cell->col);
    }
}

void TileView::mouseDoubleClickEvent(QMouseEvent *event)
{
    const auto cell = cellAt(event->pos());
    if (!cell || event->button() != Qt::LeftButton)
        return;
    pickCell(*cell);
    Q_EMIT cellActivated(cell->row, cell->col);
}

bool TileView::viewportEvent(QEvent *event)
{
    if (event->type() == QEvent::Leave && m_hovered) {
        m_hovered.reset();
        viewport()->update();
        Q_EMIT hoverLeft();
    }
    if (event->type() == QEvent::ToolTip) {
        auto *help = static_cast<QHelpEvent *>(event);
        if (const auto cell = cellAt(help->pos()))
            QToolTip::showText(help->globalPos(), describe(*cell), viewport());
        else
            QToolTip::hideText();
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

bool TileView::moveCursor(QKeyEvent *event)
{
    const std::uint64_t rows = source()->rows(), cols = source()->cols();
    if (rows == 0 || cols == 0)
        return false;
    Cell cell = m_current.value_or(Cell{});
    const bool far = event->modifiers() & Qt::ControlModifier;
    const auto page = static_cast<std::int64_t>(
        std::clamp(viewport()->height() / geometryNow().cellHeight(), 1.0, 1e15));
    switch (event->key()) {
    case Qt::Key_Left: cell.col = m_current ? stepped(cell.col, -1, cols) : 0; break;
    case Qt::Key_Right: cell.col = m_current ? stepped(cell.col, 1, cols) : 0; break;
    case Qt::Key_Up: cell.row = m_current ? stepped(cell.row, -1, rows) : 0; break;
    case Qt::Key_Down: cell.row = m_current ? stepped(cell.row, 1, rows) : 0; break;
    case Qt::Key_PageUp: cell.row = stepped(cell.row, -page, rows); break;
    case Qt::Key_PageDown: cell.row = stepped(cell.row, page, rows); break;
    case Qt::Key_Home:
        cell.col = 0;
        cell.row = far ? 0 : cell.row;
        break;
    case Qt::Key_End:
        cell.col = cols - 1;
        cell.row = far ? rows - 1 : cell.row;
        break;
    default: return false;
    }
    pickCell(cell);
    return true;
}

bool TileView::panByKey(QKeyEvent *event)
{
    const double step = 40;
    switch (event->key()) {
    case Qt::Key_Left: moveTo(geometryNow().panned({-step, 0})); return true;
    case Qt::Key_Right: moveTo(geometryNow().panned({step, 0})); return true;
    case Qt::Key_Up: moveTo(geometryNow().panned({0, -step})); return true;
    case Qt::Key_Down: moveTo(geometryNow().panned({0, step})); return true;
    default: return false;
    }
}

void TileView::keyPressEvent(QKeyEvent *event)
{
    if (!source()) {
        QAbstractScrollArea::keyPressEvent(event);
        return;
    }
    if (m_stroking && event->key() == Qt::Key_Escape) {
        endStroke(false);
        return;
    }
    const bool shift = event->modifiers() & Qt::ShiftModifier;
    bool used = shift ? panByKey(event) : moveCursor(event);
    if (!used && (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && m_current) {
        Q_EMIT cellActivated(m_current->row, m_current->col);
        used = true;
    }
    if (!used && (event->key() == Qt::Key_Plus || event->key() == Qt::Key_Equal)) {
        zoomIn(); // '+' without Shift on layouts where it shares a key with '='
        used = true;
    }
    if (!used)
        QAbstractScrollArea::keyPressEvent(event);
}

void TileView::setBrush(bool on)
{
    m_brush = on;
    if (!on)
        endStroke(false);
    viewport()->setCursor(on ? Qt::CrossCursor : Qt::ArrowCursor);
}

bool TileView::brushHasRoom() const
{
    return source() && geometryNow().scale() >= kLeastCellToPaint;
}

void TileView::beginStroke(const Cell &cell)
{
    m_stroke = {cell};
    m_stroking = true;
    viewport()->update();
    Q_EMIT strokeChanged();
}

/// Every cell on the straight line from the last one: the mouse jumps over some.
void TileView::extendStroke(const Cell &to)
{
    if (m_stroke.empty() || m_stroke.back() == to)
        return;
    const Cell from = m_stroke.back();
    const auto difference = [](std::uint64_t a, std::uint64_t b) {
        return static_cast<std::int64_t>(b) - static_cast<std::int64_t>(a);
    };
    const std::int64_t rows = difference(from.row, to.row), cols = difference(from.col, to.col);
    const std::int64_t steps = std::max(std::abs(rows), std::abs(cols));
    for (std::int64_t i = 1; i <= steps && m_stroke.size() < kMostStroke; ++i) {
        const auto along = [i, steps](std::uint64_t start, std::int64_t by) {
            // Rounded to the nearest, the same in both directions.
            const std::int64_t twice = 2 * by * i + (by < 0 ? -steps : steps);
            return static_cast<std::uint64_t>(static_cast<std::int64_t>(start) +
                                              twice / (2 * steps));
        };
        const Cell cell{along(from.row, rows), along(from.col, cols)};
        if (std::find(m_stroke.begin(), m_stroke.end(), cell) == m_stroke.end())
            m_stroke.push_back(cell);
    }
    // Where the stroke comes back to a cell, it goes on from there.
    if (m_stroke.back() != to && m_stroke.size() < kMostStroke) {
        std::erase(m_stroke, to);
        m_stroke.push_back(to);
    }
    viewport()->update();
    Q_EMIT strokeChanged();
}

void TileView::endStroke(bool accepted)
{
    if (!m_stroking)
        return;
    m_stroking = m_pressed = false;
    viewport()->update();
    Q_EMIT strokeEnded(accepted);
    m_stroke.clear();
}

void TileView::drawStroke(QPainter &painter) const
{
    // Seen on filled cells and on empty ones.
    const QColor mark = theme::color(Token::MarkChanged, theme::isDark(palette()));
    QColor ground = mark;
    ground.setAlpha(110);
    painter.setPen(QPen(mark, 1));
    painter.setBrush(ground);
    for (const Cell &cell : m_stroke)
        painter.drawRect(cellRect(cell).adjusted(0, 0, -1, -1));
}

} // namespace kernscope::ui

#include "moc_tile_view.cpp"
