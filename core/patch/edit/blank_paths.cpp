// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/edit/blank_paths.h"

#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/container/aimodel/package.h"

namespace kernscope::patch {

std::vector<Edit> blankPathEdits(const Bundle &bundle)
{
    std::vector<Edit> edits;
    if (bundle.kind() != BundleKind::Aimodel || bundle.programFile() == kNoIndex)
        return edits;
    const BundleFile &file = bundle.files()[bundle.programFile()];
    const mlir::Module module = mlir::readModule(file.file->bytes(), file.path);
    for (const aimodel::AuthorPath &path : aimodel::authorPaths(module)) {
        const std::string_view text = module.textOf(path.range);
        const std::size_t name = text.find_last_of("/\\") + 1;
        const bool isFile = text.find('.', name) != std::string_view::npos;
        Edit edit;
        edit.kind = Edit::Kind::Bytes;
        edit.weight = file.path;
        edit.indices = {{path.range.offset.value, 0, false, true}};
        edit.bytes.assign(isFile ? name : text.size(), std::byte{' '});
        edits.push_back(std::move(edit));
    }
    return edits;
}

} // namespace kernscope::patch
