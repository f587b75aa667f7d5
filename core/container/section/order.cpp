// SPDX-License-Identifier: GPL-3.0-or-later
// Where the numbers beside the coefficients lie in the file: vectors by core, codebooks.
#include "core/container/section/channel_place.h"
#include "core/container/section/layout.h"
#include "core/form/order_layout.h"
#include "core/format/kernel_format.h"

#include <algorithm>

namespace kernscope::section {

namespace {

std::uint64_t entryBytesOf(const Unit &unit)
{
    const auto entry =
        format::paletteEntryFormat(format::KernelFormat(unit.entry(Kind::Pal).paletteFormat));
    return entry && entry->value == 4 ? 2 : 1; // fp16, or one of the 8-bit formats
}

class ChannelOrder final : public codec::ElementOrder, public codec::NotedOrder
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
    bool note(codec::LayoutNotes &notes) const override
    {
        notes.begin(codec::LayoutNotes::Kind::Channels);
        notes.add(m_outputs);
        noteChunks(notes, m_chunks);
        for (std::size_t core = 0; core < m_starts.size(); ++core) {
            std::uint64_t channels = 0;
            for (const lanes::Chunk &chunk : m_chunks)
                channels += chunk.channelsOf(core);
            notes.addRun(m_starts[core], 2 * channels);
        }
        return true;
    }

private:
    std::vector<lanes::Chunk> m_chunks;
    std::uint64_t m_outputs, m_fileBytes;
    std::vector<std::uint64_t> m_starts; ///< by core
};

class BookOrder final : public codec::ElementOrder, public codec::NotedOrder
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
    bool note(codec::LayoutNotes &notes) const override
    {
        notes.begin(codec::LayoutNotes::Kind::Codebooks);
        for (const std::uint64_t number :
             {m_vector, m_books, m_entries, m_bytes, std::uint64_t{m_same}})
            notes.add(number);
        for (std::size_t core = 0; core < (m_same ? 1 : m_starts.size()); ++core)
            notes.addRun(m_starts[core], m_books * m_entries * m_vector * m_bytes);
        return true;
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

} // namespace

bool samePalettes(const WeightSection &section, const UnitGroup &group,
                  std::span<const std::byte> bytes)
{
    const auto palette = [&](std::size_t unit) {
        const ByteRange range = section.units[unit].range(Kind::Pal);
        return bytes.subspan(range.offset.value, range.bytes.value);
    };
    const auto first = palette(group.units.front());
    return std::all_of(group.units.begin(), group.units.end(), [&](std::size_t unit) {
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

} // namespace kernscope::section
