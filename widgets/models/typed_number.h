// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"

#include <QString>

#include <limits>

/// Every field in which a number is typed reads it by the parser that edits are read with: the text
/// is the number that was meant, or it is refused and stays as it was typed.
namespace kernscope::ui {

/// "0.5", "-0x1.8p-3", "nan", "-inf"; an integer is decimal, or hexadecimal with 0x. Errors:
/// "patch.syntax", which names the character that belongs to no number.
Result<double> typedNumber(const QString &text);
Result<qint64> typedInteger(const QString &text);

/// What a field takes.
struct NumberRule {
    bool integer = false;
    bool empty = false; ///< nothing as well
    double least = -std::numeric_limits<double>::infinity();
    double most = std::numeric_limits<double>::infinity();

    /// Why a text is not taken; empty where it is.
    QString fault(const QString &text) const;
};

/// Role of a cell in which a number is typed: bool, whether it is an integer.
inline constexpr int kNumberRole = Qt::UserRole + 41;

} // namespace kernscope::ui
