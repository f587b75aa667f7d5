// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/hwx/container.h"

#include "core/base/little_endian.h"

#include <algorithm>

namespace kernscope::hwx {

namespace {

struct FlagName {
    std::uint32_t bit;
    std::string_view name;
};

std::vector<std::string_view> namesOf(std::uint32_t flags, std::span<const FlagName> known)
{
    std::vector<std::string_view> names;
    for (const FlagName &flag : known) {
        if ((flags & flag.bit) != 0)
            names.push_back(flag.name);
    }
    return names;
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
    static constexpr std::array<std::string_view, 7> kNames{
        "unknown", "io_input", "io_output", "bss", "kernel_const", "task_text", "debug_info"};
    return kNames[static_cast<std::size_t>(type)];
}

SectionType SegmentSection::type() const
{
    switch (flags & 0xFF) {
    case 0x21: return SectionType::Input;
    case 0x23: return SectionType::Output;
    case 0x25: return SectionType::Bss;
    case 0x26: return SectionType::Kernel;
    case 0x28: return SectionType::Text;
    case 0x32: return SectionType::Debug;
    default: break;
    }
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
    static constexpr std::array<FlagName, 3> kNames{
        FlagName{0x1, "highvm"}, FlagName{0x2, "fvmlib"}, FlagName{0x4, "noreloc"}};
    return namesOf(flags, kNames);
}

std::vector<std::string_view> sectionAttributeNames(std::uint32_t flags)
{
    static constexpr std::array<FlagName, 3> kNames{FlagName{0x100, "loc_reloc"},
                                                    FlagName{0x200, "ext_reloc"},
                                                    FlagName{0x400, "some_instructions"}};
    return namesOf(flags, kNames);
}

std::string_view symbolKindName(std::uint8_t type)
{
    switch (type) {
    case 0x0f: return "section_external";
    case 0x0e: return "section_local";
    case 0x80: return "stab_local_type";
    case 0x20: return "stab_global_var";
    default: return "unknown";
    }
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
    const auto at = std::find_if(threads.begin(), threads.end(), [](const Thread &thread) {
        return thread.role == ThreadRole::Program;
    });
    return at == threads.end() ? nullptr : &*at;
}

bool Container::extended() const
{
    return std::any_of(segments.begin(), segments.end(),
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

} // namespace kernscope::hwx
