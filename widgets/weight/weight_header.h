// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/stream.h"
#include "core/bundle/bundle_fwd.h"

#include <QWidget>

class QLabel;

namespace kernscope::ui {

class ElidedLabel;
class Pill;

/// Name of a weight, elided in the middle, with its form and what a chip does with it beside it,
/// over a line of facts and of the ops that use it.
class WeightHeader : public QWidget
{
    Q_OBJECT

public:
    /// `withFacts` false: the name alone, for docks that show one aspect only.
    explicit WeightHeader(bool withFacts, QWidget *parent = nullptr);
    void setWeight(const Weight &weight);
    /// What the chip of that name does with the weight, and why; nothing: not judged. Only where
    /// there are facts.
    void setOutcome(std::optional<decision::Outcome> outcome, const QString &chip = {},
                    const QString &why = {});

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void elide();

    QLabel *m_name = nullptr;
    ElidedLabel *m_facts = nullptr;
    Pill *m_form = nullptr, *m_outcome = nullptr;
    QString m_fullName;
};

} // namespace kernscope::ui
