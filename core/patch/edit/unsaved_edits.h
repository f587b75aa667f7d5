// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/patch/patch.h"

#include <iosfwd>
#include <memory>

namespace kernscope {

/// One row of the list of patches.
struct PatchEntry {
    std::shared_ptr<const AppliedEdit> edit; ///< never null; shared, for a fill may be large
    std::size_t step = 0;  ///< its command's index in undoStack(); a command may hold several edits
    bool active = true;    ///< false: undone or switched off
    bool off = false;      ///< switched off by itself; later ones may be active
    std::string note = {}; ///< of the one who made it
};

/// Edits of a bundle that are not on the disk.
struct UnsavedEdits {
    /// Saved, and taken back since: with the bytes that they changed.
    std::vector<std::shared_ptr<const AppliedEdit>> takenBack;
    /// The others, in the order of the list. Of what each set, `asked`, `stored` and `elements` are
    /// kept; 0 elements: that is not known.
    std::vector<PatchEntry> entries;

    bool empty() const { return takenBack.empty() && entries.empty(); }
};

/// What heads the text of such edits, and how many they are.
struct UnsavedHead {
    std::string bundle, made; ///< its path; when the text was written, in ISO 8601
    int edits = 0;
};

/// As a script of edits (parseEditScript) that makes those that are on; what else there is stands
/// in comments: the head, steps, switched off, undone and taken back edits. `files`: paths of the
/// bundle's files, by their indices.
std::string unsavedText(const UnsavedEdits &edits, const UnsavedHead &head,
                        std::span<const std::string> files);
/// Errors: those of parseEditScript.
Result<UnsavedEdits> parseUnsaved(std::string_view text, const Bundle &bundle);
/// Nothing of what is no such text. Line by line, however long it is.
std::optional<UnsavedHead> readUnsavedHead(std::istream &text);

} // namespace kernscope
