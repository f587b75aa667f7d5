// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/range_table.h"

#include "core/base/overlaid_file.h"

#include "core/bundle/element_place.h"
#include "core/bundle/pair_read_lock.h"
#include "core/diff/build_verdict.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kernscope::report {

namespace {

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

template <std::optional<std::uint64_t> RangeFacts::*Member>
Value rangeOffset(const RangeFacts &row)
{
    return row.*Member ? Value(Hex{*(row.*Member), 8}) : Value(Nothing());
}

template <std::optional<std::uint64_t> RangeFacts::*Member>
Value elementNumber(const RangeFacts &row)
{
    return row.*Member ? Value(Count{*(row.*Member)}) : Value(Nothing());
}

template <std::uint64_t RangeFacts::*Member>
Value rangeBytes(const RangeFacts &row)
{
    return Count{row.*Member};
}

} // namespace

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

std::optional<RangeList> differentRanges(const AlignedBytes &bytes,
                                         const ByteDifferences &differences, std::size_t most,
                                         Progress &progress)
{
    const PairReadLock lock(*bytes.a, *bytes.b);
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

const TableOf<RangeFacts> &rangeTable()
{
    using Row = RangeFacts;
    static constexpr Column<Row> kColumns[] = {
        {kName, "file", "File that the bytes are in, as A calls it", member<&Row::file>},
        {kNumber, "offset_a", "offset A",
         "Where the range begins in the file of A; nothing where A has no such bytes",
         rangeOffset<&Row::offsetA>},
        {kNumber, "bytes_a", "bytes A", "Length of the range in A", rangeBytes<&Row::bytesA>},
        {kNumber, "offset_b", "offset B",
         "Where the range begins in the file of B; nothing where B has no such bytes",
         rangeOffset<&Row::offsetB>},
        {kNumber, "bytes_b", "bytes B", "Length of the range in B", rangeBytes<&Row::bytesB>},
        {"state", "what differs",
         "Bytes that are others, elements that are stored in other widths, or bytes that one side "
         "has alone",
         [](const Row &row) -> Value { return Word(rangeStateName(row.state)); }},
        {kName, "part", "Section that the range is in: a part of a weight, a header, a program",
         member<&Row::part>},
        {kName | kDocument, "weight", "Weight that the bytes belong to",
         [](const Row &row) { return orNothing(row.weight); }},
        {kTables, "elements",
         "First and last element that have bits in the range, by their indices",
         [](const Row &row) { return orNothing(row.elements); }, sortedBy([](const Row &row) {
             return row.firstElement ? SortValue(*row.firstElement) : SortValue();
         })},
        {kDocument, "first_element", "first element",
         "First element that has bits in the range, counted over the whole weight",
         elementNumber<&Row::firstElement>},
        {kDocument, "last_element", "last element", "Last element that has bits in the range",
         elementNumber<&Row::lastElement>},
    };
    static const TableOf<Row> kTable{"ranges", kColumns, {}, {}};
    return kTable;
}

} // namespace kernscope::report
