// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/form/operand_list.h"

#include <utility>

namespace kernscope {

OperandList::OperandList(std::shared_ptr<const codec::Encoding> encoding)
    : m_all(codec::operandsOf(*encoding)), m_owner(std::move(encoding))
{
}

OperandList::OperandList(std::vector<codec::Operand> operands)
{
    auto kept = std::make_shared<const std::vector<codec::Operand>>(std::move(operands));
    m_all.reserve(kept->size());
    for (const codec::Operand &operand : *kept)
        m_all.push_back(&operand);
    m_owner = std::move(kept);
}

} // namespace kernscope
