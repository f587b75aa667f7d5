// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/compare.h"

#include <QString>
#include <QWidget>

class QLabel;
class QProgressBar;
class QToolButton;

namespace kernscope::ui {

/// The line above a comparison: both bundles with their bytes, the button that swaps them, whether
/// the programs are the same, and how far the comparison is.
class CompareHeader : public QWidget
{
    Q_OBJECT

public:
    explicit CompareHeader(QWidget *parent = nullptr);

    void setBundles(const BundlePtr &a, const BundlePtr &b);
    /// Null: not known yet.
    void setDifference(const Difference *difference);
    /// 0 to 1; `running` false empties the bar without moving anything.
    void setProgress(bool running, double fraction);
    QToolButton *swapButton() const { return m_swap; }
    QToolButton *thirdButton() const { return m_third; }
    /// Stands at the end of the line.
    void setSwitch(QWidget *choice);

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void relabel();

    QString m_nameA, m_nameB, m_bytesA, m_bytesB;
    QLabel *m_a = nullptr, *m_b = nullptr, *m_program = nullptr;
    QToolButton *m_swap = nullptr, *m_third = nullptr;
    QWidget *m_switch = nullptr;
    QProgressBar *m_progress = nullptr;
};

} // namespace kernscope::ui
