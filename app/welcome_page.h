// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/settings.h"

#include <QWidget>

class QVBoxLayout;

namespace kernscope::app {

/// What stands in the centre while no bundle is open: how to open one, what was open before, and
/// what the program is for.
class WelcomePage : public QWidget
{
    Q_OBJECT

public:
    explicit WelcomePage(QWidget *parent = nullptr);

    void setRecent(const QList<Settings::Recent> &entries);

Q_SIGNALS:
    void openFolderClicked();
    void openFileClicked();
    void sampleClicked();
    void recentClicked(const kernscope::app::Settings::Recent &entry);

private:
    QWidget *buildUses();
    QWidget *buildOpening();

    QVBoxLayout *m_recent = nullptr;
};

} // namespace kernscope::app
