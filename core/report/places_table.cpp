// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/places_table.h"

#include "core/base/find.h"
#include "core/bundle/bundle.h"
#include "core/report/difference_formats.h"
#include "core/report/json_table.h"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kernscope::report {

namespace {

constexpr int kPlaceDigits = 4; ///< of differences, for people

template <double ChannelDifference::*Member>
Value channelError(const ChannelDifference &row)
{
    return Real{row.*Member, kPlaceDigits, true};
}

template <double ChannelDifference::*Member>
Json channelErrorJson(const ChannelDifference &row)
{
    return figureJson(LimitFigure(row.*Member));
}

/// Nine digits tell every fp32 from the next one; an integer that a double rounds has all its own.
Value exactValue(ExactValue value)
{
    const auto narrow = static_cast<double>(value);
    const bool held = static_cast<ExactValue>(narrow) == value || std::isnan(value);
    return Written{narrow, held ? fmt::format("{:.9g}", narrow) : exactText(value)};
}

Json placeNumber(std::uint64_t number)
{
    return number == EntryMatch::kNone ? Json(nullptr) : numberJson(number);
}

/// Values, one a lane; null for what is not finite, and for a side without the entry.
Json lanesJson(const std::vector<float> &lanes)
{
    if (lanes.empty())
        return nullptr;
    return listJson(
        lanes, [&](const float lane) { return std::isfinite(lane) ? Json(lane) : Json(nullptr); });
}

/// By codebook and number; entries that a side does not have come first.
SortValue entryOrder(std::uint64_t book, std::uint64_t code, std::uint64_t entries)
{
    return code == EntryMatch::kNone ? SortValue() : SortValue(book * entries + code);
}

SortValue laneOrder(const std::vector<float> &lanes)
{
    return lanes.empty() ? SortValue() : SortValue(static_cast<double>(lanes.front()));
}

std::string placeText(std::uint64_t book, std::uint64_t code, std::uint64_t books)
{
    if (code == EntryMatch::kNone)
        return {};
    return books > 1 ? fmt::format("{}:{}", book, code) : fmt::format("{}", code);
}

/// An entry as text: its number ("7", of several codebooks "2:7"), of a split one the numbers with
/// their elements ("3 (120), 9 (17)"), and its value or values. Empty where a side has none.
struct EntryTexts {
    std::string a, valueA, b, valueB;
};
EntryTexts entryTexts(const CodebookMatch &match, const EntryMatch &entry)
{
    EntryTexts texts;
    texts.a = placeText(entry.bookA, entry.codeA, match.booksA);
    texts.b = placeText(entry.bookB, entry.codeB, match.booksB);
    if (!entry.targets.empty()) {
        constexpr std::size_t kShown = 4;
        texts.b.clear();
        for (std::size_t i = 0; i < std::min(kShown, entry.targets.size()); ++i) {
            const auto &target = entry.targets[i];
            texts.b +=
                fmt::format("{}{} ({})", i == 0 ? "" : ", ",
                            placeText(target.book, target.code, match.booksB), target.elements);
        }
        if (entry.targets.size() > kShown)
            texts.b += fmt::format(" and {} more", entry.targets.size() - kShown);
    }
    texts.valueA = fmt::format("{:.6g}", fmt::join(entry.a, " "));
    texts.valueB = fmt::format("{:.6g}", fmt::join(entry.b, " "));
    return texts;
}

Value usesValue(std::uint64_t uses, const std::vector<float> &lanes)
{
    return lanes.empty() ? Value(Nothing()) : Value(Count{uses});
}

Json targetsJson(const EntryFacts &row)
{
    if (row.get().targets.empty())
        return noKey();
    return listJson(row.get().targets, [&](const auto &target) -> Json {
        return {{"codebook", numberJson(target.book)},
                {"entry", numberJson(target.code)},
                {"elements", numberJson(target.elements)}};
    });
}

/// Bytes of one side of a run, in its file.
struct SideBytes {
    std::uint64_t offset = 0, bytes = 0;
};

SideBytes bytesOn(const AlignedSegment &segment, const DifferenceRun &run, bool ofA)
{
    const std::uint64_t size = segment.lengthOn(ofA);
    const std::uint64_t start = ofA ? segment.firstA : segment.firstB;
    std::uint64_t first = run.first, end = run.end();
    if (segment.text && segment.lengthA != segment.lengthB) {
        // What differs of a line lies between what both begin and end with.
        first = segment.prefix;
        end = size - std::min(size, segment.suffix);
    } else if (segment.stretched() && ofA != segment.longerIsA()) {
        const std::uint64_t own = ofA ? segment.unitA : segment.unitB;
        const std::uint64_t longer = ofA ? segment.unitB : segment.unitA;
        first = first / longer * own;
        end = (end + longer - 1) / longer * own;
    }
    first = std::min(first, size);
    end = std::min(end, size);
    return {start + first, end > first ? end - first : 0};
}

class RangeNamer
{
public:
    explicit RangeNamer(const AlignedBytes &bytes) : m_bytes(bytes) {}

    RangeFacts factsOf(const DifferenceRun &run)
    {
        const AlignedSegment &segment = m_bytes.alignment.segments()[run.segment];
        const AlignedSection &section = m_bytes.alignment.sections()[segment.section];
        const AlignedFile &file = m_bytes.alignment.files()[section.file];
        const SideBytes a = bytesOn(segment, run, true), b = bytesOn(segment, run, false);
        RangeFacts facts;
        facts.run = run;
        facts.file = file.pathA.empty() ? file.pathB : file.pathA;
        facts.part = section.name;
        facts.bytesA = a.bytes;
        facts.bytesB = b.bytes;
        if (a.bytes > 0)
            facts.offsetA = a.offset;
        if (b.bytes > 0)
            facts.offsetB = b.offset;
        facts.state = a.bytes == 0                               ? RangeFacts::State::OnlyB
                      : b.bytes == 0                             ? RangeFacts::State::OnlyA
                      : segment.otherwise || segment.stretched() ? RangeFacts::State::Otherwise
                                                                 : RangeFacts::State::Changed;
        if (a.bytes > 0)
            addElements(facts, *m_bytes.a, file.a, a, m_orderA);
        else
            addElements(facts, *m_bytes.b, file.b, b, m_orderB);
        return facts;
    }

private:
    static void addElements(RangeFacts &facts, const Bundle &bundle, std::size_t file,
                            const SideBytes &bytes, BoundOrder &order)
    {
        const auto first = ownerOfByte(bundle, file, FileOffset(bytes.offset), order);
        if (!first)
            return;
        const Weight &weight = bundle.weights()[first->weight];
        facts.weight = weight.name;
        const auto last =
            ownerOfByte(bundle, file, FileOffset(bytes.offset + bytes.bytes - 1), order);
        if (!last || first->elements.empty() || last->elements.empty())
            return;
        facts.firstElement = std::min(first->elements.front(), last->elements.front());
        facts.lastElement = std::max(first->elements.back(), last->elements.back());
        const auto place = [&weight](std::uint64_t element) {
            return fmt::format("[{}]", fmt::join(elementPlace(weight.shape, element), ","));
        };
        facts.elements = place(*facts.firstElement);
        if (facts.firstElement != facts.lastElement)
            facts.elements += " to " + place(*facts.lastElement);
    }

    const AlignedBytes &m_bytes;
    BoundOrder m_orderA, m_orderB;
};

Value edgeValue(double edge)
{
    return Written{edge, fmt::format("{}", edge)};
}

/// "+12" where B has more.
Value moreValue(const ValueBin &row)
{
    const std::uint64_t apart = std::max(row.a, row.b) - std::min(row.a, row.b);
    const char *sign = row.a > row.b ? "-" : row.b > row.a ? "+" : "";
    return Written{(row.a > row.b ? -1.0 : 1.0) * static_cast<double>(apart),
                   sign + grouped(apart)};
}

/// "changed", "stored otherwise", "only in A", "only in B".
std::string_view rangeStateName(RangeFacts::State state)
{
    switch (state) {
    case RangeFacts::State::Changed: return "changed";
    case RangeFacts::State::Otherwise: return "stored otherwise";
    case RangeFacts::State::OnlyA: return "only in A";
    case RangeFacts::State::OnlyB: return "only in B";
    }
    return {};
}

} // namespace

const TableOf<ChannelDifference> channelTable(
    "channels",
    {{kNumber, "channel", "Output channel: the index along the first axis",
      member<&ChannelDifference::channel, Code>},
     {kNumber | kDocument, "elements", "Elements of the channel",
      member<&ChannelDifference::elements, Count>},
     {kNumber, "different", "Elements that are not the same: changed, zeroed and revived",
      member<&ChannelDifference::different, Count>},
     {kNumber, "changed", "Elements that are nonzero in both and differ",
      member<&ChannelDifference::changed, Count>},
     {kNumber, "zeroed", "Elements that are nonzero in A and zero in B",
      member<&ChannelDifference::zeroed, Count>},
     {kNumber, "revived", "Elements that are zero in A and nonzero in B",
      member<&ChannelDifference::revived, Count>},
     {kNumber | kDocument, "worst",
      "First element of the largest difference, counted over the whole weight",
      member<&ChannelDifference::worst, Count>},
     {kNumber, "max_abs", "max |B - A|",
      "Largest difference of two values of the channel; infinite where one is not finite on one "
      "side only",
      channelError<&ChannelDifference::maxAbs>,
      jsonOf(channelErrorJson<&ChannelDifference::maxAbs>)},
     {kNumber, "rmse", "RMSE", "Root of the mean squared difference of the channel",
      channelError<&ChannelDifference::rmse>, jsonOf(channelErrorJson<&ChannelDifference::rmse>)},
     {kNumber, "snr_db", "SNR, dB",
      "Signal to noise ratio: the squares of A over those of the differences",
      CELL(Real(row.snr, 2)), jsonOf(channelErrorJson<&ChannelDifference::snr>)}},
    {}, {"channel", "max_abs", "rmse", "snr_db", "changed", "zeroed", "revived", "different"});

std::vector<ElementFacts> elementRows(const WorstPlaces &worst, const Shape &shape,
                                      ElementType type)
{
    std::vector<ElementFacts> rows;
    rows.reserve(worst.worstElements.size());
    for (const ElementPair &pair : worst.worstElements)
        rows.push_back({pair, elementPlace(shape, pair.element), type});
    return rows;
}

const TableOf<ElementFacts> elementTable(
    "elements",
    {{"index", "element", "Index along every axis",
      CELL(fmt::format("[{}]", fmt::join(row.place, ","))), jsonOf(CELL(numbersJson(row.place))),
      sortedBy(CELL(SortValue(row.pair.element)))},
     {kNumber, "a", "A", "The value in A", CELL(exactValue(row.pair.a)),
      jsonOf(CELL(exactJson(row.pair.a)))},
     {kNumber, "b", "B", "The value in B", CELL(exactValue(row.pair.b)),
      jsonOf(CELL(exactJson(row.pair.b)))},
     {kNumber | kTables, "difference", "B - A", "The difference",
      CELL(Real(static_cast<double>(row.pair.b - row.pair.a), 6, true))},
     {kNumber | kTables, "relative", "|B - A| / |A|",
      "The difference over the value in A; infinite where that is zero",
      CELL(Real(static_cast<double>(std::abs(row.pair.b - row.pair.a) / std::abs(row.pair.a)),
                kPlaceDigits, true))},
     {kNumber | kTables, "ulp", "ULP", "The difference in steps of the type of A",
      CELL(Count(exactUlpDistance(row.type, row.pair.a, row.pair.b)))}});

std::vector<EntryFacts> entryRows(const CodebookMatch &match)
{
    return mapped(match.entries.size(), [&](std::size_t i) -> EntryFacts { return {&match, i}; });
}

const TableOf<EntryFacts> entryTable(
    "codebook-entries",
    {{kDocument, "codebook_a", "Codebook of A that holds the entry",
      CELL(placeNumber(row.get().bookA))},
     {kNumber, "entry_a", "entry of A",
      "Number of the entry in A; of several codebooks codebook:number",
      CELL(orNothing(entryTexts(*row.match, row.get()).a)),
      jsonOf(CELL(placeNumber(row.get().codeA))),
      sortedBy(CELL(entryOrder(row.get().bookA, row.get().codeA, row.match->entriesA)))},
     {kNumber, "a", "value in A", "What the entry stands for in A",
      CELL(orNothing(entryTexts(*row.match, row.get()).valueA)),
      jsonOf(CELL(lanesJson(row.get().a))), sortedBy(CELL(laneOrder(row.get().a)))},
     {kNumber, "uses_a", "elements", "Elements of A that take the entry",
      CELL(usesValue(row.get().usesA, row.get().a)), jsonOf(CELL(numberJson(row.get().usesA)))},
     {"change", "what happened",
      "Same, moved (another number), changed (another value), split, merged, dropped, unused or "
      "added: told by the elements, not by the values",
      CELL(Word(entryChangeName(row.get().change), Mark::None, {},
                static_cast<int>(row.get().change)))},
     {kDocument, "codebook_b", "Codebook of B that holds the entry which most of the elements take",
      CELL(placeNumber(row.get().bookB))},
     {kNumber, "entry_b", "entry of B",
      "The entry of B that most of the elements take; of a split one all of them, with their "
      "elements",
      CELL(orNothing(entryTexts(*row.match, row.get()).b)),
      jsonOf(CELL(placeNumber(row.get().codeB))),
      sortedBy(CELL(entryOrder(row.get().bookB, row.get().codeB, row.match->entriesB)))},
     {kNumber, "b", "value in B", "What that entry stands for",
      CELL(orNothing(entryTexts(*row.match, row.get()).valueB)),
      jsonOf(CELL(lanesJson(row.get().b))), sortedBy(CELL(laneOrder(row.get().b)))},
     {kNumber, "uses_b", "elements", "Elements of B that take that entry",
      CELL(usesValue(row.get().usesB, row.get().b)), jsonOf(CELL(numberJson(row.get().usesB)))},
     {kDocument, "uses_both", "Elements that take the entry in A and that of B in B",
      CELL(numberJson(row.get().both))},
     {kNumber | kTables, "distance", "|B - A|",
      "Largest difference between the values of both entries",
      CELL(known<Real, Nothing>(row.get().distance(), kPlaceDigits, true))},
     {kDocument, "targets",
      "Of a split entry: the entries of B that its elements take, the most first", targetsJson}},
    {"change", "codebook_a", "entry_a", "codebook_b", "entry_b", "a", "b", "uses_a", "uses_b",
     "uses_both", "targets"});

std::optional<RangeList> differentRanges(const AlignedBytes &bytes,
                                         const ByteDifferences &differences, std::size_t most,
                                         Progress &progress)
{
    const BundleReadLock lock(*bytes.a, *bytes.b);
    const auto runs = differences.list(bytes, most, progress);
    if (!runs)
        return std::nullopt;
    RangeList list;
    list.cut = runs->cut;
    RangeNamer namer(bytes);
    progress.setTotal(runs->runs.size());
    for (const DifferenceRun &run : runs->runs) {
        if (!progress.advance(1))
            return std::nullopt;
        list.rows.push_back(namer.factsOf(run));
    }
    return list;
}

const TableOf<RangeFacts> rangeTable(
    "ranges",
    {{kName, "file", "File that the bytes are in, as A calls it", member<&RangeFacts::file>},
     {kNumber, "offset_a", "offset A",
      "Where the range begins in the file of A; nothing where A has no such bytes",
      CELL(known<Hex, Nothing>(row.offsetA, 8))},
     {kNumber, "bytes_a", "bytes A", "Length of the range in A",
      member<&RangeFacts::bytesA, Count>},
     {kNumber, "offset_b", "offset B",
      "Where the range begins in the file of B; nothing where B has no such bytes",
      CELL(known<Hex, Nothing>(row.offsetB, 8))},
     {kNumber, "bytes_b", "bytes B", "Length of the range in B",
      member<&RangeFacts::bytesB, Count>},
     {"state", "what differs",
      "Bytes that are others, elements that are stored in other widths, or bytes that one side "
      "has alone",
      CELL(Word(rangeStateName(row.state)))},
     {kName, "part", "Section that the range is in: a part of a weight, a header, a program",
      member<&RangeFacts::part>},
     {kName | kDocument, "weight", "Weight that the bytes belong to", CELL(orNothing(row.weight))},
     {kTables, "elements", "First and last element that have bits in the range, by their indices",
      CELL(orNothing(row.elements)),
      sortedBy(CELL(row.firstElement ? SortValue(*row.firstElement) : SortValue()))},
     {kDocument, "first_element",
      "First element that has bits in the range, counted over the whole weight",
      CELL(known<Count, Nothing>(row.firstElement))},
     {kDocument, "last_element", "Last element that has bits in the range",
      CELL(known<Count, Nothing>(row.lastElement))}},
    {}, {});

std::vector<ValueBin> valueBins(const PairBins &bins)
{
    constexpr std::size_t kRows = 16;
    std::vector<ValueBin> rows;
    const auto occupied = bins.occupied();
    if (!occupied)
        return rows;
    const auto [first, last] = *occupied;
    const std::size_t step = (last - first) / kRows + 1;
    for (std::size_t bin = first; bin <= last; bin += step) {
        const std::size_t end = std::min(bin + step, PairBins::kBins);
        ValueBin row{bins.edge(bin), bins.edge(end), 0, 0};
        for (std::size_t i = bin; i < end; ++i) {
            row.a += bins.a[i];
            row.b += bins.b[i];
        }
        rows.push_back(row);
    }
    return rows;
}

const TableOf<ValueBin> valueBinTable(
    "value_bins",
    {{kNumber, "from", "Least value of the row", CELL(edgeValue(row.from))},
     {kNumber, "below", "The values of the row are less than this", CELL(edgeValue(row.below))},
     {kNumber, "a", "in A", "Elements of A with such a value", member<&ValueBin::a, Count>},
     {kNumber, "b", "in B", "Elements of B with such a value", member<&ValueBin::b, Count>},
     {kNumber, "more", "B - A", "How many more there are in B", moreValue}});

} // namespace kernscope::report
