// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle.h"

#include <QWidget>

class QLabel;

namespace kernscope::ui {

class ElidedLabel;

/// Name of a weight, elided in the middle, over a line of facts and of the ops that use it.
class WeightHeader : public QWidget
{
    Q_OBJECT

public:
    /// `withFacts` false: the name alone, for docks that show one aspect only.
    explicit WeightHeader(bool withFacts, QWidget *parent = nullptr);
    void setWeight(const Weight &weight);

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void elide();

    QLabel *m_name = nullptr;
    ElidedLabel *m_facts = nullptr;
    QString m_fullName;
};

} // namespace kernscope::ui
