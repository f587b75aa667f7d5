// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace kernscope::test {

/// What is wrong with the orders of a bundle's operands: every stored element must be found from
/// each of its bits, and every bit that names an element must be one of that element's. Empty:
/// nothing.
inline std::string orderFault(const Bundle &bundle)
{
    for (const Weight &weight : bundle.weights()) {
        for (const codec::Operand &operand : weight.operands()) {
            if (!operand.order)
                continue;
            const auto bytes = bundle.operandBytes(operand);
            const auto bound = operand.order->bound(bytes);
            if (!bound)
                return describe(bound.error());
            const codec::ElementOrder &order = *bound ? **bound : *operand.order;
            const std::uint64_t width = bitWidth(operand.type);
            std::vector<std::uint64_t> places(order.elements());
            order.positions(0, places);
            std::uint64_t named = 0;
            for (std::uint64_t element = 0; element < places.size(); ++element) {
                if (places[element] == codec::ElementOrder::kAbsent)
                    continue;
                auto all = order.copies(element);
                all.push_back(places[element]);
                named += width * all.size();
                for (const std::uint64_t place : all) {
                    for (const std::uint64_t bit : {place, place + width - 1}) {
                        if (order.elementAt(bit) != element)
                            return fmt::format("{}: bit {} is not of element {}", weight.name, bit,
                                               element);
                    }
                }
            }
            std::uint64_t found = 0;
            for (std::uint64_t bit = 0; bit < 8 * bytes.size() + 64; ++bit)
                found += order.elementAt(bit) ? 1 : 0;
            if (found != named)
                return fmt::format("{}: {} bits are of elements, {} name one", weight.name, named,
                                   found);
        }
    }
    return {};
}

} // namespace kernscope::test
