// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>

#include <array>
#include <cstdint>

class QAction;

namespace kernscope::ui {

/// What an action of the comparison's docks is for: the part of the Compare menu that it stands in.
enum class CompareTask : std::uint8_t { Pairing, GoTo, Copy, Limits, View, Export, Builds };
inline constexpr std::array kCompareTasks{
    CompareTask::Pairing, CompareTask::GoTo,   CompareTask::Copy,  CompareTask::Limits,
    CompareTask::View,    CompareTask::Export, CompareTask::Builds};

void setCompareTask(const QList<QAction *> &actions, CompareTask task);
/// View where nothing was said.
CompareTask compareTask(const QAction &action);

} // namespace kernscope::ui
