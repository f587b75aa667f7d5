// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/patch_edits.h"

#include "core/base/overlaid_file.h"

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

constexpr std::array<Help, 8> kHelp{{
    {Edit::Kind::Set, "W[I,J,…]=X", "One decoded element"},
    {Edit::Kind::SetStored, "W:PART[I]=CODE", "One stored code of a part, such as indices"},
    {Edit::Kind::Codebook, "W[BOOK][ENTRY]=X", "One codebook entry ([LANE] of vectors)"},
    {Edit::Kind::Scale, "W[I]=X", "One scale"},
    {Edit::Kind::Keep, "W[I]=X", "Sparse: store an element that the mask leaves out"},
    {Edit::Kind::Drop, "W[I]", "Sparse: leave an element out"},
    {Edit::Kind::Fill, "W[A:B,:]=X", "All elements of a slice"},
    {Edit::Kind::FromNpy, "W=FILE", "All elements, from a NumPy file"},
}};

Result<std::vector<Edit>> readScript(const std::string &path)
{
    const auto file = OverlaidFile::open(path, path);
    if (!file)
        return tl::unexpected(file.error());
    const auto bytes = (*file)->bytes();
    auto edits =
        parseEditScript({reinterpret_cast<const char *>(bytes.data()), bytes.size()}, path);
    if (auto same = (*file)->checkSame(); !same)
        return tl::unexpected(std::move(same.error()));
    return edits;
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

Result<std::vector<Edit>> editsInOrder(const CLI::App &command, const EditOptions &options)
{
    std::vector<Edit> edits;
    std::map<const CLI::Option *, std::size_t> taken;
    for (const CLI::Option *option : command.parse_order()) {
        const auto one =
            std::find_if(options.all.begin(), options.all.end(),
                         [option](const EditOptions::One &o) { return o.option == option; });
        if (one == options.all.end())
            continue;
        const std::string &text = one->texts[taken[option]++];
        if (one->script) {
            auto read = readScript(text);
            if (!read)
                return read;
            edits.insert(edits.end(), std::make_move_iterator(read->begin()),
                         std::make_move_iterator(read->end()));
            continue;
        }
        auto edit = parseEdit(one->kind, text);
        if (!edit)
            return tl::unexpected(placed(std::move(edit.error()), *one, text));
        edits.push_back(std::move(*edit));
    }
    return edits;
}

} // namespace kernscope::cli
