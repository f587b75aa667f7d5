// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/edit/edit.h"

#include "core/base/error_builder.h"
#include "core/base/find.h"
#include "core/base/overlaid_file.h"
#include "core/base/text.h"
#include "core/bundle/bundle.h"
#include "core/container/aimodel/package.h"
#include "core/numeric/convert.h"
#include "core/patch/edit/copy_values.h"
#include "core/patch/edit/expression.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

namespace kernscope {

namespace {

using patch::parseIndex;
using patch::parseNumber;
using patch::Piece;
using patch::syntaxError;

/// How the text of a kind is built: NAME [:PART] [indices]… [=VALUE].
struct Grammar {
    Edit::Kind kind;
    std::string_view name;
    std::size_t minGroups, maxGroups; ///< bracket groups at the end of the left side
    bool many;                        ///< a group may hold several indices
    bool ranges;
    bool value;
};

constexpr std::array<Grammar, 11> kGrammars{{
    {Edit::Kind::Set, "set", 1, 1, true, false, true},
    {Edit::Kind::SetStored, "set-stored", 1, 1, false, false, true},
    {Edit::Kind::Codebook, "codebook", 2, 3, false, false, true},
    {Edit::Kind::Scale, "scale", 1, 1, false, false, true},
    {Edit::Kind::Keep, "keep", 1, 1, true, false, true},
    {Edit::Kind::Drop, "drop", 1, 1, true, false, false},
    {Edit::Kind::Fill, "fill", 1, 1, true, true, true},
    {Edit::Kind::FromNpy, "from-npy", 0, 0, false, false, true},
    {Edit::Kind::Compute, "compute", 0, 1, true, true, true},
    {Edit::Kind::Bytes, "bytes", 0, 0, false, false, true},
    {Edit::Kind::Field, "field", 0, 0, false, false, true},
}};

const Grammar &grammarOf(Edit::Kind kind)
{
    return kGrammars[static_cast<std::size_t>(kind)];
}

Result<IndexRange> parseRange(const Piece &piece, bool ranges)
{
    IndexRange range;
    const auto colon = piece.text.find(':');
    if (colon == std::string_view::npos) {
        const auto index = TRY(parseIndex(piece));
        if (index == UINT64_MAX)
            return syntaxError(piece, "an index that 64 bits hold");
        range.start = index;
        range.stop = index + 1;
        return range;
    }
    if (!ranges)
        return syntaxError(piece, "an index (ranges are for fill)");
    range.single = false;
    const Piece first = piece.part(0, colon).trimmed(), last = piece.part(colon + 1).trimmed();
    range.all = first.text.empty() && last.text.empty();
    range.stop = range.all ? 0 : IndexRange::kToEnd;
    for (const auto &[bound, target] : {std::pair(first, &range.start), {last, &range.stop}}) {
        if (bound.text.empty())
            continue;
        *target = TRY(parseIndex(bound));
    }
    if (!range.all && range.start >= range.stop)
        return syntaxError(piece, "a range whose end lies behind its start");
    return range;
}

/// The indices between two brackets, separated by commas.
Result<void> parseGroup(const Piece &group, const Grammar &grammar, std::vector<IndexRange> &out)
{
    std::size_t from = 0;
    for (;;) {
        const auto comma = group.text.find(',', from);
        const bool last = comma == std::string_view::npos;
        if (!last && !grammar.many)
            return syntaxError(group.part(comma), "one index");
        const auto range = TRY(
            parseRange(group.part(from, last ? comma : comma - from).trimmed(), grammar.ranges));
        out.push_back(range);
        if (last)
            return {};
        from = comma + 1;
    }
}

/// Takes "[…]" groups off the end of `left` and gives their indices in order.
Result<std::vector<IndexRange>> parseIndices(Piece &left, const Grammar &grammar)
{
    std::vector<Piece> groups;
    while (groups.size() < grammar.maxGroups) {
        const Piece rest = left.trimmed();
        if (rest.text.empty() || rest.text.back() != ']')
            break;
        const auto open = rest.text.rfind('[');
        if (open == std::string_view::npos)
            break;
        groups.push_back(rest.part(open + 1, rest.text.size() - open - 2));
        left = rest.part(0, open);
    }
    if (groups.size() < grammar.minGroups) {
        return syntaxError(left.part(left.text.size()),
                           grammar.minGroups == 2 ? "[codebook][entry]" : "indices in brackets");
    }
    std::vector<IndexRange> indices;
    for (auto group = groups.rbegin(); group != groups.rend(); ++group) {
        TRY(parseGroup(*group, grammar, indices));
    }
    return indices;
}

/// Takes ":indices" off the end of the name.
Result<codec::PartRole> parsePart(Piece &left)
{
    const auto colon = left.text.rfind(':');
    const Piece name = colon == std::string_view::npos ? left.part(left.text.size())
                                                       : left.part(colon + 1).trimmed();
    const auto role = codec::partRoleFromName(name.text);
    if (!role) {
        return syntaxError(name, "a part: data, indices, lut, mask, nonzero_data, scale, "
                                 "zero_point or offset");
    }
    left = left.part(0, colon);
    return *role;
}

/// The byte that "\xNN" at the begin of a text stands for.
std::optional<char> escapedByte(std::string_view text)
{
    std::uint8_t byte = 0;
    if (text.size() < 4 || !text.starts_with("\\x"))
        return std::nullopt;
    const char *end = text.data() + 4;
    return std::from_chars(text.data() + 2, end, byte, 16).ptr == end
               ? std::optional(static_cast<char>(byte))
               : std::nullopt;
}

/// A name as a text of an edit has it: "\xNN" for a byte that would end the name or the line.
std::string editName(std::string_view name, Edit::Kind kind)
{
    std::string text;
    for (std::size_t i = 0; i < name.size(); ++i) {
        const char c = name[i];
        const bool space = c == ' ', outer = i == 0 || i + 1 == name.size();
        const bool begins = i == 0 || name[i - 1] == ' ';
        const bool ends = static_cast<unsigned char>(c) < ' ' || (space && outer) ||
                          (c == '#' && begins) || ((c == '"' || c == '\'') && i == 0) ||
                          (c == '=' && kind == Edit::Kind::FromNpy) || escapedByte(name.substr(i));
        text += ends ? fmt::format("\\x{:02x}", c) : std::string(1, c);
    }
    return text;
}

/// The reverse of editName().
std::string nameOf(std::string_view text)
{
    std::string name;
    for (; !text.empty(); text.remove_prefix(1)) {
        const auto byte = escapedByte(text);
        name += byte.value_or(text.front());
        text.remove_prefix(byte ? 3 : 0);
    }
    return name;
}

Result<void> parseValue(const Piece &value, Edit &edit)
{
    if (value.text.empty())
        return syntaxError(value, edit.kind == Edit::Kind::FromNpy ? "a file" : "a value");
    if (edit.kind == Edit::Kind::FromNpy) {
        edit.file = nameOf(value.text);
    } else if (edit.kind == Edit::Kind::Compute) {
        edit.expression = std::string(value.text);
        return patch::Expression::parse(value).map([](const patch::Expression &) {});
    } else if (edit.kind == Edit::Kind::Bytes) {
        return patch::parseHexBytes(value).map(
            [&edit](std::vector<std::byte> bytes) { edit.bytes = std::move(bytes); });
    } else if (edit.kind == Edit::Kind::SetStored || edit.kind == Edit::Kind::Field) {
        edit.stored = TRY(patch::parseInteger(
            value, edit.kind == Edit::Kind::SetStored ? &edit.storedBeyond : nullptr));
    } else {
        edit.value = TRY(parseNumber(value));
    }
    return {};
}

std::string rangeText(const IndexRange &range)
{
    if (range.single)
        return fmt::format("{}", range.start);
    if (range.all)
        return ":";
    if (range.stop == IndexRange::kToEnd)
        return fmt::format("{}:", range.start);
    return fmt::format("{}:{}", range.start, range.stop);
}

Piece withoutComment(const Piece &line)
{
    for (std::size_t i = 0; i < line.text.size(); ++i) {
        // Names and file names may hold a '#': only one after a space begins a comment.
        const bool alone = i == 0 || line.text[i - 1] == ' ' || line.text[i - 1] == '\t';
        if (line.text[i] == '#' && alone)
            return line.part(0, i);
    }
    return line;
}

Result<Edit> parseScriptLine(const Piece &line)
{
    const auto space = line.text.find_first_of(" \t");
    Piece word = line.part(0, space);
    if (word.text.substr(0, 2) == "--") // as on the command line
        word = word.part(2);
    const auto *grammar = findBy(kGrammars, &Grammar::name, word.text);
    if (!grammar) {
        return syntaxError(word, "set, set-stored, codebook, scale, keep, drop, fill, from-npy, "
                                 "compute, bytes or field");
    }
    Piece rest =
        space == std::string_view::npos ? line.part(line.text.size()) : line.part(space).trimmed();
    const bool quoted = rest.text.size() >= 2 && rest.text.front() == rest.text.back() &&
                        (rest.text.front() == '\'' || rest.text.front() == '"');
    if (quoted) // copied from a shell
        rest = rest.part(1, rest.text.size() - 2);
    auto edit = parseEdit(grammar->kind, rest.text);
    if (!edit && edit.error().offset)
        edit.error().offset = FileOffset(edit.error().offset->value + rest.at);
    return edit;
}

} // namespace

std::string_view editKindName(Edit::Kind kind)
{
    return grammarOf(kind).name;
}

Result<Edit> parseEdit(Edit::Kind kind, std::string_view text)
{
    const Grammar &grammar = grammarOf(kind);
    const Piece whole{text, 0};
    Edit edit;
    edit.kind = kind;
    Piece left = whole;
    if (grammar.value) {
        // Names may hold '=' as well; values do not, file names may.
        const auto equals = kind == Edit::Kind::FromNpy ? text.find('=') : text.rfind('=');
        if (equals == std::string_view::npos)
            return syntaxError(whole.part(text.size()), "= and a value");
        left = whole.part(0, equals);
        TRY(parseValue(whole.part(equals + 1).trimmed(), edit));
    }
    edit.indices = TRY(parseIndices(left, grammar));
    if (kind == Edit::Kind::SetStored) {
        edit.part = TRY(parsePart(left));
    }
    if (kind == Edit::Kind::Bytes) {
        const auto offset = TRY(patch::parseFileOffset(left));
        edit.indices = {IndexRange{offset, offset + edit.bytes.size(), false, true}};
    }
    left = left.trimmed();
    if (left.text.empty())
        return syntaxError(whole.part(left.at), edit.isRaw() ? "a file, or a task with its register"
                                                             : "the name of a weight");
    edit.weight = nameOf(left.text);
    return edit;
}

std::string editText(const Edit &edit)
{
    const Grammar &grammar = grammarOf(edit.kind);
    std::string text = editName(edit.weight, edit.kind);
    if (edit.kind == Edit::Kind::Bytes)
        return fmt::format("{}+{:#x}={}", text, edit.indices.empty() ? 0 : edit.indices[0].start,
                           hexBytesText(edit.bytes));
    if (const std::uint64_t carried = patch::carriedCount(edit); carried > 0)
        return fmt::format("{}={} ({})", text, editName(edit.file, Edit::Kind::Set),
                           counted(carried, "element"));
    if (edit.kind == Edit::Kind::SetStored)
        text += fmt::format(":{}", codec::partRoleName(edit.part));
    std::string indices;
    for (const IndexRange &range : edit.indices) {
        const std::string_view between = grammar.many ? "," : "][";
        indices += fmt::format("{}{}", indices.empty() ? "" : between, rangeText(range));
    }
    if (grammar.maxGroups > 0 && !indices.empty())
        text += fmt::format("[{}]", indices);
    if (edit.kind == Edit::Kind::FromNpy)
        return fmt::format("{}={}", text, editName(edit.file, Edit::Kind::Set));
    if (edit.kind == Edit::Kind::SetStored || edit.kind == Edit::Kind::Field)
        return fmt::format(
            "{}={}", text,
            codeText(edit.storedBeyond ? ElementType::Uint64 : ElementType::Int64, edit.stored));
    if (edit.kind == Edit::Kind::Compute)
        return fmt::format("{}={}", text, edit.expression);
    return grammar.value ? fmt::format("{}={}", text, edit.value) : text;
}

Result<std::vector<Edit>> parseEditScript(std::string_view text, std::string_view fileName)
{
    std::vector<Edit> edits;
    std::string note;
    std::size_t from = 0;
    for (std::size_t number = 1; from < text.size(); ++number) {
        const auto end = std::min(text.find('\n', from), text.size());
        const Piece whole = Piece{text.substr(from, end - from), from}.trimmed();
        const Piece line = withoutComment(whole).trimmed();
        from = end + 1;
        if (whole.text.starts_with(kNoteMark))
            note = whole.text.substr(kNoteMark.size());
        if (line.text.empty())
            continue;
        auto edit = parseScriptLine(line);
        if (!edit)
            return ErrorBuilder(std::move(edit.error()))
                .file(fileName)
                .field(fmt::format("line {}", number))
                .unexpected();
        edit->note = std::exchange(note, {});
        edits.push_back(std::move(*edit));
    }
    return edits;
}

} // namespace kernscope

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
