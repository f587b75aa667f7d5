// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/patch/typed_answer.h"

#include "widgets/common/number_field.h"
#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"

#include <QAbstractItemView>
#include <QBoxLayout>
#include <QCoreApplication>
#include <QDialogButtonBox>
#include <QInputDialog>
#include <QPushButton>

#include <utility>

namespace kernscope::ui {

namespace {

struct AnswerWords {
    Q_DECLARE_TR_FUNCTIONS(kernscope::ui::EditLine)
};

} // namespace

QString syntaxText(const Error &error, std::size_t before)
{
    Error rest = error;
    rest.offset.reset();
    rest.length.reset();
    const QString text = fromUtf8(describe(rest));
    return error.offset && error.offset->value >= before && error.file.empty()
               ? AnswerWords::tr("Character %1: %2").arg(error.offset->value - before + 1).arg(text)
               : text;
}

void showAnswer(QLabel *label, bool warns)
{
    QPalette colors;
    if (warns)
        colors.setColor(QPalette::WindowText, warningInk(label->palette()));
    label->setPalette(colors);
}

EditAnswer answerToTyped(const QString &text, bool integer,
                         const std::function<Result<EditAnswer>()> &made)
{
    const QString why = NumberRule{integer}.fault(text);
    if (!why.isEmpty())
        return {text.isEmpty() ? QString() : why, true};
    const auto answer = made();
    return answer ? *answer : EditAnswer{fromUtf8(describe(answer.error())), true};
}

CellAnswer::CellAnswer(QAbstractItemView *view, Made made) : QLabel(view), m_view(view)
{
    setObjectName(QStringLiteral("cellAnswer"));
    setAccessibleName(AnswerWords::tr("Answer of the codec"));
    setTextFormat(Qt::PlainText);
    setWordWrap(true);
    setFrameShape(QFrame::Box);
    setMargin(theme::em(this, 0.2));
    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(true);
    setAttribute(Qt::WA_TransparentForMouseEvents);
    hide();
    const auto *delegate = qobject_cast<NumberDelegate *>(view->itemDelegate());
    connect(
        delegate, &NumberDelegate::typed, this,
        [this, made = std::move(made)](const QModelIndex &cell, const QString &text, bool integer) {
            say(answerToTyped(text, integer, [&] { return made(cell, text); }),
                m_view->visualRect(cell));
        });
    connect(delegate, &QAbstractItemDelegate::closeEditor, this, &QWidget::hide);
}

/// Below, or above where it would cover the cell.
void CellAnswer::say(const EditAnswer &answer, const QRect &cell)
{
    setText(answer.text);
    setAccessibleDescription(answer.text);
    showAnswer(this, answer.far);
    const QRect room = m_view->viewport()->geometry();
    QRect place(room.topLeft(), QSize(room.width(), heightForWidth(room.width())));
    if (cell.bottom() < room.height() - place.height())
        place.moveBottom(room.bottom());
    setGeometry(place);
    setVisible(!answer.text.isEmpty());
    raise();
}

QLabel *answerWhileTyping(QInputDialog *dialog, std::function<QString(const QString &)> fault,
                          bool mayBeEmpty)
{
    auto *rows = qobject_cast<QBoxLayout *>(dialog->layout());
    auto *buttons = dialog->findChild<QDialogButtonBox *>();
    if (!rows || !buttons)
        return nullptr;
    auto *answer = new QLabel(dialog);
    answer->setObjectName(QStringLiteral("typedAnswer"));
    answer->setTextFormat(Qt::PlainText);
    answer->setWordWrap(true);
    answer->setMinimumHeight(2 * answer->fontMetrics().lineSpacing()); // nothing moves for it
    answer->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    rows->insertWidget(rows->indexOf(buttons), answer);
    const auto say = [answer, buttons, mayBeEmpty, fault = std::move(fault)](const QString &typed) {
        const bool empty = !mayBeEmpty && typed.trimmed().isEmpty();
        const QString why = empty ? QString() : fault(typed);
        answer->setText(why.isEmpty() ? QString() : QChar(0x2715) + QLatin1Char(' ') + why);
        showAnswer(answer, !why.isEmpty());
        buttons->button(QDialogButtonBox::Ok)->setEnabled(!empty && why.isEmpty());
    };
    QObject::connect(dialog, &QInputDialog::textValueChanged, answer, say);
    say(dialog->textValue());
    return answer;
}

} // namespace kernscope::ui
