// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/overview/navigator_rows.h"

#include "widgets/common/labels.h"
#include "widgets/common/qt.h"
#include "widgets/common/table_tools.h"
#include "widgets/models/bundle_tree_model.h"
#include "widgets/models/short_names.h"
#include "widgets/models/table_text.h"
#include "widgets/models/theme.h"

namespace kernscope::ui {

namespace {

constexpr double kRowGap = 0.5, kAround = 0.4, kRowSwatch = 0.75; // in ems

/// The two lines of a row, with as much room above as below.
struct Lines {
    QRect first, second;
};

Lines linesOf(const QRect &row, int firstHeight, int secondHeight)
{
    const int top = row.top() + (row.height() - firstHeight - secondHeight) / 2;
    return {QRect(row.left(), top, row.width(), firstHeight),
            QRect(row.left(), top + firstHeight, row.width(), secondHeight)};
}

/// `box` and `side` as in a window that reads from left to right.
void drawText(QPainter &painter, const QStyleOptionViewItem &cell, const QRect &around,
              const QRect &box, Qt::Alignment side, const QString &text)
{
    const QRect place = QStyle::visualRect(cell.direction, around, box);
    painter.drawText(place,
                     int(QStyle::visualAlignment(cell.direction, side) | Qt::AlignVCenter) |
                         Qt::TextSingleLine,
                     readFromLeft(text, cell.direction));
}

} // namespace

TwoLineRows::TwoLineRows(const BundleTreeModel &model, QTreeView *view)
    : QStyledItemDelegate(view), m_model(model), m_view(view)
{
}

int TwoLineRows::zerosWidth(const QFontMetrics &small)
{
    return small.horizontalAdvance(u"100.0 %"_s);
}

int TwoLineRows::ratioWidth(const QFontMetrics &small)
{
    return small.horizontalAdvance(u"0.000"_s);
}

int TwoLineRows::gap(const QWidget *widget)
{
    return theme::em(widget, kRowGap);
}

QFont TwoLineRows::smallFont(const QFont &base)
{
    return design::type(base, design::Type::Small);
}

QString TwoLineRows::text(const QModelIndex &row, const char *key) const
{
    return row.siblingAtColumn(m_model.columnOf(key)).data().toString();
}

int TwoLineRows::freeBesideNumber(const QModelIndex &index) const
{
    const QHeaderView *header = m_view->header();
    const int bytes = m_model.columnOf("stored_bytes"), names = m_model.columnOf("name");
    const bool beside = header->visualIndex(bytes) > header->visualIndex(names);
    if (!beside)
        return 0;
    const int number = m_view->fontMetrics().horizontalAdvance(text(index, "stored_bytes"));
    return std::max(0, header->sectionSize(bytes) - number - 2 * gap(m_view));
}

int TwoLineRows::nameRoom(const QModelIndex &name) const
{
    int depth = 0;
    for (QModelIndex at = name.parent(); at.isValid(); at = at.parent())
        ++depth;
    return m_view->header()->sectionSize(m_model.columnOf("name")) - depth * m_view->indentation() -
           gap(m_view) + freeBesideNumber(name);
}

void TwoLineRows::paintNames(QPainter &painter, const QStyleOptionViewItem &cell,
                             const QModelIndex &index) const
{
    const int margin = gap(m_view) / 2;
    const QFont smaller = smallFont(cell.font);
    const QFontMetrics metrics(cell.font), small(smaller);
    const Lines lines = linesOf(cell.rect, metrics.height(), small.height());
    QRect line = lines.first.adjusted(margin, 0, -margin, 0);
    line.setRight(line.right() + freeBesideNumber(index));
    painter.setFont(cell.font);
    painter.setPen(cell.palette.color(QPalette::Text));
    drawText(painter, cell, cell.rect, line, Qt::AlignLeft,
             fittingName(metrics, index.data().toString(), index.data(kShortNameRole).toString(),
                         line.width()));
    QRect form = lines.second.adjusted(margin, 0, -margin, 0);
    const QModelIndex at = index.siblingAtColumn(m_model.columnOf("form"));
    if (const QVariant swatch = at.data(Qt::DecorationRole); swatch.isValid()) {
        const int side = theme::em(m_view, kRowSwatch);
        QRect place(form.left(), form.center().y() - side / 2, side, side);
        swatch.value<QIcon>().paint(&painter, QStyle::visualRect(cell.direction, cell.rect, place));
        form.setLeft(place.right() + margin + 1);
    }
    painter.setFont(smaller);
    painter.setPen(cell.palette.color(QPalette::PlaceholderText));
    drawText(painter, cell, cell.rect, form, Qt::AlignLeft,
             small.elidedText(at.data().toString(), Qt::ElideMiddle, form.width()));
}

void TwoLineRows::paintFigures(QPainter &painter, const QStyleOptionViewItem &cell,
                               const QModelIndex &index) const
{
    const int margin = gap(m_view) / 2;
    const QFont smaller = smallFont(cell.font);
    const QFontMetrics small(smaller);
    const QColor faint = cell.palette.color(QPalette::PlaceholderText);
    const Lines lines = linesOf(cell.rect, QFontMetrics(cell.font).height(), small.height());
    painter.setFont(cell.font);
    painter.setPen(cell.palette.color(QPalette::Text));
    drawText(painter, cell, cell.rect, lines.first.adjusted(margin, 0, -margin, 0), Qt::AlignRight,
             text(index, "stored_bytes"));
    painter.setFont(smaller);
    painter.setPen(faint);
    const QRect below = lines.second.adjusted(margin, 0, -margin, 0);
    drawText(painter, cell, cell.rect, below, Qt::AlignRight, text(index, "zero_fraction"));
    drawText(painter, cell, cell.rect, below.adjusted(0, 0, -zerosWidth(small) - gap(m_view), 0),
             Qt::AlignRight, text(index, "ratio"));
}

void TwoLineRows::paint(QPainter *painter, const QStyleOptionViewItem &option,
                        const QModelIndex &index) const
{
    QStyleOptionViewItem cell = option;
    initStyleOption(&cell, index);
    cell.text.clear();
    cell.icon = QIcon();
    cell.features &= ~QStyleOptionViewItem::HasDecoration;
    m_view->style()->drawControl(QStyle::CE_ItemViewItem, &cell, painter, m_view);
    painter->save();
    const int names = m_model.columnOf("name");
    if (index.column() == names) {
        const QFontMetrics metrics(cell.font), small(smallFont(cell.font));
        paintMarginMark(painter, option, index,
                        linesOf(cell.rect, metrics.height(), small.height()).first);
        painter->setClipRect(cell.rect, Qt::IntersectClip);
        paintNames(*painter, cell, index);
    } else {
        paintFigures(*painter, cell, index);
        if (freeBesideNumber(index) > 0) {
            // The view draws the ground of each cell by itself: so does each cell its part of a
            // name.
            const QModelIndex name = index.siblingAtColumn(names);
            painter->setClipRect(cell.rect, Qt::IntersectClip);
            cell.rect = m_view->visualRect(name);
            paintNames(*painter, cell, name);
        }
    }
    painter->restore();
}

QSize TwoLineRows::sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    const QFontMetrics metrics(option.font), small(smallFont(option.font));
    if (index.column() == m_model.columnOf("name"))
        return {metrics.horizontalAdvance(index.data().toString()) + gap(m_view),
                metrics.height() + small.height() + theme::em(m_view, kAround)};
    const int figures = ratioWidth(small) + gap(m_view) + zerosWidth(small);
    return {std::max(figures, metrics.horizontalAdvance(text(index, "stored_bytes"))) + gap(m_view),
            1};
}

namespace {

constexpr double kBelow = 0.15; // of the font's height, between the second line and the edge

} // namespace

NavigatorHeader::NavigatorHeader(const BundleTreeModel &model, QWidget *parent)
    : QHeaderView(Qt::Horizontal, parent), m_model(model)
{
    setSectionsMovable(true);
    setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
}

void NavigatorHeader::setTwoLines(bool two)
{
    if (std::exchange(m_two, two) == two)
        return;
    updateGeometry();
    Q_EMIT geometriesChanged();
    viewport()->update();
}

QString NavigatorHeader::titleOf(int column) const
{
    QString title = m_model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
    if (isSortIndicatorShown() && sortIndicatorSection() == column)
        title += sortIndicatorOrder() == Qt::AscendingOrder ? u" \u25B4"_s : u" \u25BE"_s;
    return title;
}

QRect NavigatorHeader::titleRect(int column) const
{
    const int names = m_model.columnOf("name"), bytes = m_model.columnOf("stored_bytes");
    const bool below = column != names && column != bytes;
    const std::string_view under = column == m_model.columnOf("form") ? "name" : "stored_bytes";
    const int section = below ? m_model.columnOf(under) : column;
    if (!m_two || isSectionHidden(section))
        return {};
    const int margin = TwoLineRows::gap(this) / 2;
    const QFontMetrics small(TwoLineRows::smallFont(font()));
    const int second = small.height() + theme::em(this, kBelow);
    QRect rect(sectionViewportPosition(section), 0, sectionSize(section), height());
    const QRect around = rect;
    rect.adjust(margin, 0, -margin, 0);
    if (below)
        rect.setTop(rect.bottom() - second);
    else
        rect.setBottom(rect.bottom() - second);
    const int zeros = TwoLineRows::zerosWidth(small) + TwoLineRows::gap(this);
    if (column == m_model.columnOf("zero_fraction"))
        rect.setLeft(rect.right() - zeros + TwoLineRows::gap(this) / 2);
    else if (column == m_model.columnOf("ratio"))
        rect.setRight(rect.right() - zeros);
    else if (below && column != m_model.columnOf("form"))
        return {};
    return QStyle::visualRect(layoutDirection(), around, rect);
}

void NavigatorHeader::initStyleOptionForIndex(QStyleOptionHeader *option, int logicalIndex) const
{
    QHeaderView::initStyleOptionForIndex(option, logicalIndex);
    if (!m_two)
        return;
    option->text.clear(); // paintSection() writes the titles
    option->sortIndicator = QStyleOptionHeader::None;
}

void NavigatorHeader::paintSection(QPainter *painter, const QRect &rect, int logicalIndex) const
{
    painter->save();
    QHeaderView::paintSection(painter, rect, logicalIndex);
    painter->restore();
    if (!m_two)
        return;
    const bool names = logicalIndex == m_model.columnOf("name");
    const std::array<const char *, 3> keys =
        names ? std::array{"name", "form", ""}
              : std::array{"stored_bytes", "ratio", "zero_fraction"};
    const Qt::Alignment side =
        QStyle::visualAlignment(layoutDirection(), names ? Qt::AlignLeft : Qt::AlignRight);
    painter->save();
    painter->setFont(font());
    painter->setPen(palette().color(QPalette::ButtonText));
    for (const std::string_view key : keys) {
        const int column = key.empty() ? -1 : m_model.columnOf(key);
        if (column >= 0)
            painter->drawText(titleRect(column), int(side | Qt::AlignVCenter) | Qt::TextSingleLine,
                              titleOf(column));
        painter->setFont(TwoLineRows::smallFont(font()));
        painter->setPen(palette().color(QPalette::PlaceholderText));
    }
    painter->restore();
}

QSize NavigatorHeader::sectionSizeFromContents(int logicalIndex) const
{
    QSize size = QHeaderView::sectionSizeFromContents(logicalIndex);
    if (m_two) {
        const QFontMetrics small(TwoLineRows::smallFont(font()));
        // The titles are drawn by this class: the base measures none.
        size.setHeight(fontMetrics().height() + small.height() + 4 * theme::em(this, kBelow));
    }
    return size;
}

int NavigatorHeader::secondLineAt(const QPoint &pos) const
{
    for (const char *key : {"form", "ratio", "zero_fraction"}) {
        const int column = m_model.columnOf(key);
        if (titleRect(column).contains(pos))
            return column;
    }
    return -1;
}

bool NavigatorHeader::viewportEvent(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto *help = static_cast<QHelpEvent *>(event);
        if (const int column = secondLineAt(help->pos()); column >= 0) {
            QToolTip::showText(
                help->globalPos(),
                m_model.headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString(), this);
            return true;
        }
    }
    return QHeaderView::viewportEvent(event);
}

void NavigatorHeader::mousePressEvent(QMouseEvent *event)
{
    // At the edge of a section the press begins to resize it.
    const bool resizes =
        viewport()->cursor().shape() == Qt::SplitHCursor || cursor().shape() == Qt::SplitHCursor;
    m_pressed = event->button() == Qt::LeftButton && !resizes
                    ? secondLineAt(event->position().toPoint())
                    : -1;
    if (m_pressed < 0)
        QHeaderView::mousePressEvent(event);
}

void NavigatorHeader::mouseReleaseEvent(QMouseEvent *event)
{
    if (m_pressed < 0) {
        QHeaderView::mouseReleaseEvent(event);
        return;
    }
    const int column = std::exchange(m_pressed, -1);
    if (secondLineAt(event->position().toPoint()) == column)
        sortBy(column);
}

/// As a click on a title in the first line: the way that the column begins with (figures with the
/// largest), the other one, not at all.
void NavigatorHeader::sortBy(int column)
{
    const auto first = static_cast<Qt::SortOrder>(
        model()->headerData(column, Qt::Horizontal, Qt::InitialSortOrderRole).toInt());
    if (sortIndicatorSection() != column)
        setSortIndicator(column, first);
    else if (sortIndicatorOrder() == first)
        setSortIndicator(column,
                         first == Qt::AscendingOrder ? Qt::DescendingOrder : Qt::AscendingOrder);
    else
        setSortIndicator(-1, Qt::AscendingOrder);
}

namespace {

/// As the program has them; `told`: with their function where another one has the name as well.
QStringList wholeNames(const Bundle &bundle, bool told)
{
    QStringList names;
    names.reserve(static_cast<qsizetype>(bundle.weights().size()));
    for (const Weight &weight : bundle.weights())
        names += fromUtf8(told ? weight.findableName() : weight.name);
    return names;
}

/// Across the bundle, and within its functions.
using BothNames = std::pair<QStringList, QStringList>;

BothNames bothNames(const Bundle &bundle)
{
    const QStringList whole = wholeNames(bundle, false), told = wholeNames(bundle, true);
    QStringList functions;
    functions.reserve(whole.size());
    for (const Weight &weight : bundle.weights())
        functions += fromUtf8(report::functionWords(weight));
    const QStringList across = shortNames(told);
    const bool several = std::ranges::any_of(
        functions, [&functions](const QString &each) { return each != functions[0]; });
    if (!several && told == whole)
        return {across, across};
    return {across, several ? shortNames(whole, functions) : shortNames(whole)};
}

} // namespace

WeightNames &WeightNames::of(Session &session)
{
    if (auto *names = session.findChild<WeightNames *>(QString(), Qt::FindDirectChildrenOnly))
        return *names;
    return *new WeightNames(session);
}

WeightNames::WeightNames(Session &session) : QObject(&session), m_session(session)
{
    connect(&session, &Session::bundleChanged, this, &WeightNames::rebuild);
    // An edit leaves the names; shapes that are bound may leave other weights.
    connect(&session, &Session::bytesChanged, this, [this] {
        const BundlePtr &bundle = m_session.bundle();
        if (bundle && !m_task.running() &&
            static_cast<qsizetype>(bundle->weights().size()) != m_names.size())
            rebuild();
    });
    rebuild();
}

QString WeightNames::nameOf(std::size_t weight) const
{
    const auto at = static_cast<qsizetype>(weight);
    if (at < m_names.size())
        return m_names[at];
    const BundlePtr &bundle = m_session.bundle();
    return bundle && weight < bundle->weights().size()
               ? fromUtf8(bundle->weights()[weight].findableName())
               : QString();
}

void WeightNames::rebuild()
{
    m_task.stop();
    m_names.clear();
    m_inFunctions.clear();
    const BundlePtr bundle = m_session.bundle();
    if (!bundle)
        return;
    if (bundle->weights().size() <= kMostAtOnce) {
        std::tie(m_names, m_inFunctions) = bothNames(*bundle);
        Q_EMIT namesChanged();
        return;
    }
    m_task.start(
        tr("Shortening names"),
        [bundle](Progress &progress) {
            const BundleReadLock lock(*bundle);
            return progress.cancelled() ? BothNames() : bothNames(*bundle);
        },
        [this](BothNames made) {
            std::tie(m_names, m_inFunctions) = std::move(made);
            Q_EMIT namesChanged();
        });
}

} // namespace kernscope::ui

#include "moc_navigator_rows.cpp"
