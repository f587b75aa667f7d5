// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/hwx/slots.h"

#include "core/base/little_endian.h"
#include "core/container/hwx/kernels.h"
#include "core/descriptor/image_v10.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::hwx {

namespace {

using descriptor::TaskDetail;

/// An aperture or BAR of version 24 (resources/formats/hardware-containers.md): four slots a tensor
/// from 24 on, outputs first, then inputs.
constexpr std::uint32_t kFirstTensorBar = 24, kBarsPerTensor = 4, kWeightBar = 4;
constexpr std::uint32_t kVersionOfBars = 24, kImageVersion = 10;

class SlotFinder
{
public:
    SlotFinder(const Container &container, const Text &text, std::span<const std::byte> bytes)
        : m_container(container), m_section(container.section(text.section)), m_list(*text.tasks)
    {
        if (m_section == nullptr || !m_section->bytes)
            return;
        m_text = bytes.subspan(static_cast<std::size_t>(m_section->bytes->offset.value),
                               static_cast<std::size_t>(m_section->bytes->bytes.value));
        if (m_list.version != nullptr)
            m_map = descriptor::RegisterMap::of(m_list.version->registerMap);
        for (std::size_t i = 0; i < m_section->relocations.size(); ++i)
            m_relocated.emplace_back(m_section->relocations[i].address, i);
        std::ranges::sort(m_relocated);
        m_placed.resize(m_section->relocations.size());
    }

    std::vector<Slot> find()
    {
        if (m_section == nullptr || !m_section->bytes || m_list.version == nullptr)
            return {};
        const descriptor::TaskReader reader(m_text, m_list);
        TaskDetail detail;
        for (std::size_t i = 0; i < m_list.tasks.size(); ++i) {
            reader.read(i, detail);
            findInTask(detail);
        }
        for (std::size_t i = 0; i < m_placed.size(); ++i) {
            if (!m_placed[i])
                addRelocation(i, std::nullopt, 0);
        }
        std::ranges::stable_sort(m_slots, {}, &Slot::textOffset);
        return std::move(m_slots);
    }

private:
    void findInTask(const TaskDetail &detail)
    {
        addAddressPackets(detail);
        addBases(detail);
        for (const auto &write : detail.stream.writes) {
            const std::uint64_t at = detail.task.offset + write.offset;
            for (auto record = std::lower_bound(m_relocated.begin(), m_relocated.end(),
                                                std::pair(at, std::size_t(0)));
                 record != m_relocated.end() && record->first == at; ++record) {
                m_placed[record->second] = true;
                addRelocation(record->second, detail.index, write.address);
            }
        }
    }

    void addRelocation(std::size_t record, std::optional<std::size_t> task, std::uint32_t address)
    {
        const Relocation &relocation = m_section->relocations[record];
        Slot slot;
        slot.kind = SlotKind::Relocation;
        slot.task = task;
        slot.textOffset = relocation.address;
        slot.words = relocation.length() == 3 ? 2 : 1;
        slot.address = address;
        slot.target = relocationTarget(relocation);
        slot.confidence =
            slot.words == 1 ? format::Confidence::Assumed : format::Confidence::Documented;
        if (task)
            name(slot);
        else
            slot.role = "a word of no task";
        add(std::move(slot));
    }

    void addAddressPackets(const TaskDetail &detail)
    {
        for (const auto &packet : detail.stream.packets) {
            if (packet.kind != descriptor::PacketKind::Address)
                continue;
            const std::uint64_t at = detail.task.offset + packet.offset + 4;
            if (isRelocated(at))
                continue;
            Slot slot;
            slot.kind = SlotKind::AddressPacket;
            slot.task = detail.index;
            slot.textOffset = at;
            slot.words = packet.count >= 2 ? 2 : 1;
            slot.address = packet.address;
            slot.target = barTarget(packet.bar);
            name(slot);
            add(std::move(slot));
        }
    }

    /// Base registers that a task writes without an address packet.
    void addBases(const TaskDetail &detail)
    {
        for (const char *name : {"src1_base", "src2_base", "dst_base", "kernel_base"}) {
            const auto *role = descriptor::roleOf(m_list.version->registerMap, name);
            const auto *write = role == nullptr ? nullptr : detail.written(role->address);
            if (write == nullptr)
                continue;
            const bool packed = std::ranges::any_of(detail.stream.packets, [&](const auto &packet) {
                return packet.kind == descriptor::PacketKind::Address &&
                       packet.address == role->address;
            });
            const std::uint64_t at = detail.task.offset + write->offset;
            if (packed || isRelocated(at))
                continue;
            Slot slot;
            slot.task = detail.index;
            slot.textOffset = at;
            slot.address = role->address;
            slot.confidence = role->bits.confidence;
            if (m_list.version->walk == descriptor::TaskWalk::Linked) {
                const auto target = headerAperture(detail, name);
                if (!target)
                    continue; // the header says that this base is not used
                slot.kind = SlotKind::Aperture;
                slot.target = *target;
            } else {
                const auto *high = detail.written(role->address + 4);
                slot.words = high != nullptr && high->offset == write->offset + 4 ? 2 : 1;
            }
            this->name(slot);
            add(std::move(slot));
        }
    }

    void add(Slot slot)
    {
        slot.section = m_section->ordinal;
        slot.place = FileOffset(m_section->bytes->offset.value + slot.textOffset);
        if (slot.textOffset > m_text.size() || m_text.size() - slot.textOffset < 4ULL * slot.words)
            return;
        slot.stored = slot.words == 2 ? loadLittle<std::uint64_t>(m_text, slot.textOffset)
                                      : loadLittle<std::uint32_t>(m_text, slot.textOffset);
        m_slots.push_back(std::move(slot));
    }

    void name(Slot &slot) const
    {
        const descriptor::Register *reg = m_map == nullptr ? nullptr : m_map->find(slot.address);
        slot.registerName =
            reg == nullptr ? fmt::format("{:#x}", slot.address) : reg->block + " " + reg->name;
        slot.role = roleAt(slot.address);
    }

    std::string roleAt(std::uint32_t address) const
    {
        if (m_list.version == nullptr)
            return {};
        if (m_list.version->number == kImageVersion) {
            for (const auto &field : descriptor::imageFields()) {
                if (field.record == "reloc" && field.byteAddress == address)
                    return field.name;
            }
        }
        struct Named {
            std::string_view role, text;
        };
        static constexpr std::array<Named, 4> kNames{
            Named{"src1_base", "source 1"}, Named{"src2_base", "source 2"},
            Named{"dst_base", "destination"}, Named{"kernel_base", "kernel section"}};
        const std::uint32_t map = m_list.version->registerMap;
        for (const Named &named : kNames) {
            const auto *role = descriptor::roleOf(map, named.role);
            if (role != nullptr && (role->address == address || role->address + 4 == address))
                return std::string(named.text);
        }
        const auto *lanes = descriptor::roleOf(map, "lane_base");
        if (lanes != nullptr && address >= lanes->address && address - lanes->address < 64)
            return fmt::format("coefficients of lane {}", (address - lanes->address) / 4);
        const auto *configs = descriptor::roleOf(map, "lane_config");
        if (configs != nullptr && address >= configs->address && address - configs->address < 64)
            return fmt::format("data set of lane {}", (address - configs->address) / 4);
        return {};
    }

    SlotTarget apertureTarget(std::uint32_t index) const
    {
        SlotTarget target;
        target.kind = TargetKind::Aperture;
        target.index = index;
        target.name = fmt::format("aperture {}", index);
        const Thread *program = m_container.program();
        if (program == nullptr)
            return target;
        const auto at = program->apertures.find(index);
        if (at == program->apertures.end())
            return target;
        target.address = at->second;
        for (const Binding &binding : m_container.bindings) {
            if (binding.address == at->second)
                target.name += " (" + binding.name + ")";
        }
        if (const SegmentSection *section = m_container.sectionAt(at->second);
            section != nullptr && section->bytes)
            target.name += " (" + section->segment + "," + section->name + ")";
        return target;
    }

    SlotTarget barTarget(std::uint32_t bar) const
    {
        SlotTarget target;
        target.kind = TargetKind::Bar;
        target.index = bar;
        target.name = fmt::format("BAR {}", bar);
        if (m_list.version->number != kVersionOfBars)
            return target; // other versions number them differently
        const auto take = [&target](const SegmentSection *section, const std::string &what) {
            if (section == nullptr)
                return;
            target.address = section->address;
            target.name += " (" + what + ")";
        };
        if (bar == kWeightBar) {
            take(m_container.firstOf(SectionType::Kernel), "weights");
        } else if (bar >= kFirstTensorBar) {
            std::vector<const SegmentSection *> tensors;
            for (const SectionType type : {SectionType::Output, SectionType::Input}) {
                for (const Segment &segment : m_container.segments) {
                    for (const SegmentSection &section : segment.sections) {
                        if (section.type() == type)
                            tensors.push_back(&section);
                    }
                }
            }
            const std::size_t number = (bar - kFirstTensorBar) / kBarsPerTensor;
            if (number < tensors.size())
                take(tensors[number], fmt::format("tensor {}", number));
        }
        return target;
    }

    SlotTarget relocationTarget(const Relocation &relocation) const
    {
        SlotTarget target;
        target.index = relocation.symbolNumber();
        if (relocation.external()) {
            if (target.index >= m_container.symbols.size())
                return target;
            target.kind = TargetKind::Symbol;
            target.name = m_container.symbols[target.index].name;
            target.address = m_container.symbols[target.index].value;
            return target;
        }
        const SegmentSection *section = m_container.section(target.index);
        if (section == nullptr)
            return target;
        target.kind = TargetKind::Section;
        target.name = section->segment + "," + section->name;
        target.address = section->address;
        return target;
    }

    /// Version 7: the header's words 8 and 9 name an aperture for each base, with an enable bit.
    std::optional<SlotTarget> headerAperture(const TaskDetail &detail, std::string_view role) const
    {
        constexpr std::size_t kTileWord = 8;
        if (m_list.version->walk != descriptor::TaskWalk::Linked ||
            detail.header.size() <= kTileWord)
            return std::nullopt;
        const unsigned shift = role == "src1_base" ? 0 : role == "src2_base" ? 6 : 12;
        const std::uint32_t word = detail.header[kTileWord] >> shift;
        return (word >> 5 & 1) != 0 ? std::optional(apertureTarget(word & 0x1F)) : std::nullopt;
    }

    bool isRelocated(std::uint64_t textOffset) const
    {
        const auto at = std::lower_bound(m_relocated.begin(), m_relocated.end(),
                                         std::pair(textOffset, std::size_t(0)));
        return at != m_relocated.end() && at->first == textOffset;
    }

    const Container &m_container;
    const SegmentSection *m_section;
    std::span<const std::byte> m_text;
    const descriptor::TaskList &m_list;
    const descriptor::RegisterMap *m_map = nullptr;
    std::vector<std::pair<std::uint64_t, std::size_t>> m_relocated; ///< offset, record; ascending
    std::vector<bool> m_placed; ///< of a record: it names a word of a task
    std::vector<Slot> m_slots;
};

} // namespace

std::string_view slotKindName(SlotKind kind)
{
    static constexpr std::array<std::string_view, 4> kNames{"relocation", "address packet",
                                                            "aperture", "register"};
    return kNames[static_cast<std::size_t>(kind)];
}

std::string_view targetKindName(TargetKind kind)
{
    static constexpr std::array<std::string_view, 5> kNames{"unknown", "section", "symbol",
                                                            "aperture", "BAR"};
    return kNames[static_cast<std::size_t>(kind)];
}

std::vector<Slot> relocationSlots(const Container &container, std::span<const std::byte> bytes)
{
    std::vector<Slot> all;
    for (const Text &text : container.texts) {
        auto slots = SlotFinder(container, text, bytes).find();
        std::move(slots.begin(), slots.end(), std::back_inserter(all));
    }
    return all;
}

} // namespace kernscope::hwx
