// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/limits.h"

#include <QWidget>

#include <array>

class QLabel;
class QLineEdit;

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

} // namespace kernscope::ui
