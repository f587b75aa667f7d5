// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/patch_edits.h"

#include "core/base/small_file.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <utility>

#include <CLI/CLI.hpp>

namespace kernscope::cli {

namespace {

struct Help {
    Edit::Kind kind;
    const char *typeName;
    const char *text;
};

constexpr std::array<Help, 11> kHelp{{
    {Edit::Kind::Set, "W[I,J,…]=X", "One decoded element"},
    {Edit::Kind::SetStored, "W:PART[I]=CODE", "One stored code of a part, such as indices"},
    {Edit::Kind::Codebook, "W[BOOK][ENTRY]=X", "One codebook entry ([LANE] of vectors)"},
    {Edit::Kind::Scale, "W[I]=X", "One scale"},
    {Edit::Kind::Keep, "W[I]=X", "Sparse: store an element that the mask leaves out"},
    {Edit::Kind::Drop, "W[I]", "Sparse: leave an element out"},
    {Edit::Kind::Fill, "W[A:B,:]=X", "All elements of a slice"},
    {Edit::Kind::FromNpy, "W=FILE", "All elements, from a NumPy file"},
    {Edit::Kind::Compute, "W[A:B,:]=EXPR",
     "What an expression of w makes of each element: clip(w*0.5,-1,1)"},
    {Edit::Kind::Bytes, "FILE+OFFSET=HEX", "Bytes of a file: headers, metadata, stored numbers"},
    {Edit::Kind::Field, "TASK/BLOCK/REGISTER/FIELD=N",
     "A field of a task's register, or all of it: task[3]/Common/ConvCfg/Ox=2"},
}};

Result<void> readScript(const std::string &path, EditsGiven &given)
{
    const auto text = readSmallFile(path, patch::kMostScriptBytes);
    if (!text)
        return tl::unexpected(text.error());
    auto edits = parseEditScript(*text, path);
    given.origins.push_back({path, patch::scriptOrigin(*text)});
    if (!edits)
        return tl::unexpected(std::move(edits.error()));
    given.edits.insert(given.edits.end(), std::make_move_iterator(edits->begin()),
                       std::make_move_iterator(edits->end()));
    return {};
}

/// An error of the command line: there is no file, the option stands in its place.
Error placed(Error error, const EditOptions::One &one, const std::string &text)
{
    error.field = "--" + std::string(editKindName(one.kind)) + " " + text;
    return error;
}

} // namespace

void addEditOptions(CLI::App &command, EditOptions &options)
{
    options.all.resize(kHelp.size() + 1); // the options keep pointers into it
    const auto add = [&command](EditOptions::One &one, const std::string &name,
                                const std::string &type, const std::string &text) {
        one.option = command.add_option(name, one.texts, text)
                         ->type_name(type)
                         ->allow_extra_args(false)
                         ->group("Edits");
    };
    for (std::size_t i = 0; i < kHelp.size(); ++i) {
        options.all[i].kind = kHelp[i].kind;
        add(options.all[i], "--" + std::string(editKindName(kHelp[i].kind)), kHelp[i].typeName,
            kHelp[i].text);
    }
    options.all.back().script = true;
    add(options.all.back(), "--script", "FILE", "Edits from a file, one a line: set W[0]=1");
}

Result<EditsGiven> editsInOrder(const CLI::App &command, const EditOptions &options)
{
    EditsGiven given;
    std::map<const CLI::Option *, std::size_t> taken;
    for (const CLI::Option *option : command.parse_order()) {
        const auto one =
            std::find_if(options.all.begin(), options.all.end(),
                         [option](const EditOptions::One &o) { return o.option == option; });
        if (one == options.all.end())
            continue;
        const std::string &text = one->texts[taken[option]++];
        if (one->script) {
            if (auto read = readScript(text, given); !read)
                return tl::unexpected(std::move(read.error()));
            continue;
        }
        auto edit = parseEdit(one->kind, text);
        if (!edit)
            return tl::unexpected(placed(std::move(edit.error()), *one, text));
        given.edits.push_back(std::move(*edit));
    }
    return given;
}

} // namespace kernscope::cli
