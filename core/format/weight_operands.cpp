// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/weight_operands.h"

#include "core/format/table_rows.h"

#include <functional>
#include <map>
#include <utility>

namespace kernscope {

const WeightOperand *weightOperand(std::string_view operation, std::string_view operand)
{
    using Rows =
        std::map<std::string, std::map<std::string, WeightOperand, std::less<>>, std::less<>>;
    static const Rows rows = [] {
        Rows made;
        for (WeightOperand &row : tables::loadRows<WeightOperand>(
                 "weight_operands", {{"operation", &WeightOperand::operation},
                                     {"operand", &WeightOperand::operand},
                                     {"least_elements", &WeightOperand::leastElements},
                                     {"floating_point", &WeightOperand::floatingPoint},
                                     {"compressible", &WeightOperand::compressible},
                                     {"note", &WeightOperand::note}}))
            made[row.operation][row.operand] = std::move(row);
        return made;
    }();
    const auto of = rows.find(operation);
    if (of == rows.end())
        return nullptr;
    const auto found = of->second.find(operand);
    return found == of->second.end() ? nullptr : &found->second;
}

bool isBiasOperand(std::string_view operand)
{
    return operand.find("bias") != std::string_view::npos;
}

} // namespace kernscope
