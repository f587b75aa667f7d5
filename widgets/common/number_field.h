// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/table_text.h"

#include <QDoubleSpinBox>
#include <QLineEdit>
#include <QPalette>
#include <QSpinBox>
#include <QStyledItemDelegate>
#include <QValidator>

#include <functional>
#include <type_traits>

namespace kernscope::ui {

/// Takes every key, so that none is dropped, and accepts what the rule takes.
class NumberValidator final : public QValidator
{
public:
    NumberValidator(const NumberRule &rule, QLineEdit *line);

    State validate(QString &text, int &cursor) const override;
    const NumberRule &rule() const { return m_rule; }

private:
    NumberRule m_rule;
};

/// Makes `line` a field of a number: what it refuses it says while one types.
void takeNumbers(QLineEdit *line, const NumberRule &rule);
/// What `fault` says of the text of `line` is shown at it, in the colour of a warning. Looks again
/// when the result is called.
std::function<void()> showFaults(QLineEdit *line, std::function<QString(const QString &)> fault);
/// Says in the window's status line that what was typed into `field` is not taken.
void sayNotTaken(const QWidget *field, const QString &why);
QString placesFault(int places); ///< of a number with more decimal places
/// A colour of text for what is to be noticed, readable on the palette's ground.
QColor warningInk(const QPalette &palette);

/// Cells of numbers are edited in a field of a number; every key is told, for an answer to it.
class NumberDelegate : public QStyledItemDelegate
{
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QWidget *createEditor(QWidget *parent, const QStyleOptionViewItem &option,
                          const QModelIndex &index) const override;

Q_SIGNALS:
    void typed(const QModelIndex &index, const QString &text, bool integer) const;

protected:
    QLineEdit *createField(QWidget *parent, const QModelIndex &index, bool integer) const;
    bool eventFilter(QObject *editor, QEvent *event) override;
};

/// A box with arrows in which a number is typed.
template <class Box, class Number>
class NumberBox final : public Box
{
public:
    explicit NumberBox(QWidget *parent = nullptr) : Box(parent)
    {
        // What is typed counts once it is whole: "0" of "0,05" would be another number.
        Box::setKeyboardTracking(false);
        // A text that is given up goes without a signal of its own.
        Box::connect(this, &Box::editingFinished, this,
                     showFaults(Box::lineEdit(), [this](auto &text) { return fault(text); }));
    }

protected:
    QValidator::State validate(QString &text, int &) const override
    {
        return fault(text).isEmpty() ? QValidator::Acceptable : QValidator::Intermediate;
    }
    /// Called for a text that is given up.
    void fixup(QString &text) const override { sayNotTaken(this, fault(text)); }
    Number valueFromText(const QString &text) const override
    {
        if (isSpecial(text))
            return Box::minimum();
        if constexpr (std::is_same_v<Number, int>)
            return static_cast<int>(typedInteger(bare(text)).value_or(Box::value()));
        else
            return typedNumber(bare(text)).value_or(Box::value());
    }
    QString textFromValue(Number value) const override
    {
        if constexpr (std::is_same_v<Number, int>)
            return QString::number(value);
        else
            return Box::isGroupSeparatorShown() // of whole numbers from 0 on
                       ? groupedNumber(static_cast<std::uint64_t>(value))
                       : QString::number(value, 'f', Box::decimals());
    }

private:
    bool isSpecial(const QString &text) const
    {
        return !Box::specialValueText().isEmpty() && text == Box::specialValueText();
    }
    QString bare(QString text) const
    {
        if (text.startsWith(Box::prefix()))
            text.remove(0, Box::prefix().size());
        if (text.endsWith(Box::suffix()))
            text.chop(Box::suffix().size());
        return Box::isGroupSeparatorShown() && !text.contains(u' ') ? withoutGroups(text) : text;
    }
    QString fault(const QString &text) const
    {
        NumberRule rule{std::is_same_v<Number, int>, false, static_cast<double>(Box::minimum()),
                        static_cast<double>(Box::maximum())};
        QString why = isSpecial(text) ? QString() : rule.fault(bare(text));
        if constexpr (std::is_same_v<Number, double>) {
            const double number = typedNumber(bare(text)).value_or(0);
            if (why.isEmpty() && !isSpecial(text) &&
                !(valueFromText(textFromValue(number)) == number))
                why = placesFault(Box::decimals());
        }
        return why;
    }
};

using IntegerBox = NumberBox<QSpinBox, int>;
using DecimalBox = NumberBox<QDoubleSpinBox, double>;

/// Boxes by what they are called and take.
QSpinBox *integerBox(QWidget *parent, const QString &name, int least, int most,
                     const QString &prefix = {});
struct Decimals {
    int places;
    double least, most, step, value;
};
QDoubleSpinBox *decimalBox(QWidget *parent, const QString &name, const Decimals &takes,
                           const QString &prefix = {});

} // namespace kernscope::ui
