// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/design.h"

#include <QFontMetrics>
#include <QGridLayout>
#include <QLabel>
#include <QSplitter>

class QComboBox;
class QLineEdit;
class QProgressBar;

namespace kernscope::ui {

/// The desktop's font of equal widths, larger or smaller as the application's font was made larger
/// or smaller than the desktop's.
QFont fixedFont(design::Type step = design::Type::Body);

/// Makes the application's font that one. A font that was set for a widget keeps its size in Qt:
/// titles, captions and bytes of every widget there is grow and shrink in proportion.
void changeApplicationFont(const QFont &font);

/// A number, a name or a path for a painter in a window that is laid out from right to left: there
/// the sign of "-0.1" would stand behind the number and "0_weight" would read "weight_0". Text that
/// begins in a script of that direction, and any text where `around` is from left to right, stays
/// as it is. Only for painting: what is copied or compared has no such marks.
inline QString readFromLeft(const QString &text, Qt::LayoutDirection around)
{
    // An embedding from left to right: fonts know it, while isolates (U+2066) may come from another
    // font and take room.
    constexpr char16_t kBegin = 0x202A, kEnd = 0x202C;
    return around == Qt::RightToLeft && !text.isEmpty() && !text.isRightToLeft()
               ? QChar(kBegin) + text + QChar(kEnd)
               : text;
}

/// A widget with the name that assistive programs have for it.
template <class W>
W *named(W *widget, const QString &name)
{
    widget->setAccessibleName(name);
    return widget;
}

/// A chooser as wide as `letters` letters, however long the words in it are.
QComboBox *narrowChooser(QWidget *parent, const QString &name, int letters);
/// A line to type in, which can be cleared.
QLineEdit *clearableLine(QWidget *parent, const QString &name, const QString &placeholder = {});
/// Without words, in thousandths; `width` in ems, 0: any.
QProgressBar *thinProgress(QWidget *parent, const QString &name, double width = 0);

/// A layout that fills its widget to the edges. `spacing` in pixels; negative: that of the style.
template <class L>
L *withoutMargins(L *layout, int spacing = -1)
{
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(spacing);
    return layout;
}

/// What laidOut() puts into a row or a column, with its share of the room that is left: a widget, a
/// layout, or room().
struct LaidPart {
    LaidPart(QWidget *shown, int share = 0, Qt::Alignment where = {})
        : widget(shown), stretch(share), at(where)
    {
    }
    LaidPart(QLayout *inner, int share = 0) : layout(inner), stretch(share) {}

    QWidget *widget = nullptr;
    QLayout *layout = nullptr;
    int stretch = 0;
    Qt::Alignment at;
};
inline LaidPart room(int share)
{
    return LaidPart(static_cast<QWidget *>(nullptr), share);
}
/// A row or a column with these behind what it holds.
template <class L>
L *laidOut(L *box, std::initializer_list<LaidPart> parts)
{
    for (const LaidPart &part : parts) {
        if (part.widget != nullptr)
            box->addWidget(part.widget, part.stretch, part.at);
        else if (part.layout != nullptr)
            box->addLayout(part.layout, part.stretch);
        else
            box->addStretch(part.stretch);
    }
    return box;
}

/// Parts that the user divides the room between; none can be dragged away.
QSplitter *parted(Qt::Orientation orientation, std::initializer_list<LaidPart> parts);

/// Words that wrap and can be selected. Plain where they come from files.
QLabel *selectable(QLabel *label, Qt::TextFormat format);
QLabel *selectableLabel(QWidget *parent, Qt::TextFormat format = Qt::AutoText);
/// Lets words wrap at whatever width there is; they widen nothing.
QLabel *giveWay(QLabel *label);
/// A grid of facts in `body`, with the gaps of all inspectors; its second column takes the rest.
QGridLayout *factGrid(QWidget *body, design::Space beside = design::Space::Medium);
/// Rich words with links that can be followed.
QLabel *linkLabel(const QString &text, QWidget *parent);

/// A line of text that never asks for more room than it has: elided, whole in the tooltip.
class ElidedLabel : public QLabel
{
    Q_OBJECT

public:
    explicit ElidedLabel(Qt::TextElideMode mode, QWidget *parent = nullptr);

    void setWholeText(const QString &text);
    QString wholeText() const { return m_whole; }

    QSize minimumSizeHint() const override;
    QSize sizeHint() const override;

protected:
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    void elide();

    QString m_whole;
    Qt::TextElideMode m_mode;
};

/// A text without the words at its end that have no room: what is left of a number would be another
/// number. `width` in pixels; a first word that is wider is cut as a name, or left out if it is a
/// number.
QString elidedWords(const QFontMetrics &metrics, const QString &text, int width);

/// A name cut in the middle, but near its end: names differ before their common suffixes
/// ("encoder_layers_0_weight_to_fp16_quantized"), and the plain middle would cut just that out.
/// `width` in pixels; where it is very small the plain middle is cut. A name that was shortened at
/// its end before ("conv_1_weight…") is cut there. Of a file's path ("a/b/weight.bin") whole parts
/// at its beginning go first ("…/weight.bin"). The index of a place ("conv_1[3,0]=0.5") stays
/// whole.
QString elidedName(const QFontMetrics &metrics, const QString &name, int width);

/// A name with figures behind it: letters of the name go, then whole words at the end.
QString nameAndFigures(const QFontMetrics &metrics, const QString &name, const QString &figures,
                       int width);

/// A name as its room has it: whole; without the end that it shares with its like; without the
/// begin that it shares; without both, elided at last. `shorter` is the name without both
/// (kShortNameRole), empty where it shares nothing. What has several clauses or words is a
/// sentence: elidedWords, for its end behind its beginning would say something else.
QString fittingName(const QFontMetrics &metrics, const QString &whole, const QString &shorter,
                    int width);

/// Labels, tool tips and messages of the application show their text as it stands from now on:
/// names come from files, and Qt would take what looks like markup for it ("<h1>w</h1>", or a
/// picture of the disk). A label with markup of our own says so before it is shown
/// (QLabel::setTextFormat, Qt::RichText) and escapes names. In a window that is read from
/// the right every label begins there, whatever the script of its text. Needs the application; any
/// number of calls.
void showLabelsPlain();

} // namespace kernscope::ui
