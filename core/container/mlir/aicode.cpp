// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/mlir/aicode.h"

#include <algorithm>

namespace kernscope::mlir {

std::optional<TensorType> tensorType(const Module &module, std::uint32_t type)
{
    enum Column : std::size_t { kShape, kElement, kEncoding };
    if (type == kNone)
        return std::nullopt;
    const Decoded decoded = module.type(type);
    if (!decoded.is("tensor_v1"))
        return std::nullopt;
    TensorType tensor;
    for (const Field &field : decoded.fields) {
        if (field.column == kShape)
            tensor.shape.push_back(field.integer());
        else if (field.column == kElement)
            tensor.element = static_cast<std::uint32_t>(field.value);
        else if (field.column == kEncoding)
            tensor.encoding = static_cast<std::uint32_t>(field.value);
    }
    if (const Decoded element = module.type(tensor.element); element.row) {
        tensor.elementName = element.row->element;
        tensor.elementBits = element.row->bits;
    }
    return tensor;
}

std::optional<ConstantBytes> constantBytes(const Module &module, std::uint32_t attribute)
{
    if (attribute == kNone)
        return std::nullopt;
    const Decoded decoded = module.attribute(attribute);
    ConstantBytes found;
    found.attribute = attribute;
    if (decoded.is("serialization.dense_elements")) {
        found.splat = decoded.fields[0].value != 0;
        found.data = decoded.fields[1].range;
        return found;
    }
    if (!decoded.is("serialization.dense_resource"))
        return std::nullopt;
    found.resource = module.resourceOf(decoded.fields[0].value);
    const Resource &resource = module.resources[found.resource];
    if (resource.kind != ResourceKind::Blob || resource.entry.bytes.value == 0)
        return std::nullopt;
    found.data = resource.data;
    return found;
}

ConstantUses constantUses(const Module &module)
{
    ConstantUses uses;
    uses.byAttribute.resize(module.attributes.size());
    uses.byResource.resize(module.resources.size());
    for (std::uint32_t i = 0; i < module.operations.size(); ++i) {
        const Operation &operation = module.operations[i];
        if (!module.is(operation, "aicode.primitive.constant_v1"))
            continue;
        const auto data = constantBytes(module, module.attributeOf(operation, "value"));
        if (!data)
            continue;
        auto &operations = uses.byAttribute[data->attribute];
        if (operations.empty() && data->resource != kNone)
            uses.byResource[data->resource].push_back(data->attribute);
        operations.push_back(i);
    }
    return uses;
}

std::vector<std::uint32_t> ConstantUses::sharing(const ConstantBytes &data) const
{
    if (data.resource == kNone)
        return byAttribute[data.attribute];
    std::vector<std::uint32_t> all;
    for (const std::uint32_t attribute : byResource[data.resource])
        all.insert(all.end(), byAttribute[attribute].begin(), byAttribute[attribute].end());
    std::ranges::sort(all);
    return all;
}

} // namespace kernscope::mlir
