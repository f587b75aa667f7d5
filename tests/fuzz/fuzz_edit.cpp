// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/edit/edit.h"
#include "tests/fuzz/fuzz_check.h"

#include <string_view>

using namespace kernscope;

namespace {

void check(const Result<Edit> &edit, Edit::Kind kind, std::size_t length)
{
    if (!edit) {
        fuzz::require(edit.error().code == "patch.syntax");
        fuzz::require(edit.error().offset && edit.error().offset->value <= length);
        return;
    }
    // The notation reads back as the same edit.
    const std::string text = editText(*edit);
    const auto again = parseEdit(kind, text);
    fuzz::require(again.has_value() && editText(*again) == text);
}

} // namespace

/// Any text is an edit that can be written again, or a fault with a place in it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char *>(data), size);
    for (int i = 0; i <= static_cast<int>(Edit::Kind::Field); ++i) {
        const auto kind = static_cast<Edit::Kind>(i);
        check(parseEdit(kind, text), kind, size);
    }
    const auto edits = parseEditScript(text, "script");
    if (edits) {
        for (const Edit &edit : *edits)
            fuzz::require(!edit.weight.empty());
    } else {
        fuzz::require(edits.error().field.starts_with("line "));
        fuzz::require(edits.error().offset && edits.error().offset->value <= size);
    }
    return 0;
}
