// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSharedPointer>

class QCPAxisTicker;

namespace kernscope::ui {

/// Ticks at whole numbers, labelled "15,000", "150k", "1.5M".
QSharedPointer<QCPAxisTicker> countTicker();
/// Powers of ten with the same labels.
QSharedPointer<QCPAxisTicker> logTicker();

} // namespace kernscope::ui
