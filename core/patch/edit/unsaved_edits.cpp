// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/edit/unsaved_edits.h"

#include "core/base/text.h"
#include "core/bundle/bundle.h"
#include "core/patch/edit/edit_parser.h"

#include <charconv>
#include <sstream>
#include <utility>

#include <fmt/format.h>

namespace kernscope {

namespace {

constexpr std::string_view kFirstLine = "# kernscope unsaved edits 1";
constexpr std::string_view kBundleLine = "# bundle ";
constexpr std::string_view kMadeLine = "# made ";
constexpr std::string_view kEditLine = "# edit ";   ///< STEP STATE, of the lines that follow
constexpr std::string_view kHeldLine = "# held ";   ///< ASKED STORED ELEMENTS, of the edit
constexpr std::string_view kTakenLine = "# taken "; ///< saved, and taken back since
constexpr std::string_view kBytesLine = "# bytes "; ///< OFFSET BEFORE AFTER FILE, of that
constexpr std::string_view kHidden = "#| ";         ///< before a line that is not to be applied
/// Longer ones are planned anew from nothing that is at hand: they are not taken back again.
constexpr std::uint64_t kMostTakenBytes = std::uint64_t{16} << 20;

/// A path on one line: one with a line feed begins with a quote and has "\n" for it.
std::string lineOfPath(const std::string &path)
{
    if (!path.starts_with('"') && path.find('\n') == std::string::npos)
        return path;
    std::string line = "\"";
    for (const char c : path)
        line += c == '\n'   ? std::string("\\n")
                : c == '\\' ? std::string("\\\\")
                            : std::string(1, c);
    return line;
}

std::string pathOfLine(std::string line)
{
    if (!line.starts_with('"'))
        return line;
    std::string path;
    for (std::size_t i = 1; i < line.size(); ++i) {
        const bool marked = line[i] == '\\' && i + 1 < line.size();
        i += marked ? 1 : 0;
        path += marked && line[i] == 'n' ? '\n' : line[i];
    }
    return path;
}

/// None where these are no digits of whole bytes.
std::vector<std::byte> bytesOf(std::string_view hex)
{
    std::vector<std::byte> bytes;
    for (; hex.size() >= 2; hex.remove_prefix(2)) {
        std::uint8_t byte = 0;
        if (std::from_chars(hex.data(), hex.data() + 2, byte, 16).ptr != hex.data() + 2)
            return {};
        bytes.push_back(std::byte(byte));
    }
    return hex.empty() ? bytes : std::vector<std::byte>();
}

/// The lines of one edit, those of one that is not to be applied as comments.
std::string linesOf(Edit edit, const std::string &note, bool applied)
{
    edit.note = note;
    const std::string script = patch::scriptText(std::span(&edit, 1));
    if (applied)
        return script;
    std::string text;
    std::istringstream in(script);
    for (std::string line; std::getline(in, line);)
        text += std::string(kHidden) + line + "\n";
    return text;
}

std::string heldLine(const AppliedEdit &edit)
{
    return edit.elements == 0
               ? std::string()
               : fmt::format("{}{} {} {}\n", kHeldLine, edit.asked, edit.stored, edit.elements);
}

/// Nothing of one that is too long.
std::string takenText(const AppliedEdit &edit, std::span<const std::string> files)
{
    std::uint64_t bytes = 0;
    for (const FileEdit &run : edit.bytes)
        bytes += run.after.size();
    if (bytes > kMostTakenBytes)
        return {};
    std::string text = std::string(kTakenLine) + "\n" + linesOf(edit.edit, edit.edit.note, false);
    for (const FileEdit &run : edit.bytes)
        text += fmt::format("{}{} {} {} {}\n", kBytesLine, run.offset.value,
                            hexBytesText(run.before, ""), hexBytesText(run.after, ""),
                            lineOfPath(files[run.file]));
    return text;
}

/// An edit of the text and the note on it, while its lines are read.
struct Chunk {
    PatchEntry entry{nullptr};
    AppliedEdit made; ///< `tables`: was taken back; read again, whatever they were
    std::string script;
};

/// "ASKED STORED ELEMENTS"; not stated where that is no such line.
void readHeld(AppliedEdit &made, std::istringstream in)
{
    std::string asked, stored;
    std::uint64_t elements = 0;
    in >> asked >> stored >> elements;
    const auto a = patch::parseNumber({asked, 0}), b = patch::parseNumber({stored, 0});
    if (a && b) {
        made.asked = *a;
        made.stored = *b;
        made.elements = elements;
    }
}

/// "OFFSET BEFORE AFTER FILE"; nothing of a file that is not there any more, and of no
/// such line.
void addBytes(AppliedEdit &made, std::istringstream in, const Bundle &bundle)
{
    std::uint64_t offset = 0;
    std::string before, after, file;
    in >> offset >> before >> after;
    in.get();
    std::getline(in, file);
    const auto index = bundle.fileByPath(pathOfLine(std::move(file)));
    SharedBytes first = bytesOf(before), then = bytesOf(after);
    if (made.tables && index && first.size() > 0 && first.size() == then.size())
        made.bytes.push_back({*index, FileOffset(offset), std::move(first), std::move(then)});
}

Result<void> finishChunk(const Chunk &chunk, UnsavedEdits &all)
{
    for (Edit &edit : TRY(parseEditScript(chunk.script, "unsaved edits"))) {
        auto made = std::make_shared<AppliedEdit>(chunk.made);
        made->edit = std::move(edit);
        if (made->tables) {
            all.takenBack.push_back(std::move(made));
            continue;
        }
        all.entries.push_back(chunk.entry);
        all.entries.back().note = made->edit.note;
        all.entries.back().edit = std::move(made);
    }
    return {};
}

bool beginsEdit(std::string_view line)
{
    return line.starts_with(kEditLine) || line.starts_with(kTakenLine);
}

} // namespace

std::string unsavedText(const UnsavedEdits &edits, const UnsavedHead &head,
                        std::span<const std::string> files)
{
    std::string text = fmt::format("{}\n{}{}\n{}{}\n", kFirstLine, kBundleLine,
                                   lineOfPath(head.bundle), kMadeLine, head.made);
    for (const auto &edit : edits.takenBack)
        text += takenText(*edit, files);
    for (const PatchEntry &entry : edits.entries)
        text += fmt::format("{}{} {}\n", kEditLine, entry.step,
                            entry.active ? "on"
                            : entry.off  ? "off"
                                         : "undone") +
                heldLine(*entry.edit) + linesOf(entry.edit->edit, entry.note, entry.active);
    return text;
}

Result<UnsavedEdits> parseUnsaved(std::string_view text, const Bundle &bundle)
{
    UnsavedEdits all;
    std::optional<Chunk> chunk;
    std::istringstream in{std::string(text)};
    for (std::string line; std::getline(in, line);) {
        const auto rest = [&line](std::string_view mark) {
            return std::istringstream(line.substr(mark.size()));
        };
        if (beginsEdit(line)) {
            if (chunk)
                TRY(finishChunk(*chunk, all));
            chunk.emplace();
            chunk->made.tables = line.starts_with(kTakenLine);
            chunk->made.elements = 0;
            std::string state;
            rest(kEditLine) >> chunk->entry.step >> state;
            chunk->entry.active = state == "on";
            chunk->entry.off = state == "off";
        } else if (chunk && line.starts_with(kBytesLine)) {
            addBytes(chunk->made, rest(kBytesLine), bundle);
        } else if (chunk && line.starts_with(kHeldLine)) {
            readHeld(chunk->made, rest(kHeldLine));
        } else if (chunk) {
            chunk->script +=
                (line.starts_with(kHidden) ? line.substr(kHidden.size()) : line) + "\n";
        }
    }
    if (chunk)
        TRY(finishChunk(*chunk, all));
    return all;
}

std::optional<UnsavedHead> readUnsavedHead(std::istream &text)
{
    std::string line;
    const auto rest = [&](std::string_view mark) {
        return std::getline(text, line) && line.starts_with(mark) ? line.substr(mark.size())
                                                                  : std::string();
    };
    if (!std::getline(text, line) || !line.starts_with(kFirstLine))
        return std::nullopt;
    UnsavedHead head{pathOfLine(rest(kBundleLine)), rest(kMadeLine), 0};
    while (std::getline(text, line))
        head.edits += beginsEdit(line) ? 1 : 0;
    return head;
}

} // namespace kernscope
