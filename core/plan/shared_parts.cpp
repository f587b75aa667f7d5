// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/shared_parts.h"

#include <algorithm>
#include <functional>
#include <type_traits>

namespace kernscope::plan {

namespace {

/// Equal but for the name and the place, which no figure depends on.
bool isAlike(const roofline::Layer &a, const roofline::Layer &b)
{
    return a.op == b.op && a.param == b.param && a.flops == b.flops &&
           a.inputBytes == b.inputBytes && a.outputBytes == b.outputBytes &&
           a.operation == b.operation && a.shareRead == b.shareRead && a.form == b.form &&
           a.function == b.function && a.model == b.model && a.runs == b.runs &&
           a.ofSeveral == b.ofSeveral;
}

/// The same parts, not only equal ones.
bool hasSameParts(const TriedForm &a, const TriedForm &b)
{
    return a.name.isSameAs(b.name) && a.spec == b.spec && a.form.isSameAs(b.form) &&
           a.stored == b.stored && a.chips.isSameAs(b.chips) && a.method == b.method &&
           a.sampled == b.sampled && a.refused.isSameAs(b.refused);
}

} // namespace

SharedValue<std::string> SharedParts::text(const std::string &text)
{
    if (text.empty())
        return {};
    if (m_texts.size() >= kMostTexts)
        m_texts.clear();
    return m_texts.try_emplace(text, text).first->second;
}

std::size_t SharedParts::hashOf(const decision::WeightForm &form)
{
    std::size_t hash = static_cast<std::size_t>(form.node);
    const auto mix = [&hash](std::uint64_t more) {
        hash = (hash ^ more) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 29;
    };
    mix(form.bits);
    mix(form.storedBytes.value_or(0));
    mix(form.codebooks);
    mix(form.vectorSize);
    mix(form.masked ? 1 : 0);
    for (const std::uint64_t extent : form.shape)
        mix(extent);
    return hash;
}

std::unordered_multimap<std::size_t, SharedParts::Known>::iterator
SharedParts::find(const decision::WeightForm &form, std::size_t hash)
{
    const auto [from, to] = m_forms.equal_range(hash);
    const auto at =
        std::find_if(from, to, [&form](const auto &each) { return each.second.form == form; });
    return at == to ? m_forms.end() : at;
}

SharedValue<decision::WeightForm> SharedParts::form(const decision::WeightForm &form)
{
    const std::size_t hash = hashOf(form);
    auto at = find(form, hash);
    if (at == m_forms.end()) {
        if (m_forms.size() >= kMostForms)
            m_forms.clear();
        at = m_forms.emplace(hash, Known{SharedValue(form), {}});
    }
    return at->second.form;
}

std::size_t SharedParts::hashOf(const TriedForm &tried)
{
    std::size_t hash = static_cast<std::size_t>(tried.method);
    const auto mix = [&hash](const auto &more) {
        hash =
            (hash ^ std::hash<std::remove_cvref_t<decltype(more)>>()(more)) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 29;
    };
    mix(&tried.name.value());
    mix(tried.spec.get());
    mix(&tried.form.value());
    mix(&tried.chips.value());
    mix(&tried.refused.value());
    mix(tried.stored);
    return hash;
}

CompactShared<TriedForm> SharedParts::tried(TriedForm tried)
{
    const std::size_t hash = hashOf(tried);
    const auto [from, to] = m_tried.equal_range(hash);
    const auto known = std::find_if(
        from, to, [&tried](const auto &each) { return hasSameParts(*each.second, tried); });
    if (known != to)
        return known->second;
    if (m_tried.size() >= kMostTried)
        m_tried.clear();
    return m_tried.emplace(hash, CompactShared<TriedForm>(std::move(tried)))->second;
}

std::size_t SharedParts::hashOf(const TriedForms &tried)
{
    std::size_t hash = tried.size();
    for (const CompactShared<TriedForm> &form : tried) {
        hash = (hash ^ std::hash<const TriedForm *>()(&*form)) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 29;
    }
    return hash;
}

std::shared_ptr<const CandidateList::Forms> SharedParts::forms(TriedForms tried)
{
    const std::size_t hash = hashOf(tried);
    const auto [from, to] = m_lists.equal_range(hash);
    const auto known = std::find_if(from, to, [&tried](const auto &each) {
        return std::equal(tried.begin(), tried.end(), each.second->tried.begin(),
                          each.second->tried.end(),
                          [](const auto &a, const auto &b) { return a.isSameAs(b); });
    });
    if (known != to)
        return known->second;
    if (m_lists.size() >= kMostLists)
        m_lists.clear();
    return m_lists.emplace(hash, std::make_shared<const CandidateList::Forms>(std::move(tried)))
        ->second;
}

const SharedParts::Chips *SharedParts::chips(const SharedValue<decision::WeightForm> &form,
                                             const std::vector<roofline::Layer> &layers) const
{
    const auto [from, to] = m_forms.equal_range(hashOf(*form));
    for (auto at = from; at != to; ++at) {
        if (!at->second.form.isSameAs(form))
            continue;
        for (const Known::Use &use : at->second.uses) {
            if (std::equal(use.layers.begin(), use.layers.end(), layers.begin(), layers.end(),
                           isAlike))
                return &use.chips;
        }
    }
    return nullptr;
}

SharedParts::Chips SharedParts::keep(const SharedValue<decision::WeightForm> &form,
                                     const std::vector<roofline::Layer> &layers,
                                     std::vector<ChipFigures> figures)
{
    const Chips chips{CompactVector<ChipFigures>(figures)};
    const auto at = find(*form, hashOf(*form));
    if (at != m_forms.end() && at->second.uses.size() < kMostUses)
        at->second.uses.push_back({layers, chips});
    return chips;
}

} // namespace kernscope::plan
