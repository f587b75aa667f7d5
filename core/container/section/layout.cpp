// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/section/layout.h"

#include "core/base/error_builder.h"
#include "core/codec/decode/mask_index.h"

#include <algorithm>
#include <deque>
#include <map>
#include <tuple>

#include <fmt/format.h>

namespace kernscope::section {

namespace {

Error groupError(const std::string &file, const Unit &unit, std::string expected, std::string found)
{
    return valueError({file, FileOffset(unit.payload)}, "section.group", unit.name, expected, found,
                      "The units of the weight do not fit together");
}

bool sameWeight(const Unit &a, const Unit &b)
{
    return a.kernelFormat == b.kernelFormat && a.cores == b.cores && a.outputs == b.outputs &&
           a.inputs == b.inputs && a.depth == b.depth && a.height == b.height &&
           a.width == b.width && a.groups == b.groups && a.vectorSize == b.vectorSize &&
           a.sparse() == b.sparse();
}

bool sameSections(const Unit &a, const Unit &b)
{
    return a.has(Kind::Scale) == b.has(Kind::Scale) && a.has(Kind::Bias) == b.has(Kind::Bias) &&
           a.entry(Kind::Weights).bitDepth == b.entry(Kind::Weights).bitDepth &&
           a.entry(Kind::Weights).type == b.entry(Kind::Weights).type &&
           a.entry(Kind::Pal).paletteFormat == b.entry(Kind::Pal).paletteFormat &&
           a.entry(Kind::Pal).bitDepth == b.entry(Kind::Pal).bitDepth &&
           a.entry(Kind::Pal).count == b.entry(Kind::Pal).count;
}

std::uint64_t channelsAt(const Unit &unit, std::size_t record)
{
    return record < unit.records.size() ? unit.records[record].channels() : 0;
}

/// Works out the chunks; an error where the counts are not those of a block-cyclic deal.
std::optional<Error> dealOf(const WeightSection &section, UnitGroup &group, const std::string &file)
{
    const Unit &first = section.units[group.units.front()];
    std::size_t chunks = 0;
    for (const std::size_t unit : group.units)
        chunks = std::max(chunks, section.units[unit].records.size());
    std::uint64_t next = 0;
    for (std::size_t number = 0; number < chunks; ++number) {
        lanes::Chunk chunk;
        chunk.first = next;
        chunk.lanes = 0;
        for (const std::size_t unit : group.units) {
            const std::uint64_t channels = channelsAt(section.units[unit], number);
            chunk.lanes = std::max(chunk.lanes, channels);
            chunk.channels += channels;
        }
        for (std::size_t core = 0; core < group.units.size(); ++core) {
            const std::uint64_t channels = channelsAt(section.units[group.units[core]], number);
            if (channels != chunk.channelsOf(core) || chunk.lanes == 0)
                return groupError(
                    file, section.units[group.units[core]],
                    fmt::format("{} channels in record {}", chunk.channelsOf(core), number),
                    fmt::format("{}", channels));
        }
        next += chunk.channels;
        group.chunks.push_back(chunk);
    }
    if (next != first.outputs)
        return groupError(file, first, fmt::format("{} channels on all cores", first.outputs),
                          fmt::format("{}", next));
    for (const std::size_t unit : group.units) {
        const Unit &one = section.units[unit];
        const std::uint32_t books = one.entry(Kind::Pal).count;
        if (one.has(Kind::Pal) && books > 1 &&
            (one.records.size() + one.vectorSize - 1) / one.vectorSize > books)
            return groupError(file, one, "a codebook for every group", fmt::format("{}", books));
    }
    return std::nullopt;
}

/// Cores are dealt channels in their order: those without any are the last ones.
void setIdleAside(const WeightSection &section, UnitGroup &group)
{
    const auto idle = std::ranges::find_if(
        group.units, [&](std::size_t unit) { return section.units[unit].idle(); });
    group.idle.assign(idle, group.units.end());
    group.units.erase(idle, group.units.end());
}

} // namespace

void groupUnits(WeightSection &section, const std::string &file)
{
    std::map<std::string, std::size_t> byName;
    for (std::size_t i = 0; i < section.units.size(); ++i) {
        const std::string &name = section.units[i].name;
        const auto [place, added] = byName.try_emplace(name, section.groups.size());
        if (added)
            section.groups.push_back({name, {}, {}, {}, std::nullopt});
        section.groups[place->second].units.push_back(i);
    }
    for (UnitGroup &group : section.groups) {
        std::ranges::sort(group.units, [&section](std::size_t a, std::size_t b) {
            return std::pair(section.units[a].core, a) < std::pair(section.units[b].core, b);
        });
        const Unit &first = section.units[group.units.front()];
        for (std::size_t core = 0; core < group.units.size() && !group.fault; ++core) {
            const Unit &unit = section.units[group.units[core]];
            if (unit.fault)
                group.fault = unit.fault;
            else if (unit.core != core || !sameWeight(unit, first) ||
                     (!unit.idle() && !sameSections(unit, first)) ||
                     group.units.size() != first.cores)
                group.fault = groupError(
                    file, unit, fmt::format("core {} of {} alike", core, group.units.size()),
                    fmt::format("core {} of {}", unit.core, unit.cores));
            if (group.fault && !unit.fault)
                section.diagnostics.push_back({Severity::Error, *group.fault});
        }
        if (group.fault)
            continue;
        group.fault = dealOf(section, group, file);
        if (group.fault)
            section.diagnostics.push_back({Severity::Error, *group.fault});
        else
            setIdleAside(section, group);
    }
}

std::vector<RecordPlace> recordPlaces(const WeightSection &section, const UnitGroup &group)
{
    std::vector<RecordPlace> places;
    for (std::size_t number = 0; number < group.chunks.size(); ++number) {
        const lanes::Chunk &chunk = group.chunks[number];
        for (std::size_t core = 0; core < group.units.size(); ++core) {
            const Unit &unit = section.units[group.units[core]];
            if (number >= unit.records.size())
                continue;
            RecordPlace place;
            place.unit = group.units[core];
            place.record = number;
            place.firstChannel = chunk.first + core * chunk.lanes;
            place.channels = unit.records[number].channels();
            place.codebook = unit.entry(Kind::Pal).count > 1 ? number / unit.vectorSize : 0;
            if (!unit.sparse()) {
                const std::uint64_t bits =
                    place.channels * unit.steps() * unit.entry(Kind::Weights).bitDepth;
                place.range = {FileOffset(unit.range(Kind::Weights).offset.value +
                                          unit.records[number].offset()),
                               ByteCount((bits + 7) / 8)};
            }
            places.push_back(place);
        }
    }
    return places;
}

std::vector<Overlap> overlapsOf(std::vector<PlacedRange> ranges)
{
    std::erase_if(ranges, [](const PlacedRange &range) { return range.bytes == 0; });
    std::ranges::sort(ranges, [](const PlacedRange &a, const PlacedRange &b) {
        return std::tie(a.offset, a.number) < std::tie(b.offset, b.number);
    });
    std::vector<Overlap> overlaps;
    std::uint64_t end = 0, holder = 0; // of what reaches furthest so far
    for (const PlacedRange &range : ranges) {
        if (range.offset < end)
            overlaps.push_back({holder, range.number});
        if (range.offset + range.bytes > end) {
            end = range.offset + range.bytes;
            holder = range.number;
        }
    }
    return overlaps;
}

/// Which core, record and lane make an output channel.
struct ChannelPlace {
    std::uint64_t chunk = 0, core = 0, lane = 0;
    std::uint64_t count = 1; ///< channels of that record
};

/// The channel must exist.
ChannelPlace placeOf(const std::vector<lanes::Chunk> &chunks, std::uint64_t channel);
void noteChunks(codec::LayoutNotes &notes, const std::vector<lanes::Chunk> &chunks);

namespace {

std::uint64_t entryBytesOf(const Unit &unit)
{
    const auto entry =
        format::paletteEntryFormat(format::KernelFormat(unit.entry(Kind::Pal).paletteFormat));
    return entry && entry->value == 4 ? 2 : 1; // fp16, or one of the 8-bit formats
}

class ChannelOrder final : public codec::ElementOrder
{
public:
    ChannelOrder(const WeightSection &section, const UnitGroup &group, Kind kind)
        : m_chunks(group.chunks), m_outputs(section.units[group.units.front()].outputs),
          m_fileBytes(section.fileBytes)
    {
        for (const std::size_t unit : group.units)
            m_starts.push_back(section.units[unit].range(kind).offset.value);
    }

    void positions(std::uint64_t first, std::span<std::uint64_t> out) const override
    {
        for (std::size_t i = 0; i < out.size(); ++i) {
            const ChannelPlace place = placeOf(m_chunks, first + i);
            std::uint64_t before = place.lane;
            for (std::uint64_t chunk = 0; chunk < place.chunk; ++chunk)
                before += m_chunks[chunk].channelsOf(place.core);
            out[i] = 8 * (m_starts[place.core] + 2 * before);
        }
    }
    std::optional<std::uint64_t> elementAt(std::uint64_t bit) const override
    {
        for (std::size_t core = 0; core < m_starts.size(); ++core) {
            if (bit / 8 < m_starts[core])
                continue;
            std::uint64_t number = (bit / 8 - m_starts[core]) / 2;
            for (const lanes::Chunk &chunk : m_chunks) {
                const std::uint64_t count = chunk.channelsOf(core);
                if (number < count)
                    return chunk.first + core * chunk.lanes + number;
                number -= count;
            }
        }
        return std::nullopt;
    }
    std::uint64_t elements() const override { return m_outputs; }
    std::uint64_t extent() const override { return m_fileBytes; }
    void note(codec::LayoutNotes &notes) const override
    {
        notes.add(m_outputs);
        noteChunks(notes, m_chunks);
        for (std::size_t core = 0; core < m_starts.size(); ++core) {
            std::uint64_t channels = 0;
            for (const lanes::Chunk &chunk : m_chunks)
                channels += chunk.channelsOf(core);
            notes.addRun(m_starts[core], 2 * channels);
        }
    }

private:
    std::vector<lanes::Chunk> m_chunks;
    std::uint64_t m_outputs, m_fileBytes;
    std::vector<std::uint64_t> m_starts; ///< by core
};

class BookOrder final : public codec::ElementOrder
{
public:
    BookOrder(const WeightSection &section, const UnitGroup &group, bool same)
        : m_fileBytes(section.fileBytes), m_same(same)
    {
        const Unit &first = section.units[group.units.front()];
        m_vector = first.vectorSize;
        m_books = first.entry(Kind::Pal).count;
        m_entries = std::uint64_t{1} << (first.entry(Kind::Pal).bitDepth & 31U);
        m_bytes = entryBytesOf(first);
        for (const std::size_t unit : group.units)
            m_starts.push_back(section.units[unit].range(Kind::Pal).offset.value);
    }

    std::uint64_t tables() const override
    {
        return (m_same ? 1 : m_starts.size()) * m_books * m_vector;
    }
    std::uint64_t entries() const { return m_entries; }
    void note(codec::LayoutNotes &notes) const override
    {
        for (const std::uint64_t number :
             {m_vector, m_books, m_entries, m_bytes, std::uint64_t{m_same}})
            notes.add(number);
        for (std::size_t core = 0; core < (m_same ? 1 : m_starts.size()); ++core)
            notes.addRun(m_starts[core], m_books * m_entries * m_vector * m_bytes);
    }
    std::uint64_t elements() const override { return tables() * m_entries; }
    std::uint64_t extent() const override { return m_fileBytes; }

    void positions(std::uint64_t first, std::span<std::uint64_t> out) const override
    {
        for (std::size_t i = 0; i < out.size(); ++i) {
            const std::uint64_t core = (first + i) / (m_books * m_vector * m_entries);
            out[i] = position(core, (first + i) % (m_books * m_vector * m_entries));
        }
    }

    std::optional<std::uint64_t> elementAt(std::uint64_t bit) const override
    {
        const std::uint64_t numbers = m_books * m_vector * m_entries;
        for (std::size_t core = 0; core < m_starts.size(); ++core) {
            const std::uint64_t number = (bit / 8 - m_starts[core]) / m_bytes;
            if (bit / 8 < m_starts[core] || number >= numbers)
                continue;
            const std::uint64_t lane = number % m_vector, entry = number / m_vector % m_entries;
            const std::uint64_t book = number / m_vector / m_entries;
            return (m_same ? 0 : core * numbers) + (book * m_vector + lane) * m_entries + entry;
        }
        return std::nullopt;
    }
    std::vector<std::uint64_t> copies(std::uint64_t element) const override
    {
        std::vector<std::uint64_t> bits;
        for (std::uint64_t core = 1; m_same && core < m_starts.size(); ++core)
            bits.push_back(position(core, element));
        return bits;
    }

private:
    std::uint64_t position(std::uint64_t core, std::uint64_t within) const
    {
        const std::uint64_t entry = within % m_entries;
        const std::uint64_t lane = within / m_entries % m_vector;
        const std::uint64_t book = within / m_entries / m_vector;
        return 8 * (m_starts[core] + ((book * m_entries + entry) * m_vector + lane) * m_bytes);
    }

    std::uint64_t m_fileBytes, m_vector = 1, m_books = 1, m_entries = 1, m_bytes = 2;
    std::vector<std::uint64_t> m_starts; ///< by core
    bool m_same;
};

class CoefficientOrder final : public codec::ElementOrder
{
public:
    CoefficientOrder(const WeightSection &section, const UnitGroup &group)
        : m_chunks(group.chunks), m_cores(group.units.size()), m_fileBytes(section.fileBytes)
    {
        const Unit &first = section.units[group.units.front()];
        m_steps = first.steps();
        m_outputs = first.outputs;
        m_bits = first.entry(Kind::Weights).bitDepth;
        m_sparse = first.sparse();
        m_vector = first.vectorSize;
        m_books = std::max<std::uint64_t>(1, first.entry(Kind::Pal).count);
        m_starts.resize(m_chunks.size() * m_cores);
        m_before.resize(m_chunks.size() * m_cores);
        for (std::size_t core = 0; core < m_cores; ++core) {
            const Unit &unit = section.units[group.units[core]];
            const ByteRange weights = unit.range(Kind::Weights);
            std::uint64_t before = 0;
            for (std::size_t record = 0; record < unit.records.size(); ++record) {
                m_starts[record * m_cores + core] =
                    8 * (weights.offset.value + unit.records[record].offset());
                m_before[record * m_cores + core] = before;
                before += unit.records[record].channels();
            }
            m_weights.push_back(weights);
            m_channels.push_back(before);
        }
    }

    void usePalettesOfCores() { m_perCore = true; }

    void note(codec::LayoutNotes &notes) const override
    {
        for (const std::uint64_t number :
             {m_cores, m_steps, m_outputs, m_bits, m_vector, m_books, std::uint64_t{m_sparse},
              std::uint64_t{m_perCore}, std::uint64_t{m_maskBits}})
            notes.add(number);
        noteChunks(notes, m_chunks);
        notes.add(m_before);
        notes.add(m_channels);
        for (std::size_t i = 0; i < m_starts.size(); ++i)
            notes.add(m_starts[i] == 0 ? 0 : m_starts[i] - 8 * m_weights[i % m_cores].offset.value);
        for (std::uint64_t core = 0; core < m_cores; ++core) {
            // Masks lie ahead of their survivors, and are an operand of their own.
            const std::uint64_t mask = m_sparse ? (m_channels[core] * m_steps + 7) / 8 : 0;
            const std::uint64_t first = m_weights[core].offset.value;
            notes.add(m_weights[core].bytes.value);
            if (m_maskBits)
                notes.addRun(first, mask);
            else
                notes.addRun(first + mask, m_weights[core].bytes.value - mask);
        }
    }

    void positions(std::uint64_t first, std::span<std::uint64_t> out) const override
    {
        std::uint64_t channel = first / m_steps, step = first % m_steps;
        for (std::size_t done = 0; done < out.size(); ++channel, step = 0) {
            const ChannelPlace place = placeOf(m_chunks, channel);
            const std::uint64_t count = std::min<std::uint64_t>(m_steps - step, out.size() - done);
            for (std::uint64_t i = 0; i < count; ++i)
                out[done++] = m_maskBits ? maskPosition(place, step + i)
                              : m_sparse ? sparsePosition(place, step + i)
                                         : m_starts[place.chunk * m_cores + place.core] +
                                               ((step + i) * place.count + place.lane) * m_bits;
        }
    }

    std::optional<codec::OrderTile> tileAt(std::uint64_t first, std::uint64_t count) const override
    {
        if (m_sparse || m_bits != 16)
            return std::nullopt;
        const ChannelPlace place = placeOf(m_chunks, first / m_steps);
        codec::OrderTile tile = shapeAt(first, count, m_steps, place.count - place.lane);
        positions(first, std::span(&tile.bit, 1));
        tile.rowBits = m_bits;
        tile.columnBits = place.count * m_bits;
        return tile;
    }

    std::optional<std::uint64_t> elementAt(std::uint64_t bit) const override
    {
        for (std::uint64_t core = 0; core < m_cores; ++core) {
            if (!m_weights[core].contains(FileOffset(bit / 8)))
                continue;
            const std::uint64_t within = bit - 8 * m_weights[core].offset.value;
            return m_maskBits ? ofMaskBit(core, within)
                   : m_sparse ? survivorAt(core, bit / 8)
                              : coefficientAt(core, bit);
        }
        return std::nullopt;
    }
    std::uint64_t elements() const override { return m_outputs * m_steps; }
    std::uint64_t extent() const override { return m_fileBytes; }
    bool skipsZeros() const override { return m_sparse && !m_maskBits; }

    std::shared_ptr<const ElementOrder> mask() const override
    {
        if (!skipsZeros())
            return nullptr;
        auto order = std::make_shared<CoefficientOrder>(*this);
        order->m_maskBits = true;
        return order;
    }

    std::uint64_t table(std::uint64_t element) const override
    {
        const std::uint64_t channel = element / m_steps;
        const ChannelPlace place = placeOf(m_chunks, channel);
        const std::uint64_t book = m_books == 1 ? 0 : place.chunk / m_vector;
        const std::uint64_t core = m_perCore ? place.core : 0;
        return (core * m_books + book) * m_vector + channel % m_vector;
    }
    std::uint64_t tables() const override { return (m_perCore ? m_cores : 1) * m_books * m_vector; }

    Result<std::shared_ptr<const ElementOrder>>
    bound(std::span<const std::byte> bytes) const override
    {
        if (!skipsZeros())
            return std::shared_ptr<const ElementOrder>();
        auto order = std::make_shared<CoefficientOrder>(*this);
        order->m_masks = std::make_shared<std::deque<codec::MaskIndex>>();
        for (std::size_t core = 0; core < m_cores; ++core) {
            const std::uint64_t bits = m_channels[core] * m_steps;
            const std::uint64_t maskBytes = (bits + 7) / 8;
            const ByteRange weights = m_weights[core];
            const auto &mask =
                order->m_masks->emplace_back(bytes.subspan(weights.offset.value, maskBytes), bits);
            const std::uint64_t kept = bits == 0 ? 0 : mask.rank(bits);
            if (2 * kept == weights.bytes.value - maskBytes)
                continue;
            return refused({{}, weights.offset}, "section.mask", "mask",
                           fmt::format("{} set bits", (weights.bytes.value - maskBytes) / 2),
                           fmt::format("{}", kept), "The mask does not match its values");
        }
        return std::shared_ptr<const ElementOrder>(std::move(order));
    }

private:
    /// Element of a place in a record: its channels interleave.
    std::optional<std::uint64_t> elementOf(std::uint64_t chunk, std::uint64_t core,
                                           std::uint64_t number) const
    {
        const std::uint64_t count = m_chunks[chunk].channelsOf(core);
        if (count == 0 || number / count >= m_steps)
            return std::nullopt;
        const std::uint64_t channel =
            m_chunks[chunk].first + core * m_chunks[chunk].lanes + number % count;
        return channel * m_steps + number / count;
    }
    /// Records may lie in any order: the one that begins last before the bit is asked.
    std::optional<std::uint64_t> coefficientAt(std::uint64_t core, std::uint64_t bit) const
    {
        std::optional<std::uint64_t> found;
        for (std::uint64_t chunk = 0; chunk < m_chunks.size(); ++chunk) {
            const std::uint64_t start = m_starts[chunk * m_cores + core];
            if (m_chunks[chunk].channelsOf(core) != 0 && bit >= start &&
                (!found || start > m_starts[*found * m_cores + core]))
                found = chunk;
        }
        return found ? elementOf(*found, core, (bit - m_starts[*found * m_cores + core]) / m_bits)
                     : std::nullopt;
    }
    /// Element of a bit of a core's mask.
    std::optional<std::uint64_t> ofMaskBit(std::uint64_t core, std::uint64_t bit) const
    {
        for (std::uint64_t chunk = m_chunks.size(); chunk-- > 0;) {
            const std::uint64_t first = m_before[chunk * m_cores + core] * m_steps;
            if (m_chunks[chunk].channelsOf(core) != 0 && bit >= first)
                return elementOf(chunk, core, bit - first);
        }
        return std::nullopt;
    }
    std::optional<std::uint64_t> survivorAt(std::uint64_t core, std::uint64_t byte) const
    {
        if (!m_masks)
            return std::nullopt;
        const codec::MaskIndex &mask = (*m_masks)[core];
        const std::uint64_t survivors = survivorsOf(core);
        if (byte < survivors)
            return std::nullopt;
        // The bit of the mask with as many set bits before it: halve the bits that it may be.
        const std::uint64_t before = (byte - survivors) / 2;
        std::uint64_t low = 0, high = mask.bits();
        while (low < high) {
            const std::uint64_t middle = low + (high - low) / 2;
            if (mask.rank(middle + 1) <= before)
                low = middle + 1;
            else
                high = middle;
        }
        return low < mask.bits() ? ofMaskBit(core, low) : std::nullopt;
    }
    /// Byte of a core's first stored number, behind its mask.
    std::uint64_t survivorsOf(std::uint64_t core) const
    {
        return m_weights[core].offset.value + ((*m_masks)[core].bits() + 7) / 8;
    }
    /// Number of an element's bit in its core's mask.
    std::uint64_t maskBit(const ChannelPlace &place, std::uint64_t step) const
    {
        return m_before[place.chunk * m_cores + place.core] * m_steps + step * place.count +
               place.lane;
    }

    std::uint64_t maskPosition(const ChannelPlace &place, std::uint64_t step) const
    {
        return 8 * m_weights[place.core].offset.value + maskBit(place, step);
    }

    std::uint64_t sparsePosition(const ChannelPlace &place, std::uint64_t step) const
    {
        if (!m_masks)
            return kAbsent;
        const std::uint64_t bit = maskBit(place, step);
        const codec::MaskIndex &mask = (*m_masks)[place.core];
        if (!mask.test(bit))
            return kAbsent;
        return 8 * (survivorsOf(place.core) + 2 * mask.rank(bit));
    }

    std::vector<lanes::Chunk> m_chunks;
    std::uint64_t m_cores = 0, m_fileBytes = 0, m_steps = 1, m_outputs = 0, m_bits = 16;
    std::uint64_t m_vector = 1, m_books = 1;
    bool m_sparse = false, m_perCore = false;
    bool m_maskBits = false;             ///< the positions are those of the masks' bits
    std::vector<std::uint64_t> m_starts; ///< bits; by chunk, then core
    std::vector<std::uint64_t> m_before; ///< channels of earlier records on the core
    std::vector<ByteRange> m_weights;    ///< by core
    std::vector<std::uint64_t> m_channels;
    std::shared_ptr<std::deque<codec::MaskIndex>> m_masks; ///< by core; sparse and bound only
};

} // namespace

ChannelPlace placeOf(const std::vector<lanes::Chunk> &chunks, std::uint64_t channel)
{
    const auto behind = std::upper_bound(
        chunks.begin(), chunks.end(), channel,
        [](std::uint64_t c, const lanes::Chunk &chunk) { return c < chunk.first; });
    ChannelPlace place;
    place.chunk = static_cast<std::uint64_t>(behind - chunks.begin()) - 1;
    const lanes::Chunk &chunk = chunks[place.chunk];
    place.core = (channel - chunk.first) / chunk.lanes;
    place.lane = (channel - chunk.first) % chunk.lanes;
    place.count = chunk.channelsOf(place.core);
    return place;
}

void noteChunks(codec::LayoutNotes &notes, const std::vector<lanes::Chunk> &chunks)
{
    notes.add(chunks.size());
    for (const lanes::Chunk &chunk : chunks) {
        notes.add(chunk.lanes);
        notes.add(chunk.channels);
    }
}

// Where the numbers beside the coefficients lie in the file: vectors by core, codebooks.

bool samePalettes(const WeightSection &section, const UnitGroup &group,
                  std::span<const std::byte> bytes)
{
    const auto palette = [&](std::size_t unit) {
        const ByteRange range = section.units[unit].range(Kind::Pal);
        return bytes.subspan(range.offset.value, range.bytes.value);
    };
    const auto first = palette(group.units.front());
    return std::ranges::all_of(group.units, [&](std::size_t unit) {
        const auto other = palette(unit);
        return std::equal(first.begin(), first.end(), other.begin(), other.end());
    });
}

OrderPtr channelOrder(const WeightSection &section, const UnitGroup &group, Kind kind)
{
    return std::make_shared<ChannelOrder>(section, group, kind);
}

PaletteOrder paletteOrder(const WeightSection &section, const UnitGroup &group, bool same)
{
    const auto order = std::make_shared<BookOrder>(section, group, same);
    return {order, order->tables(), order->entries()};
}

// Where the coefficients of a group lie in the file: by record, step and channel.

OrderPtr coefficientOrder(const WeightSection &section, const UnitGroup &group,
                          bool palettesOfCores)
{
    auto order = std::make_shared<CoefficientOrder>(section, group);
    if (palettesOfCores)
        order->usePalettesOfCores();
    return order;
}

} // namespace kernscope::section
