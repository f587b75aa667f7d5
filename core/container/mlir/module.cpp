// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/mlir/module.h"

#include "core/base/find.h"
#include "core/container/mlir/cursor.h"

namespace kernscope::mlir {

const Section *Module::section(SectionId id) const
{
    return findBy(sections, &Section::id, id);
}

std::span<const std::byte> Module::bytesOf(ByteRange range) const
{
    return bytes.subspan(static_cast<std::size_t>(range.offset.value),
                         static_cast<std::size_t>(range.bytes.value));
}

std::string_view Module::textOf(ByteRange range) const
{
    const auto data = bytesOf(range);
    return {reinterpret_cast<const char *>(data.data()), data.size()};
}

std::string_view Module::dialectName(std::uint32_t dialect) const
{
    return strings[dialects[dialect].name];
}

std::string Module::operationName(const Operation &operation) const
{
    const OperationName &name = operationNames[operation.name];
    return std::string(dialectName(name.dialect)) + "." + std::string(strings[name.name]);
}

bool Module::is(const Operation &operation, std::string_view fullName) const
{
    const OperationName &name = operationNames[operation.name];
    const std::string_view dialect = dialectName(name.dialect), own = strings[name.name];
    return fullName.size() == dialect.size() + 1 + own.size() && fullName.starts_with(dialect) &&
           fullName[dialect.size()] == '.' && fullName.ends_with(own);
}

Siblings<Operation> Module::operationsOf(const Block &block) const
{
    return {operations, block.operations};
}

Siblings<Region> Module::regionsOf(const Operation &operation) const
{
    return {regions, operation.regions};
}

std::span<const std::uint32_t> Module::operandsOf(const Operation &operation) const
{
    return std::span(operandValues).subspan(operation.operands.first, operation.operands.count);
}

std::span<const Value> Module::resultsOf(const Operation &operation) const
{
    return std::span(values).subspan(operation.results.first, operation.results.count);
}

std::uint32_t Module::resourceOf(std::uint64_t handle) const
{
    return static_cast<std::uint32_t>(externalResources + handle);
}

std::vector<NamedAttribute> Module::attributesOf(const Operation &operation) const
{
    std::vector<NamedAttribute> found;
    const PropertyRow *row = operationNames[operation.name].row;
    if (row && operation.properties != kNone) {
        FaultState faults{file, {}};
        Cursor cursor(bytes, properties[operation.properties], faults, "mlir.properties", {});
        for (const PropertyRow::Property &property : row->properties) {
            const std::uint64_t number = cursor.varint(property.name);
            const std::uint64_t index = property.optional ? number >> 1 : number;
            if (cursor.ok() && (!property.optional || (number & 1) != 0) &&
                index < attributes.size())
                found.push_back({property.name, static_cast<std::uint32_t>(index)});
        }
    }
    if (operation.attributes == kNone)
        return found;
    const Decoded dictionary = attribute(operation.attributes);
    if (dictionary.is("dictionary") && dictionary.row->dialect == "builtin") {
        for (std::size_t i = 0; i + 1 < dictionary.fields.size(); i += 2)
            found.push_back({stringOf(static_cast<std::uint32_t>(dictionary.fields[i].value)),
                             static_cast<std::uint32_t>(dictionary.fields[i + 1].value)});
    }
    return found;
}

std::uint32_t Module::attributeOf(const Operation &operation, std::string_view name) const
{
    const std::vector<NamedAttribute> all = attributesOf(operation);
    const auto *at = findBy(all, &NamedAttribute::name, name);
    return !at ? kNone : at->attribute;
}

std::string_view Module::stringOf(std::uint32_t index) const
{
    if (index == kNone)
        return {};
    const Decoded decoded = attribute(index);
    const bool text = decoded.is("serialization.string") || decoded.is("string");
    return text && !decoded.fields.empty()
               ? strings[static_cast<std::size_t>(decoded.fields.front().value)]
               : std::string_view();
}

} // namespace kernscope::mlir
