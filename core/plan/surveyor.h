// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/judge_content.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

/// Private to the survey.
namespace kernscope::plan {

/// Makes a survey step by step.
class Surveyor
{
public:
    Surveyor(const Bundle &bundle, const SurveyOptions &options)
        : m_bundle(bundle), m_options(options)
    {
    }

    Result<Survey> run();

private:
    Result<void> checkOptions();
    void readLayers();
    Result<void> bindInputs();
    /// The bundle whose shapes count.
    const Bundle &shaped() const { return m_survey.shaped ? *m_survey.shaped->bundle : m_bundle; }
    Result<void> addRows();
    std::string whyFixed(std::size_t weight) const;
    Result<void> checkChannels(std::size_t weight) const;
    void findItems();
    void findContents();
    std::size_t contentOf(std::size_t weight, const Axes &axes);
    bool sameContent(std::size_t a, std::size_t b) const;
    Usage usageOf(std::size_t weight) const;
    using FormList = std::vector<codec::FormSpec>;
    Result<std::shared_ptr<const FormList>> formsOf(const Weight &weight, const Axes &axes);
    Result<void> addForms(Content &content, std::size_t weight);
    bool triesForm(const std::string &name) const;
    Result<void> judgeAll();
    void finish();

    const Bundle &m_bundle;
    const SurveyOptions &m_options;
    Survey m_survey;
    std::vector<decision::WeightForm> m_forms;
    LayersByWeight m_layers;
    std::vector<Axes> m_axes;       ///< by weight
    std::vector<unsigned> m_opsets; ///< by weight
    std::vector<Content> m_contents;
    /// By shape, axes, and whether the weight is dense.
    std::map<std::tuple<Shape, Axes, bool>, std::shared_ptr<const FormList>> m_formLists;
    std::unordered_multimap<std::uint64_t, std::size_t> m_byHash;
    struct Used {
        std::size_t content = 0, usage = 0;
    };
    std::vector<Used> m_used; ///< by weight
};

} // namespace kernscope::plan
