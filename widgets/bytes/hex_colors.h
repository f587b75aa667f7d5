// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"

#include <QColor>
#include <QPalette>

namespace kernscope::ui {

/// The ground with that share of the colour, 0 to 1, mixed in.
QColor tint(const QColor &ground, const QColor &color, double share);
/// Ground of a byte in the hex view: the colour of its section's kind, so thin that the palette's
/// text stays readable on it (a contrast of 4.5 and more).
QColor hexGround(SectionKind kind, const QPalette &palette);
/// The same of a selected byte: the kind still shows; lines at the edges of the selection go with
/// it. `large`: of a selection of many rows, which would else outshine everything.
QColor hexSelectedGround(const QColor &ground, const QPalette &palette, bool large = false);
/// Ground of a byte that differs from the disk; an outline goes with it.
QColor hexChangedGround(const QPalette &palette);

} // namespace kernscope::ui
