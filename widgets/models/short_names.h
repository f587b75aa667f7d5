// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

#include <cstddef>
#include <functional>

namespace kernscope::ui {

/// A name without what it has in common with others; models give it beside the whole name, and
/// views show it where the whole one has no room.
inline constexpr int kShortNameRole = Qt::UserRole + 40;

/// Every name without the words at its begin and end that three or more of the names share:
/// "encoder_layers_0_weight_to_fp16" becomes "…0_weight…" beside its like. What follows a shared
/// end goes with it: "…6_weight…" of "encoder_layers_6_weight_to_fp16_sparsified". Words are parted
/// by '_', '.', '/' and ':'. A name that nothing would be left of stays whole.
QStringList shortNames(const QStringList &names);
/// The same within each group, where views show the group beside the name: functions of a program,
/// models of a pipeline. `groups`: one a name.
QStringList shortNames(const QStringList &names, const QStringList &groups);

/// The short names of a table's rows, found when a view first has no room for a whole one.
class ShortNameCache
{
public:
    static constexpr std::size_t kMostRows =
        5000; ///< of more, names stay whole: no stall in a paint

    void clear() { m_names.clear(); }
    /// `nameOf(row)` for rows below `rows`; "" where there are too many.
    QString of(std::size_t row, std::size_t rows, const std::function<QString(std::size_t)> &nameOf,
               const std::function<QString(std::size_t)> &groupOf = {}) const;

private:
    mutable QStringList m_names;
};

} // namespace kernscope::ui
