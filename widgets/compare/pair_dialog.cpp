// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/pair_dialog.h"

#include "core/bundle/bundle.h"
#include "core/form/storage_form.h"
#include "widgets/models/table_text.h"
#include "widgets/models/theme.h"

#include <QDialogButtonBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <vector>

namespace kernscope::ui {

PairDialog::PairDialog(const Weight &weight, const BundlePtr &candidates, QWidget *parent)
    : QDialog(parent)
{
    setWindowTitle(tr("Pair with\u2026"));
    setAttribute(Qt::WA_DeleteOnClose);
    auto *column = new QVBoxLayout(this);
    auto *label = new QLabel(tr("The weight of %1 that <b>%2</b> %3 is compared with:")
                                 .arg(fromUtf8(candidates->name()).toHtmlEscaped(),
                                      fromUtf8(weight.findableName()).toHtmlEscaped(),
                                      fromUtf8(shapeText(weight.shape))),
                             this);
    label->setTextFormat(Qt::RichText);
    label->setWordWrap(true);
    column->addWidget(label);
    m_filter = new QLineEdit(this);
    m_filter->setPlaceholderText(tr("Filter by name, shape or form"));
    m_filter->setAccessibleName(m_filter->placeholderText());
    m_filter->setClearButtonEnabled(true);
    column->addWidget(m_filter);
    m_list = new QListWidget(this);
    m_list->setAccessibleName(tr("Weights to pair with"));
    m_list->setUniformItemSizes(true);
    m_list->setTextElideMode(Qt::ElideMiddle);
    column->addWidget(m_list, 1);
    m_buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
    m_buttons->button(QDialogButtonBox::Ok)->setText(tr("Pair"));
    column->addWidget(m_buttons);
    fill(weight, *candidates);
    resize(theme::em(this, 36), theme::em(this, 28));
    connect(m_filter, &QLineEdit::textChanged, this, &PairDialog::applyFilter);
    connect(m_list, &QListWidget::itemActivated, this, &QDialog::accept);
    connect(m_buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(m_buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(this, &QDialog::accepted, this, [this] {
        const QListWidgetItem *item = m_list->currentItem();
        if (item && !item->isHidden())
            Q_EMIT chosen(static_cast<std::size_t>(item->data(Qt::UserRole).toULongLong()));
    });
    applyFilter();
}

void PairDialog::fill(const Weight &weight, const Bundle &candidates)
{
    std::vector<std::size_t> order;
    for (const bool same : {true, false}) {
        for (std::size_t i = 0; i < candidates.weights().size(); ++i) {
            if ((candidates.weights()[i].shape == weight.shape) == same)
                order.push_back(i);
        }
    }
    for (const std::size_t i : order) {
        const Weight &one = candidates.weights()[i];
        auto *item = new QListWidgetItem(QStringLiteral("%1   %2   %3")
                                             .arg(fromUtf8(one.findableName()),
                                                  fromUtf8(shapeText(one.shape)),
                                                  fromUtf8(formText(one.form))),
                                         m_list);
        item->setData(Qt::UserRole, QVariant::fromValue<qulonglong>(i));
        item->setToolTip(item->text());
    }
}

/// The first that fits is the current one, so that Enter takes it.
void PairDialog::applyFilter()
{
    const QStringList words = m_filter->text().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    QListWidgetItem *first = nullptr;
    for (int i = 0; i < m_list->count(); ++i) {
        QListWidgetItem *item = m_list->item(i);
        const bool fits = std::all_of(words.begin(), words.end(), [item](const QString &word) {
            return item->text().contains(word, Qt::CaseInsensitive);
        });
        item->setHidden(!fits);
        if (fits && !first)
            first = item;
    }
    m_list->setCurrentItem(first);
    m_buttons->button(QDialogButtonBox::Ok)->setEnabled(first != nullptr);
}

} // namespace kernscope::ui

#include "moc_pair_dialog.cpp"
