// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/section/builder.h"

#include "core/base/error_builder.h"
#include "core/container/section/packer.h"

#include <algorithm>
#include <bit>
#include <set>

#include <fmt/format.h>

namespace kernscope::section {

namespace {

Error buildError(const std::string &field, std::string expected, std::string found)
{
    return ErrorBuilder("section.build")
        .field(field)
        .expected(std::move(expected))
        .found(std::move(found))
        .message("The weight section cannot be built");
}

std::uint64_t aligned(std::uint64_t value)
{
    return (value + kAlignment - 1) / kAlignment * kAlignment;
}

std::uint32_t low32(std::uint64_t value)
{
    return static_cast<std::uint32_t>(value & 0xFFFFFFFFU);
}

/// Most lanes whose group stays within one codebook.
std::uint64_t lanesWithin(std::uint64_t lanes, const UnitForm &form)
{
    while (form.books > 1 && lanes > 1 && form.channelsPerBook % lanes != 0)
        lanes /= 2;
    return lanes;
}

Result<std::vector<lanes::Chunk>> dealFor(const BuildWeight &weight, const UnitForm &form,
                                          unsigned cores)
{
    const std::uint64_t cap =
        lanesWithin(std::bit_floor(std::max<std::uint64_t>(1, weight.mostLanes)), form);
    if (weight.law == lanes::Law::Depthwise)
        return lanes::dealEvenly(weight.geometry, 1, cores);
    if (weight.law == lanes::Law::Grouped)
        return lanes::dealEvenly(weight.geometry,
                                 lanesWithin(std::bit_floor(std::clamp<std::uint64_t>(
                                                 weight.geometry.outputs / 64, 1, cap)),
                                             form),
                                 cores);
    lanes::DealOptions options;
    options.engines = cores;
    options.cap = cap;
    return lanes::dealChannels(weight.geometry, weight.law, options);
}

/// A unit with the bytes of its payload.
struct Built {
    Unit unit;
    std::vector<std::byte> payload;
};

class WeightBuilder
{
public:
    WeightBuilder(const BuildTarget &target, const BuildWeight &weight)
        : m_target(target), m_weight(weight)
    {
    }

    Result<void> build(std::vector<Built> &out)
    {
        if (auto ready = prepare(); !ready)
            return ready;
        for (std::size_t core = 0; core < m_cores; ++core) {
            auto built = buildCore(core);
            if (!built)
                return tl::unexpected(std::move(built.error()));
            out.push_back(std::move(*built));
        }
        return {};
    }

private:
    Result<void> prepare();
    Result<Built> buildCore(std::size_t core);
    void describe(Unit &unit, std::size_t core) const;
    void add(Built &built, Kind kind, Entry entry, std::span<const std::byte> bytes) const;

    const BuildTarget &m_target;
    const BuildWeight &m_weight;
    UnitForm m_form;
    std::vector<lanes::Chunk> m_chunks;
    std::size_t m_cores = 1;
    std::uint64_t m_steps = 1;
};

Result<void> WeightBuilder::prepare()
{
    if (m_weight.form) {
        m_form.node = *m_weight.form;
    } else {
        auto form = unitForm(m_weight.decoder->encoding());
        if (!form)
            return ErrorBuilder(std::move(form.error())).field(m_weight.name).unexpected();
        m_form = *form;
    }
    auto steps = lanes::reductionOf(m_weight.geometry);
    if (!steps)
        return tl::unexpected(std::move(steps.error()));
    m_steps = *steps;
    const std::uint64_t elements = m_steps * m_weight.geometry.outputs;
    if (elements != m_weight.decoder->elements().value)
        return tl::unexpected(buildError(m_weight.name, fmt::format("{} elements", elements),
                                         fmt::format("{}", m_weight.decoder->elements().value)));
    const std::size_t biases = m_weight.bias.size();
    if (biases != 0 && biases != m_weight.geometry.outputs)
        return tl::unexpected(
            buildError(m_weight.name, "one bias an output channel", fmt::format("{}", biases)));
    constexpr std::size_t kTableEntries = 43;
    if (!m_weight.activationTable.empty() && m_weight.activationTable.size() != kTableEntries)
        return tl::unexpected(buildError(m_weight.name, "an activation table of 43 numbers",
                                         fmt::format("{}", m_weight.activationTable.size())));
    auto chunks = dealFor(m_weight, m_form, m_target.cores);
    if (!chunks)
        return tl::unexpected(std::move(chunks.error()));
    m_chunks = std::move(*chunks);
    const lanes::Chunk &widest = m_chunks.front();
    m_cores = static_cast<std::size_t>((widest.channels + widest.lanes - 1) / widest.lanes);
    return {};
}

void WeightBuilder::describe(Unit &unit, std::size_t core) const
{
    const lanes::WeightExtents &g = m_weight.geometry;
    unit.type = static_cast<std::uint32_t>(core + 1);
    unit.kernelFormat = m_form.kernelFormat;
    unit.core = static_cast<std::uint32_t>(core);
    unit.cores = static_cast<std::uint32_t>(m_cores);
    unit.outputs = low32(g.outputs);
    unit.inputs = low32(g.inputs);
    unit.depth = low32(g.depth);
    unit.height = low32(g.height);
    unit.width = low32(g.width);
    unit.groups = low32(g.groups);
    unit.vectorSize = low32(m_form.vector);
    // A unit holds the channels of its core. That is a whole copy only where there is one core.
    unit.flags = 0;
    if (m_target.sharedKernelMemory)
        unit.flags = SharedKernelMemory;
    else if (m_cores == 1)
        unit.flags = ReplicatedPerCore;
    if (m_form.node == FormNode::Palette && (m_form.vector > 1 || m_form.books > 1))
        unit.flags |= VectorPalette;
    if (m_weight.isMutable)
        unit.flags |= Mutable;
    if (m_form.node == FormNode::Sparse)
        unit.flags |= SparseOperand;
    unit.name = m_weight.name;
}

void WeightBuilder::add(Built &built, Kind kind, Entry entry,
                        std::span<const std::byte> bytes) const
{
    if (bytes.empty())
        return;
    built.payload.resize(aligned(built.payload.size()));
    entry.offset = built.payload.size();
    entry.bytes = bytes.size();
    built.unit.entries[kind] = entry;
    built.payload.insert(built.payload.end(), bytes.begin(), bytes.end());
}

Result<Built> WeightBuilder::buildCore(std::size_t core)
{
    constexpr std::uint32_t kLookupType = 8, kHalfType = 5, kWordType = 18;
    Built built;
    describe(built.unit, core);
    Packer packer(*m_weight.decoder, m_form, m_chunks, m_steps, core);
    auto packed = packer.pack();
    if (!packed)
        return tl::unexpected(std::move(packed.error()));
    if (packed->weights.size() > UINT32_MAX - 1)
        return tl::unexpected(buildError(m_weight.name, "below 4 GiB of coefficients a core",
                                         fmt::format("{}", packed->weights.size())));
    const auto channels = low32(packed->channels);
    add(built, Kind::Lut, {kLookupType, 16, low32(m_weight.activationTable.size()), 0, 0, 0},
        halfBytes(m_weight.activationTable));
    add(built, Kind::Pal,
        {packed->entryType, m_form.bits, low32(packed->books), m_form.kernelFormat, 0, 0},
        packed->palette);
    built.unit.records = packed->records;
    add(built, Kind::Ocgs, {kWordType, 32, low32(packed->records.size()), 0, 0, 0},
        std::vector<std::byte>(packed->records.size() * kRecordBytes));
    add(built, Kind::Scale, {kHalfType, 16, channels, 0, 0, 0}, halfBytes(packed->scales));
    std::vector<std::uint16_t> bias;
    for (const std::uint64_t channel : packed->channelList)
        bias.push_back(m_weight.bias.empty() ? std::uint16_t{0} : m_weight.bias[channel]);
    add(built, Kind::Bias, {kHalfType, 16, channels, 0, 0, 0},
        halfBytes(m_weight.bias.empty() ? std::vector<std::uint16_t>() : bias));
    add(built, Kind::Weights,
        {packed->weightType, m_form.bits, low32(packed->channels * m_steps), 0, 0, 0},
        packed->weights);
    built.unit.payloadBytes = built.payload.size();
    return built;
}

std::vector<std::byte> assemble(WeightSection &section, std::vector<Built> &built)
{
    std::string pool;
    for (Built &one : built) {
        const auto known = section.units.empty() ? nullptr : &section.units.back();
        const bool repeats = known != nullptr && known->name == one.unit.name;
        one.unit.nameOffset = repeats ? known->nameOffset : low32(pool.size());
        one.unit.nameBytes = low32(one.unit.name.size());
        if (!repeats)
            pool += one.unit.name;
        section.units.push_back(one.unit);
    }
    section.unitTable = kHeaderBytes;
    section.pool = aligned(kHeaderBytes + built.size() * kUnitBytes);
    section.poolBytes = pool.size();
    std::vector<std::byte> bytes(aligned(section.pool + pool.size()));
    std::transform(pool.begin(), pool.end(),
                   bytes.begin() + static_cast<std::ptrdiff_t>(section.pool),
                   [](char c) { return static_cast<std::byte>(c); });
    for (std::size_t i = 0; i < built.size(); ++i) {
        bytes.resize(aligned(bytes.size()));
        section.units[i].payload = bytes.size();
        bytes.insert(bytes.end(), built[i].payload.begin(), built[i].payload.end());
    }
    section.fileBytes = bytes.size();
    return bytes;
}

} // namespace

Result<std::vector<std::byte>> buildSection(const BuildTarget &target,
                                            const std::vector<BuildWeight> &weights)
{
    WeightSection section;
    section.codegen = target.codegen;
    section.target = target.name;
    if (target.name.size() > 16 || target.cores == 0 || weights.empty())
        return tl::unexpected(
            buildError("target", "a name of at most 16 bytes, cores, weights", target.name));
    std::vector<Built> built;
    std::set<std::string> names;
    for (const BuildWeight &weight : weights) {
        if (weight.decoder == nullptr || weight.name.empty() || !names.insert(weight.name).second)
            return tl::unexpected(buildError("name", "weights of different names", weight.name));
        if (auto done = WeightBuilder(target, weight).build(built); !done)
            return tl::unexpected(std::move(done.error()));
    }
    if (built.size() > kMaxUnits)
        return tl::unexpected(buildError("units", fmt::format("at most {}", kMaxUnits),
                                         fmt::format("{}", built.size())));
    const auto bytes = assemble(section, built);
    return writeSection(section, bytes);
}

} // namespace kernscope::section
