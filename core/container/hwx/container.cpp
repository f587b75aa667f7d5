// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/hwx/container.h"

#include "core/base/error_builder.h"
#include "core/base/find.h"
#include "core/container/hwx/reader.h"
#include "core/container/hwx/slots.h"
#include "core/format/table_rows.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace kernscope::hwx {

namespace {

/// In the order of SectionType.
constexpr std::array<std::string_view, 7> kSectionTypes{
    "unknown", "io_input", "io_output", "bss", "kernel_const", "task_text", "debug_info"};

const std::vector<HwxCode> &codes()
{
    static const auto rows = tables::loadRows<HwxCode>(
        "hwx_codes",
        {{"kind", &HwxCode::kind}, {"code", &HwxCode::code}, {"name", &HwxCode::name}});
    return rows;
}

bool takeText(std::string_view &text, std::string_view what)
{
    if (!text.starts_with(what))
        return false;
    text.remove_prefix(what.size());
    return true;
}

template <class T>
bool takeNumber(std::string_view &text, T &number)
{
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (fault != std::errc())
        return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return true;
}

/// "name:t<id>=": the name ends where such a mark follows it.
bool takeHead(std::string_view &text, std::string &name, std::uint32_t &id)
{
    for (std::size_t at = text.find(":t"); at != std::string_view::npos;
         at = text.find(":t", at + 1)) {
        std::string_view rest = text.substr(at + 2);
        if (takeNumber(rest, id) && takeText(rest, "=")) {
            name = text.substr(0, at);
            text = rest;
            return true;
        }
    }
    return false;
}

/// "ar1;0;<count>;<id>=s<stride><axis>:"
bool takeAxis(std::string_view &text, FrameAxis &axis)
{
    std::uint64_t id = 0;
    if (!takeText(text, "ar1;0;") || !takeNumber(text, axis.count) || !takeText(text, ";") ||
        !takeNumber(text, id) || !takeText(text, "=s") || !takeNumber(text, axis.byteStride))
        return false;
    const auto end = text.find(':');
    if (end == std::string_view::npos || end == 0)
        return false;
    axis.axis = text.substr(0, end);
    text.remove_prefix(end + 1);
    return true;
}

Error slotError(std::string_view code, const Slot *slot, std::string expected, std::string found,
                std::string message)
{
    ErrorBuilder error(code);
    error.expected(std::move(expected)).found(std::move(found)).message(std::move(message));
    if (slot != nullptr)
        return error.at(slot->place).field(slot->registerName);
    return error.field("device address");
}

std::array<std::uint32_t, 2> wordsOf(std::uint64_t value)
{
    return {static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(value >> 32)};
}

/// Device address of a slot's target, by a plan.
Result<std::uint64_t> targetAddress(const Container &container, const Slot &slot,
                                    const LoadPlan &plan)
{
    const std::uint64_t start = imageStart(container);
    if (!slot.target.address || *slot.target.address < start)
        return tl::unexpected(slotError("slot.target", &slot, "a target whose address is known",
                                        slot.target.name,
                                        "nothing in the file says where this target lies"));
    const auto sum = checkedAdd(plan.base, *slot.target.address - start);
    if (!sum)
        return tl::unexpected(slotError("slot.range", &slot, "an address below 2^42", {},
                                        "the target's address wraps around"));
    return *sum;
}

/// A one-word record counts from its target's aperture: loading leaves it alone.
bool staysRelative(const Slot &slot)
{
    return slot.kind == SlotKind::Aperture ||
           (slot.kind == SlotKind::Relocation && slot.words == 1);
}

void loadSlot(const Container &container, const Slot &slot, const LoadPlan &plan,
              LoadedSlot &loaded)
{
    const auto target = targetAddress(container, slot, plan);
    if (!target) {
        loaded.fault = target.error();
        return;
    }
    const auto sum = checkedAdd(*target, slot.stored);
    const std::uint64_t address = sum.value_or(UINT64_MAX);
    if (auto sound = checkDeviceAddress(address); !sound) {
        loaded.fault = std::move(sound.error());
        loaded.fault->offset = slot.place;
        return;
    }
    loaded.deviceAddress = address;
    if (staysRelative(slot))
        return;
    if (slot.words == 1 && address > UINT32_MAX) {
        loaded.fault =
            slotError("slot.range", &slot, "an address of 32 bits", fmt::format("{:#x}", address),
                      "a slot of one word cannot hold this address");
        return;
    }
    loaded.after = wordsOf(address);
}

void stripSlot(const Container &container, const Slot &slot, const LoadPlan &plan,
               LoadedSlot &loaded)
{
    const auto target = targetAddress(container, slot, plan);
    if (!target) {
        loaded.fault = target.error();
        return;
    }
    if (staysRelative(slot))
        return;
    if (slot.stored < *target) {
        loaded.fault =
            slotError("slot.range", &slot, fmt::format("{:#x} or more", *target),
                      fmt::format("{:#x}", slot.stored), "the slot holds no address of this load");
        return;
    }
    loaded.deviceAddress = slot.stored;
    loaded.after = wordsOf(slot.stored - *target);
}

template <class Step>
std::vector<LoadedSlot> forEach(const std::vector<Slot> &places, const Step &step)
{
    std::vector<LoadedSlot> all;
    all.reserve(places.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
        LoadedSlot loaded;
        loaded.slot = i;
        loaded.before = loaded.after = wordsOf(places[i].stored);
        step(places[i], loaded);
        all.push_back(std::move(loaded));
    }
    return all;
}

constexpr std::uint64_t kWord = 4;
constexpr std::uint64_t kLongest = std::uint64_t{64} << 20;

/// A multiple of four that the kind of the command can have.
bool fitsKind(std::span<const std::byte> bytes, std::uint64_t at, CommandKind kind,
              std::uint32_t size)
{
    const auto word = [&](std::uint64_t into) {
        return loadLittle<std::uint32_t>(bytes, at + into);
    };
    if (size < kCommandHead || size % kWord != 0)
        return false;
    switch (kind) {
    case CommandKind::Segment:
        return size >= 72 && std::uint64_t{size} == 72 + 80 * std::uint64_t{word(64)};
    case CommandKind::SymbolTable: return size == 24;
    case CommandKind::Thread: return size >= 16 && size >= 16 + 4 * std::uint64_t{word(12)};
    case CommandKind::Binding32: return size > 20 && word(8) >= 20 && word(8) < size;
    case CommandKind::Binding64: return size > 24 && word(8) >= 24 && word(8) < size;
    case CommandKind::Signature: return size == 16;
    case CommandKind::Note: return size >= 40;
    case CommandKind::Ident: return true;
    case CommandKind::Unknown: break;
    }
    return false;
}

/// Size of a command that is whole and fits its kind; 0 where there is none at `at`.
std::uint32_t soundSize(std::span<const std::byte> bytes, std::uint64_t at, std::uint64_t end)
{
    if (at > end || end - at < kCommandHead)
        return 0;
    const auto size = loadLittle<std::uint32_t>(bytes, at + kWord);
    const CommandKind kind = commandKindOf(loadLittle<std::uint32_t>(bytes, at));
    return size <= end - at && fitsKind(bytes.first(end), at, kind, size) ? size : 0;
}

} // namespace

std::string_view commandKindName(CommandKind kind)
{
    static constexpr std::array<std::string_view, 9> kNames{
        "segment_64",     "symtab", "thread",       "fvmlib_ref32", "ident",
        "code_signature", "note",   "fvmlib_ref64", "unknown"};
    return kNames[static_cast<std::size_t>(kind)];
}

std::string_view sectionTypeName(SectionType type)
{
    return kSectionTypes[static_cast<std::size_t>(type)];
}

SectionType SegmentSection::type() const
{
    const auto known = std::ranges::find(kSectionTypes, codeName("section", flags & 0xFF));
    if (known != kSectionTypes.end())
        return static_cast<SectionType>(known - kSectionTypes.begin());
    // The type of __kern_0 is not published: its name tells.
    if (segment.starts_with("__KERN_"))
        return SectionType::Kernel;
    return name == "__text" ? SectionType::Text : SectionType::Other;
}

bool SegmentSection::within(const Segment &segmentOf) const
{
    return address >= segmentOf.vmAddress && size <= segmentOf.vmSize &&
           address - segmentOf.vmAddress <= segmentOf.vmSize - size;
}

std::vector<std::string_view> segmentFlagNames(std::uint32_t flags)
{
    return bitNames("segment flag", flags);
}

std::vector<std::string_view> sectionAttributeNames(std::uint32_t flags)
{
    return bitNames("section flag", flags);
}

std::string_view symbolKindName(std::uint8_t type)
{
    const std::string_view name = codeName("symbol", type);
    return name.empty() ? "unknown" : name;
}

const SegmentSection *Container::section(std::uint32_t ordinal) const
{
    for (const Segment &segment : segments) {
        for (const SegmentSection &section : segment.sections) {
            if (section.ordinal == ordinal)
                return &section;
        }
    }
    return nullptr;
}

const SegmentSection *Container::sectionAt(std::uint64_t address) const
{
    const SegmentSection *damaged = nullptr;
    for (const Segment &segment : segments) {
        for (const SegmentSection &section : segment.sections) {
            if (address < section.address || address - section.address >= section.size)
                continue;
            if (section.within(segment))
                return &section;
            damaged = damaged == nullptr ? &section : damaged;
        }
    }
    return damaged;
}

const SegmentSection *Container::firstOf(SectionType type) const
{
    for (const Segment &segment : segments) {
        for (const SegmentSection &section : segment.sections) {
            if (section.type() == type)
                return &section;
        }
    }
    return nullptr;
}

const Thread *Container::program() const
{
    return findBy(threads, &Thread::role, ThreadRole::Program);
}

bool Container::extended() const
{
    return std::ranges::any_of(segments,
                               [](const Segment &segment) { return segment.name == "__RUNTIME"; });
}

std::size_t Container::taskCount() const
{
    std::size_t count = 0;
    for (const Text &text : texts)
        count += text.tasks->tasks.size();
    return count;
}

bool isContainer(std::span<const std::byte> bytes)
{
    return bytes.size() >= 4 && loadLittle<std::uint32_t>(bytes, 0) == kMagic;
}

std::string_view codeName(std::string_view kind, std::uint32_t code)
{
    for (const HwxCode &row : codes()) {
        if (row.code == code && row.kind == kind)
            return row.name;
    }
    return {};
}

std::vector<std::string_view> bitNames(std::string_view kind, std::uint32_t bits)
{
    std::vector<std::string_view> names;
    for (const HwxCode &row : codes()) {
        if ((bits & row.code) != 0 && row.kind == kind)
            names.push_back(row.name);
    }
    return names;
}

bool readTypeEntry(std::string_view name, TypeEntry &entry)
{
    if (!takeHead(name, entry.name, entry.id))
        return false;
    entry.range = name;
    return true;
}

bool readTensorFrame(std::string_view name, TensorFrame &frame)
{
    std::uint32_t id = 0;
    if (!takeHead(name, frame.name, id) || !name.starts_with("ar1;"))
        return false;
    frame.type = std::to_string(id);
    while (name.starts_with("ar1;")) {
        FrameAxis axis;
        if (!takeAxis(name, axis))
            return false;
        frame.axes.push_back(std::move(axis));
    }
    return takeNumber(name, frame.elementType);
}

Result<void> checkDeviceAddress(std::uint64_t address)
{
    if ((address >> kDeviceAddressBits) != 0)
        return tl::unexpected(slotError("slot.range", nullptr, "an address below 2^42",
                                        fmt::format("{:#x}", address),
                                        "a device address has 42 bits"));
    if (address % kDeviceAddressAlign != 0)
        return tl::unexpected(slotError("slot.alignment", nullptr, "a multiple of 64",
                                        fmt::format("{:#x}", address),
                                        "a device address is aligned to 64 bytes"));
    return {};
}

std::uint64_t imageStart(const Container &container)
{
    std::optional<std::uint64_t> lowest;
    for (const Segment &segment : container.segments) {
        // The guard page at address 0 has no contents and no sections.
        const bool guard = segment.vmAddress == 0 && !segment.hasBytes();
        if (!guard)
            lowest = std::min(lowest.value_or(segment.vmAddress), segment.vmAddress);
    }
    return lowest.value_or(0);
}

std::vector<LoadedSlot> computeLoad(const Container &container, const std::vector<Slot> &places,
                                    const LoadPlan &plan)
{
    return forEach(places, [&](const Slot &slot, LoadedSlot &loaded) {
        loadSlot(container, slot, plan, loaded);
    });
}

std::vector<LoadedSlot> computeStrip(const Container &container, const std::vector<Slot> &places,
                                     const LoadPlan &plan)
{
    return forEach(places, [&](const Slot &slot, LoadedSlot &loaded) {
        stripSlot(container, slot, plan, loaded);
    });
}

CommandKind commandKindOf(std::uint32_t cmd)
{
    const std::string_view name = codeName("command", cmd);
    if (name.empty())
        return CommandKind::Unknown;
    for (CommandKind kind = CommandKind::Segment; kind != CommandKind::Unknown;
         kind = static_cast<CommandKind>(static_cast<int>(kind) + 1)) {
        if (commandKindName(kind) == name)
            return kind;
    }
    return CommandKind::Unknown;
}

CommandChain::CommandChain(std::span<const std::byte> bytes, std::uint64_t end)
    : m_bytes(bytes), m_end(end)
{
    if (end < kHeaderBytes || (end - kHeaderBytes) % kWord != 0 || end - kHeaderBytes > kLongest)
        return;
    const std::uint64_t words = (end - kHeaderBytes) / kWord;
    m_sound.resize(words + 1);
    m_sound[words] = true;
    for (std::uint64_t i = words; i-- > 0;) {
        const std::uint32_t size = soundSize(bytes, kHeaderBytes + kWord * i, end);
        m_sound[i] = size != 0 && m_sound[i + size / kWord];
    }
}

bool CommandChain::soundFrom(std::uint64_t at) const
{
    const std::uint64_t word = (at - kHeaderBytes) / kWord;
    return at >= kHeaderBytes && at % kWord == 0 && word < m_sound.size() && m_sound[word];
}

std::optional<std::uint32_t> CommandChain::sizeAt(std::uint64_t at) const
{
    const auto stated = loadLittle<std::uint32_t>(m_bytes, at + kWord);
    const bool inside = stated >= kCommandHead && stated <= m_end - at;
    if (inside && soundFrom(at + stated))
        return stated;
    // The fault is in a later command where this one leads to another.
    if (inside && m_end - at - stated >= kCommandHead) {
        const bool known =
            commandKindOf(loadLittle<std::uint32_t>(m_bytes, at + stated)) != CommandKind::Unknown;
        if (soundSize(m_bytes, at + stated, m_end) != 0 ||
            (known && soundSize(m_bytes, at, m_end) != 0))
            return stated;
    }
    for (std::uint64_t next = at + kCommandHead; next <= m_end; next += kWord) {
        if (soundFrom(next))
            return static_cast<std::uint32_t>(next - at);
    }
    return inside ? std::optional(stated) : std::nullopt;
}

bool statedSizesHold(std::span<const std::byte> bytes, std::uint32_t count, std::uint64_t end)
{
    std::uint64_t at = kHeaderBytes;
    for (std::uint32_t i = 0; i < count; ++i) {
        if (at > end || end - at < kCommandHead)
            return false;
        const auto size = loadLittle<std::uint32_t>(bytes, at + kWord);
        if (size < kCommandHead || size > end - at)
            return false;
        at += size;
    }
    return at == end;
}

std::optional<std::uint64_t> endOfCommands(std::span<const std::byte> bytes, std::uint32_t count)
{
    std::uint64_t at = kHeaderBytes;
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t size = soundSize(bytes, at, bytes.size());
        if (size == 0)
            return std::nullopt;
        at += size;
    }
    return at;
}

} // namespace kernscope::hwx
