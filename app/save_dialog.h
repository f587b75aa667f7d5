// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/patch/patch.h"

#include <QDialog>

class QCheckBox;
class QPushButton;

namespace kernscope::app {

/// Shows what a save in place is about to write, before it writes.
class SaveDialog : public QDialog
{
    Q_OBJECT

public:
    /// `ranges` as pendingRanges gives them.
    SaveDialog(const Bundle &bundle, const std::vector<WrittenRange> &ranges, bool keepBackup,
               QWidget *parent = nullptr);

    bool keepBackup() const;
    /// Whether it may be accepted.
    void setReady(bool ready);

private:
    QWidget *buildTable(const Bundle &bundle, const std::vector<WrittenRange> &ranges);

    QCheckBox *m_backup = nullptr;
    QPushButton *m_save = nullptr;
};

} // namespace kernscope::app
