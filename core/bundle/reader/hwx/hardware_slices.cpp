// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/reader/hwx/hardware_slices.h"

#include "core/base/error_builder.h"
#include "core/bundle/bundle.h"

#include <cstring>

#include <fmt/format.h>

namespace kernscope {

namespace {

// More than any file has; they bound the work on a hostile one.
constexpr std::size_t kMostBlocks = 200000;
constexpr std::size_t kMostNamesakes = 16;
constexpr std::uint64_t kMostCompared = std::uint64_t{1} << 32;

KernelFacts factsOf(const descriptor::TaskDetail &detail, const descriptor::TaskReader &reader)
{
    const auto value = [&](std::string_view role) { return hwx::roleValue(detail, reader, role); };
    KernelFacts facts;
    facts.format = value("kernel_fmt").value_or(2);
    facts.palette = value("palette_enable").value_or(0) != 0;
    facts.paletteBits = facts.palette ? value("palette_bits").value_or(0) : 0;
    facts.sparse = value("sparse_fmt").value_or(0) != 0;
    facts.lanesLog2 = value("OCGSize");
    const auto outputs = value("cout"), inputs = value("cin"), height = value("Kh"),
               width = value("Kw");
    const std::uint64_t groups = std::max(1U, value("groups").value_or(1));
    facts.geometry.groups = groups;
    facts.geometry.outputs = outputs.value_or(0);
    facts.geometry.inputs = inputs && *inputs % groups == 0 ? *inputs / groups : 0;
    facts.geometry.height = height.value_or(0);
    facts.geometry.width = width.value_or(0);
    facts.geometry.bias = value("bias_mode").value_or(0) != 0;
    facts.shapeKnown = lanes::reductionOf(facts.geometry).has_value();
    return facts;
}

Consumer consumerOf(const descriptor::TaskDetail &detail, const descriptor::TaskReader &reader,
                    const KernelFacts &facts)
{
    const auto value = [&](std::string_view role) { return hwx::roleValue(detail, reader, role); };
    Consumer consumer;
    consumer.op = facts.geometry.height * facts.geometry.width == 1 && value("in_w") == 1U &&
                          value("in_h") == 1U
                      ? "linear"
                      : "conv";
    consumer.name = fmt::format("task {}", detail.index);
    consumer.param = "weight";
    consumer.geometry.groups = facts.geometry.groups;
    if (const auto x = value("Sx"), y = value("Sy"); x && y && *x > 0 && *y > 0)
        consumer.geometry.strides = {*y, *x};
    const auto inW = value("in_w"), inH = value("in_h"), outW = value("out_w"),
               outH = value("out_h"), cin = value("cin");
    if (inW && inH && cin)
        consumer.geometry.input = Shape{1, *cin, *inH, *inW};
    if (!outW || !outH || !facts.shapeKnown)
        return consumer;
    consumer.geometry.output = Shape{1, facts.geometry.outputs, *outH, *outW};
    const auto pixels = checkedMultiply(std::uint64_t{2} * *outW, *outH);
    const std::uint64_t elements =
        facts.geometry.outputs * *lanes::reductionOf(facts.geometry); // below 2^40
    if (pixels)
        consumer.flops = consumer.layerFlops = checkedMultiply(*pixels, elements);
    return consumer;
}

class BlockFinder
{
public:
    BlockFinder(const hwx::Container &container, std::span<const std::byte> bytes,
                const std::string &file, Diagnostics &diagnostics)
        : m_container(container), m_bytes(bytes), m_file(file), m_diagnostics(diagnostics),
          m_tiles(hwx::kernelTiles(container))
    {
    }

    std::vector<SliceBlock> find()
    {
        for (std::size_t text = 0; text < m_container.texts.size(); ++text)
            readText(text);
        return std::move(m_blocks);
    }

private:
    void readText(std::size_t number)
    {
        const hwx::Text &text = m_container.texts[number];
        const hwx::SegmentSection *section = m_container.section(text.section);
        if (section == nullptr || !section->bytes || !text.tasks || text.tasks->version == nullptr)
            return;
        const auto bytes =
            m_bytes.subspan(section->bytes->offset.value, section->bytes->bytes.value);
        descriptor::TaskReader reader(bytes, *text.tasks);
        const hwx::LaneFinder finder(m_container, text, m_tiles);
        descriptor::TaskDetail detail;
        for (std::size_t i = 0; i < text.tasks->tasks.size(); ++i) {
            reader.read(i, detail);
            reader.before(i);
            readTask(number, detail, reader, finder);
        }
    }

    void readTask(std::size_t text, const descriptor::TaskDetail &detail,
                  const descriptor::TaskReader &reader, const hwx::LaneFinder &finder)
    {
        if (hwx::roleValue(detail, reader, "kernel_enable").value_or(1) == 0)
            return;
        SliceBlock block;
        block.text = text;
        block.stream = detail.task.stream;
        for (const hwx::KernelLane &lane : finder.lanes(detail, reader)) {
            if (!lane.enabled)
                continue;
            const auto place = placeOf(lane);
            if (!place) {
                m_diagnostics.push_back(lostLane(text, detail, lane));
                return;
            }
            checkLane(text, detail, lane, block.slices.empty() ? std::string_view() : block.name);
            if (block.slices.empty() && lane.tile) {
                block.name = m_tiles[*lane.tile].name.hash;
                block.table = !m_tiles[*lane.tile].name.lane;
            }
            block.slices.push_back(*place);
        }
        if (block.slices.empty())
            return;
        if (block.name.empty())
            block.name = fmt::format("kernel@{:#x}", block.slices.front().offset.value);
        block.facts = factsOf(detail, reader);
        block.table = block.table && block.slices.size() == 1;
        block.consumers.push_back(consumerOf(detail, reader, block.facts));
        if (block.table)
            block.consumers.back().param = "activation table";
        addBlock(std::move(block));
    }

    std::optional<ByteRange> placeOf(const hwx::KernelLane &lane) const
    {
        const hwx::SegmentSection *section =
            lane.address ? m_container.sectionAt(*lane.address) : nullptr;
        if (section == nullptr || !section->bytes || section->type() != hwx::SectionType::Kernel)
            return std::nullopt;
        const std::uint64_t into = *lane.address - section->address;
        if (into > section->bytes->bytes.value || lane.size > section->bytes->bytes.value - into)
            return std::nullopt;
        return ByteRange{FileOffset(section->bytes->offset.value + into), ByteCount(lane.size)};
    }

    /// In every published file a symbol names each slice, those of one task are of one kernel, and
    /// slices are multiples of 64 bytes. Other values of a lane's registers are read as they are,
    /// and reported.
    void checkLane(std::size_t text, const descriptor::TaskDetail &detail,
                   const hwx::KernelLane &lane, std::string_view kernel)
    {
        constexpr std::uint32_t kSliceAlign = 64;
        const bool aligned = lane.base % kSliceAlign == 0 && lane.size % kSliceAlign == 0;
        const bool named = m_tiles.empty() || lane.matchesSymbol;
        const hwx::KernelName *name = lane.tile ? &m_tiles[*lane.tile].name : nullptr;
        // Of a pair of engines the second one may count its slices on from the first one's.
        const bool own =
            name == nullptr || !name->lane || *name->lane % lanes::kEngines == lane.lane;
        const bool same = kernel.empty() || name == nullptr || name->hash == kernel;
        if (aligned && named && own && same)
            return;
        const std::uint64_t begin =
            m_container.section(m_container.texts[text].section)->bytes->offset.value;
        m_diagnostics.push_back(
            {Severity::Warning,
             valueError({m_file, FileOffset(begin + lane.baseOffset.value_or(detail.task.offset))},
                        "hwx.slices", fmt::format("task {} lane {}", detail.index, lane.lane),
                        !aligned ? "multiples of 64 bytes"
                        : !named ? "a slice that a symbol names"
                        : !same  ? "a slice of the kernel that the first lane loads"
                                 : "the slice that has the lane's number",
                        fmt::format("{} bytes at address {:#x}, offset {:#x}", lane.size,
                                    lane.address.value_or(0), lane.base),
                        !aligned ? "A lane's offset or size is not one of a slice"
                        : !named ? "No symbol names the bytes that the lane loads"
                        : !same  ? "Lanes of one task load slices of two kernels"
                                 : "A lane loads the slice of another lane")});
    }

    /// Why the slice of a lane cannot be read: nothing lies at its address, or no kernel bytes do.
    Diagnostic lostLane(std::size_t text, const descriptor::TaskDetail &detail,
                        const hwx::KernelLane &lane) const
    {
        const hwx::SegmentSection *code = m_container.section(m_container.texts[text].section);
        const hwx::SegmentSection *section =
            lane.address ? m_container.sectionAt(*lane.address) : nullptr;
        std::string found = fmt::format("{} bytes at {}", lane.size,
                                        lane.address ? fmt::format("address {:#x}", *lane.address)
                                                     : std::string("an unknown address"));
        if (section != nullptr)
            found += fmt::format(" in section {},{} ({})", section->segment, section->name,
                                 sectionTypeName(section->type()));
        const std::uint64_t begin = code->bytes->offset.value;
        return {
            Severity::Error,
            valueError({m_file, FileOffset(begin + lane.baseOffset.value_or(detail.task.offset))},
                       "hwx.slices", fmt::format("task {} lane {}", detail.index, lane.lane),
                       "a slice within a kernel section that has bytes in the file", found,
                       "A lane loads bytes that are not in the file: the task's weight is not "
                       "shown")};
    }

    /// The same slices again are another consumer; slices of the same name, shape and bytes in
    /// another
    /// stream are a copy.
    void addBlock(SliceBlock block)
    {
        if (SliceBlock *known = knownBlock(block)) {
            known->consumers.push_back(std::move(block.consumers.front()));
            return;
        }
        if (m_blocks.size() >= kMostBlocks)
            return;
        m_known[block.slices].push_back(m_blocks.size());
        m_byName[block.name].push_back(m_blocks.size());
        m_blocks.push_back(std::move(block));
    }

    /// The block that already stands for these slices, or that they are a copy of.
    SliceBlock *knownBlock(const SliceBlock &block)
    {
        auto &users = m_known[block.slices];
        for (const std::size_t user : users) {
            if (m_blocks[user].facts == block.facts)
                return &m_blocks[user];
        }
        const auto &namesakes = m_byName[block.name];
        for (std::size_t i = 0; i < namesakes.size() && i < kMostNamesakes; ++i) {
            SliceBlock &first = m_blocks[namesakes[i]];
            if (!isCopy(first, block))
                continue;
            users.push_back(namesakes[i]);
            first.copies.push_back(block.slices);
            return &first;
        }
        return nullptr;
    }

    /// Whether another stream has the same bytes for the same use: an edit then changes both. Of a
    /// pair
    /// of engines that halves the channels, the slices may be alike in all but their bytes.
    bool isCopy(const SliceBlock &first, const SliceBlock &second)
    {
        if (first.facts != second.facts || first.slices.size() != second.slices.size() ||
            (first.stream == second.stream && first.text == second.text))
            return false;
        const auto same = [this](ByteRange a, ByteRange b) {
            if (a.bytes != b.bytes || a.bytes.value > m_mayCompare)
                return false;
            m_mayCompare -= a.bytes.value;
            return std::memcmp(m_bytes.data() + a.offset.value, m_bytes.data() + b.offset.value,
                               a.bytes.value) == 0;
        };
        return std::equal(first.slices.begin(), first.slices.end(), second.slices.begin(), same);
    }

    const hwx::Container &m_container;
    std::span<const std::byte> m_bytes;
    const std::string &m_file;
    Diagnostics &m_diagnostics;
    std::vector<hwx::KernelTile> m_tiles;
    std::vector<SliceBlock> m_blocks;
    std::map<std::vector<ByteRange>, std::vector<std::size_t>> m_known; ///< blocks of slices
    std::map<std::string, std::vector<std::size_t>> m_byName;
    std::uint64_t m_mayCompare = kMostCompared;
};

} // namespace

std::vector<SliceBlock> sliceBlocks(const hwx::Container &container,
                                    std::span<const std::byte> bytes, const std::string &file,
                                    Diagnostics &diagnostics)
{
    return BlockFinder(container, bytes, file, diagnostics).find();
}

} // namespace kernscope
