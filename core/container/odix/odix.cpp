// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/odix/odix.h"

#include "core/base/little_endian.h"
#include "core/format/table_rows.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::odix {

namespace {

constexpr std::size_t kMostText = 200; ///< bytes of an attribute in a line

/// The reader has checked that no attribute holds itself.
void addText(const Program &program, std::uint32_t number, std::string &text)
{
    if (text.size() > kMostText)
        return;
    const Attribute &attribute = program.attributes[number];
    switch (attribute.kind) {
    case Attribute::Kind::Array:
    case Attribute::Kind::Dictionary:
        text += '[';
        for (std::size_t i = 0; i < attribute.refs.size() && text.size() <= kMostText; ++i) {
            text += i == 0 ? "" : ", ";
            if (i < attribute.keys.size())
                text += attribute.keys[i] + ": ";
            addText(program, attribute.refs[i], text);
        }
        text += ']';
        return;
    case Attribute::Kind::String:
    case Attribute::Kind::Enum: text += attribute.text.substr(0, kMostText); return;
    case Attribute::Kind::Bytes:
        text += fmt::format("{} bytes", attribute.bytes.bytes.value);
        return;
    case Attribute::Kind::Type:
        text += program.types[static_cast<std::size_t>(attribute.number)].text;
        return;
    default: text += std::to_string(attribute.number);
    }
}

} // namespace

const Code *findCode(std::string_view set, std::uint32_t code)
{
    static const auto rows = tables::loadRows<Code>("odix_codes", {{"set", &Code::set},
                                                                   {"code", &Code::code},
                                                                   {"name", &Code::name},
                                                                   {"bits", &Code::bits},
                                                                   {"element", &Code::element}});
    const auto found = std::ranges::find_if(
        rows, [&](const Code &row) { return row.code == code && row.set == set; });
    return found == rows.end() ? nullptr : &*found;
}

std::optional<ByteCount> Type::bytes() const
{
    std::uint64_t count = bits;
    for (const std::int64_t extent : dims) {
        const auto more =
            extent < 0 ? std::nullopt : checkedMultiply(count, static_cast<std::uint64_t>(extent));
        if (!more)
            return std::nullopt;
        count = *more;
    }
    if (kind != Kind::Array || bits == 0)
        return std::nullopt;
    return ByteCount(count / 8 + (count % 8 == 0 ? 0 : 1));
}

bool Symbol::isPlumbing() const
{
    const std::string_view all = name;
    const bool memory =
        all.starts_with("NDArray.") && all != "NDArray.copy" && all != "NDArray.load";
    return kernel && (memory || all.starts_with("Context.") ||
                      all.starts_with("SparseWithBitmask.") || all.starts_with('#'));
}

const Symbol *Program::callee(const Instruction &instruction) const
{
    return instruction.is(Opcode::Call) ? &symbols[static_cast<std::size_t>(instruction.value)]
                                        : nullptr;
}

const Attribute *Program::member(std::uint32_t dictionary, std::string_view key) const
{
    if (dictionary == kNone)
        return nullptr;
    const Attribute &all = attributes[dictionary];
    const auto found = std::ranges::find(all.keys, key);
    return found == all.keys.end()
               ? nullptr
               : &attributes[all.refs[static_cast<std::size_t>(found - all.keys.begin())]];
}

std::vector<std::string> Program::texts(std::uint32_t dictionary, std::string_view key) const
{
    std::vector<std::string> all;
    if (const Attribute *array = member(dictionary, key)) {
        for (const std::uint32_t each : array->refs)
            all.push_back(attributes[each].text);
    }
    return all;
}

std::string Program::attributeText(std::uint32_t number) const
{
    std::string text;
    addText(*this, number, text);
    return text;
}

std::string_view Program::roleOf(const Function &function) const
{
    const Symbol &symbol = symbolOf(function);
    if (symbol.name.starts_with('#'))
        return "shapes";
    if (!symbol.name.starts_with('$'))
        return "body";
    return symbol.inputs.empty() ? "initialiser" : "initialiser with buffers";
}

} // namespace kernscope::odix
