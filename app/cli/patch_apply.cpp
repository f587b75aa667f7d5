// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/patch_apply.h"

#include "app/cli/command.h"
#include "app/cli/output_file.h"
#include "app/cli/text_output.h"
#include "core/base/error_builder.h"
#include "core/base/overlaid_file.h"
#include "core/base/scratch_file.h"
#include "core/bundle/bundle.h"
#include "core/diff/byte_ranges.h"
#include "core/patch/binary/apply_binary.h"
#include "core/report/edit_table.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <shared_mutex>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

/// What a patch is applied to: a file by itself, or one of a bundle.
struct PatchTarget {
    std::string name; ///< of the file, within the bundle
    std::shared_ptr<OverlaidFile> file;
    BundlePtr bundle; ///< null for a file by itself
    std::size_t index = 0;
};

/// What came of it.
struct Applied : report::AppliedPatch {
    std::optional<ScratchFile> made;
    Diagnostics diagnostics;

    std::span<const std::byte> bytes() const { return made->bytes().first(result.bytes); }
};

constexpr std::size_t kMostRanges = 10000; ///< that a document lists

/// Which file a patch is for has to be said: IPS says nothing of it, and of BPS the one that it
/// fits is named.
Error whichFile(const Bundle &bundle, const patch::BinaryPatchHead &head,
                const ApplyArguments &arguments)
{
    std::string names, fitting;
    for (const BundleFile &file : bundle.files()) {
        names += (names.empty() ? "" : ", ") + file.path;
        if (head.isFor(file.file->bytes()))
            fitting = file.path;
    }
    ErrorBuilder error("patch.file");
    error.file(bundle.name()).field("--file").expected("one of " + names);
    if (!arguments.file.empty())
        error.found(arguments.file).message("The bundle has no such file");
    else
        error.message(fitting.empty() ? "A binary patch is for one file: --file says for which"
                                      : "A binary patch is for one file: this one was made for " +
                                            fitting + ", which --file has to say");
    return error;
}

Result<PatchTarget> findTarget(const ApplyArguments &arguments, const patch::BinaryPatchHead &head)
{
    PatchTarget target;
    std::error_code ignored;
    if (!std::filesystem::is_directory(arguments.path, ignored)) {
        auto file = openFile(arguments.path);
        if (!file)
            return tl::unexpected(std::move(file.error()));
        target.file = *std::move(file);
        target.name = std::filesystem::path(arguments.path).filename().string();
        if (arguments.file.empty() || arguments.file == target.name)
            return target;
        return ErrorBuilder("patch.file")
            .file(arguments.path)
            .field("--file")
            .expected("no --file: PATH is a file by itself")
            .found(arguments.file)
            .message("--file names a file of a bundle")
            .unexpected();
    }
    auto bundle = openBundle(arguments.path);
    if (!bundle)
        return tl::unexpected(std::move(bundle.error()));
    target.bundle = *std::move(bundle);
    const auto &files = target.bundle->files();
    const auto named = target.bundle->fileByPath(arguments.file);
    if (!named && !(arguments.file.empty() && files.size() == 1))
        return tl::unexpected(whichFile(*target.bundle, head, arguments));
    target.index = named.value_or(0);
    target.name = files[target.index].path;
    target.file = files[target.index].file;
    return target;
}

/// The bundle with that one file in place of its own.
Result<BundlePtr> patchedBundle(const PatchTarget &target, const Applied &applied)
{
    auto made = applied.made->asFile(applied.result.bytes, target.name);
    if (!made)
        return tl::unexpected(std::move(made.error()));
    OpenOptions options;
    for (const BundleFile &file : target.bundle->files())
        options.files.emplace_back(file.path, file.file);
    options.files[target.index].second = *std::move(made);
    return Bundle::open(target.bundle->path(), options);
}

/// Whether a file holds exactly these bytes.
bool holdsBytes(const std::string &path, std::span<const std::byte> bytes)
{
    const auto file = OverlaidFile::open(path, path);
    return file && std::ranges::equal((*file)->bytes(), bytes);
}

/// What makes a bundle is looked at before it is written; a file by itself may be anything.
Result<void> writeApplied(const PatchTarget &target, const ApplyArguments &arguments,
                          Applied &applied, Context &context)
{
    if (target.bundle == nullptr) {
        if (!arguments.dryRun) {
            if (auto written = writeFile(arguments.output, applied.bytes(),
                                         outputRules(context, {arguments.path, arguments.patch}));
                !written)
                return written;
            applied.verified = holdsBytes(arguments.output, applied.bytes());
        }
        return {};
    }
    const auto made = patchedBundle(target, applied);
    if (!made)
        return tl::unexpected(made.error());
    const Diagnostics &faults = (*made)->diagnostics();
    applied.diagnostics.insert(applied.diagnostics.end(), faults.begin(), faults.end());
    if (arguments.dryRun)
        return {};
    // What was patched is made now: the copy below can only look at the other files.
    if (auto same = checkInputs(); !same)
        return same;
    const ProgressLine line(context, "Copying");
    auto saved = writeCopy(context, **made, arguments.output, target.bundle->path());
    if (!saved)
        return tl::unexpected(std::move(saved.error()));
    applied.verified = saved->verified;
    applied.diagnostics.insert(applied.diagnostics.end(), saved->warnings.begin(),
                               saved->warnings.end());
    return {};
}

/// IPS knows nothing of the file that it is for: whoever uses the result has to look.
void noteUnchecked(const std::string &patch, Applied &applied)
{
    if (applied.result.sourceChecked)
        return;
    applied.diagnostics.push_back(
        {Severity::Warning,
         ErrorBuilder("binary_patch.unchecked")
             .file(patch)
             .message("IPS does not say which file it is for, nor what comes of it: nothing was "
                      "checked")});
}

std::string appliedText(const PatchTarget &target, const ApplyArguments &arguments,
                        const Applied &applied)
{
    const auto counted = [](std::uint64_t count, std::string_view one) {
        return fmt::format("{} {}{}", grouped(count), one, count == 1 ? "" : "s");
    };
    std::uint64_t bytes = 0;
    for (const ByteRange &range : applied.changed.ranges)
        bytes += range.bytes.value;
    const std::uint64_t after = applied.result.bytes;
    std::string text = fmt::format(
        "{}: {} from {}, {} in {} differ{}\n", printable(target.name),
        counted(applied.result.steps,
                applied.result.format == patch::BinaryFormat::Ips ? "record" : "step"),
        printable(arguments.patch), counted(bytes, "byte"),
        counted(applied.changed.ranges.size(), "range"), applied.changed.cut ? " at most" : "");
    if (after != applied.bytesBefore)
        text += fmt::format("  {} before, {} after\n", counted(applied.bytesBefore, "byte"),
                            grouped(after));
    if (applied.result.sourceChecked)
        text += "  CRC-32 of the file and of the result are those that the patch names\n";
    if (!applied.verified)
        return text + styled(Style::Bold, "Dry run: nothing was written") + "\n";
    return text + fmt::format("{}: written, {}\n", printable(arguments.output),
                              *applied.verified ? styled(Style::Good, "read back and verified")
                                                : styled(Style::Bad, "not verified"));
}

/// Applies the patch to the file as it is now.
Result<Applied> applyTo(const PatchTarget &target, const OverlaidFile &patch,
                        const ApplyArguments &arguments, Context &context)
{
    const ProgressLine line(context, "Applying");
    const std::shared_lock lock(target.file->mutex());
    const auto before = target.file->bytes();
    Applied applied;
    // On the disk where the output goes; of a dry run among the files for a time.
    const auto folder = arguments.dryRun
                            ? std::filesystem::path()
                            : std::filesystem::absolute(arguments.output).parent_path();
    const auto room = [&](std::uint64_t bytes) -> Result<std::span<std::byte>> {
        auto made = ScratchFile::make(bytes, folder);
        if (!made)
            return tl::unexpected(std::move(made.error()));
        return applied.made.emplace(*std::move(made)).bytes();
    };
    const auto result =
        patch::applyBinaryPatch(before, patch.bytes(), arguments.patch, room, &context.progress);
    if (!result)
        return tl::unexpected(result.error());
    applied.result = *result;
    applied.bytesBefore = before.size();
    applied.changed = diff::findDifferentBytes(before, applied.bytes(), kMostRanges, nullptr)
                          .value_or(diff::DifferentBytes());
    noteUnchecked(arguments.patch, applied);
    return applied;
}

} // namespace

int runApply(const ApplyArguments &arguments, Context &context)
{
    const auto patch = openFile(arguments.patch);
    if (!patch)
        return reportFailure(context, "patch", patch.error());
    const auto head = patch::readBinaryPatch((*patch)->bytes(), arguments.patch);
    if (!head)
        return reportFailure(context, "patch", head.error());
    const auto target = findTarget(arguments, *head);
    if (!target) {
        const int code = reportFailure(context, "patch", target.error());
        return target.error().code == "patch.file" ? static_cast<int>(kUsage) : code;
    }
    auto applied = applyTo(*target, **patch, arguments, context);
    if (interrupted())
        return reportStopped(context, "patch");
    if (!applied)
        return reportFailure(context, "patch", applied.error());
    if (auto written = writeApplied(*target, arguments, *applied, context); !written)
        return reportFailure(context, "patch", written.error());
    if (applied->verified)
        outputInPlace();
    if (context.json) {
        report::Json document =
            report::appliedJson({target->bundle ? target->bundle->name() : target->name,
                                 target->name, arguments.patch, arguments.output, arguments.dryRun},
                                *applied);
        printDocument(context, document, applied->diagnostics);
        return kDone;
    }
    if (!context.quiet)
        print(appliedText(*target, arguments, *applied));
    printDiagnostics(context, applied->diagnostics);
    return kDone;
}

} // namespace kernscope::cli
