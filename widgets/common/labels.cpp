// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/labels.h"

#include "widgets/common/qt.h"
#include "widgets/models/table_text.h"

namespace kernscope::ui {

QFont fixedFont(design::Type step)
{
    QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    const qreal desktop = QFontDatabase::systemFont(QFontDatabase::GeneralFont).pointSizeF();
    const qreal now = QApplication::font().pointSizeF();
    if (font.pointSizeF() > 0 && desktop > 0 && now > 0)
        font.setPointSizeF(font.pointSizeF() * now / desktop);
    return design::type(font, step);
}

void changeApplicationFont(const QFont &font)
{
    const qreal before = QApplication::font().pointSizeF();
    QApplication::setFont(font);
    if (before <= 0 || font.pointSizeF() <= 0)
        return;
    for (QWidget *widget : QApplication::allWidgets()) {
        QFont own = widget->font();
        if (!widget->testAttribute(Qt::WA_SetFont) || own.pointSizeF() <= 0 ||
            !(own.resolveMask() & QFont::SizeResolved))
            continue;
        own.setPointSizeF(own.pointSizeF() * font.pointSizeF() / before);
        widget->setFont(own);
    }
}

QSplitter *parted(Qt::Orientation orientation, std::initializer_list<LaidPart> parts)
{
    auto *splitter = new QSplitter(orientation);
    splitter->setChildrenCollapsible(false);
    for (const LaidPart &part : parts) {
        splitter->addWidget(part.widget);
        if (part.stretch > 0)
            splitter->setStretchFactor(splitter->count() - 1, part.stretch);
    }
    return splitter;
}

QLabel *giveWay(QLabel *label)
{
    QSizePolicy policy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    label->setSizePolicy(policy);
    label->setWordWrap(true);
    return label;
}

QGridLayout *factGrid(QWidget *body, design::Space beside)
{
    auto *grid = new QGridLayout(body);
    grid->setContentsMargins(design::space(body, design::Space::Small), 0, 0, 0);
    grid->setHorizontalSpacing(design::space(body, beside));
    grid->setVerticalSpacing(design::space(body, design::Space::Hair));
    grid->setColumnStretch(1, 1);
    return grid;
}

QLabel *linkLabel(const QString &text, QWidget *parent)
{
    auto *label = new QLabel(text, parent);
    label->setTextFormat(Qt::RichText);
    label->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    return label;
}

QLabel *selectableLabel(QWidget *parent, Qt::TextFormat format)
{
    return selectable(new QLabel(parent), format);
}

QLabel *selectable(QLabel *label, Qt::TextFormat format)
{
    label->setTextFormat(format);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

ElidedLabel::ElidedLabel(Qt::TextElideMode mode, QWidget *parent) : QLabel(parent), m_mode(mode)
{
    setTextFormat(Qt::PlainText);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void ElidedLabel::setWholeText(const QString &wanted)
{
    const QString text = shown(wanted); // paths and names come here by many ways
    if (std::exchange(m_whole, text) == text)
        return;
    setToolTip(text);
    setAccessibleName(text);
    updateGeometry();
    elide();
}

QSize ElidedLabel::minimumSizeHint() const
{
    return {fontMetrics().averageCharWidth() * 4, fontMetrics().height()};
}

QSize ElidedLabel::sizeHint() const
{
    return {fontMetrics().horizontalAdvance(m_whole) + fontMetrics().averageCharWidth(),
            fontMetrics().height()};
}

void ElidedLabel::resizeEvent(QResizeEvent *event)
{
    QLabel::resizeEvent(event);
    elide();
}

void ElidedLabel::changeEvent(QEvent *event)
{
    QLabel::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        elide();
}

void ElidedLabel::elide()
{
    setText(m_mode == Qt::ElideRight ? elidedWords(fontMetrics(), m_whole, width())
                                     : fontMetrics().elidedText(m_whole, m_mode, width()));
}

QString elidedWords(const QFontMetrics &metrics, const QString &text, int width)
{
    if (metrics.horizontalAdvance(text) <= width)
        return text;
    for (qsizetype end = text.lastIndexOf(u' '); end > 0; end = text.lastIndexOf(u' ', end - 1)) {
        const QString shorter = text.left(end).trimmed() + QChar(0x2026);
        if (metrics.horizontalAdvance(shorter) <= width)
            return shorter;
    }
    const QString first = text.section(u' ', 0, 0);
    return !first.isEmpty() && first.front().isDigit() ? QString(QChar(0x2026))
                                                       : elidedName(metrics, first, width);
}

QString elidedName(const QFontMetrics &metrics, const QString &name, int width)
{
    constexpr qsizetype kTail = 6;
    constexpr qsizetype kLeastNameLetters = 6;
    constexpr int kLeastHeads = 2; // a head of that many tails, or the cut is no better
    if (metrics.horizontalAdvance(name) <= width)
        return name;
    // What follows the mark is common to many names and was left out already: the end of what is
    // there goes next, not its middle.
    if (name.endsWith(QChar(0x2026)))
        return metrics.elidedText(name, Qt::ElideRight, width);
    // An index tells places of one weight apart: letters of the name go before it, and what is said
    // of the place.
    const qsizetype open = name.lastIndexOf(QLatin1Char('[')),
                    close = name.indexOf(QLatin1Char(']'), std::max<qsizetype>(open, 0));
    if (open > 0 && close > open) {
        const QString index = name.mid(open, close - open + 1);
        const QString most = name.left(kLeastNameLetters) + QChar(0x2026);
        for (const QString &end : {name.mid(open), index + QChar(0x2026)}) {
            const int room = width - metrics.horizontalAdvance(end);
            if (room >= metrics.horizontalAdvance(most))
                return elidedName(metrics, name.left(open), room) + end;
        }
    }
    // Of a file's path the last parts tell which it is, as many as there is room for.
    const bool file = !name.startsWith(QChar(0x2026)) &&
                      name.lastIndexOf(QLatin1Char('.')) > name.lastIndexOf(QLatin1Char('/'));
    for (qsizetype slash = name.indexOf(QLatin1Char('/')); file && slash > 0;
         slash = name.indexOf(QLatin1Char('/'), slash + 1)) {
        const QString end = QChar(0x2026) + name.mid(slash);
        if (metrics.horizontalAdvance(end) <= width)
            return end;
    }
    const QString tail = name.right(kTail);
    const int tailWidth = metrics.horizontalAdvance(tail);
    if (width < (kLeastHeads + 1) * tailWidth) {
        // What follows a begin that was left out is what tells names apart.
        const bool begun = name.startsWith(QChar(0x2026));
        return metrics.elidedText(name, begun ? Qt::ElideRight : Qt::ElideMiddle, width);
    }
    return metrics.elidedText(name.chopped(tail.size()) + QChar(0x2026), Qt::ElideRight,
                              width - tailWidth) +
           tail;
}

QString nameAndFigures(const QFontMetrics &metrics, const QString &name, const QString &figures,
                       int width)
{
    const int room = width - metrics.horizontalAdvance(figures);
    return elidedWords(metrics, elidedName(metrics, name, std::max(room, 0)) + figures, width);
}

QString fittingName(const QFontMetrics &metrics, const QString &whole, const QString &shorter,
                    int width)
{
    const bool sentence =
        whole.contains(", "_L1) || whole.contains("; "_L1) || whole.count(u' ') > 3;
    if (shorter.isEmpty() && sentence)
        return elidedWords(metrics, whole, width);
    const QChar cut(0x2026);
    const bool noBegin = shorter.startsWith(cut), noEnd = shorter.endsWith(cut);
    const QString own = shorter.mid(noBegin ? 1 : 0, shorter.size() - noBegin - noEnd);
    const qsizetype at = whole.indexOf(own);
    QStringList tries{whole};
    if (noBegin && noEnd && at > 0)
        tries << whole.left(at + own.size()) + cut << cut + whole.mid(at);
    // As many of the words before it as there is room for.
    for (qsizetype i = 0; noBegin && i + 1 < at; ++i) {
        if (!whole[i].isLetterOrNumber())
            tries += cut + whole.mid(i + 1, at + own.size() - i - 1) + (noEnd ? cut : QString());
    }
    for (const QString &name : tries) {
        if (metrics.horizontalAdvance(name) <= width)
            return name;
    }
    return elidedName(metrics, shorter.isEmpty() ? whole : shorter, width);
}

namespace {

constexpr char kWritten[] = "kernscopeAlignment"; ///< as the label was made, before it was mirrored

/// Qt aligns each text by its own direction: in a window that is read from the right, Latin names
/// and numbers would begin at the left, away from the other labels of their column.
void alignByWindow(QLabel &label)
{
    if (!label.property(kWritten).isValid()) {
        if (label.layoutDirection() == Qt::LeftToRight || label.alignment() & Qt::AlignAbsolute)
            return;
        label.setProperty(kWritten, int(label.alignment()));
    }
    const Qt::Alignment written(label.property(kWritten).toInt());
    const bool mirrored = label.layoutDirection() == Qt::RightToLeft;
    label.setAlignment(
        mirrored ? QStyle::visualAlignment(Qt::RightToLeft, written) | Qt::AlignAbsolute : written);
}

/// A label takes a Tab of its own before its first link, and shows nothing: on to that link, or to
/// what follows a label without one. True where the label did not keep the keyboard.
bool goToLink(QLabel &label, Qt::FocusReason reason)
{
    const bool back = reason == Qt::BacktabFocusReason;
    if (!(label.textInteractionFlags() & Qt::LinksAccessibleByKeyboard) ||
        (reason != Qt::TabFocusReason && !back))
        return false;
    QKeyEvent tab(QEvent::KeyPress, back ? Qt::Key_Backtab : Qt::Key_Tab, Qt::NoModifier);
    QCoreApplication::sendEvent(&label, &tab);
    return !label.hasFocus();
}

/// Every label is polished once, before it is painted; so are tool tips, which are labels.
class PlainLabels final : public QObject
{
public:
    using QObject::QObject;

protected:
    bool eventFilter(QObject *watched, QEvent *event) override
    {
        auto *label = qobject_cast<QLabel *>(watched);
        if (label && event->type() == QEvent::FocusIn)
            return goToLink(*label, static_cast<QFocusEvent *>(event)->reason());
        // Going back from a link at its beginning a label would find the same link again.
        if (label && event->type() == QEvent::KeyPress && label->selectionStart() == 0 &&
            static_cast<QKeyEvent *>(event)->key() == Qt::Key_Backtab) {
            QCoreApplication::sendEvent(label->parentWidget(), event);
            return true;
        }
        const bool polish = event->type() == QEvent::Polish;
        if (polish || event->type() == QEvent::LayoutDirectionChange) {
            if (label && polish && label->textFormat() == Qt::AutoText)
                label->setTextFormat(Qt::PlainText);
            if (label)
                alignByWindow(*label);
        }
        return QObject::eventFilter(watched, event);
    }
};

} // namespace

QComboBox *narrowChooser(QWidget *parent, const QString &name, int letters)
{
    auto *box = named(new QComboBox(parent), name);
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(letters);
    return box;
}

QLineEdit *clearableLine(QWidget *parent, const QString &name, const QString &placeholder)
{
    auto *line = named(new QLineEdit(parent), name);
    line->setPlaceholderText(placeholder);
    line->setClearButtonEnabled(true);
    return line;
}

QProgressBar *thinProgress(QWidget *parent, const QString &name, double width)
{
    auto *bar = named(new QProgressBar(parent), name);
    bar->setRange(0, 1000);
    bar->setTextVisible(false);
    if (width > 0)
        bar->setFixedSize(theme::em(parent, width), theme::em(parent, 0.8));
    return bar;
}

void showLabelsPlain()
{
    static constexpr QLatin1String kName("kernscopePlainLabels");
    if (qApp->findChild<QObject *>(kName, Qt::FindDirectChildrenOnly))
        return;
    auto *filter = new PlainLabels(qApp);
    filter->setObjectName(kName);
    qApp->installEventFilter(filter);
}

} // namespace kernscope::ui

#include "moc_labels.cpp"
