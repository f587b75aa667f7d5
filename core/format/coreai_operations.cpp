// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/coreai_operations.h"

#include "core/base/find.h"
#include "core/format/table_rows.h"

#include <algorithm>
#include <array>
#include <map>
#include <sstream>

namespace kernscope {

namespace {

constexpr std::string_view kDialect = "aicode.";

constexpr std::array<std::pair<std::string_view, CoreAiStep>, 10> kSteps{{
    {"constant", CoreAiStep::Constant},
    {"lut_to_dense", CoreAiStep::LutToDense},
    {"lut_to_sparse", CoreAiStep::LutToSparse},
    {"shift_scale", CoreAiStep::ShiftScale},
    {"build_sparse", CoreAiStep::BuildSparse},
    {"sparse_to_dense", CoreAiStep::SparseToDense},
    {"dequantize", CoreAiStep::Dequantize},
    {"cast", CoreAiStep::Cast},
    {"reshape", CoreAiStep::Reshape},
    {"transpose", CoreAiStep::Transpose},
}};

CoreAiStep stepOf(std::string_view name)
{
    const auto *found =
        std::ranges::find_if(kSteps, [name](const auto &row) { return row.first == name; });
    return found == kSteps.end() ? CoreAiStep::None : found->second;
}

/// "x weight=kernel -strides values*": roles after '=', parameters after '-', lists before '*'.
std::vector<CoreAiOperand> operandsOf(std::string_view cell)
{
    std::vector<CoreAiOperand> operands;
    std::istringstream words{std::string(cell)};
    for (std::string word; words >> word;) {
        CoreAiOperand operand;
        operand.parameter = word.front() == '-';
        operand.list = word.back() == '*';
        const std::size_t first = operand.parameter ? 1 : 0;
        const std::string text = word.substr(first, word.size() - first - (operand.list ? 1 : 0));
        const auto role = text.find('=');
        operand.name = text.substr(0, role);
        operand.role = role == text.npos ? std::string() : text.substr(role + 1);
        operands.push_back(std::move(operand));
    }
    return operands;
}

bool isVersion(std::string_view text)
{
    return text.size() > 2 && text.starts_with("_v") &&
           text.find_first_not_of("0123456789", 2) == text.npos;
}

const std::map<std::string, CoreAiOperation, std::less<>> &operationRows()
{
    static const auto rows = [] {
        std::map<std::string, CoreAiOperation, std::less<>> made;
        for (CoreAiOperation &row : tables::loadRows<CoreAiOperation>(
                 "coreai_ops",
                 {{"stored", &CoreAiOperation::stored},
                  {"type", &CoreAiOperation::type},
                  {"step",
                   [](CoreAiOperation &each, std::string_view cell) { each.step = stepOf(cell); }},
                  {"operands", [](CoreAiOperation &each,
                                  std::string_view cell) { each.operands = operandsOf(cell); }},
                  {"confidence", &CoreAiOperation::confidence}}))
            made[row.stored] = std::move(row);
        return made;
    }();
    return rows;
}

/// "conv2d" of "primitive.conv2d_v1".
std::string_view baseName(std::string_view name)
{
    if (const auto dot = name.rfind('.'); dot != name.npos)
        name.remove_prefix(dot + 1);
    if (const auto version = name.rfind("_v");
        version != name.npos && isVersion(name.substr(version)))
        name = name.substr(0, version);
    return name;
}

} // namespace

CoreAiOperand CoreAiOperation::operand(std::size_t index) const
{
    if (index < operands.size())
        return operands[index];
    if (!operands.empty() && operands.back().list)
        return operands.back();
    CoreAiOperand made;
    made.name = index == 0 ? "x" : index == 1 ? "y" : "operand" + std::to_string(index);
    return made;
}

const CoreAiOperation *coreAiOperation(std::string_view stored)
{
    if (stored.starts_with(kDialect))
        stored.remove_prefix(kDialect.size());
    const auto found = operationRows().find(stored);
    return found == operationRows().end() ? nullptr : &found->second;
}

CoreAiOperation coreAiOperationOrMade(std::string_view stored)
{
    if (const CoreAiOperation *row = coreAiOperation(stored))
        return *row;
    CoreAiOperation made;
    made.stored = stored.starts_with(kDialect) ? stored.substr(kDialect.size()) : stored;
    std::string_view name = baseName(made.stored);
    constexpr std::string_view kBroadcasting = "broadcasting_";
    if (name.starts_with(kBroadcasting))
        name.remove_prefix(kBroadcasting.size());
    made.type = name;
    return made;
}

CoreAiOperation coreAiKernel(std::string_view name)
{
    // Versions ascend in the map, so that the newest one stays.
    static const auto kernels = [] {
        std::map<std::string, CoreAiOperation, std::less<>> made;
        for (const auto &[stored, row] : operationRows())
            made[std::string(baseName(stored))] = row;
        return made;
    }();
    const auto found = kernels.find(baseName(name));
    return found == kernels.end() ? coreAiOperationOrMade(name) : found->second;
}

std::string plainName(std::string_view text)
{
    constexpr std::size_t kMostText = 200;
    std::string plain(text.substr(0, kMostText));
    for (char &each : plain) {
        const bool special =
            each == '$' || each == '/' || each == ' ' || static_cast<unsigned char>(each) < 0x20;
        each = special ? '_' : each;
    }
    return plain;
}

std::string scopeOf(const std::vector<std::string> &frames)
{
    std::string scope;
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame)
        scope += (scope.empty() ? "" : "/") + plainName(*frame);
    return scope;
}

const MetaValue *MetaValue::part(std::string_view key) const
{
    return findBy(parts, &MetaValue::name, key);
}

DebugEntry debugEntry(std::string_view name, const MetaValue &value)
{
    constexpr std::size_t kMostFrames = 16;
    DebugEntry entry;
    const auto add = [&entry](const MetaValue *level, const MetaValue *id) {
        if (level && level->text == "coreai" && id)
            entry.sourceOps.push_back(static_cast<std::uint32_t>(id->number));
    };
    if (name == "op_id") {
        add(value.part("type"), value.part("value"));
    } else if (name == "output_maps") {
        for (const MetaValue &map : value.parts) {
            if (const MetaValue *source = map.part("source"))
                add(source->part("level"), source->part("id"));
        }
    } else if (name == "call_stack") {
        for (const MetaValue &frame : value.parts) {
            if (entry.callStack.size() < kMostFrames)
                entry.callStack.push_back(frame.text);
        }
    } else if (name == "sources") {
        const MetaValue *texts =
            value.parts.empty() ? nullptr : value.parts.front().part("identifiers");
        if (texts)
            entry.node = texts->parts.empty() ? texts->text : texts->parts.front().text;
    } else if (name != "symbol") {
        entry.name = plainName(name);
    }
    return entry;
}

const ImageFormat *imageFormat(std::uint64_t code)
{
    static const auto rows =
        tables::loadRows<ImageFormat>("image_formats", {{"code", &ImageFormat::code},
                                                        {"name", &ImageFormat::name},
                                                        {"vendor", &ImageFormat::vendor}});
    return findBy(rows, &ImageFormat::code, code);
}

std::string fourccText(std::uint64_t code)
{
    if (const ImageFormat *known = imageFormat(code))
        return known->name;
    std::string letters;
    for (int shift = 24; shift >= 0; shift -= 8)
        letters += static_cast<char>(code >> shift & 0xFFU);
    const bool printable =
        std::ranges::all_of(letters, [](char each) { return each >= ' ' && each < 0x7F; });
    return printable ? letters : std::to_string(static_cast<std::int64_t>(code));
}

} // namespace kernscope
