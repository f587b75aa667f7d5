// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/patch/typed_answer.h"

#include "widgets/common/number_field.h"
#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"

#include <QBoxLayout>
#include <QCoreApplication>
#include <QDialogButtonBox>
#include <QInputDialog>
#include <QLabel>
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
