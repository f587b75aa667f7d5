// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/patch/edit/edit.h"

/// Edits of bytes as they lie in a file: where they are, and what they break.
namespace kernscope::patch {

/// A run of bytes and what comes there.
struct RawPlace {
    std::size_t file = 0;
    FileOffset offset;
    std::vector<std::byte> after;
    std::string oldText, newText; ///< for the list of patches
    std::string note;             ///< what is known of the place: "Common ConvCfg, bits 29:28"
    bool values = false; ///< only stored numbers of weights: nothing is read otherwise after it
};

/// Where an edit of Edit::Kind::Bytes or Field lies and what it writes. Errors: "patch.file",
/// "patch.index" (past the end), "patch.weight" (bytes of a weight with which others would have to
/// change, as those of a mask),
/// "patch.field" (no such task, register or field), "patch.unrepresentable" (more bits than the
/// field has).
Result<RawPlace> rawPlace(const Bundle &bundle, const Edit &edit);

/// "task[3]/Common/ConvCfg/Ox": the place of Edit::Kind::Field. The text section is named only in a
/// container of several: "task[1,3]/…". `field` may be empty: the whole register.
std::string fieldPath(const Bundle &bundle, std::size_t text, std::size_t task,
                      std::string_view block, std::string_view reg, std::string_view field);

/// The same of the register or field at a place of the file, as Edit::weight takes it; its bits
/// count from `offset` on, none: the whole word. Nothing where no register of that task is there.
std::optional<std::string> fieldPathAt(const Bundle &bundle, std::size_t text, std::size_t task,
                                       FileOffset offset, std::optional<unsigned> lowBit);

/// What reading finds wrong in `after` and not in `before`, and which weights or tasks are not what
/// they were: one sentence; empty where nothing is.
std::string whatBreaks(const Bundle &before, const Bundle &after);

} // namespace kernscope::patch
