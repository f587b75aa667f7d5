// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/survey.h"

#include <string>
#include <unordered_map>
#include <vector>

/// What candidates of many weights have in common: two million candidates are tried for 50,000
/// weights.
namespace kernscope::plan {

/// Gives equal parts of candidates the same value, and works figures out once. Forgets what it
/// knows where too much is different; what was given out stays.
class SharedParts
{
public:
    using Chips = SharedValue<CompactVector<ChipFigures>>;

    SharedValue<std::string> text(const std::string &text);
    SharedValue<decision::WeightForm> form(const decision::WeightForm &form);
    /// The figures of a form (as form() gave it) in layers; null where they are not known yet.
    const Chips *chips(const SharedValue<decision::WeightForm> &form,
                       const std::vector<roofline::Layer> &layers) const;
    Chips keep(const SharedValue<decision::WeightForm> &form,
               const std::vector<roofline::Layer> &layers, std::vector<ChipFigures> figures);
    /// The same for what a form makes of a weight. Its own parts are those that were given here.
    CompactShared<TriedForm> tried(TriedForm tried);
    /// The same for all forms of a weight; each is one that tried() gave.
    std::shared_ptr<const CandidateList::Forms> forms(TriedForms tried);

private:
    struct Known {
        SharedValue<decision::WeightForm> form;
        struct Use {
            std::vector<roofline::Layer> layers;
            Chips chips;
        };
        std::vector<Use> uses;
    };
    static constexpr std::size_t kMostForms = 4096, kMostTexts = 4096, kMostUses = 8,
                                 kMostTried = 1 << 15, kMostLists = 1024;

    std::unordered_multimap<std::size_t, Known>::iterator find(const decision::WeightForm &form,
                                                               std::size_t hash);
    static std::size_t hashOf(const decision::WeightForm &form);
    static std::size_t hashOf(const TriedForm &tried);
    static std::size_t hashOf(const TriedForms &tried);

    std::unordered_map<std::string, SharedValue<std::string>> m_texts;
    std::unordered_multimap<std::size_t, Known> m_forms;
    std::unordered_multimap<std::size_t, CompactShared<TriedForm>> m_tried;
    std::unordered_multimap<std::size_t, std::shared_ptr<const CandidateList::Forms>> m_lists;
};

} // namespace kernscope::plan
