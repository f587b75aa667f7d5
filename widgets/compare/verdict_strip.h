// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/comparison_outcome.h"
#include "widgets/models/theme.h"

#include <QAbstractButton>
#include <QList>

#include <optional>

namespace kernscope::ui {

/// A short statement on a tinted ground, with a glyph that says its kind without the colour. One
/// that leads somewhere can be clicked and reached by the keyboard.
class VerdictPill final : public QAbstractButton
{
    Q_OBJECT

public:
    VerdictPill(Token token, const QString &text, const QString &tip, QWidget *parent);

    void setLeads(bool leads);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    Token m_token;
};

/// What a comparison comes to, in a row: how many weights are stored otherwise, the largest error
/// and where it is, fp16 rounding, the bytes, and what the chips do with the weights.
class VerdictStrip final : public QWidget
{
    Q_OBJECT

public:
    explicit VerdictStrip(QWidget *parent = nullptr);

    /// Null: not known yet; the row then says so and keeps its height.
    void setOutcome(const ComparisonOutcomePtr &outcome);
    const QList<VerdictPill *> &pills() const { return m_pills; }

Q_SIGNALS:
    /// Of A, and of B; an element of A where there is one.
    void placeWanted(std::size_t weightA, std::size_t weightB, std::optional<quint64> element);

private:
    void clear();
    VerdictPill *add(Token token, const QString &text, const QString &tip);
    void addStructure(const Difference &difference);
    void addValues(const ComparisonOutcome &outcome);
    void addBytes(const BuildVerdict &verdict);
    void addChips(const BuildVerdict &verdict);

    QList<VerdictPill *> m_pills;
};

} // namespace kernscope::ui
