// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/hwx/container.h"

#include "core/base/little_endian.h"
#include "core/container/hwx/hwx_codes.h"

#include <algorithm>

namespace kernscope::hwx {

namespace {

/// In the order of SectionType.
constexpr std::array<std::string_view, 7> kSectionTypes{
    "unknown", "io_input", "io_output", "bss", "kernel_const", "task_text", "debug_info"};

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
    const auto known =
        std::find(kSectionTypes.begin(), kSectionTypes.end(), codeName("section", flags & 0xFF));
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
