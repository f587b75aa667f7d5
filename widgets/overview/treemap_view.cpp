// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/overview/treemap_view.h"

#include "widgets/common/labels.h"
#include "widgets/common/qt.h"
#include "widgets/models/theme.h"

namespace kernscope::ui {

namespace {

/// The worst ratio of sides in a row of areas from `least` to `most` with this sum along `side`.
double worst(double least, double most, double sum, double side)
{
    const double square = side * side, total = sum * sum;
    return std::max(square * most / total, total / (square * least));
}

/// Puts the areas as one row along the shorter side of `rest`, and takes the row off it.
void placeRow(std::span<const double> areas, QRectF &rest, std::vector<QRectF> &out)
{
    const double sum = std::accumulate(areas.begin(), areas.end(), 0.0);
    const bool upright = rest.width() >= rest.height(); // the row is a column at the left
    const double side = upright ? rest.height() : rest.width();
    const double thick = side > 0 ? sum / side : 0;
    double at = upright ? rest.top() : rest.left();
    for (const double area : areas) {
        const double length = thick > 0 ? area / thick : 0;
        out.push_back(upright ? QRectF(rest.left(), at, thick, length)
                              : QRectF(at, rest.top(), length, thick));
        at += length;
    }
    if (upright)
        rest.setLeft(rest.left() + thick);
    else
        rest.setTop(rest.top() + thick);
}

constexpr double kWideness = 1.8; ///< of a cell that is as good as can be, by its height

} // namespace

std::vector<QRectF> squarify(std::span<const double> sizes, const QRectF &area)
{
    std::vector<QRectF> placed;
    placed.reserve(sizes.size());
    const auto end = std::ranges::find_if(sizes, [](double s) { return !(s > 0); });
    std::vector<double> areas(sizes.begin(), end);
    const double total = std::accumulate(areas.begin(), areas.end(), 0.0);
    if (total > 0 && area.width() > 0 && area.height() > 0) {
        const double scale = area.width() * area.height() / total;
        for (double &one : areas)
            one *= scale;
        QRectF rest = area;
        std::size_t first = 0;
        while (first < areas.size()) {
            const double side = std::min(rest.width(), rest.height());
            double sum = areas[first], ratio = worst(areas[first], areas[first], sum, side);
            std::size_t last = first + 1;
            for (; last < areas.size(); ++last) {
                const double more = sum + areas[last];
                const double next = worst(areas[last], areas[first], more, side);
                if (next > ratio)
                    break;
                sum = more;
                ratio = next;
            }
            placeRow(std::span(areas).subspan(first, last - first), rest, placed);
            first = last;
        }
    }
    placed.resize(sizes.size());
    return placed;
}

TreemapView::TreemapView(QWidget *parent) : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Treemap of stored bytes"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

void TreemapView::setCells(std::vector<Cell> cells, WordsOf wordsOf)
{
    const std::size_t before = m_current >= 0 ? m_cells[static_cast<std::size_t>(m_current)].key
                                              : static_cast<std::size_t>(-1);
    m_cells = std::move(cells);
    m_wordsOf = std::move(wordsOf);
    m_words.assign(m_cells.size(), std::nullopt);
    m_current = -1;
    place();
    setCurrentKey(before);
}

const TreemapView::Words &TreemapView::wordsOf(std::size_t cell) const
{
    std::optional<Words> &words = m_words.at(cell);
    if (!words)
        words = m_wordsOf ? m_wordsOf(m_cells[cell]) : Words();
    return *words;
}

QString TreemapView::currentTip() const
{
    return m_current < 0 ? QString() : wordsOf(static_cast<std::size_t>(m_current)).tip;
}

void TreemapView::setEmptyText(const QString &text)
{
    m_emptyText = text;
    update();
}

void TreemapView::setCurrentKey(std::size_t key)
{
    m_current = -1;
    for (std::size_t i = 0; i < m_cells.size(); ++i) {
        if (m_cells[i].key == key)
            m_current = static_cast<int>(i);
    }
    setAccessibleDescription(currentTip());
    update();
}

QSize TreemapView::sizeHint() const
{
    return {theme::em(this, 40), theme::em(this, 20)};
}

QSize TreemapView::minimumSizeHint() const
{
    return {theme::em(this, 12), theme::em(this, 8)};
}

void TreemapView::place()
{
    std::vector<double> sizes;
    sizes.reserve(m_cells.size());
    for (const Cell &cell : m_cells)
        sizes.push_back(cell.size);
    // Cells are wide rather than square: a name is a line of text.
    m_rects = squarify(sizes, QRectF(0, 0, width() / kWideness, height()));
    for (QRectF &box : m_rects)
        box = QRectF(box.x() * kWideness, box.y(), box.width() * kWideness, box.height());
    update();
}

void TreemapView::resizeEvent(QResizeEvent *)
{
    place();
}

void TreemapView::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const bool empty = std::ranges::all_of(m_rects, &QRectF::isEmpty);
    if (empty && !m_emptyText.isEmpty()) {
        painter.setPen(palette().color(QPalette::PlaceholderText));
        painter.drawText(rect(), Qt::AlignCenter | Qt::TextWordWrap, m_emptyText);
        return;
    }
    for (std::size_t i = 0; i < m_cells.size(); ++i)
        paintCell(painter, i);
    if (m_current < 0)
        return;
    const QRectF outline = m_rects[static_cast<std::size_t>(m_current)].adjusted(1, 1, -2, -2);
    painter.setPen(QPen(palette().color(QPalette::Base), 4));
    painter.drawRect(outline);
    painter.setPen(QPen(palette().color(QPalette::Text), 2));
    painter.drawRect(outline);
}

void TreemapView::paintCell(QPainter &painter, std::size_t index) const
{
    const Cell &cell = m_cells[index];
    const QRectF &rect = m_rects[index];
    const QRectF box =
        rect.adjusted(0, 0, rect.width() > 4 ? -1.5 : 0, rect.height() > 4 ? -1.5 : 0);
    painter.fillRect(box, cell.color);
    if (cell.hatched) {
        QColor lines = cell.ink;
        lines.setAlphaF(0.35F);
        painter.fillRect(box, QBrush(lines, Qt::BDiagPattern));
    }
    const int gap = design::space(this, design::Space::Small);
    const QRectF room = box.adjusted(gap, gap / 2.0, -gap, -gap / 2.0);
    const QFont bold = design::type(font(), design::Type::Heading);
    const QFontMetrics head(bold), body(font());
    if (room.width() < 2 * head.averageCharWidth() || room.height() < head.height())
        return;
    const Words &words = wordsOf(index);
    const QString name = nameIn(words, head, static_cast<int>(room.width()));
    constexpr auto kLeastLetters = 3; // fewer of a longer name say nothing
    if (name != words.name && std::ranges::count_if(name, [](QChar letter) {
                                  return letter.isLetterOrNumber();
                              }) < kLeastLetters)
        return;
    painter.setPen(cell.ink);
    painter.setFont(bold);
    painter.drawText(QRectF(room.topLeft(), QSizeF(room.width(), head.height())),
                     Qt::AlignLeft | Qt::AlignVCenter, readFromLeft(name, layoutDirection()));
    if (room.height() < head.height() + body.height() ||
        body.horizontalAdvance(words.note) > room.width())
        return;
    painter.setFont(font());
    painter.drawText(QRectF(room.left(), room.top() + head.height(), room.width(), body.height()),
                     Qt::AlignLeft | Qt::AlignVCenter, readFromLeft(words.note, layoutDirection()));
}

QString TreemapView::nameIn(const Words &words, const QFontMetrics &metrics, int width)
{
    return fittingName(metrics, words.name, words.shortName, width);
}

int TreemapView::cellAt(const QPointF &point) const
{
    for (std::size_t i = 0; i < m_rects.size(); ++i) {
        if (m_rects[i].contains(point))
            return static_cast<int>(i);
    }
    return -1;
}

void TreemapView::choose(int cell)
{
    if (cell < 0 || static_cast<std::size_t>(cell) >= m_cells.size())
        return;
    m_current = cell;
    setAccessibleDescription(currentTip());
    update();
}

void TreemapView::mousePressEvent(QMouseEvent *event)
{
    const int cell = cellAt(event->position());
    if (event->button() != Qt::LeftButton || cell < 0)
        return;
    choose(cell);
    Q_EMIT picked(m_cells[static_cast<std::size_t>(cell)].key);
}

void TreemapView::keyPressEvent(QKeyEvent *event)
{
    const int last = static_cast<int>(m_cells.size()) - 1;
    switch (event->key()) {
    case Qt::Key_Right:
    case Qt::Key_Down: choose(std::min(m_current + 1, last)); return;
    case Qt::Key_Left:
    case Qt::Key_Up: choose(std::max(m_current - 1, 0)); return;
    case Qt::Key_Home: choose(0); return;
    case Qt::Key_End: choose(last); return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (m_current >= 0)
            Q_EMIT picked(m_cells[static_cast<std::size_t>(m_current)].key);
        return;
    default: QWidget::keyPressEvent(event);
    }
}

bool TreemapView::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    const int cell = cellAt(help->pos());
    if (cell < 0)
        QToolTip::hideText();
    else
        QToolTip::showText(help->globalPos(), wordsOf(static_cast<std::size_t>(cell)).tip, this);
    return true;
}

} // namespace kernscope::ui

#include "moc_treemap_view.cpp"
