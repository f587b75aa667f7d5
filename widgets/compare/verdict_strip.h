// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/qt_fwd.h"
#include "widgets/models/compare_model.h"
#include "widgets/models/theme.h"

#include <QAbstractButton>
#include <QList>
#include <QWidget>

namespace kernscope::ui {

/// Fields for the limits that every pair must keep: largest difference, relative, in ULP; least
/// cosine and signal to noise ratio. An empty field is no limit. Beside them how many pairs hold.
class LimitsBar : public QWidget
{
    Q_OBJECT

public:
    explicit LimitsBar(QWidget *parent = nullptr);

    const ValueLimits &limits() const { return m_limits; }
    /// How many pairs keep them, do not, and are still compared.
    void setCounts(std::size_t hold, std::size_t exceed, std::size_t waiting);
    QLineEdit *field(std::size_t index) const { return m_fields[index]; }
    QString verdict() const;

Q_SIGNALS:
    void limitsChanged();

private:
    void read();

    ValueLimits m_limits;
    std::array<QLineEdit *, 5> m_fields{};
    QLabel *m_verdict = nullptr;
};

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

private:
    Token m_token;
};

/// The result of a comparison, in a row: how many weights are stored otherwise, the largest error
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
