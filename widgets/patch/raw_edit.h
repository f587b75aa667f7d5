// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/patch/edit/edit.h"
#include "widgets/models/session.h"

class QWidget;

namespace kernscope::ui {

/// Asks for an edit of bytes or of a register (Edit::isRaw()): first, as a task, it is planned and
/// what it would break is found; where that is something, a person is asked. `parent` owns the task
/// and the question. Refusals come as Session::editsRefused.
void requestRawEdit(Session &session, QWidget *parent, const Edit &edit);

} // namespace kernscope::ui
