// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <functional>

class QWidget;

namespace kernscope::app {

/// Asks for a folder or a file that can be opened; `chosen` gets its path.
void pickFolder(QWidget &window, const QString &title,
                const std::function<void(const QString &)> &chosen);
void pickFile(QWidget &window, const QString &title,
              const std::function<void(const QString &)> &chosen);

} // namespace kernscope::app
