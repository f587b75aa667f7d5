// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "core/base/find.h"
#include "core/base/overlaid_file.h"
#include "core/bundle/stored_values.h"
#include "core/numeric/npy.h"
#include "core/patch/edit/copy_values.h"
#include "core/patch/edit/edit_parser.h"
#include "core/patch/edit/literal_rewrite.h"
#include "core/patch/interrupted_save.h"
#include "core/patch/reencode/module_reencoder.h"
#include "core/report/edit_table.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

/// The options that give edits, and their texts.
struct EditOptions {
    struct One {
        const CLI::Option *option = nullptr;
        std::vector<std::string> texts;
        bool script = false;
        Edit::Kind kind = Edit::Kind::Set;
    };
    std::vector<One> all;
};

/// A script that says what it was made for.
struct OriginOfScript {
    std::string path;
    patch::ScriptOrigin origin;
};

struct EditsGiven {
    std::vector<Edit> edits;
    std::vector<OriginOfScript> origins;
};

/// `patch PATH --apply FILE`: a patch of a single file, made by `diff` or by another program.
struct ApplyArguments {
    std::string path, patch;
    std::string file; ///< of a bundle: the one that the patch is for
    std::string output;
    bool dryRun = false;
};

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

Result<void> readScript(const std::string &path, EditsGiven &given)
{
    const auto text = TRY(path == "-" ? openSmallFile(path, patch::kMostScriptBytes)
                                      : readSmallFile(path, patch::kMostScriptBytes));
    auto edits = parseEditScript(text, path);
    given.origins.push_back({path, patch::scriptOrigin(text)});
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

/// Adds --set, --set-stored, … and --script. `options` must live as long as the command.
void addEditOptions(CLI::App &command, EditOptions &options)
{
    options.all.resize(kHelp.size() + 1); // the options keep pointers into it
    const auto add = [&command](EditOptions::One &one, const std::string &name,
                                const std::string &type, const std::string &text) {
        one.option = addOption(command, name, type, one.texts, text)
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

/// Edits from an array "-" carry the values that standard input has. Errors: those of openFile,
/// findWeight and readNpy, "patch.shape", "patch.array" (64-bit integers from 2^53).
void carryInput(const Bundle &bundle, std::vector<Edit> &edits)
{
    for (Edit &edit : edits) {
        if (edit.kind != Edit::Kind::FromNpy || edit.file != "-")
            continue;
        const auto index = findWeight(bundle, edit.weight);
        const auto file = index ? openFile(edit.file) : tl::unexpected(index.error());
        const auto array = required(file ? readNpy((*file)->bytes(), (*file)->name())
                                         : tl::unexpected(file.error()));
        const Shape &shape = bundle.weights()[*index].shape;
        if (array.shape != shape)
            throw CommandFailure{valueError({(*file)->name()}, "patch.shape", {}, shapeText(shape),
                                            shapeText(array.shape),
                                            "The array has not the shape of the weight")};
        for (std::size_t i = 0; i < array.values.size(); ++i) {
            // Of 64-bit integers fp64 has these; others that it rounds may look like them.
            if (isWideInteger(array.type) && !(std::abs(array.values[i]) < 0x1p53))
                throw CommandFailure{valueError({(*file)->name()}, "patch.array", {},
                                                "integers below 2^53",
                                                fmt::format("{}", array.values[i]),
                                                "Give such an array by the name of its file")};
            patch::carryValue(edit, i, array.values[i]);
        }
    }
}

/// The edits in the order of the command line, those of a script in its place. Errors:
/// "patch.syntax", "io.open".
Result<EditsGiven> editsInOrder(const CLI::App &command, const EditOptions &options)
{
    EditsGiven given;
    std::map<const CLI::Option *, std::size_t> taken;
    for (const CLI::Option *option : command.parse_order()) {
        const auto *one = findBy(options.all, &EditOptions::One::option, option);
        if (!one)
            continue;
        const std::string &text = one->texts[taken[option]++];
        if (one->script) {
            TRY(readScript(text, given));
            continue;
        }
        auto edit = parseEdit(one->kind, text);
        if (!edit)
            return tl::unexpected(placed(std::move(edit.error()), *one, text));
        given.edits.push_back(std::move(*edit));
    }
    return given;
}

constexpr std::size_t kShownRanges = 16; ///< of one edit

std::string editedRangesText(const Bundle &bundle, const std::vector<AppliedEdit> &edits)
{
    std::vector<report::ChangedBytes> rows;
    std::size_t hidden = 0;
    for (const AppliedEdit &edit : edits) {
        const auto own = report::changedBytes(bundle, edit);
        const std::size_t shown = std::min(own.size(), kShownRanges);
        rows.insert(rows.end(), own.begin(), own.begin() + static_cast<std::ptrdiff_t>(shown));
        hidden += own.size() - shown;
    }
    if (rows.empty())
        return {};
    std::string text = "\n" + tableText(report::changedBytesTable, rows);
    if (hidden > 0)
        text += fmt::format("  and {}\n", counted(hidden, "more range"));
    return text;
}

/// What `patch` prints for people: each edit with what was asked and what is stored, the bytes, and
/// what was written to `target`; without a report, that nothing was.
std::string patchText(const Bundle &bundle, const std::vector<AppliedEdit> &edits,
                      const std::optional<SaveReport> &saved, const std::string &target,
                      bool laidOutAnew)
{
    std::string text = tableText(report::editTable, report::editRows(bundle, edits)) +
                       editedRangesText(bundle, edits) + "\n";
    if (!saved)
        return text + styled(Style::Bold, "Dry run: nothing was written") + "\n";
    if (saved->ranges.empty())
        return text + fmt::format("{}: {}\n", printable(target),
                                  laidOutAnew ? "written, with a module of another length"
                                              : "nothing had to be changed");
    const std::size_t ranges = saved->ranges.size();
    text += fmt::format("{}: {} changed in {}, {}\n", printable(target),
                        counted(saved->bytesWritten.value, "byte"), counted(ranges, "range"),
                        saved->verified ? styled(Style::Good, "read back and verified")
                                        : styled(Style::Bad, "not verified"));
    for (const std::filesystem::path &backup : saved->backups)
        text += fmt::format("backup: {}\n", printable(backup.string()));
    // What runs may be what was compiled before.
    const auto caches = report::staleCaches(bundle);
    if (!caches.empty())
        text += heading("Caches that may hold what was compiled before") +
                tableText(report::staleCacheTable, caches);
    return text;
}

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

PatchTarget findTarget(const ApplyArguments &arguments, const patch::BinaryPatchHead &head)
{
    PatchTarget target;
    std::error_code ignored;
    if (!std::filesystem::is_directory(arguments.path, ignored)) {
        target.file = required(openFile(arguments.path));
        target.name = std::filesystem::path(arguments.path).filename().string();
        if (arguments.file.empty() || arguments.file == target.name)
            return target;
        throw CommandFailure{valueError({arguments.path}, "patch.file", "--file",
                                        "no --file: PATH is a file by itself", arguments.file,
                                        "--file names a file of a bundle"),
                             true};
    }
    target.bundle = required(openBundle(arguments.path));
    const auto &files = target.bundle->files();
    const auto named = target.bundle->fileByPath(arguments.file);
    if (!named && !(arguments.file.empty() && files.size() == 1))
        throw CommandFailure{whichFile(*target.bundle, head, arguments), true};
    target.index = named.value_or(0);
    target.name = files[target.index].path;
    target.file = files[target.index].file;
    return target;
}

/// The bundle with that one file in place of its own.
BundlePtr patchedBundle(const PatchTarget &target, const Applied &applied)
{
    OpenOptions options;
    for (const BundleFile &file : target.bundle->files())
        options.files.emplace_back(file.path, file.file);
    options.files[target.index].second =
        required(applied.made->asFile(applied.result.bytes, target.name));
    return required(Bundle::open(target.bundle->path(), options));
}

/// Whether a file holds exactly these bytes.
bool holdsBytes(const std::string &path, std::span<const std::byte> bytes)
{
    const auto file = OverlaidFile::open(path, path);
    return file && std::ranges::equal((*file)->bytes(), bytes);
}

/// What makes a bundle is looked at before it is written; a file by itself may be anything.
void writeApplied(const PatchTarget &target, const ApplyArguments &arguments, Applied &applied,
                  Context &context)
{
    if (target.bundle == nullptr) {
        if (!arguments.dryRun) {
            required(writeFile(arguments.output, applied.bytes(),
                               outputRules(context, {arguments.path, arguments.patch})));
            applied.verified =
                arguments.output == "-" || holdsBytes(arguments.output, applied.bytes());
        }
        return;
    }
    const auto made = patchedBundle(target, applied);
    const Diagnostics &faults = made->diagnostics();
    applied.diagnostics.insert(applied.diagnostics.end(), faults.begin(), faults.end());
    if (arguments.dryRun)
        return;
    // What was patched is made now: the copy below can only look at the other files.
    required(checkInputs());
    const ProgressLine line(context, "Copying");
    auto saved = required(writeCopy(context, *made, arguments.output, target.bundle->path()));
    applied.verified = saved.verified;
    applied.diagnostics.insert(applied.diagnostics.end(), saved.warnings.begin(),
                               saved.warnings.end());
}

/// IPS does not identify the file that it is for: the user has to check the result.
void noteUnchecked(const std::string &patch, Applied &applied)
{
    if (applied.result.sourceChecked)
        return;
    applied.diagnostics.push_back(
        {Severity::Warning,
         ErrorBuilder("binary_patch.unchecked")
             .file(patch)
             .message("IPS names neither the file that it is for nor the result: nothing was "
                      "checked")});
}

std::string appliedText(const PatchTarget &target, const ApplyArguments &arguments,
                        const Applied &applied)
{
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
    const auto folder = arguments.dryRun || arguments.output == "-"
                            ? std::filesystem::path()
                            : std::filesystem::absolute(arguments.output).parent_path();
    const auto room = [&](std::uint64_t bytes) -> Result<std::span<std::byte>> {
        auto made = TRY(ScratchFile::make(bytes, folder));
        return applied.made.emplace(std::move(made)).bytes();
    };
    applied.result = TRY(
        patch::applyBinaryPatch(before, patch.bytes(), arguments.patch, room, &context.progress));
    applied.bytesBefore = before.size();
    applied.changed = diff::findDifferentBytes(before, applied.bytes(), kMostRanges, nullptr)
                          .value_or(diff::DifferentBytes());
    noteUnchecked(arguments.patch, applied);
    return applied;
}

/// Writes a copy of the file, or of the bundle with that file, or says what it would be.
int runApply(const ApplyArguments &arguments, Context &context)
{
    const auto patch = required(openFile(arguments.patch));
    const auto head =
        required(patch::readBinaryPatch(patch->bytes(), arguments.patch, &context.progress));
    const PatchTarget target = findTarget(arguments, head);
    checkStream(context, "--output", arguments.output, target.bundle == nullptr);
    Applied applied = required(applyTo(target, *patch, arguments, context));
    checkInterrupt();
    writeApplied(target, arguments, applied, context);
    if (applied.verified)
        outputInPlace();
    printAnswer(
        context, applied.diagnostics,
        [&] {
            return report::appliedJson({target.bundle ? target.bundle->name() : target.name,
                                        target.name, arguments.patch, arguments.output,
                                        arguments.dryRun},
                                       applied);
        },
        [&] { return appliedText(target, arguments, applied); });
    return kDone;
}

struct PatchArguments {
    std::string path;
    std::string output;
    std::string apply, file;
    bool inPlace = false, dryRun = false, backup = false, breakLinks = false;
    bool blankPaths = false;
    double tolerance = 0;
    EditOptions edits;
};

/// Lays the planned edits over the bundle's files and saves them, where what they make is what the
/// scripts say. The bundle that is left shows them; it is let go right after.
SaveReport save(BundlePtr bundle, const std::vector<AppliedEdit> &edits, const EditsGiven &given,
                const PatchArguments &arguments, Context &context)
{
    for (const AppliedEdit &edit : edits)
        bundle = required(applyEdit(bundle, edit));
    for (const OriginOfScript &script : given.origins)
        required(patch::checkResult(script.origin, *bundle, script.path));
    if (arguments.inPlace) {
        const WritingScope scope;
        auto saved = required(saveInPlace(*bundle, {arguments.backup, arguments.breakLinks}));
        if (!saved.ranges.empty())
            noteWritten(arguments.path);
        return saved;
    }
    const ProgressLine line(context, "Copying");
    return required(writeCopy(context, *bundle, arguments.output, arguments.path));
}

/// A copy may not take the place of a script or an array either: they are read, so they are inputs.
void checkCopy(const Bundle &bundle, const EditsGiven &given, const PatchArguments &arguments,
               const Context &context)
{
    if (arguments.output.empty())
        return;
    OutputRules rules = outputRules(context, bundle);
    for (const OriginOfScript &script : given.origins)
        rules.inputs.emplace_back(script.path);
    for (const Edit &edit : given.edits) {
        if (!edit.file.empty())
            rules.inputs.emplace_back(edit.file);
    }
    required(checkOutput(arguments.output, copyKind(bundle), rules));
}

void printResult(const Bundle &bundle, const std::vector<AppliedEdit> &edits,
                 const std::optional<SaveReport> &saved, const PatchArguments &arguments,
                 const Diagnostics &notes, Context &context)
{
    Diagnostics diagnostics = bundle.diagnostics();
    diagnostics.insert(diagnostics.end(), notes.begin(), notes.end());
    if (saved)
        diagnostics.insert(diagnostics.end(), saved->warnings.begin(), saved->warnings.end());
    printAnswer(
        context, diagnostics,
        [&] {
            report::Json document = report::patchJson(bundle, edits, saved);
            report::addPatchRun(document,
                                arguments.inPlace  ? "in-place"
                                : arguments.dryRun ? "dry-run"
                                                   : "output",
                                arguments.output, arguments.tolerance);
            return document;
        },
        [&] {
            return patchText(bundle, edits, saved,
                             arguments.inPlace ? bundle.name() : arguments.output, !notes.empty());
        });
}

int runPatch(const PatchArguments &arguments, EditsGiven given, Context &context)
{
    auto bundle = required(openBundle(arguments.path));
    if (arguments.blankPaths) {
        auto blanks = patch::blankPathEdits(*bundle);
        given.edits.insert(given.edits.end(), std::make_move_iterator(blanks.begin()),
                           std::make_move_iterator(blanks.end()));
    }
    for (const OriginOfScript &script : given.origins)
        required(patch::checkBase(script.origin, *bundle, script.path));
    checkCopy(*bundle, given, arguments, context);
    carryInput(*bundle, given.edits);
    patch::OwnConstants own;
    if (!arguments.inPlace) { // a module in place keeps its length
        own = required(patch::withOwnConstants(*bundle, given.edits, arguments.tolerance));
        if (own.bundle)
            bundle = std::move(own.bundle);
    }
    const auto plan = [&] {
        const ProgressLine line(context, "Planning");
        return planEdits(bundle, given.edits, arguments.tolerance, &context.progress);
    };
    auto result = plan();
    if (!result && result.error().code == "patch.space" && !arguments.inPlace) {
        if (auto roomy =
                required(patch::withLiteralRoom(*bundle, given.edits, arguments.tolerance))) {
            bundle = std::move(roomy);
            result = plan();
        }
    }
    auto planned = required(std::move(result));
    for (auto &[edit, before] : own.before)
        planned[edit].oldText = std::move(before);
    checkInterrupt();
    std::optional<SaveReport> saved;
    if (!arguments.dryRun) {
        saved = save(bundle, planned, given, arguments, context);
        outputInPlace();
    }
    printResult(*bundle, planned, saved, arguments, own.notes, context);
    return kDone;
}

/// "--in-place and --output".
std::string modesGiven(const PatchArguments &arguments)
{
    std::string text;
    const auto add = [&text](bool given, std::string_view name) {
        if (given)
            text += fmt::format("{}{}", text.empty() ? "" : " and ", name);
    };
    add(arguments.inPlace, "--in-place");
    add(!arguments.output.empty(), "--output");
    add(arguments.dryRun, "--dry-run");
    return text;
}

/// What is wrong with the options beside --apply and --file; empty where nothing is.
std::string applyFault(const PatchArguments &arguments, bool edits)
{
    if (arguments.apply.empty())
        return arguments.file.empty() ? "" : "--file has an effect with --apply only";
    if (edits)
        return "--apply takes no edits beside it: make them in the copy";
    return arguments.inPlace ? "--apply may change the length of a file and writes a copy: give "
                               "--output"
                             : "";
}

/// What is wrong with the options together; empty where they can be run.
std::string patchUsageFault(const PatchArguments &arguments, bool anyEdit)
{
    if (!anyEdit && arguments.apply.empty())
        return "No edit is given";
    const int modes = (arguments.inPlace ? 1 : 0) + (arguments.dryRun ? 1 : 0) +
                      (arguments.output.empty() ? 0 : 1);
    if (modes == 0)
        return "One of --in-place, --output and --dry-run must be given";
    if (modes > 1)
        return fmt::format("{} exclude one another; give one of them", modesGiven(arguments));
    if (arguments.backup && !arguments.inPlace)
        return "--backup has an effect with --in-place only";
    if (arguments.breakLinks && !arguments.inPlace)
        return "--break-links has an effect with --in-place only";
    return applyFault(arguments, anyEdit);
}

int parseAndRun(const CLI::App &command, PatchArguments &arguments, Context &context)
{
    auto edits = editsInOrder(command, arguments.edits);
    const bool any = !edits || !edits->edits.empty() || arguments.blankPaths;
    if (std::string fault = patchUsageFault(arguments, any); !fault.empty())
        throw CommandFailure{ErrorBuilder("patch.usage").message(std::move(fault)), true};
    if (!edits)
        throw CommandFailure{edits.error(), edits.error().code == "patch.syntax"};
    if (!arguments.apply.empty())
        return runApply(
            {arguments.path, arguments.apply, arguments.file, arguments.output, arguments.dryRun},
            context);
    checkStream(context, "--output", arguments.output, false);
    return runPatch(arguments, *std::move(edits), context);
}

} // namespace

void addPatch(CLI::App &app, Context &context)
{
    CLI::App *command = app.add_subcommand(
        "patch",
        "Change single values of a bundle's weights, in place or in a copy; apply a binary "
        "patch");
    auto arguments = std::make_shared<PatchArguments>();
    addOption(*command, "path", "PATH", arguments->path, "Bundle, program or weight file")
        ->required();
    addEditOptions(*command, arguments->edits);
    addOption(*command, "--apply", "FILE", arguments->apply,
              "Apply an IPS or BPS patch of one file, as diff and other programs write it. "
              "BPS names the file that it is for and the result, and both are checked; "
              "IPS does not; - is standard input");
    addOption(*command, "--file", "NAME", arguments->file,
              "Of a bundle of several files: the one that the patch is for");
    command
        ->add_flag("--blank-paths", arguments->blankPaths,
                   "Of a Core AI package: blank paths of the author's machine in its debug "
                   "information, at equal length; file names stay")
        ->group("Edits");
    command->add_flag("--in-place", arguments->inPlace,
                      "Write the changed bytes into the files, and nothing else");
    CLI::Option *output =
        addStreamOutput(*command, context, arguments->output,
                        "Write a changed copy; of a file that --apply changes, - is standard "
                        "output",
                        "OUT");
    command->get_option("--force")->needs(output);
    command->add_flag("--dry-run", arguments->dryRun, "Print what would be written");
    command->add_flag("--backup", arguments->backup,
                      "With --in-place: keep a copy of each changed file beside the bundle, in "
                      "BUNDLE.bak, or BUNDLE.bak.2 and so on where that has another one");
    command->add_flag(
        "--break-links", arguments->breakLinks,
        "With --in-place: of a file with several names (hard links), which is refused "
        "otherwise, write a copy that takes this name");
    addOption(*command, "--tolerance", "X", arguments->tolerance,
              "How far a stored value may be from the one asked for. 0 by default: exact, "
              "but for the ordinary rounding of fp16, bf16 and fp32 numbers")
        ->check(notNegative());
    addCommonOptions(*command, context, false);
    addExamples(*command,
                {"patch model.mlmodelc --set 'conv1_weight[3,0,1,1]=0.5' --in-place",
                 "patch model.mlmodelc --fill 'conv1_weight[0:4,:]=0' -o changed.mlmodelc",
                 "patch model.mlmodelc --script edits.txt --dry-run",
                 "patch weight.bin --apply changes.bps -o patched.bin",
                 "patch model.mlmodelc --apply changes.bps --file weights/weight.bin -o "
                 "patched.mlmodelc"});
    command->callback([command, arguments, &context] {
        context.exitCode = parseAndRun(*command, *arguments, context);
    });
}

namespace {

struct RecoverArguments {
    std::string path;
    bool finish = false, discard = false, dryRun = false;
};

constexpr std::size_t kShownRuns = 32; ///< of one journal

std::string runsText(const std::vector<WrittenRange> &ranges)
{
    const std::span shown = std::span(ranges).first(std::min(ranges.size(), kShownRuns));
    std::string text = shown.empty() ? std::string() : tableText(report::writtenRangeTable, shown);
    if (ranges.size() > kShownRuns)
        text += fmt::format("  and {}\n", counted(ranges.size() - kShownRuns, "more range"));
    return text;
}

std::string saveText(const RecoveredSave &done, RecoverAction action, bool dryRun)
{
    const std::string journal = printable(done.save.journal.filename().string());
    const std::string_view will = dryRun ? "would be " : "";
    if (action == RecoverAction::Discard)
        return fmt::format("{}: {}removed; the files stay as they are\n", journal, will);
    return fmt::format("{}: the save {}{}, {} bytes {}written in {} ranges{}\n", journal, will,
                       action == RecoverAction::Finish ? "finished" : "undone",
                       grouped(done.bytesWritten.value), will, grouped(done.ranges.size()),
                       dryRun ? "" : ", read back and verified") +
           runsText(done.ranges);
}

int runRecover(const RecoverArguments &arguments, Context &context)
{
    const auto action = arguments.finish    ? RecoverAction::Finish
                        : arguments.discard ? RecoverAction::Discard
                                            : RecoverAction::Undo;
    const auto report = recoverSave(arguments.path, action, arguments.dryRun, &context.progress);
    if (!report && report.error().code == "task.cancelled" && !report.error().found.empty())
        noteWritten("a part of " + arguments.path + ", whose journal is still there,");
    if (!report)
        throw CommandFailure{report.error()};
    printAnswer(
        context, report->warnings,
        [&] { return report::recoverJson(arguments.path, action, arguments.dryRun, *report); },
        [&] {
            if (report->saves.empty())
                return fmt::format("{}: no save was interrupted, nothing to recover\n",
                                   printable(arguments.path));
            std::string text;
            for (const RecoveredSave &done : report->saves)
                text += saveText(done, action, arguments.dryRun);
            if (arguments.dryRun)
                text += styled(Style::Bold, "Dry run: nothing was written") + "\n";
            return text;
        });
    return kDone;
}

} // namespace

void addRecover(CLI::App &app, Context &context)
{
    const auto [command, arguments] = addCommand<RecoverArguments>(
        app, context, "recover", "Undo or finish a save in place that was interrupted", runRecover);
    addPath(*command, arguments->path);
    CLI::Option *finish =
        command->add_flag("--finish", arguments->finish,
                          "Write the rest of the new bytes; without it the old ones are put back");
    command
        ->add_flag("--discard", arguments->discard,
                   "Leave the files as they are and remove the journal, also a damaged one")
        ->excludes(finish);
    command->add_flag("--dry-run", arguments->dryRun, "Print what would be written");
    addCommonOptions(*command, context, false);
    addExamples(*command, {"recover model.mlmodelc --dry-run", "recover model.mlmodelc"});
}

} // namespace kernscope::cli
