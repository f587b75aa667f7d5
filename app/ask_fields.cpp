// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ask_fields.h"

#include "widgets/models/theme.h"

#include <QComboBox>
#include <QDialog>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>

namespace kernscope::app {

void askFields(QWidget *parent, const QString &title, const QString &intro,
               const std::vector<AskedField> &fields,
               std::function<void(const QStringList &)> answered)
{
    auto *dialog = new QDialog(parent);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(title);
    auto *form = new QFormLayout(dialog);
    auto *words = new QLabel(intro, dialog);
    words->setWordWrap(true);
    form->addRow(words);
    std::vector<std::function<QString()>> answers;
    for (const AskedField &field : fields) {
        QWidget *asked = nullptr;
        if (field.choices.isEmpty()) {
            auto *edit = new QLineEdit(field.text, dialog);
            answers.emplace_back([edit] { return edit->text().trimmed(); });
            asked = edit;
        } else {
            auto *box = new QComboBox(dialog);
            box->addItems(field.choices);
            box->setCurrentText(field.text);
            answers.emplace_back([box] { return box->currentText(); });
            asked = box;
        }
        asked->setAccessibleName(field.label);
        asked->setToolTip(field.tip);
        form->addRow(field.label, asked);
    }
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, dialog);
    form->addRow(buttons);
    QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
    QObject::connect(buttons, &QDialogButtonBox::accepted, dialog, &QDialog::accept);
    QObject::connect(dialog, &QDialog::accepted, parent,
                     [answers = std::move(answers), answered = std::move(answered)] {
                         QStringList texts;
                         for (const auto &answer : answers)
                             texts << answer();
                         answered(texts);
                     });
    dialog->resize(ui::theme::em(dialog, 34), dialog->sizeHint().height());
    dialog->open();
}

} // namespace kernscope::app
