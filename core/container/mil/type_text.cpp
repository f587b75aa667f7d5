// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/mil/type_text.h"

#include <fmt/format.h>

namespace kernscope::mil {

std::string shortened(std::string_view text)
{
    constexpr std::size_t kLimit = 1000; // also keeps nested types from being copied over and over
    if (text.size() <= kLimit)
        return std::string(text);
    return fmt::format("{}...", text.substr(0, kLimit));
}

std::string typeText(const ValueType &type)
{
    if (type.kind != ValueType::Kind::Tensor)
        return type.text.empty() ? std::string("unknown") : type.text;
    const std::string_view element =
        type.text.empty() ? elementTypeName(type.element) : std::string_view(type.text);
    if (type.dims.empty())
        return std::string(element);
    std::string text = "tensor<" + std::string(element) + ", [";
    for (std::size_t i = 0; i < type.dims.size() && text.size() < 1000; ++i) {
        text += i == 0 ? "" : ", ";
        text += type.dims[i] < 0 ? "?" : std::to_string(type.dims[i]);
    }
    return text + "]>";
}

} // namespace kernscope::mil
