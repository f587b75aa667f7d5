// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/patch/edit/edit.h"
#include "widgets/models/session.h"

#include <QString>

#include <cstdint>
#include <optional>

namespace kernscope::codec {
struct EditPlan;
}

namespace kernscope::ui {

/// What an edit would come to.
struct EditAnswer {
    QString text;
    bool far = false; ///< the value held is far from the one asked for: to be noticed
};
/// Without touching anything: "0.3 is held as 0.2998, codebook entry 7; 1 byte changes". Edits of
/// many elements are only described. Errors: those of the editor, and "patch.weight".
Result<EditAnswer> previewEdit(const Bundle &bundle, const Edit &edit);
/// The same of one whose bytes are planned; `hasValue`: a value is asked for, and not a code.
EditAnswer answerOf(const codec::EditPlan &made, bool hasValue);

/// The first decoded element that an edit names, where it names elements and they exist.
std::optional<std::uint64_t> firstElement(const Bundle &bundle, const Edit &edit);

/// The text that begins an edit of what is selected, as that kind is written: "weight[3,0,1]=",
/// "weight:", "weights/weight.bin+0x20=".
QString editStart(Edit::Kind kind, const Bundle &bundle, const Place &place);

} // namespace kernscope::ui
