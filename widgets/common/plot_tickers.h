// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSharedPointer>

class QCPAxisTicker;
class QString;

namespace kernscope::ui {

/// Ticks at whole numbers, labelled "15,000", "150k", "1.5M".
QSharedPointer<QCPAxisTicker> countTicker();
/// Powers of ten with the same labels.
QSharedPointer<QCPAxisTicker> logTicker();
/// Ticks labelled with prefixes, as "20 µs"; `unit` without a prefix.
QSharedPointer<QCPAxisTicker> quantityTicker(const QString &unit);
/// Powers of ten with the same labels.
QSharedPointer<QCPAxisTicker> logQuantityTicker(const QString &unit);

} // namespace kernscope::ui
