// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/mlir/aicode.h"
#include "core/container/mlir/cursor.h"
#include "core/container/mlir/entries.h"
#include "core/container/mlir/module.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace kernscope::mlir {

namespace {

constexpr std::string_view kEditedDialect = "aicode";
/// Longer entries are constants, of which no equal one is looked for.
constexpr std::uint64_t kLongestCompared = 512;

/// Resources of dialects; a handle counts these.
std::uint64_t handles(const Module &module)
{
    return module.resources.size() - module.externalResources;
}

} // namespace

ModuleEdit::ModuleEdit(const Module &module)
    : m_module(module), m_droppedAttributes(module.attributes.size()),
      m_droppedResources(module.resources.size())
{
    for (std::uint32_t i = 0; i < module.strings.size(); ++i)
        m_stringIndex.emplace(module.strings[i], i);
    const auto remember = [this](const std::vector<Entry> &entries, bool type) {
        for (std::uint32_t i = 0; i < entries.size(); ++i) {
            const auto bytes = m_module.bytesOf(entries[i].range);
            if (entries[i].custom && bytes.size() <= kLongestCompared &&
                m_module.dialectName(entries[i].dialect) == kEditedDialect)
                m_entryIndex[type].emplace(Encoded(bytes.begin(), bytes.end()), i);
        }
    };
    remember(module.attributes, false);
    remember(module.types, true);
    for (std::uint32_t i = 0; i < module.properties.size(); ++i) {
        const auto bytes = m_module.bytesOf(module.properties[i]);
        m_propertyIndex.emplace(Encoded(bytes.begin(), bytes.end()), i);
    }
}

bool ModuleEdit::empty() const
{
    return m_strings.empty() && m_entries[0].empty() && m_entries[1].empty() &&
           m_properties.empty() && m_resources.empty() && m_names.empty() && m_operations.empty() &&
           m_operationProperties.empty();
}

std::uint32_t ModuleEdit::string(std::string_view text)
{
    if (const auto known = m_stringIndex.find(text); known != m_stringIndex.end())
        return known->second;
    const auto index = static_cast<std::uint32_t>(m_module.strings.size() + m_strings.size());
    m_strings.push_back(std::make_shared<const std::string>(text));
    m_stringIndex.emplace(*m_strings.back(), index);
    return index;
}

Result<std::uint32_t> ModuleEdit::attribute(std::string_view kind, const FieldValues &values)
{
    return entry(kind, values, false);
}

Result<std::uint32_t> ModuleEdit::type(std::string_view kind, const FieldValues &values)
{
    return entry(kind, values, true);
}

Result<std::uint32_t> ModuleEdit::entry(std::string_view kind, const FieldValues &values, bool type)
{
    const auto rows = kindRows();
    const auto row = std::ranges::find_if(rows, [&](const KindRow &each) {
        return each.dialect == kEditedDialect && each.type == type && each.name == kind &&
               each.fields.size() == values.columns.size();
    });
    Encoder encoded;
    if (row == rows.end() || !encodeEntry(encoded, *row, values, kNoWidth))
        return refused("mlir.edit", "kind", "a row of mlir_kinds.csv", std::string(kind),
                       "No attribute or type is written like this");
    std::vector<Added> &added = m_entries[type];
    const std::size_t stored = type ? m_module.types.size() : m_module.attributes.size();
    const auto next = static_cast<std::uint32_t>(stored + added.size());
    if (encoded.size() <= kLongestCompared) {
        const auto [known, isNew] = m_entryIndex[type].emplace(encoded.all(), next);
        if (!isNew && (type || known->second >= m_droppedAttributes.size() ||
                       !m_droppedAttributes[known->second]))
            return known->second;
        known->second = next;
    }
    for (std::size_t i = 0; i < row->fields.size(); ++i) {
        if (row->fields[i].letter == 'A' || row->fields[i].letter == 'D')
            for (const std::uint64_t held : values.columns[i])
                m_held.push_back(static_cast<std::uint32_t>(held));
    }
    added.push_back({&*row, values.columns, {values.data.begin(), values.data.end()}});
    return next;
}

Result<std::uint32_t> ModuleEdit::properties(std::string_view operation,
                                             const std::vector<std::uint32_t> &attributes)
{
    const PropertyRow *row = propertyRow(operation);
    if (!row || row->properties.size() != attributes.size())
        return refused("mlir.edit", "properties", "a row of mlir_properties.csv",
                       std::string(operation), "No properties are written like this");
    Encoder encoded;
    for (std::size_t i = 0; i < attributes.size(); ++i) {
        const bool there = attributes[i] != kNone;
        if (!there && !row->properties[i].optional)
            return refused("mlir.edit", row->properties[i].name, "an attribute", "none",
                           "A property is missing");
        if (!row->properties[i].optional)
            encoded.varint(attributes[i]);
        else
            encoded.flagged(there ? attributes[i] : 0, there);
        if (there)
            m_held.push_back(attributes[i]);
    }
    const auto next = static_cast<std::uint32_t>(m_module.properties.size() + m_properties.size());
    const auto [known, isNew] = m_propertyIndex.emplace(encoded.all(), next);
    if (isNew)
        m_properties.push_back(encoded.take());
    return known->second;
}

std::uint64_t ModuleEdit::resource(std::string key, std::uint64_t alignment, SharedBytes data)
{
    std::string unique = key;
    for (unsigned i = 1; m_stringIndex.contains(unique); ++i)
        unique = key + "_" + std::to_string(i);
    m_resources.push_back({string(unique), alignment, std::move(data)});
    return handles(m_module) + m_resources.size() - 1;
}

std::uint32_t ModuleEdit::value(std::uint32_t type)
{
    m_valueTypes.push_back(type);
    return static_cast<std::uint32_t>(m_module.values.size() + m_valueTypes.size() - 1);
}

void ModuleEdit::replace(std::uint32_t operation, std::vector<NewOperation> operations)
{
    for (const NewOperation &each : operations)
        addName(each.name);
    m_operations[operation] = std::move(operations);
}

void ModuleEdit::setProperties(std::uint32_t operation, std::uint32_t properties)
{
    m_operationProperties[operation] = properties;
}

std::uint32_t ModuleEdit::dialect() const
{
    for (std::uint32_t i = 0; i < m_module.dialects.size(); ++i) {
        if (m_module.dialectName(i) == kEditedDialect)
            return i;
    }
    return 0;
}

void ModuleEdit::addName(std::string_view fullName)
{
    if (operationNameOf(fullName) == kNone)
        m_names.push_back({dialect(), string(fullName.substr(fullName.find('.') + 1))});
}

std::uint32_t ModuleEdit::operationNameOf(std::string_view fullName) const
{
    const std::string_view own = fullName.substr(fullName.find('.') + 1);
    const std::uint32_t aicode = dialect();
    const auto &names = m_module.operationNames;
    for (std::uint32_t i = 0; i < names.size(); ++i) {
        if (names[i].dialect == aicode && m_module.strings[names[i].name] == own)
            return i;
    }
    const auto text = m_stringIndex.find(own);
    for (std::uint32_t i = 0; i < m_names.size() && text != m_stringIndex.end(); ++i) {
        if (m_names[i].name == text->second)
            return static_cast<std::uint32_t>(names.size() + i);
    }
    return kNone;
}

void ModuleEdit::dropUnused()
{
    std::vector<std::uint32_t> constants;
    dropOperations(constants);
    const bool known = std::ranges::none_of(m_module.diagnostics, [](const Diagnostic &each) {
        return each.error.code == "mlir.kind";
    });
    if (known) // else something unknown may hold an attribute
        dropAttributes(constants);
}

void ModuleEdit::dropOperations(std::vector<std::uint32_t> &constants)
{
    std::vector<std::uint32_t> before(m_module.values.size()),
        now(before.size() + m_valueTypes.size());
    const auto read = [&now](std::uint32_t value) { ++now[value]; };
    const auto addConstant = [&](const Operation &operation) {
        if (m_module.is(operation, "aicode.primitive.constant_v1"))
            constants.push_back(m_module.attributeOf(operation, "value"));
    };
    for (std::uint32_t i = 0; i < m_module.operations.size(); ++i) {
        const Operation &operation = m_module.operations[i];
        const auto replaced = m_operations.find(i);
        for (const std::uint32_t value : m_module.operandsOf(operation))
            ++before[value];
        if (replaced == m_operations.end())
            std::ranges::for_each(m_module.operandsOf(operation), read);
        else
            for (const NewOperation &each : replaced->second)
                std::ranges::for_each(each.operands, read);
        if (replaced != m_operations.end() || m_operationProperties.contains(i))
            addConstant(operation);
    }
    // Backwards: what reads a value stands behind what makes it.
    for (auto i = static_cast<std::uint32_t>(m_module.operations.size()); i-- > 0;) {
        const Operation &operation = m_module.operations[i];
        bool wasRead = false, isRead = false;
        for (std::uint32_t k = 0; k < operation.results.count; ++k) {
            wasRead |= before[operation.results.first + k] > 0;
            isRead |= now[operation.results.first + k] > 0;
        }
        if (!wasRead || isRead || operation.regions.count > 0 || m_operations.contains(i) ||
            !m_module.operationName(operation).starts_with("aicode.primitive."))
            continue;
        m_operations[i] = {};
        addConstant(operation);
        for (const std::uint32_t value : m_module.operandsOf(operation))
            --now[value];
    }
}

std::vector<bool> ModuleEdit::reachedAttributes() const
{
    std::vector<std::uint32_t> held = m_held, types(m_module.types.size());
    std::iota(types.begin(), types.end(), 0U);
    const auto holdAll = [&held](const std::vector<NamedAttribute> &attributes) {
        for (const NamedAttribute &each : attributes)
            held.push_back(each.attribute);
    };
    const auto holdProperties = [&](std::uint32_t properties, std::string_view name) {
        const PropertyRow *row = propertyRow(name);
        if (properties < m_module.properties.size() && row)
            holdAll(m_module.propertiesOf(*row, properties));
    };
    for (std::uint32_t i = 0; i < m_module.operations.size(); ++i) {
        Operation stored = m_module.operations[i];
        // Also of one that was replaced: what stands there has its location.
        held.insert(held.end(), {stored.location, stored.attributes});
        if (m_operationProperties.contains(i))
            stored.properties = kNone; // the new ones are in m_held, or a row of the file's
        if (!m_operations.contains(i))
            holdAll(m_module.attributesOf(stored));
    }
    for (const auto &[index, added] : m_operations) {
        for (const NewOperation &each : added) {
            held.push_back(each.location);
            holdProperties(each.properties, each.name);
        }
    }
    for (const auto &[index, properties] : m_operationProperties)
        holdProperties(properties, m_module.operationName(m_module.operations[index]));
    for (const Value &value : m_module.values)
        held.push_back(value.location);
    return reachedFrom(m_module, held, types).attributes;
}

void ModuleEdit::dropAttributes(const std::vector<std::uint32_t> &constants)
{
    for (const Operation &operation : m_module.operations) {
        const bool hidden = operation.properties != kNone &&
                            !m_module.operationNames[operation.name].row &&
                            m_module.properties[operation.properties].bytes.value > 0;
        if (hidden) // what they hold is not known
            return;
    }
    const std::vector<bool> reached = reachedAttributes();
    std::vector<bool> blobs(m_module.resources.size()); // that may go
    for (const std::uint32_t attribute : constants) {
        const auto data = constantBytes(m_module, attribute);
        if (!data || reached[attribute])
            continue;
        m_droppedAttributes[attribute] = true;
        if (data->resource != kNone)
            blobs[data->resource] = true;
    }
    for (std::uint32_t i = 0; i < m_module.attributes.size(); ++i) {
        if (m_droppedAttributes[i])
            continue;
        if (const auto data = constantBytes(m_module, i); data && data->resource != kNone)
            blobs[data->resource] = false;
    }
    m_droppedResources = std::move(blobs);
}

} // namespace kernscope::mlir
