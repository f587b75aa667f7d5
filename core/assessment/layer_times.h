// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/assess.h"

#include <deque>
#include <optional>
#include <vector>

namespace kernscope::roofline {

/// The times of a program's layers, collected one after the other. Of the layers it keeps what
/// programTime asks them, equal ones once: a layer takes a kilobyte.
class LayerTimes
{
public:
    LayerTimes() = default;
    LayerTimes(const LayerTimes &) = delete; // the times point into the layers kept
    LayerTimes &operator=(const LayerTimes &) = delete;

    /// In the program's order, in the form that is looked at.
    void add(const Layer &layer, const Assessment &assessment)
    {
        add(layer, assessment.timeS, refusalOf(assessment));
    }
    /// `timeS`: of one run, empty where it is not known.
    void add(const Layer &layer, std::optional<double> timeS, std::string refusal);
    ProgramTime total(const Roofs &roofs) const { return programTime(m_times, roofs); }

private:
    const Layer *kept(const Layer &layer);

    std::deque<Layer> m_kept; ///< model and runs only; few: one a function and way to reach it
    std::vector<LayerTime> m_times;
};

} // namespace kernscope::roofline
