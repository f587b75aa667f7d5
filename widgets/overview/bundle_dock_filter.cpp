// SPDX-License-Identifier: GPL-3.0-or-later
// What the filter of the bundle's tree says, and the totals of what passes it.
#include "widgets/common/icons.h"
#include "widgets/common/table_text.h"
#include "widgets/overview/bundle_dock.h"

#include <QLabel>
#include <QLineEdit>

namespace kernscope::ui {

QString BundleDock::filterHelp()
{
    return tr("Terms, all of which must hold; a minus turns one round:\n"
              "conv_1 \u2013 letters of the name, form, function or operation\n"
              "form:sparse \u2013 also name, function, op, type, source\n"
              "bytes>1M \u2013 also elements, ratio, zeros, axes\n"
              "folds:M1 \u2013 also streams, dense, rejected, with any chip");
}

/// Zeros were counted, or chips judged: what the filter asks of them may be known now.
void BundleDock::refilter()
{
    if (m_model->filter().isEmpty() || !m_model->bundle())
        return;
    m_following = true;
    m_model->refilter();
    m_following = false;
    openGroups();
    followPlace();
    updateFooter();
}

/// Under the box, as soon as a term is typed that cannot be read; the rows stay meanwhile.
void BundleDock::showFault()
{
    // A term that is only begun is no fault yet.
    const QString typed = m_filter->text();
    const bool begun = !typed.isEmpty() && QStringLiteral(":<>=").contains(typed.back());
    const QString fault = begun ? QString() : m_model->filterFault();
    m_fault->setVisible(!fault.isEmpty());
    m_fault->setText(fault.isEmpty() ? QString()
                                     : severityGlyph(Severity::Error) + QLatin1Char(' ') + fault);
}

void BundleDock::updateFooter()
{
    const BundlePtr &bundle = m_model->bundle();
    if (!bundle) {
        m_footer->clear();
        return;
    }
    const Totals &totals = m_totals;
    const std::size_t shown = m_model->shownWeights();
    const QString count =
        shown == totals.weights
            ? totals.weights == 1 ? tr("1 weight")
                                  : tr("%1 weights").arg(groupedNumber(totals.weights))
            : tr("%1 of %2 weights").arg(groupedNumber(shown), groupedNumber(totals.weights));
    const bool known = m_bytesKnown;
    const QString text =
        known ? tr("%1 · %2 B stored · %3 of fp16")
                    .arg(count, groupedNumber(totals.storedBytes.value), ratioText(totals.ratio))
              : tr("%1 · stored bytes unknown").arg(count);
    m_footer->setText(text);
    // The title has room for the figures; the tooltip of the footer has all.
    const QString figures =
        shown == totals.weights && known
            ? tr("%1 B \u00B7 %2")
                  .arg(groupedNumber(totals.storedBytes.value), ratioText(totals.ratio))
            : count;
    setNote(m_model->filterFault().isEmpty() ? figures : tr("the filter cannot be read"));
    QStringList forms{text};
    for (const auto &[form, number] : totals.forms)
        forms += tr("%1: %2").arg(fromUtf8(form), groupedNumber(number));
    m_footer->setToolTip(forms.join(u'\n'));
}

} // namespace kernscope::ui
