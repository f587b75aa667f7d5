// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/patch_edits.h"

#include "app/cli/command.h"
#include "core/base/error_builder.h"
#include "core/base/overlaid_file.h"
#include "core/base/small_file.h"
#include "core/bundle/bundle.h"
#include "core/numeric/npy.h"
#include "core/patch/edit/carried_values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

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
    {Edit::Kind::FromNpy, "W=FILE", "All elements, from a NumPy file (- is standard input)"},
    {Edit::Kind::Compute, "W[A:B,:]=EXPR",
     "What an expression of w makes of each element: clip(w*0.5,-1,1)"},
    {Edit::Kind::Bytes, "FILE+OFFSET=HEX", "Bytes of a file: headers, metadata, stored numbers"},
    {Edit::Kind::Field, "TASK/BLOCK/REGISTER/FIELD=N",
     "A field of a task's register, or all of it: task[3]/Common/ConvCfg/Ox=2"},
}};

/// "-" is standard input.
Result<std::string> scriptText(const std::string &path)
{
    if (path != "-")
        return readSmallFile(path, patch::kMostScriptBytes);
    const auto file = openFile(path);
    if (!file)
        return tl::unexpected(file.error());
    const auto bytes = (*file)->bytes();
    if (bytes.size() > patch::kMostScriptBytes)
        return ErrorBuilder("io.limit")
            .file((*file)->name())
            .expected(fmt::format("at most {} bytes", patch::kMostScriptBytes))
            .found(fmt::format("{} bytes", bytes.size()))
            .message("This is no script of edits")
            .unexpected();
    return std::string(reinterpret_cast<const char *>(bytes.data()), bytes.size());
}

Result<void> readScript(const std::string &path, EditsGiven &given)
{
    const auto text = scriptText(path);
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
    add(options.all.back(), "--script", "FILE",
        "Edits from a file (- is standard input), one a line: set W[0]=1");
}

Result<void> carryInput(const Bundle &bundle, std::vector<Edit> &edits)
{
    for (Edit &edit : edits) {
        if (edit.kind != Edit::Kind::FromNpy || edit.file != "-")
            continue;
        const auto index = findWeight(bundle, edit.weight);
        const auto file = index ? openFile(edit.file) : tl::unexpected(index.error());
        const auto array =
            file ? readNpy((*file)->bytes(), (*file)->name()) : tl::unexpected(file.error());
        if (!array)
            return tl::unexpected(array.error());
        const Shape &shape = bundle.weights()[*index].shape;
        if (array->shape != shape)
            return ErrorBuilder("patch.shape")
                .file((*file)->name())
                .expected(shapeText(shape))
                .found(shapeText(array->shape))
                .message("The array has not the shape of the weight")
                .unexpected();
        for (std::size_t i = 0; i < array->values.size(); ++i) {
            const auto value = static_cast<float>(array->values[i]);
            if (static_cast<double>(value) != array->values[i] && !std::isnan(value))
                return ErrorBuilder("patch.array")
                    .file((*file)->name())
                    .expected("numbers that fp32 holds")
                    .found(fmt::format("{}", array->values[i]))
                    .message("Give an array of a wider type by the name of its file")
                    .unexpected();
            patch::carryValue(edit, i, value);
        }
    }
    return {};
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
