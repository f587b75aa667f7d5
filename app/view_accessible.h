// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace kernscope::app {

/// From now on the views that draw themselves (bytes, pictures, maps, plots) have a role of their
/// own for assistive programs, and say as their value what their cursor is on: the text that they
/// keep in QWidget::accessibleDescription(). Further calls do nothing. The GUI thread only.
void installViewAccessibility();

} // namespace kernscope::app
