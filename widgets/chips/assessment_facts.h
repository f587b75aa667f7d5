// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/assess.h"
#include "core/assessment/geometry.h"
#include "core/bundle/bundle_fwd.h"

#include <QString>
#include <QStringList>

#include <optional>
#include <vector>

namespace kernscope::ui {

/// One figure of the assessment of a cell, in words.
struct AssessmentFact {
    QString name, value;
    QString tip = {}; ///< source, condition or what disputes it
};
using AssessmentFacts = std::vector<AssessmentFact>;

/// The facts of one weight on one chip. Every figure comes from the one assessment and from the
/// geometry of its layer; here they only become words.
struct AssessmentWords {
    QString outcome;     ///< with its glyph: "▶ streams"
    QString sentence;    ///< what that means for this weight, with the bytes that cross
    QString basis;       ///< which source decides
    QStringList remarks; ///< notes, and what sources disagree on, marked
    QString change;      ///< the nearest change that makes it stream; may be empty
    QString gateCount;   ///< "7 pass, 1 open"
    AssessmentFacts bytes, speed, memory, geometry, time;
};

/// `layer`: the use of the weight that was assessed. `geometry`: nothing where the extents of its
/// operation are not known.
AssessmentWords assessmentWords(const Bundle &bundle, const roofline::Layer &layer,
                                const roofline::Assessment &assessment,
                                const std::optional<decision::Geometry> &geometry);

/// Columns of the gates that were consulted, as report::reasonTable() has them for windows.
enum GateColumn {
    GateState,
    GateName,
    GateOffset,
    GateFound,
    GateNeeded,
    GateSource,
    GateSureness
};

} // namespace kernscope::ui
