// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/chips/assessment_facts.h"

#include <QAbstractItemModel>
#include <QPointer>
#include <QWidget>

class QGridLayout;

namespace kernscope::ui {

/// Names at the left, values at the right; long ones have several lines, nothing is cut.
class FactRows final : public QWidget
{
    Q_OBJECT

public:
    explicit FactRows(QWidget *parent);

    void setFacts(const AssessmentFacts &facts);

private:
    QPointer<QWidget> m_body;
};

/// The gates of a verdict, two lines each: state and condition with what was found; then what it
/// needs where that differs, the offset, the source and how sure it is.
class GateRows final : public QWidget
{
    Q_OBJECT

public:
    explicit GateRows(QWidget *parent);

    /// One gate a row, in the columns of GateColumn.
    void setGates(const QAbstractItemModel &gates);

private:
    QPointer<QWidget> m_body;
};

} // namespace kernscope::ui
