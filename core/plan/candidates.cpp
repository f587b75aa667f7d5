// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/candidates.h"

#include <utility>

namespace kernscope::plan {

CandidateList::Forms::Forms(TriedForms of) : tried(std::move(of))
{
    errorAt.reserve(tried.size());
    for (const CompactShared<TriedForm> &form : tried) {
        errorAt.push_back(static_cast<std::uint32_t>(errors));
        errors += form->refused.empty() ? 1 : 0;
    }
}

CandidateList::CandidateList(std::shared_ptr<const Forms> forms, const std::vector<double> &errors)
    : m_forms(std::move(forms))
{
    m_errors.reserve(m_forms->errors);
    for (std::size_t place = 0; place < size(); ++place) {
        if (m_forms->tried[place]->refused.empty())
            m_errors.push_back(errors[place]);
    }
}

CandidateList CandidateList::with(std::size_t place, TriedForm tried, double error) const
{
    TriedForms forms = m_forms->tried;
    forms[place] = CompactShared<TriedForm>(std::move(tried));
    std::vector<double> errors;
    errors.reserve(size());
    for (const Candidate &candidate : *this)
        errors.push_back(candidate.error);
    errors[place] = error;
    return {std::make_shared<const Forms>(std::move(forms)), errors};
}

} // namespace kernscope::plan
