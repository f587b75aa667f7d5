// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/hand_pairs.h"

#include "core/form/form_steps.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/labels.h"
#include "widgets/common/qt.h"
#include "widgets/models/theme.h"

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
    const QString filter = tr("Filter by name, shape or form");
    m_filter = clearableLine(this, filter, filter);
    column->addWidget(m_filter);
    m_list = named(new QListWidget(this), tr("Weights to pair with"));
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
        auto *item = new QListWidgetItem(u"%1   %2   %3"_s.arg(fromUtf8(one.findableName()),
                                                               fromUtf8(shapeText(one.shape)),
                                                               fromUtf8(formWords(one.form))),
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

HandPairs::HandPairs(Session &session, CompareModel &model, QWidget *widget)
    : QObject(widget), m_session(session), m_model(model), m_widget(widget)
{
    m_pair = dockAction(widget, tr("Pair with\u2026"), QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_J),
                        [this] { askPartnerOfRow(); });
    m_pair->setToolTip(tr("Choose the weight that this one is compared with, by hand; or drag a "
                          "row onto another one"));
    m_unpair = dockAction(widget, tr("Take the Pair Apart"),
                          QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_U), [this] { unpairRow(); });
    m_unpair->setToolTip(tr("Neither of the two has a partner then"));
    m_forget =
        dockAction(widget, tr("Forget Pairs by Hand"), {}, [this] { choose(PairChoices()); });
    m_forget->setToolTip(tr("Pair all weights by what the program finds"));
    connect(&model, &CompareModel::rowDropped, this, &HandPairs::pairRows);
    updateActions();
}

void HandPairs::setRow(std::size_t row)
{
    m_row = row;
    updateActions();
}

void HandPairs::updateActions()
{
    const report::PairRow *shown = row();
    m_pair->setEnabled(shown != nullptr);
    m_unpair->setEnabled(shown && shown->onA() && shown->onB() && !shown->pair.slice);
    m_forget->setEnabled(!m_choices.empty());
}

void HandPairs::setChoices(const PairChoices &choices)
{
    if (m_choices == choices)
        return;
    m_choices = choices;
    updateActions();
    Q_EMIT choicesChanged(m_choices);
}

/// As setChoices(), by a person: to be kept.
void HandPairs::choose(const PairChoices &choices)
{
    if (m_choices == choices)
        return;
    setChoices(choices);
    Q_EMIT pairsChosen();
}

std::vector<PairChoice> HandPairs::resolved(const BundlePtr &a, const BundlePtr &b) const
{
    if (!a || !b)
        return {};
    return m_choices.resolve(m_documentIsB ? *b : *a, m_documentIsB ? *a : *b, m_documentIsB);
}

BundlePtr HandPairs::side(bool ofA) const
{
    return ofA != m_documentIsB ? m_session.bundle() : m_session.other();
}

void HandPairs::choosePair(std::size_t weightA, std::size_t weightB)
{
    const BundlePtr bundleA = side(true), bundleB = side(false);
    if (!bundleA || !bundleB || weightA >= bundleA->weights().size() ||
        weightB >= bundleB->weights().size())
        return;
    const QString a = fromUtf8(bundleA->weights()[weightA].findableName());
    const QString b = fromUtf8(bundleB->weights()[weightB].findableName());
    PairChoices choices = m_choices;
    choices.pair(m_documentIsB ? b : a, m_documentIsB ? a : b);
    Q_EMIT pairMade(bundleA->weights()[weightA].name, bundleB->weights()[weightB].name);
    choose(choices);
    Q_EMIT m_session.statusMessage(tr("%1 of A and %2 of B are a pair by hand.").arg(a, b));
}

/// Of the row that is dragged the side that the other row lacks; of two pairs A of the dragged one
/// and B of the other.
void HandPairs::pairRows(std::size_t dragged, std::size_t onto)
{
    const auto &rows = m_model.rows();
    if (dragged == onto || dragged >= rows.size() || onto >= rows.size())
        return;
    const ComparedPair &from = rows[dragged].pair, &to = rows[onto].pair;
    const bool takesB = !rows[dragged].onA() || (rows[dragged].onB() && !rows[onto].onB());
    const std::size_t a = takesB ? to.a : from.a, b = takesB ? from.b : to.b;
    if (a == kNoIndex || b == kNoIndex)
        Q_EMIT m_session.statusMessage(tr("Both weights are on one side: no pair."));
    else
        choosePair(a, b);
}

void HandPairs::askPartnerOfRow()
{
    if (const report::PairRow *shown = row())
        askPartner(shown->onA() ? shown->pair.a : shown->pair.b, shown->onA());
}

void HandPairs::askPartner(std::size_t weight, bool ofA)
{
    const BundlePtr own = side(ofA), others = side(!ofA);
    if (!own || !others || weight >= own->weights().size())
        return;
    auto *dialog = new PairDialog(own->weights()[weight], others, m_widget->window());
    connect(dialog, &PairDialog::chosen, this,
            [this, weight, ofA, own, others](std::size_t chosen) {
                const BundlePtr ownNow = side(ofA), othersNow = side(!ofA);
                if (ownNow && othersNow && ownNow->path() == own->path() &&
                    othersNow->path() == others->path())
                    choosePair(ofA ? weight : chosen, ofA ? chosen : weight);
            });
    dialog->open();
}

void HandPairs::unpairRow()
{
    const report::PairRow *shown = row();
    if (!shown || !shown->onA() || !shown->onB())
        return;
    const QString a = fromUtf8(shown->findableA), b = fromUtf8(shown->findableB);
    PairChoices choices = m_choices;
    choices.leaveDocumentAlone(m_documentIsB ? b : a);
    choices.leaveOtherAlone(m_documentIsB ? a : b);
    choose(choices);
}

} // namespace kernscope::ui

#include "moc_hand_pairs.cpp"
