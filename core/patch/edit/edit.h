// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "core/bundle/bundle_fwd.h"
#include "core/form/encoding.h"

namespace kernscope {

/// One index of a weight's element, or a range of it: [start, stop). stop 0 with all set: ":".
struct IndexRange {
    static constexpr std::uint64_t kToEnd = UINT64_MAX; ///< stop of "4:"
    std::uint64_t start = 0, stop = 0;
    bool all = false;
    bool single = true; ///< a plain number
};

/// A typed edit, as the command line writes it (cli.md, patch).
struct Edit {
    enum class Kind : std::uint8_t {
        Set,       ///< --set 'w[3,0,1,1]=0.5'
        SetStored, ///< --set-stored 'w:indices[17]=9'
        Codebook,  ///< --codebook 'w[0][7]=-1.25', vectors 'w[0][7][1]=…'
        Scale,     ///< --scale 'w[4]=0.01'
        Keep,      ///< --keep 'w[9]=0.25'
        Drop,      ///< --drop 'w[9]'
        Fill,      ///< --fill 'w[0:4,:]=0'
        FromNpy,   ///< --from-npy 'w=FILE.npy'
        Compute,   ///< --compute 'w[0:4,:]=clip(w*0.5,-1,1)', of the whole weight 'w=w*0.5'
        Bytes,     ///< --bytes 'FILE+0x40=ef be': bytes as they lie there
        Field,     ///< --field 'task[3]/Common/ConvCfg/Ox=2', a whole register without its field
    };
    /// Of the file's own bytes, not of a weight.
    bool isRaw() const { return kind == Kind::Bytes || kind == Kind::Field; }
    Kind kind = Kind::Set;
    std::string weight; ///< Bytes: path of the file in the bundle; Field: task, register and field
    codec::PartRole part = codec::PartRole::Data; ///< SetStored
    /// Set, Keep, Drop, Fill: one an axis, or one flat index. SetStored, Scale: one flat index.
    /// Codebook: codebook, entry, and the lane of vector palettes. Bytes: the offset in the file.
    std::vector<IndexRange> indices;
    double value = 0;
    std::int64_t stored = 0;      ///< SetStored, Field
    bool storedBeyond = false;    ///< SetStored: above INT64_MAX, `stored` has the bits
    std::string file;             ///< FromNpy; of values it carries: where they are from
    std::string note;             ///< free text of the one who made it
    std::string expression;       ///< Compute: of w, the value of each element (expression.h)
    std::vector<std::byte> bytes; ///< Bytes: what comes there; FromNpy: copy_values.h
};

/// Notation of the option that gives such an edit, without dashes: "set", "set-stored", …
std::string_view editKindName(Edit::Kind kind);
/// Parses the text after `--set` and so on. Errors: "patch.syntax" with the place in `offset`.
Result<Edit> parseEdit(Edit::Kind kind, std::string_view text);
/// The reverse: "conv1_weight[3,0,1,1]=0.5".
std::string editText(const Edit &edit);
/// A script: one edit a line, `set w[0]=1`, '#' begins a comment; a line of the comment kNoteMark
/// is the note of the edit after it. Errors name the line.
inline constexpr std::string_view kNoteMark = "# note: ";
Result<std::vector<Edit>> parseEditScript(std::string_view text, std::string_view fileName);

} // namespace kernscope

namespace kernscope::patch {

/// Edits of bytes that write blanks over the paths of the author's machine in the debug information
/// of a Core AI package. The name of a file at a path's end stays, folders do not. None for other
/// kinds of bundles.
std::vector<Edit> blankPathEdits(const Bundle &bundle);

} // namespace kernscope::patch
