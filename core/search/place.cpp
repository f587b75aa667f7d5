// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/place.h"
#include "core/container/mil/program.h"

#include "core/base/error_builder.h"
#include "core/base/find.h"
#include "core/base/overlaid_file.h"
#include "core/base/parts.h"
#include "core/base/text.h"
#include "core/bundle/bundle.h"
#include "core/bundle/element_place.h"

#include <algorithm>
#include <cctype>
#include <system_error>

#include <fmt/args.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kernscope::search {

namespace {

template <class T>
using Placed = tl::expected<T, PlaceFault>;

/// `sentence` has its values as {0}, {1}, so that another language may say them in another order.
template <class... Values>
tl::unexpected<PlaceFault> noPlace(std::string_view code, std::string_view sentence,
                                   const Values &...values)
{
    return tl::unexpected(PlaceFault{code, sentence, {fmt::format("{}", values)...}, {}});
}

std::string_view trimmed(std::string_view text)
{
    const auto blank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
    while (!text.empty() && blank(text.front()))
        text.remove_prefix(1);
    while (!text.empty() && blank(text.back()))
        text.remove_suffix(1);
    return text;
}

/// "0x40", "64"
std::optional<std::uint64_t> parseUnsigned(std::string_view text)
{
    text = trimmed(text);
    const bool hex = text.starts_with("0x") || text.starts_with("0X");
    if (hex)
        text.remove_prefix(2);
    return digitsOf(text, hex ? 16 : 10);
}

/// A weight (first) or a section (second).
struct NamedThing {
    std::size_t weight = kNoIndex, section = kNoIndex;
};

std::optional<NamedThing> exactlyNamed(const Bundle &bundle, std::string_view name)
{
    if (const auto weight = bundle.weightByName(std::string(name)))
        return NamedThing{*weight, kNoIndex};
    const auto &weights = bundle.weights();
    const auto &sections = bundle.sections();
    for (std::size_t i = 0; i < sections.size(); ++i) {
        if (bundle.isNamed(sections[i], name))
            return NamedThing{kNoIndex, i};
    }
    // As it is shown, where it holds what cannot be shown.
    for (std::size_t i = 0; i < weights.size(); ++i) {
        if (printable(weights[i].name) == name)
            return NamedThing{i, kNoIndex};
    }
    for (std::size_t i = 0; i < sections.size(); ++i) {
        if (printable(bundle.nameOf(sections[i])) == name)
            return NamedThing{kNoIndex, i};
    }
    return std::nullopt;
}

bool containsFolded(std::string_view text, std::string_view part)
{
    const auto same = [](char a, char b) {
        return std::tolower(static_cast<unsigned char>(a)) ==
               std::tolower(static_cast<unsigned char>(b));
    };
    return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

/// Exact names first, then the only weight whose name contains it.
Placed<NamedThing> findNamed(const Bundle &bundle, std::string_view name)
{
    constexpr std::size_t kMostNamed = 3;
    if (const auto exact = exactlyNamed(bundle, name))
        return *exact;
    std::size_t only = kNoIndex, count = 0;
    std::vector<std::string> some;
    for (std::size_t i = 0; i < bundle.weights().size(); ++i) {
        std::string candidate = printable(bundle.weights()[i].name);
        if (!containsFolded(candidate, name))
            continue;
        only = i;
        ++count;
        if (some.size() < kMostNamed)
            some.push_back(std::move(candidate));
    }
    if (count == 1)
        return NamedThing{only, kNoIndex};
    if (count == 0)
        return noPlace("goto.name", "No weight or section has this name: {0}", name);
    auto fault = noPlace("goto.ambiguous", "{0} weights have this in their name: {1}", count, name);
    fault.value().found = fmt::format("{}", fmt::join(some, ", "));
    return fault;
}

/// The same fault with its place: `offset` is counted from the start of `range`, past its end.
tl::unexpected<PlaceFault> pastEnd(const Bundle &bundle, std::size_t file, const ByteRange &range,
                                   std::uint64_t offset, tl::unexpected<PlaceFault> fault)
{
    fault.value().file = bundle.files()[file].path;
    if (const auto at = checkedAdd(range.offset.value, offset))
        fault.value().offset = FileOffset(*at);
    fault.value().expected = fmt::format("an offset below {}", hexText(range.bytes.value));
    fault.value().found = hexText(offset);
    return fault;
}

Placed<TypedPlace> byteOfFile(const Bundle &bundle, std::size_t file, std::uint64_t offset)
{
    if (file >= bundle.files().size())
        return noPlace("goto.range", "The file ends before {0}.", hexText(offset));
    const std::uint64_t size = bundle.files()[file].file->size().value;
    if (offset >= size)
        return pastEnd(bundle, file, {FileOffset(0), ByteCount(size)}, offset,
                       noPlace("goto.range", "The file ends before {0}.", hexText(offset)));
    TypedPlace place;
    place.file = file;
    place.bytes = ByteRange{FileOffset(offset), ByteCount(1)};
    return place;
}

std::vector<std::string_view> splitAtCommas(std::string_view list)
{
    std::vector<std::string_view> parts;
    for (std::size_t comma = list.find(','); comma != std::string_view::npos;
         comma = list.find(',')) {
        parts.push_back(list.substr(0, comma));
        list.remove_prefix(comma + 1);
    }
    parts.push_back(list);
    return parts;
}

Placed<TypedPlace> elementOfWeight(const Bundle &bundle, std::size_t index, std::string_view list)
{
    const Weight &weight = bundle.weights()[index];
    const auto parts = splitAtCommas(list);
    const bool flat = parts.size() == 1;
    if (!flat && parts.size() != weight.shape.size())
        return weight.shape.size() == 1 ? noPlace("goto.range", "This weight has 1 axis.")
                                        : noPlace("goto.range", "This weight has {0} axes.",
                                                  grouped(weight.shape.size()));
    std::uint64_t element = 0;
    for (std::size_t axis = 0; axis < parts.size(); ++axis) {
        const auto number = parseUnsigned(parts[axis]);
        if (!number)
            return noPlace("goto.syntax", "Not an index: {0}", parts[axis]);
        const std::uint64_t extent = flat ? weight.elements.value : weight.shape[axis];
        if (*number >= extent)
            return noPlace("goto.range", "Index {0} of axis {1} is past its end, {2}.", *number,
                           axis, extent);
        // Cannot wrap: every index is below its extent, and the extents' product was checked.
        element = flat ? *number : element * extent + *number;
    }
    TypedPlace place;
    place.weight = index;
    place.element = element;
    return place;
}

const OperandPlace *firstStored(const Weight &weight)
{
    const OperandList &operands = weight.operands();
    const auto stored = std::ranges::find_if(
        operands, [](const codec::Operand &operand) { return !operand.place->isLiteral(); });
    return stored == operands.end() ? nullptr : stored->place.get();
}

} // namespace

std::optional<FileBytes> bytesOfWeight(const Bundle &bundle, std::size_t weight)
{
    if (weight >= bundle.weights().size())
        return std::nullopt;
    if (const OperandPlace *stored = firstStored(bundle.weights()[weight]))
        return FileBytes{stored->file, stored->range()};
    for (const codec::Operand &operand : bundle.weights()[weight].operands()) {
        const mil::Literal *literal = operand.place->literal.get();
        if (literal == nullptr || literal->elementSpans.empty())
            continue;
        const auto &spans = literal->elementSpans;
        if (spans.back().length > 0)
            return FileBytes{
                bundle.programFileOf(bundle.weights()[weight].model),
                {FileOffset(spans.front().offset),
                 ByteCount(spans.back().offset + spans.back().length - spans.front().offset)}};
    }
    return std::nullopt;
}

namespace {

/// Bytes of a section, or those of a weight.
std::optional<FileBytes> bytesOfNamed(const Bundle &bundle, std::size_t weight, std::size_t section)
{
    if (section < bundle.sections().size())
        return FileBytes{bundle.sections()[section].file, bundle.sections()[section].range};
    return bytesOfWeight(bundle, weight);
}

tl::unexpected<PlaceFault> noBytes()
{
    return noPlace("goto.range",
                   "This weight is written in the program text; it has no bytes of its own.");
}

Placed<TypedPlace> offsetFrom(const Bundle &bundle, const NamedThing &named, std::uint64_t offset)
{
    const auto bytes = bytesOfNamed(bundle, named.weight, named.section);
    if (!bytes)
        return noBytes();
    if (offset >= bytes->range.bytes.value)
        return pastEnd(
            bundle, bytes->file, bytes->range, offset,
            bytes->range.bytes.value == 1
                ? noPlace("goto.range", "It has 1 byte; {0} is past its end.", hexText(offset))
                : noPlace("goto.range", "It has {0} bytes; {1} is past its end.",
                          grouped(bytes->range.bytes.value), hexText(offset)));
    return byteOfFile(bundle, bytes->file, bytes->range.offset.value + offset);
}

/// "name[i,j]"; nothing where the text is not of that kind.
std::optional<Placed<TypedPlace>> parseElement(const Bundle &bundle, std::string_view text)
{
    const auto open = text.rfind('[');
    if (!text.ends_with(']') || open == std::string_view::npos || open == 0 ||
        text.find(']', open) + 1 != text.size())
        return std::nullopt;
    const auto named = TRY(findNamed(bundle, trimmed(text.substr(0, open))));
    if (named.weight == kNoIndex)
        return noPlace("goto.syntax", "Only weights have elements.");
    return elementOfWeight(bundle, named.weight, text.substr(open + 1, text.size() - open - 2));
}

} // namespace

std::string byteAddress(const Bundle &bundle, std::size_t file, FileOffset offset)
{
    return file < bundle.files().size()
               ? fmt::format("{}:{:#x}", bundle.files()[file].path, offset.value)
               : std::string();
}

std::size_t mainFile(const Bundle &bundle)
{
    const auto &files = bundle.files();
    if (const auto *data = findBy(files, &BundleFile::role, SectionKind::Data))
        return static_cast<std::size_t>(data - files.data());
    const auto held = std::ranges::find_if(
        bundle.sections(), [](const Section &each) { return each.weight != kNoIndex; });
    return held == bundle.sections().end() ? 0 : held->file;
}

tl::expected<TypedPlace, PlaceFault> readPlace(const Bundle &bundle, std::string_view text,
                                               std::size_t currentFile)
{
    text = trimmed(text);
    if (text.empty())
        return noPlace("goto.syntax", "Type a weight, a section or an offset.");
    if (const auto number = parseUnsigned(text))
        return byteOfFile(
            bundle, currentFile < bundle.files().size() ? currentFile : mainFile(bundle), *number);
    // Names may hold any of the signs: the whole text as a name goes first.
    const auto whole = findNamed(bundle, text);
    if (whole) {
        TypedPlace place;
        place.weight = whole->weight;
        place.section = whole->section;
        return place;
    }
    if (auto element = parseElement(bundle, text))
        return std::move(*element);
    for (const char sign : {'+', ':'}) {
        const auto at = text.rfind(sign);
        const auto offset = at != std::string_view::npos && at > 0
                                ? parseUnsigned(text.substr(at + 1))
                                : std::nullopt;
        if (!offset)
            continue;
        const std::string_view name = trimmed(text.substr(0, at));
        if (const auto file = bundle.fileByPath(name))
            return byteOfFile(bundle, *file, *offset);
        const auto named = findNamed(bundle, name);
        return named ? offsetFrom(bundle, *named, *offset)
                     : Placed<TypedPlace>(tl::unexpected(named.error()));
    }
    return tl::unexpected(whole.error());
}

Error PlaceFault::error() const
{
    fmt::dynamic_format_arg_store<fmt::format_context> store;
    for (const std::string &value : values)
        store.push_back(value);
    ErrorBuilder fault{code};
    fault.message(fmt::vformat(sentence, store)).file(file).expected(expected).found(found);
    if (offset)
        fault.at(*offset);
    return fault;
}

Result<TypedPlace> parsePlace(const Bundle &bundle, std::string_view text, std::size_t currentFile)
{
    auto place = readPlace(bundle, text, currentFile);
    if (!place)
        return tl::unexpected(place.error().error());
    return *std::move(place);
}

Result<BytePlace> firstByte(const Bundle &bundle, const TypedPlace &place)
{
    if (place.bytes)
        return BytePlace{place.file, place.bytes->offset};
    if (place.element) {
        const auto stored = placeOfElement(bundle, place.weight, *place.element);
        if (!stored)
            return tl::unexpected(
                noPlace("goto.range", "This element has no bytes of its own in a file.")
                    .value()
                    .error());
        return BytePlace{stored->file, stored->bytes.offset};
    }
    const auto bytes = bytesOfNamed(bundle, place.weight, place.section);
    if (!bytes)
        return tl::unexpected(noBytes().value().error());
    return BytePlace{bytes->file, bytes->range.offset};
}

PlaceLink splitLink(std::string_view text)
{
    const auto exists = [](std::string_view path) {
        std::error_code ignored;
        return std::filesystem::exists(std::filesystem::path(path), ignored);
    };
    if (exists(text))
        return {std::string(text), {}};
    for (std::size_t at = text.find('#'); at != std::string_view::npos;
         at = text.find('#', at + 1)) {
        if (at > 0 && exists(text.substr(0, at)))
            return {std::string(text.substr(0, at)), std::string(text.substr(at + 1))};
    }
    return {std::string(text), {}};
}

} // namespace kernscope::search
