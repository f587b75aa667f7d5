// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/hwx/task_unit.h"

#include <algorithm>

namespace kernscope::hwx {

namespace {

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
    void addPalette();
    void addVectors();
    void addWeights(const std::vector<KernelLane> &lanes, std::uint64_t live);

    TaskUnit m_result;

private:
    const descriptor::TaskDetail &m_detail;
    const descriptor::TaskReader &m_reader;
};

void UnitReader::addPalette()
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

void UnitReader::addVectors()
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

void UnitReader::addWeights(const std::vector<KernelLane> &lanes, std::uint64_t live)
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

} // namespace

std::optional<TaskUnit> unitOfTask(const descriptor::TaskDetail &detail,
                                   const descriptor::TaskReader &reader,
                                   const std::vector<KernelLane> &lanes)
{
    const auto live = static_cast<std::uint64_t>(std::count_if(
        lanes.begin(), lanes.end(), [](const KernelLane &lane) { return lane.enabled; }));
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
    std::sort(unit.m_result.notes.begin(), unit.m_result.notes.end());
    return std::move(unit.m_result);
}

} // namespace kernscope::hwx
