// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/layouts.h"

#include <QString>

#include <optional>
#include <vector>

namespace kernscope::app {

/// One step of the tour: a row of resources/tour/steps.csv.
struct TourStep {
    QString title, text;          ///< in the language of the window
    QString bundle, other;        ///< builds of the embedded sample; empty: what is open stays
    std::optional<Layout> layout; ///< nothing: the layout of now stays
    /// What the step points at: "dock/ID", "dock/ID/OBJECT NAME", "action/OBJECT NAME" (its button
    /// in the tool bar), "menu/OBJECT NAME", or "search".
    QString target;
    QString place; ///< as parsePlace() reads it; empty: the place of now stays
};

/// The steps in their order; empty where the table is unsound (a test holds that it is not).
std::vector<TourStep> tourSteps();

} // namespace kernscope::app
