// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/design.h"

#include "widgets/common/labels.h"
#include "widgets/common/qt.h"
#include "widgets/models/theme.h"

#include <numbers>

namespace kernscope::ui::design {

int space(const QWidget *widget, Space step)
{
    switch (step) {
    case Space::Hair: return theme::em(widget, 0.15);
    case Space::Small: return theme::em(widget, 0.3);
    case Space::Medium: return theme::em(widget, 0.6);
    case Space::Large: return theme::em(widget, 1.0);
    }
    return 0;
}

QColor accent(const QPalette &palette)
{
    return palette.color(QPalette::Active, QPalette::Link);
}

QColor chosenGround(const QPalette &palette)
{
    return theme::isDark(palette) ? QColor(0x24, 0x3B, 0x52) : QColor(0xDC, 0xEB, 0xF9);
}

QColor hairline(const QPalette &palette)
{
    return theme::isDark(palette) ? QColor(0x3A, 0x41, 0x4A) : QColor(0xD9, 0xDE, 0xE3);
}

QColor track(const QPalette &palette)
{
    return theme::isDark(palette) ? QColor(0x2F, 0x36, 0x3E) : QColor(0xEC, 0xF0, 0xF3);
}

QFont type(const QFont &base, Type step)
{
    QFont font = base;
    const auto scale = [&font](qreal by) {
        if (font.pointSizeF() > 0)
            font.setPointSizeF(font.pointSizeF() * by);
        else
            font.setPixelSize(static_cast<int>(font.pixelSize() * by));
    };
    switch (step) {
    case Type::Title:
        scale(1.25);
        font.setBold(true);
        break;
    case Type::Heading: font.setBold(true); break;
    case Type::Figure:
        scale(1.4);
        font.setBold(true);
        break;
    case Type::Body: break;
    case Type::Small: scale(0.92); break;
    }
    return font;
}

QLabel *label(const QString &text, Type step, QWidget *parent)
{
    auto *label = new QLabel(text, parent);
    label->setFont(type(parent->font(), step));
    if (step == Type::Small)
        label->setForegroundRole(QPalette::PlaceholderText);
    return label;
}

} // namespace kernscope::ui::design

namespace kernscope::ui {

namespace {

/// A row's chosen ground is pale, and its text stays the text's colour.
QStyleOptionViewItem paleOption(const QStyleOptionViewItem &item)
{
    QStyleOptionViewItem pale = item;
    const QColor text = item.palette.color(QPalette::Active, QPalette::Text);
    for (const auto group : {QPalette::Active, QPalette::Inactive, QPalette::Disabled}) {
        pale.palette.setColor(group, QPalette::Highlight, design::chosenGround(item.palette));
        pale.palette.setColor(group, QPalette::HighlightedText, text);
    }
    return pale;
}

bool isRowOfView(const QWidget *widget)
{
    return qobject_cast<const QAbstractItemView *>(widget) != nullptr &&
           !widget->inherits("QComboBoxListView");
}

void drawHairline(QPainter *painter, const QRect &rect, const QPalette &palette)
{
    const QColor line = design::hairline(palette);
    if (rect.width() < rect.height())
        painter->fillRect(QRect(rect.center().x(), rect.y(), 1, rect.height()), line);
    else
        painter->fillRect(QRect(rect.x(), rect.center().y(), rect.width(), 1), line);
}

void drawTabShape(QPainter *painter, const QStyleOptionTab &tab, const QWidget *bar)
{
    const QPalette &palette = tab.palette;
    const bool chosen = tab.state & QStyle::State_Selected;
    // A bar that docks were laid out anew around believes the mouse where it was before.
    if (!chosen && (tab.state & QStyle::State_MouseOver) &&
        (!bar || tab.rect.contains(bar->mapFromGlobal(QCursor::pos()))))
        painter->fillRect(tab.rect, design::track(palette));
    if (!chosen)
        return;
    const bool south = tab.shape == QTabBar::RoundedSouth || tab.shape == QTabBar::TriangularSouth;
    const int y = south ? tab.rect.top() : tab.rect.bottom() - 1;
    painter->fillRect(QRect(tab.rect.x() + 4, y, tab.rect.width() - 8, 2), design::accent(palette));
}

void drawHeader(QPainter *painter, const QStyleOptionHeader &header)
{
    const QColor line = design::hairline(header.palette);
    painter->fillRect(header.rect, header.palette.color(QPalette::Base));
    if (header.orientation == Qt::Horizontal)
        painter->fillRect(QRect(header.rect.x(), header.rect.bottom(), header.rect.width(), 1),
                          line);
    else
        painter->fillRect(QRect(header.rect.right(), header.rect.y(), 1, header.rect.height()),
                          line);
}

/// A title with signs and numbers ("Max |B - A|") is read from left to right in any window.
QString linesFromLeft(const QString &text, Qt::LayoutDirection direction)
{
    if (direction == Qt::LeftToRight)
        return text;
    QStringList lines = text.split(QLatin1Char('\n'));
    for (QString &line : lines)
        line = readFromLeft(line, direction);
    return lines.join(QLatin1Char('\n'));
}

/// Fusion draws these edges darker than the window, which the dark theme swallows.
void drawControlEdge(QStyle::PrimitiveElement element, const QStyleOption &option,
                     QPainter *painter)
{
    const QRectF edge = QRectF(option.rect).adjusted(0.5, 0.5, -0.5, -0.5);
    painter->save();
    painter->setBrush(Qt::NoBrush);
    if (element == QStyle::PE_FrameLineEdit) {
        painter->setPen(design::hairline(option.palette));
        painter->drawRoundedRect(edge, 2, 2);
    } else {
        painter->setPen(option.palette.color(QPalette::PlaceholderText));
        if (element == QStyle::PE_IndicatorRadioButton) {
            painter->setRenderHint(QPainter::Antialiasing);
            painter->drawEllipse(edge);
        } else {
            painter->drawRect(edge);
        }
    }
    painter->restore();
}

} // namespace

QuietStyle::QuietStyle() : QProxyStyle(u"Fusion"_s) {}

int QuietStyle::pixelMetric(PixelMetric metric, const QStyleOption *option,
                            const QWidget *widget) const
{
    const int plain = QProxyStyle::pixelMetric(metric, option, widget);
    switch (metric) {
    // A number at the right of one column and a word at the left of the next would else read as
    // one.
    case PM_FocusFrameHMargin:
    case PM_HeaderMargin: return plain + 2;
    case PM_DockWidgetSeparatorExtent:
    case PM_SplitterWidth: return 5;
    case PM_TabBarTabHSpace: return plain + 6;
    default: return plain;
    }
}

void QuietStyle::drawPrimitive(PrimitiveElement element, const QStyleOption *option,
                               QPainter *painter, const QWidget *widget) const
{
    switch (element) {
    case PE_IndicatorDockWidgetResizeHandle:
        drawHairline(painter, option->rect, option->palette);
        return;
    case PE_FrameTabBarBase: {
        const QRect &rect = option->rect;
        painter->fillRect(QRect(rect.x(), rect.bottom(), rect.width(), 1),
                          design::hairline(option->palette));
        return;
    }
    case PE_Frame: // of tables, texts and pictures: also where the keyboard is
        // Filled: a pen at a scale of 1.5 lies beside the pixels that the content leaves.
        for (const QRect &side : QRegion(option->rect) - option->rect.adjusted(1, 1, -1, -1))
            painter->fillRect(side, option->state & State_HasFocus
                                        ? design::accent(option->palette)
                                        : design::hairline(option->palette));
        return;
    case PE_PanelItemViewRow:
    case PE_PanelItemViewItem: {
        const auto *item = qstyleoption_cast<const QStyleOptionViewItem *>(option);
        if (!item || !isRowOfView(widget) || !(item->state & State_Selected))
            break;
        const QStyleOptionViewItem pale = paleOption(*item);
        QProxyStyle::drawPrimitive(element, &pale, painter, widget);
        const bool first = item->viewItemPosition == QStyleOptionViewItem::Beginning ||
                           item->viewItemPosition == QStyleOptionViewItem::OnlyOne;
        if (first && element == PE_PanelItemViewItem) {
            const QRect mark(item->rect.x(), item->rect.y(), 3, item->rect.height());
            painter->fillRect(visualRect(item->direction, item->rect, mark),
                              design::accent(item->palette));
        }
        return;
    }
    case PE_IndicatorCheckBox:
    case PE_IndicatorItemViewItemCheck:
    case PE_IndicatorRadioButton:
        QProxyStyle::drawPrimitive(element, option, painter, widget);
        drawControlEdge(element, *option, painter);
        return;
    case PE_FrameLineEdit:
        QProxyStyle::drawPrimitive(element, option, painter, widget);
        if (!(option->state & State_HasFocus)) // Fusion draws that one in the accent
            drawControlEdge(element, *option, painter);
        return;
    default: break;
    }
    QProxyStyle::drawPrimitive(element, option, painter, widget);
}

void QuietStyle::drawControl(ControlElement element, const QStyleOption *option, QPainter *painter,
                             const QWidget *widget) const
{
    switch (element) {
    case CE_Splitter: drawHairline(painter, option->rect, option->palette); return;
    case CE_HeaderSection:
        if (const auto *header = qstyleoption_cast<const QStyleOptionHeader *>(option)) {
            drawHeader(painter, *header);
            return;
        }
        break;
    case CE_HeaderLabel:
        if (const auto *header = qstyleoption_cast<const QStyleOptionHeader *>(option)) {
            QStyleOptionHeader label(*header);
            const int margin = pixelMetric(PM_HeaderMargin, option, widget);
            // Texts may stand in the margins: at a scale of 1.5 Qt cuts the tops of numbers of
            // rows, and the lines of a chip's title are measured by the whole section. A
            // right-aligned title Qt cuts at its begin, once its margin has no room.
            label.rect.adjust(0, -margin, 0, margin);
            if (label.text.contains(QLatin1Char('\n')))
                label.rect.adjust(-margin, 0, margin, 0);
            else if (label.fontMetrics.horizontalAdvance(label.text) > label.rect.width() + margin)
                label.text =
                    label.fontMetrics.elidedText(label.text, Qt::ElideMiddle, label.rect.width());
            label.text = linesFromLeft(label.text, header->direction);
            QProxyStyle::drawControl(element, &label, painter, widget);
            return;
        }
        break;
    case CE_MenuBarItem:
    case CE_MenuBarEmptyArea:
    case CE_ToolBar: { // the lines that Fusion draws below them glare in the dark
        QProxyStyle::drawControl(element, option, painter, widget);
        QRect line = option->rect;
        line.setTop(line.bottom() - (element == CE_ToolBar ? 1 : 0));
        painter->fillRect(line, option->palette.window());
        line.setTop(line.bottom());
        painter->fillRect(line, design::hairline(option->palette));
        return;
    }
    case CE_HeaderEmptyArea:
        painter->fillRect(option->rect, option->palette.color(QPalette::Base));
        return;
    case CE_TabBarTabShape:
        if (const auto *tab = qstyleoption_cast<const QStyleOptionTab *>(option)) {
            drawTabShape(painter, *tab, widget);
            return;
        }
        break;
    case CE_ComboBoxLabel:
        // A letter cut in half says nothing; of a path what tells the file is kept.
        if (const auto *box = qstyleoption_cast<const QStyleOptionComboBox *>(option)) {
            QStyleOptionComboBox whole = *box;
            const int room =
                subControlRect(CC_ComboBox, box, SC_ComboBoxEditField, widget).width() - 2;
            whole.currentText = elidedName(box->fontMetrics, box->currentText, room);
            QProxyStyle::drawControl(element, &whole, painter, widget);
            return;
        }
        break;
    case CE_ItemViewItem:
        if (const auto *item = qstyleoption_cast<const QStyleOptionViewItem *>(option);
            item && isRowOfView(widget)) {
            const QStyleOptionViewItem pale = paleOption(*item);
            QProxyStyle::drawControl(element, &pale, painter, widget);
            return;
        }
        break;
    default: break;
    }
    QProxyStyle::drawControl(element, option, painter, widget);
}

QSize QuietStyle::sizeFromContents(ContentsType type, const QStyleOption *option, const QSize &size,
                                   const QWidget *widget) const
{
    QSize whole = QProxyStyle::sizeFromContents(type, option, size, widget);
    if (type == CT_TabBarTab)
        whole.rheight() += 2;
    // Rows of trees have no height of their own to set: as much room as those of tables.
    if (type == CT_ItemViewItem && qobject_cast<const QTreeView *>(widget))
        whole.rheight() += 4;
    // Beside the words of a button that opens a menu stands its arrow, and not upon them.
    const auto *button = qstyleoption_cast<const QStyleOptionToolButton *>(option);
    if (type == CT_ToolButton && button && button->icon.isNull() &&
        (button->features & QStyleOptionToolButton::HasMenu))
        whole.rwidth() += 2 * pixelMetric(PM_MenuButtonIndicator, option, widget);
    return whole;
}

int QuietStyle::styleHint(StyleHint hint, const QStyleOption *option, const QWidget *widget,
                          QStyleHintReturn *data) const
{
    // Tabs stand where reading begins.
    if (hint == SH_TabBar_Alignment)
        return Qt::AlignLeft;
    // The desktop's pictures on buttons are of another family than the window's.
    if (hint == SH_DialogButtonBox_ButtonsHaveIcons)
        return 0;
    // Of a link that has the keyboard: Qt's frame about it is cut at the edges of its label.
    auto *mark = qstyleoption_cast<QStyleHintReturnVariant *>(data);
    if (hint == SH_TextControl_FocusIndicatorTextCharFormat && option && mark) {
        QTextCharFormat format;
        format.setBackground(option->palette.highlight());
        format.setForeground(option->palette.highlightedText());
        mark->variant = format;
        return 1;
    }
    return QProxyStyle::styleHint(hint, option, widget, data);
}

namespace {

constexpr qreal kBox = 24, kStroke = 1.6; // of every icon's view box

/// Reads the numbers and letters of a path one by one.
class PathReader
{
public:
    explicit PathReader(const QString &text) : m_text(text) {}

    bool atEnd()
    {
        skip();
        return m_at >= m_text.size();
    }
    bool atNumber()
    {
        skip();
        if (m_at >= m_text.size())
            return false;
        const QChar c = m_text[m_at];
        return c.isDigit() || c == u'-' || c == u'+' || c == u'.';
    }
    QChar letter() { return m_text[m_at++]; }
    /// 0 and `fault` where there is no number.
    qreal number()
    {
        if (!atNumber()) {
            fault = true;
            return 0;
        }
        qsizetype end = m_at + 1;
        bool point = m_text[m_at] == u'.';
        while (end < m_text.size() && (m_text[end].isDigit() || (!point && m_text[end] == u'.'))) {
            point |= m_text[end] == u'.';
            ++end;
        }
        bool ok = false;
        const qreal value = m_text.mid(m_at, end - m_at).toDouble(&ok);
        fault |= !ok;
        m_at = end;
        return value;
    }
    QPointF point()
    {
        const qreal x = number();
        return {x, number()};
    }

    bool fault = false;

private:
    void skip()
    {
        while (m_at < m_text.size() && (m_text[m_at].isSpace() || m_text[m_at] == u','))
            ++m_at;
    }

    const QString &m_text;
    qsizetype m_at = 0;
};

/// A circular arc from the path's end to `to` (the radii of our icons are equal).
void arcTo(QPainterPath &path, qreal radius, bool large, bool sweep, QPointF to)
{
    const QPointF from = path.currentPosition();
    const QPointF half = (to - from) / 2;
    const qreal reach = std::hypot(half.x(), half.y());
    if (reach < 1e-9)
        return;
    const qreal r = std::max(radius, reach);
    const qreal off = std::sqrt(std::max(0.0, r * r - reach * reach)) / reach;
    const qreal side = large == sweep ? -1 : 1;
    const QPointF centre = from + half + QPointF(-half.y(), half.x()) * (off * -side);
    const auto degrees = [&](QPointF p) {
        return std::atan2(-(p.y() - centre.y()), p.x() - centre.x()) * 180 / std::numbers::pi;
    };
    const qreal start = degrees(from);
    qreal span = degrees(to) - start;
    if (sweep && span > 0)
        span -= 360;
    if (!sweep && span < 0)
        span += 360;
    path.arcTo(QRectF(centre.x() - r, centre.y() - r, 2 * r, 2 * r), start, span);
}

/// One command with its numbers; false where the letter is none.
bool drawCommand(PathReader &reader, QChar command, QPainterPath &path)
{
    const QPointF base = command.isLower() ? path.currentPosition() : QPointF();
    switch (command.toUpper().toLatin1()) {
    case 'M': path.moveTo(base + reader.point()); return true;
    case 'L': path.lineTo(base + reader.point()); return true;
    case 'H': path.lineTo(base.x() + reader.number(), path.currentPosition().y()); return true;
    case 'V': path.lineTo(path.currentPosition().x(), base.y() + reader.number()); return true;
    case 'C': {
        const QPointF a = base + reader.point(), b = base + reader.point();
        path.cubicTo(a, b, base + reader.point());
        return true;
    }
    case 'A': {
        const qreal radius = reader.number();
        reader.number(); // the other radius
        reader.number(); // rotation
        const bool large = reader.number() != 0, sweep = reader.number() != 0;
        arcTo(path, radius, large, sweep, base + reader.point());
        return true;
    }
    default: return false;
    }
}

class LineIcon final : public QIconEngine
{
public:
    explicit LineIcon(QPainterPath path) : m_path(std::move(path)) {}
    QIconEngine *clone() const override { return new LineIcon(m_path); }

    void paint(QPainter *painter, const QRect &rect, QIcon::Mode mode, QIcon::State state) override
    {
        const QPalette palette = QGuiApplication::palette();
        QColor ink = palette.color(mode == QIcon::Disabled ? QPalette::Disabled : QPalette::Active,
                                   QPalette::ButtonText);
        if (mode == QIcon::Disabled)
            ink.setAlphaF(0.45F);
        else if (state == QIcon::On)
            ink = palette.color(QPalette::Link);
        const qreal side = std::min(rect.width(), rect.height());
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->translate(rect.x() + (rect.width() - side) / 2,
                           rect.y() + (rect.height() - side) / 2);
        painter->scale(side / kBox, side / kBox);
        painter->setBrush(Qt::NoBrush);
        painter->setPen(QPen(ink, kStroke, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter->drawPath(m_path);
        painter->restore();
    }

    QPixmap pixmap(const QSize &size, QIcon::Mode mode, QIcon::State state) override
    {
        QPixmap picture(size);
        picture.fill(Qt::transparent);
        QPainter painter(&picture);
        paint(&painter, QRect(QPoint(), size), mode, state);
        return picture;
    }

private:
    QPainterPath m_path;
};

} // namespace

std::optional<QPainterPath> svgPath(const QString &d)
{
    PathReader reader(d);
    QPainterPath path;
    while (!reader.atEnd() && !reader.fault) {
        const QChar command = reader.letter();
        if (command.toUpper() == u'Z') {
            path.closeSubpath();
            continue;
        }
        QChar now = command;
        do {
            if (!drawCommand(reader, now, path))
                return std::nullopt;
            // Further pairs after a move are lines.
            if (now == u'M')
                now = u'L';
            else if (now == u'm')
                now = u'l';
        } while (!reader.fault && reader.atNumber());
    }
    if (reader.fault)
        return std::nullopt;
    return path;
}

QIcon lineIcon(const QString &name)
{
    QFile file(u":/icons/actions/%1.svg"_s.arg(name));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    QPainterPath whole;
    QXmlStreamReader xml(&file);
    while (!xml.atEnd()) {
        if (xml.readNext() != QXmlStreamReader::StartElement || xml.name() != u"path")
            continue;
        if (const auto path = svgPath(xml.attributes().value(u"d"_s).toString()))
            whole.addPath(*path);
    }
    return whole.isEmpty() ? QIcon() : QIcon(new LineIcon(whole));
}

} // namespace kernscope::ui

namespace kernscope::ui::theme {

// What of the theme needs widgets: the application's style and lengths by a widget's font.

void apply(bool dark)
{
    QApplication::setStyle(new QuietStyle);
    QApplication::setPalette(palette(dark));
}

/// Height of a line of text. Families leave room of very different size above and below their
/// letters (12 pixels: DejaVu Sans 14, Open Sans 17): no more than usual is counted, so that a
/// window of one size shows as much in every font.
static int lineHeightOf(const QFont &font)
{
    constexpr double kUsual = 1.18;
    const int usual = static_cast<int>(std::lround(QFontInfo(font).pixelSize() * kUsual));
    return std::min(QFontMetrics(font).height(), usual);
}

int em(const QWidget *widget, double ems)
{
    return static_cast<int>(std::lround(lineHeightOf(widget->font()) * ems));
}

} // namespace kernscope::ui::theme

#include "moc_design.cpp"
