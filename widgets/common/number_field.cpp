// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/number_field.h"

#include "widgets/common/labels.h"
#include "widgets/common/qt.h"
#include "widgets/models/theme.h"

namespace kernscope::ui {

NumberValidator::NumberValidator(const NumberRule &rule, QLineEdit *line)
    : QValidator(line), m_rule(rule)
{
}

QValidator::State NumberValidator::validate(QString &text, int &) const
{
    return m_rule.fault(text).isEmpty() ? Acceptable : Intermediate;
}

void takeNumbers(QLineEdit *line, const NumberRule &rule)
{
    line->setValidator(new NumberValidator(rule, line));
    showFaults(line, [rule](const QString &text) { return rule.fault(text); });
}

std::function<void()> showFaults(QLineEdit *line, std::function<QString(const QString &)> fault)
{
    const auto show = [line, fault] {
        const QString why = fault(line->text());
        QPalette colors;
        if (!why.isEmpty())
            colors.setColor(QPalette::Text, warningInk(line->palette()));
        line->setPalette(colors);
        line->setAccessibleDescription(why);
        if (line->hasFocus() && line->isVisible())
            QToolTip::showText(line->mapToGlobal(line->rect().bottomLeft()), why, line);
    };
    QObject::connect(line, &QLineEdit::textChanged, line, show);
    return show;
}

void sayNotTaken(const QWidget *field, const QString &why)
{
    if (why.isEmpty())
        return;
    QStatusTipEvent tip(Words::tr("Not changed. %1").arg(why));
    for (QWidget *widget = field->parentWidget(); widget; widget = widget->parentWidget()) {
        if (qobject_cast<QMainWindow *>(widget)) // a dock that floats is a window as well
            QCoreApplication::sendEvent(widget, &tip);
    }
}

QString placesFault(int places)
{
    return Words::tr("More than %1 decimal places").arg(places);
}

QColor warningInk(const QPalette &palette)
{
    constexpr double kReadable = 4.5;
    const bool dark = theme::isDark(palette);
    QColor ink = theme::color(Token::OutFolds, dark);
    while (theme::contrast(ink, palette.color(QPalette::Base)) < kReadable)
        ink = dark ? ink.lighter(105) : ink.darker(105);
    return ink;
}

QWidget *NumberDelegate::createEditor(QWidget *parent, const QStyleOptionViewItem &option,
                                      const QModelIndex &index) const
{
    const QVariant integer = index.data(kNumberRole);
    if (!integer.isValid())
        return QStyledItemDelegate::createEditor(parent, option, index);
    return createField(parent, index, integer.toBool());
}

QLineEdit *NumberDelegate::createField(QWidget *parent, const QModelIndex &index,
                                       bool integer) const
{
    auto *line = new QLineEdit(parent);
    line->setAlignment(Qt::AlignRight);
    takeNumbers(line, {integer});
    connect(line, &QLineEdit::textEdited, this,
            [this, at = QPersistentModelIndex(index), integer](const QString &text) {
                if (at.isValid())
                    Q_EMIT typed(at, text, integer);
            });
    return line;
}

bool NumberDelegate::eventFilter(QObject *editor, QEvent *event)
{
    // What goes with the focus is said to be gone; a menu only borrows it.
    const bool leaves = event->type() == QEvent::FocusOut &&
                        static_cast<QFocusEvent *>(event)->reason() != Qt::PopupFocusReason;
    const auto *line = leaves ? qobject_cast<QLineEdit *>(editor) : nullptr;
    const auto *check = line ? dynamic_cast<const NumberValidator *>(line->validator()) : nullptr;
    if (check)
        sayNotTaken(line, check->rule().fault(line->text()));
    return QStyledItemDelegate::eventFilter(editor, event);
}

QSpinBox *integerBox(QWidget *parent, const QString &name, int least, int most,
                     const QString &prefix)
{
    auto *box = named(new IntegerBox(parent), name);
    box->setRange(least, most);
    box->setPrefix(prefix);
    return box;
}

QDoubleSpinBox *decimalBox(QWidget *parent, const QString &name, const Decimals &takes,
                           const QString &prefix)
{
    auto *box = named(new DecimalBox(parent), name);
    box->setDecimals(takes.places);
    box->setRange(takes.least, takes.most);
    box->setSingleStep(takes.step);
    box->setValue(takes.value);
    box->setPrefix(prefix);
    return box;
}

} // namespace kernscope::ui

#include "moc_number_field.cpp"
