// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/weight_texts.h"

#include "core/assessment/weight_where.h"
#include "core/bundle/bundle.h"

#include <algorithm>

namespace kernscope {

std::string textsOf(const Weight &weight, FormTexts &forms)
{
    std::string all;
    const auto add = [&all](std::string_view text) {
        all += text;
        all += '\0';
    };
    add(weight.name);
    add(weight.function);
    add(forms.of(weight.form));
    for (const Consumer &consumer : weight.consumers) {
        add(consumer.op);
        add(consumer.name);
    }
    std::transform(all.begin(), all.end(), all.begin(), lowerLetter);
    return all;
}

WeightTexts::WeightTexts(const BundlePtr &bundle) : m_bundle(bundle)
{
    FormTexts forms;
    m_starts.reserve(bundle->weights().size() + 1);
    for (const Weight &weight : bundle->weights()) {
        m_starts.push_back(m_all.size());
        m_all += textsOf(weight, forms);
    }
    m_starts.push_back(m_all.size());
    m_all.shrink_to_fit();
}

bool WeightTexts::isOf(const BundlePtr &bundle) const
{
    return !m_bundle.owner_before(bundle) && !bundle.owner_before(m_bundle);
}

std::string_view WeightTexts::of(std::size_t weight) const
{
    return std::string_view(m_all).substr(m_starts[weight],
                                          m_starts[weight + 1] - m_starts[weight]);
}

} // namespace kernscope
