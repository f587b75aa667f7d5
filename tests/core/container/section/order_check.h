// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle.h"
#include "core/codec/decode/decoder.h"
#include "tests/test_program.h"

namespace kernscope::test {

/// What is wrong with the tiles of an order; empty: nothing. Those of numbers that leave zeros out
/// name the elements that have a place, and where the first of each column lies.
inline std::string tileFault(const codec::ElementOrder &order,
                             std::span<const std::uint64_t> places)
{
    for (std::uint64_t first = 0; first < places.size();) {
        const std::uint64_t left = places.size() - first;
        const auto tile = order.tileAt(first, left);
        const auto kept = tile ? std::nullopt : order.keptAt(first, left);
        if (!tile && !kept)
            return {};
        const std::uint64_t rows = tile ? tile->rows : kept->rows;
        const std::uint64_t columns = tile ? tile->columns : kept->columns;
        std::uint64_t at = kept ? kept->at : 0;
        for (std::uint64_t column = 0; column < columns; ++column) {
            std::uint64_t lane = 0;
            for (std::uint64_t row = 0; row < rows; ++row) {
                const std::uint64_t place = places[first + row * columns + column];
                std::uint64_t said = codec::ElementOrder::kAbsent;
                if (tile)
                    said = tile->bit + row * tile->rowBits + column * tile->columnBits;
                for (; kept && lane <= kept->lane + row; ++lane) {
                    const std::uint64_t bit = 8 * column + lane;
                    const bool set =
                        (std::to_integer<unsigned>(kept->mask[bit / 8]) >> bit % 8 & 1U) != 0;
                    said = set ? 8 * at : codec::ElementOrder::kAbsent;
                    at += set ? 2 : 0;
                }
                if (said != place)
                    return fmt::format("element {}: at {}, its tile says {}",
                                       first + row * columns + column, place, said);
            }
            for (; kept && lane < kept->lanes; ++lane) {
                const std::uint64_t bit = 8 * column + lane;
                at += 2 * (std::to_integer<unsigned>(kept->mask[bit / 8]) >> bit % 8 & 1U);
            }
            at += kept ? kept->gap : 0;
        }
        first += rows * columns;
    }
    return {};
}

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
            if (const auto fault = tileFault(order, places); !fault.empty())
                return fmt::format("{}: {}", weight.name, fault);
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
