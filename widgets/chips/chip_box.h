// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/chips/chip_state.h"

#include <QComboBox>

namespace kernscope::ui {

/// Chooses a chip, by its name and products. Beside it, the cores where sources disagree.
class ChipBox final : public QComboBox
{
    Q_OBJECT

public:
    explicit ChipBox(QWidget *parent = nullptr);
    const target::Target &target() const;
    void setTarget(const target::Target &target); ///< emits nothing

Q_SIGNALS:
    void targetChosen(const kernscope::target::Target &target);
};

/// A box that follows and sets the chip of the session.
ChipBox *sharedChipBox(ChipState &state, QWidget *parent);
/// A box with the numbers of cores that sources give the chip; follows and sets the choice.
QComboBox *sharedCoresBox(ChipState &state, QWidget *parent);

} // namespace kernscope::ui
