// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/bundle.h"
#include "core/container/mil/program.h"
#include "core/patch/edit/stored_part.h"
#include "core/patch/plan/planner.h"

#include <fmt/format.h>

namespace kernscope::patch {

namespace {

std::string storedText(const codec::Encoding &encoding, codec::PartRole role, std::uint64_t index)
{
    const auto part = storedPart(encoding, role);
    const auto code = part ? codec::operandCode(*part->operand, part->width, index) : std::nullopt;
    if (!code)
        return {};
    return isFloatingPoint(part->operand->type) ? fmt::format("{:#x}", *code)
                                                : fmt::format("{}", *code);
}

} // namespace

std::string valueText(double value)
{
    return fmt::format("{}", static_cast<float>(value));
}

std::string partText(const Edit &edit, const WeightPlanner &planner)
{
    const codec::Encoding &encoding = planner.decoder().encoding();
    const auto index = [&edit](std::size_t i) {
        return i < edit.indices.size() ? edit.indices[i].start : 0;
    };
    if (edit.kind == Edit::Kind::Codebook && encoding.palette) {
        const auto values = planner.decoder().codebookValues();
        const std::uint64_t at =
            (index(0) * encoding.palette->entries + index(1)) * encoding.palette->vector + index(2);
        return at < values.size() ? valueText(static_cast<double>(values[at])) : std::string();
    }
    if (edit.kind == Edit::Kind::Scale) {
        const auto scale = storedPart(encoding, codec::PartRole::Scale);
        const auto value = scale ? codec::operandValue(*scale->operand, index(0)) : std::nullopt;
        return value ? valueText(*value) : std::string();
    }
    return storedText(encoding, edit.part, index(0));
}

} // namespace kernscope::patch
