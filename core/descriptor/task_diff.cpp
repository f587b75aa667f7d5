// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/descriptor/task_diff.h"

#include <algorithm>

namespace kernscope::descriptor {

namespace {

using NamedValues = std::vector<std::pair<std::string_view, std::uint32_t>>;

std::optional<std::uint32_t> valueOf(const NamedValues &fields, std::string_view name)
{
    const auto at = std::find_if(fields.begin(), fields.end(),
                                 [name](const auto &field) { return field.first == name; });
    return at == fields.end() ? std::nullopt : std::optional(at->second);
}

std::vector<FieldDifference> headerDifferences(const NamedValues &a, const NamedValues &b)
{
    std::vector<FieldDifference> found;
    const auto add = [&found](std::string_view name, std::optional<std::uint32_t> left,
                              std::optional<std::uint32_t> right) {
        if (left != right && name != "NextPointer")
            found.push_back({std::string(name), left, right});
    };
    for (const auto &[name, value] : a)
        add(name, value, valueOf(b, name));
    for (const auto &[name, value] : b) {
        if (!valueOf(a, name))
            add(name, std::nullopt, value);
    }
    return found;
}

std::vector<FieldDifference> fieldDifferences(const Register *reg, std::optional<std::uint32_t> a,
                                              std::optional<std::uint32_t> b)
{
    std::vector<FieldDifference> found;
    if (reg == nullptr)
        return found;
    for (const BitField &field : reg->fields) {
        const auto left = a ? std::optional(field.of(*a)) : std::nullopt;
        const auto right = b ? std::optional(field.of(*b)) : std::nullopt;
        if (left != right)
            found.push_back({field.name, left, right});
    }
    return found;
}

} // namespace

TaskDifference compareTasks(TaskReader &readerA, std::size_t a, TaskReader &readerB, std::size_t b)
{
    TaskDifference result;
    result.a = a;
    result.b = b;
    TaskDetail left, right;
    readerA.before(a);
    readerA.read(a, left);
    std::vector<std::uint32_t> addresses;
    for (const RegisterWrite &write : left.stream.writes)
        addresses.push_back(write.address);
    // One reader may serve both sides: what holds on the first is asked for before it moves on.
    readerB.read(b, right);
    for (const RegisterWrite &write : right.stream.writes)
        addresses.push_back(write.address);
    std::sort(addresses.begin(), addresses.end());
    addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
    std::vector<std::optional<std::uint32_t>> values;
    values.reserve(addresses.size());
    for (const std::uint32_t address : addresses)
        values.push_back(readerA.effective(left, address));
    readerB.before(b);
    const Version &version = *readerA.list().version;
    const RegisterMap *map = RegisterMap::of(version.registerMap);
    for (std::size_t i = 0; i < addresses.size(); ++i) {
        const auto other = readerB.effective(right, addresses[i]);
        if (values[i] == other)
            continue;
        const Register *reg = map == nullptr ? nullptr : map->find(addresses[i]);
        result.registers.push_back(
            {addresses[i], reg, values[i], other, fieldDifferences(reg, values[i], other)});
    }
    result.header = headerDifferences(headerFields(left, version),
                                      headerFields(right, *readerB.list().version));
    return result;
}

} // namespace kernscope::descriptor
