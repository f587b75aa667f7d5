// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/session.h"

#include <QWidget>

class QLabel;

namespace kernscope::target {
struct Target;
}

namespace kernscope::ui {

class ChipState;

/// What the chosen chips do with one weight, a paragraph each: the chip that the docks judge by and
/// the one whose assessment is looked at; then a line that counts the outcomes on all chips.
class ChipLines final : public QWidget
{
    Q_OBJECT

public:
    explicit ChipLines(Session &session, QWidget *parent = nullptr);

    /// kNoIndex: none.
    void setWeight(std::size_t weight);
    QString text() const; ///< as it is shown, for tests and screen readers

private:
    void showLines();
    QString lineOf(const target::Target &target) const;
    QString countLine() const;

    Session &m_session;
    ChipState &m_state;
    std::size_t m_weight = kNoIndex;
    QLabel *m_lines = nullptr;
};

} // namespace kernscope::ui
