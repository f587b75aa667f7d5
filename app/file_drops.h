// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QStringList>

#include <functional>

class QWidget;

namespace kernscope::app {

/// Files or folders dropped anywhere on a window or its floating docks open there: one alone, two
/// as a pair, more as builds beside the pair. A text field would else take their paths as text.
/// Text and rows are left to who takes them, and so is what is dropped on a dialog.
class FileDrops final : public QObject
{
    Q_OBJECT

public:
    FileDrops(QWidget *window, std::function<void(const QStringList &)> open);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    bool isInside(const QWidget *widget) const;

    QWidget *m_window;
    std::function<void(const QStringList &)> m_open;
};

} // namespace kernscope::app
