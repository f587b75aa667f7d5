// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/hwx/kernels.h"

#include <algorithm>
#include <charconv>

namespace kernscope::hwx {

namespace {

constexpr std::uint32_t kLanes = 16;

bool isHex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f');
}

using format::KernelUnit;
using format::TypeNumber;
using format::UnitSection;

constexpr TypeNumber kFp16(5), kLutTag(8);
constexpr std::uint64_t kTableBytes = 0x80, kTableBits = 16;

/// Type number and bits of a kernel format's register value; nothing where it is contested.
std::optional<std::pair<TypeNumber, unsigned>> elementOf(std::uint32_t code, std::uint32_t version)
{
    constexpr std::uint32_t kFirstSettled = 17;
    switch (code) {
    case 2: return std::pair(kFp16, 16U);
    case 0:
        return version < kFirstSettled ? std::nullopt : std::optional(std::pair(TypeNumber(3), 8U));
    case 1:
        return version < kFirstSettled ? std::nullopt : std::optional(std::pair(TypeNumber(2), 8U));
    case 3: return std::pair(TypeNumber(16), 8U);
    default: return std::nullopt;
    }
}

class UnitReader
{
public:
    UnitReader(const descriptor::TaskDetail &detail, const descriptor::TaskReader &reader)
        : m_detail(detail), m_reader(reader)
    {
    }

    std::uint32_t value(std::string_view role) const
    {
        return roleValue(m_detail, m_reader, role).value_or(0);
    }
    void set(KernelUnit::SectionId section, UnitSection content, const char *note)
    {
        m_result.unit.sections[section] = content;
        if (note != nullptr)
            m_result.notes.emplace_back(section, note);
    }
    void addPalette()
    {
        if (value("palette_enable") == 0)
            return;
        UnitSection palette;
        palette.type = kFp16;
        palette.bitDepth = value("palette_bits");
        palette.count = 1;
        palette.bytes = palette.bitDepth <= 8 ? std::uint64_t(2) << palette.bitDepth : 0;
        set(KernelUnit::Pal, palette,
            "one table of fp16 entries a slice, padded to 64 bytes; its place in the slice is not "
            "published");
    }

    void addVectors()
    {
        const std::uint64_t channels = value("cout");
        if (value("bias_mode") != 0)
            set(KernelUnit::Bias, {kFp16, 0, 16, channels, 2 * channels},
                "a row of halves ahead of the weights of each plane");
        if (value("post_scale_mode") != 0)
            set(KernelUnit::Scale, {kFp16, 0, 16, channels, 2 * channels},
                "a per-channel post-scale; its place is not published");
        if (value("nonlinear_mode") == 2)
            set(KernelUnit::Lut, {kLutTag, 0, kTableBits, 1, kTableBytes},
                "43 halves padded to 128 bytes");
    }

    void addWeights(const std::vector<KernelLane> &lanes, std::uint64_t live)
    {
        UnitSection weights;
        const auto element = elementOf(value("kernel_fmt"), m_reader.list().version->number);
        if (element) {
            weights.type = element->first;
            weights.bitDepth = element->second;
        }
        for (const KernelLane &lane : lanes)
            weights.bytes += lane.enabled ? lane.size : 0;
        const auto groups = std::max<std::uint64_t>(value("groups"), 1);
        const auto taps = checkedMultiply(value("Kw"), value("Kh"));
        const auto inner = taps ? checkedMultiply(*taps, value("cin") / groups) : std::nullopt;
        const auto count = inner ? checkedMultiply(*inner, value("cout")) : std::nullopt;
        // A task that only looks values up has a table on lane 0 and no weights.
        const bool tableOnly = value("nonlinear_mode") == 2 && value("op_mode") == 4;
        if (!tableOnly) {
            weights.count = count.value_or(0);
            set(KernelUnit::Weights, weights,
                element ? "bytes of all slices, padding included"
                        : "the element type of this code is contested; bytes of all slices");
        }
        set(KernelUnit::Ocgs, {TypeNumber(0), 0, 0, live, 0},
            "one slice a lane; no record of fourteen words is seen in published containers");
    }

    TaskUnit m_result;

private:
    const descriptor::TaskDetail &m_detail;
    const descriptor::TaskReader &m_reader;
};

} // namespace

std::optional<KernelName> parseKernelName(std::string_view name)
{
    if (!name.starts_with('K'))
        return std::nullopt;
    std::size_t end = 1;
    while (end < name.size() && isHex(name[end]))
        ++end;
    constexpr std::size_t kShortest = 8; // shortened names of published dumps
    if (end < 1 + kShortest)
        return std::nullopt;
    KernelName result;
    result.hash = name.substr(0, end);
    std::string_view rest = name.substr(end);
    constexpr std::string_view kLane = "_ne_";
    if (rest.starts_with(kLane)) {
        rest.remove_prefix(kLane.size());
        std::uint32_t lane = 0;
        const auto [last, fault] = std::from_chars(rest.data(), rest.data() + rest.size(), lane);
        if (fault != std::errc() || last != rest.data() + rest.size())
            return std::nullopt;
        result.lane = lane;
        return result;
    }
    result.activationTable = rest == "_actlut";
    return rest.empty() || result.activationTable ? std::optional(result) : std::nullopt;
}

std::vector<KernelTile> kernelTiles(const Container &container)
{
    std::vector<KernelTile> tiles;
    for (std::size_t i = 0; i < container.symbols.size(); ++i) {
        const Symbol &symbol = container.symbols[i];
        if (symbol.type != 0x0f)
            continue;
        auto name = parseKernelName(symbol.name);
        const SegmentSection *section = name ? container.section(symbol.section) : nullptr;
        if (section == nullptr || section->type() != SectionType::Kernel || !section->bytes ||
            symbol.value < section->address ||
            symbol.value - section->address > section->bytes->bytes.value)
            continue;
        KernelTile tile;
        tile.symbol = i;
        tile.name = std::move(*name);
        tile.address = symbol.value;
        tile.section = section->ordinal;
        tile.sectionOffset = symbol.value - section->address;
        tile.fileOffset = FileOffset(section->bytes->offset.value + tile.sectionOffset);
        tile.bytes = ByteCount(section->bytes->bytes.value - tile.sectionOffset);
        tiles.push_back(std::move(tile));
    }
    std::vector<std::pair<std::uint32_t, std::uint64_t>> starts;
    for (const KernelTile &tile : tiles)
        starts.emplace_back(tile.section, tile.sectionOffset);
    std::ranges::sort(starts);
    for (KernelTile &tile : tiles) {
        const auto next = std::upper_bound(starts.begin(), starts.end(),
                                           std::pair(tile.section, tile.sectionOffset));
        if (next != starts.end() && next->first == tile.section)
            tile.bytes = ByteCount(next->second - tile.sectionOffset);
    }
    return tiles;
}

LaneFinder::LaneFinder(const Container &container, const Text &text,
                       const std::vector<KernelTile> &tiles)
    : m_container(container), m_tiles(tiles),
      m_map(text.tasks->version == nullptr ? 0 : text.tasks->version->registerMap)
{
    for (std::size_t i = 0; i < tiles.size(); ++i)
        m_byAddress.emplace_back(tiles[i].address, i);
    std::ranges::sort(m_byAddress);
    if (const SegmentSection *section = container.section(text.section)) {
        for (const Relocation &relocation : section->relocations)
            m_relocated.push_back(relocation.address);
        std::ranges::sort(m_relocated);
    }
}

/// Address that lane offsets count from: the aperture that the header names (version 7), else the
/// value of the kernel base register within the kernel section.
std::optional<std::uint64_t> LaneFinder::kernelBase(const descriptor::TaskDetail &detail,
                                                    const descriptor::TaskReader &reader) const
{
    constexpr std::uint32_t kApertureWord = 9;
    const Thread *program = m_container.program();
    const bool linked = reader.list().version->walk == descriptor::TaskWalk::Linked;
    if (linked && program != nullptr && detail.header.size() > kApertureWord) {
        const auto at = program->apertures.find(detail.header[kApertureWord] & 0x1F);
        if ((detail.header[kApertureWord] >> 5 & 1) != 0 && at != program->apertures.end())
            return at->second;
    }
    const SegmentSection *section = m_container.firstOf(SectionType::Kernel);
    if (section == nullptr)
        return std::nullopt;
    const descriptor::Role *base = descriptor::roleOf(m_map, "kernel_base");
    const std::uint64_t offset =
        base == nullptr ? 0 : reader.effective(detail, base->address).value_or(0);
    return checkedAdd(section->address, offset);
}

void LaneFinder::match(KernelLane &lane) const
{
    if (!lane.address)
        return;
    // Several lanes' symbols may lie on one address: the one with this lane's number is meant.
    const auto first = std::lower_bound(m_byAddress.begin(), m_byAddress.end(),
                                        std::pair(*lane.address, std::size_t(0)));
    for (auto at = first; at != m_byAddress.end() && at->first == *lane.address; ++at) {
        const KernelTile &tile = m_tiles[at->second];
        if (!lane.tile || tile.name.lane == lane.lane)
            lane.tile = at->second;
    }
    lane.matchesSymbol = lane.tile.has_value();
    lane.sizeMatches = lane.tile && m_tiles[*lane.tile].bytes.value == lane.size;
}

std::vector<KernelLane> LaneFinder::lanes(const descriptor::TaskDetail &detail,
                                          const descriptor::TaskReader &reader) const
{
    std::vector<KernelLane> lanes;
    const descriptor::Role *config = descriptor::roleOf(m_map, "lane_config");
    const descriptor::Role *base = descriptor::roleOf(m_map, "lane_base");
    const descriptor::Role *size = descriptor::roleOf(m_map, "lane_size");
    if (config == nullptr || base == nullptr || size == nullptr)
        return lanes;
    const auto origin = kernelBase(detail, reader);
    for (std::uint32_t i = 0; i < kLanes; ++i) {
        KernelLane lane;
        lane.lane = i;
        lane.config = reader.effective(detail, config->address + 4 * i).value_or(0);
        lane.enabled = (lane.config & 1) != 0;
        lane.base = reader.effective(detail, base->address + 4 * i).value_or(0);
        lane.size = reader.effective(detail, size->address + 4 * i).value_or(0);
        if (const auto *write = detail.written(base->address + 4 * i)) {
            lane.baseOffset = detail.task.offset + write->offset;
            lane.relocated = std::ranges::binary_search(m_relocated, *lane.baseOffset);
        }
        if (origin && lane.enabled)
            lane.address = checkedAdd(*origin, lane.base);
        match(lane);
        lanes.push_back(lane);
    }
    return lanes;
}

std::optional<std::uint32_t> roleValue(const descriptor::TaskDetail &detail,
                                       const descriptor::TaskReader &reader, std::string_view role)
{
    const descriptor::Version *version = reader.list().version;
    const descriptor::Role *place =
        version == nullptr ? nullptr : descriptor::roleOf(version->registerMap, role);
    if (place == nullptr)
        return std::nullopt;
    const auto value = reader.effective(detail, place->address);
    return value ? std::optional(place->bits.of(*value)) : std::nullopt;
}

std::optional<TaskUnit> unitOfTask(const descriptor::TaskDetail &detail,
                                   const descriptor::TaskReader &reader,
                                   const std::vector<KernelLane> &lanes)
{
    const auto live =
        static_cast<std::uint64_t>(std::ranges::count_if(lanes, &KernelLane::enabled));
    if (live == 0)
        return std::nullopt;
    UnitReader unit(detail, reader);
    unit.m_result.unit.type = static_cast<std::uint32_t>(detail.index + 1);
    for (const KernelLane &lane : lanes) {
        if (lane.enabled) {
            unit.m_result.unit.offset = lane.base;
            break;
        }
    }
    unit.addWeights(lanes, live);
    unit.addPalette();
    unit.addVectors();
    std::ranges::sort(unit.m_result.notes);
    return std::move(unit.m_result);
}

} // namespace kernscope::hwx
